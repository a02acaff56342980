"""The table of mutants and their outcomes, committed beside the proofs: one line for each, no times, no versions.

So two runs on two machines write the same file, and a change of a text shows in a diff the mutants that it lets live.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.errors import UserError
from sonnx_verify.results.written import json_line
from sonnx_verify.stores.json_file import read_json

PLACE = Path("proofs") / "mutants.json"
"""The path of a project's table, from its root."""
RENEW = "review the changes, then create it again with `sonnx-verify mutate --out FILE`"
Row = Mapping[str, str]
_VERDICTS = frozenset(fate.value for fate in Fate)


@dataclass(frozen=True, slots=True)
class Table:
    """A row for each mutant, by its identity."""

    rows: Mapping[str, Row] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file."""
        # One line for each mutant: two branches that add some merge, and a diff shows them one by one.
        listed = ",\n".join(f"  {json_line(identity)}: {json_line(row)}" for identity, row in self.rows.items())
        counts = count(row["verdict"] for row in self.rows.values())
        return f'{{\n "summary": {json_line(counts)},\n "mutants": {{\n{listed}\n }}\n}}\n'


def row(outcome: Outcome) -> Row:
    """The row of a mutant."""
    made = {"verdict": outcome.verdict.value}
    # Of a rejected text the killer is a line of that text, which the identity has already.
    if outcome.killer and outcome.verdict in (Fate.KILLED, Fate.NOT_SHOWN):
        made |= {"by": outcome.killer, "finding": outcome.finding}
    return made


def count(verdicts: Iterable[str]) -> dict[str, int | float | None]:
    """The number of each verdict, and the score."""
    counted = Counter(verdicts)
    return {**{fate.value: counted[fate] for fate in Fate}, "score": score(counted)}


def score(counted: Mapping[str, int]) -> float | None:
    """The percentage of mutants that were killed, of those that are texts and not proved equivalent."""
    judged = counted[Fate.KILLED] + counted[Fate.SURVIVING] + counted[Fate.NOT_SHOWN]
    if judged == 0:
        return None
    # Rounded down: 100 % is said only of all.
    return int(1000 * counted[Fate.KILLED] / judged) / 10


def table_of(outcomes: Iterable[Outcome], before: Table | None = None, files: Iterable[str] = ()) -> Table:
    """The table of some mutants, with what another one says of other files than these."""
    # A mutation that is gone from a file that was mutated again is gone from the table too.
    again = tuple(f"{name}:" for name in files)
    known = (before or Table()).rows
    rows = {identity: old for identity, old in known.items() if not identity.startswith(again)}
    rows |= {o.mutation.identity: row(o) for o in outcomes}
    return Table({identity: rows[identity] for identity in sorted(rows, key=_order)})


def _order(identity: str) -> tuple[str, int, int, str]:
    """By file, line and column."""
    # By number: line 9 stands above line 10.
    place, _, change = identity.partition(" ")
    name, line, column = place.rsplit(":", 2)
    return name, int(line), int(column), change


def read_table(path: Path) -> Table:
    """The table in a file. Raises UserError with the place where it is none."""
    cure = "restore it from version control, or create it again with `sonnx-verify mutate --out FILE`"
    place, made = read_json(path, cure)
    rows: object = None
    if isinstance(made, dict):
        rows = made.get("mutants")
    # The file may be written by hand, or merged: nothing of it is believed.
    if not isinstance(rows, dict) or not all(_is_row(i, r) for i, r in rows.items()):
        raise UserError("this is not a table of mutants", place, cure)
    return Table(rows)


def _is_row(identity: str, row: object) -> bool:
    """A row has a verdict that there is, both or none of killer and finding, and an identity that has a place."""
    if not isinstance(row, dict) or not all(isinstance(said, str) for said in row.values()):
        return False
    if row.get("verdict") not in _VERDICTS or ("by" in row) != ("finding" in row):
        return False
    # Nine digits: `int` refuses a number of thousands of digits, and no text has that many lines.
    return re.fullmatch(r"[^\n]+:\d{1,9}:\d{1,9} .*", identity, re.DOTALL) is not None


def table_changes(table: Table, outcomes: Iterable[Outcome], *, short: bool) -> list[str]:
    """The differences from the table, one line each."""
    found = []
    for outcome in outcomes:
        known, now = table.rows.get(outcome.mutation.identity), row(outcome)
        if known is None:
            found.append(f"{outcome.mutation.identity}: not in the table; it is {outcome.verdict}")
        elif dict(known) != now and not (short and _are_undecided(known, now)):
            found.append(f"{outcome.mutation.identity}: was {_row_text(known)}, is {_row_text(now)}")
    return found


def _are_undecided(a: Row, b: Row) -> bool:
    """Two rows differ in nothing that a short look could tell: one survived, and one is not shown to be killed."""
    return {a["verdict"], b["verdict"]} == ALIVE


def _row_text(row: Row) -> str:
    if "by" not in row:
        return row["verdict"]
    return f"{row['verdict']} by {row['by']} ({row['finding']})"
