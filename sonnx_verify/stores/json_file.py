"""Files of JSON that the tool wrote and people edit, merge and commit: read with the place of what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.sources import Source, Span


def read_json(path: Path, restore: str) -> tuple[Span, object]:
    """The value in a file that the tool wrote, and its beginning. Raises UserError with the place, and how to
    `restore` it, where it is no JSON, has a key twice in an object, or a text that can be written nowhere."""
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
    return place_of_key(source, key, 2)


def place_of_key(source: Source, key: str, times: int = 1) -> Span:
    """The last place of a key that is there so many times; the beginning, where it is not: other objects may have it
    too."""
    found = [*re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", source.text)]
    if len(found) != times:
        return Span(source, 1, 1)
    start = found[-1].start()
    line = source.text.count("\n", 0, start) + 1
    return Span(source, line, start - source.text.rfind("\n", 0, start))
