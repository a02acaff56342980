"""What a clause excludes, and the smallest set of others that says the same already."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.language.context import Context
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.verdict import is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.redundancy import besides, excluded_beside
from sonnx_verify.obligations.section import Section
from sonnx_verify.solving.check.record import Record, Shown

MOST = 200
"""How many sets of clauses are asked about at most."""


@dataclass(frozen=True, slots=True)
class Implied:
    """The names of clauses that together imply another one. `smallest` where every smaller set, and every one of its
    size before it in the order of the text, was shown not to."""

    by: tuple[str, ...]
    smallest: bool


@dataclass(frozen=True, slots=True)
class Excluded:
    """What a clause excludes in one section: the record of the question, with the smallest input; where there is none,
    what implies the clause."""

    section: str
    record: Record
    implied: Implied | None


def excluded_in(section: Section, tag: str, alone: Alone) -> Excluded:
    """What a clause about inputs, or an error, excludes there beside the other clauses."""
    record = alone.one(excluded_beside(section, tag))
    implied = _smallest(section, tag, record, alone) if record.verdict.name == "violated" else None
    return Excluded(section.name, record, implied)


def is_about_inputs(section: Section, tag: str) -> bool:
    """Whether the clause speaks of inputs, or is an error; else it speaks of outputs."""
    meaning = section.meaning(section.context(ELEMENT))
    return any(x.tag == tag for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors))


def _smallest(section: Section, tag: str, whole: Record, alone: Alone) -> Implied:
    """The sets by size, then in the order of the text. Input that is excluded beside some clauses is so beside fewer:
    what it meets need not be asked about."""
    names = [name for name, _ in besides(section, section.context(ELEMENT), tag).others]
    met: list[frozenset[int]] = []
    smallest, asked = True, 0
    for size in range(len(names)):
        for chosen in combinations(range(len(names)), size):
            if any(places.issuperset(chosen) for places in met):
                continue
            if asked == MOST:
                return Implied(tuple(dict.fromkeys(names)), False)
            asked += 1
            record = alone.one(excluded_beside(section, tag, chosen))
            if record.verdict.name == "violated":
                return Implied(tuple(dict.fromkeys(names[n] for n in chosen)), smallest)
            if record.verdict.name == "holds" and record.witness is not None:
                met.append(_met_by(section, tag, whole.obligation, record.witness))
            else:
                smallest = False
    return Implied(tuple(dict.fromkeys(names)), smallest)


def _met_by(section: Section, tag: str, obligation: Obligation, shown: Shown) -> frozenset[int]:
    """The others that an input meets."""
    sort: Sort = obligation.types[0] if obligation.types else ELEMENT
    held = besides(section, Context(section.family, sort, variables=section.variables), tag)
    return frozenset(n for n, (_, term) in enumerate(held.others) if is_witness((term,), shown.found.facts))
