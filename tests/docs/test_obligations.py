"""docs/obligations.md: a section for each kind that shows a finding of it, a true table, and corrections that work.

That the commands print what the page shows is tested with those of the other pages.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.results.sentences import KINDS
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "obligations.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sonnx\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TEXTS = {re.search(r"^(?:operator|theory) (\w+)", block, re.MULTILINE)[1]: block for block in BLOCKS}  # type: ignore[index]  # each names one
FIXES = {
    "Last": [("X[N]", "X[L]"), ('reading N as L from "line 12" "nothing introduces N; the last input is XL"\n', "")],
    "Min": [
        ("types float = float16 float double", "types float = bfloat16 float16 float double"),
        ("[U_ONE] unspecified value min[i] for float when n = 0 and is_nan(Z[0][i])\n", ""),
    ],
    "Identity": [("the language lacks complex elements", "the language lacks complex128, complex64 and string")],
    "Spread": [("rank(X) = 1", "rank(X) = 1 and X.shape[0] > 0")],
    "ArgGreatest": [("the {", "min {")],
    "Above": [("when A.shape = B.shape and (exists i in A : A[i] >= B[i])", "when C2 fails")],
    "Abs": [("[C1]", '[R1] restriction "no element is the lowest" : for all i in X : X[i] > T.lowest\n[C1]')],
    "Twice": [("Y = int8 (2) [2, 127]", "Y = int8 (2) [2, -2]")],
    "Exp": [],
    "growth": [("exp(x) <= 1.0 + 2.0 * x", "1.0 + x <= exp(x)")],
    "Rows": [
        ('[R2] restriction "X has an axis"            : rank(X) >= 1\n', ""),
        ('[R3] restriction "every size is at least 0" : for all k in axes(X) : X.shape[k] >= 0\n', ""),
    ],
    "Larger": [
        ("then X[0][i] else X[1][i]", "then X[1][i] else X[0][i]"),
        ('[C1] constraint  "two inputs of one shape"', '[R4] restriction "two inputs of one shape"'),
        ('[E1] error       "not two inputs, or two shapes"     : when C1 fails\n', ""),
        (": X[0] is dense", ": for all m in 0 .. L : X[m] is dense"),
    ],
}
"""What the page says of its texts: what goes, and what stands there then."""
EVERYTHING = """use general_restrictions
operator Max version 13 STATUS
  refines onnx Max version 13 with X = data_0, Y = max
types int = int8
input X[0 .. L] : tensor of T where 0 <= L < 2^31 - 1
output Y : tensor of T
[R1] restriction from GR1 "no sparse tensors" : for all m in 0 .. L : X[m] is dense
[C1] constraint "one input" : L = 0
[C2] constraint "the size of the input" : Y.shape = X[0].shape
[E1] error "several inputs" : when C1 fails
shape Y = X[0].shape
value Y[i] = the { X[m][i] | m in 0 .. L }
unspecified value Y[i] when X[0][i] = T(0)
example one "one input"
  X0 = int8 (1) [3]
  Y  = int8 (1) [3]
theorem law "a law" : 1 = 1
"""
"""Something to ask every kind of."""


def test_every_kind_has_its_section() -> None:
    """In the order in which they are told of elsewhere, each with a finding of that kind."""
    _, *parts = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))

    assert [*sections] == [*KINDS]
    for kind, section in sections.items():
        asked = r"prove .*" if kind == "theorem" else rf"explain --counterexample user\.\S+/{kind}"
        assert re.search(rf"^\$ sonnx-verify {asked}\n(refuted|violated) ", section, re.MULTILINE), kind


@pytest.mark.parametrize("status", ["profile", "user", "draft", "standard"])
def test_the_table_says_which_text_is_asked_what(status: str, tmp_path: Path) -> None:
    head, _, *rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*", PAGE, re.M)]
    asked = [kinds for kinds, *cells in rows if cells[head.index(status) - 1] == "yes"]
    said = set(re.findall(r"`([\w-]+)`", " ".join(asked)))
    (tmp_path / "max.sonnx").write_text(EVERYTHING.replace("STATUS", status), "utf-8")

    assert {o.kind for o in collect(Project.open(tmp_path))} == said


@pytest.mark.parametrize("name", TEXTS)
def test_a_fixed_text_has_no_finding(name: str, tmp_path: Path) -> None:
    text = TEXTS[name]
    assert layout(Source(f"{name}.sonnx", text)) == text
    for old, new in FIXES[name]:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / f"{name}.sonnx").write_text(text, "utf-8")
    with contextlib.chdir(tmp_path):
        done = CliRunner().invoke(main, ["check"], catch_exceptions=False)

    assert done.exit_code == 0, done.stdout
    assert done.stdout.endswith("no surprises\n"), done.stdout


def test_what_fixes_a_text_is_on_the_page() -> None:
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    fixes = [new.removesuffix("\n[C1]").removeprefix(": ") for pairs in FIXES.values() for _, new in pairs if new]

    assert [m for m in fixes if f"`{m}`" not in prose and m != "min {"] == []
