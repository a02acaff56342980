"""Arrays in memory as a presentation wants them, and read back. Runs in the child: numpy and ml_dtypes only."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.targets.calls import PAYLOADS, Array, Form, Nans, Presentation
from sonnx_verify.results.dtypes import dtype_of, onnx_name

_NANS = {
    "float8e5m2": (2, 8),
    "bfloat16": (7, 16),
    "float16": (10, 16),
    "float": (23, 32),
    "double": (52, 64),
}
"""Bits of the fraction, and of all."""


def made(array: Array, presentation: Presentation) -> Any:
    """The array, lying in memory as it is wanted, aligned but for the offset."""
    dtype = dtype_of(array.dtype)
    plain = np.frombuffer(_with_nans(array, presentation.nans), dtype=dtype).reshape(array.shape)
    match presentation.form:
        # numpy.asfortranarray makes an axis of its own of none.
        case Form.COLUMNS if array.shape:
            return np.asfortranarray(plain)
        # An array of rank 0 has no axis to turn or to thin out: it is presented plainly.
        case Form.BACKWARDS if array.shape:
            whole = tuple(slice(None, None, -1) for _ in array.shape)
            turned = np.ascontiguousarray(plain[whole]).reshape(array.shape)
            return _aligned(turned, 0, presentation.filling)[whole]
        case Form.EVERY_OTHER if array.shape:
            wide = np.empty((*array.shape[:-1], 2 * array.shape[-1]), dtype)
            # The gaps hold no zeros: code that reads them gives a value that shows.
            wide[...] = np.frombuffer(b"\x01" * dtype.itemsize, dtype)[0]
            wide[..., ::2] = plain
            return wide[..., ::2]
        case _:
            return _aligned(plain, presentation.offset, presentation.filling)


def _aligned(plain: Any, offset: int, filling: int) -> Any:
    """A copy that begins `offset` elements behind a multiple of 64 bytes, with at least 64 bytes of `filling` on both
    sides."""
    # 64 bytes are the widest vector registers (AVX-512): code takes one way for aligned data and another for the rest.
    size = plain.dtype.itemsize
    buffer = np.full(plain.nbytes + 192 + offset * size, filling, np.uint8)
    start = 64 + -buffer.ctypes.data % 64 + offset * size
    view = buffer[start : start + plain.nbytes].view(plain.dtype).reshape(plain.shape)
    view[...] = plain
    return view


def _with_nans(array: Array, nans: Nans) -> bytes:
    """The bytes of the array, with every NaN written in the wanted bits."""
    if nans is Nans.QUIET or array.dtype not in _NANS:
        return array.data
    fraction, width = _NANS[array.dtype]
    bits = np.frombuffer(array.data, f"u{width // 8}").copy()
    # IEEE 754: infinity has all exponent bits set and no fraction; a NaN has a fraction, whose first bit means quiet.
    infinity = ((1 << (width - 1)) - 1) >> fraction << fraction
    quiet = 1 << (fraction - 1)
    other = {
        Nans.NEGATIVE: 1 << (width - 1) | infinity | quiet,
        Nans.PAYLOAD: infinity | quiet | 1,
        Nans.SIGNALLING: infinity | 1,
    }
    bits[(bits & bits.dtype.type((1 << (width - 1)) - 1)) > infinity] = other[nans]
    return bits.tobytes()


def payloads_of(name: str) -> tuple[Nans, ...]:
    """The bits of a NaN other than the specification's that are tried of a type."""
    if name in _NANS:
        return PAYLOADS
    return ()


def is_array(made: Any) -> bool:
    """Return whether a result is an array, or one element as numpy has it: a list is none, nor are objects, whose bytes
    are addresses, nor masked elements, which have no value."""
    return isinstance(made, (np.ndarray, np.generic)) and not np.ma.is_masked(made) and not made.dtype.hasobject


def read(made: Any) -> Array | None:
    """Return an array as plain data; None for anything else."""
    if not is_array(made):
        return None
    array = np.asarray(made)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return Array(onnx_name(array.dtype.name), tuple(native.shape), native.tobytes())
