"""`layout` keeps what a text says and what its author wrote beside it, and has one layout for one text.

The laws are checked of every .sonnx file of the repository and of an example of every rule of the grammar, as they
stand and with other line ends, indentation, blank lines and comments, for wide and for narrow lines.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lark import Lark, Tree, UnexpectedInput

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import parser
from sonnx_verify.language.builder import Builder
from sonnx_verify.language.comments import comments_of, gaps
from sonnx_verify.language.layout import grammar, layout
from sonnx_verify.language.layout_rules import ITEMS, RULES
from sonnx_verify.language.words import tokens_of
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source, Span

ROOT = Path(__file__).parents[2]
PATHS = sorted([*ROOT.glob("spec/**/*.sonnx"), *ROOT.glob("proofs/**/*.sonnx"), *ROOT.glob("tests/**/*.sonnx")])
EXAMPLES = tomllib.loads((ROOT / "docs" / "examples.toml").read_text("utf-8"))
# At length in `make soak`: each place of each text is parsed and laid out several times.
SOAK = os.environ.get("SONNX_SOAK") == "1"
WIDTHS = (120, 72, 30) if SOAK else (120, 30)


def whole_texts() -> dict[str, str]:
    """Every file, and the examples of all rules as four texts."""
    found = {path.relative_to(ROOT).as_posix(): read_source(path).text for path in PATHS}
    for table in ("items", "parts"):
        found[f"examples of {table}"] = "\n\n".join(EXAMPLES[table].values())
    expressions = EXAMPLES["expressions"].values()
    found["examples of expressions"] = "\n".join(f"let x{n} = {text}" for n, text in enumerate(expressions))
    found["examples in each other"] = "\n".join(
        f'[C{n}] constraint "one of another" : not ({a}) or {{ {b} | m in 0 .. L }} = [{a}, {b}]'
        for n, (a, b) in enumerate(zip(expressions, list(expressions)[::-1], strict=True))
    )
    return found


TEXTS = whole_texts()


@cache
def plain_grammar() -> Lark:
    return Lark.open(
        "grammar.lark", rel_to=parser.__file__, parser="lalr", propagate_positions=True, maybe_placeholders=False
    )


@lru_cache(maxsize=8)
def said(text: str) -> list[Any]:
    """The syntax tree of a text, without places."""
    built = Builder(Source("text", text)).transform(plain_grammar().parse(text))
    return [without_places(item) for item in built]


def without_places(part: Any) -> Any:
    """A part of a syntax tree, without its place in the text."""
    if isinstance(part, Span):
        return None
    if dataclasses.is_dataclass(part):
        fields = [without_places(getattr(part, f.name)) for f in dataclasses.fields(part)]
        return (type(part).__name__, *fields)
    if isinstance(part, (tuple, list)):
        return [without_places(p) for p in part]
    return part


@lru_cache(maxsize=8)
def written_beside(text: str) -> list[str]:
    """The comments of a text."""
    return comments_of(text, tokens_of(grammar().parse(text)))


@lru_cache(maxsize=8)
def layout_of(text: str, width: int) -> str:
    return layout(Source("text", text), width)


def laid_out(text: str, width: int = 120) -> str:
    """The layout of a text, with every law checked. That of a text that is laid out already is the same text, of which
    nothing is parsed again."""
    result = layout_of(text, width)
    assert said(result) == said(text)
    assert written_beside(result) == written_beside(text)
    assert layout_of(result, width) == result
    assert result.endswith("\n") or not result
    assert not re.search(r"[ \t]$|\n\n\n|\A\n|\n\n\Z", result, re.MULTILINE)
    return result


LONG = "tests/language/convolution_laws.sonnx"
SOME = (
    list(TEXTS) if SOAK else [n for k, n in enumerate(TEXTS) if (k % 6 == 0 or n.startswith("examples")) and n != LONG]
)
"""The soak has all: what is shipped is laid out already, which is checked of every text."""


@pytest.mark.parametrize("name", SOME)
def test_texts_of_the_repository(name: str) -> None:
    """Every law, for wide and for narrow lines; and lines are not too long, but for those of one text in quotes, or one
    comment, that is longer."""
    wide, *_ = [laid_out(TEXTS[name], width) for width in WIDTHS]
    for line in wide.splitlines():
        assert len(line) <= 120 or re.search(r'--|^\s*(: )?"[^"]*"|otherwise "', line)


@pytest.mark.parametrize(
    "path", [p for p in PATHS if p.is_relative_to(ROOT / "spec") or p.is_relative_to(ROOT / "proofs")]
)
def test_the_library_is_laid_out(path: Path) -> None:
    """`sonnx-verify fmt spec proofs` makes it so."""
    assert path.read_bytes().decode() == layout(read_source(path))


def rules_of_the_grammar() -> set[str]:
    """The names that nodes of the tree can have."""
    found = set()
    for rule in plain_grammar_of_all().rules:
        name = str(rule.alias or rule.origin.name)
        passed_on = rule.alias is None and rule.options.expand1 and len(rule.expansion) == 1
        if not name.startswith("_") and not passed_on:
            found.add(name)
    return found - {"start"}


@cache
def plain_grammar_of_all() -> Lark:
    return Lark.open("grammar.lark", rel_to=parser.__file__, parser="lalr", start=["start", "statement", "expression"])


def test_every_rule_has_a_layout() -> None:
    assert set(RULES) | set(ITEMS) == rules_of_the_grammar()
    assert not set(RULES) & set(ITEMS)


SPACES = [" ", "  ", "\n", "\n\n", "\n\n\n  ", "\t", "\n    ", "\r\n", " \n"]
NAMES = st.sampled_from(sorted(TEXTS))


def respaced(text: str, chance: Random) -> str:
    """A text with other spaces between its tokens, and comments more than it had."""
    tokens = tokens_of(grammar().parse(text))
    often = chance.choice([1, 3, 10])
    parts = []
    for number, (gap, token) in enumerate(zip(gaps(text, tokens), [*tokens, None], strict=True)):
        start = tokens[number - 1].end_pos if number else 0
        between = text[start : token.start_pos if token else len(text)]
        if not gap.comments and chance.randrange(often) == 0:
            between = chance.choice(SPACES) if between or chance.random() < 0.5 else ""
            if chance.randrange(10) == 0:
                between += f"{chance.choice(SPACES)}-- note {number} \n{chance.choice(SPACES)}"
        parts.append(between + (str(token) if token else ""))
    return "".join(parts)


@given(NAMES, st.integers(0), st.sampled_from(WIDTHS))
@settings(max_examples=300 if SOAK else 60)
def test_other_spaces_and_more_comments(name: str, seed: int, width: int) -> None:
    text = respaced(TEXTS[name], Random(seed))
    try:
        said(text)
    except UnexpectedInput:  # a comment where a token looks ahead for another
        assume(False)
    laid_out(text, width)


def respaced_inside(text: str, chance: Random) -> str:
    """The text with other spaces inside its items."""
    tree = grammar().parse(text)
    tokens = tokens_of(tree)
    items = [item for item in tree.children if isinstance(item, Tree)]
    assert len(items) == len(tree.children)
    firsts = {tokens_of(item)[0].start_pos for item in items}
    parts = [text[: tokens[0].start_pos], str(tokens[0])]
    for left, right in zip(tokens, tokens[1:], strict=False):
        between = text[left.end_pos : right.start_pos]
        kept = right.start_pos in firsts or left.type == "TAG" or "--" in between or not between
        parts += [between if kept else chance.choice(SPACES), str(right)]
    return "".join([*parts, text[tokens[-1].end_pos :]])


@given(NAMES, st.integers(0))
@settings(max_examples=200 if SOAK else 25)
def test_one_layout_for_one_text(name: str, seed: int) -> None:
    """Spaces inside items leave no trace."""
    assert laid_out(respaced_inside(TEXTS[name], Random(seed))) == laid_out(TEXTS[name])


@pytest.mark.thinned
@pytest.mark.parametrize("name", ["examples of items", "examples of parts", "examples of expressions"])
@pytest.mark.parametrize("between", ["  -- why\n", "\n-- why\n-- and why\n"], ids=["behind", "above"])
def test_a_comment_at_every_place(name: str, between: str) -> None:
    """Wherever a comment may stand, it stays; outside of soak at every third place, another one in each text."""
    for item in TEXTS[name].split("\n\n" if "let" not in TEXTS[name][:3] else "\n"):
        text = f"{item}\n"
        tokens = tokens_of(grammar().parse(text))
        before = said(text)
        for token in tokens if SOAK else tokens[len(text) % 3 :: 3]:
            changed = text[: token.end_pos] + between + text[token.end_pos :]
            try:
                if said(changed) != before:
                    continue
            except UnexpectedInput:  # a comment where a token looks ahead for another
                continue
            laid_out(changed)


BEFORE = """\


