"""One mutant against everything that is stated: the first statement that fails of it, if any does.

The cheapest questions come first, for all statements, before the next: counterexamples among few candidates, whether
the texts mean the same at all, counterexamples among more, and proofs at last. A mutant that lives costs all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from pathlib import Path

from sonnx_verify.authoring.mutation.baseline import Baseline, left_open
from sonnx_verify.authoring.mutation.mutation import Mutation, Sort
from sonnx_verify.authoring.mutation.reach import is_of, is_operator
from sonnx_verify.equivalence.states import counterpart
from sonnx_verify.equivalence.texts import answered, changed_orders, same_meaning
from sonnx_verify.errors import UserError
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import FileKind
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.results.difference import Answer
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hashes import orders_in, statement_hash
from sonnx_verify.solving.check.proof import Prover
from sonnx_verify.solving.check.record import ConcreteExample, Record
from sonnx_verify.solving.check.refutation import CHEAP, QUICK, SECOND, refutation
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.work import Work, orders_of, parts_of
from sonnx_verify.solving.inputs.candidates import candidates
from sonnx_verify.solving.inputs.edges import is_left_open
from sonnx_verify.solving.inputs.missed import Missed


@unique
class Fate(StrEnum):
    """The verdict on a mutant."""

    KILLED = "killed"
    EQUIVALENT = "equivalent"
    SURVIVING = "surviving"
    NOT_SHOWN = "not shown"
    REJECTED = "rejected"


ALIVE = frozenset((Fate.SURVIVING, Fate.NOT_SHOWN))
"""The verdicts on mutants that nothing noticed, as far as is known."""
_KINDS = (
    Kind.GENERAL,
    Kind.THEOREM,
    Kind.REFINES,
    Kind.NARROWING,
    Kind.DETERMINED,
    Kind.EXCLUSIVE,
    Kind.COVERED,
    Kind.HOLDS,
    Kind.TOTAL,
    Kind.IN_BOUNDS,
)
_RANKS = {kind: rank for rank, kind in enumerate(_KINDS)}
"""The order in which the kinds of obligations of a unit are looked at: those that speak of most come first."""

_SOON = frozenset((Kind.GENERAL, Kind.COVERED, Kind.EXCLUSIVE, Kind.IN_BOUNDS, Kind.TOTAL))
"""The kinds that are looked at once more before proofs are tried."""
_SECOND_THOUGHTS = 10
"""The statements of other kinds that are."""
_FEW = 2
"""The strategies that are tried before a longer search: those that find most proofs alone."""
EDGE = "edge"
"""The finding on a mutant that moves the edge of what a standard leaves open."""
_ABOUT_WITNESSES = frozenset((Kind.SATISFIABLE, Kind.INDEPENDENT, Kind.GAP))


@dataclass(slots=True)
class Outcome:
    """The outcome of a mutant. The `killer` is the identity of an obligation, or the place of a text that is no longer
    one; `finding` its verdict, or EDGE, `reason` the sentence that is broken, `shown` the counterexample."""

    mutation: Mutation
    verdict: Fate
    killer: str = ""
    finding: str = ""
    reason: str = ""
    shown: ConcreteExample | None = None


_Search = tuple[tuple[Variable, ...], tuple[tuple[Term, ...], ...], int]
"""The subject of a search for a counterexample: variables, the conditions that refute each claim, and the number of
candidates."""


@dataclass(slots=True)
class _Open:
    """An obligation whose statement the mutation changed, or added."""

    unit: Unit
    obligation: Obligation
    work: Work


@dataclass(slots=True)
class Judge:
    """Judges mutants of one project."""

    baseline: Baseline
    short: bool = False
    """No obligation is decided in full, but the one that is named: a mutant that only fails to be proved survives."""
    _open: list[_Open] = field(default_factory=list)
    _orders: frozenset[str] = frozenset()
    """The orders that the mutation is in: a statement about abstract elements is the same whatever its order says."""
    _failing: set[str] = field(default_factory=set)
    """The obligations that would notice the mutation if they came out as they should without it."""
    _missed: dict[_Search, list[Assignment]] = field(default_factory=dict)
    """The searches for a counterexample that found none, with the examples that were tried too: versions of a text owe
    much the same."""
    _stated: dict[Key, list[Obligation]] = field(default_factory=dict)
    """The obligations of the units of the mutant, those that were asked for."""

    def judge(self, mutation: Mutation, hint: str = "") -> Outcome:
        """The outcome of the mutant. The killer that is a `hint` is tried first."""
        try:
            return self._judged(mutation, hint)
        except RecursionError:
            return Outcome(mutation, Fate.NOT_SHOWN, reason="its terms are too deep")

    def _judged(self, mutation: Mutation, hint: str) -> Outcome:
        # In memory: other mutants of the same file are judged at the same time.
        instead = mutation.instead(self.baseline.project.root)
        project = self.baseline.project.with_texts(instead)
        # A mutant is not wrong because its examples name what is gone: those that fit are asked.
        project.lenient = True
        self._failing, self._stated, self._missed = set(), {}, {}
        (place,) = instead
        # Of several versions in one file, only those that the mutation touches are stated again.
        every = [u for u in project.units if u.place == place]
        own = [u for u in every if not self.baseline.reads_as_before(u)]
        untouched = {u.key for u in every} - {u.key for u in own}
        for unit in own:
            if (error := self._mistake_in(project, unit)) is not None:
                return Outcome(mutation, Fate.REJECTED, str(error.span or unit.shown), "", error.message)
        orders: set[str] = set()
        for unit in own:
            orders |= set(changed_orders(counterpart(self.baseline.project, unit), unit))
        self._orders = frozenset(orders)
        order = [counterpart(project, u) for u in self.baseline.touched(place) if u.key not in untouched]
        if hint and (found := self._by_hint(mutation, project, order, hint)) is not None:
            return found
        # The hint came to nothing: begin again, with every obligation.
        self._open = []
        near = self._near(mutation, order, place)
        for unit in near:
            if (found := self._short_look(mutation, project, unit)) is not None:
                return found
        # The nearest texts see no difference: perhaps there is none, and then nobody will.
        same = same_meaning(self.baseline.project, project, own, self.baseline.solvers)
        if same.answer is Answer.SAME:
            return Outcome(mutation, Fate.EQUIVALENT, reason=same.reason)
        if (found := self._moved_edge(mutation, project, own)) is not None:
            return found
        for unit in (u for u in order if u not in near):
            if (found := self._short_look(mutation, project, unit)) is not None:
                return found
        found = self._second_look(mutation, own)
        if found is None and not self.short:
            found = self._long_look(mutation)
        return found or Outcome(mutation, Fate.SURVIVING, reason=self._speak())

    def _of(self, project: Project, unit: Unit) -> list[Obligation]:
        """The obligations of a unit of the mutant, made once. Raises UserError."""
        if unit.key not in self._stated:
            self._stated[unit.key] = of_unit(project, unit)
        return self._stated[unit.key]

    def _mistake_in(self, project: Project, unit: Unit) -> UserError | None:
        """The mistake in the text of a unit, if there is one."""
        if unit.error is not None:
            return unit.error
        try:
            self._of(project, unit)
        except UserError as error:
            return error
        return None

    def _near(self, mutation: Mutation, order: Sequence[Unit], place: Path) -> list[Unit]:
        """The text itself, and the theories and libraries that name its file."""
        near: list[Unit] = []
        for unit in order:
            names_it = place in self.baseline.reach.direct(counterpart(self.baseline.project, unit))
            if unit.place == place or (names_it and not is_operator(unit)):
                near.append(unit)
        if mutation.kind is Sort.TYPES:
            # A statement for a type cannot be stated without it: a theory notices before anything is asked.
            near.sort(key=lambda u: u.file is None or u.file.kind is not FileKind.THEORY)
        return near

    def _by_hint(self, mutation: Mutation, project: Project, order: Sequence[Unit], hint: str) -> Outcome | None:
        """The killer that is expected, if it is one."""
        self._open = []
        for unit in order:
            if is_of(unit, hint) and (found := self._short_look(mutation, project, unit, hint)) is not None:
                return found
        # Not shown is no end yet: another statement may refute it.
        found = self._long_look(mutation)
        if found is not None and found.verdict is Fate.KILLED:
            return found
        return None

    def _speak(self) -> str:
        """The reason why a mutant survives: the number of obligations that depend on the change."""
        count = len(self._open)
        if self._failing:
            return f"{', '.join(sorted(self._failing))} fails on it, and also without the mutation"
        if count == 0:
            return "no obligation depends on it"
        said = f"{counted_text(count, 'obligation depends', 'obligations depend')} on it"
        if self.short:
            return f"{said}, none was refuted"
        return f"{said}, none changes its verdict"

    # ----------------------------------------------------------------------------------------------------- short look

    def _short_look(self, mutation: Mutation, project: Project, unit: Unit, only: str = "") -> Outcome | None:
        """The first obligation of a unit that fails at a short look; the others are kept for a long one. `only` names
        one obligation, or the whole unit."""
        try:
            for obligation in _sorted(self._of(project, unit), unit):
                if only not in ("", unit.shown, obligation.id):
                    continue
                found = self._look_at(mutation, unit, obligation)
                if found is not None:
                    return found
        except UserError as error:
            # A theorem that no longer fits what it is about has noticed.
            return Outcome(mutation, Fate.KILLED, unit.shown, "error", error.message)
        return None

    def _look_at(self, mutation: Mutation, unit: Unit, obligation: Obligation) -> Outcome | None:
        # Answered when the text was read, as that no clause gives the shape of an output.
        if obligation.answer is not None:
            return self._killed_by(mutation, unit, Record(obligation, obligation.answer))
        work = Work(obligation)
        # Most statements do not speak of the mutation. Their hash says so, and nothing is asked.
        if self.baseline.says(unit, obligation, statement_hash(work)) and not self._orders & orders_in(work):
            return None
        one = _Open(unit, obligation, work)
        if (killed := self._refuted(mutation, one, QUICK)) is not None:
            return killed
        self._open.append(one)
        return None

    def _refuted(self, mutation: Mutation, one: _Open, budget: int, which: set[str] | None = None) -> Outcome | None:
        """The mutant's end by a counterexample among `budget` candidates, to any claim or to one of those named."""
        # Of a finding that the text expects a counterexample is no news.
        if one.obligation.expected:
            return None
        statement, _ = one.work.on(one.work.sorts[0])
        claims = tuple(c.refutation for c in statement.claims if which is None or c.what in which)
        search = statement.variables, claims, budget
        examples = list(candidates(one.obligation.tried, statement.variables))
        tried = self._missed.get(search, [])
        new = [example for example in examples if example not in tried]
        if search in self._missed and not new:
            return None
        # A version has more examples: of a search that found nothing only these are tried.
        found = refutation(one.work, which, 0 if search in self._missed else budget)
        if isinstance(found, Missed):
            self._missed[search] = [*tried, *new]
            return None
        verdict, shown, types = found
        return self._killed_by(mutation, one.unit, Record(one.obligation, verdict, counterexample=shown, types=types))

    def _killed_by(self, mutation: Mutation, unit: Unit, record: Record) -> Outcome | None:
        """The mutant's end, if this is not what was expected, and was as expected before."""
        if not record.surprising or not _is_definite(record):
            return None
        # Decided only now: most obligations come out as expected, and without the mutation nothing is asked of them.
        if not self.baseline.as_expected(unit, record.obligation):
            self._failing.add(record.id)
            return None
        reason = record.verdict.reason
        return Outcome(mutation, Fate.KILLED, record.id, record.verdict.name, reason, record.counterexample)

    def _moved_edge(self, mutation: Mutation, project: Project, own: Sequence[Unit]) -> Outcome | None:
        """The first edge of what the mutated text leaves open that is on the other side with the mutation.

        No obligation says how much a standard leaves open: with a wider gap each of them holds as before. The inputs
        that are shown beside a gap do, one just inside and one just outside.
        """
        for unit in own:
            for gap in self.baseline.gaps(unit):
                meaning, item = left_open(project, unit, gap)
                for edge in self.baseline.edges(unit, gap):
                    is_open = is_left_open(meaning, item, edge.found.assignment)
                    if is_open is None or is_open is edge.inside:
                        continue
                    reason = f"the input {edge.side} is {'no longer' if edge.inside else 'now'} left open"
                    shown = ConcreteExample(meaning.given, edge.found, reason)
                    return Outcome(mutation, Fate.KILLED, gap.id, EDGE, reason, shown)
        return None

    # ------------------------------------------------------------------------------------------------------ long look

    def _second_look(self, mutation: Mutation, own: Sequence[Unit]) -> Outcome | None:
        """Search some of the open ones once more, since most time would go into proofs of statements that do not hold:
        those that the text itself owes of input that is not valid, where candidates are soon done with; then some
        theorems. Many of the first follow at once: these have no counterexample, and thousands of lists of tensors are
        not tried for one."""
        soon: list[_Open] = []
        others: list[_Open] = []
        for one in self._open:
            is_soon = one.unit in own and one.obligation.kind in _SOON
            (soon if is_soon else others).append(one)
        prover = Prover(self.baseline.solvers)
        for one in soon:
            left = _not_proved(one.work, prover)
            if left and (killed := self._refuted(mutation, one, CHEAP, left)) is not None:
                return killed
        others.sort(key=lambda o: _rank(o.obligation))
        for one in others[:_SECOND_THOUGHTS]:
            if (killed := self._refuted(mutation, one, SECOND)) is not None:
                return killed
        return None

    def _long_look(self, mutation: Mutation) -> Outcome | None:
        """Decide the open ones, until one is not as expected."""
        # A witness is found, or its absence proved, faster than a proof fails.
        opened = sorted(self._open, key=lambda o: o.obligation.kind not in _ABOUT_WITNESSES)
        for one, record in zip(opened, self._in_order([o.obligation for o in opened]), strict=True):
            if (killed := self._killed_by(mutation, one.unit, record)) is not None:
                return killed
            if record.surprising and self.baseline.as_expected(one.unit, one.obligation):
                return Outcome(mutation, Fate.NOT_SHOWN, record.id, record.verdict.name, record.verdict.reason)
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


