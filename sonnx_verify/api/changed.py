"""The obligations that a difference touches: those that say something else than they did, and those that rest on them.

Trusted as far as a run says `skipped`: an obligation is left out only if its own text, and the text of all that it can
read, are what they were. In doubt nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sonnx_verify.api.asked import NO_SPECIFICATION, Asked
from sonnx_verify.api.history import History, has_links
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.items import Items
from sonnx_verify.language.places import files_of_project, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach, library_folders
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.paths import resolved
from sonnx_verify.results.answer_json import ChangedJson
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import in_line


@dataclass(slots=True)
class Changed:
    """The part of what was asked for that a difference touches. `files` counts those that it does not touch at all,
    `obligations` those of the other files that it leaves as they were."""

    ref: str
    asked: Asked
    files: int = 0
    obligations: int = 0
    everything: bool = False
    """True if something changed on which all of it may depend."""
    gone: tuple[str, ...] = ()
    """The files that are there no more, as messages show them."""

    def lines(self) -> list[str]:
        """Say what was left out, and why."""
        if self.gone:
            return [f"gone since {self.ref}: {in_line(', '.join(self.gone))}", *replace(self, gone=()).lines()]
        if self.everything:
            return [f"skipped nothing: files other than specifications changed since {self.ref}"]
        if not self.asked.files and not self.files:
            return [NO_SPECIFICATION]
        lines = []
        if self.files:
            lines.append(f"skipped {counted_text(self.files, 'file')}, for which nothing changed since {self.ref}")
        if self.obligations:
            what = counted_text(self.obligations, "obligation that says", "obligations that say")
            lines.append(f"skipped {what} the same as in {self.ref}")
        return lines or [f"skipped nothing: all of it changed since {self.ref}"]

    def json(self) -> ChangedJson:
        """The same in JSON."""
        return ChangedJson(self.ref, self.files, self.obligations, list(self.gone))


def changed_since(ref: str, asked: Asked) -> Changed:
    """The part of `asked` that differs from a commit of the repository that the project is in. Raises UsageError where
    there is no such commit, or no repository."""
    # A pattern may match what is new and miss what it was called before; then a run would say that nothing changed.
    if asked.patterns:
        raise UsageError("--changed and a pattern of identities do not go together", cure="name files, or nothing")
    history = History.of(ref, asked.root)
    now, then = now_and_then(history, asked)
    lost = tuple(shown_as(path, asked.root) for path in files_gone(now, then))
    # What is found through a link may have another history, and so may all that rests on what is no specification.
    if has_links(asked.root) or history.others_differ(now.texts):
        return Changed(ref, asked, everything=True, gone=lost)
    # A file from elsewhere has no history here: it is checked whole.
    further = set(asked.further)
    mine = [p for p in asked.whole if p not in further]
    whole = [p for p in asked.whole if p in further]

    def is_touched(path: Path) -> bool:
        # Without a digest something that the file rests on cannot be read, which has to be told.
        digest = now.digest(path)
        return digest is None or digest != then.digest(path)

    touched = [p for p in mine if is_touched(p)]
    files = [p for p in asked.whole if p in further or p in touched]
    made = Changed(ref, replace(asked, whole=whole, files=files), files=len(mine) - len(touched), gone=lost)
    if not touched:
        return made
    project = Project.open(asked.root, now.texts)
    project.units.extend(Project.of_files(Path.cwd(), asked.further, now.texts).units)
    every = _obligations(project, touched)
    items_now, items_then = Items.of(now.texts), Items.of(then.texts)

    def differs(path: Path, unit: Unit, obligation: Obligation) -> bool:
        # Each item of an operator's text counts for each of its obligations: whether C1 is redundant depends on C2. A
        # theorem depends on itself and on what it names, of a library or theory with many other items.
        name = ""
        if unit.file is not None and unit.file.version is None:
            name = obligation.tag
        key = resolved(path)
        return now.item(items_now, key, name) != then.item(items_then, key, name)

    other: set[str] = set()
    listed: list[Obligation] = []
    for path, found in every.items():
        for unit, obligation in found or ():
            listed.append(obligation)
            if differs(path, unit, obligation):
                other.add(obligation.id)
    other = _with_what_rests_on(other, listed)
    for path, found in every.items():
        if found is None:
            made.asked.whole.append(path)
            continue
        own = [obligation.id for _, obligation in found]
        picked = [identity for identity in own if identity in other]
        made.asked.picked[path] = frozenset(picked)
        made.obligations += len(own) - len(picked)
    return made


def _with_what_rests_on(changed: set[str], obligations: Iterable[Obligation]) -> set[str]:
    """The identities with those that rest on them, directly or through others: a verdict holds under the verdicts of
    what it uses or presumes, so it is decided again if one of those is."""
    listed, found, size = list(obligations), set(changed), 0
    # Each round adds those one step further away; it ends when a round adds none.
    while size < len(found):
        size = len(found)
        found |= {o.id for o in listed if not found.isdisjoint((*o.uses, *o.presumes))}
    return found


def projects_since(ref: str, asked: Asked) -> tuple[Project, Project]:
    """The project as it is, and as it was in a commit, with the files that are gone by now. Raises UsageError where
    there is no such commit."""
    now, then = now_and_then(History.of(ref, asked.root), asked)
    after, before = (Project.open(asked.root, reach.texts, closed=True) for reach in (now, then))
    # `open` lists the files that are there now; an operator that was removed has to be seen as removed.
    before.units.extend(Project.of_files(asked.root, files_gone(now, then), then.texts, closed=True).units)
    return after, before


def files_gone(now: Reach, then: Reach) -> list[Path]:
    """The files of the project that were there in a commit and are not now."""
    return sorted(then.texts.keys() - now.texts.keys())


def now_and_then(history: History, asked: Asked) -> tuple[Reach, Reach]:
    """The texts as they are, and as they were in a commit."""
    now = Reach.of(asked.root, asked.further)
    before = history.texts(library_folders([*files_of_project(asked.root), *asked.further], asked.root))
    # What is not in the commit was not there; what is not in the repository is as it always was.
    further = set(map(resolved, asked.further))
    instead: dict[Path, str | None] = {}
    for path in now.texts:
        if path.is_relative_to(history.top) and path not in further:
            instead[path] = None
    return now, now.with_texts({**instead, **before})


def _obligations(project: Project, paths: Iterable[Path]) -> dict[Path, list[tuple[Unit, Obligation]] | None]:
    """The obligations of each file; None where there is a mistake in it, which has to be told."""
    named = {resolved(p): p for p in paths}
    found: dict[Path, list[tuple[Unit, Obligation]] | None] = {p: [] for p in named.values()}
    for unit in project.units:
        path = named.get(unit.place)
        if path is None:
            continue
        listed = found[path]
        if listed is None:  # one mistake is enough for the file to be checked whole
            continue
        try:
            if unit.error is not None:
                raise unit.error
            listed.extend((unit, obligation) for obligation in of_unit(project, unit))
        except UserError:
            found[path] = None
    return found
