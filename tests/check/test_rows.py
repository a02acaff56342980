"""Rows come in the order in which all of them would be sorted, and none is made before it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.solving.inputs.rows import Memoized, by_sum

COLUMNS = st.lists(st.lists(st.tuples(st.integers(0, 3), st.just("x"), st.integers(0, 9)), max_size=4), max_size=4)


@given(COLUMNS)
def test_the_order_is_that_of_sorting(columns: list[list[tuple[int, str, int]]]) -> None:
    """By the sum of ranks, and in the order of the columns where that is the same."""
    assert list(by_sum(columns)) == sorted(product(*columns), key=lambda row: sum(rank for rank, _, _ in row))


def test_the_first_of_many() -> None:
    """Of 10 ** 200 rows the first few are made, and no other."""
    column = [(n, "x", n) for n in range(10)]
    assert [sum(rank for rank, _, _ in row) for row in islice(by_sum([column] * 200), 3)] == [0, 1, 1]


def test_each_is_made_once() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for n in range(4):
            made.append(n)
            yield n

    kept = Memoized(numbers())
    assert list(islice(kept, 2)) == [0, 1]
    assert made == [0, 1]
    assert list(kept) == list(kept) == made == [0, 1, 2, 3]
