"""A standard's declarations against ONNX's own, in the committed table of signatures. Trusted.

A profile that refines a text which is not ONNX's operator refines nothing that anybody runs (twins type_lost,
version_13_forgets_a_type).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import type_code
from sonnx_verify.language.cures import parameters_listed, types_apart
from sonnx_verify.language.declare import ATTRIBUTES
from sonnx_verify.language.places import signatures
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Attribute, Option, Parameter, Schema, Table, word_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of each type variable; inputs and outputs in order; attributes by name."""

    types: dict[str, tuple[str, ...]]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...]


def differences(project: Project, file: s.File) -> list[str]:
    """The parts in which the file's declarations are not those of ONNX: none when they agree in all."""
    assert file.version is not None
    # Committed, not asked of the installed onnx: else a text would be right with one version of it alone.
    path = signatures(project.root)
    table = Table(path.read_text("utf-8"))
    if not table.is_readable:
        return [f"the table {path.name} has a form that this version does not read: write it anew, or remove it"]
    known = table.schema(file.name, file.version)
    if known is None:
        return [f"ONNX has no {file.name} version {file.version} in the table of signatures"]
    named = outside_the_model(file)
    found = compared(signature_of(file), known_signature(known, named))
    unnamed = sorted((lacking_types(known) | lacking_attributes(known)) - named)
    if found and unnamed:
        found.append(
            f"the language lacks {' '.join(unnamed)}: name all of it in the title of a restriction `outside the model`"
        )
    return found


def departures(project: Project, file: s.File) -> list[str]:
    """The declarations of a profile that differ from those of the text that it refines, without a clause that says so.

    Types of an input or output that are left out: such input is refused. The title of a restriction `outside the
    model` may name them (twin profile_type_lost). A default of another value: the reader of a profile takes it for
    ONNX's, even where the attribute has to be given (twin profile_default_changed).
    """
    refines = file.refines
    unit = None if refines is None else project.find(refines.namespace, refines.operator, refines.version)
    # What names no text is an error of its own, of `refines`.
    if refines is None or unit is None or unit.file is None:
        return []
    named, theirs, own = outside_the_model(file), signature_of(unit.file), signature_of(file)
    mine = {p.name: p.type for p in (*own.inputs, *own.outputs)}
    called = {there: here for here, there in refines.renaming.items()}
    found = []
    for parameter in (*theirs.inputs, *theirs.outputs):
        name = called.get(parameter.name, "")
        if name not in mine:
            continue
        have = own.types.get(mine[name], (mine[name],))
        lost = [t for t in theirs.types.get(parameter.type, (parameter.type,)) if t not in have and t not in named]
        if lost:
            found.append(f"types of {name}: the standard has also {' '.join(lost)}")
    if found:
        found.append("add them, or name all of them in the title of a restriction `outside the model`")
    defaults = {attribute.name: attribute.default for attribute in theirs.attributes}
    for attribute in own.attributes:
        there = defaults.get(refines.renaming.get(attribute.name, ""))
        if attribute.default is not None and attribute.default != there:
            found.append(f"default of {attribute.name}: here {attribute.default!r}, in the standard {there!r}")
    return found


# ------------------------------------------------------------------------------------------ what the language lacks


def lacking_types(known: Schema) -> frozenset[str]:
    """Words for the types of ONNX that no tensor has in the language. A type that it has is its own word."""
    types = (name for listed in known.types.values() for name in listed)
    return frozenset(word_of(name) for name in types if name not in ELEMENT_TYPES)


def lacking_attributes(known: Schema) -> frozenset[str]:
    """The attributes of kinds that the language lacks, but for those that a node has to give."""
    return frozenset(a.name for a in known.attributes if not a.required and a.kind not in ATTRIBUTES)


def outside_the_model(file: s.File) -> frozenset[str]:
    """The words in the titles of the restrictions that are outside the model.

    Such a restriction has the verdict `unsupported`: a reader sees which part of ONNX the text leaves out. Without one
    the part would be lost silently, and `transcription` is violated.
    """
    titles = [c.title for c in file.clauses if c.kind is s.ClauseKind.RESTRICTION and c.body is None]
    return frozenset(word for title in titles for word in re.findall(r"\w+", title))


def known_signature(known: Schema, named: frozenset[str]) -> Signature:
    """ONNX's signature without the lacking parts that are named. What the language has is never left out."""
    types_out = lacking_types(known) & named
    attributes_out = lacking_attributes(known) & named
    # Tile-1 has a variable T1 for no input or output: it constrains nothing, and no text may declare such a variable.
    used = {parameter.type for parameter in (*known.inputs, *known.outputs)}
    kept = {
        variable: tuple(name for name in types if word_of(name) not in types_out)
        for variable, types in known.types.items()
        if variable in used
    }
    attributes = tuple(a for a in known.attributes if a.name not in attributes_out)
    return Signature(kept, known.inputs, known.outputs, attributes)


# ------------------------------------------------------------------------------------------------- the text's signature


