"""Queries as scripts that stand alone, for the solvers' own programs, with an index: what rests on which of them.

A script has comments, `(set-info :status ...)`, the text that the solvers were told, unchanged, and `(check-sat)`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.logic.verdict import all_unsat, contradicted
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import evidence_of, result_of
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import TOOL

ROWS = "queries"
"""The key of the files in the index."""
_UNSAT, _SAT, _UNKNOWN = "unsat", "sat", "unknown"
"""The answers of solvers, in the words of SMT-LIB."""
_SORT = re.compile(r"\(_ (?:BitVec|FloatingPoint)(?: \d+)+\)|(?<=[\s(])(?:Bool|Int|Real)(?=[\s)])")


@dataclass(slots=True)
class _Query:
    """A text, what solvers said of it, and what rests on it, as lines of comment."""

    text: str
    answers: dict[str, str] = field(default_factory=dict)
    users: list[str] = field(default_factory=list)
    holds: Sequence[str] = ()
    """A description of its assertions, as lines of comment."""

    def status(self) -> str:
        """The answer that another run has to give: that of the solvers, unless they contradict each other."""
        # A contradiction is a defect of a solver: whichever answer was written here, a right solver might fail it.
        if contradicted([self.answers]):
            return _UNKNOWN
        # A single solver's unsat is no proof here, and none that a rerun has to confirm.
        if all_unsat([self.answers]):
            return _UNSAT
        if _SAT in self.answers.values():
            return _SAT
        return _UNKNOWN

    def script(self, sha256: str, budget: int) -> bytes:
        """The file."""
        # The hash is of the text alone, so that it is the same as in the JSON of `check`, whatever rests
        # on the query.
        said = ", ".join(f"{name} said {status}" for name, status in self.answers.items())
        lines = [
            f"; query {sha256}, the SHA-256 of the text between the lines `(set-info :status` and `(check-sat)`",
            f"; {said}; with at most {budget} units of work, in z3's count",
            "; obligations that rest on it:",
            *self.users,
            *self.holds,
            "(set-info :smt-lib-version 2.6)",
            f"(set-info :status {self.status()})",
        ]
        return ("\n".join(lines) + f"\n{self.text}(check-sat)\n").encode()


class Queries:
    """The queries that some records rest on, each once. `budget` is the most work that a solver was allowed."""

    def __init__(self, solvers: Mapping[str, str | None], budget: int) -> None:
        self._solvers, self._budget = dict(solvers), budget
        self._queries: dict[str, _Query] = {}
        self._obligations: list[dict[str, Any]] = []

    def add(self, record: Record, *, asked: bool) -> None:
        """Add what a record rests on; the record has its texts. It was `asked` for, or another one uses it."""
        obligation, evidence = record.obligation, evidence_of(record)
        self._obligations.append(
            {
                "id": record.id,
                "kind": obligation.kind,
                "source": str(obligation.span),
                "types": list(record.types),
                "verdict": record.verdict.name,
                "scope": record.scope or None,
                "assumptions": list(result_of(record).assumed),
                "asked": asked,
                "uses": list(dict.fromkeys((*obligation.uses, *obligation.presumes))),
                "queries": [name_of(sha256) for sha256 in sorted(evidence)],
            }
        )
        for sha256, answers in evidence.items():
            query = self._queries.setdefault(sha256, _Query(record.texts[sha256]))
            query.users += _comment(record)
            # Another obligation may rest on the same text: an answer counts more than none.
            query.answers |= {
                name: status for name, status in answers.items() if query.answers.get(name, _UNKNOWN) == _UNKNOWN
            }

    def describe(self, holds: Mapping[str, Sequence[str]]) -> None:
        """Say what the assertions of queries are, by the hashes of these."""
        for sha256, lines in holds.items():
            self._queries[sha256].holds = [f"; {' '.join(line.split())}" for line in lines]

    def counts(self) -> dict[str, int]:
        """The number of queries for each expected answer."""
        # Each expected answer has a count, also 0: whoever reads it need not know which there could be.
        listed = [query.status() for query in self._queries.values()]
        return {status: listed.count(status) for status in (_UNSAT, _SAT, _UNKNOWN)}

    def files(self) -> dict[str, bytes]:
        """Every file by its name, the index among them."""
        made = {name_of(sha256): query.script(sha256, self._budget) for sha256, query in sorted(self._queries.items())}
        index = {
            "tool": TOOL,
            "solvers": self._solvers,
            "budget": self._budget,
            "obligations": sorted(self._obligations, key=lambda row: (row["id"], row["source"])),
            ROWS: [
                {
                    "file": name_of(sha256),
                    "status": query.status(),
                    "answers": query.answers,
                    "sorts": sorted(set(_SORT.findall(query.text))),
                    "bytes_sha256": hashlib.sha256(made[name_of(sha256)]).hexdigest(),
                }
                for sha256, query in sorted(self._queries.items())
            ],
        }
        return made | {INDEX: sealed(index)}


def name_of(sha256: str) -> str:
    """The file of a query."""
    return f"{sha256}.smt2"


def _comment(record: Record) -> list[str]:
    """An obligation in the comment of a file. A text of a user's must not end the comment: each is one line."""
    rows = [
        ("", record.id),
        ("  kind: ", record.obligation.kind),
        ("  types: ", ", ".join(record.types)),
        ("  verdict: ", record.verdict.name),
        ("  scope: ", record.scope),
        *(("  assuming that ", assumption) for assumption in result_of(record).assumed),
    ]
    return [f"; {what}{' '.join(said.split())}" for what, said in rows if said]
