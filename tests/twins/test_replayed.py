"""The list `replayed` of docs/trusted.toml: whatever the search for input does wrong, no verdict is wrong.

replayed.toml holds slips in those files. With each, all that is under searched/ is decided once more: a verdict is then
the one that the shipped search leads to, or that nothing is known. An input may be missed, and another one be shown.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.api.select import select
from sonnx_verify.logic.verdict import EARNED, VerdictName
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.inputs import found as replayed
from sonnx_verify.solving.inputs.inputs import fits
from sonnx_verify.solving.inputs.models import NoModel
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.solving.solvers import Solvers
from tests.twins.slip import edited

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SLIPS: list[dict[str, str]] = tomllib.loads((HERE / "replayed.toml").read_text("utf-8"))["slip"]
LISTED = tomllib.loads((ROOT / "docs" / "trusted.toml").read_text("utf-8"))["replayed"]["files"]
INPUTS = "sonnx_verify.solving.inputs"
IN_ORDER = (
    "sonnx_verify.logic.model_reader",
    *(f"{INPUTS}.{stem}" for stem in ("candidates", "values", "rows", "filling", "search", "unrolled", "models")),
)
"""The modules of the search, each behind those that it imports."""


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """One pair of solvers for all slips: they are asked the same."""
    with Solvers() as made:
        yield made


@pytest.fixture(scope="module")
def decided(solvers: Solvers) -> Callable[[], dict[str, Record]]:
    """Decides all that is under searched/ with the search as it is then."""

    def decide() -> dict[str, Record]:
        selection = select([str(HERE / "searched")])
        assert not selection.errors
        return {record.id: record for record in run(selection.obligations, solvers)}

    return decide


@pytest.fixture(scope="module")
def shipped(decided: Callable[[], dict[str, Record]]) -> dict[str, Record]:
    """The records with the shipped search."""
    return decided()


def with_slip(slip: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The modules of the search made anew, one of them with the slip; the last of them."""
    for name in IN_ORDER:
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        text = path.read_text("utf-8")
        if ROOT / slip["file"] == path:
            text = edited(text, slip)
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, str(path), "exec"), vars(module))
    return module


def test_every_file_of_the_list_has_slips() -> None:
    """The list has these files, and there are slips in each of them."""
    assert {slip["file"].removeprefix("sonnx_verify/") for slip in SLIPS} == set(LISTED)
    assert {f"sonnx_verify.{name.removesuffix('.py').replace('/', '.')}" for name in LISTED} == set(IN_ORDER)


def test_every_verdict_is_there_to_be_missed(shipped: dict[str, Record]) -> None:
    """The texts have all verdicts that rest on an input, or on there being none, and none that is not known."""
    verdicts = {record.verdict.name for record in shipped.values()}

    assert verdicts == EARNED


@pytest.mark.thinned(3)
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: str(slip["name"]))
def test_a_slip_makes_no_verdict_wrong(
    slip: dict[str, str],
    shipped: dict[str, Record],
    decided: Callable[[], dict[str, Record]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is found with the slip is an input of the right types, and no verdict is another one than before."""
    models: Any = with_slip(slip, monkeypatch)
    values = sys.modules[f"{INPUTS}.values"]
    for name in ("Search", "model_of", "names_large_numbers", "NoModel"):
        monkeypatch.setattr(replayed, name, getattr(models, name))
    monkeypatch.setattr(replayed, "candidates", sys.modules[f"{INPUTS}.candidates"].candidates)
    for name in ("alphabet", "constants_of"):
        monkeypatch.setattr(replayed, name, getattr(values, name))
    records = decided()

    assert records.keys() == shipped.keys()
    for identity, record in records.items():
        allowed = {shipped[identity].verdict.name, VerdictName.UNKNOWN, VerdictName.CANDIDATE}
        assert record.verdict.name in allowed, f"{identity} is {record.verdict.name}: {record.verdict.reason}"
        for shown in (record.witness, record.counterexample):
            assert shown is None or fits(shown.variables, shown.found.assignment), identity


def test_slips_are_made(
    shipped: dict[str, Record], decided: Callable[[], dict[str, Record]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that finds nothing at all is one that is asked: without it little is known."""
    monkeypatch.setattr(Search, "first", lambda _: None)
    monkeypatch.setattr(replayed, "model_of", lambda *_, briefly: NoModel())
    lost = [identity for identity, record in decided().items() if record.verdict.name not in EARNED]

    assert len(lost) > len(shipped) // 2
