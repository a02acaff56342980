"""An obligation with its statement for each sort of elements, and how these are related. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from sonnx_verify.language.context import Context
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.terms import Term, numbered, run_of_numbers
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.solving.check.proof import Ordered
from sonnx_verify.solving.check.spoken import of_any_type

_RUN = run_of_numbers()
"""The placeholders of every statement. Each is made in one go, of declarations, definitions and meanings of its own."""


@dataclass(slots=True)
class Work:
    """An obligation with its statement for each sort of elements, each built once."""

    obligation: Obligation
    inputs: dict[str, str] = field(default_factory=dict)
    """The lines of the inputs that were searched for, by key, where they are wanted."""
    _built: dict[Sort, tuple[Statement, Context]] = field(default_factory=dict)

    def on(self, sort: Sort) -> tuple[Statement, Context]:
        """The statement on elements of that sort, and what was noted while it was built."""
        if sort not in self._built:
            # What is noted while it is built, such as the orders it rests on, is kept beside it.
            assert self.obligation.build is not None
            context = Context(self.obligation.family, sort, types=self.obligation.types)
            with numbered(_RUN):
                statement = self.obligation.build(context)
            # What stays of a statement has no placeholder free, so that none can meet those of another one.
            if any(term.free for term in _said(statement)):
                raise AssertionError(f"a variable is free in the statement of {self.obligation.id}")
            self._built[sort] = statement, context
        return self._built[sort]

    def state(self) -> None:
        """Make the statement, on each type where the text speaks of its types. Raises SpecificationError."""
        try:
            self.on(ELEMENT)
        except NotAbstract:
            for sort in self.sorts:
                self.on(sort)

    def general(self) -> tuple[Statement, Context]:
        """The statement on abstract elements, or, where the text speaks of its types, on the first."""
        try:
            return self.on(ELEMENT)
        except NotAbstract:
            return self.on(self.sorts[0])

    def _abstract(self) -> Statement | None:
        """The statement on abstract elements; None where the text speaks of its types."""
        try:
            return self.on(ELEMENT)[0]
        except NotAbstract:
            return None

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """The types to search with; where a text has none, nothing that is searched for has elements."""
        return self.obligation.types or (ELEMENT,)

    def last(self) -> Statement:
        """The statement on the last of the types."""
        return self.on(self.sorts[-1])[0]

    def elements_matter(self) -> bool:
        """Return whether another element type can say something else. This is seen on abstract elements: on a type,
        what its own constants decide is decided already. `int(greatest) < 200` is true of int8, and nothing is left of
        it there that speaks of a type."""
        statement = self._abstract()
        if statement is None:
            return True
        spoken = [*(c.refutation for c in statement.claims), *(w.conditions for w in statement.wanted)]
        return not all(of_any_type(conditions) for conditions in spoken)

    def depends_on_type(self, claim: Claim) -> bool:
        """Return whether another element type can say something else of a claim."""
        abstract = self._abstract()
        if abstract is None:
            return True
        alike = [claim, *(c for c in abstract.claims if c.what == claim.what)]
        return not all(of_any_type(c.refutation) for c in alike)


def orders_of(context: Context, types: tuple[Sort, ...]) -> tuple[Ordered, ...]:
    """The orders that a statement rests on, each with the types it is used on; abstract elements are of all types."""
    used: dict[Ordered, None] = {}
    if context.order:
        used[context.order, ELEMENT] = None
    used |= context.fold_orders
    # The order that stands for that of abstract elements has to be total on each type: one proof is to be of all.
    found: dict[Ordered, None] = {}
    for name, sort in used:
        of = types if sort == ELEMENT else (sort,)
        found |= {(name, one): None for one in of}
    return tuple(found)


def _said(statement: Statement) -> Iterator[Term]:
    """The terms of a statement, but for those that a proof takes: these are bound by their parameters."""
    yield from chain(statement.hypotheses, *statement.inhabited, *(wanted.conditions for wanted in statement.wanted))
    for claim in statement.claims:
        yield from (*claim.hypotheses, claim.goal, claim.replay or claim.goal, *claim.lemmas)


def parts_of(statement: Statement) -> list[Claim]:
    """The claims of a statement, each cut into parts that are asked by themselves."""
    return list(chain.from_iterable(claim.parts() for claim in statement.claims))
