"""What each input and attribute may be in a small input, and the inputs made of these, the plainest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from sonnx_verify.conformance.cases.special import plain_fill
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable
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
"""The shapes of tensors, each with how far it is from the plainest."""
_SMALL = {0: 0, 1: 1, -1: 1, 2: 2, -2: 2, 3: 3, -3: 3}
MEMBERS = 3
"""How many inputs a family has at most here."""

Choice = tuple[int, Any]
"""How far from the plainest, and the value."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be chosen for the variables of an operator.

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
        terms = list(_structure(meaning))
        symbols = {n.payload for t in terms for n in subterms(t) if n.op == ops.APPLY}
        texts = {str(n.payload) for t in terms for n in subterms(t) if n.op == ops.LITERAL and n.sort == STRING}
        tensors = [v for v in meaning.given if v.kind == "tensor"]
        return cls(
            meaning,
            frozenset(v.name for v in tensors if v.symbol("read") in symbols),
            tuple((v.name, fact) for v in tensors for fact in v.facts if v.symbol(fact) in symbols),
            tuple(sorted(texts)),
        )

    # ------------------------------------------------------------------------------------------------------- inputs

    def inputs(self, most: int) -> Iterator[dict[str, Concrete]]:
        """Inputs, whether valid or not, those with the plainest choices first, at most so many."""
        families = [v for v in self.meaning.given if v.kind == "tensor" and v.count is not None]
        queues = []
        for counts in product(range(1, MEMBERS + 1), repeat=len(families)):
            members = dict(zip((f.name for f in families), counts, strict=True))
            names, columns = self._columns(members)
            queues.append((sum(counts) - len(counts), names, columns))
        made = 0
        for far in range(10):
            for base, names, columns in queues:
                for values in _of_sum(columns, far - base):
                    yield self.assembled(dict(zip(names, values, strict=True)))
                    made += 1
                    if made >= most:
                        return

    def drawn(self, draws: Random, absent: Collection[str]) -> dict[str, Concrete]:
        """An input of random choices: each step away from the plainest is half as likely. What is optional is left out
        where it is `absent`, and given where it is not."""
        optional = {v.name for v in self.meaning.given if v.optional}
        families = [v.name for v in self.meaning.given if v.kind == "tensor" and v.count is not None]
        counts = {name: draws.choice((1, 2, 2, 3)) for name in families}
        names, columns = self._columns(counts)
        given: dict[str, Any] = {}
        for name, column in zip(names, columns, strict=True):
            wanted = [c for c in column if name not in optional or (c[1] is LEFT_OUT) is (name in absent)] or column
            given[name] = draws.choices([v for _, v in wanted], weights=[0.5**far for far, _ in wanted])[0]
        return self.assembled(given)

    def assembled(self, given: Mapping[str, Any]) -> dict[str, Concrete]:
        """A complete input of the chosen values; `lacks` is the tensor, and the fact, that fails."""
        lacks = given.get("lacks")
        named: dict[str, Concrete] = {}
        for name, value in given.items():
            if name == "lacks" or value is LEFT_OUT:
                continue
            if lacks is not None and name == lacks[0] and isinstance(value, ConcreteTensor):
                value = replace(value, lacks=frozenset([lacks[1]]))
            named[name] = value
        return assignment_of(self.meaning, named)

    def _columns(self, members: Mapping[str, int]) -> tuple[list[str], list[list[Choice]]]:
        names, columns = [], []
        for variable in self.meaning.given:
            if variable.role == "length":
                continue
            count = members.get(variable.name)
            slots = [variable.name] if count is None else [f"{variable.name}{n + variable.base}" for n in range(count)]
            for slot in slots:
                names.append(slot)
                columns.append(self.of_variable(variable))
        failing: list[Choice] = [(0, None)]
        for name, fact in self.facts:
            count = members.get(name)
            first = next(v for v in self.meaning.given if v.name == name).base
            ends = [name] if count is None else list(dict.fromkeys([f"{name}{first}", f"{name}{first + count - 1}"]))
            failing += [(2, (end, fact)) for end in ends]
        return [*names, "lacks"], [*columns, failing]

    def of_variable(self, variable: Variable) -> list[Choice]:
        """The values of one variable, or of one member of a family of tensors."""
        match variable:
            case Variable(role="absent"):
                return [(0, LEFT_OUT)]
            case Variable(role="asked"):
                return [(0, False), (1, True)]
            case Variable(kind="tensor"):
                made = self._tensors(variable)
            case Variable(count=None):
                made = self._numbers(variable)
            case _:
                made = [(far, value) for far, value in self._lists(variable)]
        if not variable.may_be_left_out:
            return made
        if variable.default is not None:
            rest = [(far + 1, value) for far, value in made if value != variable.default]
            return [(0, variable.default), (1, LEFT_OUT), *rest]
        return [(0, LEFT_OUT), *((far + 1, value) for far, value in made)]

    def _tensors(self, variable: Variable) -> list[Choice]:
        if variable.name not in self.structural:
            return [
                (far, ConcreteTensor(variable.sort, shape, plain_fill(variable.sort, numel(shape))))
                for shape, far in SHAPES.items()
            ]
        made = []
        for shape, extra in (((None,), 0), ((), 1), ((1, None), 2)):
            for far, items in self._lists(variable):
                if shape == () and len(items) != 1:
                    continue
                sizes = tuple(len(items) if size is None else size for size in shape)
                made.append((far + extra, ConcreteTensor(variable.sort, sizes, items)))
        return made

    def _numbers(self, variable: Variable) -> list[Choice]:
        if variable.sort == INT:
            return [(far, value) for value, far in _SMALL.items()]
        if variable.sort == STRING:
            return list(enumerate(dict.fromkeys([*self.texts, "", "a"])))
        return list(enumerate(alphabet(variable.sort)))

    def _lists(self, variable: Variable) -> list[tuple[int, tuple[Any, ...]]]:
        """Lists of up to three items."""
        if variable.sort == INT or isinstance(variable.sort, IntegerSort):
            lowest = variable.sort.lowest if isinstance(variable.sort, IntegerSort) else min(_SMALL)
            items: list[Choice] = [(far, value) for value, far in _SMALL.items() if value >= lowest]
        else:
            items = self._numbers(variable)
        made: list[tuple[int, tuple[Any, ...]]] = [(1, ())]
        for count in (1, 2, 3):
            kept = items if count < 3 else items[:3]
            for chosen in product(kept, repeat=count):
                made.append((sum(far for far, _ in chosen) + count - 1, tuple(value for _, value in chosen)))
        return sorted(made, key=lambda c: c[0])


def _structure(meaning: Meaning) -> Iterator[Term]:
    """The terms that say whether an input is valid, and of which shape its outputs are."""
    yield from meaning.arity
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        yield statement.known
    for shape in meaning.shapes.values():
        yield shape.rank
        yield shape.dim(placeholder(INT))
    for item in meaning.left_open:
        if item.reach != "value":
            yield item.when(None)
    yield from meaning.asked.values()


def _of_sum(columns: Sequence[Sequence[Choice]], far: int) -> Iterator[tuple[Any, ...]]:
    """The choices, one of each column, that are so far from the plainest in all."""
    if far < 0:
        return
    if not columns:
        if far == 0:
            yield ()
        return
    for own, value in columns[0]:
        if own <= far:
            for rest in _of_sum(columns[1:], far - own):
                yield (value, *rest)
