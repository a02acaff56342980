"""Terms of formulas: names with what is written at them, and how formulas bind them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from sonnx_verify.pages.reading.kinds import TokenKind
from sonnx_verify.pages.reading.latex import Token, formula

# Signs as they are typed, and macros by their names: both stand in formulas of pages.
RELATIONS = frozenset({"<", ">", "≤", "≥", "le", "leq", "ge", "geq", "lt", "gt", "leqslant", "geqslant"})
BIG = frozenset({
    "sum", "prod", "max", "min", "bigcup", "bigcap", "bigvee", "bigwedge", "argmax", "argmin", "sup", "inf",
})  # fmt: skip  # a table
"""Operators that bind what stands below them."""
QUANTIFIERS = frozenset({"forall", "exists", "nexists"})
MEMBERSHIP = frozenset({"in", "∈"})
_SETS = frozenset({"mathbb", "mathcal", "mathbf", "mathsf"})
_NUMBERS = frozenset("NZRQBC")
"""Sets of numbers, where pages write them without blackboard letters."""
_BETWEEN = frozenset({",", "ldots", "dots", "(", ")", "."})
"""Marks between the names that are said to lie in one set: `i, j \\in S`, `(i, \\ldots, k) \\in S`."""


@dataclass(frozen=True, slots=True)
class Term:
    """A name with what is written at it: indices below, above, in brackets. `word` is the name, `shown` with its
    indices, `inner` the terms of each index."""

    word: str
    shown: str
    place: int
    inner: tuple[tuple[Term | Other, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """A piece that is no name: a number, a mark, a macro, a word."""

    kind: TokenKind
    text: str
    place: int


Piece = Term | Other


@lru_cache(maxsize=1 << 16)
def terms_of(text: str) -> tuple[Piece, ...]:
    """The terms of a formula, as it stands between its dollars."""
    return tuple(terms(formula(text).tokens))


def terms(tokens: Sequence[Token]) -> list[Piece]:
    """The terms of some tokens, in their order; groups are opened where they are no index."""
    made: list[Piece] = []
    n = 0
    while n < len(tokens):
        piece, n = _piece(tokens, n)
        if piece is not None:
            made.append(piece)
    return made


def _piece(tokens: Sequence[Token], n: int) -> tuple[Piece | None, int]:
    """The piece that begins with a token, if it is one, and the place after it."""
    token = tokens[n]
    kind, text, place = token.kind, token.text, token.place
    if kind is TokenKind.MACRO and text in _SETS:
        # \mathbb{R} is a set, and no use of a symbol R.
        _, end = _group(tokens, n + 1)
        return None, end
    after = tokens[n + 1 : n + 2]
    if text in MEMBERSHIP | {"notin"} and after and after[0].text in _NUMBERS:
        return Other(kind, text, place), n + 2
    if text in BIG:
        # `max` is the operator in any letters: as \max, \text{max} or bare.
        return Other(TokenKind.MACRO, text, place), n + 1
    if kind is TokenKind.NAME and not _is_exponent(tokens, n):
        return _term(tokens, n)
    if kind in (TokenKind.OPEN, TokenKind.CLOSE):
        return None, n + 1
    return Other(kind, text, place), n + 1


def _is_exponent(tokens: Sequence[Token], n: int) -> bool:
    """Return whether a name is a part of the number before it, as e5 of 1e5."""
    if n == 0 or tokens[n - 1].kind is not TokenKind.NUMBER:
        return False
    number, name = tokens[n - 1], tokens[n]
    touches = number.place + len(number.text) == name.place
    return touches and name.text[0] in "eE" and len(name.text) > 1


def _term(tokens: Sequence[Token], n: int) -> tuple[Term, int]:
    """The name at a place with its indices, and the place after them."""
    token = tokens[n]
    inner: list[tuple[Piece, ...]] = []
    shown = token.text
    n += 1
    while n < len(tokens) and tokens[n].kind is TokenKind.MARK:
        mark, closing = tokens[n].text, ""
        match mark:
            case "'":
                shown += mark
                n += 1
                continue
            case "[":
                # `X[i, j]`: an index behind the name is one like that below it.
                group, after = _bracket(tokens, n)
                closing = "]"
            case "_" | "^":
                group, after = _group(tokens, n + 1)
            case _:
                break
        if not group:
            break
        inner.append(tuple(terms(group)))
        written = "".join(one.text for one in group)
        shown += f"{mark}{written}{closing}"
        n = after
    return Term(token.text, shown, token.place, tuple(inner)), n


def _group(tokens: Sequence[Token], n: int) -> tuple[Sequence[Token], int]:
    """The tokens of the group that begins at a place, or the one token there, and the place after it. One that is not
    closed goes on to the end."""
    # `x_12` has the index 12, `x^{T}` the group: an index is a group or one token.
    first = tokens[n : n + 1]
    if not first or first[0].kind is not TokenKind.OPEN:
        return first, n + len(first)
    return _enclosed(tokens, n, lambda token: _BRACES.get(token.kind, 0)) or (tokens[n + 1 :], len(tokens))


def _bracket(tokens: Sequence[Token], n: int) -> tuple[Sequence[Token], int]:
    """The index between brackets that touch a name. Nothing if they are not closed: `[` may open an interval."""
    return _enclosed(tokens, n, lambda token: _BRACKETS.get(token.text, 0)) or ((), n)


_BRACES = {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}
_BRACKETS = {"[": 1, "]": -1}


def _enclosed(tokens: Sequence[Token], n: int, step: Callable[[Token], int]) -> tuple[Sequence[Token], int] | None:
    """The tokens up to the one that closes what a token opens, and the place after that; None if none does."""
    depth = 0
    for end in range(n, len(tokens)):
        depth += step(tokens[end])
        if depth == 0:
            return tokens[n + 1 : end], end + 1
    return None


# --------------------------------------------------------------------------------------------- introduced by formulas


def in_sets(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms that are said to lie in a set or between bounds: `i, j \\in S`, `0 \\le k < n`; also in indices."""
    for index in _indices(found):
        yield from in_sets(index)
    for n, one in enumerate(found):
        if isinstance(one, Term):
            continue
        if one.text in MEMBERSHIP:
            yield from _listed(reversed(found[:n]), _BETWEEN)
        elif one.text in RELATIONS:
            yield from _between_bounds(found, n)


