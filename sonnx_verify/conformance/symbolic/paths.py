"""Every way through an implementation: it is run again for each decision that it takes on elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from types import ModuleType
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.array import SymbolicArray, terms_of
from sonnx_verify.conformance.symbolic.cells import Objects
from sonnx_verify.conformance.symbolic.long_folds import Fact
from sonnx_verify.conformance.symbolic.replaced import numpy_replaced
from sonnx_verify.conformance.symbolic.trace import Trace, Unsupported, running
from sonnx_verify.logic.terms import Symbol, Term, and_, ite, not_

Decisions = tuple[tuple[Term, bool], ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """What one run gave: arrays of terms with their dtypes; or in `failed` what went wrong."""

    decisions: Decisions
    outputs: tuple[tuple[np.dtype[Any], Objects], ...] = ()
    failed: str = ""

    @property
    def condition(self) -> Term:
        """When this is the run that happens."""
        return and_(*(c if holds else not_(c) for c, holds in self.decisions))

    @property
    def form(self) -> tuple[object, ...]:
        """Types and shapes, or the failure: runs of one form can be joined."""
        return (self.failed, tuple((dtype, terms.shape) for dtype, terms in self.outputs))


@dataclass(slots=True)
class Explored:
    """Every run of an implementation on some arrays; what is known of what numpy left open in them."""

    runs: list[Returned]
    facts: dict[Symbol, Fact]


def explore(
    call: Callable[[Sequence[SymbolicArray]], Any],
    inputs: Callable[[], Sequence[SymbolicArray]],
    module: ModuleType | None,
    most: int,
) -> Explored:
    """Run `call` on fresh arrays for each of its decisions. Raises Unsupported, also after more than `most` runs."""
    waiting: list[Decisions] = [()]
    runs: list[Returned] = []
    facts: dict[Symbol, Fact] = {}
    while waiting:
        if len(runs) >= most:
            raise Unsupported(f"more than {most} ways through the code", "")
        prefix = waiting.pop()
        trace = Trace([holds for _, holds in prefix])
        runs.append(_run(call, inputs, module, trace))
        facts |= trace.facts
        taken = tuple(trace.decisions)
        if taken[: len(prefix)] != prefix:
            raise Unsupported("code that does not decide the same when it is run again", "")
        for n in range(len(taken) - 1, len(prefix) - 1, -1):
            condition, holds = taken[n]
            waiting.append((*taken[:n], (condition, not holds)))
    return Explored(runs, facts)


def _run(
    call: Callable[[Sequence[SymbolicArray]], Any],
    inputs: Callable[[], Sequence[SymbolicArray]],
    module: ModuleType | None,
    trace: Trace,
) -> Returned:
    outputs: tuple[tuple[np.dtype[Any], Objects], ...] = ()
    failed = ""
    with running(trace), numpy_replaced(module), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        given = inputs()
        before = [(list(a._memory), a._places.shape, a._places.strides) for a in given]
        try:
            made = call(given)
            if trace.unsupported is not None:
                raise trace.unsupported
            outputs = tuple(_output(o) for o in (made if isinstance(made, tuple) else (made,)))
        except (Exception, SystemExit) as problem:  # whatever the code under test raises is its answer
            failed = f"raises {type(problem).__name__}: {problem}"
        if trace.unsupported is not None:
            raise trace.unsupported
        now = [(list(a._memory), a._places.shape, a._places.strides) for a in given]
        changed = [n for n, (a, b) in enumerate(zip(now, before, strict=True)) if a != b]
    if changed and not failed:
        failed = f"changes its input {changed[0]}"
    return Returned(tuple(trace.decisions), () if failed else outputs, failed)


def _output(value: Any) -> tuple[np.dtype[Any], Objects]:
    if type(value) is not SymbolicArray:
        held = real.asarray(value)
        if held.dtype == object:
            raise TypeError(f"the result is no array but {type(value).__name__}")
        value = held
    return value.dtype, terms_of(value, value.dtype)


def joined(runs: Sequence[Returned]) -> tuple[Objects, ...]:
    """The outputs of runs of one form, as choices by their decisions: the runs are the leaves of a tree."""
    return tuple(_joined([(r.decisions, r.outputs[n][1]) for r in runs]) for n in range(len(runs[0].outputs)))


def _either(condition: Term, then: Any, otherwise: Any) -> Term:
    """A choice of two cells, of which numpy's types do not say that they are terms."""
    return ite(condition, then, otherwise)


def _joined(runs: list[tuple[Decisions, Objects]]) -> Objects:
    if len(runs) == 1:
        return runs[0][1]
    condition = runs[0][0][0][0]
    then = _joined([(d[1:], terms) for d, terms in runs if d[0][1]])
    otherwise = _joined([(d[1:], terms) for d, terms in runs if not d[0][1]])
    made: Objects = real.empty(then.shape, object)
    for place in np.ndindex(*then.shape):
        made[place] = _either(condition, then[place], otherwise[place])
    return made
