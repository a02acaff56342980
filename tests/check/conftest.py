"""Fixtures that several tests of `check` use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

TEXT = """operator Foo version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def foo(tmp_path: Path) -> Path:
    """A text without a mistake, alone in its folder."""
    path = tmp_path / "foo.sonnx"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture(scope="session")
def anew(tmp_path_factory: pytest.TempPathFactory, tables_in: Callable[[Path], Path]) -> Callable[[], dict[str, str]]:
    """An environment in which nothing is known but how to parse, another one each time: runs that are compared have to
    be runs."""

    def made() -> dict[str, str]:
        cache = tables_in(tmp_path_factory.mktemp("anew") / "cache")
        return {**os.environ, "PYTHONIOENCODING": "utf-8", "SONNX_VERIFY_CACHE": str(cache)}

    return made
