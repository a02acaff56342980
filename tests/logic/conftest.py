"""What the tests of the logic share: the solvers and the generator of formulas."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.solvers import Query, Solvers

# Far more than the small queries of these tests cost, and little enough for a query that goes astray.
BUDGET = 3_000_000

Ask = Callable[..., dict[str, str]]
UNSAT = {"z3": "unsat", "cvc5": "unsat"}


def _load(stem: str) -> ModuleType:
    name = f"logic_{stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{stem}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def generate() -> ModuleType:
    """The generator of random formulas."""
    return _load("generate")


@pytest.fixture(scope="session")
def generate_folds(generate: ModuleType) -> ModuleType:
    """The generator of random formulas with all folds, recursion and conversions."""
    return _load("generate_folds")


@pytest.fixture(scope="session")
def solvers() -> Iterator[Solvers]:
    """Both solvers, for the whole run."""
    with Solvers(budget=BUDGET) as pool:
        yield pool


@pytest.fixture(scope="session")
def submit(solvers: Solvers) -> Callable[[Sequence[Term]], Query]:
    """Ask both solvers whether ground formulas can be true together; does not wait."""
    return lambda ground: solvers.submit(script(ground))


@pytest.fixture(scope="session")
def ask(submit: Callable[[Sequence[Term]], Query]) -> Ask:
    """The status that each solver gives to closed formulas, expanded at an effort; none where that is too large."""

    def answers(*formulas: Term, effort: Effort = LADDER[-1], taken: Sequence[Taken] = ()) -> dict[str, str]:
        try:
            query = submit(Expansion(effort, taken).run(list(formulas)))
        except TooLarge:
            return {}
        return {name: answer.status for name, answer in query.result().items()}

    return answers


class Laws:
    """A law is given as formulas that cannot be true together."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    def steps(self, *formulas: Term) -> list[bool]:
        """For each step of the ladder, whether both solvers say unsat."""
        return [self.ask(*formulas, effort=effort) == UNSAT for effort in LADDER]

    def anywhere(self, *formulas: Term) -> bool:
        """Whether both solvers say unsat at some step. Those after it are not asked."""
        return any(self.ask(*formulas, effort=effort) == UNSAT for effort in LADDER)

    def proves(self, generation: int, *formulas: Term, equality: bool = False) -> None:
        """The law is proved at the generation, with or without the rules of equality, and by nothing less."""
        least = Effort(generation, LADDER[-1].equality if equality else 0)
        found = self.steps(*formulas)
        less = [e for e in LADDER if e.generation < generation or (equality and not e.equality and not e.folds)]

        assert self.ask(*formulas, effort=least) == UNSAT
        assert [e for e, proved in zip(LADDER, found, strict=True) if proved and e in less] == []
        assert found[-1]

    def never(self, *formulas: Term) -> None:
        """No solver says unsat, at any step."""
        given = [self.ask(*formulas, effort=effort) for effort in LADDER]

        assert [a for a in given if "unsat" in a.values()] == []


@pytest.fixture(scope="session")
def laws(ask: Ask) -> Laws:
    """What is proved, from where on, and what never is."""
    return Laws(ask)
