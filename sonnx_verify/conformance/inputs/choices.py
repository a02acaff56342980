"""The values of each input and attribute of a small input, and the inputs made of these, the plainest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random
from typing import Any

from sonnx_verify.conformance.inputs.special_values import plain_fill
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.sorts import INT, STRING, IntegerSort
from sonnx_verify.logic.terms import Term, placeholder, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.replay import assignment_of
from sonnx_verify.solving.inputs.values import alphabet

SHAPES: dict[tuple[int, ...], int] = {
    (): 0,
    (2,): 1,
    (1,): 1,
    (0,): 1,
    (3,): 2,
    (2, 3): 2,
    (1, 2): 1,
    (2, 1): 1,
    (2, 2): 2,
    (0, 2): 3,
    (2, 0): 3,
    (1, 1): 3,
    (1, 1, 1): 3,
    (2, 1, 3): 3,
    (0, 0): 4,
    (1, 0): 4,
    (2, 0, 3): 4,
    (2, 3, 2): 4,
}
"""The shapes of tensors, each with its distance from the plainest."""
_SMALL = {0: 0, 1: 1, -1: 1, 2: 2, -2: 2, 3: 3, -3: 3}
MEMBERS = 3
"""The most inputs of a family here."""
FARTHEST = 10
"""The distance from the plainest input at which the search ends."""

Choice = tuple[int, Any]
"""The distance from the plainest, and the value."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The values that may be chosen for the variables of an operator.

    `structural` are the tensors whose elements clauses and shapes speak of: their elements are chosen here. All others
    are filled with ordinary values.
    """

    meaning: Meaning
    structural: frozenset[str]
    facts: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, meaning: Meaning) -> Choices:
        """Those of an operator."""
        nodes = list(subterms(*_structure(meaning)))
        symbols = {n.payload for n in nodes if n.op == ops.APPLY}
        # A text that a clause compares with decides something: `auto_pad = "SAME_UPPER"`.
        texts = {str(n.payload) for n in nodes if n.op == ops.LITERAL and n.sort == STRING}
        tensors = [v for v in meaning.given if v.kind is VariableKind.TENSOR]
        structural = frozenset(v.name for v in tensors if v.symbol("read") in symbols)
        facts: list[tuple[str, str]] = []
        for variable in tensors:
            facts += [(variable.name, fact) for fact in variable.facts if variable.symbol(fact) in symbols]
        return cls(meaning, structural, tuple(facts), tuple(sorted(texts)))

    @property
    def _families(self) -> list[Variable]:
        return [v for v in self.meaning.given if v.kind is VariableKind.TENSOR and v.count is not None]

    # ------------------------------------------------------------------------------------------------------- inputs

    def inputs(self, most: int) -> Iterator[dict[str, Concrete]]:
        """Inputs, whether valid or not, those with the plainest choices first, at most `most`."""
        return islice(self._all_inputs(), most)

    def _all_inputs(self) -> Iterator[dict[str, Concrete]]:
        names = [family.name for family in self._families]
        queues = []
        for counts in product(range(1, MEMBERS + 1), repeat=len(names)):
            # Each member of a family after the first is one step from the plainest.
            queues.append((sum(counts) - len(counts), *self._columns(dict(zip(names, counts, strict=True)))))
        for far, (base, slots, columns) in product(range(FARTHEST), queues):
            for values in _of_sum(columns, far - base):
                yield self.assembled(dict(zip(slots, values, strict=True)))

    def drawn(self, draws: Random, absent: Collection[str]) -> dict[str, Concrete]:
        """An input of random choices: each step away from the plainest is half as likely. What is optional is left out
        where it is `absent`, and given where it is not."""
        optional = {v.name for v in self.meaning.given if v.optional}
        counts = {family.name: draws.choice((1, 2, 2, 3)) for family in self._families}
        names, columns = self._columns(counts)
        given: dict[str, Any] = {}
        for name, column in zip(names, columns, strict=True):
            if name in optional:
                # What can only be left out, or only given, stays so.
                column = [c for c in column if (c[1] is LEFT_OUT) is (name in absent)] or column
            given[name] = draws.choices([v for _, v in column], weights=[0.5**far for far, _ in column])[0]
        return self.assembled(given)

    def assembled(self, given: Mapping[str, Any]) -> dict[str, Concrete]:
        """A complete input of the chosen values; `lacks` is the tensor, and the fact, that fails."""
        named: dict[str, Concrete] = {n: value for n, value in given.items() if n != "lacks" and value is not LEFT_OUT}
        name, fact = given.get("lacks") or ("", "")
        tensor = named.get(name)
        if isinstance(tensor, ConcreteTensor):
            named[name] = replace(tensor, lacks=frozenset([fact]))
        return assignment_of(self.meaning, named)

    def _columns(self, members: Mapping[str, int]) -> tuple[list[str], list[list[Choice]]]:
        """The names of what is chosen, each member of a family by itself, with the choices for each; at the end the
        fact that fails, if any."""
        names: list[str] = []
        columns: list[list[Choice]] = []
        for variable in self.meaning.given:
            # The length of a family follows from its members.
            if variable.role is not VariableRole.LENGTH:
                slots = _slots(variable, members)
                names += slots
                columns += [self.of_variable(variable)] * len(slots)
        variables = {v.name: v for v in self.meaning.given}
        failing: list[Choice] = [(0, None)]
        for name, fact in self.facts:
            # Of a family the first and the last: code that looks at one member mostly looks at one of these.
            slots = _slots(variables[name], members)
            failing += [(2, (end, fact)) for end in dict.fromkeys((slots[0], slots[-1]))]
        return [*names, "lacks"], [*columns, failing]

    def of_variable(self, variable: Variable) -> list[Choice]:
        """The values of one variable, or of one member of a family of tensors."""
        made: list[Choice]
        match variable:
            case Variable(role=VariableRole.ABSENT):
                return [(0, LEFT_OUT)]
            case Variable(role=VariableRole.ASKED):
                return [(0, False), (1, True)]
            case Variable(code=int() as code):
                made = [(0, code)]
            case Variable(kind=VariableKind.TENSOR):
                made = self._tensors(variable)
            case Variable(count=None):
                made = self._numbers(variable)
            case _:
                made = list(self._lists(variable))
        if not variable.may_be_left_out:
            return made
        if variable.default is not None:
            rest = [(far + 1, value) for far, value in made if value != variable.default]
            return [(0, variable.default), (1, LEFT_OUT), *rest]
        return [(0, LEFT_OUT), *((far + 1, value) for far, value in made)]

    def _tensors(self, variable: Variable) -> list[Choice]:
        sort = variable.sort
        if variable.name not in self.structural:
            return [(far, ConcreteTensor(sort, s, plain_fill(sort, numel(s)))) for s, far in SHAPES.items()]
        made = []
        lists = self._lists(variable)
        # A list of axes has rank 1. Other ranks are there to break the clause that says so.
        made += [(far, ConcreteTensor(sort, (len(items),), items)) for far, items in lists]
        made += [(far + 1, ConcreteTensor(sort, (), items)) for far, items in lists if len(items) == 1]
        made += [(far + 2, ConcreteTensor(sort, (1, len(items)), items)) for far, items in lists]
        return made

    def _numbers(self, variable: Variable) -> list[Choice]:
        if variable.sort == INT:
            return [(far, value) for value, far in _SMALL.items()]
        if variable.sort == STRING:
            return list(enumerate(dict.fromkeys([*self.texts, "", "a"])))
        return list(enumerate(alphabet(variable.sort)))

    def _lists(self, variable: Variable) -> list[tuple[int, tuple[Any, ...]]]:
        """Lists of up to three items."""
        match variable.sort:
            case IntegerSort() as sort:
                items: list[Choice] = [
                    (far, value) for value, far in _SMALL.items() if sort.lowest <= value <= sort.greatest
                ]
            case _:
                items = self._numbers(variable)
        made: list[tuple[int, tuple[Any, ...]]] = [(1, ())]
        # Of three only the plainest: with all seven small integers there would be 343.
        for columns in ((items,), (items,) * 2, (items[:3],) * 3):
            for chosen in product(*columns):
                far = sum(own for own, _ in chosen) + len(chosen) - 1
                made.append((far, tuple(value for _, value in chosen)))
        return sorted(made, key=lambda c: c[0])


def _slots(variable: Variable, members: Mapping[str, int]) -> list[str]:
    """The name of a variable, or of each member of a family."""
    count = members.get(variable.name)
    if count is None:
        return [variable.name]
    return [f"{variable.name}{n + variable.base}" for n in range(count)]


def _structure(meaning: Meaning) -> Iterator[Term]:
    """The terms that say whether an input is valid, and of which shape its outputs are."""
    yield from meaning.arity
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        yield statement.known
    families = list(meaning.families.values())
    for family in families:
        if family.count is not None:
            yield family.count
    shapes = [*meaning.shapes.values(), *(f.shape for f in families if f.shape is not None)]
    for shape in shapes:
        yield shape.rank
        yield shape.dim(placeholder(INT))
    for item in meaning.left_open:
        # A value that is left open says nothing of validity: it may well speak of elements.
        if item.reach is not Reach.VALUE:
            yield item.when(None)
    yield from meaning.asked.values()


def _of_sum(columns: Sequence[Sequence[Choice]], far: int) -> Iterator[tuple[Any, ...]]:
    """The choices, one of each column, whose distances from the plainest add up to `far`."""
    if not columns:
        if far == 0:
            yield ()
        return
    for own, value in columns[0]:
        if own <= far:
            yield from ((value, *rest) for rest in _of_sum(columns[1:], far - own))
