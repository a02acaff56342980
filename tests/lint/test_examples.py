"""Examples of pages are evaluated by the formal text: what is wrong is told with the right value."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.examples import examples_of
from sonnx_verify.pages.reading.read import page_from, read_page

ROOT = Path(__file__).parents[2]
HEAD = "# **Max** (int, int)\n\n## Signature\n\n$Y = \\text{Max}(X_0, \\ldots, X_L)$\n\n"
WRONG = {
    "max": (
        ("Y = \\begin{bmatrix} 2 & 7", "Y = \\begin{bmatrix} 3 & 7", "Y is int32 (2, 3) [[2, 7, 0], [4, 5, 9]]"),
        ("| $(0)$ | $()$ | $Y$ of shape $(0)$", "| $(0)$ | $()$ | $Y$ of shape $(1)$", "the shape (0,): int64 (0) []"),
        ("| $(0)$ | $(2)$ | error [[E1]]", "| $(0)$ | $(2)$ | error [[E3]]", "E1 applies, not E3"),
        ("$X_0 = -5$ gives", "$X_0 = -500$ gives", "-500 is not a value of type int8"),
        ("gives $Y = [-0, \\text{NaN}]$", "gives $Y = [+0, \\text{NaN}]$", "Y is bfloat16 (2) [-0.0, nan]"),
        ("| $Y$ | NaN | $+0$ |", "| $Y$ | NaN | $-0$ |", "Y is float (6) [nan, 0, nan, -inf, -0.0, inf]"),
        ("give $Y$ of shape $(2, 0)$", "give $Y$ of shape $(2, 1)$", "the shape (2, 0)"),
    ),
    "reducesum": (
        ("| $[-0, 0.1]$ | not given", "| $[-0, 0.2]$ | not given", "reduced is float (2) [-0.0, 0.2]"),
        ("0.00000011920928955078125]", "0.0000002]", "0.0000002 does not conform"),
        ("| $64000$ |", "| $64064$ |", "reduced is float16 () 64000"),
        ("| $[-0, -0]$ | $[0]$", "| $[-0, -1]$ | $[0]$", "0 does not conform; reduced may be float () -1"),
        ("| $[2]$ | $0$ | $0$ | error", "| $[1]$ | $0$ | $0$ | error", "no error applies, not E2"),
        ("$[18446744073709551615, 3]$", "$[18446744073709551615, 4]$", "reduced is uint64 () 3"),
    ),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_example_is_told_with_what_is_right(name: str, tmp_path: Path) -> None:
    """Each slip by itself, at its line; without a slip nothing is found."""
    folder = ROOT / "spec" / "sonnx" / name
    text = (folder / f"{name}.md").read_text("utf-8")
    (tmp_path / f"{name}.sonnx").write_text((folder / f"{name}.sonnx").read_text("utf-8"), "utf-8")
    slips = WRONG[name]
    wrong = text
    for before, after, _ in slips:
        assert before in text
        wrong = wrong.replace(before, after, 1)
    (tmp_path / f"{name}.md").write_text(wrong, "utf-8")
    found = [f for f in findings_of(read_page(tmp_path / f"{name}.md")) if f.rule.startswith("example")]

    assert {f.rule for f in found} == {"example-differs"}
    assert len(found) == len(slips)
    for _, after, message in slips:
        line = wrong[: wrong.index(after)].count("\n") + 1
        assert any(message in f.message and f.span.line == line for f in found), message


def test_every_example_of_our_pages_is_read() -> None:
    """As many as the pages show: rows of tables, mathematics and sentences. Pages that quote their sections have what
    the text has, rendered."""
    counts = {p.stem: len(list(examples_of(read_page(p)))) for p in sorted(ROOT.glob("spec/sonnx/*/*.md"))}

    assert {name: count for name, count in counts.items() if count} == {
        "max": 12,
        "min": 12,
        "reducemax": 61,
        "reducemin": 61,
        "reducesum": 69,
    }


LINE = "$$X_0 = \\begin{bmatrix} 1 & 2 \\end{bmatrix}$$\n\n$$Y = \\begin{bmatrix} %s \\end{bmatrix}$$"
TABLE = "| $X_0$ | $Y$ |\n|---|---|\n| $%s$ | $%s$ |"
SHAPES = "**One**, int8, shapes $(2)$ and $(1)$, result $(3)$:\n\n$$X_0 = [1, 2] \\quad X_1 = [2] \\quad Y = [2, 2]$$"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SHAPES, "example-shape"),
        ("If $X_0 = [1]$ and $X_1 = [2]$ then $Y = [3]$.", "example-differs"),
        ("### Example 1\n\n" + LINE % "1 & 2", ""),
        ("### Example 1\n\n" + LINE % "2 & 1", "example-differs"),
        ("$X_0 = [1]$, $X_2 = [2]$: $Y = [2]$.", "example-unread"),
        (TABLE % ("[[1], [2]]", "[[1], [3]]"), "example-differs"),
        (TABLE % ("[[1], [2, 3]]", "[1, 3]"), "example-unread"),
        (TABLE % ("[[1], [2]]", "x"), "example-unread"),
        ("| $X_0$ | $Y$ |\n|---|---|\n| $[[1], [2]]$ | any value |", "example-differs"),
        ("Nothing is shown: $k = 1$.", ""),
    ],
)
def test_what_is_read(body: str, expected: str) -> None:
    """In mathematics, in sentences and in tables; a matrix of one line is a list, or has two axes."""
    found = findings_of(page_from("page.md", f"{HEAD}## Examples\n\n{body}\n".encode()))

    assert [f.rule for f in found if f.rule.startswith("example")] == ([expected] if expected else [])


def _family(operator: str, types: str, signature: str, examples: str) -> str:
    return f"# **{operator}** ({types})\n\n## Signature\n\n${signature}$\n\n## Examples\n\n{examples}\n"


def _matrices(*values: tuple[str, str]) -> str:
    """A block of mathematics for each name, as pages have them."""
    blocks = [f"```math\n{name} = \\begin{{bmatrix}} {rows} \\end{{bmatrix}}\n```\n" for name, rows in values]
    return "\n".join(blocks)


WHERE = "Z = \\textbf{Where}(condition, X, Y)"
PICKED = (("condition", "\\text{True} & \\text{False}"), ("X", "9 & 8"), ("Y", "6 & 5"))
ADDED = (("A", "200 & 1"), ("B", "50 & 2"))
ROW = (("X", "1 & 2"), ("S", "0"), ("Y", "1 & 2"))
DIVIDED = (("A", "-7"), ("B", "2"), ("C", "-4"))
LEAKY = "Y = \\text{LeakyRelu}(X)"
KINDS = {
    "a condition first": (_family("Where", "bool, int, int", WHERE, _matrices(*PICKED, ("Z", "9 & 5"))), ""),
    "a condition first, wrong": (
        _family("Where", "bool, int, int", WHERE, _matrices(*PICKED, ("Z", "9 & 6"))),
        "error: Z is int8 (2) [9, 5]",
    ),
    "no condition given": (_family("Where", "bool, int, int", WHERE, _matrices(*PICKED[1:], ("Z", "9 & 5"))), "note"),
    "no such section": (_family("Where", "bool, real, real", WHERE, _matrices(*PICKED, ("Z", "9 & 6"))), "note"),
    "condition in capitals": (_family("Where", "BOOL, INT8, INT8", WHERE, _matrices(*PICKED, ("Z", "9 & 5"))), ""),
    "a type that fits": (_family("Add", "int, int", "C = \\text{Add}(A, B)", _matrices(*ADDED, ("C", "250 & 3"))), ""),
    "its own type": (
        _family(
            "Add",
            "int, int",
            "C = \\text{Add}(A, B)",
            "### Example 1 (1D uint8 tensors)\n\n" + _matrices(*ADDED, ("C", "250 & 3")),
        ),
        "",
    ),
    "not of its own type": (
        _family(
            "Add",
            "int, int",
            "C = \\text{Add}(A, B)",
            "### Example 1 (int8)\n\n" + _matrices(*ADDED, ("C", "250 & 3")),
        ),
        "error: 200 is not a value of type int8",
    ),
    "wrong for each type": (
        _family("Add", "int, int", "C = \\text{Add}(A, B)", _matrices(*ADDED, ("C", "251 & 3"))),
        "error: C is ",
    ),
    "other names": (
        _family("Add", "int, int", "Z = \\text{Add}(X, Y)", _matrices(("X", "1"), ("Y", "2"), ("Z", "4"))),
        "note: C is ",
    ),
    "types that the page defines": (
        _family("Add", "wide, wide", "C = \\text{Add}(A, B)", _matrices(*ADDED, ("C", "250 & 3"))).replace(
            "## Signature", "where wide is in {INT16, uint32}.\n\n## Signature"
        ),
        "",
    ),
    "a type that the page leaves out": (
        _family("Add", "int, int", "C = \\text{Add}(A, B)", _matrices(*ADDED, ("C", "250 & 3"))).replace(
            "## Signature", "where int is in {int8}\n\n## Signature"
        ),
        "error: 200 is not a value of type int8",
    ),
    "nobody says which types": (
        _family("Add", "odd, odd", "C = \\text{Add}(A, B)", _matrices(*ADDED, ("C", "251 & 3"))),
        "note: C is ",
    ),
    "rounded digits": (
        _family("Div", "float, float", "C = \\text{Div}(A, B)", _matrices(("A", "2.0"), ("B", "3.0"), ("C", "0.67"))),
        "note: C is ",
    ),
    "digits cut off": (
        _family("Div", "float, float", "C = \\text{Div}(A, B)", _matrices(("A", "2.0"), ("B", "3.0"), ("C", "0.666"))),
        "note: C is ",
    ),
    "wrong digits": (
        _family("Div", "float, float", "C = \\text{Div}(A, B)", _matrices(("A", "2.0"), ("B", "3.0"), ("C", "0.68"))),
        "error: C is ",
    ),
    "beyond the greatest": (
        _family("Neg", "float", "Y = \\text{Neg}(X)", "### Example (float16)\n\nIf $X = [70000]$ then $Y = [-70000]$."),
        "error: 70000 is not a value of type float16",
    ),
    "a default": (_family("LeakyRelu", "float", LEAKY, "If $X = [-4]$ then $Y = [-2]$."), "note"),
    "one reading of two": (
        _family(
            "Squeeze", "int, int64", "Y = \\text{Squeeze}(X, S)", _matrices(("X", "1 & 2"), ("S", "0"), ("Y", "1 & 2"))
        ),
        "",
    ),
    "an older version": (
        "Based on ONNX version 13.\n\n" + _family("Div", "int, int", "C = \\text{Div}(A, B)", _matrices(*DIVIDED)),
        "error: C is int32",
    ),
    "a version that lacks its type": (
        "Based on ONNX version 13.\n\n"
        + _family(
            "Div",
            "int, int",
            "C = \\text{Div}(A, B)",
            "### Example (int8)\n\n" + _matrices(*DIVIDED),
        ),
        "note: the example is not evaluated: the formal text has no section for int8",
    ),
    "the zero of the other sign": (
        _family("Neg", "float", "Y = \\text{Neg}(X)", "### Example (float)\n\nIf $X = [0.0]$ then $Y = [0.0]$."),
        "error: the example (Example (float)) is wrong: Y is ",
    ),
    "what does not come of it": (
        _family("Neg", "int", "Y = \\text{Neg}(X)", "### Example (int8)\n\n$X = [1]$ does not give $Y = [1]$."),
        "",
    ),
    "another operator": (
        _family(
            "Neg", "int", "Y = \\text{Neg}(X)", "### Example (int8)\n\nUnlike Abs, $X = [1]$ and $Y = [1]$ differ."
        ),
        "",
    ),
    "an attribute that is not given": (
        _family("LeakyRelu", "float", LEAKY, "If alpha is not given, $X = [-100]$ gives $Y = [-2]$."),
        "note",
    ),
    "a column": (
        _family("Neg", "int", "Y = \\text{Neg}(X)", _matrices(("X", "1 \\\\ 2"), ("Y", "-1 & -2"))),
        "",
    ),
}
"""Pages in the forms that other people write, each with the severity and the words of the only finding on examples."""


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_others(kind: str) -> None:
    """An example is wrong where it is so in every reading, and never where something was guessed."""
    text, expected = KINDS[kind]
    found = [f for f in findings_of(page_from("page.md", text.encode())) if f.rule.startswith("example")]
    severity, _, words = expected.partition(": ")

    assert [str(f.severity) for f in found] == ([severity] if severity else []), [f.message for f in found]
    assert all(words in f.message for f in found), [f.message for f in found]
