"""The texts of a project, to be read elsewhere as they are read here: obligations hold functions and cannot be sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.places import (
    installed_library,
    namespace_of,
    stand_in_for_library,
    tables,
    use_folders,
)
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName, undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record
from sonnx_verify.sources import Source, Span


@dataclass(frozen=True, slots=True)
class Texts:
    """The files that a project may read, and the obligations of it that are meant, by their numbers.

    `folder` is the current one, `root` that of the project, `library` that of the installed specifications; `texts`
    are the contents of files by their paths, `links` the files that are found under another path. `own` and `further`
    are the paths of the units, as they were given, of the project's files and of those that were named beside them.
    `names` are the file of an obligation and its identity: two files may share one.
    """

    folder: str
    root: str
    library: str
    texts: dict[str, bytes]
    links: dict[str, str]
    own: tuple[str, ...]
    further: tuple[str, ...]
    names: tuple[tuple[str, str], ...]


def texts_of(project: Project, obligations: Sequence[Obligation]) -> Texts:
    """The texts that it takes to make these obligations of the project again, as they were read for them."""
    # As they were read, not as they are now: a file may have changed since, and the obligations are of what was read.
    units = [u for u in project.every_unit() if u.file is not None]
    places = {id(_source(u.file)): str(u.place) for u in units}
    read = {u.place: _source(u.file).text for u in units}
    read |= {place: _source(file).text for place, file in project.files.parsed.items()}
    said = {**project.instead, **read}
    texts = {str(place): text.encode() for place, text in said.items() if text is not None}
    links: dict[str, str] = {}
    for path in _readable(project):
        if project.instead.get(resolved(path), "") is None:
            continue  # A file that is taken for absent is absent there too.
        here, place = os.path.abspath(path), str(resolved(path))
        if here != place:
            links[here] = place
        # A text that was read already is sent as it was read: the file may have changed since.
        with suppress(OSError):
            if place not in texts:
                texts[place] = path.read_bytes()
    own, further = _paths(project)
    return Texts(
        str(Path.cwd()),
        str(project.root.absolute()),
        str(installed_library()),
        texts,
        links,
        own,
        further,
        tuple((places[id(o.span.source)], o.id) for o in obligations),
    )


def _source(file: s.File | None) -> Source:
    assert file is not None
    assert file.span is not None
    return file.span.source


def _readable(project: Project) -> Iterator[Path]:
    """The files that the project reads, or may still read: pages, what `use` finds, the installed operators."""
    yield from (u.path for u in project.units)
    pages = ((u.path.parent, u.file.page) for u in project.every_unit() if u.file is not None)
    yield from (folder / page.name for folder, page in pages if page is not None)
    folders: set[Path] = set()
    for unit in project.every_unit():
        folders.update(use_folders(unit.path, project.root))
    for folder in sorted(folders):
        yield from folder.glob("*.sonnx")
    for root in {project.root, installed_library()}:
        yield from tables(root)
    yield from (installed_library() / "spec").rglob("*.sonnx")


def _paths(project: Project) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of the units that the project read, and of those that were read beside it."""
    own: dict[str, None] = {}
    further: dict[str, None] = {}
    for unit in project.units:
        read = project.files.parsed.get(unit.place)
        beside = unit.file is not None and (read is None or _source(read) is not _source(unit.file))
        named = further if beside else own
        named[str(unit.path)] = None
    return tuple(own), tuple(further)


class Reread:
    """The project of some texts, read from copies below a folder, and its obligations by their numbers.

    This process is in the copy of the current folder from then on, and takes the copy of the library for the installed
    one: there should be one of these in a process.
    """

    def __init__(self, texts: Texts, below: Path) -> None:
        self._below, self._names = str(resolved(below)), texts.names
        for place, data in texts.texts.items():
            self._new(place).write_bytes(data)
        # Under both paths: texts are found by the one, and told apart by the other.
        for link, place in texts.links.items():
            path = self._new(link)
            if not path.exists():
                path.symlink_to(self._path(place))
        for folder in (texts.folder, texts.root):
            self._path(folder).mkdir(parents=True, exist_ok=True)
        os.chdir(self._path(texts.folder))
        stand_in_for_library(self._path(texts.library))
        self._project = Project.of_files(self._path(texts.root), self._paths(texts.own))
        self._project.units.extend(Project.of_files(Path.cwd(), self._paths(texts.further)).units)
        self._made: dict[Key, dict[str, Obligation]] = {}

    def __getitem__(self, number: int) -> Obligation:
        """The obligation of that number. Raises KeyError where it has no such name here."""
        # By file and identity, not by counting: were a text read in another way here, a number would be another
        # obligation.
        file, identity = self._names[number]
        for unit in self._units(self._path(file)):
            if unit.file is not None and identity.startswith(unit.operator):
                if unit.key not in self._made:
                    self._made[unit.key] = {o.id: o for o in of_unit(self._project, unit)}
                if identity in self._made[unit.key]:
                    return self._made[unit.key][identity]
        raise KeyError(f"{identity} of {file}")

    def parts(self, record: Record) -> dict[str, Any]:
        """The parts of a record, with files called as they are where the texts come from."""
        parts = record.parts()
        if record.error is not None:
            parts["error"] = error = self._told(record.error)
            parts["verdict"] = undecided(VerdictName.UNKNOWN, error.message)
        return parts

    def _units(self, place: Path) -> list[Unit]:
        found = [u for u in self._project.units if u.place == place]
        return found or self._project.files.units(place, namespace_of(place))

    def _path(self, path: str) -> Path:
        """The place of a path here; one that is not absolute is below the current folder in both places."""
        if os.path.isabs(path):
            return Path(self._below + path)
        return Path(path)

    def _new(self, path: str) -> Path:
        """The place of a path here, in a folder that is there."""
        found = self._path(path)
        found.parent.mkdir(parents=True, exist_ok=True)
        return found

    def _paths(self, paths: Iterable[str]) -> list[Path]:
        return [self._path(path) for path in paths]

    def _told(self, error: UserError) -> UserError:
        span = error.span
        if span is not None:
            source = Source(self._called(span.source.name), span.source.text)
            span = Span(source, span.line, span.column, span.length)
        return type(error)(self._called(error.message), span, self._called(error.cure))

    def _called(self, text: str) -> str:
        return text.replace(self._below, "")
