"""Each rule trips where it has to, and not beside that; our own pages have no finding."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.pages.lint.finding import Finding
from sonnx_verify.pages.lint.rules import RULES, findings_of
from sonnx_verify.pages.reading.read import page_from, read_page

ROOT = Path(__file__).parents[2]
DEVIATIONS = sorted((ROOT / "tests" / "pages" / "deviations").glob("*.md"))
PAGES = ROOT / "tests" / "pages"
SLIPS = ("slips.md", "formulas.md", "signatures.md", "wording.md", "slips.rst")
HEAD = '# Contents\n\n- [int8](#int)\n\n<a id="int"></a>\n# **Op** (int, int)\n\n'
TABLE = HEAD + "## Restrictions\n\n| tag | statement | origin |\n|---|---|---|\n"
EXAMPLE = "# **Max** (int, int)\n\n## Signature\n\n$Y = \\text{Max}(X_0, \\ldots, X_L)$\n\n## Examples\n\n"
DIVIDED = "# **Div** (float, float)\n\n## Signature\n\n$C = \\text{Div}(A, B)$\n\n## Examples\n\n"
RELU = """Relu - {n}
---------

**Version**

This version is there **since version {n}**.

**Summary**

Nothing below zero. The default of numpy is 7.

**Inputs**

* **X** - **T**:

**Outputs**

* **Y** - **T**:

**Type Constraints**

* **T** in (tensor(float), tensor(double), tensor(float16), tensor(bfloat16)):

"""
SELU = """Selu - 6
--------

**Attributes**

* **alpha**:
  Some factor; numpy's default is 1 in another unit, and by default 2-D. Default value is ``1.67326``.
* **gamma**:
  Default value is ``1.0507``.

**Inputs**

* **X** - **T**:

**Outputs**

* **Y** - **T**:

**Type Constraints**

* **T** in (tensor(float), tensor(double), tensor(float16)):

**Examples**

**one**

::

    node = onnx.helper.make_node("Selu", inputs=["x"], outputs=["y"], alpha=2.0)
    x = np.array([1], dtype=np.float32)
    # print(x)
    # [1.]
    expect(node, inputs=[x], outputs=[y], name="test_one")
    expect(node, inputs=[x], outputs=[y], name="test_two")
