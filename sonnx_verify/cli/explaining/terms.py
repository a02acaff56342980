"""`explain --terms`: clauses and claims as the terms they became."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click
from msgspec import Struct

from sonnx_verify.api.select import one
from sonnx_verify.cli.options import named, print_json
from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.extents import on_one_line
from sonnx_verify.language.families import instances, is_for, lines_named
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.named import here
from sonnx_verify.language.project import Project
from sonnx_verify.logic.shown import show as show_term
from sonnx_verify.logic.sorts import ELEMENT, INDEX, INT
from sonnx_verify.logic.terms import Symbol, Term
from sonnx_verify.obligations.obligation import Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.obligations.section import sorts
from sonnx_verify.outputs.notation import CUT, Notation
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.written import OfVersions


class TermJson(Struct, frozen=True):
    """A clause or claim in words, and as a term; where it is one, also as the text has it, and in the notation of the
    language."""

    what: str
    term: str | None
    text: str | None = None
    notation: str | None = None


class TermsJson(OfVersions, frozen=True):
    """The whole answer."""

    terms: list[TermJson]


@dataclass(frozen=True, slots=True)
class _Row:
    what: str
    term: str = ""
    text: str = ""
    notation: str = ""

    def lines(self) -> Iterator[str]:
        """The row as it is printed: what the text says above what the solvers get."""
        yield self.what
        if not self.text:
            yield from (f"    {words}" for words in (self.term,) if words)
            return
        for label, words in (("text", self.text), ("means", self.notation), ("term", self.term)):
            if words:
                yield f"    {label + ':':<7}{words}"


def terms(identity: str, form: Form) -> int:
    """Print the clauses of an operator, or the claims of an obligation."""
    rows = _obligation(identity) if "/" in identity else _operator(identity)
    if form is Form.JSON:
        made = [TermJson(r.what, r.term or None, r.text or None, r.notation or None) for r in rows]
        print_json(TermsJson(made))
    else:
        for row in rows:
            for line in row.lines():
                click.echo(line)
    return 0


def _operator(identity: str) -> list[_Row]:
    project = here()
    unit = named(project, identity)
    file = unit.file
    assert file is not None
    rows = [_Row(f"{unit.operator} ({file.kind}), {unit.shown}")]
    declared = (*file.inputs, *file.attributes, *file.outputs)
    rows += [_Row(d.span.source.line(d.span.line).strip()) for d in declared]
    # Of the symbol T for each family: the terms are the same for all its types.
    for instance in instances(file):
        variables = [f"{variable} = {sort.name}" for variable, sort in instance.variables.items()]
        rows.append(_Row(f"section {instance.name}: {' '.join([*instance.types, *variables])}"))
        types = sorts(instance.types)
        rows += _section(project, unit, Context(instance.family, ELEMENT, variables=instance.variables, types=types))
    return rows


def _section(project: Project, unit: Unit, context: Context) -> list[_Row]:
    meaning = project.meaning(unit, context)
    rows: list[_Row] = []

    def beside(what: str, term: Term, node: s.Expression | None) -> None:
        rows.append(_beside(meaning, what, term, "" if node is None else node.span.text))

    assert unit.file is not None
    # One condition for each `where`, in the order of the text.
    declared = [d for d in (*unit.file.inputs, *unit.file.attributes) if d.where is not None]
    for declaration, condition in zip(declared, meaning.arity, strict=True):
        beside(f"where of {declaration.name}", condition, declaration.where)
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        clause = statement.clause
        what = f"[{clause.tag}] {clause.kind}: {clause.title}"
        if statement.term is None:
            rows.append(_Row(what, "outside the model"))  # a clause in words alone, which no obligation is about
        else:
            beside(what, statement.term, clause.body)
    for clause in meaning.output_clauses:
        what = f"[{clause.tag}] {clause.kind} about outputs: {clause.title}"
        if clause.tag in meaning.about_outputs:
            beside(what, meaning.about_outputs[clause.tag], clause.body)
        else:
            rows.append(_Row(what))
    bodies = _bodies(unit, context)
    for name, family in meaning.families.items():
        if family.count is not None:
            beside(f"number of outputs {name}", family.count, bodies.get((name, s.RuleKind.COUNT)))
        # At a symbol k that stands for any number of a member, from 0 on.
        member = f"{name}[k]"
        bodies |= {(member, kind): bodies[name, kind] for kind in s.RuleKind if (name, kind) in bodies}
        meaning = meaning.with_members(name, {member: Symbol("k", (), INT)()})
    for name, shape in meaning.shapes.items():
        beside(f"rank of {name}", shape.rank, bodies.get((name, s.RuleKind.SHAPE)))
        beside(f"size of {name} on axis q from the right", shape.dim(Symbol("q", (), INT)()), None)
    # At symbols q and i that stand for any axis and any index: the terms are those of the obligations.
    place = Symbol("i", (), INDEX)()
    for name in meaning.values:
        body = bodies.get((name, s.RuleKind.VALUE))
        result = meaning.result(name)
        if result is not None:
            beside(f"{name} at index i", result.read(place), body)
        if name in meaning.members:
            # The term above is one member of the set: this says which y are.
            sort = next(v.sort for v in meaning.outputs if v.name == name)
            beside(f"{name} at index i may be y if", meaning.members[name](place, Symbol("y", (), sort)()), body)
    for item in meaning.left_open:
        what = f"{item.rule.output or 'the outcome'} is left open ({item.reach})"
        beside(what, item.condition(place), item.rule.body)
    sides = context.sides
    rows += [_beside(meaning, f"[{x.place.tag}] asks that {x.reason}", x.formula, x.span.text) for x in sides]
    return rows + list(_orders(meaning))


def _orders(meaning: Meaning) -> Iterator[_Row]:
    """The orders of texts that a section uses, of two elements x and y of one of its types."""
    # On abstract elements an order is a free relation, whatever its text says.
    for order, library in meaning.context.known_orders.values():
        of_family = meaning.context.types if order.family == meaning.context.family else FAMILIES[order.family]
        sort = of_family[0]
        x, y = (Symbol(name, (), sort)() for name in "xy")
        made = Elaborator(library, Context(order.family, sort)).calls.order(order, x, y)
        yield _beside(meaning, f"order {order.name}: x before y, on {sort.name}", made, order.body.span.text)


def _beside(meaning: Meaning, what: str, term: Term, said: str) -> _Row:
    text = on_one_line(said)
    # A long term has no notation: who reads it as the solvers get it reads all of it.
    notation = Notation(meaning.variables).text(term) if text else ""
    return _Row(what, show_term(term), text, "" if CUT in notation else notation)


def _bodies(unit: Unit, context: Context) -> dict[tuple[str, s.RuleKind], s.Expression]:
    """The expressions of the rules of a section, by their outputs."""
    file = unit.file
    assert file is not None
    lines = lines_named(file)
    rules = (r for r in file.rules if is_for(lines, r.family, context.family, context.standing_for, r.span))
    return {(rule.output, rule.what): rule.body for rule in rules}


def _obligation(identity: str) -> list[_Row]:
    _, obligation = one(identity)
    # A static check, such as that a text is well formed, has no terms: its answer is all there is.
    rows = [_Row(f"{obligation.id}, {obligation.span}")]
    if obligation.build is None:
        assert obligation.answer is not None
        return [*rows, _Row(obligation.answer.reason)]
    # One that holds for each type alike is built of a type without arithmetic; one that adds needs a type of its own.
    try:
        statement: Statement = obligation.build(Context(obligation.family, ELEMENT, types=obligation.types))
    except NotAbstract:
        statement = obligation.build(Context(obligation.family, obligation.types[0]))
        rows.append(_Row(f"for {obligation.types[0].name}, and each other type alike"))
    rows += [_Row("given", show_term(h)) for h in statement.hypotheses]
    for claim in statement.claims:
        rows += [_Row("given, for the next claim", show_term(h)) for h in claim.hypotheses]
        rows += [_Row("theorem, for the next claim", show_term(lemma)) for lemma in claim.lemmas]
        rows.append(_Row(f"claim: {claim.what}", show_term(claim.goal)))
    for wanted in statement.wanted:
        rows.append(_Row(f"wanted: {wanted.what}", " and ".join(show_term(c) for c in wanted.conditions)))
    return rows
