"""Syntax trees of files, kept from one run to the next: to read one takes a fraction of what parsing takes.

Kept trees are plain data: nothing of them is run when they are read. Their key is the text and all code that this
module can run, so a tree of another parser is never met. What is written is read back first, and has to be the same
tree.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sonnx_verify.errors import UserError
from sonnx_verify.language import parser
from sonnx_verify.language import syntax as s
from sonnx_verify.language.kept import keeper
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source, Span
from sonnx_verify.stores.tool import digest_from

_KIND = "trees"
_REMEMBERED = 256
_TUPLE, _LIST, _DICT, _SPAN, _ENUM = -1, -2, -3, -4, -5
_CLASSES: list[type] = [c for _, c in inspect.getmembers(s, is_dataclass) if inspect.isclass(c) and c is not Span]
_ENUMS: list[type[StrEnum]] = [
    c for _, c in inspect.getmembers(s, inspect.isclass) if issubclass(c, StrEnum) and c is not StrEnum
]
_ENUM_NUMBERS = {c: n for n, c in enumerate(_ENUMS)}
_NUMBERS = {c: n for n, c in enumerate(_CLASSES)}
_NAMES = [[f.name for f in fields(c)] for c in _CLASSES]


def tree_of(source: Source, path: Path) -> s.File:
    """The syntax tree of a text that is said to be in the file at that path."""
    if keeper() is None:
        return parser.parse(source)
    return parsed(source, path)


def forget() -> None:
    """Read every text anew from here on, with trees that were kept where there are some."""
    parsed.cache_clear()
    parser.forget()


@functools.lru_cache(maxsize=_REMEMBERED)
def parsed(source: Source, path: Path) -> s.File:
    """The syntax tree of a text, which is kept where it is what the file at that path says."""
    store = keeper()
    if store is None:
        return parser.parse(source)
    key = _key(source.text)
    body = store.read(_KIND, key)
    known = body and _read(body, source)
    if known:
        return known
    file = parser.parse(source)
    # A text that an editor has not saved, or that a mutation made, is seldom read twice.
    if _is_in(path, source) and (written := _written(file, source)) is not None:
        store.write(_KIND, key, written)
    return file


def _key(text: str) -> str:
    return hashlib.sha256(json.dumps([digest_from("language/trees.py"), text]).encode()).hexdigest()


def _is_in(path: Path, source: Source) -> bool:
    try:
        return read_source(path, source.name) == source
    except UserError:
        return False


def _written(file: s.File, source: Source) -> bytes | None:
    """The tree as data; None where reading that gives another one."""
    try:
        body = json.dumps(_data(file, source), separators=(",", ":")).encode()
        if _read(body, source) == file:
            return body
    except (KeyError, RecursionError):
        pass
    return None


def _data(value: Any, source: Source) -> Any:
    """Values that JSON has; for others a list of what they are, and their parts."""
    if isinstance(value, StrEnum):
        return [_ENUM, _ENUM_NUMBERS[type(value)], value.value]
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Span):
        if value.source != source:
            raise KeyError("a place in another text")
        return [_SPAN, value.line, value.column, value.length]
    if isinstance(value, dict):
        return [_DICT, *(_data(part, source) for pair in value.items() for part in pair)]
    if isinstance(value, tuple | list):
        # A tuple is a list in JSON; a node with a list in place of a tuple would not equal the one that was written.
        return [{tuple: _TUPLE, list: _LIST}[type(value)], *(_data(part, source) for part in value)]
    number = _NUMBERS[type(value)]
    parts = [getattr(value, name) for name in _NAMES[number]]
    if isinstance(value, s.File):
        parts[_NAMES[number].index("path")] = ""  # the name of the source
    return [number, *(_data(part, source) for part in parts)]


def _read(body: bytes, source: Source) -> s.File | None:
    """The tree that was kept; None for what is none."""

    def value(data: Any) -> Any:
        if type(data) is not list:
            return data
        what = data[0]
        if what == _SPAN:
            return Span(source, *data[1:])
        if what == _ENUM:
            return _ENUMS[data[1]](data[2])
        # The check of the type saves a call for each text and number, of which a tree has thousands.
        parts = [value(part) if type(part) is list else part for part in data[1:]]
        if what == _TUPLE:
            return tuple(parts)
        if what == _LIST:
            return parts
        if what == _DICT:
            return dict(zip(parts[::2], parts[1::2], strict=True))
        return makers[what](*parts)

    makers: list[Callable[..., Any]] = list(_CLASSES)
    try:
        file = value(json.loads(body))
    except (ValueError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(file, s.File):
        return None
    file.path = source.name
    return file
