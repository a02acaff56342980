"""`make test-changed`: which test files a change selects, on the files of the project."""

from __future__ import annotations

import pytest

from sonnx_verify.cli import COMMANDS
from tools import changed_tests
from tools.changed_tests import modules, nearest, selected


@pytest.mark.parametrize(
    ("changed", "those", "not_those"),
    [
        # Imported by the test itself; over others; run as a process by a fixture; by the name of a command.
        ("sonnx_verify/logic/floats.py", "tests/logic/test_floats.py", "tests/solvers/test_answer.py"),
        ("sonnx_verify/logic/floats.py", "tests/shapes/test_twins.py", "tests/processes/test_pool.py"),
        ("sonnx_verify/lsp/hover.py", "tests/lsp/test_ends.py", "tests/logic/test_floats.py"),
        ("sonnx_verify/cli/fmt.py", "tests/golden/test_golden.py", "tests/logic/test_floats.py"),
        ("sonnx_verify/pytest_plugin.py", "tests/outputs/test_pytest_plugin.py", "tests/golden/test_golden.py"),
        # A helper of a folder, and a tool that is loaded from its file.
        ("tests/kernels/right.py", "tests/kernels/test_kernels.py", "tests/golden/test_golden.py"),
        ("tools/accuracy.py", "tests/docs/test_accuracy.py", "tests/golden/test_golden.py"),
        ("tests/soak.py", "tests/packaging/test_soak.py", "tests/golden/test_golden.py"),
        # What is in an operator's folder: the test names it; reads all texts; runs in the root; runs a tool; names a
        # text that speaks of it; reads all theorems, some of which do.
        ("spec/sonnx/pow/pow.sonnx", "tests/language/test_arithmetic.py", "tests/language/test_topk.py"),
        ("spec/onnx/pow/verdicts.json", "tests/spec/test_standards_bite.py", "tests/solvers/test_answer.py"),
        ("spec/onnx/pow/runs/onnxruntime.json", "tests/report/test_schema.py", "tests/solvers/test_answer.py"),
        ("spec/onnx/pow/verdicts.json", "tests/integrations/test_site.py", "tests/solvers/test_answer.py"),
        ("spec/onnx/add/add.sonnx", "tests/check/test_uses.py", "tests/solvers/test_answer.py"),
        ("spec/sonnx/or/or.md", "tests/language/test_known_of_both.py", "tests/logic/test_floats.py"),
        # It opens the project of the root: itself, and by its conftest.py.
        ("spec/sonnx/sign/sign.sonnx", "tests/language/test_values_are_data.py", "tests/solvers/test_answer.py"),
        ("spec/sonnx/sign/sign.sonnx", "tests/shapes/test_parts.py", "tests/solvers/test_answer.py"),
        # Documents and other files.
        ("docs/backend.md", "tests/api/test_backend.py", "tests/logic/test_floats.py"),
        ("editors/vscode/package.json", "tests/packaging/test_wheel.py", "tests/logic/test_floats.py"),
        ("Makefile", "tests/integrations/test_targets.py", "tests/logic/test_floats.py"),
    ],
)
def test_a_change_selects(changed: str, those: str, not_those: str) -> None:
    chosen, every = selected([changed])

    assert those in chosen
    assert not_those not in chosen
    assert every == []


@pytest.mark.parametrize(
    "changed",
    [
        "pyproject.toml",
        "sonnx_verify/language/grammar.lark",
        "spec/sonnx/max.sonnx",
        "spec/sonnx/gone/gone.sonnx",
        "spec/onnx/cast/versions.toml",
        "spec/common/axes.sonnx",
        "spec/onnx/signatures.json",
        "tests/golden/check_max.txt",
        "tests/conftest.py",
        "tests/lsp/conftest.py",
    ],
)
def test_what_can_touch_all_selects_all(changed: str) -> None:
    assert selected(["tools/accuracy.py", changed]) == (changed_tests.test_files(), [changed])


def test_each_module_has_a_test_that_imports_it() -> None:
    """Otherwise a name is not read as it is meant. The golden files run every command."""
    for name in modules():
        if name.startswith("sonnx_verify"):
            assert nearest([name]), name
    for entry in COMMANDS.values():
        assert "tests/golden/test_golden.py" in nearest([entry.place.partition(":")[0]])


def test_the_nearest_test_comes_first() -> None:
    """Those that import a module themselves, then those that import what imports it."""
    steps = list(nearest(["sonnx_verify.logic.floats"]).values())

    assert steps[0] == 1
    assert steps == sorted(steps)
    assert steps[-1] > 2
