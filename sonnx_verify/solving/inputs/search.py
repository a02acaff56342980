"""The smallest witness of some conditions, by enumeration in the order in which people find examples small.

The order: number of inputs; sum of ranks; sum of dims; attributes and other integers, left out before their default
before small values; ranks and dims in input order; facts, all of them true first; elements in input order. Elements
come from a short alphabet of each type: small values, then special ones. The search is bounded in ranks, sizes and
work, and says whether anything smaller than what it found was left out.

Not trusted: `found.py` replays whatever comes out, and an input that is not found shows nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import inf, prod
from typing import Any

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, IntegerSort
from sonnx_verify.logic.terms import Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT
from sonnx_verify.solving.inputs.filling import (
    MAX_RANK,
    Allowance,
    Condition,
    Shape,
    Slots,
    has_own_length,
    meets,
)
from sonnx_verify.solving.inputs.inputs import SHAPED, Found, interpretation
from sonnx_verify.solving.inputs.rows import Memoized, Ranked, by_sum
from sonnx_verify.solving.inputs.values import every_value, usual_values

MAX_ROWS = 20_000
"""The choices of integers and lists that are put in order: the larger ones of each are left out beyond that."""
FIRST_ROWS = 60
"""The first choices of numbers: where the budget does not do for all, these are tried with larger shapes, and a few
values of all elements with them."""
NARROW = 16
"""The most bits of all variables together, where these are elements, of which every combination of values is tried."""
ROWS = 40
"""The number of rows that costs as much as a candidate with its shapes and elements: less than the time that they take,
since where nothing else finds an input it is worth it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The end of a round: the members of each family, the sum of ranks, the sum of dims."""

    members: int
    ranks: int
    dims: int

    def cover(self, ranks: int, dims: int) -> bool:
        """Return whether these sums were looked at in a round with these bounds."""
        return ranks <= self.ranks and dims <= self.dims


ROUNDS = (Bounds(2, 2, 2), Bounds(3, 3, 3), Bounds(4, 4, 6), Bounds(2, 6, 5), Bounds(2, 5, 9))
"""Small inputs of every number first: what breaks, breaks there most often, and one input has no end of shapes."""
_MOST_SLOTS = 1000
"""The most tensors of a candidate: a family may have a billion."""
_FEW_SLOTS = 6
"""The most tensors whose ranks are gone through at once, to see which sums of them are possible."""
_ALWAYS_FILLED = 3
"""The sum of ranks up to which the rounds have shapes without a size 0."""
_MORE = 3
"""The sum of dims, beyond one for each axis, up to which shapes with elements are tried."""
_SMALL_SET = (0, 1, 2)
_PLAIN = (VariableKind.INT, VariableKind.ELEMENT, VariableKind.SET)
"""The kinds that have no axes."""


class Search:
    """Enumerates assignments of some variables that meet the conditions. `constants` are values that are tried of some
    variables beside the usual ones, after those. `rows` is how many choices of numbers cost as much as a candidate."""

    def __init__(
        self,
        variables: Sequence[Variable],
        conditions: Sequence[Term],
        budget: int,
        constants: Mapping[str, tuple[object, ...]] | None = None,
        rows: int = ROWS,
    ) -> None:
        self.variables = list(variables)
        self._shaped = [v for v in variables if v.kind in SHAPED]
        self._plain = [v for v in variables if v.kind in _PLAIN]
        self._constants = constants or {}
        self.tries_all = _bits(self.variables) <= NARROW
        """Whether every combination of values is tried."""
        self._budget, self._granted, self._allowance = budget, budget, Allowance(budget)
        self._misfits = 0
        self._most_rows: int | None = None
        self._is_cut = False
        self._possible: dict[tuple[str, ...], frozenset[int]] = {}
        self._rows = rows
        symbols, texts = _spoken(conditions)
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        self._optional = [
            v.name for v in variables if v.optional and v.kind in (VariableKind.TENSOR, VariableKind.SHAPE)
        ]
        self._length_names = _lengths_among(variables)
        # An element that no condition reads, and a fact that none speaks of, are not varied.
        self._read = {v.name for v in variables if v.kind is VariableKind.TENSOR and v.symbol("read") in symbols}
        self._facts = {v.name: [fact for fact in v.facts if v.symbol(fact) in symbols] for v in variables}
        self._conditions: list[Condition] = []
        for condition in conditions:
            # Conjuncts one by one: each is evaluated as soon as its own symbols have values.
            parts = condition.args if condition.op == ops.AND else (condition,)
            self._conditions += [Condition.of(part) for part in parts]

    @property
    def complete(self) -> bool:
        """True unless something within the bounds was left out."""
        return self._allowance.complete

    @property
    def spent(self) -> bool:
        """True if the search ended because its budget did: what was tried beyond it was not all."""
        return self._allowance.spent or self._is_cut

    @property
    def tried(self) -> int:
        """The number of candidates that were looked at so far: choices of numbers, shapes and elements."""
        return self._misfits + self._granted - max(0, self._allowance.left)

    def first(self) -> Found | None:
        """The smallest assignment that meets the conditions, or None within the bounds."""
        return next(self.all(), None)

    def all(self) -> Iterator[Found]:
        """Every assignment that meets the conditions, in each round the smallest first, until the budget is spent."""
        yield from self._rounds()
        # Many numbers use up the budget on the smallest shapes: then those without an element are all that was tried.
        self._is_cut, self._most_rows = self._allowance.spent, FIRST_ROWS
        if self._is_cut:
            self._allowance.left = self._budget // 2
            self._granted += self._budget // 2
        yield from self._with_elements()
        if self._is_cut:
            yield from self._rounds()

    def _rounds(self) -> Iterator[Found]:
        # Input of the same lengths and sums that the round before looked at is not looked at again.
        before: Bounds | None = None
        earlier: list[dict[str, int]] = []
        for bounds in ROUNDS:
            choices = self._lengths(bounds.members)
            for lengths in choices:
                done = before if lengths in earlier else None
                yield from self._with_lengths(lengths, bounds, done)
                if self._allowance.spent:
                    self._allowance.complete = False
                    return
            before, earlier = bounds, choices

    def _with_elements(self) -> Iterator[Found]:
        """Every assignment with as many axes as conditions demand, and sizes of 1 or more: what five parameters of one
        length break is in none of the rounds."""
        for lengths in self._lengths(ROUNDS[0].members):
            slots = self._of_lengths(lengths)
            least = 0 if slots is None else min(self._rank_sums(slots), default=0)
            if slots is not None and least > _ALWAYS_FILLED:
                self._allowance.complete = False
                around = Bounds(ROUNDS[0].members, least + 1, least + _MORE)
                yield from self._of_slots(slots, lengths, around, None, least)
                if self._allowance.spent:
                    return

    def of_shapes(self, slots: list[Variable], shapes: list[Shape], numbers: dict[str, Any]) -> Iterator[Found]:
        """Every assignment with these shapes and numbers that meets the conditions. A family has a slot for each
        member."""
        filled = self._slots(slots, numbers)
        facts = filled.known_of(shapes)
        if facts is None:
            return
        for lacking in self._lacking(slots):
            for assignment in filled.elements(shapes, lacking, facts):
                facts_of_all = interpretation(self.variables, assignment)
                if meets(self._conditions, facts_of_all):
                    yield Found(assignment, facts_of_all, minimal=False)

    # ------------------------------------------------------------------------------------------------------- lengths

    def _lengths(self, members: int) -> list[dict[str, int]]:
        """The lengths of families and lists, and 0 or 1 for each optional thing; those with the fewest inputs first."""
        lists = [v for v in self.variables if has_own_length(v)]
        of_lists = [_lengths_of_list(v, members) for v in lists]
        # An input that a theorem applies an operator without cannot be given: there is one choice.
        absent = {v.name for v in self.variables if v.role is VariableRole.ABSENT}
        of_optional = [(0,) if name in absent else (0, 1) for name in self._optional]
        # The last number of a family may be one less than its first: then it is empty.
        of_families = [range(-1, members)] * len(self._length_names)
        names = (*self._length_names, *(v.name for v in lists), *self._optional)
        tensors = [v for v in self._shaped if v.kind is VariableKind.TENSOR]
        choices = []
        for lasts, counts, given in product(product(*of_families), product(*of_lists), product(*of_optional)):
            lengths = dict(zip(names, (*lasts, *counts, *given), strict=True))
            inputs = sum(self._count(v, lengths) for v in tensors)
            far = [listed.index(count) for listed, count in zip(of_lists, counts, strict=True)]
            choices.append((inputs, (*lasts, *far, *given), lengths))
        choices.sort(key=lambda choice: choice[:2])
        return [lengths for _, _, lengths in choices]

    def _count(self, variable: Variable, lengths: dict[str, int]) -> int:
        """The number of slots, or of members, that a variable has."""
        if variable.name in self._optional:
            return lengths[variable.name]
        if variable.count is None:
            return 1
        if has_own_length(variable):
            return lengths[variable.name]
        facts = {Symbol(name, (), INT): value for name, value in lengths.items()}
        count: int = compile_term(variable.count)({}, facts)
        return max(0, count)

    # -------------------------------------------------------------------------------------------------------- shapes

    def _with_lengths(self, lengths: dict[str, int], bounds: Bounds, done: Bounds | None) -> Iterator[Found]:
        """Every assignment with these lengths, but for the sums within the bounds that are done."""
        slots = self._of_lengths(lengths)
        if slots is None:
            self._allowance.complete = False
        else:
            yield from self._of_slots(slots, lengths, bounds, done)

    def _of_lengths(self, lengths: dict[str, int]) -> list[Variable] | None:
        """The tensors of a candidate with these lengths; None where they are too many."""
        counts = [(variable, self._count(variable, lengths)) for variable in self._shaped]
        # A family may have a constant for its last number, of any size.
        if sum(count for _, count in counts) > _MOST_SLOTS:
            return None
        return [variable for variable, count in counts for _ in range(count)]

    def _of_slots(
        self, slots: list[Variable], lengths: dict[str, int], bounds: Bounds, done: Bounds | None, filled_from: int = 0
    ) -> Iterator[Found]:
        # The length of a list of shapes or tensors is how many slots it has: only lists of numbers are chosen here.
        shaped = {variable.name for variable in self._shaped}
        known = {name: length for name, length in lengths.items() if name not in self._optional and name not in shaped}
        # The same choices of numbers for each pair of sums: made as they are needed, each once.
        chosen = islice(self._numbers(lengths), self._most_rows)
        filled = Memoized(self._slots(slots, known | numbers) for numbers in chosen)
        possible = self._rank_sums(slots)
        for ranks, dims in _sums(bounds, len(slots)):
            if ranks not in possible or dims < filled_from or (done is not None and done.cover(ranks, dims)):
                continue
            for one in filled:
                yield from self._of_sums(one, ranks, dims, least=min(filled_from, 1))
                if self._allowance.spent:
                    return

    def _rank_sums(self, slots: list[Variable]) -> Collection[int]:
        """The sums of ranks for which some ranks meet the conditions on ranks alone: no number makes up for others."""
        ranks = [v.symbol("rank") for v in slots]
        asked = [c for c in self._conditions if c.symbols and c.symbols <= set(ranks)]
        if not asked or len(slots) > _FEW_SLOTS or any(v.count is not None for v in slots):
            return range(MAX_RANK * len(slots) + 1)
        key = tuple(v.name for v in slots)
        if key not in self._possible:
            splits = product(range(MAX_RANK + 1), repeat=len(slots))
            met = (split for split in splits if meets(asked, dict(zip(ranks, split, strict=True))))
            self._possible[key] = frozenset(map(sum, met))
        return self._possible[key]

    def _slots(self, slots: list[Variable], numbers: dict[str, Any]) -> Slots:
        few = self._most_rows is not None
        return Slots(self.variables, slots, numbers, self._conditions, self._values, self._read, self._allowance, few)

    def _values(self, variable: Variable) -> tuple[Any, ...]:
        """The values that are tried of an integer, or of each element."""
        if self.tries_all:
            return (*usual_values(variable), *every_value(variable.sort))
        return (*usual_values(variable), *self._constants.get(variable.name, ()))

    def _of_sums(self, filled: Slots, ranks: int, dims: int, least: int) -> Iterator[Found]:
        """Every assignment of these sums, with no size below the least."""
        allowance = self._allowance
        for shapes, facts in filled.shapes(ranks, dims, least):
            allowance.left -= 1
            for lacking in self._lacking(filled.slots):
                for assignment in filled.elements(shapes, lacking, facts):
                    allowance.left -= 1
                    # All conditions on all meanings: those that were evaluated on the way only saved the way here.
                    facts_of_all = interpretation(self.variables, assignment)
                    if meets(self._conditions, facts_of_all):
                        yield Found(assignment, facts_of_all, allowance.complete)
                    if allowance.spent:
                        return

    # ------------------------------------------------------------------------------------------------------- numbers

    def _numbers(self, lengths: dict[str, int]) -> Iterator[dict[str, Any]]:
        """Values of integers and lists of integers that are no lengths, of lone elements, and of sets; the smallest
        first. Each is made when it is asked for: there are many, and most often the first ones do."""
        columns = self._columns(lengths)
        self._cut(columns)
        ready: list[Condition] | None = None
        for n, row in enumerate(by_sum(columns), 1):
            # Making rows costs too, though each costs little.
            if n % self._rows == 0:
                self._allowance.left -= 1
                if self._allowance.spent:
                    return
            made = {name: value for _, name, value in row}
            facts = interpretation(self._plain, lengths | made)
            if ready is None:
                # The same symbols have values in each row.
                ready = [c for c in self._conditions if c.symbols <= facts.keys()]
            if meets(ready, facts):
                yield made
            else:
                self._misfits += 1

    def _columns(self, lengths: dict[str, int]) -> list[list[Ranked]]:
        """A column of choices for each variable without axes that is no length."""
        columns: list[list[Ranked]] = []
        for v in self._plain:
            if v.name not in self._length_names:
                columns.append([(rank, v.name, value) for rank, value in self._choices(v, lengths)])
        return columns

    def _cut(self, columns: list[list[Ranked]]) -> None:
        """Drop the larger half of the longest column until there are few enough rows, and say so."""
        while not self.tries_all and prod(len(c) for c in columns) > MAX_ROWS:
            self._allowance.complete = False
            longest = max(range(len(columns)), key=lambda n: len(columns[n]))
            columns[longest] = columns[longest][: len(columns[longest]) // 2]

    def _choices(self, variable: Variable, lengths: dict[str, int]) -> list[tuple[int, Any]]:
        """Values of a number, an element, a set, or a list of that length, each with its distance from the smallest. A
        thing that may be left out is left out first, then has its default."""
        if variable.kind is VariableKind.SET:
            return [(len(members), members) for members in _small_sets()]
        count = None
        if variable.count is not None:
            count = self._count(variable, lengths)
        first = _unwritten(variable, count)
        if variable.role is VariableRole.ABSENT:
            return list(enumerate(first[:1]))
        # Texts have no small values: what a text of the conditions is compared with decides.
        values = self._values(variable)
        if variable.sort == STRING:
            values = self._texts_of_any()
        if count is None:
            return list(enumerate(dict.fromkeys([*first, *values])))
        rest = [(rank + len(first), value) for rank, value in _lists(variable, values, count) if value not in first]
        return [*enumerate(first), *rest]

    def _texts_of_any(self) -> tuple[str, ...]:
        """The texts that the conditions write out, and two others: a text may differ from all that are written out, and
        from another such."""
        others = ["", "a", *(f"t{n}" for n in range(len(self._texts) + 2))]
        return (*self._texts, *[text for text in others if text not in self._texts][:2])

    def _lacking(self, slots: list[Variable]) -> list[frozenset[tuple[int, str]]]:
        """The facts that fail, each of one tensor: none of them, then one."""
        choices: list[frozenset[tuple[int, str]]] = [frozenset()]
        for n, variable in enumerate(slots):
            choices += [frozenset([(n, fact)]) for fact in self._facts[variable.name]]
        return choices


def _bits(variables: Sequence[Variable]) -> float:
    """The bits that say which values variables have, where all are elements by themselves; else infinity."""
    sorts = [v.sort for v in variables if v.kind is VariableKind.ELEMENT and v.count is None]
    if len(sorts) < len(variables) or not all(isinstance(sort, FloatSort | IntegerSort) for sort in sorts):
        return inf
    return sum(sort.width for sort in sorts if isinstance(sort, FloatSort | IntegerSort))


def _spoken(conditions: Sequence[Term]) -> tuple[set[object], set[str]]:
    """The symbols and the texts that occur in conditions."""
    symbols: set[object] = set()
    texts: set[str] = set()
    for node in subterms(*conditions):
        if node.op == ops.APPLY:
            symbols.add(node.payload)
        elif node.op == ops.LITERAL and node.sort == STRING:
            texts.add(str(node.payload))
    return symbols, texts


def _lengths_among(variables: Sequence[Variable]) -> list[str]:
    """The names of integers that say how many members a family has: its last number, or one that its count is made
    of."""
    counts = [v.count for v in variables if v.count is not None]
    counting, _ = _spoken(counts)
    names = []
    for v in variables:
        counts_members = v.kind is VariableKind.INT and v.symbol("") in counting
        if counts_members or v.role is VariableRole.LENGTH:
            names.append(v.name)
    return names


def _usual_length(variable: Variable) -> int:
    """The length of a list that is left out: that of its default."""
    return len(variable.default) if isinstance(variable.default, tuple) else 0


def _lengths_of_list(variable: Variable, members: int) -> list[int]:
    """The lengths of a list that are tried. The one with which it can be left out comes first."""
    usual = _usual_length(variable)
    return [usual, *(n for n in range(members + 1) if n != usual)]


def _unwritten(variable: Variable, count: int | None) -> list[Any]:
    """The choices of a variable for which nothing new is written: left out, then the default."""
    choices: list[Any] = []
    if count is not None and count != _usual_length(variable):
        return choices
    if variable.may_be_left_out:
        choices.append(LEFT_OUT)
    if variable.default is not None:
        choices.append(variable.default)
    return choices


def _sums(bounds: Bounds, slots: int) -> Iterator[tuple[int, int]]:
    """The sums of ranks and of dims within the bounds, the smallest first. Scalars have no sizes to add up."""
    # A rank is at most MAX_RANK, so few slots cannot use up a large sum.
    for ranks in range(min(bounds.ranks, MAX_RANK * slots) + 1):
        yield ranks, 0
        if ranks:
            yield from ((ranks, dims) for dims in range(1, bounds.dims + 1))


def _small_sets() -> Iterator[frozenset[int]]:
    """The sets of a few numbers, the smallest first."""
    for size in range(len(_SMALL_SET) + 1):
        for members in combinations(_SMALL_SET, size):
            yield frozenset(members)


def _lists(variable: Variable, values: Sequence[Any], count: int) -> list[tuple[int, tuple[Any, ...]]]:
    """The lists of `count` values, by the sum of the distances of their members from the smallest."""
    ranked = list(enumerate(values))
    # Of all six small integers there are 216 lists of three, of the first four 64. All elements that are tried are put
    # into lists of one or two only: NaN beside infinity is worth it.
    if variable.kind is not VariableKind.ELEMENT or count >= 3:
        ranked = ranked[:4]
    lists = []
    # By the sum of distances: [0, 1] and [1, 0] before [0, -1], whatever the first of them is.
    for members in product(ranked, repeat=count):
        distance = sum(rank for rank, _ in members)
        lists.append((distance, tuple(value for _, value in members)))
    lists.sort(key=lambda choice: choice[0])
    return lists
