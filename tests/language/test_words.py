"""Words of the language as names: what they mean, where they may stand, and that nothing is read otherwise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Token, Tree
from lark.lexer import PatternStr

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS
from sonnx_verify.language.layout import layout
from sonnx_verify.language.parser import check_syntax, parse, parse_expression, parse_statement, tree_of
from sonnx_verify.language.project import Project
from sonnx_verify.language.tables import parser
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, RESERVED
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import Source

FREE = (KEYWORDS | CONTEXTUAL) - RESERVED
NAMES = "abcdefghkm"
TEXT = """\
operator Op version 1 user

types int = int8

input          {a} : tensor of T
optional input {b} : tensor of T
attribute      {c} : int default 1
attribute      {d} : ints default [2, -1]
output         {e} : tensor of T

[C1] constraint "indices have the rank of what they are of"
  : (for all {k} in indices({a}) : rank({k}) = rank({a})) and (given({b}) => rank({b}) = 0)
[C2] constraint "some number is positive" : count {{ {k} | {k} in {d} where {d}[{k}] > 0 }} >= 1
[C3] constraint "sizes are near each other"
  : for all {k} in axes({a}), {m} in axes({a}) : {a}.shape[{k}] - {a}.shape[{m}] <= {c} + 1
[E1] error "one of them does not hold" : when C1 fails
[E2] error "no number is positive" : when C2 fails
[E3] error "sizes differ" : when C3 fails

let {f} = shape ({k} in axes({a}) -> {a}.shape[{k}])
let {g} = list ({k} in {d} -> {d}[{k}] * {c} + mod({k}, 3) + count({d}))
let {h} = tensor ({k} in {f} -> {a}[{k}])

shape {e}      = {f}
value {e}[{k}] =
  {h}[index ({m} in axes({f}) -> div(2 * {k}[{m}], 2))]
  + (if given({b}) then {b}[index ({m} in 1 .. 0 -> {m})] else T(5))
  + (if max {{ {m} | {m} in {c} .. {g}[0] + 2 }} > 3 then T(1) else T(2))
