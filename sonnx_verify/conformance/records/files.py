"""Records about targets, committed: a file for each target and version, in the folder of each operator.

Operators without a folder share the files in `proofs/`, as all operators once did. An entry there of an operator that
has a folder now is still read, and moves to the folder when the operator is recorded anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from sonnx_verify.conformance.targets.target import slug_of
from sonnx_verify.errors import UserError
from sonnx_verify.results.written import json_line
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import home_of, homes, shared
from sonnx_verify.stores.json_file import place_of_key, read_json

E = TypeVar("E")
S = TypeVar("S")


# Without slots: of a frozen record that has them, `TargetRecord[E](...)` fails in Python 3.11.
@dataclass(frozen=True)
class TargetRecord(Generic[E]):
    """The entries about a target in one version, by operator."""

    target: str
    version: str
    operators: Mapping[str, E] = field(default_factory=dict)


class _File(Struct, forbid_unknown_fields=True):
    target: str
    version: str
    operators: dict[str, Any]


def file_name(target: str, version: str) -> str:
    """The name of the files about a target in a version."""
    return f"{slug_of(target)}-{version or 'unversioned'}.json"


@dataclass(frozen=True, slots=True)
class RecordStore(Generic[E]):
    """The records of one kind."""

    own: str
    """The name of their folder in that of an operator."""
    common: str
    """The name of the one in `proofs/`."""
    said: str
    """One file of them, as messages call it."""
    restore: str
    """The cure for a damaged file."""
    form: type[Struct]
    """The form that each entry in a file must have."""
    made: Callable[[Any], E]
    """Gives the entry for such a value."""
    text: Callable[[str, E], str]
    """Gives the text of the entry of an operator."""

    def place(self, root: Path, operator: str, name: str) -> Path:
        """The file of that name that an operator is recorded in."""
        return self._folders(root, operator)[0] / name

    def _folders(self, root: Path, operator: str) -> list[Path]:
        """The folders with records of an operator: its own, if it has one, and the shared one."""
        home = home_of(operator, root)
        folders = [shared(root) / self.common]
        if home is not None:
            folders.insert(0, home / self.own)
        return folders

    def folders(self, root: Path) -> Iterator[Path]:
        """All folders with records of a project."""
        yield from (home / self.own for home in homes(root))
        yield shared(root) / self.common

    def files(self, root: Path) -> Iterator[Path]:
        """All files of a project."""
        for folder in self.folders(root):
            yield from sorted(folder.glob("*.json"))

    def all(self, roots: Sequence[Path]) -> list[TargetRecord[E]]:
        """All records, sorted by the names of their files. If several roots record an operator, the first counts."""
        return self._of_roots((root, self.files(root)) for root in roots)

    def find(self, roots: Sequence[Path], operator: str, target: str, version: str) -> E | None:
        """The entry of an operator about a target in a version; None if there is none."""
        name = file_name(target, version)
        places = ((root, (folder / name for folder in self._folders(root, operator))) for root in roots)
        for record in self._of_roots((root, [path for path in paths if path.exists()]) for root, paths in places):
            return record.operators.get(operator)
        return None

    def versions(self, roots: Sequence[Path], operator: str, target: str) -> dict[str, E]:
        """The entries of an operator about a target, by version."""
        pattern = f"{slug_of(target)}-*.json"
        every = self._of_roots(
            (root, (path for folder in self._folders(root, operator) for path in sorted(folder.glob(pattern))))
            for root in roots
        )
        # The name of another target may begin with the name of this one.
        records = [record for record in every if record.target == target]
        return {record.version: record.operators[operator] for record in records if operator in record.operators}

    def _of_roots(self, found: Iterable[tuple[Path, Iterable[Path]]]) -> list[TargetRecord[E]]:
        made: dict[str, TargetRecord[E]] = {}
        for root, paths in found:
            for name, record in self._together(root, paths).items():
                known = made.get(name)
                operators = {**record.operators, **(known.operators if known is not None else {})}
                made[name] = TargetRecord(record.target, record.version, dict(sorted(operators.items())))
        return [made[name] for name in sorted(made)]

    def _together(self, root: Path, paths: Iterable[Path]) -> dict[str, TargetRecord[E]]:
        """The records in some files of a project, by the names of the files. Raises UserError where two of them have
        one operator."""
        made: dict[str, TargetRecord[E]] = {}
        places: dict[tuple[str, str], Path] = {}
        for path in paths:
            record = self.read(path, root)
            for operator in record.operators:
                other = places.setdefault((path.name, operator), path)
                if other != path:
                    problem = f"`{operator}` is also in {_shown(other, root)}"
                    raise UserError(problem, self._line(path, operator), "delete it in one of the two")
            known = made.get(path.name, TargetRecord(record.target, record.version))
            made[path.name] = TargetRecord(record.target, record.version, {**known.operators, **record.operators})
        return made

    def _line(self, path: Path, operator: str) -> Span:
        return place_of_key(read_json(path, self.restore)[0].source, operator)

    def read(self, path: Path, root: Path) -> TargetRecord[E]:
        """The record in a file. UserError with the place where it is none, or is of another target, version or folder
        than the name of the file says."""
        start, made = read_json(path, self.restore)
        # People edit records, and a merge can leave anything: they are looked at here, so that nothing below has to.
        file = self._checked(made, _File, start)
        for operator, entry in file.operators.items():
            place = self.place(root, operator, path.name)
            if path not in (place, shared(root) / self.common / path.name):
                cure = f"move it to {_shown(place, root)}"
                raise UserError(f"`{operator}` is not of this folder", place_of_key(start.source, operator), cure)
            self._checked(entry, self.form, start, operator)
        if path.name != (name := file_name(file.target, file.version)):
            raise UserError(f"this is {self.said} about {file.target} {file.version}", start, f"rename it to {name}")
        operators = {operator: self.made(entry) for operator, entry in file.operators.items()}
        return TargetRecord(file.target, file.version, operators)

    def _checked(self, made: object, form: type[S], start: Span, key: str = "") -> S:
        try:
            return msgspec.convert(made, form)
        except msgspec.ValidationError:
            place = place_of_key(start.source, key) if key else start
            raise UserError(f"not {self.said}", place, self.restore) from None

    def written(self, record: TargetRecord[E]) -> str:
        """The text of a file."""
        head = f' "target": {json_line(record.target)},\n "version": {json_line(record.version)},\n'
        listed = ",\n".join(self.text(name, record.operators[name]) for name in sorted(record.operators))
        return f'{{\n{head} "operators": {{\n{listed}\n }}\n}}\n'

    def updated(self, root: Path, record: TargetRecord[E]) -> dict[Path, str | None]:
        """The texts of the files that a record changes, with what is in them about other operators: an operator goes
        into its folder, and out of the shared file. None for a file in which nothing is left."""
        name = file_name(record.target, record.version)
        texts: dict[Path, str | None] = {}
        for operator, entry in record.operators.items():
            for folder in self._folders(root, operator):
                path = folder / name
                before = self.read(path, root).operators if path.exists() else {}
                after = {key: one for key, one in before.items() if key != operator}
                if path == self.place(root, operator, name):
                    after[operator] = entry
                if after != before:
                    texts[path] = self.written(TargetRecord(record.target, record.version, after)) if after else None
        return texts


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
