"""Lists of docs/trusted.toml whose files may be wrong, one at a time: whatever one of them does, no verdict is wrong.

doubted.toml holds slips in those files. With each, all that is under doubted/ is decided once more: a verdict is then
the shipped one, or nothing is known. Where one solver is wrong, the other may contradict it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.logic.verdict import EARNED, VerdictName
from tests.twins.slip import edit
from tests.twins.test_twins import PACKAGE, ROOT, copy_for

HERE = Path(__file__).resolve().parent
SLIPS: list[dict[str, Any]] = tomllib.loads((HERE / "doubted.toml").read_text("utf-8"))["slip"]
MANIFEST: dict[str, Any] = tomllib.loads((ROOT / "docs" / "trusted.toml").read_text("utf-8"))
LISTS = ("voices", "proposed", "limits")
KIND_OF: dict[str, str] = {name: kind for kind in LISTS for name in MANIFEST[kind]["files"]}
HINTS = Path("proofs") / "hints.txt"
NOT_KNOWN = (VerdictName.UNKNOWN, VerdictName.CANDIDATE)

Decide = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def decide(tables_in: Callable[[Path], Path]) -> Decide:
    """Decides all that is under doubted/, in a copy of it, with the package below a folder."""

    def decided(package: Path, folder: Path, *arguments: str, hints: str = "") -> dict[str, Any]:
        texts = folder / "doubted"
        shutil.copytree(HERE / "doubted", texts)
        (texts / HINTS).write_text(hints, "utf-8")
        home = {"HOME": str(folder), "SONNX_VERIFY_CACHE": str(tables_in(folder / "cache"))}
        ran = subprocess.run(
            [sys.executable, "-m", "sonnx_verify", "check", "--format", "json", *arguments],
            cwd=texts,
            env={**os.environ, **home, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode in (0, 1, 3), ran.stderr or ran.stdout
        return {o["id"]: o for o in json.loads(ran.stdout)["obligations"]}

    return decided


@pytest.fixture(scope="module")
def shipped(decide: Decide, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What the shipped code says, and the hints that it writes."""
    folder = tmp_path_factory.mktemp("shipped")
    said = decide(PACKAGE.parent, folder, "--update-hints")
    return said, (folder / "doubted" / HINTS).read_text("utf-8")


@pytest.fixture(scope="module")
def along(decide: Decide, shipped: tuple[dict[str, Any], str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the shipped code says along these hints."""
    return decide(PACKAGE.parent, tmp_path_factory.mktemp("along"), hints=shipped[1])


def test_every_file_of_the_lists_has_slips() -> None:
    """And each slip is in a file of one of the lists."""
    assert {slip["file"].removeprefix("sonnx_verify/") for slip in SLIPS} == set(KIND_OF)
    assert len({slip["name"] for slip in SLIPS}) == len(SLIPS)


def test_every_verdict_is_there_to_be_missed(shipped: tuple[dict[str, Any], str], along: Any) -> None:
    """The texts have verdicts of each kind that a slip could make of a false statement, or lose of a true one."""
    said, hints = shipped
    verdicts = {one["verdict"] for one in said.values()}

    assert verdicts == {*EARNED - {VerdictName.VIOLATED}, VerdictName.CANDIDATE}
    assert len(hints.splitlines()) > 10
    assert sum(one["hinted"] for one in along.values()) > 5


@pytest.mark.thinned(3)
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: str(slip["name"]))
def test_a_slip_makes_no_verdict_wrong(
    slip: dict[str, Any], shipped: tuple[dict[str, Any], str], along: Any, decide: Decide, tmp_path: Path
) -> None:
    """A verdict is the shipped one, or not known, or that the solvers contradict each other; and the slip is one that
    shows somewhere."""
    before, arguments, hints = along, [], shipped[1]
    if slip.get("without_hints", False):
        before, arguments, hints = shipped[0], ["--no-hints"], ""
    copy_for(tmp_path, slip)
    (tmp_path / "spec").symlink_to(ROOT / "spec")
    edit(tmp_path, slip)
    if "beside" in slip:
        edit(tmp_path, {"file": slip["file"], **slip["beside"]})
    found = decide(tmp_path, tmp_path, *arguments, hints=hints)
    allowed = list(NOT_KNOWN)
    if KIND_OF[slip["file"].removeprefix("sonnx_verify/")] == "voices":
        allowed.append(VerdictName.INCONSISTENT)

    assert found.keys() == before.keys()
    for identity, one in found.items():
        assert one["verdict"] in (before[identity]["verdict"], *allowed), f"{identity}: {one['reason']}"
    assert found != before or slip.get("unseen", False), "a slip that changes nothing tests nothing"
