"""From formulas to ground ones: each closed binder becomes a constant, and names are noted where they occur. Trusted.

In go closed formulas; out come ground assertions. Whatever satisfies the formulas has to satisfy the assertions, with
some choice of the new constants: then `unsat` of the assertions is `unsat` of the formulas. Each rule below says why it
keeps that. Which names are noted, and how often a rule is applied, can only take from what is proved.

A quantifier is a flag: where it may be false, one named witness breaks it; where it may be true, it can be
instantiated. An index literal is a constant whose coordinates are spelled out where they are read. What folds mean is
in logic/fold_rules.py.
"""

from __future__ import annotations

from typing import Protocol

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic import computed, counting, float_sums
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, rebuild, substitute
from sonnx_verify.logic.builders import and_, eq, ite, le, not_, or_
from sonnx_verify.logic.candidates import Candidates
from sonnx_verify.logic.choices import EVERY, Choice
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.folds import State
from sonnx_verify.logic.instances import in_range, instance, others
from sonnx_verify.logic.names import AXES, COMPARED, FACTORS, NEVER, OWNERS, Context, Names, Place, Quantifier
from sonnx_verify.logic.naming import named_for
from sonnx_verify.logic.nodes import TRUE, ZERO, Symbol, Term, apply, integer, make
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import add, linear, scale, sub
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.timeouts import look

_PLAIN = frozenset((Op.APPLY, Op.AT, Op.EQUAL, Op.AT_MOST, Op.LESS, Op.PLUS, Op.TIMES, Op.ITE))
"""Operators of which nothing is noted but that they occur."""
_JUNCTIONS = frozenset((Op.AND, Op.OR))
_OPPOSITE: dict[bool | None, bool | None] = {True: False, False: True, None: None}
_WITNESSES = {Op.FORALL: ("k", INT), Op.FORALL_INDEX: ("i", INDEX), Op.INSIDE: ("a", INT)}
"""The first letter of a witness, and its sort."""


class Assertions:
    """The ground assertions, each once, in the order in which they are made, with the number of the step that did."""

    def __init__(self, limit: int, choice: Choice) -> None:
        self._limit, self._choice = limit, choice
        self.made: dict[Term, int] = {}

    def add(self, ground: Term) -> None:
        """An assertion of a rule. Raises TooLarge beyond the limit, OutOfTime where the time is over."""
        if ground is not TRUE:
            self.made.setdefault(ground, self._choice.number)
            look()
            if len(self.made) > self._limit:
                raise TooLarge(f"more than {self._limit} assertions")

    def fact(self, ground: Term) -> None:
        """A fact about ground terms that have been met already. It never raises: the limit is looked at by the next
        `add`, which counts it."""
        self.made.setdefault(ground, self._choice.number)


class Meanings(Protocol):
    """The meanings of folds and recursions to a solver: a constant each, with rules that hold of it."""

    def fold(self, term: Term, context: Context) -> Term:
        """The constant of a fold."""

    def recursion(self, term: Term, context: Context) -> Term:
        """The constant of a recursion."""

    def state_at(self, term: Term, context: Context) -> Term:
        """The value of the function that stands for a state."""

    def function_of(self, state: State) -> Symbol:
        """The function that stands for a state, of its number, a member and an index."""


