"""The records of `check` as JSON. The schema is check.schema.json beside this file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sonnx_verify import __version__
from sonnx_verify.check.record import Record
from sonnx_verify.report.values import shown_json


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


def summary_json(records: Iterable[Record], errors: int) -> dict[str, Any]:
    """How many of each verdict, how many surprises, how many files that could not be read."""
    listed = list(records)
    return {
        "verdicts": dict(sorted(Counter(r.verdict.name for r in listed).items())),
        "surprises": sum(r.surprising for r in listed),
        "errors": errors,
    }


def check_json(records: Iterable[Record], solvers: dict[str, str | None], errors: list[str]) -> dict[str, Any]:
    """The whole answer of `check`."""
    listed = list(records)
    return {
        "tool": {"name": "sonnx-verify", "version": __version__},
        "solvers": solvers,
        "obligations": [record_json(r) for r in listed],
        "errors": errors,
        "summary": summary_json(listed, len(errors)),
    }
