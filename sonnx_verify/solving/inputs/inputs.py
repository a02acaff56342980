"""What the symbols of declared names mean under concrete values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.terms import Symbol
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor, size_of


class _Facts(dict[Symbol, object]):
    """What symbols mean. Those of what is not given mean nothing."""

    absent: frozenset[str] = frozenset()

    def __missing__(self, symbol: Symbol) -> object:
        if symbol.name in self.absent:
            raise Undefined(f"{symbol.name} of what is not given")
        raise KeyError(symbol)


def interpretation(variables: Iterable[Variable], assignment: Assignment) -> dict[Symbol, object]:
    """What the variables' symbols mean under the assignment."""
    facts = _Facts()
    for variable in variables:
        value = assignment[variable.name]
        if variable.may_be_left_out:
            facts[variable.symbol("given")] = value is not LEFT_OUT
        if value is LEFT_OUT and variable.default is None:
            parts = ("", ".rank", ".dim", ".read", ".count", *(f".{fact}" for fact in variable.facts))
            facts.absent |= {f"{variable.name}{part}" for part in parts}
            continue
        if value is LEFT_OUT:
            value = variable.default
        if variable.count is not None:
            assert isinstance(value, tuple)
            _family(variable, value, facts)
        elif variable.kind == "tensor":
            assert isinstance(value, ConcreteTensor)
            _shape(variable, value.shape, facts)
            facts[variable.symbol("read")] = value.read
            for fact in variable.facts:
                facts[variable.symbol(fact)] = fact not in value.lacks
        elif variable.kind == "shape":
            assert isinstance(value, tuple)
            _shape(variable, value, facts)
        elif variable.kind == "index":
            assert isinstance(value, tuple)
            facts[variable.symbol("rank")] = len(value)
            facts[variable.symbol("")] = stripped(value[::-1])
        elif variable.kind == "set":
            assert isinstance(value, frozenset)
            facts[variable.symbol("member")] = value.__contains__
        else:
            facts[variable.symbol("")] = value
    return facts


def _shape(variable: Variable, shape: tuple[int, ...], facts: dict[Symbol, object]) -> None:
    facts[variable.symbol("rank")] = len(shape)
    facts[variable.symbol("dim")] = lambda axis: size_of(shape, axis)


def _item(items: tuple[Concrete, ...], position: int) -> Concrete:
    if not 0 <= position < len(items):
        raise Undefined(f"position {position} of a list of {len(items)}")
    return items[position]


def _family(variable: Variable, items: tuple[Concrete, ...], facts: dict[Symbol, object]) -> None:
    count = variable.count
    assert count is not None
    if count.op == ops.APPLY and not count.args and isinstance(count.payload, Symbol):
        facts.setdefault(count.payload, len(items))
    if variable.kind in ("int", "element"):
        facts[variable.symbol("")] = lambda m: _item(items, m)
        return

    def shape(m: int) -> tuple[int, ...]:
        item = _item(items, m)
        if isinstance(item, ConcreteTensor):
            return item.shape
        assert isinstance(item, tuple)
        return item

    facts[variable.symbol("rank")] = lambda m: len(shape(m))
    facts[variable.symbol("dim")] = lambda m, axis: size_of(shape(m), axis)
    if variable.kind == "tensor":
        facts[variable.symbol("read")] = lambda m, i: _tensor(items, m).read(i)
        for fact in variable.facts:
            facts[variable.symbol(fact)] = _has(items, fact)


def _tensor(items: tuple[Concrete, ...], m: int) -> ConcreteTensor:
    item = _item(items, m)
    assert isinstance(item, ConcreteTensor)
    return item


def _has(items: tuple[Concrete, ...], fact: str) -> Callable[[int], bool]:
    return lambda m: fact not in _tensor(items, m).lacks
