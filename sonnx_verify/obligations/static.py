"""The obligations about the text itself, which need no solver."""

from __future__ import annotations

from collections.abc import Iterator

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import FAMILIES, Context, Library, family_of
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Domain, Position, SetOf, Shape, Value
from sonnx_verify.language.variables import VariableRole, element_sort, value_of, variable_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INDEX, INT, REAL
from sonnx_verify.logic.terms import TRUE, Symbol, apply, integer, placeholder, scratch
from sonnx_verify.logic.verdict import static
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.obligations.transcription import differences
from sonnx_verify.results.kinds import Kind


def obligations_of(project: Project, unit: Unit, library: Library, sections: list[Section]) -> Iterator[Obligation]:
    """well-formed for the file and for each thing a draft leaves open; transcription for a standard."""
    file = unit.file
    assert file is not None
    assert file.span is not None
    _check_file(unit, file, library)
    for section in sections:
        with scratch():
            _check_definitions(file, library, section)
        for sort in section.types:
            # Every type on its own: an operation may fit one and not another.
            if file.version is not None:
                project.elaborate(unit, section.context(sort))
    yield _static(unit, "spec", Kind.WELL_FORMED, file.span, True, "names, types and arities fit")
    for clause in file.clauses:
        if "..." in clause.tags:
            reason = f"an open-ended family of tags: [{clause.tags}] names no tag for its last members"
            yield _static(unit, clause.tag, Kind.WELL_FORMED, clause.span, False, reason)
    for undefined in file.undefined:
        reason = f"`{undefined.name}` is used and never defined: {undefined.title} ({undefined.origin})"
        yield _static(unit, undefined.name, Kind.WELL_FORMED, undefined.span, False, reason)
    for reading in file.readings:
        reason = f"`{reading.what}` had to be read as {reading.repair}: {reading.title} ({reading.origin})"
        yield _static(unit, reading.what, Kind.WELL_FORMED, reading.span, False, reason)
    if file.kind == "standard":
        yield _transcription(project, unit)


def _static(unit: Unit, tag: str, kind: Kind, span: Span, holds: bool, reason: str) -> Obligation:
    file = unit.file
    assert file is not None
    name = f"{unit.namespace}.{file.name}" if file.version is not None else None
    types = tuple(dict.fromkeys(ELEMENT_TYPES[t] for members in file.types.values() for t in members))
    made = Obligation(name, file.version, "", tag, kind, span, unit.operator, types)
    made.answer = static(holds, reason)
    return made


def _check_file(unit: Unit, file: s.File, library: Library) -> None:
    """What is wrong with the text whatever the element type."""
    seen: dict[str, Span] = {}
    known: set[str] = set()
    _check_families(file)
    _check_generals(file, library)
    tagged: list[s.Clause | s.Rule] = [*file.clauses]
    tagged += [r for r in file.rules if r.tag and r.what.leaves_open]
    for clause in tagged:
        if clause.tag in _RESERVED or clause.tag in {f"{d.name}.{w}" for d in file.outputs for w in ("shape", "value")}:
            raise SpecificationError(f"[{clause.tag}] cannot be a tag", clause.span, "choose another tag")
        key = f"{clause.tag} {clause.family}"
        if key in seen or f"{clause.tag} " in seen or (not clause.family and clause.tag in known):
            raise SpecificationError(
                f"the tag [{clause.tag}] stands twice", clause.span, "give each clause a tag of its own"
            )
        seen[key] = clause.span
        known.add(clause.tag)
        named = isinstance(clause, s.Clause) and clause.kind == "restriction" and clause.origin.isidentifier()
        if named and clause.origin not in library.generals:
            raise SpecificationError(
                f"there is no general restriction {clause.origin}",
                clause.span,
                "known here: " + (", ".join(sorted(library.generals)) or "none; `use general_restrictions`"),
            )
    if file.version is not None and not file.outputs:
        raise SpecificationError("the operator has no output", file.span, "add `output Y : tensor of T`")
    _check_names(file)
    _check_types(file)
    outputs = {d.name for d in file.outputs}
    given: dict[tuple[str, str], set[str]] = {}
    for rule in file.rules:
        if not rule.what.leaves_open:
            families = given.setdefault((rule.what, rule.output), set())
            if rule.family in families or "" in families or (families and not rule.family):
                raise SpecificationError(
                    f"the {rule.what} of `{rule.output}` is given twice", rule.span, "keep one, or mark families"
                )
            families.add(rule.family)
        if rule.output and rule.output not in outputs:
            raise SpecificationError(
                f"there is no output `{rule.output}`", rule.span, "declared are: " + ", ".join(sorted(outputs))
            )
    if file.page is not None:
        name = file.page.name
        if not (unit.path.parent / name).is_file():
            raise SpecificationError(
                f"there is no page {name} beside this file", file.page.span, "write it, or correct the name"
            )


