"""An operator with two type variables, applied where both have the elements of one."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

STANDARD = """\
operator Pick version 1 standard

types int      = int8 int16 int32
types int of U = int8 int16

input  A : tensor of T
input  B : tensor of U
output C : tensor of T

[C1] constraint "one shape" : A.shape = B.shape

shape C    = A.shape
value C[i] = if int(B[i]) > 0 then A[i] else T(int(B[i]))
"""
PROFILE = """\
operator Pick version 1 profile
  refines onnx Pick version 1 with A = A, B = B, C = C

types int = {types}

input  A : tensor of T
input  B : tensor of T
output C : tensor of T

[R1] restriction "B has the type of A" : outside the model
[C1] constraint "one shape" : A.shape = B.shape
[E1] error "two shapes" : when C1 fails

shape C    = A.shape
value C[i] = if B[i] {sign} 0 then A[i] else B[i]
"""
LAW = """\
theory picking "Laws of Pick"

types int = {types}

theorem of_itself "itself where it is above 0, and where it is not"
  for X : tensor of T
  : Pick(X, X) = X
"""


def project(folder: Path, **others: str) -> None:
    """A standard, the operator as one of a user, and another text."""
    own = STANDARD.replace("standard", "user").replace("\nshape", '[E1] error "two shapes" : when C1 fails\n\nshape')
    for name, text in {"spec/onnx/pick.sonnx": STANDARD, "laws/pick.sonnx": own, **others}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.mark.parametrize(("sign", "verdict"), [(">", "proved"), (">=", "refuted"), ("<", "refuted")])
def test_a_profile_of_one_type_refines_a_standard_of_two(
    sign: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are the abstract elements of the profile, for all of its types at once; `>=` picks A where B is 0."""
    project(tmp_path, **{"spec/sonnx/pick.sonnx": PROFILE.format(types="int8 int16", sign=sign)})
    monkeypatch.chdir(tmp_path)
    found = {r.id: r for r in sonnx_verify.check("spec/sonnx", cached=False)}

    refines = found["sonnx.Pick-1.int/spec/refines"]
    assert str(refines.verdict) == verdict
    # A counterexample is of one of them.
    assert refines.types == (("int8", "int16") if verdict == "proved" else ("int8",))


def test_a_theorem_applies_it_to_one_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved holds for each type of the theory."""
    project(tmp_path, **{"laws/picking.sonnx": LAW.format(types="int8 int16")})
    monkeypatch.chdir(tmp_path)
    found = {r.id: str(r.verdict) for r in sonnx_verify.check("laws", cached=False)}

    assert found["user.picking.int/of_itself/theorem"] == "proved"


@pytest.mark.parametrize("path", ["spec/sonnx/pick.sonnx", "laws/picking.sonnx"])
def test_a_type_that_one_of_them_cannot_have_is_refused(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else something would be proved of int32 that the standard does not take there."""
    text = {"spec": PROFILE, "laws": LAW}[path.split("/")[0]]
    project(tmp_path, **{path: text.format(types="int8 int16 int32", sign=">")})
    monkeypatch.chdir(tmp_path)
    (error,) = sonnx_verify.check(path.rpartition("/")[0], cached=False).errors

    assert error.message == "`B` of `Pick` cannot have elements of type int32"
