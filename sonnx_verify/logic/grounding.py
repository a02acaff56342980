"""From formulas to ground ones: each closed binder becomes a constant, and names are noted where they occur.

A quantifier is a flag: where it may be false, one named witness breaks it; where it may be true, it can be
instantiated. An index literal is a constant whose coordinates are spelled out where they are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from sonnx_verify.logic import float_sums
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, rebuild, substitute
from sonnx_verify.logic.builders import and_, eq, ite, le, not_, or_
from sonnx_verify.logic.effort import Effort, TooLarge
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.instances import in_range, instance, others, recursion_template, solve, variable_of, written_out
from sonnx_verify.logic.nodes import ONE, TRUE, ZERO, Symbol, Term, apply, integer, make, subterms_with
from sonnx_verify.logic.polynomials import add, linear, scale, sub
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, IntegerSort, Sort

Position = tuple[object, ...]
NEVER = 99
"""The generation of a name that nothing is instantiated on."""
_PLAIN = frozenset((ops.APPLY, ops.AT, ops.EQUAL, ops.AT_MOST, ops.LESS, ops.PLUS, ops.TIMES, ops.ITE))
"""Operators of which nothing is noted but that they occur."""


@dataclass(slots=True)
class Quantifier:
    """A binder that can be instantiated: when its guard is true, `instance(name)` holds for every name."""

    guard: Term
    term: Term
    generation: int
    candidates: list[tuple[Position, int, Term]]
    always: list[Term]
    done: set[Term] = field(default_factory=set)


@dataclass(slots=True)
class Context:
    generation: int
    instantiated: bool

    @property
    def witness_generation(self) -> int:
        """Only a witness that depends on an instance costs a generation."""
        return self.generation + 1 if self.instantiated else self.generation


class Grounding(ABC):
    """The ground assertions of some closed formulas, at one effort. The layers above say what folds mean."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.asserted: dict[Term, None] = {}
        self._constants: dict[Term, Term] = {}
        self._literals: dict[Term, Term] = {}
        self._contexts: dict[Term, Context] = {}
        self._polarities: dict[Term, set[bool]] = {}
        self._quantifiers: list[Quantifier] = []
        self._folds: list[tuple[Term, Term, Term]] = []
        self._unfolding: list[tuple[Term, int]] = []
        self._void: dict[Term, Term] = {}
        self._some_member: dict[Term, Term] = {}
        self._families: dict[object, list[tuple[Term, Term]]] = {}
        self._names: dict[Position, dict[Term, int]] = {}
        self._generations: dict[Term, int] = {}
        self._flows: dict[object, dict[Position, None]] = {}
        self._pairs: set[tuple[Term, Term]] = set()
        self._compared: dict[tuple[Term, Term], None] = {}
        self._grounded: dict[bool | None, dict[Term, Term]] = {True: {}, False: {}, None: {}}
        self._spelled: set[tuple[Term, Term]] = set()
        self._fresh = 0

    # ------------------------------------------------------------------------------------------------ bookkeeping

    def _constant(self, sort: Sort, stem: str, generation: int) -> Term:
        self._fresh += 1
        made = apply(Symbol(f"{stem}!{self._fresh}", (), sort))
        self._generations[made] = generation
        return made

    def _assert(self, formula: Term, context: Context) -> None:
        ground = self._ground(formula, True, context)
        if ground is not TRUE:
            self.asserted[ground] = None
            if len(self.asserted) > self.effort.limit:
                raise TooLarge(f"more than {self.effort.limit} assertions")

    def _name(self, position: Position, term: Term, context: Context) -> None:
        known = self._generations.get(term)
        generation = context.witness_generation if known is None else known
        self._generations.setdefault(term, generation)
        if term.op is ops.APPLY:
            # What a function gives is used here: names of this place are worth trying where its value is compared.
            self._flows.setdefault(term.payload, {})[position] = None
        self._names.setdefault(position, {}).setdefault(term, generation)

    def _ground(self, term: Term, polarity: bool | None, context: Context) -> Term:
        """The term with every closed binder replaced by its constant. Polarity None means both."""
        if not term.args:
            return term
        known = self._grounded[polarity]
        done = known.get(term)
        if done is not None:
            return done
        if term.op in _PLAIN:
            # Most arguments are constants: they are not worth a call.
            args = tuple([self._ground(a, None, context) if a.args else a for a in term.args])
            made = known[term] = rebuild(term, args)
            self._occurrence(made, context)
            return made
        match term.op:
            case ops.FORALL | ops.FORALL_INDEX | ops.INSIDE:
                made = self._flag(term, polarity, context)
            case ops.FOLD | ops.FOLD_INDEX:
                made = self._fold(term, context)
            case ops.RECURSION:
                made = self._recursion(term, context)
            case ops.INDEX:
                made = self._index(term, context)
            case ops.NOT:
                made = not_(self._ground(term.args[0], None if polarity is None else not polarity, context))
            case ops.AND | ops.OR:
                made = rebuild(term, tuple([self._ground(a, polarity, context) for a in term.args]))
            case _:
                made = rebuild(term, tuple([self._ground(a, None, context) for a in term.args]))
                self._occurrence(made, context)
                if term.op is ops.ROUNDED and float_sums.is_sum_of_floats(term.args[0], term.sort):
                    self._assert(float_sums.nearest_to_sum(made), context)
        known[term] = made
        return made

    @abstractmethod
    def _fold(self, term: Term, context: Context) -> Term:
        """The constant of a fold, with what it means."""

    @abstractmethod
    def _recursion(self, term: Term, context: Context) -> Term:
        """The constant of a recursion, with what it means."""

    def _occurrence(self, term: Term, context: Context) -> None:
        if term.op is ops.APPLY:
            for place, arg in enumerate(term.args):
                if arg.sort in (INT, INDEX):
                    self._name((term.payload, place), arg, context)
                    if len(term.args) > 1:
                        self._name((term.payload, place, others(term, place)), arg, context)
        elif term.op is ops.AT:
            position, axis = term.args
            self._name(("owner", None), position, context)
            self._name(("at", position), axis, context)
            self._name(("at", None), axis, context)
            self._spell(position, axis, context)
        elif term.op in (ops.TO_INT, ops.WRAPPED):
            self._converted(term)
        elif term.op is ops.EQUAL and term.args[0].sort == INT:
            # What a value of a function is compared with is worth trying where such a value is compared.
            a, b = term.args
            for atom, coefficient in linear(sub(a, b))[0].items():
                if atom.op is ops.APPLY and atom.args and coefficient in (1, -1):
                    rest = sub(atom, scale(int(coefficient), sub(a, b)))
                    self._name(("value", atom.payload), rest, context)
        elif term.op is ops.EQUAL and term.args[0].sort == INDEX:
            a, b = term.args
            self._name(("same", None), a, context)
            self._name(("same", None), b, context)
            self._compared[(a, b)] = None

    def _fact(self, ground: Term) -> None:
        """What holds of ground terms that have been met already."""
        self.asserted[ground] = None

    def _converted(self, term: Term) -> None:
        """What holds between a machine integer and the integer it stands for; a solver knows no more of them."""
        sort = term.args[0].sort if term.op is ops.TO_INT else term.sort
        assert isinstance(sort, IntegerSort)
        number, machine = (term, term.args[0]) if term.op is ops.TO_INT else (make(ops.TO_INT, (term,), INT), term)
        self._fact(and_(le(integer(sort.lowest), number), le(number, integer(sort.greatest))))
        self._fact(eq(make(ops.WRAPPED, (number,), sort), machine))
        if term.op is ops.WRAPPED:
            turns = self._constant(INT, "turns", NEVER)
            self._fact(eq(add(number, scale(1 << sort.width, turns)), term.args[0]))

    def _spell(self, position: Term, axis: Term, context: Context) -> None:
        """What a coordinate of an index literal is, where it is read."""
        definition = self._literals.get(position)
        if definition is None or (position, axis) in self._spelled:
            return
        self._spelled.add((position, axis))
        variable, rank, body = definition.args
        value = ite(in_range(axis, rank), substitute(body, {variable: axis}), ZERO)
        # `at` would replace the constant by its definition were it a literal; as a constant it stays a read.
        self._assert(eq(at(position, axis), value), Context(context.generation, context.instantiated))

    # ------------------------------------------------------------------------------------------- binders to constants

    def _flag(self, term: Term, polarity: bool | None, context: Context) -> Term:
        flag = self._constants.get(term)
        if flag is None:
            flag = self._constants[term] = self._constant(BOOL, "holds", context.generation)
            self._contexts[term] = context
            self._polarities[term] = set()
            if term in self._void:
                self._assert(or_(self._void[term], term), context)
        known = self._polarities[term]
        wanted = {True, False} if polarity is None else {polarity}
        for missing in wanted - known:
            known.add(missing)
            if missing:
                self._instantiable(flag, term, self._contexts[term])
            else:
                self._break(flag, term, self._contexts[term])
        return flag

    def _break(self, flag: Term, term: Term, context: Context) -> None:
        """Where the flag is false, a named witness is a counterexample to the quantifier."""
        generation = context.witness_generation
        sort = INDEX if term.op is ops.FORALL_INDEX else INT
        witness = self._constant(sort, {ops.FORALL: "k", ops.FORALL_INDEX: "i", ops.INSIDE: "a"}[term.op], generation)
        inner = Context(generation, context.instantiated)
        self._assert(or_(flag, not_(instance(term, witness))), inner)

    def _instantiable(self, guard: Term, term: Term, context: Context) -> None:
        variable, parts, always = variable_of(term)
        candidates = self._candidates(variable, parts, context)
        if term.op is ops.INSIDE:
            candidates.append((("at", self._ground(term.args[0], None, context)), 1, ZERO))
        self._quantifiers.append(Quantifier(guard, term, context.generation, candidates, always))

    def _candidates(self, variable: Term, parts: list[Term], context: Context) -> list[tuple[Position, int, Term]]:
        """The argument positions in which the variable stands, each with the sign and offset under which it does."""
        found: dict[tuple[Position, int, Term], None] = {}
        for part in parts:
            for node in subterms_with(part, variable):
                for position, arg in self._positions(node, context):
                    if variable in arg.free:
                        solved = solve(arg, variable)
                        if solved is not None and not solved[1].free:
                            sign, offset = solved
                            found[(position, sign, self._ground(offset, None, context))] = None
        if not found and variable.sort == INDEX:
            found[(("same", None), 1, ZERO)] = None
            found[(("owner", None), 1, ZERO)] = None
        found[(("taken", variable.sort), 1, ZERO)] = None
        for part in parts if variable.sort == INT else []:
            for node in subterms_with(part, variable):
                if node.op is ops.APPLY:
                    for position in self._inside_indices(node, variable):
                        found[(position, 1, ZERO)] = None
        return list(found)

    def _inside_indices(self, node: Term, variable: Term) -> list[Position]:
        """Where a number stands in the index at which something is read: it is found again by comparing that index
        with others, and in an index that is written out by its axis."""
        found: list[Position] = []
        for place, arg in enumerate(node.args):
            if arg.op is ops.INDEX and arg.free == {variable}:
                found.append(("match", (node.payload, place), arg, variable))
                axis, rank, coordinate = arg.args
                for number in written_out(ZERO, sub(rank, ONE)):
                    if substitute(coordinate, {axis: number}) is variable:
                        found.append(("coordinate", (node.payload, place), number))
        return found

    def _positions(self, node: Term, context: Context) -> list[tuple[Position, Term]]:
        if node.op is ops.APPLY:
            made: list[tuple[Position, Term]] = []
            for n, arg in enumerate(node.args):
                rest = others(node, n)
                framed = self.effort.frames and rest and not any(a.free for a in rest)
                beside = [tuple(self._ground(a, None, context) for a in rest)] if framed else []
                made.append(((node.payload, n, *beside), arg))
            return made
        if node.op is ops.AT:
            position, axis = node.args
            owner = None if position.free else self._ground(position, None, context)
            return [(("at", owner), axis)]
        if node.op is ops.FOLD:
            return [(("high", Fold.of(node).template), node.args[2])]
        if node.op is ops.RECURSION:
            return [(("number", recursion_template(node)), node.args[3])]
        if node.op is ops.EQUAL and node.args[0].sort == INT:
            # `k = t` makes t itself worth trying, where t is ground; `k = f(k)` what f(...) is elsewhere used as.
            a, b = node.args
            sides = [(x, y) for x, y in ((a, b), (b, a)) if y.op is ops.APPLY and x.op is ops.VARIABLE]
            return [(("equal", None), sub(a, b)), *((("result", y.payload), x) for x, y in sides)]
        if node.op is ops.EQUAL and node.args[0].sort == INDEX:
            return [(("same", None), arg) for arg in node.args]
        return []

    def _index(self, term: Term, context: Context) -> Term:
        made = self._constants.get(term)
        if made is None:
            made = self._constants[term] = self._constant(INDEX, "j", context.witness_generation)
            self._literals[made] = term
        return made
