"""Wrong twins: the shipped specifications and the shipped core, each with one mutation, must be caught.

twins.toml holds mutations in specifications, with the obligation that each breaks and the smallest counterexample;
cores.toml holds mutations in the trusted core, with a statement under probes/ whose verdict each of them changes;
carried.toml slips in what carries questions and answers, none of which makes a verdict wrong.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sonnx_verify
from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.source_files import read_source
from tests.twins.slip import edit, edited, place_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = Path(sonnx_verify.__file__).parent
PROBES = HERE / "probes"
SPECIFICATIONS: list[dict[str, Any]] = tomllib.loads((HERE / "twins.toml").read_text("utf-8"))["twin"]
CORES: list[dict[str, Any]] = tomllib.loads((HERE / "cores.toml").read_text("utf-8"))["twin"]

CARRIED: list[dict[str, Any]] = tomllib.loads((HERE / "carried.toml").read_text("utf-8"))["slip"]


def named(twin: dict[str, Any]) -> str:
    """The name of a twin, for pytest."""
    return str(twin["name"])


# ------------------------------------------------------------------------------------------------------- specifications


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """One pair of solvers for all twins."""
    with Solvers() as made:
        yield made


def obligation_of(project: Project, identity: str) -> Obligation:
    """The obligation of that identity, from the only version of the only file that can have it."""
    namespace, _, rest = identity.partition(".")
    stem = rest.partition("/")[0].partition(".")[0].partition("-")[0]
    units = [u for u in project.units if (u.namespace, u.path.stem.lower()) == (namespace, stem.lower())]
    for unit in units:
        if unit.error is not None:
            raise unit.error
    (unit,) = (u for u in units if identity.startswith((f"{u.operator}.", f"{u.operator}/")))
    found = [o for o in of_unit(project, unit) if o.id == identity]
    assert len(found) == 1, f"{len(found)} obligations are called {identity}"
    return found[0]


@pytest.fixture
def decided(solvers: Solvers) -> Callable[[dict[str, Any]], Record]:
    """Decides the killer of a twin in the project with the twin's mutation."""

    def decide(twin: dict[str, Any]) -> Record:
        source = read_source(ROOT / twin["file"], twin["file"])
        first, last = place_of(source.text, twin)
        mutation = Mutation(source, first, source.text[first:last], twin["new"])
        (record,) = run([obligation_of(Project.open(ROOT, mutation.instead(ROOT)), twin["killer"])], solvers)
        return record

    return decide


def parameters(twins: list[dict[str, Any]]) -> list[Any]:
    """The twins: nightly alone those that are `long` to catch, and all but the first of one file that break obligations
    of one kind."""
    met: Counter[tuple[str, str]] = Counter()
    made = []
    for twin in twins:
        kind = (twin["file"], twin["killer"].rpartition("/")[2])
        met[kind] += not twin.get("long", False)
        rare = met[kind] <= 1 and not twin.get("long", False)
        made.append(pytest.param(twin, marks=[] if rare else pytest.mark.soak, id=named(twin)))
    return made


@pytest.mark.parametrize("twin", parameters(SPECIFICATIONS))
def test_slip_in_a_specification_is_caught(twin: dict[str, Any], decided: Callable[[dict[str, Any]], Record]) -> None:
    """A specification with a mutation fails the obligation that speaks of it, with the smallest counterexample."""
    record = decided(twin)
    shown = record.counterexample

    assert (twin["verdict"], twin.get("counterexample")) == (
        record.verdict.name,
        None if shown is None else example_lines(example_of(shown)),
    ), record.verdict.reason
    assert shown is None or shown.found.minimal is twin.get("minimal", True)


def test_names_of_twins_differ() -> None:
    """A name stands for one twin."""
    for twins in (SPECIFICATIONS, CORES):
        assert len({named(t) for t in twins}) == len(twins)


# ----------------------------------------------------------------------------------------------------------------- core


