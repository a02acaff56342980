"""The cache as a command uses it: both levels, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.cache.answers import Answers
from sonnx_verify.cache.reach import Reach
from sonnx_verify.cache.records import Records
from sonnx_verify.cache.store import Store, allowed_bytes, default_folder


@dataclass(slots=True)
class Cache:
    """The entries of one folder, seen from one project."""

    store: Store
    records: Records
    answers: Answers
    texts: Mapping[Path, str]
    """What files said when they were looked at: what is read from here on has to be the same."""

    def close(self) -> str:
        """Write what is left and remove what is too much. What went wrong, if anything did."""
        self.answers.flush()
        self.store.trim(allowed_bytes())
        return self.store.problem


def opened(root: Path, files: Iterable[Path], versions: Mapping[str, str | None]) -> Cache | None:
    """The cache for files of a project and solvers of these versions; None where it is switched off."""
    folder = default_folder()
    if folder is None:
        return None
    store = Store(folder)
    reach = Reach.of(root, files)
    return Cache(store, Records(store, reach, versions), Answers(store, versions), reach.texts)
