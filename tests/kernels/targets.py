"""Every kernel as a function, for `sonnx-verify conform SPEC --against python:tests.kernels.targets:FUNCTION`.

The functions have no names in this file: `target` says what the one of an operator is called.
"""

from __future__ import annotations

from functools import cache

from tests.kernels.calls import Implementation
from tests.kernels.operators import OPERATORS, Operator
from tests.kernels.others import OtherKernel, others
from tests.kernels.table import Kernel, fits


def function_name(operator: Operator, kernel: Kernel | OtherKernel | None) -> str:
    """The name of the function; without a kernel, that of the plain right implementation."""
    name = operator.name.replace(".", "_").replace("-", "_")
    return f"{name}__{'right' if kernel is None else kernel.name}"


def target(operator: Operator, kernel: Kernel | OtherKernel | None) -> str:
    """What `--against` takes."""
    return f"python:{__name__}:{function_name(operator, kernel)}"


@cache
def functions() -> dict[str, Implementation]:
    """Every function by its name."""
    named = {function_name(operator, None): operator.run for operator in OPERATORS}
    named |= {function_name(operator, kernel): kernel.of(operator) for operator, kernel in fits()}
    named |= {function_name(operator, kernel): kernel.of(operator) for operator, kernel in others()}
    return named


def __getattr__(name: str) -> Implementation:
    if name in functions():
        return functions()[name]
    raise AttributeError(f"there is no kernel {name}")
