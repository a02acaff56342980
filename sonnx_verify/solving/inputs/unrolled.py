"""Conditions on inputs of bounded size, unrolled: formulas without binders, by which a solver chooses an input.

In: variables, conditions on them, and bounds. Out: constants for all that an input consists of within the bounds (its
ranks, sizes, members, numbers), and formulas over them that are true where the conditions are.

A solver's functions are total, those of the evaluator are not: a size on axis 3 of a vector is some number to the one,
and no value to the other. So each term becomes two: its value, and the condition that it has one, which follows the
evaluator from left to right: in `0 <= a and a < rank(X) and X.shape[a] = 1` the size is asked for only where there is
one.

Not trusted: an input that was chosen is replayed, and of a choice that does not exist nothing follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from sonnx_verify.kernel.variables import Part, Variable, VariableKind, VariableRole
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.builders import and_, eq, implies, ite, le, lt, not_, or_
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    FoldName,
    Symbol,
    Term,
    integer,
    integer_of,
    is_literal,
    literal,
    number_of,
    subterms,
)
from sonnx_verify.logic.operators import OPERATORS, Op
from sonnx_verify.logic.polynomials import add, times
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, Sort
from sonnx_verify.solving.inputs.filling import has_own_length, length_of
from sonnx_verify.solving.inputs.inputs import SHAPED

Value = Term | tuple[Term, ...]
"""A term, or of an index its coordinate on each axis, from the right."""
Read = Callable[[Sequence[Value]], tuple[Value, Term]]
"""The meaning of a symbol: from its arguments its value, and the condition that it has one."""
Names = Sequence[tuple[Value, Term]]
"""The range of a binder: each name, with the condition that it is in the range."""

_MOST = 60_000
"""The most parts that conditions are unrolled to: a solver is asked some ten times, and reads all of it each time."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The largest rank, size, number of members of a family or list, and magnitude of a number; and the most numbers
    of a range that a binder is unrolled over: those of a set of numbers from 0 on, too. A shape may have as many
    indices, and in any case `_INDICES`.

    They hold of all that a statement makes on the way, not of the input alone.
    """

    ranks: int
    sizes: int
    members: int
    numbers: int
    span: int


_INDICES = 32
"""The indices of a shape that a binder is unrolled over, at least: those of a window of 5 by 5 are."""


class Unbounded(Exception):
    """A condition ranges over too much to be unrolled."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The constants of a variable: whether it is given, how many members it has, and by member the rank, the sizes from
    the right, and the number, element or text. A variable that is no family has one member."""

    variable: Variable
    given: Term
    count: Term
    ranks: tuple[Term, ...] = ()
    sizes: tuple[tuple[Term, ...], ...] = ()
    items: tuple[Term, ...] = ()


class Unroller:
    """Unrolls conditions on some variables. `choices` has the constants of each variable, `typed` what holds of them
    within the bounds; a text is one of `texts`."""

    def __init__(self, variables: Sequence[Variable], bounds: Bounds, texts: Sequence[str]) -> None:
        self.bounds = bounds
        self.choices: dict[str, Choice] = {}
        self.typed: list[Term] = []
        self._texts = texts
        self.complete = True
        """False once a condition was left out."""
        self._left = _MOST
        self._witnesses = 0
        self._meanings: dict[Symbol, Read] = {}
        self._memo: dict[tuple[object, ...], tuple[Value, Term]] = {}
        for variable in variables:
            choice = self._choice(variable)
            self.choices[variable.name] = choice
            self._declare(choice)
        for name, choice in self.choices.items():
            self.choices[name] = self._with_count(choice)

    def true(self, condition: Term) -> Term:
        """A formula that is true where the condition is. It may say less: what ranges over too much is left out."""
        if condition.op is Op.AND:
            return and_(*[self.true(part) for part in condition.args])
        try:
            if condition.op is Op.NOT and condition.args[0].op is Op.FORALL_INDEX:
                return self._broken_somewhere(condition.args[0])
            value, defined = self._term(condition, {})
        except Unbounded:
            self.complete = False
            if condition.op is Op.OR:
                # What can be said of its parts stays: a result that conforms unless the outcome is open has a shape.
                return or_(*map(self.true, condition.args))
            return TRUE
        return and_(defined, value)

    def element(self, choice: Choice, member: int, coordinates: Sequence[Term]) -> Term:
        """The element of a tensor at coordinates from the right, one for each axis within the bounds."""
        symbol = Symbol(f"{choice.variable.name}.read#{member}", (INT,) * len(coordinates), choice.variable.sort)
        return symbol(*coordinates)

    # --------------------------------------------------------------------------------------------------- declarations

    def _choice(self, variable: Variable) -> Choice:
        """The constants of a variable, with what its kind says of them."""
        name = variable.name
        if variable.role is VariableRole.ABSENT:
            self.typed.append(not_(variable.given))
        count = ONE
        if has_own_length(variable):
            count = length_of(name)()
            self.typed.append(_between(0, count, self.bounds.members))
        made = Choice(variable, variable.given, count)
        members = range(1 if variable.count is None else self.bounds.members)
        match variable.kind:
            case VariableKind.TENSOR | VariableKind.SHAPE | VariableKind.INDEX:
                shapes = [self._shape(f"{name}#{m}") for m in members]
                return replace(made, ranks=tuple(r for r, _ in shapes), sizes=tuple(s for _, s in shapes))
            case VariableKind.SET:
                numbers = range(self.bounds.span)
                return replace(made, items=tuple(Symbol(f"{name}.member#{k}", (), BOOL)() for k in numbers))
            case VariableKind.INT | VariableKind.ELEMENT:
                return replace(made, items=tuple(self._item(f"{name}#{m}", variable.sort) for m in members))

    def _shape(self, name: str) -> tuple[Term, tuple[Term, ...]]:
        rank = Symbol(f"{name}.rank", (), INT)()
        self.typed.append(_between(0, rank, self.bounds.ranks))
        sizes = tuple(Symbol(f"{name}.dim{k}", (), INT)() for k in range(self.bounds.ranks))
        for k, size in enumerate(sizes):
            # Beyond the rank there is nothing to choose: one value there, so that one input is one choice.
            in_range = _between(0, size, self.bounds.sizes)
            self.typed.append(ite(lt(integer(k), rank), in_range, eq(size, ZERO)))
        return rank, sizes

    def _item(self, name: str, sort: Sort) -> Term:
        item = Symbol(name, (), sort)()
        if sort == INT:
            self.typed.append(_between(-self.bounds.numbers, item, self.bounds.numbers))
        elif sort == STRING:
            self.typed.append(or_(*[eq(item, literal(text, STRING)) for text in self._texts]))
        return item

    def _declare(self, choice: Choice) -> None:
        """Give the symbols of a variable their meanings."""
        variable = choice.variable
        there = TRUE
        if variable.may_be_left_out:
            self._meanings[variable.symbol(Part.GIVEN)] = lambda _: (choice.given, TRUE)
            # What has a default has a value always: the conditions say which one it is where it is not given.
            if variable.default is None:
                there = choice.given
        if has_own_length(variable):
            self._meanings[length_of(variable.name)] = lambda _: (choice.count, TRUE)

        def mean(part: str, of: Callable[[int, Sequence[Value]], tuple[Value, Term]]) -> None:
            self._meanings[variable.symbol(part)] = self._of_member(choice, lambda m, args: _also(of(m, args), there))

        match variable.kind:
            case VariableKind.INT | VariableKind.ELEMENT:
                mean(Part.ITSELF, lambda m, _: (choice.items[m], TRUE))
            case VariableKind.SET:
                mean(Part.MEMBER, lambda _, args: (_is_among(_plain(args[0]), choice.items), TRUE))
            case VariableKind.INDEX:
                mean(Part.ITSELF, lambda m, _: (choice.sizes[m], TRUE))
            case VariableKind.SHAPE | VariableKind.TENSOR:
                mean(Part.DIM, lambda m, args: self._size(choice, m, _plain(args[0])))
        if variable.kind in SHAPED:
            mean(Part.RANK, lambda m, _: (choice.ranks[m], TRUE))
        if variable.kind is VariableKind.TENSOR:
            mean(Part.READ, lambda m, args: self._element(choice, m, args[0]))
        for fact in variable.facts:
            mean(fact, lambda m, _, fact=fact: (self.fact(choice, m, fact), TRUE))  # type: ignore[misc]  # a default

    def fact(self, choice: Choice, member: int, fact: str) -> Term:
        """The truth value for a fact of a tensor."""
        return Symbol(f"{choice.variable.name}.{fact}#{member}", (), BOOL)()

    def _of_member(self, choice: Choice, of: Callable[[int, Sequence[Value]], tuple[Value, Term]]) -> Read:
        """The meaning of a symbol: that of the only member, or of the one that the first argument numbers."""
        name = choice.variable.name
        if choice.variable.count is None:
            return lambda args: of(0, args)

        def chosen(args: Sequence[Value]) -> tuple[Value, Term]:
            position, rest = _plain(args[0]), args[1:]
            # Looked up now: the length of a family is unrolled after all variables are known.
            count = self.choices[name].count
            made, defined = of(0, rest)
            defined = and_(defined, eq(position, ZERO))
            for m in range(1, self.bounds.members):
                value, has = of(m, rest)
                here = eq(position, integer(m))
                made = _choose(here, value, made)
                defined = or_(defined, and_(here, has))
            return made, and_(defined, lt(position, count))

        return chosen

    def _with_count(self, choice: Choice) -> Choice:
        """The choice with the number of its members, where that is computed: L + 1 of X0 to XL."""
        variable = choice.variable
        if variable.count is None or has_own_length(variable):
            return choice
        count, defined = self._term(variable.count, {})
        if any(node.op is Op.APPLY and node.args for node in subterms(count)):
            raise Unbounded  # A length that rests on elements: a model has no values of these.
        self.typed += [defined, le(count, integer(self.bounds.members))]
        return replace(choice, count=count)

    def _size(self, choice: Choice, member: int, axis: Term) -> tuple[Value, Term]:
        within = and_(le(ZERO, axis), lt(axis, choice.ranks[member]))
        return _on_axis(choice.sizes[member], axis), within

    def _element(self, choice: Choice, member: int, position: Value) -> tuple[Value, Term]:
        coordinates = _coordinates(position)
        within = _inside(coordinates, choice.ranks[member], choice.sizes[member])
        return self.element(choice, member, coordinates), within

    # ------------------------------------------------------------------------------------------------------ unrolling

    def _value(self, term: Term, env: dict[Term, Value]) -> tuple[Value, Term]:
        """The value of a term, whose variables have those of `env`, and the condition that it has one."""
        if term.op is Op.LITERAL:
            return term, TRUE
        if term.op is Op.VARIABLE:
            return env[term], TRUE
        key = (term, *[env[v] for v in sorted(term.free, key=number_of)])
        found = self._memo.get(key)
        if found is None:
            self._left -= 1
            if self._left < 0:
                raise Unbounded
            found = self._memo[key] = self._unrolled(term, env)
        return found

    def _term(self, term: Term, env: dict[Term, Value]) -> tuple[Term, Term]:
        """The value of a term that is no index."""
        value, defined = self._value(term, env)
        return _plain(value), defined

    def _unrolled(self, term: Term, env: dict[Term, Value]) -> tuple[Value, Term]:
        match term.op:
            case Op.AND:
                return self._junction(term.args, env, and_, stops=not_)
            case Op.OR:
                return self._junction(term.args, env, or_, stops=lambda before: before)
            case Op.ITE:
                condition, has = self._term(term.args[0], env)
                then, has_then = self._value(term.args[1], env)
                otherwise, has_otherwise = self._value(term.args[2], env)
                return _choose(condition, then, otherwise), and_(has, ite(condition, has_then, has_otherwise))
            case Op.FORALL:
                variable, low, high, body = term.args
                return self._every(variable, *self._range(low, high, env), body, env)
            case Op.FORALL_INDEX if term.args[4] is FALSE:
                # So a text says that something is empty: that some size is 0. No index has to be looked at.
                _, rank, axis, size, _ = term.args
                rank, sizes, defined = self._sizes(rank, axis, size, env)
                return or_(*[and_(lt(integer(k), rank), le(n, ZERO)) for k, n in enumerate(sizes)]), defined
            case Op.FORALL_INDEX:
                variable, rank, axis, size, body = term.args
                return self._every(variable, *self._indices(rank, axis, size, env), body, env)
            case Op.FOLD | Op.FOLD_INDEX:
                return self._fold(Fold.of(term), env)
            case Op.RECURSION:
                return self._recursion(term, env)
            case Op.INDEX:
                variable, rank, body = term.args
                axes, coordinates, defined = self._sizes(rank, variable, body, env)
                return tuple(ite(lt(integer(k), axes), c, ZERO) for k, c in enumerate(coordinates)), defined
            case Op.INSIDE:
                where, rank, axis, size = term.args
                position, has = self._value(where, env)
                rank, sizes, defined = self._sizes(rank, axis, size, env)
                return _inside(_coordinates(position), rank, sizes), and_(has, defined)
            case Op.AT:
                position, has = self._value(term.args[0], env)
                axis, has_axis = self._term(term.args[1], env)
                return _on_axis(_coordinates(position), axis), and_(has, has_axis)
            case _:
                return self._operation(term, env)

    def _operation(self, term: Term, env: dict[Term, Value]) -> tuple[Value, Term]:
        """A symbol, or an operation that has a value where its arguments have one."""
        if OPERATORS[term.op].binds:
            raise Unbounded
        args: list[Value] = []
        defined: list[Term] = []
        for arg in term.args:
            value, has = self._value(arg, env)
            args.append(value)
            defined.append(has)
        if isinstance(term.payload, Symbol) and term.payload in self._meanings:
            value, has = self._meanings[term.payload](args)
            return value, and_(*defined, has)
        if term.op is Op.EQUAL and isinstance(args[0], tuple):
            return _same(args[0], args[1]), and_(*defined)
        if any(isinstance(arg, tuple) for arg in args):
            raise Unbounded  # A function of indices that is no variable's: nothing is known of it.
        if term.op in (Op.DIV, Op.MOD):
            defined.append(not_(eq(_plain(args[1]), ZERO)))
        return rebuild(term, tuple(map(_plain, args))), and_(*defined)

    def _junction(
        self,
        args: Sequence[Term],
        env: dict[Term, Value],
        join: Callable[..., Term],
        stops: Callable[[Term], Term],
    ) -> tuple[Value, Term]:
        """Lazy from the left, as the evaluator is: behind what decides the whole nothing needs a value."""
        values: list[Term] = []
        defined: list[Term] = []
        for arg in args:
            value, has = self._term(arg, env)
            defined.append(or_(stops(join(*values)), has))
            values.append(value)
        return join(*values), and_(*defined)

    # --------------------------------------------------------------------------------------------------------- domains

    def _range(self, low: Term, high: Term, env: dict[Term, Value]) -> tuple[Names, Term]:
        """The numbers of a range. The condition says besides that no other numbers are in it."""
        first, has_first = self._term(low, env)
        last, has_last = self._term(high, env)
        # The numbers themselves where the first is known, as it is of most ranges; else those behind the first.
        if is_literal(first):
            start = integer_of(first)
            stop = start + self.bounds.span - 1
            if is_literal(last):
                stop = min(stop, integer_of(last))
            numbers = [integer(n) for n in range(start, stop + 1)]
            covered = le(last, integer(stop))
        else:
            numbers = [add(first, integer(n)) for n in range(self.bounds.span)]
            covered = lt(last, add(first, integer(self.bounds.span)))
        names = [(n, and_(le(first, n), le(n, last))) for n in numbers]
        return names, and_(has_first, has_last, or_(lt(last, first), covered))

    def _sizes(self, rank: Term, axis: Term, size: Term, env: dict[Term, Value]) -> tuple[Term, tuple[Term, ...], Term]:
        """A rank, the values of a function of axes on each axis, and the condition that they have values within it."""
        axes, has = self._term(rank, env)
        defined = [has, le(axes, integer(self.bounds.ranks))]
        values: list[Term] = []
        for k in range(self.bounds.ranks):
            within = lt(integer(k), axes)
            value, has_value = ZERO, TRUE
            if within is not FALSE:
                value, has_value = self._term(size, {**env, axis: integer(k)})
            values.append(value)
            defined.append(implies(within, has_value))
        return axes, tuple(values), and_(*defined)

    def _indices(self, rank: Term, axis: Term, size: Term, env: dict[Term, Value]) -> tuple[Names, Term]:
        """The indices of a shape. The condition says besides that it has no others."""
        axes, sizes, defined = self._sizes(rank, axis, size, env)
        most = [_greatest_of(size, self.bounds.sizes) for size in sizes]
        if prod(most) > max(self.bounds.span, _INDICES):
            raise Unbounded
        names: list[tuple[Value, Term]] = []
        for position in product(*(range(n) for n in reversed(most))):
            coordinates = tuple(integer(c) for c in reversed(position))
            names.append((coordinates, _inside(coordinates, axes, sizes)))
        covered = [
            or_(le(axes, integer(k)), le(n, integer(m))) for k, (n, m) in enumerate(zip(sizes, most, strict=True))
        ]
        return names, and_(defined, *covered)

    # --------------------------------------------------------------------------------------------------------- binders

    def _every(
        self, variable: Term, names: Names, defined: Term, body: Term, env: dict[Term, Value]
    ) -> tuple[Value, Term]:
        """The body of every name. The first that breaks it ends it: those behind need no value."""
        all_before, has_all = TRUE, [defined]
        for name, there in names:
            if there is FALSE:
                continue
            value, has = self._term(body, {**env, variable: name})
            has_all.append(implies(and_(there, all_before), has))
            all_before = and_(all_before, implies(there, value))
        return all_before, and_(*has_all)

    def _broken_somewhere(self, term: Term) -> Term:
        """The formula that some index of a shape breaks the body: one constant for each of its coordinates."""
        variable, rank, axis, size, body = term.args
        axes, sizes, defined = self._sizes(rank, axis, size, {})
        self._witnesses += 1
        where = tuple(Symbol(f"witness{self._witnesses}#{k}", (), INT)() for k in range(self.bounds.ranks))
        value, has = self._term(body, {variable: where})
        return and_(defined, _inside(where, axes, sizes), has, not_(value))

    def _fold(self, fold: Fold, env: dict[Term, Value]) -> tuple[Value, Term]:
        """A fold, over each member of its domain in turn."""
        if fold.low is not None and fold.high is not None:
            names, defined = self._range(fold.low, fold.high, env)
        else:
            assert fold.rank is not None
            assert fold.axis is not None
            assert fold.sizes is not None
            names, defined = self._indices(fold.rank, fold.axis, fold.sizes, env)
        members: list[tuple[Term, Value, Value]] = []
        has_all = [defined]
        for name, there in names:
            if there is FALSE:
                continue
            inner = {**env, fold.variable: name}
            chosen, has = self._term(fold.condition, inner)
            value, has_value = self._value(fold.value, inner)
            member = and_(there, chosen)
            has_all += [implies(there, has), implies(member, has_value)]
            members.append((member, name, value))
        value, has = self._folded(fold, members, env)
        return value, and_(*has_all, has)

    def _folded(
        self, fold: Fold, members: Sequence[tuple[Term, Value, Value]], env: dict[Term, Value]
    ) -> tuple[Value, Term]:
        sort = fold.term.sort
        match fold.kind.name:
            case FoldName.COUNT:
                return add(ZERO, *[ite(member, ONE, ZERO) for member, _, _ in members]), TRUE
            case FoldName.SUM if sort in (INT, REAL):
                zero = _number(0, sort)
                return add(zero, *[ite(member, _plain(value), zero) for member, _, value in members]), TRUE
            case FoldName.PRODUCT if sort in (INT, REAL):
                one = _number(1, sort)
                return times(one, *[ite(member, _plain(value), one) for member, _, value in members]), TRUE
            case FoldName.POSITION:
                return self._position(fold, members, env)
            case FoldName.GREATEST | FoldName.THE:
                return self._picked(fold, members, env)
            case _:
                raise Unbounded  # Machine integers: what they add up to matters to elements alone.

    def _position(
        self, fold: Fold, members: Sequence[tuple[Term, Value, Value]], env: dict[Term, Value]
    ) -> tuple[Value, Term]:
        """The member with as many before it as the ordinal says."""
        assert fold.otherwise is not None
        ordinal, has = self._term(fold.otherwise, env)
        made, found, before = ZERO, FALSE, ZERO
        for member, name, _ in members:
            here = and_(member, eq(before, ordinal))
            made, found = ite(here, _plain(name), made), or_(found, here)
            before = add(before, ite(member, ONE, ZERO))
        return made, and_(has, found)

    def _picked(
        self, fold: Fold, members: Sequence[tuple[Term, Value, Value]], env: dict[Term, Value]
    ) -> tuple[Value, Term]:
        """The greatest member by the order of the text, or the only one."""
        best: Value | None = None
        some, defined = FALSE, TRUE
        for member, _, value in members:
            if best is None:
                best, some = value, member
                continue
            if fold.kind.name is FoldName.THE:
                better, has = FALSE, _same(best, value)
            else:
                better, has = self._term(fold.order, {**env, fold.x: best, fold.y: value})
            defined = and_(defined, implies(and_(member, some), has))
            best = _choose(and_(member, or_(not_(some), better)), value, best)
            some = or_(some, member)
        if fold.otherwise is None:
            if best is None:
                raise Unbounded  # Of no members there is no value, whatever is chosen.
            return best, and_(defined, some)
        otherwise, has = self._value(fold.otherwise, env)
        if best is None:
            return otherwise, has
        return _choose(some, best, otherwise), and_(defined, or_(some, has))

    def _recursion(self, term: Term, env: dict[Term, Value]) -> tuple[Value, Term]:
        """A recursion, from its start up to each number within the span."""
        variable, below, start, number, body = term.args
        end, has_end = self._term(number, env)
        # At the start nothing is below: a body that reads it there has no value. It seldom does, and a replay shows it.
        value: Value = Symbol("nothing below the start", (), below.sort)()
        made, found, so_far = value, FALSE, TRUE
        for n in range(integer_of(start), integer_of(start) + self.bounds.span):
            value, has = self._value(body, {**env, variable: integer(n), below: value})
            so_far = and_(so_far, has)
            here = eq(end, integer(n))
            made, found = _choose(here, value, made), or_(found, and_(here, so_far))
        return made, and_(has_end, found)


# ------------------------------------------------------------------------------------------------------ small formulas


def _also(read: tuple[Value, Term], condition: Term) -> tuple[Value, Term]:
    value, defined = read
    return value, and_(condition, defined)


def _plain(value: Value) -> Term:
    assert isinstance(value, Term)
    return value


def _coordinates(value: Value) -> tuple[Term, ...]:
    assert isinstance(value, tuple)
    return value


def _number(value: int, sort: Sort) -> Term:
    if sort == INT:
        return integer(value)
    return literal(Fraction(value), sort)


def _between(low: int, term: Term, high: int) -> Term:
    return and_(le(integer(low), term), le(term, integer(high)))


def _is_among(number: Term, items: Sequence[Term]) -> Term:
    return or_(*[and_(eq(number, integer(k)), item) for k, item in enumerate(items)])


def _greatest_of(size: Term, most: int) -> int:
    """The greatest value of a size: that of a literal, or the bound; at least 1, since there is an index 0 beyond the
    rank."""
    if is_literal(size):
        return max(integer_of(size), 1)
    return most


def _choose(condition: Term, then: Value, otherwise: Value) -> Value:
    if isinstance(then, tuple):
        return tuple(ite(condition, a, b) for a, b in zip(then, _coordinates(otherwise), strict=True))
    return ite(condition, then, _plain(otherwise))


def _same(one: Value, other: Value) -> Term:
    if isinstance(one, tuple):
        return and_(*[eq(a, b) for a, b in zip(one, _coordinates(other), strict=True)])
    return eq(one, _plain(other))


def _on_axis(values: Sequence[Term], axis: Term) -> Term:
    """The value on an axis, 0 on one that there is none for."""
    if is_literal(axis):
        if 0 <= integer_of(axis) < len(values):
            return values[integer_of(axis)]
        return ZERO
    made = ZERO
    for k, value in enumerate(values):
        made = ite(eq(axis, integer(k)), value, made)
    return made


def _inside(coordinates: Sequence[Term], rank: Term, sizes: Sequence[Term]) -> Term:
    """The condition that an index lies in a shape: in range within the rank, 0 beyond it."""
    parts = []
    for k, (coordinate, size) in enumerate(zip(coordinates, sizes, strict=True)):
        in_range = and_(le(ZERO, coordinate), lt(coordinate, size))
        parts.append(ite(lt(integer(k), rank), in_range, eq(coordinate, ZERO)))
    return and_(*parts)
