"""Pages that other people wrote: what looks like a mistake and is none; what is found on real ones, judged by hand.

The table of judgements has a row for each finding of rank error on the pages of the working group, which are not part
of this repository: `file,line,rule,fingerprint,judged,reason`. The fingerprint is of the message.
"""

from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

import pytest

from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import read_page

TABLE = Path(__file__).with_name("judged.csv")
COLUMNS = ("file", "line", "rule", "fingerprint", "judged", "reason")
HEAD = "# **Op** (float)\n\n## Signature\n\n$Y = \\text{Op}(X)$\n\n## Function\n\n"
INPUTS = HEAD.replace("## Function", "## Inputs")

NONE = {
    "a derivative": ("symbol-undefined", HEAD + "The slope is $d\\log(x)/dx = 1/x$."),
    "a derivative as a fraction": ("symbol-undefined", HEAD + "For $X > 0$: $\\dfrac{d|x|}{dx} = 1$."),
    "an integral": ("symbol-undefined", HEAD + "$Y[i] = \\int_0^1 \\exp(t) dt$ for all $i \\in [0, 9]$."),
    "a bound": ("symbol-undefined", HEAD + "Each element is bounded by $a$, and its error is bound by $ae$."),
    "a definition": ("symbol-undefined", HEAD + "The size of a tensor is defined by $N(tensor)$."),
    "a quantifier before": (
        "symbol-undefined",
        HEAD + "$\\forall i \\in [0, 9] \\quad C[i] = X[i]$, so $C > 0$.",
    ),
    "a label": ("symbol-undefined", HEAD + "The operation $\\text{Max}$ becomes $\\text{Max}_F$."),
    "an index in words": ("symbol-undefined", HEAD + "For every index (I) such that it fits: $X[I] > 0$."),
    "words of a formula": (
        "symbol-undefined",
        HEAD + "$X > 0 \\textit{ if } X \\le 2^n \\textit{ with integer } n \\ge 0$.",
    ),
    "a word that is text elsewhere": (
        "symbol-undefined",
        HEAD + "With $e_0 = 1$, $\\textit{err} = 2$ and $r$ a real: $err_{rel} = 3$.",
    ),
    "a size in braces": ("symbol-undefined", HEAD + "$d{X_0} = 3$."),
    "an anchor in a formula": (
        "symbol-undefined",
        HEAD + '```math\n<a id="f"></a> f = \\begin{cases} 0 & X = 1 \\end{cases}\n```\n\nThen $Y = f$.',
    ),
    "a style within a style": (
        "symbol-undefined",
        HEAD + "Let $\\textit{\\bf u} = X / 2$ and $\\textit{\\textbf{v}} = X / 4$. Then $Y = u + v$.",
    ),
    "operands": ("symbol-undefined", HEAD + "The division $c = a / b$ is rounded."),
    "another folder": ("link-unresolved", HEAD + "See [there](../nowhere/op.md) and [that](/top.md)."),
    "numbers that go on": (
        "anchor-differs",
        INPUTS
        + '### A\n\n- `[C1]` <a id="C1f"></a> first\n- `[C2]` <a id="C2f"></a> second\n\n'
        + '### B\n\n- `[C1]` <a id="C3f"></a> third\n- `[C2]` <a id="C4f"></a> fourth, see [C1](#C1f)\n',
    ),
    "types of a library": ("type-unknown", HEAD + "## Examples\n\n### Example 1 (float32)\n\nNone.\n"),
    "no operator": ("operator-unknown", "**Spread** functionality\n\n# **Spread** (float)\n"),
}
"""For each kind of what is no mistake: the rule that must not trip, and the page."""
SOME = {
    "a product": ("symbol-undefined", HEAD + "The product $x + y$ is $Y$.", "undefined symbol"),
    "a use": ("symbol-undefined", HEAD + "$Y[i] = d + x$.", "undefined symbol"),
    "an index of a maximum": ("symbol-undefined", HEAD + "$Y = \\max_{K \\in X} X[J]$.", "undefined symbol J"),
    "this folder": ("link-unresolved", HEAD + "See [there](nowhere.md).", "there is no file nowhere.md"),
    "another folder": ("link-unchecked", HEAD + "See [there](../nowhere/op.md).", "no folder for ../nowhere/op.md"),
    "the top": ("link-unchecked", HEAD + "See [that](/top/page.md).", "no folder for /top/page.md"),
    "an anchor of another tag": (
        "anchor-differs",
        INPUTS + '- `[C1]` <a id="C2f"></a> first\n- `[C2]` <a id="C1f"></a> second\n',
        "the anchor of C1 is `C2f`",
    ),
    "an anchor that is there twice": (
        "anchor-differs",
        INPUTS + '### A\n\n- `[C1]` <a id="C2f"></a> first\n\n### B\n\n- `[C1]` <a id="C2f"></a> second\n',
        "the anchor of C1 is `C2f`",
    ),
}
"""What is close to these and is a mistake: the rule, the page, and a part of the message."""


def _findings(text: str, folder: Path) -> list[Finding]:
    path = folder / "page.md"
    path.write_text(text, "utf-8")
    return findings_of(read_page(path))


@pytest.mark.parametrize("kind", NONE)
def test_no_mistake(kind: str, tmp_path: Path) -> None:
    rule, text = NONE[kind]

    assert [f.message for f in _findings(text, tmp_path) if f.rule == rule] == []


@pytest.mark.parametrize("kind", SOME)
def test_mistake(kind: str, tmp_path: Path) -> None:
    rule, text, said = SOME[kind]

    assert any(said in f.message for f in _findings(text, tmp_path) if f.rule == rule)


def test_the_pages_of_the_working_group(shared: Path) -> None:
    """Each error is in the table, judged by hand, and each row is found; none is false. Run with
    `SONNX_REWRITE_GOLDEN=1` to add what is new, with no judgement."""
    folder = shared / "pages" / "informal"
    if not folder.is_dir():
        pytest.skip(f"there is no {folder}")
    found: dict[tuple[str, ...], None] = {}
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        for one in findings_of(read_page(path, name)):
            if one.severity is Severity.ERROR:
                found[name, str(one.span.line), one.rule, _digest(one.message)] = None
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    judged = {tuple(row[column] for column in COLUMNS[:4]): (row["judged"], row["reason"]) for row in rows}
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        made = [(*one, *judged.get(one, ("", ""))) for one in found]
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *made])

    assert [*found] == [*judged]
    assert {verdict for verdict, _ in judged.values()} == {"true"}
    assert all(reason for _, reason in judged.values())


def _digest(message: str) -> str:
    return hashlib.sha256(message.encode()).hexdigest()[:8]
