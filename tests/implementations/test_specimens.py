"""The specimens that numpy code is judged by: 20 right implementations of operators of the profile, and 36 wrong ones
with one slip each. Held here against the reference evaluator, on samples only.

A file has one implementation, `run`, called with arrays and with attributes as keywords. `OPERATOR` is what it
implements; `TYPES` are those for which it is right, or for which its `SLIP` shows. Where `OPEN` is true the slip rests
on what numpy leaves open: the numpy that is installed may answer as it has to.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import prod
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sonnx_verify.kernel.values import Tensor
from sonnx_verify.kernel.variables import Variable, value_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import families, types_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.nodes import Term
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, IntegerSort
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import assignment_of, replay

# The proofs of test_proofs.py say more; that samples say the same is of interest where the specimens change.
pytestmark = pytest.mark.soak
HERE = Path(__file__).parent
RIGHT = sorted((HERE / "right").glob("*.py"))
WRONG = sorted((HERE / "wrong").glob("*.py"))
SHAPES = [shape for rank in range(3) for shape in product(range(3), repeat=rank)]
ENOUGH = 24
"""On how many inputs of each type a right implementation is run."""
LATEST = 1000
"""By this input of a type a slip has to show."""


Structure = tuple[tuple[tuple[int, ...], ...], Any, dict[str, int]]
"""The shapes of the data, the axes, the attributes."""


@dataclass(frozen=True)
class Case:
    """A valid input: arrays, None for what is left out, and attributes; with what the specification says of it."""

    inputs: tuple[Any, ...]
    attributes: dict[str, int]
    assignment: dict[str, Concrete]
    expected: ConcreteTensor


def named(path: Path) -> str:
    return path.stem


@cache
def load(path: Path) -> ModuleType:
    """The specimen as a module."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_open(path: Path) -> bool:
    return getattr(load(path), "OPEN", False)


@cache
def project() -> Project:
    return Project.open(HERE.parents[1])


@cache
def meaning_of(operator: str, name: str) -> Meaning:
    """What the operator says of tensors of the type."""
    unit = find_operator(project(), operator)
    assert unit.file is not None
    family = next(family for _, family, types in families(unit.file) if name in types)
    return project().meaning(unit, Context(family, ELEMENT_TYPES[name]))


def pools(name: str) -> list[list[int | bool]]:
    """Elements at which implementations go wrong, by what goes wrong; floats as bits, two kinds of NaN."""
    sort = ELEMENT_TYPES[name]
    if isinstance(sort, IntegerSort):
        middle = (sort.lowest + sort.greatest + 1) // 2
        ends = [sort.lowest, sort.lowest + 1, sort.greatest - 1, sort.greatest]
        return [ends, [middle - 2, middle - 1, middle, middle + 1], [0, 1, 2, 3], [sort.lowest, middle, sort.greatest]]
    if not isinstance(sort, FloatSort):
        return [[False, True], [False], [True]]
    sign, one = 1 << (sort.width - 1), floats.from_float(sort, 1.0)
    nan, infinity, greatest = floats.nan(sort), floats.infinity(sort), floats.greatest(sort)
    zeros, infinities, nans = [0, sign], [infinity, infinity | sign], [infinity | 1, nan | sign]
    finite = [1, one, one + 1, greatest]
    negative = [sign | bits for bits in finite]
    return [zeros, [*nans, one], [*infinities, one], [infinity, one, one | sign], negative, finite, [*zeros, *negative]]


def array(random: Random, name: str, shape: tuple[int, ...], elements: list[int | bool]) -> Any:
    """An array of some of the elements, bit for bit: different ones as far as there are."""
    count = prod(shape)
    chosen = random.sample(elements, len(elements)) + random.choices(elements, k=count)
    return to_array(ConcreteTensor(ELEMENT_TYPES[name], shape, tuple(chosen[:count])))


