"""Proofs with all that they rest on, as `check` says them, while each statement is decided once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.needed import needed_in
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.uses import Uses

Place = tuple[str, str]
"""An identity and the file it stands in: files in several folders may share it."""


def place_of(obligation: Obligation) -> Place:
    """The obligation, in whatever project."""
    return obligation.id, obligation.span.source.name


@dataclass(slots=True)
class Dependencies:
    """Obligations of one project, and all that these rest on; `alone` has the record of each by itself, of those that
    are known."""

    every: list[Obligation]
    alone: dict[Place, Record] = field(default_factory=dict)
    _uses: Uses = field(init=False)

    def __post_init__(self) -> None:
        self._uses = Uses(self.every)

    @classmethod
    def on(cls, project: Project, obligations: Sequence[Obligation]) -> Dependencies:
        """The obligations, of which nothing is known yet. Raises UserError where they use each other in a circle."""
        return cls([*needed_in(project, obligations), *obligations])

    def know(self, record: Record, obligation: Obligation) -> None:
        """Note the record of the statement of an obligation."""
        # The record may be that of another project, where the statement is the same.
        self.alone[place_of(obligation)] = known = replace(record, obligation=obligation)
        self._uses.know(known)

    def decide(self, obligations: Sequence[Obligation], alone: Alone) -> None:
        """Decide some of them."""
        for obligation, record in zip(obligations, alone.decided(obligations), strict=True):
            self.know(record, obligation)

    def joined(self, obligation: Obligation) -> Record:
        """The record that `check` gives one that is known."""
        return self._uses.joined(self.alone[place_of(obligation)])

    def proved(self, obligation: Obligation) -> bool:
        """It is proved, with all that it rests on."""
        return self.joined(obligation).verdict.name is VerdictName.PROVED


def below(obligations: Iterable[Obligation]) -> dict[str, list[str]]:
    """The identities that each rests on directly."""
    # Files in several folders may share an identity: it rests on all that each of them rests on.
    found: dict[str, list[str]] = {}
    for obligation in obligations:
        found.setdefault(obligation.id, []).extend((*obligation.uses, *obligation.presumes))
    return found


def nearest(name: str, resting: Mapping[str, Sequence[str]], among: Container[str]) -> str:
    """The nearest of some others that an obligation rests on, where it is known on what each rests directly; empty
    where it rests on none."""
    todo, known = list(resting.get(name, ())), {name}
    while todo:
        # From the front, so that the first that is found is the nearest.
        one = todo.pop(0)
        if one in known:
            continue
        if one in among:
            return one
        known.add(one)
        todo += resting.get(one, ())
    return ""


def decided(project: Project, obligations: Sequence[Obligation], alone: Alone) -> Dependencies:
    """The obligations and all that they rest on, each decided."""
    made = Dependencies.on(project, obligations)
    made.decide(made.every, alone)
    return made
