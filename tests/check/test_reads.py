"""A read that fails is told with the index and the shape, as they are in the counterexample."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXT = """operator Foo version 1 user
types int = int8
input X : tensor of T
input Z[0 .. L] : tensor of T where L >= 0
output Y : tensor of T
{before}shape Y = X.shape
value Y[i] = {value}
"""
READS = [
    ("X[[0]]", "", "index [0], shape ()"),
    ("if rank(X) = 1 then X[[i[0] + 1]] else X[i]", "", "index [1], shape (1)"),
    ("if rank(X) = 1 then X[[i[0] - 1]] else X[i]", "", "index [-1], shape (1)"),
    ("if rank(X) = 2 then X[[i[1], i[0]]] else X[i]", "", "index [1, 0], shape (1, 2)"),
    # Behind any index that is tried: solvers find the read, and no small input shows it.
    ("if rank(X) = 1 and X.shape[0] > 2 then X[[i[0] + 40]] else X[i]", "", ""),
    ("Z[L][i]", "", "index [], shape (0)"),
    ("if rank(X) = 1 then sum { X[[k]] | k in 0 .. X.shape[0] } else X[i]", "", "index [1], shape (1)"),
    (
        "if rank(X) = 1 then X[[i[0] + 1]] else X[i]",
        '[C1] constraint "two" : rank(X) = 1 => X.shape[0] = 2\n[E1] error "not two" : when C1 fails\n',
        "index [2], shape (2)",
    ),
]


@pytest.mark.parametrize(("value", "before", "read"), READS)
def test_what_is_read(tmp_path: Path, value: str, before: str, read: str) -> None:
    """Of the first read that fails; nothing where it is far from any small index."""
    (tmp_path / "foo.sonnx").write_text(TEXT.format(before=before, value=value), "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "foo.sonnx")])
    assert "violated: the read" in done.stdout
    mark = "  out-of-bounds read: "
    told = [line.removeprefix(mark) for line in done.stdout.splitlines() if line.startswith(mark)]
    assert told == [read][: bool(read)]
