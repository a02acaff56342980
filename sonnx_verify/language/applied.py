"""The operators that a text applies: by their names, also through definitions and the operators themselves. Trusted.

A statement rests on the texts of the operators in it, so an answer that is kept for it has to be forgotten when one of
them changes. Too many of them cost time, one too few would recall an answer to another question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Library
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS
from sonnx_verify.language.project import Project


def applied(project: Project, unit: Unit, nodes: Iterable[s.Expression] | None = None) -> list[Unit]:
    """The operators that these expressions of a unit apply, or its whole text, and those that these apply."""
    if nodes is None:
        return _with_theirs(project, _of_text(project, unit))
    return _with_theirs(project, _direct(project, project.library(unit), nodes))


def _with_theirs(project: Project, units: Iterable[Unit]) -> list[Unit]:
    found: dict[object, Unit] = {}
    todo = list(units)
    while todo:
        one = todo.pop(0)
        if one.key not in found:
            found[one.key] = one
            todo.extend(_of_text(project, one))
    return list(found.values())


def _of_text(project: Project, unit: Unit) -> list[Unit]:
    if unit.key not in project.applied:
        assert unit.file is not None
        project.applied[unit.key] = list(_direct(project, project.library(unit), _nodes(unit.file)))
    return project.applied[unit.key]


def _nodes(file: s.File) -> Iterator[s.Expression]:
    """The expressions of an operator that say what it does."""
    for declaration in (*file.inputs, *file.attributes):
        yield from (n for n in (declaration.low, declaration.high, declaration.where) if n is not None)
    yield from (c.body for c in file.clauses if c.body is not None)
    yield from (let.body for let in file.lets)
    yield from (rule.body for rule in file.rules)


def _direct(project: Project, library: Library, nodes: Iterable[s.Node]) -> Iterator[Unit]:
    """The operators whose names are called, in these expressions and in the definitions and orders that can be met."""
    # By the spelling of a call alone, since nothing is elaborated here; and of every order that could be used, as the
    # text of a fold may only name it.
    known = FUNCTIONS | CONVERSIONS
    seen: set[str] = set()
    todo = list(nodes)
    for order in library.orders.values():
        todo += [order.body, *(one.condition for one in order.classes)]
    while todo:
        node = todo.pop()
        todo.extend(s.children(node))
        name = s.called(node)
        if not name or name in seen or name in known:
            continue
        seen.add(name)
        if name in library.definitions:
            todo.extend(d.body for d in library.definitions[name])
        elif name not in library.orders and (unit := project.operator(name)) is not None:
            yield unit
