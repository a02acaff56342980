"""Findings and explanations of a clause quote the sentence of the page that states it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

FORMAL = """operator Keep version 1 profile
page "keep.md"
types int = int8
types float = float
input X : tensor of T
attribute low : int default 0
output Y : tensor of T
[C1] constraint "low is 0 or 1" : 0 <= low and low <= 1
[E1] error "low is neither" : when low < 0
shape Y = X.shape
value Y[i] = X[i]
"""
PAGE = """# **Keep** (int, int)

## Error conditions

- `[E1]` The number $low$ is below $0$.

## Attributes

- `[C1]` A bound
  - Statement: `low` is
    no other than $0$ and $1$.

# **Keep** (float, float)

- `[C1]` Of floats, likewise.
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a page, on which E1 leaves out a case."""
    folder = tmp_path / "spec" / "sonnx" / "keep"
    folder.mkdir(parents=True)
    (folder / "keep.sonnx").write_text(FORMAL, "utf-8")
    (folder / "keep.md").write_text(PAGE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def printed(*words: str) -> str:
    return CliRunner().invoke(main, list(words)).stdout


@pytest.mark.parametrize(
    "words", [("check",), ("check", "-v"), ("explain", "--counterexample", "sonnx.Keep-1.int/C1/covered")]
)
def test_a_finding_quotes_the_page(words: tuple[str, ...], project: Path) -> None:
    out = printed(*words)

    assert "  page: spec/sonnx/keep/keep.md:9 `low` is no other than $0$ and $1$.\n" in out
    assert ("keep.md:15 Of floats, likewise." in out) == (words[0] == "check")


def test_a_page_that_changes_is_quoted_as_it_is(project: Path) -> None:
    """Though what was proved is recalled."""
    printed("check")
    (project / "keep.md").write_text(PAGE.replace("no other than", "one of"), "utf-8")

    assert "`low` is one of $0$ and $1$." in printed("check")


def test_where_the_page_lacks_the_tag_the_clause_stands_alone(project: Path) -> None:
    (project / "keep.md").write_text(PAGE.replace("C1", "C2"), "utf-8")
    out = printed("check")

    assert "clause: low is 0 or 1" in out
    assert "page:" not in out


def test_an_explanation_quotes_the_page_in_each_family(project: Path) -> None:
    out, told = printed("explain", "sonnx.Keep-1/C1"), printed("explain", "sonnx.Keep-1/C1", "--format", "json")
    (clause,) = json.loads(told)["clauses"]

    assert "  page: spec/sonnx/keep/keep.md:9 `low` is no other than $0$ and $1$.\n" in out
    assert [(p["line"], p["sentence"][:6]) for p in clause["page"]] == [(9, "`low` "), (15, "Of flo")]


def test_the_page_is_quoted_where_another_variable_has_several_types(project: Path) -> None:
    formal = project / "keep.sonnx"
    more = "types float = float\ntypes int of I = int32 int64\ninput N : tensor of I\n"
    formal.write_text(formal.read_text("utf-8").replace("types float = float\n", more), "utf-8")

    for section in ("int-int32", "float-int64"):
        line = "keep.md:9 `low` is no other" if section.startswith("int") else "keep.md:15 Of floats"
        assert f"  page: spec/sonnx/keep/{line}" in printed(
            "explain", "--counterexample", f"sonnx.Keep-1.{section}/C1/covered"
        )


def test_the_page_is_quoted_where_no_type_is_that_of_t(project: Path) -> None:
    formal = project / "keep.sonnx"
    text = formal.read_text("utf-8").replace("types int =", "types int of U =").replace("of T", "of U")
    formal.write_text(text.replace("types float =", "types float of U ="), "utf-8")

    (clause,) = json.loads(printed("explain", "sonnx.Keep-1/C1", "--format", "json"))["clauses"]
    assert [sentence["line"] for sentence in clause["page"]] == [9]
