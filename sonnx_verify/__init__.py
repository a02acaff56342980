"""Formal specification and verification of the operators of SONNX, the safety-related profile of ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sonnx_verify.evaluator.operator import Operator

__version__ = "0.1.0"


def load(name: str) -> Operator:
    """The operator of that name, as `show` and `list` have it, ready to be evaluated on numpy arrays: of the project in
    the current folder, else of the installed library. Raises UsageError if there is none."""
    from sonnx_verify.commands.select import find_operator, here
    from sonnx_verify.errors import UsageError
    from sonnx_verify.evaluator.operator import Operator

    if not isinstance(name, str):
        raise UsageError(f"{name!r} is no name of an operator", cure='give a text, as in "sonnx.Max-13"')
    project = here()
    return Operator(project, find_operator(project, name))