-- Head.
use a use   b -- two

operator Max version 13 profile
refines onnx Max version 13 with X=data_0,Y = max
page "max.md"
types int=int8   int16
types float = float16


input X[0..L] : tensor of T -- a family
output Y:tensor of T
attribute axis : int default (-1)
[R1] restriction from GR1 "no sparse tensors":X[0] is dense
[C10] constraint "short":a
[E1] error "no" : when C10 fails
-- Apart.
[C2] constraint "one whose condition is so long that it does not stand on one line with its title" :
for all k in 0 .. common_rank(S) - 1, m in S, n in S : aligned(S[m], k) =
aligned(S[n], k) or aligned(S[m], k) = 1 or -- either
  aligned(S[n], k) = 1 otherwise "axis {k}"
shape Y=S
value Y[i] for float = if exists j in fibre(X.shape, A, i) : is_nan(X[j]) then any NaN else
    within error_bound(X, fibre(X.shape, A, i)) of exact_sum(X, i)
define f(x : int) : int "what it is" = x + 1
theorem t "a law" for A, B : shape assuming rank(A) = 0
by induction on n from 0 to L using u, v(A) take w = 1
:A = B"""

AFTER = """\
-- Head.
use a
use b  -- two

operator Max version 13 profile
  refines onnx Max version 13 with X = data_0, Y = max
  page "max.md"
