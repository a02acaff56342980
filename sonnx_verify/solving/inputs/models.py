"""Inputs that a solver chooses, where there are too many to try them one after the other.

In: variables, and conditions that an input is wanted for. Out: the smallest such input within some bounds, in the order
of docs/design.md ("Counterexamples"), or None. A convolution needs two tensors of rank 4 whose sizes agree: millions of
inputs come before the first one, and a solver chooses it at once.

A solver is asked for the model with the fewest inputs, among these for the smallest sum of ranks, and so on down the
order: so the answer does not depend on which model a solver happens to find. Elements are tried one after the other.

Not trusted: `found.py` replays whatever comes out, and that a solver has no model shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.kernel.variables import Part, Variable, VariableKind, VariableRole
from sonnx_verify.logic.builders import and_, eq, ite, lt
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.model_reader import read_value, read_values
from sonnx_verify.logic.nodes import FALSE, ONE, TRUE, ZERO, Symbol, Term, integer, literal, make
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import add, scale, sub
from sonnx_verify.logic.smtlib import script, symbol_text
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, IntegerSort
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import subterms
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.filling import has_own_length
from sonnx_verify.solving.inputs.inputs import SHAPED, Found, interpretation, is_element
from sonnx_verify.solving.inputs.missed import chosen_values
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.solving.inputs.unrolled import Bounds, Choice, Unbounded, Unroller
from sonnx_verify.solving.inputs.values import alphabet, constants_of
from sonnx_verify.solving.solvers import Solvers

ROUNDS = (
    Bounds(ranks=4, sizes=4, members=4, numbers=4, span=10),
    Bounds(ranks=5, sizes=6, members=5, numbers=16, span=12),
    Bounds(ranks=4, sizes=80, members=4, numbers=1 << 40, span=8),
    Bounds(ranks=8, sizes=12, members=12, numbers=16, span=16),
)
"""The bounds of each round. Most texts have an input in the first; large sizes and numbers come late, long lists and
many axes last."""
_FILLINGS = 20_000
"""The candidates that elements are tried with once the shapes are chosen."""
_MOST_ELEMENTS = 24
"""The elements that a solver chooses: each costs some questions."""
_LARGEST = 4096
"""The most elements of a tensor that is made."""
_LIMIT = 20_000
"""The most assertions of a question."""

Model = Mapping[Term, Any]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoModel:
    """The end of a search that found nothing: the bounds of the rounds in which a solver says that there is none, and
    what it chose otherwise that is no input."""

    without: tuple[Bounds, ...] = ()
    chosen: tuple[str, ...] = ()
    is_none: bool = False
    """True if there is none within the bounds of the first rounds, which contain nearly all inputs."""


def model_of(
    variables: Sequence[Variable], conditions: Sequence[Term], solvers: Solvers, *, briefly: bool = False
) -> Found | NoModel:
    """An input of a solver's choice, the smallest within the first bounds that have any. Whether it meets the
    conditions is for the caller to see.

    `briefly` stays within the bounds of the first round, and gives up if the question says less than the conditions
    and the first model is no input: most likely there is none, and it would take long to see.
    """
    without: list[Bounds] = []
    chosen: tuple[str, ...] = ()
    for bounds in ROUNDS[:1] if briefly else ROUNDS:
        try:
            chooser = _Chooser(variables, conditions, bounds, solvers)
        except (Unbounded, TooLarge, RecursionError):
            continue
        found = chooser.found(briefly=briefly)
        if found is not None:
            return found
        if chooser.is_none:
            without.append(bounds)
        chosen = chosen or chooser.chosen
    # What a statement makes on the way may go beyond the first bounds where the input is small.
    small = ROUNDS[:1] if briefly else ROUNDS[:2]
    return NoModel(tuple(without), chosen, is_none=all(bounds in without for bounds in small))


def names_large_numbers(variables: Sequence[Variable], conditions: Sequence[Term]) -> bool:
    """Return whether the conditions compare an integer with a number that is beyond the bounds of every round."""
    named = constants_of(variables, conditions)
    integers = [variable.name for variable in variables if variable.kind is VariableKind.INT]
    largest = max(bounds.numbers for bounds in ROUNDS)
    return any(isinstance(n, int) and abs(n) > largest for name in integers for n in named.get(name, ()))


class _Chooser:
    """Asks a solver for inputs that meet some conditions within bounds."""

    def __init__(
        self, variables: Sequence[Variable], conditions: Sequence[Term], bounds: Bounds, solvers: Solvers
    ) -> None:
        self._variables, self._conditions, self._solvers = variables, conditions, solvers
        self._texts = _texts(variables, conditions, bounds)
        self._unroller = Unroller(variables, bounds, self._texts)
        formulas = [self._unroller.true(condition) for condition in conditions]
        # Nothing is left to instantiate: what is added says how machine integers and numbers belong together.
        expansion = Expansion(Effort(0, 0, limit=_LIMIT))
        self._assertions = expansion.run([*self._unroller.typed, *formulas])
        self._spoken = set(subterms(*self._assertions))
        self._choices = list(self._unroller.choices.values())
        self._wanted = [constant for choice in self._choices for constant in _constants(choice)]
        self._last = Status.UNKNOWN
        self._is_smallest = self._unroller.complete
        self.is_none = False
        """True if the solver says that there is no input within the bounds."""
        self.chosen: tuple[str, ...] = ()
        """The shapes and numbers of a model that is no input."""

    def found(self, *, briefly: bool) -> Found | None:
        """The smallest input; None where the solver has none, or none with elements that meet the conditions."""
        measures = [measure for measure in self._measures() if measure is not ZERO]
        model = self._choose([], least=() if briefly else measures)
        if model is None:
            self.is_none = self._last is Status.UNSAT
            return None
        if briefly and not self._unroller.complete and self._filled(*self._skeleton(model)) is None:
            return None
        if briefly:
            model = self._choose([], least=measures) or model
        fixed = [eq(measure, integer(_measured(measure, model))) for measure in measures]
        slots, shapes, numbers = self._skeleton(model)
        for choice in self._choices:
            if choice.variable.kind is VariableKind.ELEMENT and numbers[choice.variable.name] is not LEFT_OUT:
                numbers[choice.variable.name] = self._lone(choice, model, fixed)
        usual = self._filled(slots, shapes, numbers)
        if usual is not None:
            return replace(usual, minimal=self._is_smallest)
        self.chosen = chosen_values(self._variables, slots, shapes, numbers)
        return self._with_elements(slots, shapes, numbers, fixed)

    def _filled(self, slots: list[Variable], shapes: list[Shape], numbers: dict[str, Concrete]) -> Found | None:
        """The first input with these shapes and numbers whose elements meet the conditions."""
        if any(numel(shape) > _LARGEST for shape in shapes):
            return None
        return next(Search(self._variables, self._conditions, _FILLINGS).of_shapes(slots, shapes, numbers), None)

    def _choose(self, more: Sequence[Term], wanted: Sequence[Term] = (), *, least: Sequence[Term] = ()) -> Model | None:
        """The values of all constants, and of those that are wanted, in a model of the conditions and more; None where
        there is none. Each of the numbers `least`, none of which is below 0, has in turn the least value possible."""
        named = [Symbol(f"least#{n}", (), INT)() for n in range(len(least))]  # names that no text can give
        more = [*more, *map(eq, named, least)]
        assertions = [formula for formula in (*self._assertions, *more) if formula is not TRUE]
        if FALSE in assertions:
            self._last = Status.UNSAT
            return None
        constants = [*self._wanted, *wanted]
        spoken = self._spoken.union(subterms(*more))
        names: dict[str, Term] = {}
        for constant in constants:
            if constant in spoken and isinstance(constant.payload, Symbol):
                names[symbol_text(constant.payload)] = constant
        # One solver is enough, since nothing rests on what it says.
        small = tuple(symbol_text(number.payload) for number in named)
        asked = self._solvers.names[:1]
        query = self._solvers.submit(script(assertions), want=tuple(names), names=asked, least=small)
        answer = next(iter(query.result().values()), None)
        if answer is None:
            return None  # There is no solver to ask.
        self._last = answer.status
        if answer.status is not Status.SAT:
            return None
        self._is_smallest = self._is_smallest and answer.least == len(least)
        # A constant that nothing is said of may be anything.
        model: dict[Term, Any] = {constant: _any(constant) for constant in constants}
        try:
            for name, tree in read_values(answer.model):
                if name in names:
                    model[names[name]] = read_value(tree, names[name].sort)
        except ValueError:
            return None  # A value that the evaluator has not, such as a root.
        return model

    # -------------------------------------------------------------------------------------------------------- measures

    def _measures(self) -> Iterator[Term]:
        """The numbers that an input is ordered by, the most important first; none is below 0."""
        shaped = [choice for choice in self._choices if choice.variable.kind in SHAPED]
        lengths = [choice for choice in self._choices if self._is_length(choice.variable)]
        integers = [choice for choice in self._choices if choice.variable.kind is VariableKind.INT]
        numbers = [choice for choice in integers if choice not in lengths]
        members = [(choice, m, _is_there(choice, m)) for choice in shaped for m in range(len(choice.ranks))]
        yield add(
            ZERO,
            *[ite(there, ONE, ZERO) for choice, _, there in members if choice.variable.kind is VariableKind.TENSOR],
        )
        # Lengths before all else, as they are in the enumeration: the last number of a family may be -1.
        yield from (add(choice.items[0], ONE) for choice in lengths)
        yield from (_from_usual(choice) for choice in self._choices if has_own_length(choice.variable))
        sets = [choice for choice in self._choices if choice.variable.kind is VariableKind.SET]
        yield from (ite(choice.given, ONE, ZERO) for choice in shaped)
        yield add(ZERO, *[ite(there, choice.ranks[m], ZERO) for choice, m, there in members])
        yield add(ZERO, *[ite(there, add(ZERO, *choice.sizes[m]), ZERO) for choice, m, there in members])
        yield add(ZERO, *[_distance(choice) for choice in numbers])
        for choice in numbers:
            yield _distance(choice)
            yield from (ite(_is_there(choice, m), _from_zero(item), ZERO) for m, item in enumerate(choice.items))
        yield from (ite(there, choice.ranks[m], ZERO) for choice, m, there in members)
        for choice, m, there in members:
            # From the left, as a person reads a shape: the constants are numbered from the right.
            yield from (ite(there, size, ZERO) for size in reversed(choice.sizes[m]))
        for choice in sets:
            yield add(ZERO, *[ite(item, ONE, ZERO) for item in choice.items])
            yield from (ite(item, ZERO, ONE) for item in choice.items)
        for choice in self._choices:
            if choice.variable.kind is VariableKind.ELEMENT:
                spoken = [(m, item) for m, item in enumerate(choice.items) if item in self._spoken]
                yield from (ite(_is_there(choice, m), self._place(item), ZERO) for m, item in spoken)

    def _is_length(self, variable: Variable) -> bool:
        """Return whether a number says how many members a family has."""
        if variable.kind is not VariableKind.INT or variable.count is not None:
            return False
        counts = [one.count for one in self._variables if one.count is not None]
        counting = {node.payload for node in subterms(*counts)}
        return variable.role is VariableRole.LENGTH or variable.symbol(Part.ITSELF) in counting

    # -------------------------------------------------------------------------------------------------------- elements

    def _lone(self, choice: Choice, model: Model, fixed: list[Term]) -> Concrete:
        """A lone element or text, or a list of them: the first of the usual values that the model can have, or any."""
        made: list[object] = []
        for item in choice.items[: max(0, _measured(choice.count, model))]:
            usual = self._usual(item)
            place = 0
            if item in self._spoken:
                place = _measured(self._place(item), model)
            value = usual[place] if place < len(usual) else self._any_value(item, fixed)
            if value is None:
                value = model[item]
            elif item in self._spoken:
                fixed.append(_is(item, value))
            made.append(value)
        if choice.variable.count is not None:
            return tuple(made)
        return made[0]

    def _usual(self, element: Term) -> tuple[object, ...]:
        """The values that are tried first of an element, or of a text."""
        return tuple(self._texts) if element.sort == STRING else alphabet(element.sort)

    def _place(self, element: Term) -> Term:
        """The place of an element's value among the usual ones; their number if it is none of them."""
        usual = self._usual(element)
        place = integer(len(usual))
        for n, value in reversed(list(enumerate(usual))):
            place = ite(_is(element, value), integer(n), place)
        return place

    def _with_elements(
        self, slots: Sequence[Variable], shapes: Sequence[Shape], numbers: Mapping[str, Concrete], fixed: list[Term]
    ) -> Found | None:
        """The input with elements that the solver chooses: for each in turn the first of the usual values that leaves
        a model, or any value."""
        if any(numel(shape) > _LARGEST for shape in shapes):
            return None
        elements = self._elements(slots, shapes)
        if not elements or sum(len(of_slot) for of_slot in elements.values()) > _MOST_ELEMENTS:
            return None
        made: dict[int, tuple[object, ...]] = {}
        for n, of_slot in elements.items():
            values: list[object] = []
            for element in of_slot:
                value = self._element(element, fixed)
                if value is None:
                    return None
                values.append(value)
                fixed.append(_is(element, value))
            made[n] = tuple(values)
        assignment: dict[str, Concrete] = dict(numbers)
        members: dict[str, list[Concrete]] = {}
        for n, (variable, shape) in enumerate(zip(slots, shapes, strict=True)):
            item: Concrete = shape
            if variable.kind is VariableKind.TENSOR:
                usual = (alphabet(variable.sort)[0],) * numel(shape)
                item = ConcreteTensor(variable.sort, shape, made.get(n, usual))
            members.setdefault(variable.name, []).append(item)
        for variable in self._variables:
            if variable.name not in assignment:
                given = members.get(variable.name, [])
                assignment[variable.name] = tuple(given) if variable.count is not None else next(iter(given), LEFT_OUT)
        return Found(assignment, interpretation(self._variables, assignment), minimal=False)

    def _elements(self, slots: Sequence[Variable], shapes: Sequence[Shape]) -> dict[int, list[Term]]:
        """The elements that the conditions read, of each slot that has any, in row-major order."""
        read = {node.payload for node in subterms(*self._conditions) if node.op is Op.APPLY}
        found: dict[int, list[Term]] = {}
        member: dict[str, int] = {}
        for n, (variable, shape) in enumerate(zip(slots, shapes, strict=True)):
            m = member[variable.name] = member.get(variable.name, -1) + 1
            if variable.kind is VariableKind.TENSOR and variable.symbol(Part.READ) in read:
                choice = self._unroller.choices[variable.name]
                found[n] = [self._unroller.element(choice, m, at) for at in _positions(shape, len(choice.sizes[m]))]
        return found

    def _element(self, element: Term, fixed: Sequence[Term]) -> object | None:
        """The first of the usual values with which there is a model, or any value with which there is one."""
        usual = self._usual(element)
        if element not in self._spoken:
            return usual[0]
        for value in usual:
            if self._has(element, value, fixed):
                return value
        return self._any_value(element, fixed)

    def _any_value(self, element: Term, fixed: Sequence[Term]) -> object | None:
        """A value of an element with which there is a model."""
        # To a solver the integer that an element stands for is a function of it that it knows little of: what is asked
        # for is that integer, since conditions speak of it.
        measured = element
        if isinstance(element.sort, IntegerSort) and _as_integer(element) in self._spoken:
            measured = _as_integer(element)
        named = Symbol("element#", (), measured.sort)()  # a name that no text can give
        model = self._choose([*fixed, eq(named, measured)], [named])
        if model is None:
            return None
        found: object = model[named]
        return found if self._has(element, found, fixed) else None

    def _has(self, element: Term, value: object, fixed: Sequence[Term]) -> bool:
        """Return whether there is a model in which an element has a value of its type."""
        return is_element(element.sort, value) and self._choose([*fixed, _is(element, value)]) is not None

    def _skeleton(self, model: Model) -> tuple[list[Variable], list[Shape], dict[str, Concrete]]:
        """A slot with its shape for each tensor, shape and index of a model, and the values of all else."""
        slots: list[Variable] = []
        shapes: list[Shape] = []
        numbers: dict[str, Concrete] = {}
        for choice in self._choices:
            variable = choice.variable
            given = choice.given is TRUE or model[choice.given]
            count = max(0, _measured(choice.count, model))
            if variable.kind in SHAPED:
                for m in range(count if given else 0):
                    rank = model[choice.ranks[m]]
                    slots.append(variable)
                    shapes.append(tuple(model[size] for size in reversed(choice.sizes[m][:rank])))
            elif not given:
                numbers[variable.name] = LEFT_OUT
            elif variable.kind is VariableKind.SET:
                numbers[variable.name] = frozenset(k for k, item in enumerate(choice.items) if model[item])
            elif variable.count is not None:
                numbers[variable.name] = tuple(model[item] for item in choice.items[:count])
            else:
                numbers[variable.name] = model[choice.items[0]]
        return slots, shapes, numbers


