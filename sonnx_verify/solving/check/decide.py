"""From an obligation to its verdict.

A statement is tried on abstract elements first, where one proof covers every type of the section whose order is total;
then type by type. What resists is searched for a counterexample. Each step is a generator that hands out the queries it
waits for, so that the solvers work on many obligations at once.

Trusted: which claims are asked, on which elements, and what is made of the answers. `logic/verdict.py` alone makes the
verdicts that promise something.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language.context import Context
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.enclosed import MissingFlint
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import FALSE, Symbol, Term, not_
from sonnx_verify.logic.verdict import (
    UNBOUNDED,
    Verdict,
    VerdictName,
    contradicted,
    impossible,
    is_witness,
    proved,
    undecided,
    unfounded,
    vacuous,
    witnessed,
)
from sonnx_verify.obligations.obligation import Claim, Input, Obligation, Statement, Wanted
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.results.answer import NO_FLINT
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.axioms import contradictions, false_instance, tried
from sonnx_verify.solving.check.distil import distilled
from sonnx_verify.solving.check.hashes import statement_hash
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.model import left_open
from sonnx_verify.solving.check.proof import Ordered, Proof, Prover, Steps, continued, joined, worst
from sonnx_verify.solving.check.record import ConcreteExample, Record
from sonnx_verify.solving.check.refutation import LONG, QUICK, SECOND, Refutation, refutation
from sonnx_verify.solving.check.spoken import (
    counterpart,
    has_free_operations,
    hypotheses_of,
    is_abstract,
    mentions_undefined,
    on_trust,
    reads,
    rests_on_order,
)
from sonnx_verify.solving.check.work import Work, orders_of, parts_of
from sonnx_verify.solving.inputs.found import on_type, searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.inputs.missed import Missed
from sonnx_verify.solving.inputs.remembered import key_of, line_of, remembered
from sonnx_verify.solving.solvers import Query, Solvers

SHORT, THOROUGH = 5000, 60000
"""The number of candidates for a witness: before it is tried to show that there is none, and after, since
without one nothing is shown at all."""
_EARLY = 2
_BRISK = 7
"""The number of strategies for two versions of a text: a reader waits for the answer, and of the differences of the
library the later ones decide none."""

_Wish = tuple[tuple[Variable, ...], tuple[Term, ...], int, tuple[Input, ...]]
"""The subject of a search for an input: variables, conditions, the number of candidates, and the text's examples."""


