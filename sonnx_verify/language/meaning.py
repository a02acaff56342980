"""The meaning of an operator's specification on given inputs: its clauses, shapes and values as terms. Trusted.

Obligations are made of these terms, and of nothing else of a text. On input that meets `hypotheses` and `valid`, a
result conforms where `conforms` is true of it. Restrictions and constraints both say which input is valid: a profile
looks at no input outside its restrictions, and an implementation answers one that breaks a constraint by an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import lets_for
from sonnx_verify.language.values import Outcome, Position, Reach, Shape, Tensor, Value, same_shape
from sonnx_verify.language.variables import Variable, VariableRole
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, eq, forall_index, implies, not_, or_


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause with its meaning; `term` is None for what is outside the model."""

    clause: s.Clause
    term: Term | None

    @property
    def tag(self) -> str:
        return self.clause.tag

    @property
    def known(self) -> Term:
        """The meaning, or no condition where there is none in the model."""
        # Only a restriction is outside the model. To count it as true makes valid input more: what is proved of all
        # that holds of those that meet it too. So is what a standard restricts alike: `refines` says nothing of it.
        if self.term is None:
            return TRUE
        return self.term


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """A part of the result that a text leaves open: the item that says so, and when, at an index for a value."""

    rule: s.Rule
    when: Callable[[Position | None], Term]

    @property
    def reach(self) -> s.Reach:
        """The part of the result that it leaves open."""
        return self.rule.what.reach


