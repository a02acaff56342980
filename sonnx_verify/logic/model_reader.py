"""The reader of the values that a solver answers to get-value: SMT-LIB text to values of the evaluator.

No verdict rests on a solver's model. The tests read them, to hold the printer against what solvers take its text for.
"""

from __future__ import annotations

import re
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, REAL, STRING, FloatSort, IntegerSort, Sort

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
    value = _value_of(tree, sort)
    if value is None:
        raise ValueError(f"no value of {sort}: {tree}")
    return value


def _value_of(tree: Tree, sort: Sort) -> object:
    match sort:
        case IntegerSort():
            bits = _bits(tree, sort.width)
            if bits is None:
                return None
            return bits - (1 << sort.width) if bits > sort.greatest else bits
        case FloatSort():
            return _float(tree, sort)
        case _ if sort == BOOL:
            return {"true": True, "false": False}.get(tree) if isinstance(tree, str) else None
        case _ if sort == REAL:
            return _real(tree)
        case _ if sort == STRING:
            return _text_of(_real(tree))
        case _:
            number = _real(tree)
            return None if number is None or number.denominator != 1 else int(number)


def _text_of(number: Fraction | None) -> str | None:
    """The text of a code; of a number that is no code, None: a solver may choose any."""
    if number is None or number.denominator != 1 or number < 1:
        return None
    code = int(number)
    first, *rest = code.to_bytes((code.bit_length() + 7) // 8, "big")
    try:
        return bytes(rest).decode() if first == 1 else None
    except UnicodeDecodeError:
        return None


def _real(tree: Tree) -> Fraction | None:
    match tree:
        case str() if re.fullmatch(r"\d+(\.\d+)?", tree):
            return Fraction(tree)
        case ["-", inner]:
            number = None if isinstance(inner, list) and inner[:1] == ["-"] else _real(inner)
            return None if number is None else -number
        case ["/", above, below]:
            numerator, denominator = _real(above), _real(below)
            return None if numerator is None or not denominator else numerator / denominator
        case _:
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


def _bits(tree: Tree, width: int) -> int | None:
    """A bit vector of that width in any of its three forms."""
    match tree:
        case str() if re.fullmatch(r"#b[01]+", tree):
            return int(tree[2:], 2) if len(tree) - 2 == width else None
        case str() if re.fullmatch(r"#x[0-9a-fA-F]+", tree):
            return int(tree[2:], 16) if 4 * (len(tree) - 2) == width else None
        case ["_", str(name), str(size)] if re.fullmatch(r"bv\d+", name) and size == str(width):
            number = int(name[2:])
            return number if number < 1 << width else None
        case _:
            return None
