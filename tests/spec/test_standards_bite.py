"""One token changed in a standard: the profile's section of reals refutes another function, an example another edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.refutation import QUICK, refutation
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.missed import Missed

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = [
    ("exp", "T(exp(", "T(cos("),
    ("tanh", "T(tanh(", "T(erf("),
    ("gelu", "0.044715", "0.044716"),
    ("sigmoid", "exp(-number(X[i]))", "exp(number(X[i]))"),
    ("sqrt", "else sqrt(x)", "else x"),
    ("mul", "value C[i] = P[i] * Q[i]", "value C[i] = P[i] + Q[i]"),
    ("leakyrelu", "T(number(alpha)) * X[i]", "T(number(alpha)) + X[i]"),
]
EDGES = [
    ("add", "Q[i] = -P[i]", "Q[i] = P[i]"),
    ("clip", "when low > high\n[U_ZEROS]", "when low >= high\n[U_ZEROS]"),
    ("split", "not named\n", "named\n"),
    ("reducemax", "keepdims != 0 and keepdims != 1\n[U_EMPTY]", "keepdims != 0\n[U_EMPTY]"),
    ("squeeze", "0 <= A[m] < r", "-r <= A[m] < r"),
    ("greater", "P[i] > Q[i]", "P[i] >= Q[i]"),
    ("exp", "is_number(input[i]) and not is_zero(input[i])", "is_number(input[i])"),
]
"""The file, a part of it, and what stands there instead."""


def changed(name: str, old: str, new: str) -> Project:
    """The library with a standard that differs in one place."""
    path = ROOT / "spec" / "onnx" / name / f"{name}.sonnx"
    text = path.read_text("utf-8")
    assert text.count(old) >= 1
    return Project.open(ROOT, {path: text.replace(old, new, 1)})


def obligations(project: Project, name: str, namespace: str) -> list[Obligation]:
    found: list[Obligation] = []
    for unit in project.units:
        if unit.path.name == f"{name}.sonnx" and unit.namespace == namespace:
            assert unit.error is None
            found += of_unit(project, unit)
    return found


@pytest.mark.parametrize(("name", "old", "new"), FUNCTIONS)
def test_another_function_is_refuted(name: str, old: str, new: str) -> None:
    """Sound text and slip differ on reals alone: the float section leaves both open."""
    (obligation,) = [
        o for o in obligations(changed(name, old, new), name, "sonnx") if o.kind is Kind.REFINES and o.section == "real"
    ]

    assert not isinstance(refutation(Work(obligation), None, QUICK), Missed)


@pytest.mark.parametrize(("name", "old", "new"), EDGES)
def test_another_edge_is_refuted(name: str, old: str, new: str) -> None:
    found = [o for o in obligations(changed(name, old, new), name, "onnx") if o.kind is Kind.EXAMPLE]
    verdicts = {o.answer.name for o in found if o.answer is not None}

    assert "refuted" in verdicts


def test_a_section_of_reals_is_no_type_of_onnx() -> None:
    """It stands last, so that no section that is taken first is one of reals, and the transcription leaves it out."""
    project = Project.open(ROOT)
    standards = [u for u in project.units if u.namespace == "onnx" and u.file is not None]
    with_reals = [u for u in standards if u.file is not None and "real" in u.file.types]

    assert len(with_reals) > 20
    assert [u.operator for u in with_reals if u.file is not None and next(iter(u.file.types)) == "real"] == []
