"""A statement about operators and definitions, read into obligations.

A statement is read as a theorem of a text that uses every library of the project, and the theories whose theorems it
names; where it has a name that these do not define, also the installed library or theory that does. It has to hold for
each element type that T can stand for (element_types.py), and there is an obligation for each. What is made here is
what is proved: trusted, as the obligations of texts are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sonnx_verify.api.element_types import element_types
from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.core import FAMILIES, family_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Library
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.named import in_force, unit_of_text
from sonnx_verify.language.parser import parse_statement
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import OF_ONNX, Project
from sonnx_verify.language.text_names import names_in
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL, Sort
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.obligations.theorem import obligation_of
from sonnx_verify.paths import resolved
from sonnx_verify.sources import Source


def mean_in(project: Project, statement: str, opset: int) -> list[str]:
    """Let the operators that a statement names be those in force in an operator set of ONNX, from here on. Return the
    notes of versions without a text of their own. UsageError for an operator without a version there."""
    for name in _heads(parse_statement(Source("statement", statement))):
        newest = project.operator(name)
        # An operator of one's own has no versions of ONNX.
        if newest is not None and newest.namespace in OF_ONNX:
            project.meant[name] = in_force(project, newest.namespace, name, opset)
    return [unit.note for unit in project.meant.values() if unit.note]


def obligations_of(project: Project, statement: str) -> list[Obligation]:
    """One obligation for each element type. Names that nothing defines are tensors of that type."""
    unit, theorem = _theorem(project, statement)
    library = project.library(unit)
    made: list[Obligation] = []
    for family, types in _sections(project, theorem):
        # One by one, not for all types at once: the arithmetic of int8 is not that of float. A statement without
        # elements, such as one about sizes, has one section.
        sections = [Section(project, unit, sort.name, family, (sort,)) for sort in types]
        if not types:
            sections.append(Section(project, unit, "", family, ()))
        for section in sections:
            obligation = obligation_of(section, theorem, "statement")
            obligation.library = library
            made.append(obligation)
    return made


def types_lacking(project: Project, statement: str) -> list[str]:
    """Sentences on the types that some operators of a statement take, and for which it is not asked, since others do
    not."""
    _, theorem = _theorem(project, statement)
    types = element_types(theorem, (), lambda name: _text(project, name))
    return [] if types is None else list(types.lacking)


def about(statement: str) -> str:
    """The values that a statement without type variable is about, in words: the types that it declares names with, of
    tensors and lists those of their elements; shapes alone where it speaks of one. Empty where it declares none."""
    words = {"int": "integers", REAL.name: "reals"}
    declared = []
    for declaration in parse_statement(Source("statement", statement)).declarations:
        kind = declaration.type
        while kind.of is not None:
            kind = kind.of
        if kind.name == "shape":
            return "shapes"
        declared.append(words.get(kind.name, kind.name))
    return ", ".join(dict.fromkeys(declared))


def _theorem(project: Project, statement: str) -> tuple[Unit, s.Theorem]:
    """The statement, and a text for it to stand in, which uses every library and the theories that it takes theorems
    from."""
    theorem = parse_statement(Source("statement", statement))
    file = s.File("statement", s.FileKind.THEORY, "prove", span=theorem.span)
    named = {used.name for used in theorem.using}
    folders = {resolved(project.root / part) for part in ("", "spec/common", "proofs")}

    def may_be_used(path: Path, text: str) -> bool:
        # A theory says nothing to a statement that takes none of its theorems.
        return resolved(path.parent) in folders and ("library" in text or any(one in text for one in named))

    among = project.units_among(may_be_used)
    file.uses = [s.Use(u.path.stem, theorem.span) for u in among if _is_used(u, named)]
    unit = unit_of_text(project, _with_installed(project, file, theorem, statement))
    # `Max(A, B) = Max(B, A)` declares nothing, and means all tensors A and B. With `for` nothing is added: a name that
    # was forgotten there is an error, not a tensor.
    if not theorem.declarations:
        known = {*project.library(unit).definitions, *project.library(unit).orders, *FUNCTIONS}
        known |= _types_set(theorem.body)
        free = [name.name for name in s.free_names(theorem.body) if name.name not in known]
        names = list(dict.fromkeys(free))
        types = element_types(theorem, names, lambda name: _text(project, name))
        of = {} if types is None else types.of_names
        declarations = tuple(
            s.Declaration(name, s.Type("tensor", theorem.span, s.Type(of.get(name, "T"), theorem.span)), theorem.span)
            for name in names
        )
        theorem = replace(theorem, declarations=declarations)
    return unit, theorem


def _with_installed(project: Project, file: s.File, theorem: s.Theorem, statement: str) -> s.File:
    """The text with the installed libraries that define names of the statement which nothing else defines, and with the
    installed theories that state theorems which it names."""
    if resolved(project.root) == resolved(installed_library()):
        return file
    # Only what is missing: a name of the project's means what it means there, whatever the installed library has.
    library = _library(project, file)
    known = {*library.definitions, *library.orders, *library.facts, *FUNCTIONS, *library.operator_names()}
    words, operators = names_in(statement).words, set(library.operator_names())
    missing = words - known - {d.name for d in theorem.declarations}
    unproved = {used.name for used in theorem.using} - library.lemmas.keys()
    uses = list(file.uses)
    for folder in ("spec/common", "proofs"):
        for path in sorted((installed_library() / folder).glob("*.sonnx")):
            other = project.files.read(path)
            wanted = {t.name for t in other.theorems} & unproved
            if other.kind is s.FileKind.LIBRARY:
                orders = (order.name for order in other.orders)
                wanted |= {*(d.name for d in other.definitions), *orders, *other.facts} & missing
            # A file of the project of that name is what `use` finds.
            at = unit_of_text(project, file).path
            if not wanted or resolved(project.files.library(at, path.stem, theorem.span)) != resolved(path):
                continue
            trial = replace(file, uses=[*uses, s.Use(path.stem, theorem.span)])
            try:
                more = _library(project, trial)
            except SpecificationError:  # the project defines one of its names otherwise
                continue
            # A definition goes before an operator of its name: what the statement calls an operator stays one.
            if words & operators & {*more.definitions, *more.orders} - {*library.definitions, *library.orders}:
                continue
            uses = trial.uses
    return replace(file, uses=uses)


def _library(project: Project, file: s.File) -> Library:
    """The names that a text can use, which is not yet the one that is asked about: a project keeps what it made."""
    return project.sibling().library(unit_of_text(project, file))


def _types_set(body: s.Expression) -> set[str]:
    """The names of types that attributes are set to: `Cast(A with to = double)`."""
    found: set[str] = set()
    for node in s.every(body):
        if isinstance(node, s.Call):
            values = [s.bare(setting.value) for setting in node.settings]
            found |= {v.name for v in values if isinstance(v, s.Name) and v.name in (s.TypeWord.T, *ELEMENT_TYPES)}
    return found


def _is_used(unit: Unit, theorems: set[str]) -> bool:
    """True if a statement can use a text that stands where `use` finds it: a library, or one that states a theorem that
    is named."""
    if unit.file is None:
        return False
    stated = {theorem.name for theorem in unit.file.theorems}
    if unit.file.kind is s.FileKind.THEORY:
        return bool(stated & theorems)
    return unit.file.kind is s.FileKind.LIBRARY


def _sections(project: Project, theorem: s.Theorem) -> list[tuple[str, tuple[Sort, ...]]]:
    """The families and the element types that T stands for; every type where no operator is named and T occurs."""
    types = element_types(theorem, (), lambda name: _text(project, name))
    if types is not None:
        if not types.of_t:  # no obligation at all would read as proved
            raise SpecificationError(
                "its operators have no element type in common", theorem.span, "use operators that have one"
            )
        return [(family_of(sort), (sort,)) for sort in sorts(list(types.of_t))]
    if any(_has_elements(d.type) for d in theorem.declarations):
        return [(family, FAMILIES[family]) for family in ("int", "float")]
    return [("int", ())]


def _text(project: Project, name: str) -> s.File | None:
    unit = project.operator(name)
    return None if unit is None else unit.file


def _has_elements(kind: s.Type) -> bool:
    return kind.name == "T" or (kind.of is not None and _has_elements(kind.of))


def _heads(theorem: s.Theorem) -> list[str]:
    """The names that a statement calls."""
    stated = [theorem.body]
    if theorem.assuming is not None:
        stated.append(theorem.assuming)
    heads: dict[str, None] = {}
    for expression in stated:
        for node in s.every(expression):
            if isinstance(node, s.Call) and node.name:
                heads[node.name] = None
    return list(heads)
