"""What is told of an obligation: plain data, from which every report is made, and which a cache can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sonnx_verify.logic.verdict import FINDINGS, GOOD, is_surprise


@dataclass(frozen=True, slots=True)
class Told:
    """A record as it is told. `json` is what JSON output shows of it; `finding` are the lines of a finding in full,
    none where all is well; `statement` is the hash of what was to be shown."""

    json: dict[str, Any]
    reason: str
    note: str
    statement: str
    finding: tuple[str, ...]

    @property
    def id(self) -> str:
        return str(self.json["id"])

    @property
    def subject(self) -> str:
        """The text that it is about: its identity without section, tag and kind."""
        section, head = self.json["section"] or "", self.id.partition("/")[0]
        return head.removesuffix(f".{section}") if section else head

    @property
    def verdict(self) -> str:
        return str(self.json["verdict"])

    @property
    def expected(self) -> str:
        """The verdict that the text expects, empty where it expects nothing."""
        return self.json["expected"] or ""

    @property
    def scope(self) -> str:
        return self.json["scope"] or ""

    @property
    def assumptions(self) -> list[str]:
        return list(self.json["assumptions"])

    @property
    def queries(self) -> dict[str, dict[str, str]]:
        """What the solvers said, by the SHA-256 of the query."""
        return {query["sha256"]: query["answers"] for query in self.json["queries"]}

    @property
    def surprising(self) -> bool:
        """Whether the verdict is another than the expected one."""
        return is_surprise(self.verdict, self.expected)

    @property
    def state(self) -> str:
        """How the verdict is to be taken: `good`, `expected` for a finding that the text expects, `left` for what is
        not decided, as the text expects, `finding`, `open` for what is not decided."""
        if not self.surprising:
            return "good" if self.verdict in GOOD else "expected" if self.verdict in FINDINGS else "left"
        return "finding" if self.verdict in FINDINGS or self.verdict in GOOD else "open"

    @property
    def status(self) -> int:
        """What it contributes to the exit status: 0 fine, 1 a finding or a surprise, 3 undecided."""
        return {"finding": 1, "open": 3}.get(self.state, 0)
