"""Two states of one text compared part by part: how `mutate` knows that a mutant is no other text.

In: two projects and the units of one file in both, solvers. Out: SAME where every clause, shape, value and order of the
one says what that of the other says, of all arguments, and needs no more to say it; of a library, or of a text with
theorems of its own, every definition too. That is more than difference.py asks of two operators: two clauses that say
the same together are not the same here.

All that is not compared has to be word for word the same (`_said`), and what nothing could compare is UNKNOWN: an
output without shape, a member of an output left open, a set of results, an order by classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sonnx_verify.equivalence.sameness import needs_no_more, same
from sonnx_verify.equivalence.states import counterpart
from sonnx_verify.errors import UserError
from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.kernel.frames import Place
from sonnx_verify.kernel.sections import OutputFamily
from sonnx_verify.kernel.values import Shape, Value, same_shape
from sonnx_verify.kernel.variables import Variable, VariableRole, typed, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import sees_items
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import Instance, instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import variable_of
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, and_, eq, forall_index, not_, or_
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.obligations.side_conditions import before
from sonnx_verify.obligations.static import argument
from sonnx_verify.results.difference import Answer, Sameness
from sonnx_verify.solving.check.proof import Proof, Prover, Steps
from sonnx_verify.solving.check.record import ConcreteExample
from sonnx_verify.solving.check.spoken import has_free_operations, rests_on_order
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.work import orders_of
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.solvers import Solvers

BY_NORMAL_FORM = "the same terms"
PROVED = "proved the same for all arguments"
_LOOKED_AT = 2000
"""The number of candidates that are looked at for arguments that tell the two apart, before a proof is tried."""

_NOT_COMPARED = Sameness(Answer.UNKNOWN, "equality of such parts is not checked")


@dataclass(frozen=True, slots=True)
class _Side:
    """A unit in its project."""

    project: Project
    unit: Unit

    @property
    def file(self) -> s.File:
        assert self.unit.file is not None
        return self.unit.file

    @property
    def library(self) -> Library:
        return self.project.library(self.unit)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Claims that two meanings are one, for elements of one sort, which stands for some types; what is searched where
    it can be searched. Each meaning rests on the orders in its context: they are both to be total."""

    claims: tuple[Claim, ...]
    contexts: tuple[Context, Context]
    sort: Sort
    types: tuple[Sort, ...]
    variables: tuple[Variable, ...] | None = None


def same_meaning(before: Project, after: Project, units: Sequence[Unit], solvers: Solvers) -> Sameness:
    """Return whether some units of a project mean what they meant before."""
    # SAME takes a mutant out of the report of `mutate`: said wrongly, it hides a mutation that no statement notices.
    is_proved = False
    for unit in units:
        one, other = _Side(before, counterpart(before, unit)), _Side(after, unit)
        if _said(one.file) != _said(other.file):
            return Sameness(Answer.UNKNOWN, "the declarations differ in wording")
        try:
            found = _all_same(_operator(one, other), solvers)
            # Nobody else can use the definitions of an operator. Where its clauses read what changed and mean the same,
            # it does not matter what a definition says of other arguments.
            if found.answer is Answer.SAME and (found.reason != PROVED or one.file.theorems):
                is_proved = is_proved or found.reason == PROVED
                found = _all_same(_parts(one, other), solvers)
            if found.answer is not Answer.SAME:
                return found
            is_proved = is_proved or found.reason == PROVED
        except (UserError, RecursionError) as problem:
            return Sameness(Answer.UNKNOWN, f"cannot be compared: {problem}")
    return Sameness(Answer.SAME, PROVED if is_proved else BY_NORMAL_FORM)


def _all_same(comparisons: Iterable[_Comparison | None], solvers: Solvers) -> Sameness:
    """SAME if all are, else the first answer that is another one."""
    is_proved = False
    for comparison in comparisons:
        # Most types are as the first: what was proved of that is not searched for first.
        found = _NOT_COMPARED if comparison is None else _decided(comparison, solvers, is_searched=not is_proved)
        if found.answer is not Answer.SAME:
            return found
        is_proved = is_proved or found.reason == PROVED
    return Sameness(Answer.SAME, PROVED if is_proved else BY_NORMAL_FORM)


# ------------------------------------------------------------------------------------------ what is said word for word


def _said(file: s.File) -> list[object]:
    """The parts that have to be word for word the same: all but titles and the bodies that are compared."""
    # Titles are for readers. A body is compared by its meaning, below; whether there is one at all is said here.
    declared = [list(map(_declared, found)) for found in (file.inputs, file.outputs, file.attributes)]
    clauses = [(c.tag, c.tags, c.kind, c.origin, c.family, c.arithmetic, c.body is None) for c in file.clauses]
    rules = [(r.what, r.output, r.number, r.index, r.origin, r.family, r.arithmetic, r.tag) for r in file.rules]
    definitions = []
    for d in file.definitions:
        definitions.append((d.name, d.family, list(map(_declared, d.parameters)), str(d.result), d.recursion))
    orders = []
    for o in file.orders:
        orders.append((o.name, o.family, o.x, o.y, o.of, [c.name for c in o.classes]))
    lets = [(let.name, let.family) for let in file.lets]
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


