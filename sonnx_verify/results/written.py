"""Records as JSON, by their types: a field of a dataclass or a Struct is a member, an enumeration its value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

_WIDTH, _BEHIND = 120, 5
"""The columns of a line, and those of them that are kept for a comma and closing brackets."""


def json_line(made: object) -> str:
    """A record on one line. Names of the user's texts are shown as they are written there, in any script."""
    return json.dumps(msgspec.to_builtins(made), ensure_ascii=False)


def json_text(made: object) -> str:
    """A record as a text with a line for each member."""
    return json.dumps(msgspec.to_builtins(made), indent=1, ensure_ascii=False) + "\n"


def json_wrapped(made: object, opened: int = 0) -> str:
    """A record as a text whose lines have at most 120 characters, so that a reviewer can read it and a diff shows what
    changed. The outer `opened` levels have a line for each member; below, lines are filled with what fits. Only a text
    that is longer itself has a longer line."""
    return "\n".join(_wrapped(plain(made), "", 0, 0, opened)) + "\n"


def _wrapped(made: Any, name: str, depth: int, column: int, opened: int) -> list[str]:
    """The lines of a value at this depth that begins in a column, after its name."""
    line = name + json_line(made)
    if not isinstance(made, (dict, list)) or not made:
        return [line]
    begin, end, items = "[", "]", [("", one) for one in made]
    if isinstance(made, dict):
        begin, end, items = "{", "}", [(f"{json_line(key)}: ", one) for key, one in made.items()]
    if not any(isinstance(one, (dict, list)) for _, one in items):
        opened = 0  # nothing in it is a part of its own
    if opened <= 0 and column + len(line) <= _WIDTH - _BEHIND:
        return [line]
    lines = [name + begin]
    may_join = opened <= 0
    for n, (key, one) in enumerate(items):
        comma = "," * (n < len(items) - 1)
        # The first one may begin right behind the bracket; another one only if it is a line, behind a line.
        here = (column if len(lines) == 1 else 0) + len(lines[-1]) + (n > 0)
        own = _wrapped(one, key, depth + 1, here if may_join else depth + 1, opened - 1)
        if may_join and here + len(own[0]) <= _WIDTH - _BEHIND and (n == 0 or len(own) == 1):
            lines[-1] += " " * (n > 0) + own[0]
        else:
            own = _wrapped(one, key, depth + 1, depth + 1, opened - 1)
            lines.append(" " * (depth + 1) + own[0])
        lines += own[1:]
        lines[-1] += comma
        may_join = opened <= 0 and len(own) == 1
    if opened > 0:
        return [*lines, " " * depth + end]
    lines[-1] += end
    return lines


def plain(made: object) -> Any:
    """Convert a record to plain JSON values."""
    return json.loads(json_line(made))


def said(description: str, **form: Any) -> Meta:
    """The description of a member in a schema, with further keywords of the schema."""
    return Meta(description=description, **form)


def one_of(description: str, values: Sequence[object]) -> Meta:
    """The description of a member that has only these values."""
    # For an enumeration msgspec would add a definition, named after a class that readers need not know.
    return said(description, extra_json_schema={"enum": list(values)})


class OfVersions(Struct, frozen=True, kw_only=True):
    """An answer about operators, which may be named in a version without a text of its own."""

    in_force: Annotated[
        list[Annotated[str, Meta(min_length=1)]] | UnsetType,
        said("For each version without a text of its own: the text it uses, and the differences."),
    ] = UNSET


def schema_of(kind: type, command: str) -> dict[str, Any]:
    """The JSON Schema of a command's output, from its type. Every member is required unless it may be unset; no other
    members are allowed."""
    made = msgspec.json.schema(kind)
    definitions = made.pop("$defs")
    for one in definitions.values():
        if "properties" in one:
            given = [name for name, member in one["properties"].items() if member.pop("default", UNSET) is not UNSET]
            one["required"] = [name for name in one["properties"] if name in (*one["required"], *given)]
            one["additionalProperties"] = False
            one["description"] = " ".join(one["description"].split())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"sonnx-verify {command} --format json",
        **made,
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }
