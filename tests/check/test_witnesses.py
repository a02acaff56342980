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


POOL = """\
operator Pool version 1 user

types int = int8

input     X            : tensor of T
attribute kernel_shape : ints
attribute pads         : ints default [0, 0, 0, 0]
output    Y            : tensor of T
[C1] constraint "rank 4" : rank(X) = 4
[C2] constraint "a number for each spatial axis and side" : count(kernel_shape) = 2 and count(pads) = 4
[C3] constraint "no number is negative"
  : for all k in 0 .. 1 : kernel_shape[k] > 0 and pads[k] >= 0 and pads[k + 2] >= 0
[C4] constraint "padding is smaller than a window"
  : for all k in 0 .. 1 : pads[k] < kernel_shape[k] and pads[k + 2] < kernel_shape[k]
[C5] constraint "a window lies on each axis"
  : for all k in 0 .. 1 : X.shape[k + 2] + pads[k] + pads[k + 2] >= kernel_shape[k]
define inside(i : index, k : int, w : int) : bool
  "the place is on the axis"
  = 0 <= i[k + 2] + w - pads[k] < X.shape[k + 2]
let W = shape (k in 0 .. 1 -> kernel_shape[k])
shape Y =
  shape (k in axes(X) -> if k < 2 then X.shape[k] else X.shape[k] + pads[k - 2] + pads[k] - kernel_shape[k - 2] + 1)
value Y[i] =
  T(max { int(X[[i[0], i[1], i[2] + w[0] - pads[0], i[3] + w[1] - pads[1]]])
          | w in indices(W) where inside(i, 0, w[0]) and inside(i, 1, w[1]) })
"""


def test_a_window_that_lies_in_the_padding(tmp_path: Path) -> None:
    """The indices of a window are those of a shape with several axes: it is empty where all of X is padding."""
    path = tmp_path / "pool.sonnx"
    path.write_text(POOL, "utf-8")
    found = {one.tag: one for one in sonnx_verify.check(str(path), cached=False) if one.kind in ("total", "determined")}

    assert str(found["Y.value"].verdict) == "refuted", found["Y.value"].note
    shown = found["Y.value"].counterexample
    assert shown is not None
    assert "(1, 1, 0, 0)" in str(shown)


NOT_ZERO = """\
use general_restrictions

operator Half version 1 user

types int = int8

input  X : tensor of T
input  D : tensor of T
output Y : tensor of T
[R1] restriction from GR1 "sparse tensors are not supported" : X is dense and D is dense
[C1] constraint "a scalar" : rank(D) = 0
[C2] constraint "not 0"    : D[index (k in axes(D) -> 0)] != 0
shape Y    = X.shape
value Y[i] = X[i]
"""


def test_facts_of_an_input_whose_elements_matter(tmp_path: Path) -> None:
    """A restriction on facts is broken by an input whose elements have to meet another condition."""
    path = tmp_path / "half.sonnx"
    path.write_text(NOT_ZERO, "utf-8")
    (shown,) = [one for one in sonnx_verify.check(str(path), cached=False) if one.id.endswith("R1/independent")]

    assert str(shown.verdict) == "holds", shown.note


TYPED = """\
operator Wide version 1 standard

types float = float16 float
input     X    : tensor of T
attribute mode : int default 1
output    Y    : tensor of T
shape Y    = X.shape
value Y[i] = X[i]
[U_MODE] unspecified outcome "no other mode is explained" when {when} and mode != 1
"""


@pytest.mark.parametrize(
    ("when", "verdict", "types"),
    [
        ("T is float16", "holds", ["float16"]),
        ("(T is float16 or rank(X) = 1)", "holds", ["float16", "float"]),
        ("T is double", "violated", ["float16"]),
    ],
)
def test_what_is_open_for_some_types(when: str, verdict: str, types: list[str], tmp_path: Path) -> None:
    """An item that names types is open for these; one that names none of the section says nothing."""
    path = tmp_path / "wide.sonnx"
    path.write_text(TYPED.replace("{when}", when), "utf-8")
    (shown,) = [one for one in sonnx_verify.check(str(path), cached=False) if one.id.endswith("U_MODE/gap")]

    assert (str(shown.verdict), list(shown.types)) == (verdict, types)
