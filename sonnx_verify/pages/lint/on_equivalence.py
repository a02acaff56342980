"""Rules on what a page states by formulas: as it is read it is what the formal text says, and what it claims is so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.beside import formal_path
from sonnx_verify.pages.lint.finding import Found, Severity, rule_on
from sonnx_verify.pages.lint.replays import Replays, replays_of_file
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.sources import Span

if TYPE_CHECKING:
    from sonnx_verify.kernel.variables import Variable
    from sonnx_verify.logic.terms import Term
    from sonnx_verify.obligations.obligation import Statement
    from sonnx_verify.solving.inputs.inputs import Found as Example


@dataclass(frozen=True, slots=True)
class Refuted:
    """A formula that an input refutes: its tag, its place, its reading, and the input."""

    is_claim: bool
    tag: str
    span: Span
    read: str
    example: str


_LOOKED_AT = 10_000
"""The inputs that are tried for each formula. `trace` proves it of all."""


def _clauses(page: Page) -> list[Refuted]:
    """The formulas that say something else than their clause."""
    return [one for one in page.once(_refuted) if not one.is_claim]


def _claims(page: Page) -> list[Refuted]:
    """The claims that do not follow."""
    return [one for one in page.once(_refuted) if one.is_claim]


@rule_on(_clauses, "formula-differs", Severity.ERROR, slow=True)
def differs(one: Refuted) -> Found:
    """The page states something by a formula, under a tag or of the elements of an output, that differs from the clause
    of the formal text: some input distinguishes them."""
    said = f"the page states {one.tag} differently from the formal text"
    yield one.span, f"{said}: {one.example}", f"correct one of them; the page was read as {one.read}"


@rule_on(_claims, "claim-false", Severity.ERROR, slow=True)
def claim(one: Refuted) -> Found:
    """The page says that a restriction or a constraint rules something out, or ensures it, but some input that it
    allows is a counterexample."""
    message = f"the claim about {one.tag.partition(',')[0]} does not follow: {one.example}"
    yield one.span, message, f"correct it; it was read as {one.read}"


def _refuted(page: Page) -> list[Refuted]:
    """The formulas that an input refutes."""
    # Tags are those of the text next to the page, not of one that is installed. What is wrong with it, `check` says.
    beside = formal_path(page)
    with suppress(UserError):
        replays = None if beside is None else replays_of_file(beside)
        if replays is not None:
            return list(_each(replays, page))
    return []


def _each(replays: Replays, page: Page) -> Iterator[Refuted]:
    # Reading a page needs neither the language nor its meaning.
    from sonnx_verify.pages.formulas.of_page import formulas_of
    from sonnx_verify.results.kinds import Kind

    held: set[tuple[str, str]] = set()
    for one in formulas_of(replays.project, replays.unit, page):
        key = (one.tag, one.text)
        # What no input refutes in one family is not looked for in another: `trace` asks the solvers of all families.
        if one.statement is None or key in held:
            continue
        found = _refuting(one.statement)
        if found is None:
            held.add(key)
            continue
        shown = _as_shown(one.statement, found)
        yield Refuted(one.kind == Kind.CLAIM, one.tag, one.span, one.text, shown)


def _refuting(statement: Statement) -> Example | None:
    """The first input that refutes one of the claims of a statement."""
    from sonnx_verify.logic.terms import TRUE

    # Where the goal is TRUE, both sides are the same term: most formulas of a page that is right.
    open_claims = [claim for claim in statement.claims if claim.goal is not TRUE]
    for claim in open_claims:
        found = _found(tuple(statement.variables), tuple(claim.refutation))
        if found is not None:
            return found
    return None


def _as_shown(statement: Statement, found: Example) -> str:
    """An input on one line, as a message has it."""
    from sonnx_verify.results.example import example_lines
    from sonnx_verify.solving.check.record import ConcreteExample
    from sonnx_verify.solving.check.telling import example_of

    example = example_of(ConcreteExample(statement.variables, found, ""))
    assert example is not None
    return "; ".join(" ".join(line.split()) for line in example_lines(example))


@lru_cache(maxsize=1024)
def _found(variables: tuple[Variable, ...], refutation: tuple[Term, ...]) -> Example | None:
    """An input that meets the conditions, if a small one does. Remembered: most of a page stays as it was while it is
    edited, and the same terms are the same objects."""
    from sonnx_verify.pages.lint.searches import first_found

    return first_found(variables, refutation, _LOOKED_AT)


RULES = (differs, claim)
