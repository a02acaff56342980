"""Plain text as blocks with places, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.errors import quoted
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.plain import read_plain
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.sources import Source

PAGE = """\
Abs

Abs - 13

版本

  • **起始版本**: 13

摘要

何为 `绝对值`
一目了然。

None

属性

  • **scale - 浮点型** (默认值是 '2.5')

    多少。

      ‣ 其一

示例

**first**

node = onnx.helper.make_node('Abs', inputs=['X'], outputs=['Y'])

X = np.array([-1.0])
# print(Y)
# [1.]

second

expect(node, inputs=[X], outputs=[Y])
"""


def test_each_kind_of_block_at_its_place() -> None:
    made = read_plain(Source("page.txt", PAGE))

    shown = [(b.kind, b.level, b.span.line, b.span.column, b.raw.split("\n")[0] or b.cell.text) for b in made.blocks]
    assert shown == [
        ("heading", 1, 1, 1, "Abs"),
        ("heading", 2, 3, 1, "Abs - 13"),
        ("heading", 3, 5, 1, "版本"),
        ("item", 1, 7, 5, "起始版本: 13"),
        ("heading", 3, 9, 1, "摘要"),
        ("paragraph", 0, 11, 1, "何为 `绝对值` 一目了然。"),
        ("paragraph", 0, 14, 1, "None"),
        ("heading", 3, 16, 1, "属性"),
        ("item", 1, 18, 5, "scale - 浮点型 (默认值是 '2.5')"),
        ("paragraph", 1, 20, 5, "多少。"),
        ("item", 2, 22, 9, "其一"),
        ("heading", 3, 24, 1, "示例"),
        ("paragraph", 0, 26, 1, "first"),
        ("code", 0, 28, 1, "node = onnx.helper.make_node('Abs', inputs=['X'], outputs=['Y'])"),
        ("paragraph", 0, 34, 1, "second"),
        ("code", 0, 36, 1, "expect(node, inputs=[X], outputs=[Y])"),
    ]


def test_every_piece_stands_where_it_is_found() -> None:
    made = read_plain(Source("page.txt", PAGE))

    for piece in made.inlines([InlineKind.TEXT, InlineKind.CODE, InlineKind.MARK]):
        assert made.source.line(piece.span.line)[piece.span.column - 1 :].startswith(piece.text)


def read(text: str) -> Page:
    return page_from("page.txt", text.encode())


def test_a_page_is_read() -> None:
    (reference,) = read(PAGE).references
    (version,) = reference.versions
    (attribute,) = version.attributes

    assert (reference.operator, reference.problems, version.since) == ("Abs", [], 13)
    assert (attribute.name, attribute.kind, attribute.written, attribute.default) == ("scale", "float", "'2.5'", 2.5)
    assert (attribute.span.line, attribute.span.column) == (18, 7)
    assert [(e.title, [n for n, _ in e.arrays], [n for n, _ in e.shown]) for e in version.examples] == [
        ("first", ["X"], ["Y"]),
        ("second", [], []),
    ]


@pytest.mark.parametrize("language", range(2))
def test_each_label_opens_its_section(language: int) -> None:
    """Whichever word of the table a page has, also with colon, wide or not."""
    for section, words in labels.SECTIONS.items():
        word = words[language % len(words)]
        for title in (word, word.capitalize(), f"{word}:", f"{word}：", f"**{word}**"):
            (reference,) = read(f"Abs - 13\n\n{title}\n\n  • a\n").references
            assert list(reference.versions[0].sections) == [section], title


@pytest.mark.parametrize(
    ("text", "options", "rest"),
    [
        ("axes (可选，异构) - 张量(int64)", {"optional", "heterogeneous"}, "int64"),
        ("axes（可选）- **tensor(int64)**", {"optional"}, "int64"),
        ("axes - seq(tensor(float))", set(), "seq(tensor(float))"),
        ("axes (variadic) - T:", {"variadic"}, "T"),
    ],
)
def test_entries_of_inputs(text: str, options: set[str], rest: str) -> None:
    (reference,) = read(f"Abs - 13\n\nInputs\n\n  • {text}\n").references
    (one,) = reference.versions[0].inputs

    assert (one.name, one.type, one.option) == ("axes", rest, next(iter(options - {"heterogeneous"}), ""))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("属性\n\n  • **a - 什么**\n", "not an attribute kind"),
        ("属性\n\n  • **a - 整型** (默认值是 'x')\n", "not of kind int"),
        ("输入\n\n  • **a**\n", "has no type"),
        ("类型约束\n\n  • T 属于 ( tensor(float), half )\n", "cannot be read: `half`"),
        ("类型约束\n\n  • T 属于 ( )\n", "lists no type"),
        ("版本\n\n  • **起始版本**: x\n", "`x` is not a version"),
    ],
)
def test_what_cannot_be_read_is_a_finding(entry: str, words: str) -> None:
    page = read(f"Abs - 13\n\n{entry}")

    assert [f.span.line for f in findings_of(page) if words in f.message] == [5]


@given(st.text("Abs- 13\n•*`#输入属性():,.='[]x", max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    for finding in findings_of(read(f"Abs - 13\n\n{text}")):
        assert quoted(finding.span)


def test_a_page_of_forty_thousand_lines() -> None:
    text = "Abs - 13\n\n输入\n\n" + "  • a (可选) - T\n" * 40_000

    assert len(read(text).references[0].versions[0].inputs) == 40_000
