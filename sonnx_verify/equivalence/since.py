"""The operators of a project, each compared with what it was in another state of that project.

In: the project as it is and as it was, both closed, so that nothing else is read. Out: the operators whose text, or
what that rests on, is otherwise, each with its difference. Which text was which is told by the name of the operator:
where two have one name nothing is compared, and nothing is said to be the same.
"""

from __future__ import annotations

from sonnx_verify.equivalence.difference import decide_change, gone, new, placed, uncompared
from sonnx_verify.equivalence.states import mistake_in
from sonnx_verify.language.applied import applied
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.results.difference import Difference
from sonnx_verify.solving.solvers import Solvers


def differences_since(ref: str, after: Project, before: Project, solvers: Solvers) -> dict[str, Difference]:
    """The differences by the names of operators; `ref` is what the other state is called. A file that cannot be read
    and had no operator before stands among them by its name."""
    mine, old = _by_name(after), _by_name(before)
    unread = {unit.path for unit in before.units if unit.error is not None}
    made: dict[str, Difference] = {}
    for name, units in mine.items():
        were = old.get(name, [])
        if len(units) > 1 or len(were) > 1:
            if [_texts(after, unit) for unit in units] != [_texts(before, unit) for unit in were]:
                made[name] = uncompared(name, "there are several texts of that name")
        elif were:
            if _texts(after, units[0]) != _texts(before, were[0]):
                made[name] = decide_change(after, units[0], before, were[0], solvers)
        elif units[0].path in unread:
            made[name] = uncompared(name, f"its text could not be read in {ref}")
        else:
            made[name] = new(name, mistake_in(after, units[0]))
    broken = {unit.path: placed(unit.error) for unit in after.units if unit.error is not None}
    lost = {name: units[0].path for name, units in old.items() if name not in mine}
    for path in sorted(broken.keys() - set(lost.values())):
        where = shown_as(path, after.root)
        made[where] = uncompared(where, broken[path])
    for name, path in lost.items():
        # The operator of a file that cannot be read is neither gone nor there.
        made[name] = uncompared(name, broken[path]) if path in broken else gone(name)
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
    for one in (unit, *applied(project, unit)):
        library = project.library(one)
        spans = [one.file.span if one.file is not None else None]
        spans += [d.span for named in library.definitions.values() for d in named]
        spans += [d.span for named in (library.orders, library.generals, library.undefined) for d in named.values()]
        found |= set(library.facts.items())
        found |= {(span.source.name, span.source.text) for span in spans if span is not None}
    return frozenset(found)
