"""A closed term on inputs of known ranks, as a term over sizes and elements: the form that shapes are read in.

Ranks are numbers, so a binder over axes or inputs is written out. One that ranges up to a size stays closed: as a
condition it becomes a truth value of its own, which is known only at run time; anything else has no form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.arrays.partial.folding import Comparisons, chosen
from sonnx_verify.arrays.partial.intervals import Interval, is_symbol
from sonnx_verify.arrays.partial.walk import Environment, Open, PartialEvaluator
from sonnx_verify.arrays.shapes.given import Look, SymbolicTensor
from sonnx_verify.errors import UsageError
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT, IntegerSort
from sonnx_verify.logic.terms import ZERO, Symbol, Term, integer, is_literal, not_, subterms

# A shape that is worth reading takes some hundred steps; this is a few seconds.
_MOST_STEPS = 200_000


class Unfolder(PartialEvaluator):
    """Unfolds terms by what their symbols mean.

    `bounds` says between which numbers each symbol of a result lies: the sizes that are given, and the elements that
    are met. `unseen` are the conditions that are only known at run time and have no form, as truth values.
    """

    most = 64

    def __init__(self, looks: Mapping[Symbol, Look], bounds: dict[str, Interval]) -> None:
        super().__init__({}, (), bounds)
        self._looks, self._bounds = looks, bounds
        self._comparisons = Comparisons(bounds)
        self._elements: set[Term] = set()
        self._truths: dict[tuple[object, ...], Term] = {}
        self._steps = 0
        self.unseen: set[Term] = set()

    def condition(self, term: Term, env: Environment | None = None) -> Term:
        """A condition written out; where that is not possible, a truth value of its own."""
        env = env or {}
        try:
            return self(term, env)
        except Undefined:
            # Of a condition without a value neither it nor its opposite may be concluded.
            return self.nothing(term, env)
        except Open:
            # The same condition has the same truth value: it and its opposite still contradict each other.
            key = self.key(term, env)
            if key not in self._truths:
                self._truths[key] = Symbol(f"condition {len(self._truths) + 1}", (), BOOL)()
                self.unseen.add(self._truths[key])
            return self._truths[key]

    def at_run_time(self, term: Term) -> bool:
        """A term that is written out depends on something that is known only at run time."""
        return any(node in self._elements or node in self.unseen for node in subterms(term))

    # -------------------------------------------------------------------------------------------------- what differs

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """A choice, in whose branches its condition is known."""
        return chosen(condition, then, otherwise)

    def compared(self, op: Op, a: Term, b: Term) -> Term:
        """A comparison as a condition on what the choices in it are made by."""
        return self._comparisons(op, a, b)

    def operation(self, term: Term, args: tuple[Term, ...]) -> Term:
        """An operator; one on machine integers, which are elements here, on the integers that they stand for."""
        if isinstance(args[0].sort, IntegerSort):
            match term.op:
                case Op.EQUAL | Op.AT_MOST:
                    return self.compared(term.op, *map(self._number_of, args))
                case Op.LESS:
                    low, high = map(self._number_of, args)
                    return not_(self.compared(Op.AT_MOST, high, low))
                case Op.TO_INT:
                    return self._number_of(args[0])
        return super().operation(term, args)

    def _number_of(self, element: Term) -> Term:
        """The integer that a machine integer stands for."""
        sort = element.sort
        assert isinstance(sort, IntegerSort)
        if is_literal(element):
            assert isinstance(element.payload, int)
            return integer(element.payload)
        if element.op == Op.ITE:
            condition, then, otherwise = element.args
            return chosen(condition, self._number_of(then), self._number_of(otherwise))
        if not is_symbol(element):
            # It wraps, which no form here could say.
            raise Open("arithmetic on elements that are not known")
        symbol = element.payload
        assert isinstance(symbol, Symbol)
        # The element and its number have one name and two sorts: to a reader they are the same.
        number = Symbol(symbol.name, (), INT, symbol.role)()
        self._bounds.setdefault(symbol.name, (sort.lowest, sort.greatest))
        self._elements.add(number)
        return number

    def applied(self, term: Term, env: Environment) -> Term:
        """A symbol at numbers; an element of an input."""
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        look = self._looks.get(symbol)
        if look is None:
            raise Undefined(f"undefined symbol `{symbol.name}`")
        numbers = [self(a, env) for a in term.args if a.sort == INT]

        def found(places: Sequence[int]) -> Term:
            value = look(*places)
            if isinstance(value, SymbolicTensor):
                return self._read(value, term, env)
            return value

        return self.over(numbers, found)

    def _read(self, tensor: SymbolicTensor, term: Term, env: Environment) -> Term:
        rank = len(tensor.sizes)
        coordinates = [*self.index(term.args[-1], env), *[ZERO] * rank][:rank]

        def element(places: Sequence[int]) -> Term:
            made = tensor.element(places)
            if not is_literal(made):
                self._elements.add(made)
            return made

        return self.over(coordinates[::-1], element)

    def _walked(self, term: Term, env: Environment) -> Term:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise UsageError("there are too many cases to expand", cure="give fewer inputs, or of smaller ranks")
        return super()._walked(term, env)
