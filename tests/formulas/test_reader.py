"""What sentences and formulas of pages are read as, and what is not read."""

from __future__ import annotations

import re

import pytest

from sonnx_verify.language.context import Library
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.pages.formulas.definitions import Definitions
from sonnx_verify.pages.formulas.notation import Notation
from sonnx_verify.pages.formulas.reader import Reader
from sonnx_verify.pages.formulas.stated import by_family, condition_of
from sonnx_verify.pages.formulas.words import Unread, formula_words
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.sources import Source, Span

HEAD = "# **Op** (int, int)\n\n## Function\n\n{function}\n\n## Inputs\n\n- `[C1]` {statement}\n"
FUNCTION = """Let $r$ be the rank of $\\text{data}$. Let $ddata_k$ be the size of $\\text{data}$ on axis $k$.
Let $n = |A|$. Let $w$ be the value of low. Let $n_m$ be the rank of $X_m$.

Let

$$
f(a) = \\begin{cases} a + r & \\text{if } a < 0 \\\\ a & \\text{otherwise} \\end{cases}
$$
"""
NAMES = ("X", "L", "Z", "A", "data", "low", "keepdims")

READ = {
    "$0 \\le k < n$ for all $k \\in [0, L]$": "(for all k1 in 0 .. L : (0 <= k1 and k1 < count(A)))",
    "for all $i, j \\in [0, L[$ with $i \\neq j$, $A_i \\neq A_j$": (
        "(for all i1 in 0 .. L - 1, j2 in 0 .. L - 1 where (i1 != j2) : (A[i1] != A[j2]))"
    ),
    "$\\forall i \\in \\{1, \\ldots, L\\},\\ \\forall j \\in ]0, L] : A_i < A_j$": (
        "(for all i1 in { k2 | k2 in 1 .. L }, j3 in 0 + 1 .. L : (A[i1] < A[j3]))"
    ),
    "there is $i \\in A$ such that $i = 0$": "(exists i1 in A : (i1 = 0))",
    "low $\\in [0, 1]$": "(0 <= low and low <= 1)",
    "low $\\in \\{-1, 1\\}$": "(low = (-1) or low = 1)",
    "low is 0 or 1": "(low = 0 or low = 1)",
    "low is neither $0$ nor $1$": "(not (low = 0 or low = 1))",
    "if low is given, keepdims $\\in A$": "(given(low) => (keepdims in A))",
    "low is given and keepdims is dense": "(given(low) and (keepdims is dense))",
    "low is given, and if keepdims is given, $L = 0$": "(given(low) and (given(keepdims) => (L = 0)))",
    "every $X_m$ with $m \\in [0, L]$ is dense": "(for all m1 in 0 .. L : (X[m1] is dense))",
    "[C1] does not hold": "C1 fails",
    "[C2] is the first constraint that does not hold": "C2 fails",
    "not allowed: $L = 0$": None,
    "$L = 0$; $L = 1$": None,
    "$L = 0$ ~~or $A = X$~~": None,
    "$L = 0$ <del>or $A = X$</del>": None,
    "$L = 2^31$": None,
    "$A_12 = 0$": None,
    "$L = 0 \\quad L$": None,
    "$L = 0 \\Rightarrow L = 1 \\Leftrightarrow L = 2$": None,
    "$L = 0$ and $A = X$ for all $k \\in A$": None,
    "see [C9](#C1) unless $L = 0$": None,
    "low $\\in [0, 1[$": "(0 <= low and low < 1)",
    "With $f(a)$ of [there](#function): $f(L) = r$": "((if (L < 0) then (L + rank(data)) else L) = rank(data))",
    "$dX_{0,1} = dX0_1 = n_0$": "(X[0].shape[1] = X[0].shape[1] and X[0].shape[1] = rank(X[0]))",
    "$Zm[i] = Z_m[i]$ for all $m \\in [0, L]$ and all $i \\in A$": (
        "(for all m1 in 0 .. L, i2 in A : (Z[m1][i2] = Z[m1][i2]))"
    ),
    "$\\text{ddata}_0 = w$ or ($w = 2^{31} - 1$ and $\\lnot (L = 0)$)": (
        "((data.shape[0] = low) or ((low = (2 ^ 31 - 1)) and (not (L = 0))))"
    ),
    "$\\max_{m \\in [0, L]} n_m \\cdot 2 = \\sum_{k \\in A} k$": (
        "((max { rank(X[m1]) * 2 | m1 in 0 .. L }) = (sum { k2 | k2 in A }))"
    ),
    "$A = B \\Rightarrow L = 0$ if": None,
    "the shapes broadcast": None,
    "$0 \\le q$": None,
    "$L = 0$ unless $L = 1$": None,
    "$\\frac{L}{2} = 1$": None,
    "$L = 0, 1$": None,
    "$L$": None,
    "low is small": None,
    "[C2] does not hold": None,
    "for all $k \\in \\mathbb{N}$, $L = k$": None,
    "$f(1, 2) = 0$": None,
    "$\\begin{bmatrix} 1 \\end{bmatrix} = 0$": None,
    "$\\{ L = 0$": None,
    "$L^m = 0$": None,
    "$" + "(" * 500 + "L" + ")" * 500 + " = 0$": None,
}


