"""The requests of the page: a text, and a question about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Question(StrEnum):
    """The questions, by the last part of their address."""

    CHECK = "check"
    EVALUATE = "evaluate"
    SHAPE = "shape"


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a text; `values` is the JSON that `evaluate` and `shape` are asked with. `jobs` processes
    decide."""

    question: Question
    text: str
    values: str = ""
    jobs: int = 1

    @property
    def root(self) -> str:
        """No project: the text stands alone, beside the installed library."""
        return ""
