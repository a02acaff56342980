"""The texts on the input of a divergence: the standard's position, and the profile's decision.

A divergence of a ledger goes in. Its input is evaluated on the text that it was found with, and on the counterpart of
that text: of a profile the standard that it refines, of a standard the profile that refines it. Nothing is read from
prose but rows of a page's table of decisions and rationales, which are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sonnx_verify.conformance.inputs.contexts import every_context, name_of
from sonnx_verify.conformance.oracles.comparison import PAYLOAD, Kind, compare, elements_of, place_in
from sonnx_verify.conformance.oracles.expectation import Demand, Expected, Oracle
from sonnx_verify.conformance.targets.calls import Array, Ending, Response
from sonnx_verify.conformance.targets.models import array_of, asked_outputs
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import is_for, lines_named
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INDEX, STRING, FloatSort
from sonnx_verify.logic.terms import Symbol
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.outputs.tensors import tensor_words
from sonnx_verify.pages.reading.kinds import BlockKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.reading.sentences import tag_of
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.results.values import tensor_json
from sonnx_verify.results.written import plain
from sonnx_verify.solving.inputs.decided_by import profile_of
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import assignment_of

ROOT = Path(__file__).resolve().parents[1]
_AXES = ELEMENT_TYPES["int64"]
_DECISIONS = "decisions"
"""The heading of a page above its table of decisions."""
_BY = "by"
"""The head of the column that names the clauses of a decision."""
One = Mapping[str, Any]
"""A divergence as a ledger has it."""


@unique
class Stance(StrEnum):
    """The treatment of an input by a text."""

    RESULT = "gives a result"
    REJECTS = "rejects the input"
    OPEN = "leaves it open"
    SILENT = "does not cover this call"
    NO_TEXT = "has no formal text for this operator"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A tag of a text and what stands under it."""

    tag: str
    text: str

    def __str__(self) -> str:
        if not self.text:
            return f"`{self.tag}`"
        return f"`{self.tag}`, {self.text}"


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a text on an input. `sentences` exclude the input, or leave it open. `allows` says that the
    result of the target conforms to the text."""

    operator: str
    stance: Stance
    sentences: tuple[Sentence, ...] = ()
    result: str = ""
    allows: bool = False
    rules: tuple[str, ...] = ()
    """The clauses of shape and value that give the result, as they are written."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of its sentences."""
        return tuple(one.tag for one in self.sentences)

    @property
    def words(self) -> str:
        """The position in words."""
        said = "; ".join(map(str, self.sentences))
        match self.stance:
            case Stance.RESULT if self.allows:
                return f"gives `{self.result}`, and also allows the result of the target"
            case Stance.RESULT:
                return f"gives `{self.result}`"
            case Stance.OPEN:
                return f"leaves this open: {said}"
            case Stance.REJECTS:
                return f"rejects the input: {said}"
            case _:
                return str(self.stance)


@dataclass(frozen=True, slots=True)
class Judged:
    """A divergence with what the standard and the profile say of its input; None where there is no such text."""

    standard: Position | None
    profile: Position | None
    further: tuple[Position, ...] = ()
    """The positions of further texts of the same version of the standard, where they say something else."""
    page: str = ""
    """The page of the profile, from the root of the project."""
    rationales: tuple[tuple[str, str], ...] = ()
    """The tag of each clause that excludes the input, and why, as the page says."""
    decisions: tuple[tuple[str, ...], ...] = ()
    """The rows of the page's table of decisions that are about it: topic, in the standard, here, by."""


# ------------------------------------------------------------------------------------------------------ from ledgers


def tensor_from(made: Mapping[str, Any]) -> ConcreteTensor:
    """A tensor of a ledger, bit for bit."""
    sort, shape = ELEMENT_TYPES[made["dtype"]], tuple(made["shape"])
    if isinstance(sort, FloatSort):
        return ConcreteTensor(sort, shape, tuple(int(bits, 16) for bits in _flat(made["bits"], len(shape))))
    plain = [_element(value) for value in _flat(made["data"], len(shape))]
    if sort == STRING:
        return ConcreteTensor(sort, shape, tuple(map(str, plain)))
    return ConcreteTensor(sort, shape, tuple(plain))


