"""Choices of several values in the order of their size, each made when it is asked for. Not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")
Ranked = tuple[int, str, Any]
"""The distance of a value from the smallest, the name that has it, and the value."""


class Memoized(Generic[Made]):
    """The things that an iterator gives, as often as they are asked for, each made once."""

    def __init__(self, made: Iterator[Made]) -> None:
        self._made = made
        self._seen: list[Made] = []

    def __iter__(self) -> Iterator[Made]:
        yield from self._seen
        for one in self._made:
            self._seen.append(one)
            yield one


def by_sum(columns: Sequence[Sequence[Ranked]]) -> Iterator[tuple[Ranked, ...]]:
    """All rows of one member of each column, by the sum of their ranks, in the order of the columns where that is the
    same."""
    # The sums that the columns from the n-th on can come to lie between least[n] and most[n]. A member after which the
    # rest cannot be made up is passed over: of three columns of 27 choices there are 19,683 rows, and the first few are
    # wanted.
    least, most = [0], [0]
    for column in reversed(columns):
        ranks = [rank for rank, _, _ in column]
        least.append(least[-1] + min(ranks, default=0))
        most.append(most[-1] + max(ranks, default=0))
    least.reverse()
    most.reverse()
    last: dict[int, list[Ranked]] = {}
    for one in columns[-1] if columns else ():
        last.setdefault(one[0], []).append(one)

    def rows(n: int, left: int) -> Iterator[tuple[Ranked, ...]]:
        if n == len(columns):
            yield ()
            return
        # Of two columns with all values of 8 bits there are 511 sums: what makes one up is not looked for.
        if n == len(columns) - 1:
            yield from ((one,) for one in last.get(left, ()))
            return
        for one in columns[n]:
            rest = left - one[0]
            if least[n + 1] <= rest <= most[n + 1]:
                for others in rows(n + 1, rest):
                    yield (one, *others)

    for total in range(least[0], most[0] + 1):
        yield from rows(0, total)
