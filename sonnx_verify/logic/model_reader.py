"""The reader of the values that a solver answers to get-value: SMT-LIB text to values of the evaluator.

Not trusted: no verdict rests on a solver's model. `conform` proposes inputs from models and runs them; the tests hold
the printer against what solvers take its text for. A value that is malformed raises ValueError, and is never guessed.
"""

from __future__ import annotations

import re
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, REAL, STRING, FloatSort, IntegerSort, MinifloatSort, Sort

_TOKEN = re.compile(r"\(|\)|\|[^|]*\||[^\s()]+")
Tree = str | list["Tree"]
_TRUTH = {"true": True, "false": False}


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
            # SMT-LIB quotes a name with `|` where it is no plain symbol: `|X0.dim|` and `X0.dim` are one name.
            stack[-1].append(token.strip("|"))
    if len(stack) != 1:
        raise ValueError("unbalanced answer")
    return [_pair(tree) for group in stack[0] if isinstance(group, list) for tree in group]


def _pair(tree: Tree) -> tuple[str, Tree]:
    match tree:
        case [str(name), value]:
            return name, value
        case _:
            raise ValueError(f"not a pair: {tree}")


def read_value(tree: Tree, sort: Sort) -> object:
    """The value of the sort that the tree stands for. ValueError when it is none."""
    value = _value_of(tree, sort)
    if value is None:
        raise ValueError(f"no value of {sort}: {tree}")
    return value


def _value_of(tree: Tree, sort: Sort) -> object:
    match sort:
        case IntegerSort():
            # Bit vectors are read as unsigned: #xff is -1 of int8.
            bits = _bits(tree, sort.width)
            if bits is None or bits <= sort.greatest:
                return bits
            return bits - (1 << sort.width)
        case MinifloatSort():
            return _minifloat(tree, sort)
        case FloatSort():
            return _float(tree, sort)
        case _ if sort == BOOL:
            return _TRUTH.get(str(tree))
        case _ if sort == REAL:
            return _real(tree)
        case _ if sort == STRING:
            return _text_of(_integer(tree))
        case _:
            return _integer(tree)


def _integer(tree: Tree) -> int | None:
    number = _real(tree)
    if number is None or number.denominator != 1:
        return None
    return int(number)


def _text_of(code: int | None) -> str | None:
    """The text of a code; of a number that is no code, None: a solver may choose any."""
    if code is None or code < 1:
        return None
    # The code of a text begins with a byte 1, so that a text that begins with a zero byte has a code of its own.
    first, *rest = code.to_bytes((code.bit_length() + 7) // 8, "big")
    if first != 1:
        return None
    try:
        return bytes(rest).decode()
    except UnicodeDecodeError:
        return None


def _real(tree: Tree) -> Fraction | None:
    match tree:
        case str() if re.fullmatch(r"\d+(\.\d+)?", tree):
            return Fraction(tree)
        case ["-", ["-", *_]]:
            return None  # No solver writes a number so.
        case ["-", inner]:
            number = _real(inner)
            if number is not None:
                return -number
        # z3 writes 1/3 as a quotient of two numerals; decimals without an end have no other form in SMT-LIB.
        case ["/", above, below]:
            numerator, denominator = _real(above), _real(below)
            if numerator is not None and denominator:
                return numerator / denominator
    return None


def _float(tree: Tree, sort: FloatSort) -> int | None:
    match tree:
        case ["fp", sign, exponent, rest]:
            widths = (1, sort.exponent, sort.significand - 1)
            parts = [_bits(part, width) for part, width in zip((sign, exponent, rest), widths, strict=True)]
            if None in parts:
                return None
            bits = 0
            for part, width in zip(parts, widths, strict=True):
                bits = bits << width | (part or 0)
            # One NaN: a solver may choose any payload, and the evaluator knows no two of them apart.
            return floats.canonical(sort, bits)
        case ["_", str(name), str(exponent), str(significand)]:
            if (exponent, significand) != (str(sort.exponent), str(sort.significand)):
                return None
            return {
                "NaN": floats.nan(sort),
                "+oo": floats.infinity(sort),
                "-oo": floats.infinity(sort, negative=True),
                "+zero": floats.zero(sort),
                "-zero": floats.zero(sort, negative=True),
            }.get(name)
        case _:
            return None


def _minifloat(tree: Tree, sort: MinifloatSort) -> int | None:
    """A solver chooses any value of the carrier, and what is no minifloat is read as NaN (smtlib.py)."""
    carrier = sort.carrier
    bits = _float(tree, carrier)
    if bits is None:
        return None
    nearest = floats.convert(carrier, bits, sort)
    if floats.convert(sort, nearest, carrier) == bits:
        return nearest
    return floats.nan(sort)


def _bits(tree: Tree, width: int) -> int | None:
    """A bit vector of that width in any of its three forms."""
    match tree:
        case str() if re.fullmatch(r"#b[01]+", tree):
            bits, number = len(tree) - 2, int(tree[2:], 2)
        case str() if re.fullmatch(r"#x[0-9a-fA-F]+", tree):
            bits, number = 4 * (len(tree) - 2), int(tree[2:], 16)
        case ["_", str(name), str(size)] if re.fullmatch(r"bv\d+", name) and size == str(width):
            bits, number = width, int(name[2:])
        case _:
            return None
    # `(_ bv300 8)` is malformed, and cut to 44 it would be a value that nobody chose.
    if bits != width or number >= 1 << width:
        return None
    return number