def _flat(data: Any, rank: int) -> list[Any]:
    if rank == 0:
        return [data]
    return [item for part in data for item in _flat(part, rank - 1)]


def _element(value: Any) -> Any:
    """A truth value or an integer: JSON has large integers as texts."""
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value


def _attribute_from(variable: Variable, value: Any) -> Concrete:
    if isinstance(value, dict):
        return tensor_from(value)
    if isinstance(value, list):
        items: list[Any] = [_attribute_from(variable, item) for item in value]
        return tuple(items)
    if isinstance(variable.sort, FloatSort):
        array = np.array(float(value), dtype_of(variable.sort.name))
        return floats.canonical(variable.sort, int(array.view(f"u{variable.sort.width // 8}")))
    if variable.sort == STRING:
        return str(value)
    made: Concrete = _element(value)
    return made


def _got_from(got: Mapping[str, Any], outputs: Sequence[str]) -> Response:
    """The result of a target as it was compared."""
    arrays: list[Array | None] = []
    for name in outputs:
        made = got.get("outputs", {}).get(name)
        if made is None:
            arrays.append(None)
        elif "data" in made:
            arrays.append(array_of(tensor_from(made)))
        else:
            # Of an array of a type that the language has not, only type and sizes are known.
            arrays.append(Array(made["dtype"], tuple(made["shape"]), b""))
    return Response(Ending(got["outcome"]), tuple(arrays), changed=tuple(got.get("changed", ())))


# -------------------------------------------------------------------------------------------------------- of a text


@cache
def project() -> Project:
    """The project's specifications."""
    return Project.open(ROOT)


@cache
def _unit(operator: str) -> Unit | None:
    return next((unit for unit in project().operators() if unit.operator == operator), None)


@cache
def _oracle(operator: str, types: str) -> Oracle:
    """The evaluator of a text for some types: of its terms it makes code, which takes longest."""
    unit = _unit(operator)
    assert unit is not None
    context = _context(unit, types)
    assert context is not None
    return Oracle(project(), unit, project().meaning(unit, context))


def judged(operator: str, one: One) -> Judged:
    """The texts on the input of a divergence that was found with the specification of that name."""
    unit = _unit(operator)
    if unit is None or unit.file is None:
        return Judged(None, None)
    if one.get("misuse") or one["kind"] == Kind.DECLARED_TYPE:
        # The input of such a divergence is one that the texts allow: what was called is none of theirs, or the model
        # around it is wrong.
        return _silent(unit)
    context = _context(unit, one["types"][0])
    if context is None:
        return Judged(None, None)
    meaning = project().meaning(unit, context)
    try:
        assignment = assignment_of(meaning, _given(meaning, one))
    except KeyError:
        # The text has changed since, and has no such input any more.
        return Judged(None, None)
    own = _position(unit, meaning, assignment, one["got"], {})
    if unit.file.kind is s.FileKind.PROFILE:
        texts = _of_standard(unit, one, meaning, assignment)
        return _with_page(unit, meaning, texts, own)
    profile = profile_of(project(), unit)
    if profile is None:
        return Judged(own, None)
    renaming = _renaming(profile)
    other = _same_types(profile, one["types"][0], meaning, assignment, renaming)
    if other is None:
        return Judged(own, Position(profile.operator, Stance.SILENT))
    theirs = project().meaning(profile, other)
    made = _translated(theirs, meaning, assignment, renaming, defaults=True)
    if made is None:
        return Judged(own, Position(profile.operator, Stance.SILENT))
    names = {theirs: ours for ours, theirs in renaming.items()}
    return _with_page(profile, theirs, [own], _position(profile, theirs, made, one["got"], names))


def _silent(unit: Unit) -> Judged:
    """The texts on a call outside of their signatures."""
    assert unit.file is not None
    if unit.file.kind is s.FileKind.PROFILE:
        assert unit.file.refines is not None
        refined = f"{unit.file.refines.namespace}.{unit.file.refines.operator}-{unit.file.refines.version}"
        return Judged(Position(refined, Stance.SILENT), Position(unit.operator, Stance.SILENT))
    profile = profile_of(project(), unit)
    own = Position(unit.operator, Stance.SILENT)
    return Judged(own, None if profile is None else Position(profile.operator, Stance.SILENT))


