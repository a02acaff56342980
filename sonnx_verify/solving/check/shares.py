"""The division of obligations among processes: what asks the same stays together, and nobody is idle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.pool import LATER
from sonnx_verify.solving.check.gathered import number_of

_WORTH_IT = 8
"""The number of clauses of a text, still to be begun, from which on another process makes them too, to help."""

Clauses = deque[deque[int]]
"""The numbers of obligations, those of a clause with all its sections together."""


def clauses_of(numbered: Iterable[tuple[int, Obligation]]) -> Clauses:
    """Numbered obligations by their clauses."""
    clauses: dict[tuple[str, str, str], deque[int]] = {}
    for number, one in numbered:
        clauses.setdefault((one.subject, one.tag, one.kind), deque()).append(number)
    return deque(clauses.values())


class Shares:
    """The numbers of obligations that are still to be begun.

    One clause or theorem asks much the same in each section, and the obligations of all versions of a text are about
    the same conditions: who decided one has answers, scripts and witnesses for the others. So a clause goes to one
    process with all its sections. A process takes the clauses of a text from the first on; where there is no text that
    nobody works on, it takes the last clause of the text of which most is left.
    """

    def __init__(self, obligations: Sequence[Obligation]) -> None:
        # Dicts keep the order of the text.
        texts: dict[str, list[tuple[int, Obligation]]] = {}
        for number, obligation in enumerate(obligations):
            texts.setdefault(obligation.operator or obligation.subject, []).append((number, obligation))
        self._untouched = deque(clauses_of(numbered) for numbered in texts.values())
        self._texts: dict[int, Clauses] = {}
        self._clauses: dict[int, deque[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._untouched) or any(self._texts.values()) or any(self._clauses.values())

    def next(self, process: int) -> int | None:
        """The next number for a process, or None when none is left for it."""
        if not self._clauses.get(process):
            if not self._texts.get(process) and self._untouched:
                self._texts[process] = self._untouched.popleft()
            self._clauses[process] = self._next_clause(process)
        if not self._clauses[process]:
            return None
        return self._clauses[process].popleft()

    def _next_clause(self, process: int) -> deque[int]:
        """The first clause of the text of a process; else the last of the fullest text, if any is left."""
        if self._texts.get(process):
            return self._texts[process].popleft()
        fullest = max(self._texts.values(), key=len, default=None)
        if not fullest:
            return deque()
        # From its end: whoever works on it goes on from the front.
        return fullest.pop()

    def give_back(self, process: int) -> None:
        """Give the rest of the share of a process that ended to anybody."""
        for left in (self._texts.pop(process, deque()), deque([self._clauses.pop(process, deque())])):
            if any(left):
                self._untouched.append(left)


class FileShares:
    """The files that are still to be gathered, and the numbers of the obligations that are still to be begun.

    Who gathered a file has made its statements' parts, and takes its clauses from the first on. Others help where there
    is no file left, from the last clause on.
    """

    def __init__(self, files: Sequence[int]) -> None:
        self._files = deque(files)
        self._begun: set[int] = set()
        self._gathering: dict[int, int] = {}
        self._texts: list[_Text] = []

    def __bool__(self) -> bool:
        return bool(self._files) or any(text.clauses for text in self._texts)

    def first(self, file: int) -> None:
        """Let a file be the next, which others wait for, unless some process is at it."""
        if file not in self._begun:
            with suppress(ValueError):
                self._files.remove(file)
            self._files.appendleft(file)

    def put(self, file: int, clauses: Clauses) -> None:
        """Obligations of a file that was gathered."""
        owner = next((process for process, one in self._gathering.items() if one == file), None)
        if owner is not None:
            del self._gathering[owner]
        if clauses:
            self._texts.append(_Text(owner, clauses))

    def next(self, process: int) -> int | None:
        """The next number for a process; LATER where it depends on the file that it gathers."""
        self._texts = [text for text in self._texts if text.clauses]
        mine = next((text for text in self._texts if text.owner == process), None)
        if mine is not None:
            return mine.first()
        if process in self._gathering:
            return LATER
        left = next((text for text in self._texts if text.owner is None), None)
        if left is not None:
            left.owner = process
            return left.first()
        if self._files:
            file = self._gathering[process] = self._files.popleft()
            self._begun.add(file)
            return number_of(file)
        fullest = max(self._texts, key=lambda text: len(text.clauses), default=None)
        if fullest is None or len(fullest.clauses) < _WORTH_IT:
            return None
        helped = _Text(process, deque([fullest.clauses.pop()]))
        self._texts.append(helped)
        return helped.first()

    def give_back(self, process: int) -> None:
        """Give the rest of the share of a process that ended to anybody."""
        self._gathering.pop(process, None)
        for text in self._texts:
            if text.owner == process:
                text.owner = None


@dataclass(slots=True)
class _Text:
    owner: int | None
    clauses: Clauses

    def first(self) -> int:
        """Take the first number."""
        number = self.clauses[0].popleft()
        if not self.clauses[0]:
            self.clauses.popleft()
        return number


def portions(obligations: Sequence[Obligation], numbers: Sequence[int], parts: int) -> list[list[int]]:
    """The numbers in about so many lists: of one text each, with the sections of a clause together."""
    chosen = [obligations[n] for n in numbers]
    shares, size = Shares(chosen), -(-len(numbers) // parts)  # rounded up
    found: list[list[int]] = []
    before: tuple[object, str] = (None, "")
    while (place := shares.next(0)) is not None:
        o = chosen[place]
        clause, text = (o.subject, o.tag, o.kind), o.operator or o.subject
        # A list is full at the end of a clause only: its sections ask much the same.
        if text != before[1] or (clause != before[0] and len(found[-1]) >= size):
            found.append([])
        found[-1].append(numbers[place])
        before = clause, text
    return found
