"""Terms of formulas: names with what is written at them, and how formulas bind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sonnx_verify.pages.reading.latex import Token, formula

RELATIONS = frozenset({"<", ">", "≤", "≥", "le", "leq", "ge", "geq", "lt", "gt", "leqslant", "geqslant"})
BIG = frozenset({
    "sum", "prod", "max", "min", "bigcup", "bigcap", "bigvee", "bigwedge", "argmax", "argmin", "sup", "inf",
})  # fmt: skip  # a table
"""Operators that bind what stands below them."""
QUANTIFIERS = frozenset({"forall", "exists", "nexists"})
_SETS = frozenset({"mathbb", "mathcal", "mathbf", "mathsf"})
_NUMBERS = frozenset("NZRQBC")
"""Sets of numbers, where pages write them without blackboard letters."""


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

    kind: str
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
        token = tokens[n]
        if token.kind == "macro" and token.text in _SETS:
            n = _group(tokens, n + 1)[1]
        elif token.text in ("in", "∈", "notin") and n + 1 < len(tokens) and tokens[n + 1].text in _NUMBERS:
            made.append(Other(token.kind, token.text, token.place))
            n += 2
        elif token.text in BIG:
            made.append(Other("macro", token.text, token.place))
            n += 1
        elif token.kind == "name" and not (n and tokens[n - 1].kind == "number" and _touch(tokens[n - 1], token)):
            term, n = _term(tokens, n)
            made.append(term)
        else:
            if token.kind not in ("open", "close"):
                made.append(Other(token.kind, token.text, token.place))
            n += 1
    return made


def _touch(left: Token, right: Token) -> bool:
    """Whether two tokens are written as one word, as in 1e5."""
    return left.place + len(left.text) == right.place and right.text[0] in "eE" and len(right.text) > 1


def _term(tokens: Sequence[Token], n: int) -> tuple[Term, int]:
    token = tokens[n]
    inner: list[tuple[Piece, ...]] = []
    shown = token.text
    n += 1
    while n < len(tokens) and tokens[n].kind == "mark" and tokens[n].text in "_^'[":
        mark = tokens[n].text
        if mark == "'":
            shown, n = shown + "'", n + 1
            continue
        group, after = _bracket(tokens, n) if mark == "[" else _group(tokens, n + 1)
        if not group:
            break
        inner.append(tuple(terms(group)))
        written = "".join(t.text for t in group)
        shown += f"[{written}]" if mark == "[" else f"{mark}{written}"
        n = after
    return Term(token.text, shown, token.place, tuple(inner)), n


def _group(tokens: Sequence[Token], n: int) -> tuple[Sequence[Token], int]:
    """The tokens of the group that begins at a place, or the one token there, and the place after it."""
    if n >= len(tokens):
        return (), n
    if tokens[n].kind != "open":
        return tokens[n : n + 1], n + 1
    depth = 0
    for end in range(n, len(tokens)):
        depth += {"open": 1, "close": -1}.get(tokens[end].kind, 0)
        if depth == 0:
            return tokens[n + 1 : end], end + 1
    return tokens[n + 1 :], len(tokens)


def _bracket(tokens: Sequence[Token], n: int) -> tuple[Sequence[Token], int]:
    """The index between brackets that touch a name. Nothing where they are not closed."""
    depth = 0
    for end in range(n, len(tokens)):
        depth += {"[": 1, "]": -1}.get(tokens[end].text, 0)
        if depth == 0:
            return tokens[n + 1 : end], end + 1
    return (), n


def in_sets(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms that are said to lie in a set or between bounds: `i, j \\in S`, `0 \\le k < n`; also in indices."""
    for one in found:
        if isinstance(one, Term):
            for inner in one.inner:
                yield from in_sets(inner)
    for n, one in enumerate(found):
        if isinstance(one, Other) and one.text in ("in", "∈"):
            yield from _listed_before(found, n)
        if isinstance(one, Other) and one.text in RELATIONS:
            middle = found[n + 1 : n + 3]
            if len(middle) == 2 and isinstance(middle[0], Term) and isinstance(middle[1], Other):
                if middle[1].text in RELATIONS:
                    yield middle[0]
                elif middle[1].text == ",":
                    yield from _chained(found, n + 1)


def _chained(found: Sequence[Piece], n: int) -> Iterator[Term]:
    """`0 \\le i, j < n`."""
    listed: list[Term] = []
    for one in found[n:]:
        if isinstance(one, Term):
            listed.append(one)
        elif one.text in RELATIONS:
            yield from listed
            return
        elif one.text != ",":
            return


def _listed_before(found: Sequence[Piece], n: int) -> Iterator[Term]:
    for one in reversed(found[:n]):
        if isinstance(one, Term):
            yield one
        elif one.text not in (",", "ldots", "dots", "(", ")", "."):
            return


def binders(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms that a formula binds: after a quantifier, and below a sum or the like."""
    for n, one in enumerate(found):
        if isinstance(one, Term):
            for inner in one.inner:
                yield from binders(inner)
        elif one.text in QUANTIFIERS:
            for after in found[n + 1 :]:
                if isinstance(after, Term):
                    yield after
                elif after.text != ",":
                    break
        elif one.text in BIG and n + 2 < len(found):
            below = [p for p in found[n + 1 : n + 4] if not (isinstance(p, Other) and p.text == "_")]
            if below and isinstance(below[0], Term):
                yield below[0]


def words_in(found: Sequence[Piece]) -> Iterator[str]:
    """The names of all terms, those of indices too."""
    for one in found:
        if isinstance(one, Term):
            yield one.word
            for inner in one.inner:
                yield from words_in(inner)
