"""Arithmetic, conversions between elements and numbers, and the constants of element types."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.comparisons import Comparisons
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.library import MACHINE, a_kind
from sonnx_verify.language.values import Tensor, Value, kind_of
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    ELEMENT_TYPES,
    INDEX,
    INT,
    REAL,
    STRING,
    FloatSort,
    IntegerSort,
    Sort,
)
from sonnx_verify.logic.terms import (
    Term,
    add,
    and_,
    floor,
    integer,
    le,
    literal,
    not_,
    or_,
    rounded,
    scale,
    sub,
    times,
    to_int,
    to_real,
    wrapped,
)

CONVERSIONS = frozenset(("int", "real", "floor", "ceil", "T", *ELEMENT_TYPES)) - {"bool"}
CONSTANTS = ("lowest", "greatest", "infinity", "roundoff", "overflow", "least")
"""`roundoff`, `overflow` and `least` are reals: the unit roundoff, what rounds to infinity, the least above 0."""


def _holds(sort: IntegerSort, number: object) -> bool:
    return isinstance(number, int) and sort.lowest <= number <= sort.greatest


class Numbers(Comparisons):
    """The layer of numbers and elements."""

    # -------------------------------------------------------------------------------------------------- arithmetic

    def _sum(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self.value(p, scope) for p in node.parts]
        made = self._number(node.parts[0], values[0])
        for sign, part, value in zip(node.text, node.parts[1:], values[1:], strict=True):
            made = self._arithmetic(node, "add" if sign == "+" else "sub", made, self._number(part, value))
        return made

    def _product(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self._number(p, self.value(p, scope)) for p in node.parts]
        return reduce(lambda a, b: self._arithmetic(node, "mul", a, b), values)

    def _negative(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        value = self._number(node.parts[0], self.value(node.parts[0], scope))
        self.may_wrap(value.sort, node.span)
        return scale(-1, value) if value.sort in (INT, REAL) else self.context.operation("neg", value)

    def _number(self, node: s.Node, value: Value) -> Term:
        if isinstance(value, Term) and value.sort not in (BOOL, INDEX, STRING):
            return value
        raise SpecificationError(
            f"arithmetic needs numbers, and this is {a_kind(kind_of(value))}",
            node.span,
            "read an element of it, as in `X[i]`" if isinstance(value, Tensor) else "write a number or an element",
        )

    def _arithmetic(self, node: s.Node, op: str, a: Term, b: Term) -> Term:
        if a.sort != b.sort:
            raise SpecificationError(
                f"arithmetic on {a_kind(kind_of(a))} and {a_kind(kind_of(b))}",
                node.span,
                of_two(a, b, self.context),
            )
        if a.sort in (INT, REAL):
            return add(a, b) if op == "add" else sub(a, b) if op == "sub" else times(a, b)
        self.may_wrap(a.sort, node.span)
        return self.context.operation(op, a, b)

    def _power(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        base = self.integer(node.parts[0], scope)
        exponent = int(node.text[0])
        if base.op != "literal" or exponent > 1024:
            raise SpecificationError(
                "only a written-out number has powers, up to the 1024th", node.span, "write a constant such as 2^31"
            )
        assert isinstance(base.payload, int)
        return integer(base.payload**exponent)

    def _integer(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        if len(node.text[0]) > 400:
            raise SpecificationError("a number of more than 400 digits", node.span, "write a power, such as 2^31")
        return integer(int(node.text[0]))

    def exactly(self, element: Term) -> Term:
        """An integer element as the integer that it stands for."""
        whole = self._to_int(element)
        return element if whole is None else whole

    def _wraps(self, sort: Sort) -> bool:
        return isinstance(sort, IntegerSort) or (sort == ELEMENT and self.context.family == "int")

    def may_wrap(self, sort: Sort, span: Span) -> None:
        """Refuse what wraps in a definition that an exact clause calls: the clause would not see it."""
        if self.context.below_exact and self._wraps(sort):
            raise SpecificationError(
                "this wraps, and a clause that is exact calls it", span, "compute with `int(...)` of the elements"
            )

    def held(self, value: Term, sort: Sort, span: Span) -> Term:
        """An integer as the element of a type, which has to hold it."""
        if isinstance(sort, IntegerSort):
            low, high = integer(sort.lowest), integer(sort.greatest)
        else:
            low, high = (self.exactly(self.context.free_operation(n, sort)) for n in ("lowest", "greatest"))
        self.context.require("total", and_(le(low, value), le(value, high)), "its type can hold the result", span)
        made = self._to_element(value, sort, span)
        assert made is not None
        return made

    def _member(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        head = node.parts[0]
        if head.kind == "name" and head.text[0] in ("T", *ELEMENT_TYPES) and head.text[0] not in scope:
            return self.constant(head.text[0], node.text[0], node.span)
        return super()._member(node, scope)

    def _decimal(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        if len(node.text[0]) > 400:
            raise SpecificationError("a number of more than 400 digits", node.span, "write fewer")
        return literal(Fraction(node.text[0]), REAL)

    def _text_value(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return literal(node.text[0][1:-1], STRING)

    # ------------------------------------------------------------------------------------------------- conversions

    def conversion(self, name: str, values: list[Value], span: Span) -> Term:
        """`int`, `real`, `floor`, `ceil`, or an element type, of one number or element."""
        value = values[0] if len(values) == 1 else None
        if not isinstance(value, Term) or value.sort in (BOOL, INDEX, STRING):
            what = a_kind(kind_of(values[0])) if len(values) == 1 else f"{len(values)} things"
            raise SpecificationError(
                f"`{name}` converts a number or an element, not {what}", span, "give it one number"
            )
        match name:
            case "int":
                made = self._to_int(value)
            case "real":
                made = self._to_real(value, span)
            case "floor" | "ceil":
                made = None
                if value.sort == REAL:
                    made = floor(value) if name == "floor" else scale(-1, floor(scale(-1, value)))
            case _:
                sort = self.context.sort_of(name, span)
                whole = self._to_int(value) if self.context.exact and self._wraps(sort) else None
                made = self._to_element(value, sort, span) if whole is None else self.held(whole, sort, span)
        if made is None:
            raise SpecificationError(
                f"`{name}` does not convert {a_kind(kind_of(value))}",
                span,
                "convert it to int or real before: `T(real(x))`, `floor(x)`",
            )
        return made

    def _to_int(self, value: Term) -> Term | None:
        if value.sort == INT:
            return value
        if isinstance(value.sort, IntegerSort):
            return to_int(value)
        if value.sort == ELEMENT and self.context.family == "int":
            return self.context.free_operation("to_int", INT, value)
        return None

    def _to_real(self, value: Term, span: Span) -> Term | None:
        if value.sort == REAL:
            return value
        if value.sort == ELEMENT and self.context.family in ("float", "real"):
            if self.context.family == "float":
                self._finite(value, span)
            return self.context.free_operation("to_real", REAL, value)
        if isinstance(value.sort, FloatSort):
            self._finite(value, span)
            return to_real(value)
        whole = self._to_int(value)
        return None if whole is None else to_real(whole)

    def _finite(self, value: Term, span: Span) -> None:
        beyond = or_(self.context.operation("is_nan", value), self.context.operation("is_infinite", value))
        self.context.require("in-bounds", not_(beyond), "only what is finite has a real value", span)

    def _to_element(self, value: Term, sort: Sort, span: Span) -> Term | None:
        if value.sort == sort:
            return value
        family = self.context.family if sort == ELEMENT else ""
        if isinstance(sort, IntegerSort) or family == "int":
            whole = self._to_int(value)
            if whole is None:
                return None
            # An abstract type holds whatever each type that it stands for does, and all of those are elaborated.
            held = whole.op == "literal" and (not isinstance(sort, IntegerSort) or _holds(sort, whole.payload))
            if not held:
                self.may_wrap(sort, span)
            return self.context.free_operation("wrapped", ELEMENT, whole) if family else wrapped(whole, sort)
        exact = value if value.sort == REAL else to_real(value) if value.sort == INT else None
        if exact is None:
            return None
        if sort == REAL:
            return exact
        if isinstance(sort, FloatSort):
            return rounded(exact, sort)
        return self.context.free_operation("rounded", ELEMENT, exact) if family in ("float", "real") else None

    # --------------------------------------------------------------------------------------------- constants of a type

    def constant(self, type_name: str, name: str, span: Span) -> Term:
        """`T.lowest` and the like. Raises SpecificationError where the type has no such constant."""
        sort = self.context.sort_of(type_name, span)
        family = self.context.family if sort == ELEMENT else ""
        known = CONSTANTS[:2] if isinstance(sort, IntegerSort) or family == "int" else CONSTANTS
        if name not in known or not (isinstance(sort, MACHINE) or family in ("int", "float")):
            raise SpecificationError(
                f"`{type_name}` has no `{name}` here",
                span,
                "integers have lowest and greatest, floats also " + ", ".join(CONSTANTS[2:]),
            )
        if sort == ELEMENT:
            return self.context.free_operation(name, REAL if name in CONSTANTS[3:] else ELEMENT)
        if isinstance(sort, IntegerSort):
            return literal(sort.lowest if name == "lowest" else sort.greatest, sort)
        assert isinstance(sort, FloatSort)
        match name:
            case "lowest":
                return literal(floats.lowest(sort), sort)
            case "greatest":
                return literal(floats.greatest(sort), sort)
            case "infinity":
                return literal(floats.infinity(sort), sort)
            case "roundoff":
                return literal(Fraction(1, 2**sort.significand), REAL)
            case "overflow":
                return literal(floats.overflow_threshold(sort), REAL)
            case _:
                return literal(floats.to_fraction(sort, floats.smallest_subnormal(sort)), REAL)