types int   = int8 int16
types float = float16

input     X[0 .. L] : tensor of T  -- a family
output    Y         : tensor of T
attribute axis      : int default (-1)
[R1]  restriction from GR1 "no sparse tensors" : X[0] is dense
[C10] constraint  "short"                      : a
[E1]  error       "no"                         : when C10 fails
-- Apart.
[C2] constraint "one whose condition is so long that it does not stand on one line with its title"
  : for all k in 0 .. common_rank(S) - 1, m in S, n in S :
      aligned(S[m], k) = aligned(S[n], k)
      or aligned(S[m], k) = 1  -- either
      or aligned(S[n], k) = 1
    otherwise "axis {k}"
shape Y = S
value Y[i] for float =
  if exists j in fibre(X.shape, A, i) : is_nan(X[j]) then any NaN
  else within error_bound(X, fibre(X.shape, A, i)) of exact_sum(X, i)
define f(x : int) : int
  "what it is"
  = x + 1
theorem t "a law"
  for A, B : shape assuming rank(A) = 0
  by induction on n from 0 to L
  using u, v(A)
  take w = 1
  : A = B
"""


def test_what_it_looks_like() -> None:
    assert laid_out(BEFORE) == AFTER


@pytest.mark.parametrize(
    ("loose", "laid"),
    [
        ("- -x", "- -x"),
        ("a- -b*-c", "a - -b * -c"),
        ("2 ^ 3-x . y [ 1 ]", "2^3 - x.y[1]"),
        ("f ( a , b with c=1,d = 2 )", "f(a, b with c = 1, d = 2)"),
        ("{x|i in 0..1,j in X where c}", "{ x | i in 0 .. 1, j in X where c }"),
        ("(i with[k]=0)", "(i with [k] = 0)"),
        ("list(k in A->-1)", "list (k in A -> -1)"),
        ("maximum{x|i in A}", "maximum { x | i in A }"),
        ("not(a)and(b)", "not (a) and (b)"),
    ],
)
def test_spaces_in_expressions(loose: str, laid: str) -> None:
    assert laid_out(f"let x = {loose}") == f"let x = {laid}\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("aaa and bbb => ccc => ddd or eee", ["aaa and bbb", "=> ccc", "=> ddd or eee"]),
        ("aaaaaaaa and bbbbbbbb and ccccc or ddd", ["aaaaaaaa", "  and bbbbbbbb", "  and ccccc", "or ddd"]),
        ("aaaaaaa + bbbbbbb = ccccccc + ddddddd", ["aaaaaaa + bbbbbbb", "  = ccccccc + ddddddd"]),
        ("if a then bbbbbb else if c then d else e", ["if a then bbbbbb", "else if c then d", "else e"]),
        ('for all k in 0 .. n : kkkk otherwise "no"', ["for all k in 0 .. n : kkkk", 'otherwise "no"']),
        ("for all k in 0 .. n : (exists m in k : m)", ["for all k in 0 .. n :", "  (exists m in k : m)"]),
        ("not (aaaaaaaaaaaaaaaaa or bbbbbbbbbbbbb)", ["not (aaaaaaaaaaaaaaaaa", "     or bbbbbbbbbbbbb)"]),
    ],
)
def test_lines_end_at_the_loosest_operator(text: str, lines: list[str]) -> None:
    assert laid_out(f"let x = {text}", 30) == "let x =\n" + "".join(f"  {line}\n" for line in lines)


def test_rows_that_would_become_too_loose_are_not_aligned() -> None:
    rows = f'[C1] constraint "x" : a\n[C2] constraint "{"x" * 50}" : a\n[C3] constraint "x{"x" * 50}" : a\n'
    assert laid_out(rows) == rows.replace('x" : a\n[C3]', 'x"  : a\n[C3]')


def test_a_hypothesis_with_a_quantifier_has_its_own_line() -> None:
    theorem = 'theorem t "t"\n  for S : shape{}assuming {}\n  : a\n'
    plain, quantified = "rank(S) = 0", "(for all k in axes(S) : S[k] = 1)"

    assert laid_out(theorem.format("\n", plain)) == theorem.format(" ", plain)
    assert laid_out(theorem.format(" ", quantified)) == theorem.format("\n  ", quantified)


def test_blanks_in_a_list_of_tags() -> None:
    assert laid_out('[A,B ,\n C,...] error "x" : a') == '[A, B, C, ...] error "x" : a\n'


@pytest.mark.parametrize("text", ["", " \n", "-- only this", "\n\n-- this\n\n\n-- and that\n\n"])
def test_a_text_without_items(text: str) -> None:
    assert laid_out(text) == re.sub(r"\n+\Z", "\n", re.sub(r"\n\n+", "\n\n", text.strip() + "\n")).lstrip("\n")


@pytest.mark.parametrize("text", ["let x = ", 'let x = "a\n', "let x = 1 1", "let a = " + "(" * 500 + "1" + ")" * 500])
def test_a_text_with_an_error(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        layout(Source("bad", text))

    assert caught.value.span
