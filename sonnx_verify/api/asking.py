"""Solvers for a command that asks them and keeps no records of obligations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.answers import Answers
from sonnx_verify.stores.store import Store, allowed_bytes, default_folder


def ignore(_problem: str) -> None:
    """Say nothing of a cache that cannot be used: the answers are the same."""


@contextmanager
def asking(problem: Callable[[str], None] = ignore) -> Iterator[Solvers]:
    """All solvers; what they answered before is not asked again. At the end the cache is cut to its size, and `problem`
    is called with what went wrong with it: the answers do not depend on that."""
    folder = default_folder()
    if folder is None:
        with Solvers() as solvers:
            yield solvers
        return
    # Before anything is asked: a size that is no number is told at once, not after an hour of solving.
    allowed, store = allowed_bytes(), Store(folder)
    answers = Answers(store, Solvers().versions())
    try:
        with Solvers(kept=answers) as solvers:
            yield solvers
    finally:
        # Also after an error or an interrupt: what solvers answered until then holds.
        answers.flush()
        store.trim(allowed)
        if store.problem:
            problem(store.problem)
