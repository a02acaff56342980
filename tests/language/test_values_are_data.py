"""What is made of a text holds no function: it is terms, and values with variables in them. To put terms in their place
gives what elaborating on these terms gives."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.values import (
    Abstraction,
    Entries,
    Items,
    Shape,
    Tensor,
    Value,
    abstraction,
    choose,
    instantiate,
    listed,
    of_axes,
)
from sonnx_verify.kernel.variables import Variable, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.nodes import forget
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, Sort
from sonnx_verify.logic.terms import (
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    apply,
    eq,
    forall,
    integer,
    interpret,
    ite,
    le,
    placeholder,
)
from sonnx_verify.obligations.outputs import only_results

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


@cache
def projects() -> tuple[Project, ...]:
    """The library, and the texts of this folder with recursions, families of outputs, and constraints on
    outputs."""
    named = ("constant", "of_its_items", "power_of", "recurrent/lstm", "split", "states", "tails", "topk")
    return Project.open(ROOT), *(Project.of_files(ROOT, [HERE / f"{name}.sonnx"]) for name in named)


def meanings() -> Iterator[tuple[Project, Unit, Meaning]]:
    """Of each operator the first section of each family, on abstract elements where it has any of these."""
    for project in projects():
        for number, unit in enumerate(project.units):
            # Seldom: to forget takes as long as what other tests left behind is large.
            if number % 25 == 24:
                project.forget_meanings()
                forget()
            if unit.file is None or unit.file.version is None:
                continue
            families = {x.family: x for x in reversed(list(instances(unit.file)))}
            for x in families.values():
                context = Context(x.family, ELEMENT, variables=x.variables)
                try:
                    yield project, unit, project.meaning(unit, context)
                except SpecificationError:
                    continue  # What has a meaning of each type alone, `any NaN` for one.


def functions_in(value: object, path: str) -> Iterator[str]:
    """The places of what is neither a term, nor a value, nor made of these."""
    if isinstance(value, Term | Sort | Symbol | str | int | Fraction | enum.Enum | None):
        return
    if isinstance(value, s.Rule | s.Clause | s.File | Variable | Context):
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from functions_in(item, f"{path}[{key}]")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from functions_in(item, f"{path}[{number}]")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from functions_in(getattr(value, field.name), f"{path}.{field.name}")
    else:
        yield f"{path}: {type(value).__name__}"


def test_a_meaning_is_data() -> None:
    """Of every operator of the library, and of the texts here: it holds no function. And on the results that a text
    computes, or on others, the terms of its constraints are those that elaborating them there gives."""
    seen, constraints = 0, 0
    for project, unit, meaning in meanings():
        assert not list(functions_in(meaning, unit.operator))
        seen += 1
        constraints += constraints_as_elaborated(project, unit, meaning)
    assert seen > 300
    assert constraints >= 5


def constraints_as_elaborated(project: Project, unit: Unit, meaning: Meaning) -> int:
    """The number of constraints on outputs, each held against its elaboration on results."""
    if not meaning.output_clauses:
        return 0
    results: Mapping[str, Value] | None = only_results(meaning)
    if results is None or set(results) != {v.name for v in meaning.outputs}:
        results = {name: value_of(variable) for name, variable in meaning.free_outputs("'").items()}
    assert unit.file is not None
    context = meaning.context
    elaborator = Elaborator(project.library(unit), context, unit.file.index_base)
    elaborator.calls.within(unit.file, meaning.inputs)
    named: dict[str, Value] = {**meaning.inputs, **results}
    for declaration in unit.file.outputs:
        if isinstance(declaration.high, s.Name):
            family = results[declaration.name]
            assert isinstance(family, Items)
            named[declaration.high.name] = add(family.count, integer(family.base - 1))
    for clause in meaning.output_clauses:
        assert clause.body is not None
        with context.silent(), context.arithmetic(clause.arithmetic, clause.span):
            wanted = elaborator.condition(clause.body, named)
        assert meaning.output_condition(clause, results) is wanted, f"{unit.operator}/{clause.tag}"
    return len(meaning.output_clauses)


def test_what_holds_a_function_is_seen() -> None:
    """The search finds one that stands deep inside."""
    shape = Shape(integer(0), of_axes(lambda q: q))
    assert not list(functions_in([shape], "it"))
    wrong: Any = lambda q: q  # noqa: E731
    hidden = Tensor(dataclasses.replace(shape, dim=wrong), abstraction(lambda i: i, INDEX), INDEX)
    assert list(functions_in({"X": hidden}, "it")) == ["it[X].shape.dim: function"]


# ------------------------------------------------------------------------------------------------------------ functions


def test_an_abstraction_is_applied_by_substitution() -> None:
    """All its variables at once: what is put in for one is not looked at for another."""
    f = abstraction(lambda a, b: add(a, add(b, b)), INT, INT)
    x, y = f.variables
    assert f(integer(1), integer(2)) is integer(5)
    assert f(y, x) is add(y, add(x, x))


def test_variables_around_an_abstraction_are_replaced_in_it() -> None:
    """Terms that are put in for them stay as they are when it is applied."""
    outer = placeholder(INT)
    f = abstraction(lambda q: add(q, outer), INT)
    assert f.put({outer: integer(7)})(integer(1)) is integer(8)
    shape = instantiate(Shape(outer, f), {outer: integer(2)})
    assert isinstance(shape, Shape)
    assert shape.rank is integer(2)
    assert shape.dim(outer) is add(outer, integer(2))
    other = placeholder(INT)
    assert f.put({outer: other})(outer) is add(outer, other)


@pytest.mark.parametrize(("position", "found"), [(0, 10), (1, 11), (2, 12), (9, 12), (-1, 10)])
def test_a_list_that_is_written_out(position: int, found: int) -> None:
    """Each entry at its position; the last one beyond the end, the first before the start."""
    entries = Entries(tuple(integer(10 + n) for n in range(3)))
    assert entries(integer(position)) is integer(found)
    k = placeholder(INT)
    if position >= 0:
        symbolic = entries(k)
        assert isinstance(symbolic, Term)
        assert Abstraction((k,), symbolic)(integer(position)) is integer(found)


def test_symbols_are_interpreted_under_binders() -> None:
    """A meaning that has binders, or the variable of no binder around, captures nothing."""
    f, p = Symbol("f", (INT,), INT), Symbol("p", (INT, INT), BOOL)
    n = Symbol("n", (), INT)()
    free = placeholder(INT)
    term = forall(integer(0), n, lambda k: forall(integer(0), k, lambda j: le(apply(f, j), apply(f, k))))
    made = interpret(term, {f: lambda j: add(j, free)})
    wanted = forall(integer(0), n, lambda k: forall(integer(0), k, lambda j: le(add(j, free), add(k, free))))
    assert made is wanted
    q = Symbol("q", (INT,), BOOL)
    deep = interpret(
        forall(integer(0), n, lambda k: and_(apply(q, k), eq(k, n))),
        {q: lambda k: forall(integer(0), n, lambda j: apply(p, j, k))},
    )
    assert deep is forall(integer(0), n, lambda k: and_(forall(integer(0), n, lambda j: apply(p, j, k)), eq(k, n)))


def test_a_choice_is_one_in_every_part() -> None:
    """The value of the first where the condition holds, of the second elsewhere; in lists of shapes too, and in long
    chains of choices."""
    c, symbol = Symbol("c", (), BOOL)(), Symbol("k", (), INT)
    k = symbol()

    def shape(n: int) -> Shape:
        return Shape(integer(n), of_axes(lambda q: add(q, integer(n))))

    shapes = [shape(1), shape(2)]
    chosen = choose(c, *shapes)
    assert isinstance(chosen, Shape)
    assert (chosen.rank, chosen.dim(k)) == (ite(c, integer(1), integer(2)), ite(c, shapes[0].dim(k), shapes[1].dim(k)))

    lists = [listed([shape]) for shape in shapes]
    both = choose(c, *(items for items in lists if items is not None))
    assert isinstance(both, Items)
    item = both.item(ZERO)
    assert isinstance(item, Shape)
    assert item.dim(k) is chosen.dim(k)

    chain = listed([shape(n) for n in range(4)])
    assert chain is not None
    found = chain.item(k)
    assert isinstance(found, Shape)
    for n in range(5):
        at = partial(integer, n)
        assert interpret(found.dim(ZERO), {symbol: at}) is integer(min(n, 3))
