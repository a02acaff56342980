"""Pages of made-up facts: what is told of an obligation is on its page field by field, and how it is to be taken."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.conformance.ledger import Ledger
from sonnx_verify.logic.verdict import FINDINGS, GOOD, NAMES
from sonnx_verify.outputs.html.facts import Clause, Difference, Facts, Subject
from sonnx_verify.outputs.html.site import Heap, site
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.example import Example, Given, Omitted, Role
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query, Result
from sonnx_verify.results.values import Value, ValueKind

GOLDEN = Path(__file__).parent / "golden"
NUMBER = {"dtype": "int8", "shape": [], "data": 1}
SHOWN = Example(
    given=(
        Given("X", Role.INPUT, Value(ValueKind.TENSOR, "int8", (2,), (11, 12))),
        Given("axis", Role.ATTRIBUTE, Value(ValueKind.NUMBER, "int", (), (3,))),
    ),
    outputs=(
        Given("Y", Role.OUTPUT, Value(ValueKind.TENSOR, "int8", (), (13,))),
        Given("Y'", Role.OUTPUT, Value(ValueKind.TENSOR, "int8", (), (14,))),
    ),
    omitted=(Omitted("B"),),
    unasked=(),
    minimal=True,
    broken="Y is X",
)
STATES: dict[tuple[str, str], str] = {
    **{(name, ""): "good" if name in GOOD else "finding" if name in FINDINGS else "open" for name in NAMES},
    **{(name, name): "good" if name in GOOD else "expected" if name in FINDINGS else "left" for name in NAMES},
    **{(name, "refuted"): "open" for name in ("candidate", "unknown", "unsupported")},
    **{(name, "refuted"): "finding" for name in ("proved", "holds", "violated", "vacuous", "inconsistent")},
}
"""How a verdict is to be taken, by what the text expects."""


def result(verdict: str = "proved", expected: str = "", tag: str = "C1", **more: Any) -> Result:
    """The result of an obligation."""
    fields: dict[str, Any] = {
        "id": f"user.Foo-1.int/{tag}/covered", "subject": "user.Foo-1", "operator": "user.Foo", "version": 1,
        "section": "int", "tag": tag, "kind": "covered", "title": "", "place": Place("foo.sonnx"), "types": ("int8",),
        "declared": ("int8",), "variables": {}, "verdict": verdict, "reason": "", "expected": expected,
    }  # fmt: skip  # a table
    return Result(**(fields | more))


def facts(*listed: Result, **more: Any) -> Facts:
    """A report on one text."""
    subject = Subject("user.Foo-1", "user", "foo.sonnx", listed)
    return Facts([subject], {"z3": "1", "cvc5": "2"}, "d" * 64, "# Claim", **more)


def pages(made: Facts) -> dict[str, str]:
    return {name: data.decode() for name, data in site(made).items() if name.endswith(".html")}


def articles(page: str) -> dict[str, str]:
    """The pieces of a page by their names."""
    found = re.findall(r'<article class="\w+" id="([^"]*)">(.*?)</article>', page, re.DOTALL)
    return dict(found)


def fields(article: str) -> dict[str, str]:
    """What is in the list of an obligation."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", article, re.DOTALL)
    return {name: re.sub(r"<[^>]*>", "", text) for name, text in pairs}


def test_states() -> None:
    """Nothing is good but what is proved or holds, and what nobody decided is no finding."""
    assert {pair: result(*pair).state for pair in STATES} == STATES


def test_what_has_to_be_seen_first() -> None:
    pairs = [("proved", ""), ("refuted", "refuted"), ("unknown", "unknown"), ("unknown", ""), ("refuted", "")]
    for worst in range(1, len(pairs) + 1):
        listed = [result(*pair) for pair in pairs[:worst]]
        assert Heap(listed).worst is listed[-1]


@pytest.mark.parametrize(("verdict", "expected"), STATES)
def test_a_verdict_wherever_it_stands(verdict: str, expected: str) -> None:
    """In the numbers, in the matrix, in the list and on its own page: the class, the words, what was expected."""
    one = result(verdict, expected)
    made = pages(facts(one))
    how = STATES[verdict, expected]
    words = verdict if not expected or how == "good" else f"{verdict}, expected {expected}"
    words = f"{verdict}, as expected" if how in ("expected", "left") else words
    chip = f'<span class="verdict {how}">{words}</span>'

    numbers = dict(re.findall(r'<li class="(\w+)"><b>(\d+)</b>', made["index.html"]))
    assert numbers == dict.fromkeys(("good", "expected", "left", "finding", "open"), "0") | {how: "1"}
    assert re.findall(r'<a class="cell (\w+)".*?<span class="aloud"> (.*?)</span>', made["index.html"]) == [
        (how, f"covered, {words}")
    ]
    assert re.findall(r'<span class="verdict .*?</span>', made["index.html"]) == [chip]
    assert chip in articles(made["texts/user.Foo-1.html"])[one.id]


def test_fields() -> None:
    """Each is told with its own obligation, and none with another."""
    one = result(
        scope="every rank",
        assumptions=["R1 holds", "R2 holds"],
        variables={"I": "int32"},
        answers={"z3": "unsat", "cvc5": "unknown"},
        queries=(Query("0", {}),),
        uses=["proofs.a/b/theorem"],
        reason="since it is so",
        place=Place("bar.sonnx", 7),
    )
    found = articles(pages(facts(one, result(tag="C2")))["texts/user.Foo-1.html"])

    assert fields(found[one.id]) == {
        "for": "every rank",
        "types": "int8; I = int32",
        "solvers": "z3: unsat, cvc5: unknown, 1 query",
        "assuming": "R1 holds; R2 holds",
        "uses": "proofs.a/b/theorem",
        "reason": "since it is so",
        "text": "bar.sonnx:7",
    }
    assert fields(found["user.Foo-1.int/C2/covered"]) == {"types": "int8", "text": "foo.sonnx:1"}


