"""The smallest witness of some conditions, by enumeration in the order in which people find examples small.

The order: number of inputs; sum of ranks; sum of dims; attributes and other integers, left out before their default
before small values; ranks and dims in input order; facts, all of them true first; elements in input order. Elements
come from a short alphabet of each type: small values, then special ones. The search is bounded in ranks, sizes and
work, and says whether anything smaller than what it found was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, islice, product
from math import prod
from typing import Any

from sonnx_verify.counterexample.inputs import LEFT_OUT, Assignment, Concrete, ConcreteTensor, interpretation, numel
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import Undefined, compile_term
from sonnx_verify.logic.sorts import BOOL, INT, STRING, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, subterms

MAX_RANK = 3
MAX_FILLINGS = 2500
MAX_ROWS = 20_000
"""How many choices of integers and lists are put in order: the larger ones of each are left out beyond that."""
_ROWS_FOR_ONE = 40
"""How many of them cost as much as a candidate with its shapes and elements."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a round goes: the members of each family, the sum of ranks, the sum of dims."""

    members: int
    ranks: int
    dims: int


ROUNDS = (Bounds(2, 2, 2), Bounds(3, 3, 3), Bounds(4, 4, 6), Bounds(2, 6, 5))
"""Small inputs of every number first: what breaks, breaks there most often, and one input has no end of shapes."""
_SMALL_SET = (0, 1, 2)
SHAPED = ("tensor", "shape", "index")
"""What is given by numbers for each of some axes."""
SMALL_INTEGERS = (0, 1, -1, 2, -2, 3)


@dataclass(frozen=True, slots=True)
class Found:
    """A witness; `minimal` when nothing before it in the order, and within the bounds of its round, was left out."""

    assignment: Assignment
    facts: dict[Symbol, object]
    minimal: bool

    def size(self, variables: Sequence[Variable]) -> tuple[int, int, int]:
        """Number of inputs, sum of ranks, sum of dims: what comes first in the order."""
        inputs, shapes = 0, []
        for variable in variables:
            value = self.assignment[variable.name]
            if variable.kind in SHAPED and value is not LEFT_OUT:
                items = value if variable.count is not None else (value,)
                assert isinstance(items, tuple)
                inputs += len(items) if variable.kind == "tensor" and variable.role != "output" else 0
                shapes += [i.shape if isinstance(i, ConcreteTensor) else i for i in items]
        return inputs, sum(len(x) for x in shapes), sum(sum(x) for x in shapes)


@cache
def alphabet(sort: Sort) -> tuple[object, ...]:
    """The values of a type that are tried, the smallest first."""
    match sort:
        case FloatSort():
            numbers = [floats.zero(sort), floats.zero(sort, negative=True)]
            numbers += [floats.from_float(sort, x) for x in (1.0, -1.0)]
            return (
                *numbers,
                floats.infinity(sort),
                floats.infinity(sort, negative=True),
                floats.nan(sort),
            )
        case IntegerSort():
            return tuple(dict.fromkeys([v for v in (0, 1, -1, 2) if v >= sort.lowest] + [sort.greatest, sort.lowest]))
        case _ if sort == BOOL:
            return (False, True)
        case _ if sort == STRING:
            return ("",)
        case _:
            return tuple(Fraction(v) for v in (0, 1, -1, 2))


@dataclass(slots=True)
class _Condition:
    """A condition, and when it can be looked at: 0 with the integers, 1 with the shapes, 2 with the elements."""

    run: Callable[..., object]
    stage: int


