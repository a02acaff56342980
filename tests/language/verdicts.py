"""The verdicts on texts beside the specifications."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.select import selected
from sonnx_verify.solving.solvers import Solvers


def verdicts(*files: Path, without: Collection[str] = ()) -> dict[str, str]:
    """The verdict on each obligation of some texts, but on those that are known to be left open: the solvers would look
    for a proof until their budgets are spent. The names of those have to be names of obligations."""
    asked = Asked.of([str(path) for path in files])
    every = selected(asked, closed=False)
    assert every.errors == []
    known = {path: frozenset(o.id for o in obligations) for path, obligations in every.of_files.items()}
    assert set(without) <= frozenset[str]().union(*known.values())
    asked.whole = []
    asked.picked = {path: identities.difference(without) for path, identities in known.items()}
    with Solvers() as solvers:
        decided = Decided(asked, None)
        found = {one.id: str(one.verdict) for one in decided.results(solvers)}
    assert decided.errors == []
    return found
