"""The parse tables of the grammar. To make them takes longer than most commands work, so they are kept.

Handed in, so trusted unless a run is without a cache: other tables would read other texts. Their key is the grammar,
the version of lark and all options, so tables of another grammar are never met.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from sonnx_verify.language.kept import Keeper, keeper

_KIND = "tables"
_GRAMMAR = Path(__file__).with_name("grammar.lark")


def parser(starts: tuple[str, ...] = ("start",), **options: bool) -> lark.Lark:
    """A parser of the grammar for texts that begin with any of these rules, with lark's options."""
    store = keeper()
    # By the folder too: a process that begins to keep things must not go on with tables that nobody wrote there.
    folder = store and store.folder
    known = (starts, folder, *sorted(options.items()))
    if known not in _PARSERS:
        _PARSERS[known] = made_or_kept(starts, store, **options)
    return _PARSERS[known]


_PARSERS: dict[object, lark.Lark] = {}


def made_or_kept(starts: tuple[str, ...], store: Keeper | None, **options: bool) -> lark.Lark:
    """The same, by the tables that are in the store if it has them; without a store they are made."""
    grammar = _GRAMMAR.read_text("utf-8")
    said = json.dumps([lark.__version__, starts, sorted(options.items()), grammar])
    key = hashlib.sha256(said.encode()).hexdigest()
    body = store and store.read(_KIND, key)
    if body and (known := _read(body)) is not None:
        return known
    made = lark.Lark(grammar, parser="lalr", start=list(starts), maybe_placeholders=False, **options)
    if store is not None:
        data, memo = made.memo_serialize([TerminalDef, Rule])
        store.write(_KIND, key, json.dumps({"data": data, "memo": memo}, separators=(",", ":")).encode())
    return made


def forget() -> None:
    """Make or read all parsers anew from here on."""
    _PARSERS.clear()


def _read(body: bytes) -> lark.Lark | None:
    """The parser that was kept; None where this lark has another form of it."""
    try:
        return lark.Lark.load(json.loads(body, object_hook=_numbered))
    except Exception:  # lark documents no errors for damaged tables; they are made again
        return None


def _numbered(value: dict[str, Any]) -> dict[int | str, Any]:
    """A part of the tables as it was before JSON, whose keys are texts alone: no name in them is a number."""
    return {_key(key): item for key, item in value.items()}


def _key(text: str) -> int | str:
    if text.isdecimal():
        return int(text)
    return text
