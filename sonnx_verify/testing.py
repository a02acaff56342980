"""Hypothesis strategies that draw inputs of an operator from its specification.

    from hypothesis import given
    from sonnx_verify.testing import inputs

    @given(inputs("sonnx.Max"))
    def test_maximum(drawn):
        result = maximum(*drawn.arrays, **drawn.attributes)

An input has to meet the clauses of a specification, which few random inputs do. So strategies start from inputs that
are known to be accepted, or rejected, and change them; a change after which that is no longer so is dropped.

Hypothesis is no dependency of the package: it is imported when a strategy is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sonnx_verify.conformance.inputs.cases import Case, cases_at
from sonnx_verify.conformance.inputs.contexts import contexts
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.small_inputs import lacking, size_of, with_elements
from sonnx_verify.conformance.inputs.special_values import plain_fill, special_values
from sonnx_verify.conformance.targets.models import plain_attribute
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import VariableKind, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor, numel
from sonnx_verify.solving.inputs.arguments import to_array

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from sonnx_verify.language.files import Unit

__all__ = ["Inputs", "inputs"]
_MOST_ELEMENTS = 100
"""The largest tensor that is drawn: an evaluator of Python takes each element by itself."""
_FEW = 12
"""The different elements that a type has in one input, before the special ones."""
_LOOKED_AT = 3000
"""The small inputs among which valid ones are looked for."""


@dataclass(frozen=True, repr=False)
class Inputs:
    """One input: `arrays` in the order of the specification, a variadic input spread out, None for what is left out
    before another; `attributes` that are given. A function is called as `fn(*arrays, **attributes)`."""

    arrays: tuple[Any, ...]
    attributes: dict[str, Any]
    case: Case = field(compare=False)

    def __repr__(self) -> str:
        return f"Inputs(arrays={self.arrays!r}, attributes={self.attributes!r})"

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:
        # Hypothesis shows a dataclass with all its fields if it has no words of its own.
        printer.text(repr(self))


def inputs(
    spec: str, *, boundary: str | None = None, breaking: str | None = None, types: Iterable[str] = ()
) -> SearchStrategy[Inputs]:
    """Inputs of an operator, named as in `sonnx-verify explain`, of the project of the current folder.

    Valid ones; with `boundary`, valid ones next to which there is one that breaks that clause alone; with `breaking`,
    ones that break that restriction or constraint and no other, or to which that error alone applies. `types` are the
    element types, all of the operator where none is named. UsageError for what there is not, and where Hypothesis is
    not installed.
    """
    try:
        from hypothesis import strategies as st
    except ImportError:
        raise UsageError("the package hypothesis is not installed", cure="pip install hypothesis") from None
    if boundary is not None and breaking is not None:
        raise UsageError("an input is at a boundary or breaks a clause", cure="give one of boundary and breaking")
    # A text is an iterable of texts too: "float" would be five types of one letter.
    if isinstance(types, str):
        raise UsageError("the types are a text", cure=f"give a list of them: types=[{types!r}]")
    pools = _pools(str(Path.cwd()), spec, tuple(types), boundary, breaking)

    @st.composite
    def drawn(draw: DrawFn) -> Inputs:
        pool = draw(st.sampled_from(pools))
        # Hypothesis draws the first of several most often, and the first group has a single input.
        base = draw(st.sampled_from(draw(st.sampled_from([*pool.groups[:1], *pool.groups[1:] * 2]))))
        # Falling back instead of rejecting: Hypothesis fails a test whose strategy rejects most of its draws.
        shaped = base
        if draw(st.booleans()):
            shaped = pool.or_else(_resized(draw, st, pool.points, base), base)
        return _as_arrays(pool.points, pool.or_else(_filled(draw, st, pool.points, shaped), base))

    return drawn()


# -------------------------------------------------------------------------------------------------- what is drawn from


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """Small inputs of one element type, the smallest first, and what all inputs have to meet."""

    points: Points
    inputs: Sequence[Input]
    fits: Callable[[Input], bool]
    groups: list[list[Input]]

    @staticmethod
    def grouped(inputs: Sequence[Input]) -> list[list[Input]]:
        """The same by what is left out, how many tensors there are and how long the lists are: a few short ones shall
        not be lost among many."""
        found: dict[object, list[Input]] = {}
        for assignment in inputs:
            found.setdefault(tuple(map(_length, assignment.values())), []).append(assignment)
        return list(found.values())

    def or_else(self, changed: Input, base: Input) -> Input:
        """A changed input, if it still meets the condition, else the one that it was made of."""
        return changed if self.fits(changed) else base

    def __repr__(self) -> str:
        return self.points.context.element.name


@cache
def _pools(folder: str, spec: str, types: tuple[str, ...], boundary: str | None, breaking: str | None) -> list[_Pool]:
    """The pools of each element type that has any, by the project of the current folder, made once. `folder` is that
    folder, and only tells it apart."""
    from sonnx_verify.language.kept import keep_in
    from sonnx_verify.language.named import find_operator, here
    from sonnx_verify.stores.store import store_of_trees

    keep_in(store_of_trees)
    project = here()
    unit = find_operator(project, spec)
    every = [Points(project, unit, context) for context in contexts(unit, types)]
    tag = boundary or breaking
    if tag is not None:
        _refuse_tag(unit, every, tag)
    found: list[_Pool] = []
    for points in every:
        fits = _condition(points, boundary, breaking)
        # Looking for inputs takes long, and shapes and clauses are nearly the same for all types: it is done for one.
        like = next(iter(found), None)
        small = [assignment for assignment in _small(points, like, boundary) if fits(assignment)]
        if small:
            found.append(_Pool(points, small, fits, _Pool.grouped(small)))
    if not found:
        what = _wanted(boundary, breaking)
        raise UsageError(f"no input of {unit.operator} is known that {what}", cure="name another")
    return found


def _refuse_tag(unit: Unit, every: Sequence[Points], tag: str) -> None:
    """Raise UsageError for a tag that no clause has, or one that no input can break."""
    known: dict[str, None] = {}
    for points in every:
        known |= dict.fromkeys(statement.tag for statement in points.statements)
    if tag not in known:
        raise UsageError(f"{unit.operator} has no clause {tag}", cure="its clauses: " + ", ".join(known))
    if any(tag in points.of_facts for points in every):
        raise UsageError(f"{tag} speaks of facts that no array has or lacks", cure="name another clause")


def _wanted(boundary: str | None, breaking: str | None) -> str:
    if boundary:
        return f"is at the boundary of {boundary}"
    if breaking:
        return f"breaks {breaking} alone"
    return "is valid"


def _small(points: Points, like: _Pool | None, boundary: str | None) -> list[Input]:
    """Small inputs, the smallest first; of another type those of the first type, with elements of their own."""
    if like is not None:
        return [_retyped(points, assignment) for assignment in like.inputs]
    # A boundary is met by chance only where it is an edge of what is small: those cases are solved for.
    if boundary is not None:
        return [case.assignment for case in cases_at(points)]
    return sorted((made for made in points.choices.inputs(_LOOKED_AT) if not lacking(made)), key=size_of)


def _condition(points: Points, boundary: str | None, breaking: str | None) -> Callable[[Input], bool]:
    def fits(assignment: Input) -> bool:
        judged = points.judge(assignment)
        if not judged.declared or lacking(assignment):
            return False
        # This clause alone: an implementation may be blind to it, and reject the input for another one.
        if breaking is not None:
            return judged.broken == (breaking,) or judged.errors == (breaking,)
        if boundary is None or not judged.valid:
            return judged.valid
        return any(name.startswith(f"{boundary} ") for name in points.boundaries(assignment, judged))

    return fits


def _retyped(points: Points, assignment: Input) -> Input:
    """The same shapes, lists and attributes, with elements of these types."""
    made = dict(assignment)
    for variable in points.meaning.given:
        # The type that an attribute says is one of these, and it may be left out for some types alone.
        if variable.code is not None and (not variable.may_be_left_out or made[variable.name] is not LEFT_OUT):
            made[variable.name] = variable.code
        # Data alone: a tensor of indices or sizes keeps its elements, or the shapes would be others.
        if variable.kind is VariableKind.TENSOR and points.is_data(variable):
            made[variable.name] = _each(assignment[variable.name], _of_sort(variable.sort))
    return made


def _of_sort(sort: Sort) -> Callable[[ConcreteTensor], ConcreteTensor]:
    """The change of a tensor to plain elements of a type."""
    return lambda tensor: replace(tensor, sort=sort, elements=plain_fill(sort, len(tensor.elements)))


def _each(value: Any, change: Callable[[ConcreteTensor], ConcreteTensor]) -> Any:
    """A value with each of its tensors changed: a tensor, several of a variadic input, or something left out."""
    if isinstance(value, tuple):
        return tuple(_each(item, change) for item in value)
    if isinstance(value, ConcreteTensor):
        return change(value)
    return value


def _length(value: Any) -> object:
    """The structure of a value, by which inputs are grouped: of a list its length, of another tensor its rank, below 0
    so that it is no length."""
    if isinstance(value, tuple):
        return len(value)
    if not isinstance(value, ConcreteTensor):
        return value is LEFT_OUT
    if len(value.shape) == 1:
        return len(value.elements)
    return -len(value.shape)


# --------------------------------------------------------------------------------------------------------------- draws


def _resized(draw: DrawFn, st: Any, points: Points, base: Input) -> Input:
    """Other shapes, which broadcast to one of them; whether they fit is seen later."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=4).filter(lambda s: numel(s) <= _MOST_ELEMENTS)))
    made = dict(base)

    def of(tensor: ConcreteTensor) -> ConcreteTensor:
        # A dim of 1, and dims that are missing on the left, broadcast.
        own = tuple(1 if draw(st.integers(0, 3)) == 3 else size for size in shape)
        own = own[draw(st.sampled_from([0, 0, *range(len(own) + 1)])) :]
        return replace(tensor, shape=own, elements=plain_fill(tensor.sort, numel(own)))

    for variable in points.meaning.given:
        if variable.kind is VariableKind.TENSOR and variable.name not in points.choices.structural:
            made[variable.name] = _each(base[variable.name], of)
    return made


