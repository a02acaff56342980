"""From a claim that is proved to its hint: the steps that the proof needs. Not trusted, since a hint is not."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping

from sonnx_verify.logic.choices import Noted
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.verdict import all_unsat
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.solving.check.forms import Form, Source
from sonnx_verify.solving.check.hints import LONGEST, Hint, Way
from sonnx_verify.solving.check.proof import Proof, Prover, formulas_of
from sonnx_verify.solving.check.readings import read
from sonnx_verify.solving.solvers import Query
from sonnx_verify.solving.solvers.z3_core import core

Hinting = Generator[list[Query], None, dict[str, str]]


def distilled(prover: Prover, proof: Proof, longest: int = LONGEST) -> Hinting:
    """The hints of the claims of a proof, as they are written, by key: those along which each solver says unsat. A line
    that is longer than `longest` is left out."""
    found: dict[str, str] = {}
    for claim, form in zip(proof.claims, proof.forms, strict=True):
        asked = formulas_of(claim)
        # A hint that still fits stays: a file that changes with each run could not be reviewed.
        for hint in _proposed(prover, form, prover.hints.get(asked.key)):
            if len(asked.key) + 1 + len(str(hint)) > longest:
                continue
            fits = yield from _fits(prover, claim, hint)
            if fits:
                found[asked.key] = str(hint)
                break
    return found


def _proposed(prover: Prover, form: Form | None, known: Hint | None) -> Iterator[Hint]:
    """The hint that there was, and the steps that z3 needs of a form; with those that make the names occur, where it
    takes these to find them again."""
    if known is not None:
        yield known
    if form is None:
        return
    source = form.source
    assert source is not None
    ground, noted, made = _expanded(source)
    asserted = read(ground, form.reading)
    numbers = core(script(asserted), prover.solvers.budget)
    if numbers is None:
        return
    needed = [ground[n] for n in numbers if n < len(ground)]
    for names in (False, True):
        steps = noted.needed([made.get(assertion, 0) for assertion in needed], needed, names=names)
        yield Hint(Way(source.effort, source.parts, form.reading), tuple(steps))


def _expanded(source: Source) -> tuple[list[Term], Noted, Mapping[Term, int]]:
    """The assertions once more, with what made them."""
    noted = Noted()
    expansion = Expansion(source.effort, source.taken, noted)
    return expansion.run(list(source.formulas)), noted, expansion.made


def _fits(prover: Prover, claim: Claim, hint: Hint) -> Generator[list[Query], None, bool]:
    """Return whether a claim is proved along a hint."""
    made = hint.assertions(formulas_of(claim))
    if made is None:
        return False
    query = prover.solvers.submit(script(made))
    yield [query]
    return all_unsat([{name: a.status for name, a in query.result().items()}])
