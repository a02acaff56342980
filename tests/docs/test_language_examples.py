"""Every example of the language reference is in the language.

A ```sonnx block of docs/language.md with a line that begins with `operator`, `library` or `theory` is a whole file: it
is parsed, and its names and types are checked. Any other block is a list of items, parsed as part of an operator.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sonnx_verify.check.collect import collect
from sonnx_verify.errors import Source
from sonnx_verify.language.parser import parse
from sonnx_verify.language.project import Project

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "language.md"
BLOCK = re.compile(r"^```sonnx\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WHOLE = re.compile(r"^(operator|library|theory) ", re.MULTILINE)


def examples() -> list[object]:
    """Every block with its line, as a case of its own."""
    text = PAGE.read_text("utf-8")
    found = [(text[: m.start()].count("\n") + 1, m[1]) for m in BLOCK.finditer(text)]
    return [pytest.param(line, block, id=f"line {line}") for line, block in found]


@pytest.mark.parametrize(("line", "block"), examples())
def test_an_example_is_in_the_language(line: int, block: str, tmp_path: Path) -> None:
    if not WHOLE.search(block):
        parse(Source(f"language.md from line {line}", f"operator Example version 1 draft\n{block}"))
        return
    path = tmp_path / "example.sonnx"
    path.write_text(block, "utf-8")
    assert collect(Project.of_files(ROOT, [path]))
