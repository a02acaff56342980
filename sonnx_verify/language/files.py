"""The files of a project and their syntax trees, each read and parsed once. Trusted.

Once, since two readings of one file in one run could differ, if someone saves it meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.language.places import shown_as, use_folders
from sonnx_verify.language.text_names import names_in
from sonnx_verify.language.trees import tree_of
from sonnx_verify.language.versions import editions
from sonnx_verify.paths import resolved
from sonnx_verify.results.text import framed
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source, Span


@dataclass(slots=True)
class Unit:
    """A file of the project, or one version of the operator in it, read and parsed; `error` says why it could not be.

    `text` names a further text of a version; the first one is the version itself. `same_as` is the version whose text
    applies to one without its own, and `differs` says in words what is not the same.
    """

    path: Path
    shown: str
    namespace: str
    file: s.File | None = None
    error: UserError | None = None
    text: str = ""
    same_as: Unit | None = None
    differs: str = ""
    _place: Path | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> Path:
        """The path without links, looked up once."""
        self._place = self._place or resolved(self.path)
        return self._place

    @property
    def operator(self) -> str:
        """`sonnx.Max-13`, `onnx.Max-13@onnx-1.23` for a further text, `proofs.broadcast` for what has no version."""
        assert self.file is not None
        name = f"{self.namespace}.{self.file.name}"
        if self.file.version is not None:
            name += f"-{self.file.version}"
        if self.text:
            name += f"@{self.text}"
        return name

    @property
    def text_of(self) -> str:
        """The operator whose text it is: itself, or the version that applies."""
        if self.same_as is None:
            return self.operator
        return self.same_as.operator

    @property
    def note(self) -> str:
        """The other text that applies, if any, and the differences."""
        if self.same_as is None or self.same_as.file is None:
            return ""
        return f"{self.operator} uses the text of version {self.same_as.file.version}{framed(' (', self.differs, ')')}"

    @property
    def key(self) -> Key:
        """The key that tells it from every other."""
        version = None
        if self.file is not None:
            version = self.file.version
        return self.place, version, self.text


Key = tuple[Path, int | None, str]


@dataclass(slots=True)
class Files:
    """Files by their paths. `instead` are texts that stand for what is written in a file, by its path without links, or
    None for one that is not there; `parsed` are the files that were read."""

    root: Path
    instead: Mapping[Path, str | None] = field(default_factory=dict)
    closed: bool = False
    """Only those texts are there, and no file."""
    parsed: dict[Path, s.File] = field(default_factory=dict)
    _texts: dict[Path, str] = field(default_factory=dict)
    _declared: dict[Path, frozenset[str]] = field(default_factory=dict)
    _editions: dict[Path, list[s.File]] = field(default_factory=dict)
    _shown: dict[Path, str] = field(default_factory=dict)

    def text(self, path: Path) -> str:
        """The text of a file; empty where there is none, or it cannot be read: `read` says why."""
        if path not in self._texts:
            said = self.instead.get(resolved(path))
            if said is None:
                try:
                    said = read_source(path).text
                except UserError:
                    said = ""
            self._texts[path] = said
        return self._texts[path]

    def may_declare(self, path: Path, name: str) -> bool:
        """Return whether the text of a file may declare something of that name."""
        # Most texts do not even have the word.
        if name not in self.text(path):
            return False
        if path not in self._declared:
            self._declared[path] = names_in(self.text(path)).declared
        return name in self._declared[path]

    def read(self, path: Path) -> s.File:
        """The syntax tree of a file, with the differences of its versions still to be applied."""
        key = resolved(path)
        if key not in self.parsed:
            shown, text = shown_as(path, self.root), self.instead.get(key)
            source = read_source(path, shown) if text is None else Source(shown, text)
            self.parsed[key] = tree_of(source, path)
        return self.parsed[key]

    def units(self, path: Path, namespace: str) -> list[Unit]:
        """A unit for each version and text of a file."""
        key = resolved(path)
        if key not in self._editions:
            self._editions[key] = editions(self.read(path))
        if path not in self._shown:
            self._shown[path] = shown_as(path, self.root)
        units: list[Unit] = []
        for file in self._editions[key]:
            unit = Unit(path, self._shown[path], namespace, file)
            if any(u.file is not None and u.file.version == file.version for u in units):
                unit.text = file.text
            units.append(unit)
        return units

    def library(self, path: Path, name: str, span: Span) -> Path:
        """The file of a library that another file uses."""
        # The first folder that has it: beside the file before the project's, that before the installed one.
        for folder in use_folders(path, self.root):
            candidate = folder / f"{name}.sonnx"
            if self._is_there(candidate):
                return candidate
        raise complaints.unknown_library(name, span)

    def _is_there(self, path: Path) -> bool:
        key = resolved(path)
        if key in self.instead:
            return self.instead[key] is not None
        return not self.closed and path.is_file()
