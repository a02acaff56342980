"""Versions of ONNX's operators without a text of their own, as the `versions.toml` of their folders describe them.
Trusted.

Such a version is the text of another one, for its own types alone: the text is copied, and what the row of the version
says is taken out or put in. Nothing after that step knows of rows, so what the version does not have is refused as it
is in any text (twins in tests/versions/test_in_force.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sonnx_verify.errors import UsageError
from sonnx_verify.language import parser
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.places import STANDARDS, VERSIONS
from sonnx_verify.language.versions import copy_of
from sonnx_verify.logic.sorts import REAL
from sonnx_verify.sources import Source

WHERE = "R_WHERE"
"""The tag of the restriction that a condition of a row becomes."""
_ABOVE = -1


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A version that is that of another text."""

    same_as: int
    """The version whose text applies."""
    types: dict[str, tuple[str, ...]] = {}
    """By type variable of that text: all element types that this version has."""
    without: dict[str, tuple[str, ...]] = {}
    """The same, where fewer are missing: those that this version lacks."""
    declares: tuple[str, ...] = ()
    """Attributes that this version declares in another way; one that the text does not read changes no result."""
    where: str = ""
    """A formula in the language of specifications: of inputs without it nothing is said, and they are refused."""

    @property
    def differs(self) -> str:
        """The differences from the text that applies, in words; empty where there is none."""
        parts = [f"without {', '.join(types)}{_of(variable)}" for variable, types in self.without.items()]
        parts += [f"only {', '.join(types)}{_of(variable)}" for variable, types in self.types.items()]
        said = []
        if parts:
            said.append(f"differs in types: {'; '.join(parts)}")
        if self.declares:
            said.append(f"declares {', '.join(self.declares)}")
        if self.where:
            said.append(f"speaks only of inputs where {self.where}")
        return "; ".join(said)


def _of(variable: str) -> str:
    return "" if variable == s.TypeWord.T else f" for {variable}"


class Versions:
    """The rows of tables, by operator and version. Raises UsageError for a table that cannot be read, or has rows of
    an operator that is not that of its folder."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.rows: dict[tuple[str, int], Row] = {}
        for path in paths:
            try:
                tables = msgspec.toml.decode(path.read_bytes(), type=dict[str, dict[str, Row | list[int]]])
                for name, table in tables.items():
                    if path.parent.name not in (STANDARDS.name, name.lower()):
                        raise ValueError(f"it has rows of {name}, which belong into the folder {name.lower()}")
                    self.rows |= {(name, int(key)): row for key, row in table.items() if isinstance(row, Row)}
            except (OSError, msgspec.MsgspecError, ValueError) as problem:
                raise UsageError(f"{path} cannot be read: {problem}", cure="mend the table, or remove it") from None


def restricted(file: s.File, version: int, row: Row, words: Collection[str]) -> s.File:
    """The text of a version that a row describes, made of the text that it names; `words` are the types that the
    operator has in ONNX at that text's version."""
    made = replace(copy_of(file), version=version, edition=f"version {version}")
    _keep_types(made, row)
    _keep_words(made, row, words)
    for item in parser.items_of(Source(VERSIONS, _written(row, version))):
        if isinstance(item, s.Declares):
            declared = made.attributes
            declared[:] = [d for d in declared if d.name != item.declaration.name]
        # Above all others: what the row says nothing of is refused before anything else is asked.
        parser.put(made, item, _ABOVE)
    made.clauses.sort(key=lambda clause: clause.place == _ABOVE, reverse=True)
    # A version of the profile refines that version of the standard.
    if made.refines is not None and made.refines.version == row.same_as:
        made.refines = replace(made.refines, version=version)
    made.expectations.clear()
    return made


def _written(row: Row, version: int) -> str:
    """The items that a row adds, in the language."""
    lines = list(row.declares)
    if row.where:
        lines.append(f'[{WHERE}] restriction "this text describes version {version} only there" : {row.where}')
    return "\n".join(lines) + "\n"


def _has(row: Row, variable: str, name: str) -> bool:
    # A section of reals is about no tensor, so a real is no type of any version.
    if name == REAL.name:
        return True
    if variable in row.types:
        return name in row.types[variable]
    return name not in row.without.get(variable, ())


def _keep_types(file: s.File, row: Row) -> None:
    """Take out the types that the version lacks, the lines of which nothing is left, and what is about them."""
    gone: set[str] = set()
    for line, names in list(file.types.items()):
        kept = [name for name in names if _has(row, file.type_variables[line], name)]
        gone |= set(names) - set(kept)
        file.types[line] = kept
        if not kept:
            for known in (file.types, file.type_variables, file.type_spans):
                del known[line]
    words = {"", *(word for line, family, _ in families(file) for word in (line, family))}
    marked: tuple[list[Any], ...] = (file.clauses, file.lets, file.rules, file.definitions)
    for items in marked:
        items[:] = [item for item in items if item.family in words]
    file.examples[:] = [e for e in file.examples if e.family in words and not gone & set(_types_in(e))]


def _types_in(example: s.Example) -> Iterator[str]:
    return (entry.value.type for entry in example.entries if isinstance(entry.value, s.TensorValue))


def _keep_words(file: s.File, row: Row, words: Collection[str]) -> None:
    """Take the types that the version lacks out of the titles that name what is outside of the model."""
    kept = []
    for clause in file.clauses:
        named = [word for word in clause.title.split() if word in words]
        lost = [word for word in named if _is_lost(row, word)]
        if clause.body is not None or not lost:
            kept.append(clause)
        elif len(lost) < len(named):
            title = " ".join(word for word in clause.title.split() if word not in lost)
            kept.append(replace(clause, title=title))
    file.clauses[:] = kept


def _is_lost(row: Row, word: str) -> bool:
    """Return whether no type variable has that type any more."""
    variables = {*row.types, *row.without}
    return bool(variables) and not any(_has(row, variable, word) for variable in variables)
