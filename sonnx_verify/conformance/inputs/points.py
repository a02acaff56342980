"""The points that an input exercises: clauses, branches, what is left open, ranks and sizes, special values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

from sonnx_verify.conformance.inputs.array_conditions import ArrayConditions
from sonnx_verify.conformance.inputs.choices import Choices
from sonnx_verify.conformance.inputs.neighbours import neighbours
from sonnx_verify.conformance.inputs.special_values import special_names, special_values
from sonnx_verify.conformance.inputs.trial import family_items
from sonnx_verify.kernel.values import Shape
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning, Statement
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind, Reach
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import FALSE, Term, and_, placeholder, subterms
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.inputs import has_length, interpretation
from sonnx_verify.solving.inputs.replay import on_input

_CHOSEN = (VariableRole.INPUT, VariableRole.ATTRIBUTE)
"""Whose values make a kind. The other roles say what follows from these, or which outputs are asked for."""


def kinds_of(
    meaning: Meaning, structural: Collection[str], is_data: Callable[[Variable], bool], assignment: dict[str, Concrete]
) -> list[str]:
    """The names of the kinds. `structural` are the tensors whose entries clauses speak of."""

    def of_tensor(variable: Variable, tensor: object) -> Iterator[str]:
        assert isinstance(tensor, ConcreteTensor)
        # The entries of a list of axes make it what it is; of data the sizes do.
        if variable.name in structural and len(tensor.shape) == 1:
            return _of_list(variable.name, tensor.elements)
        rank = f"rank {len(tensor.shape)}"
        if not is_data(variable):
            rank = f"{variable.name} of {rank}"
        return _of_shape(rank, tensor.shape)

    found: list[str] = []
    for variable in meaning.given:
        if variable.role not in _CHOSEN:
            continue
        match assignment[variable.name]:
            case value if value is LEFT_OUT:
                found.append(f"{variable.name} left out")
            case tuple() as members if variable.kind is VariableKind.TENSOR:
                found.append(f"{len(members)} of {variable.name}")
                for member in members:
                    found += of_tensor(variable, member)
            case value if variable.kind is VariableKind.TENSOR:
                found += of_tensor(variable, value)
            case tuple() as items:
                found += _of_list(variable.name, items)
            case value:
                found.append(f"{variable.name} = {value}")
    return found


def _of_shape(rank: str, shape: tuple[int, ...]) -> Iterator[str]:
    yield rank
    # 0, 1, 2 and 3: beyond that, sizes are alike to everything but vector code, for which there are `lengths`.
    yield from dict.fromkeys(f"a size {size}" for size in shape if size < 4)
    if 0 in shape:
        yield "empty"


def _of_list(name: str, items: tuple[Any, ...]) -> Iterator[str]:
    yield f"{name} with {len(items)} entries" if items else f"{name} empty"
    # Small numbers one by one, since they may be axes of small tensors; of others only the sign matters.
    for item in dict.fromkeys(items):
        if not isinstance(item, int):
            continue
        if -4 < item < 4:
            yield f"{name} has {item}"
        elif item < 0:
            yield f"{name} has a negative one"
        else:
            yield f"{name} has a large one"
    if len(set(items)) < len(items):
        yield f"{name} has one twice"


Input = dict[str, Concrete]
_OF_CLAUSE = {True: "holds at its boundary", False: "fails at its boundary"}
_OF_ERROR = {True: "applies at its boundary", False: "does not apply at its boundary"}
CLAUSE_POINTS = ("fails", "fails alone", *_OF_CLAUSE.values(), "applies", *_OF_ERROR.values())
"""The endings of the names of points of clauses, behind the tag."""
NOT_DECLARED = "not as declared"
"""The one point of an input of another kind than the text declares, as where a `where` fails."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer of the clauses to an input: whether each holds, or None where it rests on one that fails."""

    declared: bool
    holds: tuple[bool | None, ...]
    broken: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def valid(self) -> bool:
        return self.declared and not self.broken and not self.errors


