"""Elements for which an implementation differs from its specification: looked for, and replayed on real arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice, product
from math import prod
from typing import Any

from sonnx_verify.conformance.symbolic.claims import PLACE, Wanted, misfit
from sonnx_verify.conformance.symbolic.instances import Instance, Known
from sonnx_verify.conformance.symbolic.subject import Subject, called, is_free, spread
from sonnx_verify.errors import UsageError
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, indices_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, integer
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import from_array
from sonnx_verify.solving.inputs.inputs import interpretation

_MOST = 1500
_SAMPLES = ((0, 1), (6, 1), (3, 7), (9, 3), (1, 2))
"""Where in the list of simple values the first element stands, and how far on the next one."""
Got = tuple[ConcreteTensor, ...] | str


@dataclass(frozen=True, slots=True)
class Difference:
    """An input, what is specified of it, what the code gave, and in words how that differs."""

    known: Known
    expected: dict[str, ConcreteTensor]
    got: Got
    what: str


@cache
def simple_values(sort: Sort) -> tuple[Any, ...]:
    """Elements in the order in which people find them small."""
    if sort == BOOL:
        return (False, True)
    if isinstance(sort, IntegerSort):
        return tuple(dict.fromkeys(v for v in (0, 1, -1, 2, sort.greatest, sort.lowest) if sort.lowest <= v))
    assert isinstance(sort, FloatSort)
    plain = [floats.from_float(sort, x) for x in (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"))]
    return (*plain, floats.smallest_subnormal(sort), floats.greatest(sort), floats.lowest(sort))


class Refuter:
    """Looks for elements that break an instance."""

    def __init__(self, meaning: Meaning, subject: Subject) -> None:
        self.meaning, self.subject = meaning, subject

    def difference(self, known: Known, results: Sequence[Wanted]) -> Difference | None:
        """How the code differs on concrete elements; None where it does not."""
        inputs, attributes = spread(self.meaning.given, known)
        got = called(self.subject, inputs, attributes)
        if not isinstance(got, str):
            tensors = self._tensors(got, results)
            if not isinstance(tensors, str):
                what = self._compared(known, tensors, results)
                return None if what is None else Difference(known, self._expected(known, results), tensors, what)
            got = tensors
        return Difference(known, self._expected(known, results), got, got)

    def _tensors(self, got: Sequence[Any], results: Sequence[Wanted]) -> tuple[ConcreteTensor, ...] | str:
        if said := misfit([(array.dtype, array.shape) for array in got], results):
            return said
        try:
            return tuple(from_array(wanted.name, array) for array, wanted in zip(got, results, strict=True))
        except UsageError as problem:
            return str(problem)

    def _compared(self, known: Known, got: Sequence[ConcreteTensor], results: Sequence[Wanted]) -> str | None:
        facts = interpretation(self.meaning.given, known)
        for tensor, wanted in zip(got, results, strict=True):
            for index, element in zip(indices_of(list(wanted.shape[::-1])), tensor.elements, strict=True):
                meant: dict[Any, object] = {**facts, PLACE: index, wanted.candidate.payload: element}
                if evaluate(wanted.term, meant) is not True:
                    place = [*index, *[0] * (len(wanted.shape) - len(index))][::-1]
                    return f"{wanted.name}{place if place else ''} is not what is specified"
        return None

    def _expected(self, known: Known, results: Sequence[Wanted]) -> dict[str, ConcreteTensor]:
        facts = interpretation(self.meaning.given, known)
        made = {}
        for wanted in results:
            value = self.meaning.values[wanted.name](Position(PLACE(), integer(len(wanted.shape))))
            sort = wanted.candidate.sort
            elements = [evaluate(value, {**facts, PLACE: i}) for i in indices_of(list(wanted.shape[::-1]))]
            made[wanted.name] = ConcreteTensor(sort, wanted.shape, tuple(elements))
        return made

    def search(self, instance: Instance, results: Sequence[Wanted], model: Mapping[str, Any]) -> Difference | None:
        """The first difference in the order of smallness; else one from values that a solver named, made smaller."""
        for known in islice(self._fillings(instance), _MOST):
            found = self._tried(known, results)
            if found is not None:
                return found
        if not model:
            return None
        found = self._tried(filled(instance.known, lambda name, sort: model.get(name, 0)), results)
        return None if found is None else self._smaller(found, results)

    def sampled(self, instance: Instance, results: Sequence[Wanted]) -> Difference | None:
        """A difference on one of a few inputs. It is looked for on every instance: code can tell symbolic arrays from
        real ones, as by `type(x)`, and must not be believed to do the same with both."""
        cells = list(cells_of(instance.known))
        for first, step in _SAMPLES if cells else _SAMPLES[:1]:
            values = {}
            for n, (name, sort) in enumerate(cells):
                simple = simple_values(sort)
                values[name] = simple[(first + n * step) % len(simple)]
            found = self._tried(filled(instance.known, _by_name(values)), results)
            if found is not None:
                return found
        return None

    def _tried(self, known: Known, results: Sequence[Wanted]) -> Difference | None:
        try:
            return self.difference(known, results)
        except Undefined:
            return None

    def _fillings(self, instance: Instance) -> Iterator[Known]:
        cells = list(cells_of(instance.known))
        choices = [simple_values(sort) for _, sort in cells]
        too_many = prod(map(len, choices)) > _MOST
        spread_out = _ordered(choices) if too_many else product(*choices)
        for values in spread_out:
            held = dict(zip((name for name, _ in cells), values, strict=True))
            yield filled(instance.known, _by_name(held))

    def _smaller(self, found: Difference, results: Sequence[Wanted]) -> Difference:
        """The same with each element as simple as it can be, one after the other."""
        for name, place, sort in _places(found.known):
            for value in simple_values(sort):
                changed = _with(found.known, name, place, value)
                if changed == found.known:
                    break
                better = self._tried(changed, results)
                if better is not None:
                    found = better
                    break
        return found


def _ordered(choices: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Where there are too many to try: all alike, then all but one, then all but two."""
    rank = len(choices)
    yield from ((values[n],) * rank for values in choices[:1] for n in range(len(values)))
    for number in (1, 2):
        for places in combinations(range(rank), number):
            for base in (0, 2):
                for values in product(*(choices[p] for p in places)):
                    made = [c[min(base, len(c) - 1)] for c in choices]
                    for place, value in zip(places, values, strict=True):
                        made[place] = value
                    yield tuple(made)


