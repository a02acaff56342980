"""`explain --proof`: the facts that a proof needs, at their places, and what it needs them for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.api.select import select
from sonnx_verify.authoring.explain.binders import Binders
from sonnx_verify.cli import main
from sonnx_verify.language.origins import noted
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import ONE, Role, Symbol, forall, integer, lt, or_, sub
from sonnx_verify.solving.check.work import Work

TEXT = """\
library facts "A definition"

define rises(L : list of int) : bool
  "each item is above the one before"
  = for all m in 1 .. count(L) - 1 : L[m - 1] < L[m]
"""
LAWS = """\
use facts

theory laws "One of each kind of fact"

theorem few "a few facts of many"
  for a, b, c : int assuming 0 <= a and a < b and c = 7 and b < 9
  : b > 0

theorem item "an item of a list"
  for L : list of int assuming rises(L) and count(L) > 1
  : L[0] < L[1]

theorem cited "by a theorem" for L : list of int assuming count(L) = 2 and rises(L) using item(L) : L[0] <= L[1]

theorem alike "two conditions of one form"
  for A, B : set of int; n : int
  assuming (for all k in 0 .. n : k in A or k in B) and (for all j in 0 .. n : j in B or j in A)
           and not 0 in B and n > 0
  : 0 in A

theorem more "of a sum" for n : int assuming n >= 0 : sum { k | k in 0 .. n + 1 } = sum { k | k in 0 .. n } + n + 1

theorem above "of every number" for A : set of int; n : int
  assuming for all k in 0 .. n : k in A
  : for all j in 0 .. n - 1 : j in A

theorem nested "one in another" for L, K : list of int; n, m : int
  assuming count(L) = n and count(K) = n and 0 <= m and m < n and (for all p in L, q in K : L[p] < K[q])
  : L[m] < K[m]

theorem false "refuted" for a : int : a < 7
"""

REDUNDANT = """\
operator Row version 1 user

types int = int8 int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a matrix"  : rank(X) = 2
[C2] constraint "X has a row"    : X.shape[0] > 0
[C3] constraint "X is no scalar" : rank(X) > 0

shape Y    = X.shape
value Y[i] = X[i]
"""
VAIN = """\
theory vain "Hypotheses that nothing meets"