def _between_bounds(found: Sequence[Piece], n: int) -> Iterator[Term]:
    """The terms between a relation and the next one: `0 \\le k < n`, `0 \\le i, j < n`. `k > 0` alone says something
    of a k that has to be known, and introduces none."""
    match found[n + 1 : n + 3]:
        case [Term() as middle, Other() as sign] if sign.text in RELATIONS:
            yield middle
        case [Term(), Other(text=",")]:
            yield from _chained(found[n + 1 :])


def _chained(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms of `i, j < n`; none if no relation follows them."""
    listed: list[Term] = []
    for one in found:
        if isinstance(one, Term):
            listed.append(one)
        elif one.text in RELATIONS:
            yield from listed
            return
        elif one.text != ",":
            return


def _listed(found: Iterable[Piece], between: Collection[str]) -> Iterator[Term]:
    """The terms up to a piece that may not stand between them."""
    for one in found:
        if isinstance(one, Term):
            yield one
        elif one.text not in between:
            return


def binders(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms that a formula binds: after a quantifier, and below a sum or the like."""
    for n, one in enumerate(found):
        if isinstance(one, Term):
            for index in one.inner:
                yield from binders(index)
        elif one.text in QUANTIFIERS:
            yield from _listed(found[n + 1 :], {","})
        elif one.text in BIG and n + 2 < len(found):
            # Of `\sum_i^n x`: i. A name that is the last piece, as in `\max x`, is what the maximum is of.
            yield from islice(_listed(found[n + 1 : n + 4], {"_"}), 1)


def _indices(found: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    for one in found:
        if isinstance(one, Term):
            yield from one.inner


def all_terms(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms, each before those of its indices."""
    for one in found:
        if isinstance(one, Term):
            yield one
            for index in one.inner:
                yield from all_terms(index)


def words_in(found: Sequence[Piece]) -> Iterator[str]:
    """The names of all terms, those of indices too."""
    return (term.word for term in all_terms(found))


def signs(found: Sequence[Piece]) -> list[str]:
    """The texts of the pieces that are no names."""
    return [one.text for one in found if isinstance(one, Other)]
