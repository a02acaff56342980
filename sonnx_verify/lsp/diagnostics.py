"""What is wrong with a document, as editors show it."""

from __future__ import annotations

import re

from lsprotocol.types import Diagnostic, DiagnosticSeverity, Range

from sonnx_verify.errors import MAX_SPEC_BYTES, Source, Span, UserError
from sonnx_verify.language.parser import parse
from sonnx_verify.logic.verdict import FINDINGS
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.positions import Lines
from sonnx_verify.lsp.verdicts import Row, Verdicts
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from

SOURCE = "sonnx-verify"
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}
_HEAD = re.compile(r"\[[^\]]*\]|[A-Za-z_]\w*(?:[ \t]+[A-Za-z_]\w*)?|\S")


def static(document: Document) -> list[Diagnostic]:
    """What can be said of a document by its text alone: of a formal text whether it can be read, of a page the findings
    of `lint` but those that take evaluation."""
    if not document.is_formal:
        page = page_from(document.shown, document.data, document.file)
        return [of_finding(f, document.lines) for f in findings_of(page, slow=False)] if is_page(page, document) else []
    if len(document.data) > MAX_SPEC_BYTES:
        too_long = f"it has more than the {MAX_SPEC_BYTES} bytes that a specification may have: it is not read"
        return [_diagnostic(document.lines.whole_line(1), DiagnosticSeverity.Error, too_long, "unreadable")]
    try:
        parse(document.source())
    except UserError as error:
        return [of_error(error, document.lines)]
    except RecursionError:
        return [of_error(UserError("too deep to work on", cure="take it apart"), document.lines)]
    return []


def is_page(page: Page, document: Document) -> bool:
    """Whether a Markdown document is a page of the profile: it has tags or families, or a formal text beside it."""
    beside = document.file is not None and document.file.with_suffix(".sonnx").is_file()
    return bool(beside or page.families or page.tags)


def of_finding(finding: Finding, lines: Lines) -> Diagnostic:
    """A finding of `lint`."""
    message = finding.message + (f"\nto fix: {finding.fix}" if finding.fix else "")
    return _diagnostic(_place(finding.span, lines), _SEVERITIES[finding.severity], message, finding.rule)


def of_error(error: UserError, lines: Lines) -> Diagnostic:
    """A mistake in a formal text, of its own place."""
    message = error.message + (f"\nto fix: {error.cure}" if error.cure else "")
    place = lines.whole_line(1) if error.span is None else _place(error.span, lines)
    return _diagnostic(place, DiagnosticSeverity.Error, message, "error")


def proved(verdicts: Verdicts, shown: str, document: Document) -> list[Diagnostic]:
    """What a check found: errors of names and types, and examples, while they are of this text, and obligations that
    are not as expected, also those of the text before until they are decided again."""
    lines, text = document.lines, document.lines.plain
    made = []
    if verdicts.text == text:
        made += [_checked_error(row, shown, lines) for row in verdicts.errors]
        for row in verdicts.findings:
            span = Span(Source(shown, text), row["line"], row["column"], row["length"])
            severity = Severity(row["severity"])
            made.append(of_finding(Finding(row["rule"], severity, span, row["message"], row["fix"]), lines))
        if verdicts.problem:
            message = f"not checked: {verdicts.problem}"
            made.append(_diagnostic(lines.whole_line(1), DiagnosticSeverity.Warning, message, "check"))
    for row, line, current in verdicts.shown(text):
        if row["finding"]:
            later = "" if current else "\nthis is of the text before the last change"
            message = finding_text(row) + later
            made.append(_diagnostic(at_head(row, line, lines), severity_of(row), message, row["kind"]))
    return made


def finding_text(row: Row) -> str:
    """What is told of an obligation, without its place."""
    finding = [line for n, line in enumerate(row["finding"]) if n != 1]
    return "\n".join(finding) or f"{row['verdict']} {row['id']}\n  {row['scope'] or row['reason']}".rstrip()


def severity_of(row: Row) -> DiagnosticSeverity:
    """An error for what is refuted, a warning for what is not decided; what the text expects is information."""
    if not row["surprising"]:
        return DiagnosticSeverity.Information
    return DiagnosticSeverity.Error if row["verdict"] in FINDINGS or row["status"] == 1 else DiagnosticSeverity.Warning


def at_head(row: Row, line: int, lines: Lines) -> Range:
    """Where an obligation stands: its tag, or the first words of the item."""
    text, column = lines.line(line), row["column"]
    found = _HEAD.match(text, column - 1)
    end = found.end() + 1 if found else len(text) + 1
    return Range(lines.position(line, column), lines.position(line, max(end, column)))


def _checked_error(row: Row, shown: str, lines: Lines) -> Diagnostic:
    message = row["error"] + (f"\nto fix: {row['cure']}" if row["cure"] else "")
    if row["place"] is None:
        return _diagnostic(lines.whole_line(1), DiagnosticSeverity.Error, message, "error")
    name, line, column, length = row["place"]
    if name != shown:
        message = f"in {name}:{line}:{column}: {message}"
        return _diagnostic(lines.whole_line(1), DiagnosticSeverity.Error, message, "error")
    text = lines.line(line)
    end = min(column + length, len(text) + 1)
    place = Range(lines.position(line, column), lines.position(line, max(end, column)))
    return _diagnostic(place, DiagnosticSeverity.Error, message, "error")


def _place(span: Span, lines: Lines) -> Range:
    """Where something is wrong; a place without extent is the rest of its word."""
    if span.length > 1:
        return lines.range(span)
    text = lines.line(span.line)
    found = re.compile(r"\w+|\S").match(text, max(span.column - 1, 0))
    end = found.end() + 1 if found else span.column
    return Range(lines.position(span.line, span.column), lines.position(span.line, end))


def _diagnostic(place: Range, severity: DiagnosticSeverity, message: str, code: str) -> Diagnostic:
    return Diagnostic(place, message, severity, code, source=SOURCE)
