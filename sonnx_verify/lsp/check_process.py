"""A process that checks one formal text, or the examples of a page, seen from inside.

Its `Request` says what is to be checked and what the editor has of files. It decides as `check` does, and sends each
thing that it finds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.background.child import Say, decide, served
from sonnx_verify.background.messages import Done, Row
from sonnx_verify.language.places import files_of_project
from sonnx_verify.lsp.messages import Message, Request
from sonnx_verify.outputs.console import hint_lines
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.pages.lint.rules import RULES, findings_of
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.paths import resolved
from sonnx_verify.processes.channel import Channel
from sonnx_verify.results.result import Result


def examples(request: Request, say: Callable[[Message], None]) -> None:
    """Look at a page with the rules that evaluate its formal text, as it is written, and say what they find."""
    path = Path(request.path)
    page = page_from(path.name, request.instead[request.path].encode("utf-8", "replace"), path)
    for found in findings_of(page):
        # The server itself looks with the other rules, at each keystroke.
        if found.rule in RULES and RULES[found.rule].slow:
            say(found)
    say(Done())


def check(request: Request, say: Callable[[Message], None]) -> None:
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

    def row_of(result: Result) -> Row:
        return Row.of(result, [*quoted_finding(result, root), *hint_lines(result)])

    decide(asked, instead, request.jobs, row_of, say)


def _work(request: Request, say: Say) -> None:
    if request.path.endswith(".md"):
        examples(request, say)
    else:
        check(request, say)


def serve(channel: Channel, root: str) -> None:
    """Get ready with the texts of a project, wait, check."""
    served(channel, root, _work)
