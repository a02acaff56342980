"""Tensors and lists as the values of recursions. Trusted.

A state of the logic is a function of a member and an index: of a tensor it gives the element at an index, of a list the
item at a position, of a list of tensors an element of one of them. How long the list is, and which shapes there are, is
known without the state: so a text that reads `h(n - 1)` is asked for no more than the shape that it gives `h` itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sonnx_verify.kernel.values import (
    Abstraction,
    Items,
    Shape,
    Tensor,
    Value,
    abstraction,
    of_axes,
    of_indices,
    single,
    tensor_of,
)
from sonnx_verify.logic.sorts import INT, Sort
from sonnx_verify.logic.terms import ONE, ZERO, Symbol, Term, index, placeholder, substitute, subterms

Read = Abstraction[Term]
"""The value of a state for a member and an index."""

_SCALAR = index(ZERO, lambda q: ZERO)
_COUNT, _RANK = Symbol("count of its own call", (), INT), Symbol("rank of its own call", (INT,), INT)
_SIZE = Symbol("size of its own call", (INT, INT), INT)


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of a state at a number: whether it is a list, and of tensors; how many members it has, and the rank and
    sizes of a member, from the right. The number and the member are variables in these terms."""

    is_list: bool
    of_tensors: bool
    sort: Sort
    number: Term
    member: Term
    count: Term
    rank: Term
    size: Abstraction[Term]
    base: int = 0
    """The number of the first item, of a list."""

    def value(self, number: Term, read: Read) -> Value:
        """The value at a number, whose elements are read so."""

        def tensor(member: Term) -> Tensor:
            values = {self.number: number, self.member: member}
            shape = Shape(substitute(self.rank, values), self.size.put(values))
            return Tensor(shape, of_indices(lambda i: read(member, i)), self.sort)

        if not self.is_list:
            return tensor(ZERO)
        count = substitute(self.count, {self.number: number})
        if self.of_tensors:
            return Items(count, abstraction(tensor, INT), tensor_of(self.sort), self.base)
        return Items(count, abstraction(lambda m: read(m, _SCALAR), INT), single(self.sort), self.base)

    def element(self, value: Value, position: Term) -> Term:
        """The element of a value for the member, at an index."""
        if isinstance(value, Items):
            value = value.item(self.member)
        if isinstance(value, Tensor):
            return value.read(position)
        assert isinstance(value, Term)
        return value

    def of(self, value: Value) -> Layout:
        """The same with the length, the first number, the ranks and the sizes of a value."""
        count, base, rank, size = self.count, self.base, self.rank, self.size
        if isinstance(value, Items):
            count, base, value = value.count, value.base, value.item(self.member)
        if isinstance(value, Tensor):
            rank, size = value.shape.rank, value.shape.dim
        return replace(self, count=count, rank=rank, size=size, base=base)

    @property
    def is_known(self) -> bool:
        """Return whether length, ranks and sizes are given without a call of itself."""
        parts = [self.count]
        if self.of_tensors:
            parts += [self.rank, self.size(placeholder(INT))]
        return not any(node.payload in (_COUNT, _RANK, _SIZE) for node in subterms(*parts))


def unknown_layout(sort: Sort, number: Term, *, is_list: bool, of_tensors: bool) -> Layout:
    """The layout of a result of which nothing is known but its type: its length, ranks and sizes are symbols. A layout
    that has one of them after its body was gone through is given by its own call, and `of_state` makes no value of
    it."""
    member = placeholder(INT)
    count = _COUNT() if is_list else ONE
    return Layout(is_list, of_tensors, sort, number, member, count, _RANK(member), of_axes(lambda q: _SIZE(member, q)))
