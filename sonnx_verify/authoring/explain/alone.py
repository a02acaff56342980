"""Obligations decided each by itself, whatever others they rest on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.needed import Watch, unwatched
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

FEW = 24
"""The number of obligations up to which this process decides them: others, with their own solvers, would not pay."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Decides with some solvers, in `jobs` processes where it is worth it."""

    solvers: Solvers
    jobs: int = 1
    watch: Watch = unwatched

    def decided(self, obligations: Sequence[Obligation]) -> Generator[Record, None, None]:
        """The records in the order of the obligations. Raises the error of a text that fails to fit."""
        # Without them, a theorem that an obligation uses is a hypothesis, and nothing is asked of its own proof.
        listed = [replace(o, uses=(), presumes=()) for o in obligations]
        jobs = self.jobs if len(listed) > FEW else 1
        with closing(run(listed, self.solvers, (), jobs)) as decided:
            for record in self.watch(decided, len(listed)):
                # Of a text that fails to fit: it is no verdict.
                if record.error is not None:
                    raise record.error
                yield record

    def one(self, obligation: Obligation) -> Record:
        """The record of one."""
        (record,) = self.decided([obligation])
        return record
