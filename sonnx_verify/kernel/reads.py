"""Forms that read: elements, items, sizes, and the meanings of names that may be missing. Trusted.

Terms are total: beyond a shape a read has some value of which nothing is known. So each read asks that it is inside; it
becomes an obligation, under whatever encloses the place.

Shapes and indices are stored from the right, so that trailing axes have one number whatever the rank is; texts count
axes from the left: axis n of rank r is position r - 1 - n. A position is inside from the left where it is inside from
the right, so what is asked of n is asked of n as it is written.
"""

from __future__ import annotations

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Lack, Why
from sonnx_verify.kernel.values import Declared, Items, Outcome, Position, Shape, Tensor, Value, abstraction, last
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import ONE, TRUE, ZERO, Term, add, and_, at, eq, forall, index, integer, ite, le, lt, sub
from sonnx_verify.results.kinds import Kind


def declared(k: Kernel, name: Declared, why: Why) -> Value:
    """The meaning of a declared name. What may be left out asks that it is given. Twin: forgets_that_it_is_given."""
    # `Bias[i]` of an optional input asks given(Bias), under the conditions around it: in `given(Bias) => Bias[i] =
    # 0` that is no more than given(Bias) => given(Bias).
    if name.needs:
        k.require(Kind.IN_BOUNDS, name.given, why)
    return name.value


def result(k: Kernel, outcome: Outcome, why: Why) -> Tensor | Items:
    """The result of an operator, to be looked into; asks that it is no error. Twin: forgets_an_error."""
    # `Op(X)[i]` of input on which Op fails would be an element of a tensor that nobody computes.
    k.require(Kind.TOTAL, outcome.defined, why)
    return outcome.result


def item(k: Kernel, owner: Items, number: Term, why: Why) -> Value:
    """`L[n]`, asks that the list has it."""
    # `X[1 .. N]` numbers its members from 1: X[1] is the item at position 0. Twin: numbered_as_it_comes.
    position = sub(number, integer(owner.base))
    _inside(k, position, owner.count, Lack.ITEM, why)
    return owner.item(position)


def size(k: Kernel, owner: Shape, axis: Term, why: Why) -> Term:
    """`X.shape[n]`, asks that there is such an axis."""
    _inside(k, axis, owner.rank, Lack.AXIS, why)
    return owner.dim(sub(last(owner.rank), axis))


def coordinate(k: Kernel, owner: Position, axis: Term, base: int, why: Why) -> Term:
    """`i[n]`, asks that the index has that axis. Coordinates count from `base` in the text, and from 0 here."""
    _inside(k, axis, owner.rank, Lack.AXIS, why)
    return add(at(owner.term, sub(last(owner.rank), axis)), integer(base))


def element(k: Kernel, owner: Tensor, position: Position, base: int, why: Why) -> Term:
    """`X[i]`, asks that the index has the rank of the tensor and is inside on every axis."""
    shape = owner.shape
    within = forall(
        ZERO,
        last(shape.rank),
        lambda q: and_(le(ZERO, at(position.term, q)), lt(at(position.term, q), shape.dim(q))),
    )
    # Equal ranks too: an index of a greater rank would be inside on the axes that are compared. `X[i]` with i an
    # index of Y, in a text that broadcasts, is refused where Y may have more axes, though all those of X fit.
    right = and_(eq(position.rank, shape.rank), within)
    k.require(Kind.IN_BOUNDS, right, why, (position, shape, base))
    return owner.read(position.term)


def index_of(coordinates: Items, base: int) -> Position:
    """`[a, b]` as an index: a list of integers, from the left. Asks for nothing: the coordinates may be anything, and
    where the index is read it has to be inside."""

    def one(axis: Term) -> Term:
        made = coordinates.item(sub(last(coordinates.count), axis))
        assert isinstance(made, Term)
        return sub(made, integer(base))

    return Position(index(coordinates.count, one), coordinates.count)


def replaced(k: Kernel, owner: Position, axis: Term, value: Term, base: int, why: Why) -> Position:
    """`(i with [n] = value)`, asks that the index has that axis; the new coordinate may be anything: where the index
    is read it has to be inside."""
    _inside(k, axis, owner.rank, Lack.AXIS, why)
    where = sub(last(owner.rank), axis)
    new, old = sub(value, integer(base)), owner.term
    return Position(index(owner.rank, lambda q: ite(eq(q, where), new, at(old, q))), owner.rank)


def part(k: Kernel, owner: Items, low: Term, high: Term, why: Why) -> Items:
    """`L[low .. high]`, asks that all of it is there. A part may be empty, also at the end: of two items,
    `L[2 .. 1]`."""
    # `0 <= count` refuses `L[2 .. 0]`: a list of -1 items would break what is known of each list. The part is
    # numbered from 0 again, whatever the numbers in `owner` were.
    start = sub(low, integer(owner.base))
    count = add(sub(high, low), ONE)
    right = and_(le(ZERO, start), le(ZERO, count), le(add(start, count), owner.count))
    k.require(Kind.IN_BOUNDS, right, why)
    return Items(count, abstraction(lambda m: owner.item(add(start, m)), INT), owner.kind)


def _inside(k: Kernel, position: Term, count: Term, lack: Lack, why: Why) -> None:
    """Ask that a position, counted from 0, is one of `count`. Twin: reads_below_0."""
    # Both ends: there is no counting from the end as in Python. `L[-1]` has some value, of which nothing is known.
    k.require(Kind.IN_BOUNDS, and_(le(ZERO, position), lt(position, count)), why, lack=lack)


def fact(owner: Tensor, name: str, *, is_made: bool) -> Term | None:
    """`X is dense`: a free symbol of an input, of which nothing is known; true of a tensor that `is_made`, to which an
    operator is applied. None where the tensor has no such fact."""
    # A fact such as `dense` has no meaning in the model: it is a proposition of its own for each input, so a proof
    # that uses it holds whatever it stands for. A restriction `X is dense` is about how a model stores its inputs, and
    # what another operator computes is stored by whoever computes it.
    if owner.facts is not None:
        return owner.facts.get(name)
    return TRUE if is_made else None
