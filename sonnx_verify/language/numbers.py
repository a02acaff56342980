"""Arithmetic, conversions between elements and numbers, and constants of element types. Trusted. Values in, terms out.

Integers of the language are unbounded and decimals are reals; only elements wrap or are rounded, each operation as its
type says, or as a free symbol where T is abstract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum, unique
from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import GREATEST_EXPONENT, LONGEST, exponent_of, written_out
from sonnx_verify.language.context import FAMILIES, Context, Family
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.functions import Conversion
from sonnx_verify.language.values import MACHINE, Tensor, Value, a_kind, kind_of
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    INDEX,
    INT,
    REAL,
    STRING,
    FloatSort,
    IntegerSort,
    MinifloatSort,
    Sort,
)
from sonnx_verify.logic.terms import (
    Term,
    add,
    and_,
    converted,
    eq,
    floor,
    integer,
    is_literal,
    ite,
    le,
    literal,
    not_,
    or_,
    quotient,
    rounded,
    scale,
    sub,
    times,
    to_int,
    to_real,
    wrapped,
)
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


@unique
class TypeConstant(StrEnum):
    """A constant of an element type: `T.lowest`. Those in REALS are reals, the others elements."""

    LOWEST = "lowest"
    GREATEST = "greatest"
    INFINITY = "infinity"
    ROUNDOFF = "roundoff"
    """The unit roundoff: half the distance from 1 to the next greater float."""
    OVERFLOW = "overflow"
    """The least real that is rounded to infinity."""
    LEAST = "least"
    """The least real above 0 that is a float."""


REALS = frozenset((TypeConstant.ROUNDOFF, TypeConstant.OVERFLOW, TypeConstant.LEAST))
_OF_FLOATS = tuple(TypeConstant)
_FLOATING = (Family.FLOAT, Family.MINIFLOAT)
_OF_MINIFLOATS = (TypeConstant.LOWEST, TypeConstant.GREATEST, TypeConstant.LEAST)
_OF_INTEGERS = (TypeConstant.LOWEST, TypeConstant.GREATEST)
_UNBOUNDED: Mapping[Op, Callable[[Term, Term], Term]] = {Op.ADD: add, Op.SUB: sub, Op.MUL: times}


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
            match sign:
                case s.Sign.PLUS:
                    made = self._arithmetic(node, Op.ADD, a, b)
                case s.Sign.MINUS:
                    made = self._arithmetic(node, Op.SUB, a, b)
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
                    made = self._arithmetic(node, Op.MUL, a, b)
                case s.Factor.OVER:
                    made = self._quotient(node, operand, a, b)
            left = node
        return made

    def negative(self, node: s.Negative, value: Term) -> Term:
        """`-a`."""
        self.may_wrap(value.sort, node.span)
        # The sign of a minifloat can be turned: that is exact.
        if value.sort in (INT, REAL):
            return scale(-1, value)
        # Of a float not 0 - x: that of 0 is 0, and -0 is another float.
        return self._context.operation(Op.NEG, value)

    def number(self, node: s.Node, value: Value) -> Term:
        """The value, if there is arithmetic on it."""
        # A condition is a number in C and in ONNX's own texts, `x * (a < b)`. Here it is refused: write `if`.
        if isinstance(value, Term) and value.sort not in (BOOL, INDEX, STRING):
            return value
        cure = "write a number or an element"
        if isinstance(value, Tensor):
            cure = "read an element of it, as in `X[i]`"
        raise SpecificationError(f"arithmetic takes numbers, not {a_kind(kind_of(value))}", node.span, cure)

    def _of_one_sort(self, node: s.Expression, a: Term, b: Term) -> None:
        # Nothing that is computed is converted by itself. `x + n` of an int8 x and an integer n could mean n as an
        # int8, which wraps, or x as an integer, which does not: the two differ at 127, so the text has to say which.
        if a.sort != b.sort:
            raise SpecificationError(
                f"arithmetic cannot mix {a_kind(kind_of(a))} and {a_kind(kind_of(b))}",
                node.span,
                of_two(a, b, self._context),
            )

    def _arithmetic(self, node: s.Expression, op: Op, a: Term, b: Term) -> Term:
        self._of_one_sort(node, a, b)
        if a.sort in (INT, REAL):
            return _UNBOUNDED[op](a, b)
        self._refuse_minifloats(a.sort, node.span)
        self.may_wrap(a.sort, node.span)
        return self._context.operation(op, a, b)

    def _refuse_minifloats(self, sort: Sort, span: Span) -> None:
        if self._context.family_of_element(sort) == Family.MINIFLOAT:
            raise SpecificationError(
                "there is no arithmetic of minifloats",
                span,
                "compute with floats, and convert the result: `T(float(x) + float(y))`",
            )

    def _quotient(self, node: s.Product, divisor: s.Expression, a: Term, b: Term) -> Term:
        self._of_one_sort(node, a, b)
        self._refuse_minifloats(a.sort, node.span)
        family = self._family_of(a.sort)
        if isinstance(a.sort, FloatSort) or family == Family.FLOAT:
            # Division by a zero has a value in IEEE 754, so it is no side condition.
            return self._context.operation(Op.DIVIDE, a, b)
        if a.sort != REAL and family != Family.REAL:
            raise SpecificationError(
                "`/` divides reals and floats, and these are integers",
                node.span,
                "write `div(a, b)` for the integer quotient, or `real(a) / real(b)`",
            )
        # SMT-LIB gives division by 0 some value: a proof that used it would speak about nothing.
        zero = self.to_element(literal(Fraction(0), REAL), b.sort, divisor.span)
        assert zero is not None
        self._context.require(
            Kind.IN_BOUNDS, not_(eq(b, zero)), f"the divisor {s.text_of(divisor)} is not 0", node.span
        )
        if a.sort == REAL:
            return quotient(a, b)
        return self._context.free_operation(Op.QUOTIENT, ELEMENT, a, b)

    def power(self, node: s.Power, base: Value) -> Term:
        """`2^31`: written out, since the logic has no powers."""
        exponent = exponent_of(node)
        if not isinstance(base, Term) or not is_literal(base) or base.sort != INT or exponent is None:
            cure = "write a constant such as 2^31"
            if isinstance(base, Term) and not is_literal(base):
                cure = "multiply, as in `x * x`"
            raise SpecificationError(
                f"only a literal can be raised to a power, at most that of {GREATEST_EXPONENT}", node.span, cure
            )
        assert isinstance(base.payload, int)
        return integer(base.payload**exponent)

    def integer(self, node: s.Integer) -> Term:
        """`42`."""
        if len(node.digits) > LONGEST:
            raise SpecificationError(
                f"the number has more than {LONGEST} digits", node.span, "write a power, such as 2^31"
            )
        return integer(int(node.digits))

    def decimal(self, node: s.Decimal) -> Term:
        """`0.5`: the real number that is written, not a float near to it."""
        if len(node.digits) > LONGEST:
            raise SpecificationError(f"the number has more than {LONGEST} digits", node.span, "write fewer")
        return literal(Fraction(node.digits), REAL)

    def exactly(self, element: Term) -> Term:
        """An element as it is read where arithmetic is exact: of an integer type, the integer that it stands for.

        So `x + 1` of int8 elements does not wrap there; `held` asks that the type can hold the result.
        """
        return self._to_int(element) or element

    def _wraps(self, sort: Sort) -> bool:
        return isinstance(sort, IntegerSort) or (sort == ELEMENT and self._context.family == Family.INT)

    def may_wrap(self, sort: Sort, span: Span) -> None:
        """Refuse what wraps in a definition that an exact clause calls: a definition has arithmetic of its own, so it
        would wrap unseen by the clause, whose reader thinks of integers."""
        if self._context.below_exact and self._wraps(sort):
            raise SpecificationError(
                "this wraps, but an `exact` clause calls it", span, "compute with `int(...)` of the elements"
            )

    def held(self, value: Term, sort: Sort, span: Span) -> Term:
        """An integer as the element of a type, which has to hold it."""
        # An exact clause that gives 128 as an int8 has no result to give: without this side condition it would wrap to
        # -128 after all, where no reader of the clause expects it.
        if isinstance(sort, IntegerSort):
            low, high = integer(sort.lowest), integer(sort.greatest)
        else:
            low, high = (self.exactly(self._context.free_operation(name, sort)) for name in _OF_INTEGERS)
        fits = and_(le(low, value), le(value, high))
        self._context.require(Kind.TOTAL, fits, "the element type can hold the result", span)
        made = self.to_element(value, sort, span)
        assert made is not None
        return made

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
        if value.sort == REAL and self._is_integral(sort):
            return value
        # To round or to wrap is for the text to say: `x < 300` would be `x < 44` of an int8. And 0 is one of the two
        # zeros of a float, the one that `T(0)` is, but nobody would read `-0` as that one.
        name = sort.name
        if sort in (ELEMENT, self._context.element):
            name = s.TypeWord.T.value
        text = s.text_of(node)
        if number == 0 and isinstance(s.bare(node), s.Negative) and not self._is_integral(sort) and sort != REAL:
            raise SpecificationError(
                f"`{text}` is the number 0, and a float has two zeros",
                node.span,
                f"write `-{name}(0)` for the zero with a sign, `0` for the one without",
            )
        self._held_exactly(number, sort, text, name, node.span)
        made = self.to_element(value, sort, node.span)
        assert made is not None
        return made

    def _held_exactly(self, number: Fraction, sort: Sort, text: str, name: str, span: Span) -> None:
        """Refuse a number that a type rounds or wraps: for abstract elements, one that some type does which they stand
        for, or, where these are not known, one that each type of the family does."""
        cure = f"write `{name}({text})`, which is rounded, or the element as a real, `real(x)`"
        if self._is_integral(sort):
            cure = f"write `{name}({text})`, which wraps, or the element as an integer, `int(x)`"
        types: tuple[Sort, ...] = (sort,)
        if sort == ELEMENT:
            types = self._context.types
        for one in types:
            if not _is_exactly(one, number):
                raise SpecificationError(f"no {one.name} is exactly {text}", span, cure)
        if not types and not any(_is_exactly(one, number) for one in FAMILIES[self._context.family]):
            raise SpecificationError(f"no type of the family {self._context.family} has {text}", span, cure)

    def _is_element(self, sort: Sort) -> bool:
        # In a section of reals T is the type of numbers.
        return sort == ELEMENT or isinstance(sort, MACHINE) or sort == self._context.element == REAL

    def _is_integral(self, sort: Sort) -> bool:
        return isinstance(sort, IntegerSort) or self._family_of(sort) == Family.INT

    # ------------------------------------------------------------------------------------------------- conversions

    def conversion(self, name: str, values: list[Value], span: Span) -> Term:
        """`int`, `real`, `floor`, `ceil`, or an element type, of one number or element."""
        if len(values) != 1:
            raise SpecificationError(
                f"`{name}` converts a number or an element, not {len(values)} values", span, "convert one number"
            )
        (value,) = values
        is_condition = isinstance(value, Term) and value.sort == BOOL
        # Of a condition an element type has a 0 and a 1, and so has every type in ONNX. A number is none of them by
        # itself: `int(p)` would let sums of conditions in, where C and ONNX do not agree on what they are.
        if not isinstance(value, Term) or value.sort in (INDEX, STRING) or (is_condition and name in tuple(Conversion)):
            cure = "convert one number"
            if is_condition:
                cure = "write the condition as a number: `if p then 1 else 0`"
            what = a_kind(kind_of(value))
            raise SpecificationError(f"`{name}` converts a number or an element, not {what}", span, cure)
        match name:
            case Conversion.INT:
                made = self._to_int(value)
            case Conversion.REAL:
                made = self._to_real(value, span)
            case Conversion.FLOOR if value.sort == REAL:
                made = floor(value)
            case Conversion.CEIL if value.sort == REAL:
                # The ceiling of x is the floor of -x, turned round: the logic has one of the two.
                made = scale(-1, floor(scale(-1, value)))
            case Conversion.FLOOR | Conversion.CEIL:
                made = None
            case _:
                made = self._converted(value, self._context.sort_of(name, span), span)
        if made is None:
            raise SpecificationError(
                f"`{name}` does not convert {a_kind(kind_of(value))}", span, self._before_converting(name, value, span)
            )
        return made

    def _before_converting(self, name: str, value: Term, span: Span) -> str:
        """The cure where a conversion is none."""
        if name in tuple(Conversion):
            rounded = name if name in (Conversion.FLOOR, Conversion.CEIL) else Conversion.FLOOR
            return f"convert it to int or real before: `T(real(x))`, `{rounded}(real(x))`"
        sort = self._context.sort_of(name, span)
        if self._wraps(sort) and value.sort == REAL:
            return f"say how it is rounded: `{name}(floor(x))`"
        if self._wraps(sort):
            return f"say how it is rounded: `{name}(floor(real(x)))`"
        return f"convert its number, where it is finite: `{name}(real(x))`"

    def _converted(self, value: Term, sort: Sort, span: Span) -> Term | None:
        """`T(x)`. In an exact clause an integer is not wrapped, but has to be one of the type."""
        if sort == BOOL:
            return self._condition(value, span)
        if value.sort == BOOL:
            one, zero = (self.to_element(integer(n), sort, span) for n in (1, 0))
            assert one is not None
            assert zero is not None
            return ite(value, one, zero)
        if self._context.exact and self._wraps(sort):
            whole = self._to_int(value)
            if whole is not None:
                return self.held(whole, sort, span)
        return self.to_element(value, sort, span)

    def _condition(self, value: Term, span: Span) -> Term:
        """`bool(x)`: true of any number but 0, and of NaN, which is no zero."""
        if value.sort == BOOL:
            return value
        if isinstance(value.sort, FloatSort) or self._family_of(value.sort) in _FLOATING:
            # Not `x != T(0)`: -0 is another float than 0, and is a zero too.
            return not_(self._context.operation(Op.IS_ZERO, value))
        zero = self.to_element(integer(0), value.sort, span)
        assert zero is not None
        return not_(eq(value, zero))

    def _to_int(self, value: Term) -> Term | None:
        # A real, or a float, is no integer by itself: `floor` and `ceil` say which one is meant.
        if value.sort == INT:
            return value
        if isinstance(value.sort, IntegerSort):
            return to_int(value)
        if value.sort == ELEMENT and self._context.family == Family.INT:
            return self._context.free_operation(Op.TO_INT, INT, value)
        return None

    def _to_real(self, value: Term, span: Span) -> Term | None:
        if value.sort == REAL:
            return value
        if value.sort == ELEMENT and self._context.family in (*_FLOATING, Family.REAL):
            if self._context.family in _FLOATING:
                self._finite(value, span)
            return self._context.free_operation(Op.TO_REAL, REAL, value)
        if isinstance(value.sort, FloatSort):
            self._finite(value, span)
            return to_real(value)
        whole = self._to_int(value)
        if whole is None:
            return None
        return to_real(whole)

    def _finite(self, value: Term, span: Span) -> None:
        # `real(x)` of a NaN or an infinity is some real in the logic, of which SMT-LIB says nothing. Each step of a
        # clause that computes with reals has to keep them out before, by `if is_nan(x) then ... else`.
        beyond = or_(self._context.operation(Op.IS_NAN, value), self._context.operation(Op.IS_INFINITE, value))
        self._context.require(Kind.IN_BOUNDS, not_(beyond), f"the argument of {span.text} is finite", span)

    def to_element(self, value: Term, sort: Sort, span: Span) -> Term | None:
        """A number as the element of a type: wrapped or rounded. None where it does not convert."""
        if value.sort == sort:
            return value
        family = self._family_of(sort)
        if isinstance(sort, IntegerSort) or family == Family.INT:
            whole = self._to_int(value)
            if whole is None:
                return None
            return self._wrapped(whole, sort, span)
        # A float is made of the exact number and rounded once. Of another float it is made without its real, which NaN
        # and the infinities do not have.
        exact = self._exact(value)
        if exact is None:
            return self._of_another_float(value, sort)
        if sort == REAL:
            return exact
        if isinstance(sort, FloatSort):
            return rounded(exact, sort)
        if family in (*_FLOATING, Family.REAL):
            return self._context.free_operation(Op.ROUNDED, ELEMENT, exact)
        return None

    def _exact(self, value: Term) -> Term | None:
        """The real number that a number or an integer element is; None of any other element."""
        if value.sort == REAL:
            return value
        whole = self._to_int(value)
        if whole is None:
            return None
        return to_real(whole)

    def _of_another_float(self, value: Term, sort: Sort) -> Term | None:
        """A float of another type as the nearest element of a type of floats: NaN of NaN, an infinity and a zero with
        its sign. None of anything else."""
        if isinstance(value.sort, FloatSort) and isinstance(sort, FloatSort):
            return converted(value, sort)
        # T to a type, or a type to T: a function for each type, since float16(x) and double(x) are two of them.
        if self._family_of(value.sort) in _FLOATING and isinstance(sort, FloatSort):
            return self._context.free_operation(f"converted_to_{sort.name}", sort, value)
        if isinstance(value.sort, FloatSort) and self._family_of(sort) in _FLOATING:
            return self._context.free_operation(f"converted_from_{value.sort.name}", sort, value)
        return None

    def _family_of(self, sort: Sort) -> str:
        """The family of abstract elements; empty of any other sort, which says itself what it is."""
        if sort == ELEMENT:
            return self._context.family
        return ""

    def _wrapped(self, whole: Term, sort: Sort, span: Span) -> Term:
        # A number that is written out and that the type holds does not wrap. An abstract type holds whatever each type
        # that it stands for does: what is said of T is elaborated once more on each of them, so it is refused there.
        held = is_literal(whole) and (not isinstance(sort, IntegerSort) or _holds(sort, whole.payload))
        if not held:
            self.may_wrap(sort, span)
        if isinstance(sort, IntegerSort):
            return wrapped(whole, sort)
        return self._context.free_operation(Op.WRAPPED, ELEMENT, whole)

    # --------------------------------------------------------------------------------------------- constants of a type

    def constant(self, type_name: str, name: str, span: Span) -> Term:
        """`T.lowest` and the like. Raises SpecificationError where the type has no such constant."""
        sort = self._context.sort_of(type_name, span)
        if name not in self._constants_of(sort):
            raise SpecificationError(
                f"`{type_name}` has no `{name}` here",
                span,
                "every number type has lowest and greatest; floats and minifloats also least; floats also infinity, "
                "roundoff and overflow",
            )
        constant = TypeConstant(name)
        if sort == ELEMENT and constant in REALS:
            return self._context.free_operation(name, REAL)
        if sort == ELEMENT:
            return self._context.free_operation(name, ELEMENT)
        if isinstance(sort, IntegerSort):
            return literal({TypeConstant.LOWEST: sort.lowest, TypeConstant.GREATEST: sort.greatest}[constant], sort)
        assert isinstance(sort, FloatSort)
        # Of floats `lowest` and `greatest` are finite, as in numpy's finfo: -infinity is below T.lowest.
        match constant:
            case TypeConstant.LOWEST:
                return literal(floats.lowest(sort), sort)
            case TypeConstant.GREATEST:
                return literal(floats.greatest(sort), sort)
            case TypeConstant.INFINITY:
                return literal(floats.infinity(sort), sort)
            case TypeConstant.ROUNDOFF:
                return literal(Fraction(1, 2**sort.significand), REAL)
            case TypeConstant.OVERFLOW:
                return literal(floats.overflow_threshold(sort), REAL)
            case TypeConstant.LEAST:
                return literal(floats.to_fraction(sort, floats.smallest_subnormal(sort)), REAL)

    def _constants_of(self, sort: Sort) -> tuple[TypeConstant, ...]:
        family = self._family_of(sort)
        if isinstance(sort, IntegerSort) or family == Family.INT:
            return _OF_INTEGERS
        if isinstance(sort, MinifloatSort) or family == Family.MINIFLOAT:
            return _OF_MINIFLOATS
        if isinstance(sort, FloatSort) or family == Family.FLOAT:
            return _OF_FLOATS
        return ()
