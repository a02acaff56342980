"""An operator specification on a concrete input, by the reference evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sonnx_verify.language.cures import near
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.explain import Explainer
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning, Statement
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Position
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Code, Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import TRUE, Symbol, placeholder
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation


@dataclass(slots=True)
class Outcome:
    """What the specification says of an input: each clause with whether it holds and why not; then the results.

    `undeclared` has what is not as its `where` declares it, with why. `unspecified` names the indices, per output,
    whose element the specification leaves open.
    """

    clauses: list[tuple[Statement, bool, list[str]]] = field(default_factory=list)
    undeclared: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, ConcreteTensor] = field(default_factory=dict)
    unspecified: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    undetermined: str = ""

    @property
    def broken(self) -> list[tuple[Statement, bool, list[str]]]:
        """The restrictions and constraints that fail."""
        return [c for c in self.clauses if c[0].clause.kind != "error" and not c[1]]

    @property
    def errors(self) -> list[Statement]:
        """The errors that apply."""
        return [c[0] for c in self.clauses if c[0].clause.kind == "error" and c[1]]


def assignment_of(meaning: Meaning, given: Mapping[str, Concrete]) -> dict[str, Concrete]:
    """The values by name, with the members of families gathered and their lengths counted.

    What may be left out and is not among them is left out. KeyError names what is missing or unknown.
    """
    rest = dict(given)
    made: dict[str, Concrete] = {}
    for name in rest:
        if not any(_may_mean(v, name) for v in meaning.variables if v.role not in ("output", "length")):
            found = near(name, _names(meaning))
            raise KeyError(f"there is no input `{name}`" + (f", but `{found}`" if found else ""))
    for variable in meaning.variables:
        if variable.role in ("output", "length"):
            continue
        if variable.count is None or variable.kind != "tensor":
            if variable.name in rest:
                made[variable.name] = _fitting(variable, variable.name, rest.pop(variable.name))
            elif variable.may_be_left_out:
                made[variable.name] = LEFT_OUT
            elif variable.role == "asked":
                made[variable.name] = False
            else:
                raise KeyError(f"the input misses `{variable.name}`")
            continue
        made[variable.name] = tuple(_members(variable, rest))
    assert not rest, rest
    for variable in meaning.variables:
        if variable.role == "length":
            made[variable.name] = length_of(meaning, variable, made)
    return made


def _may_mean(variable: Variable, name: str) -> bool:
    """Whether a name on a command line can be that of the variable, or of one of its members."""
    if variable.count is None or variable.kind != "tensor":
        return name == variable.name
    return name.startswith(variable.name) and name[len(variable.name) :].isdigit()


def _names(meaning: Meaning) -> list[str]:
    """What inputs and attributes are called, a family by its first member."""
    return [
        v.name if v.count is None or v.kind != "tensor" else f"{v.name}{v.base}"
        for v in meaning.given
        if v.role not in ("length", "asked")
    ]


def _members(variable: Variable, rest: dict[str, Concrete]) -> list[Concrete]:
    found: list[Concrete] = []
    while (name := f"{variable.name}{len(found) + variable.base}") in rest:
        found.append(_fitting(variable, name, rest.pop(name)))
    later = [n for n in rest if n.startswith(variable.name) and n[len(variable.name) :].isdigit()]
    if not found or later:
        raise KeyError(f"the input misses `{variable.name}{len(found) + variable.base}`")
    return found


def _kind_in_words(is_tensor: bool, is_list: bool) -> str:
    if is_tensor:
        return "a tensor"
    return "a list" if is_list else "one value"


def _fitting(variable: Variable, name: str, value: Concrete) -> Concrete:
    """The value, if it is of the kind that is declared."""
    wanted = _kind_in_words(variable.kind == "tensor", variable.count is not None)
    kind = _kind_in_words(isinstance(value, ConcreteTensor), isinstance(value, tuple))
    if kind != wanted:
        raise KeyError(f"`{name}` is {wanted}, and {kind} is given")
    return value


def length_of(meaning: Meaning, length: Variable, made: Mapping[str, Concrete]) -> int:
    """The last number of the family that the length belongs to."""
    symbol = length.symbol("")
    for variable in meaning.variables:
        if variable.count is not None and variable.name in made:
            family = made[variable.name]
            assert isinstance(family, tuple)
            # The count is the length less the first number, plus one.
            offset = evaluate(variable.count, {symbol: 0})
            return len(family) - int(offset)
    return 0


@dataclass(frozen=True, slots=True)
class ResultCode:
    """The shape and value of an output, ready to be run on inputs; what leaves an element open, too."""

    variable: Variable
    rank: Code
    size: Code
    axis: int
    element: Code
    free: tuple[Code, ...]
    index: int

    @classmethod
    def of(cls, meaning: Meaning, variable: Variable) -> ResultCode | None:
        """None where no clauses give both."""
        result = meaning.result(variable.name)
        if result is None:
            return None
        axis, index = placeholder(result.shape.rank.sort), placeholder(INDEX)
        left_open = meaning.unspecified_values.get(variable.name, [])
        return cls(
            variable,
            compile_term(result.shape.rank),
            compile_term(result.shape.dim(axis)),
            number_of(axis),
            compile_term(result.read(index)),
            tuple(compile_term(u(Position(index, result.shape.rank))) for u in left_open),
            number_of(index),
        )

    def run(self, facts: dict[Symbol, object], outcome: Outcome) -> None:
        """Write the output, or why there is none, to the outcome."""
        name = self.variable.name
        try:
            rank = self.rank({}, facts)
            sizes = [self.size({self.axis: q}, facts) for q in range(rank)]
            elements, open_at = [], []
            for position in indices_of(sizes):
                env = {self.index: position}
                elements.append(self.element(env, facts))
                if any(f(dict(env), facts) for f in self.free):
                    open_at.append(tuple([*position, *[0] * (rank - len(position))][::-1]))
        except (Undefined, KeyError) as problem:
            outcome.undetermined = f"`{name}` is not determined: {problem}"
            return
        outcome.outputs[name] = ConcreteTensor(self.variable.sort, tuple(reversed(sizes)), tuple(elements))
        if open_at:
            outcome.unspecified[name] = open_at


Results = Mapping[str, ResultCode | None]


def results_of(meaning: Meaning) -> Results:
    """The code of each output, for whoever replays many inputs."""
    return {v.name: ResultCode.of(meaning, v) for v in meaning.outputs}


def replay(
    project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, why: bool, results: Results | None = None
) -> Outcome:
    """Every clause, and the outputs where no clause is violated and no error applies."""
    outcome = clauses_of(project, unit, meaning, assignment, why)
    if outcome.undeclared or outcome.broken or outcome.errors:
        return outcome
    facts = interpretation(meaning.given, assignment)
    for variable in meaning.outputs:
        if evaluate(meaning.asked.get(variable.name, TRUE), facts):
            code = ResultCode.of(meaning, variable) if results is None else results[variable.name]
            if code is None:
                outcome.undetermined = f"no clause gives the shape and value of `{variable.name}`"
            else:
                code.run(facts, outcome)
    return outcome


def clauses_of(project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, why: bool) -> Outcome:
    """Every clause, without the outputs."""
    facts = interpretation(meaning.given, assignment)
    explainer = Explainer(Elaborator(project.library(unit), meaning.context, meaning.file.index_base), facts)
    outcome = Outcome()
    where = [d for d in (*meaning.file.inputs, *meaning.file.attributes) if d.where is not None]
    for declaration, term in zip(where, meaning.arity, strict=True):
        assert declaration.where is not None
        if evaluate(term, facts) is not True:
            outcome.undeclared[declaration.name] = explainer.why_not(declaration.where, meaning.inputs)
    if outcome.undeclared:
        return outcome
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        if statement.term is None:
            continue
        try:
            holds = evaluate(statement.term, facts) is True
        except Undefined:
            # It rests on a clause that has failed already.
            outcome.clauses.append((statement, False, ["not looked at: it rests on what failed above"]))
            continue
        body = statement.clause.body
        reasons = []
        if why and body is not None and not holds and statement.clause.kind != "error":
            reasons = explainer.why_not(body, meaning.inputs)
        outcome.clauses.append((statement, holds, reasons))
    return outcome
