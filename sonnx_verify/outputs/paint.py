"""Colours of what a person reads at a terminal. Text that a program reads has none: the same bytes everywhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import TextIO

from sonnx_verify.results.result import Result, State


class Color(StrEnum):
    """The wish of a user."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Tone(Enum):
    """The meaning of a piece of text; the value is its style, in rich's words."""

    GOOD = "green"
    BAD = "bold red"
    OPEN = "yellow"
    FAINT = "dim"
    NAME = "bold"
    PLACE = "cyan"


@dataclass(frozen=True, slots=True)
class Paint:
    """Gives pieces of text their colours, or leaves them as they are."""

    colored: bool = False

    def __call__(self, text: str, tone: Tone) -> str:
        """The text with the escape sequences of its tone around it."""
        if not self.colored:
            return text
        return _render(text, tone)

    def verdict(self, result: Result, width: int = 0) -> str:
        """The verdict of a result, filled with blanks up to a width."""
        return self(f"{result.verdict:<{width}}", tone_of(result))


PLAIN = Paint()

_TONES = {
    State.GOOD: Tone.GOOD,
    State.EXPECTED: Tone.FAINT,
    State.LEFT: Tone.FAINT,
    State.FINDING: Tone.BAD,
    State.OPEN: Tone.OPEN,
}


def tone_of(result: Result) -> Tone:
    """The tone of a verdict: whether it is as it should be."""
    return _TONES[result.state]


def paint_for(stream: TextIO | None, color: Color) -> Paint:
    """The paint for what is written to a stream; None stands for one that is closed.

    NO_COLOR and FORCE_COLOR decide where the user has no wish, by their conventions: set, and not empty. A CI server
    reads lines, also where it lends its jobs a terminal.
    """
    if color is not Color.AUTO:
        return Paint(color is Color.ALWAYS)
    if os.environ.get("NO_COLOR"):
        return PLAIN
    if os.environ.get("FORCE_COLOR"):
        return Paint(colored=True)
    if os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return PLAIN
    return Paint(stream is not None and stream.isatty())


@cache
def _style(tone: Tone) -> object:
    # Only colours load rich.
    from rich.style import Style

    return Style.parse(tone.value)


def _render(text: str, tone: Tone) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    style = _style(tone)
    assert isinstance(style, Style)
    return style.render(text, color_system=ColorSystem.STANDARD)