# ------------------------------------------------------------------------------------------------ what has to be proved


def _operator(one: _Side, other: _Side) -> Iterator[_Comparison | None]:
    """The claims to be proved of an operator, by type; None where nothing would show it."""
    if one.file.version is not None:
        for x in instances(one.file):
            # Each type with its own arithmetic: `x + 1 > x` is true of abstract numbers, not of int8.
            types = [t for t in FAMILIES[x.family] if t.name in x.types]
            if len(types) > 1:
                general = _operators(one, other, x, ELEMENT)
                if general is not None and _says_the_same_of_every_type(general):
                    # Input is searched for one type; a proof for abstract elements is one for all of them.
                    yield _operators(one, other, x, types[0])
                    yield general
                    continue
            for sort in types or [ELEMENT]:
                yield _operators(one, other, x, sort)


def _parts(one: _Side, other: _Side) -> Iterator[_Comparison | None]:
    """The claims to be proved of orders and definitions that changed, on abstract elements or on one type; None where
    nothing would show it."""
    for a, b in zip(one.file.orders, other.file.orders, strict=True):
        if _order_form(a) != _order_form(b):
            for sort in FAMILIES[a.family]:
                yield _orders(one, a, other, b, sort)
    for d, e in zip(one.file.definitions, other.file.definitions, strict=True):
        # What sees the items of its text has no meaning of its own: it is compared in the clauses that call it.
        if sees_items(one.file, d) or sees_items(other.file, e):
            continue
        if s.form(d.body) != s.form(e.body):
            yield from _definitions(one, other, d)


def _operators(one: _Side, other: _Side, x: Instance, sort: Sort) -> _Comparison | None:
    first = Context(x.family, sort, variables=x.variables)
    second = Context(x.family, sort, variables=x.variables)
    mine = one.project.meaning(one.unit, first)
    theirs = other.project.meaning(other.unit, second)
    if not _is_known(mine) or not _is_known(theirs) or not _gives_the_same(mine, theirs):
        return None
    types = () if sort == ELEMENT else (sort,)
    return _Comparison(tuple(_claims(mine, theirs)), (first, second), sort, types, mine.given)


def _says_the_same_of_every_type(comparison: _Comparison) -> bool:
    """Return whether the claims about abstract elements neither compare them nor compute with them."""
    if any(context.order or context.fold_orders for context in comparison.contexts):
        return False
    statement = Statement((), claims=comparison.claims)
    return not has_free_operations(statement) and not rests_on_order(statement, (ELEMENT,))


def _is_known(meaning: Meaning) -> bool:
    """Return whether it is known how to compare all that a text says of outputs: one result, no conditions on it."""
    if meaning.output_clauses or meaning.has_sets:
        return False
    if any(item.rule.output in meaning.families for item in meaning.left_open):
        return False
    return set(meaning.valued) <= set(meaning.shaped)


def _gives_the_same(a: Meaning, b: Meaning) -> bool:
    """Return whether two texts give shapes and values to the same outputs."""
    counted = [{name for name, f in meaning.families.items() if f.count is not None} for meaning in (a, b)]
    return a.shaped == b.shaped and a.valued == b.valued and counted[0] == counted[1]


def _claims(a: Meaning, b: Meaning) -> list[Claim]:
    """Claim that the declarations, each restriction, constraint and error, each shape and value say the same, and need
    no more to mean anything.

    A clause counts where those above it hold, a shape and a value of valid input: below `rank(X) > 0`, `X.shape[0] > 0`
    and `rank(X) = 0 or X.shape[0] > 0` are the same clause.
    """
    known = tuple(a.hypotheses)
    # Each claim may rest on those before it: they are all asked, and SAME needs all of them.
    claims = [Claim((), eq(and_(*a.hypotheses), and_(*b.hypotheses)), "the types")]
    claims.append(Claim(known, eq(and_(*a.arity), and_(*b.arity)), "the declarations"))
    declared = known = (*known, *a.arity)
    mine, theirs = (*a.restrictions, *a.constraints), (*b.restrictions, *b.constraints)
    for x, y in zip(mine, theirs, strict=True):
        claims.append(Claim(known, eq(x.known, y.known), x.tag))
        # Those above were just claimed to be the same in both, so that what the first says is known in both.
        known = (*known, x.known)
    claims += [Claim(declared, eq(x.known, y.known), x.tag) for x, y in zip(a.errors, b.errors, strict=True)]
    claims += [Claim(known, _same_openness(a, x, y), x.rule.tag) for x, y in zip(a.left_open, b.left_open, strict=True)]
    for name, shape in a.shapes.items():
        goal = same(shape, b.shapes[name])
        assert goal is not None
        claims.append(Claim(known, goal, f"{name}.shape"))
    # Where the outcome or a shape is left open, nothing is said of values.
    said = tuple(not_(x.when(None)) for x in a.left_open if x.reach is not s.Reach.VALUE)
    for name in a.values:
        claims.append(Claim((*known, *said), _same_elements(a, b, name, a.shapes[name]), f"{name}.value"))
    for name, family in a.families.items():
        if family.count is not None:
            claims += _of_families(known, name, family, b.families[name])
    return claims + _needed(a, b)


