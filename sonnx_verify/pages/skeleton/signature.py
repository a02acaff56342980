"""An operator's signature as the language can say it, and the parts of ONNX's that it cannot.

A row of ONNX's table goes in. Parts without a form in the language are gaps: the page and the text name them, and
nothing stands in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from math import prod
from typing import Any

from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.language.declare import ATTRIBUTES
from sonnx_verify.language.signatures import Attribute, Option, Parameter, Schema, word_of
from sonnx_verify.language.syntax import File
from sonnx_verify.language.words import RESERVED
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_TAKEN = frozenset((*RESERVED, *ELEMENT_TYPES, *FAMILIES, "T", "ints", "floats", "string", "given", "rank"))
_TAG = re.compile(r"[RCE]\d+")


class Names:
    """The names that are taken. Each is given once."""

    def __init__(self) -> None:
        self._taken = set(_TAKEN)

    def name(self, onnx: str, role: str) -> str:
        """A name for what ONNX calls so, near to that: with its role behind where something else is called so."""
        plain = re.sub(r"\W+", "", onnx) or role
        # A name such as R1 would be read as a tag.
        if plain[0].isdigit() or _TAG.fullmatch(plain):
            plain = f"{role}_{plain}"
        if plain in _TAKEN:
            # A word that is reserved, as `rank`: rank_ is nearer to it than rank_input.
            return self._first([f"{plain}_", f"{plain}_{role}"])
        return self._first([plain, f"{plain}_{role}"])

    def letter(self, letters: str) -> str:
        """The first of some letters that nothing is called by."""
        return self._first(list(letters))

    def _first(self, wanted: list[str]) -> str:
        # ONNX has no operator with a hundred parts of one name.
        numbered = (f"{wanted[-1]}{n}" for n in range(2, 100))
        made = next(name for name in (*wanted, *numbered) if name not in self._taken)
        self._taken.add(made)
        return made


FAMILY_OF: dict[str, str] = {}
for _family, _sorts in FAMILIES.items():
    # Real numbers are in the language for specifications alone: no tensor has them.
    if _family != "real":
        FAMILY_OF |= {sort.name: _family for sort in _sorts}
"""The element types of tensors in ONNX that the language has, with their families."""
MOST_SECTIONS = 40
"""A formal text with more is slow to check: of further type variables it begins with a type of each family."""
_AXES = re.compile(r"ax[ie]s", re.IGNORECASE)
_PLACES = re.compile(r"ind(ex|ices)|starts|ends|steps", re.IGNORECASE)
_USUAL = ("int64", "int32", "float", "bool")
_MOST = 2**31 - 1
"""The most inputs that ONNX allows where it says no bound."""


class Role(StrEnum):
    """The roles of the parts of a signature."""

    INPUT = "input"
    OUTPUT = "output"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output: its name in the formal text, in ONNX and on the page, the variable or type of its elements. A
    family has the name of its last number, with the least and the first number that this may not be."""

    name: str
    onnx: str
    shown: str
    type: str
    optional: bool = False
    last: str = ""
    least: int = 0
    bound: int = _MOST

    @property
    def is_about_axes(self) -> bool:
        """True if its name says that it lists axes."""
        return _AXES.search(self.shown) is not None

    @property
    def is_about_places(self) -> bool:
        """Return whether its name says that it lists places along an axis."""
        return _PLACES.search(self.shown) is not None


@dataclass(frozen=True, slots=True)
class Setting:
    """An attribute: its name in the formal text and in ONNX, its kind; `default` is None where it has none."""

    name: str
    onnx: str
    kind: str
    required: bool
    default: Any

    @property
    def is_about_axes(self) -> bool:
        """True if its name says that it lists axes."""
        return _AXES.search(self.onnx) is not None


@dataclass(frozen=True, slots=True)
class Gap:
    """A part without a form in the language: an input, an output or an attribute, its nature in ONNX, those of its
    types that the language has, and of an attribute whether it has to be given."""

    role: Role
    onnx: str
    what: str
    types: tuple[str, ...] = ()
    required: bool = False

    @property
    def shown(self) -> str:
        """Its name on the page."""
        return self.onnx.rstrip(".")


