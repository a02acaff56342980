"""Definitions of spec/common on concrete values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.kernel.values import Items, Shape, Value, listed, of_axes
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.named import unit_of_text
from sonnx_verify.language.parser import parse
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import INTEGERS, Sort
from sonnx_verify.logic.terms import Term, eq, integer, ite
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def project() -> Project:
    """The project itself."""
    return Project.open(ROOT)


@pytest.fixture(scope="session")
def defined(project: Project) -> Callable[..., Value]:
    """A definition of the libraries, by name, on values."""
    file = parse(Source("probe", 'use broadcast\nuse orders\ntheory probe "definitions on concrete values"\n'))
    unit = unit_of_text(project, file)
    library = project.library(unit)
    assert unit.file is not None

    def call(name: str, *values: Value, sort: Sort = INTEGERS[0], family: str = "int") -> Value:
        elaborator = Elaborator(library, Context(family, sort))
        assert file.span is not None
        return elaborator.calls.definition(name, list(values), file.span)

    return call


def concrete_shape(sizes: tuple[int, ...]) -> Shape:
    """A shape of written-out sizes."""

    def dim(axis: Term) -> Term:
        made = integer(-1)
        for n, size in enumerate(reversed(sizes)):
            made = ite(eq(axis, integer(n)), integer(size), made)
        return made

    return Shape(integer(len(sizes)), of_axes(dim))


@pytest.fixture(scope="session")
def shape() -> Callable[[tuple[int, ...]], Shape]:
    """Written-out sizes as a shape."""
    return concrete_shape


@pytest.fixture(scope="session")
def shapes() -> Callable[[list[tuple[int, ...]]], Items]:
    """Written-out shapes as a list."""

    def made(sizes: list[tuple[int, ...]]) -> Items:
        items = listed([concrete_shape(s) for s in sizes])
        assert items is not None
        return items

    return made


@pytest.fixture(scope="session")
def sizes_of() -> Callable[[Shape], tuple[int, ...]]:
    """The sizes of a shape that has no free symbols."""

    def sizes(value: Shape) -> tuple[int, ...]:
        rank = evaluate(value.rank, {})
        return tuple(evaluate(value.dim(integer(rank - 1 - k)), {}) for k in range(rank))

    return sizes
