"""The differences of the versions of an operator, committed in its folder: decided once, then read.

One file for each operator, one line for each answer. A pair of texts belongs to the later one; that of an operator
without a folder is in `proofs/`, and so may be one that was recorded before there was a folder. A difference is found
by the names of its two texts and believed under a key of what they say (equivalence/keys.py). Nothing of it is decided
when it is read: a nightly run decides all of them anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import UNBOUNDED, UNDECIDED
from sonnx_verify.results.difference import Answer, Aspect, Difference, Row, answer_of
from sonnx_verify.results.written import json_wrapped, plain
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import RecordPlace, home_of
from sonnx_verify.stores.json_file import place_of_key, read_json

_PLACE = RecordPlace("differences.json", "differences")
"""A file in the folder of an operator; a folder of the files of others."""
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


@dataclass(frozen=True, slots=True)
class Differences:
    """The recorded differences of a project, and the file of each."""

    entries: dict[Names, Entry] = field(default_factory=dict)
    places: dict[Names, Path] = field(default_factory=dict)


def place_of(names: Names, root: Path) -> Path:
    """The file that a pair is recorded in."""
    home = home_of(names[1], root)
    return _shared_place(names, root) if home is None else home / _PLACE.own


def _shared_place(names: Names, root: Path) -> Path:
    # Names that differ in case share a file, as on some disks.
    return _PLACE.shared(root) / f"{names[1].rpartition('-')[0].rpartition('.')[2].lower()}.json"


def files_of(root: Path) -> Iterator[Path]:
    """All files of a project with differences."""
    *own, shared = _PLACE.every(root)
    yield from (path for path in own if path.exists())
    yield from sorted(shared.glob("*.json"))


def files_about(names: Names, root: Path) -> Iterator[Path]:
    """The files in which a pair may be recorded, in the order of the names or the other one."""
    every = (place for pair in (names, names[::-1]) for place in (place_of(pair, root), _shared_place(pair, root)))
    yield from (path for path in dict.fromkeys(every) if path.exists())


def read_differences(root: Path, paths: Iterable[Path]) -> Differences:
    """The recorded differences in some files of a project. Raises UserError with the place where one is not a record,
    is of another operator than its file, or is in two files."""
    found = Differences()
    for path in paths:
        start, made = read_json(path, RESTORE)
        own = _entries(made, start)
        for names in own:
            line = place_of_key(start.source, " ".join(names))
            if path not in (place := place_of(names, root), _shared_place(names, root)):
                problem = f"the difference of {' and '.join(names)} is not of this file"
                raise UserError(problem, line, f"move it to {place.relative_to(root).as_posix()}")
            if (other := found.places.setdefault(names, path)) != path:
                problem = f"the difference of {' and '.join(names)} is also in {other.relative_to(root).as_posix()}"
                raise UserError(problem, line, "delete it in one of the two")
        # As it would be written, in this layout or another: nothing in it is passed over.
        if _compact(made) != _written(own):
            raise _not_a_record(start)
        found.entries.update(own)
    return found


def _entries(made: object, start: Span) -> dict[Names, Entry]:
    try:
        every = msgspec.convert(made, dict[str, Any])
    except msgspec.ValidationError:
        raise _not_a_record(start) from None
    own: dict[Names, Entry] = {}
    for names, one in every.items():
        try:
            before, after = names.split(" ")
            entry = msgspec.convert(_complete(deepcopy(one)), Entry)
        except (msgspec.ValidationError, ValueError, TypeError, AttributeError, LookupError):
            raise _not_a_record(place_of_key(start.source, names)) from None
        if not all(map(_is_meant, entry.difference.rows)):
            raise _not_a_record(place_of_key(start.source, names))
        own[before, after] = _read(entry)
    return own


def _not_a_record(place: Span) -> UserError:
    return UserError("this is not a record of differences", place, RESTORE)


def differences_text(entries: Mapping[Names, Entry]) -> str:
    """The text of the file of an operator."""
    return json_wrapped(_written(entries), opened=2)


def _written(entries: Mapping[Names, Entry]) -> Any:
    return _compact({" ".join(names): _entry_members(entries[names]) for names in sorted(entries)})


def _entry_members(entry: Entry) -> dict[str, Any]:
    said = plain(entry.difference)
    # Two versions of one project share its definitions, and both have a text of their own.
    del said["edited"], said["notes"]
    # A set has no order of its own.
    said["compared"] = sorted(said["compared"])
    said["rows"] = [_row(row) for row in said["rows"]]
    return {"key": entry.key, "difference": said}


def _row(members: dict[str, Any]) -> dict[str, Any]:
    """A row on which a review can see what changed: a scope without bound is not written out."""
    scope = _UNBOUNDED if members["scope"] == UNBOUNDED else members["scope"]
    # What is written lasts.
    return {**members, "scope": scope, "lasting": None}


def _read(entry: Entry) -> Entry:
    rows = [replace(row, scope=UNBOUNDED) if row.scope == _UNBOUNDED else row for row in entry.difference.rows]
    return replace(entry, difference=replace(entry.difference, rows=tuple(rows)))


_OF_ROW = (
    "side",
    "subject",
    "section",
    "reason",
    "types",
    "verdict",
    "scope",
    "example",
    "refusing",
    "lasting",
    "axioms",
)
_MAY_MISS = frozenset((*_OF_ROW, "moved", "alone", "lacks", "outputs", "unasked", "omitted", "read", "default"))
"""The members that are not written where they say nothing: most rows have few of them, and a review reads all."""
_OF_EXAMPLE: Mapping[str, object] = {"outputs": [], "omitted": [], "unasked": []}


def _compact(made: Any) -> Any:
    """The same without the members that say nothing."""
    if isinstance(made, list):
        return [_compact(item) for item in made]
    if not isinstance(made, dict):
        return made
    return {k: _compact(v) for k, v in made.items() if not (k in _MAY_MISS and v in (None, "", []))}


def _complete(made: Any) -> Any:
    """An entry with the members that an example has to have."""
    for row in made["difference"]["rows"]:
        if row.get("example") is not None:
            row["example"] = {**_OF_EXAMPLE, **row["example"]}
    return made


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
