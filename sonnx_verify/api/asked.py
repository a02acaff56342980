"""The files that a command line names, before any of them is read."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.api.files import exists, texts_at
from sonnx_verify.api.names import completed, near_identities, only_installed
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
    def of(cls, what: Sequence[str], *, installed: bool = False) -> Asked:
        """The files that paths and patterns of identities name; without any, all of the project, or, if `installed` may
        stand for it, the installed library. Raises UsageError for a path that names nothing, and where there is no
        project."""
        # Without this the library would be checked, and its verdicts taken for those of the project somebody left.
        if not what and not installed and not files_of_project(Path.cwd()):
            raise no_specification()
        paths = [Path(name) for name in what if _is_path(name)]
        for path in paths:
            if not exists(path):
                cure = "name a .sonnx file, a folder or an identity"
                raise UsageError(f"there is no file or folder {path}", cure=cure)
        root = root_here()
        mine = files_of_project(root)
        made = cls(root, completed([name for name in what if not _is_path(name)], root))
        # The files of the project in the project's order, wherever they were named: a report is the same either way.
        made.whole = [p for p in mine if _under(p, paths)]
        if not what:
            made.whole = list(mine)
        # `known` holds paths without links: `spec/max.sonnx` and a link to it are one file, which is checked once.
        known = {resolved(p) for p in mine}
        for path in paths:
            missing = [file for file in texts_at(path) if resolved(file) not in known]
            known |= {resolved(f) for f in missing}
            made.further += missing
        made.whole += made.further
        made.files = made.whole
        if made.patterns:
            # Not whole: of the installed library it is what the patterns match.
            made.further += [path for path in only_installed(made.patterns, root) if resolved(path) not in known]
            # The text decides what its identities are, so every file may have one that matches.
            made.files = [*mine, *made.further]
        return made

    def wanted_in(self, path: Path) -> Callable[[str], bool]:
        """The test of an identity in that file: true if its obligation is asked for."""
        if path in self.whole:
            return lambda identity: True
        picked = self.picked.get(path, frozenset())
        return lambda identity: identity in picked or self.matches(identity)

    def matches(self, identity: str) -> bool:
        """True if a pattern matches that identity."""
        return any(_matches(identity, pattern) for pattern in self.patterns)

    def refuse_unmatched(self, identities: Iterable[str]) -> None:
        """Raise UsageError where a pattern matches none of the identities: what was mistyped is not decided."""
        listed = list(identities)  # each pattern goes through all of them
        left = [pattern for pattern in self.patterns if not _matches_any(listed, pattern)]
        if left:
            raise UsageError(f"unknown obligation {', '.join(left)}", cure=_cure(left[0], self.root))


def _cure(pattern: str, root: Path) -> str:
    near = near_identities(pattern, root)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "`sonnx-verify explain --list` prints all identities"


NO_SPECIFICATION = "there is no specification here"


def no_specification() -> UsageError:
    """The error of a run that would be of nothing."""
    cure = "go to the folder of a project, or name a file, a folder or an identity, for example `sonnx` for the whole "
    return UsageError(NO_SPECIFICATION, cure=f"{cure}namespace")


def _matches(identity: str, pattern: str) -> bool:
    # A whole part stands for all below it: `sonnx.Max-1` is not `sonnx.Max-13`, but has `sonnx.Max-1.int/C1/covered`.
    return fnmatch.fnmatchcase(identity, pattern) or identity.startswith((f"{pattern}/", f"{pattern}."))


def _matches_any(identities: Sequence[str], pattern: str) -> bool:
    return any(_matches(identity, pattern) for identity in identities)


def _is_path(text: str) -> bool:
    # The first part of an identity has a namespace and a point in it: `spec/maximum` is a path, also when mistyped,
    # and `sonnx.Max-13/C1` is not.
    first, slash, _ = text.partition("/")
    if slash and not re.search(r"[.*?[]", first):
        return True
    if text.endswith(".sonnx") or text in (".", ".."):
        return True
    if text.startswith(("./", "../")):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _under(path: Path, folders: Sequence[Path]) -> bool:
    mine = resolved(path)
    above = (mine, *mine.parents)
    return any(resolved(folder) in above for folder in folders)
