"""The printer: ground terms to SMT-LIB 2.6, and the reader of the values that a solver answers.

Only terms without binders are printed. Text depends on the structure of the assertions alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import GROUPS, OPERATORS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, subterms

_SORTS = {BOOL: "Bool", INT: "Int", REAL: "Real", INDEX: "Int", ELEMENT: "Int"}
_AT = "at"


def sort_text(sort: Sort) -> str:
    """The SMT-LIB sort. Indices and abstract elements are encoded as Int: only sameness and a total order are used."""
    match sort:
        case IntegerSort():
            return f"(_ BitVec {sort.width})"
        case FloatSort():
            return f"(_ FloatingPoint {sort.exponent} {sort.significand})"
        case _:
            return _SORTS[sort]


def symbol_text(symbol: Symbol) -> str:
    """The name under which a symbol is declared; the prefix keeps users' names apart from SMT-LIB's words."""
    return "s." + re.sub(r"[^A-Za-z0-9_.!@$%^&*+<>=/?~-]", "_", symbol.name)


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
        case _:
            assert isinstance(value, int)
            return str(value) if value >= 0 else f"(- {-value})"


_INTEGER_NAMES = {"add": "bvadd", "sub": "bvsub", "mul": "bvmul", "neg": "bvneg"}
_FLOAT_NAMES = {"add": "fp.add RNE", "sub": "fp.sub RNE", "mul": "fp.mul RNE", "neg": "fp.neg"}


def _head(term: Term) -> str:
    sort = term.args[0].sort if term.args else term.sort
    match term.op:
        case "apply":
            assert isinstance(term.payload, Symbol)
            return symbol_text(term.payload)
        case "at":
            return _AT
        case "<=" | "<" if isinstance(sort, IntegerSort):
            return ("bvs" if sort.signed else "bvu") + ("le" if term.op == "<=" else "lt")
        case "<=" | "<" if isinstance(sort, FloatSort):
            return "fp.leq" if term.op == "<=" else "fp.lt"
        case "<=" | "<":
            return term.op
        case _ if term.op in GROUPS["element"]:
            return (_FLOAT_NAMES if isinstance(sort, FloatSort) else _INTEGER_NAMES)[term.op]
        case _:
            name = OPERATORS[term.op].smt
            assert name is not None, f"{term.op} is not printed: it has to be expanded before"
            return name


def script(assertions: Iterable[Term]) -> str:
    """A complete script of the assertions, without check-sat."""
    terms = list(assertions)
    order: dict[Term, int] = {}
    for term in terms:
        order[term] = order.get(term, 0) + 1
        for node in _new_subterms(term, order):
            for arg in node.args:
                order[arg] = order.get(arg, 0) + 1
    symbols: dict[str, str] = {}
    uses_at = plain = False
    plain = True
    for node in order:
        if node.op == "apply":
            symbol = node.payload
            assert isinstance(symbol, Symbol)
            domain = " ".join(sort_text(s) for s in symbol.arguments)
            symbols[symbol_text(symbol)] = f"({domain}) {sort_text(symbol.result)}"
        uses_at = uses_at or node.op == "at"
        plain = plain and not isinstance(node.sort, IntegerSort | FloatSort) and node.sort != REAL
        plain = plain and not (node.op in ("div", "mod") or (node.op == "*" and node.args[0].op != "literal"))
    lines = [f"(set-logic {'QF_UFLIA' if plain else 'ALL'})"]
    if uses_at:
        lines.append(f"(declare-fun {_AT} (Int Int) Int)")
    lines += [f"(declare-fun {name} {signature})" for name, signature in sorted(symbols.items())]
    texts: dict[Term, str] = {}
    names = 0
    for term in terms:
        for node in subterms_missing(term, texts):
            text = _text(node, texts)
            if node.args and order[node] > 1 and len(text) > 24:
                names += 1
                lines.append(f"(define-fun d!{names} () {sort_text(node.sort)} {text})")
                text = f"d!{names}"
            texts[node] = text
        lines.append(f"(assert {texts[term]})")
    return "\n".join(lines) + "\n"


def _new_subterms(term: Term, counted: dict[Term, int]) -> list[Term]:
    """The subterms whose arguments have not been counted yet."""
    if counted.get(term, 0) > 1:
        return []
    found, stack, seen = [], [term], {term}
    while stack:
        node = stack.pop()
        found.append(node)
        for arg in node.args:
            if arg not in seen and arg not in counted:
                seen.add(arg)
                stack.append(arg)
    return found


def subterms_missing(term: Term, known: dict[Term, str]) -> Iterable[Term]:
    """The subterms that have no text yet, arguments first."""
    return [node for node in subterms(term) if node not in known]


def _text(node: Term, texts: dict[Term, str]) -> str:
    if node.op == "literal":
        return literal_text(node.payload, node.sort)
    head = _head(node)
    if not node.args:
        return head
    return f"({head} {' '.join(texts[a] for a in node.args)})"


# ------------------------------------------------------------------------------------------------------ model reader

_TOKEN = re.compile(r"\(|\)|\|[^|]*\||[^\s()]+")
Tree = str | list["Tree"]


def read_values(text: str) -> list[tuple[str, Tree]]:
    """The pairs of a solver's answer to get-value: names and the trees of their values. ValueError when malformed."""
    stack: list[list[Tree]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise ValueError("unbalanced answer")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token.strip("|"))
    if len(stack) != 1:
        raise ValueError("unbalanced answer")
    pairs = []
    for group in stack[0]:
        for pair in group if isinstance(group, list) else []:
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise ValueError(f"not a pair: {pair}")
            pairs.append((pair[0], pair[1]))
    return pairs


def read_value(tree: Tree, sort: Sort) -> object:
    """The value of the sort that the tree stands for. ValueError when it is none."""
    match tree, sort:
        case ("true" | "false", _) if sort == BOOL:
            return tree == "true"
        case (str(), IntegerSort()):
            bits = _bits(tree)
            return bits - (1 << sort.width) if sort.signed and bits > sort.greatest else bits
        case (["_", str(name), str(_)], IntegerSort()) if name.startswith("bv"):
            return read_value(f"#b{int(name[2:]):b}", sort)
        case (["fp", str(sign), str(exponent), str(rest)], FloatSort()):
            bits = _bits(sign) << (sort.width - 1) | _bits(exponent) << (sort.significand - 1) | _bits(rest)
            return floats.canonical(sort, bits)
        case (["_", str(name), str(_), str(_)], FloatSort()):
            special = {
                "NaN": floats.nan(sort),
                "+oo": floats.infinity(sort),
                "-oo": floats.infinity(sort, negative=True),
                "+zero": floats.zero(sort),
                "-zero": floats.zero(sort, negative=True),
            }
            if name in special:
                return special[name]
        case (str(), _) if sort in (INT, INDEX, ELEMENT):
            return int(tree)
        case (["-", str(number)], _) if sort in (INT, INDEX, ELEMENT):
            return -int(number)
        case _:
            pass
    raise ValueError(f"no value of {sort}: {tree}")


def _bits(text: str) -> int:
    if text.startswith("#b"):
        return int(text[2:], 2)
    if text.startswith("#x"):
        return int(text[2:], 16)
    raise ValueError(f"no bit vector: {text}")
