"""Which mutations a text invites, and what a mutation is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lark import UnexpectedInput

from sonnx_verify.authoring.mutation.mutation import sample
from sonnx_verify.authoring.mutation.mutations import mutations_of
from sonnx_verify.language.layout import grammar, layout
from sonnx_verify.language.words import tokens_of
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source
from tests.mutation.mutations import mutation_of

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATIONS = sorted((ROOT / "spec").glob("common/*.sonnx")) + sorted((ROOT / "spec").glob("sonnx/*/*.sonnx"))
ORDERS = {"ascending": "int", "up": "float", "down": "float"}


def changes(text: str) -> list[str]:
    """What the mutations of a text change, without their places."""
    return [mutation.change for mutation in mutations_of(Source("text", f'library l "L"\n{text}\n'), ORDERS)]


def of_expression(expression: str) -> list[str]:
    """The same of an integer expression."""
    return changes(f"define f(S : shape, a : int) : int = {expression}")


def of_condition(expression: str) -> list[str]:
    """The same of a condition."""
    return changes(f"define f(S : shape, a : int) : bool = {expression}")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b", ["+ -> -"]),
        ("a - b", ["a - b -> b - a", "- -> +"]),
        ("a * 1", ["* -> +", "1 -> 0", "1 -> 2"]),
        ("-a", ["- -> (left out)"]),
        ("S[a]", ["a -> a + 1", "a -> a - 1"]),
        ("S[a - 1]", ["- -> +", "1 -> 0", "1 -> 2"]),
        ("max { k | k in 0 .. a }", ["max -> min", "0 -> -1", "0 -> 1", "a -> a + 1", "a -> a - 1"]),
        ("div(a, b)", ["a, b -> b, a"]),
        ("count { k | k in S where k in A }", ["where k in A -> (left out)", "k in A -> not k in A"]),
        (
            "if is_nan(a) then b else c",
            ["if is_nan(a) then b else c -> b", "if is_nan(a) then b else c -> c", "is_nan(a) -> not is_nan(a)"],
        ),
        ("T.lowest", ["lowest -> greatest"]),
        ("2 ^ 31", ["2 -> 1", "2 -> 3", "31 -> 30", "31 -> 32"]),
        ("0.5", ["0.5 -> 0.6", "0.5 -> 1.5"]),
        ("exp(0.5)", ["exp -> log", "0.5 -> 0.6", "0.5 -> 1.5"]),
        ("pow(a, b)", ["a, b -> b, a"]),
        ("T.infinity", ["infinity -> greatest"]),
        (
            "greatest V by up default 0",
            ["greatest -> least", "up -> down", "default 0 -> (left out)", "0 -> 1"],
        ),
        ("g(x) + { x | x in V }", ["+ -> -"]),
    ],
)
def test_mutations_in_an_expression(expression: str, expected: list[str]) -> None:
    assert sorted(of_expression(expression)) == sorted(expected)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a < b", ["< -> <=", "< -> >"]),
        ("a <= b", ["<= -> <", "<= -> >="]),
        ("a = b", ["= -> !="]),
        ("not is_nan(a)", ["not -> (left out)"]),
        ("X is dense", ["is -> is not"]),
        ("X is not dense", ["is not -> is"]),
        (
            "p(a) and q(a)",
            [
                "p(a) and q(a) -> not (p(a) and q(a))",
                "p(a) and -> (left out)",
                "and q(a) -> (left out)",
                "and -> or",
                "p(a) -> not p(a)",
                "q(a) -> not q(a)",
            ],
        ),
        (
            "p(a) iff q(a)",
            ["p(a) iff q(a) -> not (p(a) iff q(a))", "iff -> =>", "p(a) -> not p(a)", "q(a) -> not q(a)"],
        ),
        (
            "a = 1 => b = 1",
            [
                "a = 1 => b = 1 -> not (a = 1 => b = 1)",
                "a = 1 => -> (left out)",
                "=> -> and",
                "= -> !=",
                "= -> !=",
                "1 -> 0",
                "1 -> 0",
                "1 -> 2",
                "1 -> 2",
            ],
        ),
        (
            "for all m in S, n in S : m = n",
            [
                "for all -> exists",
                "for all m in S, n in S : m = n -> not (for all m in S, n in S : m = n)",
                "= -> !=",
                "m -> n",
                "n -> m",
            ],
        ),
        (
            'for all m in S : m = a otherwise "no"',
            [
                'for all m in S : m = a otherwise "no" -> exists m in S : m = a',
                'for all m in S : m = a otherwise "no" -> not (for all m in S : m = a otherwise "no")',
                "= -> !=",
            ],
        ),
    ],
)
def test_mutations_in_a_condition(condition: str, expected: list[str]) -> None:
    assert sorted(of_condition(condition)) == sorted(expected)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ('order up on int "up" : x before y = x <= y', ["x -> y", "<= -> <", "<= -> >=", "y -> x"]),
        ("types int = int8 int16", ["int8 -> (left out)", "int16 -> (left out)", "(nothing) -> int32"]),
        ("types int = int8", ["(nothing) -> int16"]),
        (
            "input X[0 .. L] : tensor of T where L < 3",
            ["0 -> -1", "0 -> 1", "where L < 3 -> (left out)", "< -> <=", "< -> >", "3 -> 2", "3 -> 4"],
        ),
        ("optional input X : tensor of T", ["optional -> (left out)"]),
        ("attribute a : int default 1", ["default 1 -> (left out)", "1 -> 0", "1 -> 2"]),
        (
            '[C1] constraint "title" : p(X)',
            ["all of it -> (left out)", "p(X) -> not p(X)"],
        ),
        ("let a = b", []),
        ('fact dense of tensor "every element is stored"', []),
        ("define f(a : int, b : int, c : real) : int = a", ["a -> b"]),
    ],
)
def test_mutations_in_an_item(item: str, expected: list[str]) -> None:
    assert sorted(changes(item)) == sorted(expected)


def test_a_mutation_has_its_place_and_its_text() -> None:
    source = Source("some.sonnx", "one\ntwo three\n")
    mutation = mutation_of(source, "three", "four")

    assert (mutation.place, mutation.identity, mutation.text) == (
        "some.sonnx:2:5",
        "some.sonnx item: three -> four",
        "one\ntwo four\n",
    )


def test_a_constraint_goes_with_its_errors() -> None:
    """What stands between them stays."""
    kept = '[C2] constraint "b" : r(X)\n[E1] error "c" : when C1 fails and p(X)\n'
    text = '[C1] constraint "a" : q(X)\n' + kept + '[E2] error "d" : when C1 fails or C2 fails\n'
    gone = [s for s in mutations_of(Source("some.sonnx", text), {}) if s.change.startswith("[")]

    assert [s.identity for s in gone] == [
        "some.sonnx [C1]: [C1] and [E1] and [E2] -> (left out)",
        "some.sonnx [C2]: [C2] and [E2] -> (left out)",
    ]
    assert [" ".join(s.text.split()) for s in gone] == [
        '[C2] constraint "b" : r(X)',
        '[C1] constraint "a" : q(X) [E1] error "c" : when C1 fails and p(X)',
    ]


def test_a_sample_is_the_same_whatever_the_order() -> None:
    mutations = mutations_of(Source("text", 'library l "L"\ndefine f(a : int, b : int) : int = a + b * 2 - 1\n'), {})
    chosen = {mutation.identity for mutation in sample(mutations, 4)}

    assert len(chosen) == 4
    assert chosen == {mutation.identity for mutation in sample(mutations[::-1], 4)}
    assert {mutation.identity for mutation in sample(mutations, 3)} < chosen
    assert sample(mutations, None) == sample(mutations, 99) == mutations


@pytest.mark.parametrize("path", SPECIFICATIONS, ids=lambda path: str(path.stem))
def test_titles_and_comments_are_left_alone(path: Path) -> None:
    """A mutation changes no text in quotes, unless it drops the clause that has it; each text comes once."""
    source = read_source(path)
    mutations = mutations_of(source, ORDERS)
    titles = [str(t) for t in tokens_of(grammar().parse(source.text)) if t.type == "STRING"]
    comments = [line for line in source.text.splitlines() if line.startswith("--")]

    assert len({mutation.text for mutation in mutations}) == len(mutations)
    assert source.text not in {mutation.text for mutation in mutations}
    for mutation in mutations:
        kept = [t for t in titles if t in mutation.text]
        assert len(kept) == len(titles) or mutation.kind == "dropped" or "otherwise" in mutation.old
        assert all(line in mutation.text for line in comments)


def test_the_condition_of_what_is_open_is_widened_and_its_edge_moved() -> None:
    """As narrow as can be, the item is left out."""
    text = "operator O version 1 standard\noutput Y : tensor of bool\nunspecified outcome when 0 < 1\n"
    made = [m.change for m in mutations_of(Source("text", text), {}) if m.line == 3]

    assert "0 < 1 -> true" in made
    assert "0 -> -1" in made
    assert "all of it -> (left out)" in made


STANDARD = """\
operator Op version 1 standard
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "the first" : rank(X) = 1 and 1 = rank(X)
shape Y = X.shape
value Y[i] for int = X[i]
[U] unspecified value Y[i] "the least" for int when X[i] = T.lowest