@dataclass(slots=True)
class Signature:
    """`families` are the types of T; `variables` those of the other type variables, `narrowed` those of ONNX that were
    left for later; `left_out` are element types of ONNX that the language lacks, by variable. `exactly_one` are groups
    of parts, by ONNX's names: a node has one of each."""

    operator: str
    version: int
    families: dict[str, list[str]] = field(default_factory=dict)
    variables: dict[str, list[str]] = field(default_factory=dict)
    narrowed: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    arguments: list[Tensor | Gap] = field(default_factory=list)
    results: list[Tensor | Gap] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    others: list[Gap] = field(default_factory=list)
    exactly_one: list[list[str]] = field(default_factory=list)

    @property
    def inputs(self) -> list[Tensor]:
        """The inputs that the language has a form for."""
        return [a for a in self.arguments if isinstance(a, Tensor)]

    @property
    def outputs(self) -> list[Tensor]:
        """The outputs that it has one for."""
        return [r for r in self.results if isinstance(r, Tensor)]

    @property
    def gaps(self) -> list[Gap]:
        """The parts that the language has no form for."""
        return [part for part in (*self.arguments, *self.results, *self.others) if isinstance(part, Gap)]

    @property
    def renamed(self) -> list[tuple[str, str]]:
        """The parts with another name in the formal text than on the page, with both names."""
        named = [(tensor.shown, tensor.name) for tensor in (*self.inputs, *self.outputs)]
        named += [(setting.onnx, setting.name) for setting in self.settings]
        return [(shown, name) for shown, name in named if shown != name]

    @property
    def sections(self) -> list[str]:
        """The families of the page; one for any type where no type varies."""
        return list(self.families) or ["any"]

    def families_of(self, kind: str) -> list[str]:
        """The families of the types that a variable beside T stands for, or of a type."""
        types = self.variables.get(kind, [kind])
        return list(dict.fromkeys(FAMILY_OF[name] for name in types if name in FAMILY_OF))

    def families_with(self, family: str) -> list[str]:
        """The family of a line of types of the inputs with those of the outputs."""
        results = chain.from_iterable(self.families_of(output.type) for output in self.outputs)
        of_line = [FAMILY_OF[name] for name in self.families.get(family, ())] or [family]
        return list(dict.fromkeys([*of_line, *results]))

    def take_lines(self, standard: File) -> None:
        """Divide the types of T into lines as a text of the standard does, if its types are the same: a text that
        refines it says nothing of types that the standard treats apart."""
        lines = {name: types for name, types in standard.types.items() if standard.type_variables.get(name, "T") == "T"}
        ours, theirs = (sorted(chain.from_iterable(types.values())) for types in (self.families, lines))
        if ours == theirs:
            self.families = {name: list(types) for name, types in lines.items()}

    @property
    def element_types(self) -> set[str]:
        """The element types and variables of inputs and outputs."""
        return {tensor.type for tensor in (*self.inputs, *self.outputs)}

    @property
    def has_several_inputs(self) -> bool:
        """Return whether there are several inputs, or may be."""
        return len(self.inputs) > 1 or any(tensor.last for tensor in self.inputs)

    @property
    def chosen(self) -> list[list[Tensor | Setting]]:
        """The parts of each group of which a node has exactly one: those that the language has a form for."""
        parts: list[Tensor | Setting] = [*self.inputs, *self.settings]
        groups = [[part for part in parts if part.onnx in group] for group in self.exactly_one]
        return [group for group in groups if group]

    @property
    def alternatives(self) -> list[list[Setting]]:
        """Two or more attributes of which a node has exactly one: no node gives all of them."""
        groups = [[part for part in group if isinstance(part, Setting)] for group in self.chosen]
        return [group for group in groups if len(group) > 1]

    @property
    def defaulted(self) -> list[Setting]:
        """The attributes that a model may leave out."""
        return [s for s in self.settings if not s.required]

    @property
    def independent(self) -> list[Setting]:
        """Those of them that a model may give whichever others it gives."""
        chosen = list(chain.from_iterable(self.alternatives))
        return [s for s in self.defaulted if s not in chosen]


def signature_of(schema: Schema, *, most_sections: int | None = MOST_SECTIONS) -> Signature:
    """The signature of a row of ONNX's table, in words of the language. Where a text would have more sections than
    `most_sections`, type variables are narrowed; None narrows none."""
    made = Signature(schema.operator, schema.version, exactly_one=[list(group) for group in schema.exactly_one])
    names = Names()
    main = main_variable(schema)
    variables = _variables(schema, main, made, names, most_sections)
    # Names are given in this order: of an input and an output that ONNX calls alike, the input keeps the name.
    for parameter in schema.inputs:
        made.arguments.append(_part(schema, parameter, Role.INPUT, variables, names))
    for parameter in schema.outputs:
        made.results.append(_part(schema, parameter, Role.OUTPUT, variables, names))
    for attribute in schema.attributes:
        _add_attribute(made, attribute, names)
    _drop_unused(made)
    return made


# ------------------------------------------------------------------------------------------------------------ types


def _known(types: Iterable[str]) -> list[str]:
    """The element types that the language has, in the order of their families."""
    listed = set(types)
    return [name for name in FAMILY_OF if name in listed]


def main_variable(schema: Schema) -> str:
    """The variable that becomes T: one that inputs and outputs share, else the first of the inputs."""
    sides = (schema.inputs, schema.outputs)
    ins, outs = ([p.type for p in side if _known(schema.types.get(p.type, ()))] for side in sides)
    shared = [name for name in ins if name in outs]
    return next(iter([*shared, *ins, *outs]), "")


