"""Which files a command line names, before any of them is read."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import files_of_project, root_here
from sonnx_verify.paths import resolved


@dataclass(slots=True)
class Asked:
    """The files of the project in `root` and the `further` ones that were named, in the order of the report.

    `whole` are those that are asked for as a whole; of the others it is what the `patterns` match.
    """

    root: Path
    patterns: list[str] = field(default_factory=list)
    further: list[Path] = field(default_factory=list)
    whole: list[Path] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    picked: dict[Path, frozenset[str]] = field(default_factory=dict)
    """Of some files, the identities that are asked for."""

    @classmethod
    def of(cls, what: Sequence[str], installed: bool = False) -> Asked:
        """What paths and patterns of identities name; where there are none, all of the project, or, if `installed` may
        stand for it, what is installed. Raises UsageError for a path that names nothing, and where there is no
        project."""
        if not what and not installed and not files_of_project(Path.cwd()):
            raise UsageError(
                "there is no specification here",
                cure="go to the folder of a project, or name a file, a folder or an identity: "
                "`sonnx` stands for all of that namespace",
            )
        paths = [Path(w) for w in what if _is_path(w)]
        for path in paths:
            if not _exists(path):
                cure = "name a .sonnx file, a folder or an identity"
                raise UsageError(f"there is no file or folder {path}", cure=cure)
        root = root_here()
        mine = files_of_project(root)
        made = cls(root, [w for w in what if not _is_path(w)])
        made.whole = [p for p in mine if not what or _under(p, paths)]
        known = {resolved(p) for p in mine}
        for path in paths:
            files = sorted(path.rglob("*.sonnx")) if path.is_dir() else [path]
            if not files:
                raise UsageError(f"there is no .sonnx file below {path}", cure="name another folder")
            missing = [f for f in files if resolved(f) not in known]
            known |= {resolved(f) for f in missing}
            made.further += missing
        made.whole += made.further
        made.files = [*mine, *made.further] if made.patterns else made.whole
        return made

    def wanted_in(self, path: Path) -> Callable[[str], bool]:
        """Whether an obligation of an identity in that file is asked for."""
        if path in self.whole:
            return lambda identity: True
        picked = self.picked.get(path, frozenset())
        return lambda identity: identity in picked or self.matches(identity)

    def matches(self, identity: str) -> bool:
        """Whether a pattern is one of that identity."""
        return any(_matches(identity, pattern) for pattern in self.patterns)

    def refuse_unmatched(self, identities: Iterable[str]) -> None:
        """Raise UsageError where a pattern matches none of the identities: what was mistyped is not decided."""
        listed = list(identities)
        left = [pattern for pattern in self.patterns if not any(_matches(one, pattern) for one in listed)]
        if left:
            cure = "`sonnx-verify list` prints all identities"
            raise UsageError(f"no obligation is called {', '.join(left)}", cure=cure)


def _matches(identity: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(identity, pattern) or identity.startswith((f"{pattern}/", f"{pattern}."))


def _exists(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except (OSError, ValueError):
        return False


def _is_path(text: str) -> bool:
    # The first part of an identity has a namespace and a point in it.
    first, slash, _ = text.partition("/")
    if slash and not re.search(r"[.*?[]", first):
        return True
    if text.endswith(".sonnx") or text in (".", "..") or text.startswith(("./", "../")):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _under(path: Path, folders: Sequence[Path]) -> bool:
    mine = resolved(path)
    return any(resolved(f) in (mine, *mine.parents) for f in folders)
