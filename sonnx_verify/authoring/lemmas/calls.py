"""The calls in a text, those inside the definitions that it calls too, with the variables that their arguments name.

In: syntax nodes of a text that was read. Out: the arguments of each call as an author would write them outside of it:

    value Y[i] = X[i] / total(i)    and    define total(i : index) : real = sum { exp(real(X[(i with [0] = k)])) | k in
    0 .. 3 }    have    for all i in indices(Y), k in 0 .. 3 : exp(real(X[(i with [0] = k)]))

Not trusted: whatever is made of them is read and checked as if an author had written it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_verify.authoring.repair.conditions import Names, operand, reworded
from sonnx_verify.language import syntax as s

_DEEPEST = 6
"""The number of definitions inside each other that are gone through."""
_MOST = 2000
"""The number of calls up to which a text is gone through: one that is longer hides no short proof."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that a call's arguments may name, and the text of what it ranges over."""

    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a name with arguments, and the variables around it, the outer before the inner."""

    name: str
    arguments: tuple[str, ...]
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class _Around:
    """The surroundings of a part: the text to write for each name, the variables, the definitions around it."""

    names: Names = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    inside: tuple[str, ...] = ()


def calls_in(file: s.File, definitions: Mapping[str, Sequence[s.Definition]]) -> list[Called]:
    """The calls in the clauses, rules and `let` items of an operator's text, each once, in the order of the text."""
    walk = _Walk(definitions)
    for body, around in _bodies(file):
        for _ in walk.calls(body, around):
            if len(walk.found) == _MOST:
                return list(walk.found)
    return list(walk.found)


def _bodies(file: s.File) -> Iterator[tuple[s.Expression, _Around]]:
    for rule in file.rules:
        around = _Around()
        # The members of a family of outputs have no shape of one name.
        if rule.index and not rule.number:
            around = _Around(variables=(Variable(rule.index, f"indices({rule.output})"),))
        yield rule.body, around
    for clause in file.clauses:
        if clause.body is not None:
            yield clause.body, _Around()
    for let in file.lets:
        yield let.body, _Around()


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk through texts, on which each call is gone into once: ten calls in each of ten definitions are few."""

    definitions: Mapping[str, Sequence[s.Definition]]
    found: dict[Called, None] = field(default_factory=dict)

    def calls(self, node: s.Part, around: _Around) -> Iterator[Called]:
        """The calls in a part, the outer before the inner."""
        binders = s.bound_by(node)
        if binders is not None:
            around = yield from self._over(binders, around)
            assert isinstance(node, s.ForAll | s.Exists | s.Comprehension | s.Make)
            yield from self.calls(node.body, around)
            return
        for child in s.children(node):
            yield from self.calls(child, around)
        if isinstance(node, s.Call) and node.name and not node.settings:
            arguments = tuple(reworded(argument, around.names) for argument in node.arguments)
            call = Called(node.name, arguments, around.variables)
            if call in self.found:
                return
            self.found[call] = None
            yield call
            if node.name not in around.inside and len(around.inside) < _DEEPEST:
                for definition in self.definitions.get(node.name, ()):
                    yield from self._within(definition, arguments, around)

    def _over(self, binders: s.Binders, around: _Around) -> Generator[Called, None, _Around]:
        """The calls in the domains and the condition of binders; then what their bodies see."""
        for binder in binders.binders:
            yield from self.calls(binder.domain, around)
            around = _bound(around, binder.name, reworded(binder.domain, around.names))
        if binders.where is not None:
            yield from self.calls(binders.where, around)
        return around

    def _within(self, definition: s.Definition, arguments: Sequence[str], around: _Around) -> Iterator[Called]:
        parameters = [parameter.name for parameter in definition.parameters]
        if len(parameters) != len(arguments):
            return
        names = dict(zip(parameters, map(operand, arguments), strict=True))
        inner = _Around(names, around.variables, (*around.inside, definition.name))
        by = definition.recursion
        if by is not None:
            inner = _bound(inner, by.on, f"{by.start} .. {names[by.on]}")
        yield from self.calls(definition.body, inner)


def _bound(around: _Around, name: str, domain: str) -> _Around:
    """The inside of a binder: its variable has another name where one around it has that already."""
    taken = {variable.name for variable in around.variables}
    fresh, number = name, 1
    while fresh in taken:
        number += 1
        fresh = f"{name}{number}"
    return _Around({**around.names, name: fresh}, (*around.variables, Variable(fresh, domain)), around.inside)
