"""What is told of obligations, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sonnx_verify.logic.float_sums import SUM_IS_ROUNDED
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.results.example import Example, example_lines
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text


def line_of(record: Result) -> str:
    """Verdict, identity and what is behind it, on one line."""
    return f"{record.verdict:<11} {record.id}{behind(record)}"


def behind(record: Result) -> str:
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


def finding_lines(result: Result, page_sentence: str = "") -> list[str]:
    """A finding in full: the place, the broken sentence, the counterexample, and what was expected; below the clause
    what the page says of it. Nothing where all is well."""
    if not result.surprising and result.verdict in GOOD:
        return []
    lines = [f"{result.verdict} {result.id}", f"  {result.place}"]
    if result.title:
        lines.append(f"  clause: {result.title}")
        if page_sentence:
            lines.append(f"  page: {page_sentence}")
    return [*lines, *reason_lines(result)]


def reason_lines(result: Result) -> list[str]:
    """Why a finding is one: the counterexample, or the reason where there is none, and what it rests on."""
    lines = []
    if result.counterexample is None:
        lines.append(f"  {result.reason}")
    if result.assumptions:
        lines.append(f"  assuming that {' and '.join(result.assumptions)}")
    if result.expected_reason:
        lines.append(f"  expected: {result.expected_reason}")
    if result.counterexample is not None:
        lines += _counterexample_lines(result, result.counterexample)
    return lines


def _counterexample_lines(result: Result, example: Example) -> list[str]:
    size = "smallest counterexample" if example.minimal else "counterexample"
    types = f", for {', '.join(result.types)}" if len(result.types) != len(result.declared) else ""
    lines = [f"  not so: {example.broken}", f"  {size}, replayed{types}:"]
    lines += [f"    {text}" for text in example_lines(example)]
    if example.read:
        lines.append(f"  there it reads {example.read}")
    return lines


def hint_lines(result: Result) -> list[str]:
    """What to ask for next, where a clause might mend what was found."""
    if not result.mend:
        return []
    return [f"  a clause that mends it, if a simple one does: sonnx-verify explain {result.id}"]


def summary(records: Iterable[Result], solvers: dict[str, str | None]) -> list[str]:
    """What was shown, for which scope, by which solvers."""
    listed = list(records)
    verdicts = Counter(r.verdict for r in listed)
    order = [*sorted(verdicts.keys() & GOOD, reverse=True), *sorted(verdicts.keys() - GOOD)]
    counted = ", ".join(f"{verdicts[name]} {name}" for name in order)
    scopes = dict.fromkeys(r.scope for r in listed if r.scope and r.verdict == "proved")
    queries: dict[str, set[str]] = {}
    for record in listed:
        for query in record.queries:
            queries.setdefault(query.sha256, set()).update(query.answers)
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
