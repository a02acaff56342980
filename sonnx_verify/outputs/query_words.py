"""The assertions of a query along a hint, in words: which formulas of its claim, and which instances of them.

The text is made again from the claim and the hint. Where its hash is another than that of the query, nothing is said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from sonnx_verify.authoring.explain.binders import Binders
from sonnx_verify.authoring.explain.sources import Places, Sources
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language.project import Project
from sonnx_verify.logic.choices import Step
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import Term, conjuncts
from sonnx_verify.obligations.obligation import Claim, Obligation
from sonnx_verify.obligations.orders import NotAbstract, order_claims
from sonnx_verify.outputs.notation import Notation
from sonnx_verify.outputs.wording import cut, rule_text, said
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.facts import Described, Role, Used, described
from sonnx_verify.solving.check.hints import Hints
from sonnx_verify.solving.check.proof import formulas_of
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.work import Work, orders_of, parts_of


@dataclass(frozen=True, slots=True)
class _Query:
    """A query, with the claim that it is asked of."""

    claim: Claim
    file: str
    variables: Sequence[Variable]
    made: Described


@dataclass(slots=True)
class QueryWords:
    """Finds out what the queries of records hold."""

    hints: Hints
    _found: dict[str, _Query] = field(default_factory=dict)

    def note(self, record: Record, texts: Collection[str]) -> None:
        """Note the queries that a record rests on; `texts` are their hashes."""
        if not record.hinted:
            return
        todo = set(texts) - self._found.keys()
        file = record.obligation.span.source.name
        for claims, variables in _asked(record.obligation):
            if not todo:
                return
            for claim in claims:
                asked = formulas_of(claim)
                hint = self.hints.get(asked.key)
                made = None if hint is None else described(claim, asked, hint)
                if made is None:
                    continue
                sha256 = hashlib.sha256(made.text.encode()).hexdigest()
                if sha256 in todo:
                    todo.remove(sha256)
                    self._found[sha256] = _Query(claim, file, variables, made)

    def lines(self, project: Project, places: Places) -> dict[str, list[str]]:
        """The content of each query, by its hash, in lines; `places` are those that were noted of the project."""
        sources, texts = Sources.of_project(project, places), Binders.of_texts(places)
        return {
            sha256: list(_Words(query, sources.for_statement(query.file, {}), texts).lines())
            for sha256, query in self._found.items()
        }


def _asked(obligation: Obligation) -> Iterator[tuple[Sequence[Claim], Sequence[Variable]]]:
    """The claims that may be asked of an obligation, and those of the orders that it rests on."""
    if obligation.build is None:
        return
    work = Work(obligation)
    for sort in (ELEMENT, *obligation.types):
        try:
            statement, context = work.on(sort)
        except NotAbstract:
            continue
        yield parts_of(statement), statement.variables
        types = obligation.types if sort == ELEMENT else (sort,)
        for name, of in orders_of(context, types):
            order, library = context.known_orders[name]
            yield order_claims(library, order, of), ()


class _Words:
    """Words one query."""

    def __init__(self, query: _Query, sources: Sources, texts: Binders) -> None:
        self._query, self._sources = query, sources
        steps = [used for used in query.made.steps if used is not None and used.step is Step.INSTANCE]
        self._binders = texts.with_instances((used.terms[0], used.terms[1]) for used in steps)
        self._notation = Notation(query.variables, self._name)

    def _name(self, term: Term) -> str | None:
        binder = self._binders.of(term)
        return None if binder is None else binder.name

    def lines(self) -> Iterator[str]:
        """The content of the query: how much of its claim, and what each assertion is, from the first one on."""
        made = self._query.made
        used = list(dict.fromkeys(step for step in made.steps if step is not None))
        formulas = sum(step.step is Step.FORMULA for step in used)
        yield f"along a hint, of the claim: {self._query.claim.what}"
        yield (
            f"it holds {formulas} of the claim's {counted_text(made.formulas, 'formula')}"
            f" and {counted_text(len(used) - formulas, 'instance or rule', 'instances and rules')}"
        )
        number = 0
        for step, group in groupby(made.steps):
            first, number = number + 1, number + len(list(group))
            several = f"assert {first}" if first == number else f"asserts {first} to {number}"
            yield f"{several}: {self._step(step)}"

    def _step(self, used: Used | None) -> str:
        """The assertion of a step."""
        if used is None:
            return "known facts about products or conversions of these terms"
        if used.step is Step.FORMULA:
            return self._formula(used.terms[0])
        if used.step is not Step.INSTANCE:
            return rule_text(used, self._notation)
        binder, name = used.terms
        known = self._binders.of(binder)
        place = cut(self._notation.text(binder)) if known is None else said(self._sources.at(known.place))
        return f"instance of {place}, with {self._notation.variable(binder)} = {cut(self._notation.text(name))}"

    def _formula(self, formula: Term) -> str:
        """A formula of the claim, by the places that say its parts."""
        role = self._query.made.roles.get(formula, Role.HYPOTHESIS)
        if role is Role.DENIED:
            return f"that the claim fails: {cut(self._notation.text(formula))}"
        places = [source for part in conjuncts(formula) for source in self._sources.of(part)[:1]]
        words = list(dict.fromkeys(said(source) for source in places))
        return "; ".join(words) or cut(self._notation.text(formula))
