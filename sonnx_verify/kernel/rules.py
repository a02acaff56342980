"""Forms of the rules of a text: what its outputs are. Trusted."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.sections import OutputFamily
from sonnx_verify.kernel.values import Abstraction, Position, Reach, Results, Shape, Tensor, Value, last, of_indices
from sonnx_verify.logic.sorts import INDEX, INT, Sort
from sonnx_verify.logic.terms import TRUE, ZERO, Term, add, integer, le, or_, placeholder, sub
from sonnx_verify.results.kinds import Kind


def always() -> Term:
    """An output that is not optional is asked for."""
    return TRUE


def family_from(base: int) -> OutputFamily:
    """A family of outputs that is numbered from `base`, of which nothing is given yet."""
    return OutputFamily(placeholder(INT), base)


def count_of(k: Kernel, count: Term, why: Why) -> Term:
    """`count Y = n`: how many outputs a family has; asks that there is one at least, since ONNX has no node without
    outputs."""
    k.require(Kind.IN_BOUNDS, le(integer(1), count), why)
    return count


def last_number(count: Term, base: int) -> Term:
    """The number of the last of so many outputs, as a text numbers them."""
    return sub(add(count, integer(base)), integer(1))


def of_member(k: Kernel, family: OutputFamily, count: Term, rule: Callable[[Term], None]) -> None:
    """A rule about each member of a family below the count: of its number, as the text numbers them. In `shape Y[m] =
    X[m].shape` the read asks, for each m below the count, that X has it."""
    number = add(family.number, integer(family.base))
    with k.ranging(ZERO, last(count), family.number):
        rule(number)


def where_asked(k: Kernel, asked: Term, rule: Callable[[], None]) -> None:
    """A rule about an output, which gives something only where that is asked for: what `value Mask[i] = ...` reads is
    asked under `given(Mask)`, and so is all that is claimed of Mask (sections.py)."""
    with k.assuming(asked):
        rule()


def left_open(condition: Term) -> Abstraction[Term]:
    """The condition of what is left open as a whole, at any index: `unspecified shape Y when p` has p."""
    return of_indices(lambda _: condition)


def of_shape(shape: Shape) -> Tensor:
    """A tensor of that shape: its own elements, of which nobody asks, are its indices."""
    return Tensor(shape, of_indices(lambda i: i), INDEX)


def any_of(before: Term, condition: Term) -> Term:
    """One more condition under which something is left open: `p or q` of two items."""
    return or_(before, condition)


class Element:
    """The element that a rule gives at an index: `value` of a variable index of a shape, which stands for each. Side
    conditions are asked of all of them, and the element at another index is that term with the index put in."""

    # In `value Y[i] = X[i]` the read asks, for all i inside Y, i inside X.
    def __init__(self, k: Kernel, shape: Shape, body: Callable[[Position], Value]) -> None:
        self._index = placeholder(INDEX)
        with k.indexing(shape, self._index):
            self.value = body(Position(self._index, shape.rank))

    def members(self, results: Results, sort: Sort) -> tuple[Abstraction[Term], Abstraction[Reach]]:
        """Of a set of results: the condition that a candidate is one of them, and how far it goes."""
        candidate = placeholder(sort)
        conforms = Abstraction((self._index, candidate), results.conforms(candidate))
        return conforms, Abstraction((self._index,), results.reach)

    def at_index(self, term: Term) -> Abstraction[Term]:
        """A term of the element, at any index."""
        return Abstraction((self._index,), term)
