"""What a commit has of a project: the texts as they were, and what else they rest on."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.errors import SpecificationError, UsageError, source_of
from sonnx_verify.language.places import signatures
from sonnx_verify.paths import resolved

_REPOSITORY = "see to the repository"
_PAGE = re.compile(r'\bpage\s+"([^"\n]*)"')
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX")
"""What a hook, or whoever, set for another repository than that of the folder, or another state of it."""


@dataclass(frozen=True, slots=True)
class History:
    """A commit of the repository that a project is in; `top` is the folder of the repository, without links."""

    root: Path
    top: Path
    sha: str

    @classmethod
    def of(cls, ref: str, root: Path) -> History:
        """The commit that a name stands for. Raises UsageError where it stands for none, or there is no repository."""
        no_commit = f"name a commit, branch or tag of the repository: `{ref}` is none"
        commit = _git(root, no_commit, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        top = _git(root, _REPOSITORY, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        return cls(root, resolved(Path(top)), commit.decode().strip())

    def texts(self, folders: Iterable[Path]) -> dict[Path, str | None]:
        """What the specifications of the project said, and the libraries in some folders outside of it, by their paths
        without links. What was no text said nothing."""
        within = set(map(resolved, folders))
        parts = [resolved(self.root) / part for part in _parts(self.root)]
        # A project without `spec/` has nothing in hidden folders.
        hidden = len(parts) > 1
        texts: dict[Path, str | None] = {}
        for path, name in self._files():
            mine = any(path.is_relative_to(part) and (hidden or not _is_hidden(path, part)) for part in parts)
            if path.suffix == ".sonnx" and (mine or path.parent in within):
                try:
                    texts[path] = source_of(name, self._blob(name)).text
                except SpecificationError:
                    texts[path] = ""
        return texts

    def others_differ(self, texts: Mapping[Path, str]) -> bool:
        """Whether ONNX's signatures are otherwise than in the commit, or something that is no specification is there in
        one alone: a page that a text names, or any file beside."""
        then = dict(self._files())
        parts = [resolved(self.root) / part for part in _parts(self.root)]
        here = {p for part in parts for p in _files_below(part)}
        there = {p for p in then for part in parts if p.is_relative_to(part) and not _is_hidden(p, part)}
        if any(p.suffix != ".sonnx" and p.name != "ledger.json" for p in here ^ there):
            return True
        named = {Path(os.path.normpath(p.parent / name)) for p, text in texts.items() for name in _PAGE.findall(text)}
        if any(p.is_file() != (p in then) for p in named if p.is_relative_to(self.top)):
            return True
        table = resolved(signatures(self.root))
        if not table.is_relative_to(self.top):
            return False
        if not table.is_file() or table not in then:
            return table.is_file() or table in then
        return table.read_bytes() != self._blob(then[table])

    def _files(self) -> Iterator[tuple[Path, str]]:
        """All files of the commit: their paths, and their names in the repository."""
        listed = _git(self.top, _REPOSITORY, "ls-tree", "-r", "-z", "--name-only", "--full-tree", self.sha)
        for name in listed.decode("utf-8", "surrogateescape").split("\0"):
            if name:
                yield self.top / name, name

    def _blob(self, name: str) -> bytes:
        return _git(self.top, _REPOSITORY, "cat-file", "blob", f"{self.sha}:{name}")


def has_links(root: Path) -> bool:
    """Whether something of the project is found through a link."""
    parts = [root / part for part in _parts(root)]
    if any(resolved(part) != resolved(root) / part.relative_to(root) for part in parts):
        return True
    return any(p.is_symlink() for part in parts for p in _everything_below(part)) or signatures(root).is_symlink()


def _everything_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in (*folders, *files))


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether a file is in a folder below another one that is not looked into."""
    return any(name.startswith(".") for name in path.relative_to(folder).parent.parts)


def _files_below(folder: Path) -> Iterator[Path]:
    return (p for p in _everything_below(folder) if p.is_file())


def _parts(root: Path) -> tuple[str, ...]:
    """The folders of a project that specifications are in."""
    return ("spec", "proofs") if (root / "spec").is_dir() else (".",)


def _git(folder: Path, cure: str, *arguments: str) -> bytes:
    """What git prints in a folder. Raises UsageError where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    except OSError as problem:
        raise UsageError(f"git cannot be run: {problem.strerror}", cure="install it") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # Of a name that is no commit it says nothing.
        raise UsageError(f"git: {said[-1]}" if said else "git finds no such commit", cure=cure)
    return done.stdout