def _context(unit: Unit, name: str) -> Context | None:
    """The section and types of a name such as int8-int64."""
    return next((c for c in every_context(unit) if name_of(unit, c) == name), None)


def _same_types(
    unit: Unit, name: str, source: Meaning, assignment: Assignment, names: Mapping[str, str]
) -> Context | None:
    """The section and types of a text in which an input of `source` is one of its own; None if it has none such.
    `names` are those of the inputs in `source`."""
    own = _context(unit, name)
    if own is not None:
        return own
    # A text may have a type variable for two inputs, and another text one for each: of `int64`, X and Y, there
    # `int64-int64`, are both int64.
    assert unit.file is not None
    declared = {one.name: one.type.of.name for one in unit.file.inputs if one.type.of is not None}
    wanted: list[tuple[str, str]] = []
    for variable in source.given:
        value = assignment.get(variable.name, LEFT_OUT)
        tensors = value if isinstance(value, tuple) else (value,)
        wanted += [(variable.name, one.sort.name) for one in tensors if isinstance(one, ConcreteTensor)]
    words = {names.get(ours, ours): word for ours, word in declared.items()}
    element = name.partition("-")[0]
    for context in every_context(unit):
        sorts = {"T": context.element.name, **{word: sort.name for word, sort in context.variables.items()}}
        types = {theirs: sorts.get(word, word) for theirs, word in words.items()}
        if context.element.name == element and all(types.get(theirs, sort) == sort for theirs, sort in wanted):
            return context
    return None


def _given(meaning: Meaning, one: One) -> dict[str, Concrete]:
    """The input by the names of the text that it was found with."""
    known = {v.name: v for v in meaning.given}
    given: dict[str, Concrete] = {name: tensor_from(made) for name, made in one["inputs"].items()}
    given |= {name: _attribute_from(known[name], value) for name, value in one["attributes"].items()}
    shown = {*one["expected"].get("outputs", ()), *one["got"].get("outputs", ())}
    for output in meaning.outputs:
        asked = f"{output.name}.given"
        if asked in known and output.name in shown:
            given[asked] = True
    return given


def _renaming(profile: Unit) -> dict[str, str]:
    assert profile.file is not None
    assert profile.file.refines is not None
    return dict(profile.file.refines.renaming)


def _of_standard(unit: Unit, one: One, meaning: Meaning, assignment: Assignment) -> list[Position]:
    """The position of each text of the standard that a profile refines, the first text first."""
    assert unit.file is not None
    refines = unit.file.refines
    made: list[Position] = []
    if refines is None:
        return made
    inverse = {their: our for our, their in _renaming(unit).items()}
    for standard in project().operators():
        file = standard.file
        if file is None or (standard.namespace, file.name) != (refines.namespace, refines.operator):
            continue
        if file.version != refines.version:
            continue
        silent = Position(standard.operator, Stance.SILENT)
        context = _same_types(standard, one["types"][0], meaning, assignment, inverse)
        if context is None:
            made.append(silent)
            continue
        theirs = project().meaning(standard, context)
        same = _translated(theirs, meaning, assignment, inverse)
        if same is None:
            made.append(silent)
        else:
            made.append(_position(standard, theirs, same, one["got"], _renaming(unit)))
    return made


def _translated(
    meaning: Meaning, source: Meaning, assignment: Assignment, names: Mapping[str, str], *, defaults: bool = False
) -> Assignment | None:
    """An input of `source` by the names of another text, of which `names` says what they are there; None where the
    other text has no such input. With `defaults`, an attribute that is left out is written out."""
    known = {v.name for v in source.given}
    given: dict[str, Concrete] = {}
    for variable in meaning.given:
        theirs = names.get(variable.name, variable.name)
        if variable.role is VariableRole.LENGTH or theirs not in known:
            continue
        value = assignment[theirs]
        if value is LEFT_OUT:
            if defaults and variable.default is not None:
                given[variable.name] = variable.default
        elif variable.kind is VariableKind.TENSOR and isinstance(value, tuple):
            given |= _tensors(variable, value)
        else:
            given[variable.name] = value
    try:
        return assignment_of(meaning, given)
    except KeyError:
        return None


