"""Searches for an input that found none before they were given up: that there is none among so many is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.terms import Term, subterms
from sonnx_verify.solving.inputs.search import Found, Search
from sonnx_verify.stores.store import Store, default_folder
from sonnx_verify.stores.tool import digest_of

_KIND = "searches"


def first_found(variables: Sequence[Variable], conditions: Sequence[Term], budget: int) -> Found | None:
    """The smallest input that meets the conditions, None where it is not among as many as the budget allows. That is
    looked up in the cache where it was so before, for the same terms and by the same code."""
    folder = default_folder()
    store = None if folder is None else Store(folder)
    key = "" if store is None else _key(variables, conditions, budget)
    if store is not None and store.read(_KIND, key) is not None:
        return None
    search = Search(variables, conditions, budget)
    found = search.first()
    # One that came to its end was short.
    if store is not None and found is None and search.budget <= 0:
        store.write(_KIND, key, b"")
    return found


def _key(variables: Sequence[Variable], conditions: Sequence[Term], budget: int) -> str:
    said = hashlib.sha256(repr([digest_of(), budget]).encode())
    for variable in variables:
        said.update(f"{replace(variable, count=None)!r}\n".encode())
        said.update(_written([variable.count] if variable.count is not None else []))
    said.update(_written(conditions))
    return said.hexdigest()


def _written(terms: Sequence[Term]) -> bytes:
    """Terms, node by node. The digests of nodes are made for an order: two terms might share one."""
    numbers: dict[Term, int] = {}
    lines = []
    for number, node in enumerate(subterms(*terms)):
        numbers[node] = number
        lines.append(repr([node.op, node.sort.name, node.payload, *(numbers[arg] for arg in node.args)]))
    return "\n".join([*lines, repr([numbers[term] for term in terms]), ""]).encode()
