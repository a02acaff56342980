"""The texts that can play a part in the records of a file: rather too many than too few. With one too few an answer
would be recalled that an earlier text had, one too many costs time.

A text reaches another one in two ways: `use` names a file, and a name in it may be that of an operator, of any
namespace. A file that could stand for one that is reached is reached too: in the same namespace one of the same name,
or that declares the same name. The cache finds what it keeps of a file under the texts that the file reaches.

Trusted: what a file does not reach may change, and its verdicts are recalled.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import (
    files_of_project,
    installed_library,
    namespace_of,
    shown_as,
    tables,
    use_folders,
)
from sonnx_verify.language.text_names import names_in
from sonnx_verify.paths import resolved
from sonnx_verify.source_files import read_source

if TYPE_CHECKING:
    from sonnx_verify.language.items import Items

_QUOTED = re.compile(r'"([^"\n]*)"')

Name = tuple[str, str]
"""The kind of a name (file, operator, file or declaration in a namespace), and the name."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, and a hash of it with its name and the pages beside it."""

    text: str
    digest: str


@dataclass(slots=True)
class Reach:
    """The texts that can be reached from the project of a folder, or from further files that were named, as they were
    when this was made."""

    root: Path
    further: tuple[Path, ...] = ()
    _linked: bool = False
    """True if some file is found through a link: then its name is not the one that others use."""
    _texts: dict[Path, Text | None] = field(default_factory=dict)
    _by_name: dict[Name, list[Path]] = field(default_factory=dict)
    _reaches: dict[Path, frozenset[Name] | None] = field(default_factory=dict)
    _places: list[tuple[str, Path]] = field(default_factory=list)
    """Each file of the project, and each that was named, with a line that says how it was found, in their order."""

    @classmethod
    def of(cls, root: Path, files: Iterable[Path]) -> Reach:
        """The texts that the files can reach, and those of the project."""
        found = _found(root, files := tuple(files))
        made = cls(root, files, any(map(_is_link, found)))
        made._list()
        for path in sorted(set(map(resolved, found))):
            try:
                made._add(path, read_source(path).text)
            except UserError:
                # It may be read later, and say anything.
                made._add(path, None)
        return made

    def with_texts(self, instead: Mapping[Path, str | None]) -> Reach:
        """The reach with these texts in place of some files; None for a file that is not there."""
        made = Reach(self.root, self.further, self._linked, _places=self._places)
        said: dict[Path, str | None] = dict.fromkeys(self._texts)
        said |= self.texts | dict(instead)
        for path, text in sorted(said.items()):
            if path not in instead or text is not None:
                made._add(path, text)
        return made

    def _list(self) -> None:
        for what, paths in (("project", files_of_project(self.root)), ("named", self.further)):
            for path in paths:
                place = resolved(path)
                self._places.append((f"{what} {path.as_posix()} {place.as_posix()}", place))

    def _add(self, path: Path, text: str | None) -> None:
        if text is None:
            self._texts[path] = None
            return
        # Pages count by their names alone: a formal text says which page it has, and `check` reads no more of it.
        pages = [name for name in dict.fromkeys(_QUOTED.findall(text)) if _is_file(path.parent / name)]
        self._texts[path] = Text(text, _hash([shown_as(path, Path.cwd()), text, *pages]))

    def _look(self) -> None:
        """Find the names in all texts."""
        for path, text in self._texts.items():
            # `use broadcast` finds any file of that name, by folder: which one is not asked here. A new file may come
            # to stand before the one that was found, so files of one name reach each other.
            answers: set[Name] = {("file", path.stem), (f"{namespace_of(path)} file", path.name)}
            self._reaches[path] = None
            if text is not None:
                found = names_in(text.text)
                alike = {(f"{namespace_of(path)} name", name) for name in found.declared}
                # Each word counts: `Max` may be an operator or a name bound here, and to know needs elaboration.
                words = {("operator", word) for word in found.words}
                self._reaches[path] = frozenset({("file", name) for name in found.used} | words | alike | answers)
                answers |= alike | {("operator", name) for name in found.operators}
            for name in answers:
                self._by_name.setdefault(name, []).append(path)

    @property
    def texts(self) -> dict[Path, str]:
        """The text of each file, by its path without links."""
        return {path: text.text for path, text in self._texts.items() if text is not None}

    @property
    def whole(self) -> bool:
        """Return whether every file could be read."""
        return None not in self._texts.values()

    def of_file(self, path: Path) -> list[Path]:
        """The files that the records of a file rest on, itself among them."""
        if not self._reaches:
            self._look()
        found: set[Path] = set()
        todo = [resolved(path)]
        while todo:
            one = todo.pop()
            if one in found or one not in self._texts:
                continue
            found.add(one)
            # A text that cannot be read may use any other one, and so may one that is found under two names.
            names = self._reaches[one]
            if names is None or self._linked:
                return sorted(self._texts)
            todo += (p for name in names & self._by_name.keys() for p in self._by_name[name])
        return sorted(found)

    def item(self, items: Items, path: Path, name: str) -> str | None:
        """A hash of an item of a file and what it rests on, or of the whole file where it has none of that name; None
        where the file is not there."""
        among = [p for p in self.of_file(path) if self._texts[p] is not None]
        operators = {called: found for (kind, called), found in self._by_name.items() if kind == "operator"}
        if path not in among:
            return None
        return items.digest(path, name, among, operators)

    def snapshot(self) -> str | None:
        """A hash of everything that can play a part in the records of any file but the tool: all texts, with their
        namespaces and pages, whether they are of the project, were named, or are of the installed library, under which
        paths they were found, and ONNX's signatures. None where not all of it is known."""
        return self._snapshot(self._texts)

    def snapshot_of(self, path: Path) -> str | None:
        """A hash of everything that can play a part in the records of a file but the tool, as `snapshot` is one of all
        files. None where not all of it is known."""
        found = self._snapshot(self.of_file(path))
        if found is None:
            return None
        # What is called by another path is shown by it.
        return _hash([path.as_posix(), Path.cwd().as_posix(), found])

    def _snapshot(self, reached: Collection[Path]) -> str | None:
        # `transcription` compares a standard with ONNX's signatures: they decide verdicts as a text does.
        if (table := self._tables()) is None:
            return None
        root, installed = resolved(self.root), resolved(installed_library())
        said = [str(root == installed), root.as_posix(), table]
        # In their order: of two files that say the same the first one may be meant.
        among = set(reached)
        said += (how for how, place in self._places if place in among)
        for path in sorted(among):
            text = self._texts[path]
            if text is None:
                return None
            within = resolved(path).is_relative_to(installed)
            said += [path.as_posix(), namespace_of(path), str(within), text.digest]
        return _hash(said)

    def again(self) -> Reach:
        """The same, looked at now."""
        return Reach.of(self.root, self.further)

    def digest(self, path: Path) -> str | None:
        """A hash of everything that the records of a file rest on but the tool; None where not all of it is known."""
        texts = [self._texts[p] for p in self.of_file(path)]
        known = [text.digest for text in texts if text is not None]
        table = self._tables()
        if table is None or not known or len(known) < len(texts):
            return None
        installed = resolved(self.root) == resolved(installed_library())
        return _hash([shown_as(path, Path.cwd()), str(installed), table, *sorted(known)])

    def _tables(self) -> str | None:
        """ONNX's signatures, and its versions without a text; None where they cannot be read."""
        # Not an error here: whoever decides meets it, and says which file it is.
        try:
            return "\0".join(path.read_text("utf-8") for path in tables(self.root))
        except (OSError, UnicodeDecodeError):
            return None


