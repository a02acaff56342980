"""The printer: ground terms to SMT-LIB 2.6.

Only terms without binders are printed. Text depends on the structure of the assertions alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.operators import GROUPS, OPERATORS, Group
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, FloatSort, IntegerSort, Sort
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
            bits = format(value, f"0{sort.width}b")
            split = 1 + sort.exponent
            return f"(fp #b{bits[0]} #b{bits[1:split]} #b{bits[split:]})"
        case _ if sort == BOOL:
            return "true" if value else "false"
        case _ if sort == REAL:
            assert isinstance(value, Fraction)
            number = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
            return number if value >= 0 else f"(- {number})"
        case _ if sort == STRING:
            assert isinstance(value, str)
            return str(_code_of(value))
        case _:
            assert isinstance(value, int)
            return str(value) if value >= 0 else f"(- {-value})"


def _code_of(text: str) -> int:
    return int.from_bytes(b"\1" + text.encode(), "big")


_INTEGER_NAMES = {ops.ADD: "bvadd", ops.SUB: "bvsub", ops.MUL: "bvmul", ops.NEG: "bvneg"}
_FLOAT_NAMES = {ops.ADD: "fp.add RNE", ops.SUB: "fp.sub RNE", ops.MUL: "fp.mul RNE", ops.NEG: "fp.neg"}


def _head(term: Term) -> str:
    if term.op is ops.APPLY:
        assert isinstance(term.payload, Symbol)
        return symbol_text(term.payload)
    plain = OPERATORS[term.op].smt
    if plain is not None:
        return plain
    sort = term.args[0].sort if term.args else term.sort
    match term.op:
        case ops.AT:
            return _AT
        case ops.AT_MOST | ops.LESS if isinstance(sort, IntegerSort):
            return ("bvs" if sort.signed else "bvu") + ("le" if term.op is ops.AT_MOST else "lt")
        case ops.AT_MOST | ops.LESS if isinstance(sort, FloatSort):
            return "fp.leq" if term.op is ops.AT_MOST else "fp.lt"
        case ops.AT_MOST | ops.LESS:
            return term.op
        case _ if term.op in GROUPS[Group.CONVERSION]:
            return _conversion_text(term)
        case _ if term.op in GROUPS[Group.BITS]:
            return _bits_text(term)
        case _ if term.op in GROUPS[Group.ELEMENT]:
            return (_FLOAT_NAMES if isinstance(sort, FloatSort) else _INTEGER_NAMES)[term.op]
        case _:
            raise AssertionError(f"{term.op} is not printed: it has to be expanded before")


def _conversion_text(term: Term) -> str:
    """An integer as a real, and the floor of a real, are known to solvers. Of other conversions they know what the
    rules say of them."""
    sort = term.args[0].sort
    if term.op is ops.FLOOR:
        return "to_int"
    if term.op is ops.TO_REAL and sort == INT:
        return "to_real"
    return f"{term.op}.{term.sort if term.op in (ops.WRAPPED, ops.ROUNDED) else sort}"


def _bits_text(term: Term) -> str:
    source, sort = term.args[0].sort, term.sort
    if isinstance(sort, FloatSort):
        format_ = f"{sort.exponent} {sort.significand}"
        if term.op is ops.OF_BITS:
            return f"(_ to_fp {format_})"
        signed = not isinstance(source, IntegerSort) or source.signed
        return f"(_ {'to_fp' if signed else 'to_fp_unsigned'} {format_}) RNE"
    assert isinstance(source, IntegerSort)
    assert isinstance(sort, IntegerSort)
    if term.op is ops.SHIFT_RIGHT:
        return "bvashr" if sort.signed else "bvlshr"
    more = sort.width - source.width
    if more < 0:
        return f"(_ extract {sort.width - 1} 0)"
    return f"(_ {'sign_extend' if source.signed else 'zero_extend'} {more})"


def script(assertions: Iterable[Term]) -> str:
    """A complete script of the assertions, without check-sat. ValueError when two symbols would share a name."""
    terms = list(assertions)
    uses = _uses(terms)
    symbols: dict[str, Symbol] = {}
    conversions: dict[str, str] = {}
    uses_at, plain = False, True
    for node in uses:
        sort = node.sort
        if sort is not INT and sort is not BOOL:
            plain = plain and not isinstance(sort, IntegerSort | FloatSort) and sort is not REAL
        if node.op is ops.APPLY:
            symbol = node.payload
            assert isinstance(symbol, Symbol)
            if symbols.setdefault(symbol_text(symbol), symbol) is not symbol:
                raise ValueError(f"two symbols are called {symbol.name}")
        elif node.op is ops.AT:
            uses_at = True
        elif node.op in (ops.DIV, ops.MOD) or (node.op is ops.TIMES and node.args[0].op is not ops.LITERAL):
            plain = False
        elif node.op in GROUPS[Group.CONVERSION] and _head(node) not in ("to_real", "to_int"):
            conversions[_head(node)] = f"({sort_text(node.args[0].sort)}) {sort_text(sort)}"
    lines = [f"(set-logic {'QF_UFLIA' if plain else 'ALL'})"]
    if uses_at:
        lines.append(f"(declare-fun {_AT} (Int Int) Int)")
    lines += [f"(declare-fun {name} {signature})" for name, signature in sorted(conversions.items())]
    for name, symbol in sorted(symbols.items()):
        domain = " ".join(sort_text(sort) for sort in symbol.arguments)
        lines.append(f"(declare-fun {name} ({domain}) {sort_text(symbol.result)})")
    texts: dict[Term, str] = {}
    names = 0
    for term in terms:
        stack = [term]
        while stack:
            node = stack[-1]
            if node in texts:
                stack.pop()
                continue
            missing = []
            for arg in node.args:
                if arg not in texts:
                    if arg.args:
                        missing.append(arg)
                    else:
                        texts[arg] = _leaf(arg)
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if not node.args:
                texts[node] = _leaf(node)
                continue
            text = f"({_head(node)} {' '.join([texts[a] for a in node.args])})"
            if len(text) > 24 and uses[node] > 1:
                names += 1
                lines.append(f"(define-fun d!{names} () {sort_text(node.sort)} {text})")
                text = f"d!{names}"
            texts[node] = text
        lines.append(f"(assert {texts[term]})")
    return "\n".join(lines) + "\n"


def _uses(terms: list[Term]) -> dict[Term, int]:
    """How often each subterm stands in another, or alone: what is shared inside counts once."""
    uses: dict[Term, int] = {}
    for term in terms:
        stack = [] if term in uses else [term]
        uses[term] = uses.get(term, 0) + 1
        while stack:
            for arg in stack.pop().args:
                known = uses.get(arg)
                uses[arg] = 1 if known is None else known + 1
                if known is None:
                    stack.append(arg)
    return uses


def _leaf(node: Term) -> str:
    return literal_text(node.payload, node.sort) if node.op is ops.LITERAL else _head(node)
