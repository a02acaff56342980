"""The numbers of a report. Whatever page says how many there are asks here, so that no two pages can disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result, State
from sonnx_verify.results.sentences import KINDS

STATES = (State.FINDING, State.OPEN, State.LEFT, State.EXPECTED, State.GOOD)
"""States of obligations, those that a reader has to see first before the others."""


@dataclass(frozen=True)
class Heap:
    """Some obligations, counted."""

    results: Sequence[Result]

    @property
    def total(self) -> int:
        """Their number."""
        return len(self.results)

    @cached_property
    def by_state(self) -> dict[State, int]:
        """Their number by state."""
        made = dict.fromkeys(STATES, 0)
        for one in self.results:
            made[one.state] += 1
        return made

    @cached_property
    def by_verdict(self) -> dict[str, int]:
        """Their number by verdict, in alphabetical order; without those that have none."""
        made: dict[str, int] = {}
        for one in sorted(self.results, key=lambda one: one.verdict):
            made[one.verdict] = made.get(one.verdict, 0) + 1
        return made

    @property
    def worst(self) -> Result:
        """The one that a reader has to see first. There has to be one."""
        return min(self.results, key=lambda one: STATES.index(one.state))

    @property
    def to_see(self) -> list[Result]:
        """Those that are not as they should be, or are so only because a text expects it; the worst first."""
        return sorted((one for one in self.results if one.state is not State.GOOD), key=_rank)

    @property
    def kinds(self) -> list[Kind]:
        """The kinds that there are, in the order of the obligations of a text."""
        seen = {one.kind for one in self.results}
        return [kind for kind in KINDS if kind in seen]

    @property
    def sections(self) -> dict[str, Heap]:
        """The obligations of each section of a text, in the order of the text."""
        made: dict[str, list[Result]] = {}
        for one in self.results:
            made.setdefault(one.section, []).append(one)
        return {section: Heap(own) for section, own in made.items()}

    def of_kinds(self, kinds: Iterable[Kind]) -> Iterator[Heap | None]:
        """Those of each kind; None where there are none, since an empty cell is no 0."""
        by_kind: dict[Kind, list[Result]] = {}
        for one in self.results:
            by_kind.setdefault(one.kind, []).append(one)
        for kind in kinds:
            own = by_kind.get(kind)
            yield None if own is None else Heap(own)


def _rank(one: Result) -> int:
    return STATES.index(one.state)
