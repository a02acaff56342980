"""Entries in a folder: each a file of its own, written whole, and held against its hash when it is read."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.errors import UsageError

FOLDER, SIZE, OFF = "SONNX_VERIFY_CACHE", "SONNX_VERIFY_CACHE_MIB", "off"
"""Environment variables: where the cache is, or that there is none; how large it may become, in MiB."""
DEFAULT_MIB = 256
KINDS = ("answers", "comparisons", "killers", "mutants", "records", "searches", "steps", "tables", "trees")
_ENTRY = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".sonnx-"
"""The beginning of the names of files that are being written: nothing else in the folder is touched."""
_FORMAT = "sonnx-verify cache 1"
_OTHERS_WRITE = 0o022
"""The rights of a folder by which its group, or anybody, can put files there."""

_grown: set[Path] = set()
"""Folders with more in them than when they were last trimmed."""
_WITHOUT: ContextVar[bool] = ContextVar("without", default=False)
_WITHOUT_TREES: ContextVar[bool] = ContextVar("without_trees", default=False)


@contextlib.contextmanager
def without_cache() -> Iterator[None]:
    """Here there is none."""
    token = _WITHOUT.set(True)
    try:
        yield
    finally:
        _WITHOUT.reset(token)


@contextlib.contextmanager
def without_trees() -> Iterator[None]:
    """Here every text is parsed, by tables that are made here, whatever the cache has: for what has to be right where
    the cache is not."""
    token = _WITHOUT_TREES.set(True)
    try:
        yield
    finally:
        _WITHOUT_TREES.reset(token)


def default_folder() -> Path | None:
    """The folder of the cache: as the environment says, else among the caches of the user; None where it is switched
    off."""
    said = os.environ.get(FOLDER, "")
    if said == OFF or _WITHOUT.get():
        return None
    if said:
        return Path(said)
    # The XDG standard: a path that is not absolute is to be ignored.
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "sonnx-verify"
    try:
        return Path.home() / ".cache" / "sonnx-verify"
    except RuntimeError:  # nobody's home
        return None


def store_of_trees() -> Store | None:
    """The store for what is kept of reading texts (language/kept.py); None without a cache, and where no tree of it may
    be read."""
    folder = default_folder()
    if folder is None or _WITHOUT_TREES.get():
        return None
    return Store(folder)


def allowed_bytes() -> int:
    """The size that the cache may come to. Raises UsageError for a setting that is no number."""
    said = os.environ.get(SIZE, str(DEFAULT_MIB))
    if not said.isascii() or not said.isdigit() or len(said) > 9:
        raise UsageError(f"{SIZE} is `{said}`", cure=f"write a number of MiB, as in {SIZE}={DEFAULT_MIB}")
    return int(said) << 20


@dataclass(slots=True)
class Store:
    """The entries in a folder, by kind and key. Nothing here raises for what is wrong with the folder: an entry that
    cannot be read is not there, and of what cannot be written `problem` tells."""

    folder: Path
    problem: str = ""

    def read(self, kind: str, key: str) -> bytes | None:
        """The body of an entry; None where there is none, or where it is not what was written under that key."""
        path = self._path(kind, key)
        try:
            if not self._ours(kind):
                return None
            head, _, body = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        # Half of an entry, or one that was put under another name: as good as none, and nothing is told of it.
        if head != _head(kind, key, body):
            if _ENTRY.fullmatch(key):
                self.remove(kind, key)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what was used last is removed last
        return body

    def write(self, kind: str, key: str, body: bytes) -> None:
        """Put an entry there, whole or not at all."""
        path = self._path(kind, key)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            if not self._ours(kind):
                self.problem = f"the cache {self.folder} is writable by other users: it is not used"
                return
            # Written beside its place and renamed, since only a rename is done whole or not at all.
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_head(kind, key, body) + b"\n" + body)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, path)
                _grown.add(self.folder)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as problem:
            self.problem = f"the cache {self.folder} cannot be written: {problem.strerror}"

    def keys(self, kind: str) -> list[str]:
        """The keys of all entries of a kind, in order."""
        try:
            return sorted(p.name for p in (self.folder / kind).iterdir() if _ENTRY.fullmatch(p.name))
        except OSError:
            return []

    def remove(self, kind: str, key: str) -> None:
        """Take an entry away, if it is there."""
        with contextlib.suppress(OSError):
            self._path(kind, key).unlink()

    def files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Every file of the cache, and every one that a run left behind which was killed."""
        for kind in KINDS:
            folder = self.folder / kind
            with contextlib.suppress(OSError):
                # A link leads to somebody's files, which were never put there by a run.
                if folder.is_symlink():
                    continue
                for path in folder.iterdir():
                    # Another run may remove it meanwhile.
                    with contextlib.suppress(OSError):
                        if _is_entry(path):
                            yield path, path.lstat()

    def trim(self, allowed: int) -> None:
        """Remove what was not used for longest until no more than so many bytes are there."""
        _grown.discard(self.folder)
        # The time of the last use is that of the file: `read` touches it.
        there = sorted(self.files(), key=lambda found: (found[1].st_mtime_ns, found[0]), reverse=True)
        size = 0
        for path, stat in there:
            size += stat.st_size
            if size > allowed:
                with contextlib.suppress(OSError):
                    path.unlink()

    def clear(self) -> int:
        """Remove every entry; how many there were. Nothing else in the folder is touched."""
        there = list(self.files())
        for path, _ in there:
            with contextlib.suppress(OSError):
                path.unlink()
        return len(there)

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / kind / key

    def _ours(self, kind: str) -> bool:
        """Return whether nobody else can have put entries there: an entry is believed, and its hash can be made by
        anyone."""
        if (self.folder / kind).is_symlink():
            return False
        if not hasattr(os, "getuid"):
            return True
        stats = [folder.stat() for folder in (self.folder, self.folder / kind)]
        return all(stat.st_uid == os.getuid() and not stat.st_mode & _OTHERS_WRITE for stat in stats)


def _is_entry(path: Path) -> bool:
    """Return whether a file is an entry, or what a run that was killed left of one."""
    named = _ENTRY.fullmatch(path.name) or path.name.startswith(_UNFINISHED)
    return bool(named) and not path.is_symlink() and path.is_file()


def trim_what_grew() -> None:
    """Remove what is too much where this process wrote: a command that keeps trees alone does not look after them."""
    for folder in [*_grown]:
        with contextlib.suppress(UsageError):
            Store(folder).trim(allowed_bytes())


def _head(kind: str, key: str, body: bytes) -> bytes:
    """The first line of an entry: its format, kind and key, and the hash of what follows."""
    sha256 = hashlib.sha256(body).hexdigest()
    return json.dumps({"format": _FORMAT, "kind": kind, "key": key, "sha256": sha256}).encode()
