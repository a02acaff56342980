"""Plans: what is done on arrays of some types and shapes, with some attributes; made once, run many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.counterexample.inputs import Assignment, ConcreteTensor, interpretation
from sonnx_verify.evaluator.known import ArrayTensor
from sonnx_verify.evaluator.loops import Loop, NeedsElements, NoProgram, NotStatic
from sonnx_verify.evaluator.output import Output, nothing, writer
from sonnx_verify.evaluator.program import Block, Compiler, Frame
from sonnx_verify.evaluator.specialise import Coordinates, Specialiser
from sonnx_verify.evaluator.sums import tree_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import ZERO, Symbol, Term, integer, is_literal, placeholder


class Rejected(Exception):
    """The input has no result, or not one that is determined: some clause says so."""


@dataclass(slots=True)
class Plan:
    """Conditions to be met by the elements, and how each output is computed."""

    conditions: list[tuple[bool, Callable[[Sequence[Any]], bool]]] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """The outputs, in the order of their declarations. Raises Rejected."""
        for wanted, condition in self.conditions:
            if condition(arrays) is not wanted:
                raise Rejected
        return [output.run(arrays) for output in self.outputs]


def arrays_of(assignment: Assignment) -> dict[str, Any]:
    """The arrays of an assignment by their names; those of a family are numbered from 0."""
    found: dict[str, Any] = {}
    for name, value in assignment.items():
        if isinstance(value, ArrayTensor):
            found[name] = value.array
        elif isinstance(value, tuple):
            found |= {f"{name}#{n}": item.array for n, item in enumerate(value) if isinstance(item, ArrayTensor)}
    return found


def make_plan(meaning: Meaning, assignment: Assignment) -> tuple[Plan, frozenset[str]]:
    """The plan for input like this one, and the inputs whose elements it rests on. Raises Rejected, Undefined,
    NotStatic, NoProgram."""
    control: set[str] = set()
    while True:
        try:
            return _Maker(meaning, assignment, control).plan(), frozenset(control)
        except NeedsElements as needed:
            name = needed.name.partition("#")[0]
            assert name not in control, name
            control.add(name)


class _Maker:
    def __init__(self, meaning: Meaning, assignment: Assignment, control: set[str]) -> None:
        self.meaning, self.assignment = meaning, assignment
        facts = interpretation(meaning.given, assignment)
        self.special = Specialiser(meaning.given, assignment, facts, control)
        arrays = arrays_of(assignment)
        shapes = {name: tuple(array.shape) for name, array in arrays.items()}
        self.compiler = Compiler(self.special.nodes, {name: n for n, name in enumerate(arrays)}, shapes)

    def plan(self) -> Plan:
        """The conditions that are not decided yet, and the outputs."""
        meaning, plan = self.meaning, Plan()
        clauses = [*meaning.restrictions, *meaning.constraints]
        wanted = [*meaning.arity, *(c.term for c in clauses if c.term is not None)]
        excluded = [e.term for e in meaning.errors if e.term is not None]
        excluded += [meaning.unspecified_outcome, meaning.unspecified_shape]
        for condition, truth in [*((c, True) for c in wanted), *((c, False) for c in excluded)]:
            self._condition(plan, condition, truth)
        for variable in meaning.outputs:
            plan.outputs.append(self._output(variable.name))
        return plan

    def _condition(self, plan: Plan, term: Term, truth: bool) -> None:
        try:
            found = self.special(term, {})
            if is_literal(found):
                if found.payload is not truth:
                    raise Rejected
                return
            plan.conditions.append((truth, self.truth(found)))
        except (NotStatic, NoProgram):
            plan.conditions.append((truth, self._by_reference(term)))

    def truth(self, term: Term) -> Callable[[Sequence[Any]], bool]:
        """The value of a specialised condition on arrays."""
        loops = (Loop(ZERO, 1),)
        program = self.compiler.program(term, loops)
        block = Block(loops, [(0, 1)])
        return lambda arrays: bool(program.run(Frame(arrays, block)))

    def _by_reference(self, term: Term) -> Callable[[Sequence[Any]], bool]:
        """The value of a condition, by the reference evaluator."""
        names, assignment, variables = list(self.compiler.places), dict(self.assignment), self.meaning.given

        def value(arrays: Sequence[Any]) -> bool:
            given = with_arrays(assignment, dict(zip(names, arrays, strict=True)))
            return evaluate(term, interpretation(variables, given)) is True

        return value

    # ---------------------------------------------------------------------------------------------------------- outputs

    def shape(self, name: str) -> tuple[int, ...]:
        """The sizes of an output from the left."""
        shape = self.meaning.shapes[name]
        axis = placeholder(ZERO.sort)
        size, rank = shape.dim(axis), self.special.number(shape.rank, {})
        return tuple(self.special.number(size, {number_of(axis): q}) for q in reversed(range(rank)))

    def _output(self, name: str) -> Output:
        meaning = self.meaning
        if name not in meaning.shapes or name not in meaning.values:
            raise Undefined(f"no clause gives the shape and value of `{name}`")
        sizes = self.shape(name)
        sort = next(v.sort for v in meaning.outputs if v.name == name)
        if 0 in sizes:
            return Output(sizes, tuple(Loop(ZERO, size) for size in sizes), sort, nothing)
        loops, position = self.over(sizes)
        index = placeholder(INDEX)
        at = Position(index, integer(len(sizes)))
        env = {number_of(index): position}
        value = None
        if name in meaning.members:
            value = self._tree(name, at, env)
        if value is None:
            value = self.special(meaning.values[name](at), env)
        return Output(sizes, loops, sort, writer(self.compiler, value, loops))

    def over(self, sizes: Sequence[int]) -> tuple[tuple[Loop, ...], Coordinates]:
        """Loops over the axes of a shape that are longer than 1, and an index of it."""
        loop = self.special.nodes.loop
        every = {k: loop(f"0.{k}", size) for k, size in enumerate(sizes) if size > 1}
        position = [every[k].variable if k in every else ZERO for k in range(len(sizes))]
        return tuple(every.values()) or (loop("0.none", 1),), Coordinates(reversed(position))

    def _tree(self, name: str, at: Position, env: dict[int, Any]) -> Term | None:
        sort = next(v.sort for v in self.meaning.outputs if v.name == name)
        unknown, candidate = placeholder(sort), Symbol("candidate", (), sort)()
        try:
            member = self.special(self.meaning.members[name](at, unknown), {**env, number_of(unknown): candidate})
        except (Undefined, NotStatic):
            return None
        return tree_of(self.special.nodes, member, candidate)


def with_arrays(assignment: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The assignment with other arrays of the same names, types and shapes."""
    made = dict(assignment)
    for name, value in assignment.items():
        if isinstance(value, ConcreteTensor):
            made[name] = ArrayTensor.of(arrays[name])
        elif isinstance(value, tuple) and value and isinstance(value[0], ConcreteTensor):
            made[name] = tuple(ArrayTensor.of(arrays[f"{name}#{n}"]) for n in range(len(value)))
    return made

