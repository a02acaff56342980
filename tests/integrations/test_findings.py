"""Findings replay: each line of the ledgers of the runtimes that are installed shows what the ledger says."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reproductions() -> ModuleType:
    """tools/reproductions.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("tool_reproductions", ROOT / "tools" / "reproductions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


Line = tuple[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def lines(reproductions: ModuleType) -> list[Line]:
    """All lines. Of a version without a ledger there are none."""
    every = list(reproductions.of_ledgers())
    if not every:
        pytest.skip("no version of a runtime that has a ledger is installed")
    return every


def not_shown(reproductions: ModuleType, lines: Sequence[Line]) -> dict[str, str]:
    """What the lines that do not show their divergence print. Each runs in a process and a folder of its own."""
    with ThreadPoolExecutor(2) as pool:
        ends = pool.map(lambda row: reproductions.not_shown(row[1]), lines)
        return {identity: said for (identity, _), said in zip(lines, ends, strict=True) if said}


def test_every_line_shows_its_divergence(reproductions: ModuleType, lines: list[Line]) -> None:
    assert not_shown(reproductions, lines) == {}


def test_a_line_of_each_kind_shows_its_divergence(reproductions: ModuleType, lines: list[Line]) -> None:
    """One of each target and each kind of divergence."""
    of_kinds = {(identity.partition("/")[0], one["kind"]): (identity, one) for identity, one in lines}

    assert len(of_kinds) > 5
    assert not_shown(reproductions, list(of_kinds.values())) == {}
