"""What a check said of a formal text: its errors and its obligations, kept while the next check is under way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sonnx_verify.lsp.positions import Moved

Row = dict[str, Any]
"""What is told of an obligation, as a checking process says it."""


@dataclass
class Verdicts:
    """Of one file. `rows` are the obligations by identity, each with the number of the text that it speaks of; `text`
    is the one that was sent last, whose number is `number`; `texts` are those that rows still speak of."""

    text: str = ""
    number: int = 0
    errors: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    """Of a page, what rules found that evaluate its formal text."""
    listed: int | None = None
    done: bool = False
    problem: str = ""
    rows: dict[str, tuple[int, Row]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def begin(self, text: str) -> None:
        """A check of another text begins. What the one before found stays until it is told again, or is not."""
        self.number += 1
        self.text, self.texts[self.number] = text, text
        self.errors, self.findings, self.listed, self.done, self.problem = [], [], None, False, ""

    def hear(self, message: Row) -> None:
        """Take note of what the process says."""
        if "error" in message:
            self.errors.append(message)
        elif "finding" in message:
            self.findings.append(message["finding"])
        elif "told" in message:
            self.rows[message["told"]["id"]] = (self.number, message["told"])
        elif "listed" in message:
            self.listed = message["listed"]
        elif "failed" in message:
            self.problem = message["failed"]
        else:
            self._end(message["missing"])

    def _end(self, missing: list[str]) -> None:
        self.done = True
        if missing:
            self.problem = f"{' and '.join(missing)} not installed: nothing is proved without"
        if not self.errors:
            # What was not told again is not there any more.
            self.rows = {name: row for name, row in self.rows.items() if row[0] == self.number}
        used = {number for number, _ in self.rows.values()}
        self.texts = {n: text for n, text in self.texts.items() if n in used or n == self.number}

    def copy(self) -> Verdicts:
        """As it is now, for another thread."""
        return replace(
            self, errors=list(self.errors), findings=list(self.findings), rows=dict(self.rows), texts=dict(self.texts)
        )

    def shown(self, text: str) -> Iterator[tuple[Row, int, bool]]:
        """The obligations with the lines of a text that they stand at, and whether they speak of this text; but those
        whose line was edited."""
        moves = {number: Moved.between(said, text) for number, said in self.texts.items()}
        for number, row in self.rows.values():
            line = moves[number].line(row["line"])
            if line is not None:
                yield row, line, self.texts[number] == text
