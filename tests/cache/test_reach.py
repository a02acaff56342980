"""Which texts play a part in what is told of a file: never too few."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from lark import Token

from sonnx_verify.language.parser import tree_of
from sonnx_verify.language.places import files_of_project, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach
from sonnx_verify.language.text_names import names_in
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hashes import statement_hash
from sonnx_verify.solving.check.needed import needed_in
from sonnx_verify.solving.check.work import Work
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
SOAK = os.environ.get("SONNX_SOAK") == "1"
FILES = files_of_project(ROOT)
# One in eight each time; all of them in a soak.
CHOSEN = FILES if SOAK else FILES[3::8]


def stated(folder: Path, path: Path, instead: dict[Path, str]) -> tuple[list[tuple[str, ...]], list[str]]:
    """What a file's obligations say, and the identities of all that they rest on."""
    project = Project.open(folder, instead)
    found = [o for u in project.units if u.path == path for o in of_unit(project, u)]
    said = (statement_hash(Work(o)) if o.build else repr(o.answer) for o in found)
    rows: list[tuple[str, ...]] = []
    rows += [(o.id, o.expected, o.title, str(o.span), what) for o, what in zip(found, said, strict=True)]
    return rows, [o.id for o in needed_in(project, found)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: shown_as(p, ROOT))
def test_the_rest_plays_no_part(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every other file emptied, the obligations of a file say the same and rest on the same."""
    monkeypatch.chdir(ROOT)
    reached = set(Reach.of(ROOT, [path]).of_file(path))
    others = [p for p in FILES if p not in reached]
    emptied = {p: f'library emptied_{n} "Nothing"\n' for n, p in enumerate(others)}

    assert len(others) > 10
    assert stated(ROOT, path, emptied) == stated(ROOT, path, {})


@pytest.mark.parametrize(("name", "text", "reached"), [
    ("a.sonnx", "theory a \"A\"\nuse b", {"a", "b", "c"}),
    ("a.sonnx", "theory a \"A\"\nuse -- which\n  b", {"a", "b", "c"}),
    ("a.sonnx", "theory a \"A\"\ntheorem t \"t\" : Op(x) = x", {"a", "d", "c"}),
    ("a.sonnx", "theory a \"About b and of c\"", {"a"}),
    ("a.sonnx", "theory a \"A -- use\" use b", {"a", "b", "c"}),
    ("a.sonnx", "theory a \"A\" -- use b", {"a"}),
    ("a.sonnx", "theory a \"A\"\ntheorem t \"t\" : 2Op = 2", {"a", "d", "c"}),
    ("a.sonnx", "theory e \"Of another file's name\"", {"a", "e"}),
])  # fmt: skip  # a table
def test_what_a_text_reaches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, reached: set[str]
) -> None:
    """By `use`, by an operator's name, by a name that two declare; and on from there."""
    for file, content in {
        "b.sonnx": 'library b "B"\nuse c',
        "c.sonnx": 'library c "C"',
        "d.sonnx": "operator\n-- the\nOp version 1 user\nuse c",
        "e.sonnx": 'theory e "E"',
        name: text,
    }.items():
        (tmp_path / file).write_text(content, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert {p.stem for p in Reach.of(tmp_path, []).of_file(tmp_path / name)} == reached


@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: shown_as(p, ROOT))
def test_no_name_is_missing(path: Path) -> None:
    """Every word that the grammar finds in a text is found without it."""
    text = path.read_text("utf-8")
    words = {str(token) for token in tree_of(Source(path.name, text)).scan_values(lambda one: isinstance(one, Token))}
    names = {word for word in words if re.fullmatch(r"[^\W\d]\w*", word)}

    assert len(names) > 5
    assert names <= names_in(text).words


def test_a_link_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file has two names, every file may use it."""
    (tmp_path / "a.sonnx").write_text('theory a "A"\nuse b', "utf-8")
    (tmp_path / "first.sonnx").write_text('library b "B"', "utf-8")
    (tmp_path / "b.sonnx").symlink_to("first.sonnx")
    monkeypatch.chdir(tmp_path)

    assert tmp_path / "first.sonnx" in Reach.of(tmp_path, []).of_file(tmp_path / "a.sonnx")


def test_what_cannot_be_read_gives_no_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that reaches one of which it is not known what it says has none: it counts as changed."""
    (tmp_path / "a.sonnx").write_text('theory a "A"\nuse b', "utf-8")
    (tmp_path / "b.sonnx").write_text('library b "B"', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert Reach.of(tmp_path, []).digest(tmp_path / "a.sonnx") is not None
    (tmp_path / "b.sonnx").write_bytes(b"\xff")

    assert Reach.of(tmp_path, []).digest(tmp_path / "a.sonnx") is None
    assert Reach.of(tmp_path, []).digest(tmp_path / "nowhere.sonnx") is None
