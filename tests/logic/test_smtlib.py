"""The printed text, and the reader of what solvers answer."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sonnx_verify.logic import floats
from sonnx_verify.logic.smtlib import literal_text, read_value, read_values, script
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    FLOATS,
    INDEX,
    INT,
    INTEGERS,
    REAL,
    STRING,
    FloatSort,
    IntegerSort,
    Sort,
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
from sonnx_verify.solvers import Solvers

A, B = Symbol("a", (), INT)(), Symbol("b", (), INT)()
F = Symbol("f", (INT,), INT)
P = Symbol("p", (), BOOL)()
INT8, INT64, UINT8 = INTEGERS[0], INTEGERS[3], INTEGERS[4]
BFLOAT16, FLOAT16, FLOAT, DOUBLE = FLOATS


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
    assert [read(code, STRING) for code in codes] == texts
    assert eq(literal("A", STRING), literal("A", STRING)) is TRUE
    assert eq(literal("A", STRING), literal("B", STRING)) is FALSE


# -------------------------------------------------------------------------------------------------------- model reader

VALUES: list[tuple[str, Sort, object]] = [
    ("true", BOOL, True),
    ("false", BOOL, False),
    ("0", INT, 0),
    ("17", INT, 17),
    ("(- 3)", INT, -3),
    ("(- 3)", INDEX, -3),
    ("(- 3)", ELEMENT, -3),
    ("123456789012345678901234567890", INT, 123456789012345678901234567890),
    ("1", STRING, ""),
    ("321", STRING, "A"),
    ("#xff", INT8, -1),
    ("#xff", UINT8, 255),
    ("#b10000000", INT8, -128),
    ("#b01111111", INT8, 127),
    ("#x8000000000000000", INT64, -(1 << 63)),
    ("(_ bv255 8)", INT8, -1),
    ("(_ bv255 8)", UINT8, 255),
    ("(_ +oo 8 24)", FLOAT, 0x7F800000),
    ("(_ -oo 8 24)", FLOAT, 0xFF800000),
    ("(_ +zero 8 24)", FLOAT, 0),
    ("(_ -zero 8 24)", FLOAT, 0x80000000),
    ("(_ NaN 8 24)", FLOAT, 0x7FC00000),
    ("(_ NaN 11 53)", DOUBLE, 0x7FF8000000000000),
    ("(_ -oo 5 11)", FLOAT16, 0xFC00),
    ("(_ NaN 8 8)", BFLOAT16, 0x7FC0),
    ("(fp #b0 #x7f #b10000000000000000000000)", FLOAT, 0x3FC00000),
    ("(fp #b0 #b01111111 #b10000000000000000000000)", FLOAT, 0x3FC00000),
    ("(fp #b1 #b00000 #b0000000001)", FLOAT16, 0x8001),
    ("(fp #b1 #xff #b0000000)", BFLOAT16, 0xFF80),
    ("(fp #b1 #xff #b0000001)", BFLOAT16, 0x7FC0),
    ("(fp #b1 #b10000000000 #x8000000000000)", DOUBLE, 0xC008000000000000),
]


def read(text: str, sort: Sort) -> object:
    ((name, tree),) = read_values(f"((x {text}))")
    assert name == "x"
    return read_value(tree, sort)


@pytest.mark.parametrize(("text", "sort", "value"), VALUES)
def test_values(text: str, sort: Sort, value: object) -> None:
    """Both solvers' ways of writing a value are read, as the value of the sort."""
    found = read(text, sort)

    assert (type(found), found) == (type(value), value)


REALS = [
    ("3.0", Fraction(3)),
    ("(- 3.0)", Fraction(-3)),
    ("(/ 1.0 3.0)", Fraction(1, 3)),
    ("(/ 1 3)", Fraction(1, 3)),
    ("(- (/ 1.0 3.0))", Fraction(-1, 3)),
    ("(/ (- 1.0) 3.0)", Fraction(-1, 3)),
    ("(/ (- 1) 3)", Fraction(-1, 3)),
]


