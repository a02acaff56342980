"""The inputs that a clause excludes; if there are none, the smallest set of others that implies it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.language.context import Context
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.verdict import VerdictName, is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.redundancy import besides, excluded_beside
from sonnx_verify.obligations.section import Section
from sonnx_verify.solving.check.record import ConcreteExample, Record

MOST = 200
"""The sets of clauses that are asked about at most: 20 others have more than a million."""


@dataclass(frozen=True, slots=True)
class Implied:
    """The names of clauses that together imply another one. `smallest` where every smaller set, and every one of its
    size before it in the order of the text, was shown not to."""

    clauses: tuple[str, ...]
    smallest: bool


@dataclass(frozen=True, slots=True)
class Excluded:
    """The exclusion of a clause in one section: the record of the question, with the smallest input; where there is
    none, the clauses that imply it."""

    section: str
    record: Record
    implied: Implied | None

    @property
    def decided(self) -> bool:
        """It is known whether something is excluded; if nothing is, the smallest set that implies the clause."""
        if self.implied is not None and not self.implied.smallest:
            return False
        return self.record.verdict.name in (VerdictName.HOLDS, VerdictName.VIOLATED)


def excluded_in(section: Section, tag: str, alone: Alone) -> Excluded:
    """The inputs that a clause about inputs, or an error, excludes there, of those that the other clauses allow."""
    record = alone.one(excluded_beside(section, tag))
    implied: Implied | None = None
    if record.verdict.name is VerdictName.VIOLATED:
        implied = _smallest(section, tag, record, alone)
    return Excluded(section.name, record, implied)


def is_about_inputs(section: Section, tag: str) -> bool:
    """The clause speaks of inputs, or is an error; else it speaks of outputs."""
    meaning = section.meaning(section.context(ELEMENT))
    return any(x.tag == tag for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors))


def _smallest(section: Section, tag: str, whole: Record, alone: Alone) -> Implied:
    """Ask about the sets by size, then in the order of the text.

    An input that meets all of some clauses and fails this one shows that they do not imply it, and so for each part of
    them. So with C1, C2, C3 all met by an input, {C1} and {C2, C3} need not be asked about."""
    # For a restriction those of the standard too: input that it rejects is not the profile's to exclude.
    names = [name for name, _ in besides(section, section.context(ELEMENT), tag).others]
    met: list[frozenset[int]] = []
    smallest, asked = True, 0
    for chosen in _sets(len(names)):
        if any(places.issuperset(chosen) for places in met):
            continue
        if asked == MOST:
            smallest = False
            break
        asked += 1
        record = alone.one(excluded_beside(section, tag, chosen))
        if record.verdict.name is VerdictName.VIOLATED:
            return _implied([names[n] for n in chosen], smallest=smallest)
        if record.verdict.name is VerdictName.HOLDS and record.witness is not None:
            met.append(_met_by(section, tag, whole.obligation, record.witness))
        else:
            # A set that is undecided may imply the clause: a larger one that does is not known to be the smallest.
            smallest = False
    # That all of them do is known already.
    return _implied(names, smallest=smallest)


def _sets(count: int) -> Iterator[tuple[int, ...]]:
    """The sets of fewer than all places, the smallest first."""
    for size in range(count):
        yield from combinations(range(count), size)


def _implied(names: Sequence[str], *, smallest: bool) -> Implied:
    """By clauses of these names: one may be written for several families, and is said once."""
    return Implied(tuple(dict.fromkeys(names)), smallest)


def _met_by(section: Section, tag: str, obligation: Obligation, shown: ConcreteExample) -> frozenset[int]:
    """The others that an input meets."""
    sort: Sort = next(iter(obligation.types), ELEMENT)
    held = besides(section, Context(section.family, sort, variables=section.variables), tag)
    return frozenset(n for n, (_, term) in enumerate(held.others) if is_witness((term,), shown.found.facts))
