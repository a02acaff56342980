"""The outcomes of mutants, committed: `mutants.json` in the folder of an operator, else in `proofs/`, by text.

Of each item the killed and the rejected mutants are a count and a digest; those that are proved equivalent, survive or
are not shown have a line each, with the reason that somebody wrote there. No line of a text, no time and no version is
in it: two runs on two machines write the same file, and a change of a text shows in a diff the mutants that it lets
live.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from msgspec import Meta, Struct

from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.results.written import json_line
from sonnx_verify.sources import Span

SETTLED = frozenset((Fate.KILLED, Fate.REJECTED))
"""The verdicts of which a record has a count and a digest."""
WHY = "why"
"""The member of a row with the reason that somebody wrote: why the mutant may live."""
Row = Mapping[str, str]


class Settled(Struct, frozen=True, forbid_unknown_fields=True):
    """The killed and the rejected mutants of an item: how many there are, and a digest of their names and verdicts."""

    killed: Annotated[int, Meta(ge=0)]
    rejected: Annotated[int, Meta(ge=0)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]

    @classmethod
    def of(cls, verdicts: Mapping[str, str]) -> Settled:
        """By the names of the mutants."""
        listed = "".join(f"{json_line([name, verdicts[name]])}\n" for name in sorted(verdicts))
        counted = Counter(verdicts.values())
        digest = hashlib.sha256(listed.encode()).hexdigest()[:16]
        return cls(counted[Fate.KILLED], counted[Fate.REJECTED], digest)

    def __str__(self) -> str:
        return f"{self.killed} killed, {self.rejected} rejected"


_NONE = Settled.of({})


@dataclass(frozen=True, slots=True)
class TextRecord:
    """The outcomes of all mutants of a text. `judges` are the operators that are asked beside those of the text itself;
    None for all that the text can change. `settled` is by item, `rows` by the name of the mutant."""

    judges: tuple[str, ...] | None = None
    settled: Mapping[str, Settled] = field(default_factory=dict)
    rows: Mapping[str, Row] = field(default_factory=dict)
    place: Span | None = field(default=None, compare=False)
    """The place of the record."""

    @classmethod
    def of(cls, rows: Iterable[tuple[Mutation, Row]], judges: Iterable[str] | None) -> TextRecord:
        """The record of all mutants of one text."""
        settled: dict[str, dict[str, str]] = {}
        others: dict[str, Row] = {}
        for mutation, found in rows:
            if found["verdict"] in SETTLED:
                settled.setdefault(mutation.item, {})[mutation.name] = found["verdict"]
            else:
                others[mutation.name] = found
        listed = None if judges is None else tuple(sorted(judges))
        by_item = {item: Settled.of(settled[item]) for item in sorted(settled)}
        return cls(listed, by_item, {name: others[name] for name in sorted(others)})

    def explained(self, before: TextRecord | None) -> TextRecord:
        """The record with the reasons that somebody wrote into an earlier one, where the verdict is as it was."""
        known = {} if before is None else before.rows
        rows = {}
        for name, found in self.rows.items():
            old = known.get(name, {})
            rows[name] = {**found, WHY: old[WHY]} if WHY in old and _outcome(old) == found else found
        return replace(self, rows=rows)

    def counted(self) -> Counter[str]:
        """The number of each verdict."""
        found = Counter(row["verdict"] for row in self.rows.values())
        for one in self.settled.values():
            found[Fate.KILLED] += one.killed
            found[Fate.REJECTED] += one.rejected
        return found

    def of_item(self, item: str) -> tuple[int, int]:
        """The number of mutants in an item that were killed, and of all that something could notice."""
        killed = self.settled.get(item, _NONE).killed
        return killed, killed + len([n for n in self.alive() if n.startswith(f"{item}: ")])

    def alive(self) -> dict[str, Row]:
        """The rows of the mutants that nothing noticed."""
        return {name: row for name, row in self.rows.items() if row["verdict"] in ALIVE}

    def text(self) -> str:
        """The record as it is written: a line for each item and each mutant, so that a diff shows them one by one."""
        judges = "" if self.judges is None else f'  "judges": {json_line(list(self.judges))},\n'
        return f'{{\n{judges}  "settled": {_lines(self.settled)},\n  "mutants": {_lines(self.rows)}\n }}'


def _lines(members: Mapping[str, object]) -> str:
    if not members:
        return "{}"
    listed = ",\n".join(f"   {json_line(name)}: {json_line(made)}" for name, made in members.items())
    return f"{{\n{listed}\n  }}"


def text_of(records: Mapping[str, TextRecord]) -> str:
    """The text of a file of records."""
    listed = ",\n".join(f" {json_line(name)}: {records[name].text()}" for name in sorted(records))
    return f"{{\n{listed}\n}}\n"


def row(outcome: Outcome) -> Row:
    """The row of a mutant."""
    made = {"verdict": outcome.verdict.value}
    # Another statement may kill it tomorrow: the killer is no part of the verdict.
    if outcome.killer and outcome.verdict is Fate.NOT_SHOWN:
        made |= {"by": outcome.killer, "finding": outcome.finding}
    return made


def count(counted: Mapping[str, int]) -> dict[str, int | float | None]:
    """The number of each verdict, and the score."""
    return {**{fate.value: counted.get(fate, 0) for fate in Fate}, "score": score(counted)}


def score(counted: Mapping[str, int]) -> float | None:
    """The percentage of mutants that were killed, of those that are texts and not proved equivalent."""
    killed = counted.get(Fate.KILLED, 0)
    judged = killed + sum(counted.get(fate, 0) for fate in ALIVE)
    if judged == 0:
        return None
    # Rounded down: 100 % is said only of all.
    return int(1000 * killed / judged) / 10


def record_changes(known: Mapping[str, TextRecord], outcomes: Iterable[Outcome], whole: Iterable[str]) -> list[str]:
    """The differences of outcomes from their records, one line each. `whole` are the texts of which all mutants were
    judged: a digest says nothing of some of them."""
    by_text: dict[str, list[Outcome]] = {name: [] for name in whole}
    complete = frozenset(by_text)
    for outcome in outcomes:
        by_text.setdefault(outcome.mutation.source.name, []).append(outcome)
    found = []
    for name, listed in by_text.items():
        record = known.get(name)
        if record is None:
            found.append(f"{name}: not in the records")
        found += _changed_rows(record or TextRecord(), listed)
        if record is not None and name in complete:
            found += _changed_items(name, record, listed)
    return found


def _changed_rows(record: TextRecord, outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        before, now = record.rows.get(outcome.mutation.name), row(outcome)
        if before is None and outcome.verdict not in SETTLED:
            yield f"{outcome.mutation.identity}: not in the records, now {_row_text(now)}"
        elif before is not None and _outcome(before) != now:
            yield f"{outcome.mutation.identity}: was {_row_text(before)}, is {_row_text(now)}"


def _changed_items(name: str, record: TextRecord, outcomes: Iterable[Outcome]) -> Iterable[str]:
    now = TextRecord.of(((o.mutation, row(o)) for o in outcomes), record.judges)
    judged = {o.mutation.name for o in outcomes}
    for mutant in sorted(record.rows.keys() - judged):
        yield f"{name} {mutant}: in the records, not in the text"
    for item in sorted(record.settled.keys() | now.settled.keys()):
        was, is_now = record.settled.get(item, _NONE), now.settled.get(item, _NONE)
        if str(was) != str(is_now):
            yield f"{name} {item}: was {was}, is {is_now}"
        elif was != is_now:
            yield f"{name} {item}: {is_now} as before, but others (digest {was.sha256}, is {is_now.sha256})"


def _outcome(row: Row) -> Row:
    return {member: said for member, said in row.items() if member != WHY}


def _row_text(row: Row) -> str:
    if "by" not in row:
        return row["verdict"]
    return f"{row['verdict']} by {row['by']} ({row['finding']})"
