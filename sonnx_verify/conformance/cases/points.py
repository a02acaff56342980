"""What an input exercises: clauses, branches, what is left open, ranks and sizes, special values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.conformance.cases.choices import Choices
from sonnx_verify.conformance.cases.kinds import kinds_of
from sonnx_verify.conformance.cases.left_open import OpenPoint, value_of
from sonnx_verify.conformance.cases.neighbours import neighbours
from sonnx_verify.conformance.cases.special import special_names, special_values
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning, Statement
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term, and_, placeholder, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation

Input = dict[str, Concrete]
_BOUNDARY = ("holds at its boundary", "fails at its boundary")


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
    _clauses: list[Code] = field(init=False)
    _arity: list[Code] = field(init=False)
    _branches: list[tuple[str, Code]] = field(init=False)
    _open: list[OpenPoint] = field(init=False)
    _open_values: list[OpenPoint] = field(init=False)
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
        made = [OpenPoint.of(self.unit, meaning, item) for item in meaning.left_open]
        self._open = [item for item in made if item.place is None]
        self._open_values = [item for item in made if item.place is not None]

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
        if not all(value_of(code, facts) is True for code in self._arity):
            return Judged(False, (), (), ())
        holds = tuple(value_of(code, facts) for code in self._clauses)
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
            around = [self.judge(beside) for _, beside in self.around(assignment)]
            self._near[key] = tuple(dict.fromkeys(name for there in around for name in self.crossed(judged, there)))
        return self._near[key]

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
        return [name for name, never in self._branches if value_of(never, facts) is False]

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
        return special_names(self.elements(assignment))

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
    return (n for n in subterms(statement.known) if n.op == ops.APPLY)
