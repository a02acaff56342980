"""What is told of obligations, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sonnx_verify.logic.float_sums import SUM_IS_ROUNDED
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.told import Told


def line_of(record: Told) -> str:
    """Verdict, identity and what is behind it, on one line."""
    return f"{record.verdict:<11} {record.id}{behind(record)}"


def behind(record: Told) -> str:
    """What is behind a verdict, to be put after it: what was expected, notes, assumptions, the reason."""
    notes = []
    if record.expected and not record.surprising:
        notes.append("as expected")
    if record.surprising and record.expected:
        notes.append(f"expected {record.expected}")
    if record.note:
        notes.append(record.note)
    if record.assumptions:
        notes.append(f"assuming that {' and '.join(record.assumptions)}")
    if record.verdict not in ("proved", "holds"):
        notes.append(record.reason)
    return f"  ({'; '.join(notes)})" if notes else ""


def summary(records: Iterable[Told], solvers: dict[str, str | None]) -> list[str]:
    """What was shown, for which scope, by which solvers."""
    listed = list(records)
    verdicts = Counter(r.verdict for r in listed)
    order = [*sorted(verdicts.keys() & GOOD, reverse=True), *sorted(verdicts.keys() - GOOD)]
    counted = ", ".join(f"{verdicts[name]} {name}" for name in order)
    scopes = dict.fromkeys(r.scope for r in listed if r.scope and r.verdict == "proved")
    queries: dict[str, set[str]] = {}
    for record in listed:
        for sha256, answers in record.queries.items():
            queries.setdefault(sha256, set()).update(answers)
    lines = [f"{counted_text(len(listed), 'obligation')}: {counted or 'none'}"]
    lines += [f"scope of what is proved: {scope}" for scope in scopes]
    by_all = sum(len(names) == len(solvers) for names in queries.values())
    some = counted_text(len(queries), "query", "queries")
    lines.append(f"{some}, {by_all} of them asked of {_solvers(solvers)}")
    trusting = sum(SUM_IS_ROUNDED in r.assumptions for r in listed)
    if trusting:
        lines.append(f"{counted_text(trusting, 'verdict')} on trust of one rule: {SUM_IS_ROUNDED}")
    surprises = [r for r in listed if r.surprising]
    expected = sum(1 for r in listed if r.expected and not r.surprising)
    if expected:
        one, several = "finding is expected by the text it is in", "findings are expected by the texts they are in"
        lines.append(counted_text(expected, one, several))
    lines.append(counted_text(len(surprises), "surprise") if surprises else "no surprises")
    return lines


def _solvers(solvers: dict[str, str | None]) -> str:
    return " and ".join(f"{name} {version or '(not installed)'}" for name, version in solvers.items())
