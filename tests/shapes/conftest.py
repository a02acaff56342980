"""What the tests of symbolic shapes share: questions as the command line asks them, and answers at numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from sonnx_verify.api.shapes import Asked, answered, asked_of
from sonnx_verify.arrays.shapes.dims import meant
from sonnx_verify.arrays.shapes.infer import Answer
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Role, Symbol
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parents[2]
Values = Mapping[str, int]
Shape = tuple[int, ...]
Expected = Callable[[Values], Shape | None]
"""The shape at some sizes; None where the operator has no result."""
Question = tuple[str, Sequence[str], Sequence[str], Sequence[str]]
"""Operator, --shape, --input, --attr."""


class Outcomes:
    """The answer to a question, at numbers."""

    def __init__(self, asked: Asked, answer: Answer) -> None:
        self.asked, self.answer = asked, answer
        self.names = [name for name in asked.bounds if name.startswith("size ")]

    def at(self, values: Values) -> list[set[int]] | None:
        """The sizes of the one output, each a set of what it may be; None where something does not hold.

        `values` are those of the symbols, by their names: `size N`, `element axes[0]`."""
        roles = {name: Role.SIZE if name.startswith("size ") else Role.READ for name in values}
        facts = {Symbol(name, (), INT, roles[name]): value for name, value in values.items()}
        if self.answer.fails is not None:
            return None
        if not all(evaluate(c.form, facts) for c in self.answer.conditions if c.form is not None):
            return None
        cases = [case for case in self.answer.cases if evaluate(case.when, facts)]
        assert len(cases) == 1, f"{len(cases)} cases at {values}"
        (sizes,) = cases[0].outputs.values()
        return [{evaluate(term, facts) for term in meant(size)} for size in sizes]

    def differing(self, expected: Expected, extra: Mapping[str, range] | None = None) -> Iterator[str]:
        """Where the answer is not what is expected, for all sizes 0 .. 6, or 0 .. 4 of three or more; `extra` are the
        values of elements."""
        last = 6 if len(self.names) < 3 else 4
        ranges = {name: range(last + 1) for name in self.names} | dict(extra or {})
        for chosen in product(*ranges.values()):
            values = dict(zip(ranges, chosen, strict=True))
            wanted = expected({name.partition(" ")[2]: value for name, value in values.items()})
            found = self.at(values)
            if wanted is None or found is None:
                if wanted is not None or found is not None:
                    yield f"{values}: {found}, and {wanted} is expected"
            elif len(wanted) != len(found) or not all(w in f for w, f in zip(wanted, found, strict=True)):
                yield f"{values}: {found}, and {wanted} is expected"


@pytest.fixture(scope="session")
def solvers() -> Iterator[Solvers]:
    """Both solvers."""
    with Solvers() as both:
        yield both


@cache
def library() -> Project:
    """The operators of the library."""
    return Project.open(ROOT)


@cache
def texts() -> Project:
    """The operators of tests/language."""
    return Project.of_files(ROOT, sorted((ROOT / "tests" / "language").glob("*.sonnx")))


@pytest.fixture(scope="session")
def ask(solvers: Solvers) -> Callable[..., Outcomes]:
    """Asks a question: of the library for `sonnx.` operators, of tests/language for `user.` ones, or of a project."""

    def asked(question: Question, project: Project | None = None) -> Outcomes:
        operator, shapes, inputs, attributes = question
        known = project or (texts() if operator.startswith("user.") else library())
        made = asked_of(known, find_operator(known, operator), shapes, inputs, attributes)
        return Outcomes(made, answered(made, solvers))

    return asked
