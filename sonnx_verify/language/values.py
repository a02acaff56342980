"""The meanings of expressions as they are elaborated: terms, and structures of terms, which reach no solver. Trusted.

Shapes and indices are stored from the right; the language counts axes from the left and the elaborator converts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from fractions import Fraction

from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import Constant
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, REAL, FloatSort, IntegerSort, Sort
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
    sub,
    substitute,
)


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


# Stored from the right, trailing axes have the same number in tensors of all ranks: broadcasting compares axis q of one
# with axis q of the other, and needs no ranks to say it. `X.shape[0]` of rank r is `dim(r - 1)`.
@dataclass(frozen=True)
class Shape:
    """`dim(q)` is the size on axis q from the right, meaningful for 0 <= q < rank."""

    rank: Term
    dim: Callable[[Term], Term]


@dataclass(frozen=True)
class Position:
    """An index of a tensor of that rank."""

    term: Term
    rank: Term


@dataclass(frozen=True)
class Tensor:
    """`read` takes an index term; `facts` says which declared facts hold of the tensor."""

    shape: Shape
    read: Callable[[Term], Term]
    sort: Sort
    facts: Callable[[str], Term] | None = None


@dataclass(frozen=True)
class Items:
    """A list: `count` values of a kind, numbered from `base` in the language and from 0 here."""

    count: Term
    item: Callable[[Term], Value]
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

    contains: Callable[[Term], Term]


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

    def at(self, variable: Term, term: Term) -> Reach:
        """The same with a variable replaced by a term."""
        return Reach(*(substitute(part, {variable: term}) for part in self.parts))


@dataclass(frozen=True)
class Results:
    """The elements that conform, given by a condition; `representative` is the one that is computed."""

    sort: Sort
    conforms: Callable[[Term], Term]
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


def a_kind(kind: object) -> str:
    """The kind in the words of a message, with its article."""
    # An abstract element is of the type that texts call T.
    text = str(kind).replace(f" {ELEMENT.name}", " T")
    if text[0] in "aeiou":
        return f"an {text}"
    return f"a {text}"


def fits(value: Value, wanted: s.Type) -> bool:
    """Return whether a value is of the type."""
    match value:
        # T fits every element, whichever type it stands for: a definition on T is elaborated anew on what it is given,
        # `f(x)` of an int8 x with the arithmetic of int8. What is stated of T alone is checked where it is used (give).
        case Term() if wanted.name == TypeWord.T:
            return value.sort == ELEMENT or value.sort.name in ELEMENT_TYPES
        case Term():
            return value.sort.name == wanted.name
        case Shape() | Position() | Members():
            return str(kind_of(value)) == str(wanted)
        case Tensor() | Items():
            return _is(kind_of(value), wanted)
        case SetOf():
            return wanted.name == TypeWord.SET and wanted.of is not None and fits(value.body, wanted.of)
        case Results() if wanted.name == TypeWord.SET and wanted.of is not None:
            return wanted.of.name in (TypeWord.T, value.sort.name)
        case Results() | Outcome() | Declared():
            return False


_FORMS: dict[str, Form] = {TypeWord.TENSOR: Form.TENSOR, TypeWord.LIST: Form.LIST, TypeWord.SET: Form.SET}


def _is(kind: ValueKind, wanted: s.Type) -> bool:
    """Return whether a kind is the one that is wanted; T stands for anything that is of nothing else."""
    if wanted.of is not None:
        return kind.form is _FORMS.get(wanted.name) and isinstance(kind.of, ValueKind) and _is(kind.of, wanted.of)
    return not isinstance(kind.of, ValueKind) and wanted.name in (TypeWord.T, str(kind))


def last(rank: Term) -> Term:
    """The number of the last axis of a rank, or of the last position of a count."""
    return sub(rank, ONE)


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
            return Shape(
                ite(condition, then.rank, otherwise.rank),
                lambda q: ite(condition, then.dim(q), otherwise.dim(q)),
            )
        case Position(), Position():
            return Position(ite(condition, then.term, otherwise.term), ite(condition, then.rank, otherwise.rank))
        case Tensor(), Tensor() if then.sort == otherwise.sort:
            shape = choose(condition, then.shape, otherwise.shape)
            assert isinstance(shape, Shape)
            facts = _choose_facts(condition, then, otherwise)
            return Tensor(shape, lambda i: ite(condition, then.read(i), otherwise.read(i)), then.sort, facts)
        case ((Results() | Term()), (Results() | Term())):
            return _choose_results(condition, then, otherwise)
        case Items(), Items() if (then.kind, then.base) == (otherwise.kind, otherwise.base):
            count = ite(condition, then.count, otherwise.count)
            return Items(count, lambda m: _either(condition, then.item(m), otherwise.item(m)), then.kind, then.base)
        case Outcome(), Outcome():
            result = choose(condition, then.result, otherwise.result)
            if not isinstance(result, Tensor | Items):
                return None
            return Outcome(ite(condition, then.defined, otherwise.defined), result)
        case _:
            return None


def _choose_facts(condition: Term, then: Tensor, otherwise: Tensor) -> Callable[[str], Term] | None:
    """The facts of the tensor that is chosen. Those of a tensor that was made are not known, so nor are those of a
    choice of one: `X is dense` is refused of it, rather than answered for the other tensor."""
    first, second = then.facts, otherwise.facts
    if first is None or second is None:
        return None
    return lambda fact: ite(condition, first(fact), second(fact))


def results(value: Term | Results) -> Results:
    """An element as the only one that conforms."""
    if isinstance(value, Results):
        return value
    return Results(value.sort, lambda y: eq(y, value), value)


def _choose_results(condition: Term, then: Term | Results, otherwise: Term | Results) -> Results | None:
    # Two terms come here only where their sorts differ: those of one sort are chosen before. A term beside a set of
    # results is the set of that one element: `if is_nan(x) then any NaN else x` lets each NaN through, else x alone.
    if then.sort != otherwise.sort:
        return None
    first, second = results(then), results(otherwise)
    return Results(
        first.sort,
        lambda y: ite(condition, first.conforms(y), second.conforms(y)),
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

    # A term of a position beyond the end has to have some value, since terms are total: it is the last item, as a chain
    # of `if position = 0 then ... else` has it, or the first for a negative literal. No text can rest on that: each
    # read asks that its position is inside (access.py).
    def item(position: Term) -> Value:
        if is_literal(position):
            number = position.payload
            assert isinstance(number, int)
            return values[min(max(number, 0), len(values) - 1)]
        chosen = values[-1]
        for n in range(len(values) - 2, -1, -1):
            made = choose(eq(position, integer(n)), values[n], chosen)
            assert made is not None
            chosen = made
        return chosen

    kinds = [kind_of(v) for v in values]
    if any(choose(eq(ZERO, _UNKNOWN), values[0], v) is None for v in values[1:]):
        return None
    return Items(integer(len(values)), item, kinds[0])


_UNKNOWN = Symbol("unknown", (), ZERO.sort)()


def instantiate(value: Value, variable: Term, term: Term) -> Value:
    """The value with a variable that stands in it replaced by a term."""
    # Values hold functions that make terms. To replace the variable in what such a function gives is enough: the
    # argument it is called with comes later, from outside the binder of the variable, and so without it.

    def put(t: Term) -> Term:
        return substitute(t, {variable: term})

    match value:
        case Term():
            return put(value)
        case Shape():
            return Shape(put(value.rank), lambda q: put(value.dim(q)))
        case Position():
            return Position(put(value.term), put(value.rank))
        case Tensor():
            shape = instantiate(value.shape, variable, term)
            assert isinstance(shape, Shape)
            # A fact is a symbol of an input, perhaps of the member of a family that the variable numbers.
            facts = value.facts
            put_facts = facts and (lambda fact: put(facts(fact)))
            return Tensor(shape, lambda i: put(value.read(i)), value.sort, put_facts)
        case Items():
            items = value
            return Items(put(items.count), lambda m: instantiate(items.item(m), variable, term), items.kind, items.base)
        case SetOf():
            body = instantiate(value.body, variable, term)
            assert isinstance(body, Term | Position | Items)
            return SetOf(_put_domain(value.domain, put), value.variable, put(value.condition), body)
        case Members():
            members = value
            return Members(lambda k: put(members.contains(k)))
        case Results():
            given = value
            reach = given.reach.at(variable, term)
            return Results(given.sort, lambda y: put(given.conforms(y)), put(given.representative), reach)
        case Outcome():
            result = instantiate(value.result, variable, term)
            assert isinstance(result, Tensor | Items)
            return Outcome(put(value.defined), result)
        case Declared():
            return replace(value, value=instantiate(value.value, variable, term), given=put(value.given))


def _put_domain(domain: Domain, put: Callable[[Term], Term]) -> Domain:
    shape = domain.shape
    if shape is None:
        return Domain(put(domain.low), put(domain.high))
    return Domain(shape=Shape(put(shape.rank), lambda q: put(shape.dim(q))))
