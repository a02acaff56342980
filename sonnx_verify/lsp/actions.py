"""Code actions: corrections, repairs, formatting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from lsprotocol.types import CodeAction, CodeActionKind, Command, Diagnostic, Position, Range, TextEdit, WorkspaceEdit

from sonnx_verify.errors import UserError
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.formatting import edits

REPAIR = "sonnx-verify.repair"
"""The command that searches for a clause that repairs an obligation, given the URI of a document and an identity."""
KINDS = [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll]


def actions(
    document: Document, found: Iterable[Diagnostic], where: Range, wanted: Sequence[str] | None
) -> list[CodeAction]:
    """The actions for a range of a document with these diagnostics; only those of some kinds, if these are named."""
    made: list[CodeAction] = []
    if _is_wanted(CodeActionKind.QuickFix, wanted):
        for diagnostic in found:
            if _meet(diagnostic.range, where):
                made += _of_diagnostic(document, diagnostic)
    if document.is_formal and _is_wanted(CodeActionKind.SourceFixAll, wanted):
        # What cannot be read has no layout; its diagnostic says why.
        with suppress(UserError):
            if changed := edits(document):
                made.append(_edit(document, "Format the file", CodeActionKind.SourceFixAll, changed))
    return made


def _is_wanted(kind: str, wanted: Sequence[str] | None) -> bool:
    """Return whether a kind is among those named: `source` names all kinds that begin with it."""
    if wanted is None:
        return True
    return any(kind == one or kind.startswith(f"{one}.") for one in wanted)


def _meet(a: Range, b: Range) -> bool:
    # By lines: whoever asks for the actions of a line has the cursor anywhere in it.
    return a.start.line <= b.end.line and b.start.line <= a.end.line


def _of_diagnostic(document: Document, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    match diagnostic.data:
        case {"title": str() as title, "range": where, "text": str() as text}:
            edit = TextEdit(_range(where), text)
            action = _edit(document, title, CodeActionKind.QuickFix, [edit])
            action.diagnostics, action.is_preferred = [diagnostic], True
            yield action
        case {"obligation": str() as identity}:
            title = f"Find a repair for {identity}"
            command = Command(title, REPAIR, arguments=[document.uri, identity])
            yield CodeAction(title, CodeActionKind.QuickFix, [diagnostic], command=command)


def _edit(document: Document, title: str, kind: CodeActionKind, changed: list[TextEdit]) -> CodeAction:
    return CodeAction(title, kind, edit=WorkspaceEdit(changes={document.uri: changed}))


def _range(where: dict[str, dict[str, int]]) -> Range:
    start, end = where["start"], where["end"]
    return Range(Position(start["line"], start["character"]), Position(end["line"], end["character"]))
