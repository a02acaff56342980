"""`diff REF`: what operators mean otherwise than in a commit, each difference with an input that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.changed import files_gone, now_and_then
from sonnx_verify.api.select import used_in
from sonnx_verify.cli.diff import DIFFERS, SAME, shown_difference
from sonnx_verify.errors import UserError
from sonnx_verify.language.applied import applied
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.language.redeclared import redeclared
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.difference import Pair, obligations_of, pair_since, types_alone
from sonnx_verify.obligations.rejecting import rejections_of
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers

_SAID = {"base": "newly accepts", "other": "newly rejects", "results": "gives another result for"}


@dataclass(frozen=True, slots=True)
class Change:
    """What of an operator is otherwise: in words, of which section, with an input that shows it; `known` is false where
    it could not be decided."""

    operator: str
    section: str
    what: str
    shown: str
    known: bool = True
    record: Record | None = None

    @property
    def witness(self) -> dict[str, object] | None:
        """The input in JSON."""
        if self.record is None:
            return None
        return example_json(example_of(self.record.counterexample or self.record.witness))

    @property
    def line(self) -> str:
        """It on one line."""
        where = f"{self.section}: " if self.section else ""
        return f"{where}{self.what} {self.shown}".rstrip()


def since(ref: str, form: str) -> int:
    """Print what operators of the project mean otherwise than in a commit. Returns 3 where something is not known."""
    asked = Asked.of(())
    with asking() as solvers:
        found = changes(ref, asked, solvers)
    if form == "json":
        click.echo(json.dumps({"ref": ref, "operators": _as_json(found)}, indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(lines(ref, found)))
    return 0 if all(one.known for changes in found.values() for one in changes) else 3


def lines(ref: str, found: dict[str, list[Change]]) -> list[str]:
    """What changed, as a person reads it."""
    made = [f"since {ref}:"]
    for operator, changed in found.items():
        same = "" if changed else ": its text, or one that it uses, changed; it means the same, proved"
        made.append(f"{operator}{same}")
        made += [f"  {one.line}" for one in changed]
    return made if found else [f"no operator's text changed since {ref}"]


def changes(ref: str, asked: Asked, solvers: Solvers) -> dict[str, list[Change]]:
    """Of each operator whose text, or what that rests on, is otherwise than in a commit, what it means otherwise; an
    empty list says that it is proved to mean the same. UsageError where there is no such commit."""
    now, then = now_and_then(ref, asked)
    after, before = (Project.open(asked.root, reach.texts, closed=True) for reach in (now, then))
    before.units.extend(Project.of_files(asked.root, files_gone(now, then), then.texts, closed=True).units)
    mine, old = _by_name(after), _by_name(before)
    unread = {unit.path for unit in before.units if unit.error is not None}
    made: dict[str, list[Change]] = {}
    for name, (unit, *more) in mine.items():
        if more or len(old.get(name, ())) > 1:
            known = ([_texts(of, one) for one in found.get(name, ())] for of, found in ((after, mine), (before, old)))
            if next(known) != next(known):
                why = "there are several texts of that name"
                made[name] = [Change(name, "", "is not compared:", why, known=False)]
        elif name not in old and unit.path in unread:
            why = f"its text could not be read in {ref}"
            made[name] = [Change(name, "", "is not compared:", why, known=False)]
        elif name not in old:
            made[name] = [_new(after, unit)]
        elif _texts(after, unit) != _texts(before, old[name][0]):
            made[name] = list(_compared(after, before, unit, old[name][0], solvers))
    broken = {unit.path: _placed(unit.error) for unit in after.units if unit.error is not None}
    lost = {units[0].path for name, units in old.items() if name not in mine}
    for path in sorted(broken.keys() - lost):
        where = shown_as(path, asked.root)
        made[where] = [Change(where, "", "is not compared:", broken[path], known=False)]
    for gone, (unit, *_) in old.items():
        if gone not in mine and unit.path in broken:
            made[gone] = [Change(gone, "", "is not compared:", broken[unit.path], known=False)]
        elif gone not in mine:
            made[gone] = [Change(gone, "", "is gone", "")]
    return made


def _new(project: Project, unit: Unit) -> Change:
    """What is said of an operator that was not there: that it is new, or that its text makes no sense."""
    try:
        of_unit(project, unit)
    except UserError as problem:
        return Change(unit.operator, "", "is new, and cannot be read:", _placed(problem), known=False)
    return Change(unit.operator, "", "is new", "")


def _placed(problem: UserError) -> str:
    """What is wrong, with its place."""
    return f"{problem.span}: {problem.message}" if problem.span is not None else problem.message


def _by_name(project: Project) -> dict[str, list[Unit]]:
    """The operators of a project. Two files may declare one."""
    found: dict[str, list[Unit]] = {}
    for unit in project.units:
        if _is_operator(unit):
            found.setdefault(unit.operator, []).append(unit)
    return found


def _is_operator(unit: Unit) -> bool:
    return unit.error is None and unit.file is not None and unit.file.version is not None


def _unfit(project: Project, unit: Unit, solvers: Solvers) -> str | None:
    """What of the old text is not shown and would have to be, for it to mean anything; None where all is well."""
    assert unit.file is not None
    names = {name for x in instances(unit.file) for name in presumed.by_refinement(project, unit, x.family)}
    found = used_in(project)
    asked = [obligation for name in sorted(names) for obligation in found(name)]
    for record in run(asked, solvers, needed_by(asked, found), 1):
        if record.error is not None:
            raise record.error
        if record.verdict.name not in GOOD:
            return f"{record.id} was {record.verdict.name}"
    return None


def _texts(project: Project, unit: Unit) -> frozenset[tuple[str, str]]:
    """What the meaning of an operator is written in: its text, what that uses, and those of operators it applies."""
    found: set[tuple[str, str]] = set()
    for one in (unit, *applied(project, unit)):
        library = project.library(one)
        spans = [one.file.span if one.file is not None else None]
        spans += [d.span for named in library.definitions.values() for d in named]
        spans += [d.span for named in (library.orders, library.generals, library.undefined) for d in named.values()]
        found |= set(library.facts.items())
        found |= {(span.source.name, span.source.text) for span in spans if span is not None}
    return frozenset(found)


def _compared(after: Project, before: Project, now: Unit, then: Unit, solvers: Solvers) -> Iterator[Change]:
    name = now.operator
    try:
        pair = pair_since(now, then, before)
        yield from _in_the_text(pair, after, before)
        if (unfit := _unfit(before, then, solvers)) is not None:
            yield Change(name, "", "is not compared:", f"{unfit} before", known=False)
            return
        asked = [(_SAID[role], role, obligation) for role, obligation in obligations_of(after, pair)]
        asked += rejections_of(after, pair)
        obligations = [obligation for _, _, obligation in asked]
        records = list(run(obligations, solvers, needed_by(obligations, used_in(after)), 1))
        for record in records:
            if record.error is not None:
                raise record.error
    except UserError as problem:
        yield Change(name, "", "is not compared:", _placed(problem), known=False)
        return
    for (what, role, _), record in zip(asked, records, strict=True):
        verdict, section = record.verdict.name, record.obligation.section
        if verdict == DIFFERS[role]:
            yield Change(name, section, what, shown_difference(pair, record), True, record)
        elif verdict != SAME[role]:
            reason = record.verdict.reason or record.note
            yield Change(name, section, f"{what} some input?", f"{verdict}: {reason}", False, record)


def _in_the_text(pair: Pair, after: Project, before: Project) -> Iterator[Change]:
    """What the two say otherwise that no input of both can show."""
    now, then = pair.base, pair.other
    assert now.file is not None
    assert then.file is not None
    for variable, (new, lost) in types_alone(pair).items():
        of = "" if variable == "T" else f"{variable} = "
        if lost:
            yield Change(now.operator, "", "is no more for", of + " ".join(lost))
        if new:
            yield Change(now.operator, "", "is now for", of + " ".join(new))
    libraries = after.library(now), before.library(then)
    for line in redeclared(now.file, then.file, pair.names, libraries):
        yield Change(now.operator, "", line, "")


def _as_json(found: dict[str, list[Change]]) -> list[dict[str, object]]:
    return [
        {
            "operator": operator,
            "same": not changed,
            "changes": [
                {
                    "section": one.section or None,
                    "what": one.what,
                    "said": one.line,
                    "known": one.known,
                    "witness": one.witness,
                }
                for one in changed
            ],
        }
        for operator, changed in found.items()
    ]
