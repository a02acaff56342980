"""Several children work at tasks, which are numbers: each is given the next one when it has nothing else to do.

A child whose task ends it costs that task alone: it is begun once more by a child of its own, and where that one ends
too, the outcome is how. A defect, which is no mistake of a user, ends the run.
"""

from __future__ import annotations

import os
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sonnx_verify.processes.channel import Channel, ready
from sonnx_verify.processes.child import Child
from sonnx_verify.processes.limits import NO_MEMORY, Limits, confine, how_confined_ended

Outcome = tuple[int, bytes | str]
"""The number of a task with its result; or with the reason why there is none."""
LATER = -1
"""The number of no task: what is next for a child depends on the result that it is at."""
News = Mapping[str, Mapping[str, str]]
"""The part of a result that others may use: of two things of one name, the larger is the better."""


@dataclass(frozen=True, slots=True)
class Task:
    """The next task of a child, by its number, with the news since the last one."""

    number: int
    news: News


@dataclass(frozen=True, slots=True)
class Wanted:
    """A child asks for a task."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a task, pickled once, so that who hands it on need not make terms of it."""

    number: int
    body: bytes
    news: News = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Defect:
    """A child failed, with the text of the traceback: an exception may not survive the way."""

    traceback: str


# ----------------------------------------------------------------------------------------------------- seen from inside


def given(channel: Channel, parent: int, *, early: bool, idle: float | None = None) -> Iterator[Task]:
    """The tasks of this child until there is none left for now. EOFError when the parent ends, or is silent for `idle`
    seconds.

    With `early` the next one is asked for when one is begun, so that it is there when it is wanted; else when this
    generator is asked for it, so that a child is never blamed for two.
    """
    while True:
        # Off Linux nobody kills an orphan, and it would still do the tasks that are in the channel already.
        if os.getppid() != parent:
            raise EOFError
        try:
            task: Task | None = channel.receive(idle)
        except TimeoutError:
            raise EOFError from None
        if task is None:
            return
        if early:
            channel.send(Wanted())
        yield task
        if not early:
            channel.send(Wanted())


def serve(channel: Channel, limits: Limits, work: Callable[[], None]) -> None:
    """Do the `work` of a pool's child, held to limits. It ends quietly when nobody wants it any more."""
    confine(limits)
    try:
        work()
    except EOFError:
        return
    except MemoryError:
        # At once: to clean up, or to make a message, would need memory.
        os._exit(NO_MEMORY)
    except Exception:
        channel.send(Defect(traceback.format_exc()))


# ---------------------------------------------------------------------------------------------------- seen from outside


class Todo(Protocol):
    """The tasks that are still to be begun. True while there are any."""

    def __bool__(self) -> bool: ...

    def next(self, child: int) -> int | None:
        """The next task for a child; None when none is left for it, LATER when that is not known yet."""
        ...

    def give_back(self, child: int) -> None:
        """Let anybody have what is left of the share of a child that ended."""
        ...


