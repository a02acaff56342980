"""The mistakes of expressions: values of a kind that does not fit. Not trusted.

Whoever raises one of these has found that there is a mistake; all that the functions choose is its words.
"""

from __future__ import annotations

from collections.abc import Iterable

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import Items, Members, SetOf, Tensor, Value, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import a_kind, a_value, of_two, type_name
from sonnx_verify.language.functions import Conversion
from sonnx_verify.logic.sorts import BOOL, REAL, Sort
from sonnx_verify.logic.terms import Term, is_literal
from sonnx_verify.sources import Span

# -------------------------------------------------------------------------------------------------- reads and ranges


def without_shape(value: Value, span: Span) -> SpecificationError:
    """Something of which the shape is asked, and that has none."""
    return SpecificationError(f"expected a shape or a tensor, found {a_value(value)}", span, "name a tensor")


def not_an_index(owner: Value, argument: Value, span: Span) -> SpecificationError:
    """A read at something that is no place in it."""
    return SpecificationError(
        f"{a_value(owner)} cannot be indexed by {a_value(argument)}",
        span,
        "index a tensor by an index (of one axis: `X[[k]]`), and a list, a shape or an index by an integer",
    )


# -------------------------------------------------------------------------------------------------------- comparisons


def not_ordered(node: s.Relation, sign: s.Comparison, a: Value, b: Value, context: Kernel) -> SpecificationError:
    """Two values of which none is less."""
    cure = "compare numbers, or elements"
    if kind_of(a) != kind_of(b):
        cure = of_two(a, b, context)
    return SpecificationError(f"`{sign}` cannot compare {a_value(a)} with {a_value(b)}", node.span, cure)


def not_comparable(a: Value, b: Value, context: Kernel, span: Span) -> SpecificationError:
    """Two values that are never the same, or are not compared as a whole."""
    if isinstance(a, Items) and isinstance(b, Items) or _is_set(a) and _is_set(b):
        return SpecificationError(
            "lists and sets cannot be compared as a whole", span, "compare their members: `for all k in ...`"
        )
    return SpecificationError(f"{a_value(a)} never equals {a_value(b)}", span, of_two(a, b, context))


def _is_set(value: Value) -> bool:
    return isinstance(value, SetOf | Members)


def without_bounds(span: Span) -> SpecificationError:
    """A range over a set that is declared."""
    return SpecificationError(
        "a declared set has no known bounds to range over",
        span,
        "write a range and a condition: `k in 0 .. n where k in A`",
    )


def not_a_range(value: Value, span: Span) -> SpecificationError:
    """A range over something that has no members."""
    return SpecificationError(
        f"cannot range over {a_value(value)}",
        span,
        "range over `0 .. n`, a list, `axes(X)`, or a tensor (for its indices)",
    )


def not_a_member(member: Value, owner: Value, span: Span) -> SpecificationError:
    """Membership in something that holds no such values."""
    return SpecificationError(
        f"{a_value(member)} cannot be a member of {a_value(owner)}", span, "name a set, a list, or axes(X)"
    )


def not_in_range(member: Value, span: Span) -> SpecificationError:
    """Membership of something that no range has."""
    return SpecificationError(f"{a_value(member)} cannot be a member of this", span, "test a member of it")


# ------------------------------------------------------------------------------------------------------ sets and folds


def several_variables(span: Span) -> SpecificationError:
    """A set over several variables."""
    return SpecificationError("a set ranges over one variable", span, "write { e | k in low .. high where c }")


def not_for_sets(body: Value, span: Span) -> SpecificationError:
    """A set of what none holds."""
    return SpecificationError(
        f"a set holds numbers, elements, indices or lists of these, not {a_value(body)}", span, "write a number"
    )


def not_a_set(node: s.Fold, base: Value) -> SpecificationError:
    """A fold of something else than a set."""
    return SpecificationError(f"`{node.kind}` takes a set, not {a_value(base)}", node.over.span, "write { ... | ... }")


def no_default(kind: s.FoldKind, span: Span) -> SpecificationError:
    """A default of a fold that has a value of the empty set."""
    return SpecificationError(f"`{kind}` of an empty set already has a value", span, "remove the default")


def other_default(span: Span) -> SpecificationError:
    """A default of another type."""
    return SpecificationError("the default and the set have different types", span, "give both the same type")


def no_order(node: s.Fold) -> SpecificationError:
    """An order of a fold that takes none."""
    return SpecificationError(f"`{node.kind}` takes no order", node.span, f"remove `by {node.order}`")


def fold_of_no_numbers(node: s.Fold, base: Value) -> SpecificationError:
    """A fold of something else than numbers."""
    return SpecificationError(
        f"`{node.kind}` takes numbers or elements, not {a_value(base)}", node.over.span, "write numbers before the `|`"
    )