@pytest.mark.parametrize("part", ["counterexample", "witness"])
def test_an_input_is_drawn(part: str) -> None:
    """With every value of it, what was left out, and both results."""
    shown: dict[str, Any] = {part: SHOWN}
    one = result("refuted" if part == "counterexample" else "holds", **shown)
    article = articles(pages(facts(one, result(tag="C2")))["texts/user.Foo-1.html"])[one.id]

    assert re.findall(r"<td[^>]*>(\d+)", article) == ["11", "12", "13", "14"]
    assert "<b>axis</b> = 3" in article
    assert "not given: B" in article
    assert re.findall(r'<p class="head">(.*?)</p>', article) == ["input", "one result", "another result"]
    assert ("Not so:</b> Y is X. The smallest counterexample, replayed:" in article) == (part == "counterexample")


@pytest.mark.parametrize(
    ("expected", "got", "notes"),
    [
        ({}, {}, []),
        ({"representative": ["Y"]}, {}, ["or another of the set"]),
        ({}, {"changed": ["X", "Z"]}, ["wrote to X, Z"]),
    ],
)
def test_what_the_tensors_of_a_divergence_do_not_show(
    expected: dict[str, Any], got: dict[str, Any], notes: list[str]
) -> None:
    """That other results are allowed, and which input was written to: it stands with the result that it is said of."""
    outcome = {"outcome": "result", "outputs": {"Y": NUMBER}}
    divergence = {
        "kind": "k", "title": "t", "types": ["int8"], "inputs": {"X": NUMBER}, "attributes": {}, "omitted": [],
        "expected": outcome | expected, "got": outcome | got, "repro": "python",
    }  # fmt: skip  # a table
    entry = {"scope": {"inputs": 1}, "unsupported": {}, "divergences": {"own/x": divergence}}
    made = facts(result(), ledgers=[Ledger("own", "1", {"user.Foo-1": entry})])
    for page in ("divergences.html", "texts/user.Foo-1.html"):
        article = articles(pages(made)[page])["own/x"]
        first, second = re.findall(r'<div class="result">(.*?)</div>', article, re.DOTALL)
        assert [re.findall(r'<p class="attribute">(.*?)</p>', side) for side in (first, second)] == [
            notes if expected else [],
            notes if got else [],
        ]


def small() -> Facts:
    """A report with one of everything."""
    listed = [
        result(answers={"z3": "unsat", "cvc5": "unsat"}, queries=(Query("0", {}),), scope="every rank"),
        result("refuted", tag="C2", counterexample=SHOWN, assumptions=["R1 holds"]),
        result("proved", "refuted", tag="C3"),
        result("unsupported", "unsupported", tag="C4", reason="outside of the model"),
        result("unknown", tag="C5", reason="no time"),
    ]
    clauses = [
        Clause("C1", "constraint", "int", "x", "foo.sonnx:1", "$x$ is $1$ or less", "foo.md:3", "quoted", True),
        Clause("C2", "constraint", "int", "y", "foo.sonnx:2", gap="not on the page", finding=["refuted", "  so"]),
        Clause("C6", "constraint", "int", "z", "foo.sonnx:3", gap="no proof", tests="1 of 2 slips killed", asked=False),
    ]
    gap = {
        "id": "onnx.Foo-1.int/U/gap", "tag": "U", "section": "int", "reach": "value", "sentence": "so", "origin": "a",
        "witness": example_json(SHOWN), "results": [{"Y": NUMBER}, None], "decided_by": None,
    }  # fmt: skip  # a table
    outcome = {"outcome": "result", "outputs": {"Y": NUMBER}}
    divergence = {
        "kind": "k", "title": "t", "types": ["int8"], "inputs": {"X": NUMBER}, "attributes": {}, "omitted": [],
        "expected": outcome | {"representative": ["Y"]}, "got": outcome | {"changed": ["X"]}, "repro": "python",
    }  # fmt: skip  # a table
    raised = divergence | {"got": {"outcome": "raised", "said": "no"}}
    entry = {"scope": {"inputs": 1}, "unsupported": {}, "divergences": {"own/x": divergence, "own/y": raised}}
    standard = Subject(
        "onnx.Foo-1", "standard", "onnx.sonnx", (), gaps=[gap], unshown=[("onnx.Foo-1.int/V/gap", "violated: never")]
    )
    differences = [Difference("user.Foo-0", ["is not compared: they cannot be"])]
    own = Subject("user.Foo-1", "user", "foo.sonnx", listed, "foo.md", clauses, differences=differences)
    ledgers = [Ledger("own", "1", {"user.Foo-1": entry})]
    mutants = {"foo.sonnx:1:1 a to b": {"verdict": "killed"}, "foo.sonnx:1:2 a to c": {"verdict": "surviving"}}
    return Facts([own, standard], {"z3": "1", "cvc5": None}, "d" * 64, "# Claim", ledgers, mutants, whole=False)


@pytest.mark.parametrize("name", ["index", "texts/user.Foo-1", "texts/onnx.Foo-1", "open", "divergences", "mutants"])
def test_golden(name: str) -> None:
    """The content of a page is, to the byte, what was read over. SONNX_REWRITE_GOLDEN=1 writes it anew."""
    text = pages(small())[f"{name}.html"]
    found = re.search("<main .*</main>", text, re.DOTALL)
    assert found is not None
    kept = GOLDEN / f"{name.rpartition('/')[2]}.html"
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"{found[0]}\n", "utf-8")

    assert kept.read_text("utf-8") == f"{found[0]}\n"
