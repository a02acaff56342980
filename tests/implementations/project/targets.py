"""Implementations of Greater: one that is right, and others with one slip each."""

import os
import sys
import time

import numpy as np

__version__ = "1.0"


def checked(xs: tuple[np.ndarray, ...], twice: int) -> None:
    if twice not in (0, 1):
        raise ValueError(f"twice is {twice}")
    if any(x.shape != xs[0].shape for x in xs):
        raise ValueError("shapes differ")


def two(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "f":
        return np.where(x > y, x, y)
    first = (x > y) | ((x == y) & ~np.signbit(x)) | np.isnan(x)
    return np.where(first, x, y)


def right(*xs: np.ndarray, twice: int) -> np.ndarray:
    checked(xs, twice)
    y = xs[0]
    for x in xs[1:]:
        y = two(y, x)
    return np.array(y)


def signs(*xs: np.ndarray, twice: int) -> np.ndarray:
    checked(xs, twice)
    y = xs[0]
    for x in xs[1:]:
        y = np.maximum(y, x)
    return np.array(y)


def drops_nan(*xs: np.ndarray, twice: int) -> np.ndarray:
    checked(xs, twice)
    y = xs[0]
    for x in xs[1:]:
        y = np.where(np.isnan(x), y, two(y, x)) if x.dtype.kind == "f" else two(y, x)
    return np.array(y)


def payload(*xs: np.ndarray, twice: int) -> np.ndarray:
    y = right(*xs, twice=twice)
    return np.where(np.isnan(y), np.float32(-np.nan), y).astype(y.dtype) if y.dtype.kind == "f" else y


def never_checks(*xs: np.ndarray, twice: int) -> np.ndarray:
    y = xs[0]
    for x in xs[1:]:
        y = two(y, x)
    return np.array(y)


def refuses_empty(*xs: np.ndarray, twice: int) -> np.ndarray:
    if xs[0].size == 0:
        raise ValueError("nothing to compare")
    return right(*xs, twice=twice)


def larger(*xs: np.ndarray) -> np.ndarray:
    """A maximum as it is often written."""
    y = xs[0]
    for x in xs[1:]:
        y = np.where(x > y, x, y)
    return np.array(y)


def refuses_all(*xs: np.ndarray, twice: int) -> np.ndarray:
    raise NotImplementedError("not yet")


def writes(*xs: np.ndarray, twice: int) -> np.ndarray:
    checked(xs, twice)
    for x in xs[1:]:
        xs[0][...] = two(xs[0], x)
    return xs[0].copy()


def wide(*xs: np.ndarray, twice: int) -> np.ndarray:
    return right(*xs, twice=twice).astype(np.float64)


def flat(*xs: np.ndarray, twice: int) -> np.ndarray:
    return right(*xs, twice=twice).reshape(-1)


def shaped(*xs: np.ndarray, twice: int) -> np.ndarray:
    """The input keeps its elements, and is of another shape afterwards."""
    result = right(*xs, twice=twice)
    xs[0].shape = (*xs[0].shape, 1)
    return result


def typed(*xs: np.ndarray, twice: int) -> np.ndarray:
    """The input keeps its bytes, and is of another type afterwards."""
    result = right(*xs, twice=twice)
    xs[0].dtype = np.dtype(f"u{xs[0].dtype.itemsize}")  # type: ignore[misc]  # numpy lets everybody set it
    return result


def listed(*xs: np.ndarray, twice: int) -> object:
    return right(*xs, twice=twice).tolist()


def masked(*xs: np.ndarray, twice: int) -> np.ndarray:
    return np.ma.masked_array(right(*xs, twice=twice), mask=True)


def many(*xs: np.ndarray, twice: int) -> tuple[np.ndarray, np.ndarray]:
    return right(*xs, twice=twice), xs[0].copy()


def aborts(*xs: np.ndarray, twice: int) -> np.ndarray:
    if len(xs) == 3:
        os.abort()
    return right(*xs, twice=twice)


def leaves(*xs: np.ndarray, twice: int) -> np.ndarray:
    if len(xs) == 3:
        sys.exit(0)
    return right(*xs, twice=twice)


def forks(*xs: np.ndarray, twice: int) -> np.ndarray:
    """The copy answers too, and is still there for the next calls."""
    if len(xs) == 3:
        os.fork()
    return right(*xs, twice=twice)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def unspeakable(*xs: np.ndarray, twice: int) -> np.ndarray:
    try:
        return right(*xs, twice=twice)
    except ValueError:
        raise Unspeakable from None


def unwritable(*xs: np.ndarray, twice: int) -> np.ndarray:
    raise NotImplementedError("byte \udcff")


def hangs(*xs: np.ndarray, twice: int) -> np.ndarray:
    while len(xs) == 3:
        time.sleep(1)
    return right(*xs, twice=twice)


def eats(*xs: np.ndarray, twice: int) -> np.ndarray:
    if len(xs) == 3:
        bytearray(1 << 60)
    return right(*xs, twice=twice)


def prints(*xs: np.ndarray, twice: int) -> np.ndarray:
    print("x" * 100_000)
    os.write(1, b"\0\0\0\1 noise")
    sys.stdout.flush()
    input_is_empty = not sys.stdin.read()
    assert input_is_empty
    return right(*xs, twice=twice)


def same(x: np.ndarray) -> np.ndarray:
    if x.ndim == 0:
        raise ValueError("a scalar")
    return x.copy()


def plus_one(x: np.ndarray) -> np.ndarray:
    return same(x) + np.int8(x.size > 1)


def long_tail(x: np.ndarray) -> np.ndarray:
    """The elements after the last whole four are lost."""
    y = same(x).reshape(-1)
    if y.size > 4:
        y[y.size // 4 * 4 :] = 0
    return y.reshape(x.shape)


def unaligned(x: np.ndarray) -> np.ndarray:
    return same(x) if x.ctypes.data % 16 == 0 or not x.size else same(x) * 0 + 3


def around(x: np.ndarray) -> np.ndarray:
    """The element before the input is lost, where the input is a part of an array."""
    result = same(x)
    if x.base is not None and x.size and x.flags.c_contiguous and x.ctypes.data > x.base.ctypes.data:
        x.base.reshape(-1)[0] += 1
    return result


number = 3


def writes_and_refuses(*xs: np.ndarray, twice: int) -> np.ndarray:
    """What is refused was written to before."""
    for x in xs:
        if twice not in (0, 1):
            x[...] = 0
    return right(*xs, twice=twice)


def dies_of_what_it_lacks(*xs: np.ndarray, twice: int) -> np.ndarray:
    """No valid input has a result, and two shapes end the process."""
    if any(x.shape != xs[0].shape for x in xs):
        os.abort()
    raise NotImplementedError("not yet")
