"""The elements that conform at each index of an output, beside the value that was computed.

Another array is one more argument of a program (`_CANDIDATE`): the condition that its element is in the set of results
is computed on arrays like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Argument, NeedsElements
from sonnx_verify.arrays.evaluator.output import Output
from sonnx_verify.arrays.evaluator.plan import Maker, arrays_of
from sonnx_verify.arrays.partial.walk import Environment
from sonnx_verify.errors import UsageError
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Term,
    add,
    and_,
    linear,
    literal,
    not_,
    or_,
    placeholder,
    sub,
    subterms,
    times,
    to_real,
)
from sonnx_verify.results.concrete import Assignment

_CANDIDATE = Argument("[candidate]")


@dataclass(eq=False)
class Result:
    """An output: its `value`, and what else the specification allows at each index.

    What is asked beside the value is computed when it is asked, exactly, which takes far longer than the value.
    """

    name: str
    value: Any
    meaning: Meaning = field(repr=False)
    assignment: Assignment = field(repr=False)

    @cached_property
    def unspecified(self) -> Any:
        """The places that the specification leaves open: truth values in the shape of the value."""
        free = self.meaning.unspecified_values.get(self.name, [])
        return self._computed(lambda maker, at, env, y: or_(*(maker.special(u(at), env) for u in free)))

    def conforms(self, array: Any) -> Any:
        """At which indices the elements of an array are ones that the specification allows: truth values in the shape
        of the value. Raises UsageError for an array of another shape or type."""
        if isinstance(array, np.ma.MaskedArray):
            raise UsageError(f"{self.name}: a masked array has missing elements", cure="fill it: x.filled(0)")
        value = self.value
        # numpy would convert and repeat elements, and so answer a question about another array.
        if not isinstance(array, np.ndarray) or (array.shape, array.dtype) != (value.shape, value.dtype):
            raise UsageError(
                f"{self.name} is an array of {self.value.dtype}, of the shape {self.value.shape}",
                cure="give an array of its type and shape",
            )
        return np.logical_or(self.unspecified, self._computed(self._member, array))

    @cached_property
    def bound(self) -> Any:
        """The distance that a result may have from the exact value at each index, in float64, rounded up: 0 where the
        result is one element, or any NaN; infinity where every element conforms."""
        if self.name not in self.meaning.members:
            return np.where(self.unspecified, inf, 0.0)
        # If even an element that is not near, and of which nothing else that is asked holds, conforms, each one does:
        # so it is where a sum overflows.
        every = self._computed(lambda maker, at, env, y: _decided(self._member(maker, at, env, y), y, FALSE, FALSE))
        near = self._computed(self._is_near)
        width = np.asarray(_ROUNDED_UP(self._computed(self._width, sort=REAL)), np.float64)
        made = np.where(near, width, 0.0)
        return np.where(np.logical_or(every, self.unspecified), inf, made)

    # ------------------------------------------------------------------------------------------------------------ terms

    def _member(self, maker: Maker, at: Position, env: Environment, y: Term) -> Term:
        unknown = placeholder(y.sort)
        condition = self.meaning.conforms_at(self.name, at, unknown)
        return maker.special(condition, {**env, number_of(unknown): y})

    def _is_near(self, maker: Maker, at: Position, env: Environment, y: Term) -> Term:
        """The condition that the set is that of the elements near to a number: the distance decides of a finite one."""
        member = self._member(maker, at, env, y)
        return and_(_decided(member, y, TRUE, FALSE), not_(_decided(member, y, FALSE, FALSE)))

    def _width(self, maker: Maker, at: Position, env: Environment, y: Term) -> Term:
        """Half of the distance between the least and the greatest real number that is near."""
        real, ends = to_real(y), {}
        for node in subterms(self._member(maker, at, env, y)):
            if _is_of_distance(node):
                margin = sub(node.args[1], node.args[0])
                factor = linear(margin)[0].get(real)
                # What is not negative is y less the least, or the greatest less y: of y - 3 <= 1/2 it is 7/2 - y.
                if factor == 1:
                    ends["least"] = sub(real, margin)
                elif factor == -1:
                    ends["greatest"] = add(margin, real)
        if len(ends) < 2:
            return literal(Fraction(0), REAL)
        return times(literal(Fraction(1, 2), REAL), sub(ends["greatest"], ends["least"]))

    # -------------------------------------------------------------------------------------------------------- computing

    def _computed(self, term: Callable[..., Term], candidate: Any = None, sort: Any = BOOL) -> Any:
        """The value of a term at each index. `term` is given the maker of programs, the index, the environment that
        gives it a meaning, and the element of the candidate there."""
        if candidate is None:
            candidate = self.value
        arrays = [*arrays_of(self.assignment).values(), candidate]
        control: set[str] = set()
        while True:
            try:
                with np.errstate(all="ignore"):
                    return self._output(term, control, sort).run(arrays)
            except NeedsElements as needed:
                control.add(needed.name)

    def _output(self, term: Callable[..., Term], control: set[str], sort: Any) -> Output:
        maker = Maker(self.meaning, self.assignment, control)
        element = next(v.sort for v in self.meaning.outputs if v.name == self.name)
        # Behind the inputs, as `_computed` lists the arrays.
        maker.compiler.places[_CANDIDATE] = len(maker.compiler.places)
        maker.compiler.shapes[_CANDIDATE] = self.value.shape

        def value(at: Position, env: Environment, coordinates: Sequence[Term]) -> Term:
            y = maker.special.nodes.read(_CANDIDATE, element, coordinates)
            found: Term = term(maker, at, env, y)
            return found

        return maker.computed(self.name, sort, value)


def _decided(member: Term, y: Term, near: Term, other: Term) -> Term:
    """The condition of membership with a truth value for all that it says of the distance of y, and one for the other
    things that it says of y."""
    values: dict[Term, Term] = {}
    for node in subterms(member):
        is_statement = node.sort == BOOL and node.op not in (Op.AND, Op.OR, Op.NOT)
        if is_statement and y in set(subterms(*node.args)):
            values[node] = near if _is_of_distance(node) else other
    return replace_nodes([member], values)[0]


def _is_of_distance(condition: Term) -> bool:
    """A condition compares real numbers: elements are compared by other operators."""
    return condition.op == Op.AT_MOST and condition.args[0].sort == REAL


def rounded_up(value: Fraction) -> float:
    """The least float64 that is not below a number: a bound that is too low would reject a result that conforms."""
    found = float(value)
    if Fraction(found) < value:
        found = nextafter(found, inf)
    return found


_ROUNDED_UP = np.frompyfunc(rounded_up, 1, 1)
