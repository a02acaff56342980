"""Several processes decide: each is given an obligation when it has nothing else to do, by its number."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from sonnx_verify.logic.verdict import Status
from sonnx_verify.solving.check.limits import Limits, how_ended
from sonnx_verify.solving.check.process import DEFECT, DONE, NEXT

ATTEMPTS = 2
"""How often an obligation is begun that a process ended at; the second time by a process of its own."""

Outcome = tuple[int, bytes | str]
"""The number of an obligation with the parts of its record, pickled; or with the reason why there is none."""


class Child(Protocol):
    """A process that decides, seen from outside: our end of the pipe to it, and its end."""

    @property
    def pipe(self) -> Connection: ...

    def kill(self) -> None: ...

    def join(self) -> int:
        """Wait until it has ended. Its exit status, negative for a signal."""
        ...


class Home(Protocol):
    """Where processes come from."""

    def start(self, alone: bool) -> Child:
        """One that waits to be told what to decide; `alone`, if that is to be one obligation. Raises OSError."""
        ...

    def done(self, child: Child) -> None:
        """Take back one that has nothing to do."""
        ...


class Todo(Protocol):
    """The numbers of obligations that are still to be begun. True while there are any."""

    def __bool__(self) -> bool: ...

    def next(self, process: int) -> int | None:
        """The next number for a process, or None when none is left for it."""
        ...

    def give_back(self, process: int) -> None:
        """What is left of the share of a process that ended is anybody's."""
        ...


@dataclass(slots=True)
class _Process:
    """A process, and the numbers of what it was given and has not answered."""

    number: int
    child: Child
    alone: bool
    given: dict[int, None] = field(default_factory=dict)
    learned: int = 0
    """How much of the news about answers of solvers it was told."""


class Processes:
    """Up to `jobs` processes that decide what is `todo`, and are held to limits.

    What a process was at when it ended is begun once more; if that one ends too, this is its outcome.
    """

    def __init__(self, todo: Todo, home: Home, jobs: int, limits: Limits) -> None:
        self._todo, self._home, self._jobs, self._limits = todo, home, jobs, limits
        self._again: deque[int] = deque()
        self._attempts: dict[int, int] = {}
        self._running: list[_Process] = []
        self._started = 0
        self._answers: dict[str, dict[str, str]] = {}
        self._news: list[str] = []

    def outcomes(self) -> Iterator[Outcome]:
        """Each as soon as it is known. A defect in a process is raised as RuntimeError. All processes are ended."""
        try:
            yield from self._outcomes()
        finally:
            self._end()

    def _outcomes(self) -> Iterator[Outcome]:
        refused = 0
        while self._running or self._todo or self._again:
            while (self._todo or self._again) and len(self._running) < self._jobs:
                problem = self._start()
                refused = 0 if problem is None else refused + 1
                if problem is not None and not self._running and refused >= ATTEMPTS:
                    yield from self._given_up(problem)
                if problem is not None:
                    break
            if not self._running:
                continue
            for pipe in wait([p.child.pipe for p in self._running]):
                process = next(p for p in self._running if p.child.pipe is pipe)
                try:
                    message = process.child.pipe.recv()
                except (EOFError, OSError):
                    yield from self._ended(process)
                else:
                    yield from self._received(process, *message)

    def _start(self) -> OSError | None:
        """One process more, or why there can't be one."""
        alone = bool(self._again)
        try:
            child = self._home.start(alone)
        except OSError as problem:
            return problem
        self._started += 1
        self._running.append(_Process(self._started, child, alone))
        self._give(self._running[-1])
        return None

    def _give(self, process: _Process) -> None:
        """The next obligation for a process, with what others were told by solvers; None when there is none for it."""
        message: Any = None
        number: int | None
        if process.alone and not process.given and self._again:
            number = self._again.popleft()
        else:
            number = None if process.alone else self._todo.next(process.number)
        if number is not None:
            process.given[number] = None
            news = {sha256: self._answers[sha256] for sha256 in self._news[process.learned :]}
            process.learned = len(self._news)
            message = (number, news)
        try:
            process.child.pipe.send(message)
        except OSError:  # it has ended: reading from it will tell
            return

    def _received(self, process: _Process, what: str, *rest: Any) -> Iterator[Outcome]:
        if what == NEXT:
            self._give(process)
        elif what == DONE:
            self._running.remove(process)
            self._home.done(process.child)
        elif what == DEFECT:
            raise RuntimeError(f"a process that decides obligations failed\n{rest[0]}")
        else:
            number, queries, parts = rest
            del process.given[number]
            self._learn(queries)
            yield number, parts

    def _learn(self, queries: dict[str, dict[str, str]]) -> None:
        for sha256, answers in queries.items():
            known = self._answers.get(sha256, {})
            if len(answers) > len(known) and set(answers.values()) <= {Status.SAT, Status.UNSAT}:
                self._answers[sha256] = answers
                self._news.append(sha256)

    def _ended(self, process: _Process) -> Iterator[Outcome]:
        """What it was at is begun once more."""
        self._running.remove(process)
        self._todo.give_back(process.number)
        process.child.pipe.close()
        code = process.child.join()
        for number in process.given:
            self._attempts[number] = self._attempts.get(number, 0) + 1
            if self._attempts[number] < ATTEMPTS:
                self._again.append(number)
            else:
                yield number, f"the process that worked on it {how_ended(code, self._limits)}"

    def _given_up(self, problem: OSError) -> Iterator[Outcome]:
        while (number := self._again.popleft() if self._again else self._todo.next(0)) is not None:
            yield number, f"no process could be started for it: {problem.strerror}"

    def _end(self) -> None:
        """End all that still run. Their solvers end with them."""
        for process in self._running:
            process.child.kill()
        for process in self._running:
            process.child.join()
            process.child.pipe.close()
        self._running.clear()
