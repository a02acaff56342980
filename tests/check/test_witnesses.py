"""Inputs that show a branch: found among many attributes and shapes that fit each other, without help."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

TEXT = """\
operator Product version 1 user

types float = float16 double

input          A      : tensor of T
input          B      : tensor of T
optional input C      : tensor of T
attribute      alpha  : float default 1.0
attribute      beta   : float default 1.0
attribute      transA : int default 0
attribute      transB : int default 0
output         Y      : tensor of T
[C1] constraint "matrices" : rank(A) = 2 and rank(B) = 2
let M = A.shape[if transA = 0 then 0 else 1]
let K = A.shape[if transA = 0 then 1 else 0]
let N = B.shape[if transB = 0 then 1 else 0]
[C2] constraint "the inner sizes agree" : K = B.shape[if transB = 0 then 0 else 1]
[C3] constraint "C is a vector of one" : given(C) => rank(C) = 1 and C.shape[0] = 1
let first = index (k in 0 .. 0 -> 0)
shape Y = shape (k in 0 .. 1 -> [M, N][k])
value Y[i] = {value}
"""
SCALED = "if alpha != 1 or given(C) and beta != 1 then T(0) else if given(C) and C[first] < T(0) then T(2) else T(1)"
NEVER = "if alpha != 1 and alpha = 1 then T(0) else T(1)"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (SCALED, "holds"),
        # All of it at once: an element of the result, a factor, a sum that is not empty.
        ("if transA != 0 and transB != 0 and beta != 1 and K > 0 then T(0) else T(1)", "holds"),
        (NEVER, "violated"),
    ],
)
def test_branches_among_attributes(value: str, verdict: str, tmp_path: Path) -> None:
    """Each way of an `if` is reached by some input; one that none reaches is told."""
    path = tmp_path / "product.sonnx"
    path.write_text(TEXT.replace("{value}", value), "utf-8")
    found = {one.id: one for one in sonnx_verify.check(str(path), cached=False)}

    shown = found["user.Product-1.float/spec/satisfiable"]
    assert str(shown.verdict) == verdict, shown.note


@pytest.mark.soak
def test_branches_of_definitions_that_a_matrix_product_uses(shared: Path) -> None:
    """Among four attributes, an optional input and two matrices whose sizes agree."""
    found = sonnx_verify.check(str(shared / "cases" / "spelling" / "gemm.sonnx"), cached=False)

    assert [str(one.verdict) for one in found if one.id == "user.Gemm-13.float/spec/satisfiable"] == ["holds"]