def _tensors(variable: Variable, value: tuple[Concrete, ...]) -> dict[str, Concrete]:
    """The members of a family by their names, or a list of axes that is an attribute elsewhere."""
    if variable.count is not None:
        return {f"{variable.name}{n}": item for n, item in enumerate(value, variable.base)}
    return {variable.name: ConcreteTensor(_AXES, (len(value),), value)}


def _position(
    unit: Unit, meaning: Meaning, assignment: Assignment, got: Mapping[str, Any], names: Mapping[str, str]
) -> Position:
    """The position of a text on an input. `names` are those of its outputs, by the names in `got`."""
    expected = _oracle(unit.operator, name_of(unit, meaning.context)).expected(assignment)
    outputs = [v.name for v in asked_outputs(meaning, assignment)]
    renamed = {**got}
    if "outputs" in got:
        renamed["outputs"] = {_renamed(name, names): made for name, made in got["outputs"].items()}
    answer = _got_from(renamed, outputs)
    _, findings = compare(expected, outputs, answer)
    # The elements that vary are recorded as 0, whatever came.
    allows = "varies" not in got and not any(one.level > PAYLOAD for one in findings)
    match expected.kind:
        case Demand.OUTSIDE:
            return Position(unit.operator, Stance.SILENT)
        case Demand.REJECTED:
            return Position(unit.operator, Stance.REJECTS, _clauses(meaning, expected.tags, assignment))
        case Demand.OPEN:
            left = _left_open(meaning, assignment, s.Reach.OUTCOME, [])
            return Position(unit.operator, Stance.OPEN, left, allows=allows)
    left = _open_here(meaning, assignment, expected, answer, outputs)
    if left and allows:
        return Position(unit.operator, Stance.OPEN, left, allows=True)
    result = "; ".join(tensor_words(plain(tensor_json(tensor))) for tensor in expected.outputs.values())
    if expected.members:
        result += "; or another of the set"
    return Position(unit.operator, Stance.RESULT, (), result, allows, tuple(_rules(unit, meaning)))


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """The name of an output, or of a member of a family of outputs, in another text."""
    if name in names:
        return names[name]
    found = re.fullmatch(r"(.*?)(\d+)", name)
    if found and found[1] in names:
        return f"{names[found[1]]}{found[2]}"
    return name


def _clauses(meaning: Meaning, tags: Sequence[str], assignment: Assignment) -> tuple[Sentence, ...]:
    """The sentences of the clauses that reject an input, and of the errors that apply."""
    facts = interpretation(meaning.given, assignment)
    made = [Sentence(one.tag, one.clause.title) for one in meaning.constraints if one.tag in tags]
    for one in meaning.errors:
        if one.tag in tags or (one.term is not None and _holds(one.term, facts)):
            made.append(Sentence(one.tag, one.clause.title))
    return tuple(dict.fromkeys(made))


def _open_here(
    meaning: Meaning, assignment: Assignment, expected: Expected, got: Response, outputs: Sequence[str]
) -> tuple[Sentence, ...]:
    """The items that leave open the elements that differ; the shape, where that differs."""
    if expected.any_shape:
        return _left_open(meaning, assignment, s.Reach.SHAPE, [])
    places: list[tuple[str, tuple[int, ...]]] = []
    for name, array in zip(outputs, got.outputs, strict=False):
        wanted = expected.outputs.get(name)
        if wanted is None or array is None or array.dtype != wanted.sort.name or array.shape != wanted.shape:
            continue
        found = elements_of(array, wanted.sort)
        differ = [n for n, (one, other) in enumerate(zip(wanted.elements, found, strict=True)) if one != other]
        places += [(name, place_in(wanted.shape, n)) for n in differ]
    # A target that refuses gave no element: what matters then is whether any of them is fixed.
    if got.kind is not Ending.RESULT:
        places = [(name, place) for name, every in expected.unspecified.items() for place in sorted(every)]
    return _left_open(meaning, assignment, s.Reach.VALUE, places)


