"""Which answers are a proof: two voices, of one text, or of floats as bits and as rounded reals."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FLOATS, INT, FloatSort
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import Symbol, add, and_, element, eq, implies, integer, le, not_, times
from sonnx_verify.logic.verdict import contradicted, proved, supported
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.results.answer import BUDGET, NOT_INSTALLED, Answer, unknown
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.voice import Floats
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.proof import Proof, Prover, worst
from sonnx_verify.solving.check.readings import Asked
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import evidence_of
from sonnx_verify.solving.solvers import Solvers

FLOAT16, BFLOAT16 = (next(sort for sort in FLOATS if sort.name == name) for name in ("float16", "bfloat16"))
BITS, REALS = "bits", "reals"
ONE_EFFORT: Sequence[Effort] = LADDER[:1]


def growing(sort: FloatSort) -> Claim:
    """x + z is monotone: asked with floats as rounded reals, and as bits."""
    x, y, z = (Symbol(name, (), sort)() for name in "xyz")
    a, b = element(Op.ADD, x, z), element(Op.ADD, y, z)
    numbers = and_(not_(element(Op.IS_NAN, a)), not_(element(Op.IS_NAN, b)))
    return Claim((le(x, y), numbers), le(a, b), "x + z is monotone")


def integral(sort: FloatSort, *, alone: bool = False) -> Claim:
    """To round to an integer twice is to round once; of one float, or with another one beside it, that has to be a
    number."""
    x, y = (Symbol(name, (), sort)() for name in "xy")
    once = element(Op.ROUND_EVEN, x)
    beside = () if alone else (not_(element(Op.IS_NAN, y)),)
    return Claim(beside, implies(not_(element(Op.IS_NAN, x)), eq(element(Op.ROUND_EVEN, once), once)), "rounds once")


@dataclass
class Said:
    """A query that is answered."""

    sha256: str
    given: dict[str, Answer]

    def result(self) -> dict[str, Answer]:
        return self.given

    def done(self) -> bool:
        return True


@dataclass
class Scripted:
    """Solvers that say what they are told to, of floats as bits and as rounded reals; nothing of the rest."""

    said: Mapping[tuple[str, str], str]
    names: tuple[str, ...] = ("z3", "cvc5")
    further: tuple[str, ...] = ("bitwuzla",)
    budget: int = 1000
    asked: list[tuple[str, str]] = field(default_factory=list)

    def submit(self, text: str, *, budget: int | None = None, names: Sequence[str] | None = None) -> Said:
        """The answers."""
        kind = BITS if "(_ FloatingPoint " in text else REALS
        given = {}
        for name in names or self.names:
            self.asked.append((name, kind))
            status = self.said.get((name, kind), BUDGET)
            decided = status in ("sat", "unsat")
            given[name] = Answer(name, Status(status)).to(text) if decided else unknown(name, status)
        return Said(hashlib.sha256(text.encode()).hexdigest(), given)


def proof_of(solvers: Any, claim: Claim) -> Proof:
    """The proof that comes out."""
    steps = Prover(solvers).prove([claim], ONE_EFFORT)
    while True:
        try:
            for query in next(steps):
                query.result()
        except StopIteration as ended:
            made: Proof = ended.value
            return made


def voices(proof: Proof) -> list[str]:
    """The voices of a claim."""
    return [str(voice) for company in proof.voices() for voice in company]


UNSAT = "unsat"
SHOWN = {
    "z3 and cvc5 on bits": [("z3", BITS), ("cvc5", BITS)],
    "bitwuzla in the place of cvc5": [("z3", BITS), ("bitwuzla", BITS)],
    "reals in one, bits in the other": [("z3", REALS), ("cvc5", BITS)],
    "bits in one, reals in the other": [("z3", BITS), ("cvc5", REALS)],
    "reals in z3, bits in bitwuzla": [("z3", REALS), ("bitwuzla", BITS)],
}


@pytest.mark.parametrize("case", SHOWN)
def test_two_voices_are_a_proof(case: str) -> None:
    """Each pair of independent voices, one of each text or both of one; the record says which."""
    proof = proof_of(Scripted(dict.fromkeys(SHOWN[case], UNSAT)), growing(FLOAT16))
    words = {BITS: "bits", REALS: "rounded reals"}

    assert proof.complete
    assert voices(proof) == [f"{name} on {words[kind]}" for name, kind in SHOWN[case]]
    assert proved(proof.last, [], {}).name == "proved"
    assert worst(proof.last) == dict.fromkeys((name for name, _ in SHOWN[case]), UNSAT)


def test_nothing_else_is_a_proof() -> None:
    """Of all that three solvers can say of two texts, a proof is what has z3, another one, and no model beside it."""
    claim = growing(FLOAT16)
    speakers = [("z3", REALS), ("cvc5", REALS), ("z3", BITS), ("cvc5", BITS), ("bitwuzla", BITS)]
    for said in product((UNSAT, "sat", BUDGET), repeat=len(speakers)):
        given = dict(zip(speakers, said, strict=True))
        solvers = Scripted(given)
        proof = proof_of(solvers, claim)
        reals = {name: given[name, REALS] for name in ("z3", "cvc5")}
        bits = {name: given[name, BITS] for name in ("z3", "cvc5", "bitwuzla") if (name, BITS) in solvers.asked}
        unsat = {name for of in (reals, bits) for name, status in of.items() if status == UNSAT}
        of_reals = set(reals.values()) == {UNSAT}
        of_any = "z3" in unsat and len(unsat) > 1
        # A model of the reals says nothing of bits, which say more; one of bits contradicts.
        may = of_reals or (of_any and "sat" not in bits.values())

        assert proof.complete == may, given
        assert not proof.complete or "sat" not in proof.last[0].values()


def test_solvers_that_share_code_are_no_proof() -> None:
    """cvc5 and bitwuzla on bits, whatever cvc5 says of reals."""
    said = dict.fromkeys([("cvc5", BITS), ("bitwuzla", BITS), ("cvc5", REALS)], UNSAT)

    assert not proof_of(Scripted(said), growing(FLOAT16)).complete


def test_texts_without_floats_are_asked_of_both() -> None:
    """Where no text has floats, two solvers have to find one text unsat: unsat of one each is no proof."""
    n = Symbol("n", (), INT)()
    claim = Claim((), not_(eq(times(n, n), add(times(n, n), integer(1)))), "a square is not one more than itself")
    proof = Proof.begun([claim])
    for text, said in (("one", "z3"), ("other", "cvc5")):
        given = {name: unknown(name, BUDGET) for name in ("z3", "cvc5")}
        given[said] = Answer(said, Status.UNSAT).to(text)
        proof.note(0, Said(hashlib.sha256(text.encode()).hexdigest(), given), Asked(text, Floats.NONE))  # type: ignore[arg-type]

    assert not proof.complete


@pytest.mark.parametrize(
    "answer",
    [
        Answer("z3", Status.UNSAT).to("(assert false)"),
        Answer("cvc5", Status.UNSAT).to("one"),
        Answer("z3", Status.UNSAT),
        Answer("z3", Status.SAT).to("two"),
    ],
    ids=["another text", "another solver", "no text", "a model of another text"],
)
def test_an_answer_to_another_question_is_none(answer: Answer) -> None:
    """Whatever carried it here: it counts only from the solver, and to the text, that were asked."""
    proof = Proof.begun([growing(FLOAT16)])
    asked = Asked("one", Floats.NONE)
    proof.note(0, Said(asked.sha256, {"z3": answer}), asked)  # type: ignore[arg-type]

    assert proof.last == [{"z3": Status.UNKNOWN}]
    assert proof.queries == {asked.sha256: {"z3": Status.UNKNOWN}}
    assert not proof.heard[0]


def test_a_missing_solver_is_not_replaced() -> None:
    """Without cvc5 there is no proof, though bitwuzla would say unsat: nothing hides that one is missing."""
    said = {("z3", BITS): UNSAT, ("z3", REALS): UNSAT, ("bitwuzla", BITS): UNSAT}
    missing = {("cvc5", BITS): NOT_INSTALLED, ("cvc5", REALS): NOT_INSTALLED}
    solvers = Scripted({**said, **missing})

    assert not proof_of(solvers, growing(FLOAT16)).complete
    assert ("bitwuzla", BITS) not in solvers.asked


@pytest.mark.parametrize(("sort", "asked"), [(FLOAT16, True), (BFLOAT16, False)], ids=["float16", "bfloat16"])
def test_bitwuzla_is_asked_where_it_counts(sort: FloatSort, asked: bool) -> None:
    """Where z3 says unsat and cvc5 nothing, of floats that it takes; where cvc5 agrees it is not."""
    left_open = Scripted({("z3", BITS): UNSAT})
    proof_of(left_open, integral(sort))
    agreed = Scripted({("z3", BITS): UNSAT, ("cvc5", BITS): UNSAT})
    proof_of(agreed, integral(sort))

    assert (("bitwuzla", BITS) in left_open.asked) == asked
    assert ("bitwuzla", BITS) not in agreed.asked


def test_a_contradiction_is_on_record() -> None:
    """A model that bitwuzla has of what z3 finds unsat is no proof, and stays among the answers to that text."""
    said = {("z3", BITS): UNSAT, ("bitwuzla", BITS): "sat"}
    proof = proof_of(Scripted(said), growing(FLOAT16))

    assert not proof.complete
    assert {"z3": "unsat", "cvc5": "unknown", "bitwuzla": "sat"} in proof.queries.values()


def test_claims_with_different_voices() -> None:
    """The answers of a proof are those that make it: cvc5 left one claim open, and counts for the other."""
    agreed = {"z3": Status.UNSAT, "cvc5": Status.UNSAT}
    stood_in = {"z3": Status.UNSAT, "cvc5": Status.UNKNOWN, "bitwuzla": Status.UNSAT}
    answers = worst([agreed, stood_in])

    assert answers == dict.fromkeys(("z3", "cvc5", "bitwuzla"), UNSAT)
    assert supported("proved", answers, [agreed, stood_in])
    # Where a claim is open, who was not asked of all says nothing of the whole.
    assert worst([agreed, stood_in, {"z3": Status.SAT}]) == {"z3": "sat"}


def test_less_work_is_no_news() -> None:
    """What a solver found of a text stays on record where it was asked once more with less work, or alone."""
    proof = Proof.begun([growing(FLOAT16)])
    text = "(_ FloatingPoint 5 11)"
    for said in ({"z3": UNSAT, "cvc5": "sat"}, {"z3": BUDGET}, {"z3": BUDGET, "cvc5": BUDGET}):
        given = {n: unknown(n, s) if s == BUDGET else Answer(n, Status(s)).to(text) for n, s in said.items()}
        proof.note(0, Said(Asked(text, Floats.BITS).sha256, given), Asked(text, Floats.BITS))  # type: ignore[arg-type]

    assert proof.queries == {Asked(text, Floats.BITS).sha256: {"z3": UNSAT, "cvc5": "sat"}}


def test_evidence_of_two_readings() -> None:
    """A proof across two readings rests on both texts, each of which one voice found unsat."""
    proof = proof_of(Scripted(dict.fromkeys([("z3", REALS), ("bitwuzla", BITS)], UNSAT)), growing(FLOAT16))
    record = Record(Any, proved(proof.last, [], {}), queries=proof.queries, voices=proof.voices())  # type: ignore[arg-type]

    assert len(evidence_of(record)) == 2


FLOAT8 = FloatSort("float8_e5m2", 5, 3)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_all_values_are_a_voice(solver: str) -> None:
    """Beside one solver, whichever: the evaluator found no value of 256 that breaks the law."""
    proof = proof_of(Scripted({(solver, BITS): UNSAT}), integral(FLOAT8, alone=True))

    assert proof.complete
    assert voices(proof) == [f"{solver} on bits", "enumeration on bits"]
    assert proved(proof.last, [], {}).name == "proved"
    assert any(answers.get("enumeration") == UNSAT for answers in proof.queries.values())


def test_all_values_alone_are_no_proof() -> None:
    """Without a solver that says so too, or where one has a model, or is missing."""
    claim = integral(FLOAT8, alone=True)
    sat = {("z3", BITS): "sat", ("cvc5", BITS): UNSAT}
    missing = {("z3", BITS): UNSAT, ("cvc5", BITS): NOT_INSTALLED, ("cvc5", REALS): NOT_INSTALLED}

    for said in ({}, sat, missing):
        assert not proof_of(Scripted(said), claim).complete


def test_a_value_that_breaks_a_claim_contradicts_a_solver() -> None:
    """A solver that finds a false claim unsat is not believed, and what the evaluator found stands beside it."""
    x = Symbol("x", (), FLOAT8)()
    false = Claim((), eq(element(Op.ROUND_EVEN, x), element(Op.ROUND_UP, x)), "an integer is an integer")
    proof = proof_of(Scripted({("cvc5", BITS): UNSAT}), false)

    assert not proof.complete
    assert contradicted(list(proof.queries.values()))


def test_many_values_are_no_voice() -> None:
    """Two floats of 16 bits have too many."""
    assert not proof_of(Scripted({("cvc5", BITS): UNSAT}), integral(FLOAT16)).complete


def test_real_solvers() -> None:
    """z3 and bitwuzla prove a law of bits together, with a cvc5 that says nothing."""

    class Silent(Solvers):
        """Solvers of which cvc5 is given nothing to work with."""

        def submit(self, text: str, *more: Any, **options: Any) -> Any:
            query = super().submit(text, *more, **options)
            given = {name: unknown(name, BUDGET) if name == "cvc5" else a for name, a in query.result().items()}
            return Said(query.sha256, given)

    with Silent() as solvers:
        proof = proof_of(solvers, integral(FLOAT16))

    assert proof.complete
    assert voices(proof) == ["z3 on bits", "bitwuzla on bits"]


@pytest.mark.soak
def test_a_law_that_takes_all_values(tmp_path: Path) -> None:
    """A third three times: z3 decides no two divisions of float16, and cvc5 does. The evaluator is the other voice."""
    (tmp_path / "third.sonnx").write_text(
        """theory third "Back from a third"
types T = float16

theorem there_and_back "x / 3 * 3 is close to x"
  for x : T assuming T(0) <= x and x <= T(1000)
  : x / T(3) * T(3) <= x + x * T(0.002) + T(0.0000002)
""",
        "utf-8",
    )
    (unit,) = Project.open(tmp_path).units
    (theorem,) = (one for one in of_unit(Project.open(tmp_path), unit) if one.kind is Kind.THEOREM)
    with Solvers() as solvers:
        (record,) = run([theorem], solvers)

    assert record.verdict.name == "proved"
    assert [str(voice) for company in record.voices for voice in company] == ["cvc5 on bits", "enumeration on bits"]
