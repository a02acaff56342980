"""Findings of pages, as a person reads them and as JSON has them."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from sonnx_verify.errors import quoted
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.results.written import one_of, said
from sonnx_verify.sources import Span

_PLACES = 12
"""The most lines that are listed for a recurring finding."""


def finding_texts(findings: list[Finding]) -> list[str]:
    """A text for each finding, with its line; findings that say the same share one."""
    return [_shown(alike) for alike in _grouped(findings)]


def _grouped(findings: list[Finding]) -> list[list[Finding]]:
    """The findings, those of a page together that say the same of several places."""
    made: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in findings:
        made.setdefault((finding.span.source.name, finding.rule, finding.message, finding.fix), []).append(finding)
    return list(made.values())


def _shown(alike: list[Finding]) -> str:
    finding = alike[0]
    lines = [
        f"{finding.span}: {finding.severity}: {finding.message} [{finding.rule}]",
        quoted(finding.span),
    ]
    # An undefined symbol may be used fifty times: it is told once.
    if alike[1:]:
        lines.append(f"  also on {_lines([f.span for f in alike[1:]])}")
    if finding.fix:
        lines.append(f"  to fix: {finding.fix}")
    return "\n".join(lines)


def _lines(spans: list[Span]) -> str:
    numbers = list(dict.fromkeys(span.line for span in spans))
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    listed = f"lines {', '.join(map(str, numbers[:_PLACES]))}"
    if len(numbers) > _PLACES:
        listed += f" and {len(numbers) - _PLACES} more"
    return listed


# ----------------------------------------------------------------------------------------------------------------- JSON


class FixedJson(Struct, frozen=True):
    """A finding that was fixed."""

    file: Annotated[str, said("The page.")]
    line: Annotated[int, said("Counted from 1.", ge=1)]
    column: Annotated[int, said("Counted from 1.", ge=1)]
    rule: Annotated[str, said("The rule of docs/lint-rules.md.")]
    severity: Annotated[str, one_of("Its severity.", [*Severity])]
    message: Annotated[str, said("The problem.", min_length=1)]
    fix: Annotated[str | None, said("The fix.")]


class FindingJson(FixedJson, frozen=True):
    """A finding."""

    fixable: Annotated[bool, said("Whether --fix repairs it.")]


class LintJson(Struct, frozen=True):
    """The mistakes of pages."""

    findings: Annotated[list[FindingJson], said("In the order of pages and places.")]
    fixed: Annotated[list[FixedJson] | UnsetType, said("With --fix: the repairs.")] = UNSET


def members_of(finding: Finding) -> tuple[str, int, int, str, str, str, str | None]:
    """The members of a finding in JSON."""
    span = finding.span
    place = (span.source.name, span.line, span.column)
    return (*place, finding.rule, finding.severity, finding.message, finding.fix or None)
