"""The syntax tree: which names an expression binds, what it consists of, and what it says wherever it stands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import parse, parse_expression
from sonnx_verify.language.versions import editions
from sonnx_verify.sources import Source

EXAMPLES = tomllib.loads((Path(__file__).parents[2] / "docs" / "examples.toml").read_text("utf-8"))["expressions"]


def node(text: str) -> s.Expression:
    """An expression."""
    return parse_expression(Source("text", text))


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("for all k in a .. k, m in b .. k where k < c : m = d", "a k b d c"),
        ("exists k in axes(X) : X.shape[k] = n", "X X n"),
        ("{ k + x | k in 0 .. n where k != y }", "n x y"),
        ("tensor (i in S -> X[i] + i)", "S X"),
        ("list (k in 0 .. n where k != a -> k)", "n a"),
        ("greatest { x | x in A } by order default z", "A z"),
        ("f(a, g { k | k in B }) and h = C(d with axis = e)", "a B h d e"),
        ('for all k in A : k = b otherwise "{k} is not {c}"', "A b"),
        ("(for all k in A : k = b) and k = c", "A b k c"),
        ("given(x) and T.lowest = y", "x T y"),
    ],
)
def test_free_names(text: str, free: str) -> None:
    """A binder is in scope behind it, not in its own domain; heads of calls, orders and sentences are no names."""
    assert [name.name for name in s.free_names(node(text))] == free.split()


def test_whether_a_thing_is_given_can_be_left_out() -> None:
    """It is asked of the thing, and does not read it."""
    assert [name.name for name in s.free_names(node("given(x) => f(given(y), z)"), asking=False)] == ["z"]


@pytest.mark.parametrize("text", EXAMPLES.values())
def test_parts_stand_in_the_text_one_after_the_other(text: str) -> None:
    """The editor finds the expression at a place by that, each within the one around it."""
    for whole in s.every(node(text)):
        end = whole.span.start
        for part in s.children(whole):
            assert end <= part.span.start
            end = part.span.start + part.span.length
        assert end <= whole.span.start + whole.span.length


@pytest.mark.parametrize("text", EXAMPLES.values())
def test_the_form_is_the_same_wherever_it_stands(text: str) -> None:
    """Blanks and places say nothing; any other word does."""
    moved = node(f"\n  ({text.replace(' ', '  ')})") if '"' not in text else node(f"\n  ({text})")
    assert isinstance(moved, s.Group)
    assert s.form(moved.inner) == s.form(node(text))
    assert s.form(moved) != s.form(node(text))


def test_what_a_proof_uses_cannot_be_added_by_a_version() -> None:
    """It has no name to be told by: this is said, where it stands."""
    text = "operator Foo version 1 standard\nversion 2\nadd using rises\n"
    with pytest.raises(SpecificationError, match="has no name, so a version cannot change it"):
        editions(parse(Source("foo.sonnx", text)))
