"""Terms that a proof takes. Trusted."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.nodes import Term, make
from sonnx_verify.logic.operators import Op

_BEYOND = 1 << 20
"""Numbers that no bound variable has."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A term that a proof names, for every value of its parameters: it is tried wherever its sort can stand."""

    parameters: tuple[Term, ...]
    body: Term

    @property
    def digest(self) -> int:
        """A digest of the body, whatever the numbers of its parameters."""
        names = {p: make(Op.VARIABLE, (), p.sort, _BEYOND + n) for n, p in enumerate(self.parameters)}
        return substitute(self.body, names).digest
