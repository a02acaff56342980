"""Hints: of a claim that was proved, the way in which it was expanded, and the steps that its proof needs; of
conditions that an input met, that input.

A hint is never believed. A claim is expanded along it, with fewer steps than without, and every solver is asked what
comes out. So a hint that is wrong, old or another claim's costs time, and proves nothing.

A line of a file of hints is one claim: a digest of its formulas, the way, and the digests of the steps. Or it is one
input: a digest of the conditions, `=`, and the values (solving/inputs/remembered.py). Lines are sorted, and each stands
for itself: of two versions of a file any choice of lines is a file of hints.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.choices import Chosen
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.generalise import Parts, generalised
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.check.readings import Reading, read

ANY_GENERATION = 98
"""The generation up to which names are tried: the steps that are named are few."""
LIMIT = 600
"""The number of assertions above which a hint is given up."""
LONGEST = 300
"""The length of a line. A proof that takes more is as well searched for."""
_LINE = re.compile(r"([0-9a-f]{16}) ([0-3])(f?)(u?)([cwa]?)([~*]?)((?: [\w-]{6})+)")
_WITNESS = re.compile(r"([0-9a-f]{16}) (= \{.*)")
_PARTS = {"c": Parts.CONDITIONS, "w": Parts.WITHOUT_FOLDS, "a": Parts.ALL}
_LETTERS = {parts: letter for letter, parts in _PARTS.items()}


@dataclass(frozen=True, slots=True)
class Formulas:
    """The expansion of a claim, with the terms that its proof names."""

    formulas: tuple[Term, ...]
    taken: tuple[Taken, ...]
    recurrence: bool = False
    """True where counts have their recurrence only."""

    @property
    def key(self) -> str:
        """A digest of 16 hexadecimal digits."""
        said = [t.digest for t in self.formulas], [t.digest for t in self.taken], self.recurrence
        return hashlib.blake2b(repr(said).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Way:
    """The way in which a claim is expanded: an effort, whose generation and limit say nothing here, the parts that are
    replaced by free functions, and how the assertions are read."""

    effort: Effort
    parts: Parts | None = None
    reading: Reading = Reading.FREE

    def __str__(self) -> str:
        flags = "f" * self.effort.folds + "u" * (not self.effort.frames)
        letter = _LETTERS[self.parts] if self.parts is not None else ""
        return f"{self.effort.equality}{flags}{letter}{self.reading.value}"


@dataclass(frozen=True, slots=True)
class Hint:
    """A way, and the digests of the steps that are taken."""

    way: Way
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((str(self.way), *self.steps))

    def assertions(self, asked: Formulas) -> list[Term] | None:
        """The ground assertions of the formulas with these steps alone; None where they are too many."""
        effort = replace(self.way.effort, generation=ANY_GENERATION, limit=LIMIT, recurrence=asked.recurrence)
        formulas: Sequence[Term] = asked.formulas
        if self.way.parts is not None:
            made = generalised(formulas, self.way.parts)
            if made is None:
                return None
            formulas = made.formulas
        try:
            ground = Expansion(effort, asked.taken, Chosen(self.steps)).run(list(formulas))
        except TooLarge:
            return None
        return read(ground, self.way.reading)


Hints = Mapping[str, Hint]
"""Hints by the keys of claims."""


@dataclass(frozen=True, slots=True)
class Hinting:
    """The hints that are tried, and the lines of inputs; and whether those are wanted that would prove what is proved,
    and show what holds."""

    known: Hints = field(default_factory=dict)
    witnesses: Mapping[str, str] = field(default_factory=dict)
    wanted: bool = False

    def __or__(self, other: Hinting) -> Hinting:
        """Both, with those of the other where both have one."""
        return replace(self, known={**self.known, **other.known}, witnesses={**self.witnesses, **other.witnesses})

    @property
    def lines(self) -> dict[str, str]:
        """The lines of a file, by their keys."""
        return {**{key: str(hint) for key, hint in self.known.items()}, **self.witnesses}


NO_HINTS = Hinting()


def of_lines(lines: Iterable[str]) -> Hinting:
    """The hints of the lines of a file. What is no hint is left out: it would cost time, and so does its absence."""
    found: dict[str, Hint] = {}
    witnesses: dict[str, str] = {}
    for line in lines:
        if (input_line := _WITNESS.fullmatch(line)) is not None:
            witnesses[input_line[1]] = input_line[2]
            continue
        matched = _LINE.fullmatch(line)
        if matched is None:
            continue
        key, equality, folds, frames, parts, reading, steps = matched.groups()
        effort = Effort(0, int(equality), folds=bool(folds), frames=not frames)
        found[key] = Hint(Way(effort, _PARTS.get(parts), Reading(reading)), tuple(steps.split()))
    return Hinting(found, witnesses)


def written(hints: Mapping[str, str]) -> str:
    """The text of a file of hints."""
    return "".join(f"{key} {hint}\n" for key, hint in sorted(hints.items()))


def shorter(one: str, other: str) -> str:
    """Of two hints for one claim the one with fewer steps."""
    return min(one, other, key=lambda hint: (len(hint), hint))