def _filled(draw: DrawFn, st: Any, points: Points, base: Input) -> Input:
    """Other elements: a few, again and again. How many are drawn says nothing of the shapes, so that no shape is
    smaller for having no elements."""
    tensors = [tensor for _, _, tensor in points.elements(base)]
    sorts = list(dict.fromkeys(tensor.sort for tensor in tensors))
    few = {sort: draw(st.lists(_elements(sort), min_size=1, max_size=_FEW)) for sort in sorts}
    for sort in sorts:
        # A list of one element is drawn as often as all others together: what tells most would be rare.
        few[sort] += draw(st.lists(_telling(sort), max_size=2))
    every: list[Sort] = []
    for tensor in tensors:
        every += [tensor.sort] * len(tensor.elements)
    return with_elements(points, base, [few[sort][n % len(few[sort])] for n, sort in enumerate(every)])


@cache
def _elements(sort: Sort) -> Any:
    """Elements of a type: small numbers, special values, anything."""
    from hypothesis import strategies as st

    special, telling = st.sampled_from(list(special_values(sort).values())), _telling(sort)
    match sort:
        case FloatSort():
            # Sums and products of small whole numbers are exact in the usual types: no rounding hides a mistake.
            small = st.integers(0, 8).map(lambda n: floats.from_float(sort, float(n)))
            bits = st.integers(0, (1 << sort.width) - 1).map(lambda b: floats.canonical(sort, b))
            return st.one_of(small, telling, special, bits)
        case IntegerSort():
            return st.one_of(st.integers(0, 8), telling, special, st.integers(sort.lowest, sort.greatest))
        case _:
            return special


@cache
def _telling(sort: Sort) -> Any:
    """The special values by which implementations differ most."""
    from hypothesis import strategies as st

    known = special_values(sort)
    most = [known[name] for name in ("NaN", "-0", "inf", "-inf", "greatest", "lowest") if name in known]
    return st.sampled_from(most or list(known.values()))


def _as_arrays(points: Points, assignment: Input) -> Inputs:
    arrays: list[Any] = []
    attributes: dict[str, Any] = {}
    for variable in points.meaning.given:
        value = assignment[variable.name]
        if variable.role is VariableRole.INPUT and variable.kind is VariableKind.TENSOR:
            items = value if isinstance(value, tuple) else (value,)
            for item in items:
                arrays.append(to_array(item) if isinstance(item, ConcreteTensor) else None)
        elif variable.role is VariableRole.ATTRIBUTE and value is not LEFT_OUT:
            attributes[variable.name] = plain_attribute(variable.sort, value)
    # ONNX leaves out trailing inputs; before another one an input that is left out has an empty name, here None.
    while arrays and arrays[-1] is None:
        arrays.pop()
    case = Case(points.context, assignment, points.met(assignment))
    return Inputs(tuple(arrays), attributes, case)
