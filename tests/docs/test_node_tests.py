"""All of ONNX's node tests agree with the standards, and docs/node_tests.md is what tools/node_tests.py makes."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@cache
def generator() -> ModuleType:
    """tools/node_tests.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("table_of_node_tests", ROOT / "tools" / "node_tests.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_node_test_agrees_and_the_page_says_so() -> None:
    """290 of 290: where a standard decides an element it is the one that ONNX expects."""
    made = generator().page()

    assert "\n290 of 290 agree with the standard.\n" in made
    assert (ROOT / "docs" / "node_tests.md").read_text("utf-8") == made, "run `python tools/node_tests.py`"


def test_a_result_that_is_not_so_is_told() -> None:
    """The comparison sees one wrong element, a wrong shape, and a wrong type."""
    module = generator()
    test = next(t for t in module.tests() if t.name == "test_max_example")
    (standard,) = module.versions("onnx", test.operator)[test.opset]
    (right,) = test.expected
    wrong = [right + 1, right.reshape(-1, 1), right.astype("float64")]

    for expected in wrong:
        changed = module.NodeTest(test.name, test.operator, test.opset, test.inputs, test.attributes, [expected])
        assert module.says(standard, changed, test.attributes) == "not so"
