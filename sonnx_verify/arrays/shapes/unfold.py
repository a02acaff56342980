"""Partial evaluation: a closed term on inputs of known ranks, without binders, as a term over sizes and elements.

Ranks are numbers, so what ranges over axes or inputs is written out. What ranges over so many numbers as a size says
stays closed: a condition becomes a truth value of its own, which is only known at run time; anything else has no form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from sonnx_verify.arrays.shapes.folding import Comparisons, chosen, quotient
from sonnx_verify.arrays.shapes.given import CONDITION, Look, SymbolicTensor, is_settled, nothing
from sonnx_verify.arrays.shapes.intervals import Interval, interval
from sonnx_verify.arrays.shapes.opened import Open
from sonnx_verify.arrays.shapes.unfold_folds import folded
from sonnx_verify.errors import UsageError
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, IntegerSort
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    at,
    eq,
    index,
    integer,
    is_literal,
    literal,
    not_,
    or_,
    substitute,
)

LONGEST = 64
"""A range, or a shape, of more members is not written out."""
_MOST_STEPS = 200_000


class Unfolder:
    """Unfolds terms by what their symbols mean.

    `bounds` tells between which numbers each symbol of a result lies: the sizes that are told, and the elements that
    are met. `unseen` are the conditions that are only known at run time and have no form.
    """

    def __init__(self, facts: Mapping[Symbol, Look], bounds: dict[str, Interval]) -> None:
        self.facts, self.bounds = facts, bounds
        self.compared = Comparisons(bounds)
        self.elements: set[Term] = set()
        self.unseen: dict[Term, Term] = {}
        self._memo: dict[Term, Term] = {}
        self._steps = 0

    def __call__(self, term: Term) -> Term:
        """The term written out. Raises Open, and UsageError for what is too large."""
        if is_literal(term):
            return term
        found = self._memo.get(term)
        if found is None:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise UsageError("too much to write out", cure="give fewer inputs, or of smaller ranks")
            found = self._memo[term] = self._unfolded(term)
        return found

    def condition(self, term: Term) -> Term:
        """A condition written out; where that is not possible, a truth value of its own."""
        try:
            return self(term)
        except Open:
            known = next((s for s, t in self.unseen.items() if t is term), None)
            if known is None:
                known = Symbol(f"{CONDITION}{len(self.unseen) + 1}", (), BOOL)()
                self.unseen[known] = term
            return known

    def at_run_time(self, term: Term) -> bool:
        """Whether a term that is written out speaks of what is known at run time only."""
        seen, stack = set(), [term]
        while stack:
            node = stack.pop()
            if node in self.elements or node in self.unseen:
                return True
            if node not in seen:
                seen.add(node)
                stack.extend(node.args)
        return False

    # ------------------------------------------------------------------------------------------------------ by operator

    def _unfolded(self, term: Term) -> Term:
        match term.op:
            case "and" | "or":
                return self._junction(term)
            case "not":
                return not_(self.condition(term.args[0]))
            case "ite":
                condition = self.condition(term.args[0])
                if is_literal(condition):
                    return self(term.args[1 if condition is TRUE else 2])
                # A branch that cannot be written out is left open where it is a condition.
                branch = self.condition if term.sort == BOOL else self
                return chosen(condition, branch(term.args[1]), branch(term.args[2]))
            case "apply":
                return self._applied(term)
            case "at":
                return self(self._coordinate(term.args[0], self(term.args[1])))
            case "forall":
                return self._forall(term)
            case "forall_index":
                return self._forall_index(term)
            case "fold" | "fold_index" | "recursion":
                return folded(self, term)
            case "index" | "inside" | "variable":
                raise Open(f"{term.op} by itself")
            case _:
                return self._operation(term, tuple(self(a) for a in term.args))

    def _junction(self, term: Term) -> Term:
        """From the left: what stands behind a part that decides is not looked at."""
        join, end = (and_, FALSE) if term.op == "and" else (or_, TRUE)
        parts = []
        for arg in term.args:
            part = self.condition(arg)
            if part is end:
                return end
            parts.append(part)
        return join(*parts)

    def _operation(self, term: Term, args: tuple[Term, ...]) -> Term:
        op, sort = term.op, args[0].sort
        if op in ("=", "<=", "<") and isinstance(sort, IntegerSort):
            numbers = tuple(self._number(a) for a in args)
            return not_(self.compared("<=", *reversed(numbers))) if op == "<" else self.compared(op, *numbers)
        if op in ("=", "<=") and sort == INT:
            return self.compared(op, *args)
        if op in ("div", "mod"):
            return nothing(f"division {term.digest}", INT) if args[1] is ZERO else quotient(op, *args)
        if op == "to_int":
            return self._number(args[0])
        made = rebuild(term, args)
        if not is_literal(made) and all(is_literal(a) for a in args) and made.args:
            try:
                return literal(evaluate(made, {}), made.sort)
            except Undefined:
                return nothing(f"{made.op} {made.digest}", made.sort)
        return made

    def _number(self, element: Term) -> Term:
        """The integer that a machine integer stands for."""
        sort = element.sort
        assert isinstance(sort, IntegerSort)
        if is_literal(element):
            assert isinstance(element.payload, int)
            return integer(element.payload)
        if element.op == "ite":
            return chosen(element.args[0], self._number(element.args[1]), self._number(element.args[2]))
        if element.op == "apply" and not element.args and isinstance(element.payload, Symbol):
            number = Symbol(element.payload.name, (), INT)()
            self.bounds.setdefault(element.payload.name, (sort.lowest, sort.greatest))
            self.elements.add(number)
            return number
        raise Open("arithmetic on elements that are not known")

    # ---------------------------------------------------------------------------------------------------------- symbols

    def _applied(self, term: Term) -> Term:
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        if is_settled(term):
            return term
        look = self.facts.get(symbol)
        if look is None:
            return nothing(f"{symbol.name} {term.digest}", term.sort)
        numbers = [self(a) for a in term.args if a.sort == INT]
        positions = [a for a in term.args if a.sort == INDEX]

        def found(*places: int) -> Term:
            value = look(*places)
            return self._read(value, positions[0]) if isinstance(value, SymbolicTensor) else value

        return self.over(numbers, found)

    def _read(self, tensor: SymbolicTensor, position: Term) -> Term:
        rank = len(tensor.sizes)
        coordinates = [self(self._coordinate(position, integer(rank - 1 - k))) for k in range(rank)]

        def element(*places: int) -> Term:
            made = tensor.element(places)
            if not is_literal(made):
                self.elements.add(made)
            return made

        return self.over(coordinates, element)

    def _coordinate(self, position: Term, axis: Term) -> Term:
        made = at(position, axis)
        if made.op == "at" and not is_literal(made):
            raise Open("an index that is not known")
        return made

    def over(self, numbers: Sequence[Term], found: Callable[..., Term]) -> Term:
        """What is found at some numbers, for each value that they may have."""
        for place, number in enumerate(numbers):
            if is_literal(number):
                continue

            def put(value: Term, place: int = place) -> Term:
                return self.over([*numbers[:place], value, *numbers[place + 1 :]], found)

            if number.op == "ite":
                return chosen(number.args[0], put(number.args[1]), put(number.args[2]))
            values = self.values_of(number)
            made = put(integer(values[-1]))
            for value in reversed(values[:-1]):
                made = chosen(self.compared("=", number, integer(value)), put(integer(value)), made)
            return made
        places = [n.payload for n in numbers]
        return found(*places)

    def values_of(self, number: Term) -> range:
        """The values that an integer may have, by its bounds. Raises Open where they are not few."""
        low, high = interval(number, self.bounds)
        if low is None or high is None or high - low >= LONGEST:
            raise Open("a number that is not known")
        return range(low, high + 1)

    # ------------------------------------------------------------------------------------------------------ quantifiers

    def range_of(self, low: Term, high: Term) -> list[tuple[int, Term]]:
        """The numbers that a range may have in it, each with the condition that it has it."""
        low, high = self(low), self(high)
        (first, _), (_, last) = interval(low, self.bounds), interval(high, self.bounds)
        if first is not None and last is not None and last < first:
            return []
        if first is None or last is None or last - first >= LONGEST:
            raise Open("a range whose ends are not known")
        return [
            (k, and_(self.compared("<=", low, integer(k)), self.compared("<=", integer(k), high)))
            for k in range(first, last + 1)
        ]

    def _forall(self, term: Term) -> Term:
        variable, low, high, body = term.args
        parts = []
        for k, inside in self.range_of(low, high):
            if inside is FALSE:
                continue
            part = or_(not_(inside), self.condition(substitute(body, {variable: integer(k)})))
            if part is FALSE:
                return FALSE
            parts.append(part)
        return and_(*parts)

    def _forall_index(self, term: Term) -> Term:
        variable, rank, axis, sizes, body = term.args
        return and_(*(self.condition(substitute(body, {variable: i})) for i in self.indices(rank, axis, sizes)))

    def indices(self, rank: Term, axis: Term, sizes: Term) -> list[Term]:
        """The indices of a shape of known sizes."""
        axes = self(rank)
        if not isinstance(axes.payload, int) or not is_literal(axes):
            raise Open("a rank that is not known")
        found = [self(substitute(sizes, {axis: integer(k)})) for k in range(axes.payload)]
        if ZERO in found:
            return []
        numbers = [n.payload for n in found if is_literal(n) and isinstance(n.payload, int)]
        if len(numbers) < len(found) or prod(numbers) > LONGEST:
            raise Open("indices of sizes that are not known")
        made: list[tuple[int, ...]] = [()]
        for size in numbers:
            made = [(*position, c) for position in made for c in range(size)]
        return [_index(position) for position in made]


def _index(coordinates: Sequence[int]) -> Term:
    """The index of these coordinates from the right."""

    def coordinate(axis: Term) -> Term:
        made = ZERO
        for k, c in enumerate(coordinates):
            made = chosen(eq(axis, integer(k)), integer(c), made)
        return made

    return index(integer(len(coordinates)), coordinate)
