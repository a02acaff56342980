"""ONNX's signatures of its operators, of the installed table: what pages are compared with, and begun from."""

from __future__ import annotations

from functools import cache

from sonnx_verify.language.places import installed_library, signatures
from sonnx_verify.language.signatures import Schema, Table


@cache
def operators() -> dict[str, tuple[int, ...]]:
    """The versions of each operator of ONNX's main domain, oldest first."""
    return _table().operators()


@cache
def schema(operator: str, opset: int | None = None) -> Schema | None:
    """The operator of that name in an opset, by default in the newest; None where ONNX has none."""
    # An opset has the newest version that is not newer than it: opset 14 has version 6 of LeakyRelu.
    versions = [v for v in operators().get(operator, ()) if opset is None or v <= opset]
    return _table().schema(operator, versions[-1]) if versions else None


@cache
def _table() -> Table:
    # Committed, so that pages are checked without the package onnx, and alike with any version of it.
    return Table(signatures(installed_library()).read_text("utf-8"))
