"""The messages between the server and its processes: one checks a file, another one searches for a repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sonnx_verify.background.messages import Done, Failed, Mistake, Row
from sonnx_verify.pages.lint.finding import Finding


@dataclass(frozen=True, slots=True)
class Request:
    """The file that is to be checked, of the project in `root`, or in no project; the texts that stand `instead` of
    what is written in files, by their paths without links, that of a page itself; the number of processes."""

    root: str
    path: str
    instead: Mapping[str, str]
    jobs: int


Message: TypeAlias = Mistake | Finding | Row | Done | Failed
"""The last message of a check is `Done` or `Failed`."""


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """The obligation that fails, of a file in a project; the texts that stand `instead` of what is written in files."""

    root: str
    path: str
    instead: Mapping[str, str]
    obligation: str
    jobs: int


@dataclass(frozen=True, slots=True)
class Repaired:
    """The text with a clause that repairs it."""

    text: str


@dataclass(frozen=True, slots=True)
class NotRepaired:
    """No repair was found, and why."""

    reason: str
