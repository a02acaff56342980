"""The outcomes of mutants that a run has decided, in the cache: a run that was interrupted goes on where it was.

A key has all that an outcome rests on: every text and table of the project, its ledger, the judges, the solvers, the
code that judges, and the mutant. An edit anywhere begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import msgspec

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Fate, Outcome
from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.stores.store import Store, default_folder
from sonnx_verify.stores.tool import digest_from

_KIND = "mutants"


class _Entry(msgspec.Struct, frozen=True):
    """An outcome, without the input that shows it."""

    verdict: Fate
    killer: str
    finding: str
    reason: str


@dataclass(slots=True)
class KeptOutcomes:
    """The outcomes of the mutants of a project; nothing is kept without a cache."""

    _store: Store | None
    _basis: tuple[str, ...]

    @classmethod
    def opened(cls, baseline: Baseline) -> KeptOutcomes:
        """Those in the cache of the user."""
        folder = default_folder()
        solvers = (f"{name} {said}" for name, said in baseline.solvers.versions().items())
        code = digest_from("authoring/mutation/processes.py")
        return cls(None if folder is None else Store(folder), (code, baseline.digest(), *solvers))

    def find(self, mutation: Mutation) -> Outcome | None:
        """The outcome of a mutant, if it was decided."""
        body = None if self._store is None else self._store.read(_KIND, self._key(mutation))
        if body is None:
            return None
        try:
            known = msgspec.json.decode(body, type=_Entry)
        except msgspec.DecodeError:
            return None
        return Outcome(mutation, known.verdict, known.killer, known.finding, known.reason)

    def keep(self, outcome: Outcome) -> None:
        """Keep an outcome that the next run would decide again. A process that ended decides nothing."""
        if self._store is not None and (outcome.verdict is not Fate.NOT_SHOWN or outcome.killer):
            entry = _Entry(outcome.verdict, outcome.killer, outcome.finding, outcome.reason)
            self._store.write(_KIND, self._key(outcome.mutation), msgspec.json.encode(entry))

    def _key(self, mutation: Mutation) -> str:
        said = [_KIND, *self._basis, mutation.identity, mutation.old, mutation.new, str(mutation.start)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def resumed(
    kept: KeptOutcomes, mutations: Sequence[Mutation], judge: Callable[[Sequence[Mutation]], Generator[Outcome]]
) -> Generator[Outcome]:
    """The outcomes of all mutants in their order: those that are kept, and the others as `judge` finds them, each kept
    as soon as it is there."""
    known = [kept.find(mutation) for mutation in mutations]
    left = [mutation for mutation, found in zip(mutations, known, strict=True) if found is None]
    with closing(judge(left)) as judged:
        for found in known:
            if found is None:
                found = next(judged)
                kept.keep(found)
            yield found
        assert next(judged, None) is None
