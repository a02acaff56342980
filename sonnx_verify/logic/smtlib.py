"""The printer: ground terms to SMT-LIB 2.6.

Trusted: a text that says something else is another question, and its answer that to another one. Only terms without
binders are printed. Text depends on the structure of the assertions alone, so that a query has one hash on every
machine. tests/logic/test_terms_agree.py holds each operator in both solvers against the evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.operators import GROUPS, OPERATORS, Group, Op
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    INDEX,
    INT,
    REAL,
    STRING,
    FloatSort,
    IntegerSort,
    MinifloatSort,
    Sort,
)
from sonnx_verify.logic.terms import Symbol, Term

_SORTS = {BOOL: "Bool", INT: "Int", REAL: "Real", INDEX: "Int", ELEMENT: "Int", STRING: "Int"}
_AT = "at"


def sort_text(sort: Sort) -> str:
    """The SMT-LIB sort. Indices, abstract elements and texts are encoded as Int: only sameness and a total order are
    used. A text is the number of its bytes behind a one, so different texts are different numbers."""
    match sort:
        case IntegerSort():
            return f"(_ BitVec {sort.width})"
        case FloatSort():
            return f"(_ FloatingPoint {sort.exponent} {sort.significand})"
        case _:
            return _SORTS[sort]


def has_floats(text: str) -> bool:
    """Return whether a script has a float in it. No name of a symbol has a blank."""
    return "(_ FloatingPoint " in text


# One name for one symbol: "a b" becomes a~20~b, and a symbol that is called a~20~b becomes a~7e~20~7e~b.
@cache
def symbol_text(symbol: Symbol) -> str:
    """The name under which a symbol is declared; the prefix keeps users' names apart from SMT-LIB's words, and what
    SMT-LIB does not allow in a name is spelled out."""
    return "s." + re.sub(r"[^A-Za-z0-9_.!@$%^&*+<>=/?-]", lambda found: f"~{ord(found[0]):x}~", symbol.name)


def literal_text(value: object, sort: Sort) -> str:
    """A value of the sort."""
    match sort:
        case IntegerSort():
            assert isinstance(value, int)
            return f"(_ bv{value % (1 << sort.width)} {sort.width})"
        case FloatSort():
            assert isinstance(value, int)
            if floats.is_nan(sort, value):
                return f"(_ NaN {sort.exponent} {sort.significand})"
            if isinstance(sort, MinifloatSort):
                carrier = sort.carrier
                return literal_text(floats.convert(sort, value, carrier), carrier)
            bits = format(value, f"0{sort.width}b")
            split = 1 + sort.exponent
            return f"(fp #b{bits[0]} #b{bits[1:split]} #b{bits[split:]})"
        case _ if sort == BOOL:
            return str(value).lower()
        case _ if sort == REAL:
            # A number without a point would be an Int: z3 would decide that too, were it not told to be compliant.
            assert isinstance(value, Fraction)
            return _signed(f"(/ {abs(value.numerator)}.0 {value.denominator}.0)", value)
        case _ if sort == STRING:
            assert isinstance(value, str)
            return str(_code_of(value))
        case _:
            assert isinstance(value, int)
            return _signed(str(abs(value)), value)


def _signed(magnitude: str, value: int | Fraction) -> str:
    """The text of a number of that magnitude. SMT-LIB has no negative numerals: -1 is (- 1)."""
    if value < 0:
        return f"(- {magnitude})"
    return magnitude


def _code_of(text: str) -> int:
    # The one in front keeps zeros at the start: without it "" and "\0" would be one number.
    return int.from_bytes(b"\1" + text.encode(), "big")


# Names that depend on the sort; all others stand in OPERATORS. RNE rounds to nearest, ties to even, as the evaluator
# does. Without it a text is no SMT-LIB.
_INTEGER_NAMES = {ops.ADD: "bvadd", ops.SUB: "bvsub", ops.MUL: "bvmul", ops.NEG: "bvneg"}
_FLOAT_NAMES = {ops.ADD: "fp.add RNE", ops.SUB: "fp.sub RNE", ops.MUL: "fp.mul RNE", ops.NEG: "fp.neg"}

_SIGNED_COMPARISONS = {ops.AT_MOST: "bvsle", ops.LESS: "bvslt"}
_UNSIGNED_COMPARISONS = {ops.AT_MOST: "bvule", ops.LESS: "bvult"}
_FLOAT_COMPARISONS = {ops.AT_MOST: "fp.leq", ops.LESS: "fp.lt"}


def _head(term: Term) -> str:
    """The text before the arguments."""
    if term.op is ops.APPLY:
        assert isinstance(term.payload, Symbol)
        return symbol_text(term.payload)
    plain = OPERATORS[term.op].smt
    if plain is not None:
        return plain
    if term.op is ops.FMOD:
        return _fmod_name(term.sort)
    if term.op is ops.REAL_FUNCTION:
        return f"real.{term.payload}"
    sort = term.args[0].sort if term.args else term.sort
    match term.op:
        case ops.AT:
            return _AT
        case ops.AT_MOST | ops.LESS if isinstance(sort, IntegerSort):
            # Bit vectors have no sign of their own: the bits of -1 and of 255 are the same, and only -1 < 1 is true.
            return _SIGNED_COMPARISONS[term.op] if sort.signed else _UNSIGNED_COMPARISONS[term.op]
        case ops.AT_MOST | ops.LESS if isinstance(sort, FloatSort):
            return _FLOAT_COMPARISONS[term.op]
        case ops.AT_MOST | ops.LESS:
            return term.op
        case _ if term.op in GROUPS[Group.CONVERSION]:
            return _conversion_text(term)
        case _ if term.op in GROUPS[Group.BITS]:
            return _bits_text(term)
        case _ if term.op in GROUPS[Group.ELEMENT] and isinstance(sort, FloatSort):
            return _FLOAT_NAMES[term.op]
        case _ if term.op in GROUPS[Group.ELEMENT]:
            return _INTEGER_NAMES[term.op]
        case _:
            raise AssertionError(f"{term.op} is not printed: it has to be expanded before")


def _fmod_name(sort: Sort) -> str:
    return f"fmod.{sort}"


def _fmod_text(sort: Sort) -> str:
    """The definition of C's `fmod` by the remainder of IEEE 754, which is the only one that SMT-LIB has.

    The remainder r of |x| by |y| is below 0 where the quotient was rounded up, and then r + |y| is the one of the
    quotient rounded down: at least |y| / 2 and less than |y|, so it is a float and is not rounded. C's Annex F gives
    the same definition.
    """
    name, kind = _fmod_name(sort), sort_text(sort)
    least = "(fp.rem (fp.abs x) (fp.abs y))"
    positive = f"(ite (fp.lt {least} {literal_text(0, sort)}) (fp.add RNE {least} (fp.abs y)) {least})"
    signed = f"(ite (fp.isNegative x) (fp.neg {positive}) {positive})"
    return f"(define-fun {name} ((x {kind}) (y {kind})) {kind} {signed})"


def _is_declared(node: Term) -> bool:
    """Return whether a node is a conversion that solvers do not know, so that a script declares a function for it."""
    if node.op not in GROUPS[Group.CONVERSION] or OPERATORS[node.op].smt is not None:
        return False
    return node.op is not ops.TO_REAL or node.args[0].sort != INT


def _conversion_text(term: Term) -> str:
    """An integer as a real, and the floor of a real, are known to solvers. Of other conversions they know what the
    rules say of them."""
    sort = term.args[0].sort
    if term.op is ops.TO_REAL and sort == INT:
        return "to_real"
    # A function for each machine sort. `wrapped` and `rounded` lead to it, the others away from it.
    if term.op in (ops.WRAPPED, ops.ROUNDED):
        sort = term.sort
    return f"{term.op}.{sort}"


def _bits_text(term: Term) -> str:
    """The operator of bits. `to_fp` is two: without a rounding it reads bits, with one it converts a float or a signed
    integer."""
    source, sort = term.args[0].sort, term.sort
    if isinstance(sort, MinifloatSort):
        return _nearest_name(sort, source)
    if isinstance(sort, FloatSort):
        format_ = f"{sort.exponent} {sort.significand}"
        if term.op is ops.OF_BITS:
            return f"(_ to_fp {format_})"
        if isinstance(source, IntegerSort) and not source.signed:
            return f"(_ to_fp_unsigned {format_}) RNE"
        return f"(_ to_fp {format_}) RNE"
    assert isinstance(source, IntegerSort)
    assert isinstance(sort, IntegerSort)
    if term.op is ops.SHIFT_RIGHT:
        return "bvashr" if sort.signed else "bvlshr"
    more = sort.width - source.width
    if more < 0:
        return f"(_ extract {sort.width - 1} 0)"
    # The sign of the source decides: 255 of uint8 is 255 of int16, and -1 of int8 is 65535 of uint16.
    extension = "sign_extend" if source.signed else "zero_extend"
    return f"(_ {extension} {more})"


_WIDE = FloatSort("float", 8, 24)


# A minifloat is a value of the least format of IEEE 754 that has all of its values. Most values of that format are no
# minifloats: what a solver chooses freely is read as a NaN where it is none, wherever it is used. So each choice is a
# value, each value can be chosen, and the same choice is the same value.


def _nearest_name(sort: MinifloatSort, source: Sort) -> str:
    return f"nearest.{sort}.{source}"


def nearest_text(sort: MinifloatSort, source: Sort) -> str:
    """The definition of the minifloat nearest to a float, ties to even, as a value of the carrier.

    From the least normal minifloat on it is the nearest of the carrier, which has as many bits there; beyond the
    greatest it is NaN. Below it is a multiple of the least minifloat: x is divided by that, rounded to an integer and
    multiplied. Each of these steps is exact: to scale by a power of 2 is, of a number so small, and the integer is at
    most 2 to the significand less one. It keeps the sign, also of what becomes 0. NaN fails both comparisons.
    """
    assert isinstance(source, FloatSort)
    carrier, least = sort.carrier, floats.to_fraction(sort, floats.smallest_subnormal(sort))
    # z3 fails to round to an integer in formats of few bits; float has all values of these.
    wide, x = source, "x"
    if source.exponent <= _WIDE.exponent and source.significand <= _WIDE.significand:
        wide, x = _WIDE, f"((_ to_fp {_WIDE.exponent} {_WIDE.significand}) RNE x)"

    def number(value: Fraction, of: FloatSort) -> str:
        return literal_text(floats.round_to_nearest(of, value), of)

    converted = f"(_ to_fp {carrier.exponent} {carrier.significand}) RNE"
    whole = f"(fp.roundToIntegral RNE (fp.mul RNE w {number(1 / least, wide)}))"
    small = f"({converted} (fp.mul RNE {whole} {number(least, wide)}))"
    is_small = f"(fp.lt (fp.abs w) {number(least * 2 ** (sort.significand - 1), wide)})"
    greatest = number(floats.to_fraction(sort, floats.greatest(sort)), carrier)
    large = f"(ite (fp.leq (fp.abs y) {greatest}) y {literal_text(floats.nan(carrier), carrier)})"
    body = f"(let ((w {x}) (y ({converted} x))) (ite {is_small} {small} {large}))"
    return f"(define-fun {_nearest_name(sort, source)} ((x {sort_text(source)})) {sort_text(sort)} {body})"


def _among_name(sort: MinifloatSort) -> str:
    return f"among.{sort}"


def _among_text(sort: MinifloatSort) -> str:
    """The definition of the minifloat that a value of the carrier is read as: itself, or NaN where it is none.

    From the least normal minifloat on each value of the carrier up to the greatest is one, as both formats have as many
    bits; below it those are whose magnitude is one of a few.
    """
    carrier = sort.carrier

    def number(bits: int) -> str:
        return literal_text(floats.convert(sort, bits, carrier), carrier)

    normal = 1 << (sort.significand - 1)
    few = " ".join(f"(= a {number(bits)})" for bits in range(normal))
    is_one = f"(and (fp.leq a {number(floats.greatest(sort))}) (or (fp.leq {number(normal)} a) {few}))"
    body = f"(let ((a (fp.abs x))) (ite {is_one} x {literal_text(floats.nan(carrier), carrier)}))"
    return f"(define-fun {_among_name(sort)} ((x {sort_text(sort)})) {sort_text(sort)} {body})"


def _is_chosen(node: Term) -> bool:
    """Return whether a node is a minifloat that a solver chooses: any other is made of minifloats, or rounded to
    one."""
    return isinstance(node.sort, MinifloatSort) and node.op in (ops.APPLY, ops.ROUNDED)


def script(assertions: Iterable[Term]) -> str:
    """A complete script of the assertions, without check-sat. ValueError when two symbols would share a name."""
    terms = list(assertions)
    uses = _uses(terms)
    lines = _declarations(uses)
    texts: dict[Term, str] = {}
    names = 0
    for term in terms:
        for node in _unprinted(term, texts):
            if not node.args and not _is_chosen(node):
                texts[node] = _leaf(node)
                continue
            text = _applied(node, texts)
            # Written out each time, what is shared would make a text that doubles with each level.
            if len(text) > 24 and uses[node] > 1:
                names += 1
                lines.append(f"(define-fun d!{names} () {sort_text(node.sort)} {text})")
                text = f"d!{names}"
            texts[node] = text
        lines.append(f"(assert {texts[term]})")
    return "\n".join(lines) + "\n"


def _applied(node: Term, texts: Mapping[Term, str]) -> str:
    """The text of a node whose arguments have theirs."""
    text = _leaf(node)
    if node.args:
        text = f"({text} {' '.join([texts[a] for a in node.args])})"
    if _is_chosen(node):
        assert isinstance(node.sort, MinifloatSort)
        return f"({_among_name(node.sort)} {text})"
    return text


def _declarations(nodes: Collection[Term]) -> list[str]:
    """The logic, and a declaration of each free function."""
    symbols: dict[str, Symbol] = {}
    functions: dict[str, str] = {}
    defined: set[str] = set()
    plain = True
    for node in nodes:
        if _is_chosen(node):
            assert isinstance(node.sort, MinifloatSort)
            defined.add(_among_text(node.sort))
        plain = plain and _is_plain(node)
        if node.op is ops.APPLY:
            symbol = node.payload
            assert isinstance(symbol, Symbol)
            # Two symbols under one name would be one function to a solver, with the laws of both.
            if symbols.setdefault(symbol_text(symbol), symbol) is not symbol:
                raise ValueError(f"two symbols are called {symbol.name}")
        elif node.op is ops.REAL_FUNCTION:
            functions[_head(node)] = f"({' '.join(sort_text(a.sort) for a in node.args)}) Real"
        elif node.op is ops.FMOD:
            defined.add(_fmod_text(node.sort))
        elif node.op is Op.CONVERTED and isinstance(node.sort, MinifloatSort):
            defined.add(nearest_text(node.sort, node.args[0].sort))
        elif _is_declared(node):
            functions[_head(node)] = f"({sort_text(node.args[0].sort)}) {sort_text(node.sort)}"
    lines = ["(set-logic ALL)"]
    if plain:
        lines = ["(set-logic QF_UFLIA)"]
    elif all(map(_is_polynomial, nodes)):
        # cvc5 finds no answer in ALL to what it decides at once in this one.
        lines = ["(set-logic QF_NRA)"]
    if any(node.op is ops.AT for node in nodes):
        lines.append(f"(declare-fun {_AT} (Int Int) Int)")
    lines += sorted(defined)
    lines += [f"(declare-fun {name} {signature})" for name, signature in sorted(functions.items())]
    for name, symbol in sorted(symbols.items()):
        domain = " ".join(sort_text(sort) for sort in symbol.arguments)
        lines.append(f"(declare-fun {name} ({domain}) {sort_text(symbol.result)})")
    return lines


def _is_plain(node: Term) -> bool:
    """Return whether QF_UFLIA has the node: integers, truth values, free functions, and no product of unknowns."""
    sort = node.sort
    # Most nodes are of these two.
    if sort is not INT and sort is not BOOL and (sort is REAL or isinstance(sort, IntegerSort | FloatSort)):
        return False
    if node.op is ops.TIMES:
        return node.args[0].op is ops.LITERAL
    return node.op not in (ops.DIV, ops.MOD)


def _is_polynomial(node: Term) -> bool:
    """Return whether QF_NRA has the node: truth values, real constants, and polynomials of them."""
    if node.sort not in (BOOL, REAL):
        return False
    if node.op is ops.APPLY:
        return not node.args
    return node.op not in (ops.QUOTIENT, ops.REAL_FUNCTION, ops.TO_REAL)


def _unprinted(term: Term, texts: Mapping[Term, str]) -> Iterator[Term]:
    """The subterms that have no text yet, arguments before what uses them. Each has one when the next is asked for."""
    stack = [term]
    while stack:
        node = stack[-1]
        missing = [] if node in texts else [arg for arg in node.args if arg not in texts]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if node not in texts:
            yield node


def _uses(terms: list[Term]) -> dict[Term, int]:
    """The number of times that each subterm stands in another, or alone: what is shared inside counts once."""
    uses: dict[Term, int] = {}
    for term in terms:
        stack: list[Term] = []
        if term not in uses:
            stack.append(term)
        uses[term] = uses.get(term, 0) + 1
        while stack:
            for arg in stack.pop().args:
                known = uses.get(arg, 0)
                uses[arg] = known + 1
                if not known:
                    stack.append(arg)
    return uses


def _leaf(node: Term) -> str:
    if node.op is ops.LITERAL:
        return literal_text(node.payload, node.sort)
    return _head(node)
