"""The operators and obligations that a command line names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.names import fixed_part, may_hold
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.named import read_at_once, without_text
from sonnx_verify.language.places import files_of_project, installed_library, shown_as, use_folders
from sonnx_verify.language.project import Project
from sonnx_verify.language.text_names import names_in
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.by_file import ByFile
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.mistakes import add_once, mistakes_of
from sonnx_verify.solving.check.needed import Recall, decided_earlier, needed_in, nothing_recalled
from sonnx_verify.source_files import read_source


@dataclass(slots=True)
class Selection:
    """The obligations that were asked for, by their files, and the errors of files that were asked for too."""

    project: Project
    of_files: dict[Path, list[Obligation]] = field(default_factory=dict)
    errors: list[UserError] = field(default_factory=list)
    failed: set[Path] = field(default_factory=set)
    """The files that errors are in."""
    unchecked: set[Path] = field(default_factory=set)
    """Those of them that were asked for."""
    collected: dict[Key, list[Obligation]] = field(default_factory=dict)
    """All obligations of the units that were asked for as a whole."""

    @property
    def obligations(self) -> list[Obligation]:
        """All of them, in the order of the files and their texts."""
        return list(chain.from_iterable(self.of_files.values()))

    def replace(self, path: Path, others: Mapping[str, Obligation]) -> None:
        """Take others, by their identities, for obligations of a file."""
        self.of_files[path] = [others.get(one.id, one) for one in self.of_files[path]]
        for key, listed in self.collected.items():
            if key[0] == resolved(path):
                self.collected[key] = [others.get(one.id, one) for one in listed]

    def needed(self, recall: Recall = nothing_recalled) -> list[Obligation]:
        """The others that the obligations use. Raises UserError where they use each other in a circle."""
        return needed_in(self.project, self.obligations, recall, self.collected)


def select(what: Sequence[str], *, at_once: bool = False) -> Selection:
    """Paths and patterns of identities to obligations; of texts that are all read now where `at_once`. Raises
    UsageError for what names nothing."""
    asked = Asked.of(what, installed=True)
    texts, whole = None, False
    if at_once:
        texts, whole = read_at_once(asked.root, asked.further)
    selection = selected(asked, texts=texts, closed=whole)
    # The identities of a text with a mistake are not known: a pattern that matches none of the others may be right.
    if not selection.errors:
        asked.refuse_unmatched(obligation.id for obligation in selection.obligations)
    return selection


def selected(
    asked: Asked, without: Collection[Path] = (), texts: Mapping[Path, str] | None = None, *, closed: bool = True
) -> Selection:
    """The obligations of what is asked for, but those of some files. `texts`, where they are given, are what files say;
    where they are `closed`, there are no others."""
    closed = closed and texts is not None
    project = Project.open(asked.root, texts, closed=closed)
    further = Project.of_files(Path.cwd(), asked.further, texts, closed=closed)
    project.units.extend(further.units)
    project.units.extend(without_text(project, asked.patterns))
    selection = Selection(project)
    whole = set(asked.whole)
    for unit in project.units:
        if unit.path in without:
            continue
        is_whole = unit.path in whole
        # To elaborate the whole library takes four seconds: a pattern of one operator does not wait for that.
        if not is_whole and unit.path not in asked.picked and not may_hold(unit, asked.patterns):
            continue
        report = is_whole or _is_named(unit, asked.patterns)
        found = _obligations(selection, unit, report=report)
        if is_whole and found:
            selection.collected[unit.key] = found
        is_wanted = asked.wanted_in(unit.path)
        selection.of_files.setdefault(unit.path, []).extend(o for o in found if is_wanted(o.id))
    return selection


def by_file(
    asked: Asked, new: Sequence[Path], texts: Mapping[Path, str] | None, recall: Recall, *, closed: bool
) -> ByFile:
    """The `new` files among those that are asked for, to be checked file by file."""
    # What they use stands in the project, or in the installed library, or is found there through a link.
    files = list(new)
    places = {resolved(path) for path in new}
    for path in (*asked.files, *files_of_project(asked.root), *files_of_project(installed_library())):
        if resolved(path) not in places:
            places.add(resolved(path))
            files.append(path)
    # Each process makes obligations of its own: all of the texts as they are now, and no file that comes later.
    read = dict(texts or {})
    unread: dict[Path, UserError] = {}
    for path in files:
        place = resolved(path)
        if place not in read:
            shown = shown_as(path, asked.root)
            try:
                text = read_source(path, shown).text
                if closed:
                    raise UserError(f"{shown} changed while it was read", cure="run the command again")
                read[place] = text
            except UserError as error:
                unread[place] = error
        for used in _used_by(path, asked.root, read.get(place) or ""):
            if resolved(used) not in places:
                places.add(resolved(used))
                files.append(used)
    project = Project.open(asked.root, read, closed=True)
    # Messages name a file as it was found first, whichever process comes to it first under another path.
    first: dict[Path, Path] = {}
    for path in asked.files:
        if first.setdefault(resolved(path), path) is not path:
            with suppress(UserError):
                project.files.read(first[resolved(path)])

    def known(path: Path) -> list[Obligation] | None:
        told = recall(path)
        # The theorems that its text does not name are not among the files: it is decided again, as it stands.
        if told is None or any(one.lemmas for one in told):
            return None
        return list(decided_earlier(told))

    return ByFile(project, files, len(new), known, unread)


def _used_by(path: Path, root: Path, text: str) -> Iterator[Path]:
    """The files that a text may use by the names that it says."""
    names = names_in(text).used
    for folder in use_folders(path, root) if names else ():
        yield from (found for name in names if (found := folder / f"{name}.sonnx").is_file())


def _obligations(selection: Selection, unit: Unit, *, report: bool) -> list[Obligation]:
    try:
        if unit.error is not None:
            raise unit.error
        return of_unit(selection.project, unit)
    except UserError as error:
        if report:
            selection.unchecked.add(unit.path)
            for mistake in mistakes_of(selection.project, unit, error):
                add_once(selection.errors, mistake)
        selection.failed.add(unit.path)
    return []


def _is_named(unit: Unit, patterns: Sequence[str]) -> bool:
    """True if a pattern speaks of the unit's obligations: where a mistake hides them, that is the answer."""
    if unit.file is None:
        return any(_may_be_named(unit, fixed_part(pattern)) for pattern in patterns)
    for pattern in patterns:
        fixed = fixed_part(pattern)
        if fixed == unit.operator or fixed.startswith(f"{unit.operator}."):
            return True
        if re.search(r"[*?\[]", pattern) and unit.operator.startswith(fixed):
            return True
    return False