def _of_families(known: tuple[Term, ...], name: str, a: OutputFamily, b: OutputFamily) -> Iterator[Claim]:
    """Claim that two families have as many members, and that members of one number have one shape and one value."""
    assert a.count is not None
    assert b.count is not None
    yield Claim(known, eq(a.count, b.count), f"{name}.count")

    def shapes(m: Term) -> Term:
        one, other = a.at(m).shape, b.at(m).shape
        assert one is not None
        assert other is not None
        return same_shape(one, other)

    def values(m: Term) -> Term:
        one, other = a.at(m), b.at(m)
        shape, first, second = one.shape, one.value, other.value
        assert shape is not None
        assert first is not None
        assert second is not None

        return forall_index(shape.rank, shape.dim, lambda i: eq(first(i), second(i)))

    if a.shape is not None:
        yield Claim(known, a.every(shapes), f"{name}.shape")
    if a.value is not None:
        yield Claim(known, a.every(values), f"{name}.value")


def _same_openness(a: Meaning, x: LeftOpen, y: LeftOpen) -> Term:
    """The formula that two items leave the same open."""
    if x.reach is not s.Reach.VALUE:
        return eq(x.when(None), y.when(None))
    shape = a.shapes[x.rule.output]
    return forall_index(shape.rank, shape.dim, lambda i: eq(x.when(i), y.when(i)))


def _same_elements(a: Meaning, b: Meaning, name: str, shape: Shape) -> Term:
    """The formula that both give the same elements, wherever they leave none open."""
    free = [x for x in a.left_open if x.reach is s.Reach.VALUE and x.rule.output == name]

    def agree(i: Term) -> Term:
        return or_(*(x.when(i) for x in free), eq(a.values[name](i), b.values[name](i)))

    return forall_index(shape.rank, shape.dim, agree)


def _needed(a: Meaning, b: Meaning) -> list[Claim]:
    """Claim place by place that the needs of the second text follow from what holds there and what the first needs."""
    first: dict[Place, list[Term]] = {}
    for side in a.context.sides:
        first.setdefault(side.place, []).append(side.formula)
    made: list[Claim] = []
    for side in b.context.sides:
        above = first.get(side.place, [])
        made += needs_no_more(before(a, side.place), above, [side.formula], side.place.tag)
    return made


def _orders(one: _Side, a: s.OrderDefinition, other: _Side, b: s.OrderDefinition, sort: Sort) -> _Comparison | None:
    if a.classes:
        return None
    x, y = (Symbol(name, (), sort)() for name in "xy")
    first, second = Context(a.family, sort), Context(a.family, sort)
    mine = Elaborator(one.library, first).calls.order(a, x, y)
    theirs = Elaborator(other.library, second).calls.order(b, x, y)
    return _Comparison((Claim((), eq(mine, theirs), ""),), (first, second), sort, (sort,))


def _definitions(one: _Side, other: _Side, definition: s.Definition) -> Iterator[_Comparison | None]:
    """The comparisons for each of its families: on abstract elements where no order plays a part, else by type."""
    seen: set[tuple[Term, ...]] = set()
    found = False
    families = [definition.family] if definition.family else list(FAMILIES)
    for family in families:
        try:
            for comparison in _in_family(one, other, definition, family):
                found = True
                # A definition that speaks of no element makes the same claim for each family.
                key = _terms(comparison)
                if comparison is None or key not in seen:
                    yield comparison
                seen.add(key)
        except UserError:
            # Nothing is marked for a family: it is none of that one.
            if definition.family:
                raise
    if not found:
        yield None


def _in_family(one: _Side, other: _Side, definition: s.Definition, family: str) -> Iterator[_Comparison | None]:
    """The comparison on abstract elements, or one for each type of the family."""
    made = _definition(one, other, definition, Context(family, ELEMENT), Context(family, ELEMENT))
    if made is None:
        yield None
        return
    # Abstract elements have one order, and it is total: of two orders nothing would be known.
    if not any(context.order or context.fold_orders for context in made.contexts):
        yield replace(made, types=FAMILIES[family])
        return
    for sort in FAMILIES[family]:
        made = _definition(one, other, definition, Context(family, sort), Context(family, sort))
        yield None if made is None else replace(made, types=(sort,))


