"""Lists, shapes, indices and tensors that are given by their parts, and sets of results. Trusted.

    list (k in D where c -> e)      for each k of D that meets c, in order, e
    shape (k in axes(X) -> n)       the sizes from the left; stored from the right, as all shapes are
    tensor (i in S -> e)            e at each index i of the shape S

Side conditions arise where the parts are given: no length, rank or size is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.binding import Ranging
from sonnx_verify.language.context import Context, Family, Lack
from sonnx_verify.language.numbers import Numbers, TypeConstant
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.language.syntax import Maker, text_of
from sonnx_verify.language.values import (
    Abstraction,
    Domain,
    Items,
    Position,
    Reach,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    a_kind,
    abstraction,
    kind_of,
    last,
    listed,
)
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, FloatSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    at,
    bind_count,
    bind_position,
    eq,
    index,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    ordinal,
    placeholder,
    scale,
    sub,
    to_real,
)
from sonnx_verify.results.kinds import Kind

_NAN = "NaN"
"""The word behind `any` that is no type."""


class Makers:
    """Makers in one context. `index_base` is the number of the first coordinate, in the text."""

    def __init__(
        self,
        inner: Subexpressions,
        context: Context,
        index_base: int,
        ranging: Ranging,
        numbers: Numbers,
        access: Access,
    ) -> None:
        self._inner, self._context, self._index_base = inner, context, index_base
        self._ranging, self._numbers, self._access = ranging, numbers, access

    def listed(self, node: s.Listed, scope: Scope) -> Items:
        """`[a, b]`."""
        values = [self._inner.value(item, scope) for item in node.items]
        made = listed(values)
        if made is None:
            kinds = list(dict.fromkeys(str(kind_of(v)) for v in values))
            if len(kinds) == 1:
                cure = "list numbers, elements, texts, shapes or tensors"
                raise SpecificationError(f"a list cannot hold {kinds[0]}", node.span, cure)
            message = "the list mixes types: " + ", ".join(str(kind_of(v)) for v in values)
            raise SpecificationError(message, node.span, "list values of one type")
        return made

    def make(self, node: s.Make, scope: Scope) -> Value:
        """`shape (k in D where c -> e)` and the like."""
        (binder,), where = node.binders.binders, node.binders.where
        found = self._ranging.domain(binder.domain, scope)
        if isinstance(found, SetOf):
            # A set is written with a domain, but two texts that write the same set over other domains would get two
            # lists.
            raise SpecificationError("a set has no order", binder.domain.span, "write a range and `where`")
        if node.maker is Maker.TENSOR:
            if found.shape is None or where is not None:
                raise SpecificationError(
                    "a tensor is built over the indices of a shape", binder.domain.span, "range over a whole shape"
                )
            return self._tensor(found.shape, binder.name, node.body, scope)
        if found.shape is not None:
            raise SpecificationError(
                f"{a_kind(node.maker)} is built over integers", binder.domain.span, "range over integers"
            )
        count, place = self._places(found, node.binders, scope)

        def part(position: Term) -> Value:
            """The value of the body for the part at a position."""
            # The body is looked at for parts that there are: `list (k in 0 .. n - 1 -> X[k])` asks k inside X for
            # these.
            with self._context.assuming(and_(le(ZERO, position), lt(position, count))):
                return self._inner.value(node.body, {**scope, binder.name: place(position)})

        if node.maker is Maker.LIST:
            return self._list(node, count, part)
        return self._coordinates(node, count, part)

    def _places(self, domain: Domain, binders: s.Binders, scope: Scope) -> tuple[Term, Callable[[Term], Term]]:
        """The number of parts, and the number of the domain that the part at each position is made for."""
        # With a condition the parts are those numbers that meet it, in their order: `list (k in 0 .. 9 where mod(k, 3)
        # = 0 -> k)` has 4 items, and the one at position 2 is for the third such number, 6.
        if binders.where is None:
            return add(sub(domain.high, domain.low), ONE), lambda position: add(domain.low, position)
        variable = placeholder(INT)
        with self._context.ranging(domain.low, domain.high, variable):
            kept = self._inner.condition(binders.where, {**scope, binders.binders[0].name: variable})
        count = bind_count(domain.low, domain.high, variable, kept)
        return count, lambda position: bind_position(domain.low, domain.high, variable, kept, position)

    def _list(self, node: s.Make, count: Term, part: Callable[[Term], Value]) -> Items:
        variable = placeholder(INT)
        self._context.require(Kind.TOTAL, le(ZERO, count), f"the length is at least 0: {text_of(node)}", node.span)
        with self._context.ranging(ZERO, last(count), variable):
            item = part(variable)
        return Items(count, Abstraction((variable,), item), kind_of(item))

    def _coordinates(self, node: s.Make, count: Term, part: Callable[[Term], Value]) -> Shape | Position:
        """A shape, or an index, whose coordinates may be negative: that it is inside is asked where it is read."""
        # A padded read computes `i[k] - pad` first and compares then, so an index may lie outside. A shape may not:
        # ONNX has no tensor with a negative size, and an element count of one would be negative.
        variable = placeholder(INT)
        with self._context.ranging(ZERO, last(count), variable):
            # Axis q from the right is position count - 1 - q of the range.
            size = self._numbers.number(node.body, part(sub(last(count), variable)))
            if size.sort != INT:
                raise SpecificationError(f"{a_kind(node.maker)} holds integers", node.body.span, "write an integer")
            if node.maker is Maker.INDEX:
                size = sub(size, integer(self._index_base))
            else:
                reason = f"every size is at least 0: {text_of(node)}"
                self._context.require(Kind.TOTAL, le(ZERO, size), reason, node.span)
        self._context.require(Kind.TOTAL, le(ZERO, count), f"the rank is at least 0: {text_of(node)}", node.span)
        sizes = Abstraction((variable,), size)
        if node.maker is Maker.INDEX:
            return Position(index(count, sizes), count)
        return Shape(count, sizes)

    def _tensor(self, shape: Shape, name: str, body: s.Expression, scope: Scope) -> Tensor:
        # Side conditions of an element are asked of each index of the shape. Beyond it the tensor has elements too,
        # which nobody can read: each read asks that it is inside.
        variable = placeholder(INDEX)
        with self._context.indexing(shape, variable):
            element = self._inner.value(body, {**scope, name: Position(variable, shape.rank)})
        if not isinstance(element, Term) or element.sort in (INT, INDEX, STRING):
            raise SpecificationError(
                f"a tensor holds elements, not {a_kind(kind_of(element))}", body.span, "write an element"
            )
        return Tensor(shape, Abstraction((variable,), element), element.sort)

    def replaced(self, node: s.Replaced, scope: Scope) -> Position:
        """`(i with [axis] = value)`."""
        position = self._inner.value(node.index, scope)
        if not isinstance(position, Position):
            raise SpecificationError(
                f"`with` replaces a coordinate of an index, not of {a_kind(kind_of(position))}",
                node.span,
                "name an index",
            )
        axis = self._inner.integer(node.axis, scope)
        value = self._inner.integer(node.value, scope)
        # The axis has to be one, the new coordinate may be anything: where the index is read it has to be inside.
        self._access.inside(
            axis, position.rank, Lack.AXIS, f"the index has axis {text_of(node.axis)}: {text_of(node)}", node.span
        )
        where = sub(last(position.rank), axis)
        new, old = sub(value, integer(self._index_base)), position.term
        return Position(index(position.rank, lambda q: ite(eq(q, where), new, at(old, q))), position.rank)

    # ------------------------------------------------------------------------------------------------ sets of results

    def any_of(self, node: s.AnyOf) -> Results:
        """`any T`: each element conforms. `any NaN`: each NaN does."""
        if node.what == _NAN:
            return self._any_nan(node)
        sort = self._context.sort_of(node.what, node.span)
        return Results(sort, abstraction(lambda y: TRUE, sort), self._some(sort), Reach(every=TRUE))

    def _any_nan(self, node: s.AnyOf) -> Results:
        sort = self._context.element
        if self._context.family != Family.FLOAT:
            raise SpecificationError("only floats have a NaN", node.span, "mark the clause `for float`")
        # All NaNs are one here: what is shown holds up to their payload, which ONNX leaves to the implementation.
        if isinstance(sort, FloatSort):
            some = literal(floats.nan(sort), sort)
        else:
            # -infinity stands for a NaN of abstract floats, of which none has a name. That the representative is in the
            # set is asked, and shown of each type.
            some = self._context.operation(Op.NEG, self._numbers.constant("T", TypeConstant.INFINITY, node.span))
        return Results(sort, abstraction(lambda y: self._context.operation(Op.IS_NAN, y), sort), some)

    def _some(self, sort: Sort) -> Term:
        """An element to compute with, where any conforms."""
        if sort == ELEMENT:
            return self._context.free_operation("some", ELEMENT)
        if sort == BOOL:
            return FALSE
        if sort == REAL:
            return literal(Fraction(0), sort)
        return literal(0, sort)

    def within(self, node: s.Within, scope: Scope) -> Results:
        """`within b of e in l .. h`: finite elements, between two elements, whose real value is no further than b from
        e."""
        values = self._inner.value(node.bound, scope), self._inner.value(node.centre, scope)
        bound, centre = (_real(part, value) for part, value in zip((node.bound, node.centre), values, strict=True))
        sort, family = self._context.element, self._context.family
        if family not in (Family.FLOAT, Family.REAL):
            raise SpecificationError(
                "`within ... of ...` gives floats or reals only", node.span, "mark the clause `for float`"
            )

        def near(y: Term) -> Term:
            # The real value of a NaN or an infinity is some real of which nothing is known, perhaps near to the centre:
            # so they are kept out by name. `|off| <= bound` is written as two comparisons, since the logic has no |x|.
            off = sub(self._exact(y), centre)
            finite = TRUE
            if family == Family.FLOAT:
                finite = and_(*(not_(self._context.operation(beyond, y)) for beyond in (Op.IS_NAN, Op.IS_INFINITE)))
            return and_(finite, le(off, bound), le(scale(-1, off), bound), inside(y))

        inside = self._between(node.range, scope)
        nearest = self._numbers.to_element(centre, sort, node.span)
        assert nearest is not None
        return Results(sort, abstraction(near, sort), nearest, Reach(near=TRUE, bound=bound, centre=centre))

    def within_steps(self, node: s.WithinSteps, scope: Scope) -> Results:
        """`within k steps of e in a .. b`: floats at most k steps from the one nearest to e, between two floats.

        Both zeros are in one place, and an infinity is the neighbour of the greatest float. NaN is never a member.
        """
        centre = _real(node.centre, self._inner.value(node.centre, scope))
        count = self._inner.integer(node.count, scope)
        sort = self._context.element
        if self._context.family != Family.FLOAT:
            raise SpecificationError("`within ... steps of ...` gives floats only", node.span, "mark it `for float`")
        nearest = self._numbers.to_element(centre, sort, node.span)
        assert nearest is not None
        inside = self._between(node.range, scope)
        self._context.require(
            Kind.TOTAL, le(ZERO, count), f"the number of steps {text_of(node.count)} is not negative", node.span
        )

        def near(y: Term) -> Term:
            off = sub(self._place(y), self._place(nearest))
            steps = and_(le(off, count), le(scale(-1, off), count))
            return and_(not_(self._context.operation(Op.IS_NAN, y)), steps, inside(y))

        return Results(sort, abstraction(near, sort), nearest, Reach(counted=TRUE, steps=count))

    def _between(self, cut: s.Range | None, scope: Scope) -> Callable[[Term], Term]:
        """The condition that an element lies in a range, if there is one."""
        if cut is None:
            return lambda _: TRUE
        low, high = (self._end(end, scope) for end in (cut.low, cut.high))

        def inside(y: Term) -> Term:
            return and_(self._at_most(low, y), self._at_most(y, high))

        return inside

    def _at_most(self, one: Term, other: Term) -> Term:
        if one.sort == REAL:
            return le(one, other)
        return self._context.operation(Op.AT_MOST, one, other)

    def _end(self, node: s.Expression, scope: Scope) -> Term:
        value = self._inner.value(node, scope)
        if isinstance(value, Term) and value.sort == self._context.element:
            return value
        raise SpecificationError(
            f"the ends of `within ... of ...` are elements, not {a_kind(kind_of(value))}",
            node.span,
            "write `T(...)`",
        )

    def _place(self, element: Term) -> Term:
        """The place of a float among all of its type."""
        if element.sort == ELEMENT:
            return self._context.free_operation(Op.ORDINAL, INT, element)
        return ordinal(element)

    def _exact(self, element: Term) -> Term:
        """The real value of an element that is finite."""
        if element.sort == REAL:
            return element
        if element.sort == ELEMENT:
            return self._context.free_operation(Op.TO_REAL, REAL, element)
        return to_real(element)


def _real(node: s.Expression, value: Value) -> Term:
    if isinstance(value, Term) and value.sort == REAL:
        return value
    raise SpecificationError(
        f"`within ... of ...` takes reals, not {a_kind(kind_of(value))}", node.span, "write `real(...)`"
    )
