"""The smallest witness of some conditions, by enumeration in the order in which people find examples small.

The order: number of inputs; sum of ranks; sum of dims; attributes and other integers, left out before their default
before small values; ranks and dims in input order; facts, all of them true first; elements in input order. Elements
come from a short alphabet of each type: small values, then special ones. The search is bounded in ranks, sizes and
work, and says whether anything smaller than what it found was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from typing import Any

from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.sorts import INT, STRING, Sort
from sonnx_verify.logic.terms import Role, Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.filling import MAX_RANK, Condition, Slots, meets
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.rows import Kept, by_sum
from sonnx_verify.solving.inputs.values import alphabet, constants_of, usual_values

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


ROUNDS = (Bounds(2, 2, 2), Bounds(3, 3, 3), Bounds(4, 4, 6), Bounds(2, 6, 5), Bounds(2, 5, 9))
"""Small inputs of every number first: what breaks, breaks there most often, and one input has no end of shapes."""
_SMALL_SET = (0, 1, 2)
SHAPED = ("tensor", "shape", "index")
"""What is given by numbers for each of some axes."""


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


def on_type(found: Found, variables: Sequence[Variable], before: Sort, after: Sort) -> Found | None:
    """The same input with elements of another type, each the one at its place among those that are tried; None where
    there is none. What it meets there has to be seen anew."""
    turned = dict(zip(alphabet(before), alphabet(after), strict=False))

    def of(value: Concrete) -> Concrete:
        if isinstance(value, tuple):
            return tuple(of(item) for item in value)
        if isinstance(value, ConcreteTensor):
            return replace(value, sort=after, elements=tuple(turned[e] for e in value.elements))
        return value if value is LEFT_OUT else turned[value]

    mine = {v.name for v in variables if v.type_variable}
    try:
        assignment = {name: of(value) if name in mine else value for name, value in found.assignment.items()}
    except KeyError:
        return None
    return Found(assignment, interpretation(variables, assignment), False)


def first_of(
    variables: Sequence[Variable], conditions: Sequence[Term], budget: int, constants: bool = False
) -> Found | None:
    """The smallest assignment that meets the conditions; where none of the usual values does, and `constants` are to be
    tried, one with those that the conditions name, looked for once more as long."""
    found = Search(variables, conditions, budget).first()
    if found is None and constants and (named := constants_of(variables, conditions)):
        found = Search(variables, conditions, budget, named).first()
    return found


class Search:
    """Enumerates assignments of some variables that meet the conditions. `constants` are values that are tried of some
    variables beside the usual ones, after those."""

    def __init__(
        self,
        variables: Sequence[Variable],
        conditions: Sequence[Term],
        budget: int,
        constants: Mapping[str, tuple[object, ...]] | None = None,
    ) -> None:
        self.variables = list(variables)
        self._constants = constants or {}
        self.budget = budget
        self.complete = True
        symbols = {n.payload for c in conditions for n in subterms(c) if n.op == ops.APPLY}
        texts = {n.payload for c in conditions for n in subterms(c) if n.op == ops.LITERAL and n.sort == STRING}
        self._texts = sorted((str(t) for t in texts), key=lambda t: (len(t), t))
        self._optional = [v.name for v in variables if v.kind in ("tensor", "shape") and v.optional]
        counts = {n.payload for v in variables if v.count is not None for n in subterms(v.count) if n.op == ops.APPLY}
        self._length_names = [
            v.name for v in variables if v.role == "length" or (v.kind == "int" and v.symbol("") in counts)
        ]
        self._read = {v.name for v in variables if v.kind == "tensor" and v.symbol("read") in symbols}
        self._facts = [(v.name, fact) for v in variables for fact in v.facts if v.symbol(fact) in symbols]
        self._conditions = [Condition.of(part) for c in conditions for part in (c.args if c.op == ops.AND else (c,))]

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
        count: int = compile_term(variable.count)({}, facts)
        return max(0, count)

    # -------------------------------------------------------------------------------------------------------- shapes

    def _with_lengths(self, lengths: dict[str, int], bounds: Bounds, before: Bounds | None) -> Iterator[Found]:
        slots = [v for v in self.variables if v.kind in SHAPED for _ in range(self._count(v, lengths))]
        known = {name: length for name, length in lengths.items() if name not in self._optional}
        filled = Kept(self._slots(slots, known | numbers) for numbers in self._numbers(lengths))
        for ranks in range(min(bounds.ranks, MAX_RANK * len(slots)) + 1):
            for dims in range(bounds.dims + 1 if ranks else 1):
                if before is not None and ranks <= before.ranks and dims <= before.dims:
                    continue  # looked at in the round before
                for one in filled:
                    one.budget, one.complete = self.budget, self.complete
                    for found in self._of_sums(one, ranks, dims):
                        self.budget, self.complete = one.budget, one.complete
                        yield found
                    self.budget, self.complete = one.budget, one.complete
                    if self.budget <= 0:
                        return

    def _slots(self, slots: list[Variable], numbers: dict[str, Any]) -> Slots:
        return Slots(self.variables, slots, numbers, self._conditions, self._values, self._read, self.budget)

    def _values(self, variable: Variable) -> tuple[Any, ...]:
        """What is tried of an integer, or of each element."""
        return (*usual_values(variable), *self._constants.get(variable.name, ()))

    def _of_sums(self, filled: Slots, ranks: int, dims: int) -> Iterator[Found]:
        for shapes, facts in filled.shapes(ranks, dims):
            filled.budget -= 1
            for lacking in self._lacking(filled.slots):
                for assignment in filled.elements(shapes, lacking, facts):
                    filled.budget -= 1
                    facts_of_all = interpretation(self.variables, assignment)
                    if meets(self._conditions, facts_of_all):
                        yield Found(assignment, facts_of_all, filled.complete)
                    if filled.budget <= 0:
                        return

    def _numbers(self, lengths: dict[str, int]) -> Iterator[dict[str, Any]]:
        """Values of integers and lists of integers that are no lengths, and of lone elements; the smallest first. Each
        is made when it is asked for: there are many, and most often the first ones do."""
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
        self.budget -= prod(len(c) for c in columns) // _ROWS_FOR_ONE
        early = [v for v in self.variables if v.kind in ("int", "element", "set")]
        ready: list[Condition] | None = None
        for row in by_sum(columns):
            made = {name: value for _, name, value in row}
            facts = interpretation(early, lengths | made)
            if ready is None:
                ready = [c for c in self._conditions if c.symbols <= facts.keys()]
            if meets(ready, facts):
                yield made

    def _choices(self, variable: Variable, count: int | None) -> list[tuple[int, Any]]:
        """Values of a number, an element, or a list of so many, each with how far it is from the smallest. What may be
        left out is left out first, then has its default."""
        values: Sequence[Any] = self._values(variable)
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

    def _lacking(self, slots: list[Variable]) -> list[frozenset[tuple[int, str]]]:
        """Which facts fail of which tensor: none, then one of them."""
        single = [frozenset([(n, fact)]) for n, v in enumerate(slots) for name, fact in self._facts if name == v.name]
        return [frozenset(), *single]


def _own_count(variable: Variable) -> bool:
    """Whether nothing else says how many members a family has."""
    return variable.count is Symbol(f"{variable.name}.count", (), INT, Role.COUNT)()
