"""The table of what came of mutants, committed beside the proofs: one line for each, no times, no versions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.authoring.mutation.judge import VERDICTS, Outcome
from sonnx_verify.errors import UserError, read_json

PLACE = Path("proofs") / "mutants.json"
"""Where the table of a project is, from its root."""
RENEW = "look at what changed, then make it again with `sonnx-verify mutate --out FILE`"
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A row for each mutant, by its identity."""

    rows: Mapping[str, Row] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file."""
        listed = ",\n".join(f"  {_json(identity)}: {_json(row)}" for identity, row in self.rows.items())
        counts = count(row["verdict"] for row in self.rows.values())
        return f'{{\n "summary": {_json(counts)},\n "mutants": {{\n{listed}\n }}\n}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def row(outcome: Outcome) -> Row:
    """What the table says of a mutant."""
    made = {"verdict": outcome.verdict}
    if outcome.killer and outcome.verdict in ("killed", "not shown"):
        made |= {"by": outcome.killer, "finding": outcome.finding}
    return made


def count(verdicts: Iterable[str]) -> dict[str, int | float | None]:
    """How many of each verdict, and the score."""
    counted = Counter(verdicts)
    return {**{name: counted[name] for name in VERDICTS}, "score": score(counted)}


def score(counted: Mapping[str, int]) -> float | None:
    """How many of a hundred mutants were killed, of those that are texts and not proved equivalent."""
    judged = counted["killed"] + counted["surviving"] + counted["not shown"]
    return None if not judged else int(1000 * counted["killed"] / judged) / 10


def table_of(outcomes: Iterable[Outcome], before: Table | None = None, files: Iterable[str] = ()) -> Table:
    """The table of some mutants, with what another one says of other files than these."""
    again = tuple(f"{name}:" for name in files)
    rows = {} if before is None else {i: r for i, r in before.rows.items() if not i.startswith(again)}
    rows |= {o.slip.identity: row(o) for o in outcomes}
    return Table({identity: rows[identity] for identity in sorted(rows, key=_order)})


def _order(identity: str) -> tuple[str, int, int, str]:
    """By file, line and column."""
    place, _, change = identity.partition(" ")
    name, line, column = place.rsplit(":", 2)
    return name, int(line), int(column), change


def read_table(path: Path) -> Table:
    """The table in a file. Raises UserError with the place where it is none."""
    cure = "restore it from the version control, or make it again with `sonnx-verify mutate --out FILE`"
    place, made = read_json(path, cure)
    rows = made.get("mutants") if isinstance(made, dict) else None
    if not isinstance(rows, dict) or not all(_is_row(i, r) for i, r in rows.items()):
        raise UserError("this is no table of mutants", place, cure)
    return Table(rows)


def _is_row(identity: str, row: object) -> bool:
    if not isinstance(row, dict) or not all(isinstance(said, str) for said in row.values()):
        return False
    named = row.get("verdict") in VERDICTS and ("by" in row) == ("finding" in row)
    return named and re.fullmatch(r"[^\n]+:\d{1,9}:\d{1,9} .*", identity, re.DOTALL) is not None


def changes(table: Table, outcomes: Iterable[Outcome], short: bool) -> list[str]:
    """What is otherwise than the table says, one line each. After a short look, what survived may be not shown."""
    found = []
    for outcome in outcomes:
        known, now = table.rows.get(outcome.slip.identity), row(outcome)
        if known is None:
            found.append(f"{outcome.slip.identity}: not in the table; it is {outcome.verdict}")
        elif dict(known) != now and not (short and {known["verdict"], now["verdict"]} == {"surviving", "not shown"}):
            found.append(f"{outcome.slip.identity}: was {_told(known)}, is {_told(now)}")
    return found


def _told(row: Row) -> str:
    return f"{row['verdict']} by {row['by']} ({row['finding']})" if "by" in row else row["verdict"]
