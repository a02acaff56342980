"""The meaning of declared names under concrete values. Trusted.

In: variables, and a value for each of them. Out: the meaning of each of their symbols, as the reference evaluator takes
it. A verdict that rests on an input rests on this: conditions are evaluated on these meanings, while the reader is
shown the values. `fits` says whether they are values of the variables at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor, numel, size_of

SHAPED = (VariableKind.TENSOR, VariableKind.SHAPE, VariableKind.INDEX)
"""The kinds that are given by numbers for each of some axes."""
_PARTS = ("", ".rank", ".dim", ".read", ".count")
"""The endings of the symbols that every variable may have, beside its facts."""


class _Facts(dict[Symbol, object]):
    """The meanings of symbols. Those of things that are not given have none."""

    absent: frozenset[str] = frozenset()

    def __missing__(self, symbol: Symbol) -> object:
        # `axes.rank` of axes that are not given must not be 0, or anything else: the solvers take it for a free symbol,
        # so a condition that needs it may go either way, and is then neither met nor broken by this input.
        if symbol.name in self.absent:
            raise Undefined(f"{symbol.name} of what is not given")
        raise KeyError(symbol)


@dataclass(frozen=True, slots=True)
class Found:
    """A witness; `minimal` when nothing before it in the order, and within the bounds of its round, was left out.
    `tried` is how many candidates were looked at until it was found."""

    assignment: Assignment
    facts: dict[Symbol, object]
    minimal: bool
    tried: int = field(default=0, compare=False)

    @property
    def members(self) -> int:
        """The number of values, members of families and lists one by one."""
        return sum(len(value) if isinstance(value, tuple) else 1 for value in self.assignment.values())

    def size(self, variables: Sequence[Variable]) -> tuple[int, int, int]:
        """Number of inputs, sum of ranks, sum of dims: what comes first in the order."""
        inputs, ranks, dims = 0, 0, 0
        for variable in variables:
            value = self.assignment[variable.name]
            if variable.kind not in SHAPED or value is LEFT_OUT:
                continue
            members = (value,) if variable.count is None else value
            assert isinstance(members, tuple)
            # A shape or an output that is free is part of the example, and is no tensor to be made up for it.
            if variable.kind is VariableKind.TENSOR and variable.role is not VariableRole.OUTPUT:
                inputs += len(members)
            for member in members:
                shape = member.shape if isinstance(member, ConcreteTensor) else member
                assert isinstance(shape, tuple)
                ranks += len(shape)
                dims += sum(shape)
        return inputs, ranks, dims


def interpretation(variables: Iterable[Variable], assignment: Assignment) -> dict[Symbol, object]:
    """The meaning of the variables' symbols under the assignment."""
    facts = _Facts()
    for variable in variables:
        value = assignment[variable.name]
        if variable.may_be_left_out:
            facts[variable.symbol("given")] = value is not LEFT_OUT
        if value is LEFT_OUT:
            # A thing with a default has a value always (docs/design.md, "What may be left out").
            if variable.default is None:
                facts.absent |= _names_of_symbols(variable)
                continue
            value = variable.default
        if variable.count is None:
            _single(variable, value, facts)
        else:
            assert isinstance(value, tuple)
            _family(variable, value, facts)
    return facts


def _names_of_symbols(variable: Variable) -> frozenset[str]:
    parts = (*_PARTS, *(f".{fact}" for fact in variable.facts))
    return frozenset(f"{variable.name}{part}" for part in parts)


def _single(variable: Variable, value: Concrete, facts: dict[Symbol, object]) -> None:
    """Note the meaning of a variable that is no family."""
    match variable.kind:
        case VariableKind.TENSOR:
            assert isinstance(value, ConcreteTensor)
            _shape(variable, value.shape, facts)
            facts[variable.symbol("read")] = value.read
            for fact in variable.facts:
                facts[variable.symbol(fact)] = fact not in value.lacks
        case VariableKind.SHAPE:
            assert isinstance(value, tuple)
            _shape(variable, value, facts)
        case VariableKind.INDEX:
            assert isinstance(value, tuple)
            facts[variable.symbol("rank")] = len(value)
            # Written from the left, as [0, 3]; the evaluator counts axes from the right and drops zeros at the end:
            # (3,). So [0, 3] and [3] are one index, as in the terms, where an index is 0 beyond its rank.
            facts[variable.symbol("")] = stripped(value[::-1])
        case VariableKind.SET:
            assert isinstance(value, frozenset)
            facts[variable.symbol("member")] = value.__contains__
        case VariableKind.INT | VariableKind.ELEMENT:
            facts[variable.symbol("")] = value


def _shape(variable: Variable, shape: tuple[int, ...], facts: dict[Symbol, object]) -> None:
    facts[variable.symbol("rank")] = len(shape)
    facts[variable.symbol("dim")] = lambda axis: size_of(shape, axis)


