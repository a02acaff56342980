"""A size in its shortest form: choices become the atoms that readers know.

`bc(a, b)` is 1 where both are 1, else the one that is not; `max` and `min` are what they say; `either(1, a)` is one of
them, which one is known at run time only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sonnx_verify.arrays.partial.folding import quotient
from sonnx_verify.arrays.shapes.decide import Decisions, Path
from sonnx_verify.arrays.shapes.given import is_nothing
from sonnx_verify.arrays.shapes.unfold import Unfolder
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import ONE, Symbol, Term, eq, is_literal, ite, le, not_, or_, subterms

BC, GREATER, LESSER, EITHER = "bc", "max", "min", "either"
ATOMS = (BC, GREATER, LESSER, EITHER)


def atom(name: str, *parts: Term) -> Term:
    """An atom of some sizes; one of its own kind inside gives its parts."""
    flat: dict[Term, None] = {}
    for part in parts:
        for inner in part.args if kind(part) == name else (part,):
            flat[inner] = None
    if len(flat) == 1:
        return next(iter(flat))
    return Symbol(name, (INT,) * len(flat), INT)(*flat)


def kind(term: Term) -> str:
    """Which atom a term is; nothing for any other term."""
    name = term.payload.name if isinstance(term.payload, Symbol) and term.args else ""
    return name if name in ATOMS else ""


def defined(name: str, first: Term, second: Term) -> Term:
    """What an atom of two sizes is."""
    if name == BC:
        return ite(not_(eq(first, ONE)), first, second)
    condition = le(second, first) if name == GREATER else le(first, second)
    return ite(condition, first, second)


def meant(shown: Term) -> list[Term]:
    """The terms that a size in its shortest form may stand for: several where `either` is in it."""
    if not shown.args:
        return [shown]
    parts = [meant(a) for a in shown.args]
    if kind(shown) == EITHER:
        return [term for part in parts for term in part]
    return [_combined(shown, args) for args in product(*parts)]


def _combined(shown: Term, args: tuple[Term, ...]) -> Term:
    if kind(shown):
        made = args[-1]
        for part in reversed(args[:-1]):
            made = defined(kind(shown), part, made)
        return made
    return rebuild(shown, args)


def says(shown: Term, exact: Term) -> Term:
    """The condition that a size is what its shortest form says."""
    return or_(*(eq(exact, term) for term in meant(shown)))


_SAYABLE = frozenset(("literal", "apply", "not", "and", "or", "=", "<=", "+", "*", "div", "mod"))


def sayable(term: Term) -> bool:
    """Whether a size or a condition is made of integers alone, and has a value."""
    for node in subterms(term):
        compared = node.op in ("=", "<=") and node.args[0].sort != INT
        if node.op not in _SAYABLE or compared or node.sort not in (INT, BOOL) or is_nothing(node):
            return False
    return True


class Shortening:
    """Brings sizes to their shortest form, under conditions that hold."""

    def __init__(self, decisions: Decisions, unfolder: Unfolder) -> None:
        self._decisions, self._unfolder = decisions, unfolder

    def __call__(self, term: Term, path: Path) -> Term:
        """The shortest form. It has a choice in it where there is none without."""
        if term.op == "ite":
            return self._choice(term, path)
        if not term.args or kind(term):
            return term
        args = tuple(self(a, path) if a.sort == INT else a for a in term.args)
        if term.op in ("div", "mod"):
            return quotient(term.op, args[0], args[1], self._unfolder.bounds)
        return rebuild(term, args)

    def _choice(self, term: Term, path: Path) -> Term:
        condition, then, otherwise = term.args
        decisions = self._decisions
        if decisions.follows(path, condition):
            return self(then, path)
        if decisions.impossible(*path, condition):
            return self(otherwise, path)
        first, second = self(then, (*path, condition)), self(otherwise, (*path, not_(condition)))
        if first is second:
            return first
        for made in self._shorter(term, first, second, path):
            return made
        return ite(condition, first, second)

    def _shorter(self, term: Term, first: Term, second: Term, path: Path) -> Iterator[Term]:
        decisions = self._decisions
        readable = not any(n.op == "ite" for n in subterms(first, second))
        exact = [(part, meant(part)) for part in (first, second)]
        if readable and all(len(m) == 1 for _, m in exact):
            (_, (a,)), (_, (b,)) = exact
            for part, value in ((second, b), (first, a)):
                if decisions.follows(path, eq(term, value)):
                    yield part
            unambiguous = or_(eq(a, b), eq(a, ONE), eq(b, ONE))
            for name in (BC, GREATER, LESSER):
                if (name != BC or decisions.follows(path, unambiguous)) and decisions.follows(
                    path, eq(term, defined(name, a, b))
                ):
                    yield self._atom(name, first, second)
        unfolder = self._unfolder
        # Only a size that is there or 1 is told so: what else depends on elements is told case by case.
        known = readable and ONE in (first, second) and not any(unfolder.at_run_time(p) for p in (first, second))
        if known and unfolder.at_run_time(term.args[0]):
            yield self._atom(EITHER, first, second)

    def _atom(self, name: str, *parts: Term) -> Term:
        """The atom with its parts in the order in which the sizes were given; numbers first where one is chosen."""
        order = list(self._unfolder.bounds)

        def key(part: Term) -> tuple[bool, int]:
            names = [n.payload.name for n in subterms(part) if isinstance(n.payload, Symbol) and not n.args]
            places = [order.index(n) for n in names if n in order]
            return is_literal(part) != (name == EITHER), min(places, default=len(order))

        return atom(name, *sorted(atom(name, *parts).args or parts, key=key))
