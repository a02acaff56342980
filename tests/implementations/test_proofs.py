"""The specimens judged by the prover: all that are right are proved, all that are wrong are refuted.

For one type of each here, the first that it is meant for; for all of them in the soak.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.conformance.proofs.instances import Bound
from sonnx_verify.conformance.proofs.prover import Proof, Prover
from sonnx_verify.conformance.proofs.subject import Subject
from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.project import Project
from sonnx_verify.logic.float_sums import SUM_BY_ADDITIONS
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
RIGHT = sorted((HERE / "right").glob("*.py"))
WRONG = sorted((HERE / "wrong").glob("*.py"))
LONG = ("reducemin_by_windows", "reducesum_by_einsum")


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def project() -> Project:
    return here()


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    with Solvers() as made:
        yield made


def proof(path: Path, type_: str, project: Project, solvers: Solvers, bound: Bound | None = None) -> Proof:
    module = module_of(path)
    sort = ELEMENT_TYPES[type_]
    unit = find_operator(project, module.OPERATOR)
    meaning = project.meaning(unit, Context(family_of(sort), sort))
    return Prover(meaning, Subject(path.stem, module.run, module), solvers, bound or Bound()).run()


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=[pytest.mark.soak] * (p.stem in LONG)) for p in RIGHT], ids=lambda p: p.stem
)
def test_right(path: Path, project: Project, solvers: Solvers) -> None:
    """Equal for all element values at every shape, list and attribute within the bound."""
    found = proof(path, module_of(path).TYPES[0], project, solvers)

    assert (found.verdict.name, found.open) == ("proved", [])
    assert found.instances in (136, 560)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_wrong(path: Path, project: Project, solvers: Solvers) -> None:
    """Refuted, by an input on which the code was run."""
    found = proof(path, module_of(path).TYPES[0], project, solvers)

    assert found.verdict.name == "refuted"
    assert found.difference is not None
    assert found.difference.what


def test_the_counterexample_is_the_smallest(project: Project, solvers: Solvers) -> None:
    """Of NaN against a number: two inputs of rank 0, the number 0; of an empty fibre: a tensor of one axis."""
    lost = proof(HERE / "wrong" / "max_drops_nan.py", "float", project, solvers).difference
    nothing = proof(HERE / "wrong" / "reducemax_of_nothing_fails.py", "int8", project, solvers).difference
    assert lost is not None
    assert nothing is not None

    inputs: Any = lost.known["X"]
    data: Any = nothing.known["data"]
    assert [t.shape for t in inputs] == [(), ()]
    assert sorted(t.elements[0] for t in inputs) == [0, 0x7FC00000]
    assert data.shape == (0,)


@pytest.mark.parametrize("rank", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_sum_says_what_it_rests_on(rank: int, project: Project, solvers: Solvers) -> None:
    """Sums of floats are proved by the rule on trust, and say so; those of integers rest on nothing. A sum along one
    axis rests on it as well as one along two, which takes ten times as long and is in the soak."""
    pairs, bound = HERE / "right" / "reducesum_by_pairs.py", Bound(rank=rank)

    assert proof(pairs, "float", project, solvers, bound).rules == {SUM_BY_ADDITIONS}
    assert proof(pairs, "int32", project, solvers, bound).rules == set()


@pytest.mark.soak
@pytest.mark.parametrize("path", [*RIGHT, *WRONG], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_every_type(path: Path, project: Project, solvers: Solvers) -> None:
    """The same for every type that a specimen is meant for."""
    verdicts = {t: proof(path, t, project, solvers).verdict.name for t in module_of(path).TYPES}

    assert set(verdicts.values()) == {"proved" if path in RIGHT else "refuted"}, verdicts
