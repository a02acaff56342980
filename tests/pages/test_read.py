"""Markdown as blocks with places, tags in both styles, and whatever else a file may hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.errors import MissingFile, quoted
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import MOST_BYTES, page_from, read_page

ROOT = Path(__file__).parents[2]
NEW_STYLE = """
# **Abs** (real)

<span style="color:red">[E_ABS_REAL_FUNC_0010]</br></span>
Y is the absolute value of $X$, for any $i$:
$$Y[i] = |X[i]|$$
<span style="color:red">[END]</span>

Said by nobody.

<a id="E_ABS_REAL_CONSTR_X_0010"></a>
- [E_ABS_REAL_CONSTR_X_0010] X has a shape
- `[C1]` <a id="x-C1"></a> Consistency
  - Statement: the shapes of $X$ and $Y$ agree
  - Rationale: it is elementwise
"""


def test_every_piece_stands_where_it_is_found(page: Callable[[str], Page]) -> None:
    """The place of each piece of our own pages is where its text is."""
    every = 0
    for path in sorted((ROOT / "spec" / "sonnx").glob("*/*.md")):
        made = read_page(path)
        pieces = list(made.text.inlines([InlineKind.CODE, InlineKind.MATH, InlineKind.LINK]))

        # The shortest pages, of one type and one input, have some thirty.
        assert len(pieces) > 20
        every += len(pieces)
        for piece in pieces:
            line = made.source.line(piece.span.line)
            first = piece.text.split("\n")[0] if piece.kind != "link" else "["
            assert line[piece.span.column - 1 :].startswith(first), (path.name, piece)
    assert every > 2200, "a hundred for each of 22 pages"


def test_tags_of_the_new_style(page: Callable[[str], Page]) -> None:
    made = page(NEW_STYLE)

    assert [(t.name, t.kind, t.style, t.span.line, t.statement.text) for t in made.tags] == [
        ("E_ABS_REAL_FUNC_0010", "function", "new", 4, "Y is the absolute value of $X$, for any $i$: $Y[i] = |X[i]|$"),
        ("E_ABS_REAL_CONSTR_X_0010", "constraint", "new", 12, "X has a shape"),
        ("C1", "constraint", "old", 13, "the shapes of $X$ and $Y$ agree"),
    ]
    assert made.operator == "Abs"
    assert sorted(made.tags[2].details) == ["rationale", "statement"]


@pytest.mark.parametrize(
    "label",
    ["R1", "`R1`", "[R1]", "`[R1]`", "[`R1`]", "**R1**", '<a id="R1"></a> R1', '`[R1]` <a id="R1"></a>', " R1 "],
)
def test_a_label_however_it_is_written(label: str, page: Callable[[str], Page]) -> None:
    for end in (" |", ""):
        made = page(f"# **Op** (int)\n\n| tag | statement | origin |\n|---|---|---|\n| {label} | so | [GR1](#a){end}\n")
        assert [(t.name, t.kind, t.statement.text, t.origin and t.origin.plain) for t in made.tags] == [
            ("R1", "restriction", "so", "GR1")
        ]


@pytest.mark.parametrize("text", ["R1 says so", "see [R1](#R1)", "| R1x | no tag |\n|---|---|\n", "- E12a is none"])
def test_what_is_no_tag(text: str, page: Callable[[str], Page]) -> None:
    assert page(f"# **Op** (int)\n\n{text}\n").tags == []


def test_all_tags_of_our_pages_are_read() -> None:
    """As often as a simple pattern finds them at the beginning of rows."""
    for path in sorted((ROOT / "spec" / "sonnx").glob("*/*.md")):
        rows = [line for line in path.read_text("utf-8").splitlines() if line.startswith(("| `[", "- `["))]
        assert len(read_page(path).tags) == len(rows) > 0, path.name


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b" \n\t\n", "it is empty"),
        (b"a\0b", "NUL"),
        (b"# **Op** (int)\n\ncaf\xe9\n", "byte 19 is 0xe9"),
        (b"a" * (MOST_BYTES + 1), "is not read"),
    ],
)
def test_what_cannot_be_read_is_a_finding(data: bytes, words: str) -> None:
    found = [f for f in findings_of(page_from("page.md", data)) if f.rule == "unreadable"]

    assert len(found) == 1
    assert words in found[0].message


@given(st.binary(max_size=300) | st.text("#|-`$[]<>a1R\n\r: \\*_()!E", max_size=300).map(str.encode))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    """Whatever a file holds, each finding has a place in it."""
    for finding in findings_of(page_from("page.md", data)):
        assert finding.span.line >= 1
        assert finding.span.column >= 1
        assert quoted(finding.span)


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_other_line_ends(ends: str) -> None:
    text = (ROOT / "tests" / "pages" / "slips.md").read_text("utf-8")
    plain, other = (findings_of(page_from("page.md", t.encode())) for t in (text, text.replace("\n", ends)))

    assert [f.key for f in plain] == [f.key for f in other]


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.md"):
        with pytest.raises(MissingFile):
            read_page(path)


REAL = """
# $\\text{Clamp}$ (real, real)

# Signature

Y

## Inputs and outputs

### $X$: `real tensor`

### Constraints

- (C1) Shape
   - Statement: <Tensors have shapes
<a id="E_CLAMP_REAL_CONSTR_X_0010"></a>
- `E_CLAMP_REAL_CONSTR_X_0010` <Sizes&gt; of $X$

##### `Y` (INT8, BOOL)

Below.

#### Restrictions

- Sizes are given `[R1]`
- Types are given, see [`[R1]`](#a)

#### Informal specification

<b><span style="a">[T1]</span></b> All sizes, see [<b>[T1]</b>](#T1)

$$\\texttt{[T2]} Y = X$$
"""


def test_headings_and_tags_of_real_pages(page: Callable[[str], Page]) -> None:
    """LaTeX in headings, sections as high as their family, types of outputs, tags behind restrictions, in formulas."""
    made = page(REAL)

    assert made.operator == "Clamp"
    assert [s.title for s in made.families] == ["Clamp (real, real)"]
    assert [(t.name, t.kind, t.span.line) for t in made.tags] == [
        ("C1", "constraint", 14),
        ("E_CLAMP_REAL_CONSTR_X_0010", "constraint", 17),
        ("R1", "restriction", 25),
        ("T1", "function", 30),
        ("T2", "function", 32),
    ]
    assert [(a.target, a.span.line) for t in made.tags for a in t.anchors] == [("E_CLAMP_REAL_CONSTR_X_0010", 16)]
    assert {s.within for s in made.sections} == {"", "signature", "inputs", "restrictions", "function"}


def test_an_operator_without_types(page: Callable[[str], Page]) -> None:
    for title in ("`Clamp` operator", "Operator **Clamp**"):
        assert page(f"# {title}\n\n## Inputs\n\nnone\n").operator == "Clamp"
    assert page("# `clamp` operator\n## `Clamp` `(FP16, INT8)`\n").operator == "Clamp"
