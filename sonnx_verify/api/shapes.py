"""The question which shapes an operator's outputs have where sizes are symbols, and its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from sonnx_verify.api.evaluation import types_json
from sonnx_verify.api.given import attributes_of, given_twice, pair_of, values_of
from sonnx_verify.api.given import types_of as said_types
from sonnx_verify.arrays.partial.intervals import Interval
from sonnx_verify.arrays.shapes.decide import Decider
from sonnx_verify.arrays.shapes.given import Known, SymbolicTensor, shown_name, size_symbol
from sonnx_verify.arrays.shapes.infer import GIVE_MORE, Answer, Condition, infer
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.opaque import opaque
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INT
from sonnx_verify.logic.terms import Symbol, Term, integer, literal, placeholder
from sonnx_verify.logic.verdict import all_unsat
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.results.written import OfVersions, said
from sonnx_verify.solving.inputs.arguments import tensor_argument
from sonnx_verify.solving.inputs.section import sections_of
from sonnx_verify.solving.solvers import Solvers

# ONNX bounds no rank; numpy allows 64 axes, and an answer with that many would not be read by anybody.
_MOST_AXES = 16
_QUICK, _QUICK_PRODUCTS, _MOST_QUESTIONS = 200_000, 20_000, 1_000
"""The work that a question may cost whose answer only shortens the result, without products and with them, and the
most questions."""
Sizes = dict[str, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """An operator and what is known of its inputs; `bounds` of the sizes, in the order in which they were given.
    `chosen` is the type T that the answer is for, where other types that nothing excludes may have another answer."""

    unit: Unit
    meaning: Meaning
    known: Mapping[str, Known]
    bounds: dict[str, Interval]
    chosen: str = ""


def asked_of(
    project: Project,
    unit: Unit,
    shapes: Sequence[str],
    inputs: Sequence[str],
    attributes: Sequence[str],
    types: Sequence[str] = (),
) -> Asked:
    """The question that a command line asks. UsageError where it makes no sense."""
    bounds: dict[str, Interval] = {}
    sizes = _sizes(shapes, bounds)
    given = _inputs(unit, inputs)
    settings = attributes_of(unit, attributes)
    # Within one option the readers below have refused it; here it is `--shape A=N --input A=...`.
    named = [*sizes, *given, *settings]
    if twice := sorted({name for name in named if named.count(name) > 1}):
        raise _twice(twice[0])
    meanings = [project.meaning(unit, c) for c in sections_of(unit, {**given, **settings}, said_types(types))]
    # A shape has no type. Most operators have the same shapes for all types; where they have not, the answer says whose
    # it is.
    q = placeholder(INT)
    first, *others = meanings
    chosen = ""
    if any(_about_shapes(other, q) != _about_shapes(first, q) for other in others):
        chosen = first.context.element.name
    return Asked(unit, first, _known(unit, first, sizes, given, settings), bounds, chosen)


def _about_shapes(meaning: Meaning, q: Term) -> list[Term | None]:
    """All that decides which shapes the outputs have, with the size on axis q."""
    statements = (*meaning.restrictions, *meaning.constraints, *meaning.errors)
    said: list[Term | None] = [*meaning.hypotheses, *meaning.arity, *(statement.term for statement in statements)]
    said += [meaning.unspecified_outcome, meaning.unspecified_shape]
    shapes = [*meaning.shapes.values()]
    for family in meaning.families.values():
        said.append(family.count)
        # Its number is another variable in each meaning.
        shapes += [] if family.shape is None else [made for made in [family.at(q).shape] if made is not None]
    return [*said, *(term for shape in shapes for term in (shape.rank, shape.dim(q)))]


def _twice(name: str) -> UsageError:
    return given_twice(name, cure="give its shape or its values, once")


def _sizes(texts: Sequence[str], bounds: dict[str, Interval]) -> Sizes:
    """The sizes of each input: numbers, and symbols that are the same wherever they have the same name."""
    made: Sizes = {}
    for text in texts:
        name, value = pair_of(text)
        if name in made:
            raise _twice(name)
        parts = [p.strip() for p in value.strip().removeprefix("[").removesuffix("]").split(",")]
        if parts == [""]:  # `[]`, the shape of a scalar; splitting nothing gives one empty part
            parts = []
        if len(parts) > _MOST_AXES:
            raise UsageError(f"{name}: {len(parts)} axes", cure=f"give at most {_MOST_AXES}")
        made[name] = tuple(_size(name, part, bounds) for part in parts)
    return made


def _size(name: str, text: str, bounds: dict[str, Interval]) -> Term:
    # ONNX writes a size as an int64.
    if re.fullmatch(r"[0-9]{1,19}", text) and int(text) < 2**63:
        return integer(int(text))
    if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", text):
        made = size_symbol(text)
        assert isinstance(made.payload, Symbol)
        bounds[made.payload.name] = (0, None)
        return made
    raise UsageError(f"{name}: `{text}` is not a size", cure=f"write names or numbers: --shape {name}=N,M,3")


def _inputs(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The inputs with values. Where the text of the operator says their type, it need not be written."""
    file = unit.file
    assert file is not None
    made: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in made:
            raise _twice(name)
        # `int64:[1,2]` says its type, and so does a file of numpy.
        if ":" not in value and not value.endswith(".npy"):
            value = _with_type(file, name, value)
        made[name] = tensor_argument(name, value)
    return made


