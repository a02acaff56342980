"""The printed text: golden, of agreed meaning, and the same for the same structure."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sonnx_verify.logic import floats
from sonnx_verify.logic.model_reader import read_value
from sonnx_verify.logic.smtlib import literal_text, script
from sonnx_verify.logic.sorts import (
    BOOL,
    FLOATS,
    INDEX,
    INT,
    INTEGERS,
    REAL,
    STRING,
)
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    element,
    eq,
    forall,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    or_,
    rounded,
    to_int,
    to_real,
    wrapped,
)
from sonnx_verify.solving.solvers import Solvers

A, B = Symbol("a", (), INT)(), Symbol("b", (), INT)()
F = Symbol("f", (INT,), INT)
P = Symbol("p", (), BOOL)()
INT8, INT64, UINT8 = INTEGERS[0], INTEGERS[3], INTEGERS[4]
BFLOAT16, FLOAT16, FLOAT, DOUBLE, _ = FLOATS


def test_golden_plain() -> None:
    """Integers and free functions are asked in QF_UFLIA; declarations are sorted, and short texts are not shared."""
    text = script([not_(P), or_(P, le(ZERO, F(A))), eq(F(integer(-3)), ite(P, F(A), integer(2)))])

    assert text == (
        "(set-logic QF_UFLIA)\n"
        "(declare-fun s.a () Int)\n"
        "(declare-fun s.f (Int) Int)\n"
        "(declare-fun s.p () Bool)\n"
        "(assert (not s.p))\n"
        "(assert (or s.p (<= 0 (s.f s.a))))\n"
        "(assert (= (s.f (- 3)) (ite s.p (s.f s.a) 2)))\n"
    )


def test_golden_sharing() -> None:
    """A long text that is used twice is defined once, before its first use; so is one shared by two assertions."""
    long = F(F(F(F(F(add(A, B))))))
    text = script([lt(long, F(long)), P, eq(F(F(long)), ZERO)])

    assert text == (
        "(set-logic QF_UFLIA)\n"
        "(declare-fun s.a () Int)\n"
        "(declare-fun s.b () Int)\n"
        "(declare-fun s.f (Int) Int)\n"
        "(declare-fun s.p () Bool)\n"
        "(define-fun d!1 () Int (s.f (s.f (s.f (s.f (s.f (+ s.b s.a)))))))\n"
        "(assert (not (<= (s.f d!1) d!1)))\n"
        "(assert s.p)\n"
        "(assert (= 0 (s.f (s.f d!1))))\n"
    )


def test_golden_machine_sorts() -> None:
    """Machine sorts are bit vectors and floats with RNE; indices are integers read by one function `at`."""
    x, y = Symbol("x", (), INT8)(), Symbol("y", (), UINT8)()
    z, i = Symbol("z", (), FLOAT16)(), Symbol("i", (), INDEX)()
    text = script(
        [
            le(element("add", x, literal(-1, INT8)), x),
            lt(y, element("neg", y)),
            le(element("mul", z, literal(0x8000, FLOAT16)), literal(floats.nan(FLOAT16), FLOAT16)),
            le(ONE, at(i, ZERO)),
        ]
    )

    assert text == (
        "(set-logic ALL)\n"
        "(declare-fun at (Int Int) Int)\n"
        "(declare-fun s.i () Int)\n"
        "(declare-fun s.x () (_ BitVec 8))\n"
        "(declare-fun s.y () (_ BitVec 8))\n"
        "(declare-fun s.z () (_ FloatingPoint 5 11))\n"
        "(assert (bvsle (bvadd (_ bv255 8) s.x) s.x))\n"
        "(assert (bvult s.y (bvneg s.y)))\n"
        "(assert (fp.leq (fp.mul RNE s.z (fp #b1 #b00000 #b0000000000)) (_ NaN 5 11)))\n"
        "(assert (<= 1 (at s.i 0)))\n"
    )


U8, N, Q = Symbol("u", (), UINT8)(), Symbol("n", (), INT)(), Symbol("q", (), REAL)()


def conversions() -> list[Term]:
    """An assertion about each conversion, and about two types of those that are between several."""
    x, z = Symbol("x", (), INT8)(), Symbol("z", (), FLOAT16)()
    return [
        lt(to_int(x), to_int(U8)),
        eq(wrapped(to_int(U8), INT8), wrapped(N, INT8)),
        le(to_real(N), to_real(z)),
        eq(rounded(Q, FLOAT16), z),
        element("is_nan", rounded(add(Q, to_real(N)), BFLOAT16)),
    ]


def test_golden_conversions() -> None:
    """An integer as a real is SMT-LIB's. The other conversions are functions of those types, of which nothing is
    known but what the rules assert."""
    text = script(conversions())

    assert text == (
        "(set-logic ALL)\n"
        "(declare-fun rounded.bfloat16 (Real) (_ FloatingPoint 8 8))\n"
        "(declare-fun rounded.float16 (Real) (_ FloatingPoint 5 11))\n"
        "(declare-fun to_int.int8 ((_ BitVec 8)) Int)\n"
        "(declare-fun to_int.uint8 ((_ BitVec 8)) Int)\n"
        "(declare-fun to_real.float16 ((_ FloatingPoint 5 11)) Real)\n"
        "(declare-fun wrapped.int8 (Int) (_ BitVec 8))\n"
        "(declare-fun s.n () Int)\n"
        "(declare-fun s.q () Real)\n"
        "(declare-fun s.u () (_ BitVec 8))\n"
        "(declare-fun s.x () (_ BitVec 8))\n"
        "(declare-fun s.z () (_ FloatingPoint 5 11))\n"
        "(assert (not (<= (to_int.uint8 s.u) (to_int.int8 s.x))))\n"
        "(assert (= (wrapped.int8 (to_int.uint8 s.u)) (wrapped.int8 s.n)))\n"
        "(assert (<= (to_real s.n) (to_real.float16 s.z)))\n"
        "(assert (= s.z (rounded.float16 s.q)))\n"
        "(assert (fp.isNaN (rounded.bfloat16 (+ s.q (to_real s.n)))))\n"
    )


def test_both_solvers_read_conversions(solvers: Solvers) -> None:
    """Both solvers accept the text, and know of conversions that equal arguments have equal results, and no more."""
    unknown = [eq(to_int(Symbol("x", (), INT8)()), integer(1000))]
    equal = [eq(N, A), not_(eq(wrapped(N, INT8), wrapped(A, INT8)))]
    exact = [lt(to_real(N), literal(Fraction(1, 2), REAL)), le(ONE, N)]

    assert statuses(solvers, conversions()) == {"z3": "sat", "cvc5": "sat"}
    assert statuses(solvers, unknown) == {"z3": "sat", "cvc5": "sat"}
    assert statuses(solvers, equal) == {"z3": "unsat", "cvc5": "unsat"}
    assert statuses(solvers, exact) == {"z3": "unsat", "cvc5": "unsat"}


@pytest.mark.parametrize("name", ["to_int.int8", "wrapped.int8", "at"])
def test_a_symbol_is_no_conversion(name: str, solvers: Solvers) -> None:
    """A user's function that is called like one of the printer's is another function."""
    own = Symbol(name, (INT,), INT)
    place = Symbol("i", (), INDEX)()
    terms = [le(ONE, own(N)), le(to_int(wrapped(N, INT8)), ZERO), le(at(place, N), ZERO), eq(own(ZERO), N)]

    assert script(terms).count("declare-fun") == 6
    assert statuses(solvers, terms) == {"z3": "sat", "cvc5": "sat"}


def statuses(solvers: Solvers, terms: list[Term]) -> dict[str, str]:
    return {name: answer.status for name, answer in solvers.submit(script(terms)).result().items()}


def test_text_depends_on_the_assertions_alone() -> None:
    """The same assertions have the same text, after others were built and printed too."""
    one = [le(F(A), F(add(A, B))), P]
    before = script(one)
    script([and_(P, le(F(B), A)), eq(F(F(F(A))), B)])

    assert script(one) == before


def test_binders_are_not_printed() -> None:
    """A term that still has a binder is refused."""
    with pytest.raises(AssertionError):
        script([forall(ZERO, A, lambda k: le(F(k), k))])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (Symbol("x y", (), INT), Symbol("x_y", (), INT)),
        (Symbol("x", (), INT), Symbol("x", (INT,), INT)),
        (Symbol("x", (), INT), Symbol("x", (), BOOL)),
    ],
    ids=["other name", "other arguments", "other sort"],
)
def test_different_symbols_have_different_names(one: Symbol, two: Symbol) -> None:
    """Two symbols are never declared as one: else what tells them apart is found unsat. Refusing is as good."""

    def use(symbol: Symbol) -> Term:
        term = apply(symbol, *(ZERO for _ in symbol.arguments))
        return term if term.sort == BOOL else le(ONE, term)

    try:
        text = script([use(one), not_(use(two))])
    except ValueError:
        return

    assert text.count("declare-fun") == 2


def test_texts_have_codes_of_their_own() -> None:
    """Different texts are different numbers, and each number is read as its text."""
    texts = ["", "A", "B", "AA", "\0", "\0\0", "\1", "é", "SAME_UPPER", "\u20ac"]
    codes = [literal_text(text, STRING) for text in texts]

    assert len(set(codes)) == len(texts)
    assert [read_value(code, STRING) for code in codes] == texts
    assert eq(literal("A", STRING), literal("A", STRING)) is TRUE
    assert eq(literal("A", STRING), literal("B", STRING)) is FALSE
