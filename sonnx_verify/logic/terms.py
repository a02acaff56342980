"""Terms: the front door of the modules that build them.

A term is built only through these total functions, so that nothing half-typed exists: each raises SortError for
arguments of other sorts.
"""

from __future__ import annotations

from sonnx_verify.logic.binders import (
    at,
    bind_forall,
    bind_forall_index,
    forall,
    forall_index,
    index,
    inside,
    inside_shape,
    interpret,
    rebuild,
    replace_nodes,
    substitute,
)
from sonnx_verify.logic.bits import bits, converted, of_bits, resized
from sonnx_verify.logic.builders import and_, conjuncts, eq, implies, ite, le, lt, not_, or_
from sonnx_verify.logic.elements import element, floor, ordinal, real_function, rounded, to_int, to_real, wrapped
from sonnx_verify.logic.folds import (
    Fold,
    bind_count,
    bind_fold,
    bind_fold_index,
    bind_position,
    recursion,
    state,
    state_at,
    with_copy,
)
from sonnx_verify.logic.nodes import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    FoldKind,
    Role,
    SortError,
    Symbol,
    Term,
    apply,
    boolean,
    integer,
    is_literal,
    literal,
    numbered,
    placeholder,
    run_of_numbers,
    scratch,
    subterms,
)
from sonnx_verify.logic.polynomials import add, div, euclid, linear, mod, quotient, scale, sub, times
