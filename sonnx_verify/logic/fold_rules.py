"""The meaning of folds and recursions to a solver: a constant each, with the rules that hold of it. Trusted.

Of a value that is chosen (`greatest`, `the`): it is attained at a named witness, and bounds what is named. Of what is
added up: what it is of nothing, and how it grows by one member. Counts have in addition what follows from that by
induction: they grow with their range, strictly over a member, and by as many members as they differ. These rules are
theorems of `proofs/counting.sonnx`, which are proved from the recurrence alone.

Each rule is true of the value that the evaluator gives a fold, so adding it takes away no model. The table of slips in
tests/logic/test_fold_rules.py breaks each part of each rule, and shows what would then be unsat.
"""

from __future__ import annotations

from sonnx_verify.logic import computed, counting, filtered
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.builders import and_, eq, implies, ite, le, lt, not_, or_
from sonnx_verify.logic.choices import Step
from sonnx_verify.logic.folds import Fold, State, count_before, reached
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.instances import recursion_template, written_out
from sonnx_verify.logic.names import NEVER, Context, Place, Position, Quantifier
from sonnx_verify.logic.nodes import (
    ONE,
    TRUE,
    ZERO,
    FoldName,
    Symbol,
    Term,
    apply,
    boolean,
    integer,
    integer_of,
    make,
    subterms,
)
from sonnx_verify.logic.polynomials import add, sub
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL

_MOST_STATES = 64
"""The number of values of states up to which steps are told at once."""
_STEMS = {INT: "m", INDEX: "i"}


