"""The messages of a check about a formal text: its errors and its obligations, kept while the next one is under way.

A check takes seconds, and a keystroke begins another one. So what the last one found stays on the screen, moved with
its lines, and is marked as of an earlier text until it is said again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sonnx_verify.background.messages import Done, Failed, Mistake, Row, missing_text
from sonnx_verify.lsp.messages import Message
from sonnx_verify.lsp.positions import Moved
from sonnx_verify.pages.lint.finding import Finding


@dataclass
class Verdicts:
    """Of one file. `rows` are the obligations by identity, each with the number of the text that it speaks of; `text`
    is the one that was sent last, whose number is `number`; `texts` are those that rows still speak of."""

    text: str = ""
    number: int = 0
    errors: list[Mistake] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """The findings about a page of the rules that evaluate its formal text."""
    problem: str = ""
    rows: dict[str, tuple[int, Row]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def begin(self, text: str) -> None:
        """Begin the check of another text. Rows of the one before stay until they are told again, or are not."""
        self.number += 1
        self.text, self.texts[self.number] = text, text
        self.errors, self.findings, self.problem = [], [], ""

    def hear(self, message: Message) -> None:
        """Take note of what the process says."""
        match message:
            case Mistake():
                self.errors.append(message)
            case Finding():
                self.findings.append(message)
            case Row():
                self.rows[message.id] = (self.number, message)
            case Failed():
                self.problem = message.reason
            case Done():
                self._end(message.missing)

    def _end(self, missing: tuple[str, ...]) -> None:
        if missing:
            self.problem = f"{missing_text(missing)}, so nothing can be proved"
        if not self.errors:
            # What was not told again is not there any more. With an error in the text nothing is told again, and the
            # clauses that it does not touch keep their verdicts.
            self.rows = {name: row for name, row in self.rows.items() if row[0] == self.number}
        # Texts are kept as long as rows speak of them, or every keystroke would add one.
        used = {number for number, _ in self.rows.values()}
        self.texts = {n: text for n, text in self.texts.items() if n in used or n == self.number}

    def copy(self) -> Verdicts:
        """The verdicts as they are now, for another thread."""
        return replace(
            self, errors=list(self.errors), findings=list(self.findings), rows=dict(self.rows), texts=dict(self.texts)
        )

    def shown(self, text: str) -> Iterator[tuple[Row, int, bool]]:
        """The obligations with the lines of a text that they stand at, and whether they speak of this text; but those
        whose line was edited."""
        # For each text once: a file has hundreds of rows and few texts.
        moves = {number: Moved.between(said, text) for number, said in self.texts.items()}
        for number, row in self.rows.values():
            line = moves[number].line(row.line)
            if line is not None:
                yield row, line, self.texts[number] == text
