"""A project reads the files that something asks for, and answers as if it had read all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.api.statement import obligations_of
from sonnx_verify.errors import UserError
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.places import files_of_project, installed_library
from sonnx_verify.language.project import OF_ONNX, Project

ROOT = Path(__file__).resolve().parents[2]
OPERATOR = """
operator {name} version 13 user

types int = int8

input X : tensor of T
output Y : tensor of T
shape Y = dims(X)
value Y[i] = X[i]
"""


def found(project: Project, namespace: str, name: str) -> object:
    """The operator of a name, as far as it tells it from others; or what is wrong."""
    try:
        unit = project.find(namespace, name)
    except UserError as error:
        return str(error)
    return unit and (unit.key, unit.shown, unit.operator)


def compared(root: Path, names: list[tuple[str, str]]) -> list[object]:
    """What is found of each name, the same by a project that has read everything, and by one that has not."""
    answers = []
    for namespace, name in names:
        lazy, eager = Project.open(root), Project.open(root)
        assert eager.units is not None
        answers.append(found(lazy, namespace, name))
        assert answers[-1] == found(eager, namespace, name), name
    return answers


def test_the_library() -> None:
    """Every operator of the library is found without the other files, in each namespace."""
    eager = Project.open(ROOT)
    names = {(u.namespace, u.file.name) for u in eager.units if u.file is not None and u.file.version is not None}
    lazy = Project.open(ROOT)

    assert len(names) > 90
    for namespace, name in sorted(names):
        assert found(lazy, namespace, name) == found(eager, namespace, name)


@pytest.mark.parametrize("name", ["sonnx.Max", "onnx.Max-8", "sonnx.ReduceMax-20"])
def test_few_files_are_read(name: str) -> None:
    """To find an operator, and the names that it can use, reads no more than it uses."""
    project = Project.open(ROOT)
    unit = find_operator(project, name)
    project.library(unit)

    assert 1 <= len(project.files.parsed) <= 12


def test_a_statement_reads_the_libraries() -> None:
    """A statement reads the shared definitions and its operators, and few of the theories that it takes nothing from:
    those with the word `library` somewhere."""
    project = Project.open(installed_library())
    obligations_of(project, "Max(A, B) = Max(B, A)")
    theories = {p.name for p in project.files.parsed if p.parent.name == "proofs"}

    assert len(theories) < 6
    assert len(list((installed_library() / "proofs").glob("*.sonnx"))) > 40
    assert any(p.name == "max.sonnx" for p in project.files.parsed)


def test_files_of_ones_own(tmp_path: Path) -> None:
    """One's own operators and files stand for installed ones; what is declared twice, or cannot be read, is told."""
    text = OPERATOR.format(name="Max").replace("operator Max", "operator -- of two\n  Max")
    files = {
        "spec/sonnx/other_name.sonnx": text,
        "spec/sonnx/min.sonnx": OPERATOR.format(name="Smallest"),
        "spec/sonnx/add.sonnx": "operator Add version 13 input",
        "spec/onnx/abs/abs.sonnx": "-- operator Abs\n" + OPERATOR.format(name="Neither"),
        "one.sonnx": OPERATOR.format(name="Twice"),
        "spec/two.sonnx": OPERATOR.format(name="Twice"),
        "spec/three.sonnx": OPERATOR.format(name="Twice"),
    }
    for place, said in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(said, "utf-8")
    names = ["Max", "Min", "Smallest", "Add", "Abs", "Neither", "Mul", "ReduceMax", "Nothing"]

    answers = compared(tmp_path, [(namespace, name) for namespace in OF_ONNX for name in names] + [("user", "Twice")])

    assert any("other_name" in str(answer) for answer in answers)
    assert "defined twice" in str(answers[-1])
    assert answers[names.index("Mul")] is not None


@pytest.mark.parametrize(
    ("place", "is_project"),
    [("one.sonnx", True), ("below/one.sonnx", False), ("spec/one.sonnx", True), ("proofs/one.sonnx", True)],
)
def test_a_folder_of_projects_is_none(place: str, *, is_project: bool, tmp_path: Path) -> None:
    """What lies deeper belongs to whoever works there; a configuration makes a folder a project."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text(OPERATOR.format(name="One"), "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.another]\n", "utf-8")
    before = files_of_project(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.sonnx-verify]\n", "utf-8")

    assert bool(before) is is_project
    assert files_of_project(tmp_path) == [tmp_path / place]
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "sonnx-verify.toml").write_text("", "utf-8")
    assert files_of_project(tmp_path) == [tmp_path / place]
