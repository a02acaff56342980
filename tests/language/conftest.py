"""What the tests of operators written in the language share: their verdicts, and their results on concrete inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INDEX, INT, FloatSort, Sort
from sonnx_verify.logic.terms import Symbol, placeholder
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
Given = Mapping[str, object]
"""A value for each input and attribute: an array, an integer, or None for what is left out."""
Case = tuple[Given, np.ndarray | None]
"""Inputs, and the result; None where there is none."""


def tensor(array: np.ndarray, sort: Sort) -> ConcreteTensor:
    """The array as a tensor of that element type."""
    items = array.reshape(-1).tolist()
    if isinstance(sort, FloatSort):
        return ConcreteTensor(sort, array.shape, tuple(floats.from_float(sort, float(v)) for v in items))
    return ConcreteTensor(sort, array.shape, tuple(bool(v) if sort == BOOL else int(v) for v in items))


def from_the_right(coordinates: Sequence[int]) -> tuple[int, ...]:
    """An index as the evaluator has it: from the right, without trailing zeros."""
    found = list(reversed(coordinates))
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


class Operator:
    """The specification of a text with one output, ready to be run on concrete inputs.

    `types` are the element types of T and of the other type variables.
    """

    def __init__(self, path: Path, **types: str) -> None:
        element, *_ = sorts = [ELEMENT_TYPES[name] for name in types.values()]
        project = Project.of_files(ROOT, [path])
        others = dict(list(zip(types, sorts, strict=True))[1:])
        context = Context(family_of(element), element, variables=others)
        meaning = project.meaning(project.units[0], context)
        (output,) = meaning.outputs
        shape, result = meaning.shapes[output.name], meaning.result(output.name)
        assert result is not None
        axis, index, one = placeholder(INT), placeholder(INDEX), placeholder(output.sort)
        self._axis, self._index, self._one = number_of(axis), number_of(index), number_of(one)
        self._variables = [v for v in meaning.variables if v.role != "output"]
        self._valid, self._rank = compile_term(meaning.valid), compile_term(shape.rank)
        self._dim, self._read = compile_term(shape.dim(axis)), compile_term(result.read(index))
        self._conforms = compile_term(meaning.conforms_at(output.name, index, one))
        self.sort = output.sort

    def facts(self, given: Given) -> dict[Symbol, object]:
        """What the symbols mean on these inputs."""
        values: dict[str, Concrete] = {}
        for variable in self._variables:
            value = given[variable.name]
            values[variable.name] = (
                LEFT_OUT if value is None else tensor(value, variable.sort) if isinstance(value, np.ndarray) else value
            )
        return interpretation(self._variables, values)

    def __call__(self, given: Given) -> ConcreteTensor | None:
        """The result, or None where the input is not valid. Raises Undefined where the text makes no sense."""
        facts = self.facts(given)
        if not self._valid({}, facts):
            return None
        sizes = self._sizes(facts)
        read = (self._read({self._index: from_the_right(i)}, facts) for i in np.ndindex(*sizes))
        return ConcreteTensor(self.sort, sizes, tuple(read))

    def _sizes(self, facts: dict[Symbol, object]) -> tuple[int, ...]:
        rank = self._rank({}, facts)
        return tuple(self._dim({self._axis: rank - 1 - k}, facts) for k in range(rank))

    def allows(self, given: Given, result: np.ndarray | ConcreteTensor) -> bool:
        """Whether the input is valid, and the result has the shape and at each index an element of the set."""
        facts = self.facts(given)
        if not self._valid({}, facts) or self._sizes(facts) != result.shape:
            return False
        made = result if isinstance(result, ConcreteTensor) else tensor(result, self.sort)
        elements = zip(np.ndindex(*made.shape), made.elements, strict=True)
        return all(self._conforms({self._index: from_the_right(i), self._one: e}, facts) for i, e in elements)

    def differing(self, cases: Iterable[Case]) -> Iterator[str]:
        """The cases in which the specification says something else than what is expected."""
        for given, expected in cases:
            try:
                said = self(given)
            except Undefined:
                yield f"{_shown(given)}: nothing"
                continue
            if said != (None if expected is None else tensor(expected, self.sort)):
                yield f"{_shown(given)}: {'error' if said is None else f'{said.shape} {list(said.elements)}'}"


def _shown(given: Given) -> str:
    """The inputs that are given, tensors with their shapes."""
    texts = {n: f"{v.shape} {v.reshape(-1).tolist()}" if isinstance(v, np.ndarray) else v for n, v in given.items()}
    return ", ".join(f"{name} = {text}" for name, text in texts.items() if text is not None)


@pytest.fixture(scope="session")
def operator() -> Callable[..., Operator]:
    """Makes the operator of a text for element types: T first, then the other type variables."""
    return Operator


@pytest.fixture(scope="session")
def numpy_or_none() -> Callable[..., np.ndarray | None]:
    """What numpy computes, or None where it refuses."""

    def computed(compute: Callable[..., np.ndarray], *arguments: object, **named: object) -> np.ndarray | None:
        try:
            return np.asarray(compute(*arguments, **named))
        except (ValueError, IndexError):
            return None

    return computed


@pytest.fixture(scope="session")
def records() -> Iterator[Callable[[Path, Callable[[str], bool]], list[Record]]]:
    """Decides the obligations of a text whose id is wanted, with the theorems that they use."""
    laws = collect(Project.of_files(ROOT, sorted((ROOT / "proofs").glob("*.sonnx"))))
    theorems = {law.id: [law] for law in laws}
    with Solvers() as solvers:

        def decide(path: Path, wanted: Callable[[str], bool]) -> list[Record]:
            every = collect(Project.of_files(ROOT, [path]))
            chosen = [o for o in every if wanted(o.id)]
            known = theorems | {o.id: [o] for o in every}
            needed = needed_by(chosen, lambda name: known.get(name, []))
            return list(run(chosen, solvers, needed))

        yield decide


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """The text with one place changed, in a file of its own."""

    def edit(name: str, old: str, new: str) -> Path:
        text = (HERE / f"{name}.sonnx").read_text("utf-8")
        assert text.count(old) == 1, f"the place that is changed occurs {text.count(old)} times"
        path = tmp_path / f"{name}.sonnx"
        path.write_text(text.replace(old, new), "utf-8")
        return path

    return edit