def read(statement: str, function: str = FUNCTION) -> str:
    """The statement as it is read, names that are bound without what makes them new."""
    page = page_from("page.md", HEAD.format(function=function, statement=statement).encode())
    notation = Notation.of(NAMES, _library(), ("C1", "C2"))
    there = Definitions.of(page, list(by_family(page).items()))
    notation.doubtful = there.doubtful
    for one in there.read:
        notation.define(one.name, one.macro)
    (tag,) = page.tags
    words, _ = condition_of(page, "int", tag)
    made = Reader(words, notation).condition()
    parse_expression(Source("what was read", made))
    for n, name in enumerate(dict.fromkeys(re.findall(r"\b[A-Za-z]_\d+_", made))):
        made = made.replace(name, f"{name[0]}{n + 1}")
    return made


def _library() -> Library:
    return Library(facts={"dense": "", "typed": ""})


@pytest.mark.parametrize("statement", READ)
def test_read(statement: str) -> None:
    """Each as it should be, or not at all: never as something else."""
    if (expected := READ[statement]) is None:
        with pytest.raises(Unread) as unread:
            read(statement)
        assert unread.value.message
    else:
        assert read(statement) == expected


def test_definition_by_itself() -> None:
    """A page that defines a name by itself is not read for ever."""
    with pytest.raises(Unread, match="defined by itself"):
        read("$f(L) = 0$", "Let\n\n$$f(a) = g(a)$$\n\nLet\n\n$$g(a) = f(a) + 1$$\n")


def test_no_name_is_captured() -> None:
    """A name that a definition binds is another one than a name that is given to it."""
    made = read("$f(k) = 0$ for all $k \\in A$", "Let\n\n$$f(a) = \\max_{k \\in [0, L]} (a + k)$$\n")
    assert made == "(for all k1 in A : ((max { (k1 + k2) | k2 in 0 .. L }) = 0))"


def test_case_for_the_rest() -> None:
    """Cases that leave some input out are not read: what holds there is not said."""
    words = formula_words("\\begin{cases} 1 & \\text{if } L = 0 \\\\ 2 & \\text{if } L = 1 \\end{cases}")
    with pytest.raises(Unread, match="otherwise"):
        Reader(words, Notation.of(NAMES, _library(), ())).value_or_set()


def test_place_of_spans() -> None:
    """What a page defines keeps its place."""
    page = page_from("page.md", HEAD.format(function=FUNCTION, statement="x").encode())
    places = {one.name: one.span for one in Definitions.of(page, list(by_family(page).items())).read}
    assert {name: span.line for name, span in places.items()} == {"n": 6, "r": 5, "w": 6, "f": 11}
    assert isinstance(places["f"], Span)
