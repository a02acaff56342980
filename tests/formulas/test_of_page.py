"""Formulas of a page beside the formal text: as they are read equivalent, or refuted by an input."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.pages.formulas.of_page import formulas_of
from sonnx_verify.pages.reading.read import read_page

ROOT = Path(__file__).parents[2]
PAGES = {
    "max": {"Y.value"},
    "min": {"Y.value"},
    "reducemax": {"r"},
    "reducemin": {"r"},
    "reducesum": {"r"},
}
"""What is read of our pages beside their tags."""
SLIPS = [
    ("$-r \\leq L_m \\leq r - 1$", "$-r \\leq L_m < r - 1$", "C2"),
    ("r - 1$ for all $m \\in [0, n - 1]$", "r - 1$ for all $m \\in [1, n - 1]$", "C2"),
    ("a + r & \\text{if } a < 0", "a + r & \\text{if } a \\leq 0", "C3"),
    ("$m, p \\in [0, n - 1]$ with $m \\neq p$", "$m, p \\in [0, n - 1]$", "C3"),
    ("keepdims $\\in [0, 1]$", "keepdims $\\in [0, 1[$", "C4"),
    ("and if $\\text{axes}$ is given, $\\text{axes}$ is dense", "and $\\text{axes}$ is dense", "R1"),
    ("$\\operatorname{rank}(\\text{axes}) = 1$", "$\\operatorname{rank}(\\text{axes}) \\leq 1$", "C1"),
    ("[[C3]](#int-C3) is the first constraint", "[[C2]](#int-C2) is the first constraint", "E3"),
    ("Let $r$ be the rank of $\\text{data}$", "Let $r$ be the rank of $\\text{axes}$", "r"),
]  # fmt: skip  # a table


def run(*args: str) -> Result:
    """What `sonnx-verify` prints and returns."""
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


@pytest.fixture
def reducemax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of a copy of the specifications."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "spec" / "sonnx" / "reducemax" / "reducemax.md"


def edited(page: Path, old: str, new: str) -> None:
    """The page with a slip in it, in the section of integers."""
    text = page.read_text("utf-8")
    assert old in text
    page.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_own_pages_are_read(name: str) -> None:
    """Each restriction, constraint and error of our pages, and what they define without condition."""
    path = ROOT / "spec" / "sonnx" / name / f"{name}.sonnx"
    project = Project.of_files(ROOT, [path])
    page = read_page(path.with_suffix(".md"))
    found = list(formulas_of(project, project.units[-1], page))
    assert [(one.family, one.tag, one.unread) for one in found if one.obligation is None] == []
    file = project.units[-1].file
    assert file is not None
    stated = {clause.tag for clause in file.clauses if clause.kind in ("restriction", "constraint", "error")}
    assert {one.tag for one in found} == stated | PAGES[name]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("old", "new", "tag"), SLIPS)
def test_slip_on_a_page_is_found(reducemax: Path, old: str, new: str, tag: str) -> None:
    """A page that says something else than its formal text: `lint` has an input that tells them apart."""
    edited(reducemax, old, new)
    done = run("page", "lint", str(reducemax))
    found = [line for line in done.stdout.splitlines() if "[formula-differs]" in line]
    assert done.exit_code == 1
    assert any(f"states {tag} differently from" in line for line in found)


@pytest.mark.parametrize(
    "slip",
    [
        "\\min_{m \\in [0, L]} Z_m[i]",
        *(
            pytest.param(more, marks=pytest.mark.soak)
            for more in ("\\max_{m \\in [0, L[} Z_m[i]", "\\max_{m \\in [0, L]} Z_0[i]")
        ),
    ],
)
def test_slip_in_elements_is_found(reducemax: Path, slip: str) -> None:
    """The same of the elements of an output."""
    page = reducemax.parents[1] / "max" / "max.md"
    edited(page, "\\max_{m \\in [0, L]} Z_m[i]", slip)
    done = run("page", "lint", str(page))
    assert done.exit_code == 1
    assert "the page states Y.value differently from" in done.stdout


@pytest.mark.soak
def test_definition_that_differs_is_in_the_matrix(reducemax: Path) -> None:
    """What a page defines is under no tag, and has a row of its own; what rests on it says so."""
    edited(reducemax, "Let $r$ be the rank of $\\text{data}$", "Let $r$ be the rank of $\\text{axes}$")
    done = run("page", "trace", str(reducemax))
    assert done.exit_code == 1
    assert "ReduceMax-20.int/r/page" in done.stdout
    assert "\n| r | " in done.stdout
    assert "where L and r mean what the formal text says" in done.stdout


def test_slip_is_refuted_by_trace(reducemax: Path) -> None:
    """`trace` proves it of all inputs, or refutes it by the smallest one."""
    edited(reducemax, "$-r \\leq L_m \\leq r - 1$", "$-r \\leq L_m < r - 1$")
    done = run("page", "trace", str(reducemax))
    assert done.exit_code == 1
    assert "(refuted: see below)" in done.stdout
    assert "refuted sonnx.ReduceMax-20.int/C2/page" in done.stdout
    assert "axes                 = int64 (1) [0]" in done.stdout
    right = [line for line in done.stdout.splitlines() if line.startswith("| C3 ")]
    assert right
    assert all("as it is read, proved equivalent" in line for line in right)


CLAIMS = [
    ("[[C1]](#int-C1) rules out $\\operatorname{rank}(\\text{axes}) = 0$", True),
    ("[[C1]](#int-C1) rules out that axes is given and $\\operatorname{rank}(\\text{axes}) = 0$", False),
    ("[[C1]](#int-C1) ensures that axes is given", True),
    ("[[C2]](#int-C2) ensures $L_m < r$ for all $m \\in [0, n - 1]$", False),
    ("[[C1]](#int-C1) and [[C2]](#int-C2) rule out that $n = 1$ and $r = 0$", False),
    ("[[C3]](#int-C3) guarantees that $n \\leq r$ if it is short", False),
    ("Nothing in [[C1]](#int-C1) ensures that axes is given", False),
    ("Without [[C2]](#int-C2), [[C3]](#int-C3) ensures that axes is given", False),
    ("So [[C1]](#int-C1) ensures that axes is given", False),
    ("It is not true that [[C1]](#int-C1) ensures that axes is given", False),
    ("An earlier draft said: [[C1]](#int-C1) ensures that axes is given", False),
    ("Neither does [[C1]](#int-C1) ensure that axes is given", False),
    ("[[C1]](#int-C1) does not ensure that axes is given", False),
    ("Neither [[C1]](#int-C1) nor [[C2]](#int-C2) ensures that axes is given", False),
]


@pytest.mark.parametrize(("claim", "is_false"), CLAIMS)
def test_claims(reducemax: Path, claim: str, is_false: bool) -> None:
    """That a constraint rules something out, or ensures it, is true, or some input that it allows shows that it is not.
    Where axes is left out its rank is any number to the logic, and so no claim should speak of it."""
    edited(reducemax, "  - Rationale: its entries", f"  - Rationale: {claim}. Its entries")
    done = run("page", "lint", str(reducemax))
    found = [line for line in done.stdout.splitlines() if "[claim-false]" in line]
    assert bool(found) is is_false, done.stdout
    assert done.exit_code == int(is_false), done.stdout
