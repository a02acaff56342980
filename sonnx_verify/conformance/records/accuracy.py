"""The recorded errors of a target in one version, committed: tables and histograms of documents are made of them.

A part for each type, output and class of sizes (files.py has the form of the files). No times and no paths: the same
target gives the same bytes on every machine of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct

from sonnx_verify.conformance.judgement.conformance import Conformance, Errors, Named, Sized
from sonnx_verify.conformance.records.files import RecordStore, TargetRecord
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.results.written import plain
from sonnx_verify.stores.homes import RecordPlace

_RESTORE = "restore it from version control, or delete it and create it again with --update-accuracy"
Row = Mapping[str, Any]
"""The errors for one type, output and class of sizes: as a member of `sizes` in JSON, with `type` and `output`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The errors of one operator, and what the inputs were drawn with."""

    seed: int
    random: int
    rows: tuple[Row, ...]


Recorded = TargetRecord[Entry]
"""The errors of a target, by operator."""


def _members(entry: Entry) -> dict[str, Any]:
    return {"seed": entry.seed, "random": entry.random, "rows": list(entry.rows)}


@dataclass(frozen=True)
class _Row(Errors, Sized, Named):
    pass


class _Entry(Struct):
    seed: int
    random: int
    rows: list[_Row]


def _entry(made: Mapping[str, Any]) -> Entry:
    return Entry(made["seed"], made["random"], tuple(made["rows"]))


ERRORS: RecordStore[Entry] = RecordStore(
    folder=RecordPlace("accuracy", "accuracy"),
    said="a record of errors",
    restore=_RESTORE,
    form=_Entry,
    made=_entry,
    members=_members,
    opened=4,
)


def entry_of(answer: Conformance) -> Entry:
    """The part of a record that is about one operator."""
    rows = tuple(_rows(answer))
    scope = answer.scope
    return Entry(scope["seed"], scope["random"], rows)


def _rows(answer: Conformance) -> Iterator[Row]:
    for one in answer.accuracy or ():
        for size in one.sizes:
            yield {"type": one.type, "output": one.output, **plain(size)}


def updated(root: Path, target: Target, answer: Conformance) -> dict[Path, str | None]:
    """The files that change, with their texts, by what was measured now, of all types of the operator."""
    return ERRORS.updated(root, Recorded(target.text, answer.target_version, {answer.operator: entry_of(answer)}))
