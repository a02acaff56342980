"""A process that checks one formal text, or the examples of a page, seen from inside.

It gets ready, with the texts of a project, and waits for one `Request`, which says what is to be checked and what the
editor has of files. It decides as `check` does, and sends each thing that it finds. It ends with its work, when it is
killed, or when its channel closes before it has any.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.select import selected  # noqa: F401  # likewise
from sonnx_verify.errors import UserError
from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.places import files_of_project
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.console import hint_lines
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.pages.lint.rules import RULES, findings_of
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.paths import resolved
from sonnx_verify.processes.channel import Channel
from sonnx_verify.results.answer_json import obligation_json
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check import run  # noqa: F401  # what takes long to import is there when work comes
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import store_of_trees

Say = Callable[[dict[str, Any]], None]

NICE = 5
"""How far it stands back behind whoever is typing."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be checked: a file of the project in `root`, or one that is in no project; with what stands `instead`
    in files, by their paths without links, that of a page itself; by so many processes."""

    root: str
    path: str
    instead: Mapping[str, str]
    jobs: int


def examples(request: Request, say: Say) -> None:
    """Look at a page with the rules that evaluate its formal text, as it is written, and say what they find."""
    path = Path(request.path)
    page = page_from(path.name, request.instead[request.path].encode("utf-8", "replace"), path)
    for found in findings_of(page):
        if found.rule in RULES and RULES[found.rule].slow:
            said = {"rule": found.rule, "severity": found.severity, "message": found.message, "fix": found.fix}
            say({"finding": said | {"line": found.span.line, "column": found.span.column, "length": found.span.length}})
    say({"done": True, "missing": []})


def check(request: Request, say: Say) -> None:
    """Check a formal text as `check` does, and say what comes of it as soon as it is known: errors, how many
    obligations there are, each of them, that it is done."""
    os.chdir(request.root)
    root, path = Path(request.root), Path(request.path)
    instead = {Path(name): text for name, text in request.instead.items()}
    mine = next((p for p in files_of_project(root) if resolved(p) == resolved(path)), None)
    asked = Asked(root, further=[] if mine else [path], whole=[mine or path], files=[mine or path])
    versions = Solvers().versions()
    cache = opened(root, asked.further, versions, instead)
    with Solvers(kept=None if cache is None else cache.answers) as solvers:
        decided = Decided(asked, cache, request.jobs, instead=instead)
        _say_errors(decided.errors, say)
        known = len(decided.errors)
        say({"listed": len(decided)})
        for one in decided.results(solvers):
            say({"told": row_of(one, root)})
        _say_errors(decided.errors[known:], say)
    missing = [name for name, version in versions.items() if version is None]
    say({"done": True, "missing": missing})
    if cache is not None:
        cache.close()


def row_of(result: Result, root: Path) -> dict[str, Any]:
    """What an editor shows of an obligation."""
    made = obligation_json(result)
    names = ("id", "kind", "tag", "section", "verdict", "expected", "scope", "assumptions", "reason")
    row = {name: made[name] for name in names}
    finding = [*quoted_finding(result, root), *hint_lines(result)]
    row |= {"surprising": result.surprising, "finding": finding, "status": result.status}
    return row | {"line": result.place.line, "column": result.place.column}


def _say_errors(errors: list[UserError], say: Say) -> None:
    for error in errors:
        span = error.span
        place = None if span is None else [span.source.name, span.line, span.column, span.length]
        say({"error": error.message, "cure": error.cure, "place": place})


def serve(channel: Channel, root: str) -> None:
    """Get ready, wait, check."""
    os.nice(NICE)
    allow_deep_calls()
    keep_in(store_of_trees)
    if root:
        # Parsed texts are remembered: most of them will say the same when work comes.
        Project.open(Path(root))
    try:
        request: Request = channel.receive()
    except EOFError:
        return
    try:
        with seldom_collected():
            (examples if request.path.endswith(".md") else check)(request, channel.send)
    except UserError as error:
        _say_errors([error], channel.send)
        channel.send({"done": True, "missing": []})
    except Exception as problem:
        channel.send({"failed": f"{type(problem).__name__}: {problem}"})
