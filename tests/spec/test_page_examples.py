"""Every example on a profile page is true: the reference evaluator gives what the page shows.

Under Examples, a title in bold and an element type begin what follows, up to the next title: mathematics that gives
every input and the output (`X_0 = ...`), or a table. The three kinds of table are told apart by their first cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest

from sonnx_verify.kernel.core import family_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import families
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, Sort
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import tensor_argument
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import assignment_of, replay

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "spec" / "sonnx").glob("*/*.md"))
QUOTING = [page for page in PAGES if "#examples" in page.read_text("utf-8")]
"""The pages whose examples are those of their formal texts."""
WRITTEN = [page for page in PAGES if page not in QUOTING]
TITLE = re.compile(r"^\*\*(.+?)\*\*, (\w+)(.*)$", re.MULTILINE)
SHAPE = r"\$\(([^)]*)\)\$"
NAME = r"(\\text\{\w+\}|[A-Z](?:_\d)?)"
MATRIX = r"\\begin\{bmatrix\}.*?\\end\{bmatrix\}"
TYPES = {"axes": "int64"}
"""Inputs that do not have the type of the others."""


@dataclass
class Example:
    """What is given, as (value, shape or "") by name; attributes; and what is said to come of it."""

    type: str
    given: dict[str, tuple[str, str]]
    attributes: dict[str, int]
    expected: str
    shape: str = ""


def examples(page: Path) -> Iterator[Example]:
    """Every example of a page. AssertionError where something under Examples is not understood."""
    # What is quoted is an example of the formal text, which the check of it decides.
    written = re.sub(r"<!-- render:.*?<!-- /render -->", "", page.read_text("utf-8"), flags=re.DOTALL)
    for part in re.findall(r"^## Examples\n(.*?)^<a id=", written, re.MULTILINE | re.DOTALL):
        pieces = TITLE.split(part)
        assert not pieces[0].strip()
        for title, kind, head, body in zip(pieces[1::4], pieces[2::4], pieces[3::4], pieces[4::4], strict=True):
            found = [*shown(kind, head, body), *tabulated(kind, body)]
            assert found, f"{page.name}: {title} shows nothing"
            yield from found


def shown(kind: str, head: str, body: str) -> Iterator[Example]:
    """Examples in mathematics: one below the title, and one in each sentence that gives a result."""
    title, _, rest = head.partition(":")
    inputs, _, output = title.partition("result")
    shapes = re.findall(SHAPE, inputs)
    block = "".join(re.findall(r"^```math\n(.*?)^```", body, re.MULTILINE | re.DOTALL))
    attributes = {name: int(value) for name, value in re.findall(r"(\w+) \$(-?\d+)\$", title)}
    sentences = [rest] if rest.strip() else []
    sentences += [line for line in body.splitlines() if " gives $Y" in line or " give $Y" in line]
    for text in [*([block] if block else []), *sentences]:
        names = re.findall(rf"{NAME} = ({MATRIX}|[^$\n]+?)(?=\$|\n|$)(?:\$ of shape {SHAPE})?", text, re.DOTALL)
        values = {plain(name): (value, shape) for name, value, shape in names}
        values |= {plain(name): ("", shape) for name, shape in re.findall(rf"\${NAME}\$ of shape {SHAPE}", text)}
        result = next(n for n in ("Y", "reduced") if n in values)
        value, shape = values.pop(result)
        if text is block and shapes:
            values = {n: (v, f) for (n, (v, _)), f in zip(values.items(), shapes, strict=True)}
        expected = value or f"shape ${shape}$"
        yield Example(kind, values, attributes, expected, "".join(re.findall(SHAPE, output)) or shape)


def tabulated(kind: str, body: str) -> Iterator[Example]:
    """Examples in tables: a row each, or one table of elements."""
    for table in re.findall(r"(?:^\|.*\|\n)+", body, re.MULTILINE):
        header, _, *rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in table.splitlines()]
        if header[0] == "":
            *given, (_, *result) = [row[1:] if row[0] == "" else row for row in rows]
            values = {plain(name): (f"[{', '.join(cells)}]", "") for name, *cells in given}
            yield Example(kind, values, {}, f"[{', '.join(result)}]")
            continue
        for *cells, expected in rows:
            values, attributes = {}, {}
            for column, cell in zip(header, cells, strict=False):
                name = plain(column.removeprefix("Shape of "))
                shape = re.fullmatch(rf"(?:shape )?{SHAPE}", cell)
                if re.fullmatch(r"\w+", column):
                    attributes[column] = int(plain(cell))
                elif cell != "not given":
                    values[name] = ("", shape[1]) if shape else (cell, "")
            yield Example(kind, values, attributes, expected)


def plain(text: str) -> str:
    """Mathematics as the command line has it: `X_0` is X0, NaN and infinities are words, matrices are in brackets."""
    text = re.sub(r"\\text\{(\w+)\}", r"\1", text).replace("$", "").replace("\\infty", "inf").replace("\\,", "")
    for matrix in re.findall(MATRIX, text, re.DOTALL):
        rows = matrix.removeprefix("\\begin{bmatrix}").removesuffix("\\end{bmatrix}").split("\\\\")
        written = ", ".join(f"[{row.replace('&', ',')}]" for row in rows)
        text = text.replace(matrix, f"[{written}]" if len(rows) > 1 else written)
    return re.sub(r"\+(?=[\d.i])", "", text.replace("_", "") if re.fullmatch(r"\$?[A-Z]_\d\$?", text) else text).strip()


def sizes(text: str) -> tuple[int, ...]:
    """`2, 3` as a shape."""
    return tuple(int(n) for n in text.split(",")) if text.strip() else ()


def tensor(sort: Sort, text: str, shape: str | None) -> ConcreteTensor:
    """A written tensor, in the shape that is said apart; zeros where only the shape is said."""
    if not text:
        zeros = prod(sizes(shape or "")) * [False if sort == ELEMENT_TYPES["bool"] else 0]
        return ConcreteTensor(sort, sizes(shape or ""), tuple(zeros))
    if sort.name == "real":
        made = tensor_argument("data", "int64:" + re.sub(r"[\d.]+", "1", plain(text)))
        written = tuple(Fraction(n) for n in re.findall(r"-?[\d.]+", plain(text)))
        made = ConcreteTensor(sort, made.shape, written)
    else:
        made = tensor_argument("data", f"{sort.name}:{plain(text)}")
    return ConcreteTensor(sort, sizes(shape), made.elements) if shape else made


def conforms(meaning: Meaning, assignment: Mapping[str, Concrete], output: ConcreteTensor) -> bool:
    """Whether the specification allows an output on an input."""
    variables, tensors, _ = free_outputs(meaning, "")
    assert len(variables) == 1
    facts = interpretation([*meaning.given, *variables], {**assignment, variables[0].name: output})
    return evaluate(meaning.conforms(tensors), facts) is True


def check(project: Project, page: Path, example: Example) -> str:
    """Empty, or how the page and the formal text differ on an example."""
    sort = ELEMENT_TYPES[example.type]
    operator = page.with_suffix(".sonnx")
    unit = next(u for u in project.units if u.path == operator)
    meaning = project.meaning(unit, Context(family_of(sort), sort))
    given: dict[str, Concrete] = dict(example.attributes)
    for name, (text, shape) in example.given.items():
        given[name] = tensor(ELEMENT_TYPES[TYPES.get(name, sort.name)], text, shape)
    assignment = assignment_of(meaning, given)
    outcome = replay(project, unit, meaning, assignment, why=False)
    if error := re.fullmatch(r"error \[\[(\w+)\]\]\(#\w+-\w+\)", example.expected):
        tags = [e.tag for e in outcome.errors]
        return "" if tags == [error[1]] else f"errors are {tags}"
    if not outcome.outputs:
        return f"there is no output: {[e.tag for e in outcome.errors]}, {[c.tag for c, _, _ in outcome.broken]}"
    (actual,) = outcome.outputs.values()
    if alone := re.fullmatch(r"(?:\$Y\$ of )?shape \$\(?([^)]*?)\)?\$(?:, no element)?", example.expected):
        return "" if actual.shape == sizes(alone[1]) and not actual.elements else f"the shape is {actual.shape}"

    def fits(elements: tuple[object, ...]) -> bool:
        return conforms(meaning, assignment, ConcreteTensor(sort, actual.shape, elements))

    if not isinstance(sort, FloatSort) or not re.match(r"one of|every|any", example.expected):
        # The shape is said apart in some examples; where it is not, that of what is written is meant.
        expected = tensor(sort, example.expected, example.shape)
        if actual != expected:
            return f"the result is {actual}"
        others = [beside(sort, e) for e in expected.elements]
        only = not any(fits((*expected.elements[:n], o, *expected.elements[n + 1 :])) for n, o in enumerate(others))
        return "" if conforms(meaning, assignment, expected) and only else "other values conform too"
    everything = [floats.nan(sort), floats.infinity(sort), floats.infinity(sort, negative=True), floats.lowest(sort)]
    if example.expected == "any value":
        return "" if all(fits((e,)) for e in (*everything, 0)) else "not every value conforms"
    ends = [floats.parse(sort, plain(n)) for n in re.findall(r"(?<=[$\[ ])[-+]?[\d.]+", example.expected)]
    ends.sort(key=lambda e: floats.to_fraction(sort, e))
    inside, outside = [*ends, *inner(sort, ends, example.expected)], [*everything, *around(sort, ends)]
    wrong = [decimals.show(sort, e) for e in inside if not fits((e,))]
    wrong += [decimals.show(sort, e) for e in outside if fits((e,))]
    return f"it is not so of {wrong}" if wrong else ""


def inner(sort: FloatSort, ends: list[int], expected: str) -> list[int]:
    """Some values between the ends of an interval; of a list, it is asserted that it has all of them, one after
    another."""
    if expected.startswith("every"):
        return [floats.zero(sort), floats.zero(sort, negative=True), step(sort, ends[0], 1), step(sort, ends[-1], -1)]
    for low, high in pairwise(ends):
        assert step(sort, low, 1) == high or {low, high} == {floats.zero(sort), floats.zero(sort, negative=True)}
    return []


def around(sort: FloatSort, ends: list[int]) -> list[int]:
    """The next value below the ends, and the next above."""
    return [step(sort, ends[0], -1), step(sort, ends[-1], 1)]


def step(sort: FloatSort, bits: int, by: int) -> int:
    """The next finite float above (1) or below (-1); the zeros count as one."""
    if floats.is_zero(sort, bits):
        return floats.smallest_subnormal(sort) if by > 0 else floats.negate(sort, floats.smallest_subnormal(sort))
    return bits - by if floats.is_negative(sort, bits) else bits + by


def beside(sort: Sort, element: object) -> object:
    """Another element, near."""
    if isinstance(element, bool):
        return not element
    if isinstance(element, Fraction):
        return element + 1
    assert isinstance(element, int)
    if isinstance(sort, FloatSort):
        zero = floats.zero(sort)
        if floats.is_nan(sort, element) or floats.is_infinite(sort, element):
            return zero
        return floats.negate(sort, element) if floats.is_zero(sort, element) else step(sort, element, 1)
    return element ^ 1


@pytest.mark.parametrize("page", WRITTEN, ids=lambda p: p.stem)
def test_examples_are_true(page: Path, project: Project) -> None:
    """Values, shapes and errors are those of the formal text. A value is the only one that conforms, a list of values
    has all that do, and an interval has its ends."""
    found = list(examples(page))
    wrong = [(e, difference) for e in found if (difference := check(project, page, e))]

    assert wrong == []
    assert len(found) >= 12


@pytest.mark.parametrize("page", QUOTING, ids=lambda p: p.stem)
def test_examples_that_are_quoted_show_what_there_is(page: Path, project: Project) -> None:
    """Three at least; one of each line of types that has a section; and one that is refused, where anything is."""
    unit = next(u for u in project.units if u.path == page.with_suffix(".sonnx"))
    assert unit.file is not None
    found = unit.file.examples
    text = page.read_text("utf-8")
    assert not list(examples(page))
    assert len(found) >= 3
    if '<a id="any"></a>' not in text:
        shown = [{e.value.type for e in x.entries if isinstance(e.value, s.TensorValue)} for x in found]
        for name, _, types in families(unit.file):
            assert any(x.family == name or of & set(types) for x, of in zip(found, shown, strict=True)), name
    if any(c.kind == "error" for c in unit.file.clauses):
        assert any(x.refused for x in found)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda p: p.stem)
def test_examples_show_what_there_is(page: Path, project: Project) -> None:
    """Each section has an example with a result, and one for each of its errors."""
    text = page.read_text("utf-8")
    unit = next(u for u in project.units if u.path == page.with_suffix(".sonnx"))
    assert unit.file is not None
    errors = {c.tag for c in unit.file.clauses if c.kind == "error"}
    for name in unit.file.types:
        part = text.partition(f'<a id="{name}-examples"></a>')[2].partition(f'<a id="{name}-errors"></a>')[0]
        if unit.file.attributes:
            assert set(re.findall(r"error \[\[(\w+)\]\]", part)) == errors
    shown_types = {e.type for e in examples(page)}
    assert shown_types <= {t for types in unit.file.types.values() for t in types}
    assert all(shown_types & set(types) for types in unit.file.types.values())


def test_constants_of_the_types() -> None:
    """Roundoff and overflow threshold, where a page has a table of them, are those of `T.roundoff` and `T.overflow`."""
    row = re.compile(
        r"^\| (\w+) \| \$2\^\{-(\d+)\}\$ \| \$\(2 - 2\^\{-(\d+)\}\) \\cdot 2\^\{(\d+)\}.*\$ \|$", re.MULTILINE
    )
    rows = [found for page in PAGES for found in row.findall(page.read_text("utf-8"))]

    assert {name for name, *_ in rows} == {"bfloat16", "float16", "float", "double"}
    for name, roundoff, last, exponent in rows:
        sort = ELEMENT_TYPES[name]
        assert isinstance(sort, FloatSort)
        assert int(roundoff) == sort.significand
        assert (2 - Fraction(1, 2 ** int(last))) * 2 ** int(exponent) == floats.overflow_threshold(sort)
