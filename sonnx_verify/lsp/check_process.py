"""A process that checks one formal text, or the examples of a page, seen from inside.

It gets ready, with the texts of a project, and waits for one `Request`, which says what is to be checked and what the
editor has of files. It decides as `check` does, and sends each thing that it finds. It ends with its work, when it is
killed, or when its channel closes before it has any.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.select import selected  # noqa: F401  # likewise
from sonnx_verify.errors import UserError
from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.places import files_of_project
from sonnx_verify.language.project import Project
from sonnx_verify.lsp.messages import Done, Failed, Message, Mistake, Request, Row
from sonnx_verify.outputs.console import hint_lines
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.pages.lint.rules import RULES, findings_of
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.paths import resolved
from sonnx_verify.processes.channel import Channel
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check import run  # noqa: F401  # what takes long to import is there when work comes
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import store_of_trees

Say = Callable[[Message], None]

NICE = 5
"""The niceness of the process: keystrokes are answered by another one, which shares the cores with it."""


def examples(request: Request, say: Say) -> None:
    """Look at a page with the rules that evaluate its formal text, as it is written, and say what they find."""
    path = Path(request.path)
    page = page_from(path.name, request.instead[request.path].encode("utf-8", "replace"), path)
    for found in findings_of(page):
        # The server itself looks with the other rules, at each keystroke.
        if found.rule in RULES and RULES[found.rule].slow:
            say(found)
    say(Done())


def check(request: Request, say: Say) -> None:
    """Check a formal text as `check` does, and say what comes of it as soon as it is known: errors, each obligation,
    that it is done."""
    # Messages name files as seen from the root of the project, wherever the editor was started.
    os.chdir(request.root)
    root, path = Path(request.root), Path(request.path)
    instead = {Path(name): text for name, text in request.instead.items()}
    # The project may find the file under another path, through a link; that is the one that its units have.
    mine = next((p for p in files_of_project(root) if resolved(p) == resolved(path)), None)
    asked = Asked(root, whole=[mine or path], files=[mine or path])
    if mine is None:
        asked.further.append(path)
    versions = Solvers().versions()
    cache = opened(root, asked.further, versions, instead)
    with solvers_with(cache) as solvers:
        decided = Decided(asked, cache, request.jobs, instead=instead)
        known = list(decided.errors)
        for error in known:
            say(Mistake.of(error))
        for result in decided.results(solvers):
            say(row_of(result, root))
        # Some texts cannot be built only when it is their turn.
        for error in decided.errors[len(known) :]:
            say(Mistake.of(error))
    # Before the cache is cut to its size, which nobody at the editor waits for.
    say(Done(tuple(name for name, version in versions.items() if version is None)))
    if cache is not None:
        cache.close()


def row_of(result: Result, root: Path) -> Row:
    """The part of a result that an editor shows."""
    return Row(
        id=result.id,
        kind=result.kind,
        tag=result.tag,
        section=result.section,
        verdict=result.verdict,
        scope=result.scope,
        reason=result.reasons,
        surprising=result.surprising,
        status=result.status,
        finding=(*quoted_finding(result, root), *hint_lines(result)),
        line=result.place.line,
        column=result.place.column,
    )


def serve(channel: Channel, root: str) -> None:
    """Get ready, wait, check.

    Importing and parsing takes a second; done ahead, the first verdict is there soon after the pause.
    """
    os.nice(NICE)
    allow_deep_calls()
    keep_in(store_of_trees)
    if root:
        # Parsed texts are remembered: most of them will say the same when work comes.
        Project.open(Path(root))
    try:
        request: Request = channel.receive()
    except EOFError:  # the server ended before it had work for this process
        return
    work = check
    if request.path.endswith(".md"):
        work = examples
    try:
        with seldom_collected():
            work(request, channel.send)
    except UserError as error:
        channel.send(Mistake.of(error))
        channel.send(Done())
    except Exception as problem:
        channel.send(Failed(f"{type(problem).__name__}: {problem}"))
