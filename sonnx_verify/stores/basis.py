"""Everything that a conclusion rests on but what it is about, as one digest: the tool, the solvers, all texts.

Trusted: what is kept under a key made here counts as what this run would find. Where the digest missed something, an
old conclusion would be taken for a new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sonnx_verify.stores.tool import DECIDING, digest_from, digest_of


class Snapshots(Protocol):
    """Everything that conclusions rest on but the tool, as it was when it was looked at."""

    def snapshot(self) -> str | None:
        """A hash of all of it. None where not all of it is known."""
        ...

    def snapshot_of(self, path: Path) -> str | None:
        """A hash of all of it that plays a part in what is concluded of a file. None where not all of that is known."""
        ...

    def again(self) -> Snapshots:
        """The same, looked at now."""
        ...


class Basis:
    """The texts, the tool and the solvers of a run, for the keys of what it keeps."""

    def __init__(self, reach: Snapshots, versions: Mapping[str, str | None]) -> None:
        self._reach = reach
        # Another line of code is another tool: nothing that one concluded is told by the next. Budgets are code too.
        self._digest = digest_from(DECIDING)
        self._versions = sorted(versions.items())
        self.snapshot = reach.snapshot()
        # Without a solver everything is unknown: kept, that would be the answer after it is installed.
        self._complete = None not in versions.values()

    def key(self, *subject: str) -> str | None:
        """The key of what is concluded of a subject; None where not everything is known that it rests on, or a solver
        is missing."""
        if self.snapshot is None or not self._complete:
            return None
        said = json.dumps([digest_of(), self._versions, self.snapshot, *subject]).encode()
        return hashlib.sha256(said).hexdigest()

    def key_of(self, path: Path) -> str | None:
        """The key of what is concluded of a file: of that file, and of the texts that it can reach. None as for
        `key`."""
        # Whatever is not known may be reached, and come to say anything: then nothing is kept.
        if self.snapshot is None or not self._complete:
            return None
        reached = self._reach.snapshot_of(path)
        if reached is None:
            return None
        said = json.dumps([self._digest, self._versions, "file", reached]).encode()
        return hashlib.sha256(said).hexdigest()

    def is_unchanged(self) -> bool:
        """Return whether all is as it was: what came and went meanwhile may have been read, such as a page or the table
        of signatures."""
        return self._reach.again().snapshot() == self.snapshot
