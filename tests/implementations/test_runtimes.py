"""Two runtimes, held against what the ledgers say of them."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
LEDGERS = ROOT / "proofs" / "divergences"


@pytest.mark.parametrize(
    ("target", "package", "operator", "types"),
    [
        ("onnx.reference", "onnx", "sonnx.ReduceMax-20", "int8"),
        ("onnxruntime", "onnxruntime", "sonnx.ReduceMax-20", "int8,uint32"),
    ],
)
def test_a_runtime_is_as_its_ledger_says(
    target: str, package: str, operator: str, types: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short run finds what the ledger has and nothing else; of a version without a ledger, that there is none."""
    monkeypatch.chdir(ROOT)
    words = ["conform", operator, "--against", target, "--types", types, "--short", "--frozen", "--format", "json"]
    done = CliRunner().invoke(main, words)
    made = json.loads(done.output)

    assert made["target_version"] == version(package)
    assert made["divergences"]
    if (LEDGERS / f"{target}-{version(package)}.json").exists():
        assert (made["changes"], done.exit_code) == ([], 0)
    else:
        assert "there is no ledger" in made["changes"][0]


@pytest.mark.parametrize("path", sorted(LEDGERS.glob("*.json")), ids=lambda path: path.stem)
def test_a_ledger_names_each_divergence_once(path: Path) -> None:
    """Identities begin with target and operator, and no ledger has a path of a machine."""
    text = path.read_text("utf-8")
    ledger = json.loads(text)
    found = [(operator, i) for operator, entry in ledger["operators"].items() for i in entry["divergences"]]

    assert all(i.startswith(f"{ledger['target']}/{operator}/") for operator, i in found)
    assert len({i for _, i in found}) == len(found)
    assert not any(foul in text for foul in ("/tmp/", "/home/", "/root/"))
