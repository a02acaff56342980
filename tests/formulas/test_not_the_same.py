"""Pages that a reader takes for something else than their formal text says: none of them is proved the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from sonnx_verify.api.compared import Deciding
from sonnx_verify.pages.formulas.outcome import outcomes_of
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.solving.solvers import Solvers

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


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """One pair for all pages: to begin them takes longer than to ask them."""
    with Solvers() as made:
        yield made


def verdicts(
    solvers: Solvers, folder: Path, clause: str, function: str, statement: str, before: str = ""
) -> dict[str, str]:
    """What came of each tag of the family of integers."""
    attributes = _attributes(clause, function, statement)
    text = folder / "op.sonnx"
    text.write_text(FORMAL.format(attributes=attributes, clause=clause or "r = 1"), "utf-8")
    page = folder / "op.md"
    page.write_text(PAGE.format(function=function, statement=statement, before=before), "utf-8")
    return _verdicts(solvers, text, page)


def _attributes(*texts: str) -> str:
    """Those that are spoken of: a counterexample is looked for among the values of all."""
    found = {name for text in texts for name in re.findall(r"(?<![A-Za-z])[a-z](?![A-Za-z])", text)}
    return "\n".join(f"attribute {name} : int default 0" for name in ATTRIBUTES if name in found)


def _verdicts(solvers: Solvers, text: Path, page: Path) -> dict[str, str]:
    read = read_page(page)
    found = outcomes_of(text, read, Deciding(solvers, 1).formulas(text, read))
    return {tag: one.verdict for (family, tag), one in found.items() if family == "int"}


@pytest.mark.parametrize(("statement", "clause"), STATEMENTS)
def test_statement(solvers: Solvers, tmp_path: Path, statement: str, clause: str) -> None:
    """It is left to the reviewer, or refuted."""
    assert verdicts(solvers, tmp_path, clause, "Nothing.", statement)["C1"] != "proved"


@pytest.mark.parametrize(("function", "statement", "clause"), FUNCTIONS)
def test_definition(solvers: Solvers, tmp_path: Path, function: str, statement: str, clause: str) -> None:
    """The same where a name means something that is not read; and the name itself is not proved either."""
    found = verdicts(solvers, tmp_path, clause, function, statement)
    assert found.get("r") != "proved"
    if clause:
        assert found["C1"] != "proved"


@pytest.mark.parametrize("function", ELEMENTS)
def test_elements(solvers: Solvers, tmp_path: Path, function: str) -> None:
    """The same of an equation that holds of some elements."""
    assert verdicts(solvers, tmp_path, "a = 0", function, "$a = 0$.").get("Y.value") != "proved"


@pytest.mark.parametrize(
    ("function", "statement", "clause"),
    [
        ("Let $n = 1$. Let $s$ be the rank of $X$.", "$a = n$ and $s = 2$.", "a = 1 and rank(X) = 2"),
        ("Let\n\n$$l(k) = k + 1$$", "$e = l(c)$.", "e = c + 1"),
        ("Let $dX_k$ be the size of $X$ on axis $k$.", "$dX_k > 0$ for all $k \\in [0, rX - 1]$.",
         "for all k in 0 .. rank(X) - 1 : X.shape[k] > 0"),
        ("For every index $i$ of $Y$,\n\n$$Y[i] = X[i]$$", "a is 0 or 1. That is all.",
         "a = 0 or a = 1"),
        ("Nothing.", "$a = 0$ or $b = 0$, or $c = 0$.", "a = 0 or b = 0 or c = 0"),
        ("Nothing.", "if $a = 0$, $b = 1$.", "a = 0 => b = 1"),
    ],
)  # fmt: skip  # a table
def test_what_is_proved(solvers: Solvers, tmp_path: Path, function: str, statement: str, clause: str) -> None:
    """What is said without a doubt is read, so that the tests above can fail."""
    found = verdicts(solvers, tmp_path, clause, function, statement)
    assert found["C1"] == "proved"
    assert found["E1"] == "proved"
    assert found.get("Y.value", "proved") == "proved"
    assert ("Y.value" in found) is ("$Y[i]" in function)


BASE = """Intervals include both ends.

# **Op** (int, int)

## Signature

- $b$ is an attribute,

## Restrictions

| Restriction | Statement | Origin |
|---|---|---|
| `[R1]` <a id="int-R1"></a> | $b = 0$. | here |

## Function

Let $n = 0$. Let $s$ be the value of c.

Let

$$f(k) = k + 1$$

### Elements of the result

For every index $i$ of $Y$,

$$Y[i] = X[i]$$

## Error conditions

