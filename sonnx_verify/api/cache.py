"""The cache as a command uses it: all levels, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.language.reach import Reach
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.answers import Answers
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.comparisons import Comparisons
from sonnx_verify.stores.records import Records
from sonnx_verify.stores.store import Store, allowed_bytes, default_folder


@dataclass(slots=True)
class Cache:
    """The entries of one folder, seen from one project."""

    store: Store
    records: Records
    comparisons: Comparisons
    answers: Answers
    texts: Mapping[Path, str] | None
    """The texts of files when they were looked at: nothing else is to be read from here on. None where some file could
    not be read, so that nothing is kept."""
    allowed: int
    """The number of bytes that may stay."""

    def close(self) -> str:
        """Write what is left and remove what is too much. Return what went wrong, or nothing."""
        # In this order: what was just written counts too.
        self.answers.flush()
        self.records.flush()
        self.store.trim(self.allowed)
        return self.store.problem


def opened(
    root: Path,
    further: Iterable[Path],
    versions: Mapping[str, str | None],
    instead: Mapping[Path, str] | None = None,
) -> Cache | None:
    """The cache for a project, with `further` files that were named, and solvers of these versions; None where it is
    switched off. `instead` are texts that stand for what is written in files, by their paths without links: what rests
    on them is found where it was kept of such files, and not kept. Raises UsageError where the environment says no
    size."""
    folder = default_folder()
    if folder is None:
        return None
    allowed = allowed_bytes()
    store = Store(folder)
    reach = Reach.of(root, further)
    if instead:
        reach = reach.with_texts(instead)
    basis = Basis(reach, versions)
    texts: Mapping[Path, str] | None = reach.texts
    if basis.snapshot is None:
        texts = None
    return Cache(store, Records(store, basis), Comparisons(store, basis), Answers(store, versions), texts, allowed)


def solvers_with(cache: Cache | None) -> Solvers:
    """Solvers that are not asked again what the cache knows; without a cache, they are asked everything."""
    if cache is None:
        return Solvers()
    return Solvers(kept=cache.answers)
