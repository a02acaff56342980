"""Values written on a command line, or held in .npy files, as concrete tensors, and these as numpy arrays."""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path
from typing import Any

from sonnx_verify.errors import UsageError
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.results.dtypes import dtype_of, numpy_name
from sonnx_verify.results.values import array_of

_TYPES = [name for name in ELEMENT_TYPES if name != "real"]
_PRINTED = re.compile(rf"({'|'.join(_TYPES)})\s*\(([\d,\s]*)\)\s*:?(.+)", re.DOTALL)


def tensor_argument(name: str, text: str) -> ConcreteTensor:
    """`TYPE:VALUES`, `TYPE:FILE.npy`, `FILE.npy`, or `TYPE (SIZES) VALUES` as answers print it. UsageError says what is
    wrong with anything else."""
    # A file may be called `float (1).npy`.
    if not text.endswith(".npy") and (printed := _PRINTED.fullmatch(text)):
        return _from_printed(name, printed)
    kind, colon, rest = text.partition(":")
    if colon and kind in _TYPES:
        sort = ELEMENT_TYPES[kind]
        if rest.endswith(".npy"):
            return _from_file(name, rest, sort)
        return _from_text(name, rest, sort)
    if text.endswith(".npy"):
        return _from_file(name, text, None)
    if colon and re.fullmatch(r"\w+", kind):
        raise UsageError(f"{name}: unknown element type `{kind}`", cure="use one of " + ", ".join(_TYPES))
    raise UsageError(f"{name}: `{text}` has no type", cure=f"write {name}=float:[[1, 2], [3, 4]] or {name}=file.npy")


def _from_printed(name: str, printed: re.Match[str]) -> ConcreteTensor:
    # With its sizes a tensor of no elements can be written whatever they are: lists alone say no size after a 0.
    shape = tuple(int(size) for size in re.findall(r"\d+", printed[2]))
    made = _from_text(name, printed[3].strip(), ELEMENT_TYPES[printed[1]])
    if made.shape != shape and (made.elements or numel(shape)):
        cure = f"make them agree; `{name}={printed[1]}:VALUES` needs no sizes"
        raise UsageError(f"{name}: the sizes are {shape}, and the values have {made.shape}", cure=cure)
    return ConcreteTensor(made.sort, shape, made.elements)


