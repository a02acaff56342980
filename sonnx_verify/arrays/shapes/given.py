"""The inputs of an operator as far as they are known: ranks are numbers, sizes terms, elements values if given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, Sort
from sonnx_verify.logic.terms import TRUE, Role, Symbol, Term, boolean, integer, is_literal, literal


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
            # Below a size that is a symbol everything may be: whether it is, the text has shown.
            most = size.payload if is_literal(size) else None
            if coordinate < 0 or (isinstance(most, int) and coordinate >= most):
                raise Undefined(f"{self.name} has no element {list(coordinates)}")
        if self.elements is None:
            name = f"{_ELEMENT}{self.name}"
            if coordinates:
                name += f"[{', '.join(map(str, coordinates))}]"
            return Symbol(name, (), self.sort, Role.READ)()
        # In row-major order the last axis runs fastest.
        offset = 0
        for coordinate, size in zip(coordinates, self.sizes, strict=True):
            assert isinstance(size.payload, int)
            offset = offset * size.payload + coordinate
        return literal(self.elements[offset], self.sort)


Known = SymbolicTensor | tuple["Known", ...] | Term
"""A tensor, a value, or the members of a family or list."""
Look = Callable[..., Term | SymbolicTensor]
"""The meaning of a symbol at numbers; of the elements of a tensor, the tensor that they are read of."""

# In front of the names of symbols, since a size N may meet an input N. Their roles say what they are.
_SIZE, _ELEMENT = "size ", "element "


def size_symbol(name: str) -> Term:
    """The size of that name: equal names are one size."""
    return Symbol(f"{_SIZE}{name}", (), INT, Role.SIZE)()


def shown_name(name: str) -> str:
    """The name of a size or an element as the user knows it."""
    return name.removeprefix(_SIZE).removeprefix(_ELEMENT)


def meanings(variables: Iterable[Variable], known: Mapping[str, Known]) -> dict[Symbol, Look]:
    """The meaning of the variables' symbols. A variable that is not among the known is left out; a fact of a tensor
    holds."""
    made: dict[Symbol, Look] = {}
    for variable in variables:
        value = known.get(variable.name)
        if variable.may_be_left_out:
            made[variable.symbol("given")] = _always(boolean(value is not None))
        if variable.role is VariableRole.ASKED:
            # The shapes of all outputs are asked for here.
            made[variable.symbol("")] = _always(TRUE)
        if value is None and variable.default is not None:
            value = _constant(variable.default, variable.sort)
        match value:
            case None:
                pass
            case SymbolicTensor():
                made[variable.symbol("rank")] = _always(integer(len(value.sizes)))
                made[variable.symbol("dim")] = _sizes(value)
                made[variable.symbol("read")] = _always(value)
                for fact in variable.facts:
                    made[variable.symbol(fact)] = _always(TRUE)
            case Term():
                made[variable.symbol("")] = _always(value)
            case _:
                _family(variable, value, made)
    return made


def _constant(value: object, sort: Sort) -> Known:
    """A default as a term, or as the terms of a list."""
    if isinstance(value, tuple):
        return tuple(literal(item, sort) for item in value)
    return literal(value, sort)


def _always(value: Term | SymbolicTensor) -> Look:
    return lambda: value


def _sizes(tensor: SymbolicTensor) -> Look:
    rank = len(tensor.sizes)

    def size(axis: int) -> Term:
        if not 0 <= axis < rank:
            raise Undefined(f"{tensor.name} has no axis {axis}")
        # The symbols of a text count axes from the right, so that a trailing axis has one number at every rank.
        return tensor.sizes[rank - 1 - axis]

    return size


def _family(variable: Variable, items: tuple[Known, ...], made: dict[Symbol, Look]) -> None:
    count = variable.count
    assert count is not None
    # Two families may share a count, as X[0..n] and Y[0..n] do: they have the same number of members then.
    if count.op == Op.APPLY and isinstance(count.payload, Symbol):
        made.setdefault(count.payload, _always(integer(len(items))))

    def member(m: int) -> Known:
        if not 0 <= m < len(items):
            raise Undefined(f"{variable.name} has no member {m}")
        return items[m]

    if variable.kind not in (VariableKind.INT, VariableKind.ELEMENT):
        _tensors(variable, member, made)
        return

    def value(m: int) -> Term:
        found = member(m)
        assert isinstance(found, Term)
        return found

    made[variable.symbol("")] = value


def _tensors(variable: Variable, member: Callable[[int], Known], made: dict[Symbol, Look]) -> None:
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
        # Of a member that is not there nothing holds.
        member(m)
        return TRUE

    made[variable.symbol("rank")], made[variable.symbol("dim")], made[variable.symbol("read")] = rank, size, tensor
    for name in variable.facts:
        made[variable.symbol(name)] = fact
