"""Python code proved equal to a specification, type by type, or refuted; where neither, tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.compare import LEVELS, PAYLOAD
from sonnx_verify.conformance.record import PROVED, REFUTED, UNKNOWN, UNSUPPORTED, Conformance, Divergence
from sonnx_verify.conformance.symbolic.instances import Bound, instances
from sonnx_verify.conformance.symbolic.prove import Proof, Prover
from sonnx_verify.conformance.symbolic.subject import Subject, evaluator_subject, python_subject
from sonnx_verify.conformance.target import Target
from sonnx_verify.conformance.tested import (
    Benches,
    Settings,
    begun,
    contexts,
    identified,
    merged,
    name_of,
    tested_type,
)
from sonnx_verify.conformance.trial import Trial, counted
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.processes.child import Ended, apart
from sonnx_verify.progress import shown
from sonnx_verify.solving.solvers import Solvers

Ask = Callable[[], AbstractContextManager[Solvers]]
_PATIENCE = 60
"""A proof may take so many times as long as a call."""


@dataclass(slots=True)
class _OfType:
    """What came of one type."""

    name: str
    verdict: str
    said: str = ""
    proof: Proof | None = None
    tests: int = 0
    found: list[Divergence] = field(default_factory=list)


def proved(project: Project, unit: Unit, target: Target, settings: Settings, bound: Bound, ask: Ask) -> Conformance:
    """The target held against the specification for all element values within the bound. `ask` opens the solvers, in
    the process that proves. UsageError where the target cannot be used."""
    with begun(project, unit, target, settings) as benches:
        subject = evaluator_subject(unit.operator) if target.kind == "evaluator" else python_subject(target.name)
        every = contexts(unit, settings.types)
        rows = [_of_type(benches, c, subject, bound, ask) for c in shown(every, len(every), "types")]
        version = benches.runner.version
    return _answer(unit, target, version, bound, rows)


def _of_type(benches: Benches, context: Context, subject: Subject, bound: Bound, ask: Ask) -> _OfType:
    bench = benches.of(context)
    name = name_of(benches.unit, context)

    with suppress(Open):
        instances(bench.meaning, bound)  # what is found here the processes of all types have

    def work() -> Proof:
        with ask() as solvers:
            return Prover(bench.meaning, subject, solvers, bound).run()

    try:
        proof = apart(work, _PATIENCE * benches.settings.seconds)
    except Ended as problem:
        return _by_tests(benches, context, _OfType(name, UNSUPPORTED, str(problem)))
    made = _OfType(name, proof.verdict.name, proof.verdict.reason, proof)
    if proof.difference is None:
        return made if made.verdict == PROVED else _by_tests(benches, context, made)
    seen = bench.see(Trial(counted(bench.meaning, proof.difference.known)))
    if not seen.findings:
        return replace(made, verdict=UNKNOWN, said=f"not seen again in a process of its own: {made.said}")
    first = [benches.divergence(bench, finding, seen) for finding in seen.findings]
    more = _by_tests(benches, context, made).found
    made.found = [*first, *(d for d in more if d.signature not in [f.signature for f in first])]
    return made


def _by_tests(benches: Benches, context: Context, made: _OfType) -> _OfType:
    """The same with what tests find. What code does with input that the specification rejects is not asked of it."""
    count = tested_type(benches, context)
    made.tests = count.compared
    made.found = [d for d in count.found if d.kind != "accepts"]
    return replace(made, verdict=REFUTED) if made.found else made


def _answer(unit: Unit, target: Target, version: str, bound: Bound, rows: Sequence[_OfType]) -> Conformance:
    found = identified(unit, target, merged((r.name, r.found) for r in rows))
    verdicts = {r.verdict for r in rows}
    verdict = next((v for v in (REFUTED, UNSUPPORTED, UNKNOWN) if v in verdicts), PROVED if rows else UNSUPPORTED)
    rules = sorted({rule for r in rows if r.proof is not None for rule in r.proof.rules})
    of_types = {r.name: _row(r) for r in rows}
    done = [r.name for r in rows if r.verdict == PROVED]
    shown = f"proved for {', '.join(done)}" if done else "proved for no type"
    assert unit.file is not None
    families = any(d.high is not None for d in unit.file.inputs)
    lists = any(d.type.of is not None and d.type.of.name == "int64" for d in unit.file.inputs) or any(
        d.type.name == "list" for d in unit.file.attributes
    )
    within = bound.said(families, lists)
    said = f"{shown}: all element values of valid inputs in row-major order; {within}"
    scope = {"method": "proved", "said": said, "types": done, "of_types": of_types, "assumptions": rules}
    unsupported = [{"type": r.name, "version": None, "said": r.said} for r in rows if r.verdict == UNSUPPORTED]
    level = LEVELS[PAYLOAD] if verdict == PROVED else None
    return Conformance(unit.operator, target.text, version, verdict, scope, level, tuple(found), tuple(unsupported))


def _row(row: _OfType) -> dict[str, Any]:
    made: dict[str, Any] = {"verdict": row.verdict}
    if row.verdict != PROVED and row.said:
        made["said"] = row.said
    if row.proof is not None:
        made["instances"] = row.proof.instances
    return {**made, "tests": row.tests} if row.tests else made
