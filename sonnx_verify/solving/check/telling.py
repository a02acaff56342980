"""From the record of an obligation to what is told of it."""

from __future__ import annotations

from typing import Any

from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.obligations.kinds import Kind
from sonnx_verify.results.told import Told
from sonnx_verify.results.values import shown_json, shown_lines
from sonnx_verify.solving.check.record import Record


def told(record: Record) -> Told:
    """What is told of a record."""
    lines = []
    if record.surprising or record.verdict.name not in GOOD:
        lines = finding(record)
    of_a_clause = record.obligation.kind == Kind.NARROWING and record.obligation.tag != "spec"  # it would have to go
    if record.surprising and record.can_be_mended and not of_a_clause:
        lines.append(f"  a clause that mends it, if a simple one does: sonnx-verify explain {record.id}")
    return Told(record_json(record), record.verdict.reason, record.note, record.statement, tuple(lines))


def finding(record: Record) -> list[str]:
    """A finding in full: the place, the broken sentence, the counterexample, and what was expected."""
    obligation = record.obligation
    lines = [f"{record.verdict.name} {record.id}", f"  {obligation.span}"]
    if obligation.title:
        lines.append(f"  clause: {obligation.title}")
    if record.counterexample is None:
        lines.append(f"  {record.verdict.reason}")
    if record.assumptions:
        lines.append(f"  assuming that {' and '.join(record.assumptions)}")
    if record.expected_reason:
        lines.append(f"  expected: {record.expected_reason}")
    if record.counterexample is not None:
        lines.append(f"  not so: {record.counterexample.broken}")
        size = "smallest counterexample" if record.counterexample.found.minimal else "counterexample"
        only = "" if len(record.types) == len(obligation.types) else f", for {', '.join(record.types)}"
        lines.append(f"  {size}, replayed{only}:")
        lines += [f"    {text}" for text in shown_lines(record.counterexample)]
        if record.counterexample.read:
            lines.append(f"  there it reads {record.counterexample.read}")
    return lines


def record_json(record: Record) -> dict[str, Any]:
    """One obligation."""
    obligation = record.obligation
    return {
        "id": record.id,
        "operator": obligation.operator,
        "version": obligation.version,
        "section": obligation.section or None,
        "kind": obligation.kind,
        "tag": obligation.tag,
        "types": list(record.types),
        "variables": {variable: sort.name for variable, sort in obligation.variables.items()},
        "verdict": record.verdict.name,
        "expected": record.expected or None,
        "scope": record.scope or None,
        "assumptions": list(record.assumptions),
        "uses": list(obligation.uses),
        "reason": "; ".join(part for part in (record.verdict.reason, record.note) if part),
        "answers": record.answers,
        "queries": [{"sha256": sha256, "answers": answers} for sha256, answers in record.queries.items()],
        "source": {
            "file": obligation.span.source.name,
            "line": obligation.span.line,
            "column": obligation.span.column,
        },
        "witness": shown_json(record.witness),
        "counterexample": shown_json(record.counterexample),
    }
