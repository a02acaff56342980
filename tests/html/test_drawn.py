"""Tensors as cells, and which of them are marked."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Any

import pytest

from sonnx_verify.outputs.html.drawn import MOST, Drawn, drawn, of_shown
from sonnx_verify.outputs.html.maths import formula, sentence


class Elements(HTMLParser):
    """The elements of a piece of HTML, each with the names of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))


def value(shape: list[int], data: Any, **more: Any) -> dict[str, Any]:
    """A value as JSON output has it."""
    return {"dtype": "int8", "shape": shape, "data": data, **more}


def texts(one: Drawn) -> list[list[list[str]]]:
    """The cells as text, marked ones with a star."""
    return [[[c.text + "*" * c.differs for c in row] for row in part.rows] for part in one.slices]


@pytest.mark.parametrize(
    ("shape", "data", "shown"),
    [
        ([], 7, [[["7"]]]),
        ([3], [1, 2, 3], [[["1", "2", "3"]]]),
        ([2, 1], [[1], [2]], [[["1"], ["2"]]]),
        ([2, 1, 2], [[[1, 2]], [[3, 4]]], [[["1", "2"]], [["3", "4"]]]),
        ([1], ["nan"], [[["nan"]]]),
        ([], True, [[["true"]]]),
    ],
)
def test_cells(shape: list[int], data: Any, shown: Any) -> None:
    assert texts(drawn("X", value(shape, data))) == shown


def test_index_of_a_slice() -> None:
    made = drawn("X", value([2, 1, 1, 1], [[[[1]]], [[[2]]]]))
    assert [part.index for part in made.slices] == ["[0, 0, :, :]", "[1, 0, :, :]"]


def test_what_is_not_drawn() -> None:
    """No elements, too many, values that are not kept, and facts that do not hold."""
    assert drawn("X", value([0, 2], [])).note == "no elements"
    assert drawn("X", value([MOST + 1], [0] * (MOST + 1))).note == f"{MOST + 1} elements, not drawn"
    assert drawn("X", {"dtype": "int8", "shape": [2]}).slices == ()
    assert drawn("X", value([], 0, facts={"dense": False})).note == "not dense"


def test_what_differs_is_marked() -> None:
    """By bits where there are bits: zeros of two signs look alike. By the shape, where that is another one."""
    assert texts(drawn("Y", value([2], [1, 2]), value([2], [1, 3]))) == [[["1", "2*"]]]
    plus, minus = (value([1], [number], bits=[bits]) for number, bits in ((0.0, "0x0000"), (0.0, "0x8000")))
    assert texts(drawn("Y", plus, minus)) == [[["0.0*"]]]
    assert texts(drawn("Y", plus, plus)) == [[["0.0"]]]
    other = drawn("Y", value([1], [1]), value([], 1))
    assert other.other_shape
    assert texts(other) == [[["1"]]]


def test_two_results_of_one_input() -> None:
    shown = {"inputs": {"X": value([], 0)}, "outputs": {"Y": value([1], [1]), "Y'": value([1], [2])}}
    example = of_shown({**shown, "attributes": {"axis": [0, 1]}, "omitted": ["B"], "broken": "so", "minimal": True})
    assert [(result.head, [texts(one) for one in result.tensors]) for result in example.results] == [
        ("one result", [[[["1*"]]]]),
        ("another result", [[[["2*"]]]]),
    ]
    assert example.attributes == (("axis", "[0, 1]"),)
    assert example.omitted == ("B",)


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\textbf{<script>alert(1)</script>}",
        r"\text{a {<script>alert(1)</script>} b}",
        r"\text{&lt;script&gt;<img src=x onerror=alert(1)>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(x)}{x}",
        r"\class{a}{x}",
        r"\operatorname{<img src=x onerror=alert(1)>}",
        r"x </math><script>alert(1)</script>",
    ],
)
def test_formulas_are_nothing_else(latex: str) -> None:
    """What stands between dollars on a page opens no element, no link and no style in the report."""
    for made in (str(formula(latex)), str(formula(latex, block=True)), str(sentence(f"a ${latex}$ b"))):
        seen = Elements()
        seen.feed(made)
        assert {tag for tag, _ in seen.found} <= {*["math", "mrow", "mi", "mo", "mn", "mtext"], "code"}
        assert {name for _, names in seen.found for name in names} <= {
            "alttext", "xmlns", "display", "mathvariant", "stretchy"
        }  # fmt: skip  # one set


@pytest.mark.parametrize("latex", ["\\frac{1", "\\begin{cases", "<b>", "\\left( x", "}", "\\unknown{x}"])
def test_formulas_that_are_none(latex: str) -> None:
    """Whatever a page has between dollars is shown, and stays text."""
    made = str(formula(latex))
    assert "<b>" not in made
    assert escape(latex) in made


def test_words_and_formulas() -> None:
    made = str(sentence("a < $x_1$ & $y$"))
    assert made.startswith("a &lt; <math ")
    assert " &amp; <math " in made
    assert "no_x" in str(formula(r"\text{no\_x}"))
    assert formula(" ") == ""
