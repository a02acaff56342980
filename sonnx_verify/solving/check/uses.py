"""Obligations that rest on others: one that uses others, or presumes them, is proved only if they are.

Trusted: what a theorem says is asserted wherever it is used. Without this a falsehood could prove anything (twin
lemma_need_not_be_proved).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sonnx_verify.errors import SpecificationError
from sonnx_verify.logic.verdict import VerdictName, lasts, undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.solving.check.record import Record

RESTING = frozenset((VerdictName.PROVED, VerdictName.HOLDS, VerdictName.VACUOUS, VerdictName.VIOLATED))
"""The verdicts that other conclusions may depend on. `refuted` was replayed on input, and stands by itself."""
SHOWN = frozenset((VerdictName.PROVED,))
"""The acceptable verdicts of what an obligation uses."""
GIVEN = frozenset((VerdictName.PROVED, VerdictName.VACUOUS))
"""The acceptable verdicts of what an obligation presumes: that some clause needs nothing where no input is valid."""


class Uses:
    """Obligations that may use each other, and what came of them. Raises SpecificationError for a circle."""

    def __init__(self, obligations: Iterable[Obligation]) -> None:
        # Files elsewhere may share an identity: what uses it uses all of that name.
        self._open: Counter[str] = Counter()
        self._below: dict[str, tuple[str, ...]] = {}
        self._by_name: dict[str, list[Obligation]] = {}
        self._records: dict[str, list[Record]] = {}
        self._missing: set[str] = set()
        self.add(obligations)

    def add(self, obligations: Iterable[Obligation]) -> None:
        """Take in more of them. Raises SpecificationError where they close a circle."""
        listed = list(obligations)
        for obligation in listed:
            self._open[obligation.id] += 1
            below = (*obligation.uses, *obligation.presumes)
            self._below[obligation.id] = (*self._below.get(obligation.id, ()), *below)
            self._by_name.setdefault(obligation.id, []).append(obligation)
        # A circle that was not there before goes through one of those.
        _refuse_circles([o.id for o in listed], self._by_name)

    def has(self, name: str) -> bool:
        """Return whether there is an obligation of that identity among them."""
        return name in self._by_name

    def miss(self, name: str) -> None:
        """Take an obligation of that identity for missing: it may be the one meant, whatever others have the same."""
        self._missing.add(name)

    def know(self, record: Record) -> None:
        """Take note of what came of an obligation by itself."""
        self._open[record.id] -= 1
        self._records.setdefault(record.id, []).append(record)

    def settled(self, obligation: Obligation, awaited: Collection[str] = ()) -> bool:
        """Return whether everything is known that the obligation rests on, and all that this rests on. Of `awaited`
        identities more obligations may come."""
        # Seen names are skipped: what is presumed may go round in a circle.
        todo, seen = [*obligation.uses, *obligation.presumes], set()
        while todo:
            name = todo.pop()
            if name in awaited:
                return False
            if name not in seen and name in self._below:
                if self._open[name]:
                    return False
                seen.add(name)
                todo.extend(self._below[name])
        return True

    def joined(self, record: Record, above: frozenset[str] = frozenset()) -> Record:
        """The record, or unknown where something that it rests on is not proved (twin lemma_need_not_be_proved).

        What a proof uses never goes round in a circle. What is presumed may: a theorem about an operator presumes that
        the reads of the operator are inside, which may use the theorem. That is no circle of proofs, for a term has a
        value wherever it reads; so what is `above`, which is looked at already, is not asked again.
        """
        if record.verdict.name not in RESTING or _is_shown(record):
            return record
        above |= {record.id}
        obligation = record.obligation
        axioms = self._axioms(obligation)
        if axioms:
            record = replace(record, axioms=axioms)
        names = dict.fromkeys((*obligation.uses, *obligation.presumes))
        # What is bad by itself is a better reason than what rests on it.
        for further in (False, True):
            for name in names:
                good = SHOWN
                if name not in obligation.uses:
                    good = GIVEN
                    if further and name in above:
                        continue
                below = self._below_of(name, above, further=further)
                # One that was never decided: nothing is known, and nothing may rest on it.
                bad, is_lasting = "missing", False
                if below and name not in self._missing:
                    worst = next((one for one in below if one.verdict.name not in good and not _is_tried(one)), None)
                    if worst is None:
                        continue
                    bad, is_lasting = worst.verdict.name, lasts(worst.verdict.name, repeatable=worst.repeatable)
                verdict = undecided(VerdictName.UNKNOWN, f"depends on {name}, which is {bad}")
                return replace(record, verdict=verdict, scope="", witness=None, repeatable=is_lasting)
        return record

    def _axioms(self, obligation: Obligation) -> tuple[Axiom, ...]:
        """The axioms that an obligation rests on, through what it uses and presumes too, by their names."""
        found: dict[str, Axiom] = {}
        todo, seen = [*obligation.uses, *obligation.presumes], {obligation.id}
        while todo:
            name = todo.pop(0)
            if name in seen:
                continue
            seen.add(name)
            for record in self._records.get(name, []):
                one = record.obligation
                if one.kind is Kind.AXIOM:
                    found[one.id] = Axiom(one.id, one.title, one.source, Place.of(one.span))
                todo += [*one.uses, *one.presumes]
        return tuple(found[name] for name in sorted(found))

    def _below_of(self, name: str, above: frozenset[str], *, further: bool) -> list[Record]:
        """The records of the obligations of a name, by themselves, or `further` joined with all that they rest on."""
        found = self._records.get(name, [])
        if not further:
            return found
        return [self.joined(below, above) for below in found]


def _is_shown(record: Record) -> bool:
    """Return whether a record is that of input that tells two texts apart. It was evaluated on both, which has no value
    where one reads outside: it stands by itself, as a counterexample does."""
    return record.obligation.kind is Kind.DIFF and record.verdict.name is VerdictName.HOLDS


def _is_tried(record: Record) -> bool:
    """Return whether a record is that of an axiom which no value that was tried breaks. It is taken for true: whatever
    rests on it names it among its assumptions."""
    return record.obligation.kind is Kind.AXIOM and record.verdict.name == VerdictName.HOLDS


def needed_by(obligations: Sequence[Obligation], find: Callable[[str], Sequence[Obligation]]) -> list[Obligation]:
    """The obligations that some rest on, and those that these rest on, as far as they are not among them; what is used
    stands before what uses it.

    `find` gives the obligations of an identity: files in several folders may share it, so that what is asked for need
    not be what is used. Raises SpecificationError for an identity that it does not know, and for a circle.
    """
    # By place, not by identity: two files may share one, and the obligation asked for need not be the one used.
    asked = {_place(o) for o in obligations}
    known: set[str] = set()
    found: list[Obligation] = []
    todo = list(obligations)
    while todo:
        obligation = todo.pop()
        for name in (*obligation.uses, *obligation.presumes):
            if name in known:
                continue
            known.add(name)
            used = find(name)
            if not used:
                raise SpecificationError(
                    f"{obligation.id} uses {name}, which does not exist",
                    obligation.span,
                    "`sonnx-verify explain --list` prints what there is",
                )
            missing = [o for o in used if _place(o) not in asked]
            found += missing
            todo += missing
    chosen = {_place(o) for o in found}
    return [o for o in in_order([*found, *obligations]) if _place(o) in chosen]


def _place(obligation: Obligation) -> tuple[str, int, int, int]:
    """A key of an obligation, made once or twice. Two files can have the same name and text, and use others."""
    span = obligation.span
    return obligation.id, id(span.source), span.line, span.column


def in_order(obligations: Sequence[Obligation]) -> list[Obligation]:
    """The obligations as given, but what is used before what uses it. Raises SpecificationError for a circle.

    A proof in a circle would prove itself: `A using B` and `B using A` follow from each other, true or not.
    """
    by_name: dict[str, list[Obligation]] = {}
    for obligation in obligations:
        by_name.setdefault(obligation.id, []).append(obligation)
    return list(chain.from_iterable(by_name[name] for name in _refuse_circles(list(by_name), by_name)))


def _refuse_circles(names: Sequence[str], by_name: Mapping[str, Sequence[Obligation]]) -> Iterable[str]:
    """The names and all that those use, what is used before what uses it. Raises SpecificationError for a circle."""
    done: dict[str, None] = {}
    for first in names:
        path: dict[str, list[str]] = {}
        todo = [first]
        while todo:
            name = todo.pop()
            if name in by_name and name not in done and name not in path:
                path[name] = list(chain.from_iterable(o.uses for o in by_name[name]))
            elif name in path and name not in done:
                names = list(path)
                circle = names[names.index(name) :]
                # From the same one on wherever the search began.
                start = circle.index(min(circle))
                circle = [*circle[start:], *circle[: start + 1]]
                raise SpecificationError(
                    f"circular dependency between obligations: {' -> '.join(circle)}",
                    by_name[circle[0]][0].span,
                    "prove one of them without the others",
                )
            # Depth first, with a stack: a chain of lemmas may be longer than Python's calls are deep.
            while path and not todo:
                last = next(reversed(path))
                if path[last]:
                    todo.append(path[last].pop(0))
                else:
                    done[last] = None
                    del path[last]
    return done
