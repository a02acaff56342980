"""The ledger: the conclusion of each obligation, committed beside the proofs, so that a change is seen in a review.

One line for each obligation, in the order of their identities. No times, versions, paths or hashes of queries: the same
specifications give the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import UNBOUNDED
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.written import json_line
from sonnx_verify.stores.json_file import read_json

PLACE = Path("proofs") / "ledger.json"
"""The path of a project's ledger, from its root."""
RENEW = "review the changes, then run `sonnx-verify check --update-ledger` and commit the ledger"
_RESTORE = "restore it from version control, or delete it and create it again"
Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The solvers that were asked, and the conclusion for each identity."""

    solvers: tuple[str, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file."""
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


def ledger_of(records: Iterable[Result], solvers: Iterable[str], before: Ledger | None = None) -> Ledger:
    """The ledger of some records; with what another one says of the rest."""
    others: Mapping[str, Entry] = {}
    if before is not None:
        others = before.entries
    return Ledger(tuple(sorted(solvers)), {**others, **{r.id: entry(r) for r in records}})


class _Entry(Struct):
    verdict: Any


class _File(Struct, forbid_unknown_fields=True):
    solvers: list[str]
    obligations: dict[str, _Entry]


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file. Raises UserError with the place where it is none."""
    if not path.exists():
        raise UserError(f"there is no ledger at {path}", cure="create it with `sonnx-verify check --update-ledger`")
    place, made = read_json(path, _RESTORE)
    # It is edited by hand where two branches meet: a line that lost its verdict is not taken for an entry.
    try:
        msgspec.convert(made, _File)
    except msgspec.ValidationError:
        raise UserError("this is not a ledger", place, _RESTORE) from None
    assert isinstance(made, dict)
    return Ledger(tuple(made["solvers"]), made["obligations"])


def differing(before: Ledger | None, after: Ledger) -> str:
    """The number of lines of a ledger, and of those that are new, other or gone."""
    known: Mapping[str, Entry] = {}
    if before is not None:
        known = before.entries
    new, gone = after.entries.keys() - known.keys(), known.keys() - after.entries.keys()
    other = [i for i in after.entries.keys() & known.keys() if after.entries[i] != known[i]]
    counts = ((len(new), "new"), (len(other), "changed"), (len(gone), "gone"))
    said = ", ".join(f"{n} {what}" for n, what in counts if n) or "unchanged"
    return f"{counted_text(len(after.entries), 'obligation')}, {said}"


def ledger_changes(
    ledger: Ledger, records: Iterable[Result], solvers: Iterable[str], subjects: Collection[str] | None = None
) -> list[str]:
    """The differences from the ledger, one line each: also what it has, and the specifications have not, of the texts
    that were decided as a whole (`subjects`), or of all."""
    found = []
    missing = sorted(set(ledger.solvers) - set(solvers))
    if missing:
        # `proved` by both solvers is more than `proved` by those that are installed here.
        found.append(f"the ledger depends on {', '.join(missing)}, which did not answer")
    unnamed = sorted(set(solvers) - set(ledger.solvers))
    if unnamed:
        # Nobody could say which voices its verdicts had.
        found.append(f"the ledger does not name {', '.join(unnamed)}, which answered")
    seen = set()
    for record in sorted(records, key=lambda r: r.id):
        seen.add(record.id)
        known, now = ledger.entries.get(record.id), entry(record)
        if known is None:
            found.append(f"{record.id}: not in the ledger, now {record.verdict}")
        elif known != now:
            found.append(f"{record.id}: {_change(known, now)}")
    for identity in sorted(ledger.entries.keys() - seen):
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
