"""The tolerances with which ONNX's own runner accepts a set of results, and as little beside it as it can.

That runner accepts x for the written y where |x - y| <= atol + rtol * |y|, with one rtol and one atol for all outputs.
A line over the size of y that lies above every distance admits all sets; the lowest one at the mean size admits the
least in total. Whether the ends of each set pass is then asked of the runner itself, which computes in the type of the
elements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sonnx_verify.arrays.evaluator.results import rounded_up
from sonnx_verify.conformance.oracles.comparison import place_in
from sonnx_verify.conformance.oracles.sets import Allowed
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array

Point = tuple[Fraction, Fraction]
"""The size of an element, and how far another one that conforms is off."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The two numbers of data.json."""

    rtol: float
    atol: float

    @property
    def is_exact(self) -> bool:
        """Return whether equal elements alone are accepted."""
        return self.rtol == self.atol == 0.0


@dataclass(frozen=True, slots=True)
class Written:
    """An output as it is written, what else conforms, and the indices at which nothing is to be compared."""

    tensor: ConcreteTensor
    several: Sequence[Allowed]
    free: Collection[tuple[int, ...]]

    def spans(self) -> Iterator[tuple[int, Allowed]]:
        """The floats that conform beside the written element, where anything is compared, by the element's number."""
        allowed = {one.index: one for one in self.several if not one.any}
        for n in range(len(self.tensor.elements)):
            place = place_in(self.tensor.shape, n)
            if place in allowed and place not in self.free:
                yield n, allowed[place]

    def points(self) -> Iterator[Point]:
        """The points that the line has to lie above."""
        sort = self.tensor.sort
        spans = dict(self.spans())
        for n, element in enumerate(self.tensor.elements):
            assert isinstance(element, int)
            if not isinstance(sort, FloatSort):
                yield Fraction(abs(element)), Fraction(0)
            # NaN and infinities are compared by their places.
            elif floats.is_finite(sort, element):
                value, off = floats.to_fraction(sort, element), Fraction(0)
                if n in spans:
                    ends = spans[n].lowest, spans[n].greatest
                    off = max(abs(floats.to_fraction(sort, end) - value) for end in ends)
                yield abs(value), off

    @property
    def is_bounded(self) -> bool:
        """Return whether no set has both a number and an infinity: no tolerance says that of an element."""
        sort = self.tensor.sort
        assert isinstance(sort, FloatSort) or not self.several
        return all(
            isinstance(sort, FloatSort) and floats.is_finite(sort, one.lowest) and floats.is_finite(sort, one.greatest)
            for _, one in self.spans()
        )

    def end(self, name: str) -> Any:
        """The array with the lowest, or greatest, element of each set."""
        elements = list(self.tensor.elements)
        for n, one in self.spans():
            elements[n] = getattr(one, name)
        return to_array(ConcreteTensor(self.tensor.sort, self.tensor.shape, tuple(elements)))


def tolerance_of(
    outputs: Mapping[str, ConcreteTensor],
    several: Mapping[str, Sequence[Allowed]],
    free: Mapping[str, Collection[tuple[int, ...]]],
) -> Tolerance | None:
    """The smallest tolerances that admit the sets of all outputs; None where none do."""
    written = [Written(t, several.get(name, ()), free.get(name, ())) for name, t in outputs.items()]
    if not all(one.is_bounded for one in written):
        return None
    slope, height = lowest_line([point for one in written for point in one.points()])
    rtol, atol = rounded_up(slope), rounded_up(height)
    expected = [to_array(one.tensor) for one in written]
    ends = [[one.end("lowest") for one in written], [one.end("greatest") for one in written]]
    for more in _steps(written):
        found = Tolerance(rtol * (1 + more), atol * (1 + more))
        if all(accepts(expected, end, found) for end in ends):
            return found
    return None


def _steps(written: Sequence[Written]) -> list[float]:
    """The shares that are tried to be added: the runner's own rounding may make the least too small."""
    sorts = [one.tensor.sort for one in written]
    digits = min((sort.significand for sort in sorts if isinstance(sort, FloatSort)), default=53)
    # The last two are for subnormals, of which a product has few digits.
    return [0.0, *(2.0**-n for n in range(digits + 1, digits - 4, -1)), 0.25, 1.0]


def accepts(expected: Sequence[Any], found: Sequence[Any], tolerance: Tolerance) -> bool:
    """Return whether ONNX's runner takes some outputs for the expected ones."""
    import numpy as np
    from onnx.backend.test.runner import Runner

    try:
        with np.errstate(all="ignore"):
            Runner.assert_similar_outputs(expected, found, tolerance.rtol, tolerance.atol)
    except AssertionError:
        return False
    return True


def lowest_line(points: Sequence[Point]) -> tuple[Fraction, Fraction]:
    """The slope and the height at 0, neither below 0, of the line above all points that is lowest at their mean."""
    if not any(off for _, off in points):
        return Fraction(0), Fraction(0)
    mean = sum(size for size, _ in points) / len(points)
    highest: dict[Fraction, Fraction] = {Fraction(0): Fraction(0)}
    for size, off in points:
        highest[size] = max(off, highest.get(size, off))
    # No slope below 0: as far as the last point, the line is nowhere below the highest one.
    last = max(highest)
    highest[last] = max(highest.values())
    hull: list[Point] = []
    for point in sorted(highest.items()):
        while len(hull) > 1 and _is_below(hull[-1], hull[-2], point):
            hull.pop()
        hull.append(point)
    for (x0, y0), (x1, y1) in zip(hull, hull[1:], strict=False):
        if mean <= x1:
            slope = (y1 - y0) / (x1 - x0)
            return slope, y0 - slope * x0
    return Fraction(0), highest[last]


def _is_below(middle: Point, left: Point, right: Point) -> bool:
    """Return whether a point is not above the line between its neighbours."""
    (x0, y0), (x1, y1), (x2, y2) = left, middle, right
    return (y1 - y0) * (x2 - x0) <= (y2 - y0) * (x1 - x0)