@dataclass(slots=True)
class _Known:
    """The answers of some clauses to inputs, by the part of an input that they speak of."""

    judged: dict[object, Judged] = field(default_factory=dict)
    near: dict[object, tuple[str, ...]] = field(default_factory=dict)


Memory = dict[object, _Known]
"""The answers that are known, by clauses: those of another type are mostly the same."""


@dataclass(slots=True)
class Points:
    """The points of one section of an operator, for one type of its elements. Those of one operator may share a
    `memory`."""

    project: Project
    unit: Unit
    context: Context
    memory: Memory = field(default_factory=dict)
    meaning: Meaning = field(init=False)
    choices: Choices = field(init=False)
    statements: list[Statement] = field(init=False)
    ways: dict[str, Term] = field(init=False)
    """The statement that no valid input goes a way, for each way of an `if`."""
    impossible: set[str] = field(default_factory=set)
    """The points of which a solver says that no small input meets them; filled by the search for cases."""
    _own: list[bool] = field(init=False)
    _clauses: list[Code] = field(init=False)
    _arity: list[Code] = field(init=False)
    _branches: list[tuple[str, Code]] = field(init=False)
    _open: list[OpenPoint] = field(init=False)
    _open_values: list[OpenPoint] = field(init=False)
    _known: _Known = field(init=False)
    _clauses_on_arrays: ArrayConditions = field(init=False)
    _open_on_arrays: ArrayConditions = field(init=False)

    def __post_init__(self) -> None:
        # A context of its own: elaboration notes the branches in it, and another one's branches are not asked about.
        context = Context(self.context.family, self.context.element, variables=self.context.variables)
        self.meaning = meaning = self.project.meaning(self.unit, context)
        self.choices = Choices.of(meaning)
        stated = (*meaning.restrictions, *meaning.constraints, *meaning.errors)
        self.statements = [s for s in stated if s.term is not None]
        fails = {meaning.first_to_fail(c.tag) for c in meaning.constraints}
        # An error that says no more than that a constraint fails has the boundary of that.
        self._own = [not _is_error(s) or s.term not in fails for s in self.statements]
        self._clauses = [compile_term(s.known) for s in self.statements]
        self._clauses_on_arrays = ArrayConditions(meaning, [s.known for s in self.statements])
        wide = [item.when(None) for item in meaning.left_open if item.reach is not Reach.VALUE]
        self._open_on_arrays = ArrayConditions(meaning, wide)
        self._arity = [compile_term(t) for t in meaning.arity]
        # A definition that is used twice has its branches twice: a way counts if either goes it.
        ways: dict[str, list[Term]] = {}
        for branch in context.branches:
            ways.setdefault(f"the `then` of {branch.span}", []).append(branch.never_then)
            ways.setdefault(f"the `else` of {branch.span}", []).append(branch.never_else)
        self.ways = {name: and_(*never) for name, never in ways.items()}
        self._branches = [(name, compile_term(never)) for name, never in self.ways.items()]
        made = [OpenPoint.of(self.unit, meaning, item) for item in meaning.left_open]
        self._open = [item for item in made if item.place is None]
        self._open_values = [item for item in made if item.place is not None]
        # By all that the answers rest on: equal terms are one, whatever the type.
        said = tuple((s.tag, s.known, own) for s, own in zip(self.statements, self._own, strict=True))
        self._known = self.memory.setdefault((said, tuple(meaning.arity), self.choices.structural), _Known())

    @property
    def clause_names(self) -> list[str]:
        """The points of clauses, in the order of the text."""
        found = []
        for statement, own in zip(self.statements, self._own, strict=True):
            points = ["fails", "fails alone", *_OF_CLAUSE.values()]
            if _is_error(statement):
                points = ["applies"]
                if own:
                    points += _OF_ERROR.values()
            found += [f"{statement.tag} {point}" for point in points]
        return found

    @property
    def of_facts(self) -> list[str]:
        """The clauses that speak of facts of tensors, such as how they are stored: no array and no file of a tensor
        breaks them."""
        variables = {v.name: v for v in self.meaning.given}
        facts = {variables[name].symbol(fact) for name, fact in self.choices.facts}
        return [s.tag for s in self.statements if not facts.isdisjoint(_symbols(s))]

    @property
    def branch_names(self) -> list[str]:
        """The two ways of each `if`."""
        return list(self.ways)

    @property
    def open_points(self) -> list[OpenPoint]:
        """The things that the text leaves open."""
        return [*self._open, *self._open_values]

    @property
    def open_names(self) -> list[str]:
        """The names of what the text leaves open."""
        return [item.name for item in self.open_points]

    @property
    def special_names(self) -> list[str]:
        """Each special value, in each input whose elements vary."""
        # Of a tensor that the operator is applied without no test can have a value.
        found = []
        for variable in self.data:
            if variable.role is not VariableRole.ABSENT:
                found += [f"{text} in {variable.name}" for text in special_values(variable.sort)]
        return found

    # ------------------------------------------------------------------------------------------------------- clauses

    def judge(self, assignment: Input) -> Judged:
        """The answer of declarations and clauses to an input."""
        key = self._structure(assignment)
        known = self._known.judged
        if key not in known:
            known[key] = self._judged(assignment)
        return known[key]

    def _judged(self, assignment: Input) -> Judged:
        facts = interpretation(self.meaning.given, assignment)
        # Clauses are only about inputs that are as declared: of others a clause may have no value.
        counted = all(has_length(v, assignment[v.name], facts) for v in self.meaning.given)
        if not counted or not all(value_of(code, facts) is True for code in self._arity):
            return Judged(declared=False, holds=(), broken=(), errors=())
        holds: tuple[bool | None, ...] | None = None
        if self._clauses_on_arrays.takes(assignment):
            holds = self._clauses_on_arrays.truths(assignment)
        if holds is None:
            holds = tuple(value_of(code, facts) for code in self._clauses)
        broken, errors = [], []
        for statement, held in zip(self.statements, holds, strict=True):
            match _is_error(statement), held:
                case True, True:
                    errors.append(statement.tag)
                case False, False:
                    broken.append(statement.tag)
        return Judged(declared=True, holds=holds, broken=tuple(broken), errors=tuple(errors))

    def met(self, assignment: Input, judged: Judged | None = None) -> tuple[str, ...]:
        """The names of all points that the input meets, but that a clause merely holds."""
        judged = judged or self.judge(assignment)
        if not judged.declared:
            return (NOT_DECLARED,)
        found = [f"{tag} fails" for tag in judged.broken]
        if len(judged.broken) == 1:
            found.append(f"{judged.broken[0]} fails alone")
        found += [f"{tag} applies" for tag in judged.errors]
        found += self.boundaries(assignment, judged)
        # Of an input that is rejected no value is computed: it goes no way, and its elements play no part.
        if judged.valid:
            found += self.branches(assignment)
            found += self.left_open(assignment)
            found += self.special(assignment)
        found += self.kinds(assignment)
        return tuple(dict.fromkeys(found))

    def boundaries(self, assignment: Input, judged: Judged) -> tuple[str, ...]:
        """The clauses at whose boundary the input is: what is next to it differs in that clause, and in no other
        that is no error."""
        # Many inputs differ in elements of data alone, and have the same neighbours as far as clauses go.
        key = self._structure(assignment)
        near = self._known.near
        if key not in near:
            found: dict[str, None] = {}
            for _, beside in self.around(assignment):
                found |= dict.fromkeys(self.crossed(judged, self.judge(beside)))
            near[key] = tuple(found)
        return near[key]

    def around(self, assignment: Input) -> Iterator[tuple[str, Input]]:
        """The inputs next to an input, each with what is changed."""
        yield from neighbours(self.meaning, self.choices.structural, self.choices.facts, assignment)

    def crossed(self, here: Judged, there: Judged) -> list[str]:
        """The one clause that holds on one side alone, as the name of a boundary; the input `here` is on it."""
        if not there.declared or not here.declared:
            return []
        crossed: list[tuple[Statement, bool]] = []
        for statement, own, held, other in zip(self.statements, self._own, here.holds, there.holds, strict=True):
            if own and None not in (held, other) and held is not other:
                crossed.append((statement, held is True))
        # Where two clauses change at once, neither is seen to be the one that decides.
        if len(crossed) != 1:
            return []
        ((statement, holds),) = crossed
        if _is_error(statement):
            return [f"{statement.tag} {_OF_ERROR[holds]}"]
        return [f"{statement.tag} {_OF_CLAUSE[holds]}"]

    def _structure(self, assignment: Input) -> object:
        """The part of an input that clauses and shapes speak of."""

        def of(variable: Variable, value: Concrete) -> object:
            if isinstance(value, tuple):
                return tuple(of(variable, item) for item in value)
            if isinstance(value, ConcreteTensor) and variable.name not in self.choices.structural:
                return (value.shape, value.lacks)
            return value

        return tuple(of(v, assignment[v.name]) for v in self.meaning.given)

    # ------------------------------------------------------------------------------------------- shapes and values

    def branches(self, assignment: Input, among: Collection[str] | None = None) -> list[str]:
        """The ways that each `if`, each choice by cases, goes somewhere in a valid input; `among` some, if they are
        given."""
        facts = interpretation(self.meaning.given, assignment)
        asked = (one for one in self._branches if among is None or one[0] in among)
        return [name for name, never in asked if value_of(never, facts) is False]

    def left_open(self, assignment: Input) -> list[str]:
        """The names of what the text leaves open of a valid input."""
        facts = interpretation(self.meaning.given, assignment)
        found = [item.name for item in self._open if item.when(facts)]
        # Where the outcome or the shape is open, no element is asked about.
        if found:
            return found
        for item in self._open_values:
            sizes = self.sizes(item.output, facts)
            # Without a shape there is no index at which it could be open.
            if sizes is not None and any(item.when(facts, place) for place in indices_of(sizes)):
                found.append(item.name)
        return found

    def decided(self, assignment: Input) -> bool:
        """Return whether the text decides what comes of the input, and of which shape the outputs are."""
        if self._open_on_arrays.takes(assignment):
            found = self._open_on_arrays.truths(assignment)
            if found is not None:
                return not any(found)
        facts = interpretation(self.meaning.given, assignment)
        return not any(item.when(facts) for item in self._open)

    def is_sound(self, assignment: Input) -> bool:
        """Return whether an input is valid, and the text decides what comes of it."""
        return self.judge(assignment).valid and self.decided(assignment)

    def result_sizes(self, assignment: Input, facts: Any) -> list[list[int] | None]:
        """The sizes of each output, from the right; None of one that has no shape."""
        meaning = on_input(self.meaning, assignment)
        return [_sizes(meaning.shapes.get(v.name), facts) for v in meaning.outputs]

    def result_numel(self, assignment: Input) -> int:
        """The number of elements of the largest output; 0 where none has a shape."""
        every = self.result_sizes(assignment, interpretation(self.meaning.given, assignment))
        return max((prod(sizes) for sizes in every if sizes is not None), default=0)

    def sizes(self, output: str, facts: Any) -> list[int] | None:
        """The sizes of an output from the right; None where it has no shape."""
        return _sizes(self.meaning.shapes.get(output), facts)

    def special(self, assignment: Input) -> list[str]:
        """The special values among the elements, with their places in small tensors, and which come before which."""
        return special_names(self.elements(assignment))

    def elements(self, assignment: Input) -> list[tuple[str, str, ConcreteTensor]]:
        """The tensors that values are made of, each with its declared name and its own."""
        found: list[tuple[str, str, ConcreteTensor]] = []
        for variable in self.data:
            value = assignment[variable.name]
            if isinstance(value, ConcreteTensor):
                found.append((variable.name, variable.name, value))
            for n, member in enumerate(family_items(value), variable.base):
                found.append((variable.name, f"{variable.name}{n}", member))
        return found

    @property
    def data(self) -> list[Variable]:
        """The tensors whose elements are data: values are made of them, and no clause speaks of them."""
        return [v for v in self.meaning.given if v.kind is VariableKind.TENSOR and self.is_data(v)]

    @property
    def has_sizes_of_data(self) -> bool:
        """Return whether the shape of an output depends on elements that are data, as the number of steps of Range."""
        reads = {v.symbol("read") for v in self.data}
        sizes = [size for shape in self.meaning.shapes.values() for size in (shape.rank, shape.dim(placeholder(INT)))]
        return any(node.op == ops.APPLY and node.payload in reads for node in subterms(*sizes))

    def is_data(self, variable: Variable) -> bool:
        """Return whether a tensor's elements are of a type that varies, or no clause speaks of them."""
        # The elements of `axes` are no data: as int64 they would be tested for their lowest and greatest values.
        return variable.type_variable or variable.name not in self.choices.structural

    def kinds(self, assignment: Input) -> list[str]:
        """Ranks, sizes, numbers of inputs, what is left out, what attributes are."""
        return kinds_of(self.meaning, self.choices.structural, self.is_data, assignment)


