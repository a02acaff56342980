"""The places in texts that terms came from: of an expression its meaning, of a declaration what its type says.

Noted for explanations only, while somebody wants it. Not trusted: no term, statement or verdict depends on it, and what
is found here is shown to people. One term may come from several places, since equal terms are one node.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sonnx_verify.language import syntax as s
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL
from sonnx_verify.logic.terms import Term

Place = s.Expression | s.Declaration | s.Used
_BINDERS = frozenset((Op.FORALL, Op.FORALL_INDEX, Op.FOLD, Op.FOLD_INDEX, Op.RECURSION, Op.STATE_AT))


@dataclass(slots=True)
class Origins:
    """The places of conditions and of terms with binders, in the order in which they were noted."""

    places: dict[Term, list[Place]] = field(default_factory=dict)

    def note(self, term: Term, place: Place) -> None:
        """A term is what a place means."""
        if term.sort == BOOL or term.op in _BINDERS:
            known = self.places.setdefault(term, [])
            if not any(place is one for one in known):
                known.append(place)


_wanted: Origins | None = None


def note(term: object, place: Place) -> None:
    """The meaning of a place, where somebody wants to know it. Values that are no terms have no place."""
    if _wanted is not None and isinstance(term, Term):
        _wanted.note(term, place)


@contextmanager
def noted() -> Iterator[Origins]:
    """The places of all that is elaborated inside."""
    global _wanted
    before, _wanted = _wanted, Origins()
    try:
        yield _wanted
    finally:
        _wanted = before