@pytest.mark.parametrize(("text", "value"), REALS)
def test_reals(text: str, value: Fraction) -> None:
    """Reals are read as fractions."""
    assert read(text, REAL) == value


@pytest.mark.parametrize(
    "text",
    [
        "((a 1)",
        "(a 1))",
        ")",
        "((a))",
        "((a 1 2))",
        "(a 1)",
        "(((f 0) 1))",
    ],
)
def test_malformed_answers(text: str) -> None:
    """Text that is no list of pairs of names and values is an error, never a value."""
    with pytest.raises(ValueError, match=r"unbalanced|not a pair"):
        read_values(text)


MALFORMED: list[tuple[str, Sort]] = [
    ("1", BOOL),
    ("maybe", BOOL),
    ("true", INT),
    ("1.5", INT),
    ("(- x)", INT),
    ("(- (- 1))", INT),
    ("(+ 1 2)", INT),
    ("1", UINT8),
    ("true", UINT8),
    ("#b2", UINT8),
    ("#xgg", UINT8),
    ("(_ bvx 8)", UINT8),
    ("(_ 5 8)", UINT8),
    ("1.0", FLOAT),
    ("#x3f800000", FLOAT),
    ("(_ inf 8 24)", FLOAT),
    ("(fp #b0 #x7f)", FLOAT),
    ("(fp 0 127 0)", FLOAT),
    ("()", INT),
    ("0", STRING),
    ("(- 1)", STRING),
    ("2", STRING),
    ("511", STRING),
    ("1.5", STRING),
]


@pytest.mark.parametrize(("text", "sort"), MALFORMED)
def test_malformed_values(text: str, sort: Sort) -> None:
    """A tree that stands for no value of the sort is a ValueError."""
    with pytest.raises(ValueError):
        read(text, sort)


MISFITS: list[tuple[str, Sort]] = [
    ("#x1ff", UINT8),
    ("#b1", INT8),
    ("(_ bv300 8)", UINT8),
    ("(_ bv3 16)", UINT8),
    ("(_ +oo 5 11)", FLOAT),
    ("(fp #b1 #b11 #b1)", FLOAT),
]


@pytest.mark.parametrize(("text", "sort"), MISFITS)
def test_values_of_other_widths(text: str, sort: Sort) -> None:
    """A value of another width is a ValueError."""
    with pytest.raises(ValueError):
        read(text, sort)


def special(sort: Sort) -> list[object]:
    match sort:
        case IntegerSort():
            return [sort.lowest, 0, 1, sort.greatest]
        case FloatSort():
            finite = [floats.zero(sort), floats.zero(sort, True), 1, floats.lowest(sort), floats.from_float(sort, 0.1)]
            return [*finite, floats.nan(sort), floats.infinity(sort), floats.infinity(sort, True)]
        case _ if sort == BOOL:
            return [False, True]
        case _:
            return [0, 7, -(1 << 70)]


@pytest.mark.parametrize("sort", [BOOL, INT, *INTEGERS, *FLOATS], ids=str)
def test_values_come_back(sort: Sort, solvers: Solvers) -> None:
    """What the printer writes, each solver's model gives back, and the reader reads as the same value."""
    values = special(sort)
    symbols = [Symbol(f"x{n}", (), sort) for n in range(len(values))]
    # Behind a function: a constraint that is a plain equation might be answered by repeating it.
    same = Symbol("same", (sort,), sort)
    given = [eq(same(s()), s()) for s in symbols]
    text = script([*given, *(eq(same(s()), literal(v, sort)) for s, v in zip(symbols, values, strict=True))])
    answers = solvers.submit(text, tuple(f"s.x{n}" for n in range(len(values)))).result()
    read_back = {
        name: [read_value(tree, sort) for _, tree in read_values(answer.model)] for name, answer in answers.items()
    }

    assert read_back == {"z3": values, "cvc5": values}