def _terms(comparison: _Comparison | None) -> tuple[Term, ...]:
    """The terms of its claims."""
    terms: list[Term] = []
    for claim in comparison.claims if comparison is not None else ():
        terms += [*claim.hypotheses, claim.goal]
    return tuple(terms)


def _definition(
    one: _Side, other: _Side, definition: s.Definition, first: Context, second: Context
) -> _Comparison | None:
    """Claim that wherever the first one means something the second one does too, and both give the same."""
    values: list[Value] = []
    variables: list[Variable] = []
    hypotheses: list[Term] = []
    for parameter in definition.parameters:
        if _is_passed_whole(parameter):
            values.append(argument(parameter, first))
            continue
        variable = variable_of(parameter, first, None, 0, (), VariableRole.PARAMETER)
        values.append(value_of(variable))
        hypotheses.append(typed(variable, bounded=False))
        variables.append(variable)
    # Parameters are any values of their types, not the inputs of an operator.
    first.universal = second.universal = True
    mine = Elaborator(one.library, first).calls.definition(definition.name, values, definition.span)
    theirs = Elaborator(other.library, second).calls.definition(definition.name, values, definition.span)
    goal = same(mine, theirs)
    if goal is None:
        return None
    # Both are read where the first means something: outside, an arbitrary value would tell the two apart.
    needed = [side.formula for side in first.sides]
    claims = needs_no_more(hypotheses, needed, [side.formula for side in second.sides])
    claims.append(Claim((*hypotheses, *needed), goal, ""))
    # A set has no values to search through.
    searched = None
    if len(variables) == len(values):
        searched = tuple(variables)
    return _Comparison(tuple(claims), (first, second), first.element, (), searched)


def _is_passed_whole(parameter: s.Declaration) -> bool:
    kind = parameter.type
    return kind.name in ("set", "bool") or (kind.of is not None and kind.of.name in ("index", "set"))


# -------------------------------------------------------------------------------------------------------- the decision


def _decided(comparison: _Comparison, solvers: Solvers, *, is_searched: bool) -> Sameness:
    """Ask both solvers for every claim, and for the orders that elements rest on. A short search comes first, if asked
    for."""
    whole: list[Claim] = []
    claims: list[Claim] = []
    for claim in comparison.claims:
        parts = [part for part in claim.parts() if part.goal is not TRUE]
        whole += [claim] * len(parts)
        claims += parts
    if not claims:
        return Sameness(Answer.SAME, BY_NORMAL_FORM)
    if is_searched and (different := _told_apart(comparison, comparison.claims, _LOOKED_AT)) is not None:
        return different
    # Elements that are compared by an order are taken for ordered: that the order is total is part of the proof.
    prover = Prover(solvers)
    steps = [prover.prove(claims, LADDER)]
    for context in comparison.contexts:
        orders = orders_of(context, comparison.types)
        if orders:
            steps.append(prover.orders(context, orders))
    proofs = [answered(s) for s in steps]
    if all(proof.complete for proof in proofs):
        return Sameness(Answer.SAME, PROVED)
    # What is proved has no counterexample, if the orders are total.
    proved, *ordered = proofs
    sought = [whole[n] for n in proved.open()] if all(p.complete for p in ordered) else comparison.claims
    different = _told_apart(comparison, list(dict.fromkeys(sought)), _LOOKED_AT, solvers)
    if different is not None:
        return different
    return Sameness(Answer.UNKNOWN, "the solvers did not prove the two equal")


def _told_apart(
    comparison: _Comparison, claims: Sequence[Claim], budget: int, solvers: Solvers | None = None
) -> Sameness | None:
    """Arguments for which one of the claims fails, where some are found among as many candidates, or by the
    `solvers`."""
    if comparison.variables is None or comparison.sort == ELEMENT:
        return None
    for claim in claims:
        # A claim that is true by its form has no counterexample to look for.
        if FALSE in claim.refutation:
            continue
        constants = solvers is not None
        found = searched(comparison.variables, claim.refutation, budget, constants=constants, solvers=solvers)
        if isinstance(found, Found):
            example = example_of(ConcreteExample(comparison.variables, found, claim.what))
            return Sameness(Answer.DIFFERENT, claim.what, example)
    return None


def answered(steps: Steps) -> Proof:
    """The end of a proof, each query waited for."""
    try:
        while True:
            for query in next(steps):
                query.result()
    except StopIteration as end:
        proof = end.value
    assert isinstance(proof, Proof)
    return proof
