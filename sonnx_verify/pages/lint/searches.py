"""Searches for an input that found none before they were given up: that there is none among so many is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from sonnx_verify.kernel.variables import Variable
from sonnx_verify.logic.terms import Term, subterms
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.stores.store import Store, default_folder
from sonnx_verify.stores.tool import digest_from

_KIND = "searches"


def first_found(variables: Sequence[Variable], conditions: Sequence[Term], budget: int) -> Found | None:
    """The smallest input that meets the conditions, None where it is not among as many as the budget allows. That is
    looked up in the cache where it was so before, for the same terms and by the same code."""
    folder = default_folder()
    if folder is None:
        return Search(variables, conditions, budget).first()
    store, key = Store(folder), _key(variables, conditions, budget)
    # Only that there is none is kept: an input that was found is found again in no time.
    if store.read(_KIND, key) is not None:
        return None
    search = Search(variables, conditions, budget)
    found = search.first()
    # One that came to its end before its budget was short.
    if found is None and search.spent:
        store.write(_KIND, key, b"")
    return found


def _key(variables: Sequence[Variable], conditions: Sequence[Term], budget: int) -> str:
    """The digest of all that the search depends on: the code of it, the variables, the conditions, the budget."""
    said = hashlib.sha256(repr([digest_from("pages/lint/searches.py"), budget]).encode())
    for variable in variables:
        # The count is a term: it is written node by node, as the conditions are.
        counts = [] if variable.count is None else [variable.count]
        said.update(f"{replace(variable, count=None)!r}\n".encode())
        said.update(_written(counts))
    said.update(_written(conditions))
    return said.hexdigest()


def _written(terms: Sequence[Term]) -> bytes:
    """Terms, node by node. The digests of nodes are made for an order: two terms might share one."""
    numbers: dict[Term, int] = {}
    lines = []
    for number, node in enumerate(subterms(*terms)):
        numbers[node] = number
        arguments = [numbers[arg] for arg in node.args]
        lines.append(repr([node.op, node.sort.name, node.payload, *arguments]))
    return "\n".join([*lines, repr([numbers[term] for term in terms]), ""]).encode()
