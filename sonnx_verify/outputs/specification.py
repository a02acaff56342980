"""A formal text as data for other tools: the JSON of `export`, a type for each object, of which the schema is made.

outputs/export.schema.json is `schema()`; tools/answer_schema.py writes it, and a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import example_values, on_one_line
from sonnx_verify.language.families import FAMILY_OF_TYPE
from sonnx_verify.language.files import Unit
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.pages.reading.kinds import BlockKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.latex import latex
from sonnx_verify.results.written import plain, said, schema_of
from sonnx_verify.sources import Span
from sonnx_verify.version import __version__

Name = Annotated[str, said("A name.", min_length=1)]
Line = Annotated[Name | None, said("The line of types that it is for, or the family of several; null for all.")]
Tag = Annotated[str | None, said("The tag in brackets; null without one.")]


class PlaceJson(Struct, frozen=True):
    """A location in a formal text."""

    file: Annotated[str, said("The file, from the folder of the project.", min_length=1)]
    line: Annotated[int, said("Counted from 1.", ge=1)]


class FormulaJson(Struct, frozen=True):
    """An expression, in two notations that mean the same."""

    text: Annotated[str, said("In the language of the text, on one line.", min_length=1)]
    latex: Annotated[str, said("As LaTeX.", min_length=1)]


class TypesJson(Struct, frozen=True):
    """A line of types."""

    name: Name
    variable: Annotated[str, said("The type variable, T or another one.")]
    family: Annotated[str, said("The kind of the types: int, float, minifloat, bool or real.")]
    types: Annotated[list[Name], said("ONNX's names of the element types; real is that of mathematics.")]


class VariadicJson(Struct, frozen=True):
    """The numbers of the first and of the last tensor."""

    first: FormulaJson
    last: FormulaJson


class DeclarationJson(Struct, frozen=True):
    """An input, an attribute or an output."""

    name: Name
    type: Annotated[str, said("The type as the language has it: `tensor of T`, `ints`.")]
    optional: Annotated[bool, said("Whether it may be left out, without a default.")]
    variadic: Annotated[VariadicJson | None, said("The members of a variadic one; null for any other.")]
    default: Annotated[FormulaJson | None, said("The value of an attribute that is left out.")]
    where: Annotated[FormulaJson | None, said("The condition, as a formula.")]


class ClauseJson(Struct, frozen=True):
    """A restriction, a constraint or an error."""

    tag: Annotated[str, said("The tag, without brackets.", min_length=1)]
    types: Line
    sentence: Annotated[str, said("The statement, in words.")]
    origin: Annotated[str | None, said("The general restriction or the source that it is from.")]
    formula: Annotated[
        FormulaJson | None, said("Its condition; of an error, when it applies. Null outside of the model.")
    ]
    fails: Annotated[str | None, said("For an error: the tag of the constraint that fails.")]
    place: PlaceJson


class RuleJson(Struct, frozen=True):
    """The rule for the number, the shape or the elements of an output."""

    output: Name
    tag: Tag
    types: Line
    member: Annotated[str | None, said("The name of the number of a member, of variadic outputs.")]
    index: Annotated[str | None, said("The name of the index, of elements.")]
    formula: FormulaJson
    place: PlaceJson


class OpenJson(Struct, frozen=True):
    """The cases that the text leaves open."""

    what: Annotated[str, said("outcome, shape or value.")]
    output: Annotated[str | None, said("The output; null for the outcome as a whole.")]
    tag: Tag
    types: Line
    sentence: Annotated[str | None, said("The open point, in words.")]
    when: FormulaJson
    place: PlaceJson


class NamedJson(Struct, frozen=True):
    """A `let`, or a definition of the text with its parameters."""

    name: Name
    types: Line
    parameters: Annotated[list[str], said("With their types, such as `x : T`.")]
    sentence: Annotated[str | None, said("The meaning, in words; null for a let.")]
    formula: FormulaJson
    place: PlaceJson


class ExampleJson(Struct, frozen=True):
    """An example that the reference evaluator has confirmed or will refute."""

    name: Name
    types: Line
    sentence: Annotated[str | None, said("The purpose.")]
    values: Annotated[dict[str, str], said("Inputs, attributes and outputs, as the text writes them.")]
    refused: Annotated[str | None, said("The tag of the clause that refuses the input.")]
    conforms: Annotated[bool, said("False if the outputs are ones that do not conform.")]
    openness: Annotated[Literal["open", "pinned"] | None, said("The stated openness, if any.")]
    open_by: Annotated[str | None, said("The tag of the item that leaves it open.")]
    place: PlaceJson


class DecisionJson(Struct, frozen=True):
    """A row of a table of decisions of the page, by the heads of its columns."""

    tags: Annotated[list[str], said("The tags that it names, such as U_NAN.")]
    cells: Annotated[dict[str, str], said("Head of the column to cell.")]


class RefinesJson(Struct, frozen=True):
    """The standard that a profile refines."""

    operator: Annotated[str, said("namespace.Op-version.")]
    names: Annotated[dict[str, str], said("Name here to name in the standard.")]


class OperatorJson(Struct, frozen=True):
    """A version of an operator."""

    operator: Annotated[str, said("namespace.Op-version, with @text for a further text.")]
    name: Name
    version: Annotated[int, Meta(ge=1)]
    status: Annotated[str, said("profile, standard, draft or user.")]
    refines: RefinesJson | None
    page: Annotated[str | None, said("The page next to the text, relative to the project.")]
    signature: Annotated[str, said("As LaTeX.")]
    types: list[TypesJson]
    inputs: list[DeclarationJson]
    attributes: list[DeclarationJson]
    outputs: list[DeclarationJson]
    restrictions: list[ClauseJson]
    constraints: list[ClauseJson]
    errors: list[ClauseJson]
    lets: list[NamedJson]
    definitions: Annotated[list[NamedJson], said("Those of the text itself.")]
    uses: Annotated[list[Name], said("The libraries whose definitions it uses.")]
    counts: list[RuleJson]
    shapes: list[RuleJson]
    values: list[RuleJson]
    left_open: list[OpenJson]
    in_force: Annotated[
        str | None, said("For a version without a text of its own: the text it uses, and the differences.")
    ]
    examples: list[ExampleJson]
    decisions: list[DecisionJson]
    place: PlaceJson


class ExportJson(Struct, frozen=True):
    """The output of `export`."""

    form: Annotated[int, said("Always 1: the number of this form.", extra_json_schema={"const": 1})]
    version: Annotated[str, said("The version of sonnx-verify.")]
    operators: list[OperatorJson]


def schema() -> dict[str, Any]:
    """The JSON Schema of what `export` prints."""
    return schema_of(ExportJson, "export")


def export_json(texts: Iterable[tuple[Unit, Formal, Page | None]]) -> dict[str, Any]:
    """The object of the schema, of operators with their pages."""
    made: dict[str, Any] = plain(
        ExportJson(1, __version__, [_Exported(formal).operator(unit, page) for unit, formal, page in texts])
    )
    return made


class _Exported:
    """The parts of a formal text as objects."""

    def __init__(self, formal: Formal) -> None:
        self._formal = formal
        self._file = formal.file

    def operator(self, unit: Unit, page: Page | None) -> OperatorJson:
        """All of it."""
        file, formal = self._file, self._formal
        assert file.version is not None
        assert file.span is not None
        rules = {kind: [self._rule(r) for r in file.rules if r.what is kind] for kind in s.RuleKind}
        clauses = {kind: [self._clause(c) for c in file.clauses if c.kind is kind] for kind in s.ClauseKind}
        page_name = None if page is None or file.page is None else Path(unit.shown).parent / file.page.name
        return OperatorJson(
            operator=unit.operator,
            name=file.name,
            version=file.version,
            status=file.kind.value,
            refines=_refines(file.refines),
            page=None if page_name is None else page_name.as_posix(),
            signature=formal.signature(),
            types=self._types(),
            inputs=[self._declaration(x) for x in file.inputs],
            attributes=[self._declaration(x) for x in file.attributes],
            outputs=[self._declaration(x) for x in file.outputs],
            restrictions=clauses[s.ClauseKind.RESTRICTION],
            constraints=clauses[s.ClauseKind.CONSTRAINT],
            errors=clauses[s.ClauseKind.ERROR],
            lets=[
                NamedJson(x.name, x.family or None, [], None, self._formula(x.body), _place(x.span)) for x in file.lets
            ],
            definitions=[self._definition(d) for d in file.definitions],
            uses=[use.name for use in file.uses],
            counts=rules[s.RuleKind.COUNT],
            shapes=rules[s.RuleKind.SHAPE],
            values=rules[s.RuleKind.VALUE],
            left_open=[self._open(r) for r in file.rules if r.what.leaves_open],
            in_force=unit.note or None,
            examples=[_example(e) for e in file.examples],
            decisions=[] if page is None else decisions_of(page),
            place=_place(file.span),
        )

    def _formula(self, body: s.Expression) -> FormulaJson:
        return FormulaJson(_text(body), latex(body, self._formal.scope))

    def _types(self) -> list[TypesJson]:
        file = self._file
        return [
            TypesJson(name, file.type_variables.get(name, TypeWord.T), FAMILY_OF_TYPE[types[0]], list(types))
            for name, types in file.types.items()
        ]

    def _declaration(self, one: s.Declaration) -> DeclarationJson:
        variadic = None
        if one.low is not None and one.high is not None:
            variadic = VariadicJson(self._formula(one.low), self._formula(one.high))
        default = None if one.default is None else self._formula(one.default)
        where = None if one.where is None else self._formula(one.where)
        return DeclarationJson(one.name, str(one.type), one.optional, variadic, default, where)

    def _clause(self, clause: s.Clause) -> ClauseJson:
        body = clause.body
        fails = body.tag if isinstance(body, s.Fails) else None
        return ClauseJson(
            clause.tag,
            clause.family or None,
            clause.title,
            clause.origin or None,
            None if body is None else self._formula(body),
            fails,
            _place(clause.span),
        )

    def _rule(self, rule: s.Rule) -> RuleJson:
        # As the page has it: only there is the index known as one.
        formula = FormulaJson(_text(rule.body), self._formal.rule(rule))
        return RuleJson(
            rule.output,
            rule.tag or None,
            rule.family or None,
            rule.number or None,
            rule.index or None,
            formula,
            _place(rule.span),
        )

    def _open(self, rule: s.Rule) -> OpenJson:
        when = FormulaJson(_text(rule.body), self._formal.rule(rule))
        return OpenJson(
            rule.what.reach,
            rule.output or None,
            rule.tag or None,
            rule.family or None,
            rule.title or None,
            when,
            _place(rule.span),
        )

    def _definition(self, one: s.Definition) -> NamedJson:
        formula = FormulaJson(_text(one.body), self._formal.definition(one))
        parameters = [f"{p.name} : {p.type}" for p in one.parameters]
        return NamedJson(one.name, one.family or None, parameters, one.title, formula, _place(one.span))


def _refines(refines: s.Refines | None) -> RefinesJson | None:
    if refines is None:
        return None
    return RefinesJson(f"{refines.namespace}.{refines.operator}-{refines.version}", dict(refines.renaming))


def _example(one: s.Example) -> ExampleJson:
    values = example_values(one)
    openness: Literal["open", "pinned"] | None = None
    if one.openness:
        openness = "open" if one.openness is s.Openness.OPEN else "pinned"
    return ExampleJson(
        one.name,
        one.family or None,
        one.title or None,
        values,
        one.refused or None,
        not one.excluded,
        openness,
        one.open_by or None,
        _place(one.span),
    )


def decisions_of(page: Page) -> list[DecisionJson]:
    """The rows of the tables below the heading Decisions."""
    made = []
    for section in page.sections:
        if section.title.lower() != "decisions":
            continue
        for block in section.blocks:
            if block.kind is not BlockKind.TABLE:
                continue
            heads = [cell.plain for cell in block.header]
            for row in block.rows[1:]:
                cells = dict(zip(heads, (cell.text for cell in row), strict=False))
                made.append(DecisionJson(_TAG.findall(" ".join(cells.values())), cells))
    return made


_TAG = re.compile(r"\b(?:U_[A-Z0-9_]+|[RCE]\d+)\b")


def _text(body: s.Expression) -> str:
    """An expression as the text has it, on one line and without comments."""
    span = body.span
    return on_one_line(span.source.text[span.start : span.start + span.length])


def _place(span: Span) -> PlaceJson:
    return PlaceJson(span.source.name, span.line)
