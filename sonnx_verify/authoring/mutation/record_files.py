"""The files with the records of mutants: one in the folder of each operator, and one in `proofs/` for all else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from sonnx_verify.authoring.mutation.judge import Fate
from sonnx_verify.authoring.mutation.old_table import records_of_table
from sonnx_verify.authoring.mutation.reach import is_operator, name_of
from sonnx_verify.authoring.mutation.records import SETTLED, Row, Settled, TextRecord, text_of
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import files_of_project
from sonnx_verify.language.project import Project
from sonnx_verify.results.written import plain
from sonnx_verify.sources import Span
from sonnx_verify.stores.folder import write_file
from sonnx_verify.stores.homes import RecordPlace, home_of_text, is_here, written_to
from sonnx_verify.stores.json_file import place_of_key, read_json

MUTANTS = RecordPlace("mutants.json", "mutants.json")
UPDATE = "review the changes, then run `sonnx-verify mutate --update-records` and commit the files"
_RESTORE = "restore it from version control, or delete it and run `sonnx-verify mutate --update-records`"


def place_of(name: str, root: Path) -> Path:
    """The file with the record of a text, which is named as messages show it."""
    return MUTANTS.at(home_of_text(Path(name), root), root)


def read_mutants(root: Path) -> dict[str, TextRecord]:
    """The records of a project by text, from all its files. Raises UserError with the place of what is damaged, twice
    there, or in the folder of another operator."""
    found: dict[str, TextRecord] = {}
    common = MUTANTS.shared(root)
    for path in MUTANTS.every(root):
        # A dead link is no missing file: the reasons in it would be passed over.
        if not os.path.lexists(path):
            continue
        for name, record in read_file(path, root).items():
            assert record.place is not None
            if path not in (common, place_of(name, root)):
                cure = f"move the record to {from_here(place_of(name, root))}, or remove it"
                raise UserError(f"{name} is not a text of the folder {from_here(path.parent)}", record.place, cure)
            if (other := found.get(name)) is not None:
                assert other.place is not None
                raise UserError(f"{name} has a record in {other.place} too", record.place, "remove one of the two")
            found[name] = record
    return found


def from_here(path: Path) -> Path:
    """The path as messages show it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def judges_in(project: Project, records: Mapping[str, TextRecord]) -> dict[str, tuple[str, ...] | None]:
    """The judges of each text with a record. Raises UserError with the place of one that is no operator."""
    known = {name_of(unit) for unit in project.units if unit.file is not None and is_operator(unit)}
    for text, record in records.items():
        for name in record.judges or ():
            if name not in known:
                assert record.place is not None
                message = f"`judges` names {name}, which is no operator of this project"
                cure = "remove it from the list, or remove `judges`, so that all operators are asked"
                raise UserError(message, place_of_key(record.place.source, text, "judges"), cure)
    return {name: record.judges for name, record in records.items()}


def read_file(path: Path, root: Path) -> dict[str, TextRecord]:
    """The records in one file of a project, of this form or the one before it."""
    place, made = read_json(from_here(path), _RESTORE)
    if not isinstance(made, dict):
        raise UserError("this is not a file of records of mutants", place, _RESTORE)
    if "mutants" in made:
        return records_of_table(made["mutants"], place, root, _RESTORE)
    return {name: _record(name, one, place) for name, one in made.items()}


class _Text(Struct, forbid_unknown_fields=True):
    settled: dict[str, object]
    mutants: dict[str, object]
    judges: list[str] | None = None


class _Row(Struct, forbid_unknown_fields=True, omit_defaults=True):
    verdict: Fate
    by: str | None = None
    finding: str | None = None
    why: str | None = None

    def __post_init__(self) -> None:
        if self.verdict in SETTLED or (self.by is None) != (self.finding is None):
            raise ValueError(self.verdict)


def _record(name: str, made: object, place: Span) -> TextRecord:
    """The record of a text. The file may be written by hand, or merged: nothing of it is believed."""
    keys = [name]
    try:
        text = msgspec.convert(made, _Text)
        settled: dict[str, Settled] = {}
        for item, one in text.settled.items():
            keys = [name, "settled", item]
            settled[item] = msgspec.convert(one, Settled)
        rows: dict[str, Row] = {}
        for mutant, one in text.mutants.items():
            keys = [name, "mutants", mutant]
            rows[mutant] = plain(msgspec.convert(one, _Row))
    except msgspec.ValidationError as problem:
        message = f"this is not a record of mutants: {problem}"
        raise UserError(message, place_of_key(place.source, *keys), _RESTORE) from None
    judges = None if text.judges is None else tuple(text.judges)
    return TextRecord(judges, settled, rows, place_of_key(place.source, name))


def refuse_other_project(root: Path) -> None:
    """Raise UsageError where the records of a project would be written into another one."""
    if not is_here(root) and files_of_project(Path.cwd()):
        raise UsageError(f"{root} is not the project of this folder", cure="write its records from that folder")


def known_mutants(root: Path) -> dict[str, TextRecord]:
    """The records that a run is compared with: of the project, and of the current folder where that is in none."""
    found = read_mutants(root)
    own = MUTANTS.shared(Path.cwd())
    if not is_here(root) and own.exists() and not files_of_project(Path.cwd()):
        found |= read_file(own, root)
    return found


def gone(records: Iterable[str], root: Path, asked: Iterable[str] | None = None) -> list[str]:
    """The texts with a record that a project no longer has: all of them, or those of the folders of operators in which
    some texts lie that are `asked` for."""
    found = sorted(name for name in records if not (root / name).is_file())
    if asked is None:
        return found
    # What lies in no folder of an operator may belong to anybody.
    places = {place_of(name, root) for name in asked} - {MUTANTS.shared(root)}
    return [name for name in found if place_of(name, root) in places]


def write_mutants(root: Path, made: Mapping[str, TextRecord], dropped: Collection[str] = ()) -> list[Path]:
    """Write the records of some texts, each where it belongs, without those that are `dropped`. Return the files.
    Raises UserError where one cannot be written.

    The shared file comes last: if this process is killed, a record that moves to its folder is in both files, which is
    an error. In neither of them, the reasons that somebody wrote would be lost.
    """
    common = MUTANTS.shared(written_to(root))
    if not is_here(root):
        known = read_file(common, root) if common.exists() else {}
        files = {common: {**known, **made}}
    else:
        files = {common: {}}
        every = {**read_mutants(root), **made}
        for name in every.keys() - set(dropped):
            files.setdefault(place_of(name, root), {})[name] = every[name]
    written = []
    for path, records in sorted(files.items(), key=lambda one: (one[0] == common, one[0])):
        text = text_of(records)
        if not records:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_text("utf-8", "replace") != text:
            write_file(path, text)
            written.append(path)
    return written
