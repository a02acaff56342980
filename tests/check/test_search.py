"""The search for counterexamples ends, whatever it is asked to look through."""

from __future__ import annotations

from sonnx_verify.counterexample.search import Search
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, add, integer, le, lt


def lists(names: str) -> list[Variable]:
    """Lists of integers of those names, of any length."""
    return [Variable(name, "int", INT, Symbol(f"{name}.count", (), INT)(), 0) for name in names]


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
