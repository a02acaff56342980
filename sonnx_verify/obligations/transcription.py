"""A standard's declarations against ONNX's own, in the committed table of signatures."""

from __future__ import annotations

import json
import struct
from typing import Any

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.places import signatures
from sonnx_verify.language.project import Project

Signature = dict[str, Any]
"""In the form of the table: `types` of each type variable; `inputs` and `outputs` in order, each with name, type,
optional and variadic; `attributes` by name, each with name, kind, required and default."""


def differences(project: Project, file: s.File) -> list[str]:
    """In which parts the file's declarations are not those of ONNX: none when they agree in all."""
    known = json.loads(signatures(project.root).read_text("utf-8")).get(f"{file.name}-{file.version}")
    if known is None:
        return [f"ONNX has no {file.name} version {file.version} in the table of signatures"]
    return compared(signature_of(file), known)


def signature_of(file: s.File) -> Signature:
    """What the file declares. Raises SpecificationError for a default that is not written out."""
    types: dict[str, list[str]] = {}
    for family, members in file.types.items():
        types.setdefault(file.type_variables[family], []).extend(members)
    return {
        "types": {variable: sorted(members) for variable, members in types.items()},
        "inputs": [_parameter(d) for d in file.inputs],
        "outputs": [_parameter(d) for d in file.outputs],
        "attributes": [_attribute(d) for d in sorted(file.attributes, key=lambda d: d.name)],
    }


def _parameter(declaration: s.Declaration) -> dict[str, Any]:
    kind = declaration.type
    return {
        "name": declaration.name,
        "type": kind.of.name if kind.name == "tensor" and kind.of is not None else str(kind),
        "optional": declaration.optional,
        "variadic": declaration.high is not None,
    }


def _attribute(declaration: s.Declaration) -> dict[str, Any]:
    kind = str(declaration.type)
    lists = {"list of int": "ints", "list of float": "floats"}
    return {
        "name": declaration.name,
        "kind": lists.get(kind, kind),
        "required": not declaration.optional and declaration.default is None,
        "default": None if declaration.default is None else _written(declaration.default, declaration),
    }


def _written(node: s.Expression, declaration: s.Declaration) -> Any:
    """The value of a default that is written out."""
    match s.bare(node):
        case s.Integer(digits=digits):
            return int(digits)
        case s.Decimal(digits=digits):
            return float(digits)
        case s.Quoted(text=text):
            return text
        case s.Listed(items=items):
            return [_written(item, declaration) for item in items]
        case s.Negative(inner=inner):
            value = _written(inner, declaration)
            if isinstance(value, (int, float)):
                return -value
    raise SpecificationError(
        f"the default of `{declaration.name}` is not written out",
        node.span,
        "write a number, a text or a list of them, so that it can be compared with ONNX",
    )


# ----------------------------------------------------------------------------------------------------------- comparison


def compared(mine: Signature, known: Signature) -> list[str]:
    """What differs, a sentence for each. Type variables may have other names here: it counts which types each has, and
    which inputs and outputs share one."""
    found = []
    for part in ("inputs", "outputs"):
        if _plain(mine[part]) != _plain(known[part]):
            found.append(f"{part}: here {_listed(mine[part])}, in ONNX {_listed(known[part])}")
    if not found:
        found += _types(mine, known)
    ours, theirs = ({a["name"]: _described(a) for a in signature["attributes"]} for signature in (mine, known))
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            here, there = (side.get(name, "none of that name") for side in (ours, theirs))
            found.append(f"attribute {name}: here {here}, in ONNX {there}")
    return found


def _plain(parameters: list[dict[str, Any]]) -> list[tuple[str, bool, bool]]:
    return [(p["name"], p["optional"], p["variadic"]) for p in parameters]


def _listed(parameters: list[dict[str, Any]]) -> str:
    def one(p: dict[str, Any]) -> str:
        return f"{'optional ' if p['optional'] else ''}{p['name']}{' (any number)' if p['variadic'] else ''}"

    return ", ".join(one(p) for p in parameters) or "none"


def _types(mine: Signature, known: Signature) -> list[str]:
    """Whether each input and output has the same types on both sides, and the variables pair off one to one."""
    found: list[str] = []
    pairs: dict[str, str] = {}
    rows = zip([*mine["inputs"], *mine["outputs"]], [*known["inputs"], *known["outputs"]], strict=True)
    for here, there in rows:
        ours, theirs = (side["types"].get(p["type"], [p["type"]]) for side, p in ((mine, here), (known, there)))
        if set(ours) != set(theirs):
            found.append(f"types of {here['name']}: here {_apart(ours, theirs)}, in ONNX {_apart(theirs, ours)}")
        elif len(set(ours)) > 1:
            # Of one type there is nothing to share: a variable is then as good as the type itself.
            back = {there_: here_ for here_, there_ in pairs.items()}
            same = pairs.setdefault(here["type"], there["type"]) == there["type"]
            if not same or back.get(there["type"], here["type"]) != here["type"]:
                found.append(f"{here['name']} shares its type with others here than in ONNX")
    unused = [sorted(v for k, v in side["types"].items() if not _used(side, k)) for side in (mine, known)]
    if unused[0] != unused[1]:
        found.append(f"types of no input or output: here {unused[0]}, in ONNX {unused[1]}")
    return list(dict.fromkeys(found))


def _used(signature: Signature, variable: str) -> bool:
    return any(p["type"] == variable for part in ("inputs", "outputs") for p in signature[part])


def _apart(types: list[str], others: list[str]) -> str:
    """What is in one list alone."""
    return "also " + " ".join(sorted(set(types) - set(others))) if set(types) - set(others) else "nothing else"


def _described(attribute: dict[str, Any]) -> str:
    default = attribute["default"]
    if attribute["kind"] in ("float", "floats") and default is not None:
        default = [_single(x) for x in default] if isinstance(default, list) else _single(default)
    must = "required" if attribute["required"] else "may be left out"
    return f"{attribute['kind']}, {must}, " + ("no default" if default is None else f"default {default!r}")


def _single(value: Any) -> Any:
    """The number that single precision has, in which ONNX keeps it; what is no such number as it is."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except (struct.error, OverflowError):
        return value