def verdicts(package: Path, what: str, without: str, folder: Path, tables_in: Callable[[Path], Path]) -> dict[str, str]:
    """The verdicts of a run of the package on the probes, by identity. The solver `without` is hidden from the run.

    The run has its own copy of the probes and its own home, so that nothing an earlier run kept can answer for it: all
    that it is given is how to parse, which is the same for all cores.
    """
    probes, site = folder / "probes", folder / "site"
    shutil.copytree(PROBES, probes)
    site.mkdir()
    if without:
        (site / "sitecustomize.py").write_text(f"import sys\nsys.modules[{without!r}] = None\n", "utf-8")
    home = {"HOME": str(folder), "SONNX_VERIFY_CACHE": str(tables_in(folder / "cache"))}
    # As a pattern: for a name without a version the whole library is read, and no run has the trees of another core.
    what = what.replace("user.", "use?.", 1)
    ran = subprocess.run(
        [sys.executable, "-m", "sonnx_verify", "check", what, "--format", "json"],
        cwd=probes,
        env={**os.environ, **home, "PYTHONPATH": os.pathsep.join((str(package), str(site)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode in (0, 1, 3), ran.stderr or ran.stdout
    return {o["id"]: o["verdict"] for o in json.loads(ran.stdout)["obligations"]}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory, tables_in: Callable[[Path], Path]) -> Callable[[str, str], str]:
    """The verdict of the shipped core on a probe. Where no solver is hidden, all probes are decided in one run."""

    @cache
    def run_of(what: str, without: str) -> dict[str, str]:
        return verdicts(PACKAGE.parent, what, without, tmp_path_factory.mktemp("shipped"), tables_in)

    return lambda probe, without: run_of(probe if without else ".", without)[probe]


def copy_for(root: Path, twin: dict[str, Any]) -> None:
    """The package below `root`: folders on the way to what is edited are copied, with what Python compiled, which is
    found to be old of that one text; all others are links."""
    *folders, _ = Path(twin["file"]).parts
    for depth in range(1, len(folders) + 1):
        source, copy = (base.joinpath(*folders[:depth]) for base in (PACKAGE.parent, root))
        copy.mkdir()
        for entry in source.iterdir():
            if entry.is_file():
                shutil.copy2(entry, copy)
            elif entry.name == "__pycache__":
                shutil.copytree(entry, copy / entry.name)
            elif folders[depth : depth + 1] != [entry.name]:
                (copy / entry.name).symlink_to(entry)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("twin", CORES, ids=named)
def test_mutation_in_the_core_is_caught(
    twin: dict[str, Any], tmp_path: Path, shipped: Callable[[str, str], str], tables_in: Callable[[Path], Path]
) -> None:
    """A core with a mutation comes to another verdict than the shipped one, on a probe made for that rule."""
    probe, without = twin["probe"], twin.get("without", "")
    copy_for(tmp_path, twin)
    edit(tmp_path, twin)

    assert twin["shipped"] == shipped(probe, without)
    assert twin["verdict"] == verdicts(tmp_path, probe, without, tmp_path, tables_in)[probe]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("slip", CARRIED, ids=named)
def test_a_slip_on_the_way_makes_no_verdict_wrong(
    slip: dict[str, Any], tmp_path: Path, shipped: Callable[[str, str], str], tables_in: Callable[[Path], Path]
) -> None:
    """An answer that is another solver's, or to another text, counts as none: a verdict is the shipped one, or not
    known."""
    copy_for(tmp_path, slip)
    edit(tmp_path, slip)
    found = verdicts(tmp_path, "user.folds/*", "", tmp_path, tables_in)

    assert len(found) > 5
    for identity, verdict in found.items():
        assert verdict in (shipped(identity, ""), VerdictName.UNKNOWN, VerdictName.CANDIDATE), identity


def test_every_file_on_the_way_is_listed() -> None:
    """docs/trusted.toml lists the files that have slips, and those that only start and stop processes."""
    listed = tomllib.loads((ROOT / "docs" / "trusted.toml").read_text("utf-8"))["carried"]["files"]
    with_slips = {slip["file"].removeprefix("sonnx_verify/") for slip in CARRIED}

    assert with_slips <= set(listed)
    assert set(listed) - with_slips == {"processes/child.py", "processes/limits.py"}


@pytest.mark.parametrize("table", sorted(HERE.glob("*.toml")), ids=lambda path: path.stem)
def test_every_mutation_can_be_made(table: Path) -> None:
    """The words that a mutation changes occur exactly once in its function or item. Most mutations are tried by `make
    soak` alone; that the code has moved away from one shows here."""
    (mutations,) = tomllib.loads(table.read_text("utf-8")).values()
    for mutation in mutations:
        text = (ROOT / mutation["file"]).read_text("utf-8")
        assert edited(text, mutation) != text, mutation["name"]


def test_every_probe_guards_a_rule() -> None:
    """No statement under probes/ is there for nothing: it is a probe, or one uses it."""
    theorems = {word for path in PROBES.glob("*.sonnx") for word in _theorems(path.read_text("utf-8"))}
    for path in PROBES.glob("*.sonnx"):
        theorems -= set(re.findall(r"using (\w+)", path.read_text("utf-8")))

    assert theorems == {t["probe"].split("/")[-2] for t in CORES if t["probe"].endswith("/theorem")}


def _theorems(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines() if line.startswith("theorem ")]