def _with_type(file: s.File, name: str, value: str) -> str:
    """The value with the element type that the text declares for that input, where it declares one."""
    declared = (d.type.of for d in file.inputs if d.name == name)
    element = next((type_ for type_ in declared if type_ is not None), None)
    if element is None:
        return value
    if element.name in ELEMENT_TYPES:
        return f"{element.name}:{value}"
    # A type variable: its first type stands for all of them.
    types = types_of(file, element.name)
    if not types:
        return value
    return f"{types[0]}:{value}"


def _known(
    unit: Unit, meaning: Meaning, sizes: Sizes, given: Mapping[str, Concrete], settings: Mapping[str, Concrete]
) -> dict[str, Known]:
    """The known part of each variable: its shape, its values, or nothing."""
    # An empty tensor stands for each input of which only the shape is known, so that what is missing is still refused.
    shapes_only = {n: ConcreteTensor(meaning.context.element, (), ()) for n in sizes}
    assignment = values_of(unit, meaning, {**shapes_only, **given, **settings}, tensor="--shape {}=SIZES")
    made: dict[str, Known] = {}
    for variable in meaning.given:
        value = assignment[variable.name]
        if value is LEFT_OUT or variable.role is VariableRole.ASKED:
            continue
        if variable.kind is not VariableKind.TENSOR:
            made[variable.name] = _value(variable, value)
        elif variable.count is None:
            made[variable.name] = _tensor(variable, variable.name, sizes, {**given, **settings})
        else:
            assert isinstance(value, tuple)
            names = [f"{variable.name}{n + variable.base}" for n in range(len(value))]
            made[variable.name] = tuple(_tensor(variable, n, sizes, given) for n in names)
    return made


def _value(variable: Variable, value: Concrete) -> Known:
    if variable.count is not None:
        assert isinstance(value, tuple)
        return tuple(literal(item, variable.sort) for item in value)
    return literal(value, variable.sort)


def _tensor(variable: Variable, name: str, sizes: Sizes, given: Mapping[str, Concrete]) -> SymbolicTensor:
    if name in sizes:
        return SymbolicTensor(name, variable.sort, sizes[name])
    value = given[name]
    assert isinstance(value, ConcreteTensor)
    if value.sort != variable.sort:
        raise UsageError(
            f"{name}: expected {variable.sort.name}, found {value.sort.name}",
            cure=f"write {name}={variable.sort.name}:..., or give all inputs of one type variable another type",
        )
    return SymbolicTensor(name, variable.sort, tuple(integer(n) for n in value.shape), value.elements)