"""


def renamed(names: dict[str, str]) -> str:
    """The text with these names."""
    return TEXT.format(**names)


def terminals_beside_names() -> set[tuple[str, ...]]:
    """The words that are tokens of their own where a name can stand, state by state of the parser."""
    lark: Any = parser(("start", "expression", "statement"), propagate_positions=True)
    patterns = {t.name: t.pattern for t in lark.terminals}
    found = set()
    for actions in lark.parser.parser._parse_table.states.values():  # noqa: SLF001  # the tables themselves
        if "NAME" not in actions:
            continue
        beside: set[str] = set()
        for name in actions:
            pattern = patterns.get(name)
            if isinstance(pattern, PatternStr) and pattern.value.isalpha():
                beside.add(pattern.value)
            elif pattern is not None and (words := re.match(r"\(?([a-z|]+)\)?\\b", pattern.value)):
                beside.update(f"{word} ..." for word in words[1].split("|"))
        found.add(tuple(sorted(beside)))
    return found


def test_no_word_is_expected_where_a_name_is() -> None:
    """But words that are reserved, the words of types where a type stands, and those that end a list of types: read off
    the tables that lark parses by. Folds and what makes a shape are told by what stands behind the word."""
    followed = {f"{w} ..." for w in ("shape", "index", "tensor", "list")} | {
        f"{w} ..." for w in ("the", "greatest", "least", "max", "min", "sum", "product", "count", "all", "any")
    }
    others = [
        set(beside) - RESERVED - followed
        for beside in terminals_beside_names()
        if set(beside) != {"list", "set", "tensor", "type"} and "types" not in beside
    ]

    assert len(others) > 5
    assert set().union(*others) == set()


def test_a_word_behind_a_list_of_types_begins_an_item() -> None:
    """No type is called so."""
    text = Source("a", "types int = int8 input\nshape : tensor of T")

    assert [rule.data for rule in tree_of(text).children if isinstance(rule, Tree)] == ["types", "input"]


@settings(max_examples=25)
@given(names=st.permutations(sorted({str(w) for w in (*FREE, *FUNCTIONS, *CONVERSIONS)})))
def test_any_word_may_be_any_name(names: list[str], tmp_path_factory: pytest.TempPathFactory, operator: Any) -> None:
    """Whatever words a text takes as names, it is the same tree, has the same layout, and means the same of the same
    input."""
    plain, other = dict(zip(NAMES, NAMES, strict=True)), dict(zip(NAMES, names, strict=False))
    sources = [Source("op.sonnx", renamed(these)) for these in (plain, other)]
    assert shape_of(tree_of(sources[0])) == shape_of(tree_of(sources[1]))
    laid = [layout(source, width=10**6) for source in sources]
    assert words_of(laid[0]) == words_of(laid[1])
    assert layout(Source("op.sonnx", laid[1]), width=10**6) == laid[1]

    folder = tmp_path_factory.mktemp("words")
    made = []
    for number, source in enumerate(sources):
        path = folder / f"op{number}.sonnx"
        path.write_text(source.text, "utf-8")
        made.append(operator(path, T="int8"))
    for inputs in (
        {"a": np.array([[1, 2], [3, 4]], np.int8), "b": None, "c": 1, "d": (2, -1)},
        {"a": np.array([[1, 2], [3, 4]], np.int8), "b": np.array(7, np.int8), "c": 3, "d": (1,)},
        {"a": np.array([[1, 2, 3, 4]], np.int8), "b": None, "c": 1, "d": (2,)},
        {"a": np.array([1, 2], np.int8), "b": None, "c": 1, "d": (-2,)},
    ):
        results = [
            one({names[k]: v for k, v in inputs.items()}) for one, names in zip(made, (plain, other), strict=True)
        ]
        assert results[0] == results[1]


def test_the_text_says_something_of_each_input(tmp_path: Path, operator: Any) -> None:
    """So the test above can fail."""
    (tmp_path / "op.sonnx").write_text(renamed(dict(zip(NAMES, NAMES, strict=True))), "utf-8")
    made = operator(tmp_path / "op.sonnx", T="int8")
    given = {"a": np.array([[1, 2], [3, 4]], np.int8), "b": None, "c": 1, "d": (2, -1)}

    assert made(given).elements == (7, 8, 9, 10)
    assert made({**given, "b": np.array(0, np.int8)}).elements == (2, 3, 4, 5)
    assert made({**given, "c": -5}) is None
    assert made({**given, "d": (-2,)}) is None


def shape_of(tree: Tree[Token]) -> list[str]:
    """The rules and the kinds of the tokens, with brackets."""
    found: list[str] = []
    for child in tree.children:
        if isinstance(child, Token):
            found.append(child.type)
        else:
            found += ["(", str(child.data), *shape_of(child), ")"]
    return found


def words_of(text: str) -> list[int]:
    """The number of words on each line."""
    return [len(line.split()) for line in text.splitlines()]


def test_a_function_is_meant_where_something_is_applied() -> None:
    """A name in parentheses is never a variable, also where one of that name is in scope."""
    text = """\
