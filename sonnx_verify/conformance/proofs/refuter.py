"""Elements for which an implementation differs from its specification: looked for, and replayed on real arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, islice, product
from math import prod
from typing import Any

from sonnx_verify.conformance.proofs.claims import PLACE, Wanted, element_name, misfit
from sonnx_verify.conformance.proofs.instances import Instance, Known
from sonnx_verify.conformance.proofs.subject import Subject, called, is_free, spread
from sonnx_verify.errors import UsageError
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, indices_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term
from sonnx_verify.results.concrete import Concrete, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.arguments import from_array
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import on_input

_MOST = 1500
_SAMPLES = ((0, 1), (6, 1), (3, 7), (9, 3), (1, 2))
"""The place of the first element in the list of simple values, and the step to the next one."""
Response = tuple[ConcreteTensor, ...] | str


@dataclass(frozen=True, slots=True)
class Difference:
    """An input, what is specified of it, what the code gave, and in words how that differs."""

    known: Known
    expected: dict[str, ConcreteTensor]
    got: Response
    what: str


@cache
def simple_values(sort: Sort) -> tuple[Any, ...]:
    """Elements in the order in which people find them small."""
    if sort == BOOL:
        return (False, True)
    if isinstance(sort, IntegerSort):
        wanted = (0, 1, -1, 2, sort.greatest, sort.lowest)
        return tuple(dict.fromkeys(v for v in wanted if sort.lowest <= v <= sort.greatest))
    assert isinstance(sort, FloatSort)
    # Zeros and infinities of both signs and a NaN are where comparisons differ; the ends are where sums overflow.
    plain = [floats.from_float(sort, x) for x in (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"))]
    return (*plain, floats.smallest_subnormal(sort), floats.greatest(sort), floats.lowest(sort))


class Refuter:
    """Looks for elements that break an instance."""

    def __init__(self, meaning: Meaning, subject: Subject) -> None:
        self.meaning, self.subject = meaning, subject

    def difference(self, known: Known, results: Sequence[Wanted]) -> Difference | None:
        """The difference on concrete elements; None where there is none."""
        inputs, attributes = spread(self.meaning.given, known)
        got = called(self.subject, inputs, attributes)
        if isinstance(got, str):
            return self._with_words(known, results, got)
        tensors = self._tensors(got, results)
        if isinstance(tensors, str):
            return self._with_words(known, results, tensors)
        what = self._compared(known, tensors, results)
        if not what:
            return None
        return Difference(known, self._expected(known, results), tensors, what)

    def _with_words(self, known: Known, results: Sequence[Wanted], said: str) -> Difference:
        """A difference of code that gives no tensors."""
        return Difference(known, self._expected(known, results), said, said)

    def _tensors(self, got: Sequence[Any], results: Sequence[Wanted]) -> tuple[ConcreteTensor, ...] | str:
        if said := misfit([(array.dtype, array.shape) for array in got], results):
            return said
        try:
            return tuple(from_array(wanted.name, array) for array, wanted in zip(got, results, strict=True))
        except UsageError as problem:
            return str(problem)

    def _compared(self, known: Known, got: Sequence[ConcreteTensor], results: Sequence[Wanted]) -> str:
        """The first element that does not conform, in words; empty where all do."""
        # The same term that the claims are about, evaluated: what is refuted here is what was to be proved.
        facts = interpretation(self.meaning.given, known)
        for tensor, wanted in zip(got, results, strict=True):
            for index, element in zip(indices_of(list(wanted.shape[::-1])), tensor.elements, strict=True):
                meant: dict[Any, object] = {**facts, PLACE: index, wanted.candidate.payload: element}
                if evaluate(wanted.term, meant) is not True:
                    # Indices are counted from the right, without zeros at the end.
                    place = [*index, *[0] * (len(wanted.shape) - len(index))][::-1]
                    return f"{element_name(wanted.name, place)} differs from the specification"
        return ""

    def _expected(self, known: Known, results: Sequence[Wanted]) -> dict[str, ConcreteTensor]:
        facts = interpretation(self.meaning.given, known)
        meaning = on_input(self.meaning, known)
        made = {}
        for wanted in results:
            value = meaning.values[wanted.name](PLACE())
            sort = wanted.candidate.sort
            elements = [evaluate(value, {**facts, PLACE: i}) for i in indices_of(list(wanted.shape[::-1]))]
            made[wanted.name] = ConcreteTensor(sort, wanted.shape, tuple(elements))
        return made

    def search(self, instance: Instance, results: Sequence[Wanted], model: Mapping[str, Any]) -> Difference | None:
        """The first difference in the order of smallness; else one from values that a solver named, made smaller."""
        found = self._first(islice(self._fillings(instance), _MOST), results)
        if found is not None or not model:
            return found
        # Elements that the model says nothing of play no part in it.
        found = self._tried(filled(instance.known, lambda name, sort: model.get(name, 0)), results)
        if found is None:
            return None
        return self._smaller(found, results)

    def sampled(self, instance: Instance, results: Sequence[Wanted]) -> Difference | None:
        """A difference on one of a few inputs. It is looked for on every instance: code can tell symbolic arrays from
        real ones, as by `type(x)`, and must not be believed to do the same with both."""
        return self._first(_sampled(instance), results)

    def _first(self, inputs: Iterable[Known], results: Sequence[Wanted]) -> Difference | None:
        """The first difference on these inputs."""
        tried = (self._tried(known, results) for known in inputs)
        return next((found for found in tried if found is not None), None)

    def _tried(self, known: Known, results: Sequence[Wanted]) -> Difference | None:
        try:
            return self.difference(known, results)
        # Nothing is specified of these elements: no result of them differs.
        except Undefined:
            return None

    def _fillings(self, instance: Instance) -> Iterator[Known]:
        cells = list(cells_of(instance.known))
        choices = [simple_values(sort) for _, sort in cells]
        spread_out: Iterator[tuple[Any, ...]] = product(*choices)
        if prod(map(len, choices)) > _MOST:
            spread_out = _ordered(choices)
        for values in spread_out:
            held = dict(zip((name for name, _ in cells), values, strict=True))
            yield filled(instance.known, _by_name(held))

    def _smaller(self, found: Difference, results: Sequence[Wanted]) -> Difference:
        """The same with each element as simple as it can be, one after the other."""
        for name, member, n, sort in _places(found.known):
            for value in simple_values(sort):
                changed = _with(found.known, name, member, n, value)
                # From here on values are less simple than the one that is there.
                if changed == found.known:
                    break
                better = self._tried(changed, results)
                if better is not None:
                    found = better
                    break
        return found


def _ordered(choices: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """The choices where there are too many to try all: all alike, then all but one, then all but two."""
    rank = len(choices)
    yield from ((value,) * rank for value in choices[0])
    # The others are 0, then 1: what is lost among zeros may show among ones.
    plains = [[column[min(base, len(column) - 1)] for column in choices] for base in (0, 2)]
    for number in (1, 2):
        for places, plain in product(combinations(range(rank), number), plains):
            for values in product(*(choices[place] for place in places)):
                made = list(plain)
                for place, value in zip(places, values, strict=True):
                    made[place] = value
                yield tuple(made)


def _sampled(instance: Instance) -> Iterator[Known]:
    cells = list(cells_of(instance.known))
    # Without elements there is one input.
    for first, step in _SAMPLES[: None if cells else 1]:
        values = {}
        for n, (name, sort) in enumerate(cells):
            simple = simple_values(sort)
            values[name] = simple[(first + n * step) % len(simple)]
        yield filled(instance.known, _by_name(values))


def cells_of(known: Mapping[str, Concrete]) -> Iterator[tuple[str, Sort]]:
    """The names and sorts of the free elements, in the order of the inputs."""
    for tensor in filter(is_free, tensors_in(known)):
        yield from ((_name(cell), tensor.sort) for cell in tensor.elements)


def _name(cell: object) -> str:
    """The name of a free element: that of a float stands in its bits."""
    assert isinstance(cell, Term)
    if cell.op != Op.APPLY:
        return _name(cell.args[0])
    assert isinstance(cell.payload, Symbol)
    return cell.payload.name


def filled(known: Mapping[str, Concrete], value: Callable[[str, Sort], Any]) -> Known:
    """The same with values in place of free elements, by their names and sorts."""

    def one(tensor: Concrete) -> Concrete:
        if not isinstance(tensor, ConcreteTensor) or not is_free(tensor):
            return tensor
        return ConcreteTensor(tensor.sort, tensor.shape, tuple(value(_name(c), tensor.sort) for c in tensor.elements))

    made = {}
    for name, held in known.items():
        made[name] = tuple(map(one, held)) if isinstance(held, tuple) else one(held)
    return made


def _by_name(values: Mapping[str, Any]) -> Callable[[str, Sort], Any]:
    return lambda name, sort: values[name]


def _places(known: Known) -> Iterator[tuple[str, int | None, int, Sort]]:
    """Each element: its variable, the member of a family, its number, its sort."""
    for name, value in known.items():
        tensors: Iterable[tuple[int | None, Concrete]] = [(None, value)]
        if isinstance(value, tuple):
            tensors = enumerate(value)
        for member, tensor in tensors:
            if isinstance(tensor, ConcreteTensor):
                yield from ((name, member, n, tensor.sort) for n in range(len(tensor.elements)))


def _with(known: Known, name: str, member: int | None, n: int, value: Any) -> Known:
    """The input with another element."""

    def one(tensor: Concrete) -> ConcreteTensor:
        assert isinstance(tensor, ConcreteTensor)
        return replace(tensor, elements=(*tensor.elements[:n], value, *tensor.elements[n + 1 :]))

    held = known[name]
    if member is None:
        return {**known, name: one(held)}
    assert isinstance(held, tuple)
    return {**known, name: (*held[:member], one(held[member]), *held[member + 1 :])}
