"""All of ONNX's node tests agree with the standards, and their page says so."""

from __future__ import annotations

import re

from tools import node_tests


def test_every_node_test_agrees_and_the_page_says_so() -> None:
    """Where a standard decides an element it is the one that ONNX expects; each test that is run has a row."""
    (page,) = node_tests.pages().values()
    run = sum(map(node_tests.is_in_the_model, node_tests.tests()))

    assert run
    assert f"\n{run} of {run} agree with the standard.\n" in page
    assert len(re.findall(r"^\| `test_", page, re.MULTILINE)) == run


def test_a_result_that_is_not_so_is_told() -> None:
    """The comparison sees one wrong element, a wrong shape, and a wrong type."""
    test = next(t for t in node_tests.tests() if t.name == "test_max_example")
    (standard,) = node_tests.versions("onnx", test.operator)[test.opset]
    (right,) = test.expected
    wrong = [right + 1, right.reshape(-1, 1), right.astype("float64")]

    for expected in wrong:
        changed = node_tests.NodeTest(test.name, test.operator, test.opset, test.inputs, test.attributes, [expected])
        assert node_tests.says(standard, changed, test.attributes) == "not so"
