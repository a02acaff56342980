"""The search for counterexamples ends, whatever it is asked to look through."""

from __future__ import annotations

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INT, Sort
from sonnx_verify.logic.terms import Role, Symbol, add, integer, le, lt
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.found import on_type
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.solving.inputs.values import alphabet


def lists(names: str) -> list[Variable]:
    """Lists of integers of those names, of any length."""
    return [Variable(name, VariableKind.INT, INT, Symbol(f"{name}.count", (), INT, Role.COUNT)(), 0) for name in names]


def test_many_lists() -> None:
    """Of four lists there are more choices than can be written down: some are left out, and that is said."""
    made = lists("abcd")
    lengths = [v.count for v in made if v.count is not None]
    search = Search(made, [lt(integer(1000), add(*lengths))], 300)

    assert search.first() is None
    assert not search.complete


def test_few_lists() -> None:
    """Of two short lists none is left out: the smallest pair is found."""
    made = lists("ab")
    lengths = [v.count for v in made if v.count is not None]
    found = Search(made, [le(integer(2), add(*lengths))], 300).first()

    assert found is not None
    assert found.minimal
    assert found.assignment == {"a": (), "b": (0, 0)}


FLOATS = [ELEMENT_TYPES["float16"], ELEMENT_TYPES["double"]]


def test_the_same_input_of_another_type() -> None:
    """Elements of T keep their place among those that are tried; what has another type stays as it is."""
    axes = ConcreteTensor(ELEMENT_TYPES["int64"], (1,), (-1,))
    for value in alphabet(FLOATS[0]):
        given = {"X": ConcreteTensor(FLOATS[0], (1,), (value,)), "x": value, "axes": axes}
        made = on_type(Found(given, {}, True), of_type(FLOATS[1]), *FLOATS)

        assert made is not None
        expected = alphabet(FLOATS[1])[alphabet(FLOATS[0]).index(value)]
        assert made.assignment["X"] == ConcreteTensor(FLOATS[1], (1,), (expected,))
        assert (made.assignment["x"], made.assignment["axes"], made.minimal) == (expected, axes, False)


def test_what_another_type_has_not() -> None:
    """An element that has no such place makes no input of the other type."""
    small, large = ELEMENT_TYPES["uint8"], ELEMENT_TYPES["int8"]
    beyond = ConcreteTensor(large, (1,), (alphabet(large)[-1],))
    given = {"X": beyond, "x": 0, "axes": ConcreteTensor(ELEMENT_TYPES["int64"], (1,), (0,))}

    assert len(alphabet(small)) < len(alphabet(large))
    assert on_type(Found(given, {}, True), of_type(small), large, small) is None


def of_type(sort: Sort) -> list[Variable]:
    """A tensor and an element of T, and a tensor of int64."""
    return [
        Variable("X", VariableKind.TENSOR, sort, None, 0, type_variable=True),
        Variable("x", VariableKind.ELEMENT, sort, None, 0, role=VariableRole.ELEMENT, type_variable=True),
        Variable("axes", VariableKind.TENSOR, ELEMENT_TYPES["int64"], None, 0),
    ]
