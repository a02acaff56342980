"""A target called outside of the signature of an operator: whatever it answers, it must neither crash nor hang.

ONNX excludes most of these calls, and a text speaks of none: its clauses are about inputs as it declares them. So a
refusal is due, but a result breaks no clause: it is told, and changes no verdict. A process that dies is a divergence.

    from X0, X1 of int8            a call that the target answers as the specification says
    X0, nothing, X1                refused, as it should be
    X0 of int8, X1 of int16        a result: told
    a graph without outputs        the process ends: a divergence of the kind crash
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sonnx_verify.conformance.inputs.misuse import Misuse, misuses
from sonnx_verify.conformance.judgement.conformance import AcceptedCall, Divergence
from sonnx_verify.conformance.judgement.description import (
    TITLES,
    answer_json,
    attributes_json,
    inputs_json,
    omitted_in,
)
from sonnx_verify.conformance.judgement.reproduction import repro_of_call
from sonnx_verify.conformance.oracles.comparison import DIES, Kind
from sonnx_verify.conformance.oracles.expectation import Demand
from sonnx_verify.conformance.runs.bench import DEATHS, MOST_DEATHS, Bench
from sonnx_verify.conformance.targets.calls import Ending, Response, TargetKind
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.results.written import plain

SIGNALS = 128
"""A shell ends with this and the number of a signal if that ended what it ran."""


@dataclass(slots=True)
class MisuseAnswers:
    """The answers to the calls: `type` is that of the input that they are made from, empty if there was none."""

    type: str = ""
    refused: int = 0
    accepted: dict[str, AcceptedCall] = field(default_factory=dict)
    """The calls that had a result, by name."""
    base: dict[str, Any] = field(default_factory=dict)
    """The input that the calls are made from."""
    passed_over: int = 0
    found: list[Divergence] = field(default_factory=list)

    @property
    def scope(self) -> dict[str, Any]:
        """The member `misuse` of a scope."""
        calls = self.refused + len(self.accepted) + len(self.found)
        made: dict[str, Any] = {"type": self.type, "calls": calls, "refused": self.refused}
        made |= {**self.base, "accepted": plain(self.accepted)}
        if self.passed_over:
            made["passed_over"] = self.passed_over
        return made


def misused(bench: Bench, target: Target, type_: str, base: Assignment) -> MisuseAnswers:
    """Call the target outside of the signature, once in each way, from an input of this type."""
    made = MisuseAnswers(type_)
    made.base = {
        "inputs": inputs_json(bench.meaning, base),
        "attributes": attributes_json(bench.meaning, base),
        "omitted": list(omitted_in(bench.meaning, base)),
    }
    deaths = 0
    for one in misuses(bench.models, base):
        if deaths >= MOST_DEATHS:
            made.passed_over += 1
            continue
        got = _judged(target, bench.runner.run(one.call))
        deaths += DEATHS.get(got.kind, 0)
        got = bench.filled.compared(one.call, got)
        if got.kind in DIES or got.varies:
            again = _judged(target, bench.runner.again(one.call))
            if got.varies:
                again = bench.filled.compared(one.call, again, fresh=True)
            divergence = _divergence(bench, target, type_, base, one, got)
            is_same = (again.kind, bool(again.varies)) == (got.kind, bool(got.varies))
            made.found.append(replace(divergence, reproduced=is_same))
        elif got.kind is Ending.REFUSED:
            made.refused += 1
        else:
            made.accepted[one.fault.name] = AcceptedCall(one.fault, one.title, answer_json(bench, base, got))
    return made


def _judged(target: Target, got: Response) -> Response:
    """The answer, where a program that ends by itself refuses the call, whatever its status."""
    # Most programs end with 1 if they cannot read a model: that is an error, not a crash. Only of a model that is as it
    # should be, status 3 alone says that the input is rejected.
    if target.kind is TargetKind.PROGRAM and got.kind is Ending.CRASHED and 0 < got.status <= SIGNALS:
        return replace(got, kind=Ending.REFUSED)
    return got


def _divergence(bench: Bench, target: Target, type_: str, base: Assignment, one: Misuse, got: Response) -> Divergence:
    """The call as a divergence; `identified` completes its identity."""
    kind = DIES.get(got.kind, Kind.FOREIGN)
    return Divergence(
        id=f"{kind}/{one.fault.name}",
        kind=kind,
        title=f"{TITLES[kind]}: {one.title}",
        types=(type_,),
        # The input that the call is made from: what is wrong with the call has no place in it.
        inputs=inputs_json(bench.meaning, base),
        attributes=attributes_json(bench.meaning, base),
        omitted=omitted_in(bench.meaning, base),
        expected={"outcome": Demand.OPEN.value},
        got=answer_json(bench, base, got),
        repro=repro_of_call(bench.meaning, bench.models.unit, target, one.call, is_filled=bool(got.varies)),
        misuse=one.fault,
        signature=(kind.value, "misuse", one.fault.name),
    )
