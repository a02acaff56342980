"""Every obligation goes to one process, once; clauses go with all their sections."""

from __future__ import annotations

from collections import deque

import pytest

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.shares import Shares
from sonnx_verify.sources import Source, Span

SPAN = Span(Source("s", ""), 1, 1)
TEXT = [
    Obligation(None, None, section, tag, Kind.THEOREM, SPAN, subject)
    for subject in ("user.a", "user.b")
    for section in ("int", "float")
    for tag in ("one", "two", "three")
]


def ids(shares: Shares, processes: list[int]) -> list[str]:
    """The shares of processes that ask in this order."""
    given = [shares.next(p) for p in processes]
    return ["-" if n is None else f"{TEXT[n].subject[-1]}.{TEXT[n].section}.{TEXT[n].tag}" for n in given]


def test_a_clause_with_its_sections_then_the_next() -> None:
    """Two processes take a text each."""
    assert ids(Shares(TEXT), [1, 2, 1, 2, 1]) == [
        "a.int.one",
        "b.int.one",
        "a.float.one",
        "b.float.one",
        "a.int.two",
    ]


def test_who_has_nothing_takes_the_last_clause_of_another() -> None:
    """With its sections, too."""
    assert ids(Shares(TEXT), [1, 2, 3, 3, 3]) == [
        "a.int.one",
        "b.int.one",
        "a.int.three",
        "a.float.three",
        "b.int.three",
    ]


@pytest.mark.parametrize("processes", [[1], [1, 2], [1, 1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_each_once(processes: list[int]) -> None:
    """In any order of asking all are given, none twice, and then there is none."""
    shares = Shares(TEXT)
    asking, given = deque(processes), []
    while shares:
        number = shares.next(asking[0])
        asking.rotate(-1)
        if number is not None:
            given.append(number)

    assert sorted(given) == list(range(len(TEXT)))
    assert [shares.next(p) for p in processes] == [None] * len(processes)


def test_what_an_ended_process_had_not_begun_is_not_lost() -> None:
    """Its text and the rest of its clause go on to others."""
    shares = Shares(TEXT)
    first = ids(shares, [1])
    shares.give_back(1)
    rest = ids(shares, [2] * (len(TEXT) - 1))

    assert len({*first, *rest}) == len(TEXT)
    assert ids(shares, [2, 3]) == ["-", "-"]
