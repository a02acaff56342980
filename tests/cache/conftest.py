"""A small project, and a cache of its own for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

LAWS = """\
library amounts "Of numbers"

define twice(n : int) : int = n + n
"""
FEW = """\
theory few "Of integers"
use amounts

types int = int8 int16

theorem more "one more is not less"
  for n, m : int assuming n < m
  : n + 1 <= m

theorem even "twice is above"
  for n : int assuming n > 0
  : twice(n) > n
"""
OTHER = """\
theory other "Of integers"

theorem large "no integer is large"
  for k : int
  : k <= 2
"""


LIMITS = """library limits "Of limits"

define is_enough(n : int) : bool = n > 0
"""
STANDARD = """operator Foo version {version} standard
use limits

types int = int8

input  X : tensor of T
output Y : tensor of T

{clause}
shape Y = X.shape
value Y[i] = X[i]
"""
CLAUSE = '[C1] constraint "X has axes" : is_enough(rank(X))\n[E1] error "X has none" : when C1 fails\n'


@pytest.fixture
def cache(tmp_path: Path, tables_in: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache that knows nothing but how to parse."""
    folder = tables_in(tmp_path / "cache")
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(folder))
    return folder


@pytest.fixture
def no_cache(cache: Path) -> Path:
    """The folder of a cache that is not there."""
    shutil.rmtree(cache)
    return cache


@pytest.fixture
def project(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a library, a theory that uses it, and another one, where the commands run."""
    folder = tmp_path / "project"
    (folder / "proofs").mkdir(parents=True)
    for name, text in (("amounts", LAWS), ("few", FEW), ("other", OTHER)):
        (folder / "proofs" / f"{name}.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def versions(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two versions of an operator, the first of which uses a library."""
    folder = tmp_path / "project"
    (folder / "spec" / "onnx").mkdir(parents=True)
    (folder / "spec" / "common").mkdir()
    (folder / "spec" / "common" / "limits.sonnx").write_text(LIMITS, "utf-8")
    for version, clause in ((1, CLAUSE), (2, "")):
        text = STANDARD.format(version=version, clause=clause)
        (folder / "spec" / "onnx" / f"foo_{version}.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run() -> Callable[..., Result]:
    """A command with its arguments, in this process."""
    return lambda *arguments: CliRunner().invoke(main, arguments, catch_exceptions=False)
