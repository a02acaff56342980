"""Shapes and elements of some inputs, one input after the other: what fails for the first ones is not continued."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term, without_memory
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.terms import Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.inputs import interpretation

MAX_RANK = 3
MAX_FILLINGS = 2500
Shape = tuple[int, ...]
Facts = dict[Symbol, object]


@dataclass(slots=True)
class Condition:
    """A condition, and the symbols that it is about."""

    run: Callable[..., object]
    symbols: frozenset[Symbol]

    @classmethod
    def of(cls, term: Term) -> Condition:
        symbols = {n.payload for n in subterms(term) if n.op == ops.APPLY}
        return cls(compile_term(term), frozenset(s for s in symbols if isinstance(s, Symbol)))


def meets(conditions: Sequence[Condition], facts: Facts) -> bool:
    """Whether all conditions are true; one that has no value is not."""
    try:
        for condition in conditions:
            if condition.run({}, facts) is not True:
                return False
    except (Undefined, KeyError):
        return False
    return True


@dataclass(slots=True)
class Slots:
    """The tensors, shapes and indices of an input, members of a family one by one, with what is known of the rest.

    `budget` counts down what is looked at; `complete` says whether nothing was left out.
    """

    variables: list[Variable]
    slots: list[Variable]
    numbers: dict[str, Any]
    conditions: list[Condition]
    alphabet: Callable[[Variable], tuple[Any, ...]]
    read: set[str]
    budget: int
    complete: bool = True
    _facts: Facts = field(default_factory=dict)
    _checks: dict[tuple[str, int], list[Condition]] = field(default_factory=dict)
    _alone: set[int] = field(default_factory=set)
    """The slots of what has nothing to do with the others, and can be a scalar: larger ones are no smaller input."""

    def __post_init__(self) -> None:
        plain = [v for v in self.variables if v.name in self.numbers]
        self._facts = interpretation(plain, self.numbers)
        named = {v.name for v in self.slots}
        for variable in self.variables:
            # A family of none, and what is left out, are known from the start.
            if variable.name not in self.numbers and variable.name not in named:
                self._facts = _with(self._facts, interpretation([variable], {variable.name: _alone(variable, [])}))
        known = set(self._facts)
        left = [c for c in self.conditions if not c.symbols <= known]
        for phase in ("rank", "shape", "element"):
            for n, variable in enumerate(self.slots):
                if self._last(n):
                    known |= _symbols(variable, phase)
                    self._checks[phase, n] = [c for c in left if c.symbols <= known]
                    left = [c for c in left if not c.symbols <= known]
        if left and self.slots:
            # What is about a symbol of nothing declared is never true.
            self._checks["element", len(self.slots) - 1] += left

        self._alone = {n for n, v in enumerate(self.slots) if v.count is None and self._may_be_scalar(v)}

    def _may_be_scalar(self, variable: Variable) -> bool:
        own = _symbols(variable, "element") | _symbols(variable, "rank")
        about = [c for c in self.conditions if c.symbols & own]
        if any(c.symbols - own - self._facts.keys() for c in about):
            return False
        scalar = interpretation([variable], {variable.name: self._blank(variable, ())})
        shapes = own - {variable.symbol("read"), *(variable.symbol(fact) for fact in variable.facts)}
        ready = [c for c in about if c.symbols <= shapes | self._facts.keys()]
        return len(ready) == len(about) and meets(ready, _with(self._facts, scalar))

    def _last(self, n: int) -> bool:
        return n + 1 == len(self.slots) or self.slots[n + 1] is not self.slots[n]

    def _members(self, n: int, values: Sequence[Concrete]) -> Concrete:
        """The value of the variable that ends with slot n."""
        first = n
        while first and self.slots[first - 1] is self.slots[n]:
            first -= 1
        return _alone(self.slots[n], list(values[first : n + 1]))

    def _passes(self, phase: str, n: int, facts: Facts) -> bool:
        conditions = self._checks.get((phase, n), [])
        if meets(conditions, facts):
            return True
        self.budget -= 1
        return False

    # -------------------------------------------------------------------------------------------------------- shapes

    def shapes(self, ranks: int, dims: int) -> Iterator[tuple[list[Shape], Facts]]:
        """All shapes with that sum of ranks and that sum of dims, in lexicographic order."""
        for split in self._splits([], ranks):
            yield from self._sizes(split, [], dims, _with(self._facts, self._ranks(split)))

    def _splits(self, split: list[int], left: int) -> Iterator[list[int]]:
        n = len(split)
        if n == len(self.slots):
            if not left:
                yield split
            return
        for rank in range(min(left, MAX_RANK if n not in self._alone else 0) + 1):
            if left - rank > MAX_RANK * (len(self.slots) - n - 1):
                continue
            chosen = [*split, rank]
            asked = self._last(n) and self._checks["rank", n]
            if asked and not self._passes("rank", n, _with(self._facts, self._ranks(chosen))):
                continue
            yield from self._splits(chosen, left - rank)
            if self.budget <= 0:
                return

    def _ranks(self, split: list[int]) -> Facts:
        return {v.symbol("rank"): r for v, r in zip(self.slots, split, strict=False) if v.count is None}

    def _sizes(
        self, split: list[int], made: list[Shape], left: int, facts: Facts
    ) -> Iterator[tuple[list[Shape], Facts]]:
        n = len(made)
        if n == len(self.slots):
            if not left:
                yield made, facts
            return
        last = not any(split[n + 1 :])
        for sizes in product(range(left + 1), repeat=split[n]):
            total = sum(sizes)
            if total > left or (last and total != left):
                continue
            chosen = [*made, sizes]
            known = facts
            if self._last(n):
                blank = [self._blank(v, shape) for v, shape in zip(self.slots, chosen, strict=False)]
                variable = self.slots[n]
                known = _with(facts, interpretation([variable], {variable.name: self._members(n, blank)}))
                if not self._passes("shape", n, known):
                    continue
            yield from self._sizes(split, chosen, left - total, known)
            if self.budget <= 0:
                return

    def _blank(self, variable: Variable, shape: Shape) -> Concrete:
        if variable.kind != "tensor":
            return shape
        return ConcreteTensor(variable.sort, shape, (self.alphabet(variable)[0],) * numel(shape))

    # ------------------------------------------------------------------------------------------------------ elements

    def elements(
        self, shapes: list[Shape], lacking: frozenset[tuple[int, str]], facts: Facts
    ) -> Iterator[dict[str, Concrete]]:
        """The input with these shapes, for all elements that the conditions admit, in lexicographic order."""
        tried = 0

        def fill(made: list[Concrete], facts: Facts) -> Iterator[dict[str, Concrete]]:
            nonlocal tried
            n = len(made)
            if n == len(self.slots):
                yield self._assignment(made)
                return
            variable, shape = self.slots[n], shapes[n]
            for value in self._values(variable, shape, frozenset(f for place, f in lacking if place == n)):
                tried += 1
                if tried > MAX_FILLINGS:
                    self.complete = False
                    return
                chosen = [*made, value]
                known = facts
                if self._last(n):
                    known = _with(facts, interpretation([variable], {variable.name: self._members(n, chosen)}))
                    if not self._passes("element", n, known):
                        continue
                yield from fill(chosen, known)
                if self.budget <= 0:
                    return

        yield from fill([], facts)

    def _values(self, variable: Variable, shape: Shape, lacks: frozenset[str]) -> Iterator[Concrete]:
        if variable.kind != "tensor":
            yield shape
        elif variable.name not in self.read:
            yield ConcreteTensor(variable.sort, shape, (self.alphabet(variable)[0],) * numel(shape), lacks)
        else:
            for elements in product(self.alphabet(variable), repeat=numel(shape)):
                yield ConcreteTensor(variable.sort, shape, elements, lacks)

    def _assignment(self, made: list[Concrete]) -> dict[str, Concrete]:
        assignment: dict[str, Concrete] = dict(self.numbers)
        for n, variable in enumerate(self.slots):
            if self._last(n):
                assignment[variable.name] = self._members(n, made)
        for variable in self.variables:
            if variable.name not in assignment:
                assignment[variable.name] = _alone(variable, [])
        return assignment


def _with(facts: Facts, more: Mapping[Symbol, object]) -> Facts:
    """What is known with more of it: what evaluation remembered of the facts before is forgotten."""
    return without_memory(facts, more)


def _alone(variable: Variable, items: list[Concrete]) -> Concrete:
    if variable.count is not None:
        return tuple(items)
    return items[0] if items else LEFT_OUT


def _symbols(variable: Variable, phase: str) -> set[Symbol]:
    """What is known of a variable after a phase."""
    if phase == "rank":
        return {variable.symbol("rank")} if variable.count is None else set()
    parts = ["rank", "dim", "given"]
    if variable.kind == "index":
        parts.append("")
    if phase == "element":
        parts += ["read", *variable.facts]
    return {variable.symbol(part) for part in parts}
