"""The relations between elements and the numbers that they stand for, of the terms that occur in ground assertions.

Trusted: what is returned is asserted. In go ground assertions, in which `to_int`, `wrapped` and `to_real` are free
functions to a solver; out come facts about them that are true of the meaning of these functions, whatever the
assertions are. `Grounder` tells the range of a machine integer; here are literals, comparisons and signs:

- int(T(5)) is 5, and T(5) is the element of 5: so int(x) = 5 and x = T(5) are one fact;
- x < y of machine integers is int(x) < int(y);
- the places of floats among all of a format are ordered as the floats are;
- the real of a finite literal is its value; of finite floats x < y is real(x) < real(y), and real(-x) is -real(x).

The last does not hold of NaN and infinities, which have no real: each fact about floats is under the condition that
they are finite. A real says less than its float: +0 and -0 are two floats with one real, so `real(x) = c` and `x =
T(c)` are no one fact, and ieee_equal(x, y) is what real(x) = real(y) says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.builders import and_, eq, implies, le, lt, not_
from sonnx_verify.logic.elements import element, ordinal
from sonnx_verify.logic.nodes import Term, integer, integer_of, literal, make, subterms
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import linear, scale, sub
from sonnx_verify.logic.sorts import INT, REAL, FloatSort, IntegerSort, Sort

_COMPARISONS = (Op.AT_MOST, Op.LESS, Op.IEEE_EQUAL)
_ZERO = literal(Fraction(0), REAL)
_SIGNS = (Op.IS_ZERO, Op.IS_NEGATIVE, Op.IS_POSITIVE)


def facts(assertions: Iterable[Term]) -> list[Term]:
    """The facts about the conversions in some ground assertions, each once, in an order that these decide."""
    found = list(subterms(*assertions))
    converted = {node.args[0]: node for node in found if _is_conversion(node)}
    sorts = {machine.sort for machine in converted} | {node.sort for node in found if node.op is ops.WRAPPED}
    made: dict[Term, None] = {}
    for node in found:
        made.update(dict.fromkeys(_facts_of(node, converted, sorts)))
    made.update(dict.fromkeys(_of_ordinals(found)))
    return list(made)


def _of_ordinals(found: Sequence[Term]) -> Iterator[Term]:
    """The places of floats are ordered as the floats are. What is no NaN lies between the infinities."""
    placed: dict[Term, Term] = {node.args[0]: node for node in found if node.op is ops.ORDINAL}
    for value, place in placed.items():
        sort = value.sort
        assert isinstance(sort, FloatSort)
        most = floats.ordinal(sort, floats.infinity(sort))
        number = not_(element(Op.IS_NAN, value))
        yield implies(number, and_(le(integer(-most), place), le(place, integer(most))))
        literals = [node for node in found if node.op is ops.LITERAL and node.sort == sort and not _is_nan(node)]
        others = {**{one: ordinal(one) for one in literals}, **placed}
        for other, its_place in others.items():
            # Of two zeros, which are equal as numbers, the places are equal too.
            if other.sort == sort and other is not value:
                numbers = and_(number, not_(element(Op.IS_NAN, other)))
                yield implies(numbers, eq(le(value, other), le(place, its_place)))


def _is_conversion(node: Term) -> bool:
    return node.op is ops.TO_INT or (node.op is ops.TO_REAL and isinstance(node.args[0].sort, FloatSort))


def _facts_of(node: Term, converted: dict[Term, Term], sorts: set[Sort]) -> Iterator[Term]:
    """The facts that one term of the assertions gives rise to."""
    if node.op is ops.LITERAL:
        if node.sort in sorts:
            yield from _of_literal(node)
    elif node.op is ops.EQUAL and node.args[0].sort == INT:
        yield from _of_number(node)
    elif node.op in _COMPARISONS:
        yield from _of_comparison(node, converted)
    elif node.op in _SIGNS:
        yield from _of_sign(node, converted)
    elif node.op is ops.NEG:
        yield from _of_negation(node, converted)


def _of_literal(value: Term) -> Iterator[Term]:
    """The number of a literal; of a machine integer also the way back.

    Beside to_int(x) = 0 the fact wrapped(0) = T(0) makes x = T(0), since wrapped(to_int(x)) = x is told; beside x =
    T(0) the fact to_int(T(0)) = 0 makes to_int(x) = 0. No builder: it would compute what is to be said.
    """
    if isinstance(value.sort, IntegerSort):
        number = integer(integer_of(value))
        yield eq(make(ops.WRAPPED, (number,), value.sort), value)
        yield eq(make(ops.TO_INT, (value,), INT), number)
    elif isinstance(value.sort, FloatSort) and _is_finite(value):
        yield eq(make(ops.TO_REAL, (value,), REAL), _real_of_literal(value))


def _of_number(equation: Term) -> Iterator[Term]:
    """The element of the number that `to_int(x)` alone is compared with, if the type has it: 300 is none of int8."""
    atoms, constant = linear(sub(*equation.args))
    if len(atoms) != 1:
        return
    ((atom, coefficient),) = atoms.items()
    if atom.op is not ops.TO_INT or coefficient not in (1, -1):
        return
    number, sort = int(-coefficient * constant), atom.args[0].sort
    assert isinstance(sort, IntegerSort)
    if sort.lowest <= number <= sort.greatest:
        yield from _of_literal(literal(number, sort))


def _of_comparison(node: Term, converted: dict[Term, Term]) -> Iterator[Term]:
    """A comparison of elements, as one of their numbers, where these are spoken of."""
    a, b = node.args
    if a not in converted and b not in converted:
        return
    numbers = _number(a, converted), _number(b, converted)
    if None in numbers:
        return
    one, other = (n for n in numbers if n is not None)
    match node.op:
        case Op.AT_MOST:
            said = le(one, other)
        case Op.LESS:
            said = lt(one, other)
        case _:
            said = eq(one, other)
    yield implies(_finite(a, b), eq(node, said))


def _of_sign(node: Term, converted: dict[Term, Term]) -> Iterator[Term]:
    """The sign of a finite float whose real is spoken of. A zero has a sign too, of which its real says nothing."""
    real = converted.get(node.args[0])
    if real is None:
        return
    zero, finite = _ZERO, _finite(node.args[0])
    match node.op:
        case Op.IS_ZERO:
            yield implies(finite, eq(node, eq(real, zero)))
        case Op.IS_NEGATIVE:
            yield implies(and_(finite, node), le(real, zero))
            yield implies(and_(finite, not_(node)), le(zero, real))
        case _:
            yield implies(and_(finite, node), le(zero, real))
            yield implies(and_(finite, not_(node)), le(real, zero))


def _of_negation(node: Term, converted: dict[Term, Term]) -> Iterator[Term]:
    """The real of -x, where both are spoken of. Not of machine integers: of int8, -(-128) is -128."""
    if not isinstance(node.sort, FloatSort) or node not in converted:
        return
    real = _number(node.args[0], converted)
    if real is not None:
        yield implies(_finite(node.args[0]), eq(converted[node], scale(-1, real)))


def _number(value: Term, converted: dict[Term, Term]) -> Term | None:
    """The number of an element: of a literal, or where it is spoken of."""
    if value.op is not ops.LITERAL:
        return converted.get(value)
    if isinstance(value.sort, IntegerSort):
        return integer(integer_of(value))
    if isinstance(value.sort, FloatSort) and _is_finite(value):
        return _real_of_literal(value)
    return None


def _finite(*elements: Term) -> Term:
    """The condition that each of some elements has a number."""
    made = []
    for one in elements:
        if isinstance(one.sort, FloatSort) and one.op is not ops.LITERAL:
            made += [not_(element(Op.IS_NAN, one)), not_(element(Op.IS_INFINITE, one))]
    return and_(*made)


def _is_finite(float_literal: Term) -> bool:
    sort, bits = float_literal.sort, integer_of(float_literal)
    assert isinstance(sort, FloatSort)
    return floats.is_finite(sort, bits)


def _is_nan(float_literal: Term) -> bool:
    assert isinstance(float_literal.sort, FloatSort)
    return floats.is_nan(float_literal.sort, integer_of(float_literal))


def _real_of_literal(float_literal: Term) -> Term:
    sort = float_literal.sort
    assert isinstance(sort, FloatSort)
    return literal(floats.to_fraction(sort, integer_of(float_literal)), REAL)