def _variables(schema: Schema, main: str, made: Signature, names: Names, most_sections: int | None) -> dict[str, str]:
    """Each type variable of ONNX in the language: T, another variable, or the one type that it stands for."""
    types = {name: _known(schema.types[name]) for name in schema.types}
    for name in types:
        others = [t for t in schema.types[name] if t not in types[name]]
        if others:
            made.left_out[name] = list(dict.fromkeys(map(word_of, others)))
    for element in types.get(main, ()):
        made.families.setdefault(FAMILY_OF[element], []).append(element)
    used = list(dict.fromkeys(p.type for p in (*schema.inputs, *schema.outputs)))
    others = [name for name in used if name != main and len(types.get(name, ())) > 1]
    variables = {name: names.name(name, "type") for name in others}
    # Each family of T has a section for every choice of the other variables.
    sections = len(made.families) * prod(len(types[name]) for name in others)
    several = most_sections is not None and sections > most_sections
    for name, mine in variables.items():
        made.variables[mine] = types[name]
        if several:
            kept = _one_of_each(types[name])
            made.variables[mine] = kept
            made.narrowed[mine] = [element for element in types[name] if element not in kept]
    single = {name: types[name][0] for name in types if len(types[name]) == 1 and name != main}
    return {**single, **variables, main: "T"}


def _one_of_each(types: Sequence[str]) -> list[str]:
    """One type of each family, the one that models have most."""
    kept: dict[str, str] = {}
    usual = [element for element in _USUAL if element in types]
    for element in (*usual, *types):
        kept.setdefault(FAMILY_OF[element], element)
    return [t for t in types if t in kept.values()]


def _drop_unused(made: Signature) -> None:
    """A variable that only something without a form in the language has is none of the formal text."""
    used = {t.type for t in (*made.inputs, *made.outputs)}
    # Of an operator on sequences alone, no tensor has the type T.
    if "T" not in used:
        made.families.clear()
    made.variables = {name: types for name, types in made.variables.items() if name in used}
    made.narrowed = {name: types for name, types in made.narrowed.items() if name in used and types}


# ------------------------------------------------------------------------------------------ inputs, outputs, attributes


def _inexpressible(schema: Schema, parameter: Parameter) -> str:
    """The nature of an input or output that the language has no form for; else empty."""
    types = schema.types.get(parameter.type, (parameter.type,))
    if _known(types):
        return ""
    kinds = sorted({_kind(t) for t in types})
    return " or ".join(kinds)


def _kind(onnx: str) -> str:
    """A type of ONNX in words."""
    # seq(tensor(int8)) is a sequence, sparse_tensor(int8) is sparse.
    begin, parenthesis, _ = onnx.partition("(")
    if onnx.startswith("sparse"):
        return "sparse"
    return _WORDS.get(begin + parenthesis, f"a tensor of {onnx}")


_WORDS = {"seq(": "a sequence", "optional(": "an optional", "map(": "a map"}


def _part(schema: Schema, parameter: Parameter, role: Role, variables: dict[str, str], names: Names) -> Tensor | Gap:
    what = _inexpressible(schema, parameter)
    if not what:
        return _tensor(schema, parameter, role, variables, names)
    types = _known(schema.types.get(parameter.type, (parameter.type,)))
    return Gap(role, parameter.name, what, tuple(types))


def _tensor(schema: Schema, parameter: Parameter, role: Role, variables: dict[str, str], names: Names) -> Tensor:
    name = names.name(parameter.name, role)
    kind = variables.get(parameter.type, parameter.type)
    optional = parameter.option is Option.OPTIONAL
    # BatchNormalization-9 has an input mean and an output mean: the page has to tell them apart too.
    twice = sum(p.name == parameter.name for p in (*schema.inputs, *schema.outputs)) > 1
    shown = name if twice else parameter.name
    if parameter.option is not Option.VARIADIC:
        return Tensor(name, parameter.name, shown, kind, optional)
    side, least, most = schema.inputs, schema.arity[0], schema.arity[1]
    if role is Role.OUTPUT:
        side, least, most = schema.outputs, schema.arity[2], schema.arity[3]
    before = sum(p.option is not Option.VARIADIC for p in side)
    # ONNX counts all inputs, or outputs; those before the variadic one are no members of it.
    if most is None:
        most = _MOST
    letter = names.letter("LMNPQ")
    return Tensor(name, parameter.name, shown, kind, optional, letter, max(0, least - before), most - before)


_KINDS = {"graph": "a graph", "tensor": "a tensor", "sparse_tensor": "a sparse_tensor"}


def _add_attribute(made: Signature, attribute: Attribute, names: Names) -> None:
    kind = attribute.kind
    if kind == "tensor" and made.outputs:
        # ONNX does not say of which type: of operators with such an attribute it is that of what comes out.
        kind = f"tensor of {made.outputs[0].type}"
    # Graphs and sparse tensors: the language has no values of these.
    elif kind not in ATTRIBUTES or kind == "tensor":
        what = _KINDS.get(attribute.kind, f"a value of kind {attribute.kind}")
        made.others.append(Gap(Role.ATTRIBUTE, attribute.name, what, required=attribute.required))
        return
    name = names.name(attribute.name, Role.ATTRIBUTE)
    made.settings.append(Setting(name, attribute.name, kind, attribute.required, attribute.default))
