"""The project as a commit has it: the texts as they were, and what else they rest on.

Everything is read from the repository, never from a checkout: a checkout would change files of the user, and filters
for line ends would change texts. `others_differ` errs on the side of true, which leaves nothing out.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.errors import SpecificationError, UsageError
from sonnx_verify.language.places import tables
from sonnx_verify.paths import resolved
from sonnx_verify.source_files import source_of

_OF_RECORDS = (".json", ".txt")
"""The endings of records (docs/records.md). Tables of ONNX have them too, and are compared on their own."""
_REPOSITORY = "check the repository"
_PAGE = re.compile(r'\bpage\s+"([^"\n]*)"')
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX")
"""Variables that a hook, or whoever, set for another repository than that of the folder, or another state of it."""


@dataclass(frozen=True, slots=True)
class History:
    """A commit of the repository that a project is in; `top` is the folder of the repository, without links.

    The commit is known by its hash: a branch that moves during the run would give texts of two commits.
    """

    root: Path
    top: Path
    sha: str

    @classmethod
    def of(cls, ref: str, root: Path) -> History:
        """The commit that a name stands for. Raises UsageError where it stands for none, or there is no repository."""
        no_commit = f"name a commit, branch or tag of the repository: `{ref}` is none"
        # A name may begin with `-`, and would be an option of git; `^{commit}` makes a tag the commit that it names.
        commit = _git(root, no_commit, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        top = _git(root, _REPOSITORY, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        return cls(root, resolved(Path(top)), commit.decode().strip())

    def texts(self, folders: Iterable[Path]) -> dict[Path, str | None]:
        """The specifications of the project as they were, and the libraries in some folders outside of it, by their
        paths without links. A file that was no text is empty."""
        within = set(map(resolved, folders))
        parts = [resolved(self.root) / part for part in _parts(self.root)]
        # A project without `spec/` has nothing in hidden folders.
        looks_into_hidden = len(parts) > 1

        def is_mine(path: Path) -> bool:
            above = [part for part in parts if path.is_relative_to(part)]
            if looks_into_hidden:
                return bool(above)
            return any(not _is_hidden(path, part) for part in above)

        texts: dict[Path, str | None] = {}
        for path, name in self._files():
            if path.suffix != ".sonnx":
                continue
            if path.parent in within or is_mine(path):
                try:
                    texts[path] = source_of(name, self._blob(name)).text
                except SpecificationError:
                    # Not UTF-8, or too long: whatever is there now says something else.
                    texts[path] = ""
        return texts

    def others_differ(self, texts: Mapping[Path, str]) -> bool:
        """True if a table of ONNX differs from that in the commit, or if some other file is there in one alone: a page
        that a text names, or any file beside that is neither a specification nor a record."""
        then = dict(self._files())
        here: set[Path] = set()
        there: set[Path] = set()
        for part in (resolved(self.root) / part for part in _parts(self.root)):
            here.update(_files_below(part))
            within = [path for path in then if path.is_relative_to(part)]
            there.update(path for path in within if not _is_hidden(path, part))
        # Records say what came out; no verdict rests on them.
        if any(path.suffix not in (".sonnx", *_OF_RECORDS) for path in here ^ there):
            return True
        # Of a page it counts that it is there: no verdict reads what it says.
        for page in pages_named(texts.items()):
            if page.is_relative_to(self.top) and page.is_file() != (page in then):
                return True
        return self.table_differs()

    def table_differs(self) -> bool:
        """True if a table of ONNX differs from that in the commit."""
        then = dict(self._files())
        return any(self._differs(resolved(table), then) for table in tables(self.root))

    def _differs(self, table: Path, then: Mapping[Path, str]) -> bool:
        if not table.is_relative_to(self.top):  # that of the installation, which has no history here
            return False
        if not table.is_file() or table not in then:
            return table.is_file() or table in then
        return table.read_bytes() != self._blob(then[table])

    def gone(self) -> set[Path]:
        """The files of the commit that are there no more."""
        return {path for path, _ in self._files() if not path.exists()}

    def _files(self) -> Iterator[tuple[Path, str]]:
        """All files of the commit: their paths, and their names in the repository."""
        # -z: git quotes names that are not ASCII otherwise.
        listed = _git(self.top, _REPOSITORY, "ls-tree", "-r", "-z", "--name-only", "--full-tree", self.sha)
        for name in listed.decode("utf-8", "surrogateescape").split("\0"):
            if name:
                yield self.top / name, name

    def _blob(self, name: str) -> bytes:
        return _git(self.top, _REPOSITORY, "cat-file", "blob", f"{self.sha}:{name}")


def is_repository(root: Path) -> bool:
    """True if a folder is in a repository, and git can be run."""
    return _answers(root, "rev-parse", "--show-toplevel")


def has_commit(root: Path, ref: str = "HEAD") -> bool:
    """True if the repository that a folder is in has that commit. Raises UsageError outside of any repository."""
    _git(root, _REPOSITORY, "rev-parse", "--show-toplevel")
    return _answers(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")


def _answers(root: Path, *arguments: str) -> bool:
    try:
        _git(root, _REPOSITORY, *arguments)
    except UsageError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Commit:
    """The commit that a folder is at: its hash, the second of it, and whether the texts there are others now."""

    sha: str
    seconds: int
    changed: bool


def commit_of(root: Path) -> Commit | None:
    """The commit that a project is at. None outside of a repository, before its first commit, and without git."""
    try:
        if _is_ignored(root):
            return None
        said = _git(root, _REPOSITORY, "log", "-1", "--format=%H %ct", "HEAD").decode().split()
        # Any file counts below `spec` and `proofs`; elsewhere only texts and pages, for anything may lie there.
        asked = ("status", "--porcelain", "-z", "--untracked-files=all", "--", *_parts(root))
        # To look must not write to the repository.
        listed = _git(root, _REPOSITORY, "--no-optional-locks", *asked)
    except UsageError:
        return None
    names = [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]
    if _parts(root) == (".",):
        names = [name for name in names if name.endswith((".sonnx", ".md"))]
    return Commit(said[0], int(said[1]), bool(names))


def committed(root: Path, folders: Sequence[str]) -> set[Path]:
    """The files in folders of a project that its commit has as they are. None of a repository inside it, or of what is
    found through a link, or of files that git is told not to look at; none at all where `commit_of` gives None."""
    try:
        if _is_ignored(root):
            return set()
        _git(root, _REPOSITORY, "rev-parse", "--verify", "HEAD")
        top = Path(os.fsdecode(_git(root, _REPOSITORY, "rev-parse", "--show-toplevel").rstrip(b"\n")))
        known = _git(root, _REPOSITORY, "ls-files", "-v", "-z", "--full-name", "--", *folders)
        asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *folders)
        changed = _git(root, _REPOSITORY, "--no-optional-locks", *asked)
    except UsageError:
        return set()
    # H is a file that is looked at; S and small letters are those of skip-worktree and assume-unchanged.
    tracked = {line[2:] for line in known.split(b"\0") if line.startswith(b"H ")}
    tracked -= {line[3:] for line in changed.split(b"\0")}
    return {resolved(top) / os.fsdecode(name) for name in tracked}


def _is_ignored(root: Path) -> bool:
    """True for a folder that is no part of the repository around it, such as one in its virtual environment."""
    try:
        _git(root, _REPOSITORY, "check-ignore", "--quiet", ".")
    except UsageError:
        return False
    return True


def has_links(root: Path) -> bool:
    """True if something of the project is found through a link."""
    if any(table.is_symlink() for table in tables(root)):
        return True
    for part in (root / part for part in _parts(root)):
        if resolved(part) != resolved(root) / part.relative_to(root):
            return True
        if any(path.is_symlink() for path in _everything_below(part)):
            return True
    return False


def pages_named(texts: Iterable[tuple[Path, str]]) -> Iterator[Path]:
    """The pages that texts name. By a pattern, as the texts need not be right."""
    for path, text in texts:
        for name in _PAGE.findall(text):
            # Not `resolve`: a page that is a link is another page than the one that it leads to.
            yield Path(os.path.normpath(path.parent / name))


def _everything_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in (*folders, *files))


def _is_hidden(path: Path, folder: Path) -> bool:
    """True if a file is in a folder below another one that is not looked into."""
    return any(name.startswith(".") for name in path.relative_to(folder).parent.parts)


def _files_below(folder: Path) -> Iterator[Path]:
    return (p for p in _everything_below(folder) if p.is_file())


def _parts(root: Path) -> tuple[str, ...]:
    """The folders of a project that specifications are in."""
    if (root / "spec").is_dir():
        return ("spec", "proofs")
    return (".",)


def _git(folder: Path, cure: str, *arguments: str) -> bytes:
    """The output of git in a folder. Raises UsageError where it fails."""
    # In a hook git sets GIT_DIR, and would answer for the repository of the hook, whatever the folder.
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    environment["LC_ALL"] = "C"  # one of its messages is known here
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    except OSError as problem:
        raise UsageError(f"git cannot be run: {problem.strerror}", cure="install it") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        if not said:  # of a name that is no commit it says nothing
            raise UsageError("git finds no such commit", cure=cure)
        if "not a git repository" in said[-1]:
            cure = "go to a checkout of the project's repository; to compare two specifications, name both"
            raise UsageError("this folder is not in a git repository, so no commit can be compared", cure=cure)
        raise UsageError(f"git: {said[-1]}", cure=cure)
    return done.stdout
