"""The changelog: until a release an entry is a file in changes/, in the form that changes/README.md asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import sonnx_verify

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
ENTRIES = [path for path in sorted((ROOT / SETTINGS["directory"]).iterdir()) if path.name not in SETTINGS["ignore"]]
KINDS = [one["directory"] for one in SETTINGS["type"]]
LONGEST = 600
"""The longest entry, in characters: who needs more writes a document, and a link to it."""


def fault(name: str, text: str) -> str:
    """Why a file is no entry of the changelog; empty if it is one."""
    form = re.fullmatch(rf"{SETTINGS['issue_pattern']}\.(\w+)\.md", name)
    if form is None or form[1] not in KINDS:
        return f"the name is not NAME.KIND.md with a kind of {', '.join(KINDS)}"
    if not text.strip() or re.search(r"\n\s*\n", text.strip()):
        return "this is not one paragraph"
    if re.match(r"#|[-*] |\d+\. ", text):
        return "a heading or a list is not a paragraph"
    if len(text) > LONGEST:
        return f"more than {LONGEST} characters"
    for link in re.findall(r"\]\((?!https://)([^)#\s]+)", text):
        if not (ROOT / link).exists():
            return f"{link} is not there; links are read from the root of the project"
    return ""


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.name)
def test_an_entry_has_its_form(path: Path) -> None:
    assert fault(path.name, path.read_text("utf-8")) == ""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pow.md", "Pow is there.\n", "the name is not"),
        ("pow.operator.md", "Pow is there.\n", "the name is not"),
        ("Pow.operators.md", "Pow is there.\n", "the name is not"),
        ("pow.operators.txt", "Pow is there.\n", "the name is not"),
        ("pow.operators.md", "\n", "not one paragraph"),
        ("pow.operators.md", "Pow is there.\n\nSo is Mod.\n", "not one paragraph"),
        ("pow.operators.md", "# Pow\n", "a heading"),
        ("pow.operators.md", "- Pow is there.\n", "a heading or a list"),
        ("pow.operators.md", "Pow is there. " * 50, "more than 600"),
        ("pow.operators.md", "[Pow](../docs/howto.md) is there.\n", "../docs/howto.md is not there"),
        ("pow.operators.md", "[Pow](docs/howto.md#as-a-backend) is there.\n", ""),
    ],
)
def test_a_file_that_is_no_entry(name: str, text: str, said: str) -> None:
    found = fault(name, text)

    assert said in found
    assert bool(said) == bool(found)


def test_every_kind_is_explained() -> None:
    """The page beside the entries has the kinds of the settings, in their order."""
    (line,) = re.findall(r"^- \*\*KIND\*\*.*$", (ROOT / "changes" / "README.md").read_text("utf-8"), re.MULTILINE)

    assert re.findall(r"`(\w+)`", line) == KINDS


def test_releases_stand_below_the_mark() -> None:
    """The newest first, and none that is newer than the package."""
    head, mark, below = (ROOT / "CHANGELOG.md").read_text("utf-8").partition(SETTINGS["start_string"])
    dated = re.findall(r"^## (\d+)\.(\d+)\.(\d+), \d{4}-\d\d-\d\d$", below, re.MULTILINE)
    releases = [tuple(map(int, version)) for version in dated]

    assert mark
    assert "\n## " not in head
    assert releases == sorted(set(releases), reverse=True)
    assert all(version <= tuple(map(int, sonnx_verify.__version__.split("."))) for version in releases)
