"""The named-witness rule: closed formulas with binders to ground formulas that a solver decides.

Each closed binder becomes a constant. A quantifier is a flag: where it may be false, one named witness breaks it; where
it may be true, it is instantiated on the names that occur in the argument positions in which its variable stands. A
fold is its value, attained at a named witness, with the bound that belongs to it. An index literal is a constant whose
coordinates are spelled out where they are read.

Every formula added follows from the meaning of the binders, whatever names are used, so `unsat` is sound at every
generation. `sat` only says that these names did not suffice, or that there is a counterexample to look for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sonnx_verify.logic.sorts import BOOL, INDEX, INT, Sort
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    FoldKind,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    eq,
    implies,
    inside,
    integer,
    ite,
    le,
    linear,
    literal,
    lt,
    not_,
    or_,
    rebuild,
    scale,
    sub,
    substitute,
    subterms,
)

Position = tuple[object, ...]


class TooLarge(Exception):
    """The expansion passed its limit of assertions. The verdict is unknown, never a guess."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to go: the generation of names to instantiate on, the rules of equality, and a limit.

    `equality` 0 is none; 1 tells apart indices that are read from the same place, by an axis on which nothing else is
    instantiated; 2 instantiates on that axis too; 3 also compares folds. With `frames` a name is tried only in the
    shape, or the member of a list, that it stands with: a shape owns its axes.
    """

    generation: int
    equality: int
    limit: int = 3000
    frames: bool = True


LADDER = (
    *(Effort(*s) for s in ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 3))),
    *(Effort(*step, frames=False) for step in ((0, 0), (1, 0), (1, 1), (1, 2), (3, 3))),
)
_NEVER = 99


@dataclass(slots=True)
class _Quantifier:
    """A binder that can be instantiated: when its guard is true, `instance(name)` holds for every name."""

    guard: Term
    term: Term
    generation: int
    candidates: list[tuple[Position, int, Term]]
    always: list[Term]
    done: set[Term] = field(default_factory=set)


@dataclass(slots=True)
class _Context:
    generation: int
    instantiated: bool

    @property
    def witness_generation(self) -> int:
        """Only a witness that depends on an instance costs a generation."""
        return self.generation + 1 if self.instantiated else self.generation


class Expansion:
    """The ground assertions of some closed formulas, at one effort."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.asserted: dict[Term, None] = {}
        self._constants: dict[Term, Term] = {}
        self._literals: dict[Term, Term] = {}
        self._contexts: dict[Term, _Context] = {}
        self._polarities: dict[Term, set[bool]] = {}
        self._quantifiers: list[_Quantifier] = []
        self._folds: list[tuple[Term, Term, Term]] = []
        self._sums: dict[object, list[tuple[Term, Term]]] = {}
        self._names: dict[Position, dict[Term, int]] = {}
        self._generations: dict[Term, int] = {}
        self._flows: dict[object, dict[Position, None]] = {}
        self._pairs: set[tuple[Term, Term]] = set()
        self._grounded: dict[tuple[Term, bool | None], Term] = {}
        self._spelled: set[tuple[Term, Term]] = set()
        self._fresh = 0

    def run(self, formulas: list[Term]) -> list[Term]:
        """The ground assertions. Raises TooLarge."""
        base = _Context(0, False)
        for formula in formulas:
            self._assert(formula, base)
        changed = True
        while changed:
            changed = self._instantiate()
            if self.effort.equality and not changed:
                changed = self._equalities()
        return list(self.asserted)

    # ------------------------------------------------------------------------------------------------ bookkeeping

    def _constant(self, sort: Sort, stem: str, generation: int) -> Term:
        self._fresh += 1
        made = apply(Symbol(f"{stem}!{self._fresh}", (), sort))
        self._generations[made] = generation
        return made

    def _assert(self, formula: Term, context: _Context) -> None:
        ground = self._ground(formula, True, context)
        if ground is not TRUE:
            self.asserted[ground] = None
            if len(self.asserted) > self.effort.limit:
                raise TooLarge(f"more than {self.effort.limit} assertions")

    def _name(self, position: Position, term: Term, context: _Context) -> None:
        known = self._generations.get(term)
        generation = context.witness_generation if known is None else known
        self._generations.setdefault(term, generation)
        if term.op == "apply":
            # What a function gives is used here: names of this place are worth trying where its value is compared.
            self._flows.setdefault(term.payload, {})[position] = None
        self._names.setdefault(position, {}).setdefault(term, generation)

    def _ground(self, term: Term, polarity: bool | None, context: _Context) -> Term:
        """The term with every closed binder replaced by its constant. Polarity None means both."""
        key = (term, polarity)
        done = self._grounded.get(key)
        if done is not None:
            return done
        match term.op:
            case "forall" | "forall_index" | "inside":
                made = self._flag(term, polarity, context)
            case "fold":
                made = self._fold(term, context)
            case "index":
                made = self._index(term, context)
            case "not":
                made = not_(self._ground(term.args[0], None if polarity is None else not polarity, context))
            case "and" | "or":
                made = rebuild(term, tuple(self._ground(a, polarity, context) for a in term.args))
            case _:
                made = rebuild(term, tuple(self._ground(a, None, context) for a in term.args))
                self._occurrence(made, context)
        self._grounded[key] = made
        return made

    def _occurrence(self, term: Term, context: _Context) -> None:
        if term.op == "apply":
            for place, arg in enumerate(term.args):
                if arg.sort in (INT, INDEX):
                    self._name((term.payload, place), arg, context)
                    if len(term.args) > 1:
                        self._name((term.payload, place, _others(term, place)), arg, context)
        elif term.op == "at":
            position, axis = term.args
            self._name(("at", position), axis, context)
            self._name(("at", None), axis, context)
            self._spell(position, axis, context)
        elif term.op == "=" and term.args[0].sort == INT:
            # What a value of a function is compared with is worth trying where such a value is compared.
            a, b = term.args
            for atom, coefficient in linear(sub(a, b))[0].items():
                if atom.op == "apply" and atom.args and coefficient in (1, -1):
                    rest = sub(atom, scale(int(coefficient), sub(a, b)))
                    self._name(("value", atom.payload), rest, context)
        elif term.op == "=" and term.args[0].sort == INDEX:
            a, b = term.args
            self._name(("same", None), a, context)
            self._name(("same", None), b, context)

    def _spell(self, position: Term, axis: Term, context: _Context) -> None:
        """What a coordinate of an index literal is, where it is read."""
        definition = self._literals.get(position)
        if definition is None or (position, axis) in self._spelled:
            return
        self._spelled.add((position, axis))
        variable, rank, body = definition.args
        value = ite(_in_range(axis, rank), substitute(body, {variable: axis}), ZERO)
        # `at` would replace the constant by its definition were it a literal; as a constant it stays a read.
        self._assert(eq(at(position, axis), value), _Context(context.generation, context.instantiated))

    # ------------------------------------------------------------------------------------------- binders to constants

    def _flag(self, term: Term, polarity: bool | None, context: _Context) -> Term:
        flag = self._constants.get(term)
        if flag is None:
            flag = self._constants[term] = self._constant(BOOL, "holds", context.generation)
            self._contexts[term] = context
            self._polarities[term] = set()
        known = self._polarities[term]
        wanted = {True, False} if polarity is None else {polarity}
        for missing in wanted - known:
            known.add(missing)
            if missing:
                self._instantiable(flag, term, self._contexts[term])
            else:
                self._break(flag, term, self._contexts[term])
        return flag

    def _break(self, flag: Term, term: Term, context: _Context) -> None:
        """Where the flag is false, a named witness is a counterexample to the quantifier."""
        generation = context.witness_generation
        sort = INDEX if term.op == "forall_index" else INT
        witness = self._constant(sort, {"forall": "k", "forall_index": "i", "inside": "a"}[term.op], generation)
        inner = _Context(generation, context.instantiated)
        self._assert(or_(flag, not_(_instance(term, witness))), inner)

    def _instantiable(self, guard: Term, term: Term, context: _Context) -> None:
        variable, parts, always = _variable_of(term)
        candidates = self._candidates(variable, parts, context)
        if term.op == "inside":
            candidates.append((("at", self._ground(term.args[0], None, context)), 1, ZERO))
        self._quantifiers.append(_Quantifier(guard, term, context.generation, candidates, always))

    def _candidates(self, variable: Term, parts: list[Term], context: _Context) -> list[tuple[Position, int, Term]]:
        """The argument positions in which the variable stands, each with the sign and offset under which it does."""
        found: dict[tuple[Position, int, Term], None] = {}
        for part in parts:
            for node in subterms(part):
                for position, arg in self._positions(node, context):
                    if variable in arg.free:
                        solved = _solve(arg, variable)
                        if solved is not None and not solved[1].free:
                            sign, offset = solved
                            found[(position, sign, self._ground(offset, None, context))] = None
        if not found and variable.sort == INDEX:
            found[(("same", None), 1, ZERO)] = None
        return list(found)

    def _positions(self, node: Term, context: _Context) -> list[tuple[Position, Term]]:
        if node.op == "apply":
            made: list[tuple[Position, Term]] = []
            for n, arg in enumerate(node.args):
                rest = _others(node, n)
                framed = self.effort.frames and rest and not any(a.free for a in rest)
                beside = [tuple(self._ground(a, None, context) for a in rest)] if framed else []
                made.append(((node.payload, n, *beside), arg))
            return made
        if node.op == "at":
            position, axis = node.args
            owner = None if position.free else self._ground(position, None, context)
            return [(("at", owner), axis)]
        if node.op == "fold":
            return [(("high", _template(node)), node.args[2])]
        if node.op == "=" and node.args[0].sort == INT:
            # `k = t` makes t itself worth trying, where t is ground; `k = f(k)` what f(...) is elsewhere used as.
            a, b = node.args
            sides = [(x, y) for x, y in ((a, b), (b, a)) if y.op == "apply" and x.op == "variable"]
            return [(("equal", None), sub(a, b)), *((("result", y.payload), x) for x, y in sides)]
        if node.op == "=" and node.args[0].sort == INDEX:
            return [(("same", None), arg) for arg in node.args]
        return []

    def _index(self, term: Term, context: _Context) -> Term:
        made = self._constants.get(term)
        if made is None:
            made = self._constants[term] = self._constant(INDEX, "j", context.witness_generation)
            self._literals[made] = term
        return made

    def _fold(self, term: Term, context: _Context) -> Term:
        made = self._constants.get(term)
        if made is None:
            variable, low, high, condition, value, x, y, order, *otherwise = term.args
            kind = term.payload
            assert isinstance(kind, FoldKind)
            generation = context.witness_generation
            made = self._constants[term] = self._constant(term.sort, kind.name, generation)
            self._name(("high", _template(term)), self._ground(high, None, context), context)
            if kind.name == "sum":
                self._sum(term, made, context)
            else:
                some = self._constant(BOOL, "some", generation)
                inner = _Context(generation, context.instantiated)
                # In a list that is written out the value is that of one of its items: no name is needed for which.
                places = _written_out(low, high) or [self._constant(INT, "m", generation)]
                attained = (and_(_member(term, m), eq(made, substitute(value, {variable: m}))) for m in places)
                self._assert(implies(some, or_(*attained)), inner)
                if otherwise:
                    self._assert(or_(some, eq(made, otherwise[0])), inner)
                parts = [condition, value]
                candidates = self._candidates(variable, parts, context)
                self._quantifiers.append(
                    _Quantifier(some, term, context.generation, candidates, _range_names(low, high))
                )
                if context.generation == 0:
                    self._folds.append((term, made, some))
        return made

    def _sum(self, term: Term, made: Term, context: _Context) -> None:
        """A sum of nothing is 0; a sum without a negative addend is not negative."""
        variable, low, high, condition, value, *_ = term.args
        zero = ZERO if made.sort == INT else literal(Fraction(0), made.sort)
        self._assert(implies(lt(high, low), eq(made, zero)), context)
        witness = self._constant(INT, "m", context.witness_generation)
        addend = substitute(value, {variable: witness})
        self._assert(or_(le(zero, made), and_(_member(term, witness), lt(addend, zero))), context)
        relatives = self._sums.setdefault(_template(term), [])
        for other, value_of_other in relatives:
            self._step(term, made, other, value_of_other, context)
            self._step(other, value_of_other, term, made, context)
        relatives.append((term, made))
        if context.witness_generation < self.effort.generation:
            longer = rebuild(term, (*term.args[:2], add(high, ONE), *term.args[3:]))
            self._ground(longer, None, _Context(context.witness_generation + 1, True))

    def _step(self, shorter: Term, less: Term, longer: Term, more: Term, context: _Context) -> None:
        """Where the longer sum has one last addend more, it is the shorter one plus that addend."""
        variable, low, _, condition, value, *_ = longer.args
        last = longer.args[2]
        addend = substitute(value, {variable: last})
        kept = substitute(condition, {variable: last})
        following = and_(eq(last, add(shorter.args[2], ONE)), le(low, last))
        self._assert(implies(following, eq(more, ite(kept, add(less, addend), less))), context)

    # ------------------------------------------------------------------------------------------------- instantiation

    def _instantiate(self) -> bool:
        changed = False
        for quantifier in list(self._quantifiers):
            for name, generation in self._names_for(quantifier):
                if generation <= self.effort.generation and name not in quantifier.done:
                    quantifier.done.add(name)
                    changed = True
                    context = _Context(max(generation, quantifier.generation), True)
                    self._use(quantifier, name, context)
        return changed

    def _names_for(self, quantifier: _Quantifier) -> list[tuple[Term, int]]:
        found: dict[Term, int] = {}
        for name in quantifier.always:
            ground = self._ground(name, None, _Context(quantifier.generation, True))
            found[ground] = quantifier.generation
        for position, sign, offset in quantifier.candidates:
            if position == ("equal", None):
                # sign * k + offset = 0
                found.setdefault(scale(-sign, offset), quantifier.generation)
                continue
            for name, generation in self._at(position):
                if name.sort == INDEX:
                    found.setdefault(name, generation)
                else:
                    found.setdefault(scale(sign, sub(name, offset)), generation)
        return list(found.items())

    def _at(self, position: Position) -> list[tuple[Term, int]]:
        """The names that occur in a position; for the value of a function, those of the places it is used in."""
        if position[0] != "result":
            return list(self._names.get(position, {}).items())
        places = {**self._flows.get(position[1], {}), ("value", position[1]): None}
        return [item for place in places for item in self._names.get(place, {}).items()]

    def _use(self, quantifier: _Quantifier, name: Term, context: _Context) -> None:
        term, guard = quantifier.term, quantifier.guard
        if term.op != "fold":
            self._assert(or_(not_(guard), _instance(term, name)), context)
            return
        variable, _, _, _, value, x, y, order, *_ = term.args
        made = self._constants[term]
        kind = term.payload
        assert isinstance(kind, FoldKind)
        bound = TRUE
        if kind.name == "greatest":
            bound = substitute(order, {x: substitute(value, {variable: name}), y: made})
        self._assert(or_(not_(_member(term, name)), and_(guard, bound)), context)

    # -------------------------------------------------------------------------------------------------- equality

    def _equalities(self) -> bool:
        """Extensionality of indices that are read from the same place, and congruence of folds."""
        before = len(self.asserted)
        groups: dict[object, dict[Term, int]] = {}
        for position, names in self._names.items():
            indices = {n: g for n, g in names.items() if n.sort == INDEX and g <= self.effort.generation + 1}
            if indices and position[0] != "at":
                groups.setdefault(position, {}).update(indices)
        for indices in groups.values():
            listed = list(indices)
            for n, a in enumerate(listed):
                for b in listed[:n]:
                    if (a, b) not in self._pairs and (b, a) not in self._pairs:
                        self._pairs.add((a, b))
                        self._extensional(a, b, max(indices[a], indices[b]))
        for n, (one, c, some) in enumerate(self._folds if self.effort.equality > 2 else ()):
            for other, d, _ in self._folds[:n]:
                alike = one.payload == other.payload and one.sort == other.sort and one.args[7] is other.args[7]
                if alike and (one, other) not in self._pairs:
                    self._pairs.add((one, other))
                    self._congruent(one, c, some, other, d)
        return len(self.asserted) > before

    def _extensional(self, a: Term, b: Term, generation: int) -> None:
        axis = self._constant(INT, "a", generation if self.effort.equality > 1 else _NEVER)
        self._assert(or_(eq(a, b), not_(eq(at(a, axis), at(b, axis)))), _Context(generation, False))

    def _congruent(self, one: Term, c: Term, some: Term, other: Term, d: Term) -> None:
        """Two folds of one kind and order are equal unless a named member tells them apart, or both are empty."""
        witness = self._constant(INT, "m", 0)
        value_one, value_other = (substitute(t.args[4], {t.args[0]: witness}) for t in (one, other))
        in_one, in_other = _member(one, witness), _member(other, witness)
        differ = or_(not_(eq(in_one, in_other)), and_(in_one, not_(eq(value_one, value_other))), not_(some))
        self._assert(or_(eq(c, d), differ), _Context(0, False))


