"""The knowledge of the server about each document: at once from the text, later from checks.

A text is looked at in a thread and checked in a process: the loop answers keystrokes meanwhile. Whatever comes back is
dropped if the document says something else by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol.types import Diagnostic

from sonnx_verify.background.checks import Checks, jobs
from sonnx_verify.background.messages import Done, Failed, Mistake, Row
from sonnx_verify.errors import UserError
from sonnx_verify.language.places import shown_as
from sonnx_verify.lsp import diagnostics
from sonnx_verify.lsp.check_process import serve
from sonnx_verify.lsp.documents import Desk, Document, root_of
from sonnx_verify.lsp.messages import Message, Request
from sonnx_verify.lsp.verdicts import Verdicts
from sonnx_verify.pages.lint.finding import Finding
from sonnx_verify.paths import resolved

TOGETHER = 0.02
"""Keystrokes that follow one another within these seconds are looked at together: paste and undo send several."""

BETWEEN_MARKS = 0.2
"""The seconds between two looks at the verdicts that came meanwhile."""


@dataclass
class State:
    """The knowledge about open documents. `publish` takes the diagnostics of a document, `marked` a text whose verdicts
    or lines may be others than before, `checked` a file of which all is known, `log` what went wrong."""

    desk: Desk
    publish: Callable[[Document, list[Diagnostic]], None]
    marked: Callable[[Document, Verdicts], None]
    checked: Callable[[Path, Verdicts], None]
    log: Callable[[str], None]
    proving: bool = True
    verdicts: dict[Path, Verdicts] = field(default_factory=dict)
    checks: Checks[Request, Message] = field(init=False)
    _static: dict[str, tuple[Document, list[Diagnostic]]] = field(default_factory=dict)
    _looking: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _to_mark: set[str] = field(default_factory=set)
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "look"))

    def __post_init__(self) -> None:
        # While the editor still opens its window.
        self._worker.submit(diagnostics.get_ready)
        self.checks = Checks(self._request, self._heard, serve)

    def changed(self, document: Document) -> None:
        """Look at a text that is new, or says something else."""
        self.checks.drop(resolved(document.path))
        task = self._looking.get(document.uri)
        if document.language and (task is None or task.done()):
            self._looking[document.uri] = asyncio.get_running_loop().create_task(self._look(document.uri))

    def closed(self, document: Document) -> None:
        """Take back what was said of a text that is not open any more."""
        self.checks.drop(resolved(document.path))
        self._static.pop(document.uri, None)
        self._looking.pop(document.uri, None)
        self.verdicts.pop(resolved(document.path), None)
        self.publish(replace(document, version=None), [])

    def saved(self) -> None:
        """Look again at everything that is open: it may rest on files that were written."""
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
            # The last text of those that came meanwhile; the first one, if it was closed, and then nothing is said.
            document = self.desk.open.get(uri, document)
            try:
                found = await loop.run_in_executor(self._worker, diagnostics.static, document)
            except Exception as problem:
                self.log(f"{document.shown} cannot be looked at: {type(problem).__name__}: {problem}")
                found = []
            # Compared by identity: each change makes a new document, and an edit and its undo are two of them.
            if self.desk.open.get(uri) is not document:
                continue  # it says something else by now
            self._static[uri] = document, found
            self._publish(document)
            self._ask(document, sound=not found)

    def _ask(self, document: Document, *, sound: bool) -> None:
        """Have a formal text checked, or the one beside a page."""
        if not self.proving:
            return
        if document.is_formal:
            # A text that cannot be read has no obligations.
            if sound:
                self.checks.ask(resolved(document.path))
            return
        if document.file is None:
            return
        beside = resolved(document.file.with_suffix(".sonnx"))
        # The page shows verdicts of its formal text, also where nobody has that open.
        if beside not in self.verdicts and beside.is_file():
            self.checks.ask(beside)
        if beside.is_file() or not sound:
            self.checks.ask(resolved(document.path))

    def _request(self, path: Path) -> Request | None:
        """The request for a file, made when it is its turn: of all texts as they are by then."""
        document = self._document(path)
        overlays = self.desk.overlays()
        text = overlays.get(path)
        if document is None:
            root = root_of(path, self.desk.folders)
            if text is None:
                with suppress(UserError):
                    text = self.desk.lines(path).plain
        else:
            root = document.root
            if not document.is_formal:
                text, overlays = document.lines.plain, {path: document.lines.plain}
        if text is None:  # it is no text, or the file is gone
            return None
        self.verdicts.setdefault(path, Verdicts()).begin(text)
        instead = {other.as_posix(): said for other, said in overlays.items()}
        return Request(root.as_posix(), path.as_posix(), instead, jobs())

    def _heard(self, path: Path, message: Message) -> None:
        verdicts = self.verdicts.get(path)
        if verdicts is None:  # the document was closed while its check said this
            return
        verdicts.hear(message)
        document = self._document(path)
        if document is not None and _changes_diagnostics(message):
            self._publish(document)
        elif document is not None and document.uri not in self._to_mark:
            # Good verdicts come by the hundred, and each notification has all marks.
            self._to_mark.add(document.uri)
            asyncio.get_running_loop().call_later(BETWEEN_MARKS, self._mark, document.uri)
        match message:
            case Failed():
                self.log(f"{path.name}: {message.reason}")
            case Done():
                self.checked(path, verdicts)

    def _mark(self, uri: str) -> None:
        self._to_mark.discard(uri)
        document = self.desk.open.get(uri)
        if document is not None and document.is_formal:
            verdicts = self.verdicts.get(resolved(document.path))
            if verdicts is not None:
                self.marked(document, verdicts)

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
        self._mark(document.uri)

    def verdicts_for(self, document: Document) -> Verdicts | None:
        """A copy of what is known of a formal text, or of the one beside a page."""
        path = document.path
        if not document.is_formal:
            path = path.with_suffix(".sonnx")
        found = self.verdicts.get(resolved(path))
        if found is None:
            return None
        return found.copy()

    def close(self) -> None:
        """Begin nothing more."""
        self._worker.shutdown(wait=False, cancel_futures=True)


def _changes_diagnostics(message: Message) -> bool:
    """True for a message after which a document is shown otherwise. A good verdict is not: a check sends hundreds of
    those, and each publication has all diagnostics of a document."""
    match message:
        case Mistake() | Finding() | Done() | Failed():
            return True
        case Row():
            return bool(message.finding or message.lemmas)
