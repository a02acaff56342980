"""The one table of the operators that terms are made of.

The evaluator asserts on import that it handles each of them; the printer and the walkers look them up here. `binds`
says which arguments are bound variables and which arguments they scope over.
"""

from __future__ import annotations

from dataclasses import dataclass

Scopes = tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: its group, its SMT-LIB name (None where printing depends on sorts or names) and what it binds."""

    name: str
    group: str
    smt: str | None = None
    binds: Scopes = ()


def _table() -> dict[str, Operator]:
    rows = [
        # leaves
        Operator("literal", "leaf"),
        Operator("variable", "leaf"),
        Operator("apply", "leaf"),
        # propositional
        Operator("not", "core", "not"),
        Operator("and", "core", "and"),
        Operator("or", "core", "or"),
        Operator("=", "core", "="),
        Operator("ite", "core", "ite"),
        # mathematical integers and reals
        Operator("+", "arithmetic", "+"),
        Operator("*", "arithmetic", "*"),
        Operator("div", "arithmetic", "div"),
        Operator("mod", "arithmetic", "mod"),
        # comparisons of numbers, machine integers, floats (IEEE) and abstract elements
        Operator("<=", "comparison"),
        Operator("<", "comparison"),
        # elements of machine types; integers wrap, floats round to nearest, ties to even
        Operator("add", "element"),
        Operator("sub", "element"),
        Operator("mul", "element"),
        Operator("neg", "element"),
        Operator("ieee_equal", "float", "fp.eq"),
        Operator("is_nan", "float", "fp.isNaN"),
        Operator("is_infinite", "float", "fp.isInfinite"),
        Operator("is_zero", "float", "fp.isZero"),
        Operator("is_negative", "float", "fp.isNegative"),
        Operator("is_positive", "float", "fp.isPositive"),
        # between machine types and mathematical numbers
        Operator("to_int", "conversion"),
        Operator("wrapped", "conversion"),
        Operator("to_real", "conversion"),
        Operator("rounded", "conversion"),
        Operator("floor", "conversion", "to_int"),
        # machine integers as strings of bits, and what the bits of floats stand for
        Operator("bit_and", "bits", "bvand"),
        Operator("bit_or", "bits", "bvor"),
        Operator("bit_xor", "bits", "bvxor"),
        Operator("bit_not", "bits", "bvnot"),
        Operator("shift_left", "bits", "bvshl"),
        Operator("shift_right", "bits"),
        Operator("resized", "bits"),
        Operator("of_bits", "bits"),
        Operator("converted", "bits"),
        # binders; every range and every index set is finite by its form
        Operator("forall", "binder", binds=((0, (3,)),)),
        Operator("forall_index", "binder", binds=((0, (4,)), (2, (3,)))),
        Operator("fold", "binder", binds=((0, (3, 4)), (5, (7,)), (6, (7,)))),
        Operator("fold_index", "binder", binds=((0, (4, 5)), (2, (3,)), (6, (8,)), (7, (8,)))),
        # the value at n of what is given by its value one below n, from a start on
        Operator("recursion", "binder", binds=((0, (4,)), (1, (4,)))),
        Operator("index", "binder", binds=((0, (2,)),)),
        Operator("at", "core"),
        # only made by the named-witness rule: membership of an index in the index set of a shape
        Operator("inside", "binder", binds=((2, (3,)),)),
    ]
    return {row.name: row for row in rows}


OPERATORS = _table()
GROUPS = {
    group: frozenset(row.name for row in OPERATORS.values() if row.group == group)
    for group in ("leaf", "core", "arithmetic", "comparison", "element", "float", "conversion", "bits", "binder")
}

assert frozenset().union(*GROUPS.values()) == frozenset(OPERATORS), "every operator is in a known group"
assert sum(len(names) for names in GROUPS.values()) == len(OPERATORS), "no operator is in two groups"
