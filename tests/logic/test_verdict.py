"""A verdict says no more than what it was made from."""

from __future__ import annotations

from itertools import product

import pytest

from sonnx_verify.logic import verdict
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import FALSE, TRUE, ZERO, Symbol, Term, le, not_
from sonnx_verify.logic.verdict import NAMES, Verdict, VerdictName
from tests.logic.built import fold

A = Symbol("a", (), INT)
POSITIVE = le(ZERO, A())
STATUSES = ("unsat", "sat", "unknown")
MADE_HERE = ("proved", "refuted", "holds", "violated", "vacuous")
UNSAT = {"z3": "unsat", "cvc5": "unsat"}
# Without a value: the only member of an empty set.
NOWHERE = le(ZERO, fold("the", ZERO, A(), lambda k: le(A(), ZERO), lambda k: k))
Answers = list[dict[str, str]]


def answer_lists() -> list[Answers]:
    """No query, one query of up to three solvers with every combination of answers, and two queries of two solvers."""
    names = ("z3", "cvc5", "bitwuzla")
    one = [dict(zip(names, given, strict=False)) for n in range(4) for given in product(STATUSES, repeat=n)]
    two = [a for a in one if len(a) == 2]
    return [[], *([a] for a in one), *([a, b] for a, b in product(two, repeat=2))]


def all_agree(answers: Answers) -> bool:
    """What is asked of a proof, said once more: z3 is right or one of the two others is, which share code on floats."""
    return answers != [] and all(
        "sat" not in a.values() and a.get("z3") == "unsat" and "unsat" in (a.get("cvc5"), a.get("bitwuzla"))
        for a in answers
    )


@pytest.mark.parametrize("witness", [None, {A: -1}, {A: 0}], ids=["none", "false", "true"])
def test_proved_needs_every_unsat_and_a_witness(witness: dict[Symbol, int] | None) -> None:
    """Proved exactly where two voices say unsat to each of some queries, and the witness holds on replay."""
    for answers in answer_lists():
        made = verdict.proved(answers, [POSITIVE], witness)
        may = all_agree(answers) and witness == {A: 0}

        assert (made.name == "proved") == may, (answers, witness)
        assert made.name in ("proved", "unknown", "inconsistent")


def test_no_query_proves_nothing() -> None:
    """No query, a query that nobody answered, and one that a single solver answered are no proof."""
    several: list[list[dict[str, str]]] = [[], [{}], [{"z3": "unsat"}], [UNSAT, {}], [UNSAT, {"z3": "unsat"}]]
    for answers in several:
        assert verdict.proved(answers, [], {}).name == "unknown"
        assert verdict.vacuous(answers, "").name == "unknown"
        assert verdict.impossible(answers, "").name == "unknown"


def test_solvers_that_share_code_are_one_voice() -> None:
    """cvc5 and bitwuzla are no proof without z3, and are one with it."""
    shared = {"cvc5": "unsat", "bitwuzla": "unsat"}

    assert verdict.proved([shared], [], {}).name == "unknown"
    assert not verdict.supported("proved", shared, [shared])
    for first in shared:
        pair = {"z3": "unsat", **shared, first: "unknown"}
        assert verdict.proved([pair], [], {}).name == "proved"


def test_proved_without_hypotheses_needs_a_witness_too() -> None:
    """An empty interpretation is a witness of no hypotheses; no interpretation is none."""
    assert verdict.proved([UNSAT], [], {}).name == "proved"
    assert verdict.proved([UNSAT], [], None).name == "unknown"


def test_contradiction_is_inconsistent() -> None:
    """Where one solver says sat and another unsat to one query, nothing is proved, shown vacuous or impossible."""
    for answers in answer_lists():
        clash = any({"sat", "unsat"} <= set(a.values()) for a in answers)

        assert (verdict.proved(answers, [], {}).name == "inconsistent") == clash
        assert (verdict.impossible(answers, "").name == "inconsistent") == clash
        assert verdict.contradicted(answers) == clash


def test_vacuous_and_violated_need_every_unsat() -> None:
    """Both rest on unsat from all solvers, on every query."""
    for answers in answer_lists():
        assert (verdict.vacuous(answers, "").name == "vacuous") == all_agree(answers)
        assert (verdict.impossible(answers, "").name == "violated") == all_agree(answers)


