"""The ledger: the conclusion of each obligation, committed beside the proofs, so that a change is seen in a review.

One line for each obligation, in the order of their identities. No times, versions, paths or hashes of queries: the same
specifications give the same bytes on every machine. A project has a file for all obligations, and one in each folder of
an operator for those of the operator (homes.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import UNBOUNDED
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.written import json_line
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import RecordPlace
from sonnx_verify.stores.json_file import place_of_key, read_json

LEDGER = RecordPlace("verdicts.json", "ledger.json")
PLACE = LEDGER.shared(Path())
"""The path of a project's shared ledger, from its root."""
RENEW = "review the changes, then run `sonnx-verify check --update-ledger` and commit the ledger"
_RESTORE = "restore it from version control, or delete it and create it again"
Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The solvers that were asked, and the conclusion for each identity."""

    solvers: tuple[str, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file, if it were one."""
        lines = [f"  {json_line(identity)}: {json_line(self.entries[identity])}" for identity in sorted(self.entries)]
        listed = ",\n".join(lines)
        return f'{{\n "solvers": {json_line(list(self.solvers))},\n "obligations": {{\n{listed}\n }}\n}}\n'


def entry(record: Result) -> Entry:
    """The entry of an obligation: a hash of its statement, its verdict, how far that reaches, what it rests on."""
    # An empty field is left out: most have neither an expectation nor assumptions, and a review reads every line.
    made: dict[str, object] = {"verdict": record.verdict}
    if record.statement:
        made["statement"] = record.statement
    if record.expected:
        made["expected"] = record.expected
    if record.scope:
        made["scope"] = "unbounded" if record.scope == UNBOUNDED else record.scope
    if record.assumptions:
        made["assumptions"] = list(record.assumptions)
    # By their names: a line number here would be another one whenever their file is edited.
    if record.axioms:
        made["axioms"] = [axiom.id for axiom in record.axioms]
    return made


def ledger_of(records: Iterable[Result], solvers: Iterable[str], before: Mapping[str, Entry]) -> Ledger:
    """The ledger of some records; with what is said of the rest."""
    return Ledger(tuple(sorted(solvers)), {**before, **{r.id: entry(r) for r in records}})


class _Entry(Struct):
    verdict: Any


class _File(Struct, forbid_unknown_fields=True):
    solvers: list[str]
    obligations: dict[str, _Entry]


def read_ledgers(root: Path) -> Mapping[Path, Ledger]:
    """The ledgers of a project, by their files. Raises UserError with the place of one that is none, and of an entry
    that another file has too or that belongs into another folder."""
    found: dict[Path, Ledger] = {}
    places: dict[str, Path] = {}
    for path in LEDGER.every(root):
        if not path.exists():
            continue
        place, found[path] = _read(path)
        for identity in found[path].entries:
            at = partial(place_of_key, place.source, identity)
            if path not in LEDGER.both(identity, root):
                own = LEDGER.of(identity, root)
                cure = f"move it to {own.relative_to(root).as_posix()}, or remove it"
                raise UserError(f"{identity} is not of this folder", at(), cure)
            if (other := places.setdefault(identity, path)) != path:
                shown = other.relative_to(root).as_posix()
                raise UserError(f"{identity} is also in {shown}", at(), "delete it in one of the two")
    return found


def joined(ledgers: Iterable[Ledger]) -> Mapping[str, Entry]:
    """The entries of all files."""
    return {identity: one for ledger in ledgers for identity, one in ledger.entries.items()}


def by_file(ledger: Ledger, root: Path) -> dict[Path, Ledger]:
    """The parts of a ledger, by the files of a project that they belong into."""
    parts: dict[Path, dict[str, Entry]] = {}
    for identity, one in ledger.entries.items():
        parts.setdefault(LEDGER.of(identity, root), {})[identity] = one
    return {path: Ledger(ledger.solvers, part) for path, part in parts.items()}


def _read(path: Path) -> tuple[Span, Ledger]:
    place, made = read_json(path, _RESTORE)
    # It is edited by hand where two branches meet: a line that lost its verdict is not taken for an entry.
    try:
        msgspec.convert(made, _File)
    except msgspec.ValidationError:
        raise UserError("this is not a ledger", place, _RESTORE) from None
    assert isinstance(made, dict)
    return place, Ledger(tuple(made["solvers"]), made["obligations"])


def differing(known: Mapping[str, Entry], after: Mapping[str, Entry]) -> str:
    """The number of lines of a ledger, and of those that are new, other or gone."""
    new, gone = after.keys() - known.keys(), known.keys() - after.keys()
    other = [i for i in after.keys() & known.keys() if after[i] != known[i]]
    counts = ((len(new), "new"), (len(other), "changed"), (len(gone), "gone"))
    said = ", ".join(f"{n} {what}" for n, what in counts if n) or "unchanged"
    return f"{counted_text(len(after), 'obligation')}, {said}"


def ledger_changes(
    ledgers: Collection[Ledger],
    records: Iterable[Result],
    solvers: Iterable[str],
    subjects: Collection[str] | None = None,
) -> list[str]:
    """The differences from the ledgers of a project, one line each: also what they have, and the specifications have
    not, of the texts that were decided as a whole (`subjects`), or of all."""
    found = []
    named = [set(one.solvers) for one in ledgers]
    missing = sorted(set().union(*named) - set(solvers))
    if missing:
        # `proved` by both solvers is more than `proved` by those that are installed here.
        found.append(f"the ledger depends on {', '.join(missing)}, which did not answer")
    unnamed = sorted(set().union(*(set(solvers) - one for one in named)))
    if unnamed:
        # Nobody could say which voices its verdicts had.
        found.append(f"the ledger does not name {', '.join(unnamed)}, which answered")
    entries = joined(ledgers)
    seen = set()
    for record in sorted(records, key=lambda r: r.id):
        seen.add(record.id)
        known, now = entries.get(record.id), entry(record)
        if known is None:
            found.append(f"{record.id}: not in the ledger, now {record.verdict}")
        elif known != now:
            found.append(f"{record.id}: {_change(known, now)}")
    for identity in sorted(entries.keys() - seen):
        if subjects is None or _is_of(identity, subjects):
            found.append(f"{identity}: in the ledger, not in the specifications")
    return found


def _is_of(identity: str, subjects: Collection[str]) -> bool:
    """Return whether it is that of an obligation of one of these texts, in any section."""
    head = identity.partition("/")[0]
    return head in subjects or head.rpartition(".")[0] in subjects


def _change(known: Entry, now: Entry) -> str:
    # The worst first: a reviewer reads one reason for each line.
    if known["verdict"] != now["verdict"]:
        return f"was {known['verdict']}, is {now['verdict']}"
    if known.get("statement") != now.get("statement"):
        return f"{now['verdict']} as before, but the statement changed"
    other = [key for key in sorted({*known, *now}) if known.get(key) != now.get(key)]
    return f"{now['verdict']} as before, but the conditions changed: {', '.join(other)}"
