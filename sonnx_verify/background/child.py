"""A process that does one piece of work on texts, seen from inside: it gets ready, waits for a request, answers, ends.

It ends with its work, when it is killed, or when its channel closes before it has any.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.select import selected  # noqa: F401  # as `run` below
from sonnx_verify.background.messages import Done, Failed, Mistake, Row
from sonnx_verify.errors import UserError
from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.project import Project
from sonnx_verify.processes.channel import Channel
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check import run  # noqa: F401  # what takes long to import is there when work comes
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import store_of_trees

Say = Callable[[Any], None]
"""Sends a message: one of `messages`, or one of those that whoever started the process knows besides."""

NICE = 5
"""The niceness of the process: keystrokes are answered by another one, which shares the cores with it."""


def served(channel: Channel, root: str, work: Callable[[Any, Say], None]) -> None:
    """Get ready, wait, work. The last message is `Done` or `Failed`.

    Importing and parsing takes a second; done ahead, the first verdict is there soon after it was asked for.
    """
    os.nice(NICE)
    allow_deep_calls()
    keep_in(store_of_trees)
    if root:
        # Parsed texts are remembered: most of them will say the same when work comes.
        Project.open(Path(root))
    try:
        request = channel.receive()
    except EOFError:  # whoever started this ended before there was work
        return
    try:
        with seldom_collected():
            work(request, channel.send)
    except UserError as error:
        channel.send(Mistake.of(error))
        channel.send(Done())
    except MemoryError:
        channel.send(Failed("it needs more memory than there is"))
    except Exception as problem:
        channel.send(Failed(f"{type(problem).__name__}: {problem}"))


def decide(asked: Asked, instead: Mapping[Path, str], jobs: int, row_of: Callable[[Result], Row], say: Say) -> None:
    """Decide what is asked for as `check` does, and say what comes of it as soon as it is known: errors, each
    obligation, that it is done.

    `instead` are texts that stand for what is written in files, by their paths without links.
    """
    versions = Solvers().versions()
    cache = opened(asked.root, asked.further, versions, instead)
    with solvers_with(cache) as solvers:
        decided = Decided(asked, cache, jobs, instead=instead)
        known = _say_new(decided.errors, 0, say)
        for result in decided.results(solvers):
            say(row_of(result))
            # Some texts are read, or cannot be built, only when it is their turn.
            known = _say_new(decided.errors, known, say)
        _say_new(decided.errors, known, say)
    # Before the cache is cut to its size, which nobody waits for.
    say(Done(tuple(name for name, version in versions.items() if version is None)))
    if cache is not None:
        cache.close()


def _say_new(errors: Sequence[UserError], known: int, say: Say) -> int:
    """Say those behind the first `known` ones; the number of all."""
    for error in errors[known:]:
        say(Mistake.of(error))
    return len(errors)
