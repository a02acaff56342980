"""Formal specification and verification of the operators of SONNX, the safety-related profile of ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sonnx_verify.version import __version__

if TYPE_CHECKING:
    from sonnx_verify.arrays.evaluator.operator import Operator


__all__ = ["__version__", "load"]


def load(name: str) -> Operator:
    """The operator of that name, as `show` and `list` have it, ready to be evaluated on numpy arrays: of the project in
    the current folder, else of the installed library. Raises UsageError if there is none."""
    from sonnx_verify.arrays.evaluator.operator import load

    return load(name)