class Search:
    """Enumerates assignments of some variables that meet the conditions."""

    def __init__(self, variables: Sequence[Variable], conditions: Sequence[Term], budget: int) -> None:
        self.variables = list(variables)
        self.budget = budget
        self.complete = True
        symbols = {n.payload for c in conditions for n in subterms(c) if n.op == "apply"}
        texts = {n.payload for c in conditions for n in subterms(c) if n.op == "literal" and n.sort == STRING}
        self._texts = sorted((str(t) for t in texts), key=lambda t: (len(t), t))
        self._optional = [v.name for v in variables if v.kind in ("tensor", "shape") and v.optional]
        counts = {n.payload for v in variables if v.count is not None for n in subterms(v.count) if n.op == "apply"}
        self._length_names = [
            v.name for v in variables if v.role == "length" or (v.kind == "int" and v.symbol("") in counts)
        ]
        self._read = {v.name for v in variables if v.kind == "tensor" and v.symbol("read") in symbols}
        self._facts = [(v.name, fact) for v in variables for fact in v.facts if v.symbol(fact) in symbols]
        shaped = [v for v in variables if v.kind in SHAPED]
        shapes = {v.symbol(part) for v in shaped for part in ("rank", "dim", "given")}
        shapes |= {v.symbol("") for v in shaped if v.kind == "index"}
        late = {v.symbol(part) for v in variables if v.kind == "tensor" for part in ("read", *v.facts)}
        self._conditions = []
        for condition in conditions:
            for part in condition.args if condition.op == "and" else (condition,):
                used = {n.payload for n in subterms(part) if n.op == "apply"}
                stage = 2 if used & late else 1 if used & shapes else 0
                self._conditions.append(_Condition(compile_term(part), stage))

    def first(self) -> Found | None:
        """The smallest assignment that meets the conditions, or None within the bounds."""
        return next(self.all(), None)

    def all(self) -> Iterator[Found]:
        """Every assignment that meets the conditions, in each round the smallest first, until the budget is spent."""
        before: Bounds | None = None
        for bounds in ROUNDS:
            earlier = self._lengths(before.members) if before is not None else []
            for lengths in self._lengths(bounds.members):
                yield from self._with_lengths(lengths, bounds, before if lengths in earlier else None)
                if self.budget <= 0:
                    self.complete = False
                    return
            before = bounds

    # ------------------------------------------------------------------------------------------------------- lengths

    def _lengths(self, members: int) -> list[dict[str, int]]:
        names = self._length_names
        own = [v.name for v in self.variables if _own_count(v)]
        # A list that may be left out is left out with the length of its default, which comes first.
        many = [sorted({*range(members + 1), *first}, key=lambda n: (n not in first, n)) for first in self._defaults()]
        absent = {v.name for v in self.variables if v.role == "absent"}
        there = [(0,) if name in absent else (0, 1) for name in self._optional]
        choices = []
        # The last number of a family may be one less than its first: then it is empty.
        for values in product(range(-1, members), repeat=len(names)):
            for counts, given in product(product(*many), product(*there)):
                lengths = dict(zip(names, values, strict=True)) | dict(zip(own, counts, strict=True))
                lengths |= dict(zip(self._optional, given, strict=True))
                inputs = sum(self._count(v, lengths) for v in self.variables if v.kind == "tensor")
                far = [listed.index(count) for listed, count in zip(many, counts, strict=True)]
                choices.append((inputs, (*values, *far, *given), lengths))
        return [lengths for _, _, lengths in sorted(choices, key=lambda c: c[:2])]

    def _defaults(self) -> list[set[int]]:
        """For each list with a length of its own, the length of its default."""
        own = [v.default for v in self.variables if _own_count(v)]
        return [{len(default)} if isinstance(default, tuple) else set() for default in own]

    def _count(self, variable: Variable, lengths: dict[str, int]) -> int:
        if variable.name in self._optional:
            return lengths[variable.name]
        if variable.count is None:
            return 1
        if _own_count(variable):
            return lengths[variable.name]
        facts = {Symbol(name, (), INT): value for name, value in lengths.items()}
        return max(0, compile_term(variable.count)({}, facts))  # type: ignore[no-any-return]  # an integer, by its sort

    # -------------------------------------------------------------------------------------------------------- shapes

    def _with_lengths(self, lengths: dict[str, int], bounds: Bounds, before: Bounds | None) -> Iterator[Found]:
        slots = [v for v in self.variables if v.kind in SHAPED for _ in range(self._count(v, lengths))]
        numbers = self._numbers(lengths)
        known = {name: length for name, length in lengths.items() if name not in self._optional}
        for ranks in range(min(bounds.ranks, MAX_RANK * len(slots)) + 1):
            for dims in range(bounds.dims + 1 if ranks else 1):
                if before is not None and ranks <= before.ranks and dims <= before.dims:
                    continue  # looked at in the round before
                for attributes in numbers:
                    for shapes in _shapes(len(slots), ranks, dims):
                        yield from self._with_shapes(known | attributes, slots, shapes)
                        if self.budget <= 0:
                            return

    def _numbers(self, lengths: dict[str, int]) -> list[dict[str, Any]]:
        """Values of integers and lists of integers that are no lengths, and of lone elements; the smallest first."""
        columns: list[list[tuple[int, str, Any]]] = []
        for v in self.variables:
            if v.kind == "set":
                sets = [frozenset(c) for n in range(len(_SMALL_SET) + 1) for c in combinations(_SMALL_SET, n)]
                columns.append([(len(members), v.name, members) for members in sets])
                continue
            if v.kind not in ("int", "element") or v.name in self._length_names:
                continue
            count = None if v.count is None else self._count(v, lengths)
            columns.append([(rank, v.name, value) for rank, value in self._choices(v, count)])
        while prod(len(c) for c in columns) > MAX_ROWS:
            self.complete = False
            longest = max(range(len(columns)), key=lambda n: len(columns[n]))
            columns[longest] = columns[longest][: len(columns[longest]) // 2]
        rows = sorted(product(*columns), key=lambda row: sum(rank for rank, _, _ in row))
        made = [{name: value for _, name, value in row} for row in rows]
        early = [v for v in self.variables if v.kind in ("int", "element", "set")]
        self.budget -= len(made) // _ROWS_FOR_ONE
        return [m for m in made if self._meets(interpretation(early, lengths | m), 0)]

    def _choices(self, variable: Variable, count: int | None) -> list[tuple[int, Any]]:
        """Values of a number, an element, or a list of so many, each with how far it is from the smallest. What may be
        left out is left out first, then has its default."""
        values: Sequence[Any] = SMALL_INTEGERS if variable.kind == "int" else alphabet(variable.sort)
        if variable.sort == STRING:
            others = (f"t{n}" for n in range(len(self._texts) + 2))
            # Two that nothing speaks of: a text may differ from all that are written out, and from another such.
            values = (*self._texts, *[t for t in ("", "a", *others) if t not in self._texts][:2])
        default = variable.default
        usual = len(default) if isinstance(default, tuple) else 0
        first: list[Any] = [LEFT_OUT] if variable.may_be_left_out and count in (None, usual) else []
        if variable.role == "absent":
            return [(0, value) for value in first]
        if default is not None and count in (None, usual):
            first.append(default)
        if count is None:
            return list(enumerate(dict.fromkeys([*first, *values])))
        ranked = list(enumerate(values))
        few = ranked if variable.kind == "element" and count < 3 else ranked[:4]
        lists = sorted(
            (sum(r for r, _ in x), n, tuple(e for _, e in x)) for n, x in enumerate(product(few, repeat=count))
        )
        rest = [(rank + len(first), value) for rank, _, value in lists if value not in first]
        return [*enumerate(first), *rest]

    def _with_shapes(
        self, numbers: dict[str, Any], slots: list[Variable], shapes: tuple[tuple[int, ...], ...]
    ) -> Iterator[Found]:
        blank = self._assign(numbers, slots, shapes, [None] * len(slots), frozenset())
        facts = interpretation(self.variables, blank)
        self.budget -= 1
        if not self._meets(facts, 1):
            return
        for lacking in self._lacking(slots):
            for filling in self._fillings(slots, shapes):
                assignment = self._assign(numbers, slots, shapes, filling, lacking)
                facts = interpretation(self.variables, assignment)
                self.budget -= 1
                if self._meets(facts, 2):
                    yield Found(assignment, facts, self.complete)
                if self.budget <= 0:
                    return

    def _meets(self, facts: dict[Symbol, object], stage: int) -> bool:
        try:
            return all(c.run({}, facts) is True for c in self._conditions if c.stage == stage)
        except Undefined:
            return False

    def _lacking(self, slots: list[Variable]) -> list[frozenset[tuple[int, str]]]:
        """Which facts fail of which tensor: none, then one of them."""
        single = [frozenset([(n, fact)]) for n, v in enumerate(slots) for name, fact in self._facts if name == v.name]
        return [frozenset(), *single]

    def _fillings(
        self, slots: list[Variable], shapes: tuple[tuple[int, ...], ...]
    ) -> Iterator[list[tuple[object, ...] | None]]:
        read = [n for n, v in enumerate(slots) if v.name in self._read]
        sizes = [numel(shapes[n]) for n in read]
        letters = [alphabet(slots[n].sort) for n, size in zip(read, sizes, strict=True) for _ in range(size)]
        many = 1
        for choice in letters:
            many *= len(choice)
        if many > MAX_FILLINGS:
            self.complete = False
        for elements in islice(product(*letters), MAX_FILLINGS):
            filling: list[tuple[object, ...] | None] = [None] * len(slots)
            start = 0
            for n, size in zip(read, sizes, strict=True):
                filling[n] = elements[start : start + size]
                start += size
            yield filling

    def _assign(
        self,
        numbers: dict[str, Any],
        slots: list[Variable],
        shapes: tuple[tuple[int, ...], ...],
        filling: list[tuple[object, ...] | None],
        lacking: frozenset[tuple[int, str]],
    ) -> dict[str, Concrete]:
        assignment: dict[str, Any] = dict(numbers)
        found: dict[str, list[Concrete]] = {v.name: [] for v in self.variables if v.kind in SHAPED}
        for n, (variable, shape) in enumerate(zip(slots, shapes, strict=True)):
            if variable.kind != "tensor":
                found[variable.name].append(shape)
                continue
            elements = filling[n]
            if elements is None:
                elements = (alphabet(variable.sort)[0],) * numel(shape)
            lacks = frozenset(fact for place, fact in lacking if place == n)
            found[variable.name].append(ConcreteTensor(variable.sort, shape, elements, lacks))
        for variable in self.variables:
            if variable.name in found:
                items = found[variable.name]
                alone = items[0] if items else LEFT_OUT
                assignment[variable.name] = tuple(items) if variable.count is not None else alone
        return assignment


def _own_count(variable: Variable) -> bool:
    count = variable.count
    return count is not None and count.op == "apply" and count.payload == Symbol(f"{variable.name}.count", (), INT)


@cache
def _shapes(slots: int, ranks: int, dims: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """All shapes of so many tensors with that sum of ranks and that sum of dims, in lexicographic order."""
    found = []
    for split in product(range(min(ranks, MAX_RANK) + 1), repeat=slots):
        if sum(split) == ranks:
            for sizes in product(range(dims + 1), repeat=ranks):
                if sum(sizes) == dims:
                    shapes, start = [], 0
                    for rank in split:
                        shapes.append(sizes[start : start + rank])
                        start += rank
                    found.append(tuple(shapes))
    return tuple(found)
