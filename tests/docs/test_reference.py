"""docs/reference.md is what tools/reference.py makes of the grammar and of the table of operators, and each example in
docs/examples.toml is in the language, uses the rule that it is an example of, and is laid out."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from lark import Lark

from sonnx_verify.language import parser
from sonnx_verify.language.layout import layout
from sonnx_verify.logic.operators import OPERATORS
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
STARTS = {"items": "start", "parts": "start", "expressions": "expression", "statements": "statement"}


def generator() -> ModuleType:
    """tools/reference.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("reference_of_the_language", ROOT / "tools" / "reference.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REFERENCE = generator()
EXAMPLES: dict[str, tuple[str, str]] = REFERENCE.examples()


@cache
def grammar() -> Lark:
    return Lark.open("grammar.lark", rel_to=parser.__file__, parser="lalr", start=sorted(set(STARTS.values())))


def test_the_page_is_what_is_generated() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")

    assert page == REFERENCE.generated(page), "run `python tools/reference.py` and commit docs/reference.md"


def nodes() -> set[str]:
    """The names that nodes of the tree can have, as lark sees the grammar."""
    found = {
        str(rule.alias or rule.origin.name)
        for rule in grammar().rules
        if rule.alias or not (rule.options.expand1 and len(rule.expansion) == 1)
    }
    return {name for name in found if not name.startswith("_")}


def test_the_generator_reads_the_grammar_as_lark_does() -> None:
    rules = [rule for chapter in REFERENCE.chapters(REFERENCE.GRAMMAR.read_text("utf-8")) for rule in chapter.rules]
    lowercase = {str(rule.origin.name) for rule in grammar().rules if not rule.origin.name.startswith("_")}

    assert {rule.name for rule in rules if not rule.name.isupper()} == lowercase
    assert {rule.name for rule in rules if rule.name.isupper()} >= {"NAME", "TAG", "FOLD", "STRING", "COMMENT"}
    assert nodes() <= {node for rule in rules for _, node in rule.alternatives}


def test_every_rule_has_an_example() -> None:
    assert set(EXAMPLES) == nodes() - {"start"}


def test_every_operator_is_listed() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")

    assert all(f"\n| `{name}` |" in page for name in OPERATORS)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_uses_its_rule(rule: str) -> None:
    table, text = EXAMPLES[rule]
    tree = grammar().parse(text, start=STARTS[table])

    assert rule in {node.data for node in tree.iter_subtrees()}


@pytest.mark.parametrize("rule", [rule for rule, (table, _) in EXAMPLES.items() if STARTS[table] != "statement"])
def test_an_example_is_laid_out(rule: str) -> None:
    """As an item, or behind `let x =`."""
    table, text = EXAMPLES[rule]
    item = text if STARTS[table] == "start" else f"let x = {text}"

    assert layout(Source(rule, item)) == f"{item}\n"


def test_a_page_that_lost_its_marks_is_not_written() -> None:
    with pytest.raises(AssertionError, match="generated sections"):
        REFERENCE.generated("# Reference\n\n## Grammar\n")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (r"KIND.2: /(a|b)\b(?=\s*(\(|x))/", 'KIND ::= "a" | "b"'),
        ('?class_: "class" NAME ("," class_)* where? -> one', 'class ::= "class" NAME ("," class)* where?'),
        (r"NUMBER: /\d+(?=\s)/", r"NUMBER ::= /\d+/"),
    ],
)
def test_how_a_rule_is_shown(line: str, shown: str) -> None:
    (chapter,) = REFERENCE.chapters(line)

    assert REFERENCE._lines(chapter.rules[0]) == [shown]
