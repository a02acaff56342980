"""What is known of an operator's inputs: ranks as numbers, sizes as integer terms, elements where they have values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.arrays.partial.walk import NOTHING
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import INT, Sort
from sonnx_verify.logic.terms import TRUE, Symbol, Term, boolean, integer, is_literal, literal


@dataclass(frozen=True, slots=True)
class SymbolicTensor:
    """A tensor of known rank. `sizes` are from the left, each a number or a term; `elements`, in row-major order, are
    there where all sizes are numbers and the values are known."""

    name: str
    sort: Sort
    sizes: tuple[Term, ...]
    elements: tuple[object, ...] | None = None

    def element(self, coordinates: Sequence[int]) -> Term:
        """The element at an index from the left: its value, or a symbol that is named after its place."""
        for coordinate, size in zip(coordinates, self.sizes, strict=True):
            below = not is_literal(size) or (isinstance(size.payload, int) and coordinate < size.payload)
            if coordinate < 0 or not below:
                raise Undefined(f"{self.name} has no element {list(coordinates)}")
        if self.elements is None:
            place = f"[{', '.join(map(str, coordinates))}]" if coordinates else ""
            return Symbol(f"{ELEMENT}{self.name}{place}", (), self.sort)()
        offset = 0
        for coordinate, size in zip(coordinates, self.sizes, strict=True):
            assert isinstance(size.payload, int)
            offset = offset * size.payload + coordinate
        return literal(self.elements[offset], self.sort)


Known = SymbolicTensor | tuple["Known", ...] | Term
"""A tensor, a value, or the members of a family or list."""
Look = Callable[..., Term | SymbolicTensor]
"""What a symbol means at numbers; of the elements of a tensor, the tensor that they are read of."""

SIZE, ELEMENT, CONDITION = "size ", "element ", "condition "
"""What the names of the symbols of results begin with: no declared name does."""


def size_symbol(name: str) -> Term:
    """The size of that name: equal names are one size."""
    return Symbol(f"{SIZE}{name}", (), INT)()


def shown_name(name: str) -> str:
    """The name of a size or an element as the user knows it."""
    return name.removeprefix(SIZE).removeprefix(ELEMENT)


def is_nothing(term: Term) -> bool:
    """Whether the term is one without a value."""
    return isinstance(term.payload, Symbol) and term.payload.name.startswith(NOTHING)


def meanings(variables: Iterable[Variable], known: Mapping[str, Known]) -> dict[Symbol, Look]:
    """What the symbols of the variables mean. What is not among the known is left out; a fact of a tensor holds."""
    made: dict[Symbol, Look] = {}
    for variable in variables:
        value = known.get(variable.name)
        if variable.may_be_left_out:
            made[variable.symbol("given")] = _always(boolean(value is not None))
        if value is None and variable.default is not None:
            value = _constant(variable.default, variable.sort)
        if value is None:
            if variable.role == "asked":
                # What is asked here is the shape of every output.
                made[variable.symbol("")] = _always(TRUE)
            continue
        if variable.count is not None and isinstance(value, tuple):
            _family(variable, value, made)
        elif isinstance(value, SymbolicTensor):
            made[variable.symbol("rank")] = _always(integer(len(value.sizes)))
            made[variable.symbol("dim")] = _sizes(value)
            made[variable.symbol("read")] = _always(value)
            for fact in variable.facts:
                made[variable.symbol(fact)] = _always(TRUE)
        else:
            assert isinstance(value, Term)
            made[variable.symbol("")] = _always(value)
    return made


def _constant(value: object, sort: Sort) -> Known:
    return tuple(literal(item, sort) for item in value) if isinstance(value, tuple) else literal(value, sort)


def _always(value: Term | SymbolicTensor) -> Look:
    return lambda: value


def _sizes(tensor: SymbolicTensor) -> Look:
    rank = len(tensor.sizes)

    def size(axis: int) -> Term:
        if not 0 <= axis < rank:
            raise Undefined(f"{tensor.name} has no axis {axis}")
        # Axes are counted from the right here.
        return tensor.sizes[rank - 1 - axis]

    return size


def _family(variable: Variable, items: tuple[Known, ...], made: dict[Symbol, Look]) -> None:
    count = variable.count
    assert count is not None
    if count.op == "apply" and isinstance(count.payload, Symbol):
        made.setdefault(count.payload, _always(integer(len(items))))

    def member(m: int) -> Known:
        if not 0 <= m < len(items):
            raise Undefined(f"{variable.name} has no member {m}")
        return items[m]

    if variable.kind in ("int", "element"):

        def value(m: int) -> Term:
            found = member(m)
            assert isinstance(found, Term)
            return found

        made[variable.symbol("")] = value
        return

    def tensor(m: int) -> SymbolicTensor:
        found = member(m)
        assert isinstance(found, SymbolicTensor)
        return found

    def rank(m: int) -> Term:
        return integer(len(tensor(m).sizes))

    def size(m: int, axis: int) -> Term:
        found = _sizes(tensor(m))(axis)
        assert isinstance(found, Term)
        return found

    def fact(m: int) -> Term:
        member(m)
        return TRUE

    made[variable.symbol("rank")], made[variable.symbol("dim")], made[variable.symbol("read")] = rank, size, tensor
    for name in variable.facts:
        made[variable.symbol(name)] = fact
