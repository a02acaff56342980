"""The ledgers of the project in the current folder: a run of `check` is compared with them, or writes them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.cli.options import exclusive, tell
from sonnx_verify.errors import UserError
from sonnx_verify.language.places import files_of_project
from sonnx_verify.logic.verdict import UNDECIDED
from sonnx_verify.paths import resolved
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import write_file
from sonnx_verify.stores.ledger import (
    LEDGER,
    PLACE,
    Ledger,
    by_file,
    differing,
    joined,
    ledger_changes,
    ledger_of,
    read_ledgers,
)


class Keep(Enum):
    """The use of the ledger: none; it is made again; the run is compared with it."""

    NOTHING = 0
    UPDATE = 1
    FROZEN = 2

    @classmethod
    def of(cls, *, update: bool, frozen: bool) -> Keep:
        """By the options. Raises UsageError for both."""
        if update and frozen:
            raise exclusive("--update-ledger", "--frozen")
        if update:
            return cls.UPDATE
        if frozen:
            return cls.FROZEN
        return cls.NOTHING


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The ledgers as they were before a run."""

    before: Mapping[Path, Ledger]
    whole: Collection[Path]
    """Those of which every text was asked for: what this run did not decide is gone."""
    everything: bool
    """True if every text of the project was asked for."""
    patterns: bool
    """True if only parts of texts were asked for."""

    @classmethod
    def read(cls, keep: Keep, asked: Asked, *, everything: bool) -> Ledgers:
        """Read them for a run. What is written for the first time need not be there: what is compared with has to.
        Raises UserError."""
        before = read_ledgers(Path()) if keep is not Keep.NOTHING else {}
        if keep is Keep.FROZEN and not before:
            cure = "create it with `sonnx-verify check --update-ledger`"
            raise UserError(f"there is no ledger at {PLACE}", cure=cure)
        whole = set(before) if everything else _whole(before, asked)
        return cls(before, whole, everything, bool(asked.patterns))

    def changes(self, results: Sequence[Result], answering: Sequence[str], *, complete: bool) -> list[str]:
        """A line for each difference of a run from the ledgers.

        Of a text that was asked for as a whole nothing may be missing; of a pattern it is not known what should be
        there. A run is not `complete` if a text could not be read: it says nothing of what is gone.
        """
        subjects: set[str] | None = None
        if not (self.everything and complete):
            whole = self.whole if complete else ()
            gone = {identity.partition("/")[0] for path in whole for identity in self.before[path].entries}
            subjects = set() if self.patterns else gone | {result.subject for result in results}
        return ledger_changes(self.before.values(), results, answering, subjects)

    def update(self, results: Sequence[Result], answering: Sequence[str]) -> str:
        """Write what a run decided; lines about other texts stay. Return the sentence that says so."""
        # What a clock ended may be decided on another machine.
        left_out = [one.id for one in results if one.verdict in UNDECIDED and not one.repeatable]
        found = [one for one in results if one.id not in left_out]
        kept = joined(one for path, one in self.before.items() if path not in self.whole)
        after = by_file(ledger_of(found, answering, kept), Path())
        # Others name the solvers that answered when they were written.
        mine = {LEDGER.of(one.id, Path()) for one in found}
        changed = {p for p, one in after.items() if p not in self.before or self.before[p].entries != one.entries}
        written = sorted(mine | changed, key=lambda path: (path != PLACE, path))
        gone = self.before.keys() - after.keys()
        # Of an operator that has a folder now, or that is gone. First: were this process killed, what is missing would
        # be told and made again, and what is there twice be an error.
        for path in gone:
            path.unlink()
        for path in written:
            write_file(path, after[path].text())
        if left_out:
            counted = counted_text(len(left_out), "obligation")
            tell(f"note: left out {counted} that a clock, a crash or a lack of memory ended: {', '.join(left_out)}")
        were = joined(self.before[path] for path in {*written, *gone} & self.before.keys())
        return f"wrote {shown_files(written)}: {differing(were, joined(after[path] for path in written))}"


def _whole(before: Collection[Path], asked: Asked) -> set[Path]:
    """The ledgers of operators all whose texts are asked for."""
    if asked.patterns:
        return set()
    known = set(map(resolved, asked.whole))
    left: set[Path] = set()
    mine: set[Path] = set()
    for path in files_of_project(Path()):
        (mine if resolved(path) in known else left).add(path.parent)
    return {path for path in before if path != PLACE and path.parent in mine - left}


def shown_files(files: Collection[Path]) -> str:
    """The file that was written, or how many."""
    return os.path.relpath(*files) if len(files) == 1 else counted_text(len(files), "file")