theorem nothing "of nothing" for k : int assuming k < 0 and k > 0 and k != 7 : k = 1
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "facts.sonnx").write_text(TEXT, "utf-8")
    (tmp_path / "laws.sonnx").write_text(LAWS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def proofs(*identities: str) -> list[dict[str, Any]]:
    """The answers in JSON."""
    done = CliRunner().invoke(main, ["explain", "--proof", *identities, "--format", "json"])
    assert done.exit_code == 0, done.output
    made: list[dict[str, Any]] = json.loads(done.stdout)["proofs"]
    return made


def last_claim(identity: str) -> dict[str, Any]:
    """The claim of a theorem itself, behind what it needs to mean anything."""
    (answer,) = proofs(identity)
    claim: dict[str, Any] = answer["proof"][0]["claims"][-1]
    return claim


def given(claim: dict[str, Any]) -> list[str]:
    return [fact["formula"] for fact in claim["facts"] if fact["role"] != "denied"]


def test_only_what_is_needed(project: Path) -> None:
    """Of four assumptions the two that are used, at their places; what is denied is the statement."""
    claim = last_claim("user.laws/few/theorem")

    assert given(claim) == ["0 <= a", "a < b"]
    assert claim["parts"] == 8
    assert [source["line"] for fact in claim["facts"][:2] for source in fact["sources"]] == [6, 6]
    (denied,) = (fact for fact in claim["facts"] if fact["role"] == "denied")
    assert [(source["item"], source["text"]) for source in denied["sources"]] == [("few", "b > 0")]


def test_an_instance_of_a_definition(project: Path) -> None:
    """The quantifier of a definition, in its file, with the author's name for the variable."""
    claim = last_claim("user.laws/item/theorem")
    (instance,) = (one for fact in claim["facts"] for one in fact["instances"])

    assert (instance["variable"], instance["term"]) == ("m", "1")
    assert (instance["source"]["file"], instance["source"]["line"]) == ("facts.sonnx", 5)
    assert instance["source"]["text"] == "for all m in 1 .. count(L) - 1 : L[m - 1] < L[m]"
    assert claim["facts"][0]["sources"][0]["text"] == "rises(L)"


def test_a_theorem_that_is_used(project: Path) -> None:
    (lemma,) = (fact for fact in last_claim("user.laws/cited/theorem")["facts"] if fact["role"] == "lemma")

    assert [(source["item"], source["text"]) for source in lemma["sources"]] == [("using", "item(L)")]


def test_the_condition_that_is_used(project: Path) -> None:
    """Of two conditions with the same symbols the one that is needed, not the one above it."""
    claim = last_claim("user.laws/alike/theorem")
    used = [(fact["sources"][0]["text"], fact["instances"]) for fact in claim["facts"] if fact["instances"]]
    ((text, (instance,)),) = used

    assert text.startswith("for all j ") is (instance["variable"] == "j")
    assert instance["source"]["text"] == text
    assert instance["term"] == "0"


def test_a_quantifier_in_another(project: Path) -> None:
    """It is found once a value stands in it for the variable of the other."""
    claim = last_claim("user.laws/nested/theorem")
    instances = [one for fact in claim["facts"] for one in fact["instances"]]

    assert [(one["variable"], one["term"]) for one in instances] == [("p", "m"), ("q", "m")]
    assert {one["source"]["text"] for one in instances} == {"for all p in L, q in K : L[p] < K[q]"}


def test_which_of_two_is_not_guessed(project: Path) -> None:
    """A quantifier that is like one of a text is taken for it, if no other is like it."""
    with noted() as origins:
        for obligation in select(["laws.sonnx"]).obligations:
            if obligation.build is not None:
                Work(obligation).state()
    binders = Binders.of_texts(origins.places)
    symbols = {name: Symbol(f"{name}.member", (INT,), BOOL, Role.MEMBER) for name in "AB"}
    high = Symbol("n", (), INT)()

    # Beside `for all k in 0 .. n : k in A or k in B`, and the same with j in the other order.
    two = forall(ONE, high, lambda k: or_(symbols["A"](k), symbols["B"](k)))
    item, count = Symbol("L", (INT,), INT), Symbol("L.count", (), INT, Role.COUNT)()
    rising = forall(integer(2), count, lambda m: lt(item(sub(m, ONE)), item(m)))
    found = binders.of(rising)

    assert binders.of(two) is None
    assert found is not None
    assert (found.name, found.place.span.source.name) == ("m", "facts.sonnx")


def test_a_rule_and_a_name(project: Path) -> None:
    """What is known of a sum is a rule, in words of the text; a name that the proof makes says what it is for."""
    (rule,) = last_claim("user.laws/more/theorem")["rules"]
    claim = last_claim("user.laws/above/theorem")

    assert rule.startswith("of sum: ")
    assert "sum { k | k in 0 .. n }" in rule
    assert claim["facts"][0]["instances"][0]["term"] == "j1"
    assert claim["names"] == {"j1": "one that breaks for all j in 0 .. n - 1 : j in A (laws.sonnx:25)"}


def test_hints_are_followed(project: Path) -> None:
    """Along hints and without them the same facts; a hint that does not fit is not called one that does."""
    anew = last_claim("user.laws/item/theorem")
    CliRunner().invoke(main, ["check", "--update-hints", "laws.sonnx"])
    kept = last_claim("user.laws/item/theorem")
    hints = project / "proofs" / "hints.txt"
    hints.write_text(re.sub(r" [\w-]{6}$", " abcdef", hints.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    forged = last_claim("user.laws/item/theorem")

    assert (anew["hint"], kept["hint"], forged["hint"]) == (False, True, False)
    assert anew["facts"] == kept["facts"] == forged["facts"]


def test_without_a_proof(project: Path) -> None:
    """What is refuted has no facts, and neither has what is computed."""
    found = proofs("user.laws/false/theorem", "user.laws/spec/well-formed")

    assert [answer["proof"] for answer in found] == [[], []]
    assert {answer["obligation"]["tag"]: answer["none"] for answer in found} == {
        "false": "it is not proved: there is no proof to show",
        "spec": "it is computed from the text: no solver is asked, and there is no proof to show",
    }


def test_what_no_input_meets(project: Path) -> None:
    """A clause that is redundant and hypotheses that contradict each other have proofs too: by the clause that implies
    it, and by the two of three that do not go together."""
    (project / "Row.sonnx").write_text(REDUNDANT, "utf-8")
    (project / "vain.sonnx").write_text(VAIN, "utf-8")
    redundant = last_claim("user.Row-1.int/C3/independent")
    vacuous = last_claim("user.vain/nothing/theorem")

    found = [(fact["denies"], [source["item"] for source in fact["sources"]]) for fact in redundant["facts"]]
    assert found == [(False, ["C1"]), (True, ["C3"])]
    assert given(vacuous) == ["k < 0", "1 <= k"]
