"""Pages that a reader takes for something else than their formal text says: none of them is proved the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.commands.agreeing import agreed
from sonnx_verify.pages.read import read_page
from sonnx_verify.solvers import Solvers

ATTRIBUTES = "abcdefghkvyz"
FORMAL = """operator Op version 1 user
page "op.md"
types int = int8
types float = float
{attributes}
input X : tensor of T
input B : tensor of T
output Y : tensor of T
let r = rank(X)
[C1] constraint "c" : {clause}
[E1] error "e" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""
PAGE = """# **Op** (int, int)

## Function

{function}

## Inputs

{before}- `[C1]` <a id="int-C1"></a> title
  - Statement: {statement}

## Error conditions

- `[E1]` <a id="int-E1"></a> [[C1]](#int-C1) does not hold.
"""
STATEMENTS = [
    ("$a = 0$ or $b = 0$, and $c = 0$.", "a = 0 or (b = 0 and c = 0)"),
    ("$a = 0$ or $b = 0$ and $c = 0$.", "a = 0 or (b = 0 and c = 0)"),
    ("$k < 9$ for all $k \\in [0, a]$ with $k > 0$, and $b > 3$.", "for all k in 0 .. a where k > 0 and b > 3 : k < 9"),
    ("$a = 0$ and $k < 9$ for all $k \\in [0, a]$.", "for all k in 0 .. a : a = 0 and k < 9"),
    ("if for any $k \\in [0, a]$, $k < b$, then $c = 1$.", "(for all k in 0 .. a : k < b) => c = 1"),
    ("not for any $k \\in [0, v]$, $k = f$.", "not (for all k in 0 .. v : k = f)"),
    ("not $a = 0$ or $b = 0$.", "not (a = 0) or b = 0"),
    ("if $a = 0$, $b = 1$, and $c = 2$.", "a = 0 => (b = 1 and c = 2)"),
    ("if $a = 0$, $b = 1$, and $c = 2$.", "(a = 0 => b = 1) and c = 2"),
    ("for all $k \\in [0, a]$, $k < 3$, and $c = 0$.", "for all k in 0 .. a : k < 3 and c = 0"),
    ("$a \\in \\{0, 1,000\\}$.", "a = 0 or a = 1"),
    ("b is 0 or 1.$5$.", "b = 0 or b = 1"),
    ("a is ①.", "a = 1"),
    ("a is at most ٣.", "a <= 3"),
    ("[a is 0 ~~or 1~~](#int).", "a = 0 or a = 1"),
    ("h is 0 ![or 1](a.png).", "h = 0 or h = 1"),
    ("$g \\in [0, 1]$ ![](except.png).", "0 <= g and g <= 1"),
    ("$e \\in [0, 1]$\n    - or $e = 7$", "0 <= e and e <= 1"),
    ("$f \\in [0, 1]$\n\n    or $f = 7$.", "0 <= f and f <= 1"),
    ("$f \\in [0, 1]$\n\n  or $f = 7$.", "0 <= f and f <= 1"),
    ("<i hidden>d is 0 or</i> $d = 1$.", "d = 0 or d = 1"),
    ("unless b is 1, that is, $a = 0$.", "a = 0"),
    ("It is forbidden: $a = 0$.", "a = 0"),
    ("With the exception of [some](#int): $a = 0$.", "a = 0"),
    ("With $b$ the number of [some](#int): $a = 0$.", "a = 0"),
    ("see [C2]. It differs from [[C1]](#float-C1).", "a = 0"),
]
"""What a page states, and a clause that it was once taken for."""
FUNCTIONS = [
    ("Let $r$ be the rank of $X$ minus $1$.", "$r = 1$.", ""),
    ("Let $s$ be the rank of $X$ plus $1$.", "$s = 1$.", "rank(X) = 1"),
    ("Let $t$ be the rank of $X$ or of $B$, whichever is larger.", "$t < 7$.", "rank(X) < 7"),
    ("Let $q$ be the value of a plus $1$.", "$q = 4$.", "a = 4"),
    ("Let $q = b$ where c is 0, and $q = 5$ otherwise.", "$q = 5$.", "b = 5"),
    ("Let $n = 1$ plus the rank of $X$.", "$a = n$.", "a = 1"),
    ("Let $n = 1$. Here $n$ is the rank of $X$ squared.", "$a = n$.", "a = 1"),
    ("Let $n = 1$.\n\nIn other cases $n = 2$.", "$a = n$.", "a = 1"),
    ("Suppose c is 1. Let $n = 1$.", "$a = n$.", "a = 1"),
    ("- Let $n = 1$.", "$a = n$.", "a = 1"),
    ("> Let $n = 1$.", "$a = n$.", "a = 1"),
    ("### If c is 1\n\nLet $n = 1$.", "$a = n$.", "a = 1"),
    ("Let $dX_k$ be the size of $X$ on axis $k + 1$.", "if $rX = 1$, $dX_0 = 4$.", "rank(X) = 1 => X.shape[0] = 4"),
    ("For every $k$ below $3$,\n\n$$l_k = 7$$\n\nOn all other axes it is $k$.", "$e = l_9$.", "e = 7"),
    ("Let\n\n$$l_k = 7$$\n\nOn all other axes it is $k$.", "$e = l_9$.", "e = 7"),
    ("Where c is $1$:\n\n$$q = 3$$", "$f = q$.", "f = 3"),
    ("Not as usual, here\n\n$$\\operatorname{rank}(x) = 4$$", "$a = \\operatorname{rank}(X)$.", "a = rank(X)"),
    ("Let $n = 1$.", "$a = n$. Here $n$ is the rank of $X$ squared.", "a = 1"),
]
"""What a page says of names, what it states with them, and a clause that that was once taken for."""
ELEMENTS = [
    "Apart from the first element,\n\n$$Y[i] = X[i]$$\n\nThe first element is $0$.",
    "At even $i$,\n\n$$Y[i] = X[i]$$\n\nOtherwise it is $0$.",
    "The result is, up to its sign,\n\n$$Y[i] = X[i]$$",
    "For every index $i$ of $X$,\n\n$$Y[i] = X[i]$$",
    "For every index $i$ of $Y$,\n\n$$Y[i] = X[i]$$\n\nexcept where $X[i] = 5$.",
    "For every index $i$ of $Y$,\n\n$$Y[i] = X[i]$$\n\nOtherwise it is $0$.",
    "If c is 1, then for every index $i$ of $Y$,\n\n$$Y[i] = X[i]$$",
]