@cache
def structures(operator: str) -> list[Structure]:
    """Whatever is valid up to rank 2, sizes 0 to 2 and two inputs; axes in every order, and counted from either end."""
    unit = find_operator(project(), operator)
    assert unit.file is not None
    if not unit.file.attributes:
        return [(shapes, None, {}) for count in (1, 2) for shapes in product(SHAPES, repeat=count) if agree(shapes)]
    switches = [dict(zip([d.name for d in unit.file.attributes], s, strict=True)) for s in product((0, 1), repeat=2)]
    found: list[Structure] = []
    for shape in SHAPES:
        lists: list[Any] = [None]
        for count in range(len(shape) + 1):
            for axes in permutations(range(len(shape)), count):
                lists += product(*[(a, a - len(shape)) for a in axes])
        found += [((shape,), axes, switch) for axes in lists for switch in switches]
    return found


@cache
def large_structures(operator: str) -> list[Structure]:
    """Those of the largest shapes alone."""
    return [s for s in structures(operator) if set(s[0]) == {SHAPES[-1]}]


def agree(shapes: tuple[tuple[int, ...], ...]) -> bool:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


@cache
def case(operator: str, name: str, number: int) -> Case:
    """An input of the type: the same for every implementation of the operator, and on every run."""
    random = Random(f"{operator} {name} {number}")
    # Small arrays hide much, and most of the arrays are small.
    structure = random.choice(random.choice((structures, large_structures))(operator))
    elements = pools(name)[number % len(pools(name))]
    return case_of(random, operator, name, structure, elements)


def case_of(random: Random, operator: str, name: str, structure: Structure, elements: list[int | bool]) -> Case:
    shapes, axes, attributes = structure
    arrays = [array(random, name, shape, elements) for shape in shapes]
    tensors = [from_array("", a, ELEMENT_TYPES[name]) for a in arrays]
    unit = find_operator(project(), operator)
    assert unit.file is not None
    if not attributes:
        inputs: tuple[Any, ...] = tuple(arrays)
        given: dict[str, Concrete] = {f"{unit.file.inputs[0].name}{n}": t for n, t in enumerate(tensors)}
    else:
        listed = None if axes is None else np.array(axes, dtype=np.int64)
        inputs = (*arrays, listed)
        given = {unit.file.inputs[0].name: tensors[0], **attributes}
        if listed is not None:
            given[unit.file.inputs[1].name] = from_array("", listed)
    meaning = meaning_of(operator, name)
    assignment = assignment_of(meaning, given)
    outcome = replay(project(), unit, meaning, assignment, why=False)
    assert not outcome.broken, (operator, name, structure)
    assert not outcome.errors, (operator, name, structure)
    assert not outcome.undetermined, (operator, name, structure)
    (expected,) = outcome.outputs.values()
    return Case(inputs, attributes, assignment, expected)


@cache
def condition(operator: str, name: str) -> tuple[dict[str, Variable], Term]:
    """Which outputs of the type conform: a term over the inputs and these variables."""
    meaning = meaning_of(operator, name)
    variables = meaning.free_outputs()
    tensors = {output: value for output, v in variables.items() if isinstance(value := value_of(v), Tensor)}
    return variables, meaning.conforms(tensors)


def conforms(operator: str, name: str, tried: Case, result: ConcreteTensor) -> bool:
    """Whether the result is the one, or one of those, that the specification allows."""
    if result == tried.expected:
        return True
    variables, term = condition(operator, name)
    given = {**tried.assignment, **dict.fromkeys(variables, result)}
    facts = interpretation((*meaning_of(operator, name).given, *variables.values()), given)
    return evaluate(term, facts) is True


def bits(value: Any) -> bytes | None:
    return None if value is None else value.tobytes()


def copied(inputs: Iterable[Any]) -> list[Any]:
    return [None if x is None else x.copy() for x in inputs]


def run(specimen: ModuleType, tried: Case, inputs: Sequence[Any] | None = None) -> Any:
    """What the implementation gives, on these arrays or on copies of those of the case."""
    with np.errstate(all="ignore"):
        return specimen.run(*(copied(tried.inputs) if inputs is None else inputs), **tried.attributes)


