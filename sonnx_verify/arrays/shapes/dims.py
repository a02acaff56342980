"""A size in its shortest form: choices become the atoms that readers know.

`bc(a, b)` is 1 where both are 1, else the one that is not; `max` and `min` are what they say; `either(1, a)` is one of
them, which one is known at run time only.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum, unique
from itertools import chain, product

from sonnx_verify.arrays.partial.folding import quotient
from sonnx_verify.arrays.partial.intervals import is_symbol
from sonnx_verify.arrays.partial.walk import is_nothing
from sonnx_verify.arrays.shapes.decide import Decisions, Path
from sonnx_verify.arrays.shapes.unfold import Unfolder
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import ONE, Symbol, Term, eq, is_literal, ite, le, not_, or_, subterms


@unique
class Atom(StrEnum):
    """A function of sizes that is shown by its name."""

    BC = "bc"
    GREATER = "max"
    LESSER = "min"
    EITHER = "either"


_DETERMINED = (Atom.BC, Atom.GREATER, Atom.LESSER)
"""The atoms that have one value."""
_ATOMS = {kind.value: kind for kind in Atom}


def atom(kind: Atom, *parts: Term) -> Term:
    """An atom of some sizes. One of its own kind inside gives its parts: bc(a, bc(b, c)) is bc(a, b, c)."""
    flat: dict[Term, None] = {}
    for part in parts:
        inner = part.args if atom_of(part) is kind else (part,)
        flat |= dict.fromkeys(inner)
    if len(flat) == 1:
        return next(iter(flat))
    return Symbol(kind.value, (INT,) * len(flat), INT)(*flat)


def atom_of(term: Term) -> Atom | None:
    """The atom that a term is; None for any other term."""
    if isinstance(term.payload, Symbol) and term.args:
        return _ATOMS.get(term.payload.name)
    return None


def defined(kind: Atom, first: Term, second: Term) -> Term:
    """The meaning of an atom of two sizes."""
    match kind:
        case Atom.BC:
            # Of sizes that may be broadcast. It is 0 of 0 and 1, as in numpy, where a maximum would be 1.
            return ite(not_(eq(first, ONE)), first, second)
        case Atom.GREATER:
            return ite(le(second, first), first, second)
        case Atom.LESSER:
            return ite(le(first, second), first, second)
        case Atom.EITHER:
            raise AssertionError("`either` has no one meaning, see `meant`")


def meant(shown: Term) -> list[Term]:
    """The terms that a size in its shortest form may stand for: several where `either` is in it."""
    if not shown.args:
        return [shown]
    parts = [meant(a) for a in shown.args]
    if atom_of(shown) is Atom.EITHER:
        return list(chain.from_iterable(parts))
    return [_combined(shown, args) for args in product(*parts)]


def _combined(shown: Term, args: tuple[Term, ...]) -> Term:
    """A term with its arguments replaced; an atom by its meaning, from the last two parts on."""
    kind = atom_of(shown)
    if kind is None:
        return rebuild(shown, args)
    made = args[-1]
    for part in reversed(args[:-1]):
        made = defined(kind, part, made)
    return made


def says(shown: Term, exact: Term) -> Term:
    """The condition that a size is what its shortest form says."""
    return or_(*(eq(exact, term) for term in meant(shown)))


_COMPARISONS = (Op.EQUAL, Op.AT_MOST)
_SAYABLE = frozenset((Op.LITERAL, Op.APPLY, Op.NOT, Op.AND, Op.OR, Op.PLUS, Op.TIMES, Op.DIV, Op.MOD, *_COMPARISONS))
"""The operators that printing.py has words for."""


def sayable(term: Term) -> bool:
    """A size or a condition is made of integers alone, and has a value."""
    for node in subterms(term):
        if node.op not in _SAYABLE or node.sort not in (INT, BOOL) or is_nothing(node):
            return False
        # The unfolder compares the integers that elements stand for. What is left compares floats or texts.
        if node.op in _COMPARISONS and node.args[0].sort != INT:
            return False
    return True


class Shortening:
    """Brings sizes to their shortest form, under conditions that hold."""

    def __init__(self, decisions: Decisions, unfolder: Unfolder) -> None:
        self._decisions, self._unfolder = decisions, unfolder

    def __call__(self, term: Term, path: Path) -> Term:
        """The shortest form. It has a choice in it where there is none without: then the answer needs cases."""
        if term.op == Op.ITE:
            return self._choice(term, path)
        if not term.args or atom_of(term) is not None:
            return term
        # What stands in a size are sizes: a condition only stands in a choice.
        args = tuple(self(a, path) for a in term.args)
        if term.op in (Op.DIV, Op.MOD):
            return quotient(term.op, args[0], args[1], self._unfolder.bounds)
        return rebuild(term, args)

    def _choice(self, term: Term, path: Path) -> Term:
        condition, then, otherwise = term.args
        decisions = self._decisions
        if decisions.follows(path, condition):
            return self(then, path)
        if decisions.impossible(*path, condition):
            return self(otherwise, path)
        # From the inside: `if N != 1 then N else if M != 1 then M else 1` is bc(N, M) since its inner choice is M.
        first, second = self(then, (*path, condition)), self(otherwise, (*path, not_(condition)))
        if first is second:
            return first
        for made in self._shorter(term, first, second, path):
            return made
        return ite(condition, first, second)

    def _shorter(self, term: Term, first: Term, second: Term, path: Path) -> Iterator[Term]:
        """The forms of a choice without a choice in them, the best first. `first` and `second` are the short forms of
        its branches."""
        if any(node.op == Op.ITE for node in subterms(first, second)):
            return
        exact_first, exact_second = meant(first), meant(second)
        if len(exact_first) == 1 and len(exact_second) == 1:
            yield from self._equal(term, (first, exact_first[0]), (second, exact_second[0]), path)
        # Only a size that is there or 1 is said so, as that of an axis which may be reduced: other choices by elements
        # become cases.
        unfolder = self._unfolder
        if ONE not in (first, second) or unfolder.at_run_time(first) or unfolder.at_run_time(second):
            return
        if unfolder.at_run_time(term.args[0]):
            yield self._atom(Atom.EITHER, first, second)

    def _equal(self, term: Term, first: tuple[Term, Term], second: tuple[Term, Term], path: Path) -> Iterator[Term]:
        """The forms that are equal to a choice for certain: one of its branches, or an atom of both. Of each branch the
        short form is given, and the term that it stands for."""
        decisions = self._decisions
        for part, value in (second, first):
            if decisions.follows(path, eq(term, value)):
                yield part
        (short_a, a), (short_b, b) = first, second
        for kind in _DETERMINED:
            # bc(2, 3) would be read as an error: it is only said of sizes that may be broadcast.
            if kind is Atom.BC and not decisions.follows(path, or_(eq(a, b), eq(a, ONE), eq(b, ONE))):
                continue
            if decisions.follows(path, eq(term, defined(kind, a, b))):
                yield self._atom(kind, short_a, short_b)

    def _atom(self, kind: Atom, *parts: Term) -> Term:
        """The atom with its parts in the order in which the sizes were given; numbers first where one is chosen."""
        order = {name: place for place, name in enumerate(self._unfolder.bounds)}

        def key(part: Term) -> tuple[bool, int]:
            symbols = [node.payload for node in subterms(part) if is_symbol(node)]
            places = [order.get(symbol.name, len(order)) for symbol in symbols if isinstance(symbol, Symbol)]
            return is_literal(part) != (kind is Atom.EITHER), min(places, default=len(order))

        return atom(kind, *sorted(atom(kind, *parts).args or parts, key=key))
