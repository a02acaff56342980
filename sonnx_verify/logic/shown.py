"""Terms as people read them: in `explain`, and in what a test says. Not trusted."""

from __future__ import annotations

from sonnx_verify.logic import decimals
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.nodes import FoldKind, Symbol, Term
from sonnx_verify.logic.sorts import BOOL, FloatSort


def show(term: Term) -> str:
    """The term as an S-expression."""
    match term.op:
        case ops.LITERAL:
            return _literal_text(term)
        case ops.VARIABLE:
            return f"v{term.payload}"
        case ops.APPLY:
            assert isinstance(term.payload, Symbol)
            head = term.payload.name
        case ops.FOLD:
            assert isinstance(term.payload, FoldKind)
            head = term.payload.name
        case ops.REAL_FUNCTION:
            head = str(term.payload)
        case _ if term.op in ops.TO_A_TYPE:
            # To another type it is another function.
            head = f"{term.op}.{term.sort}"
        case _:
            head = term.op
    if not term.args:
        return head
    return f"({head} {' '.join(show(a) for a in term.args)})"


def _literal_text(term: Term) -> str:
    """A value as it is written: a float by its number, and not by its bits."""
    if term.sort == BOOL:
        return str(term.payload).lower()
    if isinstance(term.sort, FloatSort):
        assert isinstance(term.payload, int)
        return f"{term.sort}:{decimals.show(term.sort, term.payload)}"
    return str(term.payload)
