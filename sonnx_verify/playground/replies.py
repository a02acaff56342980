"""The messages about a request, as JSON that the page reads, one object a line; and the sentence at their end.

A check says `text` (the text in its one layout), `mistake`, `row` and last `end`; the other questions say `answer`.
`begin` comes first, and again where the work had to begin anew: what was said before is void.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TypeAlias

from sonnx_verify.background.messages import Done, Failed, Mistake, Row, missing_text
from sonnx_verify.logic.verdict import NAMES, VerdictName
from sonnx_verify.results.text import counted_text


@dataclass(frozen=True, slots=True)
class Begun:
    """Somebody works on it now."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The text in its one layout."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about an operator, in lines; `fails` if a clause does, or there is no result."""

    lines: tuple[str, ...]
    fails: bool


Message: TypeAlias = Begun | Laid | Answer | Mistake | Row | Done | Failed
Json: TypeAlias = dict[str, object]


class State(StrEnum):
    """The end of a request: `good` only where `check` would end with status 0 and something was decided."""

    GOOD = "good"
    FINDING = "finding"
    OPEN = "open"
    MISTAKE = "mistake"
    EMPTY = "empty"
    FAILED = "failed"
    ANSWERED = "answered"


@dataclass(slots=True)
class Told:
    """The messages about one request so far."""

    rows: dict[str, Row] = field(default_factory=dict)
    mistakes: int = 0
    answered: bool = False

    def hear(self, message: Message) -> Json:
        """Take note of a message. Return it as the page reads it."""
        match message:
            case Begun():
                self.rows, self.mistakes, self.answered = {}, 0, False
                return {"kind": "begin"}
            case Laid(text):
                return {"kind": "text", "text": text}
            case Answer(lines, fails):
                self.answered = True
                return {"kind": "answer", "lines": list(lines), "fails": fails}
            case Mistake(text, cure, spot):
                self.mistakes += 1
                place = None
                if spot is not None:
                    place = asdict(spot)
                return {"kind": "mistake", "message": text, "cure": cure, "place": place}
            case Row():
                self.rows[message.id] = message
                return _row(message)
            case Done(missing):
                state, sentence = self._end(missing)
                return {"kind": "end", "state": state, "sentence": sentence}
            case Failed(reason):
                return {"kind": "end", "state": State.FAILED, "sentence": f"Stopped: {reason}."}

    def _end(self, missing: tuple[str, ...]) -> tuple[State, str]:
        """The end, by the exit status that `check` would have."""
        if self.mistakes:
            return State.MISTAKE, f"{counted_text(self.mistakes, 'mistake')} in the text."
        if self.answered:
            return State.ANSWERED, ""
        statuses = Counter(row.status for row in self.rows.values())
        counted = f"{counted_text(len(self.rows), 'obligation')}: {', '.join(self._counted())}"
        if statuses[1]:
            return State.FINDING, f"{counted}."
        if missing:
            return State.OPEN, f"Not proved: {missing_text(missing)}."
        if statuses[3]:
            return State.OPEN, f"{counted}."
        if not self.rows:
            return State.EMPTY, "The text has no obligations."
        return State.GOOD, f"{counted}."

    def _counted(self) -> Iterator[str]:
        """The verdicts with their numbers, the best first; those that a draft expects are said to be so."""
        expected = Counter(row.verdict for row in self.rows.values() if row.status == 0 and row.finding)
        for name, number in sorted(Counter(row.verdict for row in self.rows.values()).items(), key=_rank):
            note = ""
            if expected[name]:
                note = f" ({expected[name]} as expected)"
            yield f"{number} {name}{note}"


def _rank(counted: tuple[VerdictName, int]) -> int:
    return NAMES.index(counted[0])


def _row(row: Row) -> Json:
    return {
        "kind": "row",
        "id": row.id,
        "verdict": row.verdict,
        "scope": row.scope,
        "reason": row.reason,
        "status": row.status,
        "finding": list(row.finding),
        "line": row.line,
    }
