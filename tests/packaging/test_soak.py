"""The committed result of `make soak` is one of every part that there is, each well; the nightly run has them all."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

from tools import nightly

TESTS = Path(__file__).parents[1]


def soak() -> ModuleType:
    """The module, which is a script."""
    spec = importlib.util.spec_from_file_location("soak_of_the_project", TESTS / "soak.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_part_has_a_result() -> None:
    module = soak()
    result = json.loads((TESTS / "soak.json").read_text("utf-8"))

    assert list(result) == list(module.PARTS)
    assert [name for name, of in result.items() if not module.is_good(of)] == []


@pytest.mark.parametrize(
    "part",
    [
        {"exit": 1},
        {"exit": -9, "as the ledger has it": 9, "otherwise": 1},
        {"exit": 0, "as the ledger has it": 9, "otherwise": 1},
        {"exit": 0, "as the ledger has it": 0, "otherwise": 0},
        {"exit": 0, "passed": 3, "failed": 1},
        {"exit": 0, "passed": 0, "failed": 0},
    ],
)
def test_a_part_that_did_not_pass(part: dict[str, int]) -> None:
    """Also one that a signal ended, or in which nothing was looked at."""
    assert not soak().is_good(part)


def test_each_name_has_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in as many runs as there are shares."""
    module = soak()
    monkeypatch.setattr(module, "RESULT", tmp_path / "soak.json")
    names = [f"file {n}" for n in range(200)]
    seen: list[str] = []
    for _ in range(module.SHARES["mutants"]):
        turn = module.turn_of("mutants")
        share = module.shared("mutants", turn, names)
        module.RESULT.write_text(json.dumps({"mutants": {"share": turn}}), "utf-8")
        assert share
        seen += share

    assert sorted(seen) == sorted(names)


def test_a_share_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came of it, in a file of its own, with a cache that nothing else has; the result stays as it is."""
    module = soak()
    caches: list[list[Path]] = []

    def run(turn: int) -> dict[str, object]:
        caches.append(list(Path(os.environ["SONNX_VERIFY_CACHE"]).iterdir()))
        return {"exit": 0, "passed": turn, "failed": 0}

    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(TESTS))
    monkeypatch.setitem(module.PARTS, "long twins", run)
    monkeypatch.setattr(module, "RESULT", tmp_path / "soak.json")

    assert [module.recorded("long twins", share, tmp_path) for share in (0, 1)] == [1, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["long-twins-0.json", "long-twins-1.json"]
    record = json.loads((tmp_path / "long-twins-1.json").read_text("utf-8"))
    assert {"part": "long twins", "share": 1, "of": 4, "good": True, "passed": 1}.items() <= record.items()
    assert caches == [[], []]


def test_the_page_of_nightly_runs(tmp_path: Path) -> None:
    """It has every share, and says of one that fails when it last passed."""
    folder, new = tmp_path / "records", tmp_path / "new"
    new.mkdir()

    def page(day: str, share: int, good: bool, of: int = 4) -> str:
        record = {"part": "long twins", "share": share, "of": of, "day": day, "commit": "c0ffee", "seconds": 3661}
        (new / f"long-twins-{share}.json").write_text(json.dumps({**record, "good": good}), "utf-8")
        return nightly.page(folder, new)

    shares = len(nightly.jobs())
    assert f"{shares} shares, {shares} of which" in page("2026-01-01", 0, good=False)
    assert "| long twins | 0 of 4 | 2026-01-02 | yes | 2026-01-02 c0ffee | 61, over an hour |" in page(
        "2026-01-02", 0, True
    )
    made = page("2026-01-03", 0, good=False)
    assert "| long twins | 0 of 4 | 2026-01-03 | no | 2026-01-02 c0ffee | 61, over an hour |" in made
    assert made.count("| never | no | never |") == shares - 1
    assert "| long twins | 1 of 4 | 2026-01-04 | yes |" in page("2026-01-04", 1, good=True)
    # A share of another division of the part is another one.
    assert "| long twins | 1 of 4 | never | no | never | |" in page("2026-01-05", 1, good=False, of=8)
    assert "| long twins | 1 of 4 | 2026-01-06 | no | never |" in page("2026-01-06", 1, good=False)


def test_the_nightly_workflow_runs_every_share() -> None:
    """It takes the list of shares from the soak."""
    workflow = (TESTS.parent / ".github" / "workflows" / "nightly.yml").read_text("utf-8")
    made = nightly.jobs()

    assert len(made) == sum(soak().SHARES.values())
    assert {str(job["part"]) for job in made} == set(soak().PARTS)
    for command in (
        "python3 tools/nightly.py jobs",
        'python tests/soak.py "${{ matrix.part }}" --share ${{ matrix.share }} --record build/soak',
        "python3 tools/nightly.py page build/nightly build/soak",
    ):
        assert command in workflow