def _check_types(file: s.File) -> None:
    """What speaks of T needs types for it to stand for, and types are of a variable that something speaks of."""
    spoken = {d.type.of.name for d in (*file.inputs, *file.outputs) if d.type.of is not None}
    for key, variable in file.type_variables.items():
        if variable != "T" and variable not in spoken:
            raise SpecificationError(
                f"no input or output has the type variable `{variable}`", file.type_spans[key], "leave the line out"
            )
    if "T" in file.type_variables.values() or file.kind == "library":
        return
    for declaration in (*file.inputs, *file.outputs, *(d for t in file.theorems for d in t.declarations)):
        kind: s.Type | None = declaration.type
        while kind is not None:
            if kind.name == "T":
                raise SpecificationError(
                    "`T` stands for no type here", kind.span, "add a line such as `types int = int8 int16`"
                )
            kind = kind.of


def _check_families(file: s.File) -> None:
    """What is marked for a family is marked for one that there is: else no section would ever see it."""
    marked: list[s.Clause | s.Rule | s.Definition | s.OrderDefinition]
    marked = [*file.clauses, *file.rules, *file.definitions, *file.orders]
    for item in marked:
        if item.family and item.family not in FAMILIES:
            raise SpecificationError(
                f"there is no family `{item.family}`", item.span, "the families are " + ", ".join(FAMILIES)
            )


def _check_generals(file: s.File, library: Library) -> None:
    """A general restriction speaks of facts that there are."""
    for general in file.generals.values():
        known = ["given", *(sorted(library.facts) if general.whom == "input" else ())]
        if general.what and general.what not in known:
            raise SpecificationError(
                f"no {general.whom} `is {general.what}`", general.span, "one of " + ", ".join(known)
            )


_RESERVED = frozenset(("spec", "shape", "value"))
"""What the places of a text are called that have no tag."""


def _check_names(file: s.File) -> None:
    """Inputs, attributes, outputs and `let` have names of their own."""
    seen: dict[str, Span] = {}
    tags = {c.tag for c in file.clauses} | {r.tag for r in file.rules if r.what.leaves_open}
    declared: list[s.Declaration | s.Let] = [*file.inputs, *file.attributes, *file.outputs, *file.lets]
    for named in declared:
        if named.name in seen or named.name in tags:
            raise SpecificationError(f"the name `{named.name}` is taken", named.span, "choose another name")
        seen[named.name] = named.span
        if isinstance(named, s.Declaration) and isinstance(named.high, s.Name):
            seen.setdefault(named.high.name, named.high.span)


def _check_definitions(file: s.File, library: Library, section: Section) -> None:
    """Each definition once on arguments of its declared types, so that one that nothing uses is checked too."""
    for definition in file.definitions:
        if definition.name in FUNCTIONS:
            raise SpecificationError(
                f"`{definition.name}` is a function of the language", definition.span, "choose another name"
            )
        context = Context(definition.family or section.family, ELEMENT, variables=section.variables, universal=True)
        elaborator = Elaborator(library, context)
        values = []
        for parameter in definition.parameters:
            values.append(argument(parameter, context))
        elaborator.calls.definition(definition.name, values, definition.span)
    for order in file.orders:
        context = Context(order.family, next(t for t in ELEMENT_TYPES.values() if family_of(t) == order.family))
        elaborator = Elaborator(library, context)
        x, y = (Symbol(n, (), context.element)() for n in "xy")
        elaborator.calls.order(order, x, y)


def argument(parameter: s.Declaration, context: Context) -> Value:
    kind = parameter.type
    if kind.name == "set":
        variable = placeholder(INT)
        assert kind.of is not None
        if kind.of.name == "index":
            shape = Shape(Symbol("rank", (), INT)(), Symbol("dim", (INT,), INT))
            index = placeholder(INDEX)
            return SetOf(Domain(shape=shape), index, TRUE, Position(index, shape.rank))
        sort = {"int": INT, "real": REAL}.get(kind.of.name) or element_sort(kind.of, context)
        member = apply(Symbol("member", (INT,), sort), variable)
        return SetOf(Domain(integer(0), Symbol("last", (), INT)()), variable, TRUE, member)
    if kind.name == "index":
        return Position(Symbol("index", (), INDEX)(), Symbol("rank", (), INT)())
    if kind.name == "bool":
        return Symbol(parameter.name, (), BOOL)()
    return value_of(variable_of(parameter, context, None, 0, (), VariableRole.PARAMETER))


def _transcription(project: Project, unit: Unit) -> Obligation:
    file = unit.file
    assert file is not None
    assert file.span is not None
    differing = differences(project, file)
    reason = "; ".join(differing) or "types, attributes and arity agree with onnx.defs"
    return _static(unit, "spec", Kind.TRANSCRIPTION, file.span, not differing, reason)
