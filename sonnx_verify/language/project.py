"""Which specifications there are, and what each of them can use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sonnx_verify.errors import Span, SpecificationError, UserError, read_source
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import supplied
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import families, instances
from sonnx_verify.language.library import Call, Lemma, Library
from sonnx_verify.language.meaning import Meaning, meaning_of, outcome_of
from sonnx_verify.language.parser import parse
from sonnx_verify.language.values import Outcome, Value
from sonnx_verify.language.versions import editions, told_of
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import and_

NAMESPACES = ("common", "onnx", "sonnx", "drafts")


def installed_library() -> Path:
    """The folder that holds `spec/` and `proofs/` of this installation."""
    package = Path(__file__).parent.parent
    packaged = package / "library"
    return packaged if packaged.is_dir() else package.parent


@dataclass(slots=True)
class Unit:
    """A file of the project, or one version of the operator in it, read and parsed; `error` says why it could not be.

    `text` names a further text of a version; the first one is the version itself.
    """

    path: Path
    shown: str
    namespace: str
    file: s.File | None = None
    error: UserError | None = None
    text: str = ""
    _place: Path | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> Path:
        """The path without links, looked up once."""
        self._place = self._place or resolved(self.path)
        return self._place

    @property
    def operator(self) -> str:
        """`sonnx.Max-13`, `onnx.Max-13@onnx-1.23` for a further text, `proofs.broadcast` for what has no version."""
        assert self.file is not None
        name = f"{self.namespace}.{self.file.name}"
        named = name if self.file.version is None else f"{name}-{self.file.version}"
        return f"{named}@{self.text}" if self.text else named

    @property
    def key(self) -> Key:
        """What tells it from every other."""
        return self.place, self.file.version if self.file else None, self.text


Key = tuple[Path, int | None, str]


@dataclass(slots=True)
class Project:
    """The files to check, with the library that they use."""

    root: Path
    units: list[Unit] = field(default_factory=list)
    _parsed: dict[Path, s.File] = field(default_factory=dict)
    _editions: dict[Path, list[s.File]] = field(default_factory=dict)
    _applying: list[tuple[Unit, Span]] = field(default_factory=list)
    _libraries: dict[Key, Library] = field(default_factory=dict)
    applied: dict[Key, list[Unit]] = field(default_factory=dict)
    """The operators that the text of a unit applies, where this is known."""
    _meanings: dict[tuple[Key, str, Sort, str, tuple[tuple[str, Sort], ...]], Meaning] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path) -> Project:
        """The project of a folder: its `spec/` and `proofs/`, else every .sonnx file below it."""
        if (folder / "spec").is_dir():
            paths = [p for part in ("spec", "proofs") for p in sorted((folder / part).rglob("*.sonnx"))]
        else:
            paths = sorted(p for p in folder.rglob("*.sonnx") if not any(x.startswith(".") for x in p.parts))
        return cls.of_files(folder, paths)

    @classmethod
    def of_files(cls, root: Path, paths: Iterable[Path]) -> Project:
        """The project of some files."""
        project = cls(root)
        for path in paths:
            try:
                project.units.extend(project._versions(path, _namespace(path)))
            except UserError as error:
                project.units.append(Unit(path, _shown(path, root), _namespace(path), error=error))
        return project

    def _versions(self, path: Path, namespace: str) -> list[Unit]:
        """A unit for each version and text of a file."""
        key = resolved(path)
        if key not in self._editions:
            self._editions[key] = editions(self._read(path))
        units: list[Unit] = []
        for file in self._editions[key]:
            first = all(u.file is None or u.file.version != file.version for u in units)
            units.append(Unit(path, _shown(path, self.root), namespace, file, text="" if first else file.text))
        return units

    def _read(self, path: Path) -> s.File:
        key = resolved(path)
        if key not in self._parsed:
            self._parsed[key] = parse(read_source(path, _shown(path, self.root)))
        return self._parsed[key]

    def every_unit(self) -> list[Unit]:
        """The units of the project, and those of the files that they use elsewhere."""
        known = {u.place for u in self.units}
        return [*self.units, *(u for p in self._parsed if p not in known for u in self._versions(p, _namespace(p)))]

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
        generals: dict[str, str] = {}
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
            self._operators(path, file),
            self._operator_names,
            lambda name: self._defined_in(path, name),
        )

    def _operator_names(self) -> list[str]:
        """The operators that a statement may name."""
        known = [u for u in self._with_installed() if u.namespace in ("sonnx", "user") and u.file is not None]
        return list(dict.fromkeys(u.file.name for u in known if u.file is not None and u.file.version is not None))

    def _defined_in(self, path: Path, name: str) -> str:
        """The library, among those that a file can use, that defines a name; empty where none does."""
        for folder in self._folders(path):
            for candidate in sorted(folder.glob("*.sonnx")):
                try:
                    file = self._read(candidate)
                except UserError:
                    continue
                if file.kind == "library" and name in {
                    *(d.name for d in file.definitions),
                    *(o.name for o in file.orders),
                }:
                    return candidate.stem
        return ""

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
        unit = Unit(path, _shown(path, self.root), _namespace(path), file)

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
                file.uses[0][1] if file.uses else file.span,
                "move what both need into a third file",
            )
        found: list[tuple[s.File, Path]] = []
        for name, span in file.uses:
            other = self._find(path, name, span)
            used = self._read(other)
            if used.kind not in ("library", "theory"):
                raise SpecificationError(f"`{name}` is no library but a {used.kind}", span, "use a library")
            for one in self._closure(other, used, [*above, file.path]):
                if one not in found:
                    found.append(one)
        return [*found, (file, path)]

    def _find(self, path: Path, name: str, span: Span) -> Path:
        for folder in self._folders(path):
            candidate = folder / f"{name}.sonnx"
            if candidate.is_file():
                return candidate
        raise SpecificationError(
            f"there is no library `{name}`", span, f"put {name}.sonnx beside this file, or correct the name"
        )

    def _folders(self, path: Path) -> list[Path]:
        """Where `use` looks for a library."""
        roots = (self.root, installed_library())
        return [path.parent, *(root / part for root in roots for part in ("spec/common", "proofs"))]

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
            assert second.file is not None and meant[0].file is not None
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
        known = {(u.namespace, u.path.name) for u in self.units}
        named = {(u.namespace, u.file.name) for u in self.units if u.file is not None}
        library = installed_library()
        if resolved(library) == resolved(self.root):
            return self.units
        others: list[Unit] = []
        for namespace in ("onnx", "sonnx"):
            for path in sorted((library / "spec" / namespace).rglob("*.sonnx")):
                if (namespace, path.name) not in known:
                    # An operator of one's own stands for the installed one of its name.
                    found = self._versions(path, namespace)
                    others.extend(u for u in found if u.file is not None and (namespace, u.file.name) not in named)
        return [*self.units, *others]

    def _operators(self, path: Path, file: s.File) -> Callable[[Call, Context], Outcome | None]:
        """Operators that a text applies: the newest of the profile, else of the user's, but not its own."""

        def apply(call: Call, context: Context) -> Outcome | None:
            unit = self.operator(call.name)
            if unit is None or unit.file is None:
                return None
            if resolved(unit.path) == resolved(path):
                raise SpecificationError(
                    f"`{call.name}` is applied in its own text, {file.path}",
                    call.span,
                    f"say without `{call.name}` what it gives; state theorems about it in a theory",
                )
            # An error of an argument is an error of the whole.
            defined = [v.defined for v in call.values if isinstance(v, Outcome)]
            plain: list[Value] = [v.result if isinstance(v, Outcome) else v for v in call.values]
            with context.assuming(and_(*defined)):
                outcome = self._applied(unit, replace(call, values=plain), context)
            return Outcome(and_(*defined, outcome.defined), outcome.result)

        return apply

    def _applied(self, unit: Unit, call: Call, context: Context) -> Outcome:
        assert unit.file is not None
        if types := tuple(t for _, _, listed in families(unit.file) for t in listed):
            context.applications.setdefault(unit.operator, (types, call.span))
        with context.calling(call.span), self._inside(unit, call), context.silent():
            meaning = meaning_of(unit.file, self.library(unit), context, supplied(unit.file, call, context), call.span)
        context.suppose(and_(*meaning.arity, *(r.known for r in meaning.restrictions)), unit.operator, call.span)
        outcome = outcome_of(meaning)
        if outcome is None:
            several = sum(not d.optional for d in unit.file.outputs) > 1
            raise SpecificationError(
                f"`{unit.operator}` has several outputs"
                if several
                else f"`{unit.operator}` does not give one result in full",
                call.span,
                "use an operator with one output" if several else "use an operator with shape and value",
            )
        return outcome

    @contextmanager
    def _inside(self, unit: Unit, call: Call) -> Iterator[None]:
        """Inside the text of an operator that is applied. SpecificationError where that is in its own text."""
        above = [u.key for u, _ in self._applying]
        if unit.key in above:
            circle = [*self._applying[above.index(unit.key) :], (unit, call.span)]
            ways = " -> ".join(u.operator for u, _ in circle)
            places = ", ".join(f"`{u.operator}` at {span}" for u, span in circle[1:-1])
            raise SpecificationError(
                f"operators apply each other in a circle: {ways}; {places}",
                call.span,
                "say of one of them what it gives without the others",
            )
        self._applying.append((unit, call.span))
        try:
            yield
        finally:
            self._applying.pop()

    def meaning(self, unit: Unit, context: Context) -> Meaning:
        """The operator on free inputs. Made once for each kind of elements; `context` takes over what was noted."""
        assert unit.file is not None
        # Which order is that of abstract elements is decided where the first one is met.
        key = (unit.key, context.family, context.element, context.order, tuple(context.variables.items()))
        made = self._meanings.get(key)
        if made is None:
            fresh = Context(context.family, context.element, context.order, context.variables)
            made = meaning_of(unit.file, self.library(unit), fresh)
            self._meanings[key] = made
        context.adopt(made.context)
        return replace(made, context=context)


def unit_of_text(project: Project, file: s.File) -> Unit:
    """A unit for a text that is no file, in the project's root."""
    path = project.root / f"{file.name} (text)"
    return Unit(path, file.path, "prove", file)


def resolved(path: Path) -> Path:
    """The path without links; as it is where they go round in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _shown(path: Path, root: Path) -> str:
    if path.is_symlink():
        return path.as_posix()
    for folder in (root, installed_library()):
        if resolved(path).is_relative_to(resolved(folder)):
            return resolved(path).relative_to(resolved(folder)).as_posix()
    return path.as_posix()


def _namespace(path: Path) -> str:
    parts = resolved(path).parts
    if "spec" in parts:
        after = parts[len(parts) - parts[::-1].index("spec") :]
        if after and after[0] in NAMESPACES:
            return after[0]
    return "proofs" if "proofs" in parts else "user"
