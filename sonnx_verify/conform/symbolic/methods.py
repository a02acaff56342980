"""The operators and methods of arrays that are numpy functions by another name, put on symbolic arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conform.symbolic.array import SymbolicArray
from sonnx_verify.conform.symbolic.trace import refuse

_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift, "matmul": np.matmul,
}  # fmt: skip  # a table
_COMPARED = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip  # a table
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_FUNCTIONS = (
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumsum", "cumprod", "max", "mean", "min", "nonzero",
    "prod", "ptp", "put", "repeat", "searchsorted", "sort", "std", "sum", "swapaxes", "take", "var", "compress",
    "choose", "diagonal", "trace", "round", "squeeze",
)  # fmt: skip  # a table


def _binary(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self, other)


def _reflected(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _equality(function: Any) -> Callable[[Any, Any], Any]:
    def compare(self: SymbolicArray, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            # Of what cannot be compared numpy says that it is not equal.
            refuse("elements compared with what is no number")

    return compare


def _in_place(function: Any) -> Callable[[Any, Any], Any]:
    # A scalar is not written to: the name means another one then.
    return lambda self, other: function(self, other) if self._scalar else function(self, other, out=(self,))


def _unary(function: Any) -> Callable[[Any], Any]:
    return lambda self: function(self)


def _method(name: str) -> Callable[..., Any]:
    function = getattr(np, name)
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def _reshape(self: SymbolicArray, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    if not shape:
        refuse("ndarray.reshape without a shape")
    wanted = shape[0] if len(shape) == 1 else shape
    more = {} if copy is None else {"copy": copy}
    return np.reshape(self, wanted, order=order, **more)  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _transpose(self: SymbolicArray, *axes: Any) -> Any:
    wanted = None if not axes else axes[0] if len(axes) == 1 else axes
    return np.transpose(self, wanted)  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _refused(name: str) -> Callable[..., Any]:
    def call(self: SymbolicArray, *args: Any) -> Any:
        if name == "__hash__" and not self._scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        refuse(f"ndarray.{name}")

    return call


def _missing(self: SymbolicArray, name: str) -> Any:
    """What an array has and this has not is refused: code that asks whether it is there must not get a wrong answer."""
    if not hasattr(np.ndarray, name) and not hasattr(self._dtype.type, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
    refuse(f"ndarray.{name}")


for _name, _function in _BINARY.items():
    setattr(SymbolicArray, f"__{_name}__", _binary(_function))
    setattr(SymbolicArray, f"__r{_name}__", _reflected(_function))
    setattr(SymbolicArray, f"__i{_name}__", _in_place(_function))
for _name, _function in _COMPARED.items():
    setattr(SymbolicArray, f"__{_name}__", _binary(_function))
for _name in ("eq", "ne"):
    setattr(SymbolicArray, f"__{_name}__", _equality(_COMPARED[_name]))
for _name, _function in _UNARY.items():
    setattr(SymbolicArray, f"__{_name}__", _unary(_function))
for _name in _FUNCTIONS:
    if hasattr(np.ndarray, _name):
        setattr(SymbolicArray, _name, _method(_name))
_OWN: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "ravel": lambda self, order="C": np.ravel(self, order),
    "flatten": lambda self, order="C": np.ravel(self, order).copy(),
    "__getattr__": _missing,
}
for _name, _own in _OWN.items():
    setattr(SymbolicArray, _name, _own)
for _name in ("divmod", "rdivmod", "hash", "round", "format", "complex", "trunc", "floor", "ceil", "bytes", "buffer",
              "reduce_ex", "reduce"):
    setattr(SymbolicArray, f"__{_name}__", _refused(f"__{_name}__"))
