"""Whether a text with a slip means what it meant: proved by both solvers, of all arguments, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sonnx_verify.authoring.mutation.baseline import Baseline, counterpart
from sonnx_verify.equivalence.clauses import claims_of_operator
from sonnx_verify.equivalence.sameness import same
from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import FAMILIES, Context, Side
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Value
from sonnx_verify.language.variables import Variable, VariableRole, typed, value_of, variable_of
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.obligations.static import argument
from sonnx_verify.solving.check.proof import Prover
from sonnx_verify.solving.check.work import orders_of
from sonnx_verify.solving.inputs.search import Search

BY_NORMAL_FORM = "the same terms"
PROVED = "proved the same for all arguments"
_LOOKED_AT = 2000
"""How many candidates are looked at for arguments that tell the two apart, before a proof is tried."""


@dataclass(slots=True)
class _Comparison:
    """Claims that two meanings are one, for elements of one sort; what is searched where it can be searched. Each
    meaning rests on the orders in its context: they are both to be total."""

    claims: list[Claim]
    contexts: tuple[Context, Context]
    variables: tuple[Variable, ...] | None = None


def same_meaning(baseline: Baseline, project: Project, own: list[Unit]) -> str:
    """How it is known that the units of the file mean what they meant; nothing where it is not."""
    proved = False
    for unit in own:
        assert unit.file is not None
        mine = counterpart(baseline.project, unit)
        assert mine.file is not None
        if _said(mine.file) != _said(unit.file):
            return ""
        try:
            for sort, types, comparison in _comparisons(baseline.project, mine, project, unit):
                if comparison is None or not _holds(baseline, sort, types, comparison):
                    return ""
                proved = proved or any(c.goal is not TRUE for c in comparison.claims)
        except (UserError, RecursionError):
            return ""
    return PROVED if proved else BY_NORMAL_FORM


def _said(file: s.File) -> list[object]:
    """What has to be word for word the same: all but the bodies that are compared, and titles."""
    declared = [[_declared(d) for d in found] for found in (file.inputs, file.outputs, file.attributes)]
    clauses = [(c.tag, c.tags, c.kind, c.origin, c.family, c.arithmetic, c.body is None) for c in file.clauses]
    rules = [(r.what, r.output, r.index, r.origin, r.family, r.arithmetic, r.tag) for r in file.rules]
    definitions = [
        (d.name, d.family, [_declared(p) for p in d.parameters], str(d.result), d.recursion) for d in file.definitions
    ]
    orders = [(o.name, o.family, o.x, o.y, o.of, [c.name for c in o.classes]) for o in file.orders]
    lets = [let.name for let in file.lets]
    used = [used.name for used in file.uses], file.types, file.type_variables, file.facts, file.kind, file.name
    return [declared, clauses, rules, definitions, orders, lets, used]


def _declared(d: s.Declaration) -> tuple[object, ...]:
    return d.name, str(d.type), d.optional, *(s.form(n) for n in (d.low, d.high, d.where, d.default))


def changed_orders(before: Unit, after: Unit) -> list[str]:
    """The orders of a file that say something else."""
    assert before.file is not None
    assert after.file is not None
    said = {o.name: _order_form(o) for o in before.file.orders}
    return [o.name for o in after.file.orders if said.get(o.name) != _order_form(o)]


def _order_form(order: s.OrderDefinition) -> object:
    return s.form(order.body), [s.form(c.condition) for c in order.classes]


def _comparisons(
    before: Project, mine: Unit, after: Project, unit: Unit
) -> Iterator[tuple[Sort, tuple[Sort, ...], _Comparison | None]]:
    """What has to be proved, on abstract elements or on one type; None where nothing would show it."""
    assert mine.file is not None
    assert unit.file is not None
    if mine.file.version is not None:
        for x in instances(mine.file):
            types = tuple(t for t in FAMILIES[x.family] if t.name in x.types)
            for sort in types or (ELEMENT,):
                one, two = (Context(x.family, sort, variables=x.variables) for _ in range(2))
                first, second = before.meaning(mine, one), after.meaning(unit, two)
                claims = claims_of_operator(first, second)
                made = None if claims is None else _Comparison(claims, (one, two), first.given)
                yield sort, (sort,) if types else (), made
    for a, b in zip(mine.file.orders, unit.file.orders, strict=True):
        if _order_form(a) != _order_form(b):
            for sort in FAMILIES[a.family]:
                yield sort, (sort,), _orders(before, mine, a, after, unit, b, sort)
    for d, e in zip(mine.file.definitions, unit.file.definitions, strict=True):
        if s.form(d.body) != s.form(e.body):
            yield from _definitions(before, mine, d, after, unit)


def _orders(
    before: Project, mine: Unit, a: s.OrderDefinition, after: Project, unit: Unit, b: s.OrderDefinition, sort: Sort
) -> _Comparison | None:
    if a.classes:
        return None  # what an order of classes says is not compared
    x, y = (Symbol(name, (), sort)() for name in "xy")
    one, two = (Context(a.family, sort) for _ in range(2))
    first = Elaborator(before.library(mine), one).calls.order(a, x, y)
    second = Elaborator(after.library(unit), two).calls.order(b, x, y)
    goal = same(first, second)
    return None if goal is None else _Comparison([Claim((), goal, "")], (one, two))


def _definitions(
    before: Project, mine: Unit, definition: s.Definition, after: Project, unit: Unit
) -> Iterator[tuple[Sort, tuple[Sort, ...], _Comparison | None]]:
    """Of each family that it is defined for: on abstract elements where no order plays a part, else type by type."""
    seen: set[tuple[Term, ...]] = set()
    found = False
    for family in [definition.family] if definition.family else FAMILIES:
        for sort in (ELEMENT, *FAMILIES[family]):
            try:
                made = _definition(before, mine, definition, after, unit, Context(family, sort), Context(family, sort))
            except UserError:
                if definition.family:
                    raise
                break  # it is not for that family
            found = True
            if made is not None and sort == ELEMENT and any(_ordered(c) for c in made.contexts):
                continue
            key = () if made is None else tuple(t for c in made.claims for t in (*c.hypotheses, c.goal))
            if made is None or key not in seen:
                yield sort, FAMILIES[family] if sort == ELEMENT else (sort,), made
            seen.add(key)
            if sort == ELEMENT:
                break
    if not found:
        yield ELEMENT, (), None


def _ordered(context: Context) -> bool:
    return bool(context.order or context.fold_orders)


def _definition(
    before: Project, mine: Unit, definition: s.Definition, after: Project, unit: Unit, one: Context, two: Context
) -> _Comparison | None:
    """That both give the same wherever the first one means something, and that the second one does too."""
    values: list[Value] = []
    variables: list[Variable] | None = []
    hypotheses: list[Term] = []
    for parameter in definition.parameters:
        kind = parameter.type
        if kind.name in ("set", "bool") or (kind.of is not None and kind.of.name in ("index", "set")):
            values.append(argument(parameter, one))
            variables = None
            continue
        variable = variable_of(parameter, one, None, 0, (), VariableRole.PARAMETER)
        values.append(value_of(variable))
        hypotheses.append(typed(variable, bounded=False))
        if variables is not None:
            variables.append(variable)
    one.universal = two.universal = True
    results = [
        Elaborator(project.library(at), context).calls.definition(definition.name, values, definition.span)
        for project, at, context in ((before, mine, one), (after, unit, two))
    ]
    goal = same(*results)
    if goal is None:
        return None
    needed = tuple(side.formula for side in one.sides)
    claims = [Claim((*hypotheses, *needed), side.formula, "") for side in _further(one.sides, two.sides)]
    claims.append(Claim((*hypotheses, *needed), goal, ""))
    return _Comparison(claims, (one, two), None if variables is None else tuple(variables))


def _further(first: list[Side], second: list[Side]) -> list[Side]:
    """What is needed in the second place alone."""
    known = {side.formula for side in first}
    return [side for side in second if side.formula not in known]


def _holds(baseline: Baseline, sort: Sort, types: tuple[Sort, ...], comparison: _Comparison) -> bool:
    """Whether both solvers say so of every claim, and of the orders that elements rest on."""
    claims = [part for claim in comparison.claims for part in claim.parts() if part.goal is not TRUE]
    if not claims:
        return True
    if comparison.variables is not None and sort != ELEMENT:
        tried = [c for c in comparison.claims if FALSE not in c.refutation]
        if any(Search(comparison.variables, c.refutation, _LOOKED_AT).first() is not None for c in tried):
            return False
    prover = Prover(baseline.solvers)
    steps = [prover.prove(claims, LADDER)]
    for context in comparison.contexts:
        if orders := orders_of(context, types):
            steps.append(prover.orders(context, orders))
    for step in steps:
        while True:
            try:
                for query in next(step):
                    query.result()
            except StopIteration as end:
                if not end.value.complete:
                    return False
                break
    return True