def _texts(variables: Sequence[Variable], conditions: Sequence[Term], bounds: Bounds) -> list[str]:
    """The texts that conditions write out, and others: each text of an input may have to differ from all of them, and
    from those before it."""
    written = [str(node.payload) for node in subterms(*conditions) if node.op is Op.LITERAL and node.sort == STRING]
    others = ["", "a", *(f"t{n}" for n in range(len(written) + bounds.members * len(variables)))]
    free = sum(1 if v.count is None else bounds.members for v in variables if v.sort == STRING)
    return [*dict.fromkeys(written), *[text for text in others if text not in written][: max(free, 2)]]


def _constants(choice: Choice) -> Iterator[Term]:
    """The constants that a solver gives values to."""
    if choice.given is not TRUE:
        yield choice.given
    yield from (node for node in subterms(choice.count) if node.op is Op.APPLY and not node.args)
    yield from choice.ranks
    for sizes in choice.sizes:
        yield from sizes
    yield from choice.items


def _any(constant: Term) -> object:
    """A value of a constant that nothing is said of."""
    if constant.sort == BOOL:
        return False
    if constant.sort == REAL or constant.sort == STRING:
        return alphabet(constant.sort)[0]
    return 0


def _measured(term: Term, model: Model) -> int:
    value: int = evaluate(term, {constant.payload: value for constant, value in model.items()})  # type: ignore[misc]
    return value


