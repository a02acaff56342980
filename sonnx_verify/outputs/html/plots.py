"""Times as bars that scale with the page; the numbers stand beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log10


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: what it is of, its text, and its length in percent of the longest."""

    name: str
    text: str
    percent: float
    link: str = ""


def bars(seconds: Iterable[tuple[str, float, str]]) -> list[Bar]:
    """The longest first. Each is a name, seconds, and where it leads."""
    listed = sorted(seconds, key=lambda one: (-one[1], one[0]))
    # There may be none, or all took no time that could be measured: the division needs a length.
    longest = max((took for _, took, _ in listed), default=0.0) or 1.0
    return [Bar(name, f"{took:.2f} s", round(100 * took / longest, 2), link) for name, took, link in listed]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the curve, in units of the drawing."""

    x: float
    y: float


WIDTH, HEIGHT = 600.0, 220.0
DECADES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


def curve(seconds: Mapping[str, float]) -> list[Point]:
    """The share of all that was decided within a time; times are in powers of ten from DECADES[0] to the last."""
    listed = sorted(seconds.values())
    points = [Point(0.0, HEIGHT)]
    for number, took in enumerate(listed, 1):
        points.append(Point(round(place(took), 1), round(HEIGHT * (1 - number / len(listed)), 1)))
    return points


def place(seconds: float) -> float:
    """The place of a time on the axis."""
    # A time of 0 has no logarithm, and stands at the left end like all that are too short.
    low, high = log10(DECADES[0]), log10(DECADES[-1])
    return WIDTH * (min(max(log10(max(seconds, 1e-9)), low), high) - low) / (high - low)
