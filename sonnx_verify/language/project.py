"""The specifications of a project, and the library of each of them. Trusted.

Names are resolved here: `use` to files, operators to texts. Two things of one name are an error wherever a text could
mean either of them, since a proof about the one would be shown for the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.language.context import Context, Lemma, Library
from sonnx_verify.language.families import clash, families, instances, lines_named, marked_for
from sonnx_verify.language.files import Files, Key, Unit
from sonnx_verify.language.hidden import hiding, library_of
from sonnx_verify.language.in_force import Versions, restricted
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.operators import Operators
from sonnx_verify.language.places import (
    files_of_project,
    installed_library,
    namespace_of,
    shown_as,
    signatures,
    versions,
)
from sonnx_verify.language.signatures import Table, word_of
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import numbered, run_of_numbers
from sonnx_verify.paths import USER, resolved
from sonnx_verify.results.kinds import Kind

Elements = tuple[Key, str, Sort, str, tuple[tuple[str, Sort], ...], tuple[str, ...]]
"""A text and the elements it is elaborated for."""
Made = Elements | tuple[*Elements, tuple[str, ...]]
"""The key of a meaning: of a text, or of what stands beside it, with the types that abstract elements stand for."""
OF_ONNX = ("onnx", "sonnx")
"""The namespaces whose versions are those of ONNX: the standard and the profile."""
_APPLIED = ("sonnx", USER)
"""The namespaces whose operators are applied by name."""


@dataclass(slots=True)
class _Every:
    """The units of a project with the installed ones, when it had so many of its `own`; and those by their names."""

    own: int
    units: list[Unit]
    by_name: dict[tuple[str, str], list[Unit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for unit in self.units:
            if unit.file is not None:
                self.by_name.setdefault((unit.namespace, unit.file.name), []).append(unit)


@dataclass(slots=True)
class Project:
    """The files to check, with the library that they use. Each file is read when something asks for it: of a library
    of two hundred files most questions need five."""

    root: Path
    _units: list[Unit] = field(default_factory=list)
    instead: Mapping[Path, str | None] = field(default_factory=dict)
    """Texts that stand for what is written in files, by their paths without links; None where there is no file."""
    closed: bool = False
    """Only those texts are there, and no file."""
    lenient: bool = False
    """An example that does not fit what is declared is left out, as where a mutation changed a declaration."""
    files: Files = field(init=False)
    _unread: Sequence[Path] = ()
    """The files whose units are not among the others yet."""
    _of_file: dict[Path, list[Unit]] = field(default_factory=dict)
    _namespaces: dict[Path, str] = field(default_factory=dict)
    _installed_files: dict[str, list[Path]] = field(default_factory=dict)
    """Those of a namespace that no file of the project stands for, as long as some of its files are unread."""
    _every: _Every | None = None
    _operators: Operators = field(init=False)
    _libraries: dict[Key, Library] = field(default_factory=dict)
    applied: dict[Key, list[Unit]] = field(default_factory=dict)
    """The operators that the text of a unit applies, where this is known."""
    sides: dict[tuple[Key, str], tuple[str, ...]] = field(default_factory=dict)
    """The identities of in-bounds and total in a section of a unit, where they are known."""
    _meanings: dict[Made, Meaning] = field(default_factory=dict)
    meant: dict[str, Unit] = field(default_factory=dict)
    """The operators that names mean where it is not the newest version."""
    _table: Table | None = None
    _rows: Versions | None = None
    _restricted: dict[tuple[str, str, int], Unit] = field(default_factory=dict)
    """The versions that have the text of another one, those that were asked for."""
    _runs: dict[tuple[object, ...], int] = field(default_factory=dict)
    """The run of placeholders of each text, whatever the type: see `numbered`."""

    def __post_init__(self) -> None:
        self.files = Files(self.root, self.instead, self.closed)
        self._operators = Operators(self.operator, self.library)

    @classmethod
    def open(cls, folder: Path, instead: Mapping[Path, str | None] | None = None, *, closed: bool = False) -> Project:
        """The project of a folder: its `spec/` and `proofs/`, else every .sonnx file below it."""
        return cls.of_files(folder, files_of_project(folder), instead, closed=closed)

    @classmethod
    def of_files(
        cls,
        root: Path,
        paths: Iterable[Path],
        instead: Mapping[Path, str | None] | None = None,
        *,
        closed: bool = False,
    ) -> Project:
        """The project of some files, some of which may say something else `instead` of what is written in them; where
        it is `closed`, no other file is there."""
        project = cls(root, instead=instead or {}, closed=closed)
        project._unread = [path for path in paths if not closed or resolved(path) in project.instead]
        return project

    @property
    def units(self) -> list[Unit]:
        """A unit for each version and text of each file, read and parsed; of one that cannot be read, with an error."""
        unread, self._unread = self._unread, ()
        for path in unread:
            self._units.extend(self.units_in(path))
        return self._units

    def units_among(self, is_wanted: Callable[[Path, str], bool]) -> list[Unit]:
        """The units of the files that are wanted, by their paths and texts."""
        if not self._unread:
            return [u for u in self._units if is_wanted(u.path, self.files.text(u.path))]
        return [u for path in self._unread if is_wanted(path, self.files.text(path)) for u in self.units_in(path)]

    def units_in(self, path: Path) -> list[Unit]:
        """The units of a file, whether the others are read or not."""
        if path not in self._of_file:
            namespace = self._namespace(path)
            try:
                self._of_file[path] = self.files.units(path, namespace)
            except UserError as error:  # the others are checked all the same
                self._of_file[path] = [Unit(path, shown_as(path, self.root), namespace, error=error)]
        return self._of_file[path]

    def forget_meanings(self) -> None:
        """Make them anew when they are asked for: what is kept of a text takes more memory than the text."""
        self._meanings.clear()

    def with_texts(self, instead: Mapping[Path, str]) -> Project:
        """The project of the same folder with other texts in some files. The units of the other files are those of this
        project: their texts are neither read nor put together again."""
        texts = {**self.instead, **instead}
        # Those that stand elsewhere are known by what was read of them.
        every = dict.fromkeys([*files_of_project(self.root), *(p for p in self._of_file if resolved(p) in instead)])
        paths = [path for path in every if not self.closed or resolved(path) in texts]
        kept = {p: self._of_file[p] for p in paths if p in self._of_file and resolved(p) not in instead}
        return Project(self.root, instead=texts, closed=self.closed, _unread=paths, _of_file=kept)

    def sibling(self) -> Project:
        """A project of the same files, as they were read, that has made nothing of them yet."""
        made = Project(self.root, [*self._units], _unread=self._unread, _of_file=self._of_file)
        made.files = self.files
        return made

    def every_unit(self) -> list[Unit]:
        """The units of the project, those of the files that they use elsewhere, and the versions without a text of
        their own that were asked for."""
        known = {u.place for u in self.units}
        used = [p for p in self.files.parsed if p not in known]
        keys = {u.key for u in self.units}
        restricted = [u for u in self._restricted.values() if u.key not in keys]
        return [*self.units, *(u for p in used for u in self.files.units(p, namespace_of(p))), *restricted]

    # ---------------------------------------------------------------------------------------------------- libraries

    def library(self, unit: Unit) -> Library:
        """The names that a file can use: its own and, through `use`, those of others."""
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
        # Of the file itself: a word of its author's is none of a file that it uses, or that uses it.
        lines: dict[str, tuple[str, ...]] = {}
        if file.version is not None:
            lines = lines_named(file)
        for one, _ in self._closure(path, file, []):
            for definition in one.definitions:
                _add_definition(definitions.setdefault(definition.name, []), definition, lines)
            for order in one.orders:
                if order.name in orders:
                    raise complaints.order_twice(order)
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
            lambda name: library_of(self.files, path, name),
            lambda name: hiding(self.files, path, name, self._errors()),
            lines,
        )

    def _operator_names(self) -> list[str]:
        """The operators that a statement may name."""
        known = [u.file for u in self._with_installed().units if u.namespace in _APPLIED and u.file is not None]
        return list(dict.fromkeys(file.name for file in known if file.version is not None))

    def _errors(self) -> list[UserError]:
        """The errors of texts, of operators that could be applied, that cannot be read."""
        return [u.error for u in self.units if u.namespace in _APPLIED and u.error is not None]

    def _lemmas(self, path: Path, file: s.File) -> dict[str, Lemma]:
        """The theorems of a file and of what it uses."""
        # A theorem of the file itself may have the name of one that it uses: its own is meant. Of two that are used
        # from elsewhere nobody could say which.
        lemmas: dict[str, Lemma] = {}
        for one, place in self._closure(path, file, []):
            for theorem in one.theorems:
                if theorem.name in lemmas and one is not file:
                    raise complaints.theorem_twice(theorem, lemmas[theorem.name].theorem)
                lemmas[theorem.name] = self._lemma(one, place, theorem)
        return lemmas

    def _lemma(self, file: s.File, path: Path, theorem: s.Theorem) -> Lemma:
        unit = Unit(path, shown_as(path, self.root), namespace_of(path), file)

        typed = any(types for _, _, types in families(file))

        def identity(family: str, types: tuple[Sort, ...], variables: Mapping[str, Sort]) -> str | None:
            # The section whose obligation it is. One that covers int8 alone is no support for a proof about int8 and
            # int16: all types of the user have to be among its own, in the same family.
            for x in instances(file):
                # Without types T is no type here: what is stated for one is not stated for that.
                of_types = bool(types) and x.family == family and {t.name for t in types} <= set(x.types)
                if (of_types or not typed) and all(variables.get(v) == sort for v, sort in x.variables.items()):
                    whose = ".".join(part for part in (unit.operator, x.name) if part)
                    return f"{whose}/{theorem.name}/{Kind.THEOREM if theorem.cited is None else Kind.AXIOM}"
            return None

        return Lemma(theorem, file, lambda: self.library(unit), identity, typed)

    def _closure(self, path: Path, file: s.File, above: list[str]) -> list[tuple[s.File, Path]]:
        """The file after everything it uses, each once."""
        # Without circles theorems are in an order, as the lemmas of a proof have to be.
        if file.path in above:
            raise complaints.circular_use(file, above)
        found: list[tuple[s.File, Path]] = []
        for use in file.uses:
            other = self.files.library(path, use.name, use.span)
            used = self.files.read(other)
            if used.kind not in (s.FileKind.LIBRARY, s.FileKind.THEORY):
                raise complaints.not_a_library(use, used.kind)
            for one in self._closure(other, used, [*above, file.path]):
                if one not in found:
                    found.append(one)
        return [*found, (file, path)]

    # ---------------------------------------------------------------------------------------------------- operators

    def find(self, namespace: str, name: str, version: int | None = None, text: str = "") -> Unit | None:
        """The operator of that name; its newest version when none is asked for, and its first text. SpecificationError
        where there are two of them."""
        meant: list[tuple[s.File, Unit]] = []
        newest = version or 0
        for unit in self._named(namespace, name):
            file = unit.file
            if file is None or file.version is None:
                continue
            if text not in (unit.text, file.text) or (version is not None and file.version != version):
                continue
            if file.version > newest:
                newest, meant = file.version, []
            if file.version == newest:
                meant.append((file, unit))
        if not meant:
            return self._by_row(namespace, name, version, text)
        (first_file, first), *others = meant
        for file, unit in others:
            if unit.place != first.place:
                raise complaints.operator_twice(unit.operator, file, first_file)
        return first

    def _by_row(self, namespace: str, name: str, version: int | None, text: str) -> Unit | None:
        """The version that has the text of another one, as the table of versions says."""
        if namespace not in OF_ONNX or version is None or text:
            return None
        if self._rows is None:
            self._rows = Versions(versions(self.root))
        row, key = self._rows.rows.get((name, version)), (namespace, name, version)
        if row is not None and key not in self._restricted:
            base = self.find(namespace, name, row.same_as)
            schema = self.table().schema(name, row.same_as)
            if base is None or base.file is None or schema is None:
                return None
            words = {word_of(listed) for types in schema.types.values() for listed in types}
            file = restricted(base.file, version, row, words)
            self._restricted[key] = Unit(base.path, base.shown, namespace, file, same_as=base, differs=row.differs)
        return self._restricted.get(key)

    def table(self) -> Table:
        """ONNX's own signatures."""
        if self._table is None:
            self._table = Table(signatures(self.root).read_text("utf-8"))
        return self._table

    def operators(self) -> list[Unit]:
        """The operators of the project, and the installed ones."""
        return [
            unit for unit in self._with_installed().units if unit.file is not None and unit.file.version is not None
        ]

    def operator(self, name: str) -> Unit | None:
        """The operator that a theorem or another operator means by a name."""
        if name in self.meant:
            return self.meant[name]
        # The profile's before one's own: a text cannot change what Max means in theorems about the profile.
        found = (self.find(namespace, name) for namespace in _APPLIED)
        return next((unit for unit in found if unit is not None), None)

    def of_identity(self, identity: str) -> list[Unit]:
        """The units that may have an obligation of that identity, those of files that others use among them, and the
        versions without a text of their own that were asked for. Only files that may declare its name are read."""
        begun = re.match(r"(\w+)\.(\w+)", identity)
        if begun is None:
            return []
        found = self._named(begun[1], begun[2])
        places = {u.place for u in found}
        used = [p for p in self.files.parsed if p not in places and self._namespace(p) == begun[1]]
        found = [*found, *(u for p in used for u in self.units_in(p))]
        keys = {u.key for u in found}
        found += [u for u in self._restricted.values() if u.key not in keys]
        return [u for u in found if u.file is not None and identity.startswith(u.operator)]

    def _named(self, namespace: str, name: str) -> list[Unit]:
        """The units of a name among those of the project and the installed ones (`_with_installed`). Only files that
        may declare it are read, as long as nobody asked for all."""
        if not self._unread:
            return self._with_installed().by_name.get((namespace, name), [])
        named = self._declaring(namespace, name, self._unread)
        # One of one's own stands for the installed one, and so does a file of its file's name.
        if not any(u.file is not None and u.file.name == name for u in named) and namespace in OF_ONNX:
            if namespace not in self._installed_files:
                self._installed_files[namespace] = self._installed(namespace, self._unread)
            named = self._declaring(namespace, name, self._installed_files[namespace])
        return [u for u in named if u.file is not None and (u.namespace, u.file.name) == (namespace, name)]

    def _declaring(self, namespace: str, name: str, paths: Iterable[Path]) -> list[Unit]:
        """The units of the files of a namespace whose text may declare that name."""
        found: list[Unit] = []
        for path in paths:
            if self._namespace(path) == namespace and self.files.may_declare(path, name):
                found += self.units_in(path)
        return found

    def _namespace(self, path: Path) -> str:
        # To look for links takes longer than to look for a name in a text.
        if path not in self._namespaces:
            self._namespaces[path] = namespace_of(path)
        return self._namespaces[path]

    def _installed(self, namespace: str, own: Iterable[Path]) -> list[Path]:
        """The installed files of a namespace, but for those that a file of one's own stands for."""
        library = installed_library()
        if resolved(library) == resolved(self.root):
            return []
        known = {path.name for path in own if namespace_of(path) == namespace}
        paths = sorted((library / "spec" / namespace).rglob("*.sonnx"))
        return [p for p in paths if p.name not in known and not (self.closed and resolved(p) not in self.instead)]

    def _with_installed(self) -> _Every:
        # Whoever adds units adds them at the end.
        if self._every is not None and self._every.own == len(self.units):
            return self._every
        # An operator of one's own stands for the installed one of its name, or of its file's name.
        named = {(u.namespace, u.file.name) for u in self.units if u.file is not None}
        others: list[Unit] = []
        for namespace in OF_ONNX:
            for path in self._installed(namespace, (u.path for u in self.units)):
                found = self.files.units(path, namespace)
                others.extend(u for u in found if u.file is not None and (namespace, u.file.name) not in named)
        self._every = _Every(len(self.units), [*self.units, *others])
        return self._every

    def meaning(self, unit: Unit, context: Context) -> Meaning:
        """The operator on free inputs. Made once for each kind of elements; `context` takes over what was noted."""
        assert unit.file is not None
        key = _elements(unit, context)
        file, library = unit.file, self.library(unit)
        return self._once(key, context, lambda fresh: meaning_of(file, library, fresh))

    def meaning_beside(self, unit: Unit, context: Context, make: Callable[[Context], Meaning]) -> Meaning:
        """A meaning that is made of that of a unit for those elements, such as that of its standard on its inputs. Made
        once, as that is: `make` depends on the unit, and on the elements with the types that they stand for."""
        return self._once((*_elements(unit, context), context.standing_for), context, make)

    def _once(self, key: Made, context: Context, make: Callable[[Context], Meaning]) -> Meaning:
        # In a context of its own, so that the terms do not depend on who asked first; `adopt` takes over the side
        # conditions, which every asker needs.
        made = self._meanings.get(key)
        if made is None:
            fresh = Context(
                context.family,
                context.element,
                order=context.order,
                variables=context.variables,
                types=context.types,
            )
            # A text on two types has one run: neither meaning is made inside the other, and whoever asks puts given
            # indices where theirs are. The meaning of another text, or of this one in another project, has another run:
            # one statement may speak of both.
            text, family, _, *rest = key
            of_text = text, family, *rest
            if of_text not in self._runs:
                self._runs[of_text] = run_of_numbers()
            with numbered(self._runs[of_text]):
                made = self._meanings[key] = make(fresh)
        context.adopt(made.context)
        return replace(made, context=context)


def _add_definition(others: list[s.Definition], definition: s.Definition, lines: Mapping[str, tuple[str, ...]]) -> None:
    # Two of one name are for two families, and the arguments of a call decide; one that is for all would be for both.
    for other in others:
        if clash(lines, definition.family, [other.family]) is not None:
            raise complaints.definition_twice(definition, other)
    others.append(definition)


def _elements(unit: Unit, context: Context) -> Elements:
    # Which order is that of abstract elements is decided where the first one is met: elaborated in a context where it
    # was decided before, the same text has other terms.
    assert unit.file is not None
    # Abstract elements of two lines of one family look alike, and their texts may differ.
    lines = marked_for(unit.file, context.family, context.standing_for)
    return (unit.key, context.family, context.element, context.order, tuple(context.variables.items()), lines)
