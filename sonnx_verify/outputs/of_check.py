"""The findings of `check` as a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import GOOD, VerdictName
from sonnx_verify.outputs.console import behind, hint_lines, not_reviewed
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.outputs.paint import PLAIN, Paint
from sonnx_verify.outputs.record import BROKEN, FAILED, NOTED, PASSED, UNDECIDED, About, Case, Mistake, Run, mistakes_of
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.example import masked_input, read_outside, shapes_given
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Result, State
from sonnx_verify.results.sentences import FAILS, KINDS
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.stores.ledger import LEDGER as LEDGER_PLACE

BAD_TEXT, LEDGER, CACHE, SOLVER, AXIOM = "bad-text", "ledger", "cache", "solver", "axiom-not-reviewed"
RECORDS = "differences"
_OWN = (
    About(BAD_TEXT, "A text cannot be read, or means nothing.", "The message says what would fit at its place."),
    About(LEDGER, "The run differs from the ledger.", "Run `sonnx-verify check --update-ledger`; review the diff."),
    About(CACHE, "A repeated decision differs from the cache.", "Run `sonnx-verify cache clear`."),
    About(RECORDS, "A difference of versions has no valid record.", "Run `sonnx-verify diff --update-records`."),
    About(SOLVER, "A solver does not answer.", "Install it: every proof is asked of all solvers."),
    About(
        AXIOM,
        "Verdicts rest on an axiom that is not one of the shared library.",
        "Compare it with its source: a false axiom proves anything.",
        level="warning",
    ),
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
    seconds: Sequence[float] = (),
    unrecorded: Sequence[str] = (),
) -> Run:
    """A case for each obligation, each text that cannot be read, each line of the ledger that is `otherwise`, each that
    the cache lied about, and each solver that is missing. `seconds` has the time of each result, if the run was
    measured."""
    cases = [case_of(one, root) for one in results]
    if seconds:
        cases = [replace(case, seconds=took) for case, took in zip(cases, seconds, strict=True)]
    cases += [_axiom(axiom, number) for axiom, number in not_reviewed(results).items()]
    cases += [_error(error) for error in errors]
    cases += [_line(LEDGER, line, Place(LEDGER_PLACE.of(line, Path()).as_posix())) for line in otherwise]
    cases += [_line(CACHE, line, None) for line in lies]
    cases += [_line(RECORDS, line, None) for line in unrecorded]
    tools = {name: version for name, version in versions.items() if version is not None}
    # A run without one of the solvers proves nothing: it must not pass.
    missing = [name for name in versions if name not in tools]
    cases += [Case("solvers", name, BROKEN, SOLVER, f"the solver {name} does not answer") for name in missing]
    used = {case.rule for case in cases}
    rules = [About(name, shows, mend, page="obligations") for name, (shows, mend) in KINDS.items() if name in used]
    rules += [about for about in _OWN if about.name in used]
    return Run("check", cases, rules, summary, tools, extra)


def _axiom(axiom: Axiom, number: int) -> Case:
    text = f"{counted_text(number, 'verdict rests', 'verdicts rest')} on the assumption that {axiom}"
    return Case(
        axiom.id.partition("/")[0], axiom.id, NOTED, AXIOM, text, level="warning", place=axiom.place, identity=axiom.id
    )


def _line(rule: str, line: str, place: Place | None) -> Case:
    return Case(rule, line.partition(":")[0], FAILED, rule, line, (line,), place=place)


def folded(results: Iterable[Result], root: Path | None, paint: Paint = PLAIN, *, full: bool = False) -> list[Mistake]:
    """The findings among results, those together that tell one mistake of several families."""
    return mistakes_of(case_of(one, root, paint, full=full) for one in results if one.state is not State.GOOD)


def case_of(one: Result, root: Path | None, paint: Paint = PLAIN, *, full: bool = False) -> Case:
    """The case of an obligation. An expected finding is one line, or as `full` as a surprise."""
    lines: list[str] = []
    if one.surprising or (full and one.state is not State.GOOD):
        lines = [*quoted_finding(one, root, paint), *hint_lines(one)]
    elif one.state is not State.GOOD:
        lines = [f"expected {one.verdict} {one.id}: {one.expected_reason or one.reason}"]
    # An expected finding passes: drafts of the library are kept with their defects.
    outcome = {State.FINDING: FAILED, State.OPEN: UNDECIDED}.get(one.state, PASSED)
    facts = {
        "verdict": one.verdict,
        "scope": one.scope,
        "assuming": "; ".join(one.assumed),
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
        identity=f"{one.subject}/{one.tag}/{one.kind}",
        family=one.section,
        # A result that nothing gives is none that a standard allows: where that is found, this follows.
        presumes=(Kind.TOTAL, Kind.IN_BOUNDS) if one.surprising and one.kind is Kind.REFINES else (),
        shown=masked_input(one.counterexample),
        shapes=shapes_given(one.counterexample),
        outside=read_outside(one.counterexample),
    )


_SAYS_WHAT = (Kind.IN_BOUNDS, Kind.TOTAL, Kind.REFINES, Kind.GENERAL)
"""The kinds whose broken sentence tells which of several things is wrong; of the others it is the opposite of FAILS."""


def _title(one: Result) -> str:
    """The mistake, or the verdict and what it rests on, on one line."""
    if not one.surprising:
        return f"{one.verdict}{behind(one)}"
    return f"{_about(one)}: {_wrong(one)}"


def _about(one: Result) -> str:
    """The clause, in its own words if it has some; of a text as a whole its name."""
    if one.tag == "spec":
        return one.subject
    if one.title:
        return f"{one.tag} ({one.title})"
    return one.tag


def _wrong(one: Result) -> str:
    if one.state is State.OPEN:
        return f"undecided{framed(': ', one.reason)}"
    if one.verdict in GOOD:
        return f"{one.verdict}, but the text expects {one.expected}"
    # Of a violation, and of a proof that says nothing, the reason names what is wrong.
    if one.verdict != VerdictName.REFUTED:
        return one.reason or one.verdict
    if one.counterexample is not None and one.kind in _SAYS_WHAT:
        return f"violated{framed(': ', one.counterexample.broken)}"
    return FAILS[one.kind]


def _error(error: UserError) -> Case:
    lines = tuple(str(error).splitlines())
    # A folder that cannot be read has no line.
    if error.span is None:
        return Case("texts", error.message, BROKEN, BAD_TEXT, error.message, lines)
    place = Place.of(error.span)
    return Case(place.file, f"{place.file}:{place.line}", BROKEN, BAD_TEXT, error.message, lines, place=place)
