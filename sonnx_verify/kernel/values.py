"""The meanings of expressions as they are elaborated: terms, and structures of terms, which reach no solver. Trusted.

Shapes and indices are stored from the right; the language counts axes from the left and the elaborator converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from fractions import Fraction
from typing import Generic, TypeVar, cast

from sonnx_verify.logic.nodes import integer_of
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    forall,
    forall_index,
    integer,
    is_literal,
    ite,
    literal,
    placeholder,
    sub,
    substitute,
)

Constant = int | str | tuple[int, ...] | tuple[str, ...]
"""A value that is written out, in the form of its sort: a float as its bits."""


@unique
class Form(StrEnum):
    """The form of a kind, in the words of messages; the braces stand for what it is of."""

    SINGLE = "{}"
    SHAPE = "shape"
    INDEX = "index"
    TENSOR = "tensor of {}"
    LIST = "list of {}"
    SET = "set of {}"
    RESULTS = "set of results in {}"
    OUTCOME = "result of an operator (tensor of {})"


@dataclass(frozen=True, slots=True)
class ValueKind:
    """The type of a value: SINGLE of a sort, other forms of another kind, a shape or an index of nothing."""

    form: Form
    of: ValueKind | Sort | None = None

    def __str__(self) -> str:
        return self.form.format(self.of)

    @property
    def leaf(self) -> str:
        """The name of what it is of at last: `float` of a list of tensors of float."""
        if isinstance(self.of, ValueKind):
            return self.of.leaf
        return str(self)


def single(sort: Sort) -> ValueKind:
    """The kind of a term."""
    return ValueKind(Form.SINGLE, sort)


def tensor_of(sort: Sort) -> ValueKind:
    """The kind of a tensor."""
    return ValueKind(Form.TENSOR, single(sort))


A_SHAPE, AN_INDEX = ValueKind(Form.SHAPE), ValueKind(Form.INDEX)
SET_OF_INT = ValueKind(Form.SET, single(INT))


V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Abstraction(Generic[V]):
    """A function as data: a value with variables of its own in it, of which no other value knows. It is applied by
    putting terms in their places."""

    variables: tuple[Term, ...]
    body: V

    def __call__(self, *terms: Term) -> V:
        return _put(self.body, dict(zip(self.variables, terms, strict=True)))

    def put(self, values: Mapping[Term, Term]) -> Abstraction[V]:
        """The same with other variables, that are free in it, replaced by terms."""
        return Abstraction(self.variables, _put(self.body, values))


def _put(body: V, values: Mapping[Term, Term]) -> V:
    made = body.put(values) if isinstance(body, Reach) else instantiate(cast("Value", body), values)
    return cast("V", made)


def abstraction(make: Callable[..., V], *sorts: Sort) -> Abstraction[V]:
    """The function that makes a value of terms of these sorts, as data."""
    variables = tuple(placeholder(sort) for sort in sorts)
    return Abstraction(variables, make(*variables))


def of_axes(dim: Callable[[Term], Term]) -> Abstraction[Term]:
    """A function of axes, or of other integers."""
    return abstraction(dim, INT)


def of_indices(read: Callable[[Term], Term]) -> Abstraction[Term]:
    """A function of index terms."""
    return abstraction(read, INDEX)


# Stored from the right, trailing axes have the same number in tensors of all ranks: broadcasting compares axis q of one
# with axis q of the other, and needs no ranks to say it. `X.shape[0]` of rank r is `dim(r - 1)`.
@dataclass(frozen=True)
class Shape:
    """`dim(q)` is the size on axis q from the right, meaningful for 0 <= q < rank."""

    rank: Term
    dim: Abstraction[Term]


@dataclass(frozen=True)
class Position:
    """An index of a tensor of that rank."""

    term: Term
    rank: Term


@dataclass(frozen=True)
class Tensor:
    """`read` takes an index term; `facts` says which declared facts hold of the tensor, if that is known of one."""

    shape: Shape
    read: Abstraction[Term]
    sort: Sort
    facts: Mapping[str, Term] | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """The items of a list that is written out, by their positions."""

    values: tuple[Value, ...]

    def __call__(self, position: Term) -> Value:
        # A term of a position beyond the end has to have some value, since terms are total: it is the last item, as a
        # chain of `if position = 0 then ... else` has it, or the first for a negative literal. No text can rest on
        # that: each read asks that its position is inside (access.py).
        values = self.values
        if is_literal(position):
            return values[min(max(integer_of(position), 0), len(values) - 1)]
        chosen = values[-1]
        for n in range(len(values) - 2, -1, -1):
            chosen = _either(eq(position, integer(n)), values[n], chosen)
        return chosen

    def put(self, values: Mapping[Term, Term]) -> Entries:
        """The same with variables, that are free in it, replaced by terms."""
        return Entries(tuple(instantiate(value, values) for value in self.values))


@dataclass(frozen=True)
class Items:
    """A list: `count` values of a kind, numbered from `base` in the language and from 0 here."""

    count: Term
    item: Abstraction[Value] | Entries
    kind: ValueKind
    base: int = 0


@dataclass(frozen=True)
class Domain:
    """The range of a variable: integers from low to high, or the indices of a shape."""

    low: Term = ZERO
    high: Term = ZERO
    shape: Shape | None = None


@dataclass(frozen=True)
class Members:
    """A set of integers of which the members are known, not the end: it is no domain of a binder."""

    contains: Abstraction[Term]


@dataclass(frozen=True)
class Reach:
    """The extent of a set of results, for reports: `every` element conforms, or the finite ones `near` to a real,
    within a bound of the centre, or those that are `counted`, at most so many `steps` from the representative. Of one
    element, and of NaN, none of the three."""

    every: Term = FALSE
    near: Term = FALSE
    counted: Term = FALSE
    bound: Term = literal(Fraction(0), REAL)
    centre: Term = literal(Fraction(0), REAL)
    steps: Term = ZERO

    @property
    def parts(self) -> tuple[Term, Term, Term, Term, Term, Term]:
        """Its terms, in the order in which they make it."""
        return self.every, self.near, self.counted, self.bound, self.centre, self.steps

    def put(self, values: Mapping[Term, Term]) -> Reach:
        """The same with variables replaced by terms."""
        return Reach(*(substitute(part, values) for part in self.parts))


@dataclass(frozen=True)
class Results:
    """The elements that conform, given by a condition; `representative` is the one that is computed."""

    sort: Sort
    conforms: Abstraction[Term]
    representative: Term
    reach: Reach = Reach()


@dataclass(frozen=True)
class SetOf:
    """A collection: the values of `body` for the members of a domain that meet a condition, one for each of them."""

    domain: Domain
    variable: Term
    condition: Term
    body: Term | Position | Items


@dataclass(frozen=True)
class Outcome:
    """The answer of an operator: `defined` where it has a result, and that result; a list where its output is a
    family."""

    defined: Term
    result: Tensor | Items


@dataclass(frozen=True)
class Declared:
    """The meaning of the name of an input, attribute or output: its value, and whether it is given. Where reading it
    `needs` that it is given, the value means nothing otherwise. Where it has a `default` the value is known to be that
    if it is not given. Whether it may be left out is decided `by_type` where its default is a type."""

    value: Value
    given: Term = TRUE
    needs: bool = False
    default: Constant | None = None
    by_type: bool = False


MACHINE = IntegerSort | FloatSort
"""Element types of machines: all but bool and real."""

Value = Term | Shape | Position | Tensor | Items | SetOf | Members | Results | Outcome | Declared


def kind_of(value: Value) -> ValueKind:
    """The kind of a value."""
    match value:
        case Term():
            return single(value.sort)
        case Shape():
            return A_SHAPE
        case Position():
            return AN_INDEX
        case Tensor():
            return tensor_of(value.sort)
        case Items():
            return ValueKind(Form.LIST, value.kind)
        case SetOf():
            return ValueKind(Form.SET, kind_of(value.body))
        case Members():
            return SET_OF_INT
        case Results():
            return ValueKind(Form.RESULTS, single(value.sort))
        case Outcome():
            if isinstance(value.result, Items):
                return ValueKind(Form.OUTCOME, kind_of(value.result))
            return ValueKind(Form.OUTCOME, single(value.result.sort))
        case Declared():
            return kind_of(value.value)


def last(rank: Term) -> Term:
    """The number of the last axis of a rank, or of the last position of a count."""
    return sub(rank, ONE)


A_SCALAR = Shape(ZERO, of_axes(lambda q: q))
"""A shape without axes."""


def same_shape(a: Shape, b: Shape) -> Term:
    """Equal ranks and equal sizes on every axis."""
    # `dim` is total: beyond the rank it has values of which nothing is known, so only axes below the rank are compared.
    # Either rank will do as the end, since the other conjunct makes them equal.
    return and_(eq(a.rank, b.rank), forall(ZERO, last(a.rank), lambda q: eq(a.dim(q), b.dim(q))))


def same_tensor(a: Tensor, b: Tensor) -> Term:
    """Equal shapes and the same element at every index."""
    # `=` of elements is sameness, not ieee_equal: a NaN is the same as a NaN, and -0 is another float than 0. So two
    # tensors are the same exactly where no reader of their elements can tell them apart, up to the payload of a NaN.
    return and_(
        same_shape(a.shape, b.shape),
        forall_index(a.shape.rank, a.shape.dim, lambda i: eq(a.read(i), b.read(i))),
    )


_EITHER = Symbol("either", (), BOOL)()
"""A condition of which nothing is known."""


def choose(condition: Term, then: Value, otherwise: Value) -> Value | None:
    """`then` where the condition holds, else `otherwise`; None when their kinds differ."""
    if is_literal(condition):
        # The branch that is not taken has to fit too: whether a text is well-formed does not depend on a number in it.
        # `if 1 < 2 then 1 else X` is refused as `if n < 2 then 1 else X` is.
        if choose(_EITHER, then, otherwise) is None:
            return None
        if condition is TRUE:
            return then
        return otherwise
    match then, otherwise:
        case Term(), Term() if then.sort == otherwise.sort:
            return ite(condition, then, otherwise)
        case Shape(), Shape():
            return Shape(ite(condition, then.rank, otherwise.rank), _chosen(condition, then.dim, otherwise.dim))
        case Position(), Position():
            return Position(ite(condition, then.term, otherwise.term), ite(condition, then.rank, otherwise.rank))
        case Tensor(), Tensor() if then.sort == otherwise.sort:
            shape = choose(condition, then.shape, otherwise.shape)
            assert isinstance(shape, Shape)
            facts = _choose_facts(condition, then, otherwise)
            return Tensor(shape, _chosen(condition, then.read, otherwise.read), then.sort, facts)
        case ((Results() | Term()), (Results() | Term())):
            return _choose_results(condition, then, otherwise)
        case Items(), Items() if (then.kind, then.base) == (otherwise.kind, otherwise.base):
            position = placeholder(INT)
            item = choose(condition, then.item(position), otherwise.item(position))
            if item is None:
                return None
            count = ite(condition, then.count, otherwise.count)
            return Items(count, Abstraction((position,), item), then.kind, then.base)
        case Outcome(), Outcome():
            result = choose(condition, then.result, otherwise.result)
            if not isinstance(result, Tensor | Items):
                return None
            return Outcome(ite(condition, then.defined, otherwise.defined), result)
        case _:
            return None


def _chosen(condition: Term, then: Abstraction[Term], otherwise: Abstraction[Term]) -> Abstraction[Term]:
    # On the variables of the second: a long chain of choices is not gone through again at each of its links.
    variables = otherwise.variables
    return Abstraction(variables, ite(condition, then(*variables), otherwise.body))


def _choose_facts(condition: Term, then: Tensor, otherwise: Tensor) -> Mapping[str, Term] | None:
    """The facts of the tensor that is chosen. Those of a tensor that was made are not known, so nor are those of a
    choice of one: `X is dense` is refused of it, rather than answered for the other tensor."""
    first, second = then.facts, otherwise.facts
    if first is None or second is None:
        return None
    return {fact: ite(condition, first[fact], second[fact]) for fact in first if fact in second}


def results(value: Term | Results) -> Results:
    """An element as the only one that conforms."""
    if isinstance(value, Results):
        return value
    return Results(value.sort, abstraction(lambda y: eq(y, value), value.sort), value)


def _choose_results(condition: Term, then: Term | Results, otherwise: Term | Results) -> Results | None:
    # Two terms come here only where their sorts differ: those of one sort are chosen before. A term beside a set of
    # results is the set of that one element: `if is_nan(x) then any NaN else x` lets each NaN through, else x alone.
    if then.sort != otherwise.sort:
        return None
    first, second = results(then), results(otherwise)
    return Results(
        first.sort,
        _chosen(condition, first.conforms, second.conforms),
        ite(condition, first.representative, second.representative),
        Reach(*(ite(condition, a, b) for a, b in zip(first.reach.parts, second.reach.parts, strict=True))),
    )


def _either(condition: Term, then: Value, otherwise: Value) -> Value:
    """`choose` of values that are of one kind."""
    made = choose(condition, then, otherwise)
    assert made is not None
    return made


def listed(values: list[Value]) -> Items | None:
    """The list of the values, or None when they are of several kinds."""
    kinds = [kind_of(v) for v in values]
    if any(choose(eq(ZERO, _UNKNOWN), values[0], v) is None for v in values[1:]):
        return None
    return Items(integer(len(values)), Entries(tuple(values)), kinds[0])


_UNKNOWN = Symbol("unknown", (), ZERO.sort)()


def instantiate(value: Value, values: Mapping[Term, Term]) -> Value:
    """The value with variables that are free in it replaced by terms."""
    match value:
        case Term():
            return substitute(value, values)
        case Shape():
            return put_in_shape(value, values)
        case Position():
            return Position(substitute(value.term, values), substitute(value.rank, values))
        case Tensor():
            # A fact is a symbol of an input, perhaps of the member of a family that the variable numbers.
            facts = value.facts and {fact: substitute(term, values) for fact, term in value.facts.items()}
            return Tensor(put_in_shape(value.shape, values), value.read.put(values), value.sort, facts)
        case Items():
            return replace(value, count=substitute(value.count, values), item=value.item.put(values))
        case SetOf():
            body = instantiate(value.body, values)
            assert isinstance(body, Term | Position | Items)
            domain = _put_domain(value.domain, values)
            return SetOf(domain, value.variable, substitute(value.condition, values), body)
        case Members():
            return Members(value.contains.put(values))
        case Results():
            representative = substitute(value.representative, values)
            return Results(value.sort, value.conforms.put(values), representative, value.reach.put(values))
        case Outcome():
            result = instantiate(value.result, values)
            assert isinstance(result, Tensor | Items)
            return Outcome(substitute(value.defined, values), result)
        case Declared():
            given = substitute(value.given, values)
            return replace(value, value=instantiate(value.value, values), given=given)


def put_in_shape(shape: Shape, values: Mapping[Term, Term]) -> Shape:
    """A shape with variables that are free in it replaced by terms."""
    return Shape(substitute(shape.rank, values), shape.dim.put(values))


def _put_domain(domain: Domain, values: Mapping[Term, Term]) -> Domain:
    if domain.shape is None:
        return Domain(substitute(domain.low, values), substitute(domain.high, values))
    return Domain(shape=put_in_shape(domain.shape, values))
