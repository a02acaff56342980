"""The operators of a project, each compared with what it was in another state of that project.

In: the project as it is and as it was, both closed, so that nothing else is read. Out: the operators whose text, or
what that rests on, is otherwise, each with its difference. Which text was which is told by the name of the operator:
where two have one name nothing is compared, and nothing is said to be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sonnx_verify.equivalence.difference import decide_change, gone, new, placed, uncompared
from sonnx_verify.equivalence.states import mistake_in
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applied import applied
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.results.difference import Difference
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Span


@dataclass(frozen=True, slots=True)
class Differing:
    """An operator whose text, or a text that it uses, changed, or a file that cannot be read; `decide` computes the
    difference, which may take a while."""

    name: str
    decide: Callable[[Solvers], Difference]


def differing_since(ref: str, after: Project, before: Project) -> list[Differing]:
    """The operators of both projects whose texts are not the same; `ref` is what the other state is called. A file that
    cannot be read and had no operator before stands among them by its name. Nothing is decided yet."""
    mine, old = _by_name(after), _by_name(before)
    unread = {unit.path for unit in before.units if unit.error is not None}
    made: list[Differing] = []
    for name, units in mine.items():
        were = old.get(name, [])
        # The same words mean the same: nothing is asked of a text that rests on the very texts it rested on.
        if [_texts(after, unit) for unit in units] == [_texts(before, unit) for unit in were]:
            continue
        if len(units) > 1 or len(were) > 1:
            made.append(_known(uncompared(name, "there are several texts of that name"), name))
        elif were:
            made.append(Differing(name, partial(_change, after, units[0], before, were[0])))
        elif units[0].path in unread:
            made.append(_known(uncompared(name, f"its text could not be read in {ref}"), name))
        else:
            made.append(_known(new(name, mistake_in(after, units[0])), name))
    return [*made, *(_known(found, name) for name, found in _lost(after, old, mine).items())]


def _change(after: Project, now: Unit, before: Project, then: Unit, solvers: Solvers) -> Difference:
    """The difference of an operator that was there before, with the shared definitions that were edited."""
    was = {name: form for name, form, _ in _definitions(before, then)}
    edited = [f"`{name[0]}` ({span})" for name, form, span in _definitions(after, now) if was.get(name) != form]
    return replace(decide_change(after, now, before, then, solvers), edited=tuple(dict.fromkeys(edited)))


def _definitions(project: Project, unit: Unit) -> Iterator[tuple[tuple[str, str], object, Span]]:
    """The definitions and orders that an operator can use: name and family, what each says, and its place."""
    for library in map(project.library, (unit, *applied(project, unit))):
        for d in chain.from_iterable(library.definitions.values()):
            yield (d.name, d.family), (s.form(d.body), str(d.result)), d.span
        for order in library.orders.values():
            classes = [s.form(c.condition) for c in order.classes]
            yield (order.name, order.family), (s.form(order.body), classes), order.span


def _known(found: Difference, name: str) -> Differing:
    """One whose difference needs no solver."""
    return Differing(name, lambda _: found)


def _lost(after: Project, old: dict[str, list[Unit]], mine: dict[str, list[Unit]]) -> dict[str, Difference]:
    """The operators that are not there any more, and the files that cannot be read."""
    broken = {unit.path: placed(unit.error) for unit in after.units if unit.error is not None}
    lost = {name: units[0].path for name, units in old.items() if name not in mine}
    made: dict[str, Difference] = {}
    for path in sorted(broken.keys() - set(lost.values())):
        where = shown_as(path, after.root)
        made[where] = uncompared(where, broken[path])
    for name, path in lost.items():
        # The operator of a file that cannot be read is neither gone nor there.
        if path in broken:
            made[name] = uncompared(name, broken[path])
        else:
            made[name] = gone(name)
    return made


def _by_name(project: Project) -> dict[str, list[Unit]]:
    """The operators of a project. Two files may declare one."""
    found: dict[str, list[Unit]] = {}
    for unit in project.units:
        if unit.error is None and unit.file is not None and unit.file.version is not None:
            found.setdefault(unit.operator, []).append(unit)
    return found


def _texts(project: Project, unit: Unit) -> frozenset[tuple[str, str]]:
    """The texts that an operator is written in: its own, those that it uses, those of operators that it applies."""
    found: set[tuple[str, str]] = set()
    # Whole files: too much is compared rather than too little, and then both are asked.
    for one in (unit, *applied(project, unit)):
        library = project.library(one)
        spans: list[Span | None] = []
        if one.file is not None:
            spans.append(one.file.span)
        for overloads in library.definitions.values():
            spans += [definition.span for definition in overloads]
        spans += [order.span for order in library.orders.values()]
        spans += [general.span for general in library.generals.values()]
        spans += [undefined.span for undefined in library.undefined.values()]
        # A fact has a sentence and no place.
        found |= set(library.facts.items())
        found |= {(span.source.name, span.source.text) for span in spans if span is not None}
    return frozenset(found)
