"""The meaning of an operator's specification on given inputs: its clauses, shapes and values as terms. Trusted.

Obligations are made of these terms, and of nothing else of a text. On input that meets `hypotheses` and `valid`, a
result conforms where `conforms` is true of it. Restrictions and constraints both say which input is valid: a profile
looks at no input outside its restrictions, and an implementation answers one that breaks a constraint by an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

from sonnx_verify.kernel.values import (
    Abstraction,
    Items,
    Outcome,
    Reach,
    Shape,
    Tensor,
    Value,
    abstraction,
    last,
    listed,
    put_in_shape,
    same_shape,
    tensor_of,
)
from sonnx_verify.kernel.variables import Variable, VariableRole, free_count, meanings_of
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    forall,
    forall_index,
    implies,
    integer,
    interpret,
    not_,
    or_,
)

_Meant = Mapping[Symbol, Callable[..., Term]]
"""The symbols of outputs of which nothing is known, as functions that given outputs are."""


class Tagged(Protocol):
    """A clause, as far as forms have to know it."""

    @property
    def tag(self) -> str: ...


class Reaching(Protocol):
    """The kind of a rule: which part of a result it is about."""

    @property
    def reach(self) -> Any: ...


class Ruling(Protocol):
    """A rule, as far as forms have to know it."""

    @property
    def what(self) -> Reaching: ...


C = TypeVar("C", bound=Tagged)
R = TypeVar("R", bound=Ruling)


# Without slots: of a frozen record that has them, `Statement[C](...)` fails in Python 3.11.
@dataclass(frozen=True)
class Statement(Generic[C]):
    """A clause with its meaning; `term` is None for what is outside the model."""

    clause: C
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


@dataclass(frozen=True)
class LeftOpen(Generic[R]):
    """A part of the result that a text leaves open: the item that says so, and when, at an index for a value."""

    rule: R
    condition: Abstraction[Term]

    def when(self, index: Term | None) -> Term:
        """The condition under which it is left open, of a value at an index."""
        if index is None:
            return self.condition.body
        return self.condition(index)

    @property
    def reach(self) -> Any:
        """The part of the result that it leaves open."""
        return self.rule.what.reach


@dataclass(slots=True)
class OutputFamily:
    """A variadic output: its `count`, and the shape and elements of the member that the free variable `number` numbers,
    from 0. What is missing is None, as it is missing among the `shapes` and `values` of other outputs."""

    # One term with a variable serves all members: member m is the term with m in place of the variable. So there is one
    # text of shape and value for every number of outputs, as there is one `value Y[i]` for every index.
    number: Term
    base: int
    count: Term | None = None
    shape: Shape | None = None
    value: Abstraction[Term] | None = None
    member: Abstraction[Term] | None = None
    reach: Abstraction[Reach] | None = None

    def every(self, body: Callable[[Term], Term]) -> Term:
        """The condition that a statement about one member is true of all of them."""
        assert self.count is not None
        return forall(ZERO, last(self.count), body)

    def at(self, m: Term) -> OutputFamily:
        """The member that a term numbers: the term stands in place of the variable."""
        put = {self.number: m}
        return replace(
            self,
            number=m,
            shape=self.shape and put_in_shape(self.shape, put),
            value=self.value and self.value.put(put),
            member=self.member and self.member.put(put),
            reach=self.reach and self.reach.put(put),
        )


@dataclass
class Section(Generic[C, R]):
    """One operator specification on given inputs.

    `inputs` has the meaning of each name: inputs, attributes and each `let`. `hypotheses` are those of the types,
    `arity` those of `where`. `values` give the element at an index. Where a clause gives a set of results, `members`
    say whether an element is one of them, `reaches` how far the set goes, and `values` give its representative.
    `families` has the variadic outputs, which are in none of the maps of single ones. `left_open` has each item that
    leaves something open, `unspecified_...` the same by what is left open. `asked` says when an optional output is
    asked for: only then is anything claimed of it. `lemmas` are the theorems that the text uses. `about_outputs` has
    each constraint on outputs by its tag, on the `unknown_outputs`, by their names, of which nothing is
    known; the members of a family of these are given one by one where they are `gathered`.
    """

    variables: list[Variable]
    inputs: dict[str, Value]
    hypotheses: list[Term] = field(default_factory=list)
    arity: list[Term] = field(default_factory=list)
    restrictions: list[Statement[C]] = field(default_factory=list)
    constraints: list[Statement[C]] = field(default_factory=list)
    errors: list[Statement[C]] = field(default_factory=list)
    output_clauses: list[C] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    values: dict[str, Abstraction[Term]] = field(default_factory=dict)
    members: dict[str, Abstraction[Term]] = field(default_factory=dict)
    reaches: dict[str, Abstraction[Reach]] = field(default_factory=dict)
    families: dict[str, OutputFamily] = field(default_factory=dict)
    lemmas: tuple[Term, ...] = ()
    left_open: list[LeftOpen[R]] = field(default_factory=list)
    unspecified_outcome: Term = FALSE
    unspecified_shape: Term = FALSE
    unspecified_values: dict[str, list[Abstraction[Term]]] = field(default_factory=dict)
    asked: dict[str, Term] = field(default_factory=dict)
    about_outputs: dict[str, Term] = field(default_factory=dict)
    unknown_outputs: dict[str, Variable] = field(default_factory=dict)
    gathered: dict[str, tuple[str, ...]] = field(default_factory=dict)

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

    @property
    def has_sets(self) -> bool:
        """Return whether some clause gives a set of results."""
        return bool(self.members) or any(family.member is not None for family in self.families.values())

    @property
    def valued(self) -> list[str]:
        """The names of the outputs that some clause gives elements, in their order."""
        families = {name for name, family in self.families.items() if family.value is not None}
        return [v.name for v in self.outputs if v.name in families or v.name in self.values]

    @property
    def shaped(self) -> list[str]:
        """The names of the outputs that some clause gives a shape, in their order."""
        families = {name for name, family in self.families.items() if family.shape is not None}
        return [v.name for v in self.outputs if v.name in families or v.name in self.shapes]

    def complete(self, name: str) -> bool:
        """Return whether clauses give shape and value of an output, and how many there are where it is a family."""
        family = self.families.get(name)
        if family is None:
            return name in self.shapes and name in self.values
        return family.count is not None and family.shape is not None and family.value is not None

    @property
    def several_outputs(self) -> bool:
        """Return whether there may be more than one output."""
        return len(self.outputs) > 1 or bool(self.families)

    def with_members(self, name: str, members: Mapping[str, Term]) -> Self:
        """The same with outputs of these names in place of a family: the members that these terms number, from 0.

        Nothing is known of the terms: whoever speaks of a member says that its number is below the count.
        """
        family = self.families[name]
        made = replace(
            self,
            variables=[v for v in self.variables if v.role is not VariableRole.OUTPUT],
            shapes=dict(self.shapes),
            values=dict(self.values),
            members=dict(self.members),
            reaches=dict(self.reaches),
            families={other: f for other, f in self.families.items() if other != name},
        )
        for variable in self.outputs:
            if variable.name != name:
                made.variables.append(variable)
                continue
            made.variables += [replace(variable, name=member, count=None, base=0) for member in members]
        for member, number in members.items():
            one = family.at(number)
            if one.shape is not None:
                made.shapes[member] = one.shape
            if one.value is not None:
                made.values[member] = one.value
            if one.member is not None:
                made.members[member] = one.member
            if one.reach is not None:
                made.reaches[member] = one.reach
        made.gathered = {**self.gathered, name: tuple(members)}
        return made

    def spread(self, counts: Mapping[str, int]) -> Self:
        """The same where each family of outputs has as many members as this says: single outputs, by their names."""
        made = self
        for variable in self.outputs:
            if variable.name in counts:
                members = {member_name(variable, m): integer(m) for m in range(counts[variable.name])}
                made = made.with_members(variable.name, members)
        return made

    def output_condition(self, clause: C, outputs: Mapping[str, Value]) -> Term:
        """The condition of a constraint about outputs on these."""
        return interpret(self.about_outputs[clause.tag], self._meant_by(outputs))

    def _meant_by(self, outputs: Mapping[str, Value]) -> _Meant:
        """The symbols of the outputs of which nothing is known, as functions that these outputs give."""
        meanings: dict[Symbol, Callable[..., Term]] = {}
        for name, variable in self.unknown_outputs.items():
            given = outputs.get(name)
            # Whoever gives a family as one value, does so under its name.
            if given is None and name in self.gathered:
                given = listed([outputs[member] for member in self.gathered[name]])
            if given is not None:
                meanings |= meanings_of(variable, given)
        return meanings

    def result(self, name: str) -> Tensor | None:
        """The output as the clauses give it, where both shape and value are given; it is no family."""
        shape, value = self.shapes.get(name), self.values.get(name)
        if shape is None or value is None:
            return None
        sort = next(v.sort for v in self.outputs if v.name == name)
        return Tensor(shape, value, sort)

    def results(self, name: str) -> Tensor | Items | None:
        """The output as the clauses give it, or every member of a family; None where they do not give it in full."""
        family = self.families.get(name)
        if family is None:
            return self.result(name)
        shape, value, count = family.shape, family.value, family.count
        if shape is None or value is None or count is None:
            return None
        sort = next(v.sort for v in self.outputs if v.name == name)

        def item(m: Term) -> Tensor:
            member = family.at(m)
            assert member.shape is not None
            assert member.value is not None
            return Tensor(member.shape, member.value, sort)

        return Items(count, abstraction(item, INT), tensor_of(sort), family.base)

    @property
    def given(self) -> tuple[Variable, ...]:
        """The variables that an input gives values: all but the outputs."""
        return tuple(v for v in self.variables if v.role is not VariableRole.OUTPUT)

    @property
    def outputs(self) -> list[Variable]:
        return [v for v in self.variables if v.role is VariableRole.OUTPUT]

    def free_outputs(self, copy: str = "") -> dict[str, Variable]:
        """Fresh variables for the outputs. How many a family of them has is free too."""
        made = {}
        for variable in self.outputs:
            name = f"{variable.name}{copy}"
            count = variable.count
            if count is not None:
                count = free_count(name)
            made[variable.name] = replace(variable, name=name, count=count)
        return made

    def conforms(self, outputs: Mapping[str, Value]) -> Term:
        """The condition that these outputs are a result that the specification allows on valid input."""
        # Of what is left open any answer conforms. An open shape leaves the elements open too, since `value Y[i]`
        # speaks of indices of that shape; an open outcome leaves all. Each is under `asked`: what nobody asks for may
        # be missing.
        parts = [self.output_condition(c, outputs) for c in self.output_clauses if c.tag in self.about_outputs]
        meant = self._meant_by(outputs)
        for name, output in outputs.items():
            if isinstance(output, Items):
                parts.append(self._family_conforms(self.families[name], output, meant))
                continue
            assert isinstance(output, Tensor)
            shape = self.shapes.get(name)
            asked = self.asked.get(name, TRUE)
            if shape is not None:
                parts.append(implies(asked, or_(self.unspecified_shape, same_shape(output.shape, shape))))
            if name in self.values:
                parts.append(implies(asked, self._value_conforms(name, output, meant)))
        return or_(self.unspecified_outcome, and_(*parts))

    def conforms_at(self, name: str, index: Term, element: Term) -> Term:
        """The condition that an element is one that the output may have at an index."""
        if name in self.members:
            return self.members[name](index, element)
        return eq(element, self.values[name](index))

    def _value_conforms(self, name: str, output: Tensor, meant: _Meant) -> Term:
        given = (self.values[name], self.members.get(name), *self.unspecified_values.get(name, []))
        value, member, *free = given if name in self.shapes else _on(given, meant)
        assert value is not None
        conform = _elements_conform(value, member, [u for u in free if u is not None], output)
        return or_(self.unspecified_shape, conform)

    def _family_conforms(self, family: OutputFamily, outputs: Items, meant: _Meant) -> Term:
        """There are as many as `count` says, and each has the shape and the elements of its number."""
        # Every member of what is given is looked at, not every number below `count`: where no clause says how many
        # there are, each that is there still has to conform.
        parts = [] if family.count is None else [eq(outputs.count, family.count)]

        def one(m: Term) -> Term:
            member, tensor = family.at(m), outputs.item(m)
            assert isinstance(tensor, Tensor)
            said = []
            if member.shape is not None:
                said.append(or_(self.unspecified_shape, same_shape(tensor.shape, member.shape)))
            given = (member.value, member.member)
            value, results = given if member.shape is not None else _on(given, meant)
            if value is not None:
                said.append(or_(self.unspecified_shape, _elements_conform(value, results, [], tensor)))
            return and_(*said)

        return and_(*parts, forall(ZERO, last(outputs.count), one))


def _on(given: Sequence[Abstraction[Term] | None], meant: _Meant) -> list[Abstraction[Term] | None]:
    """The same of given outputs: where no clause gives the shape of an output, a value may speak of it."""
    return [f and Abstraction(f.variables, interpret(f.body, meant)) for f in given]


def _elements_conform(
    value: Abstraction[Term],
    member: Abstraction[Term] | None,
    free: list[Abstraction[Term]],
    output: Tensor,
) -> Term:
    """The condition that every element of an output is its value, or one of its set, or left open."""

    def element(i: Term) -> Term:
        found = output.read(i)
        conforms = eq(found, value(i)) if member is None else member(i, found)
        return or_(*(u(i) for u in free), conforms)

    return forall_index(output.shape.rank, output.shape.dim, element)


def member_name(variable: Variable, m: int) -> str:
    """The name of a member of a family, numbered from 0 here: Y1 is the first of Y[1 .. N]."""
    return f"{variable.name}{m + variable.base}"


def outcome_of(meaning: Section[C, R]) -> Outcome | None:
    """The answer of the operator on given inputs; None when it has several outputs or gives no result in full. An
    optional output that is not asked for is none."""
    # Whoever applies an operator takes its result for a function of the inputs. Where the text leaves something open,
    # or gives a set of results, two applications of it may differ, and `Op(X) = Op(X)` would be proved all the same.
    outputs = [v for v in meaning.outputs if meaning.asked.get(v.name) is not FALSE]
    if len(outputs) != 1 or meaning.leaves_open or meaning.has_sets:
        return None
    result = meaning.results(outputs[0].name)
    if result is None:
        return None
    defined = and_(*(c.known for c in meaning.constraints), not_(meaning.erring))
    return Outcome(defined, result)
