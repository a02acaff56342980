"""What the server knows of each document, and when it finds out: at once from the text, later from checks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol.types import Diagnostic

from sonnx_verify.errors import UserError
from sonnx_verify.language.places import shown_as
from sonnx_verify.lsp import diagnostics
from sonnx_verify.lsp.check_process import Request
from sonnx_verify.lsp.checks import Checks, jobs
from sonnx_verify.lsp.documents import Desk, Document, root_of
from sonnx_verify.lsp.verdicts import Row, Verdicts
from sonnx_verify.paths import resolved

TOGETHER = 0.02
"""Keystrokes that follow one another within so many seconds are looked at together."""


@dataclass
class State:
    """What is known of what is open. `publish` is given the diagnostics of a document, `checked` a file of which all
    is known, `log` what went wrong."""

    desk: Desk
    publish: Callable[[Document, list[Diagnostic]], None]
    checked: Callable[[Path, Verdicts], None]
    log: Callable[[str], None]
    proving: bool = True
    verdicts: dict[Path, Verdicts] = field(default_factory=dict)
    checks: Checks = field(init=False)
    _static: dict[str, tuple[Document, list[Diagnostic]]] = field(default_factory=dict)
    _looking: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "look"))

    def __post_init__(self) -> None:
        self.checks = Checks(self._request, self._heard)

    def changed(self, document: Document) -> None:
        """A text is there, or says something else."""
        self.checks.drop(resolved(document.path))
        task = self._looking.get(document.uri)
        if document.language and (task is None or task.done()):
            self._looking[document.uri] = asyncio.get_running_loop().create_task(self._look(document.uri))

    def closed(self, document: Document) -> None:
        """A text is not open any more: what was said of it goes."""
        self.checks.drop(resolved(document.path))
        self._static.pop(document.uri, None)
        self._looking.pop(document.uri, None)
        self.verdicts.pop(resolved(document.path), None)
        self.publish(replace(document, version=None), [])

    def saved(self) -> None:
        """What is written in files may be otherwise: everything that is open is looked at again."""
        for document in self.desk.open.values():
            self._static.pop(document.uri, None)
            self.changed(document)

    async def _look(self, uri: str) -> None:
        """Say what the text of a document says, until that is said of the text that is open."""
        loop = asyncio.get_running_loop()
        while (document := self.desk.open.get(uri)) is not None:
            if uri in self._static and self._static[uri][0] is document:
                return
            await asyncio.sleep(TOGETHER)
            document = self.desk.open.get(uri, document)
            try:
                found = await loop.run_in_executor(self._worker, diagnostics.static, document)
            except Exception as problem:
                self.log(f"{document.shown} cannot be looked at: {type(problem).__name__}: {problem}")
                found = []
            if self.desk.open.get(uri) is not document:
                continue  # it says something else by now
            self._static[uri] = document, found
            self._publish(document)
            self._ask(document, sound=not found)

    def _ask(self, document: Document, sound: bool) -> None:
        """Have a formal text checked, or the one beside a page."""
        if not self.proving:
            return
        if document.is_formal and sound:
            self.checks.ask(resolved(document.path))
        elif not document.is_formal and document.file is not None:
            beside = resolved(document.file.with_suffix(".sonnx"))
            if beside not in self.verdicts and beside.is_file():
                self.checks.ask(beside)
            if beside.is_file() or not sound:
                self.checks.ask(resolved(document.path))

    def _request(self, path: Path) -> Request | None:
        """What has to be checked of a file now that it is its turn."""
        document = self._document(path)
        overlays = self.desk.overlays()
        text = overlays.get(path)
        if document is not None and not document.is_formal:
            text, overlays = document.lines.plain, {path: document.lines.plain}
        elif text is None and document is None:
            with suppress(UserError):
                text = self.desk.lines(path).plain
        if text is None:
            return None
        root = document.root if document is not None else root_of(path, self.desk.folders)
        self.verdicts.setdefault(path, Verdicts()).begin(text)
        instead = {other.as_posix(): said for other, said in overlays.items()}
        return Request(root.as_posix(), path.as_posix(), instead, jobs())

    def _heard(self, path: Path, row: Row) -> None:
        verdicts = self.verdicts.get(path)
        if verdicts is None:
            return
        verdicts.hear(row)
        document = self._document(path)
        tells = "error" in row or "finding" in row or ("told" in row and row["told"]["finding"])
        if document is not None and (tells or "done" in row or "failed" in row):
            self._publish(document)
        if "failed" in row:
            self.log(f"{path.name}: {row['failed']}")
        if "done" in row:
            self.checked(path, verdicts)

    def _document(self, path: Path) -> Document | None:
        return next((d for d in self.desk.open.values() if d.language and resolved(d.path) == path), None)

    def _publish(self, document: Document) -> None:
        """Say all that is known of a document, if its text was looked at."""
        if document.uri not in self._static or self._static[document.uri][0] is not document:
            return
        found = list(self._static[document.uri][1])
        verdicts = self.verdicts.get(resolved(document.path))
        if verdicts is not None:
            found += diagnostics.proved(verdicts, shown_as(document.path, document.root), document)
        self.publish(document, found)

    def verdicts_for(self, document: Document) -> Verdicts | None:
        """What is known of a formal text, or of the one beside a page; a copy."""
        path = document.path if document.is_formal else document.path.with_suffix(".sonnx")
        found = self.verdicts.get(resolved(path))
        return None if found is None else found.copy()

    def close(self) -> None:
        """Begin nothing more."""
        self._worker.shutdown(wait=False, cancel_futures=True)
