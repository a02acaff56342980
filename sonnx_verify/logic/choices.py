"""The steps of an expansion: which are taken, and how a later run finds those of a proof again. Not trusted.

A step writes down a consequence: an instance of a quantifier, the comparison of two indices. To leave out any step is
sound, so nothing here can make a proof of what is false: it can only cost one. A step is known by a digest of its
terms. It is the same when other steps are left out, since constants are named by what they are made for. Where two
steps have one digest, both are taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sonnx_verify.logic.naming import letters_of
from sonnx_verify.logic.nodes import Term


class Step(StrEnum):
    """The kinds of steps."""

    FORMULA = "formula"  # a formula that is given is told
    INSTANCE = "instance"  # a quantifier is instantiated, or a rule of a fold used, on a name
    TAKEN = "taken"  # a term that a proof takes is named
    UNFOLDED = "unfolded"  # a sum gets one number more, a recursion one less
    INDICES = "indices"  # two indices are equal, or differ on an axis
    FOLDS = "folds"  # two folds are compared


class Choice:
    """Takes every step, and notes nothing."""

    is_narrow = False
    """True where few steps are taken, so that each name is tried wherever its sort can stand."""

    @property
    def number(self) -> int:
        """The number of the step that is at work; 0 before the first."""
        return 0

    def noted(self, term: Term) -> None:
        """A term occurs, so that it is a name to try."""

    def takes(self, step: Step, *terms: Term) -> bool:
        """Return whether a step is taken; where it is, it begins."""
        return True

    def born(self, constant: Term, *origin: Term) -> None:
        """A constant was made for some terms."""


EVERY = Choice()


def digest_of(step: Step, terms: Iterable[Term]) -> str:
    """The digest of a step, as it is written: of two things that are compared, in either order."""
    return letters_of(step, terms)


class Chosen(Choice):
    """Takes the steps of some digests."""

    is_narrow = True

    def __init__(self, digests: Iterable[str]) -> None:
        self._wanted = frozenset(digests)

    def takes(self, step: Step, *terms: Term) -> bool:
        return digest_of(step, terms) in self._wanted


@dataclass(slots=True)
class Noted(Choice):
    """Takes every step, and notes which one made what."""

    steps: list[tuple[Step, tuple[Term, ...]]] = field(default_factory=list)
    births: dict[Term, int] = field(default_factory=dict)
    """The number of the step at which a constant was made."""
    occurrences: dict[Term, int] = field(default_factory=dict)
    """The number of the step at which a name occurred first."""

    @property
    def number(self) -> int:
        return len(self.steps)

    def takes(self, step: Step, *terms: Term) -> bool:
        self.steps.append((step, terms))
        return True

    def born(self, constant: Term, *origin: Term) -> None:
        self.births[constant] = len(self.steps)

    def noted(self, term: Term) -> None:
        self.occurrences.setdefault(term, len(self.steps))

    def needed(self, numbers: Iterable[int], assertions: Iterable[Term], *, names: bool) -> list[str]:
        """The digests of steps with these numbers, and of those that made the constants in them and in some
        assertions, in the order in which they were taken; with those that made the `names` occur."""
        wanted: set[int] = set()
        todo = [n for n in numbers if n]
        seen: set[Term] = set()
        terms = list(assertions)
        while todo or terms:
            while terms:
                term = terms.pop()
                if term in seen:
                    continue
                seen.add(term)
                terms += term.args
                if self.births.get(term):
                    todo.append(self.births[term])
            while todo:
                number = todo.pop()
                if number and number not in wanted:
                    wanted.add(number)
                    told = self.steps[number - 1][1]
                    terms += told
                    if names:
                        todo += [self.occurrences.get(term, 0) for term in told]
        return [digest_of(*self.steps[number - 1]) for number in sorted(wanted)]