def _not_proved(work: Work, prover: Prover) -> set[str]:
    """The sentences of the claims that do not follow with the first strategies. What does not follow may well hold."""
    # As in decide.py: of abstract elements where that says enough. A short search is at the first type only.
    try:
        statement, context = work.on(ELEMENT)
        abstract = all(sort != ELEMENT or name == context.order for name, sort in context.fold_orders)
    except NotAbstract:
        abstract = False
    if not abstract:
        statement, context = work.on(work.sorts[0])
    # Without lemmas: these may be what the mutation makes untrue.
    parts = [replace(part, lemmas=()) for part in parts_of(statement)]
    orders = orders_of(context, work.obligation.types)
    # So may orders be total no longer.
    if orders and not answered(prover.orders(context, orders)).complete:
        return {part.what for part in parts}
    proof = answered(prover.prove(parts, LADDER[:_FEW], final=False))
    return {parts[n].what for n in proof.open()}


def _sorted(obligations: Sequence[Obligation], unit: Unit) -> list[Obligation]:
    # Most that is noticed in an operator is noticed by its examples, which have their answers: nothing is searched for.
    first = Kind.EXAMPLE if is_operator(unit) else None
    return sorted(obligations, key=lambda o: -1 if o.kind is first else _rank(o))


def _rank(obligation: Obligation) -> int:
    return _RANKS.get(obligation.kind, len(_RANKS))


def _is_definite(record: Record) -> bool:
    """A verdict that something was shown for: a finding, or the proof of what a text expects to fail. That the solvers
    contradict each other is no fault of a text."""
    if record.verdict.name is VerdictName.INCONSISTENT:
        return False
    return record.verdict.name in FINDINGS or (bool(record.expected) and record.verdict.name in GOOD)