@dataclass(slots=True)
class Meaning:
    """One operator specification on given inputs.

    `inputs` has the meaning of each name: inputs, attributes and each `let`. `hypotheses` are those of the types,
    `arity` those of `where`. Statements about outputs are functions of those outputs. `values` give the element at an
    index. Where a clause gives a set of results, `members` say whether an element is one of them, `reaches` how far the
    set goes, and `values` give its representative. `left_open` has each item that leaves something open,
    `unspecified_...` the same by what is left open. `asked` says when an optional output is asked for: only then is
    anything claimed of it. `lemmas` are the theorems that the text uses, `about_outputs` is a constraint on some
    outputs.
    """

    file: s.File
    context: Context
    variables: list[Variable]
    inputs: dict[str, Value]
    hypotheses: list[Term] = field(default_factory=list)
    arity: list[Term] = field(default_factory=list)
    restrictions: list[Statement] = field(default_factory=list)
    constraints: list[Statement] = field(default_factory=list)
    errors: list[Statement] = field(default_factory=list)
    output_clauses: list[s.Clause] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    values: dict[str, Callable[[Position], Term]] = field(default_factory=dict)
    members: dict[str, Callable[[Position, Term], Term]] = field(default_factory=dict)
    reaches: dict[str, Callable[[Position], Reach]] = field(default_factory=dict)
    lemmas: tuple[Term, ...] = ()
    left_open: list[LeftOpen] = field(default_factory=list)
    unspecified_outcome: Term = FALSE
    unspecified_shape: Term = FALSE
    unspecified_values: dict[str, list[Callable[[Position], Term]]] = field(default_factory=dict)
    asked: dict[str, Term] = field(default_factory=dict)
    about_outputs: Callable[[s.Clause, Mapping[str, Tensor]], Term] | None = None

    @property
    def lets(self) -> list[s.Let]:
        """The names of its text that its section sees."""
        return lets_for(self.file, self.context.family, self.context.standing_for)

    @property
    def valid(self) -> Term:
        """All restrictions and all constraints about inputs and attributes hold."""
        return and_(*self.arity, *(r.known for r in self.restrictions), *(c.known for c in self.constraints))

    def first_to_fail(self, tag: str) -> Term:
        """Those above this constraint, on which it may rely, hold, and it does not: the meaning of `C1 fails`."""
        # At most one of them is the first, so errors that say `C1 fails`, `C2 fails` never apply together.
        place = next(n for n, c in enumerate(self.constraints) if c.tag == tag)
        return and_(*(c.known for c in self.constraints[:place]), not_(self.constraints[place].known))

    @property
    def failing(self) -> Term:
        """Some error applies."""
        return or_(*(e.known for e in self.errors))

    @property
    def erring(self) -> Term:
        """The same of input that meets every constraint, shorter: of that, no constraint fails."""
        # An error that says that a constraint fails is false of such input, and terms are built once: it is that term.
        fails = {self.first_to_fail(c.tag) for c in self.constraints}
        return or_(*(e.known for e in self.errors if e.known not in fails))

    @property
    def leaves_open(self) -> bool:
        """Return whether some clause leaves something unspecified."""
        open_anywhere = or_(self.unspecified_outcome, self.unspecified_shape)
        return open_anywhere is not FALSE or any(self.unspecified_values.values())

    def output_condition(self, clause: s.Clause, outputs: Mapping[str, Tensor]) -> Term:
        """The condition of a constraint about outputs on these."""
        assert self.about_outputs is not None
        return self.about_outputs(clause, outputs)

    def result(self, name: str) -> Tensor | None:
        """The output as the clauses give it, where both shape and value are given."""
        shape, value = self.shapes.get(name), self.values.get(name)
        if shape is None or value is None:
            return None
        sort = next(v.sort for v in self.outputs if v.name == name)
        return Tensor(shape, lambda i: value(Position(i, shape.rank)), sort)

    @property
    def given(self) -> tuple[Variable, ...]:
        """The variables that an input gives values: all but the outputs."""
        return tuple(v for v in self.variables if v.role is not VariableRole.OUTPUT)

    @property
    def outputs(self) -> list[Variable]:
        return [v for v in self.variables if v.role is VariableRole.OUTPUT]

    def free_outputs(self, copy: str = "") -> dict[str, Variable]:
        """Fresh variables for the outputs."""
        return {v.name: replace(v, name=f"{v.name}{copy}") for v in self.outputs}

    def conforms(self, outputs: Mapping[str, Tensor]) -> Term:
        """The condition that these outputs are a result that the specification allows on valid input."""
        # Of what is left open any answer conforms. An open shape leaves the elements open too, since `value Y[i]`
        # speaks of indices of that shape; an open outcome leaves all. Each is under `asked`: what nobody asks for may
        # be missing.
        parts = [self.output_condition(c, outputs) for c in self.output_clauses if c.body is not None]
        for name, output in outputs.items():
            shape = self.shapes.get(name)
            asked = self.asked.get(name, TRUE)
            if shape is not None:
                parts.append(implies(asked, or_(self.unspecified_shape, same_shape(output.shape, shape))))
            if name in self.values:
                parts.append(implies(asked, self._value_conforms(name, output)))
        return or_(self.unspecified_outcome, and_(*parts))

    def conforms_at(self, name: str, position: Position, element: Term) -> Term:
        """The condition that an element is one that the output may have at an index."""
        if name in self.members:
            return self.members[name](position, element)
        return eq(element, self.values[name](position))

    def _value_conforms(self, name: str, output: Tensor) -> Term:
        free = self.unspecified_values.get(name, [])

        def element(i: Term) -> Term:
            position = Position(i, output.shape.rank)
            return or_(*(u(position) for u in free), self.conforms_at(name, position, output.read(i)))

        return or_(self.unspecified_shape, forall_index(output.shape.rank, output.shape.dim, element))


def place_of(file: s.File, rule: s.Rule) -> str:
    """The name of the place of a rule: `Y.shape`, `Y.value` or `outcome`; `shape` where all of several outputs are
    meant."""
    reach = rule.what.reach
    output = rule.output
    if not output and len(file.outputs) == 1:
        output = file.outputs[0].name
    if not output or reach is s.Reach.OUTCOME:
        return reach.value
    return f"{output}.{reach}"


def outcome_of(meaning: Meaning) -> Outcome | None:
    """The answer of the operator on given inputs; None when it has several outputs or gives no result in full. An
    optional output that is not asked for is none."""
    # Whoever applies an operator takes its result for a function of the inputs. Where the text leaves something open,
    # or gives a set of results, two applications of it may differ, and `Op(X) = Op(X)` would be proved all the same.
    outputs = [v for v in meaning.outputs if meaning.asked.get(v.name) is not FALSE]
    if len(outputs) != 1 or meaning.leaves_open or meaning.members:
        return None
    result = meaning.result(outputs[0].name)
    if result is None:
        return None
    defined = and_(*(c.known for c in meaning.constraints), not_(meaning.erring))
    return Outcome(defined, result)
