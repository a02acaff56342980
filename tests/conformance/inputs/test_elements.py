"""Whatever is tried of a type is one of its elements: a counterexample with any other would be about nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from sonnx_verify.conformance.inputs.covering.contents import contents_of
from sonnx_verify.conformance.inputs.random_inputs import element
from sonnx_verify.conformance.inputs.special_values import plain_fill, special_pairs, special_values
from sonnx_verify.conformance.inputs.trial import element_rank
from sonnx_verify.conformance.proofs.refuter import simple_values
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL, Sort
from sonnx_verify.results.values import element_text
from sonnx_verify.solving.inputs.candidates import of_another_type
from sonnx_verify.solving.inputs.inputs import is_element
from sonnx_verify.solving.inputs.values import alphabet

SORTS = [sort for sort in ELEMENT_TYPES.values() if sort != REAL]


def tried(sort: Sort) -> Iterator[object]:
    """All that searches, coverings and samples try of a type."""
    yield from alphabet(sort)
    yield from simple_values(sort)
    yield from special_values(sort).values()
    yield from plain_fill(sort, 20)
    chance = random.Random(str(sort))
    yield from (element(chance, sort) for _ in range(200))
    for content in contents_of(sort).values():
        yield from content(chance, sort, 0)
        yield from content(chance, sort, 400)


@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_what_is_tried_is_an_element(sort: Sort) -> None:
    """Integers within their type, floats as patterns with one NaN, no infinity where there is none."""
    wrong = {value for value in tried(sort) if not is_element(sort, value)}
    assert wrong == set()
    known = special_values(sort)
    assert {name for pair in special_pairs(sort) for name in pair} <= known.keys()


@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_elements_move_between_types(sort: Sort) -> None:
    """Each that is tried has a rank and a text, and is another type's element, or none."""
    for value in set(alphabet(sort)) | set(simple_values(sort)):
        assert element_rank(sort, value) is not None
        assert element_text(sort.name, value)
        for other in SORTS:
            moved = of_another_type(value, sort, other)
            assert moved is None or is_element(other, moved)


def test_the_ends_of_integers_are_no_elements() -> None:
    """What is asked here can fail."""
    assert not is_element(ELEMENT_TYPES["int2"], 2)
    assert not is_element(ELEMENT_TYPES["uint4"], 16)
    assert not is_element(ELEMENT_TYPES["float8e4m3fn"], 0xFF)