"""
NEARLY = {
    "clause-missing": TABLE + "| R9 | a | b |\n",
    "tag-missing": HEAD,
    "tag-of-another-kind": TABLE + "| R1 | a | b |\n",
    "tag-duplicate": TABLE + "| C1 | a | b |\n\n## Inputs\n\n- [C1] of the inputs\n\n## Outputs\n\n- [C1] so\n",
    "tag-malformed": HEAD + "- [E_OP_INT_CONSTR_X_0010] right\n",
    "tag-of-another-operator": HEAD + "- [E_OP_INT_CONSTR_X_0010] right\n",
    "anchor-differs": TABLE + '| R1 <a id="int-R1"></a> | a | b |\n',
    "anchor-duplicate": TABLE + '| R1 <a id="R1"></a> | a | b |\n| R2 <a id="r1"></a> | a | b |\n',
    "link-differs": TABLE + '| R1 <a id="int-R1"></a> | a | [R1](#int-R1) [C1 of X](#int-R1) [`[R2]`](#op-int-int) |\n',
    "tag-unclosed": HEAD + "<b>[E_OP_INT_FUNC_0010]</b>\n\nso\n\n<b>[END]</b>\n\n<b>[T1]</b> so\n",
    "tag-brackets": TABLE + "| [R1] | a | b |\n| R2 | a | b |\n",
    "table-pipe": TABLE + "| R1 | a | b |  \n\n| a | b\n|---|---\n| c | d |\n",
    "anchor-missing": TABLE + "| R1 | a | b |\n| R2 | a | b |\n",
    "origin-missing": TABLE + "| R1 | a | GR1 |\n",
    "origin-transient": TABLE + "| R1 | a | transient behaviour of ONNX |\n",
    "tag-in-another-section": HEAD + "## Inputs\n\n- [C1] a constraint\n",
    "restriction-cites-another": TABLE + "| R1 | Types are given | GR2 |\n",
    "tags-elided": TABLE + "| R1 | from X0 to ... | b |\n",
    "link-unchecked": "[a page](page.md), [another](folder/page.md#there) and [an address](https://example.org/page.md)\n",
    "link-unresolved": HEAD + "[there](#int) [here](#op-int-int) [far](https://onnx.ai/#no)\n",
    "link-moves": HEAD + "[a](https://github.com/onnx/onnx/blob/main/docs/Broadcasting.md)\n",
    "link-empty": HEAD + "[a](#int)\n",
    "section-missing": HEAD + "".join(
        f"## {s}\n\nnone\n\n"
        for s in (
            "Signature", "Restrictions", "Function", "Examples", "Error conditions", "Attributes", "Inputs", "Outputs",
        )
    ),
    "section-order": HEAD + "## Signature\n\na\n\n## Function\n\nb\n",
    "section-old-name": HEAD + "## Function\n\nthe informal specification\n",
    "section-empty": HEAD + "## Function\n\n### Shape\n\nb\n",
    "family-missing": HEAD,
    "contents-disagree": HEAD,
    "type-unknown": HEAD + "float32 is numpy's name\n",
    "type-twice": HEAD,
    "author-note": HEAD + "The maximum est. le grand, says nobody. TODOS are none. A la carte.\n",
    "spelling": HEAD + "broadcasting is elementwise\n",
    "inputs-differ": HEAD + "$X_0, \\ldots, X_L$ and $Z_1, ..., Z_N$ and `X0`, ..., `XL`\n",
    "stated-twice": HEAD + "- [C1] Bounds are not crossed\n- [E1] `C1` fails: bounds crossed\n",
    "definition-empty": HEAD + "- `N`: how many\n",
    "zeros": HEAD + "0+ > 0- > -1, and 10 > 0 > -10\n",
    "question-open": HEAD + "The questions that an open set raises. An open questionnaire.\n",
    "quotation-differs": HEAD + "```\n<!-- render: none.sonnx Y.value -->\n```\n",
    "undecided": HEAD + "Scalars and empty tensors are tensors.\n",
    "symbol-undefined": HEAD + "Let $n$ be the rank of a tensor $X$, $dX_k$ a size for $k \\in [0, n - 1]$.\n",
    "symbol-unused": HEAD + "## Signature\n\n$Y = \\text{Op}(X)$\n\n- $X$ is read\n- $Y$ is written\n\n$Y[i] = X[i]$\n",
    "bound-unused": HEAD + "For all $m$: $\\max_{m \\in [0, L]} Zm[i]$, $\\forall n \\in A$ $I_n = 1$ or $I_n = 2$\n"
    "\n$a^n = \\prod_{k \\in [1, n]} a$\n",
    "bound-twice": HEAD + "$\\sum_{j \\in A} a_j + \\sum_{j \\in B} a_j = \\max_{j \\in A} b_j$\n",
    "index-bounds": HEAD + "$X_0, \\ldots, X_L$ and $\\max_{m \\in [0, L]} X_m$, and $X_{k + 1}$ for $k \\in [1, L]$\n",
    "index-from-one": HEAD + "$n \\in [1, 3]$ inputs, $k \\in \\{0, \\ldots, n\\}$\n",
    "index-ends-differ": HEAD + "$k \\in [0, n - 1]$ and $m \\in [0, L]$ and $p \\in [1, n]$\n",
    "interval-outward": HEAD + "$k \\in [0, n]$ and $Y[i, j] = X[i, j]$ and $a[i, j][k]$\n",
    "dots-without-comma": HEAD + "$\\{1, \\ldots, N\\}$\n",
    "formula-broken": HEAD + "$\\left\\{ \\frac{a}{b} \\right.$ and $\\begin{cases} 1 \\end{cases}$\n",
    "operator-unknown": "# **Clip** (int)\n",
    "operator-other-name": "# **Clip** (int)\n\n## Signature\n\n$Y = \\textbf{Clip}(X)$\n",
    "version-missing": "Based on ONNX version 13.\n\n# **Clip** (int)\n",
    "version-unknown": "Based on ONNX version 6.\n\n# **Clip** (int)\n",
    "version-between": "Based on ONNX version 13.\n\n# **Clip** (int)\n",
    "arity-differs": "# **Clip** (int)\n\n## Signature\n\n$Y = \\text{Clip}(X, [L])$\n",
    "type-not-of-operator": "# Contents\n\n- int8, float\n\nBased on ONNX version 13\n\n# **Clip** (int)\n",
    "types-left-out": "# Contents\n\n- float16, float\n\nBased on ONNX version 11\n\n# **Clip** (float)\n\nno double\n",
    "attribute-unknown": "# **Conv** (int)\n\n## Attributes\n\n### strides: list of int\n\n#### Constraints\n",
    "attribute-missing": "# **Softmax** (int)\n\n## Attributes\n\n### axis: int\n\n#### Constraints\n",
    "attribute-kind-differs": "# **Conv** (int)\n\n## Attributes\n\n### group: integer\n\n### pads: list of ints\n",
    "example-shape": EXAMPLE + "**One**, int8, shapes $(3)$, result $(3)$:\n\n$$X_0 = [1, 2, 3]$$\n",
    "example-differs": EXAMPLE + "$X_0 = [1, 2, 3]$ and $X_1 = [2]$ give $Y = [2, 2, 3]$.\n",
    "formula-differs": HEAD + "## Inputs\n\n- `[C1]` $1 \\in [0, 1]$\n",
    "claim-false": HEAD + "[[C1]](#x) does not ensure that $1 = 2$.\n",
    "example-unread": EXAMPLE + "If $X_0 = x$ then $Y = x$.\n",
    "example-guessed": DIVIDED + "If $A = [3]$ and $B = [2]$ then $C = [1.5]$.\n",
    "default-differs": "# **Conv** (int)\n\n## Attributes\n\n### group: int\n\nThe default value is 1.\n",
    "order-in-another-family": HEAD + "No integer is NaN. Infinity is none either, and 1 < 2.\n",
    "list-open": HEAD + "All types, that is int8 and int16. Small numbers, such as 1.\n",
    "meaning-elsewhere": HEAD + "The definition of the maximum: the mathematical one, by order.\n",
    "index-of-which": HEAD + "For any index $i$ of $Y$, every index $j$ in $A$ and all indices $k \\in B$.\n",
    "indices-elided": HEAD + "$y_{i, j, \\ldots, l}$ and $x_0, \\ldots$ and $y_{i, j}, \\ldots$\n",
    "restriction-as-constraint": TABLE + "| R1 | Inputs are not broadcast: they have one shape | GR1 |\n",
    "restriction-hidden": HEAD + "## Inputs\n\nLists are not supported (R1).\n\n- [C1] It is limited to 3\n",
    "condition-on-output": HEAD + "## Signature\n\n$Y = \\text{Op}(X)$\n\n## Outputs\n\n- [C1] `Y` broadcasts\n",
    "heading-skips": "# A\n\n## B\n\n### C\n\n# D\n\na\n",
    "version-link": "[Clip version 13](https://onnx.ai/onnx/operators/onnx__Clip.html#clip-13)\n\n# **Clip** (int)\n",
    "origin-of-another": TABLE + "| R1 | as in numpy | GR1 |\n",
    "reference-unread": SELU,
    "reference-empty": "Relu - 14\n---------\n\n**Outputs**\n",
    "reference-operator-unknown": "com.firm.Frob - 1\n-----------------\n\n**Outputs**\n",
    "reference-version-unknown": RELU.format(n=13),
    "reference-version-missing": RELU.format(n=13),
    "version-differs": RELU.format(n=13) + "The opset is version 14.\n",
    "types-differ": RELU.format(n=13),
    "parameters-differ": SELU,
    "attributes-differ": SELU,
    "reference-default-differs": SELU,
    "default-missing": SELU,
    "sentence-left-out": "".join(
        RELU.replace("Nothing below", below).format(n=n)
        for n, below in ((6, "Nothing below"), (13, "Nothing\nBelow"), (14, "Nothing below"))
    ),
    "example-result-not-commented": SELU,
    "example-test-twice": SELU,
    "example-node": SELU,
}  # fmt: skip  # a table
"""For each rule a page on which it does not trip, though it nearly does."""


def findings(name: str) -> list[Finding]:
    path = PAGES / name
    return findings_of(page_from(path.name, path.read_bytes(), path))


@pytest.mark.parametrize("name", SLIPS)
def test_a_page_with_slips(name: str) -> None:
    """Golden: every finding with its place. `SONNX_REWRITE_GOLDEN=1` writes it anew."""
    golden = Path(__file__).with_name(f"{name.replace('slips.rst', 'slips_reference.md')[:-3]}.txt")
    made = "".join(f"{f.span.line}:{f.span.column} {f.severity} {f.rule}: {f.message}\n" for f in findings(name))
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        golden.write_text(made, "utf-8")

    assert made == golden.read_text("utf-8")


ELSEWHERE = {
    "family-missing": "no heading",
    "question-open": "- **Open question** (NaN): what comes out?\n",
    "operator-unknown": "# **Clamp** (int)\n",
    "version-missing": "# **Clip** (int)\n",
    "example-guessed": DIVIDED + "If $A = [2]$ and $B = [3]$ then $C = [0.67]$.\n",
    "version-unknown": "Based on ONNX version 5\n\n# **Max** (int)\n".replace("Max", "GridSample"),
}
"""Rules that trip on pages of their own, beside those of the formal text."""


BESIDE = {
    "clause-missing": ('| `[R7]` <a id="int-R7"></a> | ...', "R7 has no clause in the formal text"),
    "tag-missing": ("# **Max** (int, int)", "[R2] of the formal text is not on the page"),
    "tag-of-another-kind": ('| `[R2]` <a id="int-R2"></a> | ...', "R2 is a constraint in the formal text"),
    "example-shape": ("**One**, int8, shapes $(3)$: $X_0 = [1, 2]$", "X0 has 2 elements, and the shape (3)"),
    "example-differs": ("If $X_0 = [1]$ and $X_1 = [2]$ then $Y = [3]$.", "the example is wrong: Y is int8 (1) [2]"),
    "example-unread": ("$X_0 = [1]$, $X_2 = [2]$: $Y = [2]$.", "the example is not evaluated: missing input `X1`"),
    "formula-differs": (
        "- `[C2]` $-r \\leq L_m < r - 1$ for all $m \\in [0, n - 1]$",
        "the page states C2 differently from the formal text: data = int8 (0) []; axes = int64 (1) [0]; ...",
    ),
    "link-unchecked": (
        "See [the other page](../nowhere/op.md).",
        "there is no folder for ../nowhere/op.md, so nothing checks the link",
    ),
    "claim-false": (
        "[[C1]](#int-C1) ensures that $\\text{axes}$ is given.",
        "the claim about C1 does not follow: data = int8 () 0; ...; axes = not given",
    ),
    "quotation-differs": ("<!-- render: max.sonnx Y.value -->", "the quotation is not what the formal text renders to"),
}
"""For the rules that other tests let trip, what they trip on, and what is said."""


def test_every_rule_trips() -> None:
    """On a page with slips, on those that deviate, on one of its own, or as other tests have it."""
    found = {f.rule for name in SLIPS for f in findings(name)}
    found |= {f.rule for f in findings_of(page_from("a.rst", b"no heading"))}
    found |= {f.rule for path in DEVIATIONS for f in findings_of(read_page(path))}
    for rule, text in ELSEWHERE.items():
        assert rule in {f.rule for f in findings_of(page_from("a", text.encode()))}, rule

    # Those of the formal text: below, in test_examples.py and in tests/render/test_quotes.py.
    assert found | ELSEWHERE.keys() | BESIDE.keys() == RULES.keys()


def test_a_page_and_its_formal_text(tmp_path: Path) -> None:
    """A tag that has no clause, a clause that has no tag, and one that is of another kind, in the family alone that has
    the slip."""
    for suffix in (".md", ".sonnx"):
        text = (ROOT / "spec" / "sonnx" / "max" / f"max{suffix}").read_text("utf-8")
        if suffix == ".md":
            text = text.replace('| `[R2]` <a id="int-R2"></a> |', '| `[R7]` <a id="int-R7"></a> |')
        (tmp_path / f"max{suffix}").write_text(text, "utf-8")
    found = [(f.rule, f.span.line, f.message.split(":")[0]) for f in findings_of(read_page(tmp_path / "max.md"))]

    assert [f for f in found if "link" not in f[0]] == [
        ("tag-missing", 20, "[R2] of the formal text is not on the page"),
        ("clause-missing", 44, "R7 has no clause in the formal text"),
    ]
    formal = tmp_path / "max.sonnx"
    formal.write_text(formal.read_text("utf-8").replace("[R2] restriction", "[R2] constraint"), "utf-8")
    assert "R2 is a constraint in the formal text" in [f.message for f in findings_of(read_page(tmp_path / "max.md"))]


@pytest.mark.parametrize("rule", NEARLY)
def test_nearly(rule: str) -> None:
    text = NEARLY[rule]
    name = "page.rst" if "\n---" in text and "|---" not in text else "page.md"

    assert [f.message for f in findings_of(page_from(name, text.encode())) if f.rule == rule] == []


def test_every_rule_has_a_page_on_which_it_nearly_trips() -> None:
    findings_of(page_from("page.md", b"a"))

    assert NEARLY.keys() == RULES.keys()


def test_our_own_pages_have_no_finding() -> None:
    done = CliRunner().invoke(main, ["page", "lint", str(ROOT / "spec" / "sonnx"), "--format", "json"])

    assert (done.exit_code, json.loads(done.stdout)) == (0, {"findings": []})


def test_the_older_pages_of_the_profile(shared: Path) -> None:
    """What is wrong with the two drafts, at its lines."""
    for name, expected in {
        "001_*": {
            ("link-unresolved", 4), ("section-missing", 13), ("anchor-differs", 30), ("restriction-cites-another", 30),
            ("zeros", 57), ("stated-twice", 62), ("inputs-differ", 62), ("author-note", 54), ("author-note", 67),
            ("tag-in-another-section", 62), ("spelling", 38), ("spelling", 48),
        },
        "003_*": {
            ("definition-empty", 10), ("origin-transient", 21), ("tags-elided", 45), ("tag-malformed", 41),
            ("undecided", 4), ("section-missing", 4), ("spelling", 35),
        },
    }.items():  # fmt: skip  # a table
        (path,) = (shared / "seeds").glob(name)
        assert expected <= {(f.rule, f.span.line) for f in findings_of(read_page(path))}, name


@pytest.mark.parametrize(("text", "status"), [("# **Op** (int)\n", 1), ("", 1)])
def test_exit_status(text: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(text, "utf-8")

    assert CliRunner().invoke(main, ["page", "lint", str(tmp_path)]).exit_code == status


def test_mistakes_of_a_user(tmp_path: Path) -> None:
    for name, words in {"none.md": "is not a file", ".": "has no page"}.items():
        done = CliRunner().invoke(main, ["page", "lint", str(tmp_path / name)])
        assert done.exit_code == 2
        assert words in done.output


def test_the_page_on_rules_lists_them() -> None:
    """docs/lint.md has a row for each rule, with its docstring."""
    page = ROOT / "docs" / "lint.md"
    findings_of(page_from("page.md", b"a"))
    rows = "".join(f"| `{r.name}` | {r.severity} | {r.about} |\n" for r in sorted(RULES.values(), key=lambda r: r.name))
    made = f"| rule | severity | trips where |\n|---|---|---|\n{rows}"
    pattern = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- end -->)", re.DOTALL)
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        page.write_text(pattern.sub(lambda _: made, page.read_text("utf-8")), "utf-8")

    assert pattern.findall(page.read_text("utf-8")) == [made]


def documented() -> str:
    """docs/lint-rules.md: each rule with what it trips on, and with what it nearly trips on."""
    trips: dict[str, tuple[str, str]] = dict(BESIDE)
    pages = [page_from(n, (PAGES / n).read_bytes(), PAGES / n) for n in SLIPS] + [read_page(p) for p in DEVIATIONS]
    pages += [page_from("page.md", text.encode()) for text in ELSEWHERE.values()] + [page_from("a.rst", b"no heading")]
    for finding in (f for page in pages for f in findings_of(page)):
        trips.setdefault(finding.rule, (finding.span.source.line(finding.span.line).strip(), finding.message))
    made = ["# Rules of lint, one by one", ""]
    made += ["Each with a line on which it trips and what is said there, then with a page on which it nearly does."]
    made += ["[lint.md](lint.md) says how pages are read. Where dots stand, a page begins with what each has.", ""]
    for rule in sorted(RULES.values(), key=lambda r: r.name):
        line, said = trips[rule.name]
        nearly = NEARLY[rule.name].removeprefix(TABLE).removeprefix(HEAD).removeprefix(EXAMPLE).strip("\n")
        dots = "...\n" if nearly != NEARLY[rule.name].strip("\n") else ""
        made += [f"## {rule.name}", "", f"{rule.severity.capitalize()}. {rule.about}", "", "Trips:", ""]
        made += ["````text", line[:160], "````", "", f"> {said.replace('<', '&lt;')}", "", "Does not:", ""]
        made += ["````text", f"{dots}{nearly}".strip("\n"), "````", ""]
    return "\n".join(made).rstrip("\n") + "\n"


def test_the_page_of_rules_shows_what_trips() -> None:
    """`SONNX_REWRITE_GOLDEN=1` writes it anew."""
    page = ROOT / "docs" / "lint-rules.md"
    made = documented()
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        page.write_text(made, "utf-8")

    assert page.read_text("utf-8") == made
