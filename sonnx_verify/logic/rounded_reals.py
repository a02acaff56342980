"""A second reading of floats: exact reals that are rounded.

Solvers read floats as strings of bits, and lose themselves in circuits where a product or a root is compared with
another. Most laws of rounded arithmetic follow from less: rounding is monotone, and a float is rounded to itself. Here
a float is three terms: whether it is NaN, whether its sign is set, and its value, a real; a sum of floats is the exact
sum, rounded. IEEE 754 defines the operations in this way (4.3, 6.1 to 6.3).

Trusted: in go ground assertions, out come assertions in which nothing is a float. For each model of the ones there has
to be one of the others, so that unsat of these is unsat of those. That model gives each float its own NaN, sign and
value, an infinity the overflow threshold as its value, NaN zero; `rounded n` is the rounding of its real. So each fact
below has to be true of these; to leave one out is sound. tests/logic/test_rounded_reals.py evaluates every fact on
floats of all formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.algebraic import Algebra, function_of
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.builders import and_, eq, implies, ite, le, lt, not_, or_
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import FALSE, TRUE, Symbol, Term, apply, integer, literal
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.polynomials import add, scale, sub, times
from sonnx_verify.logic.sorts import BOOL, INT, REAL, FloatSort, IntegerSort, MinifloatSort, Sort

_ZERO = literal(Fraction(0), REAL)
_PARTS = (("nan", BOOL), ("negative", BOOL), ("value", REAL))
_INTEGRAL = frozenset((Op.ROUND_EVEN, Op.ROUND_AWAY, Op.ROUND_UP, Op.ROUND_DOWN, Op.ROUND_TO_ZERO))
_ROUNDING = frozenset((Op.ADD, Op.SUB, Op.MUL, Op.DIVIDE, Op.SQRT, Op.FMA))


def rounds(term: Term) -> bool:
    """Return whether a term is an operation of floats whose exact result is rounded, to a float or to an integer, or a
    conversion of one format to another."""
    if not isinstance(term.sort, FloatSort):
        return False
    return term.op in _ROUNDING | _INTEGRAL or (term.op is Op.CONVERTED and isinstance(term.args[0].sort, FloatSort))


def as_rounded_reals(assertions: Sequence[Term]) -> list[Term]:
    """The assertions with floats as reals that are rounded, and what is known of these: polynomials of constants."""
    reading = RoundedReals()
    made = [reading.read(assertion) for assertion in assertions]
    return [*made, *reading.facts()]


@dataclass(frozen=True, slots=True)
class Float:
    """A float as three terms. The value of an infinity is the overflow threshold with its sign, that of NaN is 0."""

    sort: FloatSort
    nan: Term
    negative: Term
    value: Term

    @property
    def infinite(self) -> Term:
        """True for an infinity."""
        if isinstance(self.sort, MinifloatSort):
            return FALSE
        limit = floats.overflow_threshold(self.sort)
        return or_(eq(self.value, _real(limit)), eq(self.value, _real(-limit)))

    @property
    def zero(self) -> Term:
        """True for one of the two zeros."""
        return and_(not_(self.nan), eq(self.value, _ZERO))

    @property
    def finite(self) -> Term:
        """True for a finite number."""
        return and_(not_(self.nan), not_(self.infinite))

    def negated(self) -> Float:
        """-x: that of NaN is NaN, whose sign is not set."""
        sign = and_(not_(self.nan), not_(self.negative))
        return Float(self.sort, self.nan, sign, scale(-1, self.value))


@dataclass(frozen=True, slots=True)
class _Rounded:
    """A real and the float nearest to it, by its value."""

    exact: Term
    nearest: Term


class RoundedReals:
    """Reads terms, and collects what is known of the reals that stand for floats."""

    def __init__(self) -> None:
        self._terms: dict[Term, Term] = {}
        self._floats: dict[Term, Float] = {}
        self._facts: dict[Term, None] = {}
        self._rounded: dict[FloatSort, dict[Term, _Rounded]] = {}
        self._known: dict[FloatSort, dict[Term, None]] = {}
        """Reals that are values of floats of the format."""
        self._algebra = Algebra()
        self._places: dict[tuple[FloatSort, Term], Term] = {}
        """The places of floats among all of their format, by their values."""
        self._integers: dict[tuple[Op, Term], Term] = {}
        """Integers next to values of floats, by the way that these are rounded."""
        self._literals: dict[Term, None] = {}
        """The reals that are written out."""
        self._parts: dict[Term, tuple[str, Term]] = {}
        """The constants that are parts of a float, with the name of the part and that float."""
        self._free = 0

    # ---------------------------------------------------------------------------------------------------- reading

    def read(self, term: Term) -> Term:
        """A term that is no float, without floats in it."""
        done = self._terms.get(term)
        if done is None:
            done = self._terms[term] = self._read_anew(term)
        return done

    def _read_anew(self, term: Term) -> Term:
        if term.op is ops.LITERAL and term.sort == REAL:
            self._literals[term] = None
        if any(isinstance(arg.sort, FloatSort) for arg in term.args):
            return self._on_floats(term)
        args = tuple(self.read(arg) for arg in term.args)
        if term.op is ops.QUOTIENT:
            return self._algebra.quotient(*args)
        if term.op is ops.REAL_FUNCTION:
            return self._algebra.value(function_of(term), *args)
        if args == term.args:
            return term
        return rebuild(term, args)

    def _on_floats(self, term: Term) -> Term:
        if term.op is ops.APPLY:
            assert isinstance(term.payload, Symbol)
            return self._applied(term, term.payload.name, term.sort)
        parts = [self.read_float(arg) for arg in term.args if isinstance(arg.sort, FloatSort)]
        if term.op is ops.TO_REAL:
            (a,) = parts
            # Of NaN and the infinities the reals are some numbers, of which nothing is known.
            return ite(a.finite, a.value, self._constant(REAL))
        if term.op is ops.ORDINAL:
            (a,) = parts
            # Of NaN it is some integer, of which nothing is known.
            return ite(a.nan, self._constant(INT), self._place(a.sort, a.value))
        if term.op in GROUPS[Group.COMPARISON] | GROUPS[Group.FLOAT] | {ops.EQUAL}:
            return _condition(term.op, parts)
        # Nothing is known of it here, such as of the bits of a float.
        return self._constant(term.sort)

    def read_float(self, term: Term) -> Float:
        """A float as three terms."""
        done = self._floats.get(term)
        if done is None:
            done = self._floats[term] = self._read_float_anew(term)
        return done

    def _read_float_anew(self, term: Term) -> Float:
        sort = term.sort
        assert isinstance(sort, FloatSort)
        if isinstance(sort, MinifloatSort) and term.op in (Op.ROUNDED, Op.CONVERTED):
            # What is too great becomes NaN there, and the facts of rounding speak of infinities: it is some minifloat.
            return self._unread(sort, term)
        match term.op:
            case Op.LITERAL:
                assert isinstance(term.payload, int)
                return self._literal(sort, term.payload)
            case Op.ITE:
                condition = self.read(term.args[0])
                then, otherwise = self.read_float(term.args[1]), self.read_float(term.args[2])
                return _chosen(condition, then, otherwise)
            case Op.NEG:
                made = self.read_float(term.args[0]).negated()
                self._know(sort, made.value)
                return made
            case _ if term.op in _INTEGRAL and _has_integers(sort):
                return self._rounded_to_integer(sort, term.op, self.read_float(term.args[0]))
            case Op.ROUNDED:
                exact = self.read(term.args[0])
                # A zero is +0 here: the float nearest to the real 0 (IEEE 754, 6.3 speaks of sums alone).
                if _is_float(sort, term.args[0]):
                    self._know(sort, exact)
                    return Float(sort, FALSE, lt(exact, _ZERO), exact)
                return Float(sort, FALSE, lt(exact, _ZERO), self._nearest(sort, exact))
            case Op.CONVERTED if isinstance(term.args[0].sort, FloatSort):
                return self._converted(sort, self.read_float(term.args[0]))
            case _ if term.op in _ROUNDING:
                return self._operation(sort, term.op, [self.read_float(arg) for arg in term.args])
            case Op.APPLY:
                assert isinstance(term.payload, Symbol)
                parts = [self._applied(term, f"{part} {term.payload.name}", one) for part, one in _PARTS]
                return self._unknown(sort, term, parts)
            case _:
                # An operation that is not read here gives some float.
                return self._unread(sort, term)

    def _literal(self, sort: FloatSort, bits: int) -> Float:
        if floats.is_nan(sort, bits):
            return Float(sort, TRUE, FALSE, _ZERO)
        negative = floats.is_negative(sort, bits)
        if not floats.is_infinite(sort, bits):
            value = floats.to_fraction(sort, bits)
        elif negative:
            value = -floats.overflow_threshold(sort)
        else:
            value = floats.overflow_threshold(sort)
        made = Float(sort, FALSE, TRUE if negative else FALSE, _real(value))
        self._know(sort, made.value)
        return made

    def _unread(self, sort: FloatSort, term: Term) -> Float:
        """Some float in place of an operation that is not read."""
        self._free += 1
        # The names have a space, as no name of a text has.
        parts = [apply(Symbol(f"{part} float {self._free}", (), one)) for part, one in _PARTS]
        return self._unknown(sort, term, parts)

    def _unknown(self, sort: FloatSort, term: Term, parts: Sequence[Term]) -> Float:
        """A float of which nothing is known but that it is one, by its parts."""
        for (name, _), part in zip(_PARTS, parts, strict=True):
            self._parts[part] = name, term
        made = Float(sort, *parts)
        greatest = floats.to_fraction(sort, floats.greatest(sort))
        within = and_(le(_real(-greatest), made.value), le(made.value, _real(greatest)))
        if not isinstance(sort, MinifloatSort):
            limit = floats.overflow_threshold(sort)
            within = or_(within, eq(made.value, _real(limit)), eq(made.value, _real(-limit)))
        self._tell(within)
        self._tell(implies(made.nan, and_(eq(made.value, _ZERO), not_(made.negative))))
        least = _real(floats.to_fraction(sort, floats.smallest_subnormal(sort)))
        self._tell(or_(eq(made.value, _ZERO), le(least, made.value), le(made.value, scale(-1, least))))
        # A zero has either sign.
        self._tell(implies(lt(made.value, _ZERO), made.negative))
        self._tell(implies(lt(_ZERO, made.value), not_(made.negative)))
        self._know(sort, made.value)
        return made

    def _applied(self, term: Term, name: str, result: Sort) -> Term:
        """A function on the parts of what it was applied to."""
        args: list[Term] = []
        for arg in term.args:
            if isinstance(arg.sort, FloatSort):
                one = self.read_float(arg)
                args += (one.nan, one.negative, one.value)
            else:
                args.append(self.read(arg))
        return apply(Symbol(name, tuple(a.sort for a in args), result), *args)

    def _constant(self, sort: Sort) -> Term:
        self._free += 1
        return apply(Symbol(f"some {self._free}", (), sort))

    # ------------------------------------------------------------------------------------------------- operations

    def _converted(self, sort: FloatSort, a: Float) -> Float:
        """A float of another format: NaN stays NaN, an infinity is that of its sign, a zero keeps its sign."""
        limit = _real(floats.overflow_threshold(sort))
        infinite = ite(a.negative, scale(-1, limit), limit)
        return Float(sort, a.nan, a.negative, ite(a.infinite, infinite, self._nearest(sort, a.value)))

    def _operation(self, sort: FloatSort, op: Op, args: Sequence[Float]) -> Float:
        match op:
            case Op.ADD:
                return self._sum(sort, *args)
            case Op.SUB:
                return self._sum(sort, args[0], args[1].negated())
            case Op.MUL:
                return self._product(sort, *args)
            case Op.DIVIDE:
                return self._quotient(sort, *args)
            case Op.SQRT:
                return self._root(sort, *args)
            case _:
                return self._fused(sort, *args)

    def _sum(self, sort: FloatSort, a: Float, b: Float) -> Float:
        opposite = and_(a.infinite, b.infinite, not_(eq(a.negative, b.negative)))
        exact = add(a.value, b.value)
        value = ite(a.infinite, a.value, ite(b.infinite, b.value, self._nearest(sort, exact)))
        # A sum that is 0 is -0 only of two zeros that are: of x and -x the signs differ.
        negative = ite(a.infinite, a.negative, ite(b.infinite, b.negative, _sign(exact, and_(a.negative, b.negative))))
        return _unless(or_(a.nan, b.nan, opposite), sort, negative, value)

    def _product(self, sort: FloatSort, a: Float, b: Float) -> Float:
        infinite = or_(a.infinite, b.infinite)
        nan = or_(a.nan, b.nan, and_(infinite, or_(a.zero, b.zero)))
        negative = not_(eq(a.negative, b.negative))
        nearest = self._nearest(sort, times(a.value, b.value))
        return _unless(nan, sort, negative, ite(infinite, _signed_limit(sort, negative), nearest))

    def _quotient(self, sort: FloatSort, a: Float, b: Float) -> Float:
        nan = or_(a.nan, b.nan, and_(a.zero, b.zero), and_(a.infinite, b.infinite))
        negative = not_(eq(a.negative, b.negative))
        nearest = self._nearest(sort, self._algebra.quotient(a.value, b.value))
        infinite = or_(a.infinite, b.zero)
        value = ite(infinite, _signed_limit(sort, negative), ite(b.infinite, _ZERO, nearest))
        return _unless(nan, sort, negative, value)

    def _root(self, sort: FloatSort, a: Float) -> Float:
        nan = or_(a.nan, and_(a.negative, not_(a.zero)))
        nearest = self._nearest(sort, self._algebra.value(RealFunction.SQRT, a.value))
        value = ite(or_(a.zero, a.infinite), a.value, nearest)
        # The root of -0 is -0.
        return _unless(nan, sort, and_(a.zero, a.negative), value)

    def _fused(self, sort: FloatSort, a: Float, b: Float, c: Float) -> Float:
        infinite = or_(a.infinite, b.infinite)
        sign = not_(eq(a.negative, b.negative))
        nan = or_(
            a.nan, b.nan, c.nan,
            and_(infinite, or_(a.zero, b.zero)),
            and_(infinite, c.infinite, not_(eq(sign, c.negative))),
        )  # fmt: skip
        exact = add(times(a.value, b.value), c.value)
        nearest = self._nearest(sort, exact)
        value = ite(infinite, _signed_limit(sort, sign), ite(c.infinite, c.value, nearest))
        negative = ite(infinite, sign, ite(c.infinite, c.negative, _sign(exact, and_(sign, c.negative))))
        return _unless(nan, sort, negative, value)

    def _rounded_to_integer(self, sort: FloatSort, op: Op, a: Float) -> Float:
        """The integer next to a float. It has the sign of the float, even where it is 0; infinities stay."""
        if (op, a.value) not in self._integers:
            made = self._integers[op, a.value] = self._constant(REAL)
            self._know(sort, made)
        return Float(sort, a.nan, a.negative, ite(a.infinite, a.value, self._integers[op, a.value]))

    # --------------------------------------------------------------------------------------------------- rounding

    def _nearest(self, sort: FloatSort, exact: Term) -> Term:
        """The value of the float nearest to a real, an infinity as the overflow threshold."""
        found = self._rounded.setdefault(sort, {})
        if exact not in found:
            count = sum(map(len, self._rounded.values()))
            found[exact] = _Rounded(exact, apply(Symbol(f"rounded {count}", (), REAL)))
        return found[exact].nearest

    def _know(self, sort: FloatSort, value: Term) -> None:
        self._known.setdefault(sort, {})[value] = None

    def _place(self, sort: FloatSort, value: Term) -> Term:
        """The place of the float with that value."""
        if (sort, value) not in self._places:
            self._places[sort, value] = self._constant(INT)
            self._know(sort, value)
        return self._places[sort, value]

    def _tell(self, fact: Term) -> None:
        self._facts[fact] = None

    def facts(self) -> list[Term]:
        """The facts about the reals that were made, once everything is read."""
        made = dict.fromkeys((*self._facts, *self._algebra.facts()))
        for sort, rounded in self._rounded.items():
            known = self._embedded(sort)
            ones = list(rounded.values())
            for n, one in enumerate(ones):
                made.update(dict.fromkeys(of_rounding(sort, one.exact, one.nearest)))
                if _is_whole(one.exact) and _has_integers(sort):
                    made.update(dict.fromkeys(of_whole(sort, one.exact, one.nearest)))
                for value in known:
                    made.update(dict.fromkeys(of_known(one.exact, one.nearest, value)))
                for other in ones[:n]:
                    made.update(dict.fromkeys(of_two(one.exact, one.nearest, other.exact, other.nearest)))
        for (op, value), number in self._integers.items():
            made.update(dict.fromkeys(of_integer(op, value, number)))
            # To round to an integer is monotone, and keeps integers, as to round to a float keeps floats.
            for whole in (_ZERO, *self._integers.values()):
                made.update(dict.fromkeys(of_known(value, number, whole)))
            for (way, larger), further in self._integers.items():
                if way is op:
                    made[implies(le(value, larger), le(number, further))] = None
        for (sort, value), place in self._places.items():
            made.update(dict.fromkeys(self._of_place(sort, value, place)))
        return [fact for fact in made if fact is not TRUE]

    def _of_place(self, sort: FloatSort, value: Term, place: Term) -> Iterator[Term]:
        """Facts about the place of a float: it is between those of the infinities, and places are ordered as the
        values of floats are."""
        most = floats.ordinal(sort, floats.infinity(sort))
        yield and_(le(integer(-most), place), le(place, integer(most)))
        for (format_, other), further in self._places.items():
            if format_ == sort:
                yield eq(le(value, other), le(place, further))
        for known in self._known.get(sort, {}):
            if known.op is ops.LITERAL:
                assert isinstance(known.payload, Fraction)
                bits = floats.round_to_nearest(sort, known.payload)
                number = integer(floats.ordinal(sort, bits))
                yield eq(le(value, known), le(place, number))
                yield eq(le(known, value), le(number, place))

    def _embedded(self, sort: FloatSort) -> list[Term]:
        """The values that floats of the format have: of its own, and of formats that it embeds."""
        found: dict[Term, None] = {}
        for other in dict.fromkeys((*self._known, *self._rounded)):
            if other.exponent <= sort.exponent and other.significand <= sort.significand:
                # An infinity of a smaller format has the value of a threshold, which the wider format has as well: it
                # is (2 - 2^-p) 2^emax, of p + 1 bits. Of the same format it is rounded to itself by its own fact.
                if other != sort and other.significand == sort.significand:
                    continue
                found.update(self._known.get(other, {}))
                if other != sort:
                    found.update(dict.fromkeys(one.nearest for one in self._rounded.get(other, {}).values()))
        found.update(dict.fromkeys(one.nearest for one in self._rounded.get(sort, {}).values()))
        # 1.0 is a float of every format, and 0.1 of none: only what is rounded to itself is known to be one.
        found.update(dict.fromkeys(one for one in self._literals if _is_exactly(sort, one)))
        return list(found)


def _has_integers(sort: FloatSort) -> bool:
    """Return whether the integers next to each float of a format are floats: below 2 to the number of significant bits
    all integers are, and from there on all floats are integers."""
    # One more, so that the overflow threshold, the value of an infinity, is an integer too.
    return (1 << (sort.exponent - 1)) - 1 >= sort.significand


def of_rounding(sort: FloatSort, exact: Term, nearest: Term) -> Iterable[Term]:
    """Facts about a real and the float nearest to it: overflow from the threshold on, and its sign."""
    limit, greatest = floats.overflow_threshold(sort), floats.to_fraction(sort, floats.greatest(sort))
    yield eq(le(_real(limit), exact), eq(nearest, _real(limit)))
    yield eq(le(exact, _real(-limit)), eq(nearest, _real(-limit)))
    within = and_(lt(_real(-limit), exact), lt(exact, _real(limit)))
    yield implies(within, and_(le(_real(-greatest), nearest), le(nearest, _real(greatest))))
    yield implies(le(_ZERO, exact), le(_ZERO, nearest))
    yield implies(le(exact, _ZERO), le(nearest, _ZERO))


def of_whole(sort: FloatSort, exact: Term, nearest: Term) -> Iterator[Term]:
    """Facts about an integer and the float nearest to it: an integer that needs no more bits than a significand
    has is a float. Of float16 2048 is the last of them, as 2049 is none."""
    limit = Fraction(1 << sort.significand)
    yield implies(and_(le(_real(-limit), exact), le(exact, _real(limit))), eq(nearest, exact))
    for value in (-limit, limit):
        yield from of_known(exact, nearest, _real(value))


def _is_float(sort: FloatSort, exact: Term) -> bool:
    """Return whether a real is the integer of an element of a type whose values are all floats: an int8 is a float16,
    and an int16 is not."""
    if not _is_whole(exact) or not _has_integers(sort):
        return False
    whole = exact.args[0]
    if whole.op is not ops.TO_INT:
        return False
    machine, limit = whole.args[0].sort, 1 << sort.significand
    return isinstance(machine, IntegerSort) and -limit <= machine.lowest and machine.greatest <= limit


def _is_exactly(sort: FloatSort, exact: Term) -> bool:
    """Return whether a real that is written out is a float of a format."""
    assert isinstance(exact.payload, Fraction)
    bits = floats.round_to_nearest(sort, exact.payload)
    return floats.is_finite(sort, bits) and floats.to_fraction(sort, bits) == exact.payload


def _is_whole(exact: Term) -> bool:
    """Return whether a real is an integer by its form."""
    return exact.op is ops.TO_REAL and exact.args[0].sort == INT


def of_integer(op: Op, value: Term, number: Term) -> Iterable[Term]:
    """Facts about a real and the integer that it is rounded to: on which side it is, and how far it is off."""
    above, below = sub(number, value), sub(value, number)
    zero, half, one = _ZERO, _real(Fraction(1, 2)), _real(Fraction(1))
    match op:
        case Op.ROUND_UP:
            yield and_(le(zero, above), lt(above, one))
        case Op.ROUND_DOWN:
            yield and_(le(zero, below), lt(below, one))
        case Op.ROUND_TO_ZERO:
            yield implies(le(zero, value), and_(le(zero, below), lt(below, one)))
            yield implies(le(value, zero), and_(le(zero, above), lt(above, one)))
        case _:
            yield and_(le(above, half), le(below, half))


def of_known(exact: Term, nearest: Term, value: Term) -> Iterable[Term]:
    """Facts about a real, the float nearest to it, and the value of a float: rounding is monotone, and a float is
    rounded to itself."""
    yield implies(le(exact, value), le(nearest, value))
    yield implies(le(value, exact), le(value, nearest))


def of_two(one: Term, of_one: Term, other: Term, of_other: Term) -> Iterable[Term]:
    """Facts about two reals and the floats nearest to them: rounding is monotone, and odd."""
    yield implies(le(one, other), le(of_one, of_other))
    yield implies(le(other, one), le(of_other, of_one))
    yield implies(eq(add(one, other), _ZERO), eq(add(of_one, of_other), _ZERO))


def _real(value: Fraction) -> Term:
    return literal(value, REAL)


def _condition(op: Op, parts: Sequence[Float]) -> Term:
    """A comparison of floats, or the class of one."""
    if len(parts) == 1:
        return _class(op, *parts)
    a, b = parts
    numbers = and_(not_(a.nan), not_(b.nan))
    match op:
        case Op.EQUAL:
            return and_(eq(a.nan, b.nan), eq(a.negative, b.negative), eq(a.value, b.value))
        case Op.AT_MOST:
            return and_(numbers, le(a.value, b.value))
        case Op.LESS:
            return and_(numbers, lt(a.value, b.value))
        case _:
            assert op is Op.IEEE_EQUAL
            return and_(numbers, eq(a.value, b.value))


def _class(op: Op, a: Float) -> Term:
    """The condition that a float is of a class: NaN, infinite, a zero, of a sign."""
    match op:
        case Op.IS_NAN:
            return a.nan
        case Op.IS_INFINITE:
            return a.infinite
        case Op.IS_ZERO:
            return a.zero
        case Op.IS_NEGATIVE:
            return a.negative
        case _:
            assert op is Op.IS_POSITIVE
            return and_(not_(a.nan), not_(a.negative))


def _chosen(condition: Term, then: Float, otherwise: Float) -> Float:
    return Float(
        then.sort,
        ite(condition, then.nan, otherwise.nan),
        ite(condition, then.negative, otherwise.negative),
        ite(condition, then.value, otherwise.value),
    )


def _unless(nan: Term, sort: FloatSort, negative: Term, value: Term) -> Float:
    """A float that is NaN under a condition, and else has a sign and a value."""
    return Float(sort, nan, and_(not_(nan), negative), ite(nan, _ZERO, value))


def _sign(exact: Term, of_zero: Term) -> Term:
    """The sign of a rounded real, where that of 0 is given. What underflows keeps its sign."""
    return or_(lt(exact, _ZERO), and_(eq(exact, _ZERO), of_zero))


def _signed_limit(sort: FloatSort, negative: Term) -> Term:
    limit = _real(floats.overflow_threshold(sort))
    return ite(negative, scale(-1, limit), limit)
