"""The answers of solvers to queries: the lower level of the cache, asked for where the records of a file are not there.

Answers are gathered and written some hundreds at once: a file for each would cost more than to ask again.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import REPEATABLE, STATUSES, Answer
from sonnx_verify.stores.store import Store
from sonnx_verify.stores.tool import ANSWERING, digest_of

_KIND = "answers"
_MANY, _SECONDS = 500, 2.0
"""The number of answers, and the time, after which the gathered answers are written: a run that is killed loses no
more."""
_FEW_FILES, _SMALL_FILE = 32, 1 << 20
"""More small files than that are put together into one."""


class Answers:
    """The answers of solvers of these versions to queries, by the SHA-256 of the text and the budget. Threads may
    share it, and so may the processes that are forked from one that asked nothing yet."""

    def __init__(self, store: Store, versions: Mapping[str, str | None]) -> None:
        self._store = store
        self._versions = versions
        self._known: dict[str, list[str]] = {}
        self._new: dict[str, list[str]] = {}
        self._loaded = False
        self._since = time.monotonic()
        self._lock = threading.Lock()

    def find(self, solver: str, sha256: str, budget: int) -> Answer | None:
        """The answer of a solver, None where that is not known."""
        key = self._key(solver, sha256, budget)
        with self._lock:
            self._load()
            found = self._known.get(key)
        if found is None:
            return None
        status, reason = found
        return Answer(solver, Status(status), reason, sha256=sha256)

    def keep(self, sha256: str, budget: int, answer: Answer) -> None:
        """Take note of an answer, if it would be the same again."""
        # A model is wanted by whoever asked for one, and a kept answer has none.
        if answer.reason not in REPEATABLE or answer.model:
            return
        with self._lock:
            key = self._key(answer.solver, sha256, budget)
            self._known[key] = self._new[key] = [answer.status, answer.reason]
            if len(self._new) >= _MANY or time.monotonic() - self._since > _SECONDS:
                self._flush()

    def again(self) -> Answers:
        """The same, with what is written by now."""
        self.flush()
        return Answers(self._store, self._versions)

    def flush(self) -> None:
        """Write what was gathered."""
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        self._since = time.monotonic()
        if self._new:
            self._write(self._new)
            self._new = {}

    def _write(self, answers: Mapping[str, list[str]]) -> str:
        body = json.dumps(answers, sort_keys=True).encode()
        key = hashlib.sha256(body).hexdigest()
        self._store.write(_KIND, key, body)
        return key

    def _key(self, solver: str, sha256: str, budget: int) -> str:
        # Everything that an answer depends on: another version, budget or way to ask is another key, so that an old
        # answer is never taken for that of a new solver.
        said = [solver, self._versions.get(solver), budget, digest_of(*ANSWERING), sha256]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def _load(self) -> None:
        """Read all there is, once."""
        if self._loaded:
            return
        self._loaded = True
        small: dict[str, dict[str, list[str]]] = {}
        for key in self._store.keys(_KIND):
            body = self._store.read(_KIND, key)
            if body is None:
                continue
            answers = _answers(body)
            if answers is None:
                self._store.remove(_KIND, key)
                continue
            self._known |= answers
            # Each run leaves a few small files, and each file costs a read in every run that follows.
            if len(body) < _SMALL_FILE:
                small[key] = answers
        if len(small) > _FEW_FILES:
            self._put_together(small)

    def _put_together(self, small: Mapping[str, dict[str, list[str]]]) -> None:
        """Write the answers of some files into one, and remove these."""
        together: dict[str, list[str]] = {}
        for answers in small.values():
            together |= answers
        made = self._write(together)
        # Where there was no room for the new file, the old ones are all that there is.
        if self._store.problem:
            return
        for key in small.keys() - {made}:
            self._store.remove(_KIND, key)


def _answers(body: bytes) -> dict[str, list[str]] | None:
    """The answers in an entry, None where it holds anything else."""
    try:
        made = json.loads(body)
    except ValueError:
        return None
    if not isinstance(made, dict):
        return None
    if not all(map(_is_answer, made.values())):
        return None
    return made


def _is_answer(found: object) -> bool:
    """Return whether this is a status with its reason: `unknown` has one, an answer has none."""
    if not isinstance(found, list) or len(found) != 2:
        return False
    status, reason = found
    if status not in STATUSES or reason not in REPEATABLE:
        return False
    is_unknown: bool = status == Status.UNKNOWN
    return is_unknown == bool(reason)
