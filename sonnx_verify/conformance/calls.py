"""One call of a target, and what came of it: plain data that goes from one process to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

QUIET = ""
"""NaNs as the specification's one NaN is written."""
PAYLOADS = ("negative", "payload", "signalling")
"""Other bits that are a NaN too."""
PLAIN = "plain"
FORMS = ("every other", "backwards", "columns")
"""Arrays that are not contiguous."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """How arrays lie in memory: how many elements into a larger buffer they begin, in which form, with which NaNs."""

    offset: int = 0
    form: str = PLAIN
    nans: str = QUIET

    @property
    def words(self) -> str:
        """What is special about it, or nothing."""
        said = []
        if self.offset:
            said.append(f"{self.offset} element{'s' * (self.offset > 1)} into a buffer")
        said += [_WORDS[self.form]] if self.form != PLAIN else []
        said += [_WORDS[self.nans]] if self.nans else []
        return ", ".join(said)


_WORDS = {
    "every other": "every other element of a buffer",
    "backwards": "backwards",
    "columns": "in column-major order",
    "negative": "NaN with its sign set",
    "payload": "NaN with another payload",
    "signalling": "NaN with another payload, signalling",
}
"""What is said of each of FORMS and PAYLOADS."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array: ONNX's name of its type, its sizes, its elements in row-major order."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """What a target is given. Of inputs, None is one that is left out. `model` is the same as ONNX has it, where that
    is needed; `attributes` have those that are given."""

    inputs: tuple[tuple[str, Array | None], ...]
    attributes: tuple[tuple[str, Any], ...]
    presentation: Presentation
    model: bytes = b""


@dataclass(frozen=True, slots=True)
class Got:
    """What came of a call: `result`, `refused`, `crashed`, `hung`, `memory`, or `malformed` for what is no result at
    all; then `said` says more. `changed` names inputs that the target wrote to."""

    kind: str
    outputs: tuple[Array | None, ...] = ()
    said: str = ""
    changed: tuple[str, ...] = ()
