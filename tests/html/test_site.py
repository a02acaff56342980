"""Pages of made-up facts: what is told of an obligation is on its page field by field, and how it is to be taken."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from sonnx_verify.authoring.mutation.records import Settled, TextRecord
from sonnx_verify.conformance.records.accuracy import Entry, Recorded
from sonnx_verify.conformance.records.ledger import Ledger
from sonnx_verify.logic.verdict import FINDINGS, GOOD, NAMES
from sonnx_verify.outputs.html.counts import Heap
from sonnx_verify.outputs.html.facts import Clause, Difference, Facts, Stamp, Subject
from sonnx_verify.outputs.html.plan import MOST
from sonnx_verify.outputs.html.site import site
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.example import Example, Given, Omitted, Role
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query, Result
from sonnx_verify.results.values import Value, ValueKind
from sonnx_verify.results.written import plain

GOLDEN = Path(__file__).parent / "golden"
OWN = "texts/user.Foo-1"
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

    for page in ("index.html", f"{OWN}/index.html"):
        numbers = re.findall(r'<li class="(\w+)"><b>(\d+)</b>', made[page])
        assert [pair for pair in numbers if pair[1] != "0"] == [(how, "1")]
        assert re.findall(r'<a class="cell (\w+)".*?<span class="aloud"> (.*?)</span>', made[page]) == [
            (how, f"all, {words}"),
            (how, f"covered, {words}"),
        ]
    assert (chip in made[f"{OWN}/index.html"]) == (how != "good")
    assert chip in articles(made[f"{OWN}/obligations-int.html"])[one.id]


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
    found = articles(pages(facts(one, result(tag="C2")))[f"{OWN}/obligations-int.html"])

    assert fields(found[one.id]) == {
        "identity": one.id,
        "for": "every rank",
        "types": "int8; I = int32",
        "solvers": "z3: unsat, cvc5: unknown, 1 query",
        "assuming": "R1 holds; R2 holds",
        "uses": "proofs.a/b/theorem",
        "reason": "since it is so",
        "text": "bar.sonnx:7",
    }
    other = "user.Foo-1.int/C2/covered"
    assert fields(found[other]) == {"identity": other, "types": "int8", "text": "foo.sonnx:1"}


@pytest.mark.parametrize("part", ["counterexample", "witness"])
def test_an_input_is_drawn(part: str) -> None:
    """With every value of it, what was left out, and both results."""
    shown: dict[str, Any] = {part: SHOWN}
    one = result("refuted" if part == "counterexample" else "holds", **shown)
    article = articles(pages(facts(one, result(tag="C2")))[f"{OWN}/obligations-int.html"])[one.id]

    assert re.findall(r"<td[^>]*>(\d+)", article) == ["11", "12", "13", "14"]
    assert "<b>axis</b> = 3" in article
    assert "not given: B" in article
    assert re.findall(r'<p class="head">(.*?)</p>', article) == ["input", "one result", "another result"]
    assert ("Violated:</b> Y is X. The smallest counterexample, replayed:" in article) == (part == "counterexample")


@pytest.mark.parametrize(
    ("expected", "got", "notes"),
    [
        ({}, {}, []),
        ({"representative": ["Y"]}, {}, ["or another member of the set"]),
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
    article = articles(pages(made)["runtimes/own/user.Foo-1.html"])["own/x"]
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
        Clause(
            "C1",
            "constraint",
            "int",
            "x",
            '[C1] constraint "x" : X[m] = int8(1)',
            "foo.sonnx:1",
            "$x$ is $1$ or less",
            "foo.md:3",
            "quoted",
            True,
        ),
        Clause("C2", "constraint", "int", "y", "", "foo.sonnx:2", gap="not on the page", finding=["refuted", "  so"]),
        Clause(
            "C6",
            "constraint",
            "int",
            "z",
            "",
            "foo.sonnx:3",
            gap="no proof",
            tests="1 of 2 mutations killed",
            asked=False,
        ),
    ]
    gap = {
        "id": "onnx.Foo-1.int/U/gap", "tag": "U", "section": "int", "reach": "value", "sentence": "so", "origin": "a",
        "witness": plain(example_json(SHOWN)), "results": [{"Y": NUMBER}, None], "decided_by": None,
    }  # fmt: skip  # a table
    outcome = {"outcome": "result", "outputs": {"Y": NUMBER}}
    divergence = {
        "kind": "k", "title": "t", "types": ["int8"], "inputs": {"X": NUMBER}, "attributes": {}, "omitted": [],
        "expected": outcome | {"representative": ["Y"]}, "got": outcome | {"changed": ["X"]}, "repro": "python",
    }  # fmt: skip  # a table
    raised = divergence | {"got": {"outcome": "raised", "said": "no"}}
    covering = {"types": ["int8"], "strength": 2, "combinations": 1200, "covered": 1100, "rows": 80, "left": 3}
    scope = {"inputs": 1, "covering": [covering]}
    entry = {"scope": scope, "unsupported": {}, "divergences": {"own/x": divergence, "own/y": raised}}
    standard = Subject(
        "onnx.Foo-1", "standard", "onnx.sonnx", (), gaps=[gap], unshown=[("onnx.Foo-1.int/V/gap", "violated: never")]
    )
    differences = [Difference("user.Foo-0", ["is not compared: they cannot be"])]
    own = Subject("user.Foo-1", "user", "foo.sonnx", listed, "foo.md", clauses, differences=differences)
    ledgers = [Ledger("own", "1", {"user.Foo-1": entry})]
    record = TextRecord(
        (), {"let P": Settled(1, 0, 16 * "0")}, {"let P: a -> c": {"verdict": "surviving", "why": "No input shows it."}}
    )
    stamp = Stamp("own", "0123456789ab", "2024-02-29", changed=True)
    made = Facts(
        [own, standard], {"z3": "1", "cvc5": None}, "d" * 64, "# Claim", ledgers, {"foo.sonnx": record}, whole=False
    )
    return replace(made, stamp=stamp, accuracy=[Recorded("own", "1", {"user.Foo-1": Entry(0, 40, ROWS)})])


ROWS = (
    {
        "type": "float", "output": "Y", "least": 0, "most": 8, "measured": 2001, "nearest": 2000, "mean": 0.1,
        "worst": {
            "ulps": 1.5, "exact": "0.1", "got": 0.2, "index": [3],
            "inputs": {"X": {"dtype": "float", "shape": [9], "elements": "spread", "seed": 7}, "axis": NUMBER},
            "attributes": {"k": 2},
        },
        "histogram": [{"up_to": 0.5, "elements": 2000}, {"up_to": 2.0, "elements": 1}],
        "not_finite": 3, "differ": 1, "open": 4, "undecided": 5,
    },
    {
        "type": "float", "output": "Y", "least": 9, "most": 1000, "measured": 0, "nearest": 0, "mean": 0.0,
        "worst": None, "histogram": [], "not_finite": 1, "differ": 0, "open": 0, "undecided": 0,
    },
)  # fmt: skip  # a table
"""What was measured by size, and what was not."""


PAGES = (
    "index", "open", "runtimes", "runtimes/own/user.Foo-1", "mutants/index", "mutants/alive", f"{OWN}/index",
    f"{OWN}/clauses-int", f"{OWN}/obligations-int", f"{OWN}/differences", "texts/onnx.Foo-1/index",
    "texts/onnx.Foo-1/open", "accuracy", "accuracy/own/user.Foo-1",
)  # fmt: skip  # a table


@pytest.mark.parametrize("name", PAGES)
def test_golden(name: str) -> None:
    """The content of a page is, to the byte, what was read over. SONNX_REWRITE_GOLDEN=1 writes it anew."""
    text = pages(small())[f"{name}.html"]
    found = re.search("<main .*</main>", text, re.DOTALL)
    assert found is not None
    kept = GOLDEN / f"{name.replace('/', '.')}.html"
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"{found[0]}\n", "utf-8")

    assert kept.read_text("utf-8") == f"{found[0]}\n"


def many() -> Facts:
    """A report on texts that are too long for a page each, with findings of every kind."""
    verdicts = [("proved", ""), ("refuted", ""), ("refuted", "refuted"), ("unknown", ""), ("unknown", "unknown")]
    texts = []
    for name, count in (("user.Foo-1", 130), ("user.Bar-2", 70), ("user.Baz-3", 1)):
        listed = []
        for number in range(count):
            section, (verdict, expected) = ("int", "float", "")[number % 3], verdicts[number % 5]
            place = f".{section}" if section else ""
            shown = {"counterexample": SHOWN} if verdict == "refuted" else {}
            identity = f"{name}{place}/C{number}/covered"
            listed.append(result(verdict, expected, f"C{number}", id=identity, subject=name, section=section, **shown))
        clauses = [Clause(f"C{number}", "constraint", "int", "x", "[C1] " + "x " * 90) for number in range(count)]
        texts.append(Subject(name, "user", "foo.sonnx", listed, clauses=clauses))
    return Facts(texts, {"z3": "1", "cvc5": "2"}, "d" * 64, "# Claim")


def numbers_in(page: str) -> dict[str, int]:
    """How many obligations a page says came out how."""
    return {
        state: int(number) for state, number in re.findall(r'<li class="(\w+)"><b>(\d+)</b>', page) if number != "0"
    }


def test_numbers_agree() -> None:
    """What the overview says is what the pages of texts say together, and what stands there, obligation by
    obligation."""
    made = many()
    drawn = pages(made)
    whole = numbers_in(drawn["index.html"])
    together: Counter[str] = Counter()
    for subject in made.subjects:
        home = drawn[f"texts/{subject.name}/index.html"]
        own = numbers_in(home)
        together.update(own)
        sheets = [page for name, page in drawn.items() if name.startswith(f"texts/{subject.name}/obligations")]
        there: Counter[str] = Counter()
        for page in sheets:
            there.update(re.findall(r'<h3>.*?<span class="verdict (\w+)">', page))
        assert there == own
        assert f'Obligations <span class="number">{len(subject.results)}</span>' in home
        # The rows of a text are its sections, those of the overview are texts; each first cell is all of it.
        rows = re.findall(r'<th scope="row">.*?</th>\s*<td><a [^>]*><span[^>]*>.</span> (\d+)', home)
        assert sum(map(int, rows)) == len(subject.results)
    assert together == whole
    assert sum(whole.values()) == len(made.results) == 201
    assert f'<p class="lead">{len(made.results)} obligations of 3 texts.' in drawn["index.html"]
    options = re.findall(r"<option value=\"\w+\">\w+ \((\d+)\)", drawn["index.html"])
    assert sum(map(int, options)) == len(made.results)
    searched = json.loads(site(made)["assets/obligations.js"].decode().partition("=")[2].rstrip(";\n"))
    assert [row[0] for row in searched] == [one.id for one in made.results]
    for identity, *_, address in searched:
        file, _, anchor = address.partition("#")
        assert f'<article class="obligation" id="{unquote(anchor)}">' in drawn[unquote(file)]
        assert unquote(anchor) == identity


def test_no_page_is_long() -> None:
    """What is seen before anything is unfolded comes to a few screens, whatever the length of a text."""
    made = pages(many())
    assert sum(name.startswith("texts/user.Foo-1/obligations-int") for name in made) > 2
    for name, page in made.items():
        seen = re.sub(r"<details>.*?</details>|<[^>]*>", "", page, flags=re.DOTALL)
        assert len(" ".join(seen.split())) < 90 * MOST, name
        assert page.count("<article") <= MOST // 5, name


def test_pages_of_a_list_lead_to_each_other() -> None:
    made = pages(many())
    first = re.search(r'<nav class="pager".*?</nav>', made["texts/user.Foo-1/obligations-int.html"], re.DOTALL)
    assert first is not None
    listed = re.findall(r'href="\.\./\.\./(.*?)"', first[0])
    assert [name for name in made if name.startswith("texts/user.Foo-1/obligations")] == sorted(
        listed, key=list(made).index
    )
    assert first[0].count('aria-current="page"') == 1
