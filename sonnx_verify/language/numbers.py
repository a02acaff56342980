"""Arithmetic, conversions between elements and numbers, and constants of element types. Trusted. Values in, terms out.

It finds out which form of arithmetic a text means: whether a number that is written out is an element, whether a clause
is exact, and what would wrap where nobody sees it. Nothing that is computed is converted by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sonnx_verify.kernel import arithmetic, conversions
from sonnx_verify.kernel.conversions import TypeConstant
from sonnx_verify.kernel.core import FAMILIES, Family
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import MACHINE, Value
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.constants import GREATEST_EXPONENT, LONGEST, exponent_of, written_out
from sonnx_verify.language.context import Context
from sonnx_verify.language.functions import Conversion
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Term, is_literal
from sonnx_verify.sources import Span

_OPERATIONS: Mapping[s.Sign | s.Factor, Op] = {s.Sign.PLUS: Op.ADD, s.Sign.MINUS: Op.SUB, s.Factor.TIMES: Op.MUL}


def _holds(sort: IntegerSort, number: object) -> bool:
    return isinstance(number, int) and sort.lowest <= number <= sort.greatest


def _is_exactly(sort: Sort, number: Fraction) -> bool:
    """Return whether some element of a type is the number, neither wrapped nor rounded."""
    if isinstance(sort, IntegerSort):
        return number.denominator == 1 and _holds(sort, int(number))
    if isinstance(sort, FloatSort):
        bits = floats.round_to_nearest(sort, number)
        return floats.is_finite(sort, bits) and floats.to_fraction(sort, bits) == number
    return True


class Numbers:
    """Numbers and elements in one context, which says what T is and whether arithmetic is exact."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # -------------------------------------------------------------------------------------------------- arithmetic

    def sum(self, node: s.Sum, values: list[Value]) -> Term:
        """`a - b + c`, from the left: sums of floats depend on that. Twin of the logic: floats_are_a_ring."""
        left, made = node.operands[0], self.number(node.operands[0], values[0])
        for sign, operand, value in zip(node.signs, node.operands[1:], values[1:], strict=True):
            a, b = self._as_elements_of_terms(left, made, operand, self.number(operand, value))
            made = self._arithmetic(node, _OPERATIONS[sign], a, b)
            # What was computed is not written out: `1 + 2 + x` is refused.
            left = node
        return made

    def product(self, node: s.Product, values: list[Term]) -> Term:
        """`a * b / c`, from the left."""
        left, made = node.operands[0], values[0]
        for sign, operand, value in zip(node.signs, node.operands[1:], values[1:], strict=True):
            a, b = self._as_elements_of_terms(left, made, operand, value)
            match sign:
                case s.Factor.TIMES:
                    made = self._arithmetic(node, _OPERATIONS[sign], a, b)
                case s.Factor.OVER:
                    made = self._quotient(node, operand, a, b)
            left = node
        return made

    def negative(self, node: s.Negative, value: Term) -> Term:
        """`-a`."""
        self.may_wrap(value.sort, node.span)
        # The sign of a minifloat can be turned: that is exact.
        return arithmetic.negative(self._context, value)

    def number(self, node: s.Node, value: Value) -> Term:
        """The value, if there is arithmetic on it."""
        # A condition is a number in C and in ONNX's own texts, `x * (a < b)`. Here it is refused: write `if`.
        if isinstance(value, Term) and value.sort not in (BOOL, INDEX, STRING):
            return value
        raise complaints.not_a_number(value, node.span)

    def _of_one_sort(self, node: s.Expression, a: Term, b: Term) -> None:
        # Nothing that is computed is converted by itself. `x + n` of an int8 x and an integer n could mean n as an
        # int8, which wraps, or x as an integer, which does not: the two differ at 127, so the text has to say which.
        if a.sort != b.sort:
            raise complaints.mixed_arithmetic(a, b, self._context, node.span)

    def _arithmetic(self, node: s.Expression, op: Op, a: Term, b: Term) -> Term:
        self._of_one_sort(node, a, b)
        self._refuse_minifloats(a.sort, node.span)
        self.may_wrap(a.sort, node.span)
        return arithmetic.arithmetic(self._context, op, a, b)

    def _refuse_minifloats(self, sort: Sort, span: Span) -> None:
        if self._context.family_of_element(sort) == Family.MINIFLOAT:
            raise complaints.minifloats(span)

    def _quotient(self, node: s.Product, divisor: s.Expression, a: Term, b: Term) -> Term:
        self._of_one_sort(node, a, b)
        self._refuse_minifloats(a.sort, node.span)
        family = self._family_of(a.sort)
        is_float = isinstance(a.sort, FloatSort) or family == Family.FLOAT
        if not is_float and a.sort != REAL and family != Family.REAL:
            raise complaints.no_quotient(node.span)
        why = Why(f"the divisor {s.text_of(divisor)} is not 0", node.span)
        return arithmetic.divided(self._context, a, b, why)

    def power(self, node: s.Power, base: Value) -> Term:
        """`2^31`: written out, since the logic has no powers."""
        exponent = exponent_of(node)
        if not isinstance(base, Term) or not is_literal(base) or base.sort != INT or exponent is None:
            raise complaints.no_power(base, GREATEST_EXPONENT, node.span)
        assert isinstance(base.payload, int)
        return arithmetic.whole_number(base.payload**exponent)

    def integer(self, node: s.Integer) -> Term:
        """`42`."""
        if len(node.digits) > LONGEST:
            raise complaints.long_integer(LONGEST, node.span)
        return arithmetic.whole_number(int(node.digits))

    def decimal(self, node: s.Decimal) -> Term:
        """`0.5`: the real number that is written, not a float near to it."""
        if len(node.digits) > LONGEST:
            raise complaints.long_decimal(LONGEST, node.span)
        return arithmetic.real_number(Fraction(node.digits))

    def exactly(self, element: Term) -> Term:
        """An element as it is read where arithmetic is exact: of an integer type, the integer that it stands for.

        So `x + 1` of int8 elements does not wrap there; `exact_element` asks that the type can hold the result.
        """
        return conversions.to_integer(self._context, element) or element

    def may_wrap(self, sort: Sort, span: Span) -> None:
        """Refuse what wraps in a definition that an exact clause calls: a definition has arithmetic of its own, so it
        would wrap unseen by the clause, whose reader thinks of integers."""
        if self._context.below_exact and self._context.wraps(sort):
            raise complaints.wraps_unseen(span)

    def exact_element(self, value: Term, sort: Sort, span: Span) -> Term:
        """An integer as the element of a type, which has to hold it."""
        self._may_wrap_number(value, sort, span)
        return conversions.exact_element(self._context, value, sort, Why("the element type can hold the result", span))

    # ------------------------------------------------------------------------------- numbers that are written out

    def as_elements(self, x: s.Expression, a: Value, y: s.Expression, b: Value) -> tuple[Value, Value]:
        """Two values that stand beside each other. A number that is written out is an element where the other one is:
        `X[i] < 0` says `X[i] < T(0)`."""
        if isinstance(a, Term) and isinstance(b, Term):
            return self._as_elements_of_terms(x, a, y, b)
        return a, b

    def _as_elements_of_terms(self, x: s.Expression, a: Term, y: s.Expression, b: Term) -> tuple[Term, Term]:
        return self._as_element(x, a, b.sort), self._as_element(y, b, a.sort)

    def _as_element(self, node: s.Expression, value: Term, sort: Sort) -> Term:
        """A number that is written out as the element of a type, any other value as it is. SpecificationError where no
        element of the type is that number."""
        number = written_out(node)
        if not isinstance(number, Fraction) or not self._is_element(sort):
            return value
        # `x < 0.5` of an integer x stays an error, by its types.
        if value.sort == REAL and self._context.wraps(sort):
            return value
        # To round or to wrap is for the text to say: `x < 300` would be `x < 44` of an int8. And 0 is one of the two
        # zeros of a float, the one that `T(0)` is, but nobody would read `-0` as that one.
        if number == 0 and isinstance(s.bare(node), s.Negative) and not self._context.wraps(sort) and sort != REAL:
            raise complaints.two_zeros(node, sort, self._context)
        self._check_exact(number, sort, node)
        made = self.to_element(value, sort, node.span)
        assert made is not None
        return made

    def _check_exact(self, number: Fraction, sort: Sort, node: s.Expression) -> None:
        """Refuse a number that a type rounds or wraps: for abstract elements, one that some type does which they stand
        for, or, where these are not known, one that each type of the family does."""
        types: tuple[Sort, ...] = (sort,)
        if sort == ELEMENT:
            types = self._context.types
        for one in types:
            if not _is_exactly(one, number):
                raise complaints.not_exactly(one, node, sort, self._context)
        if not types and not any(_is_exactly(one, number) for one in FAMILIES[self._context.family]):
            raise complaints.in_no_type(node, sort, self._context)

    def _is_element(self, sort: Sort) -> bool:
        # In a section of reals T is the type of numbers.
        return sort == ELEMENT or isinstance(sort, MACHINE) or sort == self._context.element == REAL

    # ------------------------------------------------------------------------------------------------- conversions

    def conversion(self, name: str, values: list[Value], span: Span) -> Term:
        """`int`, `real`, `floor`, `ceil`, or an element type, of one number or element."""
        if len(values) != 1:
            raise complaints.several_to_convert(name, len(values), span)
        (value,) = values
        is_condition = isinstance(value, Term) and value.sort == BOOL
        # Of a condition an element type has a 0 and a 1, and so has every type in ONNX. A number is none of them by
        # itself: `int(p)` would let sums of conditions in, where C and ONNX do not agree on what they are.
        if not isinstance(value, Term) or value.sort in (INDEX, STRING) or (is_condition and name in tuple(Conversion)):
            raise complaints.not_to_convert(name, value, span)
        context = self._context
        match name:
            case Conversion.INT:
                made = conversions.to_integer(context, value)
            case Conversion.REAL:
                made = conversions.to_real_number(context, value, Why(f"the argument of {span.text} is finite", span))
            case Conversion.FLOOR if value.sort == REAL:
                made = conversions.floor_of(value)
            case Conversion.CEIL if value.sort == REAL:
                made = conversions.ceiling_of(value)
            case Conversion.FLOOR | Conversion.CEIL:
                made = None
            case _:
                made = self._converted(value, context.sort_of(name, span), span)
        if made is None:
            wraps = name not in tuple(Conversion) and context.wraps(context.sort_of(name, span))
            raise complaints.no_conversion(name, value, span, wraps=wraps)
        return made

    def _converted(self, value: Term, sort: Sort, span: Span) -> Term | None:
        """`T(x)`. In an exact clause an integer is not wrapped, but has to be one of the type."""
        if sort == BOOL:
            return conversions.to_condition(self._context, value)
        if value.sort == BOOL:
            return conversions.of_condition(self._context, value, sort)
        if self._context.exact and self._context.wraps(sort):
            whole = conversions.to_integer(self._context, value)
            if whole is not None:
                return self.exact_element(whole, sort, span)
        return self.to_element(value, sort, span)

    def to_element(self, value: Term, sort: Sort, span: Span) -> Term | None:
        """A number as the element of a type: wrapped or rounded. None where it does not convert."""
        if value.sort != sort and self._context.wraps(sort):
            whole = conversions.to_integer(self._context, value)
            if whole is not None:
                self._may_wrap_number(whole, sort, span)
        return conversions.to_element(self._context, value, sort)

    def _may_wrap_number(self, whole: Term, sort: Sort, span: Span) -> None:
        # A number that is written out and that the type holds does not wrap. An abstract type holds whatever each type
        # that it stands for does: what is said of T is elaborated once more on each of them, so it is refused there.
        held = is_literal(whole) and (not isinstance(sort, IntegerSort) or _holds(sort, whole.payload))
        if not held:
            self.may_wrap(sort, span)

    def _family_of(self, sort: Sort) -> str:
        """The family of abstract elements; empty of any other sort, which says itself what it is."""
        return self._context.abstract_family(sort)

    # --------------------------------------------------------------------------------------------- constants of a type

    def constant(self, type_name: str, name: str, span: Span) -> Term:
        """`T.lowest` and the like. Raises SpecificationError where the type has no such constant."""
        sort = self._context.sort_of(type_name, span)
        if name not in conversions.constants_of(self._context, sort):
            raise complaints.no_constant(type_name, name, span)
        return conversions.constant(self._context, sort, TypeConstant(name))
