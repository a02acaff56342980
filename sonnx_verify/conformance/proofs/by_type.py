"""Python code proved equal to a specification, type by type, or refuted; tested where it is neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.inputs.contexts import contexts_of, name_of
from sonnx_verify.conformance.inputs.examples import Example
from sonnx_verify.conformance.inputs.trial import Trial, counted
from sonnx_verify.conformance.judgement.answer import TypeJudgement, identified, merged
from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance, Divergence, Unsupported
from sonnx_verify.conformance.judgement.differences import divergence
from sonnx_verify.conformance.oracles.comparison import LEVELS, PAYLOAD, Kind
from sonnx_verify.conformance.pipeline import tested_types
from sonnx_verify.conformance.proofs.instances import Bound, instances
from sonnx_verify.conformance.proofs.prover import Proof, Prover
from sonnx_verify.conformance.proofs.subject import Subject, evaluator_subject, python_subject
from sonnx_verify.conformance.runs.bench import Benches, begun
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import TargetKind
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES, IntegerSort
from sonnx_verify.logic.verdict import Verdict, VerdictName
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.processes.child import Ended, apart
from sonnx_verify.progress import shown
from sonnx_verify.solving.solvers import Solvers

Ask = Callable[[], AbstractContextManager[Solvers]]
_INTEGERS = frozenset(name for name, sort in ELEMENT_TYPES.items() if isinstance(sort, IntegerSort))
EXCLUDED = ("dependence on the exact type of an array, memory, time, random numbers or earlier calls",)
"""The properties that real arrays show to code, and symbolic ones do not."""
_NEED_NOT_REFUSE = (Kind.ACCEPTS, Kind.DECLARED_TYPE)
BEYOND = 2
"""The greatest strength of the covering array for types that are proved up to the bound."""
_PATIENCE = 60
"""A proof may take this many times as long as a call."""


@dataclass(slots=True)
class _OfType:
    """The result for one type."""

    name: str
    verdict: Conclusion
    said: str = ""
    proof: Proof | None = None
    is_tested: bool = False
    """Tests have to look at what no proof decides."""
    tests: int = 0
    found: list[Divergence] = field(default_factory=list)


def proved(
    project: Project,
    unit: Unit,
    target: Target,
    settings: Settings,
    bound: Bound,
    ask: Ask,
    on_page: Sequence[Example] = (),
) -> Conformance:
    """The target held against the specification for all element values within the bound. `ask` opens the solvers, in
    the process that proves; `on_page` are the examples of the page. UsageError where the target cannot be used."""
    with begun(project, unit, target, settings, on_page) as benches:
        if target.kind is TargetKind.EVALUATOR:
            subject = evaluator_subject(unit.operator)
        elif target.function is not None:
            subject = Subject(target.name, target.function)
        else:
            subject = python_subject(target.name)
        every = contexts_of(unit, settings.types)
        proofs = _Proofs(benches, subject, ask)
        rows = [proofs.first(c, bound) for c in shown(every, len(every), "types")]
        if settings.deepen:
            bound = _deepened(proofs, every, rows, bound)
        rows_of = list(zip(every, rows, strict=True))
        # Where the proof found a difference, small inputs show the others: thousands of inputs would differ, and take
        # minutes to be made small.
        small = replace(benches, settings=replace(settings, short=True))
        _test(small, [(c, row) for c, row in rows_of if row.is_tested and row.found])
        _test(benches, [(c, row) for c, row in rows_of if row.is_tested and not row.found])
        if not settings.short:
            # What is proved is small: code that is wrong of more axes, inputs or elements must not pass unseen.
            pairs = replace(benches, settings=replace(settings, strength=min(settings.strength, BEYOND)))
            _test(pairs, [(c, row) for c, row in rows_of if not row.is_tested])
        version = benches.runner.version
    meanings = [project.meaning(unit, context) for context in every]
    assert unit.file is not None
    left_open = sorted({gap_tag(unit.file, item.rule) for meaning in meanings for item in meaning.left_open})
    return _answer(unit, target, version, bound, rows, {"short": settings.short, "left_open": left_open})


def _test(benches: Benches, wanted: Sequence[tuple[Context, _OfType]]) -> None:
    """Test code on some types, all together: they share a covering array."""
    judgements, _ = tested_types(benches, [(context, None) for context, _ in wanted])
    for (_, row), judgement in zip(wanted, judgements, strict=True):
        _look_at_tests(row, judgement)


@dataclass(frozen=True, slots=True)
class _Proofs:
    """The proofs of one implementation."""

    benches: Benches
    subject: Subject
    ask: Ask

    def first(self, context: Context, bound: Bound) -> _OfType:
        """The proof for one type, with as much time as a proof may take."""
        with suppress(Open):
            # The processes are forks: what is found here once all of them have. That it is open, each says itself.
            instances(self.benches.of(context).meaning, bound)
        return self.of_type(context, bound, _PATIENCE * self.benches.settings.seconds)

    def of_type(self, context: Context, bound: Bound, seconds: float) -> _OfType:
        """The proof for one type up to a bound, within so many seconds."""
        benches = self.benches
        bench = benches.of(context)
        name = name_of(benches.unit, context)

        def work() -> Proof:
            with self.ask() as solvers:
                return Prover(bench.meaning, self.subject, solvers, bound).run()

        try:
            # Code under test runs in it, and may end the process, or never end.
            proof = apart(work, seconds)
        except Ended as problem:
            return _OfType(name, Conclusion.UNSUPPORTED, str(problem), is_tested=True)
        made = _OfType(name, _conclusion(proof.verdict), proof.verdict.reason, proof)
        if proof.difference is None:
            made.is_tested = made.verdict is not Conclusion.PROVED
            return made
        seen = bench.see(Trial(counted(bench.meaning, proof.difference.known)))
        # Refuted is said of what the real code does in a process of its own, not of what a model of it did.
        if not seen.findings:
            said = f"symbolic counterexample not reproduced in a separate process: {made.said}"
            return replace(made, verdict=Conclusion.UNKNOWN, said=said, is_tested=True)
        made.found = [divergence(benches, bench, finding, seen) for finding in seen.findings]
        made.is_tested = True
        return made


def _deepened(proofs: _Proofs, every: Sequence[Context], rows: list[_OfType], bound: Bound) -> Bound:
    """Raise the bound of what is proved while there is time; the last bound up to which all of it is still proved. A
    type that is refuted takes the place of its proof in `rows`."""
    assert proofs.benches.unit.file is not None
    end = monotonic() + proofs.benches.settings.deepen
    families = any(d.high is not None for d in proofs.benches.unit.file.inputs)
    for deeper in bound.deeper(families=families):
        made: dict[int, _OfType] = {}
        todo = [n for n, row in enumerate(rows) if row.verdict is Conclusion.PROVED]
        for n in shown(todo, len(todo), "types up to a greater bound"):
            left = end - monotonic()
            if left <= 0:
                return bound
            row = proofs.of_type(every[n], deeper, left)
            if row.verdict is Conclusion.REFUTED:
                rows[n] = row
            elif row.verdict is Conclusion.PROVED:
                made[n] = row
            else:
                # The time is over, or the greater bound is too much: what is proved up to the smaller one stays so.
                return bound
        if not made:
            return bound
        for n, row in made.items():
            rows[n] = row
        bound = deeper
    return bound


def _conclusion(verdict: Verdict) -> Conclusion:
    match verdict.name:
        case VerdictName.PROVED:
            return Conclusion.PROVED
        case VerdictName.REFUTED:
            return Conclusion.REFUTED
        case VerdictName.UNSUPPORTED:
            return Conclusion.UNSUPPORTED
        # A counterexample that does not survive its replay, solvers that contradict each other: whatever else there
        # may be is no proof, and must not be left out when the verdicts of all types are put together.
        case _:
            return Conclusion.UNKNOWN


def _look_at_tests(made: _OfType, judgement: TypeJudgement) -> None:
    """Add the findings of tests, but for rejected input that the code accepts: Python code need not refuse it."""
    known = [d.signature for d in made.found]
    made.found += [d for d in judgement.found if d.kind not in _NEED_NOT_REFUSE and d.signature not in known]
    if made.found:
        made.verdict = Conclusion.REFUTED
    elif judgement.tally.is_unsupported:
        # No result was compared: that must not read as if none differed, nor as a proof of what real arrays get.
        refuses = f"it refuses all {judgement.tally.results} valid inputs tested: {judgement.tally.said}"
        if made.verdict is Conclusion.PROVED:
            made.verdict, made.said = Conclusion.UNKNOWN, f"proved symbolically, but {refuses}"
        else:
            made.said = f"{made.said}; {refuses}"
        return
    # Tests without a finding show nothing of all elements: the verdict stays unknown, or unsupported.
    made.tests = judgement.tally.results


def _answer(
    unit: Unit, target: Target, version: str, bound: Bound, rows: Sequence[_OfType], more: Mapping[str, Any]
) -> Conformance:
    found = identified(unit, target, merged((r.name, r.found) for r in rows))
    rules: set[str] = set()
    for row in rows:
        if row.proof is not None:
            rules |= row.proof.rules
    done = [r.name for r in rows if r.verdict is Conclusion.PROVED]
    verdict = _verdict(rows)
    level = None
    if verdict is Conclusion.PROVED:
        # Of a NaN only that it is one was compared: terms have no payloads.
        level = LEVELS[PAYLOAD]
    scope = {
        "method": "proved",
        "said": _said(unit, bound, done),
        **more,
        "types": done,
        "of_types": {r.name: _row(r) for r in rows},
        "excluded": list(EXCLUDED),
        "assumptions": sorted(rules),
    }
    refused = [r for r in rows if r.verdict is Conclusion.UNSUPPORTED]
    unsupported = tuple(Unsupported(r.name, None, r.said) for r in refused)
    return Conformance(unit.operator, target.text, version, verdict, scope, level, tuple(found), unsupported)


def _verdict(rows: Sequence[_OfType]) -> Conclusion:
    """The worst of the verdicts. Of no types nothing was shown."""
    verdicts = {r.verdict for r in rows}
    for worse in (Conclusion.REFUTED, Conclusion.UNSUPPORTED, Conclusion.UNKNOWN):
        if worse in verdicts:
            return worse
    return Conclusion.PROVED if rows else Conclusion.UNSUPPORTED


def _said(unit: Unit, bound: Bound, done: Sequence[str]) -> str:
    """The scope of the proof in words, with its bound: without it the sentence would claim more than was shown."""
    assert unit.file is not None
    families = any(d.high is not None for d in unit.file.inputs)
    # An input of integers of a fixed type, such as axes, is looked at as a list.
    axes = [d for d in unit.file.inputs if d.type.of is not None and d.type.of.name in _INTEGERS]
    lists = [d for d in unit.file.attributes if d.type.name in (s.TypeWord.LIST, s.TypeWord.INTS)]
    integers = any(d.type.name == s.TypeWord.INT for d in unit.file.attributes)
    within = bound.said(families=families, lists=bool(axes or lists), integers=integers)
    shown = ", ".join(done) or "no types"
    return f"proved for {shown}: all element values of valid inputs in row-major order; {within}"


def _row(row: _OfType) -> dict[str, Any]:
    made: dict[str, Any] = {"verdict": row.verdict}
    if row.verdict is not Conclusion.PROVED and row.said:
        made["said"] = row.said
    if row.proof is not None:
        made["instances"] = row.proof.instances
    if row.tests:
        made["tests"] = row.tests
    return made
