"""Formal specification and verification of the operators of SONNX, the safety-related profile of ONNX.

The public functions are here; docs/api.md describes them. What a function needs is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sonnx_verify.version import __version__

if TYPE_CHECKING:
    from sonnx_verify import errors
    from sonnx_verify.api.functions import check, conform, counterexample, diff, evaluate, in_force, prove
    from sonnx_verify.arrays.evaluator.operator import load

__all__ = [
    "__version__",
    "check",
    "conform",
    "counterexample",
    "diff",
    "errors",
    "evaluate",
    "in_force",
    "load",
    "prove",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sonnx_verify' has no attribute '{name}'")
    if name == "errors":
        # `except sv.errors.UserError` has to work before any function was called.
        import sonnx_verify.errors as errors

        return errors
    if name == "load":
        # Who evaluates needs nothing of what decides.
        from sonnx_verify.arrays.evaluator.operator import load

        return load
    from sonnx_verify.api import functions

    return getattr(functions, name)


def __dir__() -> list[str]:
    return sorted(__all__)
