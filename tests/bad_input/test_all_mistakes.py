"""All mistakes of a text in one run, and nothing that follows from another one."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import items_of, tree_of
from sonnx_verify.language.project import Project
from sonnx_verify.language.recovery import extent
from sonnx_verify.language.words import tokens_of
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.mistakes import mistakes_of
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]
TEXTS = sorted((ROOT / "tests" / "language").glob("*.sonnx"))
MANY = """\
operator Bad version 1 user

types int = int8 int16

input     X : tensor of T
input     W : tensr of T
inptu     V : tensor of T
attribute k : int default 1 where q > 0
output    Y : tensor of T

[C1] constraint "one"   : rank(X) == 1
[C2] constraint "two"   : rank(W) = 1 and rank(V) = 2
[C3] constraint "three" : rank(Z) = 1
[C4] constraint "four"  : (rank(X) = 1
[C5] constraint "five"  : X.shape[0] && 1
[E1] error "one" : when C1 fails
[E2] error "two" : when C9 fails
[E3] error "two" : when C3 fails
let a = X +
let b = a
shape Y    = X.shape
value Y[i] = X[i] + (1 + 1)
let c      = b[0] + foo(1)
"""
EXPECTED = ["6:21", "7:1", "8:35", "11:35", "13:32", "15:1", "15:38", "17:25", "20:5", "22:14"]


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def places(said: str) -> list[str]:
    """The places of the errors, as they are printed."""
    return re.findall(r"^bad\.sonnx:(\d+:\d+): error:", said, re.MULTILINE)


def test_a_text_with_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of grammar, names and types, by their places; W, V, a, b and C1, which could not be declared, are no mistakes
    where they are used."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.sonnx").write_text(MANY, "utf-8")
    status, _, said = run("check", "bad.sonnx")

    assert status == 2
    assert places(said) == EXPECTED
    # The line is shown as it stands in the text, also behind a mistake of grammar.
    assert '   13 | [C3] constraint "three" : rank(Z) = 1' in said


def test_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.sonnx").write_text(MANY, "utf-8")
    status, said, _ = run("check", "bad.sonnx", "--format", "json")

    assert status == 2
    assert places("\n".join(json.loads(said)["errors"])) == EXPECTED


def test_of_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of each, one after the other; what uses a text with a mistake has none of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sonnx").write_text(
        'library a "a"\ndefine f(x : int) : int = y\ndefine g(x : int) : int = x +', "utf-8"
    )
    (tmp_path / "bad.sonnx").write_text(MANY, "utf-8")
    (tmp_path / "c.sonnx").write_text('theory c "c"\nuse a\ntheorem t "t" : f(1) = 1', "utf-8")
    status, _, said = run("check", "a.sonnx", "bad.sonnx", "c.sonnx")

    assert status == 2
    assert places(said) == EXPECTED
    assert re.findall(r"^[ac]\.sonnx:\d+:\d+", said, re.MULTILINE) == ["a.sonnx:2:27", "a.sonnx:3:30"]


def test_mistakes_of_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in all versions is told once."""
    monkeypatch.chdir(tmp_path)
    text = """\
operator Old version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
let a = p
let b = q
shape Y = X.shape
value Y[i] = X[i]
version 2
replace value Y[i] = X[r]
"""
    (tmp_path / "bad.sonnx").write_text(text, "utf-8")

    assert places(run("check", "bad.sonnx")[2]) == ["5:9", "6:9", "10:24"]


# ------------------------------------------------------------------------------------------------- nothing that follows


def mistakes(path: Path, text: str) -> list[UserError]:
    """The mistakes of a text in place of that of a file."""
    project = Project.of_files(ROOT, [path], {resolved(path): text})
    (unit,) = project.units
    first = unit.error
    if first is None:
        try:
            of_unit(project, unit)
        except UserError as problem:
            first = problem
    if first is None:
        return []
    return mistakes_of(project, unit, first)


def around(text: str, at: int) -> str:
    """The line of a place."""
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


LONG = ("convolution_laws",)
"""Read a hundred times, for as many signs: left to the soak."""


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[pytest.mark.soak] * (p.stem in LONG)) for p in TEXTS]
)
def test_a_sign_too_many_is_one_mistake(path: Path) -> None:
    """Wherever it stands: no name that its item declares is missed elsewhere."""
    text = read_source(path).text
    tokens = tokens_of(tree_of(Source("a", text)))
    for token in random.Random(path.stem).sample(tokens[4:], 3):
        assert token.start_pos is not None
        broken = f"{text[: token.start_pos]}? {text[token.start_pos :]}"
        found = mistakes(path, broken)
        line = text.count("\n", 0, token.start_pos) + 1
        assert [error.span.line for error in found if error.span] == [line], around(broken, token.start_pos)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_an_unknown_name_is_one_mistake(path: Path) -> None:
    """In a clause, a rule, a definition or a `let`; what uses this says nothing wrong."""
    source = read_source(path)
    items = [item for item in items_of(source) if isinstance(item, s.Let | s.Clause | s.Rule)]
    names = [name for item in items if item.body is not None for name in s.free_names(item.body)]
    for name in random.Random(path.stem).sample(names, min(5, len(names))):
        start = name.span.start
        broken = f"{source.text[:start]}nosuch{source.text[start + name.span.length :]}"
        found = mistakes(path, broken)
        assert len(found) == 1, [str(f) for f in found]
        assert found[0].span is not None
        begin, end = next((b, e) for b, e in (extent(item, source.name) for item in items) if b <= start < e)
        assert begin <= found[0].span.start <= end


def test_a_text_that_is_none() -> None:
    """Of a file of prose a few lines are told, and no endless list."""
    text = "operator A version 1 user\n" + "let nothing here is = an item of the language\n" * 200
    found = mistakes(TEXTS[0], text)

    assert 1 <= len(found) <= 20