def _family(variable: Variable, items: tuple[Concrete, ...], facts: dict[Symbol, object]) -> None:
    """Note the meaning of a family: each symbol has the position of the member as its first argument."""
    count = variable.count
    assert count is not None
    # A length of its own is one symbol, `axes.count`, which nothing else gives. A length that is computed, as n + 1 of
    # X0 to Xn, is left to n: where both say something, n was chosen and stays.
    if count.op == ops.APPLY and not count.args and isinstance(count.payload, Symbol):
        facts.setdefault(count.payload, len(items))
    if variable.kind in (VariableKind.INT, VariableKind.ELEMENT):
        facts[variable.symbol("")] = lambda m: _item(items, m)
        return
    facts[variable.symbol("rank")] = lambda m: len(_shape_of(items, m))
    facts[variable.symbol("dim")] = lambda m, axis: size_of(_shape_of(items, m), axis)
    if variable.kind is VariableKind.TENSOR:
        facts[variable.symbol("read")] = lambda m, i: _tensor(items, m).read(i)
        for fact in variable.facts:
            facts[variable.symbol(fact)] = _has(items, fact)


def _item(items: tuple[Concrete, ...], position: int) -> Concrete:
    # Python takes -1 for the last member. A read at -1 has no value: with one, a counterexample could rest on it.
    if not 0 <= position < len(items):
        raise Undefined(f"position {position} of a list of {len(items)}")
    return items[position]


def _shape_of(items: tuple[Concrete, ...], position: int) -> tuple[int, ...]:
    """The shape of a member, which is a tensor or a shape itself."""
    item = _item(items, position)
    if isinstance(item, ConcreteTensor):
        return item.shape
    assert isinstance(item, tuple)
    return item


def _tensor(items: tuple[Concrete, ...], position: int) -> ConcreteTensor:
    item = _item(items, position)
    assert isinstance(item, ConcreteTensor)
    return item


def _has(items: tuple[Concrete, ...], fact: str) -> Callable[[int], bool]:
    return lambda position: fact not in _tensor(items, position).lacks


# --------------------------------------------------------------------------------------------------- values that fit


def fits(variables: Sequence[Variable], assignment: Assignment) -> bool:
    """Return whether each variable has a value of its kind, sort and length.

    No condition says that 256 is no uint8: the sort of a term does. An evaluator that is given 256 finds that some
    uint8 is greater than 255. Whoever made the assignment up may have made such a mistake.
    """
    # The kinds first: the meaning of a value of another kind cannot even be made.
    if not all(v.name in assignment and _is_value(v, assignment[v.name]) for v in variables):
        return False
    facts = interpretation(variables, assignment)
    return all(has_length(v, assignment[v.name], facts) for v in variables)


def _is_value(variable: Variable, value: Concrete) -> bool:
    if value is LEFT_OUT:
        return variable.may_be_left_out
    if variable.count is None:
        return _is_single(variable, value)
    return isinstance(value, tuple) and all(_is_single(variable, member) for member in value)


def _is_single(variable: Variable, value: Concrete) -> bool:
    """Return whether this is a value of a variable, or of a member of a family."""
    match variable.kind:
        case VariableKind.TENSOR:
            return isinstance(value, ConcreteTensor) and _is_tensor(variable, value)
        case VariableKind.SHAPE | VariableKind.INDEX:
            return isinstance(value, tuple) and _are_sizes(value)
        case VariableKind.SET:
            return isinstance(value, frozenset) and all(is_element(INT, member) for member in value)
        case VariableKind.INT | VariableKind.ELEMENT:
            return is_element(variable.sort, value)


def _is_tensor(variable: Variable, tensor: ConcreteTensor) -> bool:
    if tensor.sort != variable.sort or not _are_sizes(tensor.shape):
        return False
    # An element too many is never read, and is shown: the reader could not make that tensor.
    if len(tensor.elements) != numel(tensor.shape) or not tensor.lacks <= set(variable.facts):
        return False
    return all(is_element(tensor.sort, element) for element in tensor.elements)


def _are_sizes(sizes: tuple[object, ...]) -> bool:
    return all(type(size) is int and size >= 0 for size in sizes)


def is_element(sort: Sort, value: object) -> bool:
    """Return whether this is an element as the evaluator holds it (logic/sorts.py): integers within their type, floats
    as bits with one NaN. Abstract elements are any set, so anything is one."""
    match sort:
        case IntegerSort():
            return type(value) is int and sort.lowest <= value <= sort.greatest
        case FloatSort():
            return type(value) is int and 0 <= value < 1 << sort.width and floats.canonical(sort, value) == value
        case _ if sort == BOOL:
            return isinstance(value, bool)
        case _ if sort == INT:
            return type(value) is int
        case _ if sort == REAL:
            return isinstance(value, Fraction)
        case _ if sort == STRING:
            return isinstance(value, str)
        case _:
            return True


def has_length(variable: Variable, value: Concrete, facts: dict[Symbol, object]) -> bool:
    """Return whether a family has as many members as its length says: with L = 2, X0 and X1 alone are no input."""
    if variable.count is None or not isinstance(value, tuple):
        return True
    try:
        count = evaluate(variable.count, facts)
    except (Undefined, KeyError):
        return False
    # X0 to XL with L = -1 is a family of none.
    return bool(max(0, count) == len(value))
