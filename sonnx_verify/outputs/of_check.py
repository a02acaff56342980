"""The findings of `check` as a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.outputs.console import behind, hint_lines
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.outputs.record import BROKEN, FAILED, PASSED, UNDECIDED, About, Case, Run
from sonnx_verify.results.kinds import KINDS
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Result, State
from sonnx_verify.results.text import framed

BAD_TEXT, LEDGER, CACHE, SOLVER = "bad-text", "ledger", "cache", "solver"
_OWN = (
    About(BAD_TEXT, "A text cannot be read, or means nothing.", "The message says what would fit at its place."),
    About(LEDGER, "The run is not what the ledger has.", "Run `sonnx-verify check --update-ledger`; review the diff."),
    About(CACHE, "What was decided again is not what the cache had.", "Run `sonnx-verify cache clear`."),
    About(SOLVER, "A solver does not answer.", "Install it: every proof is asked of all solvers."),
)


def run_of_check(
    results: Sequence[Result],
    errors: Sequence[UserError],
    otherwise: Sequence[str],
    lies: Sequence[str],
    versions: Mapping[str, str | None],
    summary: Sequence[str],
    root: Path,
    extra: Sequence[str] = (),
) -> Run:
    """A case for each obligation, each text that cannot be read, each line of the ledger that is `otherwise`, each that
    the cache lied about, and each solver that is missing."""
    cases = [_obligation(one, root) for one in results]
    cases += [_error(error) for error in errors]
    cases += [_line(LEDGER, line) for line in otherwise]
    cases += [_line(CACHE, line) for line in lies]
    tools = {name: version for name, version in versions.items() if version is not None}
    # A run without one of the solvers proves nothing: it must not pass.
    missing = [name for name in versions if name not in tools]
    cases += [Case("solvers", name, BROKEN, SOLVER, f"the solver {name} does not answer") for name in missing]
    used = {case.rule for case in cases}
    rules = [About(name, shows, mend) for name, (shows, mend) in KINDS.items() if name in used]
    rules += [about for about in _OWN if about.name in used]
    return Run("check", cases, rules, summary, tools, extra)


def _line(rule: str, line: str) -> Case:
    return Case(rule, line.partition(":")[0], FAILED, rule, line, (line,))


def _obligation(one: Result, root: Path) -> Case:
    lines: list[str] = []
    if one.surprising:
        lines = [*quoted_finding(one, root), *hint_lines(one)]
    # An expected finding passes: drafts of the library are kept with their defects.
    outcome = {State.FINDING: FAILED, State.OPEN: UNDECIDED}.get(one.state, PASSED)
    facts = {
        "verdict": one.verdict,
        "scope": one.scope,
        "assuming": "; ".join(one.assumptions),
        "expected": one.expected,
    }
    return Case(
        one.subject,
        one.id,
        outcome,
        one.kind,
        _title(one),
        tuple(lines),
        place=one.place,
        facts={name: value for name, value in facts.items() if value},
    )


def _title(one: Result) -> str:
    """The verdict and what is not so, or what it rests on, on one line."""
    if not one.surprising:
        return f"{one.verdict}{behind(one)}"
    broken = one.title
    if one.counterexample is not None:
        broken = one.counterexample.broken
    return f"{one.verdict}{framed(': ', broken)}"


def _error(error: UserError) -> Case:
    lines = tuple(str(error).splitlines())
    # A folder that cannot be read has no line.
    if error.span is None:
        return Case("texts", error.message, BROKEN, BAD_TEXT, error.message, lines)
    place = Place.of(error.span)
    return Case(place.file, f"{place.file}:{place.line}", BROKEN, BAD_TEXT, error.message, lines, place=place)
