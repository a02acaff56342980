"""One mutant against everything that is stated: what first fails of it, if anything does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.reach import touched
from sonnx_verify.authoring.mutation.slip import Slip
from sonnx_verify.equivalence.states import counterpart, mistake_in
from sonnx_verify.equivalence.texts import changed_orders, same_meaning
from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import FINDINGS
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.difference import Answer
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record, Shown
from sonnx_verify.solving.check.refutation import CHEAP, QUICK, SECOND, refutation
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.work import Work

VERDICTS = ("killed", "equivalent", "surviving", "not shown", "rejected")
_KINDS = (
    "general",
    "theorem",
    "refines",
    "narrowing",
    "determined",
    "exclusive",
    "covered",
    "holds",
    "total",
    "in-bounds",
)
"""The order in which the kinds of obligations of a unit are looked at: what speaks of most comes first."""

_SOON, _SECOND_THOUGHTS = frozenset(("general", "covered", "exclusive", "in-bounds", "total")), 10
"""What is looked at once more before proofs are tried, and how many statements of other kinds."""


@dataclass(slots=True)
class Outcome:
    """What came of a mutant. The `killer` is the identity of an obligation, or the place of a text that is no longer
    one; `finding` its verdict, `reason` what is broken, `shown` the counterexample."""

    slip: Slip
    verdict: str
    killer: str = ""
    finding: str = ""
    reason: str = ""
    shown: Shown | None = None


@dataclass(slots=True)
class _Open:
    """An obligation whose statement the slip changed, or added."""

    unit: Unit
    obligation: Obligation
    work: Work


@dataclass(slots=True)
class Judge:
    """Judges mutants of one project."""

    baseline: Baseline
    short: bool = False
    """Whether no obligation is decided in full, but the one that is named: what only fails to be proved survives."""
    _open: list[_Open] = field(default_factory=list)
    _orders: frozenset[str] = frozenset()
    """The orders that the slip is in: a statement about abstract elements is the same whatever its order says."""
    _failing: set[str] = field(default_factory=set)
    """What would notice the slip if it came out as it should without."""

    def judge(self, slip: Slip, hint: str = "") -> Outcome:
        """What comes of the mutant. The killer that is a `hint` is tried first."""
        try:
            return self._judged(slip, hint)
        except RecursionError:
            return Outcome(slip, "not shown", reason="its terms are too deep")

    def _judged(self, slip: Slip, hint: str) -> Outcome:
        root = self.baseline.project.root
        instead = slip.instead(root)
        project = Project.open(root, {**self.baseline.project.instead, **instead}, self.baseline.project.closed)
        self._failing = set()
        (place,) = instead
        own = [u for u in project.units if u.place == place]
        for unit in own:
            if (error := mistake_in(project, unit)) is not None:
                return Outcome(slip, "rejected", str(error.span or unit.shown), "", error.message)
        before = [counterpart(self.baseline.project, unit) for unit in own]
        self._orders = frozenset(n for one, unit in zip(before, own, strict=True) for n in changed_orders(one, unit))
        order = [counterpart(project, u) for u in touched(self.baseline.project, self.baseline.reach, place)]
        if hint and (found := self._by_hint(slip, project, order, hint)) is not None:
            return found
        self._open = []
        # What names the file itself is nearest; where that sees no difference, there may be none.
        near = [u for u in order if place in self.baseline.reach.direct(counterpart(self.baseline.project, u))]
        near = [u for u in order if u in own or (u in near and u.file is not None and u.file.version is None)]
        if slip.kind == "types":  # what is stated for a type cannot be stated without it
            near.sort(key=lambda u: u.file is None or u.file.kind != "theory")
        for unit in near:
            if (found := self._short_look(slip, project, unit)) is not None:
                return found
        same = same_meaning(self.baseline.project, project, own, self.baseline.solvers)
        if same.answer is Answer.SAME:
            return Outcome(slip, "equivalent", reason=same.reason)
        for unit in (u for u in order if u not in near):
            if (found := self._short_look(slip, project, unit)) is not None:
                return found
        found = self._second_look(slip, own) or (None if self.short else self._long_look(slip))
        if found is not None:
            return found
        return Outcome(slip, "surviving", reason=self._speak())

    def _by_hint(self, slip: Slip, project: Project, order: Sequence[Unit], hint: str) -> Outcome | None:
        """The killer that is expected, if it is one."""
        self._open = []
        for unit in order:
            here = hint == unit.shown or hint.startswith((f"{unit.operator}.", f"{unit.operator}/"))
            if here and (found := self._short_look(slip, project, unit, hint)) is not None:
                return found
        found = self._long_look(slip)
        return found if found is not None and found.verdict == "killed" else None

    def _speak(self) -> str:
        """How many statements speak of what was changed."""
        count = len(self._open)
        said = "1 statement speaks" if count == 1 else f"{count} statements speak"
        reason = f"{said} of it, and {'none was refuted' if self.short else 'none comes out otherwise'}"
        if self._failing:
            return f"{', '.join(sorted(self._failing))} fails of it, and without the slip too"
        return reason if count else "no statement speaks of it"

    # ----------------------------------------------------------------------------------------------------- short look

    def _short_look(self, slip: Slip, project: Project, unit: Unit, only: str = "") -> Outcome | None:
        """What fails at a short look at the unit; what does not is kept for a long one."""
        try:
            for obligation in _sorted(of_unit(project, unit)):
                if only and obligation.id != only and only != unit.shown:
                    continue
                found = self._look_at(slip, unit, obligation)
                if found is not None:
                    return found
        except UserError as error:
            return Outcome(slip, "killed", unit.shown, "error", error.message)
        return None

    def _look_at(self, slip: Slip, unit: Unit, obligation: Obligation) -> Outcome | None:
        if obligation.answer is not None:
            return self._killed_by(slip, unit, Record(obligation, obligation.answer))
        work = Work(obligation)
        if self.baseline.says(unit, obligation, work.statement_hash()) and not self._orders & work.orders():
            return None
        one = _Open(unit, obligation, work)
        if (killed := self._refuted(slip, one, QUICK)) is not None:
            return killed
        self._open.append(one)
        return None

    def _refuted(self, slip: Slip, one: _Open, budget: int) -> Outcome | None:
        """The mutant's end by a counterexample among so many candidates."""
        if one.obligation.expected:
            return None
        found = refutation(one.work, None, budget)
        if found is None:
            return None
        verdict, shown, types = found
        return self._killed_by(slip, one.unit, Record(one.obligation, verdict, counterexample=shown, types=types))

    def _killed_by(self, slip: Slip, unit: Unit, record: Record) -> Outcome | None:
        """The mutant's end, if this is not what was expected, and was as expected before."""
        definite = record.verdict.name in FINDINGS or (record.expected and record.verdict.name in ("proved", "holds"))
        if record.verdict.name == "inconsistent" or not definite or not record.surprising:
            return None
        if not self.baseline.as_expected(unit, record.obligation):
            self._failing.add(record.id)
            return None
        reason = record.verdict.reason
        return Outcome(slip, "killed", record.id, record.verdict.name, reason, record.counterexample)

    # ------------------------------------------------------------------------------------------------------ long look

    def _second_look(self, slip: Slip, own: Sequence[Unit]) -> Outcome | None:
        """Some of what is open searched once more, since of what does not hold most time would go into proofs: what the
        text itself owes of input that is not valid, where candidates are soon done with; then some theorems."""
        soon = [o for o in self._open if o.unit in own and o.obligation.kind in _SOON]
        kept = {id(o) for o in soon}
        others = sorted((o for o in self._open if id(o) not in kept), key=lambda o: _rank(o.obligation))
        for one in [*soon, *others[:_SECOND_THOUGHTS]]:
            if (killed := self._refuted(slip, one, CHEAP if id(one) in kept else SECOND)) is not None:
                return killed
        return None

    def _long_look(self, slip: Slip) -> Outcome | None:
        """Everything that is open decided, until something is not as expected."""
        opened = sorted(self._open, key=lambda o: o.obligation.kind not in ("satisfiable", "independent", "gap"))
        for one, record in zip(opened, self._in_order([o.obligation for o in opened]), strict=True):
            if (killed := self._killed_by(slip, one.unit, record)) is not None:
                return killed
            if record.surprising and self.baseline.as_expected(one.unit, one.obligation):
                return Outcome(slip, "not shown", record.id, record.verdict.name, record.verdict.reason)
        return None

    def _in_order(self, obligations: Sequence[Obligation]) -> Iterator[Record]:
        """Their records, in their order: which comes first does not depend on the solvers' speed."""
        known: dict[int, Record] = {}
        upcoming = finished(iter(enumerate(obligations)), self.baseline.solvers)
        for number in range(len(obligations)):
            while number not in known:
                done, record = next(upcoming)
                known[done] = record
            yield known.pop(number)


def _sorted(obligations: Sequence[Obligation]) -> list[Obligation]:
    return sorted(obligations, key=_rank)


def _rank(obligation: Obligation) -> int:
    return _KINDS.index(obligation.kind) if obligation.kind in _KINDS else len(_KINDS)
