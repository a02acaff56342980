"""Writes spec/onnx/signatures.json anew: the signatures of all operators of the installed package onnx.

    python tools/schemas.py

It holds every version of every operator of the main domain. Only facts are taken: names, versions, types, arities,
kinds and defaults of attributes, and which attributes exclude each other. `sonnx_verify/language/signatures.py`
reads the file and says what its keys mean. A version of an operator has one line, and so has each list of types, so
that a change is one line of a difference. A test compares the file with the installed onnx.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx.defs
from onnx import AttributeProto, helper

TABLE = Path(__file__).resolve().parents[1] / "spec" / "onnx" / "signatures.json"
FORM = 2
"""The form of the file. It grows when readers of the one before cannot read it."""
OPTIONS = {"Single": [], "Optional": ["optional"], "Variadic": ["variadic"]}
UNBOUNDED = 2**31 - 1
"""ONNX's number for inputs and outputs without a bound."""


def schemas() -> list[Any]:
    """The schemas of the main domain, by name and version."""
    found = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain]
    return sorted(found, key=lambda s: (s.name, s.since_version))


# ------------------------------------------------------------------------------------------------------ lists of types


def lists_of_types(known: Iterable[Any]) -> dict[str, str]:
    """A name for each list of types."""
    named: dict[str, str] = {}
    # In the order of history: a new version of ONNX adds lists at the end, and the others keep their names.
    for formal in sorted(known, key=lambda s: (s.since_version, s.name)):
        for constraint in formal.type_constraints:
            named.setdefault(listed(constraint), f"t{len(named) + 1}")
    return named


def listed(constraint: Any) -> str:
    """The types of a type variable."""
    return " ".join(sorted(map(short, constraint.allowed_type_strs)))


def short(type_name: str) -> str:
    """`float16` of `tensor(float16)`; what is no tensor as it is, without blanks."""
    made = type_name.replace(" ", "")
    return made[7:-1] if made.startswith("tensor(") else made


# ---------------------------------------------------------------------------------------------------------- signatures


def row(formal: Any, named: dict[str, str]) -> dict[str, Any]:
    """The line of a version of an operator. What there is none of has no key."""
    made: dict[str, Any] = {
        "i": [parameter(p) for p in formal.inputs],
        "o": [parameter(p) for p in formal.outputs],
        "n": [formal.min_input, most(formal.max_input), formal.min_output, most(formal.max_output)],
        "r": [attribute(a) for a in attributes(formal) if a.required],
        "a": [attribute(a) for a in attributes(formal) if not a.required],
        "t": {c.type_param_str: named[listed(c)] for c in formal.type_constraints},
        "x": exactly_one(formal),
        "d": int(formal.deprecated),
    }
    return {key: value for key, value in made.items() if value}


def parameter(formal: Any) -> list[str]:
    """Name, type or type variable, and `optional` or `variadic`."""
    return [formal.name, short(formal.type_str), *OPTIONS[formal.option.name]]


def most(count: int) -> int | None:
    """How many at most; None where there is no bound."""
    return count if count < UNBOUNDED else None


def attributes(formal: Any) -> list[Any]:
    """The attributes by name."""
    return [formal.attributes[name] for name in sorted(formal.attributes)]


def attribute(formal: Any) -> list[Any]:
    """Name and kind, and the default where there is one that is a number, a text or a list of these."""
    made: list[Any] = [formal.name, str(formal.type).rpartition(".")[2].lower()]
    if formal.default_value.type not in (AttributeProto.UNDEFINED, AttributeProto.TENSOR, AttributeProto.GRAPH):
        made.append(plain(helper.get_attribute_value(formal.default_value)))
    return made


def plain(value: Any) -> Any:
    """A default as JSON has it; a float by the shortest decimal that single precision reads back."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(str(np.float32(value)))
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


# ---------------------------------------------------------------------------------- what onnx.defs says in prose alone

ONE = (
    re.compile(r"Exactly one of the \w+ attributes, either (?P<names>[\w*, ]+?),? must be specified"),
    re.compile(r"Either input '(?P<first>\w+)' or the attribute '(?P<second>\w+)' should be specified, but not both"),
    re.compile(r"Either this or (?P<first>\w+) attributes must be present but not both"),
)
"""The sentences of ONNX that say that exactly one of some attributes and inputs is given."""
SUCH = re.compile(r"exactly one of the|but not both", re.IGNORECASE)
"""The parts of such a sentence. One that is of no form of ONE ends the script: the rule would be missing."""


def exactly_one(formal: Any) -> list[list[str]]:
    """Groups of attributes and inputs of which a node has exactly one. Raises ValueError for a sentence that may say so
    and is not understood."""
    known = {p.name for p in formal.inputs} | set(formal.attributes)
    texts = [("", formal.doc or ""), *((a.name, a.description or "") for a in attributes(formal))]
    groups: list[list[str]] = []
    for owner, text in texts:
        plain_text = " ".join(text.split())
        found = [match for form in ONE for match in form.finditer(plain_text)]
        if len(found) != len(SUCH.findall(plain_text)):
            raise ValueError(f"{formal.name}-{formal.since_version}: a sentence of another form in: {plain_text}")
        for match in found:
            words = re.findall(r"[\w*]+", " ".join(match.groupdict().values()))
            group = members([*words, owner], known)
            if group not in groups:
                groups.append(group)
    return groups


def members(words: Iterable[str], known: set[str]) -> list[str]:
    """The names of attributes and inputs among the words; `value_*` are all that begin so."""
    made: set[str] = set()
    for word in words:
        begin, star, _ = word.partition("*")
        made |= {name for name in known if name == word or (star and name.startswith(begin))}
    return sorted(made)


# ----------------------------------------------------------------------------------------------------------- the file


def written() -> str:
    """The file."""
    known = schemas()
    named = lists_of_types(known)
    types = [f"  {json.dumps(name)}: {json.dumps(text)}" for text, name in named.items()]
    rows = [f'  "{s.name}-{s.since_version}": {json.dumps(row(s, named), separators=(",", ":"))}' for s in known]
    parts = [f' "form": {FORM}', section("types", types), section("signatures", rows)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def section(name: str, lines: list[str]) -> str:
    """An object with a line for each of its entries."""
    return f' "{name}": {{\n' + ",\n".join(lines) + "\n }"


if __name__ == "__main__":
    TABLE.write_text(written(), "utf-8")
