"""The key of a recorded difference: all that the answers about two texts rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.equivalence.keys import key_of
from sonnx_verify.language.project import Project

ON_AXIOM = """use holes
operator Bar version 1 standard
types int = int32 int64
input  X : tensor of T
output Y : tensor of bool
[C1] constraint "a scalar" : rank(X) = 0
using for all i in X : through(real(int(X[i])))
shape Y    = X.shape
value Y[i] = true
version 2
replace value Y[i] = real(int(X[i])) * real(int(X[i])) != 15.0
"""
AXIOM = """library holes "Holes"

axiom hole "no such square" from "nobody"
  for x : real
  : x * x != 15.0

theorem through "the same"
  for x : real
  using hole
  : x * x != 15.0
"""
ON_ORDER = """operator Baz version 1 standard
types int = int8
input  X : tensor of T
output Y : tensor of T
[C1] constraint "a vector" : rank(X) = 1
let n = X.shape[0]
[C2] constraint "not empty" : n > 0
shape Y    = X.shape
value Y[i] = X[i]
version 2
replace value Y[i] = X[[n - 1]]
"""
ON_READING = """operator Q version 1 standard
types int = int8
input X[0 .. L] : tensor of T where 0 <= L < 9
input W[0 .. M] : tensor of T where 0 <= M < 9
output Y : tensor of T
reading N as L from "x" "y"
[C1] constraint "some" : N > 0
shape Y    = X0.shape
value Y[i] = X0[i]
version 2
replace [C1] constraint "some" : L > 0
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "says_the_same"),
    [
        # What `using` names is a hypothesis of each proof, and what that uses too.
        (ON_AXIOM, "x * x != 15.0\n\ntheorem", "x * x != -1.0\n\ntheorem", False),
        (ON_AXIOM, "using hole\n  : x * x != 15.0", "using hole\n  : x * x != 16.0", False),
        (ON_AXIOM, '"no such square"', '"there is none"', True),
        # Above [C1] nothing says that X has a size.
        (ON_ORDER, "[C1]", "let n = X.shape[0]\n[C1]", False),
        (ON_READING, "reading N as L", "reading N as M", False),
        (ON_READING, '"y"', '"z"', True),
    ],
)
def test_what_a_proof_rests_on_is_in_the_key(
    tmp_path: Path, text: str, old: str, new: str, says_the_same: bool
) -> None:
    def key(texts: dict[str, str]) -> str:
        for name, one in texts.items():
            path = tmp_path / "spec" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one, "utf-8")
        units = [unit for unit in Project.open(tmp_path).units if unit.namespace == "onnx"]
        assert not [unit.error for unit in units if unit.error is not None]
        return key_of(Project.open(tmp_path), units)

    texts = {"onnx/one.sonnx": text, "common/holes.sonnx": AXIOM}
    before = key(texts)
    assert before == key(texts)
    if text is ON_ORDER:
        text = text.replace("let n = X.shape[0]\n", "", 1)
    texts = {"onnx/one.sonnx": text, "common/holes.sonnx": AXIOM}
    changed = {name: one.replace(old, new, 1) for name, one in texts.items()}
    assert changed != texts
    assert (key(changed) == before) is says_the_same