def differs(specimen: ModuleType, name: str, tried: Case) -> str:
    """How the implementation errs on the input; empty where it does not."""
    inputs = copied(tried.inputs)
    try:
        result = run(specimen, tried, inputs)
    except Exception as problem:  # whatever an implementation may raise
        return f"{type(problem).__name__}: {problem}"
    if [bits(x) for x in inputs] != [bits(x) for x in tried.inputs]:
        return "an input is overwritten"
    if not isinstance(result, np.ndarray | np.generic):
        return f"no array: {type(result).__name__}"
    if result.dtype != tried.inputs[0].dtype:
        return f"of type {result.dtype}"
    tensor = from_array("", np.asarray(result), ELEMENT_TYPES[name])
    if tensor.shape != tried.expected.shape:
        return f"of shape {tensor.shape}"
    return "" if conforms(specimen.OPERATOR, name, tried, tensor) else f"gives {tensor.elements}"


def differences(specimen: ModuleType, name: str, count: int) -> Iterator[tuple[Case, str]]:
    """The inputs, of so many, on which the implementation errs, and how."""
    for number in range(count):
        tried = case(specimen.OPERATOR, name, number)
        if found := differs(specimen, name, tried):
            yield tried, found


def only_in_signs_of_zeros(specimen: ModuleType, tried: Case) -> bool:
    """Whether the result is the expected one to somebody to whom the two zeros are one."""
    result, expected = run(specimen, tried), to_array(tried.expected)
    with np.errstate(all="ignore"):
        both_nan = np.isnan(result) & np.isnan(expected)
        return result.shape == expected.shape and bool(np.all((result == expected) | both_nan))


@pytest.mark.parametrize("path", RIGHT, ids=named)
def test_right(path: Path) -> None:
    """On every input of every type it gives an array that the specification allows, up to the payload of NaN."""
    specimen = load(path)
    for name in specimen.TYPES:
        for tried, found in differences(specimen, name, ENOUGH):
            pytest.fail(f"{name} {tried.inputs} {tried.attributes}: {found}, not {tried.expected}")
        for number in range(ENOUGH):
            tried = case(specimen.OPERATOR, name, number)

            assert isinstance(run(specimen, tried), np.ndarray), (name, tried)


@pytest.mark.parametrize("path", [p for p in WRONG if not is_open(p)], ids=named)
def test_wrong(path: Path) -> None:
    """The slip shows for each type."""
    specimen = load(path)
    for name in specimen.TYPES:
        assert next(differences(specimen, name, LATEST), None) is not None, name


@pytest.mark.parametrize("path", [p for p in WRONG if is_open(p)], ids=named)
def test_open(path: Path) -> None:
    """What numpy leaves open is the sign of a zero: no result differs in more."""
    specimen = load(path)
    for name in specimen.TYPES:
        for tried, found in differences(specimen, name, ENOUGH):
            assert only_in_signs_of_zeros(specimen, tried), f"{name} {tried.inputs} {tried.attributes}: {found}"


def test_specimens() -> None:
    """There are 36 and 20 of them; each says in its head what it implements, for which types that operator has, and the
    wrong ones how they err. The right ones are of every kind."""
    specimens = [load(path) for path in (*RIGHT, *WRONG)]
    kinds = {load(path).OPERATOR for path in RIGHT}
    slips = [load(path).SLIP for path in WRONG]

    assert (len(RIGHT), len(WRONG)) == (20, 36)
    assert kinds == {s.OPERATOR for s in specimens}
    assert len(kinds) == 5
    assert len(set(slips)) == len(slips)
    assert all(slip and "\n" not in slip for slip in slips)
    assert sum(is_open(path) for path in WRONG) <= 3
    for specimen in specimens:
        unit = find_operator(project(), specimen.OPERATOR)
        assert unit.file is not None
        assert specimen.TYPES, specimen.__name__
        assert set(specimen.TYPES) <= set(types_of(unit.file, "T")), specimen.__name__
