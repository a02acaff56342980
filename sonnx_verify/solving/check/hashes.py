"""The hash of what an obligation says, which its record has, and what is kept is kept under.

Trusted as the cache is: a verdict that is kept stands for an obligation of the same hash.
"""

from __future__ import annotations

import hashlib

from sonnx_verify.kernel.core import family_of
from sonnx_verify.obligations.orders import order_claims
from sonnx_verify.solving.check.work import Work


def statement_hash(work: Work) -> str:
    """A hash of what has to be shown: of abstract elements, or, where the text speaks of its types, of the first, with
    what the orders in it say. Another word or place in the text leaves it as it is; another condition, claim or list of
    types does not."""
    statement, context = work.general()
    # Digests of terms, and names of variables as they are given: all that a proof or a counterexample depends on.
    said: list[object] = [str(work.obligation.kind), *(t.name for t in work.obligation.types)]
    said += [(v.name, v.kind.value, v.sort.name) for v in statement.variables]
    said += [t.digest for t in statement.hypotheses]
    for claim in statement.claims:
        parts = (*claim.hypotheses, claim.goal, claim.replay or claim.goal)
        said.append([t.digest for t in (*parts, *claim.lemmas)])
    said += [[t.digest for t in wanted.conditions] for wanted in statement.wanted]
    # Of abstract elements nothing says what an order is.
    for name, (order, library) in sorted(context.known_orders.items(), key=lambda known: known[0]):
        sort = next((t for t in work.obligation.types if family_of(t) == order.family), None)
        if sort is not None:
            said.append([name, *(law.goal.digest for law in order_claims(library, order, sort))])
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def orders_in(work: Work) -> frozenset[str]:
    """The orders that the statement rests on, by name: of abstract elements it does not say what they are."""
    _, context = work.general()
    return frozenset(context.known_orders)
