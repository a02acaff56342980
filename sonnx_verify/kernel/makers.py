"""Forms that make lists, shapes, indices and tensors. Trusted.

The body of a maker is a function of the number that a part is made for: it is called once, on a variable inside the
range, and the part at each position is that value with the position in place of the variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import (
    Abstraction,
    Domain,
    Items,
    Position,
    Shape,
    Tensor,
    Value,
    kind_of,
    last,
)
from sonnx_verify.logic.sorts import INDEX, INT, STRING
from sonnx_verify.logic.terms import (
    ONE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    bind_count,
    bind_position,
    index,
    integer,
    ite,
    le,
    linear,
    lt,
    placeholder,
    sub,
)
from sonnx_verify.results.kinds import Kind


@dataclass(frozen=True)
class Places:
    """The parts of what is made: how many there are, and the number of the range that the part at each position is
    made for."""

    count: Term
    number: Callable[[Term], Term]

    def part(self, k: Kernel, body: Callable[[Term], Value], position: Term) -> Value:
        """The part at a position."""
        # The body is looked at for parts that there are: `list (n in 0 .. m - 1 -> X[n])` asks n inside X for these.
        with k.assuming(and_(le(ZERO, position), lt(position, self.count))):
            return body(self.number(position))


def places(k: Kernel, domain: Domain, where: Callable[[Term], Term] | None) -> Places:
    """The parts of what is made over a range; with a condition those numbers that meet it, in their order. The
    condition is looked at for each number of the range; how many there are may be negative, and the makers ask."""
    # `list (n in 0 .. 9 where mod(n, 3) = 0 -> n)` has 4 items, and the one at position 2 is for the third such number,
    # 6.
    if where is None:
        return Places(_length(domain), lambda position: add(domain.low, position))
    variable = placeholder(INT)
    with k.ranging(domain.low, domain.high, variable):
        kept = where(variable)
    count = bind_count(domain.low, domain.high, variable, kept)
    return Places(count, lambda position: bind_position(domain.low, domain.high, variable, kept, position))


def _length(domain: Domain) -> Term:
    """The number of numbers in a range: 0 of `0 .. rank(X) - 3` for a list X. A count that is written without a minus,
    as that of `1 .. N`, stays as it is written, and the text has to show that it is not negative."""
    count = add(sub(domain.high, domain.low), ONE)
    atoms, constant = linear(count)
    if min((constant, *atoms.values())) < 0 and all(isinstance(atom.payload, Symbol) for atom in atoms):
        return ite(le(ZERO, count), count, ZERO)
    return count


def list_over(k: Kernel, parts: Places, body: Callable[[Term], Value], length: Why) -> Items:
    """`list (n in D -> e)`, asks that its length is not negative."""
    variable = placeholder(INT)
    k.require(Kind.TOTAL, le(ZERO, parts.count), length)
    with k.ranging(ZERO, last(parts.count), variable):
        item = parts.part(k, body, variable)
    return Items(parts.count, Abstraction((variable,), item), kind_of(item))


def shape_over(k: Kernel, parts: Places, body: Callable[[Term], Term], size: Why, rank: Why) -> Shape:
    """`shape (n in D -> e)`, asks that no size is negative, nor the rank."""
    # ONNX has no tensor with a negative size, and an element count of one would be negative.
    return Shape(parts.count, _from_the_right(k, parts, body, rank, 0, size))


def index_over(k: Kernel, parts: Places, body: Callable[[Term], Term], base: int, rank: Why) -> Position:
    """`index (n in D -> e)`, asks that its rank is not negative. Its coordinates may be: a padded read computes
    `i[n] - pad` first and compares then, and that it is inside is asked where it is read."""
    return Position(index(parts.count, _from_the_right(k, parts, body, rank, base, None)), parts.count)


def _from_the_right(
    k: Kernel, parts: Places, body: Callable[[Term], Term], rank: Why, base: int, not_negative: Why | None
) -> Abstraction[Term]:
    variable = placeholder(INT)
    with k.ranging(ZERO, last(parts.count), variable):
        # Axis q from the right is position count - 1 - q of the range.
        made = parts.part(k, body, sub(last(parts.count), variable))
        assert isinstance(made, Term)
        made = sub(made, integer(base))
        if not_negative is not None:
            k.require(Kind.TOTAL, le(ZERO, made), not_negative)
    k.require(Kind.TOTAL, le(ZERO, parts.count), rank)
    return Abstraction((variable,), made)


def tensor_over(k: Kernel, shape: Shape, body: Callable[[Position], Value]) -> tuple[Tensor | None, Value]:
    """`tensor (i in S -> e)`, and its element. None where that is none."""
    # Side conditions of an element are asked of each index of the shape. Beyond it the tensor has elements too,
    # which nobody can read: each read asks that it is inside.
    variable = placeholder(INDEX)
    with k.indexing(shape, variable):
        element = body(Position(variable, shape.rank))
    if not isinstance(element, Term) or element.sort in (INT, INDEX, STRING):
        return None, element
    return Tensor(shape, Abstraction((variable,), element), element.sort), element
