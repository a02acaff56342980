"""The folders that keep what was found out about a specification: its own, or `proofs/` of the project.

`spec/sonnx/pow/` holds the text and the page of `sonnx.Pow`, and all records about it: whoever adds an operator changes
no file of another one. What lies in no such folder (theories, shared definitions, a project of a few texts) shares the
files of `proofs/`. A user's `spec/mine/pow/` is such a folder too; operators there are named `user.Pow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.paths import NAMESPACES, PROOFS, USER

_SUBJECT = re.compile(r"(\w+)\.(\w+)")


def home_of(name: str, root: Path) -> Path | None:
    """The folder `spec/namespace/operator` of an identity such as `sonnx.Pow-15.float/C1/total`, or of the name of an
    operator; None where a project has no such folder, or two, and its records stand in `proofs/`."""
    found = _SUBJECT.match(name)
    if found is None:
        return None
    namespace, operator = found[1], found[2].lower()
    if namespace in NAMESPACES:
        folder = root / "spec" / namespace / operator
        return folder if folder.is_dir() else None
    if namespace != USER:
        return None
    folders = [folder for folder in (root / "spec").glob(f"*/{operator}") if _is_user_home(folder)]
    return folders[0] if len(folders) == 1 else None


def home_of_text(path: Path, root: Path) -> Path | None:
    """The folder of the operator in whose folder a text lies, given by its path from the root."""
    parts = path.parts
    if len(parts) < 4 or parts[0] != "spec":
        return None
    return home_of(f"{parts[1] if parts[1] in NAMESPACES else USER}.{parts[2]}", root)


def homes(root: Path) -> Iterator[Path]:
    """All such folders of a project, in their order."""
    for namespace in NAMESPACES:
        yield from sorted(path for path in (root / "spec" / namespace).glob("*/") if path.is_dir())
    yield from (path for path in sorted((root / "spec").glob("*/*")) if _is_user_home(path))


def _is_user_home(folder: Path) -> bool:
    return folder.parent.name not in NAMESPACES and folder.is_dir() and any(folder.glob("*.sonnx"))


def shared(root: Path) -> Path:
    """The folder of the records of all else."""
    return root / PROOFS


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The places of the records of one kind in a project: a file, or a folder of files."""

    own: str
    """Its name in the folder of an operator."""
    common: str
    """Its name in `proofs/`."""

    def of(self, name: str, root: Path) -> Path:
        """The place of the records of an operator, or of an identity."""
        return self.at(home_of(name, root), root)

    def at(self, home: Path | None, root: Path) -> Path:
        """The place in that folder of an operator, or the shared one."""
        return self.shared(root) if home is None else home / self.own

    def both(self, name: str, root: Path) -> list[Path]:
        """The places in which records of an operator may stand: its own, if it has one, and the shared one, where it
        was recorded before it had a folder."""
        return list(dict.fromkeys((self.of(name, root), self.shared(root))))

    def every(self, root: Path) -> list[Path]:
        """All places of a project, whether there is something or not; the shared one is the last."""
        return [*(home / self.own for home in homes(root)), self.shared(root)]

    def shared(self, root: Path) -> Path:
        """The place of what is in no folder of an operator."""
        return shared(root) / self.common


def record_roots(root: Path) -> tuple[Path, ...]:
    """The folders whose records count for a project, the one that is written to first."""
    return (root,) if is_here(root) else (Path.cwd(), root)


def is_here(root: Path) -> bool:
    """Return whether a command that runs in the current folder writes records into the project of that root: not into
    the installed library when it runs elsewhere."""
    return Path.cwd().resolve().is_relative_to(root.resolve())


def written_to(root: Path) -> Path:
    """The root of the project that records are written into: the given one, or else the current folder."""
    return root if is_here(root) else Path.cwd()
