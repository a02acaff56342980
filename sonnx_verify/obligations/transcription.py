"""A standard's declarations against ONNX's own, in the committed table of signatures. Trusted.

A profile that refines a text which is not ONNX's operator refines nothing that anybody runs (twins type_lost,
version_13_forgets_a_type).
"""

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
    """The parts in which the file's declarations are not those of ONNX: none when they agree in all."""
    # Committed, not asked of the installed onnx: else a text would be right with one version of it alone.
    known = json.loads(signatures(project.root).read_text("utf-8")).get(f"{file.name}-{file.version}")
    if known is None:
        return [f"ONNX has no {file.name} version {file.version} in the table of signatures"]
    return compared(signature_of(file), known)


def signature_of(file: s.File) -> Signature:
    """The signature that the file declares. Raises SpecificationError for a default that is not written out."""
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
    of_tensor = kind.of is not None and kind.name == "tensor"
    return {
        "name": declaration.name,
        "type": str(kind.of if of_tensor else kind),
        "optional": declaration.optional,
        "variadic": declaration.high is not None,
    }


def _attribute(declaration: s.Declaration) -> dict[str, Any]:
    kind = str(declaration.type)
    lists = {"list of int": "ints", "list of float": "floats"}
    default = declaration.default
    # ONNX calls an attribute required that has no default and may not be left out.
    return {
        "name": declaration.name,
        "kind": lists.get(kind, kind),
        "required": not declaration.optional and default is None,
        "default": None if default is None else _written(default, declaration),
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
        f"the default of `{declaration.name}` is not a literal",
        node.span,
        "write a literal number, text or list, so that it can be compared with ONNX",
    )


# ----------------------------------------------------------------------------------------------------------- comparison


def compared(mine: Signature, known: Signature) -> list[str]:
    """The differences, a sentence for each. Type variables may have other names here: it counts which types each has,
    and which inputs and outputs share one."""
    found = []
    for part in ("inputs", "outputs"):
        if _plain(mine[part]) != _plain(known[part]):
            found.append(f"{part}: here {_listed(mine[part])}, in ONNX {_listed(known[part])}")
    # Types are compared side by side: with an input too few each would be held against its neighbour.
    if not found:
        found += _types(mine, known)
    ours, theirs = _attributes(mine), _attributes(known)
    for name in sorted(ours.keys() | theirs.keys()):
        here, there = ours.get(name, _NO_ATTRIBUTE), theirs.get(name, _NO_ATTRIBUTE)
        if here != there:
            found.append(f"attribute {name}: here {here}, in ONNX {there}")
    return found


_NO_ATTRIBUTE = "no such attribute"


def _attributes(signature: Signature) -> dict[str, str]:
    return {attribute["name"]: _described(attribute) for attribute in signature["attributes"]}


def _plain(parameters: list[dict[str, Any]]) -> list[tuple[str, bool, bool]]:
    return [(p["name"], p["optional"], p["variadic"]) for p in parameters]


def _listed(parameters: list[dict[str, Any]]) -> str:
    names = []
    for parameter in parameters:
        name = str(parameter["name"])
        if parameter["optional"]:
            name = f"optional {name}"
        if parameter["variadic"]:
            name = f"{name} (any number)"
        names.append(name)
    return ", ".join(names) or "none"


def _types(mine: Signature, known: Signature) -> list[str]:
    """The differences in the types of inputs and outputs, and of what they share.

    That variables pair off one to one is what `X : T, Y : T` against `X : T1, Y : T2` breaks: with the same types for
    T, T1 and T2, Y may have another type than X in one of them.
    """
    found: list[str] = []
    pairs: dict[str, str] = {}
    rows = zip([*mine["inputs"], *mine["outputs"]], [*known["inputs"], *known["outputs"]], strict=True)
    for here, there in rows:
        ours, theirs = _types_of(mine, here), _types_of(known, there)
        if set(ours) != set(theirs):
            found.append(f"types of {here['name']}: here {_apart(ours, theirs)}, in ONNX {_apart(theirs, ours)}")
        elif len(set(ours)) > 1:
            # Of one type there is nothing to share: a variable is then as good as the type itself.
            back = {variable_there: variable_here for variable_here, variable_there in pairs.items()}
            partner = pairs.setdefault(here["type"], there["type"])
            if partner != there["type"] or back.get(partner, here["type"]) != here["type"]:
                found.append(f"{here['name']} does not share its type with the same tensors as in ONNX")
    # A variable that no input or output has, has no partner that it could be compared with.
    unused_here, unused_there = _unused(mine), _unused(known)
    if unused_here != unused_there:
        found.append(f"types used by no input or output: here {unused_here}, in ONNX {unused_there}")
    return list(dict.fromkeys(found))


def _types_of(signature: Signature, parameter: dict[str, Any]) -> list[str]:
    """The types that an input or output may have: those of its variable, or the one that it names."""
    types: list[str] = signature["types"].get(parameter["type"], [parameter["type"]])
    return types


def _unused(signature: Signature) -> list[list[str]]:
    """The types of variables that no input or output has."""
    used = {parameter["type"] for parameter in (*signature["inputs"], *signature["outputs"])}
    return sorted(types for variable, types in signature["types"].items() if variable not in used)


def _apart(types: list[str], others: list[str]) -> str:
    """The types that are in one list alone."""
    alone = sorted(set(types) - set(others))
    return f"also {' '.join(alone)}" if alone else "nothing else"


def _described(attribute: dict[str, Any]) -> str:
    kind, default = attribute["kind"], attribute["default"]
    must = "required" if attribute["required"] else "may be left out"
    if default is None:
        return f"{kind}, {must}, no default"
    if kind in ("float", "floats"):
        default = _single(default)
    return f"{kind}, {must}, default {default!r}"


def _single(value: Any) -> Any:
    """The number that single precision has, in which ONNX keeps it: 0.1 is 0.10000000149011612 there. Of a list it
    is that of each; a value that is no such number is left as it is."""
    if isinstance(value, list):
        return [_single(number) for number in value]
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except (struct.error, OverflowError):
        return value
