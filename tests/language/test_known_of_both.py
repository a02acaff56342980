"""A profile and its standard say one thing in two ways, of which what is known makes one."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

ROOT = Path(__file__).parents[2]

STANDARD = """\
use layout
use row_major

operator Sized version 1 standard

types int = int8 int16

input  X : tensor of T
input  S : tensor of int64
output Y : tensor of T

let n = if rank(S) = 1 then S.shape[0] else 0
let L = list (k in 0 .. n - 1 -> int(S[[k]]))
let D = shape (k in L -> if L[k] < 0 then 1 else L[k])
[C1] constraint "as many elements as S says" : numel(D) = numel(X.shape)

shape Y    = D
value Y[i] = X[index_at(X.shape, offset(D, i))]

using for all i in indices(Y) : offset_in_range(D, i)

[U_RANK] unspecified outcome "S is no list" when rank(S) != 1
"""
PROFILE = """\
use layout
use row_major

operator Sized version 1 profile
  refines onnx Sized version 1 with X = X, S = S, Y = Y

types int = int8 int16

input  X : tensor of T
input  S : tensor of int64
output Y : tensor of T

[C1] constraint "S is a list" : rank(S) = 1
let L = list (k in 0 .. S.shape[0] - 1 -> int(S[[k]]))
let D = shape (k in L -> {size})
[C2] constraint "as many elements as S says" : numel(D) = numel(X.shape)
[E1] error "no list" : when C1 fails
[E2] error "another number" : when C2 fails

shape Y    = D
value Y[i] = X[index_at(X.shape, offset(D, i))]

using for all i in indices(Y) : offset_in_range(D, i)
"""


@pytest.mark.parametrize(
    ("size", "refines", "narrowing"),
    [
        ("if L[k] < 0 then 1 else L[k]", "proved", "proved"),
        ("if L[k] < 0 then 2 else L[k]", "refuted", "refuted"),
    ],
)
def test_a_product_over_a_list_is_compared_where_its_rank_is_known(
    size: str, refines: str, narrowing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The standard chooses by a rank that C1 of the profile says, and U_RANK of the standard. Other products differ."""
    texts = {
        "spec/onnx/sized.sonnx": STANDARD,
        "spec/sonnx/sized.sonnx": PROFILE.format(size=size),
        "spec/common/layout.sonnx": (ROOT / "spec" / "common" / "layout.sonnx").read_text("utf-8"),
        "proofs/row_major.sonnx": (ROOT / "proofs" / "row_major.sonnx").read_text("utf-8"),
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    found = {r.id: str(r.verdict) for r in sonnx_verify.check("spec/sonnx", cached=False)}

    assert found["sonnx.Sized-1.int/spec/refines"] == refines
    assert found["sonnx.Sized-1.int/spec/narrowing"] == narrowing
