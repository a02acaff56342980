"""The elements that conform at each index of an output, beside the value that was computed.

Another array is one more argument of a program (`_CANDIDATE`): the condition that its element is in the set of results
is computed on arrays like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf, nan, nextafter, prod
from sys import float_info
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Argument, NeedsElements, NoProgram
from sonnx_verify.arrays.evaluator.output import Output
from sonnx_verify.arrays.evaluator.plan import Maker, arrays_of
from sonnx_verify.arrays.partial.walk import Environment, Open
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.values import Reach
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.approximate import approximate
from sonnx_verify.logic.enclosed import Value
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, REAL
from sonnx_verify.logic.terms import (
    Term,
    or_,
    placeholder,
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

    def conforms(self, array: Any, at: Any = None) -> Any:
        """At which indices the elements of an array are ones that the specification allows: truth values in the shape
        of the value. With `at`, an index, it is asked of one element; with a list of indices, such as `np.argwhere`
        gives, of an array of as many. A numpy scalar is an array of rank 0.

        Raises UsageError for an array of another shape or type, and for what is no index of the output.
        """
        if isinstance(array, np.ma.MaskedArray):
            raise UsageError(f"{self.name}: a masked array has missing elements", cure="fill it: x.filled(0)")
        value = self.value
        places = None if at is None else _places(self.name, at, value.shape)
        shape = value.shape if places is None else places.shape[:-1]
        # numpy would convert and repeat elements, and so answer a question about another array.
        if not isinstance(array, np.ndarray | np.generic) or (array.shape, array.dtype) != (shape, value.dtype):
            raise UsageError(
                f"{self.name} is compared with an array of {value.dtype}, of the shape {shape}",
                cure="give an array of its type and shape",
            )
        if places is not None:
            return self._conform_at(np.asarray(array), places)
        return np.logical_or(self.unspecified, self._run(self._conforming, np.asarray(array)))

    def _conform_at(self, elements: Any, places: Any) -> Any:
        """At which of some places the elements conform: each is put into the value, and the whole is asked of."""
        steps = np.array([prod(self.value.shape[axis + 1 :]) for axis in range(self.value.ndim)], np.intp)
        flat, given = (places @ steps).reshape(-1), elements.reshape(-1)
        made = np.zeros(flat.shape, bool)
        left = np.arange(flat.size)
        while left.size:
            # Of several elements for one place, one at a time.
            now = left[np.unique(flat[left], return_index=True)[1]]
            array = self.value.copy()
            array.reshape(-1)[flat[now]] = given[now]
            made[now] = self.conforms(array).reshape(-1)[flat[now]]
            left = np.setdiff1d(left, now)
        return made.reshape(elements.shape)[()]

    @property
    def has_representative(self) -> bool:
        """True if `representative` is computed on arrays; some terms have no program."""
        return _is_computed(lambda: self.representative)

    @property
    def can_be_asked(self) -> bool:
        """True if `conforms` is computed on arrays; some terms have no program."""
        return _is_computed(lambda: self._conforming)

    @cached_property
    def representative(self) -> Any:
        """The result that `eval` shows: of a set that lies around an exact value, that value rounded once."""
        if self.name not in self.meaning.members:
            return self.value
        element = next(v.sort for v in self.meaning.outputs if v.name == self.name)
        value = self.meaning.values[self.name]
        return self._computed(lambda maker, at, env, y: maker.special(value(at), env), sort=element)

    @cached_property
    def every(self) -> Any:
        """At which indices every element conforms, as the text says it: truth values in the shape of the value."""
        if self.name not in self.meaning.members:
            return np.zeros(self.value.shape, bool)
        return self._computed(self._reach(lambda reach: reach.every))

    @cached_property
    def around(self) -> tuple[Any, Any, Any]:
        """At which indices the set is one of floats around an exact value; the distance, and that value, exactly. For
        an output that has sets."""
        near = self._computed(self._reach(lambda reach: reach.near))
        bound = self._computed(self._reach(lambda reach: reach.bound), sort=REAL)
        return near, bound, self._computed(self._reach(lambda reach: reach.centre), sort=REAL)

    @cached_property
    def bound(self) -> Any:
        """The distance that a result may have from the exact value at each index, in float64, rounded up: 0 where the
        result is one element, or any NaN; infinity where every element conforms; NaN where floats are counted in
        steps, which have no one distance."""
        if self.name not in self.meaning.members:
            return np.where(self.unspecified, inf, 0.0)
        counted = self._computed(self._reach(lambda reach: reach.counted))
        near, bound, _ = self.around
        width = np.where(near, np.asarray(_ROUNDED_UP(bound), np.float64), np.where(counted, nan, 0.0))
        return np.where(np.logical_or(self.every, self.unspecified), inf, width)

    @cached_property
    def relative(self) -> Any:
        """The bound divided by the size of the exact value, in float64, rounded up: 0 where the bound is 0, infinity
        where every element conforms, NaN where the bound is. From 1 on the bound says nothing, not even the sign."""
        if self.name not in self.meaning.members:
            return self.bound
        near, bound, centre = self.around
        made = np.asarray(np.frompyfunc(_ratio, 2, 1)(bound, centre), np.float64)
        return np.where(np.logical_and(near, np.isfinite(self.bound)), made, self.bound)

    def reals(self, of: Callable[[Term], Term]) -> Any:
        """The real number at each index that `of` makes of the term of the element there; any number where it has no
        meaning."""
        value = self.meaning.values[self.name]
        return self._computed(lambda maker, at, env, y: maker.special(of(value(at)), env), sort=REAL)

    # ------------------------------------------------------------------------------------------------------------ terms

    def _member(self, maker: Maker, at: Term, env: Environment, y: Term) -> Term:
        unknown = placeholder(y.sort)
        condition = self.meaning.conforms_at(self.name, at, unknown)
        return maker.special(condition, {**env, number_of(unknown): y})

    def _reach(self, part: Callable[[Reach], Term]) -> Callable[..., Term]:
        """One of the terms that say how far the set of results reaches."""
        reach = self.meaning.reaches[self.name]
        return lambda maker, at, env, y: maker.special(part(reach(at)), env)

    # -------------------------------------------------------------------------------------------------------- computing

    @cached_property
    def _conforming(self) -> Output:
        """The computation of what conforms: many arrays may be asked about."""
        return self._planned(self._member, BOOL)

    def _computed(self, term: Callable[..., Term], sort: Any = BOOL) -> Any:
        """The value of a term at each index. `term` is given the maker of programs, the index, the environment that
        gives it a meaning, and the element of a candidate there."""
        return self._run(self._planned(term, sort), self.value)

    def _run(self, output: Output, candidate: Any) -> Any:
        with np.errstate(all="ignore"):
            return output.run([*arrays_of(self.assignment).values(), candidate])

    def _planned(self, term: Callable[..., Term], sort: Any) -> Output:
        control: set[str] = set()
        while True:
            try:
                return self._output(term, control, sort)
            except NeedsElements as needed:
                control.add(needed.name)

    def _output(self, term: Callable[..., Term], control: set[str], sort: Any) -> Output:
        maker = Maker(self.meaning, self.assignment, control)
        element = next(v.sort for v in self.meaning.outputs if v.name == self.name)
        # Behind the inputs, as `_run` lists the arrays.
        maker.compiler.places[_CANDIDATE] = len(maker.compiler.places)
        maker.compiler.shapes[_CANDIDATE] = self.value.shape

        def value(at: Term, env: Environment, coordinates: Sequence[Term]) -> Term:
            y = maker.special.nodes.read(_CANDIDATE, element, coordinates)
            found: Term = term(maker, at, env, y)
            return found

        return maker.computed(self.name, sort, value)


def _is_computed(compute: Callable[[], object]) -> bool:
    """Return whether there is a program on arrays; `compute` keeps what it gives."""
    try:
        compute()
    except (NoProgram, Open, Undefined):
        return False
    return True


def _places(name: str, at: Any, shape: tuple[int, ...]) -> Any:
    """An index, or a list of them, with its coordinates along the last axis. Raises UsageError."""
    cure = "give a tuple of integers from 0, one for each axis, or a list of such tuples"
    try:
        places = np.asarray(at)
    except ValueError:  # Of several lengths.
        raise UsageError(f"{name}: {at!r} is not a list of indices", cure=cure) from None
    if len(shape) == 1 and not isinstance(at, tuple) and places.ndim < 2:
        places = places[..., None]
    if not places.size:
        # Without coordinates there is nothing that has a type: () is an index, and [] a list of none.
        is_list = places.ndim < 2 and not isinstance(at, tuple)
        places = places.reshape((0, len(shape)) if is_list else places.shape).astype(np.intp)
    if places.dtype.kind not in "iu" or places.ndim not in (1, 2) or places.shape[-1] != len(shape):
        raise UsageError(f"{name}: {at!r} is not an index of an output of rank {len(shape)}", cure=cure)
    if ((places < 0) | (places >= np.array(shape, np.intp))).any():
        raise UsageError(f"{name}: {at!r} is not within the shape {shape}", cure=cure)
    return places.astype(np.intp)


def _ratio(bound: Value, exact: Value) -> float:
    """A bound by the size of what it is about."""
    if bound == 0:
        return 0.0
    if exact == 0:
        return inf
    return rounded_up(bound / abs(exact))


def rounded_up(value: Value) -> float:
    """The least float64 that is not below a number: a bound that is too low would reject a result that conforms."""
    # The nearest to a fraction that is nearer to it than any two float64 to one another: one step up is enough.
    try:
        found = float(approximate(value))
    except OverflowError:
        return inf if value > 0 else -float_info.max
    if Fraction(found) < value:
        found = nextafter(found, inf)
    return found


_ROUNDED_UP = np.frompyfunc(rounded_up, 1, 1)
