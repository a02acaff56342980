"""Which process decides which obligation: what belongs together stays together, and nobody is idle."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sonnx_verify.obligations.obligation import Obligation


class Shares:
    """The numbers of obligations that are still to be begun.

    The obligations of one section say much alike, so that the process that decided some of them knows answers that the
    others need. A process takes a section from its first on; where no section is left that nobody works on, it takes the
    last of the one of which most is left.
    """

    def __init__(self, obligations: Sequence[Obligation]) -> None:
        sections: dict[tuple[str, str], deque[int]] = {}
        for number, obligation in enumerate(obligations):
            sections.setdefault((obligation.subject, obligation.section), deque()).append(number)
        self._untouched = deque(sections.values())
        self._mine: dict[int, deque[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._untouched) or any(self._mine.values())

    def next(self, process: int) -> int | None:
        """The next number for a process, or None when none is left."""
        mine = self._mine.get(process)
        if not mine and self._untouched:
            mine = self._mine[process] = self._untouched.popleft()
        if mine:
            return mine.popleft()
        fullest = max(self._mine.values(), key=len, default=None)
        return fullest.pop() if fullest else None
