"""Words of messages that several rules use."""

from __future__ import annotations

from collections.abc import Sized


def noun(what: str, several: Sized) -> str:
    """The word for the things that follow it: `attribute a`, `attributes a, b`."""
    return what if len(several) == 1 else f"{what}s"


def bounds_text(least: int, most: int | None, unbounded: str) -> str:
    """The number of inputs or outputs that ONNX has: `2`, `1 to 3`, or `1` and the words for no upper bound."""
    if most is None:
        return f"{least} {unbounded}"
    return f"{least}" if least == most else f"{least} to {most}"


def is_within(count: int, least: int, most: int | None) -> bool:
    """Return whether so many are allowed. None is no upper bound: ONNX has variadic inputs."""
    return least <= count and (most is None or count <= most)
