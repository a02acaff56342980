"""The table of mutants of earlier versions: one file, a row for each mutant by the line and column of its change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sonnx_verify.authoring.mutation.judge import Fate
from sonnx_verify.authoring.mutation.mutation import Mutation, change_of
from sonnx_verify.authoring.mutation.mutations import mutations_of_unit
from sonnx_verify.authoring.mutation.records import Row, TextRecord
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.sources import Span
from sonnx_verify.stores.json_file import place_of_key

# Nine digits: `int` refuses a number of thousands of digits, and no text has that many lines.
_IDENTITY = re.compile(r"([^\n]+?):\d{1,9}:\d{1,9} .*", re.DOTALL)
_VERDICTS = frozenset(fate.value for fate in Fate)


def records_of_table(rows: object, place: Span, root: Path, restore: str) -> dict[str, TextRecord]:
    """The records of a table, by the texts of the project as they are: a row whose mutant none of them has is left
    out. Raises UserError with the place where it is no table."""
    if not isinstance(rows, dict):
        raise UserError("this is not a table of mutants", place, restore)
    by_text: dict[str, dict[str, Row]] = {}
    for identity, row in rows.items():
        found = _IDENTITY.fullmatch(identity)
        if found is None or not _is_row(row):
            raise UserError("this is not a row of a table of mutants", place_of_key(place.source, identity), restore)
        by_text.setdefault(found[1], {})[identity] = row
    made: dict[str, TextRecord] = {}
    project = Project.open(root)
    for unit in project.units if by_text else ():
        known = by_text.pop(unit.shown, None)
        if known is None or unit.file is None:
            continue
        mutations = [m for m in mutations_of_unit(project, unit) if _former(m) in known]
        first = place_of_key(place.source, next(iter(known)))
        record = TextRecord.of(((m, _row(known[_former(m)])) for m in mutations), None)
        made[unit.shown] = TextRecord(None, record.settled, record.rows, first)
    return made


def _former(mutation: Mutation) -> str:
    """The identity that a mutant has in a table."""
    change = change_of(mutation.old, mutation.new)
    # A constraint that is left out with its errors was named by their tags before too.
    if mutation.change.startswith(f"{mutation.item.partition(' ')[0]} and "):
        change = mutation.change
    return f"{mutation.place} {change}"


def _row(row: Row) -> Row:
    """A row without the killer of a mutant that is killed."""
    if row["verdict"] == Fate.NOT_SHOWN:
        return row
    return {"verdict": row["verdict"]}


def _is_row(row: object) -> bool:
    """A row has a verdict that there is, and both or none of killer and finding."""
    if not isinstance(row, Mapping) or not all(isinstance(said, str) for said in row.values()):
        return False
    return row.get("verdict") in _VERDICTS and ("by" in row) == ("finding" in row)
