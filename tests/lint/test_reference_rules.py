"""Each rule on reference pages trips where it has to, and not beside that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sonnx_verify.lint.finding import RULES, findings_of
from sonnx_verify.pages.read import page_from, read_page

SLIPS = Path(__file__).parents[1] / "pages" / "slips.rst"
GOLDEN = Path(__file__).with_name("slips_reference.txt")
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
    "reference-unread": SELU,
    "reference-empty": "Relu - 14\n---------\n\n**Outputs**\n",
    "reference-operator-unknown": "com.firm.Frob - 1\n-----------------\n\n**Outputs**\n",
    "reference-version-unknown": RELU.format(n=13),
    "reference-version-missing": RELU.format(n=13),
    "reference-version-twice": RELU.format(n=13) + RELU.format(n=14),
    "reference-version-order": RELU.format(n=14) + RELU.format(n=13) + RELU.format(n=6),
    "reference-version-differs": RELU.format(n=13) + "The opset is version 14.\n",
    "reference-deprecation-differs": RELU.format(n=13),
    "reference-types-differ": RELU.format(n=13),
    "reference-type-repeated": RELU.format(n=13),
    "reference-type-variable": RELU.format(n=13).replace("* **Y** - **T**", "* **Y** - **tensor(float)**"),
    "reference-parameters-differ": SELU,
    "reference-arity-differs": RELU.format(n=13).replace("**Outputs**", "**Outputs**\n\nBetween 1 and 1 outputs."),
    "reference-attributes-differ": SELU,
    "reference-default-differs": SELU,
    "reference-default-missing": SELU,
    "reference-default-claim": SELU,
    "reference-sentence-left-out": "".join(
        RELU.replace("Nothing below", below).format(n=n)
        for n, below in ((6, "Nothing below"), (13, "Nothing\nBelow"), (14, "Nothing below"))
    ),
    "reference-example-result-not-commented": SELU,
    "reference-example-test-twice": SELU,
    "reference-example-node": SELU,
}  # fmt: skip
"""For each rule a page on which it does not trip, though it nearly does."""


def test_the_page_with_slips() -> None:
    """Golden: every finding with its place. `SONNX_REWRITE_GOLDEN=1` writes it anew."""
    found = findings_of(page_from(SLIPS.name, SLIPS.read_bytes(), SLIPS))
    made = "".join(f"{f.span.line}:{f.span.column} {f.severity} {f.rule}: {f.message}\n" for f in found)
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        GOLDEN.write_text(made, "utf-8")

    assert made == GOLDEN.read_text("utf-8")


def reference_rules() -> set[str]:
    findings_of(page_from("page.md", b"a"))
    return {name for name, one in RULES.items() if one.pages == ("reference",)}


def test_every_rule_trips() -> None:
    """On the page with slips, or on one that describes nothing."""
    pages = [read_page(SLIPS), page_from("page.rst", b"no heading")]

    assert reference_rules() <= {f.rule for page in pages for f in findings_of(page)}


@pytest.mark.parametrize("rule", NEARLY)
def test_nearly(rule: str) -> None:
    page = page_from("page.rst", NEARLY[rule].encode())

    assert page.kind == "reference" and page.references
    assert [f.message for f in findings_of(page) if f.rule == rule] == []


def test_every_rule_has_a_page_on_which_it_nearly_trips() -> None:
    assert NEARLY.keys() == reference_rules()


def test_rules_of_the_profile_leave_reference_pages_alone() -> None:
    """No rule on families, tags or sections trips on any of them."""
    own = {name for name, one in RULES.items() if "reference" not in one.pages}
    for text in [SLIPS.read_text("utf-8"), *NEARLY.values()]:
        assert not own & {f.rule for f in findings_of(page_from("page.rst", text.encode()))}
