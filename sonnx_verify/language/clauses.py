"""The making of a meaning: declarations, clauses and rules of a text become terms, each in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, bind
from sonnx_verify.language.context import Context
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.declare import check_output, declare
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.library import Library, a_kind
from sonnx_verify.language.meaning import LeftOpen, Meaning, Statement, place_of
from sonnx_verify.language.proof_scripts import lemmas_of
from sonnx_verify.language.values import Declared, Position, Results, Shape, Tensor, Value, kind_of
from sonnx_verify.language.variables import asked_for, value_of, variable_of
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import TRUE, ZERO, Term, or_, placeholder, substitute


def meaning_of(
    file: s.File, library: Library, context: Context, given: Supplied | None = None, span: Span | None = None
) -> Meaning:
    """The specification on free inputs, or on the given ones."""
    with told_of(file):
        return _meaning_of(file, library, context, given, span)


def _meaning_of(file: s.File, library: Library, context: Context, given: Supplied | None, span: Span | None) -> Meaning:
    if given is not None:
        assert span is not None
        with context.of_operator(given.variables), context.applying():
            elaborator = Elaborator(library, context, file.index_base)
            bound: dict[str, Value] = {}
            arity = bind(file, given, elaborator, bound, span)
            asked = {d.name: given.asked[d.name] for d in file.outputs if d.optional}
            meaning = Meaning(file, context, [], bound, [], arity, asked=asked)
            return _with_clauses(file, elaborator, bound, meaning)
    elaborator = Elaborator(library, context, file.index_base)
    scope: dict[str, Value] = {}
    inputs, hypotheses, arity = declare(file.inputs, elaborator, scope, sorted(library.facts), "input")
    attributes, more, extra = declare(file.attributes, elaborator, scope, [], "attribute")
    facts = [fact for d in file.outputs if (fact := asked_for(d)) is not None]
    meaning = Meaning(file, context, [*inputs, *attributes, *facts], scope, hypotheses + more, arity + extra)
    meaning.asked = {d.name: f.symbol("")() for d in file.outputs if (f := asked_for(d)) is not None}
    meaning = _with_clauses(file, elaborator, scope, meaning)
    if file.using:
        # Its own obligations use them. Where it is applied they are not needed, and may speak of it.
        shapes = {name: Tensor(shape, lambda i: i, INDEX) for name, shape in meaning.shapes.items()}
        meaning.lemmas = lemmas_of(file.using, elaborator, {**scope, **shapes})
    return meaning


def _with_clauses(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> Meaning:
    context = meaning.context
    for declaration in file.outputs:
        check_output(declaration)
    outputs = [variable_of(declaration, context, None, 0, (), "output") for declaration in file.outputs]
    meaning.variables = [*meaning.variables, *outputs]
    for output in outputs:
        scope[f"[given {output.name}]"] = meaning.asked.get(output.name, TRUE)
    for reading in file.readings:
        if reading.what != "indices":
            if reading.repair not in scope:
                raise SpecificationError(
                    f"there is no `{reading.repair}` to read `{reading.what}` as", reading.span, "name an input"
                )
            scope[reading.what] = scope[reading.repair]
    _clauses(file, elaborator, scope, meaning)
    return meaning


def _applies(family: str, context: Context) -> bool:
    return family in ("", context.family)


def _clauses(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    context = meaning.context
    outputs = {d.name for d in file.outputs}
    lets = list(file.lets)
    for kind, into in (("restriction", meaning.restrictions), ("constraint", meaning.constraints)):
        for clause in file.clauses:
            if clause.kind == kind and _applies(clause.family, context):
                lets = _lets_before(clause.place, lets, elaborator, scope)
                if clause.body is not None and mentions(clause.body, outputs):
                    meaning.output_clauses.append(clause)
                    continue
                with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                    # Restrictions come first and constraints next: each may rely on those before it.
                    term = None if clause.body is None else elaborator.condition(clause.body, scope)
                into.append(Statement(clause, term))
                if term is not None and kind == "constraint":
                    scope[f"[{clause.tag}]"] = meaning.first_to_fail(clause.tag)
    for clause in file.clauses:
        if clause.kind == "error" and _applies(clause.family, context):
            with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                term = None if clause.body is None else elaborator.condition(clause.body, scope)
            meaning.errors.append(Statement(clause, term))
    for let in lets:
        with context.at(let.name):
            scope[let.name] = elaborator.value(let.body, scope)
    _rules(file, elaborator, scope, meaning)
    meaning.about_outputs = _about_outputs(elaborator, scope, meaning)
    free = _readable(meaning, {v.name: value_of(v) for v in meaning.outputs})
    for clause in meaning.output_clauses:
        if clause.body is not None:
            with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                elaborator.condition(clause.body, {**scope, **free})


def _about_outputs(
    elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning
) -> Callable[[s.Clause, Mapping[str, Tensor]], Term]:
    variables = elaborator.context.variables

    def condition(clause: s.Clause, given: Mapping[str, Tensor]) -> Term:
        assert clause.body is not None
        # It is asked for later, when the context may stand in another text.
        context = elaborator.context
        with context.silent(), context.of_operator(variables), context.arithmetic(clause.arithmetic, clause.span):
            return elaborator.condition(clause.body, {**scope, **_readable(meaning, given)})

    return condition


def _readable(meaning: Meaning, outputs: Mapping[str, Value]) -> dict[str, Value]:
    """Outputs as their names mean them: an optional one may be read where it is asked for."""
    return {n: Declared(v, meaning.asked.get(n, TRUE), n in meaning.asked) for n, v in outputs.items()}


def _lets_before(place: int, lets: list[s.Let], elaborator: Elaborator, scope: dict[str, Value]) -> list[s.Let]:
    """A clause sees the names that `let` gives above it."""
    rest = []
    for let in lets:
        if let.place < place:
            with elaborator.context.at(let.name):
                scope[let.name] = elaborator.value(let.body, scope)
        else:
            rest.append(let)
    return rest


def mentions(node: s.Node, names: set[str]) -> bool:
    """Whether an expression names one of these, other than to ask whether it is given."""
    stack = [node]
    while stack:
        part = stack.pop()
        if part.kind == "name" and part.text[0] in names:
            return True
        if part.kind == "call" and part.parts[0].text == ("given",):
            continue  # whether an output is asked for is part of the input
        stack.extend(part.parts)
    return False


def _rules(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    context = meaning.context
    for rule in file.rules:
        if not _applies(rule.family, context):
            continue
        asked = meaning.asked.get(rule.output, TRUE)
        with context.at(place_of(file, rule)), context.assuming(asked):
            if rule.what == "shape":
                value = elaborator.value(rule.body, scope)
                if not isinstance(value, Shape):
                    raise SpecificationError(
                        f"the shape of `{rule.output}` is {a_kind(kind_of(value))}",
                        rule.body.span,
                        of_two(value, Shape(ZERO, lambda q: q), context),
                    )
                meaning.shapes[rule.output] = value
            elif rule.what in ("unspecified outcome", "unspecified shape"):
                _unspecified(rule, elaborator, scope, meaning)
    for rule in file.rules:
        if _applies(rule.family, context) and rule.what in ("value", "unspecified value"):
            asked = meaning.asked.get(rule.output, TRUE)
            with context.at(place_of(file, rule)), context.assuming(asked):
                _element_rule(rule, elaborator, scope, meaning)


def _unspecified(rule: s.Rule, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    condition = elaborator.condition(rule.body, scope)
    meaning.left_open.append(LeftOpen(rule, lambda _: condition))
    if rule.what.endswith("outcome"):
        meaning.unspecified_outcome = or_(meaning.unspecified_outcome, condition)
    else:
        meaning.unspecified_shape = or_(meaning.unspecified_shape, condition)


def _element_rule(rule: s.Rule, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    """A rule for one element: elaborated once on a variable index, to check it and note its side conditions."""
    variable = next((v for v in meaning.outputs if v.name == rule.output), None)
    if variable is None:
        raise SpecificationError(f"there is no output `{rule.output}`", rule.span, "name one of the declared outputs")
    shape = meaning.shapes.get(rule.output)
    if shape is None:
        free = value_of(variable)
        assert isinstance(free, Tensor)
        shape = free.shape

    index = placeholder(INDEX)
    context = meaning.context
    with context.indexing(shape.rank, shape.dim, index), context.arithmetic(rule.arithmetic, rule.span):
        element = elaborator.value(rule.body, {**scope, rule.index: Position(index, shape.rank)})
        if context.exact and isinstance(element, Term) and element.sort == INT:
            element = elaborator.held(element, variable.sort, rule.body.span)
    if isinstance(element, Results) and rule.what == "value" and element.sort == variable.sort:
        given = element
        candidate = placeholder(variable.sort)
        member = given.conforms(candidate)
        meaning.members[rule.output] = lambda position, y: substitute(member, {index: position.term, candidate: y})
        element = given.representative
    wanted = "bool" if rule.what != "value" else variable.sort.name
    if not isinstance(element, Term) or element.sort.name != wanted:
        name = "T" if variable.sort == context.element else wanted
        cure = f"write an element, as in `{name}(0)`" if rule.what == "value" else "write a condition"
        if isinstance(element, Tensor):
            cure = f"read an element of it, as in `X[{rule.index}]`"
        raise SpecificationError(
            f"an element of `{rule.output}` is {wanted}, and this is {kind_of(element)}", rule.body.span, cure
        )
    made = element

    def at_index(position: Position | None) -> Term:
        # The rank of the position is that of the output; only where no clause gives the shape is it free.
        assert position is not None
        return substitute(made, {index: position.term})

    if rule.what == "value":
        meaning.values[rule.output] = at_index
    else:
        meaning.left_open.append(LeftOpen(rule, at_index))
        meaning.unspecified_values.setdefault(rule.output, []).append(at_index)
