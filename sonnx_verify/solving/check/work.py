"""An obligation with its statement for each sort of elements, and what these say of one another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from sonnx_verify.language.context import Context, family_of
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.orders import NotAbstract, order_claims
from sonnx_verify.solving.check.proof import Ordered, Proof
from sonnx_verify.solving.check.spoken import of_any_type


@dataclass(slots=True)
class Work:
    """An obligation with its statement for each sort of elements, each built once."""

    obligation: Obligation
    _built: dict[Sort, tuple[Statement, Context]] = field(default_factory=dict)

    def on(self, sort: Sort) -> tuple[Statement, Context]:
        """The statement on elements of that sort, and what was noted while it was built."""
        if sort not in self._built:
            assert self.obligation.build is not None
            context = Context(self.obligation.family, sort)
            self._built[sort] = self.obligation.build(context), context
        return self._built[sort]

    def statement_hash(self) -> str:
        """A hash of what has to be shown: of abstract elements, or, where the text speaks of its types, of the first,
        with what the orders in it say. Another word or place in the text leaves it as it is; another condition, claim
        or list of types does not."""
        try:
            statement, context = self.on(ELEMENT)
        except NotAbstract:
            statement, context = self.on(self.sorts[0])
        said: list[object] = [str(self.obligation.kind), *(t.name for t in self.obligation.types)]
        said += [(v.name, v.kind.value, v.sort.name) for v in statement.variables]
        said += [t.digest for t in statement.hypotheses]
        for claim in statement.claims:
            parts = (*claim.hypotheses, claim.goal, claim.goal if claim.replay is None else claim.replay)
            said.append([t.digest for t in (*parts, *claim.lemmas)])
        said += [[t.digest for t in wanted.conditions] for wanted in statement.wanted]
        # Of abstract elements nothing says what an order is.
        for name, (order, library) in sorted(context.known_orders.items(), key=lambda known: known[0]):
            sort = next((t for t in self.obligation.types if family_of(t) == order.family), None)
            if sort is not None:
                said.append([name, *(law.goal.digest for law in order_claims(library, order, sort))])
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]

    def orders(self) -> frozenset[str]:
        """The orders that the statement rests on, by name: of abstract elements it does not say what they are."""
        try:
            _, context = self.on(ELEMENT)
        except NotAbstract:
            _, context = self.on(self.sorts[0])
        return frozenset(context.known_orders)

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """The types to search with; where a text has none, nothing that is searched for has elements."""
        return self.obligation.types or (ELEMENT,)

    def not_shown(self, proof: Proof) -> str:
        """The claims that are left, as far as they are those of the last statement that was asked."""
        parts = [part for claim in self.on(self.sorts[-1])[0].claims for part in claim.parts()]
        left = dict.fromkeys(parts[n % len(parts)].what for n in proof.open()) if parts else {}
        return "not shown: " + "; ".join(left) if left else ""

    def elements_matter(self) -> bool:
        """Whether another element type can say something else. This is seen on abstract elements: on a type, what its
        own constants decide is decided already."""
        try:
            statement, _ = self.on(ELEMENT)
        except NotAbstract:
            return True
        spoken = [*(c.refutation for c in statement.claims), *(w.conditions for w in statement.wanted)]
        return not all(of_any_type(conditions) for conditions in spoken)

    def depends_on_type(self, claim: Claim) -> bool:
        """Whether another element type can say something else of a claim."""
        try:
            abstract, _ = self.on(ELEMENT)
        except NotAbstract:
            return True
        return not all(of_any_type(c.refutation) for c in (claim, *abstract.claims) if c.what == claim.what)


def orders_of(context: Context, types: tuple[Sort, ...]) -> tuple[Ordered, ...]:
    """The orders that a statement rests on, each with the types it is used on; abstract elements are of all types."""
    used = {(context.order, ELEMENT): None} if context.order else {}
    used |= context.fold_orders
    return tuple(dict.fromkeys((n, t) for n, sort in used for t in (types if sort == ELEMENT else (sort,))))
