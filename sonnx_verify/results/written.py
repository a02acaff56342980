"""Records as JSON, by their types: a field of a dataclass or a Struct is a member, an enumeration its value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType


def json_line(made: object) -> str:
    """A record on one line. Names of the user's texts are shown as they are written there, in any script."""
    return json.dumps(msgspec.to_builtins(made), ensure_ascii=False)


def json_text(made: object) -> str:
    """A record as a text with a line for each member."""
    return json.dumps(msgspec.to_builtins(made), indent=1, ensure_ascii=False) + "\n"


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
