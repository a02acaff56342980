"""The verdicts on texts beside the specifications."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.select import selected
from sonnx_verify.solving.solvers import Solvers


def verdicts(*files: Path, without: Collection[str] = (), beside: Collection[Path] = ()) -> dict[str, str]:
    """The verdict on each obligation of some texts, but on those that are known to be left open: the solvers would look
    for a proof until their budgets are spent. The names of those have to be names of obligations. Texts `beside` them
    are read, and not decided. None may have a mistake: of a statement that cannot be read there is no verdict."""
    asked = Asked.of([*map(str, files), *map(str, beside)])
    every = selected(asked, closed=False)
    assert every.errors == []
    found_in = {path: found for path, found in every.of_files.items() if path not in beside}
    known = {path: frozenset(o.id for o in obligations) for path, obligations in found_in.items()}
    assert set(without) <= frozenset[str]().union(*known.values())
    asked.whole = []
    asked.picked = {path: identities.difference(without) for path, identities in known.items()}
    with Solvers() as solvers:
        decided = Decided(asked, None)
        found = {one.id: str(one.verdict) for one in decided.results(solvers)}
    assert decided.errors == []
    return found
