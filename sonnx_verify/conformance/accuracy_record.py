"""The recorded errors of a target in one version, committed: tables and histograms of documents are made of them.

One file for each target and version, one line for each type, output and class of sizes. No times and no paths: the same
target gives the same bytes on every machine of one kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.ledger import text_of_target
from sonnx_verify.conformance.record import Conformance
from sonnx_verify.conformance.target import Target
from sonnx_verify.errors import UserError, read_json
from sonnx_verify.results.written import json_line, plain

FOLDER = Path("proofs") / "accuracy"
"""The folder of the records of a project, from its root."""
_RESTORE = "restore it from version control, or delete it and create it again with --update-accuracy"
Row = Mapping[str, Any]
"""The errors for one type, output and class of sizes: as a member of `sizes` in JSON, with `type` and `output`."""
_NUMBERS = ("least", "most", "measured", "nearest", "mean", "not_finite", "differ", "open", "undecided")


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
    try:
        return _record(made)
    except (KeyError, TypeError, AttributeError):
        raise UserError("not a record of errors", place, _RESTORE) from None


def _record(made: Any) -> Recorded:
    """The record. KeyError, TypeError or AttributeError where something is not as `text` writes it: people edit files,
    and a merge can leave anything."""
    operators: dict[str, Entry] = {}
    for name, entry in made["operators"].items():
        rows = tuple(entry["rows"])
        for row in rows:
            _check(row)
        operators[name] = Entry(_number(entry["seed"]), _number(entry["random"]), rows)
    return Recorded(_text(made["target"]), _text(made["version"]), operators)


def _check(row: Row) -> None:
    """Raise KeyError or TypeError unless all is there that tables and histograms are made of."""
    for name in _NUMBERS:
        _number(row[name])
    for name in ("type", "output"):
        _text(row[name])
    for one in row["histogram"]:
        _number(one["elements"])
        if one["up_to"] is not None:
            _number(one["up_to"])
    worst = row["worst"]
    if worst is not None:
        _number(worst["ulps"])
        inputs, attributes = worst["inputs"].values(), worst["attributes"].values()
        if not all(isinstance(tensor, dict) for tensor in inputs) or not isinstance(worst["index"], list):
            raise TypeError
        for tensor in inputs:
            _text(tensor["dtype"])
            _all(tensor["shape"], int)
        _all(list(attributes), (int, float, str, list, dict))
        _text(worst["exact"])


def _number(value: Any) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _all(values: Iterable[Any], kind: Any) -> None:
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise TypeError


def updated(root: Path, target: Target, answer: Conformance) -> tuple[Path, str]:
    """The file and its text with what was measured now, of all types of the operator."""
    path = place_of(root, target, answer.target_version)
    operators: dict[str, Entry] = {}
    if path.exists():
        operators |= read_record(path).operators
    record = Recorded(target.text, answer.target_version, operators | {answer.operator: entry_of(answer)})
    return path, record.text()