def _others(term: Term, place: int) -> tuple[Term, ...]:
    """The arguments beside one: for the size of a shape in a list, which shape it is."""
    return (*term.args[:place], *term.args[place + 1 :])


def _in_range(axis: Term, rank: Term) -> Term:
    return and_(le(ZERO, axis), lt(axis, rank))


def _instance(term: Term, name: Term) -> Term:
    """What the quantifier says of one name."""
    if term.op == "forall":
        variable, low, high, body = term.args
        return implies(and_(le(low, name), le(name, high)), substitute(body, {variable: name}))
    if term.op == "forall_index":
        variable, rank, axis, sizes, body = term.args
        return implies(inside(name, rank, axis, sizes), substitute(body, {variable: name}))
    position, rank, axis, sizes = term.args
    coordinate = at(position, name)
    within = and_(le(ZERO, coordinate), lt(coordinate, substitute(sizes, {axis: name})))
    reached = _in_range(name, rank)
    return and_(implies(reached, within), or_(reached, eq(coordinate, ZERO)))


def _member(fold: Term, name: Term) -> Term:
    variable, low, high, condition, *_ = fold.args
    return and_(le(low, name), le(name, high), substitute(condition, {variable: name}))


def _template(fold: Term) -> object:
    """What folds that differ only in their upper bound have in common."""
    assert isinstance(fold.payload, FoldKind)
    variable, low, _, condition, value, *_ = fold.args
    return (fold.payload.name, variable, low, condition, value)


