"""Every example of the language reference is run.

A ```sonnx block of docs/language.md is a whole text if it says what file it is; otherwise it is completed by
`preambles/plain.sonnx`, or by the preamble that is named behind ```sonnx. Every text is read, elaborated for all its
types and laid out already. Beyond that: what stands as a comment behind a `let` is its value, by the reference
evaluator; each theorem of a text that a preamble completes is proved; and of a text marked `checked` every obligation
is proved or holds. The commands of the page are run by test_docs.py.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from sonnx_verify.kernel.values import Items, Position, Shape, Tensor, Value
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INDEX, INT
from sonnx_verify.logic.terms import Term, integer, placeholder
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.values import element_text, shape_text, tensor_text
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "language.md"
PREAMBLES = Path(__file__).parent / "preambles"
OPERATORS = [ROOT / "tests" / "language" / name for name in ("clip.sonnx", "flip.sonnx")]
"""What the theorems of the page speak of."""
BLOCK = re.compile(r"^```sonnx ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WHOLE = re.compile(r"^(operator|library|theory) (\w+)", re.MULTILINE)
VALUE = re.compile(r"^let (\w+) +=.*\S  +-- (.+)$", re.MULTILINE)
EXAMPLES = [
    pytest.param(found[1], found[2], id=f"line {PAGE.read_text('utf-8')[: found.start()].count(chr(10)) + 1}")
    for found in BLOCK.finditer(PAGE.read_text("utf-8"))
]


def completed(mark: str, block: str) -> str:
    """The text that an example is part of, or the example where it is a whole one."""
    if WHOLE.search(block):
        assert mark in ("", "checked")
        return block
    return (PREAMBLES / f"{mark or 'plain'}.sonnx").read_text("utf-8") + "\n" + block


def project(path: Path, text: str) -> tuple[Project, list[Obligation]]:
    """The text as a file of its own, read and elaborated, and its obligations."""
    path.write_text(text, "utf-8")
    path.with_name("max.md").touch()
    made = Project.of_files(path.parent, [path, *OPERATORS])
    mine = [unit for unit in made.units if unit.path == path]
    return made, collect(made, mine)


@pytest.mark.parametrize(("mark", "block"), EXAMPLES)
def test_an_example_is_in_the_language(mark: str, block: str, tmp_path: Path) -> None:
    """It means something, for every element type, and it has the one layout."""
    _, obligations = project(tmp_path / "example.sonnx", completed(mark, block))

    assert obligations
    assert layout(Source("language.md", block)) == block


def shown(value: Value) -> str:
    """A closed value as the page writes it."""
    match value:
        case Term():
            made = evaluate(value, {})
            if isinstance(made, Fraction):
                return exact(made)
            text = element_text(value.sort.name, made)
            return text if value.sort == INT or value.sort.name == "bool" else f"{value.sort.name} {text}"
        case Shape():
            return f"shape {shape_text(sizes(value))}"
        case Position():
            rank = evaluate(value.rank, {})
            stored = evaluate(value.term, {})
            coordinates = [stored[q] if q < len(stored) else 0 for q in reversed(range(rank))]
            return f"index {shape_text(coordinates)}"
        case Items():
            return f"[{', '.join(shown(value.item(integer(k))) for k in range(evaluate(value.count, {})))}]"
        case Tensor():
            shape = sizes(value.shape)
            position = placeholder(INDEX)
            element, number = compile_term(value.read(position)), position.payload
            assert isinstance(number, int)
            elements = tuple(element({number: from_right(i)}, {}) for i in product(*map(range, shape)))
            return tensor_text(ConcreteTensor(value.sort, shape, elements))
        case _:
            raise AssertionError(f"no value to show: {value}")


def exact(number: Fraction) -> str:
    """A real in decimals, all of them."""
    digits = next((n for n in range(40) if (number * 10**n).denominator == 1), None)
    assert digits is not None, f"{number} has no last decimal"
    whole = str(abs(int(number * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if number < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def sizes(shape: Shape) -> tuple[int, ...]:
    """The sizes of a closed shape, from the left."""
    rank = evaluate(shape.rank, {})
    return tuple(evaluate(shape.dim(integer(q)), {}) for q in reversed(range(rank)))


def from_right(coordinates: tuple[int, ...]) -> tuple[int, ...]:
    """An index as the evaluator has it: without the zeros that it ends with from the right."""
    made = list(reversed(coordinates))
    while made and made[-1] == 0:
        made.pop()
    return tuple(made)


@pytest.mark.parametrize(("mark", "block"), [e for e in EXAMPLES if VALUE.search(str(e.values[1]))])
def test_values_are_those_beside_them(mark: str, block: str, tmp_path: Path) -> None:
    """Of each `let` with a comment, in the first section of the text."""
    made, _ = project(tmp_path / "example.sonnx", completed(mark, block))
    (unit,) = (u for u in made.units if u.path.name == "example.sonnx")
    assert unit.file is not None
    section = instances(unit.file)[0]
    meaning = made.meaning(unit, Context(section.family, ELEMENT_TYPES[section.types[0]]))
    wanted = dict(VALUE.findall(block))

    assert {name: shown(meaning.inputs[name]) for name in wanted} == wanted


def decided(obligations: list[Obligation]) -> dict[str, str]:
    """The verdict of each obligation."""
    with Solvers() as solvers:
        return {record.id: record.verdict.name for record in run(obligations, solvers)}


@pytest.mark.parametrize(
    ("mark", "block"),
    [e for e in EXAMPLES if e.values[0] in ("checked", "theory")],
)
def test_what_the_page_says_is_proved_is_proved(mark: str, block: str, tmp_path: Path) -> None:
    """Every obligation of a text that is marked, or of the theorems that a preamble completes."""
    _, obligations = project(tmp_path / "example.sonnx", completed(mark, block))
    verdicts = decided(obligations)

    assert set(verdicts.values()) <= {"proved", "holds"}, verdicts
    assert "proved" in verdicts.values(), verdicts


def test_a_wrong_value_is_seen() -> None:
    """The comment behind a `let` is found whatever is written in it."""
    assert VALUE.findall("let a = 1  -- 2\nlet bb = f(3)         -- shape (1)\nlet c = 1\n") == [
        ("a", "2"),
        ("bb", "shape (1)"),
    ]
    assert [exact(Fraction(n)) for n in ("1/2", "-5/4", "3", "1/16", "-2")] == ["0.5", "-1.25", "3", "0.0625", "-2"]


def test_every_installed_library_is_named() -> None:
    """The page has a row for each file of spec/common."""
    rows = set(re.findall(r"^\| `(\w+)` \| [^|]+ \|$", PAGE.read_text("utf-8"), re.MULTILINE))

    assert {path.stem for path in (ROOT / "spec" / "common").glob("*.sonnx")} <= rows
