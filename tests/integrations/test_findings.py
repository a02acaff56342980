"""Every finding replays: each line of the ledgers of the runtimes that are installed shows what the ledger says."""

from __future__ import annotations

import importlib.util
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]


def test_every_line_shows_its_divergence() -> None:
    """Each in a process and a folder of its own, some seventy of them. Of a version without a ledger there are none."""
    spec = importlib.util.spec_from_file_location("tool_reproductions", ROOT / "tools" / "reproductions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    known = module.varying()
    every = [(identity, one) for identity, one in module.of_ledgers() if identity not in known]
    if not every:
        pytest.skip("no version of a runtime that has a ledger is installed")
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda row: module.not_shown(row[1]), every))
    found = {identity: said for (identity, _), said in zip(every, ends, strict=True)}

    assert {i: said for i, said in found.items() if said} == {}