def _variable_of(term: Term) -> tuple[Term, list[Term], list[Term]]:
    """The variable of a quantifier, the parts it stands in, and the name it is always tried on."""
    match term.op:
        case "forall":
            variable, low, _, body = term.args
            return variable, [body], _range_names(low, term.args[2])
        case "forall_index":
            return term.args[0], [term.args[4]], []
        case _:
            return term.args[2], [term.args[3]], [ZERO]


def _range_names(low: Term, high: Term) -> list[Term]:
    """The least value of a range, and all of them where they are few: in a list that is written out, positions are told
    apart by comparison, so they stand in no argument position."""
    return _written_out(low, high) or [low]


def _written_out(low: Term, high: Term) -> list[Term]:
    """The members of a range of a few numbers, or nothing for any other."""
    if low.op == high.op == "literal":
        first, last = low.payload, high.payload
        assert isinstance(first, int) and isinstance(last, int)
        if last - first < 8:
            return [add(low, integer(n)) for n in range(max(last - first + 1, 0))]
    return []


def _solve(arg: Term, variable: Term) -> tuple[int, Term] | None:
    """(sign, rest) with arg = sign * variable + rest, where there is such a sign of 1 or -1."""
    if arg is variable:
        return 1, ZERO
    if arg.sort != INT:
        return None
    sign = dict(linear(arg)[0]).get(variable)
    if sign not in (1, -1):
        return None
    return int(sign), sub(arg, scale(int(sign), variable))
