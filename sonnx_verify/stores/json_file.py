"""Files of JSON that the tool wrote and people edit, merge and commit: read with the place of what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.sources import Source, Span


def read_json(path: Path, restore: str) -> tuple[Span, object]:
    """The value in a file that the tool wrote, and its beginning. Raises UserError with the place, and how to
    `restore` it, where it is no JSON, has a key twice in an object, or a text that can be written nowhere."""
    # To read a pipe would take for ever.
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a file", cure=restore)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{path} cannot be read: {problem}", cure=restore) from None
    source = Source(str(path), text)
    start = Span(source, 1, 1)
    try:
        # Two people add a line each, and a merge keeps both: JSON takes the last one, and RFC 8259 leaves it open.
        made = json.loads(text, object_pairs_hook=_object)
        # An escape can stand for half of a character.
        json.dumps(made, ensure_ascii=False).encode()
    except _Twice as problem:
        raise UserError(f"the key `{problem.key}` is there twice", _last(source, problem.key), restore) from None
    except UnicodeEncodeError:
        raise UserError("it has an escape that is not a character", start, restore) from None
    except (ValueError, RecursionError) as problem:
        place = Span(source, getattr(problem, "lineno", 1), getattr(problem, "colno", 1))
        raise UserError("this is not JSON", place, restore) from None
    return start, made


def place_of_key(source: Source, *keys: str) -> Span:
    """The place of a key in a file, each key in the value of the one before it; the last place that is found."""
    start = 0
    for key in keys:
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(source.text, start)
        if found is None:
            break
        start = found.start()
    return _at(source, start)


class _Twice(Exception):
    """An object has a key twice: which of the values is meant, nobody knows."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise _Twice(key)
        made[key] = value
    return made


def _last(source: Source, key: str) -> Span:
    """The second place of a key; the beginning, where it cannot be found: other objects may have it too."""
    found = [*_places(source, key)]
    return found[1] if len(found) == 2 else Span(source, 1, 1)


def _places(source: Source, key: str) -> Iterator[Span]:
    for found in re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", source.text):
        yield _at(source, found.start())


def _at(source: Source, start: int) -> Span:
    return Span(source, source.text.count("\n", 0, start) + 1, start - source.text.rfind("\n", 0, start))
