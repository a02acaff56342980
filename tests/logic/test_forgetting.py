"""Terms that nobody has are let go, and those that someone has stay the only ones of their parts."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.logic.builders import and_, le
from sonnx_verify.logic.nodes import forget, number_of_terms
from sonnx_verify.logic.polynomials import add, scale
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, Term, integer
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

MANY = 400


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that are seen: those that other tests left do nothing."""
    seen: list[threading.Thread] = [threading.main_thread()]
    monkeypatch.setattr(threading, "enumerate", lambda: seen)
    return seen


def sum_of(k: int) -> Term:
    """A term of its own for each k."""
    x, y = Symbol("forgotten x", (), INT)(), Symbol("forgotten y", (), INT)()
    return add(scale(k + 1000, x), scale(k + 2000, y), integer(k))


def test_what_nobody_has_is_gone() -> None:
    """And with it what it was made of, and what functions remembered of it."""
    forget()
    before = number_of_terms()
    for k in range(MANY):
        sum_of(k)
    assert number_of_terms() > before + MANY
    forget()

    assert number_of_terms() < before + MANY / 10


def test_what_someone_has_stays_the_only_one() -> None:
    """As a term, as a part of one, and in any container."""
    held = [sum_of(k) for k in range(MANY)]
    inside = and_(le(sum_of(MANY), sum_of(MANY + 1)), le(sum_of(MANY + 2), sum_of(MANY + 3)))
    keys = {sum_of(MANY + 4): ()}
    forget()

    assert all(sum_of(k) is held[k] for k in range(MANY))
    assert and_(le(sum_of(MANY), sum_of(MANY + 1)), le(sum_of(MANY + 2), sum_of(MANY + 3))) is inside
    assert sum_of(MANY + 4) in keys


def test_nothing_is_forgotten_beside_another_thread(threads: list[threading.Thread]) -> None:
    """It could be about to use a term that was seen to be nobody's."""
    forget()
    before = number_of_terms()
    for k in range(MANY):
        sum_of(k)
    made = number_of_terms()
    threads.append(threading.Thread(name="another"))
    forget()
    assert number_of_terms() == made
    # A lane of a solver hands texts on, and makes no terms.
    threads[1] = threading.Thread(name="solver z3")
    forget()

    assert number_of_terms() < before + MANY / 10


def test_no_table_keeps_terms() -> None:
    """What a module remembers of terms is forgotten with them, whatever was decided before."""
    project = Project.open(Path(__file__).parents[2])
    unit = project.find("sonnx", "Clip")
    assert unit is not None
    with Solvers() as solvers:
        list(run(of_unit(project, unit)[:12], solvers))
    forget()

    tables = {
        f"{name}.{table}": len(kept)
        for name, module in sys.modules.items()
        if name.startswith("sonnx_verify.")
        for table, kept in vars(module).items()
        if isinstance(kept, dict) and table != "_interned" and any(map(has_terms, kept))
    }
    assert tables == {}


def has_terms(key: object) -> bool:
    """Return whether the key of a table is a term, or has one."""
    return isinstance(key, Term) or (isinstance(key, tuple) and any(isinstance(part, Term) for part in key))