def answered(asked: Asked, solvers: Solvers) -> Answer:
    """The answer to a question. The first solver makes it shorter, all of them confirm it."""
    return infer(asked.meaning, asked.known, asked.bounds, quick(solvers), sure(solvers))


def quick(solvers: Solvers) -> Decider:
    """Asks the first solver, which is told what products are only where it does not need much work."""
    asked_before = 0

    def contradictory(conditions: Sequence[Term]) -> bool:
        nonlocal asked_before
        asked_before += 1
        if asked_before > _MOST_QUESTIONS:
            raise UsageError("there is too much to tell apart", cure=GIVE_MORE)
        # With products as values of a free function the question is linear, and easy. If that is contradictory, so is
        # the question itself, since multiplication is one such function; if not, the products may be what contradicts.
        free = opaque(list(conditions))
        asked = [(conditions, _QUICK)]
        if free is not None:
            asked = [(free, _QUICK), (conditions, _QUICK_PRODUCTS)]
        first = solvers.names[:1]
        return any("unsat" in _answers(solvers, terms, first, cost).values() for terms, cost in asked)

    return contradictory


def sure(solvers: Solvers) -> Decider:
    """Asks all solvers, of which there have to be two, and which have to agree."""
    return lambda conditions: all_unsat([_answers(solvers, conditions)])


def _answers(
    solvers: Solvers, conditions: Sequence[Term], names: Sequence[str] | None = None, budget: int | None = None
) -> dict[str, str]:
    answers = solvers.submit(script(conditions), budget=budget, names=names).result()
    return {name: answer.status for name, answer in answers.items()}


class CaseJson(Struct, frozen=True):
    """The sizes of the outputs under a condition."""

    condition: Annotated[str | None, said("Null if there is only one case.")]
    outputs: dict[str, list[str]]


class FailsJson(Struct, frozen=True):
    """The clause that fails for all sizes."""

    tag: str
    kind: str
    sentence: str


class ConditionJson(FailsJson, frozen=True):
    """A condition on sizes, or an assumption on elements."""

    condition: Annotated[str | None, said("Null if only the clause's words express it.")]


class ShapesJson(OfVersions, frozen=True):
    """The whole answer. Sizes and conditions are texts."""

    operator: str
    types: Annotated[dict[str, str], said("The type of each type variable.")]
    symbols: Annotated[list[str], said("The sizes in the order in which they were given, then the elements.")]
    outputs: Annotated[dict[str, list[str]] | None, said("Null if there are several cases, or none.")]
    cases: list[CaseJson]
    conditions: list[ConditionJson]
    assumptions: list[ConditionJson]
    fails: FailsJson | None
    confirmed: Annotated[bool, said("Whether both solvers agree.")]


def shapes_json(asked: Asked, order: list[str], answer: Answer) -> ShapesJson:
    """The record of an answer, with the symbols in the order in which they were given."""
    # It takes sympy with it, which is slow to load.
    from sonnx_verify.arrays.shapes.printing import condition_text, size_text

    # A single case needs no condition, and its outputs are the answer.
    alone = len(answer.cases) == 1
    cases = []
    for case in answer.cases:
        outputs = {name: [size_text(size) for size in sizes] for name, sizes in case.outputs.items()}
        cases.append(CaseJson(None if alone else condition_text(case.when, order), outputs))
    fails = None
    if answer.fails is not None:
        fails = FailsJson(answer.fails.tag, answer.fails.kind, answer.fails.sentence)
    return ShapesJson(
        asked.unit.operator,
        types_json(asked.meaning.context),
        [shown_name(name) for name in order],
        cases[0].outputs if alone else None,
        cases,
        [_condition(one, order) for one in answer.conditions if not one.assumed],
        [_condition(one, order) for one in answer.conditions if one.assumed],
        fails,
        answer.confirmed,
    )


def _condition(one: Condition, order: list[str]) -> ConditionJson:
    from sonnx_verify.arrays.shapes.printing import condition_text

    form = None if one.form is None else condition_text(one.form, order)
    return ConditionJson(one.tag, one.kind, one.sentence, form)
