"""Digests are pinned: statement hashes, query texts and the order of arguments are made of them.

A change of one of these is a change of nearly every line of the ledger: it is made in a commit that changes nothing
else and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import FoldName, make
from sonnx_verify.logic.operators import OPERATORS, Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, FLOATS, INDEX, INT, INTEGERS, MINIFLOATS, REAL, STRING, state_of
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    FoldKind,
    Role,
    SortError,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    bind_count,
    bind_fold_index,
    bind_position,
    bits,
    converted,
    div,
    element,
    eq,
    floor,
    forall,
    forall_index,
    index,
    inside,
    integer,
    ite,
    le,
    literal,
    mod,
    not_,
    of_bits,
    or_,
    ordinal,
    placeholder,
    quotient,
    real_function,
    recursion,
    resized,
    rounded,
    state,
    state_at,
    times,
    to_int,
    to_real,
    with_copy,
    wrapped,
)
from tests.logic.built import fold

PINNED = Path(__file__).with_name("digests.txt")
INT8, UINT16 = INTEGERS[0], INTEGERS[5]
FLOAT = FLOATS[2]


def terms() -> Iterator[tuple[str, Term]]:
    """Terms of every operator, and literals and symbols of every sort, by name."""
    n, m = (apply(Symbol(name, (), INT)) for name in ("n", "m"))
    p, q = (apply(Symbol(name, (), BOOL)) for name in ("p", "q"))
    a, b = (apply(Symbol(name, (), INT8)) for name in ("a", "b"))
    x, y = (apply(Symbol(name, (), FLOAT)) for name in ("x", "y"))
    r = apply(Symbol("r", (), REAL))
    u = apply(Symbol("u", (), UINT16))
    i = apply(Symbol("i", (), INDEX))
    e, f = (apply(Symbol(name, (), ELEMENT)) for name in ("e", "f"))
    dim, read = Symbol("X.dim", (INT,), INT, Role.SIZE), Symbol("X.read", (INDEX,), ELEMENT, Role.READ)
    pair = Symbol("pair", (INT, INDEX), BOOL)
    yield from {"true": TRUE, "false": FALSE, "zero": ZERO, "one": ONE, "integer": integer(-(10**20))}.items()
    yield "real", literal(Fraction(-7, 3), REAL)
    yield "string", literal("a'\"\\ \N{GREEK SMALL LETTER ALPHA}", STRING)
    for sort in (*INTEGERS, *FLOATS, *MINIFLOATS):
        yield f"literal of {sort}", literal(1, sort)
    for sort in (BOOL, INT, REAL, INDEX, ELEMENT, STRING, *INTEGERS, *FLOATS):
        yield f"constant of {sort}", apply(Symbol("c", (), sort))
    yield "variable", make("variable", (), INT, 3)
    yield "function", apply(dim, n)
    yield "function of two", apply(pair, n, i)
    yield "not", not_(p)
    yield "and", and_(p, q)
    yield "or", or_(p, q)
    yield "=", eq(e, f)
    yield "ite", ite(p, n, m)
    yield "sum", add(n, times(integer(2), m), ONE)
    yield "product", times(n, m)
    yield "quotient", div(n, m)
    yield "remainder", mod(n, m)
    yield "<=", le(n, m)
    yield "<", make("<", (x, y), BOOL)
    for op in ("add", "sub", "mul"):
        yield f"{op} of integers", element(op, a, b)
        yield f"{op} of floats", element(op, x, y)
    for op in ("divide", "remainder", "fmod"):
        yield f"{op} of floats", element(op, x, y)
    for op in ("sqrt", "round_even", "round_away", "round_up", "round_down", "round_to_zero"):
        yield op, element(op, x)
    yield "fma", element("fma", x, y, x)
    yield "quotient of reals", quotient(r, times(r, r))
    yield "exp", real_function(RealFunction.EXP, r)
    yield "pow", real_function(RealFunction.POW, r, times(r, r))
    yield "neg", element("neg", x)
    yield "ieee_equal", element("ieee_equal", x, y)
    for op in ("is_nan", "is_infinite", "is_zero", "is_negative", "is_positive"):
        yield op, element(op, x)
    yield "to_int", to_int(a)
    yield "wrapped", wrapped(n, INT8)
    yield "to_real", to_real(x)
    yield "rounded", rounded(r, FLOAT)
    yield "floor", floor(r)
    yield "ordinal", ordinal(x)
    for op in (Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.SHIFT_LEFT, Op.SHIFT_RIGHT):
        yield op, bits(op, a, b)
    yield "bit_not", bits(Op.BIT_NOT, a)
    yield "resized", resized(a, UINT16)
    yield "of_bits", of_bits(u, FLOATS[0])
    yield "converted", converted(x, FLOATS[3])
    yield "forall", forall(ZERO, n, lambda k: le(apply(dim, k), m))
    yield "forall_index", forall_index(n, lambda k: apply(dim, k), lambda j: eq(apply(read, j), e))
    yield "greatest", fold("greatest", ZERO, n, lambda k: TRUE, lambda k: apply(dim, k))
    yield "greatest or", fold("greatest", ZERO, n, lambda k: TRUE, lambda k: apply(dim, k), otherwise=ONE)
    yield "the", fold("the", ZERO, n, lambda k: eq(apply(dim, k), m), lambda k: k)
    yield "copy", with_copy(fold("the", ZERO, n, lambda k: eq(apply(dim, k), m), lambda k: k), 2)
    yield "sum of a set", fold("sum", ZERO, n, lambda k: TRUE, lambda k: apply(dim, k))
    k, j = placeholder(INT), placeholder(INDEX)
    yield "count", bind_count(ZERO, n, k, eq(apply(dim, k), m))
    yield "position", bind_position(ZERO, n, k, eq(apply(dim, k), m), ONE)
    size = apply(dim, ZERO)
    yield "fold_index", bind_fold_index("greatest", n, lambda _: size, j, TRUE, apply(read, j), le, e)
    yield "recursion", recursion(0, n, k, m, add(k, m))
    below, member = placeholder(state_of(INT)), placeholder(INT)
    stepped = state(0, n, (k, below, member, j), add(state_at(below, m, j), k, member))
    yield "state", stepped
    yield "state_at", state_at(stepped, m, i)
    yield "index", index(n, lambda axis: add(axis, m))
    yield "at", at(i, n)
    axis = make("variable", (), INT, 1)
    yield "inside", inside(i, n, axis, apply(dim, axis))


def test_digests_are_pinned() -> None:
    """The digest of each term is the committed one, and every operator is among them."""
    made = list(terms())
    found = "".join(f"{term.digest:032x} {name}\n" for name, term in made)

    assert {node.op for _, term in made for node in (term, *term.args)} >= set(OPERATORS)
    assert found == PINNED.read_text("utf-8")


def test_a_payload_of_another_kind_is_refused() -> None:
    """Nothing gets a digest by its `repr`: another Python, or another field, would change it."""
    with pytest.raises(SortError, match="no payload of object"):
        make("literal", (), INT, object())


def test_a_fold_kind_is_written_field_by_field() -> None:
    """A payload that differs in one field has another digest."""
    the = FoldName.THE
    kinds = [FoldKind(the, False), FoldKind(the, True), FoldKind(the, False, 1), FoldKind(FoldName.GREATEST, False)]

    assert len({make("literal", (), INT, kind).digest for kind in kinds}) == len(kinds)