def _is_error(statement: Statement) -> bool:
    return statement.clause.kind is ClauseKind.ERROR


def _symbols(statement: Statement) -> set[object]:
    return {n.payload for n in subterms(statement.known) if n.op == ops.APPLY}


def _sizes(shape: Shape | None, facts: Any) -> list[int] | None:
    if shape is None:
        return None
    rank, axis, size = _compiled(shape)
    # A shape may rest on a condition that the input does not meet.
    try:
        return [size({axis: q}, facts) for q in range(rank({}, facts))]
    except (Undefined, KeyError):
        return None


@lru_cache(256)
def _compiled(shape: Shape) -> tuple[Code, int, Code]:
    """The code of its rank, the number of a variable, and the code of the size on the axis with that number."""
    axis = placeholder(INT)
    return compile_term(shape.rank), number_of(axis), compile_term(shape.dim(axis))


def open_name(unit: Unit, item: LeftOpen) -> str:
    """The name of the point."""
    assert unit.file is not None
    return f"{gap_tag(unit.file, item.rule)} leaves the {item.reach} open"


def value_of(code: Code, facts: Any, env: dict[int, Any] | None = None) -> Any:
    """The value of a compiled term; None where it has none."""
    # Evaluation sets the variables that terms bind in the environment: the caller's must not change.
    try:
        return code(dict(env or {}), facts)
    except (Undefined, KeyError):
        return None


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One thing that a text leaves open, of an output, and at an index where `place` is the number of one. `tag` names
    the sentence of the text, `title`."""

    name: str
    tag: str
    title: str
    reach: Reach
    output: str
    place: int | None
    code: Code

    @classmethod
    def of(cls, unit: Unit, meaning: Meaning, item: LeftOpen) -> OpenPoint:
        """The point of an item. Of an output without a shape no index is known to be left open: all of it is."""
        assert unit.file is not None
        name, output, tag = open_name(unit, item), item.rule.output, gap_tag(unit.file, item.rule)
        title = item.rule.title
        shape = meaning.shapes.get(output)
        if item.reach is not Reach.VALUE or shape is None:
            condition = FALSE if item.reach is Reach.VALUE else item.when(None)
            return cls(name, tag, title, item.reach, output, None, compile_term(condition))
        index = placeholder(INDEX)
        code = compile_term(item.when(index))
        return cls(name, tag, title, item.reach, output, number_of(index), code)

    def when(self, facts: Any, index: tuple[int, ...] = ()) -> bool:
        """Return whether it is left open of an input, at an index where it is asked of one."""
        env: dict[int, Any] = {}
        if self.place is not None:
            env[self.place] = index
        return value_of(self.code, facts, env) is True