- `[E1]` <a id="int-E1"></a> [[C1]](#int-C1) does not hold.

## Inputs

### $X$: tensor of $T$

- `[C1]` <a id="int-C1"></a> title
  - Statement: With $n$ of [there](#function): $a = n$.
  - Rationale: it is so.
- `[C2]` <a id="int-C2"></a> title
  - Statement: $c + 1 = f(n)$.

## Outputs

# **Op** (float, float)

## Inputs

- `[C1]` <a id="float-C1"></a> title
  - Statement: see [[C1]](#int-C1) of the integer section.
"""
"""A page of which all is read."""
BASE_FORMAL = FORMAL.replace("[C1]", '[R1] restriction "r" : b = 0\n[C1]').replace(
    "[E1]", '[C2] constraint "d" : c = 0\n[E1]'
)
C1, C2 = "$a = n$.", "  - Statement: $c + 1 = f(n)$.\n"
LIST, TABLE = "- `[C1]` <a", "| Restriction | Statement | Origin |"
ROW = '| `[R1]` <a id="int-R1"></a> | $b = 0$. | here |'
ELEMENT, OUT, LET = "For every index $i$", "$$Y[i] = X[i]$$", "Let $n = 0$."
ATTACKS = {
    # A tag, a detail or a family that stands twice.
    "another tag of that name": ("C1", LIST, "- `[C1]` title\n  - Statement: a is any number.\n" + LIST),
    "a second one later": ("C1", C2, C2 + "- `[C1]` title\n  - Statement: a is any number.\n"),
    "another family of that name": ("C1", "# **Op** (float, float)", "# **Op** (int, int)"),
    "what the heading of a family says": ("C1", "(int, int)", "(int, int) where c is 1"),
    "a second statement": ("C1", C1, C1 + "\n  - Statement: $a = 0$."),
    "a statement below a detail": ("C1", "  - Statement: With", "  - Rationale: as\n    - Statement: With"),
    "a detail below the statement": ("C1", C1, C1 + "\n    - Rationale: or $b = 0$."),
    "a heading in the item": ("C1", C1, "$a = n$\n\n    ### or it is $7$.\n"),
    "a heading of two lines in the item": ("C1", C1, "$a = n$\n\n    or it is $7$.\n    ===\n"),
    # Tables.
    "a column that limits": ("R1", TABLE, "| Restriction | Statement | Except for |"),
    "a column before": ("R1", TABLE, "| Restriction | Earlier draft | Statement |"),
    "no column of statements": ("R1", TABLE, "| Restriction | Ruled out | Origin |"),
    "two columns of statements": ("R1", TABLE, "| Restriction | Statement | Statement |"),
    "a head that denies": ("R1", TABLE, "| Restrictions no more | Statement | Origin |"),
    "a row that goes on": ("R1", ROW, ROW + "\n| | or $b = 1$ | |"),
    "a row above": ("R1", ROW, "| | None of these: | |\n" + ROW),
    # Links and preambles.
    "a link to another page": ("E1", "(#int-C1) does", "(../b.md#int-C1) does"),
    "a link to another tag": ("E1", "(#int-C1) does", "(#int-C2) does"),
    "a link to another family": ("E1", "(#int-C1) does", "(#float-C1) does"),
    "an anchor twice": ("E1", "Intervals", '<a id="int-C1"></a> Intervals'),
    "a statement of another page": ("C1", "(#function): $a", "(../b.md#function): $a"),
    "a condition in a preamble": ("C1", "With $n$ of", "With $n$ and $c = 1$ of"),
    "a denial in a preamble": ("C1", "With $n$ of", "With $c \\neq 1$ of"),
    # What the page says of names.
    "a name of an attribute": ("C1", LET, "Let $a$ be the value of b. Let $n = 0$."),
    "an equation for an attribute": ("C1", LET, LET + " Let $a = b + 1$."),
    "an attribute elsewhere": ("C1", "Intervals", "Here $a$ is the number of axes. Intervals"),
    "an attribute in words": ("C1", "Intervals", "On this page a stands for the number plus one. Intervals"),
    "an input": ("Y.value", "Intervals", "Let $X$ be the tensor B with its axes reversed. Intervals"),
    "a value of a function": ("C2", "Intervals", "An entry means more: $f(0) = 7$. Intervals"),
    # Where a definition stands.
    "a definition of another family": ("C1", LET, ""),
    "a definition in a case": ("C1", LET, "### Where c is 1\n\nLet $n = 0$."),
    "a definition that is wrong": ("C1", LET, "### A common mistake\n\nLet $n = 0$."),
    "a definition below a case": ("C1", LET, "### Where c is 1\n\n#### Shape of the result\n\nLet $n = 0$."),
    "a definition after a case": ("C1", LET, "If c is $1$:\n\nLet $n = 0$."),
    # Where a tag stands.
    "a quotation": ("C1", LIST, "> " + LIST),
    "a heading that withdraws": ("C1", LIST, "### Withdrawn constraints\n\n" + LIST),
    "a heading for a case": ("C1", LIST, "### Where $c = 1$\n\n" + LIST),
    "a section for a version": ("C1", "## Inputs", "## Inputs of earlier versions, which are not asked for"),
    "a section of examples": ("C1", "## Inputs", "## Examples"),
    "a list in a list": ("C1", LIST, "- If c is $1$:\n  - `[C1]` $a = n$.\n- `[C3]` <a"),
    "an item above": ("C1", LIST, "- If c is $1$ the following hold.\n" + LIST),
    "a line above": ("C1", LIST, "If c is $1$:\n\n" + LIST),
    "a title that limits": ("C1", "title\n  - Statement: With", "where $c = 1$ only\n  - Statement: With"),
    "a footnote": ("C1", "title\n  - Statement: With", "title[^1]\n  - Statement: With"),
    "what is struck out": ("C1", "### $X$", "<del>\n\n### $X$"),
    "what is folded away": ("R1", TABLE, "<details>\n\n" + TABLE),
    "what is struck out from here on": ("R1", "Intervals", "Older: <s> Intervals"),
    # What comes out.
    "some elements after": ("Y.value", OUT, OUT + "\n\nHowever, an index with $i_0 = 0$ gives $0$."),
    "some elements before": ("Y.value", ELEMENT, "If $L$ is even:\n\n" + ELEMENT),
    "a draft": ("Y.value", ELEMENT, "The following, from an earlier draft, is wrong.\n\n" + ELEMENT),
    "a list of cases after": ("Y.value", OUT, OUT + "\n\n- If $c = 1$, the result is $0$ instead."),
    "an equation that goes on": ("Y.value", OUT, OUT + "\n\n$$+ B[i]$$"),
    "another equation": ("Y.value", "## Error", "### Also\n\n$$Y[i] = 0$$\n\n## Error"),
    "another equation in a fence": ("Y.value", "## Error", "### Also\n\n```math\nY[i] = 0\n```\n\n## Error"),
    "another equation in a sentence": ("Y.value", "## Error", "### Also\n\nWhere c is 1, $Y[i] = 0$.\n\n## Error"),
}
"""Of a page of which all is read: what is not proved any more, what is replaced, and by what."""


def test_all_of_it_is_read(solvers: Solvers, tmp_path: Path) -> None:
    """So that the next tests can fail."""
    found = _attacked(solvers, tmp_path, "", "")
    assert {tag for tag, verdict in found.items() if verdict == "proved"} == {"R1", "C1", "C2", "E1", "Y.value"}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(solvers: Solvers, tmp_path: Path, name: str) -> None:
    """What stands on the page beside it may change what a fragment means: it is not read, or read as that."""
    tag, old, new = ATTACKS[name]
    assert old in BASE
    assert _attacked(solvers, tmp_path, old, new).get(tag) != "proved"


def _attacked(solvers: Solvers, folder: Path, old: str, new: str) -> dict[str, str]:
    attributes = _attributes("a b c")
    text, page = folder / "op.sonnx", folder / "op.md"
    text.write_text(BASE_FORMAL.format(attributes=attributes, clause="a = 0"), "utf-8")
    made = BASE.replace(old, new, 1)
    if (old, new) == (LET, ""):
        made = made.replace("(float, float)", f"(float, float)\n\n## Function\n\n{LET}")
    page.write_text(made, "utf-8")
    return _verdicts(solvers, text, page)


READINGS = [
    ("$\\| a \\| = 2$.", "a = 2"),
    ("$a \\in \\{9, \\ldots, 0\\}$.", "a < a"),
    ("$a \\in \\{b, \\ldots, 0\\}$.", "b <= a and a <= 0"),
    ("$a \\> -1$.", "a > -1"),
    ("a is 0-3.", "a = -3"),
    ("a is at most 5-3.", "a <= 2"),
    ("$a = 3$ - b.", "a = 3 - b"),
    ("$\\sum_{k \\in [0, a]} b + 1 = 3$.", "sum { b | k in 0 .. a } + 1 = 3"),
    ("either $a = 0$ or $b = 0$.", "a = 0 or b = 0"),
    ("$\\mathbf{a} = 0$.", "a = 0"),
    ("$a$ is not $b = 0$.", "a != b and b = 0"),
    ("$a = 0$ . . . or $b = 0$.", "a = 0"),
    ("$a = 0$ . or $b = 0$.", "a = 0"),
    ("$a = 0$.\\\n    or $b = 0$.", "a = 0"),
]
"""What a page states, and a clause that only a reading of it says which a reader has not."""


@pytest.mark.parametrize(("statement", "clause"), READINGS)
def test_reading(solvers: Solvers, tmp_path: Path, statement: str, clause: str) -> None:
    """It is not read."""
    assert verdicts(solvers, tmp_path, clause, "Nothing.", statement)["C1"] == ""


@pytest.mark.parametrize(
    "function",
    [
        " ".join(f"Let $q{a} = q{b} + q{b}$." for a, b in pairwise("abcdefghijklmnopqrstuvwxy")),
        "Let\n\n$$w(k) = k + k$$\n\nLet $qa = " + "w(" * 34 + "1" + ")" * 34 + "$.",
        "Let\n\n$$w(k) = 1$$\n\n"
        + " ".join(f"Let $q{a} = w(q{b} + q{b})$." for a, b in pairwise("abcdefghijklmnopqrstuvwxy")),
    ],
)
def test_definitions_that_grow(solvers: Solvers, tmp_path: Path, function: str) -> None:
    """A page whose definitions double and double is not read for ever."""
    function += " Let $qy = 1$."
    assert verdicts(solvers, tmp_path, "a = 1", function, "$a = qa$.")["C1"] == ""
