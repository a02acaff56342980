"""What an input exercises: clauses, branches, what is left open, ranks and sizes, special values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.cases.choices import Choices
from sonnx_verify.cases.kinds import kinds_of
from sonnx_verify.cases.neighbours import neighbours
from sonnx_verify.cases.special import special_values
from sonnx_verify.counterexample.inputs import LEFT_OUT, Concrete, ConcreteTensor, interpretation
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning, Statement
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Position
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import Term, and_, placeholder, subterms
from sonnx_verify.obligations.gaps import gap_tag

Input = dict[str, Concrete]
_BOUNDARY = ("holds at its boundary", "fails at its boundary")
MOST_PLACES = 4
"""Of tensors with more elements, the places of special values are not told apart."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the clauses say of an input: for each, whether it holds, or None where it rests on one that fails."""

    declared: bool
    holds: tuple[bool | None, ...]
    broken: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def valid(self) -> bool:
        return self.declared and not self.broken and not self.errors


@dataclass(frozen=True, slots=True)
class _Open:
    """What a text leaves open, by its name, of an output and at an index where `place` is the number of one."""

    name: str
    output: str
    place: int | None
    code: Callable[..., Any]

    @classmethod
    def of(cls, unit: Unit, meaning: Meaning, item: LeftOpen) -> _Open:
        assert unit.file is not None
        name = f"{gap_tag(unit.file, item.rule)} leaves the {item.reach} open"
        shape = meaning.shapes.get(item.rule.output)
        if item.reach != "value" or shape is None:
            # Without a shape there is no index to ask it of.
            return cls(name, item.rule.output, None, compile_term(item.when(None)))
        index = placeholder(INDEX)
        return cls(name, item.rule.output, number_of(index), compile_term(item.when(Position(index, shape.rank))))

    def when(self, facts: Any, index: tuple[int, ...] = ()) -> bool:
        env = {} if self.place is None else {self.place: index}
        return _run(self.code, facts, env) is True