version 2 text onnx-1.2
add types int = int16
replace [C1] constraint "the second" : rank(X) = 2
remove unspecified U
remove types int = int8
replace example one
  X = int8 (1) [1]
  Y = int8 (1) [1]
remove example two
"""


def test_mutations_in_a_version() -> None:
    """In what it adds and replaces, which goes as a whole, and each line left out; examples are what is asked."""
    mutations = mutations_of(Source("op.sonnx", STANDARD), {})
    version = "version 2 text onnx-1.2"

    assert [(m.name, m.old) for m in mutations if m.item.startswith("version") and m.new == ""] == [
        (f"{version}, [C1]: all of it -> (left out)", 'replace [C1] constraint "the second" : rank(X) = 2'),
        (f"{version}, remove unspecified U: all of it -> (left out)", "remove unspecified U"),
        (f"{version}, remove types int: all of it -> (left out)", "remove types int = int8"),
    ]
    assert f"{version}, types int: (nothing) -> int8" in {m.name for m in mutations}
    assert {m.name for m in mutations if m.item == f"{version}, [C1]" and m.old == "2"} == {
        f"{version}, [C1]: 2 -> 1",
        f"{version}, [C1]: 2 -> 3",
    }


def test_a_name_is_of_the_item_and_the_family() -> None:
    """Of equal changes in one item, those behind the first have a number."""
    names = {mutation.name for mutation in mutations_of(Source("op.sonnx", STANDARD), {})}

    assert {"[C1]: = -> !=", "[C1]: = -> != #2", "[C1]: 1 -> 0", "[C1]: 1 -> 0 #2"} <= names
    assert {"value Y for int: i -> i + 1", "[U] for int: = -> !=", "shape Y: all of it -> (left out)"} <= names


@pytest.mark.thinned(12)
@pytest.mark.parametrize("path", SPECIFICATIONS, ids=lambda path: str(path.stem))
def test_another_layout_has_the_same_mutations(path: Path) -> None:
    """Narrower, with a comment behind every item: the same names, and the same texts but for the layout."""
    source = read_source(path)
    narrow = Source(source.name, layout(source, 40))
    commented = Source(source.name, re.sub(r"\n(?=\S)", " -- a note\n\n", narrow.text))
    before = mutations_of(source, ORDERS)
    words = {m.name: tokens_of(grammar().parse(m.text)) for m in before[::40] if can_be_read(m.text)}

    for other in (narrow, commented):
        after = {mutation.name: mutation for mutation in mutations_of(other, ORDERS)}
        assert after.keys() == {mutation.name for mutation in before}
        for name, expected in words.items():
            assert tokens_of(grammar().parse(after[name].text)) == expected, name


def can_be_read(text: str) -> bool:
    """Whether the mutant is a text at all."""
    try:
        grammar().parse(text)
    except UnexpectedInput:
        return False
    return True
