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
from sonnx_verify.conformance.symbolic.arguments import terms_of
from sonnx_verify.conformance.symbolic.array import SymbolicArray
from sonnx_verify.conformance.symbolic.cells import Objects
from sonnx_verify.conformance.symbolic.long_folds import Fact
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.replacement import numpy_replaced
from sonnx_verify.conformance.symbolic.trace import OutsideOfMemory, Trace, Unsupported, memory_watched, running
from sonnx_verify.conformance.targets.calls import raised_text
from sonnx_verify.conformance.targets.presentation import is_array
from sonnx_verify.logic.terms import Symbol, Term, and_, ite, not_

Decisions = tuple[tuple[Term, bool], ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of one run: arrays of terms with their dtypes; or in `failed` the failure in words."""

    decisions: Decisions
    outputs: tuple[tuple[np.dtype[Any], Objects], ...] = ()
    failed: str = ""

    @property
    def condition(self) -> Term:
        """The condition under which this is the run that happens."""
        return and_(*(_taken(condition, holds=holds) for condition, holds in self.decisions))

    @property
    def form(self) -> tuple[object, ...]:
        """Types and shapes, or the failure: runs of one form can be joined."""
        return (self.failed, tuple((dtype, terms.shape) for dtype, terms in self.outputs))


def _taken(condition: Term, *, holds: bool) -> Term:
    if holds:
        return condition
    return not_(condition)


@dataclass(slots=True)
class Explored:
    """Every run of an implementation on some arrays, with the facts about what numpy left open in them."""

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
        # A proof of some of the ways would be a proof of nothing.
        if len(runs) >= most:
            raise Unsupported(f"more than {most} ways through the code", "")
        prefix = waiting.pop()
        trace = Trace([holds for _, holds in prefix])
        runs.append(_run(call, inputs, module, trace))
        facts |= trace.facts
        taken = tuple(trace.decisions)
        # Code that reads a clock, or keeps a counter: the runs would not be the leaves of one tree.
        if taken[: len(prefix)] != prefix:
            raise Unsupported("code that does not decide the same when it is run again", "")
        # Each decision beyond the prefix was taken to hold: the runs in which it does not are waiting.
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
    with (
        running(trace),
        numpy_replaced(module),
        memory_watched() as outside,
        np.errstate(all="ignore"),
        redirect_stdout(StringIO()),
    ):
        given = inputs()
        before = [_state(a) for a in given]
        try:
            made = call(given)
            if trace.unsupported is not None:
                raise trace.unsupported
            if not isinstance(made, tuple):
                made = (made,)
            outputs = tuple(_output(o) for o in made)
            if trace.raised:
                # What code does after an error rests on which one it was.
                raise Unsupported(trace.raised, "")
        except SystemExit:
            # No refusal: where it is run it is gone.
            raise Unsupported("the code ends the process", "") from None
        except Exception as problem:  # whatever the code under test raises is its answer
            failed = f"raises {raised_text(problem)}"
        except OutsideOfMemory:
            pass
        # Code that catches everything cannot hide it: what it did after that was guessed.
        if trace.unsupported is not None:
            raise trace.unsupported
        changed = [n for n, (array, kept) in enumerate(zip(given, before, strict=True)) if _state(array) != kept]
    if outside:
        failed = outside[0]
    if changed and not failed:
        failed = f"changes its input {changed[0]}"
    if failed:
        outputs = ()
    return Returned(tuple(trace.decisions), outputs, failed)


def _state(array: SymbolicArray) -> object:
    """The part of an input that must not change: terms are compared by identity, so a change that no value shows is
    one too."""
    own = held(array)
    return list(own.memory), own.places.shape, own.places.strides


def _output(value: Any) -> tuple[np.dtype[Any], Objects]:
    if type(value) is not SymbolicArray and not is_array(value):
        raise TypeError(f"the result is not an array but {type(value).__name__}")
    return value.dtype, terms_of(value, value.dtype)


def joined(runs: Sequence[Returned]) -> tuple[Objects, ...]:
    """The outputs of runs of one form, as choices by their decisions: the runs are the leaves of a tree."""
    return tuple(_joined([(r.decisions, r.outputs[n][1]) for r in runs]) for n in range(len(runs[0].outputs)))


def _either(condition: Term, then: Any, otherwise: Any) -> Term:
    """A choice of two cells. numpy's types do not say that they are terms."""
    return ite(condition, then, otherwise)


def _joined(runs: list[tuple[Decisions, Objects]]) -> Objects:
    if len(runs) == 1:
        return runs[0][1]
    # All runs begin with the same decision, taken one way or the other: an implementation is deterministic.
    condition = runs[0][0][0][0]
    then = _joined([(d[1:], terms) for d, terms in runs if d[0][1]])
    otherwise = _joined([(d[1:], terms) for d, terms in runs if not d[0][1]])
    made: Objects = real.empty(then.shape, object)
    for place in np.ndindex(*then.shape):
        made[place] = _either(condition, then[place], otherwise[place])
    return made
