"""Records about targets, committed: a file for each target and version, in the folder of each operator.

Operators without a folder share the files in `proofs/`, as all operators once did. An entry there of an operator that
has a folder now is still read, and moves to the folder when the operator is recorded anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from sonnx_verify.conformance.targets.target import slug_of
from sonnx_verify.errors import UserError
from sonnx_verify.results.written import json_wrapped
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import RecordPlace
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
    # A version is the target's own word, and may be a path.
    shown = re.sub(r"[^\w.+-]+", "-", version) or "unversioned"
    return f"{slug_of(target)}-{shown}.json"


@dataclass(frozen=True, slots=True)
class RecordStore(Generic[E]):
    """The records of one kind."""

    folder: RecordPlace
    """The folders of their files."""
    said: str
    """One file of them, as messages call it."""
    restore: str
    """The cure for a damaged file."""
    form: type[Struct]
    """The form that each entry in a file must have."""
    made: Callable[[Any], E]
    """Gives the entry for such a value."""
    members: Callable[[E], Any]
    """Gives the value in a file of such an entry."""
    opened: int
    """The number of levels of a file with a line for each member: a diff shows these one by one."""

    def place(self, root: Path, operator: str, name: str) -> Path:
        """The file of that name that an operator is recorded in."""
        return self.folder.of(operator, root) / name

    def files(self, root: Path) -> Iterator[Path]:
        """All files of a project."""
        for folder in self.folder.every(root):
            yield from sorted(folder.glob("*.json"))

    def all(self, roots: Sequence[Path]) -> list[TargetRecord[E]]:
        """All records, sorted by the names of their files. If several roots record an operator, the first counts."""
        return self._of_roots((root, self.files(root)) for root in roots)

    def find(self, roots: Sequence[Path], operator: str, target: str, version: str) -> E | None:
        """The entry of an operator about a target in a version; None if there is none. Raises UserError where its file
        is about another target."""
        name = file_name(target, version)
        places = ((root, (folder / name for folder in self.folder.both(operator, root))) for root in roots)
        for record in self._of_roots((root, [path for path in paths if path.exists()]) for root, paths in places):
            _refuse_other(record, name, target, version)
            return record.operators.get(operator)
        return None

    def versions(self, roots: Sequence[Path], operator: str, target: str) -> dict[str, E]:
        """The entries of an operator about a target, by version."""
        pattern = f"{slug_of(target)}-*.json"
        every = self._of_roots(
            (root, (path for folder in self.folder.both(operator, root) for path in sorted(folder.glob(pattern))))
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
            if path not in (place, self.folder.shared(root) / path.name):
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
        operators = {name: self.members(record.operators[name]) for name in sorted(record.operators)}
        made = {"target": record.target, "version": record.version, "operators": operators}
        return json_wrapped(made, self.opened)

    def updated(self, root: Path, record: TargetRecord[E]) -> dict[Path, str | None]:
        """The texts of the files that a record changes, with what is in them about other operators: an operator goes
        into its folder, and out of the shared file. None for a file in which nothing is left."""
        name = file_name(record.target, record.version)
        texts: dict[Path, str | None] = {}
        for operator, entry in record.operators.items():
            for folder in self.folder.both(operator, root):
                path = folder / name
                before: Mapping[str, E] = {}
                if path.exists():
                    known = self.read(path, root)
                    _refuse_other(known, _shown(path, root), record.target, record.version)
                    before = known.operators
                after = {key: one for key, one in before.items() if key != operator}
                if path == self.place(root, operator, name):
                    after[operator] = entry
                if after != before:
                    texts[path] = self.written(TargetRecord(record.target, record.version, after)) if after else None
        return texts


def _refuse_other(record: TargetRecord[Any], shown: str, target: str, version: str) -> None:
    """Raise UserError where a record is not about that target: names of files leave out what no file can be named."""
    if (record.target, record.version) != (target, version):
        problem = (
            f"{shown} has records about `{record.target}` {record.version}, not about `{target}` {version}".rstrip()
        )
        raise UserError(problem, cure="give one of the two another name: they would share this file")


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
