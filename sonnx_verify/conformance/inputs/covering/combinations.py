"""Covering arrays: rows in which each combination of classes, of so many factors at once, occurs.

A factor has classes, and a row has one class of each factor. Which rows there are is for others to say: here it is
counted what rows have, and chosen which row has most of what is still wanted. Kuhn, Kacker and Lei, Introduction to
Combinatorial Testing (2013), has the terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
"""A row for each input: the number of the class of each factor."""
_LARGEST = 1 << 17
"""The number of combinations above which a set of factors is covered at a strength of one less."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A property of inputs, with its classes. A `strong` one is combined with the other strong ones at the higher
    strength."""

    name: str
    classes: tuple[str, ...]
    strong: bool = False


Combination = tuple[tuple[int, int], ...]
"""Some factors, each with a class, both by number."""


@dataclass(slots=True)
class Covering:
    """The number of rows that had each combination: of `strength` factors, and of `stronger` of the strong ones."""

    factors: Sequence[Factor]
    strength: int
    stronger: int
    """Lowered where so many factors have too many combinations, down to `strength`."""
    subsets: list[tuple[int, ...]] = field(init=False)
    """The sets of factors whose combinations are counted."""
    counts: npt.NDArray[np.uint8] = field(init=False)
    """The number of times that each combination occurred, those of one set of factors after those of the other."""
    wanted: npt.NDArray[np.uint8] = field(init=False)
    """The number of times that each combination is wanted; 0 of those that no row can have."""
    _starts: Rows = field(init=False)
    _weights: Rows = field(init=False)
    _float_weights: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        sizes = [len(f.classes) for f in self.factors]
        self.subsets = list(_subsets(self.factors, self.strength, self.stronger))
        self.stronger = max(self.strength, *map(len, self.subsets))
        totals = [prod(sizes[f] for f in chosen) for chosen in self.subsets]
        self._starts = np.concatenate([[0], np.cumsum(totals)[:-1]]).astype(np.int64)
        # The number of a combination is that of a number of mixed radix, its digits the classes.
        self._weights = np.zeros((len(sizes), len(self.subsets)), np.int64)
        for n, chosen in enumerate(self.subsets):
            weight = 1
            for factor in reversed(chosen):
                self._weights[factor, n] = weight
                weight *= sizes[factor]
        self._float_weights = self._weights.astype(np.float64)
        self.counts = np.zeros(sum(totals), np.uint8)
        self.wanted = np.ones(sum(totals), np.uint8)

    def numbers(self, rows: Rows) -> Rows:
        """The numbers of the combinations of each row, one for each set of factors."""
        return rows @ self._weights + self._starts

    def numbers_of(self, rows: Rows, n: int) -> Rows:
        """The numbers of the combinations of each row of one set of factors, where the factors behind the columns of
        the rows have their first class."""
        found: Rows = rows @ self._weights[: rows.shape[1], n] + self._starts[n]
        return found

    def offset(self, n: int, classes: Mapping[int, int]) -> int:
        """The number by which other classes of some factors raise the number of a combination of one set of factors."""
        return sum(of_class * int(self._weights[factor, n]) for factor, of_class in classes.items())

    def gains(self, rows: Rows, among: Sequence[int] | None = None) -> Rows:
        """The number of combinations of each row that are still wanted, for all sets of factors or some, by number."""
        weights, starts = self._float_weights, self._starts
        if among is not None:
            weights, starts = weights[:, among], starts[among]
        # Of floats, products of matrices take a twentieth of the time; the numbers are far below 2 ** 53.
        numbers = (rows.astype(np.float64) @ weights).astype(np.int64) + starts
        gained: Rows = (self.counts[numbers] < self.wanted[numbers]).sum(axis=1)
        return gained

    def count(self, row: Sequence[int]) -> None:
        """Count the combinations of a row."""
        numbers = self.numbers(np.asarray([row], np.int64))[0]
        self.counts[numbers] = np.minimum(self.counts[numbers], 254) + 1

    def count_one(self, number: int) -> None:
        """Count one combination alone."""
        self.counts[number] = min(int(self.counts[number]), 254) + 1

    @property
    def missing(self) -> Rows:
        """The numbers of the combinations that occurred less often than they are wanted."""
        found: Rows = np.flatnonzero(self.counts < self.wanted)
        return found

    def combination(self, number: int) -> Combination:
        """The combination with a number."""
        n = int(np.searchsorted(self._starts, number, side="right")) - 1
        rest, found = number - int(self._starts[n]), []
        for factor in self.subsets[n]:
            of_class, rest = divmod(rest, int(self._weights[factor, n]))
            found.append((factor, of_class))
        return tuple(found)


class Pairs:
    """The pairs of classes of different factors, and the single classes, that some row has."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self._factors = factors
        sizes = [len(f.classes) for f in factors]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._met = np.zeros((sum(sizes), sum(sizes)), bool)

    def add(self, row: Sequence[int]) -> None:
        """Note all pairs of a row."""
        places = self._starts[:-1] + np.asarray(row, np.int64)
        self._met[np.ix_(places, places)] = True

    @property
    def unmet(self) -> Rows:
        """The pairs that no row has, each as two numbers of classes: see `of`."""
        return np.argwhere(np.triu(~self._met & self._apart))

    @property
    def _apart(self) -> npt.NDArray[np.bool_]:
        """Return whether two classes belong to different factors: those of one factor never meet."""
        sizes = np.diff(self._starts)
        factor = np.repeat(np.arange(len(sizes)), sizes)
        different: npt.NDArray[np.bool_] = factor[:, None] != factor[None, :]
        return different

    def beyond(self, other: Pairs) -> list[str]:
        """The pairs that are here and not in the other, in words. A class that the other does not have stands alone."""
        return self._in_words(self._met & ~other._met)

    def neither(self, other: Pairs) -> list[str]:
        """The pairs that are neither here nor in the other, in words. A class that neither has stands alone."""
        return self._in_words(~self._met & ~other._met & (self._apart | np.eye(len(self._met), dtype=bool)))

    def _in_words(self, pairs: npt.NDArray[np.bool_]) -> list[str]:
        """Some pairs in words; a class with itself stands for all pairs that it is in."""
        found, alone = [], pairs.diagonal()
        for one, another in np.argwhere(np.triu(pairs)):
            if one == another or not (alone[one] or alone[another]):
                found.append(", ".join(self._words(int(n)) for n in dict.fromkeys((one, another))))
        return found

    def of(self, place: int) -> tuple[int, int]:
        """The factor and the class that have a number among the classes of all factors."""
        factor = int(np.searchsorted(self._starts, place, side="right")) - 1
        return factor, place - int(self._starts[factor])

    def _words(self, place: int) -> str:
        factor, of_class = self.of(place)
        own = self._factors[factor]
        return f"{own.name}: {own.classes[of_class]}"


def _subsets(factors: Sequence[Factor], strength: int, stronger: int) -> Iterable[tuple[int, ...]]:
    """The sets of factors whose combinations are counted, none of them a part of another."""
    sizes = [len(f.classes) for f in factors]
    strong = [n for n, f in enumerate(factors) if f.strong]
    made = list(combinations(strong, stronger))
    while stronger > strength and sum(prod(sizes[f] for f in chosen) for chosen in made) > _LARGEST:
        stronger -= 1
        made = list(combinations(strong, stronger))
    if stronger <= strength:
        made = []
    yield from made
    # Of fewer factors than that there is one set: all of them.
    for chosen in combinations(range(len(factors)), min(strength, len(factors))):
        if not any(set(chosen) <= set(larger) for larger in made):
            yield chosen
