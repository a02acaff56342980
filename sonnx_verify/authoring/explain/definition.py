"""A definition of a library, and what theorems say of it.

In: the name of a definition. Out: plain data, in the words of the texts. Nothing is decided here: that a theorem is
proved is what `check` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import item_text
from sonnx_verify.language.places import namespace_of, shown_as, use_folders
from sonnx_verify.language.project import Project
from sonnx_verify.results.written import OfVersions


class DefinitionItem(Struct, frozen=True):
    """A definition as it is written: the library that `use` names, its file and line."""

    library: str
    file: str
    line: int
    text: str


class KnownTheorem(Struct, frozen=True):
    """A theorem that speaks of a definition: its identity without a section, its title, the theory that `use` names,
    its place, and of an axiom its source."""

    id: str
    title: str
    theory: str
    file: str
    line: int
    source: str | None


class DefinitionText(OfVersions, frozen=True):
    """The definitions of a name, one for each family or library, and the theorems that call it."""

    name: str
    definitions: Sequence[DefinitionItem]
    theorems: Sequence[KnownTheorem]


def definition_text(project: Project, name: str) -> DefinitionText | None:
    """The definitions and theorems about a name, of a definition or a function of the language, in the libraries that
    texts of the project can use; None where there are none."""
    files = list(_libraries(project))
    definitions = [
        DefinitionItem(file.name, shown_as(path, project.root), one.span.line, item_text(one.span))
        for path, file in files
        for one in file.definitions
        if one.name == name
    ]
    theorems = [
        KnownTheorem(
            f"{namespace_of(path)}.{file.name}/{one.name}",
            one.title,
            file.name,
            shown_as(path, project.root),
            one.span.line,
            one.cited,
        )
        for path, file in files
        for one in file.theorems
        if _speaks_of(one, name)
    ]
    return DefinitionText(name, definitions, theorems) if definitions or theorems else None


def _libraries(project: Project) -> Iterator[tuple[Path, s.File]]:
    """The libraries and theories that `use` finds, each name once, one's own before the installed ones."""
    seen: set[str] = set()
    for folder in use_folders(project.root / "any.sonnx", project.root):
        for path in sorted(folder.glob("*.sonnx")):
            if path.name in seen:
                continue
            try:
                file = project.files.read(path)
            except UserError:
                continue  # `check` says what is wrong with it.
            if file.kind in (s.FileKind.LIBRARY, s.FileKind.THEORY):
                seen.add(path.name)
                yield path, file


def _speaks_of(theorem: s.Theorem, name: str) -> bool:
    parts = [theorem.body] if theorem.assuming is None else [theorem.assuming, theorem.body]
    return any(isinstance(node, s.Node) and s.called(node) == name for part in parts for node in s.every(part))