class Grounder:
    """Makes formulas ground at one effort. Whoever makes it gives it the meanings of folds before it is used."""

    meanings: Meanings

    def __init__(self, effort: Effort, choice: Choice = EVERY) -> None:
        self.effort, self.choice = effort, choice
        self.names = Names(choice)
        self.candidates = Candidates(self)
        self.assertions = Assertions(effort.limit, choice)
        self.constants: dict[Term, Term] = {}
        """The constant of each binder that was met: a flag, the value of a fold, an index."""
        self.literals: dict[Term, Term] = {}
        """The index literal of each constant that stands for one."""
        self.quantifiers: list[Quantifier] = []
        self.compared: dict[tuple[Term, Term], None] = {}
        """The pairs of indices that are compared."""
        self.converts = False
        """True if an element is converted to a number somewhere, or a number to an element."""
        self._contexts: dict[Term, Context] = {}
        self._polarities: dict[Term, set[bool]] = {}
        self._told: dict[Term, Term] = {}
        self._grounded: dict[bool | None, dict[Term, Term]] = {True: {}, False: {}, None: {}}
        self._spelled: set[tuple[Term, Term]] = set()
        self._rounded: set[Term] = set()
        self._named: dict[str, int] = {}

    def constant(self, sort: Sort, stem: str, generation: int, *origin: Term) -> Term:
        """A new constant, made for some terms, and named by them: it is called the same however many were made before.

        Nothing else has a name with `!` in it, and what has this name already makes it another one: two constants of
        one name would be one, and prove too much (twin one_name_for_two).
        """
        made = apply(Symbol(self._new_name(stem, *origin), (), sort))
        self.names.born(made, generation, *origin)
        self.choice.born(made, *origin)
        return made

    def function(self, stem: str, arguments: tuple[Sort, ...], sort: Sort, *origin: Term) -> Symbol:
        """A new function, made for some terms, and named by them as a constant is."""
        return Symbol(self._new_name(stem, *origin), arguments, sort)

    def _new_name(self, stem: str, *origin: Term) -> str:
        name = named_for(stem, origin)
        nth = self._named[name] = self._named.get(name, 0) + 1
        if nth > 1:
            name = f"{name}.{nth}"
        return name

    def tell(self, formula: Term, context: Context) -> None:
        """Assert a closed formula. Raises TooLarge."""
        self.assertions.add(self.ground(formula, context, polarity=True))

    def ground(self, term: Term, context: Context, *, polarity: bool | None = None) -> Term:
        """The term with every closed binder replaced by its constant.

        `polarity` is True where only the truth of the term can make the whole true, False where only its being false
        can, None where both may: under an equality, in a condition of `ite`, as an argument.
        """
        if not term.args:
            return term
        known = self._grounded[polarity]
        done = known.get(term)
        if done is not None:
            return done
        if term.op in _PLAIN:
            # Most arguments are constants: they are not worth a call.
            args = tuple([self.ground(a, context) if a.args else a for a in term.args])
            made = known[term] = rebuild(term, args)
            self._occurrence(made, context)
            return made
        if term.op in _JUNCTIONS:
            made = rebuild(term, tuple([self.ground(a, context, polarity=polarity) for a in term.args]))
        elif term.op is ops.NOT:
            made = not_(self.ground(term.args[0], context, polarity=_OPPOSITE[polarity]))
        else:
            made = self._constant_of(term, context, polarity=polarity)
        known[term] = made
        return made

    def _constant_of(self, term: Term, context: Context, *, polarity: bool | None) -> Term:
        """The constant of a binder; any other term with its arguments made ground."""
        match term.op:
            case ops.FORALL | ops.FORALL_INDEX | ops.INSIDE:
                if term.op is ops.FORALL:
                    truth = computed.truth_of(term)
                    if truth is not None:
                        return truth
                return self._flag(term, context, polarity=polarity)
            case ops.FOLD | ops.FOLD_INDEX:
                return self.meanings.fold(term, context)
            case ops.RECURSION:
                return self.meanings.recursion(term, context)
            case ops.STATE_AT:
                return self.meanings.state_at(term, context)
            case ops.INDEX:
                return self._index(term, context)
            case _:
                made = rebuild(term, tuple([self.ground(a, context) for a in term.args]))
                self._occurrence(made, context)
                # `rounded` is a free function to a solver. Of the float nearest to an exact sum one law is told, on
                # trust: whoever uses it has that among the assumptions.
                if term.op is ops.ROUNDED and float_sums.is_sum_of_floats(term.args[0], term.sort):
                    self.tell(float_sums.nearest_to_sum(made), context)
                if term.op in (ops.TO_REAL, ops.ORDINAL) and isinstance(term.args[0].sort, FloatSort):
                    self._value_used(term.args[0], context)
                return made

    def occurs(self, term: Term, context: Context) -> None:
        """Note a ground term that a rule made: its arguments are names to try."""
        self._occurrence(term, context)

    def _value_used(self, term: Term, context: Context) -> None:
        """Tell how far a rounded real is off where a float may be it, and its real value, or its place, is used."""
        # Only there: what compares floats as floats would carry a law about reals that it has no use for. Nothing is
        # told of a minifloat, which is NaN where the real is too great.
        if isinstance(term.sort, MinifloatSort):
            return
        if term.op is ops.ITE:
            for branch in term.args[1:]:
                self._value_used(branch, context)
        elif term.op is ops.ROUNDED and not float_sums.is_sum_of_floats(term.args[0], term.sort):
            made = self.ground(term, context)
            # The law uses that value itself.
            if made not in self._rounded:
                self._rounded.add(made)
                self.tell(float_sums.nearest_to_real(made), context)

    def _occurrence(self, term: Term, context: Context) -> None:
        """Note the positions in which the arguments of a term stand: names to try where a variable stands in one."""
        note = self.names.note
        if term.op is ops.APPLY:
            for place, arg in enumerate(term.args):
                if arg.sort in (INT, INDEX):
                    note((term.payload, place), arg, context)
                    if len(term.args) > 1:
                        note((term.payload, place, others(term, place)), arg, context)
        elif term.op is ops.AT:
            position, axis = term.args
            note(OWNERS, position, context)
            note((Place.AXIS, position), axis, context)
            note(AXES, axis, context)
            self._spell(position, axis, context)
        elif term.op is ops.TIMES:
            self._multiplied(term, context)
        elif term.op is ops.TO_INT or term.op is ops.WRAPPED:
            self.converts = True
            self._converted(term)
        elif term.op is ops.TO_REAL:
            self.converts = True
        elif term.op is ops.EQUAL and term.args[0].sort == INT:
            # What a value of a function is compared with is worth trying where such a value is compared.
            a, b = term.args
            for atom, coefficient in linear(sub(a, b))[0].items():
                if atom.op is ops.APPLY and atom.args and coefficient in (1, -1):
                    rest = sub(atom, scale(int(coefficient), sub(a, b)))
                    note((Place.VALUE, atom.payload), rest, context)
        elif term.op is ops.EQUAL and term.args[0].sort == INDEX:
            a, b = term.args
            note(COMPARED, a, context)
            note(COMPARED, b, context)
            self.compared[(a, b)] = None

    def _multiplied(self, term: Term, context: Context) -> None:
        """Note the factors of a product, for variables that stand in no other position.

        They keep the generation that they have elsewhere, and get none here: what is tried of any other variable stays
        as it is.
        """
        if term.sort == INT and term.args[0].op is not ops.LITERAL:
            for place, factor in enumerate(term.args):
                generation = self.names.generation(factor, context.witness_generation)
                self.names.add((Place.FACTOR, others(term, place)), factor, generation)
                self.names.add(FACTORS, factor, generation)

    def _converted(self, term: Term) -> None:
        """Tell what holds between a machine integer and the integer it stands for; a solver knows no more of them.

        `to_int` and `wrapped` are free functions. Of x of int8: -128 <= to_int(x) <= 127, and wrapped(to_int(x)) = x,
        so that different elements are different integers. Of an integer n: to_int(wrapped(n)) + 256 * t = n for some t.
        """
        if term.op is ops.TO_INT:
            number, machine = term, term.args[0]
        else:
            number, machine = make(ops.TO_INT, (term,), INT), term
        sort = machine.sort
        assert isinstance(sort, IntegerSort)
        self.assertions.fact(and_(le(integer(sort.lowest), number), le(number, integer(sort.greatest))))
        self.assertions.fact(eq(make(ops.WRAPPED, (number,), sort), machine))
        if term.op is ops.WRAPPED:
            # The number of whole turns gets a name: n = 300 is 44 and one turn of 256.
            turns = self.constant(INT, "turns", NEVER, term)
            self.assertions.fact(eq(add(number, scale(1 << sort.width, turns)), term.args[0]))

    def _spell(self, position: Term, axis: Term, context: Context) -> None:
        """Spell out a coordinate of an index literal where it is read: its body within its rank, 0 beyond. Without the
        rank it would go on (twin literal_beyond_its_rank)."""
        definition = self.literals.get(position)
        if definition is None or (position, axis) in self._spelled:
            return
        self._spelled.add((position, axis))
        variable, rank, body = definition.args
        value = ite(in_range(axis, rank), substitute(body, {variable: axis}), ZERO)
        # `at` would replace the constant by its definition were it a literal; as a constant it stays a read.
        self.tell(eq(at(position, axis), value), context)

    # ------------------------------------------------------------------------------------------- binders to constants

    def _flag(self, term: Term, context: Context, *, polarity: bool | None) -> Term:
        """The truth value that stands for a closed quantifier, told as much as where it stands needs.

        Where only its truth can help what is asked, nothing has to follow from its being false, and the other way
        round: `for all k : P(k)` as a hypothesis is instantiated, as what is to be shown it gets a counterexample.
        Telling less than all is sound: a model of the formulas is one of what is told.
        """
        flag = self.constants.get(term)
        if flag is None:
            flag = self.constants[term] = self.constant(BOOL, "holds", context.generation, term)
            self._contexts[term] = context
            self._polarities[term] = set()
            if term in self._told:
                self.tell(or_(self._told[term], term), context)
        known = self._polarities[term]
        # Each way is told once, in the context in which the quantifier was met first, where its names are oldest.
        may_be_false = polarity is not True and False not in known
        may_be_true = polarity is not False and True not in known
        if may_be_false:
            known |= {False}
            self._break(flag, term, self._contexts[term])
        if may_be_true:
            known |= {True}
            self._instantiable(flag, term, self._contexts[term])
        return flag

    def exclude(self, quantifier: Term, flag: Term, context: Context) -> None:
        """Tell that the quantifier is true where the flag is false, when the quantifier is met, before or later."""
        self._told[quantifier] = flag
        if quantifier in self.constants:
            self.tell(or_(flag, quantifier), context)

    def _break(self, flag: Term, term: Term, context: Context) -> None:
        """Name a counterexample to the quantifier, for where its flag is false.

        not (for all k in 0 .. n : P(k)) says that some k is in 0 .. n with not P(k): a new constant may stand for it.
        With P(k) in place of its negation the constant would confirm what it is to break (twin witness_keeps_the_law).
        """
        generation = context.witness_generation
        stem, sort = _WITNESSES[term.op]
        witness = self.constant(sort, stem, generation, term)
        inner = Context(generation, context.instantiated)
        self.tell(or_(flag, not_(instance(term, witness))), inner)

    def _instantiable(self, guard: Term, term: Term, context: Context) -> None:
        candidates, always = self.candidates.of_quantifier(term, context)
        self.quantifiers.append(Quantifier(guard, term, context.generation, candidates, always))
        if not self.effort.recurrence and (reached := counting.reached_somewhere(term)):
            # It says of all that none of them is the one: then the count does not go as far.
            self.tell(or_(not_(guard), not_(reached)), context)

    def _index(self, term: Term, context: Context) -> Term:
        """The constant of an index literal. What it is on an axis is told where that is read (`_spell`)."""
        made = self.constants.get(term)
        if made is None:
            made = self.constants[term] = self.constant(INDEX, "j", context.witness_generation, term)
            self.literals[made] = term
        return made