def _may_be_named(unit: Unit, fixed: str) -> bool:
    """True if identities that begin so can be of a text that cannot be read, by what it declares; of one without a word
    that can be read, by its namespace. Else a pattern would find nothing wrong in what was not looked at."""
    declared: Collection[str] = ()
    if unit.error is not None and unit.error.span is not None:
        declared = names_in(unit.error.span.source.text).declared
    for name in declared or ("",):
        begun = f"{unit.namespace}.{name}"
        rest = fixed.removeprefix(begun)
        # Behind the name a version, a section or a tag: `user.Ex-1` is none of `user.E`.
        if begun.startswith(fixed) or (rest != fixed and (not name or rest[0] in "-.@/")):
            return True
    return False


def one(identity: str, *, at_once: bool = False) -> tuple[Selection, Obligation]:
    """The obligation of that identity; of texts that are all read now where `at_once`. Raises UsageError when there is
    none, or several."""
    selection = select([identity], at_once=at_once)
    every = selection.obligations
    # An identity is a pattern too, and may be the beginning of others; written in full it means itself.
    found = [o for o in every if o.id == identity] or every
    if not found and selection.errors:
        raise selection.errors[0]
    if len(found) != 1:
        listed = ", ".join(o.id for o in found[:6])
        raise UsageError(f"{identity} names {len(found)} obligations: {listed}", cure="write one identity in full")
    return Selection(selection.project, {path: found for path in list(selection.of_files)[:1]}), found[0]