class Decider:
    """Decides obligations with some solvers."""

    def __init__(self, solvers: Solvers, hinting: Hinting = NO_HINTS) -> None:
        self.prover = Prover(solvers, hinting.known)
        self._hinting = hinting
        self._works: dict[int, Work] = {}
        self._witnesses: dict[_Wish, Found | Missed] = {}

    def decide(self, obligation: Obligation) -> Generator[list[Query], None, Record]:
        """The record of an obligation."""
        if obligation.answer is not None:
            for one in obligation.stated:
                # Kept, since most are decided next: statements are made once.
                self._works.setdefault(id(one), Work(one)).state()
            return Record(obligation, obligation.answer, types=_names(obligation.types))
        work = self._works.pop(id(obligation), None) or Work(obligation)
        try:
            if obligation.kind is Kind.AXIOM:
                record = tried(work)
            else:
                record = yield from self._decide(work)
        except MissingFlint:
            # As of a missing solver: of this one nothing is known, and the others of its file are decided.
            record = Record(obligation, undecided(VerdictName.UNKNOWN, NO_FLINT), types=_names(obligation.types))
        record.statement = statement_hash(work)
        record.hints |= work.inputs
        return record

    def _decide(self, work: Work) -> Generator[list[Query], None, Record]:
        obligation = work.obligation
        try:
            abstract, context = work.on(ELEMENT)
            statement: Statement | None = abstract
        except NotAbstract:
            # The text says another thing of each type, such as what its greatest value is.
            statement, context = None, Context(obligation.family, ELEMENT)
        if any(sort == ELEMENT and name != context.order for name, sort in context.fold_orders):
            # Abstract elements have one order; the greatest by another one need not exist.
            statement = None
        # Without types there is nothing to search with, and no order that could be shown to be total.
        if not obligation.types and (statement is None or is_abstract(statement)):
            raise SpecificationError(
                "this is about elements, but the text lists no types", obligation.span, "add a line `types int = ...`"
            )
        orders = orders_of(context, obligation.types)
        sample = statement or work.on(obligation.types[0])[0]
        # What holds of every function would hold of it too, but a draft means a certain one, which is not written down:
        # no counterexample could be evaluated.
        if mentions_undefined(sample):
            verdict = undecided(VerdictName.UNSUPPORTED, "it depends on a function that is never defined")
            return self._record(obligation, verdict)
        if sample.wanted:
            return (yield from self._existence(work, statement, orders, context))
        record = yield from self._replayed(work, statement, context)
        if record is not None:
            return record
        if statement is None:
            return (yield from self._by_type(work, Proof()))
        parts = parts_of(statement)
        # Operations that are free symbols say little of elements: what does not follow at once is asked type by type.
        early = 1 if has_free_operations(statement) else _EARLY
        proof = yield from self.prover.prove(parts, LADDER[:early], final=False, brisk=obligation.kind is Kind.DIFF)
        if not proof.complete:
            # Where operations are free symbols, solvers come later: their models of bits take longer than candidates.
            asked, budget = (self.prover.solvers, QUICK) if early == _EARLY else (None, SECOND)
            found = self._look(work, {parts[n].what for n in proof.open()}, budget, asked)
            if not isinstance(found, Missed):
                return self._record(obligation, found[0], proof, found[1], types=found[2])
        if not proof.complete and early == _EARLY:
            more = yield from self._prove(obligation, [parts[n] for n in proof.open()], _EARLY)
            proof = continued(proof, more)
        # Abstract elements are the integers to a solver, in their order: that stands for the order of a type only if
        # that one is total.
        if proof.complete and orders:
            proof = joined(proof, (yield from self._total(statement, context, orders)))
        if proof.complete:
            return (yield from self._conclude(work, statement, proof))
        # What no operation on elements is in says the same of each type.
        if obligation.kind is Kind.DIFF and early == _EARLY:
            return self._not_proved(work, proof)
        return (yield from self._by_type(work, proof))

    # --------------------------------------------------------------------------------------------------------- claims

    def _replayed(
        self, work: Work, abstract: Statement | None, context: Context
    ) -> Generator[list[Query], None, Record | None]:
        """The record of what is proved claim by claim along hints; None where anything is left open: then it is decided
        as if there were no hints, so that no verdict depends on them."""
        if not self.prover.hints:
            return None
        if abstract is not None:
            proof = yield from self.prover.replay(parts_of(abstract))
            orders = orders_of(context, work.obligation.types)
            if proof.complete and orders:
                proof = joined(proof, (yield from self._total(abstract, context, orders, replay=True)))
            if proof.complete:
                return (yield from self._along(work, abstract, proof))
        proof, statement = Proof(), None
        for sort in work.obligation.types:
            statement, context = work.on(sort)
            one = yield from self.prover.replay(parts_of(statement))
            if context.fold_orders and one.complete:
                total = yield from self._total(statement, context, orders_of(context, (sort,)), replay=True)
                one = joined(one, total)
            if not one.complete:
                return None
            proof = joined(proof, one)
        if statement is None:
            return None
        return (yield from self._along(work, statement, proof))

    def _along(self, work: Work, statement: Statement, proof: Proof) -> Generator[list[Query], None, Record | None]:
        """The record of a statement whose claims are all proved along hints; None where that is not the end of it, as
        where no witness of the hypotheses is found."""
        record = yield from self._conclude(work, statement, proof)
        if record.verdict.name != VerdictName.PROVED:
            return None
        record.hinted = True
        return record

    def _by_type(self, work: Work, before: Proof) -> Generator[list[Query], None, Record]:
        """Each element type on its own; the first that fails is shown."""
        obligation = work.obligation
        if not obligation.types:
            return self._not_proved(work, before)
        # The queries on abstract elements were asked, and stay on record; the claims are those of the types.
        proof = Proof(queries=dict(before.queries))
        statement, enough = None, 0
        for sort in obligation.types:
            statement, context = work.on(sort)
            one = yield from self._prove(obligation, parts_of(statement), enough, whole=True)
            # What was enough for one type is tried first for the next.
            enough = min(max(one.steps - 1, 0) + enough, len(_ladder(obligation)) - 1)
            if one.complete and context.fold_orders:
                total = yield from self._total(statement, context, orders_of(context, (sort,)))
                one = joined(one, total)
            proof = joined(proof, one)
            if not one.complete:
                return self._not_proved(work, proof)
        assert statement is not None
        return (yield from self._conclude(work, statement, proof))

    def _prove(self, obligation: Obligation, claims: Sequence[Claim], first: int = 0, *, whole: bool = False) -> Steps:
        """The proof of claims with the strategies for an obligation from the `first` on; of the `whole` of them those
        before it come last."""
        ladder = _ladder(obligation)
        efforts = (*ladder[first:], *(ladder[:first] if whole else ()))
        is_brisk = obligation.kind is Kind.DIFF
        return (yield from self.prover.prove(claims, efforts, final=not is_brisk, brisk=is_brisk))

    def _look(self, work: Work, which: set[str] | None, budget: int, solvers: Solvers | None) -> Refutation | Missed:
        """A counterexample, if there is one among so many candidates."""
        # Versions of a text that differ mostly do so on small inputs, and often of one type alone.
        if work.obligation.kind is Kind.DIFF:
            return refutation(work, which, SECOND, solvers, every_type=True)
        return refutation(work, which, budget, solvers, every_type=budget == LONG)

    def _not_proved(self, work: Work, proof: Proof) -> Record:
        """Refuted, if there is a counterexample; else what the solvers left open. A solver's model shows nothing."""
        obligation = work.obligation
        found = self._look(work, None, LONG, self.prover.solvers)
        if not isinstance(found, Missed):
            return self._record(obligation, found[0], proof, found[1], types=found[2])
        verdict = _undecided(proof)
        note = left_open(work, proof, verdict, found.text(work.last().variables), self.prover.solvers)
        return self._record(obligation, verdict, proof, note=note)

    def _total(
        self, statement: Statement, context: Context, orders: tuple[Ordered, ...], *, replay: bool = False
    ) -> Steps:
        """The proof that the orders of a statement are total, as a proof that is joined to that of its claims.

        What was noted while the statement was built may play no part in it any more: then an order that is not total is
        not to blame, and nothing is added; one that means nothing is to blame, as what it was part of means nothing.
        (Twin `totality_not_asked`: without this the element that is below all of a set by `<` would be below itself.)
        """
        total = yield from self.prover.orders(context, orders, replay=replay)
        sorts = {ELEMENT, *(sort for _, sort in context.fold_orders)}
        if total.complete or rests_on_order(statement, sorts) or any(total.claims[n].side for n in total.open()):
            return total
        return Proof()

    def _conclude(self, work: Work, statement: Statement, proof: Proof) -> Generator[list[Query], None, Record]:
        """Proved, if the hypotheses have a witness; vacuous if they have none.

        Under hypotheses that nothing meets every claim is unsat: "x < 0 and 0 < x imply anything". So each set of
        hypotheses is evaluated on an input; where none is found, the solvers are asked whether there can be one (twin
        emptiness_not_asked).
        """
        obligation = work.obligation
        for hypotheses in dict.fromkeys(hypotheses_of(statement)):
            found, conditions, variables = self._witness(work, statement, hypotheses, SHORT)
            if isinstance(found, Missed):
                # That the orders used are total has been proved with the claims.
                empty = yield from self._empty(work, statement, hypotheses)
                if empty.complete:
                    reason = "no input meets the hypotheses"
                    if hypotheses in statement.inhabited:
                        reason = "no number is in the range of the induction"
                    verdict = vacuous(empty.last, reason)
                    record = self._record(obligation, verdict, joined(proof, empty), note=statement.note)
                    record.assumptions = tuple(on_trust([Claim(hypotheses, FALSE, "")]))
                    return record
                found, conditions, variables = self._witness(work, statement, hypotheses, THOROUGH)
                if isinstance(found, Missed):
                    verdict = undecided(VerdictName.UNKNOWN, "no witness of the hypotheses was found")
                    return self._record(obligation, verdict, proof, note=_noted(statement.note, found.text(variables)))
        facts: Mapping[Symbol, object] | None = None
        if isinstance(found, Found):
            facts = found.facts
        elif not statement.hypotheses:
            facts = {}  # Every input meets no hypotheses.
        if obligation.rests_on_axioms:
            given = found.assignment if isinstance(found, Found) else {}
            nothing = yield from self._unfounded(work, statement, proof, given)
            if nothing is not None:
                return nothing
        verdict = proved(proof.last, conditions, facts)
        record = self._record(obligation, verdict, proof, note=statement.note)
        record.scope = UNBOUNDED
        record.assumptions = (*statement.assumptions, *on_trust(statement.claims))
        if isinstance(found, Found):
            record.witness = ConcreteExample(variables, found, "the hypotheses hold")
        if self._hinting.wanted and record.verdict.name == VerdictName.PROVED:
            record.hints = yield from distilled(self.prover, proof)
        return record

    def _unfounded(
        self, work: Work, statement: Statement, proof: Proof, given: Assignment
    ) -> Generator[list[Query], None, Record | None]:
        """The record of a proof that says nothing, since what it takes from axioms is false, or contradicts itself;
        None where nothing of that kind is found."""
        obligation = work.obligation
        named = " and ".join(name for name in obligation.uses if name.endswith(f"/{Kind.AXIOM}"))
        rests = f"on {named}" if named else "on theorems that rest on axioms"
        false = false_instance(statement, given)
        if false is not None:
            law, found = false
            reason = f"it rests {rests}, and what it uses of that is false"
            verdict = unfounded(proof.last, (not_(law),), found.facts, reason)
            record = self._record(obligation, verdict, proof)
            record.witness = ConcreteExample(statement.variables, found, "what the proof uses is false")
            return record
        # With the strategies that find most proofs alone: what is true together has a model, and no strategy would end.
        for claim in contradictions(statement):
            against = yield from self.prover.prove([claim], LADDER[:_EARLY], final=False)
            if against.complete:
                reason = f"it rests {rests}, and what it uses of that contradicts itself"
                return self._record(obligation, vacuous(against.last, reason), joined(proof, against))
        return None

    def _empty(self, work: Work, statement: Statement, hypotheses: tuple[Term, ...]) -> Steps:
        """The proof that no input of any type meets the hypotheses."""
        # Abstract elements stand for every type at once. A statement on a type says nothing of the next one: vacuous is
        # what is empty on each of them.
        sets = [hypotheses]
        if not is_abstract(statement) and work.obligation.types:
            sets = [counterpart(statement, work.on(sort)[0], hypotheses) for sort in work.obligation.types]
        return (yield from self.prover.prove([Claim(one, FALSE, "") for one in sets], LADDER))

    def _witness(
        self, work: Work, statement: Statement, hypotheses: tuple[Term, ...], budget: int
    ) -> tuple[Found | Missed | None, tuple[Term, ...], tuple[Variable, ...]]:
        """The smallest input that meets the hypotheses, if there are any, with these as they were replayed."""
        if not hypotheses:
            return None, (), ()
        sort = work.sorts[0]
        variables = statement.variables
        if not reads(hypotheses):
            # Elements play no part: the hypotheses say the same of every type.
            variables = tuple(replace(v, sort=sort) if v.sort == ELEMENT else v for v in variables)
        else:
            concrete, _ = work.on(sort)
            variables, hypotheses = concrete.variables, counterpart(statement, concrete, hypotheses)
        return self._search(work, variables, hypotheses, budget), hypotheses, variables

    def _search(
        self, work: Work, variables: tuple[Variable, ...], conditions: tuple[Term, ...], budget: int
    ) -> Found | Missed:
        """The smallest input that meets the conditions, looked for once: versions of a text ask much the same. One that
        is kept stands for it."""
        examples = work.obligation.tried
        key = (variables, conditions, budget, examples)
        if key not in self._witnesses:
            kept = None
            if not self._hinting.wanted:
                kept = remembered(self._hinting.witnesses, variables, conditions)
            self._witnesses[key] = kept or searched(
                variables,
                conditions,
                budget,
                constants=budget == THOROUGH,
                solvers=self.prover.solvers,
                examples=examples,
            )
        found = self._witnesses[key]
        if self._hinting.wanted and isinstance(found, Found) and (line := line_of(found, variables)) is not None:
            work.inputs[key_of(variables, conditions)] = f"= {line}"
        return found

    # ----------------------------------------------------------------------------------------------------- existence

    def _existence(
        self, work: Work, abstract: Statement | None, orders: tuple[Ordered, ...], noted: Context
    ) -> Generator[list[Query], None, Record]:
        """Every wanted witness, for every type; where one is missing, that there is none."""
        obligation = work.obligation
        shown: ConcreteExample | None = None
        verdict: Verdict | None = None
        types = work.sorts
        known: list[Found] = []
        # What is open for some types, as `when T is float16` says, is a contradiction in terms on the others.
        if obligation.kind is Kind.GAP and work.elements_matter():
            types = tuple(t for t in types if all(FALSE not in w.conditions for w in work.on(t)[0].wanted)) or types
        for place, sort in enumerate(types):
            statement, context = work.on(sort)
            # An input of one type with its elements read as those of the next is a good guess: it is replayed.
            if place:
                turned = (on_type(f, statement.variables, types[place - 1], sort) for f in known)
                known = [f for f in turned if f is not None]
            for wanted in statement.wanted:
                # What is not shown need not be the smallest; a contradiction in terms is not searched for.
                found = next((f for f in known if shown and is_witness(wanted.conditions, f.facts)), None)
                if found is None and FALSE not in wanted.conditions:
                    sought = self._search(work, statement.variables, wanted.conditions, SHORT)
                    found = sought if isinstance(sought, Found) else None
                if found is None:
                    ways = [(wanted, orders_of(context, (sort,)), context)]
                    # By what it says: a type may lack what abstract elements have, as an `if` that it decides.
                    general = _wanted(abstract, wanted.what)
                    if general is not None:
                        ways.insert(0, (general, orders, noted))
                    record = yield from self._impossible(obligation, ways, sort)
                    if record.verdict.name not in (VerdictName.VIOLATED, VerdictName.INCONSISTENT):
                        sought = self._search(work, statement.variables, wanted.conditions, THOROUGH)
                        if isinstance(sought, Found):
                            found = sought
                        else:
                            of_type = f", with {sort.name}" if obligation.types else ""
                            record.note = _noted(record.note, f"looked for{of_type}: {wanted.what}")
                            record.note = _noted(record.note, sought.text(statement.variables))
                    if found is None:
                        return record
                verdict = witnessed(wanted.conditions, found.facts, wanted.what)
                if verdict.name != VerdictName.HOLDS:
                    return self._record(obligation, verdict)
                known.append(found)
                shown = shown or ConcreteExample(statement.variables, found, wanted.what)
            if not work.elements_matter():
                break
        assert verdict is not None
        record = self._record(obligation, verdict, types=tuple(t.name for t in types) if obligation.types else None)
        record.witness = shown
        return record

    def _impossible(
        self, obligation: Obligation, ways: list[tuple[Wanted, tuple[Ordered, ...], Context]], sort: Sort
    ) -> Generator[list[Query], None, Record]:
        """No witness was found: violated if two voices say that there is none, on abstract elements or on these."""
        proof, concrete = Proof(), ways[-1][0]
        for wanted, orders, noted in ways:
            proof = yield from self._prove(obligation, [Claim(wanted.conditions, FALSE, wanted.what)])
            if proof.complete and orders:
                spoken = Statement((), wanted=(wanted,))
                proof = joined(proof, (yield from self._total(spoken, noted, orders)))
            if proof.complete:
                break
        # On this type a constant of it may have decided what is another thing on the next.
        general = len(ways) > 1 and not reads(ways[0][0].conditions)
        types, reason = _names(obligation.types), concrete.impossible
        if obligation.types and not general:
            types = (sort.name,)
            if len(obligation.types) > 1:
                # Of the other types nothing is said: the first that lacks something ends the search.
                reason = f"{reason} for {sort.name}"
        verdict = impossible(proof.last, reason)
        record = self._record(obligation, verdict, proof, types=types)
        if verdict.name == VerdictName.VIOLATED:
            record.scope = UNBOUNDED
            record.assumptions = tuple(on_trust(Claim(wanted.conditions, FALSE, "") for wanted, _, _ in ways))
        return record

    def _record(
        self,
        obligation: Obligation,
        verdict: Verdict,
        proof: Proof | None = None,
        counterexample: ConcreteExample | None = None,
        types: tuple[str, ...] | None = None,
        note: str = "",
    ) -> Record:
        if types is None:
            types = _names(obligation.types)
        record = Record(obligation, verdict, types=types, note=note)
        if proof is not None:
            # On any query, of whatever effort: a solver that was wrong there may be wrong elsewhere.
            if contradicted(list(proof.queries.values())):
                record.verdict = undecided(VerdictName.INCONSISTENT, "the solvers contradict each other")
            record.queries = dict(sorted(proof.queries.items()))
            record.answers = worst(proof.last)
            if record.verdict.name in (VerdictName.PROVED, VerdictName.VACUOUS, VerdictName.VIOLATED):
                record.voices = proof.voices()
        record.counterexample = counterexample
        return record


def _ladder(obligation: Obligation) -> Sequence[Effort]:
    """The strategies that are tried for an obligation."""
    if obligation.kind is Kind.DIFF:
        return LADDER[:_BRISK]
    return LADDER


def _wanted(statement: Statement | None, what: str) -> Wanted | None:
    """The part of a statement under these words, if it has that."""
    if statement is None:
        return None
    return next((wanted for wanted in statement.wanted if wanted.what == what), None)


def _names(sorts: Iterable[Sort]) -> tuple[str, ...]:
    return tuple(s.name for s in sorts)


def _noted(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _undecided(proof: Proof) -> Verdict:
    if contradicted(proof.last):
        return undecided(VerdictName.INCONSISTENT, "the solvers contradict each other")
    reasons = "; ".join(dict.fromkeys(r for r in proof.reasons if r))
    if any(Status.SAT in a.values() for a in proof.last):
        return undecided(VerdictName.CANDIDATE, "a solver has a model, but no concrete counterexample was found")
    return undecided(VerdictName.UNKNOWN, reasons or "no solver decided it")
