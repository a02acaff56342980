"""The documents that an editor has open, and what files say where it has not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import parse
from sonnx_verify.language.places import installed_library, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.lsp.positions import Lines
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from, read_page
from sonnx_verify.paths import resolved
from sonnx_verify.source_files import read_source, source_of
from sonnx_verify.sources import Source

_PARTS = ("spec", "proofs")
_LANGUAGES = {".sonnx": "sonnx", ".md": "markdown"}


def path_of(uri: str) -> Path | None:
    """The file of a URI; None where it names none."""
    # `untitled:` and `git:` are texts that an editor has and no file has.
    parts = urlsplit(uri)
    if parts.scheme != "file" or not parts.path or "\0" in unquote(parts.path):
        return None
    return Path(unquote(parts.path))


def uri_of(path: Path) -> str:
    """The URI of a file."""
    return path.absolute().as_uri()


def root_of(path: Path | None, folders: Iterable[Path]) -> Path:
    """The project that a file belongs to: the folder whose `spec/` or `proofs/` it lies in, else the innermost folder
    of the editor, else the installed library.

    Never just the folder of the file: that may be a home folder, all of which would be searched for texts.
    """
    if path is not None:
        # The innermost first: a project may be checked out below the `spec/` of another one.
        for folder in (f for f in path.parents if f.name in _PARTS):
            if folder.parent.joinpath("spec").is_dir():
                return folder.parent
        holding = [f for f in folders if path.is_relative_to(f) and f.is_dir()]
        if holding:
            return max(holding, key=lambda f: len(f.parts))
    return installed_library()


@dataclass(frozen=True)
class Document:
    """A text as an editor has it at some moment."""

    uri: str
    language: str
    version: int | None
    lines: Lines
    root: Path
    file: Path | None

    @property
    def path(self) -> Path:
        """The file, or, as it is in none, a place where nothing stands."""
        # The end of the URI: a file system takes names of 255 bytes, and the beginnings of URIs are alike.
        return self.file or self.root / ".unsaved" / f"{quote(self.uri, safe='')[-100:]}.{self.language}"

    @property
    def is_formal(self) -> bool:
        """True for a formal text."""
        return self.language == "sonnx"

    @property
    def shown(self) -> str:
        """The name that messages show."""
        if self.file is None:
            return self.uri
        return shown_as(self.file, self.root)

    @property
    def data(self) -> bytes:
        """The bytes that would be written to the file."""
        # JSON can write half of a surrogate pair, which UTF-8 cannot.
        return self.lines.text.encode("utf-8", "replace")

    def source(self) -> Source:
        """As a formal text. Raises SpecificationError where it is none, as for a file."""
        return source_of(shown_as(self.path, self.root), self.data)


def language_of(uri: str, said: str) -> str:
    """`sonnx`, `markdown`, or nothing for what this server has no business with."""
    # The suffix first: an editor that does not know the language calls it `plaintext`.
    suffix = Path(unquote(urlsplit(uri).path)).suffix.lower()
    if suffix in _LANGUAGES:
        return _LANGUAGES[suffix]
    if said in _LANGUAGES.values():
        return said
    return ""


@dataclass
class Desk:
    """The open documents. Whoever asks for a file is given what the editor has of it, else what is written in it."""

    folders: list[Path] = field(default_factory=list)
    encoding: str = "utf-16"
    open: dict[str, Document] = field(default_factory=dict)
    _trees: dict[str, tuple[s.File, str]] = field(default_factory=dict)

    def put(self, uri: str, language: str, version: int | None, text: str) -> Document:
        """Take note of a text."""
        before = self.open.get(uri)
        path = path_of(uri)
        # A client says the language when it opens a text, not when it changes it.
        if before is None:
            root = root_of(path, self.folders)
        else:
            root, language = before.root, before.language
        made = Document(uri, language_of(uri, language), version, Lines(text, self.encoding), root, path)
        # Threads that look through what is open go on with what was.
        self.open = {**self.open, uri: made}
        return made

    def forget(self, uri: str) -> None:
        """Forget a document that is closed."""
        self.open = {u: document for u, document in self.open.items() if u != uri}
        self._trees.pop(uri, None)

    def at(self, path: Path) -> Document | None:
        """The open document of a file."""
        key = resolved(path)
        return next((d for d in self.open.values() if d.file is not None and resolved(d.file) == key), None)

    def overlays(self) -> dict[Path, str]:
        """The formal texts that the editor has, by their paths without links; but for what is no text."""
        found: dict[Path, str] = {}
        for document in self.open.values():
            if document.is_formal:
                try:
                    found[resolved(document.path)] = document.source().text
                except SpecificationError:
                    continue
        return found

    def lines(self, path: Path) -> Lines:
        """The text of a file. Raises UserError where it cannot be read."""
        if (document := self.at(path)) is not None:
            return document.lines
        return Lines(read_source(path).text, self.encoding)

    def project(self, root: Path) -> Project:
        """A project with what the editor has of its files."""
        return Project.open(root, self.overlays())

    def tree(self, document: Document) -> tuple[s.File, str] | None:
        """The tree of an open formal text, with the text that it is of: where that cannot be read now, the last one
        that could be.

        Who types leaves a text unreadable for most of the time, and asks about names all the time.
        """
        try:
            source = document.source()
            self._trees[document.uri] = (parse(source), source.text)
        except UserError:
            pass
        return self._trees.get(document.uri)

    def page(self, path: Path) -> Page | None:
        """The page of a file, where there is one."""
        document = self.at(path)
        try:
            if document is not None:
                return page_from(document.shown, document.data, path)
            return read_page(path)
        except UserError:
            return None
