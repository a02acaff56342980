"""One call of a target, and its result: plain data that goes from one process to another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from math import prod
from typing import Any

from sonnx_verify.results.text import counted_text


@unique
class Form(StrEnum):
    """The arrangement of elements in memory. All but PLAIN are not contiguous, or not in row-major order."""

    PLAIN = "plain"
    EVERY_OTHER = "every other"
    BACKWARDS = "backwards"
    COLUMNS = "columns"


@unique
class Nans(StrEnum):
    """The bits of a NaN. QUIET is the specification's one NaN, the others are a NaN to IEEE 754 as well."""

    QUIET = ""
    NEGATIVE = "negative"
    PAYLOAD = "payload"
    SIGNALLING = "signalling"


# The order is that of smallness: see `trial.weight`.
FORMS = (Form.EVERY_OTHER, Form.BACKWARDS, Form.COLUMNS)
PAYLOADS = (Nans.NEGATIVE, Nans.PAYLOAD, Nans.SIGNALLING)
_FORM_WORDS = {
    Form.EVERY_OTHER: "strided",
    Form.BACKWARDS: "reversed",
    Form.COLUMNS: "column-major",
}
_NAN_WORDS = {
    Nans.NEGATIVE: "NaN with the sign bit set",
    Nans.PAYLOAD: "NaN with a payload",
    Nans.SIGNALLING: "signalling NaN with a payload",
}


@dataclass(frozen=True, slots=True)
class Presentation:
    """The way arrays lie in memory: the number of elements before them in a larger buffer, their form, their NaNs.
    `filling` is the byte of the memory around them."""

    # A buffer is aligned to 64 bytes, so that an array behind some elements is not: vector code begins otherwise there.
    offset: int = 0
    form: Form = Form.PLAIN
    nans: Nans = Nans.QUIET
    filling: int = 1

    def tells(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of that shape lies otherwise than plainly: of one element there is one order."""
        match self.form:
            case Form.COLUMNS:
                return 0 not in shape and sum(size > 1 for size in shape) > 1
            case Form.BACKWARDS | Form.EVERY_OTHER:
                return prod(shape) > 1
        return prod(shape) > 0

    @property
    def words(self) -> str:
        """The special features in words; empty for the plain presentation."""
        said = [_FORM_WORDS.get(self.form, ""), _NAN_WORDS.get(self.nans, "")]
        if self.offset:
            said.insert(0, f"offset by {counted_text(self.offset, 'element')}")
        return ", ".join(filter(None, said))


LAYOUTS: dict[str, Presentation] = {
    "contiguous": Presentation(),
    "1 element into a buffer": Presentation(1),
    "4 elements into a buffer": Presentation(4),
    **{str(form): Presentation(form=form) for form in FORMS},
}
"""The ways in which arrays lie in memory."""


@unique
class TargetKind(StrEnum):
    """The kinds of targets. The values are what a user writes."""

    REFERENCE = "onnx.reference"
    ONNXRUNTIME = "onnxruntime"
    OPENVINO = "openvino"
    TRACT = "tract"
    EVALUATOR = "evaluator"
    PYTHON = "python"
    PROGRAM = "exec"


@dataclass(frozen=True, slots=True)
class Array:
    """An array: ONNX's name of its type, its sizes, its elements in row-major order."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call. An input that is left out is None. `model` is the same as ONNX has it, where that
    is needed; `attributes` have those that are given; `several` says that there may be several outputs, and `asked` of
    each whether it is asked for, which a function is not told."""

    inputs: tuple[tuple[str, Array | None], ...]
    attributes: tuple[tuple[str, Any], ...]
    presentation: Presentation
    model: bytes = b""
    several: bool = False
    asked: tuple[bool, ...] = ()

    @property
    def given(self) -> list[tuple[str, Array]]:
        """The inputs that are given, in their order."""
        return [(name, array) for name, array in self.inputs if array is not None]


def asked_for(call: Call, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of a function that gives all outputs, those that are asked for; of any other, all that it gives."""
    if len(outputs) != len(call.asked):
        return outputs
    return tuple(output for output, is_asked in zip(outputs, call.asked, strict=True) if is_asked)


def results_in(made: Any, *, several: bool) -> tuple[Any, ...]:
    """The outputs that a Python function returns: a tuple, a list where there may be `several`, or one."""
    if isinstance(made, tuple):
        return made
    if several and isinstance(made, list):
        return tuple(made)
    return (made,)


@unique
class Ending(StrEnum):
    """The ways in which a call ends. Names in JSON and in ledgers are the values."""

    RESULT = "result"
    REFUSED = "refused"
    CRASHED = "crashed"
    HUNG = "hung"
    MEMORY = "memory"
    MALFORMED = "malformed"  # it returned something that is not an array


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a call: how it ended, the outputs if there are any, more in words. `changed` names inputs that the
    target wrote to; `status` is the exit status of a program that crashed, negative for a signal. `varies` has the
    numbers of the elements of each output that depend on memory that nobody wrote; it is empty if none does."""

    kind: Ending
    outputs: tuple[Array | None, ...] = ()
    said: str = ""
    changed: tuple[str, ...] = ()
    status: int = 0
    varies: tuple[tuple[int, ...], ...] = ()


def raised_text(problem: BaseException) -> str:
    """An exception of code under test in one line."""
    try:
        # Code under test may say what no text in UTF-8 can; an address is another one in every run.
        said = " ".join(str(problem).encode("utf-8", "backslashreplace").decode().split())
        said = re.sub("0x[0-9a-f]{6,}", "0x...", said)
    except (Exception, SystemExit):  # to say what it is, it runs code under test again
        said = ""
    return ": ".join(filter(None, (type(problem).__name__, said)))