def cells_of(known: Mapping[str, Concrete]) -> Iterator[tuple[str, Sort]]:
    """The names and sorts of the free elements, in the order of the inputs."""
    for tensor in _free(known):
        yield from ((_name(cell), tensor.sort) for cell in tensor.elements)


def _free(known: Mapping[str, Concrete]) -> Iterator[Any]:
    for value in known.values():
        for tensor in value if isinstance(value, tuple) else (value,):
            if is_free(tensor):
                yield tensor


def _name(cell: Term) -> str:
    """The name of a free element: that of a float stands in its bits."""
    symbol = (cell if cell.op == Op.APPLY else cell.args[0]).payload
    assert isinstance(symbol, Symbol)
    return symbol.name


def filled(known: Mapping[str, Concrete], value: Callable[[str, Sort], Any]) -> Known:
    """The same with values in place of free elements, by their names and sorts."""

    def one(tensor: Any) -> Any:
        if not is_free(tensor):
            return tensor
        return ConcreteTensor(tensor.sort, tensor.shape, tuple(value(_name(c), tensor.sort) for c in tensor.elements))

    return {n: tuple(one(t) for t in v) if isinstance(v, tuple) else one(v) for n, v in known.items()}


def _by_name(values: Mapping[str, Any]) -> Callable[[str, Sort], Any]:
    return lambda name, sort: values[name]


def _places(known: Known) -> Iterator[tuple[tuple[str, int], int, Sort]]:
    for name, value in known.items():
        for member, tensor in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(tensor, ConcreteTensor):
                yield from (((name, member), n, tensor.sort) for n in range(len(tensor.elements)))


def _with(known: Known, place: tuple[str, int], element: int, value: Any) -> Known:
    name, member = place
    held = known[name]
    tensors = list(held) if isinstance(held, tuple) else [held]
    tensor = tensors[member]
    assert isinstance(tensor, ConcreteTensor)
    elements = [*tensor.elements]
    elements[element] = value
    tensors[member] = ConcreteTensor(tensor.sort, tensor.shape, tuple(elements))
    return {**known, name: tuple(tensors) if isinstance(held, tuple) else tensors[0]}