operator Op version 1 user
types int = int8
input indices : tensor of T
input rank : tensor of T
attribute count : ints
output output : tensor of T
[C1] constraint "a list" : rank(rank) = 1 and rank(indices) = count(count) and count[0] = rank.shape[0]
[E1] error "no list" : when C1 fails
shape output = shape (k in axes(indices) -> indices.shape[k])
value output[i] = if i in indices(indices) then indices[i] else T(0)
"""
    obligations = obligations_of(text)

    assert any(o.endswith("C1/covered") for o in obligations)


def obligations_of(text: str) -> list[str]:
    """The obligations of a text that is in no file."""
    path = Path("op.sonnx")
    project = Project.of_files(Path(), [path], {resolved(path): text}, closed=True)
    (unit,) = project.units
    if unit.error is not None:
        raise unit.error
    return [o.id for o in of_unit(project, unit)]


@pytest.mark.parametrize(("body", "said"), [
    ("input(0) = 1", "`input` is a tensor of int8, and no function"),
    ("for all k in input(0) : k = k", "no function"),
    ("indices = 0", "`indices` needs arguments"),
    ("shape(input) = shape(input)", "undefined function or operator `shape`"),
    ("value.rank = 1", "unknown member `rank`"),
])  # fmt: skip  # a table
def test_what_is_neither_is_refused(body: str, said: str) -> None:
    """With what to write."""
    text = f"""\
operator Op version 1 user
types int = int8
input input : tensor of T
input value : tensor of T
output Y : tensor of T
[C1] constraint "so" : {body}
"""
    with pytest.raises(SpecificationError, match=re.escape(said)):
        obligations_of(text)


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize("text", [
    "let {} = 1",
    "input {} : tensor of T",
    "theorem t \"t\" for {} : int : 0 = 0",
    "define f({} : int) : int = 0",
    "let a = for all {} in 0 .. 1 : 0 = 0",
    "value Y[{}] = 1",
    "order o on int \"o\" : {} before y = 0 = 0",
])  # fmt: skip  # a table
def test_words_of_expressions_are_no_names(word: str, text: str) -> None:
    """Nobody could read them, wherever a name is given."""
    with pytest.raises(SpecificationError) as caught:
        parse_items(text.format(word))

    assert caught.value.span is not None
    assert caught.value.span.line == 2


def parse_items(text: str) -> None:
    parse(Source("a", f"operator Op version 1 user\n{text}\n"))


def test_a_definition_has_the_name_of_no_word() -> None:
    """`shape (k in S -> 1)` would be a call of it."""
    with pytest.raises(SpecificationError, match="`shape` cannot be a name"):
        parse_items("define shape(k : int) : int = k")


@pytest.mark.parametrize(("text", "word"), [
    ("a orb", "orb"),
    ("k inaxes(X)", "inaxes"),
    ("not a andnot b", "andnot"),
    ("if a thenb else c", "thenb"),
    ("(2or 3)", "2or"),
    ("for all k in 0 .. 3where k > 1 : k = k", "3where"),
])  # fmt: skip  # a table
def test_two_words_in_one_are_refused(text: str, word: str) -> None:
    """The lexer would take `a orb` for `a or b`."""
    with pytest.raises(SpecificationError, match=f"unexpected `{word}`") as caught:
        parse_expression(Source("a", f"-- a orb\n{text}"))

    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, text.index(word) + 1)


@pytest.mark.parametrize("text", ["inputX : tensor of T", "letA = 1", "let a = 1 letb = 2"])
def test_two_words_in_one_item_are_refused(text: str) -> None:
    with pytest.raises(SpecificationError, match="unexpected"):
        check_syntax(Source("a", text))


def test_an_index_in_front_of_an_item_is_no_tag() -> None:
    """On one line too: `L[k] shape` would else be L, and a tag k of the shape."""
    tree = tree_of(Source("a", "let n = L[k] shape Y = S [T1] value Y[i] = X[i] let m = X[i]"))

    assert [
        (rule.data, [t for t in rule.children if isinstance(t, Token) and t.type == "TAG"])
        for rule in tree.children
        if isinstance(rule, Tree)
    ] == [
        ("let", []),
        ("shape", []),
        ("value", ["[T1]"]),
        ("let", []),
    ]


def test_a_statement_has_names_that_are_words() -> None:
    """Of names that nothing declares too."""
    made = parse_statement(
        Source("a", "for input, to : tensor of T; shape : int assuming shape = 1 : Max(input, to) = to")
    )

    assert [d.name for d in made.declarations] == ["input", "to", "shape"]
