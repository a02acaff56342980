"""An operator specification on a concrete input, by the reference evaluator.

In: the meaning of an operator, and values by the names that a person gives them. Out: the truth of each clause with
reasons, and the outputs. No verdict of `check` is made of it: it is what `eval`, vectors and findings on pages show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sonnx_verify.kernel.sections import OutputFamily, member_name
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import near
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.explain import Explainer
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning, Statement, is_member
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Code, TooMany, Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import TRUE, Symbol, Term, placeholder
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.inputs.inputs import has_length, interpretation

_NOT_INPUTS = (VariableRole.OUTPUT, VariableRole.LENGTH)
"""The roles of variables that follow from the others: nobody gives them values."""


MOST_MEMBERS = 1000
"""The most outputs of a family that are computed."""


def miscounted(name: str, count: int) -> str:
    """The sentence on a number of outputs that cannot be computed."""
    if count < 1:
        return f"`count {name}` gives {count}, and a node of ONNX has at least one"
    return f"`count {name}` gives {count}, and at most {MOST_MEMBERS} are computed"


class NotGiven(KeyError):
    """An input or an attribute that an operator cannot do without has no value. `name` is that of a member where the
    variable is a family."""

    def __init__(self, name: str, variable: Variable) -> None:
        super().__init__(f"missing {variable.role} `{name}`")
        self.name, self.variable = name, variable


class Judged(NamedTuple):
    """A clause, whether it holds, or applies where it is an error, and why not."""

    statement: Statement
    holds: bool
    reasons: list[str]

    @property
    def is_error(self) -> bool:
        return self.statement.clause.kind is s.ClauseKind.ERROR


@dataclass(slots=True)
class Outcome:
    """The judgement of a specification on an input: each clause, then the results.

    `undeclared` has each thing that is not as its `where` declares it, with why. `left_open` has the items that leave
    the outcome or the shape open: then there are no `outputs`. `unspecified` names the indices, per output, whose
    element the specification leaves open, `open_items` the items that do so, each with its indices.
    """

    clauses: list[Judged] = field(default_factory=list)
    undeclared: dict[str, list[str]] = field(default_factory=dict)
    left_open: list[s.Rule] = field(default_factory=list)
    outputs: dict[str, ConcreteTensor] = field(default_factory=dict)
    unspecified: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    open_items: dict[str, list[tuple[s.Rule, list[tuple[int, ...]]]]] = field(default_factory=dict)
    undetermined: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """The number of members of each family of outputs. They stand among the `outputs` by names such as Y0 and Y1."""

    @property
    def broken(self) -> list[Judged]:
        """The restrictions and constraints that fail."""
        return [judged for judged in self.clauses if not judged.is_error and not judged.holds]

    @property
    def errors(self) -> list[Statement]:
        """The errors that apply."""
        return [judged.statement for judged in self.clauses if judged.is_error and judged.holds]


def assignment_of(meaning: Meaning, given: Mapping[str, Concrete]) -> dict[str, Concrete]:
    """The values by name, with the members of families gathered and their lengths counted.

    A thing that may be left out and is not among them is left out. KeyError names what is missing or unknown.
    """
    inputs = [v for v in meaning.variables if v.role not in _NOT_INPUTS]
    for name in given:
        if not any(_may_mean(v, name) for v in inputs):
            found = near(name, _names(meaning))
            hint = f"; did you mean `{found}`?" if found else ""
            raise KeyError(f"unknown input `{name}`{hint}")
    rest = dict(given)
    made: dict[str, Concrete] = {}
    for variable in inputs:
        if _is_spread(variable):
            made[variable.name] = tuple(_members(variable, rest))
        elif variable.name in rest:
            made[variable.name] = _fitting(variable, variable.name, rest.pop(variable.name))
        else:
            made[variable.name] = _not_given(variable)
    assert not rest, rest
    for variable in meaning.variables:
        if variable.role is VariableRole.LENGTH:
            made[variable.name] = length_of(meaning, variable, made)
    return made


def _not_given(variable: Variable) -> Concrete:
    """The value of a thing that nobody gives. KeyError where it cannot do without."""
    if variable.may_be_left_out:
        return LEFT_OUT
    # An optional output is not asked for unless somebody says so.
    if variable.role is VariableRole.ASKED:
        return False
    raise NotGiven(variable.name, variable)


def _is_spread(variable: Variable) -> bool:
    """Return whether a variable is given member by member, as X0 and X1 of X: families of tensors are, lists of
    integers are one value."""
    return variable.count is not None and variable.kind is VariableKind.TENSOR


def _may_mean(variable: Variable, name: str) -> bool:
    """Return whether a name on a command line can be that of the variable, or of one of its members."""
    if _is_spread(variable):
        return is_member(variable.name, name)
    return name == variable.name


def _names(meaning: Meaning) -> list[str]:
    """The names of inputs and attributes, of a family that of its first member."""
    declared = [v for v in meaning.given if v.role not in (VariableRole.LENGTH, VariableRole.ASKED)]
    return [f"{v.name}{v.base}" if _is_spread(v) else v.name for v in declared]


def _members(variable: Variable, rest: dict[str, Concrete]) -> list[Concrete]:
    found: list[Concrete] = []
    while (name := f"{variable.name}{len(found) + variable.base}") in rest:
        found.append(_fitting(variable, name, rest.pop(name)))
    # X0 and X2 without X1: the second is no member of anything.
    if not found or any(is_member(variable.name, other) for other in rest):
        raise NotGiven(name, variable)
    return found


def _kind_in_words(*, is_tensor: bool, is_list: bool) -> str:
    if is_tensor:
        return "a tensor"
    if is_list:
        return "a list"
    return "one value"


def _fitting(variable: Variable, name: str, value: Concrete) -> Concrete:
    """The value, if it is of the kind that is declared."""
    wanted = _kind_in_words(is_tensor=variable.kind is VariableKind.TENSOR, is_list=variable.count is not None)
    kind = _kind_in_words(is_tensor=isinstance(value, ConcreteTensor), is_list=isinstance(value, tuple))
    if kind != wanted:
        raise KeyError(f"`{name}` takes {wanted}, but {kind} is given")
    return value


def length_of(meaning: Meaning, length: Variable, made: Mapping[str, Concrete]) -> int:
    """The last number of the family that the length belongs to."""
    symbol = length.symbol("")
    for variable in meaning.variables:
        if variable.count is not None and variable.name in made:
            family = made[variable.name]
            assert isinstance(family, tuple)
            # The count is the length less the first number, plus one: with the length 0 it is how far the two are
            # apart, so that of X1, X2, X3 the last number is 3, and of X0, X1, X2 it is 2.
            offset = evaluate(variable.count, {symbol: 0})
            return len(family) - int(offset)
    return 0


@dataclass(frozen=True, slots=True)
class ResultCode:
    """The shape and value of an output, and of what leaves an element open, ready to be run on inputs."""

    variable: Variable
    rank: Code
    size: Code
    axis: int
    element: Code
    free: tuple[tuple[s.Rule, Code], ...]
    index: int
    number: int | None = None
    """The variable that numbers the members, where the output is a family."""
    count: Code | None = None

    @classmethod
    def of(cls, meaning: Meaning, variable: Variable) -> ResultCode | None:
        """None where no clauses give both, and how many there are of a family."""
        family = meaning.families.get(variable.name)
        if family is not None:
            return cls._of_family(meaning, variable, family)
        result = meaning.result(variable.name)
        if result is None:
            return None
        axis, index = placeholder(result.shape.rank.sort), placeholder(INDEX)
        left_open = [x for x in meaning.left_open if x.reach is s.Reach.VALUE and x.rule.output == variable.name]
        return cls(
            variable,
            compile_term(result.shape.rank),
            compile_term(result.shape.dim(axis)),
            number_of(axis),
            compile_term(result.read(index)),
            tuple((x.rule, compile_term(x.when(index))) for x in left_open),
            number_of(index),
        )

    @classmethod
    def _of_family(cls, meaning: Meaning, variable: Variable, family: OutputFamily) -> ResultCode | None:
        if family.count is None:
            return None
        # One code serves all members: their number is a free variable of it.
        member = cls.of(meaning.with_members(variable.name, {variable.name: family.number}), variable)
        if member is None:
            return None
        return replace(member, number=number_of(family.number), count=compile_term(family.count))

    def run(self, facts: dict[Symbol, object], outcome: Outcome) -> None:
        """Write the output, or each of a family, or why there is none, to the outcome."""
        name = self.variable.name
        if self.count is None or self.number is None:
            self._run(name, {}, facts, outcome)
            return
        try:
            count = self.count({}, facts)
        except (Undefined, KeyError) as problem:
            outcome.undetermined = f"how many `{name}` there are is not determined: {problem}"
            return
        if not 0 < count <= MOST_MEMBERS:
            outcome.undetermined = f"`{name}` is not computed: {miscounted(name, count)}"
            return
        outcome.counts[name] = count
        for m in range(count):
            self._run(member_name(self.variable, m), {self.number: m}, facts, outcome)

    def _run(self, name: str, numbered: Mapping[int, object], facts: dict[Symbol, object], outcome: Outcome) -> None:
        elements: list[object] = []
        open_at: dict[tuple[int, ...], None] = {}
        by_item: list[tuple[s.Rule, list[tuple[int, ...]]]] = [(rule, []) for rule, _ in self.free]
        try:
            rank = self.rank({**numbered}, facts)
            sizes = [self.size({**numbered, self.axis: q}, facts) for q in range(rank)]
            for position in indices_of(sizes):
                env = {**numbered, self.index: position}
                elements.append(self.element(env, facts))
                place = (*position, *[0] * (rank - len(position)))[::-1]
                for (_, is_open), (_, places) in zip(self.free, by_item, strict=True):
                    # Code binds variables in its environment: each gets its own.
                    if is_open(dict(env), facts):
                        places.append(place)
                        open_at[place] = None
        except TooMany as problem:
            fast = "`sonnx_verify.load(NAME).evaluate(...)` computes it on arrays"
            outcome.undetermined = f"`{name}` is not computed here: {problem}; {fast}"
            return
        except (Undefined, KeyError) as problem:
            outcome.undetermined = f"`{name}` is not determined: {problem}"
            return
        outcome.outputs[name] = ConcreteTensor(self.variable.sort, tuple(reversed(sizes)), tuple(elements))
        if open_at:
            outcome.unspecified[name] = list(open_at)
            outcome.open_items[name] = [(rule, places) for rule, places in by_item if places]


def on_input(meaning: Meaning, assignment: Assignment) -> Meaning:
    """The meaning with the outputs that there are on an input: each member of a family is an output of its own.

    Where the text does not say how many there are, or too many to compute, there is one: some answer is asked for, such
    as a refusal.
    """
    if not meaning.families:
        return meaning
    facts = interpretation(meaning.given, assignment)
    counts = {}
    for name, family in meaning.families.items():
        counts[name] = 1
        if family.count is None:
            continue
        try:
            count = evaluate(family.count, facts)
        except (Undefined, KeyError):
            continue
        if 0 < count <= MOST_MEMBERS:
            counts[name] = count
    return meaning.spread(counts)


Results = Mapping[str, ResultCode | None]


def results_of(meaning: Meaning) -> Results:
    """The code of each output, for whoever replays many inputs."""
    return {v.name: ResultCode.of(meaning, v) for v in meaning.outputs}


def replay(
    project: Project,
    unit: Unit,
    meaning: Meaning,
    assignment: Assignment,
    *,
    why: bool,
    results: Results | None = None,
) -> Outcome:
    """Return every clause, and the outputs if no clause is violated, no error applies, and the text determines the
    outcome and the shape."""
    outcome = clauses_of(project, unit, meaning, assignment, why=why)
    # Shape and value are only asked to mean something on input that meets every clause: on any other they may read
    # outside. What is left open there is no answer either: the input is rejected.
    if outcome.undeclared or outcome.broken or outcome.errors:
        return outcome
    look_for_gaps(meaning, assignment, outcome)
    if not outcome.left_open and not outcome.undetermined:
        compute(meaning, assignment, outcome, results)
    return outcome


def look_for_gaps(meaning: Meaning, assignment: Assignment, outcome: Outcome) -> None:
    """Write to the outcome the items that leave the outcome or the shape open on an input that no clause rejects."""
    facts = interpretation(meaning.given, assignment)
    unknown = ""
    for item in meaning.left_open:
        # An element that is left open leaves a result all the same, and other elements determined.
        if item.reach is s.Reach.VALUE:
            continue
        try:
            applies = evaluate(item.when(None), facts) is True
        except (Undefined, KeyError) as problem:
            unknown = f"whether the {item.reach} is left open is not determined: {problem}"
            continue
        if applies:
            outcome.left_open.append(item.rule)
    if not outcome.left_open:
        outcome.undetermined = unknown


def compute(meaning: Meaning, assignment: Assignment, outcome: Outcome, results: Results | None = None) -> None:
    """Write to the outcome the outputs that shape and value give, whatever is left open, or why there are none."""
    facts = interpretation(meaning.given, assignment)
    for variable in meaning.outputs:
        if not evaluate(meaning.asked.get(variable.name, TRUE), facts):
            continue
        code = ResultCode.of(meaning, variable) if results is None else results[variable.name]
        if code is None:
            outcome.undetermined = f"no clause gives the shape and value of `{variable.name}`"
        else:
            code.run(facts, outcome)


def clauses_of(project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, *, why: bool) -> Outcome:
    """Every clause, without the outputs."""
    facts = interpretation(meaning.given, assignment)
    elaborator = Elaborator(project.library(unit), meaning.context, meaning.file.index_base)
    elaborator.calls.within(meaning.file, meaning.inputs)
    explainer = Explainer(elaborator, facts)
    outcome = Outcome()
    for variable in meaning.given:
        value = assignment[variable.name]
        if not has_length(variable, value, facts):
            assert isinstance(value, tuple)
            outcome.undeclared[variable.name] = [
                f"it has {counted_text(len(value), 'member')}, and its declaration another number"
            ]
    if outcome.undeclared:
        return outcome
    where = [d for d in (*meaning.file.inputs, *meaning.file.attributes) if d.where is not None]
    for declaration, term in zip(where, meaning.arity, strict=True):
        assert declaration.where is not None
        if evaluate(term, facts) is not True:
            outcome.undeclared[declaration.name] = explainer.why_not(declaration.where, meaning.inputs)
    # Clauses rely on the declarations: where one of these is broken they need not have a value.
    if outcome.undeclared:
        return outcome
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        if statement.term is not None:
            outcome.clauses.append(_judged(statement, statement.term, facts, explainer if why else None, meaning))
    return outcome


def _judged(
    statement: Statement, term: Term, facts: dict[Symbol, object], explainer: Explainer | None, meaning: Meaning
) -> Judged:
    try:
        holds = evaluate(term, facts) is True
    except Undefined:
        # It rests on a clause that has failed already.
        return Judged(statement, holds=False, reasons=["not evaluated: it depends on a failure above"])
    judged = Judged(statement, holds, [])
    body = statement.clause.body
    if explainer is None or body is None or holds or judged.is_error:
        return judged
    return Judged(statement, holds, explainer.why_not(body, meaning.inputs))
