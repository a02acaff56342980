"""The obligations about the text itself, which need no solver. Trusted.

A text with a mistake of names, types or arities raises SpecificationError and has no obligations at all. The mistakes
looked for here would leave something unsaid, as a clause does that is marked for a family which no section has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.core import FAMILIES, family_of
from sonnx_verify.kernel.values import Domain, Items, Position, SetOf, Shape, Value, abstraction, of_axes, single
from sonnx_verify.kernel.variables import VariableRole, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import meaning_of, sees_items
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import clash, families, lines_named
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.project import Project
from sonnx_verify.language.subexpressions import Scope
from sonnx_verify.language.variables import element_sort, variable_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INDEX, INT, REAL, Sort
from sonnx_verify.logic.terms import TRUE, Symbol, apply, integer, placeholder, scratch
from sonnx_verify.logic.verdict import static
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.obligations.transcription import departures, differences
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


def obligations_of(project: Project, unit: Unit, library: Library, sections: list[Section]) -> Iterator[Obligation]:
    """well-formed for the file and for each thing a draft leaves open; transcription for a standard and for
    a profile of one."""
    file = unit.file
    assert file is not None
    assert file.span is not None
    operator = file.version is not None
    _check_file(unit, file, library)
    for section in sections:
        # Nothing keeps the terms that are made only to see whether they can be made.
        with scratch():
            _check_definitions(file, library, section)
        for sort in section.types:
            # Every type on its own: an operation may fit one and not another. What is decided on a type takes it from
            # there.
            if operator:
                project.meaning(unit, section.context(sort))
    yield _static(unit, "spec", Kind.WELL_FORMED, file.span, "names, types and arities fit")
    for clause in file.clauses:
        # Pages number clauses as [C1] to [Cn], which is a finding of a draft and not a mistake of its text.
        if "..." in clause.tags:
            reason = f"an open-ended family of tags: [{clause.tags}] names no tag for its last members"
            yield _static(unit, clause.tag, Kind.WELL_FORMED, clause.span, reason, holds=False)
    for undefined in file.undefined:
        reason = f"`{undefined.name}` is used but never defined: {undefined.title} ({undefined.origin})"
        yield _static(unit, undefined.name, Kind.WELL_FORMED, undefined.span, reason, holds=False)
    for reading in file.readings:
        reason = f"`{reading.what}` had to be read as {reading.repair}: {reading.title} ({reading.origin})"
        yield _static(unit, reading.what, Kind.WELL_FORMED, reading.span, reason, holds=False)
    if file.kind is s.FileKind.STANDARD or (file.kind is s.FileKind.PROFILE and file.refines is not None):
        yield _transcription(project, unit)


def _static(unit: Unit, tag: str, kind: Kind, span: Span, reason: str, *, holds: bool = True) -> Obligation:
    """An obligation of the whole file that has its answer."""
    file = unit.file
    assert file is not None
    name = None if file.version is None else f"{unit.namespace}.{file.name}"
    types: dict[Sort, None] = {}
    for listed in file.types.values():
        types |= {ELEMENT_TYPES[name_of_type]: None for name_of_type in listed}
    made = Obligation(name, file.version, "", tag, kind, span, unit.operator, tuple(types))
    made.answer = static(holds=holds, reason=reason)
    return made


def _check_file(unit: Unit, file: s.File, library: Library) -> None:
    """Find the mistakes that a text has whatever the element type."""
    _check_families(file)
    _check_generals(file, library)
    _check_tags(file, library)
    if file.version is not None and not file.outputs:
        raise SpecificationError("the operator has no output", file.span, "add `output Y : tensor of T`")
    _check_names(file)
    _check_types(file)
    _check_rules(file)
    # The page is what people read: with a wrong name, nothing would hold the two against each other.
    if file.page is not None:
        name = file.page.name
        if not (unit.path.parent / name).is_file():
            raise SpecificationError(
                f"page {name} does not exist next to this file", file.page.span, "write it, or correct the name"
            )


def _check_tags(file: s.File, library: Library) -> None:
    """Each tag is that of one clause in a section: obligations are told apart by it."""
    places = {f"{d.name}.{reach}" for d in file.outputs for reach in (s.Reach.COUNT, s.Reach.SHAPE, s.Reach.VALUE)}
    lines = lines_named(file)
    marked: dict[str, set[str]] = {}
    tagged: list[s.Clause | s.Rule] = [*file.clauses, *(r for r in file.rules if r.tag and r.what.leaves_open)]
    for clause in tagged:
        if clause.tag in _RESERVED or clause.tag in places:
            raise SpecificationError(f"[{clause.tag}] cannot be a tag", clause.span, "choose another tag")
        # [C1] for int and [C1] for float are in different sections; [C1] for all families is in each.
        if _clash(lines, clause.family, marked.setdefault(clause.tag, set())) is not None:
            raise SpecificationError(
                f"the tag [{clause.tag}] is used twice", clause.span, "give each clause its own tag"
            )
        if isinstance(clause, s.Clause) and clause.kind is s.ClauseKind.RESTRICTION:
            _check_origin(clause, library)


def _clash(lines: Mapping[str, tuple[str, ...]], family: str, given: set[str]) -> str | None:
    """Note that something is given for a family, or for all where that is empty. None if it is new there; otherwise the
    families for which it is given twice, in words."""
    before = set(given)
    given.add(family)
    if family in before:
        return f" for {family}" if family else ""
    if family and "" in before:
        return f", for all families and for {family}"
    if not family and before:
        return f", for {' and '.join(sorted(before))} and for all families"
    other = clash(lines, family, sorted(before))
    if other is not None:
        return f", for {other} and for {family}"
    return None


def _check_origin(clause: s.Clause, library: Library) -> None:
    """Check that a restriction which comes from a general one by name comes from one that there is."""
    if clause.origin.isidentifier() and clause.origin not in library.generals:
        known = ", ".join(sorted(library.generals)) or "none; write `use general_restrictions`"
        raise SpecificationError(f"unknown general restriction {clause.origin}", clause.span, f"in scope: {known}")


def _check_rules(file: s.File) -> None:
    """Each output has one shape and one value in a section, and each of these is of an output that there is."""
    outputs = {d.name for d in file.outputs}
    lines = lines_named(file)
    given: dict[tuple[s.RuleKind, str], set[str]] = {}
    for rule in file.rules:
        if not rule.what.leaves_open:
            clash = _clash(lines, rule.family, given.setdefault((rule.what, rule.output), set()))
            if clash is not None:
                raise SpecificationError(
                    f"the {rule.what} of `{rule.output}` is defined twice{clash}",
                    rule.span,
                    "keep one, or restrict each to a family",
                )
        if rule.output and rule.output not in outputs:
            raise SpecificationError(
                f"unknown output `{rule.output}`", rule.span, "declared: " + ", ".join(sorted(outputs))
            )


def _check_types(file: s.File) -> None:
    """Check that T has types to stand for where something speaks of it, and that types are of a variable that something
    speaks of."""
    declarations = (*file.inputs, *file.outputs, *file.attributes)
    spoken = {d.type.of.name for d in declarations if d.type.of is not None and not d.type.is_code}
    for key, variable in file.type_variables.items():
        if variable != "T" and variable not in spoken:
            raise SpecificationError(
                f"no input, output or attribute has the type variable `{variable}`",
                file.type_spans[key],
                "remove the line",
            )
    # A library has definitions only: they are for whatever types its users list.
    if "T" in file.type_variables.values() or file.kind is s.FileKind.LIBRARY:
        return
    declared = [*file.inputs, *file.outputs, *file.attributes]
    for theorem in file.theorems:
        declared += theorem.declarations
    for declaration in declared:
        kind: s.Type | None = declaration.type
        while kind is not None:
            if kind.name == "T":
                raise _without_types(kind.span)
            kind = kind.of
    named = {d.name for d in declared} | {let.name for let in file.lets}
    if "T" in named:
        return
    for expression in _expressions(file):
        for node in s.every(expression):
            if isinstance(node, s.Is) and isinstance(node.owner, s.Name) and node.owner.name == "T":
                raise _without_types(node.span)


def _expressions(file: s.File) -> Iterator[s.Expression]:
    """The expressions of clauses, rules, lets and theorems."""
    yield from (clause.body for clause in file.clauses if clause.body is not None)
    yield from (rule.body for rule in file.rules)
    yield from (let.body for let in file.lets)
    yield from (theorem.body for theorem in file.theorems)
    yield from (theorem.assuming for theorem in file.theorems if theorem.assuming is not None)


def _without_types(span: Span) -> SpecificationError:
    return SpecificationError("`T` has no types here", span, "add a line such as `types int = int8 int16`")


def _check_families(file: s.File) -> None:
    """Check that items are marked for families, or lines of T, that there are: no section would see any other."""
    # A library or a theory is read by texts that have lines of their own: a name of a line means nothing there.
    lines: tuple[str, ...] = ()
    if file.version is not None:
        lines = tuple(lines_named(file))
    marked: list[s.Clause | s.Rule | s.Let | s.Definition | s.Used]
    marked = [*file.clauses, *file.rules, *file.lets, *file.definitions, *file.using]
    for item in marked:
        if item.family and item.family not in (*FAMILIES, *lines):
            known = ", ".join(FAMILIES)
            if lines:
                known += f", and the lines of T {', '.join(lines)}"
            raise SpecificationError(f"unknown family `{item.family}`", item.span, f"the families are {known}")
    # An order is total on all types of a family, which is asked of each of them.
    for order in file.orders:
        if order.family not in FAMILIES:
            raise SpecificationError(
                f"unknown family `{order.family}`", order.span, "the families are " + ", ".join(FAMILIES)
            )
    _check_listed_once(file)


def _check_listed_once(file: s.File) -> None:
    """Check that no type is in two lines of T, where items are marked for lines: it would have two meanings."""
    marked: list[s.Clause | s.Rule | s.Let | s.Definition | s.Used]
    marked = [*file.clauses, *file.rules, *file.lets, *file.definitions, *file.using]
    if lines_named(file).keys().isdisjoint(item.family for item in marked):
        return
    seen: dict[str, str] = {}
    for name, _, types in families(file):
        for one in types:
            if one in seen:
                raise SpecificationError(
                    f"{one} is in `types {seen[one]}` and in `types {name}`",
                    file.type_spans.get(name),
                    "list each type in one line: items are marked for lines here",
                )
            seen[one] = name


def _check_generals(file: s.File, library: Library) -> None:
    """Check that a general restriction speaks of facts that there are; attributes have none."""
    for general in file.generals.values():
        known = ["given"]
        if general.whom == "input":
            known += sorted(library.facts)
        if general.what and general.what not in known:
            raise SpecificationError(
                f"unknown fact of an {general.whom}: `{general.what}`", general.span, "one of " + ", ".join(known)
            )


_RESERVED = frozenset(("spec", "shape", "value"))
"""The names of the places of a text that have no tag."""


def _check_names(file: s.File) -> None:
    """Check that inputs, attributes and outputs have names of their own, and that each `let` has one in its family."""
    seen: set[str] = set()
    tags = {c.tag for c in file.clauses} | {r.tag for r in file.rules if r.what.leaves_open}
    for declaration in (*file.inputs, *file.attributes, *file.outputs):
        if declaration.name in seen or declaration.name in tags:
            raise _taken(declaration)
        seen.add(declaration.name)
        # `X[0 .. L]` declares L too. Several families may have one last number.
        if isinstance(declaration.high, s.Name):
            seen.add(declaration.high.name)
    lines = lines_named(file)
    lets: dict[str, set[str]] = {}
    for let in file.lets:
        if let.name in seen or let.name in tags:
            raise _taken(let)
        clash = _clash(lines, let.family, lets.setdefault(let.name, set()))
        if clash is not None:
            raise SpecificationError(
                f"`{let.name}` is given twice{clash}", let.span, "choose another name, or restrict each to a family"
            )


def _taken(named: s.Declaration | s.Let) -> SpecificationError:
    return SpecificationError(f"the name `{named.name}` is taken", named.span, "choose another name")


def _check_definitions(file: s.File, library: Library, section: Section) -> None:
    """Elaborate each definition once on arguments of its declared types, so that one that nothing uses is checked
    too."""
    items: Scope | None = None
    for definition in file.definitions:
        if definition.name in FUNCTIONS:
            raise SpecificationError(
                f"`{definition.name}` is a function of the language", definition.span, "choose another name"
            )
        family, types = section.family, section.types
        if not section.sees(definition):
            # One for another line is elaborated with that line's section.
            if definition.family not in FAMILIES:
                continue
            family, types = definition.family, ()
        context = Context(family, ELEMENT, variables=section.variables, types=types, universal=True)
        elaborator = Elaborator(library, context, file.index_base)
        if file.version is not None and sees_items(file, definition):
            if family != section.family:
                # The inputs of a section are of its family.
                continue
            if items is None:
                items = meaning_of(file, library, section.context(ELEMENT)).inputs
            elaborator.calls.within(file, items)
        values = [argument(parameter, context) for parameter in definition.parameters]
        elaborator.calls.definition(definition.name, values, definition.span)
    # An order is a relation of elements, so that any type of its family shows whether it can be read.
    for order in file.orders:
        context = Context(order.family, next(t for t in ELEMENT_TYPES.values() if family_of(t) == order.family))
        elaborator = Elaborator(library, context)
        x, y = (Symbol(n, (), context.element)() for n in "xy")
        elaborator.calls.order(order, x, y)


def argument(parameter: s.Declaration, context: Context) -> Value:
    """A value of the declared type about which nothing else is known."""
    kind = parameter.type
    # A set, an index and a truth value are no variables of a statement: they are made of free symbols here.
    if kind.name == "set":
        variable = placeholder(INT)
        assert kind.of is not None
        if kind.of.name == "index":
            shape = Shape(Symbol("rank", (), INT)(), of_axes(Symbol("dim", (INT,), INT)))
            index = placeholder(INDEX)
            return SetOf(Domain(shape=shape), index, TRUE, Position(index, shape.rank))
        domain = Domain(integer(0), Symbol("last", (), INT)())
        if kind.of.name == "list" and kind.of.of is not None:
            item = Symbol("item", (INT, INT), _sort_of(kind.of.of, context))
            length = Symbol("length", (INT,), INT)(variable)
            items = Items(length, abstraction(lambda m: apply(item, variable, m), INT), single(item.result))
            return SetOf(domain, variable, TRUE, items)
        member = apply(Symbol("member", (INT,), _sort_of(kind.of, context)), variable)
        return SetOf(domain, variable, TRUE, member)
    if kind.name == "index":
        return Position(Symbol("index", (), INDEX)(), Symbol("rank", (), INT)())
    if kind.name == "bool":
        return Symbol(parameter.name, (), BOOL)()
    return value_of(variable_of(parameter, context, None, 0, (), VariableRole.PARAMETER))


def _sort_of(kind: s.Type, context: Context) -> Sort:
    return {"int": INT, "real": REAL}.get(kind.name) or element_sort(kind, context)


def _transcription(project: Project, unit: Unit) -> Obligation:
    file = unit.file
    assert file is not None
    assert file.span is not None
    if file.kind is s.FileKind.STANDARD:
        differing, agreeing = differences(project, file), "types, attributes and arity agree with onnx.defs"
    else:
        differing, agreeing = departures(project, file), "types and defaults are those of the standard"
    reason = "; ".join(differing) or agreeing
    return _static(unit, "spec", Kind.TRANSCRIPTION, file.span, reason, holds=not differing)
