"""Claims asked of the solvers, with growing effort, and their answers.

Trusted: the answers that are noted of a claim have to be answers to assertions that were made from it. A claim is open
until two voices said unsat to one and the same text; or one of them to floats as bits, and the other to the same claim
with floats as rounded reals; or one solver to any of its texts, and the evaluator to each of all values. Where cvc5
leaves floats open, bitwuzla is asked in its place.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.syntax import OrderDefinition
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.enumerated import enumerated
from sonnx_verify.logic.lengths import settled
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term, not_, replace_nodes
from sonnx_verify.logic.verdict import agreed, all_unsat
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.obligations.orders import order_claims
from sonnx_verify.results.answer import CRASHED, NOT_INSTALLED, unknown
from sonnx_verify.results.voice import ENUMERATION, Floats, Voice, Voices, in_order
from sonnx_verify.solving.check.forms import Form, Forms, Ladder
from sonnx_verify.solving.check.hints import Formulas, Hints
from sonnx_verify.solving.check.readings import Asked
from sonnx_verify.solving.solvers import Query, Solvers
from sonnx_verify.solving.solvers.bitwuzla_solver import takes

Answers = dict[str, Status]
QUICK_DIVISOR = 4
"""The divisor of the work limit where a query may be too hard."""
Ordered = tuple[str, Sort]
Steps = Generator[list[Query], None, "Proof"]


@dataclass(slots=True)
class Proof:
    """The answers of the solvers to some claims: for each, the answers of its last query; and all queries by hash."""

    last: list[Answers] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    queries: dict[str, Answers] = field(default_factory=dict)
    steps: int = 0
    """The number of instantiation depths that were tried."""
    claims: list[Claim] = field(default_factory=list)
    forms: list[Form | None] = field(default_factory=list)
    """The form in which each claim was unsat; None of one that was asked along its hint."""
    heard: list[dict[Voice, str]] = field(default_factory=list)
    """For each claim, the voices that said unsat of it with the SHA-256 of their text; once it is shown, only those
    that show it."""

    @classmethod
    def begun(cls, claims: Sequence[Claim]) -> Proof:
        """A proof of which nothing was asked yet."""
        return cls(
            [{} for _ in claims],
            ["" for _ in claims],
            claims=list(claims),
            forms=[None for _ in claims],
            heard=[{} for _ in claims],
        )

    @property
    def complete(self) -> bool:
        """Return whether two voices say unsat of every claim. No claim at all is no proof."""
        return all_unsat(self.last)

    def voices(self) -> tuple[Voices, ...]:
        """The voices that show the claims, each company of them once."""
        companies = {in_order(self.heard[n]) for n in range(len(self.last)) if agreed(self.last[n])}
        return tuple(sorted(companies, key=str))

    def note(self, n: int, query: Query, asked: Asked) -> None:
        """Note the answers to a query that was asked for a claim."""
        # Of this text, and by this solver: whatever carried an answer here is not trusted (tests/twins/carried.toml).
        sha256 = asked.sha256
        given = {
            name: answer if answer.is_to(name, sha256) else unknown(name, CRASHED)
            for name, answer in query.result().items()
        }
        answers = {name: a.status for name, a in given.items()}
        self.queries[sha256] = _more(self.queries.get(sha256, {}), answers)
        self.last[n] = answers
        self.reasons[n] = "; ".join(f"{name}: {a.reason}" for name, a in given.items() if a.reason)
        unsat = [name for name, status in answers.items() if status == Status.UNSAT]
        said = {Voice(name, asked.floats): sha256 for name in unsat}
        if agreed(answers):
            self.heard[n] = said
            return
        self.heard[n] |= said
        across = self._across(n)
        # A solver that has a model of this text contradicts that (twin voices_over_a_model).
        if agreed(across) and Status.SAT not in answers.values():
            self.last[n] = across
            self.heard[n] = {v: text for v, text in self.heard[n].items() if v.floats is not Floats.NONE}

    def _across(self, n: int) -> Answers:
        """The solvers that said unsat of a claim with floats as bits, or as rounded reals. These are two readings of
        one claim, and unsat of either shows it: so two voices may say it of one each."""
        # Not of any two texts: what one solver says of integers is no news to whoever doubts the other on them.
        return {voice.solver: Status.UNSAT for voice in in_order(self.heard[n]) if voice.floats is not Floats.NONE}

    def wants(self, n: int, solver: str) -> bool:
        """Return whether unsat of one more solver would show a claim, of whose last text no solver has a model."""
        # A solver that is not there is not replaced: then less would be shown by less, and nobody would notice.
        if agreed(self.last[n]) or Status.SAT in self.last[n].values() or NOT_INSTALLED in self.reasons[n]:
            return False
        return agreed({**self.last[n], solver: Status.UNSAT}) or agreed({**self._across(n), solver: Status.UNSAT})

    def enumerate(self, n: int, formulas: Sequence[Term]) -> None:
        """Hear the evaluator on all values of a claim, if a solver found it unsat alone, and its values are few."""
        said = list(self.heard[n].items())
        if not said or agreed(self.last[n]) or Status.SAT in self.last[n].values() or NOT_INSTALLED in self.reasons[n]:
            return
        status = enumerated(formulas)
        if status is None:
            return
        # Beside the answers to the texts of the claim. Values that break it contradict whoever found one of these
        # unsat, since each reading has a model where the claim has: the verdict will say so.
        for _, sha256 in said:
            self.queries[sha256] = {**self.queries[sha256], ENUMERATION: status}
        if status != Status.UNSAT:
            return
        read = Floats.NONE if all(voice.floats is Floats.NONE for voice, _ in said) else Floats.BITS
        self.heard[n][Voice(ENUMERATION, read)] = said[-1][1]
        self.last[n] = {voice.solver: Status.UNSAT for voice in in_order(self.heard[n])}

    def open(self) -> list[int]:
        """The claims that are not."""
        return [n for n, a in enumerate(self.last) if not all_unsat([a])]


class Prover:
    """Asks the solvers for claims. Each step hands out the queries it waits for."""

    def __init__(self, solvers: Solvers, hints: Hints | None = None) -> None:
        self.solvers = solvers
        self.hints = hints or {}
        self._ladders: dict[tuple[tuple[Term, ...], tuple[Taken, ...]], Ladder] = {}
        self._along: dict[Formulas, Asked | None] = {}
        """The text along the hint of a claim, None where its hint does not fit: the claims of several types, versions
        and obligations are often one and the same."""
        self._laws: dict[tuple[int, int, Sort], tuple[OrderDefinition, Library, list[Claim]]] = {}

    def prove(
        self, claims: Sequence[Claim], efforts: Sequence[Effort], *, final: bool = True, brisk: bool = False
    ) -> Steps:
        """Ask for each claim, with growing effort, until it is unsat; the first effort for all claims at once. What
        only has to make sense is asked without lemmas before: most of it needs none, and they make it larger.

        Every solver is asked what decides: an effort at which the first solver says unsat, and the last one of those
        that are `final`. Elsewhere what the first solver does not find unsat is not asked of the others. `brisk` is
        little work for each query.
        """
        proof = Proof.begun(claims)
        # What follows without lemmas follows with them.
        alone = {n: replace(c, lemmas=()) for n, c in enumerate(claims) if c.side and c.lemmas}
        if alone:
            yield from self._round(proof, alone, efforts[0], last=False, brisk=brisk)
        for effort in efforts:
            todo = {n: claims[n] for n in proof.open()}
            # Without one of the solvers nothing can be proved: no more work is done for it.
            if not todo or any(NOT_INSTALLED in reason for reason in proof.reasons):
                break
            proof.steps += 1
            yield from self._round(proof, todo, effort, last=final and effort is efforts[-1], brisk=brisk)
        if final:
            for n in proof.open():
                proof.enumerate(n, formulas_of(claims[n]).formulas)
        return proof

    def replay(self, claims: Sequence[Claim]) -> Steps:
        """Ask for each claim along its hint, of all solvers. Where one has no hint that fits, nothing is asked."""
        proof = Proof.begun(claims)
        texts: dict[int, Asked] = {}
        for n, claim in enumerate(claims):
            text = self._along_hint(formulas_of(claim))
            if text is None:
                return proof
            texts[n] = text
        yield from self._ask(proof, texts, None, last=True)
        return proof

    def _along_hint(self, asked: Formulas) -> Asked | None:
        """The text of a claim along its hint, made once; None where it has no hint that fits."""
        if asked not in self._along:
            hint = self.hints.get(asked.key)
            made = None if hint is None else hint.assertions(asked)
            self._along[asked] = None if hint is None or made is None else Asked.of(script(made), hint.way.reading)
        return self._along[asked]

    def _round(
        self, proof: Proof, claims: Mapping[int, Claim], effort: Effort, *, last: bool, brisk: bool
    ) -> Generator[list[Query], None, None]:
        """Ask for the numbered claims with one effort, and note what is said."""
        forms = {n: self._forms(claim, effort) for n, claim in claims.items()}
        stage = 0
        while forms:
            # A form that is unsat is enough. At the first stage an answer may be there of an earlier effort.
            found = {n: f.at(stage) for n, f in forms.items() if stage == 0 or not all_unsat([proof.last[n]])}
            for n, form in found.items():
                if form is None and stage == 0:
                    proof.reasons[n] = f"more than {effort.limit} ground assertions"
            todo = {n: form for n, form in found.items() if form is not None}
            for hard in (False, True):
                # With products a solver may search for ever: little work at first, and all of it at the last effort.
                budget = None
                if brisk or (hard and not last):
                    budget = self.solvers.budget // QUICK_DIVISOR
                # Of more than sums of reals that are instantiated on equal indices cvc5 does not count its work.
                left_out = brisk and bool(effort.generation and effort.equality)
                among = {n: f for n, f in todo.items() if f.hard is hard and not (left_out and f.beyond_sums)}
                texts = {n: f.asked for n, f in among.items()}
                yield from self._ask(proof, texts, budget, last=last, insist=not brisk)
            for n, form in todo.items():
                if all_unsat([proof.last[n]]):
                    proof.forms[n] = form
            forms = {n: forms[n] for n in todo}
            stage += 1

    def _ask(
        self,
        proof: Proof,
        texts: Mapping[int, Asked],
        budget: int | None,
        *,
        last: bool,
        insist: bool = True,
    ) -> Generator[list[Query], None, None]:
        """Ask the first solver, and all of them where it says unsat; at once all of them where it is the last time.
        `insist` is to ask again, with more work, where one voice is missing."""
        todo = dict(texts)
        if not last and len(self.solvers.names) > 1:
            yield from self._submit(proof, todo, budget, self.solvers.names[:1])
            # One answer is never enough (twin one_solver_suffices): the second solver is asked the same text. Where the
            # first does not say unsat it could change nothing, unless it said so of another reading.
            second = self.solvers.names[1]
            todo = {n: t for n, t in todo.items() if proof.wants(n, second)}
        yield from self._submit(proof, todo, budget, self.solvers.names)
        # A float costs bitwuzla little. Its answer counts where cvc5 has none: the two are one voice.
        for name in self.solvers.further:
            open_still = {n: t for n, t in todo.items() if takes(t.text) and proof.wants(n, name)}
            yield from self._submit(proof, open_still, budget, (*self.solvers.names, name))
        halfway = {n: t for n, t in todo.items() if insist and budget is not None and _halfway(proof.last[n])}
        if halfway:
            # Where one solver got through with little work, the others are worth more of it.
            yield from self._ask(proof, halfway, None, last=True)

    def _submit(
        self, proof: Proof, texts: Mapping[int, Asked], budget: int | None, names: Sequence[str]
    ) -> Generator[list[Query], None, None]:
        """Ask some solvers of each claim its text, and note what they say."""
        queries = {n: self.solvers.submit(t.text, budget=budget, names=names) for n, t in texts.items()}
        if queries:
            yield list(queries.values())
        for n, query in queries.items():
            proof.note(n, query, texts[n])

    def _forms(self, claim: Claim, effort: Effort) -> Forms:
        """The forms in which a claim is asked. Claims of the same formulas have one ladder, so that these are expanded
        once."""
        if claim.recurrence:
            effort = replace(effort, recurrence=True)
        asked = formulas_of(claim)
        key = asked.formulas, asked.taken
        if key not in self._ladders:
            self._ladders[key] = Ladder(*key)
        return self._ladders[key].forms(effort)

    def orders(self, context: Context, orders: Iterable[Ordered], *, replay: bool = False) -> Steps:
        """The claims that orders are total on the types they are used on. An order stands for that of abstract
        elements, and the greatest by an order exists, only where it is: without this nothing follows from a statement
        being unsat.

        What is unsat of abstract elements is unsat of every total order, since each finite one embeds into the integers
        that stand for them. So a statement is asked once, and three laws on each type: any two elements compare, two
        that are both ways are the same, and it is transitive.
        """
        claims = []
        for name, sort in orders:
            order, library = context.known_orders[name]
            claims += self._order_claims(library, order, sort)
        assert claims
        assert all(sort != ELEMENT for _, sort in orders)
        if replay:
            return (yield from self.replay(claims))
        return (yield from self.prove(claims, LADDER[:1]))

    def _order_claims(self, library: Library, order: OrderDefinition, sort: Sort) -> list[Claim]:
        """The laws of an order on a type, made once: most obligations rest on some. The text and the library are kept
        beside them, so that their identities stay theirs."""
        key = (id(order), id(library), sort)
        if key not in self._laws:
            self._laws[key] = (order, library, order_claims(library, order, sort))
        return self._laws[key][2]


def formulas_of(claim: Claim) -> Formulas:
    """The formulas that are expanded for a claim: unsat of the lemmas, the hypotheses and the negated goal together is
    that the goal follows from the others."""
    formulas, taken = [*claim.lemmas, *claim.hypotheses, not_(claim.goal)], claim.taken
    while lengths := settled(formulas):
        formulas = replace_nodes(formulas, lengths)
        taken = tuple(replace(one, body=replace_nodes([one.body], lengths)[0]) for one in taken)
    return Formulas(tuple(formulas), taken, claim.recurrence)


def _halfway(answers: Answers) -> bool:
    """Return whether a solver says unsat, and none has a model, but one voice is missing."""
    return set(answers.values()) == {Status.UNSAT, Status.UNKNOWN} and not agreed(answers)


def _more(known: Answers, answers: Answers) -> Answers:
    """The answers to one text. One with less work is no news of a solver that had another."""
    decided = {name: status for name, status in known.items() if status != Status.UNKNOWN}
    return {**known, **answers, **decided}


def joined(a: Proof, b: Proof) -> Proof:
    """The proof of the claims of both."""
    claims, forms, heard = [*a.claims, *b.claims], [*a.forms, *b.forms], [*a.heard, *b.heard]
    return Proof(
        [*a.last, *b.last], [*a.reasons, *b.reasons], _all_queries(a, b), claims=claims, forms=forms, heard=heard
    )


def continued(a: Proof, b: Proof) -> Proof:
    """The proof of `a` with its open claims answered by `b`, which was asked of these in their order."""
    # Each by its own place: an answer to another claim would be a proof of what is false (twin answers_of_the_first).
    last, reasons, forms, heard = list(a.last), list(a.reasons), list(a.forms), list(a.heard)
    for place, n in enumerate(a.open()):
        if b.last[place]:
            last[n], reasons[n], forms[n] = b.last[place], b.reasons[place], b.forms[place]
            heard[n] = b.heard[place]
    return Proof(last, reasons, _all_queries(a, b), claims=a.claims, forms=forms, heard=heard)


def _all_queries(a: Proof, b: Proof) -> dict[str, Answers]:
    queries = dict(a.queries)
    for sha256, answers in b.queries.items():
        queries[sha256] = _more(queries.get(sha256, {}), answers)
    return queries


def worst(answers: Sequence[Answers]) -> Answers:
    """For each solver that was asked everything the answer that keeps the obligation from being proved, if any; of a
    proof, those that make it, each of which may be of some claims alone."""
    if all_unsat(answers):
        return {name: status for given in answers for name, status in given.items() if status == Status.UNSAT}
    order = (Status.UNSAT, Status.UNKNOWN, Status.SAT)
    worst: Answers = {}
    for given in answers:
        for name, status in given.items():
            if name not in worst or order.index(status) > order.index(worst[name]):
                worst[name] = status
    # A solver that was not asked everything says nothing of the whole.
    asked = [given for given in answers if given]
    return {name: status for name, status in worst.items() if all(name in given for given in asked)}
