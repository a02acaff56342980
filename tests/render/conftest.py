"""Folders with a page and a formal text."""

from __future__ import annotations

from pathlib import Path

import pytest

SPEC = """\
operator Twice version 1 user

types int   = int8 int16
types float = float16 float

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a vector"  : rank(X) = 1
[E1] error      "X is no vector" : when C1 fails

shape Y              = X.shape
value Y[i] for int   = X[i] + X[i]
value Y[i] for float = if is_nan(X[i]) then any NaN else X[i] + X[i]
"""
PAGE = """\
# Twice

<!-- render: twice.sonnx Y.shape -->
<!-- /render -->

and

<!-- render: twice.sonnx Y.value int -->
what somebody wrote
<!-- /render -->

The end.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with both in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.sonnx").write_text(SPEC, "utf-8")
    (tmp_path / "twice.md").write_text(PAGE, "utf-8")
    return tmp_path
