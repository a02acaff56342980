"""What reference pages say of operators, whatever they are written in, and the arrays of their examples."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.errors import quoted
from sonnx_verify.language.signatures import Schema
from sonnx_verify.pages.lint.on_reference import same
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.code_examples import UNKNOWN, Example, example_of, literal
from sonnx_verify.pages.reading.kinds import BlockKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from, read_page
from sonnx_verify.pages.reading.reference import default_of
from sonnx_verify.pages.reading.schemas import operators, schema
from sonnx_verify.sources import Source, Span

_SPEC = importlib.util.spec_from_file_location("written", Path(__file__).with_name("written.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
written = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(written)
FORMS: dict[str, tuple[str, Any]] = {
    "rst": ("page.rst", written.rst),
    "plain": ("page.txt", lambda versions: written.plain(versions, "en")),
    "chinese": ("page.txt", lambda versions: written.plain(versions, "zh")),
}


def versions_of(operator: str) -> list[Schema]:
    found = [schema(operator, n) for n in reversed(operators()[operator])]
    return [f for f in found if f is not None]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_from_the_table_is_read_as_the_table(form: str) -> None:
    """Every version of every operator of ONNX, in each form: its signature, types, attributes and defaults; in
    reStructuredText, whose parser is slow, of every fourth."""
    name, write = FORMS[form]
    for operator in [*operators()][:: 4 if form == "rst" else 1]:
        expected = versions_of(operator)
        page = page_from(name, write(expected).encode())
        assert (page.kind, page.text.problems) == ("reference", [])
        (reference,) = page.references
        assert (reference.operator, reference.problems) == (operator, [])

        for one, known in zip(reference.versions, expected, strict=True):
            assert {n for n, _ in one.numbers} == {known.version}
            assert {c.variable: c.types for c in one.types} == known.types
            for mine, theirs in ((one.inputs, known.inputs), (one.outputs, known.outputs)):
                assert [(p.name, p.type, p.option) for p in mine] == [(p.name, p.type, p.option) for p in theirs]
            assert (one.deprecated, [a.name for a in one.attributes]) == (
                known.deprecated,
                [a.name for a in known.attributes],
            )
            for mine_, theirs_ in zip(one.attributes, known.attributes, strict=True):
                assert mine_.kind == ("" if form == "rst" else theirs_.kind)
                assert mine_.required == theirs_.required
                assert same(mine_.default, theirs_.default, "")


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_from_the_table_has_no_finding(form: str) -> None:
    """For operators with all there is: variadic, optional, required, deprecated, sequences, defaults of each kind."""
    name, write = FORMS[form]
    for operator in ("Max", "Split", "Resize", "Scatter", "If", "SequenceMap", "LSTM", "Constant", "Cast", "Selu"):
        page = page_from(name, write(versions_of(operator)).encode())
        assert [f.message for f in findings_of(page)] == [], operator


@pytest.mark.parametrize("form", FORMS)
def test_every_place_is_where_the_name_stands(form: str) -> None:
    name, write = FORMS[form]
    for operator in ("Split", "Resize", "BatchNormalization"):
        page = page_from(name, write(versions_of(operator)).encode())
        for one in page.references[0].versions:
            named = [(p.name, p.span) for p in (*one.inputs, *one.outputs)]
            named += [(a.name, a.span) for a in one.attributes]
            named += [(c.variable, c.span) for c in one.types]
            named += [(str(n), span) for n, span in one.numbers[1:]]
            for word, span in named:
                line = page.source.line(span.line)
                if line.startswith(".. _"):
                    continue
                assert line[span.column - 1 :].startswith(word), (word, line)
                assert f"{operator} -" not in line, (word, line)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("`1`", "int", 1),
        ("'1'", "int", 1),
        ("(1e-05)", "float", 1e-05),
        ("2", "float", 2),
        ("0.9f", "float", 0.9),
        ("NOTSET", "string", "NOTSET"),
        ("'1'", "string", "1"),
        ("['a', 'b']", "strings", ["a", "b"]),
        ("[1, 2]", "ints", [1, 2]),
        ("['1', '2']", "ints", [1, 2]),
        ("``1``", "", 1),
        ("b", "", "b"),
        ("false", "", False),
    ],
)
def test_defaults(text: str, kind: str, value: object) -> None:
    assert default_of(text, kind) == value


@pytest.mark.parametrize(("text", "kind"), [("a", "int"), ("['x']", "ints"), ("[1]", "float"), ("", "int")])
def test_what_is_no_default_of_a_kind(text: str, kind: str) -> None:
    with pytest.raises(ValueError, match="invalid literal for int|is no float"):
        default_of(text, kind)


@pytest.mark.parametrize(
    ("ours", "theirs", "shown", "equal"),
    [
        (1.67326, 1.6732632, "1.67326", True),
        (1.6, 1.6732632, "1.6", False),
        (0.0, 1e-06, "0.0000", False),
        (0.1, 0.10000000149, "0.1", True),
        (1, 0, "1", False),
        ("a", "a", "a", True),
        ([1, 2], [1, 2], "[1, 2]", True),
        ([1], [1, 2], "[1]", False),
    ],
)
def test_when_two_defaults_are_one(ours: object, theirs: object, shown: str, equal: bool) -> None:
    """Rounded to as many digits as tell it from others, and no further."""
    assert same(ours, theirs, shown) is equal


# ------------------------------------------------------------------------------------------------------------ examples


def example(code: str) -> Example:
    return example_of("a", Block(BlockKind.CODE, Cell(Span(Source("page", code), 1, 1)), raw=code))


def test_the_arrays_of_an_example() -> None:
    made = example(
        "w = [1, 0]\n"
        "node = onnx.helper.make_node('Op', inputs=['x', 'w'], outputs=['y'], axes=w, keep=f(), to=-1)\n"
        "x = np.array([[1, -2], [np.nan, -np.inf]], dtype=np.float32)\n"
        "y = np.flip(x)\n"
        "# print(y)\n"
        "# [[ 1. -2.]\n"
        "#  [nan inf]]\n"
        "expect(node, inputs=[x, np.array(w).astype(np.int64)], outputs=[y], name='one')\n"
        "x[0] = 1\n"
        "y = np.array([0.5])\n"
        "expect(node, inputs=[x], outputs=[y], name='two')\n"
    )
    one, two = made.cases

    assert made.problems == []
    assert made.loose == []
    assert [(n, a.shape, a.element) for n, a in made.arrays] == [("x", (2, 2), "float"), ("y", (1,), "")]
    assert [n for n, _ in made.shown] == ["y"]
    assert one.node is two.node
    assert one.node is not None
    assert one.node.attributes == {"axes": [1, 0], "keep": UNKNOWN, "to": -1}
    assert [(one.test, a and a.shape) for a in one.outputs] == [("one", (2, 2))]
    assert one.inputs[1] is None
    assert repr(one.outputs[0] and one.outputs[0].value) == "[[1.0, -2.0], [nan, inf]]"
    assert two.inputs == (None,)
    assert two.outputs[0] is not None
    assert two.outputs[0].value == [0.5]


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("x = 1\ny = = 2", 2, "not Python"),
        ("x = np.array([[1], [2, 3]])", 1, "differ in length"),
        ("# print(y)\n# [[1, 2], [3s]]", 2, "is not an array"),
        ("# print(y)\n# [[1, 2], [3]]", 2, "is not an array"),
        ("x = " + "[" * 5000, 1, "not Python"),
        ("x = " + "-" * 100_000 + "1", 1, ""),
        ("x = '\udc00'.encode()", 1, "cannot be read"),
    ],
)
def test_what_cannot_be_read_of_an_example(code: str, line: int, words: str) -> None:
    (problem,) = example(code).problems

    assert problem[0].line == line
    assert words in problem[1]


def test_nothing_of_an_example_is_run(tmp_path: Path) -> None:
    path = tmp_path / "there"
    made = example(f"import pathlib\npathlib.Path({str(path)!r}).touch()\nx = np.array(exit())\nexpect(exit())\n")

    assert not path.exists()
    assert made.problems == []
    assert made.arrays == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[[1. 2.]\n [3. 4.]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[1, 2,]", [1, 2]),
        ("[-1 -2]", [-1, -2]),
        ("[True False]", [True, False]),
        ("['a' 'b']", ["a", "b"]),
        ("[1 + x]", UNKNOWN),
        ("[__import__('os')]", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_printed_arrays(text: str, value: object) -> None:
    assert literal(text) == value


@given(st.text("[](){}=.,#'\"\\ \n1ax-:", max_size=80))
def test_no_code_makes_it_fail(code: str) -> None:
    made = example(code)

    for span, _ in made.problems:
        assert quoted(span)


# ------------------------------------------------------------------------------------------------- pages as they are


def test_a_page_of_the_profile_is_none() -> None:
    for path in sorted((Path(__file__).parents[2] / "spec" / "sonnx").glob("*/*.md")):
        page = read_page(path)
        assert (page.kind, page.references) == ("profile", [])


@given(st.text("#-=*• \n.:()<>/dtTAx1`[]", max_size=300), st.sampled_from(["page.md", "page.rst", "page.txt"]))
def test_no_text_makes_it_fail(text: str, name: str) -> None:
    for finding in findings_of(page_from(name, f"Abs - 1\n=======\n\n{text}".encode())):
        assert quoted(finding.span)


@pytest.mark.parametrize("form", FORMS)
def test_a_page_that_ends_too_soon(form: str) -> None:
    """However much of it is there: whatever is found has a place on it."""
    name, write = FORMS[form]
    whole = write(versions_of("Split")[:2])
    for end in range(0, len(whole), 37):
        for finding in findings_of(page_from(name, whole[:end].encode())):
            assert finding.span.line <= whole.count("\n") + 1
            assert quoted(finding.span)


def seed(shared: Path, name: str) -> Page:
    (path,) = (shared / "seeds").glob(name)
    return read_page(path)


def test_the_pages_of_onnx(shared: Path) -> None:
    """Three pages as they were found: which versions they have, and all that is wrong with them, at its line."""
    for name, form, operator, versions, expected in (
        (
            "000_*", "rst", "ReduceMax", [13, 12, 11, 1],
            [("reference-version-missing", 14), ("example-result-not-commented", 153)],
        ),
        (
            "002_*", "rst", "ReduceSum", [13, 11, 1],
            [*(("default-missing", n) for n in (40, 43)), ("example-test-twice", 275),
             *(("default-missing", n) for n in (376, 486))],
        ),
        ("004_*", "plain", "ReduceMin", [20, 18, 13, 12, 11, 1], [("sentence-left-out", 191)]),
    ):  # fmt: skip  # a table
        page = seed(shared, name)
        (reference,) = page.references

        assert (page.text.form, reference.operator) == (form, operator)
        assert [v.since for v in reference.versions] == versions
        assert reference.problems == []
        assert [(f.rule, f.span.line) for f in findings_of(page)] == expected


def test_the_examples_of_onnx(shared: Path) -> None:
    """All cases of the two pages that have some: half of them on literal input, with results in comments."""
    for name, count in (("000_*", 4), ("002_*", 5)):
        examples = seed(shared, name).references[0].versions[0].examples
        literal_cases = [c for e in examples for c in e.cases if all(c.inputs) and all(c.outputs)]

        assert len(examples) == len(literal_cases) == count
        assert sum(len(e.cases) for e in examples) == 2 * count
        assert {a.shape for c in literal_cases for a in c.outputs if a} <= {(3, 2), (3, 1, 2), (1, 1, 1), (3, 2, 2)}
