"""Shapes and elements of some inputs, one input after the other: what fails for the first ones is not continued.

In: the variables of a statement, a choice of its numbers, and conditions. Out: assignments, in the order of
docs/design.md ("Counterexamples"). Not trusted: whatever comes out is replayed before a verdict is made of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import product
from typing import Any

from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term, without_memory
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Role, Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.timeouts import look

MAX_RANK = 3
MAX_FILLINGS = 2500
Shape = tuple[int, ...]
Facts = dict[Symbol, object]


class Phase(IntEnum):
    """The steps in which the values of tensors, shapes and indices are chosen."""

    RANK = 0
    SHAPE = 1
    ELEMENT = 2


MISFITS = 20
"""The shapes that break a condition, as many as cost as much as a candidate where a few values stand for all: those of
larger inputs are reached then, and most fit no matrix."""
_FEW = 14
"""The ways to fill all tensors that stand for all: with each of some eight values alone, and mixed."""


@dataclass(slots=True)
class Allowance:
    """The choices that may still be looked at, shared by all parts of a search; `complete` as long as none was left
    out."""

    left: int
    complete: bool = True

    @property
    def spent(self) -> bool:
        """True if none is left. Raises OutOfTime where the time is over."""
        look()
        return self.left <= 0


@dataclass(slots=True)
class Condition:
    """A condition, and the symbols that it is about."""

    run: Callable[..., object]
    symbols: frozenset[Symbol]

    @classmethod
    def of(cls, term: Term) -> Condition:
        applied = (node.payload for node in subterms(term) if node.op == ops.APPLY)
        return cls(compile_term(term), frozenset(symbol for symbol in applied if isinstance(symbol, Symbol)))


def meets(conditions: Sequence[Condition], facts: Facts) -> bool:
    """Return whether all conditions are true; one that has no value is not."""
    # In a loop, since this is run for every candidate: a search for a counterexample asks millions of times.
    try:
        for condition in conditions:
            if condition.run({}, facts) is not True:
                return False
    except (Undefined, KeyError):
        return False
    return True


@dataclass(slots=True)
class Slots:
    """The tensors, shapes and indices of an input, members of a family one by one, with the meaning of the rest."""

    variables: list[Variable]
    slots: list[Variable]
    numbers: dict[str, Any]
    conditions: list[Condition]
    alphabet: Callable[[Variable], tuple[Any, ...]]
    read: set[str]
    allowance: Allowance
    few: bool = False
    """Whether a few values of all elements stand for all of them."""
    _misfits: int = 0
    _facts: Facts = field(default_factory=dict)
    _checks: dict[tuple[Phase, int], list[Condition]] = field(default_factory=dict)
    """The conditions that can be evaluated as soon as a phase is through for a slot, and not before."""
    _alone: set[int] = field(default_factory=set)
    """The slots of variables that have nothing to do with the others, and can be scalars: larger ones are no smaller
    input."""

    def __post_init__(self) -> None:
        self._facts = self._known_at_first()
        self._checks = self._schedule()
        for n, variable in enumerate(self.slots):
            if variable.count is None and self._may_be_scalar(variable):
                self._alone.add(n)

    def _known_at_first(self) -> Facts:
        """The meaning of the numbers, of families without members, and of things that are left out."""
        slotted = {v.name for v in self.slots}
        numbers = [v for v in self.variables if v.name in self.numbers]
        facts = interpretation(numbers, self.numbers)
        for variable in self.variables:
            if variable.name not in self.numbers and variable.name not in slotted:
                nothing = interpretation([variable], {variable.name: _value(variable, [])})
                facts = _with(facts, nothing)
        # `list of shape` has a length that no number gives: it is that of the slots it was given.
        lengths = Counter(variable.name for variable in self.slots)
        for variable in self.slots:
            if has_own_length(variable):
                facts = _with(facts, {length_of(variable.name): lengths[variable.name]})
        return facts

    def _schedule(self) -> dict[tuple[Phase, int], list[Condition]]:
        """Give each condition the first step after which all its symbols mean something.

        `X.rank = 2` is evaluated when the rank of X is chosen: no size is tried for any other rank. A condition that
        the numbers alone decide is not evaluated here: the search has dropped the numbers that break it.
        """
        checks: dict[tuple[Phase, int], list[Condition]] = {}
        known = set(self._facts)
        left = [c for c in self.conditions if not c.symbols <= known]
        for phase in Phase:
            for n, variable in enumerate(self.slots):
                if self._ends_variable(n):
                    known |= _symbols(variable, phase)
                    checks[phase, n] = [c for c in left if c.symbols <= known]
                    left = [c for c in left if not c.symbols <= known]
        if self.slots:
            # A condition on a symbol of nothing declared has no value: evaluated at the end, it rejects everything.
            checks[Phase.ELEMENT, len(self.slots) - 1] += left
        return checks

    def _may_be_scalar(self, variable: Variable) -> bool:
        """Return whether every condition on a variable speaks of its rank and sizes alone, and a scalar meets it.

        Then a larger one changes no other condition, so none of the smallest inputs has it: of `Y` that is never read,
        only rank 0 is tried.
        """
        own = _symbols(variable, Phase.ELEMENT) | _symbols(variable, Phase.RANK)
        # A condition that speaks of another variable too may need a larger one: X.shape = Y.shape.
        about = [c for c in self.conditions if c.symbols & own]
        of_its_shape = own - {variable.symbol("read"), *(variable.symbol(fact) for fact in variable.facts)}
        decided = of_its_shape | self._facts.keys()
        if not all(c.symbols <= decided for c in about):
            return False
        scalar = interpretation([variable], {variable.name: self._blank(variable, ())})
        return meets(about, _with(self._facts, scalar))

    def _ends_variable(self, n: int) -> bool:
        """Return whether a slot is the last one of its variable: a family has one for each member, side by side."""
        return n + 1 == len(self.slots) or self.slots[n + 1] is not self.slots[n]

    def _value_at(self, n: int, values: Sequence[Concrete]) -> Concrete:
        """The value of the variable that ends with slot n."""
        first = n
        while first and self.slots[first - 1] is self.slots[n]:
            first -= 1
        return _value(self.slots[n], list(values[first : n + 1]))

    def _extended(self, facts: Facts, n: int, values: Sequence[Concrete]) -> Facts:
        """The meanings with those of the variable that ends with slot n."""
        variable = self.slots[n]
        return _with(facts, interpretation([variable], {variable.name: self._value_at(n, values)}))

    def _passes(self, phase: Phase, n: int, facts: Facts) -> bool:
        if meets(self._checks.get((phase, n), []), facts):
            return True
        self._misfits += 1
        if not self.few or self._misfits % MISFITS == 0:
            self.allowance.left -= 1
        return False

    # -------------------------------------------------------------------------------------------------------- shapes

    def shapes(self, ranks: int, dims: int, least: int = 0) -> Iterator[tuple[list[Shape], Facts]]:
        """All shapes with that sum of ranks and that sum of dims, no size below the `least`, in lexicographic order.

        `ranks` is at most MAX_RANK for each slot, and `dims` is 0 where `ranks` is: there are no sizes to add up then.
        """
        # Ranks of all inputs first, then sizes: conditions such as rank(X) = rank(Y) cut whole branches.
        for split in self._splits([], ranks):
            yield from self._sizes(split, [], dims, _with(self._facts, self._ranks(split)), least)

    def _splits(self, split: list[int], left: int) -> Iterator[list[int]]:
        """All ways to go on with a choice of ranks, `left` for the slots that have none yet."""
        n = len(split)
        if n == len(self.slots):
            yield split
            return
        most = 0 if n in self._alone else MAX_RANK
        # The slots that follow cannot take more than MAX_RANK each: less than this here is never made up for.
        least = max(0, left - MAX_RANK * (len(self.slots) - n - 1))
        for rank in range(least, min(left, most) + 1):
            chosen = [*split, rank]
            asked = self._checks.get((Phase.RANK, n))
            if asked and not self._passes(Phase.RANK, n, _with(self._facts, self._ranks(chosen))):
                continue
            yield from self._splits(chosen, left - rank)
            if self.allowance.spent:
                return

    def _ranks(self, split: list[int]) -> Facts:
        """The meaning of the ranks that are chosen. Those of a family wait for its shapes."""
        return {v.symbol("rank"): rank for v, rank in zip(self.slots, split, strict=False) if v.count is None}

    def _sizes(
        self, split: list[int], made: list[Shape], left: int, facts: Facts, least: int
    ) -> Iterator[tuple[list[Shape], Facts]]:
        """All ways to go on with a choice of shapes, `left` for the sizes that are not chosen yet."""
        n = len(made)
        if n == len(self.slots):
            yield made, facts
            return
        last = not any(split[n + 1 :])
        # The axes that follow take as much as they have to.
        most = left - least * (sum(split[n:]) - 1)
        for sizes in product(range(least, most + 1), repeat=split[n]):
            total = sum(sizes)
            # No slot that follows has an axis: what is not used up here would be left over.
            if total > left or (last and total != left):
                continue
            chosen = [*made, sizes]
            known = facts
            if self._ends_variable(n):
                blank = [self._blank(v, shape) for v, shape in zip(self.slots, chosen, strict=False)]
                known = self._extended(facts, n, blank)
                if not self._passes(Phase.SHAPE, n, known):
                    continue
            yield from self._sizes(split, chosen, left - total, known, least)
            if self.allowance.spent:
                return

    def _blank(self, variable: Variable, shape: Shape) -> Concrete:
        """A value of a shape before elements are chosen: the conditions that are evaluated on it read none."""
        if variable.kind is not VariableKind.TENSOR:
            return shape
        return ConcreteTensor(variable.sort, shape, (self.alphabet(variable)[0],) * numel(shape))

    def known_of(self, shapes: list[Shape]) -> Facts | None:
        """The meanings once the slots have these shapes; None where they break a condition."""
        facts = _with(self._facts, self._ranks([len(shape) for shape in shapes]))
        for n in range(len(self.slots)):
            if self._ends_variable(n):
                blank = [self._blank(v, shape) for v, shape in zip(self.slots, shapes[: n + 1], strict=False)]
                facts = self._extended(facts, n, blank)
                if not self._passes(Phase.SHAPE, n, facts):
                    return None
        return facts

    # ------------------------------------------------------------------------------------------------------ elements

    def elements(
        self, shapes: list[Shape], lacking: frozenset[tuple[int, str]], facts: Facts
    ) -> Iterator[dict[str, Concrete]]:
        """The input with these shapes, for all elements that the conditions admit, in lexicographic order."""
        if not self._some_may_fit(shapes, facts):
            self.allowance.left -= 1
            return
        tried = 0

        def fill(made: list[Concrete], facts: Facts, way: int | None) -> Iterator[dict[str, Concrete]]:
            nonlocal tried
            n = len(made)
            if n == len(self.slots):
                yield self._assignment(made)
                return
            lacks = frozenset(fact for slot, fact in lacking if slot == n)
            for value in self._values(n, shapes[n], lacks, way):
                tried += 1
                # Five elements of a float type can be filled in 32,768 ways: the next shape is worth more.
                if tried > MAX_FILLINGS:
                    self.allowance.complete = False
                    return
                chosen = [*made, value]
                known = facts
                if self._ends_variable(n):
                    known = self._extended(facts, n, chosen)
                    if not self._passes(Phase.ELEMENT, n, known):
                        continue
                yield from fill(chosen, known, way)
                if self.allowance.spent:
                    return

        for way in range(_FEW) if self.few else (None,):
            yield from fill([], facts, way)

    def _some_may_fit(self, shapes: list[Shape], facts: Facts) -> bool:
        """Return False where a condition fails whatever the elements are: where shapes leave no element of an output,
        one that wants some."""
        varied = [v for v, shape in zip(self.slots, shapes, strict=True) if v.name in self.read and numel(shape)]
        if not varied:
            return True
        known = _with(facts, {v.symbol("read"): _refused for v in varied})
        # Which facts fail is chosen with the elements: before that, all seem to be true.
        chosen = {v.symbol(fact) for v in self.slots for fact in v.facts}
        for (phase, _), conditions in self._checks.items():
            decided = [c for c in conditions if not c.symbols & chosen]
            if phase is Phase.ELEMENT and not all(_may_hold(condition, known) for condition in decided):
                return False
        return True

    def _values(self, n: int, shape: Shape, lacks: frozenset[str], way: int | None) -> Iterator[Concrete]:
        """The values of one slot in one shape; of a tensor that no condition reads, one. With a `way` the one of that
        number: first all elements alike, then mixed."""
        variable, count = self.slots[n], numel(shape)
        if variable.kind is not VariableKind.TENSOR:
            yield shape
            return
        values = self.alphabet(variable)
        if variable.name not in self.read:
            yield ConcreteTensor(variable.sort, shape, (values[0],) * count, lacks)
        elif way is None:
            for elements in product(values, repeat=count):
                yield ConcreteTensor(variable.sort, shape, elements, lacks)
        else:
            step = max(0, way + 1 - len(values))
            mixed = tuple(values[(way + step * (place + n)) % len(values)] for place in range(count))
            yield ConcreteTensor(variable.sort, shape, mixed, lacks)

    def _assignment(self, made: list[Concrete]) -> dict[str, Concrete]:
        assignment: dict[str, Concrete] = dict(self.numbers)
        # Every variable has a value, also one that is left out: examples list them all.
        for n, variable in enumerate(self.slots):
            if self._ends_variable(n):
                assignment[variable.name] = self._value_at(n, made)
        for variable in self.variables:
            if variable.name not in assignment:
                assignment[variable.name] = _value(variable, [])
        return assignment


class _ElementRead(Exception):  # noqa: N818 - it is no error
    """A condition reads an element."""


def _refused(*place: object) -> object:
    raise _ElementRead


def _may_hold(condition: Condition, facts: Facts) -> bool:
    """Return whether a condition is true, or reads an element to find out."""
    try:
        return condition.run({}, facts) is True
    except _ElementRead:
        return True
    except (Undefined, KeyError):
        return False


def length_of(name: str) -> Symbol:
    """The symbol of the length of a list that is a number of its own."""
    return Symbol(f"{name}.count", (), INT, Role.COUNT)


def has_own_length(variable: Variable) -> bool:
    """Return whether the length of a list is a number of its own, `axes.count`, which nothing else gives."""
    return variable.count is length_of(variable.name)()


def _with(facts: Facts, more: Mapping[Symbol, object]) -> Facts:
    """The meanings with more of them: what evaluation remembered of those before is forgotten."""
    return without_memory(facts, more)


def _value(variable: Variable, items: list[Concrete]) -> Concrete:
    """The value of a variable whose slots hold these: a family is a tuple, also of one member or none."""
    if variable.count is not None:
        return tuple(items)
    return next(iter(items), LEFT_OUT)


def _symbols(variable: Variable, phase: Phase) -> set[Symbol]:
    """The symbols of a variable that mean something after a phase."""
    if phase is Phase.RANK and variable.count is not None:
        return set()
    if phase is Phase.RANK:
        return {variable.symbol("rank")}
    parts = ["rank", "dim", "given"]
    if variable.kind is VariableKind.INDEX:
        parts.append("")
    if phase is Phase.ELEMENT:
        parts += ["read", *variable.facts]
    return {variable.symbol(part) for part in parts}