def fold_of_no_conditions(node: s.Fold, base: Value) -> SpecificationError:
    """`all` or `any` of something else than conditions."""
    return SpecificationError(
        f"`{node.kind}` takes conditions, not {a_value(base)}", node.over.span, "write a condition"
    )


def fold_of_no_integers(node: s.Fold, sort: Sort) -> SpecificationError:
    """`max` or `min` of something else than integers."""
    return SpecificationError(
        f"`{node.kind}` without an order takes integers, not {sort}",
        node.span,
        "name an order: `greatest S by ...`",
    )


def without_order(node: s.Fold, orders: Iterable[str]) -> SpecificationError:
    """`greatest` or `least` by nothing."""
    known = ", ".join(f"`{name}`" for name in orders) or "none; `use orders` brings some"
    return SpecificationError(
        f"`{node.kind}` needs an order", node.span, f"write `{node.kind} {{ ... }} by ORDER`; in scope: {known}"
    )


def not_addable(node: s.Fold) -> SpecificationError:
    """A sum that depends on an order, which a set lacks."""
    return SpecificationError(
        f"a {node.kind} of floats depends on the order of evaluation, so it has no single value",
        node.span,
        f"write the {node.kind} of `real(...)`, and round it or give a set of results",
    )


# -------------------------------------------------------------------------------------- lists, shapes, sets of results


def not_listed(values: Iterable[Value], span: Span) -> SpecificationError:
    """Values that no list holds, or not together."""
    kinds = [str(kind_of(value)) for value in values]
    if len(set(kinds)) == 1:
        cure = "list numbers, elements, texts, shapes or tensors"
        return SpecificationError(f"a list cannot hold {kinds[0]}", span, cure)
    return SpecificationError("the list mixes types: " + ", ".join(kinds), span, "list values of one type")


def made_of_set(span: Span) -> SpecificationError:
    """Something with an order that is made of a set."""
    return SpecificationError("a set has no order", span, "write a range and `where`")


def not_over_a_shape(span: Span) -> SpecificationError:
    """A tensor that is made over a part of the indices, or over others."""
    return SpecificationError("a tensor is built over the indices of a shape", span, "range over a whole shape")


def not_over_integers(maker: s.Maker, span: Span) -> SpecificationError:
    """Something else than a tensor that is made over indices."""
    return SpecificationError(f"{a_kind(maker)} is built over integers", span, "range over integers")


def not_of_integers(maker: s.Maker, span: Span) -> SpecificationError:
    """A shape or an index of something else than integers."""
    return SpecificationError(f"{a_kind(maker)} holds integers", span, "write an integer")


def not_of_elements(element: Value, span: Span) -> SpecificationError:
    """A tensor of something else than elements."""
    return SpecificationError(f"a tensor holds elements, not {a_value(element)}", span, "write an element")


def without_coordinates(value: Value, span: Span) -> SpecificationError:
    """A coordinate that is replaced in something else than an index."""
    return SpecificationError(
        f"`with` replaces a coordinate of an index, not of {a_value(value)}", span, "name an index"
    )


def without_nan(span: Span) -> SpecificationError:
    """A NaN of other elements than floats."""
    return SpecificationError("only floats have a NaN", span, "mark the clause `for float`")


def within_others(span: Span) -> SpecificationError:
    """A distance of other elements than floats and reals."""
    return SpecificationError("`within ... of ...` gives floats or reals only", span, "mark the clause `for float`")


def steps_of_others(span: Span) -> SpecificationError:
    """Steps between other elements than floats."""
    return SpecificationError("`within ... steps of ...` gives floats only", span, "mark it `for float`")


def not_an_end(value: Value, span: Span) -> SpecificationError:
    """An end of a range of results that is no element."""
    return SpecificationError(
        f"the ends of `within ... of ...` are elements, not {a_value(value)}", span, "write `T(...)`"
    )


def not_a_real(value: Value, span: Span) -> SpecificationError:
    """A distance, or a centre, that is no real."""
    return SpecificationError(f"`within ... of ...` takes reals, not {a_value(value)}", span, "write `real(...)`")


# ------------------------------------------------------------------------------------------- numbers and conversions


def not_a_number(value: Value, span: Span) -> SpecificationError:
    """Arithmetic on something else than a number."""
    cure = "write a number or an element"
    if isinstance(value, Tensor):
        cure = "read an element of it, as in `X[i]`"
    return SpecificationError(f"arithmetic takes numbers, not {a_value(value)}", span, cure)


