"""The language server: a table of what editors ask and who answers. It holds no logic.

No answer may be an error to the client, but the refusal to rename: some editors show each of those in a box. What goes
wrong stands in the log.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sonnx_verify.background.checks import Checker, jobs
from sonnx_verify.background.messages import Done, Failed, Mistake
from sonnx_verify.errors import UserError
from sonnx_verify.lsp.actions import KINDS, REPAIR, actions
from sonnx_verify.lsp.colours import LEGEND, colours
from sonnx_verify.lsp.completion import completion
from sonnx_verify.lsp.definition import definition
from sonnx_verify.lsp.documents import Desk, Document, path_of
from sonnx_verify.lsp.formatting import edits, edits_to
from sonnx_verify.lsp.hover import hover
from sonnx_verify.lsp.lenses import SHOW, lenses, shown
from sonnx_verify.lsp.marks import METHOD, hints, notification
from sonnx_verify.lsp.messages import NotRepaired, Repaired, RepairRequest
from sonnx_verify.lsp.outline import outline, search
from sonnx_verify.lsp.references import highlights, references
from sonnx_verify.lsp.rename import CannotRename, prepared, renamed
from sonnx_verify.lsp.state import State
from sonnx_verify.lsp.verdicts import Verdicts
from sonnx_verify.version import __version__

_Made = TypeVar("_Made")
_STACK = 64 << 20
"""The stack of each thread, in bytes: trees may be deep, and a stack that is too small ends the process."""


class Server(LanguageServer):
    """The server with what it knows."""

    def __init__(self) -> None:
        super().__init__("sonnx-verify", __version__, t.TextDocumentSyncKind.Full)
        self.desk = Desk()
        self.state = State(self.desk, self._publish, self._marked, self._checked, self.log)
        self.asked_to_end = False
        self.shows = False
        """True if the client shows the result of the command itself."""
        self.shows_marks = False
        """True if the client shows marks beside lines."""
        self.hints = True
        """True if verdicts are given as inlay hints."""
        self.published: dict[str, tuple[Document, list[t.Diagnostic]]] = {}
        """The diagnostics that each document was sent last: a client need not send back what they carry."""
        # One thread: parsing and types are Python, of which only one thread runs at a time anyway.
        self._answering = ThreadPoolExecutor(1, "answer")
        self._tasks: set[asyncio.Task[None]] = set()
        for feature, answer, options in _FEATURES:
            self.feature(feature, options)(_guarded(self, feature, answer))
        self.command(SHOW)(_guarded_command(self))
        self.command(REPAIR)(_guarded_repair(self))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write what could not be answered into the log of the client, in one line."""
        # A refusal is the answer, and no defect.
        if isinstance(error, JsonRpcException) and error.code == t.LSPErrorCodes.RequestFailed:
            return
        self.log(f"{type(error).__name__}: {error}", t.MessageType.Error)

    def log(self, message: str, kind: t.MessageType = t.MessageType.Log) -> None:
        """Say something in the log of the client."""
        with suppress(OSError):
            self.window_log_message(t.LogMessageParams(kind, message))

    async def aside(self, work: Callable[..., _Made], *arguments: Any) -> _Made:
        """Do what may take a while where it stops nobody from typing."""
        return await asyncio.get_running_loop().run_in_executor(self._answering, work, *arguments)

    def begin(self, params: t.InitializeParams) -> None:
        """Take note of the client: folders, encoding, options."""
        folders = [folder.uri for folder in params.workspace_folders or ()]
        # LSP 3.6 replaced `rootUri` by folders; older clients send it alone, newer ones both.
        if params.root_uri and not folders:
            folders.append(params.root_uri)
        # The protocol leaves the type of the options open.
        options: dict[str, Any] = {}
        if isinstance(params.initialization_options, dict):
            options = params.initialization_options
        self.desk.folders = [path for uri in folders if (path := path_of(uri)) is not None]
        self.desk.encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        self.shows = bool(options.get("showsVerdicts", False))
        self.state.proving = bool(options.get("prove", True))
        self.shows_marks = bool(options.get("showsMarks", False))
        self.hints = bool(options.get("inlayHints", True))
        if self.state.proving:
            self.begin_task(self._serve_checks())

    def begin_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside all else."""
        # The loop holds tasks weakly: without this set it would be collected.
        task = asyncio.get_running_loop().create_task(self._logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _logged(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as problem:
            self.log(f"{type(problem).__name__}: {problem}", t.MessageType.Error)

    def say(self, message: str) -> None:
        """Tell the user something that was asked for."""
        with suppress(OSError):
            self.window_show_message(t.ShowMessageParams(t.MessageType.Info, message))

    async def _serve_checks(self) -> None:
        try:
            await self.state.checks.serve()
        except Exception as problem:
            self.log(f"nothing is proved any more: {type(problem).__name__}: {problem}", t.MessageType.Error)

    def _publish(self, document: Document, found: list[t.Diagnostic]) -> None:
        self.published[document.uri] = document, found
        with suppress(OSError):
            self.text_document_publish_diagnostics(t.PublishDiagnosticsParams(document.uri, found, document.version))

    def _marked(self, document: Document, verdicts: Verdicts) -> None:
        if self.shows_marks:
            with suppress(OSError):
                self.protocol.notify(METHOD, notification(document, verdicts))

    def _checked(self, path: Path, verdicts: Verdicts) -> None:
        """Tell the client that all is known of a file."""
        self.log(f"checked {path.name}: {len(verdicts.rows)} obligations, {len(verdicts.errors)} errors")
        # An editor asks for lenses when a text changes; that verdicts came it has to be told, if it can be.
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        if workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if self.hints and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def changed(self, uri: str, language: str = "") -> None:
        """Take a document as it is by now, which may be more than the client said first."""
        known = self.workspace.get_text_document(uri)
        self.state.changed(self.desk.put(uri, language, known.version, known.source))

    def end(self) -> None:
        """Begin nothing more."""
        self._answering.shutdown(wait=False, cancel_futures=True)
        self.state.close()


_Answer: TypeAlias = Callable[[Server, Any], Awaitable[Any]]
"""An answer to the parameters of a message."""
_OfDocument: TypeAlias = Callable[[Server, Document, Any], Awaitable[Any]]
"""The same with the document that the message is about."""


def _of_document(answer: _OfDocument) -> _Answer:
    """Give an answer the document that it is about. Nothing is answered about one that is not open."""

    async def run(server: Server, params: Any) -> Any:
        document = server.desk.open.get(params.text_document.uri)
        if document is None:
            return None
        return await answer(server, document, params)

    return run


def _of_formal(answer: _OfDocument) -> _Answer:
    """The same for an answer that only formal texts have."""

    async def run(server: Server, document: Document, params: Any) -> Any:
        if not document.is_formal:
            return None
        return await answer(server, document, params)

    return _of_document(run)


# ------------------------------------------------------------------------------------------------------ documents


async def _initialize(server: Server, params: t.InitializeParams) -> None:
    server.begin(params)


async def _shutdown(server: Server, params: Any) -> None:
    server.asked_to_end = True


async def _opened(server: Server, params: t.DidOpenTextDocumentParams) -> None:
    server.changed(params.text_document.uri, params.text_document.language_id)


async def _changed(server: Server, params: t.DidChangeTextDocumentParams) -> None:
    server.changed(params.text_document.uri)


@_of_document
async def _closed(server: Server, document: Document, params: t.DidCloseTextDocumentParams) -> None:
    server.desk.forget(document.uri)
    server.state.closed(document)
    server.published.pop(document.uri, None)


async def _saved(server: Server, params: Any) -> None:
    server.state.saved()


async def _folders(server: Server, params: t.DidChangeWorkspaceFoldersParams) -> None:
    gone = {path_of(folder.uri) for folder in params.event.removed}
    new = [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
    server.desk.folders = [folder for folder in server.desk.folders if folder not in gone] + new


# -------------------------------------------------------------------------------------------------------- questions


@_of_document
async def _hover(server: Server, document: Document, params: t.HoverParams) -> t.Hover | None:
    place = document.lines.place(params.position)
    # `verdicts_for` copies here, in the loop, which alone changes the verdicts.
    return await server.aside(hover, server.desk, document, place, server.state.verdicts_for(document))


@_of_document
async def _definition(server: Server, document: Document, params: t.DefinitionParams) -> list[t.Location] | None:
    return await server.aside(definition, server.desk, document, document.lines.place(params.position))


@_of_document
async def _completion(server: Server, document: Document, params: t.CompletionParams) -> t.CompletionList | None:
    return await server.aside(completion, server.desk, document, document.lines.place(params.position))


@_of_formal
async def _formatting(
    server: Server, document: Document, params: t.DocumentFormattingParams
) -> list[t.TextEdit] | None:
    return await server.aside(edits, document)


@_of_document
async def _references(server: Server, document: Document, params: t.ReferenceParams) -> list[t.Location] | None:
    place, whole = document.lines.place(params.position), params.context.include_declaration

    def work() -> list[t.Location]:
        return references(server.desk, document, place, declaration=whole)

    return await server.aside(work)


@_of_document
async def _highlights(
    server: Server, document: Document, params: t.DocumentHighlightParams
) -> list[t.DocumentHighlight] | None:
    return await server.aside(highlights, server.desk, document, document.lines.place(params.position))


@_of_document
async def _prepare(
    server: Server, document: Document, params: t.PrepareRenameParams
) -> t.PrepareRenamePlaceholder | None:
    return await server.aside(prepared, server.desk, document, document.lines.place(params.position))


@_of_document
async def _rename(server: Server, document: Document, params: t.RenameParams) -> t.WorkspaceEdit | None:
    place = document.lines.place(params.position)
    return await server.aside(renamed, server.desk, document, place, params.new_name)


@_of_formal
async def _outline(server: Server, document: Document, params: t.DocumentSymbolParams) -> list[t.DocumentSymbol] | None:
    return await server.aside(outline, server.desk, document)


async def _search(server: Server, params: t.WorkspaceSymbolParams) -> list[t.WorkspaceSymbol]:
    return await server.aside(search, server.desk, params.query)


@_of_formal
async def _colours(server: Server, document: Document, params: t.SemanticTokensParams) -> t.SemanticTokens | None:
    return await server.aside(colours, server.desk, document)


@_of_formal
async def _lenses(server: Server, document: Document, params: t.CodeLensParams) -> list[t.CodeLens] | None:
    return lenses(document, server.state.verdicts_for(document))


@_of_document
async def _actions(server: Server, document: Document, params: t.CodeActionParams) -> list[t.CodeAction] | None:
    said, found = server.published.get(document.uri, (None, []))
    # An edit is one of the text that it was made for.
    if said is not document:
        found = []
    return await server.aside(actions, document, found, params.range, params.context.only)


@_of_formal
async def _hints(server: Server, document: Document, params: t.InlayHintParams) -> list[t.InlayHint] | None:
    if not server.hints:
        return None
    return hints(document, server.state.verdicts_for(document), params.range)


def _show(server: Server, uri: str, identities: list[str]) -> str | None:
    document = server.desk.open.get(uri)
    if document is None:
        return None
    said = shown(server.state.verdicts_for(document), identities)
    if said and not server.shows:
        server.window_show_message(t.ShowMessageParams(t.MessageType.Info, said))
    return said


_FEATURES: list[tuple[str, _Answer, Any]] = [
    (t.INITIALIZE, _initialize, None),
    (t.SHUTDOWN, _shutdown, None),
    (t.TEXT_DOCUMENT_DID_OPEN, _opened, None),
    (t.TEXT_DOCUMENT_DID_CHANGE, _changed, None),
    (t.TEXT_DOCUMENT_DID_CLOSE, _closed, None),
    (t.TEXT_DOCUMENT_DID_SAVE, _saved, t.SaveOptions(include_text=False)),
    (t.WORKSPACE_DID_CHANGE_WATCHED_FILES, _saved, None),
    (t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _folders, None),
    (t.TEXT_DOCUMENT_HOVER, _hover, None),
    (t.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (t.TEXT_DOCUMENT_COMPLETION, _completion, t.CompletionOptions(trigger_characters=["[", "#", "`"])),
    (t.TEXT_DOCUMENT_FORMATTING, _formatting, None),
    (t.TEXT_DOCUMENT_REFERENCES, _references, None),
    (t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights, None),
    (t.TEXT_DOCUMENT_PREPARE_RENAME, _prepare, None),
    (t.TEXT_DOCUMENT_RENAME, _rename, t.RenameOptions(prepare_provider=True)),
    (t.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _outline, None),
    (t.WORKSPACE_SYMBOL, _search, None),
    (t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _colours, LEGEND),
    (t.TEXT_DOCUMENT_INLAY_HINT, _hints, t.InlayHintOptions(resolve_provider=False)),
    (t.TEXT_DOCUMENT_CODE_ACTION, _actions, t.CodeActionOptions(KINDS)),
    (t.TEXT_DOCUMENT_CODE_LENS, _lenses, t.CodeLensOptions(resolve_provider=False)),
]


def _guarded(server: Server, feature: str, answer: _Answer) -> Callable[[Any], Awaitable[Any]]:
    """An answer that fails for nobody but who renames: all else that goes wrong stands in the log of the client, and
    nothing is answered."""

    async def run(params: Any) -> Any:
        try:
            return await answer(server, params)
        except CannotRename as refusal:
            # The one answer that is an error: whoever renames has asked, and an editor shows the reason.
            raise JsonRpcException(refusal.message, t.LSPErrorCodes.RequestFailed) from None
        except UserError as error:
            server.log(f"{feature}: {error.message}", t.MessageType.Info)
        except Exception as problem:
            server.log(f"{feature}: {type(problem).__name__}: {problem}", t.MessageType.Error)
        return None

    return run


async def _repair(server: Server, uri: str, identity: str) -> None:
    """Search for a clause that repairs an obligation, and have the client write it into the text."""
    # Here, since few ask for it, and the server should start at once.
    from sonnx_verify.lsp.repair_process import serve_repair

    document = server.desk.open.get(uri)
    if document is None:
        return
    instead = {path.as_posix(): text for path, text in server.desk.overlays().items()}
    request = RepairRequest(document.root.as_posix(), document.path.as_posix(), instead, identity, jobs())
    server.say(f"searching for a repair of {identity}")
    child: Checker[RepairRequest, Repaired | NotRepaired | Mistake | Done] = Checker(serve_repair)
    try:
        child.send(request)
        async for message in child.messages():
            match message:
                case Repaired():
                    await _insert(server, document, message)
                case NotRepaired(reason=reason) | Mistake(message=reason) | Failed(reason=reason):
                    server.say(f"{identity}: {reason}")
                case Done():
                    pass
    finally:
        child.end()


async def _insert(server: Server, document: Document, repaired: Repaired) -> None:
    now = server.desk.open.get(document.uri)
    if now is None or now.lines.text != document.lines.text:
        server.say("the file changed during the search: try again")
        return
    edit = t.WorkspaceEdit(changes={document.uri: edits_to(document, repaired.text)})
    await server.workspace_apply_edit_async(t.ApplyWorkspaceEditParams(edit, label="a repair"))


def _guarded_command(server: Server) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        # Arguments of a command are whatever a client sends, such as those of a lens of another version of the server.
        match arguments:
            case [str() as uri, [*identities]]:
                return _show(server, uri, [str(identity) for identity in identities])
            case _:
                server.log(f"{SHOW} takes the URI of a document and a list of identities", t.MessageType.Error)
                return None

    return run


def _guarded_repair(server: Server) -> Callable[..., Any]:
    def run(*arguments: Any) -> None:
        match arguments:
            case [str() as uri, str() as identity]:
                # Not awaited: it takes seconds, and some clients wait for the answer before they do anything else.
                server.begin_task(_repair(server, uri, identity))
            case _:
                server.log(f"{REPAIR} takes the URI of a document and an identity", t.MessageType.Error)

    return run


def serve() -> int:
    """Answer an editor on standard input and output until it says that it is over, or is gone. 0 where it said so as
    the protocol wants it, else 1."""
    threading.stack_size(_STACK)
    # It would print tracebacks; what went wrong is told to the client.
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    server = Server()
    server.start_io()
    server.end()
    with suppress(OSError, ValueError):
        # The client may be gone: what is left for it goes nowhere, or Python would fail to write it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout.flush()
    # LSP: `exit` without a `shutdown` before it ends with 1.
    return int(not server.asked_to_end)
