"""The diagnostics of a document: what is wrong with it, as editors show it."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol.types import Diagnostic, DiagnosticSeverity, Position, Range

from sonnx_verify.background.messages import Mistake, Row, Spot
from sonnx_verify.errors import Correction, NewUse, Replacement, SpecificationError, UserError
from sonnx_verify.language.parser import parse
from sonnx_verify.language.recovery import recovered
from sonnx_verify.logic.verdict import FINDINGS
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.positions import Lines
from sonnx_verify.lsp.verdicts import Verdicts
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.source_files import MAX_SPEC_BYTES
from sonnx_verify.sources import Source, Span

SOURCE = "sonnx-verify"
Data = dict[str, Any]
"""The data of a diagnostic: the edit that fixes it (`title`, `range`, `text`), or the `obligation` that fails. Plain
JSON, since clients send it back as they got it."""
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}
# `[C1]`, or `theorem max_commutes`, or a sign.
_HEAD = re.compile(r"\[[^\]]*\]|[A-Za-z_]\w*(?:[ \t]+[A-Za-z_]\w*)?|\S")
_WORD = re.compile(r"\w+|\S")


def static(document: Document) -> list[Diagnostic]:
    """The diagnostics of a document by its text alone: the mistakes for which a formal text cannot be read, or the
    findings of `lint` about a page but those that take evaluation."""
    if not document.is_formal:
        page = page_from(document.shown, document.data, document.file)
        if not is_page(page, document):
            return []
        return [of_finding(finding, document.lines) for finding in findings_of(page, slow=False)]
    if len(document.data) > MAX_SPEC_BYTES:
        too_long = f"it has more than the {MAX_SPEC_BYTES} bytes that a specification may have: it is not read"
        return [_diagnostic(document.lines.whole_line(1), DiagnosticSeverity.Error, too_long, "unreadable")]
    try:
        parse(document.source())
    except SpecificationError as error:
        mistakes: list[SpecificationError] = []
        if error.span is not None:
            mistakes = recovered(error.span.source).mistakes
        return [of_error(mistake, document.lines) for mistake in mistakes or [error]]
    except UserError as error:
        return [of_error(error, document.lines)]
    except RecursionError:  # brackets in brackets, some thousands of them
        return [of_error(UserError("too deep to work on", cure="take it apart"), document.lines)]
    return []


def get_ready() -> None:
    """Load what the first look at a document would load: parse tables, and the reader of pages."""
    parse(Source("ready", 'library ready "ready"'))
    page_from("ready", b"# ready\n", None)


def is_page(page: Page, document: Document) -> bool:
    """True if a Markdown document is a page of the profile: it has tags or families, or a formal text beside it.

    An editor opens every README.md with this server; rules about missing sections are not for that.
    """
    if page.families or page.tags:
        return True
    return document.file is not None and document.file.with_suffix(".sonnx").is_file()


def of_finding(finding: Finding, lines: Lines) -> Diagnostic:
    """A finding of `lint`."""
    message = _with_cure(finding.message, finding.fix)
    return _diagnostic(_place(finding.span, lines), _SEVERITIES[finding.severity], message, finding.rule)


def of_error(error: UserError, lines: Lines) -> Diagnostic:
    """A mistake in a formal text, of its own place."""
    message, place = _with_cure(error.message, error.cure), lines.whole_line(1)
    if error.span is not None:
        place = _place(error.span, lines)
    return _diagnostic(place, DiagnosticSeverity.Error, message, "error", data_of(error.correction, place, lines))


def proved(verdicts: Verdicts, shown: str, document: Document) -> list[Diagnostic]:
    """The diagnostics of a check: errors of names and types, and examples, while they are of this text, and obligations
    that are not as expected, also those of the text before until they are decided again."""
    lines, text = document.lines, document.lines.plain
    made = []
    # An error has a column, and may be fixed by this very keystroke; a finding belongs to a clause, which only moves.
    if verdicts.text == text:
        made += [_checked_error(mistake, shown, lines) for mistake in verdicts.errors]
        made += [of_finding(finding, lines) for finding in verdicts.findings]
        if verdicts.problem:
            message = f"not checked: {verdicts.problem}"
            made.append(_diagnostic(lines.whole_line(1), DiagnosticSeverity.Warning, message, "check"))
    for row, line, current in verdicts.shown(text):
        if row.finding:
            message = finding_text(row)
            if not current:
                message += "\nthis verdict is from before the last edit"
            # A repair takes a text that can be read, and an obligation of it.
            data = None
            if current and row.surprising and is_wrong(row):
                data = {"obligation": row.id}
            made.append(_diagnostic(at_head(row, line, lines), severity_of(row), message, row.kind.value, data))
        if row.lemmas and current:
            made.append(_of_lemmas(row, line, lines))
    return made


def _of_lemmas(row: Row, line: int, lines: Lines) -> Diagnostic:
    """The lines that a text lacks, for a verdict that is as expected with them, and the edit that writes them."""
    message = "\n".join(["it rests on theorems that the text does not name", *(f"  {one}" for one in row.lemmas)])
    last = len(lines.lines)
    position = lines.position(last, len(lines.line(last)) + 1)
    # Where editors end a text with its last word, the lines need one of their own.
    before = [""] if lines.line(last) else []
    data = _edit("Name the theorems", Range(position, position), lines.end_of_line.join([*before, *row.lemmas, ""]))
    return _diagnostic(at_head(row, line, lines), DiagnosticSeverity.Hint, message, "lemmas", data)


def finding_text(row: Row) -> str:
    """The finding about an obligation, without its place."""
    if not row.finding:
        return f"{row.verdict} {row.id}\n  {row.scope or row.reason}".rstrip()
    # The second line is the place, which the editor shows by itself.
    return "\n".join([*row.finding[:1], *row.finding[2:]])


def severity_of(row: Row) -> DiagnosticSeverity:
    """An error for what is refuted, a warning for what is not decided; what the text expects is information."""
    if not row.surprising:
        return DiagnosticSeverity.Information
    if is_wrong(row):
        return DiagnosticSeverity.Error
    return DiagnosticSeverity.Warning


def is_wrong(row: Row) -> bool:
    """Return whether an obligation that is not as expected is known to be wrong, not just undecided."""
    # A status of 1 without a finding: something was expected to fail, and holds.
    return row.verdict in FINDINGS or row.status == 1


def at_head(row: Row, line: int, lines: Lines) -> Range:
    """The place of an obligation: its tag, or the first words of the item.

    Not the whole item: a clause may go over ten lines, and editors underline all of a range.
    """
    text = lines.line(line)
    return _on_line(line, row.column, _end_of(_HEAD, text, row.column, len(text) + 1), lines)


def data_of(correction: Correction | None, place: Range, lines: Lines) -> Data | None:
    """The edit of a correction, for whoever asks what fixes a mistake at a place; None where its text is not found
    exactly once there."""
    match correction:
        case Replacement(old=old, new=new):
            number = place.start.line + 1
            start = lines.place(place.start)[1] - 1
            end = len(lines.line(number))
            if place.end.line == place.start.line:
                end = lines.place(place.end)[1] - 1
            # The parser may stop at the second sign of a pair: `==` begins a character before that.
            found = _found(old, lines.line(number), max(0, start - len(old) + 1), end)
            if found is None:
                return None
            where = Range(lines.position(number, found + 1), lines.position(number, found + 1 + len(old)))
            return _edit(f"Replace `{old}` by `{new}`", where, new)
        case NewUse(library=library):
            number = _line_of_uses(lines)
            position = lines.position(number, 1)
            return _edit(f"Add `use {library}`", Range(position, position), f"use {library}{lines.end_of_line}")
        case None:
            return None


def _found(old: str, text: str, start: int, end: int) -> int | None:
    pattern = re.escape(old)
    if old[0].isalnum() or old[0] == "_":
        pattern = rf"\b{pattern}\b"
    found = [match.start() for match in re.compile(pattern).finditer(text, start, max(end, start + len(old)))]
    if len(found) != 1:
        return None
    return found[0]


def _line_of_uses(lines: Lines) -> int:
    """The line that a new `use` is put above: that behind the last one, else the first that is no comment."""
    numbers = range(1, len(lines.lines) + 1)
    uses = [number for number in numbers if re.match(r"\s*use\b", lines.line(number))]
    if uses:
        return uses[-1] + 1
    return next((n for n in numbers if lines.line(n).strip() and not lines.line(n).lstrip().startswith("--")), 1)


def _edit(title: str, where: Range, text: str) -> Data:
    return {"title": title, "range": as_json(where), "text": text}


def as_json(where: Range) -> dict[str, Any]:
    """A range as the protocol sends it."""

    def place(position: Position) -> dict[str, int]:
        return {"line": position.line, "character": position.character}

    return {"start": place(where.start), "end": place(where.end)}


def _with_cure(message: str, cure: str) -> str:
    if not cure:
        return message
    return f"{message}\nto fix: {cure}"


def _checked_error(mistake: Mistake, shown: str, lines: Lines) -> Diagnostic:
    message = _with_cure(mistake.message, mistake.cure)
    place = lines.whole_line(1)
    match mistake.spot:
        case Spot(file=name, line=line, column=column, length=length) if name == shown:
            place = _on_line(line, column, min(column + length, len(lines.line(line)) + 1), lines)
        case Spot(file=name, line=line, column=column):
            # A library that this text uses: shown here, since nobody may have that file open.
            message = f"in {name}:{line}:{column}: {message}"
            return _diagnostic(place, DiagnosticSeverity.Error, message, "error")
    data = data_of(mistake.correction, place, lines)
    return _diagnostic(place, DiagnosticSeverity.Error, message, "error", data)


def _place(span: Span, lines: Lines) -> Range:
    """The place of a mistake; one without extent is the rest of its word, since editors underline nothing else."""
    if span.length > 1:
        return lines.range(span)
    end = _end_of(_WORD, lines.line(span.line), span.column, span.column)
    return Range(lines.position(span.line, span.column), lines.position(span.line, end))


def _end_of(pattern: re.Pattern[str], text: str, column: int, otherwise: int) -> int:
    """The column behind what a pattern finds at a column."""
    found = pattern.match(text, max(column - 1, 0))
    if found is None:
        return otherwise
    return found.end() + 1


def _on_line(line: int, column: int, end: int, lines: Lines) -> Range:
    return Range(lines.position(line, column), lines.position(line, max(end, column)))


def _diagnostic(
    place: Range, severity: DiagnosticSeverity, message: str, code: str, data: Data | None = None
) -> Diagnostic:
    return Diagnostic(place, message, severity, code, source=SOURCE, data=data)