def _left_open(
    meaning: Meaning, assignment: Assignment, reach: s.Reach, places: Sequence[tuple[str, tuple[int, ...]]]
) -> tuple[Sentence, ...]:
    """The sentences of `unspecified` that hold of the input; of elements, at one of the places."""
    facts = interpretation(meaning.given, assignment)
    made = []
    for item in meaning.left_open:
        if item.reach is not reach:
            continue
        if reach is not s.Reach.VALUE:
            holds = _holds(item.when(None), facts)
        else:
            own = [place for name, place in places if _renamed_family(name, item.rule.output)]
            holds = any(_holds_at(meaning, item, facts, place) for place in own)
        if holds:
            made.append(Sentence(gap_tag(meaning.file, item.rule), item.rule.title))
    return tuple(made)


def _renamed_family(name: str, output: str) -> bool:
    """Return whether a name is that of an output, or of one of its members."""
    return name == output or bool(re.fullmatch(rf"{re.escape(output)}\d+", name))


def _holds_at(meaning: Meaning, item: Any, facts: dict[Any, object], place: tuple[int, ...]) -> bool:
    at = Symbol("place", (), INDEX)
    if item.rule.output not in meaning.shapes:
        return False
    return _holds(item.when(at()), {**facts, at: stripped(place[::-1])})


def _holds(term: Any, facts: Mapping[Any, object]) -> bool:
    try:
        return evaluate(term, dict(facts)) is True
    except (Undefined, KeyError):
        return False


def _rules(unit: Unit, meaning: Meaning) -> Iterator[str]:
    """The clauses of shape and value for the types, as they are written."""
    assert unit.file is not None
    context = meaning.context
    lines = lines_named(unit.file)
    for rule in unit.file.rules:
        if rule.what not in (s.RuleKind.SHAPE, s.RuleKind.VALUE):
            continue
        if is_for(lines, rule.family, context.family, [context.element.name]):
            yield _written(rule.span)


def _written(span: Any) -> str:
    """An item of a text: its line, and those below it that go on."""
    lines = span.source.text.splitlines()[span.line - 1 :]
    made = [lines[0]]
    for line in lines[1:]:
        if not line.startswith(" "):
            break
        made.append(line)
    return " ".join(" ".join(made).split())


# -------------------------------------------------------------------------------------------------------- of a page


def _with_page(unit: Unit, meaning: Meaning, texts: Sequence[Position], profile: Position) -> Judged:
    """The positions, with what the page of the profile says of them."""
    standard = next(iter(texts), None)
    further = tuple(one for one in texts[1:] if standard is not None and one.words != standard.words)
    assert unit.file is not None
    if unit.file.page is None:
        return Judged(standard, profile, further)
    path = unit.place.parent / unit.file.page.name
    page = _page(path)
    rationales = []
    for sentence in profile.sentences:
        tag = tag_of(page, meaning.context.family, sentence.tag)
        if tag is not None and "rationale" in tag.details:
            rationales.append((sentence.tag, tag.details["rationale"].text))
    shown = path.resolve().relative_to(ROOT).as_posix()
    open_there = standard.tags if standard is not None and standard.stance is Stance.OPEN else ()
    rows = tuple(_decisions(page, open_there, profile.tags))
    return Judged(standard, profile, further, shown, tuple(rationales), rows)


@cache
def _page(path: Path) -> Page:
    return read_page(path)


def _decisions(page: Page, left_open: Sequence[str], clauses: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The rows of the decisions that name what the standard leaves open, or a clause in their last column."""
    for section in page.sections:
        if section.title.lower() != _DECISIONS:
            continue
        for block in section.blocks:
            if block.kind is not BlockKind.TABLE:
                continue
            heads = [cell.plain.lower() for cell in block.header]
            for row in block.rows[1:]:
                texts = [cell.text for cell in row]
                named = re.findall(r"\w+", " ".join(texts))
                by = ""
                if _BY in heads and heads.index(_BY) < len(texts):
                    by = texts[heads.index(_BY)]
                if {*left_open} & {*named} or {*clauses} & {*re.findall(r"\w+", by)}:
                    # Of a table without that column, or with one more, the topic, the standard and the decision count.
                    here = texts[heads.index("here")] if "here" in heads else texts[-1]
                    yield texts[0], texts[1], here, by