def verdicts(folder: Path, clause: str, function: str, statement: str, before: str = "") -> dict[str, str]:
    """What came of each tag of the family of integers."""
    attributes = "\n".join(f"attribute {name} : int default 0" for name in ATTRIBUTES)
    text = folder / "op.sonnx"
    text.write_text(FORMAL.format(attributes=attributes, clause=clause or "r = 1"), "utf-8")
    page = folder / "op.md"
    page.write_text(PAGE.format(function=function, statement=statement, before=before), "utf-8")
    with Solvers() as solvers:
        found = agreed(text, read_page(page), solvers)
    return {tag: one.verdict for (family, tag), one in found.items() if family == "int"}


@pytest.mark.parametrize(("statement", "clause"), STATEMENTS)
def test_statement(tmp_path: Path, statement: str, clause: str) -> None:
    """It is left to the reviewer, or refuted."""
    assert verdicts(tmp_path, clause, "Nothing.", statement)["C1"] != "proved"


@pytest.mark.parametrize(("function", "statement", "clause"), FUNCTIONS)
def test_definition(tmp_path: Path, function: str, statement: str, clause: str) -> None:
    """The same where a name means something that is not read; and the name itself is not proved either."""
    found = verdicts(tmp_path, clause, function, statement)
    assert found.get("r") != "proved"
    if clause:
        assert found["C1"] != "proved"


@pytest.mark.parametrize("function", ELEMENTS)
def test_elements(tmp_path: Path, function: str) -> None:
    """The same of an equation that holds of some elements."""
    assert verdicts(tmp_path, "a = 0", function, "$a = 0$.").get("Y.value") != "proved"


@pytest.mark.parametrize(
    ("function", "statement", "clause"),
    [
        ("Let $n = 1$. Let $s$ be the rank of $X$.", "$a = n$ and $s = 2$.", "a = 1 and rank(X) = 2"),
        ("Let\n\n$$l(k) = k + 1$$", "$e = l(c)$.", "e = c + 1"),
        ("Let $dX_k$ be the size of $X$ on axis $k$.", "$dX_k > 0$ for all $k \\in [0, rX - 1]$.",
         "for all k in 0 .. rank(X) - 1 : X.shape[k] > 0"),
        ("For every index $i$ of $Y$,\n\n$$Y[i] = X[i]$$\n\nNothing else.", "a is 0 or 1. That is all.",
         "a = 0 or a = 1"),
        ("Nothing.", "$a = 0$ or $b = 0$, or $c = 0$.", "a = 0 or b = 0 or c = 0"),
        ("Nothing.", "if $a = 0$, $b = 1$.", "a = 0 => b = 1"),
    ],
)  # fmt: skip
def test_what_is_proved(tmp_path: Path, function: str, statement: str, clause: str) -> None:
    """What is said without a doubt is read, so that the tests above can fail."""
    found = verdicts(tmp_path, clause, function, statement)
    assert found["C1"] == "proved" and found["E1"] == "proved"
    assert found.get("Y.value", "proved") == "proved" and ("Y.value" in found) is ("$Y[i]" in function)
