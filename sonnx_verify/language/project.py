"""Which specifications there are, and what each of them can use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context, Lemma, Library
from sonnx_verify.language.families import families, instances
from sonnx_verify.language.files import Files, Key, Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.operators import Operators
from sonnx_verify.language.places import files_of_project, installed_library, namespace_of, shown_as
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import scratch
from sonnx_verify.paths import resolved

Elements = tuple[Key, str, Sort, str, tuple[tuple[str, Sort], ...]]
"""A text and the elements it is elaborated for."""


@dataclass(slots=True)
class Project:
    """The files to check, with the library that they use."""

    root: Path
    units: list[Unit] = field(default_factory=list)
    instead: Mapping[Path, str | None] = field(default_factory=dict)
    """Texts that stand for what is written in files, by their paths without links; None where there is no file."""
    closed: bool = False
    """Whether there are no others."""
    files: Files = field(init=False)
    _operators: Operators = field(init=False)
    _libraries: dict[Key, Library] = field(default_factory=dict)
    applied: dict[Key, list[Unit]] = field(default_factory=dict)
    """The operators that the text of a unit applies, where this is known."""
    _meanings: dict[Elements, Meaning] = field(default_factory=dict)
    _elaborated: set[Elements] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.files = Files(self.root, self.instead, self.closed)
        self._operators = Operators(self.operator, self.library)

    @classmethod
    def open(cls, folder: Path, instead: Mapping[Path, str | None] | None = None, closed: bool = False) -> Project:
        """The project of a folder: its `spec/` and `proofs/`, else every .sonnx file below it."""
        return cls.of_files(folder, files_of_project(folder), instead, closed)

    @classmethod
    def of_files(
        cls,
        root: Path,
        paths: Iterable[Path],
        instead: Mapping[Path, str | None] | None = None,
        closed: bool = False,
    ) -> Project:
        """The project of some files, some of which may say something else `instead` of what is written in them; where
        it is `closed`, no other file is there."""
        project = cls(root, instead=instead or {}, closed=closed)
        for path in paths:
            if closed and resolved(path) not in project.instead:
                continue
            try:
                project.units.extend(project.files.units(path, namespace_of(path)))
            except UserError as error:
                project.units.append(Unit(path, shown_as(path, root), namespace_of(path), error=error))
        return project

    def every_unit(self) -> list[Unit]:
        """The units of the project, and those of the files that they use elsewhere."""
        known = {u.place for u in self.units}
        used = [p for p in self.files.parsed if p not in known]
        return [*self.units, *(u for p in used for u in self.files.units(p, namespace_of(p)))]

    # ---------------------------------------------------------------------------------------------------- libraries

    def library(self, unit: Unit) -> Library:
        """What a file can use: itself and, through `use`, others."""
        if unit.key not in self._libraries:
            assert unit.file is not None
            with told_of(unit.file):
                self._libraries[unit.key] = self._gather(unit.path, unit.file)
        return self._libraries[unit.key]

    def _gather(self, path: Path, file: s.File) -> Library:
        definitions: dict[str, list[s.Definition]] = {}
        orders: dict[str, s.OrderDefinition] = {}
        facts: dict[str, str] = {}
        generals: dict[str, s.General] = {}
        for one, _ in self._closure(path, file, []):
            for definition in one.definitions:
                others = definitions.setdefault(definition.name, [])
                for o in others:
                    if o.family == definition.family or "" in (o.family, definition.family):
                        raise SpecificationError(
                            f"`{definition.name}` is defined twice, the other one at {o.span}",
                            definition.span,
                            "rename one, or give each a family",
                        )
                others.append(definition)
            for order in one.orders:
                if order.name in orders:
                    raise SpecificationError(f"the order `{order.name}` is given twice", order.span, "rename one")
                orders[order.name] = order
            facts.update(one.facts)
            generals.update(one.generals)
        undefined = {u.name: u for u in file.undefined}
        lemmas = self._lemmas(path, file)
        return Library(
            definitions,
            orders,
            facts,
            generals,
            undefined,
            lemmas,
            self._operators.usable_in(path, file),
            self._operator_names,
            lambda name: self.files.defined_in(path, name),
        )

    def _operator_names(self) -> list[str]:
        """The operators that a statement may name."""
        known = [u for u in self._with_installed() if u.namespace in ("sonnx", "user") and u.file is not None]
        return list(dict.fromkeys(u.file.name for u in known if u.file is not None and u.file.version is not None))

    def _lemmas(self, path: Path, file: s.File) -> dict[str, Lemma]:
        """The theorems of a file and of what it uses."""
        lemmas: dict[str, Lemma] = {}
        for one, place in self._closure(path, file, []):
            for theorem in one.theorems:
                if theorem.name in lemmas and one is not file:
                    first = lemmas[theorem.name].theorem.span
                    raise SpecificationError(
                        f"two theorems are called `{theorem.name}`, the other at {first}", theorem.span, "rename one"
                    )
                lemmas[theorem.name] = self._lemma(one, place, theorem)
        return lemmas

    def _lemma(self, file: s.File, path: Path, theorem: s.Theorem) -> Lemma:
        unit = Unit(path, shown_as(path, self.root), namespace_of(path), file)

        typed = any(types for _, _, types in families(file))

        def identity(family: str, types: tuple[Sort, ...], variables: Mapping[str, Sort]) -> str | None:
            for x in instances(file):
                # Without types T is no type here: what is stated for one is not stated for that.
                of_types = bool(types) and x.family == family and {t.name for t in types} <= set(x.types)
                if (of_types or not typed) and all(variables.get(v) == sort for v, sort in x.variables.items()):
                    section = f".{x.name}" if x.name else ""
                    return f"{unit.operator}{section}/{theorem.name}/theorem"
            return None

        return Lemma(theorem, file, lambda: self.library(unit), identity, typed)

    def _closure(self, path: Path, file: s.File, above: list[str]) -> list[tuple[s.File, Path]]:
        """The file after everything it uses, each once."""
        if file.path in above:
            cycle = " -> ".join([*above[above.index(file.path) :], file.path])
            raise SpecificationError(
                f"files use each other in a circle: {cycle}",
                file.uses[0].span if file.uses else file.span,
                "move what both need into a third file",
            )
        found: list[tuple[s.File, Path]] = []
        for use in file.uses:
            other = self.files.library(path, use.name, use.span)
            used = self.files.read(other)
            if used.kind not in (s.FileKind.LIBRARY, s.FileKind.THEORY):
                raise SpecificationError(f"`{use.name}` is no library but a {used.kind}", use.span, "use a library")
            for one in self._closure(other, used, [*above, file.path]):
                if one not in found:
                    found.append(one)
        return [*found, (file, path)]

    # ---------------------------------------------------------------------------------------------------- operators

    def find(self, namespace: str, name: str, version: int | None = None, text: str = "") -> Unit | None:
        """The operator of that name; its newest version when none is asked for, and its first text. SpecificationError
        where there are two of them."""
        found = [
            u
            for u in self._with_installed()
            if u.namespace == namespace
            and u.file is not None
            and u.file.name == name
            and u.file.version is not None
            and (version is None or u.file.version == version)
            and (u.text == text or text == u.file.text)
        ]
        newest = max((u.file.version or 0 for u in found if u.file is not None), default=0)
        meant = [u for u in found if u.file is not None and u.file.version == newest]
        if any(u.place != meant[0].place for u in meant):
            second = next(u for u in meant if u.place != meant[0].place)
            assert second.file is not None
            assert meant[0].file is not None
            raise SpecificationError(
                f"two operators are called {second.operator}, the other at {meant[0].file.span}",
                second.file.span,
                "rename one of them, or check each in a folder without the other",
            )
        return meant[0] if meant else None

    def operator(self, name: str) -> Unit | None:
        """The operator that a theorem or another operator means by a name."""
        return self.find("sonnx", name) or self.find("user", name)

    def _with_installed(self) -> list[Unit]:
        library = installed_library()
        if resolved(library) == resolved(self.root):
            return self.units
        known = {(u.namespace, u.path.name) for u in self.units}
        named = {(u.namespace, u.file.name) for u in self.units if u.file is not None}
        others: list[Unit] = []
        for namespace in ("onnx", "sonnx"):
            for path in sorted((library / "spec" / namespace).rglob("*.sonnx")):
                hidden = self.closed and resolved(path) not in self.instead
                if (namespace, path.name) not in known and not hidden:
                    # An operator of one's own stands for the installed one of its name.
                    found = self.files.units(path, namespace)
                    others.extend(u for u in found if u.file is not None and (namespace, u.file.name) not in named)
        return [*self.units, *others]

    def meaning(self, unit: Unit, context: Context) -> Meaning:
        """The operator on free inputs. Made once for each kind of elements; `context` takes over what was noted."""
        assert unit.file is not None
        key = _elements(unit, context)
        made = self._meanings.get(key)
        if made is None:
            fresh = Context(context.family, context.element, context.order, context.variables)
            made = meaning_of(unit.file, self.library(unit), fresh)
            self._meanings[key] = made
        context.adopt(made.context)
        return replace(made, context=context)

    def elaborate(self, unit: Unit, context: Context) -> None:
        """Only to see that the operator has a meaning for these elements. SpecificationError where it has none."""
        assert unit.file is not None
        library, key = self.library(unit), _elements(unit, context)
        if key not in self._meanings and key not in self._elaborated:
            with scratch():
                meaning_of(unit.file, library, context)
            self._elaborated.add(key)


def _elements(unit: Unit, context: Context) -> Elements:
    # Which order is that of abstract elements is decided where the first one is met.
    return (unit.key, context.family, context.element, context.order, tuple(context.variables.items()))


def unit_of_text(project: Project, file: s.File) -> Unit:
    """A unit for a text that is no file, in the project's root."""
    path = project.root / f"{file.name} (text)"
    return Unit(path, file.path, "prove", file)