@dataclass(slots=True)
class Points:
    """The points of one section of an operator, for one type of its elements."""

    project: Project
    unit: Unit
    context: Context
    meaning: Meaning = field(init=False)
    choices: Choices = field(init=False)
    statements: list[Statement] = field(init=False)
    ways: dict[str, Term] = field(init=False)
    """Of each way of an `if`, that no valid input goes it."""
    _own: list[bool] = field(init=False)
    _clauses: list[Callable[..., Any]] = field(init=False)
    _arity: list[Callable[..., Any]] = field(init=False)
    _branches: list[tuple[str, Callable[..., Any]]] = field(init=False)
    _open: list[_Open] = field(init=False)
    _open_values: list[_Open] = field(init=False)
    _near: dict[object, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        context = Context(self.context.family, self.context.element, variables=self.context.variables)
        self.meaning = meaning = self.project.meaning(self.unit, context)
        self.choices = Choices.of(meaning)
        stated = (*meaning.restrictions, *meaning.constraints, *meaning.errors)
        self.statements = [s for s in stated if s.term is not None]
        fails = {meaning.first_to_fail(c.tag) for c in meaning.constraints}
        # An error that says no more than that a constraint fails has the boundary of that.
        self._own = [s.clause.kind != "error" or s.term not in fails for s in self.statements]
        self._clauses = [compile_term(s.known) for s in self.statements]
        self._arity = [compile_term(t) for t in meaning.arity]
        ways: dict[str, list[Term]] = {}
        for branch in context.branches:
            ways.setdefault(f"the `then` of {branch.span}", []).append(branch.never_then)
            ways.setdefault(f"the `else` of {branch.span}", []).append(branch.never_else)
        self.ways = {name: and_(*never) for name, never in ways.items()}
        self._branches = [(name, compile_term(never)) for name, never in self.ways.items()]
        made = [_Open.of(self.unit, meaning, item) for item in meaning.left_open]
        self._open = [item for item in made if item.place is None]
        self._open_values = [item for item in made if item.place is not None and item.output in meaning.shapes]

    @property
    def clause_names(self) -> list[str]:
        """The points of clauses, in the order of the text."""
        found = []
        for statement, own in zip(self.statements, self._own, strict=True):
            tag = statement.tag
            if statement.clause.kind != "error":
                found += [f"{tag} {what}" for what in ("fails", "fails alone", *_BOUNDARY)]
            else:
                found += [f"{tag} applies"]
                found += [f"{tag} {what} at its boundary" for what in ("applies", "does not apply") if own]
        return found

    @property
    def of_facts(self) -> list[str]:
        """The clauses that speak of facts of tensors, such as how they are stored: no array and no file of a tensor
        breaks them."""
        facts = {f"{name}.{fact}" for name, fact in self.choices.facts}
        return [s.tag for s in self.statements if facts & {str(getattr(n.payload, "name", "")) for n in _applied(s)}]

    @property
    def branch_names(self) -> list[str]:
        """The two ways of each `if`."""
        return [name for name, _ in self._branches]

    @property
    def open_names(self) -> list[str]:
        """What the text leaves open."""
        return [item.name for item in (*self._open, *self._open_values)]

    @property
    def special_names(self) -> list[str]:
        """Each special value, in each input whose elements vary."""
        found = []
        for variable in self.meaning.given:
            if variable.kind == "tensor" and self.is_data(variable) and variable.role != "absent":
                found += [f"{text} in {variable.name}" for text in special_values(variable.sort)]
        return found

    # ------------------------------------------------------------------------------------------------------- clauses

    def judge(self, assignment: Input) -> Judged:
        """What declarations and clauses say of an input."""
        facts = interpretation(self.meaning.given, assignment)
        if not all(_run(code, facts) is True for code in self._arity):
            return Judged(False, (), (), ())
        holds = tuple(_run(code, facts) for code in self._clauses)
        told = list(zip(self.statements, holds, strict=True))
        broken = tuple(s.tag for s, held in told if s.clause.kind != "error" and held is False)
        errors = tuple(s.tag for s, held in told if s.clause.kind == "error" and held is True)
        return Judged(True, holds, broken, errors)

    def met(self, assignment: Input, judged: Judged | None = None) -> tuple[str, ...]:
        """The names of all points that the input meets, but that a clause merely holds."""
        judged = judged or self.judge(assignment)
        if not judged.declared:
            return ("not as declared",)
        found = [f"{tag} fails" for tag in judged.broken]
        if len(judged.broken) == 1:
            found.append(f"{judged.broken[0]} fails alone")
        found += [f"{tag} applies" for tag in judged.errors]
        found += self.boundaries(assignment, judged)
        if judged.valid:
            found += self.branches(assignment)
            found += self.left_open(assignment)
            found += self.special(assignment)
        found += self.kinds(assignment)
        return tuple(dict.fromkeys(found))

    def boundaries(self, assignment: Input, judged: Judged) -> tuple[str, ...]:
        """At the boundary of which clauses the input is: what is next to it differs in that clause, and in no other
        that is no error."""
        key = self._structure(assignment)
        if key not in self._near:
            found: dict[str, None] = {}
            for what, beside in self.around(assignment):
                for name in self.crossed(judged, self.judge(beside)):
                    found.setdefault(name)
                    found.setdefault(f"{name}, {what}")
            self._near[key] = tuple(found)
        return tuple(name for name in self._near[key] if "," not in name)

    def around(self, assignment: Input) -> Iterator[tuple[str, Input]]:
        """The inputs next to an input, each with what is changed."""
        yield from neighbours(self.meaning, self.choices.structural, self.choices.facts, assignment)

    def crossed(self, here: Judged, there: Judged) -> list[str]:
        """The one clause that holds on one side alone, as the name of a boundary; the input `here` is on it."""
        if not there.declared or not here.declared:
            return []
        both = zip(self.statements, self._own, here.holds, there.holds, strict=True)
        other = [(s, a) for s, own, a, b in both if own and a is not None and b is not None and a is not b]
        if len(other) != 1:
            return []
        statement, held = other[0]
        if statement.clause.kind == "error":
            return [f"{statement.tag} {'applies' if held else 'does not apply'} at its boundary"]
        return [f"{statement.tag} {'holds' if held else 'fails'} at its boundary"]

    def _structure(self, assignment: Input) -> object:
        """All of an input that clauses and shapes speak of."""

        def of(variable: Variable, value: Concrete) -> object:
            if isinstance(value, tuple):
                return tuple(of(variable, item) for item in value)
            if isinstance(value, ConcreteTensor) and variable.name not in self.choices.structural:
                return (value.shape, value.lacks)
            return value

        return tuple(of(v, assignment[v.name]) for v in self.meaning.given)

    # ------------------------------------------------------------------------------------------- shapes and values

    def branches(self, assignment: Input) -> list[str]:
        """The ways that each `if`, each choice by cases, goes somewhere in a valid input."""
        facts = interpretation(self.meaning.given, assignment)
        return [name for name, never in self._branches if _run(never, facts) is False]

    def left_open(self, assignment: Input) -> list[str]:
        """What the text leaves open of a valid input."""
        facts = interpretation(self.meaning.given, assignment)
        wider = [item for item in self._open if item.when(facts)]
        found = [item.name for item in wider]
        if wider or not self._open_values:
            return found
        sizes = {item.output: self.sizes(item.output, facts) for item in self._open_values}
        for item in self._open_values:
            places = indices_of(sizes[item.output] or [0]) if sizes[item.output] != [] else [()]
            if any(item.when(facts, place) for place in places):
                found.append(item.name)
        return found

    def decided(self, assignment: Input) -> bool:
        """Whether the text decides what comes of the input, and of which shape the outputs are."""
        facts = interpretation(self.meaning.given, assignment)
        return not any(item.when(facts) for item in self._open)

    def sizes(self, output: str, facts: Any) -> list[int] | None:
        """The sizes of an output from the right; None where it has no shape."""
        shape = self.meaning.shapes.get(output)
        if shape is None:
            return None
        axis = placeholder(INT)
        size = compile_term(shape.dim(axis))
        try:
            rank = compile_term(shape.rank)({}, facts)
            return [size({number_of(axis): q}, facts) for q in range(rank)]
        except (Undefined, KeyError):
            return None

    def special(self, assignment: Input) -> list[str]:
        """The special values among the elements, with their places in small tensors, and which come before which."""
        found: list[str] = []
        for variable, name, tensor in self.elements(assignment):
            names = {value: text for text, value in special_values(tensor.sort).items()}
            met = [(place, names[e]) for place, e in enumerate(tensor.elements) if e in names]
            found += dict.fromkeys(f"{text} in {variable}" for _, text in met)
            if len(tensor.elements) <= MOST_PLACES:
                found += [f"{text} at {name}{_place(tensor.shape, place)}" for place, text in met]
        return [*found, *(f"{a} before {b}" for a, b in self._pairs(assignment))]

    def _pairs(self, assignment: Input) -> Iterator[tuple[str, str]]:
        every = [(t.sort, e) for _, _, t in self.elements(assignment) for e in t.elements]
        if len(every) == 2 and every[0][0] == every[1][0]:
            names = {value: text for text, value in special_values(every[0][0]).items()}
            if every[0][1] in names and every[1][1] in names:
                yield names[every[0][1]], names[every[1][1]]

    def elements(self, assignment: Input) -> list[tuple[str, str, ConcreteTensor]]:
        """The tensors that values are made of, each with its declared name and its own."""
        found = []
        for variable in self.meaning.given:
            value = assignment[variable.name]
            if variable.kind != "tensor" or not self.is_data(variable):
                continue
            if isinstance(value, tuple):
                found += [(variable.name, f"{variable.name}{n + variable.base}", i) for n, i in enumerate(value)]
            elif value is not LEFT_OUT:
                found.append((variable.name, variable.name, value))
        return [(family, name, tensor) for family, name, tensor in found if isinstance(tensor, ConcreteTensor)]

    def is_data(self, variable: Variable) -> bool:
        """Whether a tensor's elements are of a type that varies, or no clause speaks of them."""
        return variable.type_variable or variable.name not in self.choices.structural

    def kinds(self, assignment: Input) -> list[str]:
        """Ranks, sizes, numbers of inputs, what is left out, what attributes are."""
        return kinds_of(self.meaning, self.choices.structural, self.is_data, assignment)


def _applied(statement: Statement) -> Iterator[Term]:
    return (n for n in subterms(statement.known) if n.op == "apply")


def _run(code: Callable[..., Any], facts: Any, env: Any = None) -> Any:
    try:
        return code(dict(env or {}), facts)
    except (Undefined, KeyError):
        return None


def _place(shape: tuple[int, ...], offset: int) -> str:
    """An index as it is written: `[1][0]`, nothing for rank 0."""
    text = ""
    for size in reversed(shape):
        text = f"[{offset % size}]{text}"
        offset //= size
    return text