def _is_there(choice: Choice, member: int) -> Term:
    return and_(choice.given, lt(integer(member), choice.count))


def _from_zero(number: Term) -> Term:
    """The place of a number in the order 0, 1, -1, 2, -2."""
    return ite(lt(ZERO, number), sub(scale(2, number), ONE), scale(-2, number))


def _from_usual(choice: Choice) -> Term:
    """The place of the length of a list in the order: that of its default, then 0, 1, 2."""
    default = choice.variable.default
    usual = len(default) if isinstance(default, tuple) else 0
    longer = ite(lt(choice.count, integer(usual)), add(choice.count, ONE), choice.count)
    return ite(eq(choice.count, integer(usual)), ZERO, longer)


def _distance(choice: Choice) -> Term:
    """Rank a number or a list by how little has to be written: it is left out, then it is the default, then come
    small values."""
    variable = choice.variable
    made = ZERO
    for m, item in enumerate(choice.items):
        made = add(made, ite(_is_there(choice, m), _from_zero(item), ZERO))
    if variable.default is not None:
        default = variable.default if isinstance(variable.default, tuple) else (variable.default,)
        same = [eq(item, integer(value)) for item, value in zip(choice.items, default, strict=False)]
        if variable.count is not None:
            same.append(eq(choice.count, integer(len(default))))
        made = ite(and_(*same), ZERO, add(made, ONE))
    if choice.given is TRUE:
        return made
    return ite(choice.given, add(ONE, made), ZERO)


def _positions(shape: Shape, axes: int) -> Iterator[list[Term]]:
    """The coordinates of each element from the right, 0 beyond the rank, in row-major order."""
    for place in range(numel(shape)):
        left, coordinates = place, []
        for size in reversed(shape):
            left, coordinate = divmod(left, size)
            coordinates.append(integer(coordinate))
        yield [*coordinates, *[ZERO] * (axes - len(shape))]


def _is(element: Term, value: object) -> Term:
    """The formula that an element has a value, and stands for that integer if it is one."""
    same = eq(element, literal(value, element.sort))
    if isinstance(element.sort, IntegerSort):
        return and_(same, eq(_as_integer(element), literal(value, INT)))
    return same


def _as_integer(element: Term) -> Term:
    return make(Op.TO_INT, (element,), INT)
