"""What several tests of `check` use."""

from __future__ import annotations

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