@contextmanager
def unchanged(root: Path, further: Iterable[Path] = ()) -> Iterator[None]:
    """Raise UsageError where a text that can play a part changed during the run: what is made of several readings of it
    would say some things of the one and some of the other."""
    # Compared by text, not by time: an editor that saves the same text changes nothing.
    before = Reach.of(root, further)
    yield
    texts, now = before.texts, before.again().texts
    if other := sorted(path for path in texts.keys() | now.keys() if texts.get(path) != now.get(path)):
        raise UsageError(f"{shown_as(other[0], root)} changed during the run", cure="run it again")


def reached(root: Path, further: Iterable[Path]) -> list[Path]:
    """The files, without links, that further files can reach, and those of the project of a folder."""
    return sorted(set(map(resolved, _found(root, further))))


def _found(root: Path, further: Iterable[Path]) -> set[Path]:
    """The same, by the paths that lead to them."""
    named = (*files_of_project(root), *further)
    return {*named, *(p for folder in library_folders(named, root) for p in folder.glob("*.sonnx"))}


def _is_link(path: Path) -> bool:
    # Through a linked folder a file keeps its name, and names are what is looked for.
    return path.is_symlink() or path.name != resolved(path).name


def library_folders(named: Iterable[Path], root: Path) -> set[Path]:
    """The folders in which files of a project may find a library or an operator."""
    named = list(named)
    folders = {folder for p in named for path in (p, resolved(p)) for folder in use_folders(path, root)}
    for part in ("spec", "proofs"):
        folders |= {p.parent for p in (installed_library() / part).rglob("*.sonnx")}
    return folders


def _hash(parts: Iterable[str]) -> str:
    found = hashlib.sha256()
    # With their lengths: else the texts "ab", "c" and "a", "bc" would have one hash.
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        found.update(f"{len(data)}\n".encode() + data)
    return found.hexdigest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
