"""The texts that proposals are made of: expressions in other names, negated, with what stands around them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sonnx_verify.authoring.repair.conditions import Part, negated, parts_in, reworded
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.sources import Source


def node(text: str) -> s.Expression:
    """An expression."""
    return parse_expression(Source("text", text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("for all k in axes(X) : X.shape[k] > n", "for all k in axes(A) : A.shape[k] > (L + 1)"),
        ("exists X in n .. 3 : X > 0", "exists X in (L + 1) .. 3 : X > 0"),
        ("rank(X)  -- of the first\n  = 2", "rank(A) = 2"),
        ("Xs(X) and X in { n | m in X }", "Xs(A) and A in { (L + 1) | m in A }"),
    ],
)
def test_other_names(text: str, wanted: str) -> None:
    """Names are replaced where they are free, and comments left out."""
    assert reworded(node(text), {"X": "A", "n": "(L + 1)"}) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = b", "a != b"),
        ("a < b", "not (a < b)"),
        ("a = b = c", "not (a = b = c)"),
        ("not (a < b)", "a < b"),
        ("a = b or (exists k in L : k != a)", "a != b and (for all k in L : k = a)"),
        ("exists k in L where k > 1 : k = a", "for all k in L where k > 1 : k != a"),
        ("p and (q or r)", "(not p) or ((not q) and (not r))"),
        ("p => q", "not (p => q)"),
    ],
)
def test_negations(text: str, wanted: str) -> None:
    """Also of what chains, and of comparisons, which no NaN meets one way or the other."""
    assert negated(node(text), {}) == wanted


def around(text: str, part: str) -> Iterator[str]:
    """The condition `c` on each part that is so written, with what stands around it."""
    return (x.whole("c") for x in parts_in(Part(node(text), {})) if x.text(x.node) == part)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if p then z else y", "p => c"),
        ("if p = q then y else z", "p != q => c"),
        ("p => z = 1", "p => c"),
        ("p and q and z = 1", "(p and q) => c"),
        ("p or z = 1", "p or c"),
        ("for all k in axes(X), j in L where j > k : z = j", "for all k in axes(X), j in L where j > k : c"),
        ("for all k in axes(X), j in z : j = k", "for all k in axes(X) : c"),
        ("shape (k in 0 .. 2 where k > 0 -> z)", "for all k in 0 .. 2 where k > 0 : c"),
        ("max { z | k in L } default 1", "for all k in L : c"),
    ],
)
def test_what_stands_around(text: str, wanted: str) -> None:
    """A part is looked at under the binders and conditions around it."""
    assert list(around(text, "z")) == [wanted]
