"""Ask several solvers the same text, in parallel, each in a process of its own.

An answer has to be that of its solver to its text. Whatever fails on the way is an unknown; nothing here makes an unsat
that no solver said. Not trusted for that: `Proof.note` compares the solver and the hash of the text of each answer.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Protocol

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import NOT_INSTALLED, REPEATABLE, TIMEOUT, Answer, unknown
from sonnx_verify.results.voice import FIRST_TWO, STAND_INS
from sonnx_verify.solving.solvers import registry, stock
from sonnx_verify.solving.solvers.lane import Job, Lane
from sonnx_verify.solving.solvers.limits import DEFAULT_BUDGET, MEMORY_BYTES, PATIENCE_SECONDS
from sonnx_verify.solving.solvers.worker import Question
from sonnx_verify.timeouts import OutOfTime, remaining, seconds_each


class _Asked:
    """A question to one solver on its way, and its answer."""

    def __init__(self) -> None:
        self._answer: Answer | None = None
        self._complete = threading.Event()

    def finish(self, answer: Answer) -> None:
        self._answer = answer
        self._complete.set()

    def answer(self) -> Answer:
        if not self._complete.wait(remaining()):
            raise OutOfTime
        assert self._answer is not None
        return self._answer

    def done(self) -> bool:
        return self._complete.is_set()


class Query:
    """A question on its way to some solvers. `sha256` is the hexadecimal SHA-256 of the text alone, in UTF-8."""

    def __init__(self, sha256: str, asked: Mapping[str, _Asked]) -> None:
        self.sha256 = sha256
        self._asked = asked

    def result(self) -> dict[str, Answer]:
        """The answer of every solver by name, in the pool's order. Blocks until all have answered. Raises OutOfTime
        where the time is over before."""
        return {name: asked.answer() for name, asked in self._asked.items()}

    def done(self) -> bool:
        """Return whether every solver has answered, so that `result` returns at once."""
        return all(asked.done() for asked in self._asked.values())


class AnswerCache(Protocol):
    """Answers of earlier runs, by solver, SHA-256 of the text, and budget."""

    def find(self, solver: str, sha256: str, budget: int) -> Answer | None: ...

    def keep(self, sha256: str, budget: int, answer: Answer) -> None: ...

    def flush(self) -> None: ...


class Solvers:
    """The solvers `names`, each with a worker that is started by the first query and ended by `close` or `with`.

    `budget` is the work a query may cost, in z3's units. `patience` is how many seconds a worker may be silent without
    working before it is killed. A name that is unknown or not installed answers every
    query with unknown, "not installed". What `kept` knows is not asked. Any thread may submit. Raises ValueError when a
    name is given twice.

    `further` are solvers that are asked by name alone: beside the first two there are such by default.

    `memory` is how many bytes a worker may have. `texts`, where they are kept, has the text of every query that was
    submitted, by its SHA-256.
    """

    def __init__(
        self,
        names: Iterable[str] = FIRST_TWO,
        budget: int = DEFAULT_BUDGET,
        *,
        further: Iterable[str] | None = None,
        patience: float = PATIENCE_SECONDS,
        kept: AnswerCache | None = None,
        memory: int = MEMORY_BYTES,
        keep_texts: bool = False,
    ) -> None:
        self.names = tuple(names)
        if further is None:
            # Who asks for other solvers means these: one that nobody named must not make their proof.
            further = STAND_INS if self.names == FIRST_TWO else ()
        self.further = tuple(further)
        self._kept = kept
        self.budget = budget
        self.repeatable = True
        """True if every answer so far would recur: none was ended by a clock, a crash or lack of memory."""
        self.struck: dict[str, None] = {}
        """The queries at which the guard of time struck twice: the solver, and the SHA-256 of the text."""
        self.seconds = seconds_each()
        """The seconds that each obligation may take that is decided with these; None without a limit."""
        self.patience = patience
        self.memory = memory
        self.texts: dict[str, str] | None = None
        if keep_texts:
            self.texts = {}
        known = (*self.names, *self.further)
        if len(set(known)) < len(known):
            raise ValueError(f"a solver is named twice in {', '.join(known)}")
        self._installed = frozenset(name for name in known if registry.installed(name))
        self._lanes: dict[str, Lane] = {}
        self._asked: dict[tuple[bytes, str], _Asked] = {}
        self._queries: dict[tuple[bytes, tuple[str, ...]], Query] = {}
        self._lock = threading.Lock()
        self._closed = False

    def submit(
        self,
        text: str,
        want: tuple[str, ...] = (),
        budget: int | None = None,
        names: Sequence[str] | None = None,
        *,
        least: tuple[str, ...] = (),
    ) -> Query:
        """Queue `text`, an SMT-LIB 2.6 script without check-sat, for every solver, or those of these names; returns at
        once.

        `want` names the constants whose values a sat answer shall hold, and `least` natural numbers of which each in
        turn shall be as small as can be there; `budget` is the work allowed, where it is another than the pool's. A
        solver is asked the same question once, and the same Query is returned. Raises RuntimeError after `close`.
        """
        encoded = text.encode()
        allowed = self.budget if budget is None else budget
        asked_of = self.names if names is None else tuple(names)
        # Another budget or another model is another question: unknown within little work says nothing of more. With the
        # pool's own budget and no model the key is that of the text alone, which is all that `learn` is told.
        parts = [encoded]
        if allowed != self.budget:
            parts.append(f"budget {allowed}".encode())
        parts += [name.encode() for name in want]
        parts += [f"least {name}".encode() for name in least]
        key = hashlib.sha256(b"\0".join(parts)).digest()
        with self._lock:
            if self._closed:
                raise RuntimeError("the solvers are closed")
            query = self._queries.get((key, asked_of))
            if query is None:
                new = [name for name in asked_of if (key, name) not in self._asked]
                self._ask(key, new, Question(text, allowed, want, least))
                asked = {name: self._asked[key, name] for name in asked_of}
                query = self._queries[key, asked_of] = Query(hashlib.sha256(encoded).hexdigest(), asked)
            if self.texts is not None:
                self.texts[query.sha256] = text
            return query

    def _ask(self, key: bytes, names: Sequence[str], question: Question) -> None:
        sha256, budget = hashlib.sha256(question.text.encode()).hexdigest(), question.budget
        kept = self._kept
        if question.want:
            kept = None  # Answers are kept by text and budget: one without a model would be found for one with.
        for name in names:
            asked = self._asked[key, name] = _Asked()
            if name not in self._installed:
                # An answer like any other: no verdict that promises something is made of it, and the record shows it.
                self._finish(asked, unknown(name, NOT_INSTALLED))
                continue
            finish = partial(self._finish, asked, sha256=sha256)
            if kept is not None:
                known = kept.find(name, sha256, budget)
                if known is not None:
                    asked.finish(known)
                    continue
                finish = partial(self._finish_and_keep, asked, kept, sha256, budget)
            self._lane(name).put(Job(question, finish))

    def _finish(self, asked: _Asked, answer: Answer, sha256: str = "") -> None:
        """Hand out an answer."""
        if answer.reason == TIMEOUT:
            self.struck[f"{answer.solver} on {sha256}"] = None
        # Noted before anybody can have it: what is concluded from it is not kept.
        if answer.reason not in REPEATABLE:
            self.repeatable = False
        asked.finish(answer)

    def _finish_and_keep(self, asked: _Asked, kept: AnswerCache, sha256: str, budget: int, answer: Answer) -> None:
        """Hand out an answer, and keep it."""
        # It is used before it is kept: a cache that can't be written costs no verdict.
        self._finish(asked, answer, sha256)
        kept.keep(sha256, budget, answer)

    def _lane(self, name: str) -> Lane:
        """The lane of a solver: from the first query on, since with it comes a thread, and what has threads is not
        forked."""
        if name not in self._lanes:
            self._lanes[name] = stock.taken(name, self.patience, self.memory)
        return self._lanes[name]

    def again(self) -> Solvers:
        """A pool of the same solvers that was asked nothing yet."""
        # Nothing that the first was told is taken over: a worker that was forked has to ask for itself, or `learn`.
        texts = self.texts is not None
        made = Solvers(
            self.names,
            self.budget,
            further=self.further,
            patience=self.patience,
            memory=self.memory,
            keep_texts=texts,
            kept=self._kept,
        )
        made.seconds = self.seconds
        return made

    def give_up(self) -> None:
        """End all that is asked and not answered. It is asked anew if it is submitted again."""
        with self._lock:
            self.repeatable = False
            lanes = list(self._lanes.values())
            self._lanes.clear()
            # What is ended is answered "crashed", which would be taken for the answer to a question of another one.
            self._asked = {key: asked for key, asked in self._asked.items() if asked.done()}
            self._queries = {key: query for key, query in self._queries.items() if query.done()}
        for lane in lanes:
            stock.left(lane)

    def learn(self, answers: Mapping[str, Mapping[str, str]]) -> None:
        """Take over what another pool of the same solvers was told, by the SHA-256 of the text: it is not asked again.

        Raises ValueError for anything but definite statuses from the first solvers of this pool, or all of them.
        """
        for sha256, given in answers.items():
            if not given or tuple(given) != self.names[: len(given)]:
                raise ValueError(f"answers of {', '.join(given)}, and the pool asks {', '.join(self.names)}")
            for name, status in given.items():
                # What this pool was told itself stays: whoever asked has used that answer.
                asked = _Asked()
                asked.finish(Answer(name, Status(status), sha256=sha256))
                with self._lock:
                    self._asked.setdefault((bytes.fromhex(sha256), name), asked)

    def pid(self, name: str) -> int | None:
        """The process id of a solver's worker, None when none runs for this pool."""
        lane = self._lanes.get(name)
        if lane is None:
            return None
        return lane.pid

    def versions(self) -> dict[str, str | None]:
        """The version of each solver, None when it is unknown or not installed. Starts nothing."""
        return {name: registry.version(name) for name in (*self.names, *self.further)}

    def close(self) -> None:
        """End all workers at work at once; a query that still waits is answered unknown, "crashed". Those with nothing
        to do are left for the next pool. Harmless when repeated."""
        # Lanes are left outside the lock: to end a worker may take a second, and a thread that submits must not wait
        # for that to be told that the pool is closed.
        with self._lock:
            self._closed = True
            lanes = list(self._lanes.values())
            self._lanes.clear()
        for lane in lanes:
            stock.left(lane)
        if self._kept is not None:
            self._kept.flush()

    def __enter__(self) -> Solvers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
