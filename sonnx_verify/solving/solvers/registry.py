"""The solvers we know, by name. Another one is a module with the same interface and a line here."""

from __future__ import annotations

from importlib import util
from typing import Protocol

from sonnx_verify.results.answer import Answer
from sonnx_verify.solving.solvers import bitwuzla_solver, cvc5_solver, z3_solver


class Adapter(Protocol):
    """The interface of a solver's module."""

    NAME: str
    MODULE: str

    def version(self) -> str: ...

    def load(self) -> None: ...

    def ask(self, text: str, budget: int, want: tuple[str, ...] = (), least: tuple[str, ...] = ()) -> Answer: ...


ADAPTERS: dict[str, Adapter] = {
    z3_solver.NAME: z3_solver,
    cvc5_solver.NAME: cvc5_solver,
    bitwuzla_solver.NAME: bitwuzla_solver,
}


def ask(name: str, text: str, budget: int, want: tuple[str, ...] = (), least: tuple[str, ...] = ()) -> Answer:
    """The answer of a solver to a text, with the hash of that text: whatever carries it to whoever asked cannot make it
    the answer to another."""
    return ADAPTERS[name].ask(text, budget, want, least).to(text)


def installed(name: str) -> bool:
    """Return whether solver `name` is known and can be found by the import system; imports nothing."""
    adapter = ADAPTERS.get(name)
    return adapter is not None and util.find_spec(adapter.MODULE) is not None


def version(name: str) -> str | None:
    """The version of solver `name`, None when it is unknown or not installed."""
    if not installed(name):
        return None
    return ADAPTERS[name].version()