def _from_text(name: str, text: str, sort: Sort) -> ConcreteTensor:
    # JSON has no NaN and no infinity, and its numbers would become floats of 64 bits: the texts of all numbers are
    # kept, so that 0.1 is rounded once, to the type that is wanted.
    quoted = re.sub(r'(?<![\w".])([+-]?(?:nan|inf(?:inity)?))(?![\w"])', r'"\1"', text, flags=re.IGNORECASE)
    try:
        data = json.loads(quoted, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        raise UsageError(
            f"{name}: `{text}` is not a list of numbers", cure="write numbers in brackets: [[1, 2]]"
        ) from None
    shape = _shape_of(name, data)
    elements = tuple(_element(name, item, sort) for item in _flat(data))
    # Rows that differ deeper than in the first of each list, as in [[[1], [2]], [[3], []]].
    if len(elements) != prod(shape):
        raise UsageError(f"{name}: the rows of `{text}` have different lengths", cure="make all rows equally long")
    return ConcreteTensor(sort, shape, elements)


def _shape_of(name: str, data: Any) -> tuple[int, ...]:
    """The shape of nested lists, by the first member of each."""
    shape: list[int] = []
    # Along the first members: the others have to be like them, level by level.
    while isinstance(data, list):
        shape.append(len(data))
        if not data:
            break
        rows = [item for item in data if isinstance(item, list)]
        if rows and len(rows) < len(data):
            raise UsageError(f"{name}: numbers and lists are mixed", cure="nest all rows equally")
        if any(len(row) != len(rows[0]) for row in rows):
            raise UsageError(f"{name}: rows have different lengths", cure="make all rows equally long")
        data = data[0]
    return tuple(shape)


def _flat(data: Any) -> list[Any]:
    if not isinstance(data, list):
        return [data]
    flat: list[Any] = []
    for item in data:
        flat += _flat(item)
    return flat


def _element(name: str, item: Any, sort: Sort) -> object:
    try:
        return _parsed(item, sort)
    except ValueError:
        raise UsageError(
            f"{name}: {item} is not a value of type {sort.name}", cure="write values of the type"
        ) from None


def _parsed(item: Any, sort: Sort) -> object:
    """The element that is written. ValueError where it is none of the type."""
    if isinstance(sort, FloatSort) and isinstance(item, str):
        return floats.parse(sort, item.lower().replace("infinity", "inf"))
    if isinstance(sort, IntegerSort) and isinstance(item, str):
        value = int(item)
        if not sort.lowest <= value <= sort.greatest:
            raise ValueError("beyond the type")
        return value
    if sort == BOOL and isinstance(item, bool):
        return item
    if sort == BOOL and item in ("0", "1"):
        return item == "1"
    raise ValueError("of another kind")


def _from_file(name: str, text: str, wanted: Sort | None) -> ConcreteTensor:
    import numpy as np

    try:
        array = np.load(Path(text), allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as problem:
        cure = "name a file made by numpy.save"
        if "descr" in str(problem):
            # Of a float8 array numpy writes a type that it cannot read.
            cure += "; of an array of float8 save `array.view('V1')`"
        raise UsageError(f"{name}: {text} cannot be read: {problem}", cure=cure) from None
    return from_array(name, array, wanted)


def from_array(name: str, array: Any, wanted: Sort | None = None) -> ConcreteTensor:
    """A numpy array as a tensor of its type, or of the wanted one where it holds the bits of that."""
    import numpy as np

    sort = _sort_of(name, array, wanted)
    flat = np.ascontiguousarray(array).reshape(-1)
    flat = flat.astype(flat.dtype.newbyteorder("="), copy=False)
    if isinstance(sort, FloatSort):
        # NaN has many bit patterns in IEEE 754 and one here: which one an array holds is not part of its value.
        bits = flat.view(f"u{sort.width // 8}")
        magnitudes = bits & ((1 << (sort.width - 1)) - 1)
        # Without infinities one magnitude is that of NaN, the greatest; else all above that of infinity.
        nans = magnitudes >= floats.nan(sort)
        if not isinstance(sort, MinifloatSort):
            nans = magnitudes > floats.infinity(sort)
        return ConcreteTensor(sort, array.shape, tuple(np.where(nans, floats.nan(sort), bits).tolist()))
    return ConcreteTensor(sort, array.shape, tuple(flat.view(dtype_of(sort.name)).tolist()))


def _sort_of(name: str, array: Any, wanted: Sort | None) -> Sort:
    """The type that an array holds elements of, or the bits of. UsageError where that is not the wanted one, or
    none."""
    held = array.dtype.name
    known = {numpy_name(n): n for n in _TYPES}.get(held)
    if known is not None and (wanted is None or wanted.name == known):
        return ELEMENT_TYPES[known]
    # numpy.save writes what is not numpy's own, as bfloat16, as bytes without a type: whoever names the type says how
    # to read them. A byte that is neither 0 nor 1 is no truth value.
    untyped = known is None and array.dtype.kind == "V"
    if untyped and wanted not in (None, BOOL) and array.dtype.itemsize == dtype_of(wanted.name).itemsize:
        return wanted
    instead = f", not {wanted.name}" if wanted else ""
    raise UsageError(f"{name}: the file holds {held}{instead}", cure=f"name the type: {name}=TYPE:file.npy")


def to_array(tensor: ConcreteTensor) -> Any:
    """A tensor as a numpy array, bit for bit."""
    return array_of(tensor.sort, tensor.shape, tensor.elements)