class FoldRules:
    """The rules of the folds and recursions that a grounder meets."""

    def __init__(self, grounder: Grounder) -> None:
        self._grounder, self._effort = grounder, grounder.effort
        grounder.meanings = self
        self._tell = grounder.tell
        self.met: list[tuple[Term, Term, Term]] = []
        """Folds, recursions and values of states of generation 0, each with its constant and the flag that it has a
        member."""
        self._unfolding: list[tuple[Term, int]] = []
        self._functions: dict[object, Symbol] = {}
        self._states: set[Term] = set()
        self._some_member: dict[Term, Term] = {}
        self._families: dict[object, list[tuple[Term, Term]]] = {}

    def fold(self, term: Term, context: Context) -> Term:
        """The constant of a fold, with its rules told when it is met first."""
        made = self._grounder.constants.get(term)
        if made is not None:
            return made
        fold = Fold.of(term)
        made = self._named(term, fold.kind.name, context)
        if fold.high is not None:
            self._occurs((Place.HIGH, fold.template), fold.high, context)
        match fold.kind.name:
            case FoldName.GREATEST | FoldName.THE:
                some = self._chosen(fold, made, context)
            case FoldName.POSITION:
                some = TRUE
                self._position(fold, made, context)
            case _:
                some = TRUE
                self._added(fold, made, context)
        if context.generation == 0 or self._grounder.choice.is_narrow:
            self.met.append((term, made, some))
        return made

    def _named(self, term: Term, stem: str, context: Context) -> Term:
        """A new constant for a term."""
        made = self._grounder.constant(term.sort, stem, context.witness_generation, term)
        self._grounder.constants[term] = made
        return made

    def _occurs(self, position: Position, term: Term, context: Context) -> None:
        """The term stands in a position, once it is ground."""
        self._grounder.names.note(position, self._grounder.ground(term, context), context)

    def witness(self, fold: Fold, context: Context, *beside: Term) -> Term:
        """A new name for something that a fold may range over, as it is compared with others."""
        sort = fold.variable.sort
        return self._grounder.constant(sort, _STEMS[sort], context.witness_generation, fold.term, *beside)

    def _range(self, fold: Fold) -> list[Term]:
        """The names of a range that are always tried: all of a few, or both ends: max { k | k in 0 .. n } is n."""
        if fold.low is None or fold.high is None:
            return []
        return written_out(fold.low, fold.high) or [fold.low, fold.high]

    def _chosen(self, fold: Fold, made: Term, context: Context) -> Term:
        """The value is that of a member, where there is one."""
        generation = context.witness_generation
        some = self._grounder.constant(BOOL, "some", generation, fold.term)
        inner = Context(generation, context.instantiated)
        # A chosen value is that of a member, if there is one: `greatest { f(k) | k in 0 .. n }` is f(m) of a new m that
        # is a member. The flag `some` says that there is a member. Without it an empty set would have one (twin
        # empty_fold_attained); without the default nothing is known of an empty set (twin default_forgotten).
        # In a list that is written out the value is that of one of its items, any of them: no name is needed for which
        # (twin first_of_a_list).
        listed: list[Term] = []
        if fold.low is not None and fold.high is not None:
            listed = written_out(fold.low, fold.high)
        places = listed or [self.witness(fold, context)]
        attained = (and_(fold.member(m), eq(made, fold.value_at(m))) for m in places)
        self._tell(implies(some, or_(*attained)), inner)
        if fold.otherwise is not None:
            self._tell(or_(some, eq(made, fold.otherwise)), inner)
        if not listed:
            self._computed_choice(fold, made, some, inner)
        self._instantiated(fold, some, context)
        # `nothing` is "for all k in the domain : not chosen(k)". Where the flag is false it is true, so that a law of a
        # text about the empty set and the fold's own case are one case. `use` tells the other way round.
        nothing = fold.nothing
        if nothing.op in (ops.FORALL, ops.FORALL_INDEX):
            self._grounder.exclude(nothing, some, inner)
            if not self._effort.recurrence and (reached := counting.reached_somewhere(nothing)):
                self._tell(implies(reached, some), inner)
        return some

    def _computed_choice(self, fold: Fold, made: Term, some: Term, context: Context) -> None:
        """Tell which values there are to choose from, where they can be computed.

        the { k | k in 0 .. 20 where k * k = 49 } is of {7}: the set has a member, and the value is 7. Of {3, 5} it is
        one of the two, and the greatest is not below either. Of none the flag is false (slip "the last is left out").
        """
        members = computed.members_of(fold.term)
        if members is None:
            return
        self._tell(eq(some, boolean(bool(members))), context)
        if not members:
            return
        self._tell(or_(*(eq(made, value) for value in members)), context)
        if fold.kind.name == FoldName.GREATEST:
            for value in members:
                self._tell(substitute(fold.order, {fold.x: value, fold.y: made}), context)

    def _computed(self, term: Term, made: Term, context: Context) -> None:
        """Tell the value of what can be computed: over few numbers, or without unknowns.

        sum { k | k in 0 .. 4 } = 10. Nothing is assumed but what a sum is, so counts too have this while their rules
        are being proved.
        """
        value = computed.value_of(term)
        if value is not None:
            self._tell(eq(made, value), context)

    def _instantiated(self, fold: Fold, guard: Term, context: Context) -> None:
        """Have `use` called for each name that may matter to the fold."""
        candidates = self._grounder.candidates.of(fold.variable, [fold.condition, fold.value], context)
        quantifier = Quantifier(guard, fold.term, context.generation, candidates, self._range(fold))
        self._grounder.quantifiers.append(quantifier)

    def use(self, quantifier: Quantifier, name: Term, context: Context) -> None:
        """Tell what a fold says of one name."""
        fold, guard = Fold.of(quantifier.term), quantifier.guard
        made = self._grounder.constants[quantifier.term]
        member = fold.member(name)
        match fold.kind.name:
            case FoldName.GREATEST:
                # f(k) <= greatest for each member k, since the order is total: that is asked where it is used. Only for
                # members: f(n + 1) may be greater (twins fold_bound_for_all, fold_bound_reversed).
                bound = substitute(fold.order, {fold.x: fold.value_at(name), fold.y: made})
                self._tell(or_(not_(member), and_(guard, bound)), context)
            case FoldName.THE:
                # The set has a member then. That it has one only, is what its obligation `total` asks.
                self._tell(or_(not_(member), guard), context)
            case FoldName.COUNT:
                # A member is the one that is named already, or there are two: count >= 1 and k = m, or count >= 2.
                alone = and_(le(ONE, made), eq(name, self._some_member[fold.term]))
                self._tell(or_(not_(member), alone, le(integer(2), made)), context)
                if fold.low is not None and fold.high is not None:
                    # A number that is left out makes the count less than the length, which is high - low + 1.
                    left_out = and_(fold.in_domain(name), not_(fold.chosen(name)))
                    self._tell(or_(not_(left_out), le(made, sub(fold.high, fold.low))), context)
            case FoldName.PRODUCT:
                # A factor 0 makes the product 0, also modulo 2 to the width.
                zero = computed.unit(FoldName.SUM, made.sort)
                self._tell(or_(not_(and_(member, eq(fold.value_at(name), zero))), eq(made, zero)), context)
            case FoldName.SUM if guard is TRUE:
                # A set that has a member has its named one: with `_alone`, of {k} the sum is f(k).
                self._tell(or_(not_(member), fold.member(self._some_member[fold.term])), context)
            case FoldName.SUM:
                # It is no less than any addend, unless one is below 0, which the guard says (theorem `sum_of_no_less`).
                self._tell(or_(guard, not_(member), le(fold.value_at(name), made)), context)

    # ---------------------------------------------------------------------------------------------- what is added up

    def _added(self, fold: Fold, made: Term, context: Context) -> None:
        """Sums, products and counts: of nothing, of members that are alike, and of one member more."""
        name, sort = fold.kind.name, made.sort
        if sort == ELEMENT:
            return  # Nothing is known of the addition of abstract elements: that of floats has no laws to speak of.
        self._computed(fold.term, made, context)
        # Of nothing it is the unit: it is that, or there is a member, which gets a name (twin sum_of_nothing_unknown).
        unit, some = computed.unit(name, sort), self.witness(fold, context)
        self._tell(or_(eq(made, unit), fold.member(some)), context)
        if name == FoldName.COUNT:
            self._counted(fold, made, some, context)
        elif name == FoldName.SUM and self._effort.compares_folds and not has_fold(fold.value):
            self._alone(fold, made, some, context)
        # The sign of a sum of sums names one more of these, which is compared with the others: not where that is all.
        if name != FoldName.COUNT and sort in (INT, REAL) and not (self._effort.folds and has_fold(fold.value)):
            # A sum below 0 has an addend below 0, a product below 0 a factor below 0 (twin sums_are_positive), by
            # induction on the members. Not of machine integers: 100 + 100 is -56 in int8.
            zero = computed.unit(FoldName.SUM, sort)
            below = self.witness(fold, context)
            negative = and_(fold.member(below), lt(fold.value_at(below), zero))
            self._tell(or_(le(zero, made), negative), context)
            if name == FoldName.SUM and sort == REAL and not self._effort.recurrence:
                # Of one addend or more, all above 0, it is above 0 (`sum_positive` of proofs/sums_of_numbers.sonnx).
                low = self.witness(fold, context)
                not_above = and_(fold.member(low), le(fold.value_at(low), zero))
                self._tell(or_(lt(zero, made), fold.nothing, not_above), context)
                self._instantiated(fold, negative, context)
            if name == FoldName.PRODUCT:
                # A product that is 0 has a factor 0: integers and reals have no divisors of zero.
                void = self.witness(fold, context)
                self._tell(or_(not_(eq(made, zero)), and_(fold.member(void), eq(fold.value_at(void), zero))), context)
                self._instantiated(fold, TRUE, context)
        if fold.high is not None:
            self._grows(fold, made, context)

    def _alone(self, fold: Fold, made: Term, some: Term, context: Context) -> None:
        """The rule that a fold of one member is that member's value. Its instances are costly: only where folds are
        compared.

        Either the set is empty, or the value is f(m) of the named member m, or there is another member than m: sum of
        {f(2)} is f(2). Without the third case every sum would have one addend (slip "there is but one member").
        """
        other = self.witness(fold, context)
        another = and_(fold.member(other), not_(eq(other, some)))
        self._tell(or_(not_(fold.member(some)), eq(made, fold.value_at(some)), another), context)
        self._some_member[fold.term] = some
        self._instantiated(fold, TRUE, context)

    def _grows(self, fold: Fold, made: Term, context: Context) -> None:
        """Tell how a fold is related to those of its family: the same of all, but for the end of the range.

        Each pair is told both ways, since which range is longer is known to the solver alone.
        """
        relatives = self._families.setdefault(fold.template, [])
        for term, value in relatives:
            other = Fold.of(term)
            assert fold.high is not None
            assert other.high is not None
            # The same template up to the same number is the same fold (twin equal_whatever_the_range).
            self._tell(or_(not_(eq(fold.high, other.high)), eq(made, value)), context)
            for less, shorter, more, longer in ((value, other, made, fold), (made, fold, value, other)):
                if fold.kind.name == FoldName.COUNT and not self._effort.recurrence:
                    self._count_grows(shorter, less, longer, more, context)
                else:
                    self._step(shorter, less, longer, more, context)
        relatives.append((fold.term, made))
        if fold.kind.name == FoldName.SUM:
            self._unfolding.append((fold.term, context.witness_generation))

    def _step(self, shorter: Fold, less: Term, longer: Fold, more: Term, context: Context) -> None:
        """Add the member of the last number, where the longer range has that one number more.

        sum over 0 .. 5 = sum over 0 .. 4 + f(5), if 5 is a member, which it need not be. The last number has to be in
        the range: over 3 .. 2 and 3 .. 1 nothing is added (twin sum_below_its_range).
        """
        assert longer.low is not None
        assert longer.high is not None
        assert shorter.high is not None
        last = longer.high
        following = and_(eq(last, add(shorter.high, ONE)), le(longer.low, last))
        grown = computed.joined(longer.kind.name, less, longer.value_at(last))
        self._tell(implies(following, eq(more, ite(longer.chosen(last), grown, less))), context)

    def _counted(self, fold: Fold, made: Term, some: Term, context: Context) -> None:
        self._tell(le(ZERO, made), context)
        self._some_member[fold.term] = some
        # The rules below are what is being proved then, from the recurrence.
        if self._effort.recurrence:
            return
        if members := filtered.members_of(fold):
            self._tell(eq(made, members.count()), context)
            return
        if fold.low is not None and fold.high is not None:
            # 0 <= count <= length, and count = length unless some number is left out. `or 0`: of low > high + 1 the
            # length is negative (twin count_off_by_one).
            length = add(sub(fold.high, fold.low), ONE)
            self._tell(or_(eq(made, ZERO), le(made, length)), context)
            left_out = self.witness(fold, context)
            some_left_out = and_(fold.in_domain(left_out), not_(fold.chosen(left_out)))
            self._tell(or_(le(length, made), some_left_out), context)
        self._instantiated(fold, TRUE, context)

    def _count_grows(self, shorter: Fold, less: Term, longer: Fold, more: Term, context: Context) -> None:
        """A longer range has no fewer members; strictly more where one is met on the way, and as many as are met.

        Let c(n) be the count over low .. n. For first <= last: c(first) <= c(last) <= c(first) + last - first; one more
        at least if first + 1 or last is a member; one less at most if one of them is none; and c(first) < c(last) names
        a member in first + 1 .. last. Each follows by induction on last - first from c(n + 1) = c(n) + (1 or 0), and is
        a theorem of `proofs/counting.sonnx`, whose inductions have that recurrence alone (`Effort.recurrence`): no rule
        proves itself.
        """
        assert longer.low is not None
        assert longer.high is not None
        assert shorter.high is not None
        low, first, last = longer.low, shorter.high, longer.high
        following = add(first, ONE)
        self._tell(implies(le(first, last), and_(le(less, more), le(sub(more, less), sub(last, first)))), context)
        further = and_(lt(first, last), le(low, following))
        self._tell(implies(and_(further, longer.chosen(following)), le(add(less, ONE), more)), context)
        self._tell(implies(and_(further, longer.chosen(last)), le(add(less, ONE), more)), context)
        without = le(sub(more, less), sub(last, following))
        self._tell(implies(and_(further, not_(longer.chosen(following))), without), context)
        self._tell(implies(and_(further, not_(longer.chosen(last))), without), context)
        met = self.witness(longer, context, shorter.term)
        between = and_(lt(first, met), le(met, last), le(low, met), longer.chosen(met))
        self._tell(or_(not_(lt(less, more)), between), context)

    def _position(self, fold: Fold, made: Term, context: Context) -> None:
        """The member with so many others before it.

        A count grows by one at most from number to number, so it takes each value below the last: for 0 <= o < count
        there is a member with o members before it, and only one.
        """
        assert fold.otherwise is not None
        earlier = count_before(fold, made)
        self._tell(implies(reached(fold), and_(fold.member(made), eq(earlier, fold.otherwise))), context)
        if not self._effort.recurrence and (members := filtered.members_of(fold)):
            self._tell(implies(reached(fold), eq(made, members.at(fold.otherwise))), context)
        # Two positions over one range are the same for the same ordinal. With the kind goes the copy: two readings of a
        # text choose apart where nothing is reached (slip "positions choose together, met one after the other").
        relatives = self._families.setdefault((fold.kind, fold.template, fold.high), [])
        for other, value in relatives:
            ordinal = Fold.of(other).otherwise
            assert ordinal is not None
            self._tell(or_(not_(eq(fold.otherwise, ordinal)), eq(made, value)), context)
        relatives.append((fold.term, made))

    # ------------------------------------------------------------------------------------------------------ recursion

    def recursion(self, term: Term, context: Context) -> Term:
        """The constant of a recursion: the body at its start, one step between neighbours.

        With f(0) = a and f(n) = body(n, f(n - 1)): where 3 and 2 occur, f(3) = body(3, f(2)). The step is told above
        the start alone, for below it f has no value. At the start the body has no use for a value below: it is given
        a constant of which nothing is known.
        """
        made = self._grounder.constants.get(term)
        if made is not None:
            return made
        variable, below, start, number, body = term.args
        made = self._named(term, "recursion", context)
        self._occurs((Place.NUMBER, recursion_template(term)), number, context)
        self._computed(term, made, context)
        nothing = self._grounder.constant(below.sort, "nothing", NEVER, term)
        first = substitute(body, {variable: start, below: nothing})
        self._tell(implies(eq(number, start), eq(made, first)), context)
        relatives = self._families.setdefault(recursion_template(term), [])
        for other, value in relatives:
            self._tell(or_(not_(eq(number, other.args[3])), eq(made, value)), context)
            for less, shorter, more, longer in ((value, other, made, term), (made, term, value, other)):
                last = longer.args[3]
                following = and_(eq(last, add(shorter.args[3], ONE)), lt(start, last))
                step = substitute(body, {variable: last, below: less})
                self._tell(implies(following, eq(more, step)), context)
        relatives.append((term, made))
        self._unfolding.append((term, context.witness_generation))
        if context.generation == 0 or self._grounder.choice.is_narrow:
            self.met.append((term, made, TRUE))
        return made

    def function_of(self, state: State) -> Symbol:
        """The function that stands for the states of a recursion, of the number, a member and an index."""
        found = self._functions.get(state.template)
        if found is None:
            sorts = (INT, INT, INDEX)
            found = self._grounder.function("state", sorts, state.body.sort, state.start, state.body)
            self._functions[state.template] = found
        return found

    def state_at(self, term: Term, context: Context) -> Term:
        """The value of a state, as one of a free function F; its step is told when it is unfolded.

        Let f(n, m, i) = body(n, m, i, f(n - 1)) from a start on. Whatever values F has below the start, there is one
        function that has them and goes on by that equation. So to tell the equation of some (n, m, i) with n not below
        the start takes away no model (twins told_below_the_start, step_reads_itself).
        """
        state = State.of(term.args[0])
        args = tuple(self._grounder.ground(a, context) for a in (state.number, *term.args[1:]))
        made = apply(self.function_of(state), *args)
        self._grounder.occurs(made, context)
        if made not in self._states:
            self._states.add(made)
            if self._few_steps(state) and len(self._states) <= _MOST_STATES:
                self._unfold_state(term, context)
            else:
                self._unfolding.append((term, context.witness_generation))
            if context.generation == 0 or self._grounder.choice.is_narrow:
                self.met.append((term, made, TRUE))
        return made

    @staticmethod
    def _few_steps(state: State) -> bool:
        """Return whether it is few steps from the start to the number: these are told at once, as few members of a sum
        are written out."""
        if state.number.op is not ops.LITERAL:
            return False
        return 0 <= integer_of(state.number) - integer_of(state.start) < computed.FEW

    def _unfold_state(self, term: Term, context: Context) -> None:
        state = State.of(term.args[0])
        step = eq(term, state.value_at(*term.args[1:]))
        self._tell(implies(le(state.start, state.number), step), context)

    def unfold(self) -> bool:
        """Sums with one number more, and recursions with one less, than those that were met: a name that occurs by
        itself keeps the generation that it has so. A term that is made here is only mentioned; its rules are those of
        any other. Of a state its step is told."""
        waiting, self._unfolding = self._unfolding, []
        for term, generation in waiting:
            if generation < self._effort.generation and self._grounder.choice.takes(Step.UNFOLDED, term):
                if term.op is ops.STATE_AT:
                    # No instance: what a step reads one below costs one generation, which is its step.
                    self._unfold_state(term, Context(generation + 1, instantiated=False))
                    continue
                if term.op is ops.FOLD:
                    fold = Fold.of(term)
                    assert fold.high is not None
                    further = fold.up_to(add(fold.high, ONE))
                else:
                    further = make(ops.RECURSION, (*term.args[:3], sub(term.args[3], ONE), term.args[4]), term.sort)
                self._grounder.ground(further, Context(generation + 1, instantiated=True))
        return bool(waiting)


def has_fold(*parts: Term) -> bool:
    """Return whether there is a fold in the parts."""
    return any(n.op in (ops.FOLD, ops.FOLD_INDEX) for n in subterms(*parts))
