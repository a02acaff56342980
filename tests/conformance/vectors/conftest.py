"""ONNX's own runner of tests, for vectors that are written to a folder."""

from __future__ import annotations

import io
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx.backend.test.runner as stock
import pytest
from onnx.backend.test.loader import load_model_tests

Ran = Callable[[Any, Path, str], tuple[int, list[str]]]


class Run(stock.Runner):
    """ONNX's runner, of the tests of one folder in place of ONNX's own."""

    def __init__(self, backend: Any, folder: Path, kind: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stock, "load_model_tests", lambda kind: [])
            super().__init__(backend, __name__)
        for case in load_model_tests(str(folder), kind):
            self._add_model_test(case, "Vectors")


def ran(backend: Any, folder: Path, kind: str) -> tuple[int, list[str]]:
    """How many tests ran on the CPU, and those that failed, with the end of what was said."""
    suite = Run(backend, folder, kind).test_suite
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    failed = [f"{test.id()}: {said.splitlines()[-1]}" for test, said in (*result.errors, *result.failures)]
    return result.testsRun - len(result.skipped), failed


@pytest.fixture(scope="session")
def in_onnx() -> Ran:
    """Run the tests of a kind, in a folder, on a backend: how many ran, and what failed."""
    return ran
