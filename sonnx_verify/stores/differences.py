"""The differences of the versions of an operator, committed beside the ledger: decided once, then read.

One file for each operator, one line for each answer. A difference is found by the names of its two texts and believed
under a key of what they say (equivalence/keys.py). Nothing of it is decided when it is read: a nightly run decides all
of them anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import UNBOUNDED, UNDECIDED
from sonnx_verify.results.difference import Answer, Aspect, Difference, Row, answer_of
from sonnx_verify.results.written import json_line, plain
from sonnx_verify.stores.json_file import read_json

FOLDER = Path("proofs") / "differences"
"""The folder of the records of a project, from its root."""
UPDATE = "sonnx-verify diff --update-records"
RESTORE = f"restore it from version control, or delete it and run `{UPDATE}`"
_UNBOUNDED = "unbounded"
Names = tuple[str, str]
"""The names of two operators, the earlier one first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A difference, and the key of the texts that it was decided of."""

    key: str
    difference: Difference


def read_differences(root: Path) -> dict[Names, Entry]:
    """The recorded differences of a project. Raises UserError with the file where one is not a record."""
    found: dict[Names, Entry] = {}
    for path in sorted((root / FOLDER).glob("*.json")):
        if path.exists() and not path.is_file():
            raise UserError(f"{path} is not a file", cure=RESTORE)
        place, made = read_json(path, RESTORE)
        try:
            own: dict[Names, Entry] = {}
            for names, entry in msgspec.convert(made, dict[str, Entry]).items():
                before, after = names.split(" ")
                if not all(map(_is_meant, entry.difference.rows)) or file_of((before, after)) != path.name:
                    raise ValueError(names)
                own[before, after] = _read(entry)
            # As it is written, to the byte: nothing in it is passed over.
            if differences_text(own) != path.read_text("utf-8"):
                raise ValueError(path)
            found |= own
        except (msgspec.ValidationError, ValueError):
            raise UserError("this is not a record of differences", place, RESTORE) from None
    return found


def file_of(names: Names) -> str:
    """The name of the file that a pair is recorded in; names that differ in case share one, as on some disks."""
    return f"{names[1].rpartition('-')[0].rpartition('.')[2].lower()}.json"


def differences_text(entries: Mapping[Names, Entry]) -> str:
    """The text of the file of an operator."""
    made = [_entry_text(names, entries[names]) for names in sorted(entries)]
    return "{\n" + ",\n".join(made) + "\n}\n"


def _entry_text(names: Names, entry: Entry) -> str:
    said = plain(entry.difference)
    # Two versions of one project share its definitions, and both have a text of their own.
    del said["edited"], said["notes"]
    # A set has no order of its own.
    said["compared"] = sorted(said["compared"])
    rows = [f"    {json_line(_row(row))}" for row in said.pop("rows")]
    head = [f"   {json_line(name)}: {json_line(value)}" for name, value in said.items()]
    head.append('   "rows": [\n' + ",\n".join(rows) + "\n   ]")
    key, difference = json_line(entry.key), ",\n".join(head)
    return f'  {json_line(" ".join(names))}: {{\n  "key": {key},\n  "difference": {{\n{difference}\n  }}\n  }}'


def _row(members: dict[str, Any]) -> dict[str, Any]:
    """A row on which a review can see what changed: a scope without bound is not written out."""
    scope = _UNBOUNDED if members["scope"] == UNBOUNDED else members["scope"]
    # What is written lasts.
    return _short({**members, "what": _short(members["what"]), "scope": scope, "lasting": None})


def _read(entry: Entry) -> Entry:
    rows = [replace(row, scope=UNBOUNDED) if row.scope == _UNBOUNDED else row for row in entry.difference.rows]
    return replace(entry, difference=replace(entry.difference, rows=tuple(rows)))


def _short(members: Mapping[str, Any]) -> dict[str, Any]:
    """A record without the members that have their defaults."""
    return {name: value for name, value in members.items() if value is not None and value not in ("", [])}


def _is_meant(row: Row) -> bool:
    """Return whether an answer is what its verdict means, so that a slip of an editor is not read as a proof. Without a
    verdict the text itself decides."""
    if row.verdict is None:
        by_text = row.what.aspect in (Aspect.TEXT, Aspect.TYPES, Aspect.DECLARATIONS)
        return by_text and row.answer is not Answer.SAME and row.example is None
    if row.answer is Answer.DIFFERENT and row.example is None:
        return False
    if row.answer is not Answer.UNKNOWN and row.verdict in UNDECIDED:
        return False
    return row.answer is answer_of(row.verdict, wanted=row.what.side is not None)
