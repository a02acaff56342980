"""Plans: the work on arrays of some types and shapes, with some attributes; made once, run many times.

A plan is made as if the elements were not known. If making it needs those of an input, as the shape of a reduction
needs `axes`, it is made again with these known, and holds for these elements alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from sonnx_verify.arrays.evaluator.blocks import Block, Frame
from sonnx_verify.arrays.evaluator.known import DTYPES, ArrayTensor
from sonnx_verify.arrays.evaluator.loops import Argument, Loop, NeedsElements, NoProgram
from sonnx_verify.arrays.evaluator.narrow import are_small, bounds_said, narrowed
from sonnx_verify.arrays.evaluator.output import OBJECT, Output, Write, nothing, writer
from sonnx_verify.arrays.evaluator.program import Compiler
from sonnx_verify.arrays.evaluator.specialise import Specialiser
from sonnx_verify.arrays.evaluator.sums import tree_of
from sonnx_verify.arrays.partial.intervals import Interval
from sonnx_verify.arrays.partial.walk import Coordinates, Environment, Open
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, Sort
from sonnx_verify.logic.terms import ZERO, Symbol, Term, integer, is_literal, not_, placeholder
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.inputs import has_length, interpretation
from sonnx_verify.solving.inputs.replay import MOST_MEMBERS, miscounted

AtIndex = Callable[[Term, Environment, Sequence[Term]], Term]
"""A specialised term for an index: from the index, what it means, and its coordinates from the left."""


class Rejected(Exception):
    """The input has no result, or not one that is determined: some clause says so."""


@dataclass(slots=True)
class Plan:
    """Conditions on the elements, each with the truth value that it has to have, and the outputs."""

    conditions: list[tuple[bool, Callable[[Sequence[Any]], bool]]] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    several: bool = False
    """True if there may be several outputs, also where there is one: of a family."""

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """The outputs, in the order of their declarations. Raises Rejected."""
        for wanted, condition in self.conditions:
            if condition(arrays) is not wanted:
                raise Rejected
        return [output.run(arrays) for output in self.outputs]


def arrays_of(assignment: Assignment) -> dict[Argument, Any]:
    """The arrays of an assignment, each member of a family by itself."""
    found: dict[Argument, Any] = {}
    for name, value in assignment.items():
        if isinstance(value, ArrayTensor):
            found[Argument(name)] = value.array
        elif isinstance(value, tuple):
            for member, item in enumerate(value):
                if isinstance(item, ArrayTensor):
                    found[Argument(name, member)] = item.array
    return found


def make_plan(meaning: Meaning, assignment: Assignment) -> tuple[Plan, frozenset[str]]:
    """The plan for input like this one, and the inputs whose elements it rests on. Raises Rejected, Undefined,
    Open, NoProgram."""
    control: set[str] = set()
    while True:
        try:
            return Maker(meaning, assignment, control).plan(), frozenset(control)
        except NeedsElements as needed:
            # The elements of a control input are known, so each round adds another input: the loop ends.
            control.add(needed.name)


class Maker:
    """Makes plans, and programs for what else is asked of an output."""

    def __init__(self, meaning: Meaning, assignment: Assignment, control: set[str]) -> None:
        self.meaning, self.assignment, self.control = meaning, assignment, control
        facts = interpretation(meaning.given, assignment)
        if not all(has_length(v, assignment[v.name], facts) for v in meaning.given):
            raise Rejected
        self.special = Specialiser(meaning.given, assignment, facts, control)
        arrays = arrays_of(assignment)
        shapes = {argument: tuple(array.shape) for argument, array in arrays.items()}
        self.bounds: dict[Argument, Interval] = {}
        """The bounds of all elements of an input that the conditions of the plan say."""
        self.compiler = Compiler(self.special.nodes, {argument: n for n, argument in enumerate(arrays)}, shapes)

    def plan(self) -> Plan:
        """The conditions that are not decided yet, and the outputs."""
        meaning, plan = self.meaning, Plan()
        clauses = [*meaning.restrictions, *meaning.constraints]
        wanted = [*meaning.arity, *(c.term for c in clauses if c.term is not None)]
        excluded = [e.term for e in meaning.errors if e.term is not None]
        excluded += [meaning.unspecified_outcome, meaning.unspecified_shape]
        # Before the outputs: where a condition fails, the shape or value of an output need not be defined.
        for condition in wanted:
            self._condition(plan, condition, truth=True)
        for condition in excluded:
            self._condition(plan, condition, truth=False)
        self._spread()
        plan.several = meaning.several_outputs
        for variable in self.meaning.outputs:
            plan.outputs.append(self._output(variable.name))
        return plan

    def _spread(self) -> None:
        """Put each member of a family of outputs in its place. Raises Undefined for a number that is none."""
        counts = {}
        for name, family in self.meaning.families.items():
            if family.count is None:
                raise Undefined(f"no clause gives the count of `{name}`")
            # It has to be a number: where it depends on the elements of an input, NeedsElements makes these known.
            counts[name] = self.special.number(family.count)
            if not 0 < counts[name] <= MOST_MEMBERS:
                raise Undefined(miscounted(name, counts[name]))
        self.meaning = self.meaning.spread(counts)

    def _condition(self, plan: Plan, term: Term, *, truth: bool) -> None:
        """Add a condition to the plan, if shapes and attributes do not decide it. Raises Rejected if they refute it."""
        try:
            found = self.special(term)
            for argument, (low, high) in bounds_said(self.compiler, found if truth else not_(found)):
                # Other conditions may say more. They all hold before an output is computed.
                first, second = self.bounds.get(argument, (None, None))
                self.bounds[argument] = (first if low is None else low, second if high is None else high)
            if not is_literal(found):
                plan.conditions.append((truth, self.truth(found)))
            elif found.payload is not truth:
                raise Rejected
        except (Open, NoProgram):
            plan.conditions.append((truth, self._by_reference(term)))

    def truth(self, term: Term) -> Callable[[Sequence[Any]], bool]:
        """The value of a specialised condition on arrays."""
        # A program needs a loop: this one has one place.
        loops = (Loop(ZERO, 1, 0),)
        program = self.compiler.program(term, loops)
        block = Block(loops, [(0, 1)])
        return lambda arrays: bool(program.run(Frame(arrays, block)).any())

    def _by_reference(self, term: Term) -> Callable[[Sequence[Any]], bool]:
        """The value of a condition, by the reference evaluator: slow, and right for everything that has no program."""
        arguments, variables = list(self.compiler.places), self.meaning.given
        rest = {name: value for name, value in self.assignment.items() if not _is_made_of_arrays(value)}

        def value(arrays: Sequence[Any]) -> bool:
            given = with_arrays(rest, dict(zip(arguments, arrays, strict=True)))
            return evaluate(term, interpretation(variables, given)) is True

        return value

    # ---------------------------------------------------------------------------------------------------------- outputs

    def shape(self, name: str) -> tuple[int, ...]:
        """The sizes of an output from the left."""
        # Sizes have to be numbers: where one depends on the elements of an input, NeedsElements makes these known.
        shape = self.meaning.shapes[name]
        axis = placeholder(ZERO.sort)
        size, rank = shape.dim(axis), self.special.number(shape.rank)
        return tuple(self.special.number(size, {number_of(axis): integer(q)}) for q in reversed(range(rank)))

    def _output(self, name: str) -> Output:
        meaning = self.meaning
        if name not in meaning.shapes or name not in meaning.values:
            raise Undefined(f"no clause gives the shape and value of `{name}`")
        sort = next(v.sort for v in meaning.outputs if v.name == name)

        def value(at: Term, env: Environment, coordinates: Sequence[Term]) -> Term:
            tree = self._tree(name, at, env)
            if tree is not None:
                return tree
            return self.special(meaning.values[name](at), env)

        return self.computed(name, sort, value)

    def computed(self, name: str, sort: Sort, value: AtIndex) -> Output:
        """Return the computation of a value, of a sort, at every index of an output."""
        sizes, dtype = self.shape(name), DTYPES.get(sort, OBJECT)
        # At no index nothing has to be defined: the greatest of an empty axis is asked for nowhere.
        if 0 in sizes:
            return Output(sizes, sizes, dtype, nothing, self._like())
        loops, position = self.over(sizes)
        index = placeholder(INDEX)
        made = value(index, {number_of(index): position}, position[::-1])
        return Output(sizes, tuple(loop.size for loop in loops), dtype, self._writer(made, loops), self._like())

    def _writer(self, term: Term, loops: tuple[Loop, ...]) -> Write:
        narrow, places = narrowed(self.compiler, term, self.bounds)
        quick = writer(self.compiler, narrow, loops)
        if not places:
            return quick
        # Large elements are rare: their program is made when the first one comes.
        whole = cache(partial(writer, self.compiler, term, loops))

        def write(made: Any, arrays: Sequence[Any]) -> None:
            (quick if are_small(arrays, places) else whole())(made, arrays)

        return write

    def _like(self) -> int | None:
        """The place of the array that outputs are made like: the first whose elements no plan rests on. Those of the
        others are read outright, so they are numpy's own even where the rest are stand-ins."""
        places = self.compiler.places
        free = [place for argument, place in places.items() if argument.name not in self.control]
        return next(iter([*free, *places.values()]), None)

    def over(self, sizes: Sequence[int]) -> tuple[tuple[Loop, ...], Coordinates]:
        """Loops over the axes of a shape that are longer than 1, and an index of it."""
        loop = self.special.nodes.loop
        loops: list[Loop] = []
        position: list[Term] = [ZERO] * len(sizes)
        for axis, size in enumerate(sizes):
            if size > 1:
                loops.append(loop(0, axis, size))
                position[axis] = loops[-1].variable
        # An array of one element has one loop, of size 1, that no coordinate runs along.
        return tuple(loops) or (loop(0, 0, 1),), Coordinates(reversed(position))

    def _tree(self, name: str, at: Term, env: Environment) -> Term | None:
        """The sum by rounded additions that an output is, where its set of results is that of such a sum."""
        if name not in self.meaning.members:
            return None
        sort = next(v.sort for v in self.meaning.outputs if v.name == name)
        unknown, candidate = placeholder(sort), Symbol("candidate", (), sort)()
        try:
            member = self.special(self.meaning.members[name](at, unknown), {**env, number_of(unknown): candidate})
        except (Undefined, Open):
            return None
        return tree_of(self.special.nodes, member, candidate)


def _is_family(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, ArrayTensor) for item in value)


def _is_made_of_arrays(value: Any) -> bool:
    return isinstance(value, ArrayTensor) or _is_family(value)


def with_arrays(rest: Mapping[str, Any], arrays: Mapping[Argument, Any]) -> dict[str, Any]:
    """The assignment of some arrays, those of a family in the order of its members, and of the rest."""
    made: dict[str, Any] = dict(rest)
    for argument, array in arrays.items():
        tensor = ArrayTensor.of(array)
        if argument.member is None:
            made[argument.name] = tensor
        else:
            made[argument.name] = (*made.get(argument.name, ()), tensor)
    return made
