"""Formulas as tokens: what pylatexenc reads of all formulas of our pages, place by place; slips are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexWalker

from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.latex import formula
from sonnx_verify.pages.reading.read import read_page

ROOT = Path(__file__).parents[2]


def formulas() -> list[str]:
    """All formulas of our pages."""
    pages = [read_page(path) for path in ROOT.glob("spec/sonnx/*/*.md")]
    return sorted({i.text for page in pages for i in page.text.inlines([InlineKind.MATH])})


def leaves(nodes: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """The letters and digits that stand in formulas, by another parser, with their places: not those of macros, text
    and environments."""
    before = None
    for node in nodes:
        named, before = getattr(before, "macroname", "") == "operatorname", node
        if named:
            continue  # the group with its name
        match type(node).__name__:
            case "LatexCharsNode":
                yield from ((c, node.pos + n) for n, c in enumerate(node.chars) if c.isalnum())
            case "LatexGroupNode" | "LatexEnvironmentNode":
                yield from leaves(node.nodelist)
            case "LatexMacroNode" if node.macroname not in ("text", "operatorname", "mathrm"):
                arguments = node.nodeargd.argnlist if node.nodeargd is not None else []
                yield from leaves([a for a in arguments if a is not None])


def problem_of(text: str) -> str:
    """How our tokens of a formula differ from those of the other parser; nothing where they are the same."""
    found = formula(text)
    nodes = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()[0]
    # Upright text of one letter is a name here; macros, Greek letters among them, are no letters there.
    here = [t for t in found.tokens if t.kind in ("name", "number") and text[t.place] != "\\"]
    if found.problem:
        return found.problem
    if not all(text.startswith(t.text, t.place) for t in here):
        return "a token is not where it says"
    ours = [(c, t.place + n) for t in here for n, c in enumerate(t.text) if c.isalnum()]
    theirs = list(leaves(nodes))
    return f"{ours} and {theirs}" if ours != theirs else ""


def test_names_and_numbers_stand_where_another_parser_has_them() -> None:
    """In each formula of our pages; all that differ are shown."""
    found = formulas()

    assert len(found) >= 700
    assert {text: problem for text in found if (problem := problem_of(text))} == {}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (r"\text{if } k_{10}", ["word if", "name k", "mark _", "open {", "number 10", "close }"]),
        (r"a \le 1.5", ["name a", "macro le", "number 1.5"]),
        (r"\textbf{X}\quad\alpha \\[1em] \{", ["name X", "name alpha", "macro \\", "macro {"]),
        (r"\begin{array}{ll} a & b \end{array} % no c", ["name a", "mark &", "name b"]),
        (r"\text{a {b} c", ["word a {b} c"]),
    ],
)  # fmt: skip  # a table
def test_tokens(text: str, kinds: list[str]) -> None:
    assert [f"{t.kind} {t.text}" for t in formula(text).tokens] == kinds


@given(st.text(alphabet="\\{}[]_^&%$ abX12,.=<\nbegintx", max_size=60))
def test_nothing_makes_it_fail(text: str) -> None:
    """Tokens stand in their order, each where its text is."""
    tokens = formula(text).tokens

    assert [t.place for t in tokens] == sorted({t.place for t in tokens})
    assert all(text[t.place] in (t.text[:1], "\\") for t in tokens if t.text)