class Line:
    """Tasks in a line, for whoever comes first."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = deque(numbers)

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def next(self, child: int) -> int | None:
        if not self._numbers:
            return None
        return self._numbers.popleft()

    def give_back(self, child: int) -> None:
        """Do nothing: a child has no share here, only tasks that it has begun."""


@dataclass(frozen=True, slots=True)
class _First:
    """The task that a child is started with. It is `alone` with one that ended a child before."""

    number: int
    alone: bool


@dataclass(slots=True)
class _Working:
    """A child, and the numbers of the tasks that it was given and has not answered."""

    number: int
    child: Child
    alone: bool
    given: dict[int, None] = field(default_factory=dict)
    begun: int = 0
    """The number of tasks that it has been given."""
    last: bool = False
    """True once it knows that there are no more tasks for it."""
    heard: int = 0
    """The number of news items that were sent to it."""


class Pool:
    """Up to `jobs` children at work on what is `todo`.

    `start` makes a child, which is to be `alone` with one task or not; OSError where there can't be one. `done` takes
    back one that has nothing to do. What a child was at when it ended is begun `attempts` times, the later ones alone.
    A child takes at most `share` tasks.
    """

    def __init__(
        self,
        todo: Todo,
        start: Callable[[bool], Child],
        jobs: int,
        limits: Limits,
        *,
        attempts: int = 2,
        share: int | None = None,
        done: Callable[[Child], object] = Child.ended,
    ) -> None:
        self._todo, self._make, self._jobs, self._limits = todo, start, jobs, limits
        self._attempts, self._share, self._done = attempts, share, done
        self._again: deque[int] = deque()
        self._failures: dict[int, int] = {}
        self._working: list[_Working] = []
        self._waiting: list[_Working] = []
        self._started = 0
        self._known: dict[str, Mapping[str, str]] = {}
        self._news: list[str] = []

    def outcomes(self) -> Iterator[Outcome]:
        """Each as soon as it is known. A defect in a child is raised as RuntimeError. All children are ended."""
        try:
            yield from self._outcomes()
        finally:
            for working in self._working:
                working.child.kill()
            for working in self._working:
                working.child.end()

    def _outcomes(self) -> Iterator[Outcome]:
        refused = 0
        while self._working or self._todo or self._again:
            while len(self._working) < self._jobs and (first := self._first()) is not None:
                problem = self._start(first)
                if problem is None:
                    refused = 0
                    continue
                # As long as one child works, its end may make room for another.
                refused += 1
                if not self._working and refused >= self._attempts:
                    yield from self._given_up(problem)
                break
            if not self._working:
                continue
            found = ready([w.child.channel for w in self._working])
            for working in [w for w in self._working if w.child.channel in found]:
                # One message each, so that a child with many results does not let the others wait for their next task.
                try:
                    message = working.child.receive()
                except EOFError:
                    yield from self._ended(working)
                else:
                    yield from self._received(working, message)
                    # Whoever took the result knows what is to do now.
                    self._give_later()

    def _first(self) -> _First | None:
        """The first task of a child that would be started now.

        There may be none although something is to do: what is left may be another child's, such as the rest of a clause
        that it is at. Then no child is started, since it would have to be taken leave of at once, again and again.
        """
        # What ended a child goes first: begun last, it would be worked at alone while the other children are idle.
        if self._again:
            return _First(self._again.popleft(), alone=True)
        number = self._todo.next(self._started + 1)
        if number is None or number == LATER:
            return None
        return _First(number, alone=False)

    def _start(self, first: _First) -> OSError | None:
        """Start one child more, or return why there can't be one."""
        try:
            child = self._make(first.alone)
        except OSError as problem:
            self._again.appendleft(first.number)
            return problem
        self._started += 1
        working = _Working(self._started, child, first.alone)
        self._working.append(working)
        self._send(working, first.number)
        return None

    def _has_enough(self, working: _Working) -> bool:
        """True for a child that gets no further task: terms are never given up, so that its memory only grows."""
        if working.alone:
            return True
        return self._share is not None and working.begun >= self._share

    def _give(self, working: _Working) -> None:
        """Give a child its next task, or tell it that there is none for it."""
        number = None
        if not self._has_enough(working):
            number = self._todo.next(working.number)
        if number == LATER:
            self._waiting.append(working)
            return
        if number is not None:
            self._send(working, number)
            return
        working.last = True
        working.child.post(None)
        self._rest(working)

    def _give_later(self) -> None:
        """Give a task to those for which there was none yet."""
        waiting, self._waiting = self._waiting, []
        for working in waiting:
            self._give(working)

    def _send(self, working: _Working, number: int) -> None:
        """Give a task to a child, with what others found out."""
        working.given[number] = None
        working.begun += 1
        news = {name: self._known[name] for name in self._news[working.heard :]}
        working.heard = len(self._news)
        working.child.post(Task(number, news))

    def _rest(self, working: _Working) -> None:
        """Take leave of a child that has nothing to do, and will not."""
        # One that asks for tasks early is told of the end while it is still at its last one.
        if working.last and not working.given:
            self._working.remove(working)
            self._done(working.child)

    def _received(self, working: _Working, message: Wanted | Result | Defect) -> Iterator[Outcome]:
        match message:
            case Wanted():
                self._give(working)
            case Defect(text):
                raise RuntimeError(f"a process failed\n{text}")
            case Result(number, body, news):
                del working.given[number]
                self._learn(news)
                self._rest(working)
                yield number, body

    def _learn(self, news: News) -> None:
        for name, found in news.items():
            # Only what adds something is passed on: what two children found would be told to all others twice.
            if len(found) > len(self._known.get(name, {})):
                self._known[name] = found
                self._news.append(name)

    def _ended(self, working: _Working) -> Iterator[Outcome]:
        """Begin once more what a child was at that ended, or give it up with the reason."""
        self._working.remove(working)
        self._waiting = [other for other in self._waiting if other is not working]
        self._todo.give_back(working.number)
        status = working.child.ended()
        for number in working.given:
            self._failures[number] = self._failures.get(number, 0) + 1
            if self._failures[number] < self._attempts:
                self._again.append(number)
            else:
                yield number, f"the process that worked on it {how_confined_ended(status, self._limits)}"

    def _given_up(self, problem: OSError) -> Iterator[Outcome]:
        while (number := self._left()) is not None:
            yield number, f"no process could be started for it: {problem.strerror}"

    def _left(self) -> int | None:
        """A task that is still to be begun, whoever it was meant for."""
        if self._again:
            return self._again.popleft()
        return self._todo.next(0)  # children are numbered from 1