def mixed_arithmetic(a: Term, b: Term, context: Kernel, span: Span) -> SpecificationError:
    """Arithmetic on numbers of two types."""
    return SpecificationError(f"arithmetic cannot mix {a_value(a)} and {a_value(b)}", span, of_two(a, b, context))


def minifloats(span: Span) -> SpecificationError:
    """Arithmetic on minifloats."""
    return SpecificationError(
        "there is no arithmetic of minifloats",
        span,
        "compute with floats, and convert the result: `T(float(x) + float(y))`",
    )


def no_quotient(span: Span) -> SpecificationError:
    """A division of integers that does not say how it rounds."""
    return SpecificationError(
        "`/` divides reals and floats, and these are integers",
        span,
        "write `div(a, b)` for the integer quotient, or `real(a) / real(b)`",
    )


def no_power(base: Value, most: int, span: Span) -> SpecificationError:
    """A power that is computed, or too great."""
    cure = "write a constant such as 2^31"
    if isinstance(base, Term) and not is_literal(base):
        cure = "multiply, as in `x * x`"
    return SpecificationError(f"only a literal can be raised to a power, at most that of {most}", span, cure)


def long_integer(most: int, span: Span) -> SpecificationError:
    """An integer with too many digits."""
    return SpecificationError(f"the number has more than {most} digits", span, "write a power, such as 2^31")


def long_decimal(most: int, span: Span) -> SpecificationError:
    """A decimal with too many digits."""
    return SpecificationError(f"the number has more than {most} digits", span, "write fewer")


def wraps_unseen(span: Span) -> SpecificationError:
    """Arithmetic that wraps, in a definition that an exact clause calls."""
    return SpecificationError(
        "this wraps, but an `exact` clause calls it", span, "compute with `int(...)` of the elements"
    )


def two_zeros(node: s.Expression, sort: Sort, context: Kernel) -> SpecificationError:
    """A zero with a sign as a number."""
    return SpecificationError(
        f"`{s.text_of(node)}` is the number 0, and a float has two zeros",
        node.span,
        f"write `-{type_name(sort, context)}(0)` for the zero with a sign, `0` for the one without",
    )


def not_exactly(one: Sort, node: s.Expression, sort: Sort, context: Kernel) -> SpecificationError:
    """A number that a type rounds or wraps; `sort` is that of the section."""
    text = s.text_of(node)
    return SpecificationError(f"no {one.name} is exactly {text}", node.span, _converted(text, sort, context))


def in_no_type(node: s.Expression, sort: Sort, context: Kernel) -> SpecificationError:
    """A number that each type of the family rounds or wraps."""
    text = s.text_of(node)
    message = f"no type of the family {context.family} has {text}"
    return SpecificationError(message, node.span, _converted(text, sort, context))


def _converted(text: str, sort: Sort, context: Kernel) -> str:
    name = type_name(sort, context)
    if context.wraps(sort):
        return f"write `{name}({text})`, which wraps, or the element as an integer, `int(x)`"
    return f"write `{name}({text})`, which is rounded, or the element as a real, `real(x)`"


def several_to_convert(name: str, count: int, span: Span) -> SpecificationError:
    """A conversion of none, or of several."""
    return SpecificationError(
        f"`{name}` converts a number or an element, not {count} values", span, "convert one number"
    )


def not_to_convert(name: str, value: Value, span: Span) -> SpecificationError:
    """A conversion of something else than a number."""
    cure = "convert one number"
    if isinstance(value, Term) and value.sort == BOOL:
        cure = "write the condition as a number: `if p then 1 else 0`"
    return SpecificationError(f"`{name}` converts a number or an element, not {a_value(value)}", span, cure)


def no_conversion(name: str, value: Term, span: Span, *, wraps: bool) -> SpecificationError:
    """A conversion that there is not; `wraps` says whether it would give an integer type."""
    cure = f"convert its number, where it is finite: `{name}(real(x))`"
    if name in tuple(Conversion):
        rounded = name if name in (Conversion.FLOOR, Conversion.CEIL) else Conversion.FLOOR
        cure = f"convert it to int or real before: `T(real(x))`, `{rounded}(real(x))`"
    elif wraps and value.sort == REAL:
        cure = f"say how it is rounded: `{name}(floor(x))`"
    elif wraps:
        cure = f"say how it is rounded: `{name}(floor(real(x)))`"
    return SpecificationError(f"`{name}` does not convert {a_value(value)}", span, cure)


def no_constant(type_name: str, name: str, span: Span) -> SpecificationError:
    """A constant that the type lacks."""
    return SpecificationError(
        f"`{type_name}` has no `{name}` here",
        span,
        "every number type has lowest and greatest; floats and minifloats also least; floats also infinity, "
        "roundoff and overflow",
    )
