"""What `check` found, as a run."""

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
    for rule, found in ((LEDGER, otherwise), (CACHE, lies)):
        cases += [Case(rule, line.partition(":")[0], FAILED, rule, line, (line,)) for line in found]
    cases += [
        Case("solvers", name, BROKEN, SOLVER, f"the solver {name} does not answer")
        for name, version in versions.items()
        if version is None
    ]
    used = {case.rule for case in cases}
    rules = [About(name, shows, mend) for name, (shows, mend) in KINDS.items() if name in used]
    rules += [about for about in _OWN if about.name in used]
    tools = {name: version for name, version in versions.items() if version is not None}
    return Run("check", cases, rules, summary, tools, extra)


def _obligation(one: Result, root: Path) -> Case:
    lines: list[str] = []
    if one.surprising:
        lines = [*quoted_finding(one, root), *hint_lines(one)]
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
    broken = one.title if one.counterexample is None else one.counterexample.broken
    return f"{one.verdict}: {broken}" if broken else one.verdict


def _error(error: UserError) -> Case:
    place = None if error.span is None else Place.of(error.span)
    suite = "texts" if place is None else place.file
    name = error.message if place is None else f"{place.file}:{place.line}"
    return Case(suite, name, BROKEN, BAD_TEXT, error.message, tuple(str(error).splitlines()), place=place)