def signature_of(file: s.File) -> Signature:
    """The signature that the file declares. Raises SpecificationError for a default that is not written out."""
    types: dict[str, list[str]] = {}
    for family, members in file.types.items():
        # A section of reals says what a function is: no tensor of ONNX has their type.
        types.setdefault(file.type_variables[family], []).extend(m for m in members if m != REAL.name)
    return Signature(
        {variable: tuple(sorted(members)) for variable, members in types.items()},
        tuple(_parameter(d) for d in file.inputs),
        tuple(_parameter(d) for d in file.outputs),
        tuple(_attribute(d) for d in sorted(file.attributes, key=lambda d: d.name)),
    )


def _parameter(declaration: s.Declaration) -> Parameter:
    kind = declaration.type
    of_tensor = kind.of is not None and kind.name == "tensor"
    option = Option.SINGLE
    if declaration.high is not None:
        option = Option.VARIADIC
    elif declaration.optional:
        option = Option.OPTIONAL
    return Parameter(declaration.name, str(kind.of if of_tensor else kind), option)


def _attribute(declaration: s.Declaration) -> Attribute:
    kind = str(declaration.type)
    lists = {"list of int": "ints", "list of float": "floats", "list of string": "strings"}
    if declaration.type.name == s.TypeWord.TENSOR:
        kind = declaration.type.name
    default = declaration.default
    # ONNX calls an attribute required that has no default and may not be left out.
    required = not declaration.optional and default is None
    if declaration.type.is_code:
        return Attribute(declaration.name, "int", required, _code(default))
    written = None if default is None or declaration.type.is_tensor else _written(default, declaration)
    return Attribute(declaration.name, lists.get(kind, kind), required, written)


def _code(default: s.Expression | None) -> int | None:
    """The number of the type that is a default. A type variable is none in ONNX, where prose says what is meant."""
    if default is None:
        return None
    node = s.bare(default)
    if isinstance(node, s.Name) and node.name in ELEMENT_TYPES:
        return type_code(ELEMENT_TYPES[node.name])
    return None


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
    for part, ours, theirs in (("inputs", mine.inputs, known.inputs), ("outputs", mine.outputs, known.outputs)):
        if _plain(ours) != _plain(theirs):
            found.append(f"{part}: here {parameters_listed(ours)}, in ONNX {parameters_listed(theirs)}")
    # Types are compared side by side: with an input too few each would be held against its neighbour.
    if not found:
        found += _types(mine, known)
    declared, wanted = _attributes(mine), _attributes(known)
    for name in sorted(declared.keys() | wanted.keys()):
        here, there = declared.get(name, _NO_ATTRIBUTE), wanted.get(name, _NO_ATTRIBUTE)
        if here != there:
            found.append(f"attribute {name}: here {here}, in ONNX {there}")
    return found


_NO_ATTRIBUTE = "no such attribute"


def _attributes(signature: Signature) -> dict[str, str]:
    return {attribute.name: _described(attribute) for attribute in signature.attributes}


def _plain(parameters: Sequence[Parameter]) -> list[tuple[str, str]]:
    return [(p.name, p.option) for p in parameters]


def _types(mine: Signature, known: Signature) -> list[str]:
    """The differences in the types of inputs and outputs, and of what they share.

    That variables pair off one to one is what `X : T, Y : T` against `X : T1, Y : T2` breaks: with the same types for
    T, T1 and T2, Y may have another type than X in one of them.
    """
    found: list[str] = []
    pairs: dict[str, str] = {}
    rows = zip([*mine.inputs, *mine.outputs], [*known.inputs, *known.outputs], strict=True)
    for here, there in rows:
        ours, theirs = _types_of(mine, here), _types_of(known, there)
        if set(ours) != set(theirs):
            found.append(f"types of {here.name}: here {types_apart(ours, theirs)}, in ONNX {types_apart(theirs, ours)}")
        elif len(set(ours)) > 1:
            # Of one type there is nothing to share: a variable is then as good as the type itself.
            back = {variable_there: variable_here for variable_here, variable_there in pairs.items()}
            partner = pairs.setdefault(here.type, there.type)
            if partner != there.type or back.get(partner, here.type) != here.type:
                found.append(f"{here.name} does not share its type with the same tensors as in ONNX")
    # A variable that no input or output has, has no partner that it could be compared with.
    unused_here, unused_there = _unused(mine), _unused(known)
    if unused_here != unused_there:
        found.append(f"types used by no input or output: here {unused_here}, in ONNX {unused_there}")
    return list(dict.fromkeys(found))


def _types_of(signature: Signature, parameter: Parameter) -> tuple[str, ...]:
    """The types that an input or output may have: those of its variable, or the one that it names."""
    return signature.types.get(parameter.type, (parameter.type,))


def _unused(signature: Signature) -> list[list[str]]:
    """The types of variables that no input or output has."""
    used = {parameter.type for parameter in (*signature.inputs, *signature.outputs)}
    return sorted(list(types) for variable, types in signature.types.items() if variable not in used)


def _described(attribute: Attribute) -> str:
    kind, default = attribute.kind, attribute.default
    must = "required" if attribute.required else "may be left out"
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
