"""Slips by what they replace, for tests."""

from __future__ import annotations

from sonnx_verify.authoring.mutation.slip import Slip
from sonnx_verify.errors import Source


def slip_of(source: Source, old: str, new: str) -> Slip:
    """The slip that replaces what stands in the text once."""
    assert source.text.count(old) == 1, f"{source.name} has {source.text.count(old)} times: {old}"
    return Slip(source, source.text.index(old), old, new)
