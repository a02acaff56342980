"""The recorded errors of a target in one version, committed: tables and histograms of documents are made of them.

One file for each target and version, one line for each type, output and class of sizes. No times and no paths: the same
target gives the same bytes on every machine of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sonnx_verify.conformance.ledger import text_of_target
from sonnx_verify.conformance.record import Conformance, Errors, Named, Sized
from sonnx_verify.conformance.target import Target
from sonnx_verify.errors import UserError
from sonnx_verify.results.written import json_line, plain
from sonnx_verify.stores.json_file import read_json

FOLDER = Path("proofs") / "accuracy"
"""The folder of the records of a project, from its root."""
_RESTORE = "restore it from version control, or delete it and create it again with --update-accuracy"
Row = Mapping[str, Any]
"""The errors for one type, output and class of sizes: as a member of `sizes` in JSON, with `type` and `output`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The errors of one operator, and what the inputs were drawn with."""

    seed: int
    random: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The errors of a target, by operator."""

    target: str
    version: str
    operators: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file."""
        operators = [_operator(name, self.operators[name]) for name in sorted(self.operators)]
        return text_of_target(self.target, self.version, operators)


def _operator(name: str, entry: Entry) -> str:
    rows = ",\n".join(f"    {json_line(row)}" for row in entry.rows)
    listed = f"[\n{rows}\n   ]" if rows else "[]"
    settings = f'   "seed": {entry.seed},\n   "random": {entry.random},\n'
    return f'  {json_line(name)}: {{\n{settings}   "rows": {listed}\n  }}'


@dataclass(frozen=True)
class _Row(Errors, Sized, Named):
    pass


class _Entry(Struct):
    seed: int
    random: int
    rows: list[_Row]


class _File(Struct):
    target: str
    version: str
    operators: dict[str, _Entry]


def entry_of(answer: Conformance) -> Entry:
    """The part of a record that is about one operator."""
    rows = tuple(_rows(answer))
    scope = answer.scope
    return Entry(scope["seed"], scope["random"], rows)


def _rows(answer: Conformance) -> Iterator[Row]:
    for one in answer.accuracy or ():
        for size in one.sizes:
            yield {"type": one.type, "output": one.output, **plain(size)}


def place_of(root: Path, target: Target, version: str) -> Path:
    """The file of a target in a version."""
    return root / FOLDER / f"{target.slug}-{version or 'unversioned'}.json"


def read_records(root: Path) -> tuple[Recorded, ...]:
    """The records of a project, by the names of their files."""
    return tuple(map(read_record, sorted((root / FOLDER).glob("*.json"))))


def read_record(path: Path) -> Recorded:
    """The record in a file. UserError with the place where it is none."""
    place, made = read_json(path, _RESTORE)
    # People edit files, and a merge can leave anything: all that tables are made of has to be as it was written.
    try:
        msgspec.convert(made, _File)
    except msgspec.ValidationError:
        raise UserError("not a record of errors", place, _RESTORE) from None
    assert isinstance(made, dict)
    operators = {
        name: Entry(entry["seed"], entry["random"], tuple(entry["rows"])) for name, entry in made["operators"].items()
    }
    return Recorded(made["target"], made["version"], operators)


def updated(root: Path, target: Target, answer: Conformance) -> tuple[Path, str]:
    """The file and its text with what was measured now, of all types of the operator."""
    path = place_of(root, target, answer.target_version)
    operators: dict[str, Entry] = {}
    if path.exists():
        operators |= read_record(path).operators
    record = Recorded(target.text, answer.target_version, operators | {answer.operator: entry_of(answer)})
    return path, record.text()
