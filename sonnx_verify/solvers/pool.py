"""Ask several solvers the same text, in parallel, each in a process of its own."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping
from types import TracebackType

from . import registry, wire
from .answer import NOT_INSTALLED, Answer, unknown
from .lane import Job, Lane
from .limits import DEFAULT_BUDGET, MARGIN_SECONDS, WALL_CLOCK_SECONDS


class Query:
    """A question on its way. `sha256` is the hexadecimal SHA-256 of the text alone, in UTF-8."""

    def __init__(self, sha256: str, names: tuple[str, ...]) -> None:
        self.sha256 = sha256
        self._names = names
        self._answers: dict[str, Answer] = {}
        self._lock = threading.Lock()
        self._complete = threading.Event()
        if not names:
            self._complete.set()

    def result(self) -> dict[str, Answer]:
        """The answer of every solver by name, in the pool's order. Blocks until all have answered; never raises."""
        self._complete.wait()
        return {name: self._answers[name] for name in self._names}

    def done(self) -> bool:
        """Whether every solver has answered, so that `result` returns at once."""
        return self._complete.is_set()

    def _finish(self, answer: Answer) -> None:
        with self._lock:
            self._answers[answer.solver] = answer
            if len(self._answers) == len(self._names):
                self._complete.set()


class Solvers:
    """The solvers `names`, each with a worker that is started by the first query and ended by `close` or `with`.

    `budget` is the work a query may cost, in z3's units. `patience` is how many seconds a worker may be silent before
    it is killed; it exceeds the wall clock inside the solver. A name that is unknown or not installed answers every
    query with unknown, "not installed". Any thread may submit. Raises ValueError when a name is given twice.
    """

    def __init__(
        self,
        names: Iterable[str] = ("z3", "cvc5"),
        budget: int = DEFAULT_BUDGET,
        *,
        patience: float = WALL_CLOCK_SECONDS + MARGIN_SECONDS,
    ) -> None:
        self.names = tuple(names)
        self.budget = budget
        self.patience = patience
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"a solver is named twice in {', '.join(self.names)}")
        self._lanes = {name: Lane(name, patience) for name in self.names if registry.installed(name)}
        self._asked: dict[bytes, Query] = {}
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, text: str, want: tuple[str, ...] = (), budget: int | None = None) -> Query:
        """Queue `text`, an SMT-LIB 2.6 script without check-sat, for every solver; returns at once.

        `want` names the constants whose values a sat answer shall hold; `budget` is the work allowed, where it is
        another than the pool's. The same question is asked once: the same Query is returned. Raises RuntimeError after
        `close`.
        """
        encoded = text.encode()
        allowed = self.budget if budget is None else budget
        marks = [] if allowed == self.budget else [f"budget {allowed}".encode()]
        key = hashlib.sha256(b"\0".join([encoded, *marks, *(name.encode() for name in want)])).digest()
        with self._lock:
            if self._closed:
                raise RuntimeError("the solvers are closed")
            query = self._asked.get(key)
            if query is None:
                query = self._asked[key] = Query(hashlib.sha256(encoded).hexdigest(), self.names)
                self._ask(query, text, want, allowed)
            return query

    def _ask(self, query: Query, text: str, want: tuple[str, ...], budget: int) -> None:
        job = Job(wire.frame((text, budget, want)), query._finish)
        for name in self.names:
            if name in self._lanes:
                self._lanes[name].put(job)
            else:
                query._finish(unknown(name, NOT_INSTALLED))

    def again(self) -> Solvers:
        """A pool of the same solvers that was asked nothing yet."""
        return Solvers(self.names, self.budget, patience=self.patience)

    def learn(self, answers: Mapping[str, Mapping[str, str]]) -> None:
        """Take over what another pool of the same solvers was told, by the SHA-256 of the text: it is not asked again.

        Raises ValueError for anything but one definite status from each solver.
        """
        for sha256, given in answers.items():
            if tuple(given) != self.names:
                raise ValueError(f"answers of {', '.join(given)}, and the pool asks {', '.join(self.names)}")
            query = Query(sha256, self.names)
            for name, status in given.items():
                query._finish(Answer(name, status))
            with self._lock:
                self._asked.setdefault(bytes.fromhex(sha256), query)

    def versions(self) -> dict[str, str | None]:
        """The version of each solver, None when it is unknown or not installed. Starts nothing."""
        return {name: registry.version(name) for name in self.names}

    def close(self) -> None:
        """End all workers at once; a query that still waits is answered unknown, "crashed". Harmless when repeated."""
        with self._lock:
            self._closed = True
        for lane in self._lanes.values():
            lane.close()

    def __enter__(self) -> Solvers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
