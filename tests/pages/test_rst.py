"""reStructuredText as blocks with places; what a page asks for that is not its own text is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.errors import quoted
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.blocks import Text
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.read import MOST_BYTES, page_from, read_page
from sonnx_verify.pages.reading.rst import MOST_CHARACTERS, read_rst
from sonnx_verify.sources import Source

SLIPS = Path(__file__).with_name("slips.rst")
PAGE = """\
.. _start:

=====
Title
=====

Words with ``code``, *stress*, a `link <there.rst>`_,
:math:`a < b`, start_, and an end\\ ing.

- item
  goes on

  and has more

  1. deeper

+-----+--------+
| one | ``two``|
+=====+========+
| 3   | `four`_|
+-----+--------+

    quoted

Term
    is said

.. _four: https://onnx.ai/

::

    x = 1

.. raw:: html

    <b>bold</b>

.. math::

    a + b

.. note::

    Beware

Part
====

last
"""


def read(text: str) -> Text:
    return read_rst(Source("page.rst", text))


def test_each_kind_of_block_at_its_place() -> None:
    made = read(PAGE)

    assert made.problems == []
    assert [(b.kind, b.level, b.quoted, b.span.line, b.span.column, b.raw or b.cell.text) for b in made.blocks] == [
        ("html", 0, False, 1, 1, ".. _start:"),
        ("heading", 1, False, 4, 1, "Title"),
        ("paragraph", 0, False, 7, 1, "Words with `code`, stress, a link, $a < b$, start, and an ending."),
        ("item", 1, False, 10, 3, "item goes on"),
        ("paragraph", 1, False, 13, 3, "and has more"),
        ("item", 2, False, 15, 6, "deeper"),
        ("table", 0, False, 18, 3, ""),
        ("paragraph", 0, True, 23, 5, "quoted"),
        ("item", 1, False, 25, 1, "Term"),
        ("paragraph", 1, False, 26, 5, "is said"),
        ("code", 0, False, 32, 5, "x = 1"),
        ("html", 0, False, 36, 5, "<b>bold</b>"),
        ("math", 0, False, 40, 5, "a + b"),
        ("paragraph", 0, False, 44, 5, "Beware"),
        ("heading", 2, False, 46, 1, "Part"),
        ("paragraph", 0, False, 49, 1, "last"),
    ]
    table = next(b for b in made.blocks if b.kind == "table")
    assert [[(c.text, c.span.line, c.span.column) for c in row] for row in table.rows] == [
        [("one", 18, 3), ("`two`", 18, 9)],
        [("3", 20, 3), ("four", 20, 9)],
    ]
    assert [(i.text, i.target, i.span.line) for i in made.inlines([InlineKind.LINK, InlineKind.ANCHOR])] == [
        ("", "start", 1),
        ("link", "there.rst", 7),
        ("start", "#start", 8),
        ("four", "https://onnx.ai/", 20),
    ]


def test_every_piece_stands_where_it_is_found() -> None:
    """The place of each piece of the page with slips is where its text is."""
    made = read_page(SLIPS)
    pieces = [i for i in made.text.inlines([InlineKind.TEXT, InlineKind.CODE]) if i.text.strip()]

    assert len(pieces) > 80
    for piece in pieces:
        assert made.source.line(piece.span.line)[piece.span.column - 1 :].startswith(piece.text), piece


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("See `there <#part>`_ and `Part`_.\n\nPart\n----\n", []),
        ("See `there <#else>`_.\n", ["link-unresolved"]),
        ("See else_.\n", ["link-unresolved"]),
        (".. _else:\n\nSee else_.\n", []),
    ],
)
def test_links_of_a_page(text: str, rule: list[str]) -> None:
    assert [f.rule for f in findings_of(page_from("a.rst", text.encode())) if f.rule.startswith("link")] == rule


@pytest.mark.parametrize(
    "directive",
    [
        ".. include:: {0}",
        ".. include:: {0}\n   :literal:",
        ".. raw:: html\n   :file: {0}",
        ".. raw:: html\n   :url: file://{0}",
        ".. csv-table::\n   :file: {0}",
        ".. csv-table::\n   :url: file://{0}",
        ".. literalinclude:: {0}",
        ".. role:: own(raw)\n   :format: html\n\n.. include:: {0}",
    ],
)
def test_no_file_is_read_that_a_page_names(directive: str, tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("a secret", "utf-8")
    made = read(f"Before\n\n{directive.format(path)}\n\nAfter\n")

    assert [b.cell.text for b in made.blocks if b.kind == "paragraph"] == ["Before", "After"]
    assert "a secret" not in repr([(b.raw, b.cell.text) for b in made.blocks] + [why for _, why in made.problems])
    assert len(made.problems) == ("literalinclude" not in directive)


def test_what_the_parser_reports_is_a_finding_at_its_line() -> None:
    found = findings_of(page_from("a.rst", b"A title\n====\n\nA *slip\n\n.. wrong:: a\n\n* a\nb\n"))

    assert [(f.rule, f.span.line) for f in found if f.rule == "unreadable"] == [
        ("unreadable", 2),
        ("unreadable", 4),
        ("unreadable", 6),
        ("unreadable", 9),
    ]


def test_what_sphinx_has_is_no_mistake() -> None:
    made = read(":ref:`there`\n\n.. toctree::\n   :hidden:\n\n   page\n\n.. autofunction:: a.b\n\nAfter\n")

    assert made.problems == []
    assert made.blocks[-1].cell.text == "After"


def test_a_page_leaves_nothing_to_the_next() -> None:
    """Roles that a page defines are its own."""
    assert read(".. role:: own\n.. default-role:: own\n\n:own:`a`\n").problems == []
    assert len(read(":own:`a`\n").problems) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n".join("  " * n + "* a\n" for n in range(400)), "nested too deep"),
        ("".join("   " * n + ".. note::\n\n" for n in range(400)) + "   " * 400 + "a\n", "nested too deep"),
        ("a " * (MOST_CHARACTERS // 2 + 1), "is not read"),
        ("*a " * 100_000, "line-length-limit"),
        (("*a " * 20 + "\n") * 500, "many marks"),
        ("+---+\n| a \n", "Malformed table"),
        ("``open\n", "without end-string"),
        (".. |a| replace:: |a| |a|\n\n|a|\n\nA title\n====\n", "too short"),
    ],
)
def test_what_cannot_be_read_is_a_problem(text: str, words: str) -> None:
    made = read(text)

    assert any(words in why for _, why in made.problems)
    for span, _ in made.problems:
        assert quoted(span)


def test_what_is_too_deep_does_not_depend_on_the_process() -> None:
    text, before = "\n".join("  " * n + "* a\n" for n in range(400)), sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        made = read(text)
        assert sys.getrecursionlimit() == 10_000
    finally:
        sys.setrecursionlimit(before)

    assert [why for _, why in made.problems] == ["it is nested too deep to be read"]


def test_a_page_of_the_largest_size() -> None:
    found = findings_of(page_from("a.rst", b"a" * MOST_BYTES))

    assert [f.rule for f in found] == ["unreadable"]


@given(
    st.binary(max_size=300)
    | st.text("=-*`_|:. \n+[]<>ab1#>\\\t\"~", max_size=300).map(str.encode)
    | st.lists(
        st.sampled_from(
            [".. raw:: html\n", "   a\n", "::\n", "\n", "a\n", "===\n", "* a\n", "+--+\n", "|a|\n", ".. _a:\n", "a_\n",
             ".. |x| image:: a\n", "|x|\n", ":a: b\n", "-a  b\n", "1. a\n", ">>> 1\n", ".. [1] a\n", "[1]_\n",
             ".. table::\n", ".. list-table::\n\n   * - a\n", ".. role:: a(raw)\n", ":a:`b`\n", ".. math::\n", "| a\n",
             ".. default-role:: math\n", "`a`\n", ".. contents::\n", ".. unicode:: 0xD800\n", ".. date::\n"]
        )
    ).map(lambda parts: "".join(parts).encode())
)  # fmt: skip  # a table
def test_no_bytes_make_it_fail(data: bytes) -> None:
    """Whatever a file holds, each finding has a place in it."""
    for finding in findings_of(page_from("page.rst", data)):
        assert finding.span.line >= 1
        assert finding.span.column >= 1
        assert quoted(finding.span)


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_other_line_ends(ends: str) -> None:
    text = SLIPS.read_text("utf-8")
    plain, other = (findings_of(page_from("a.rst", t.encode())) for t in (text, text.replace("\n", ends)))

    assert [f.key for f in plain] == [f.key for f in other]


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.md", ".. _a:\n", "markdown"),
        ("a.rst", "# a\n", "rst"),
        ("a.txt", ".. _a:\n\nText\n", "rst"),
        ("a.txt", "====\nText\n====\n", "rst"),
        ("a", ".. note:: a\n", "rst"),
        ("a.txt", "Text\n====\n", "markdown"),
        ("a.txt", "# **Op** (int)\n", "markdown"),
        ("a.txt", "Max - 13\n\nInputs\n\n  • data\n", "plain"),
        ("a.txt", "# Max\n\nMax - 13\n", "markdown"),
        ("a.txt", "| a | b |\n|---|---|\n\nMax - 13\n", "markdown"),
        ("a.txt", "no form\n", "markdown"),
    ],
)
def test_in_which_form_a_page_is(name: str, text: str, form: str) -> None:
    assert page_from(name, text.encode()).text.form == form


def test_the_parser_is_loaded_for_its_pages_alone() -> None:
    code = (
        "import sys; from pathlib import Path; from sonnx_verify.pages.reading.read import read_page;"
        f"read_page(Path({str(SLIPS.with_suffix('.md'))!r})); assert 'docutils' not in sys.modules;"
        f"read_page(Path({str(SLIPS)!r})); assert 'docutils' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