CONDITIONS: list[tuple[list[Term], dict[Symbol, int], bool]] = [
    ([], {}, True),
    ([POSITIVE], {A: 0}, True),
    ([POSITIVE], {A: -1}, False),
    ([POSITIVE, not_(POSITIVE)], {A: 0}, False),
    ([TRUE, POSITIVE], {A: 3}, True),
    ([FALSE], {A: 0}, False),
    # No value: a symbol without a meaning, and a fold that has none.
    ([POSITIVE], {}, False),
    ([NOWHERE], {A: 1}, False),
    ([NOWHERE], {A: 0}, True),
    # A condition that is a number is not true, whatever Python thinks of it.
    ([A()], {A: 1}, False),
]


@pytest.mark.parametrize(("conditions", "interpretation", "good"), CONDITIONS)
def test_refuted_and_holds_need_a_replay(conditions: list[Term], interpretation: dict[Symbol, int], good: bool) -> None:
    """Refuted and holds exactly where the evaluator finds every condition true; else a candidate."""
    assert verdict.is_witness(conditions, interpretation) == good
    assert verdict.refuted(conditions, interpretation, "").name == ("refuted" if good else "candidate")
    assert verdict.witnessed(conditions, interpretation, "").name == ("holds" if good else "candidate")
    assert verdict.proved([UNSAT], conditions, interpretation).name == ("proved" if good else "unknown")


@pytest.mark.parametrize("name", NAMES)
def test_direct_construction(name: VerdictName) -> None:
    """The verdicts that promise something cannot be made by hand, with no key and with no other object."""
    if name in MADE_HERE:
        for key in (None, object(), True, "key"):
            with pytest.raises(ValueError, match="made in"):
                Verdict(name, "", key)
        with pytest.raises(ValueError, match="made in"):
            verdict.undecided(name, "")
    else:
        assert (Verdict(name, "why").name, verdict.undecided(name, "why").reason) == (name, "why")


def test_good_names_are_made_here() -> None:
    """Whatever counts as success cannot be made by hand, and no success is a finding."""
    assert frozenset(MADE_HERE) >= verdict.GOOD
    assert frozenset() == verdict.GOOD & verdict.FINDINGS
    assert frozenset(NAMES) >= verdict.GOOD | verdict.FINDINGS


def test_unknown_name() -> None:
    """There are no other verdicts."""
    with pytest.raises(ValueError, match="no verdict"):
        Verdict("true", "")  # type: ignore[arg-type]  # what is tested


def test_static() -> None:
    """A statement about the text holds or is violated."""
    assert (verdict.static("", holds=True).name, verdict.static("", holds=False).name) == ("holds", "violated")


Recorded = tuple[dict[str, str], list[dict[str, str]]]
NOTHING: Recorded = ({}, [])
AGREED: Recorded = (UNSAT, [UNSAT, {"z3": "unknown"}])
RECORDS: list[tuple[Recorded, set[str]]] = [
    (AGREED, {"proved", "vacuous", "violated"}),
    (NOTHING, {"violated"}),  # of a text that is wrong in itself
    (({"z3": "sat", "cvc5": "sat"}, [{"z3": "sat", "cvc5": "sat"}]), set()),
    (({"z3": "unsat", "cvc5": "sat"}, [{"z3": "unsat"}, {"z3": "unsat", "cvc5": "unknown"}]), set()),
    (({"z3": "unsat"}, [{"z3": "unsat"}]), set()),
    ((UNSAT, [UNSAT, {"z3": "sat", "cvc5": "unsat"}]), set()),
]


@pytest.mark.parametrize(("record", "allowed"), RECORDS)
def test_a_record_is_recalled_beside_answers_that_allow_it(record: Recorded, allowed: set[str]) -> None:
    """A proof needs unsat from two solvers, in the record too; one that has anything else is unknown."""
    answers, queries = record
    for name in (VerdictName.PROVED, VerdictName.VACUOUS, VerdictName.VIOLATED):
        made = verdict.recalled(name, "why", answers, queries)

        assert (made.name == name) == (name in allowed), (name, record)
        assert made.name in (name, VerdictName.UNKNOWN)


def test_what_was_run_is_recalled_unless_solvers_contradict_each_other() -> None:
    """A counterexample and a witness rest on no answer; beside a contradiction nothing stands."""
    clash = [{"z3": "sat", "cvc5": "unsat"}]
    for name in (VerdictName.REFUTED, VerdictName.HOLDS):
        assert verdict.recalled(name, "", {"z3": "sat"}, [{"z3": "sat"}]).name == name
        assert verdict.recalled(name, "", {}, clash).name == VerdictName.UNKNOWN
