"""What is known without elements: integers, indices and texts as values, and what operators give of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import REAL, Sort
from sonnx_verify.logic.terms import Term, boolean, euclid, integer, literal


class Open(Exception):
    """What is asked for depends on elements in a way that no term says."""


def on_values(term: Term, args: Sequence[Any]) -> Any:
    """What an operator gives of arguments of which some are values, not terms. Raises Open and Undefined."""
    match term.op:
        case "=":
            return boolean(args[0] == args[1])
        case "<=":
            return boolean(args[0] <= args[1])
        case "<":
            return boolean(args[0] < args[1])
        case "at":
            return args[0][args[1]] if 0 <= args[1] < len(args[0]) else 0
        case "div" | "mod":
            if args[1] == 0:
                raise Undefined("division by 0")
            return euclid(args[0], args[1])[0 if term.op == "div" else 1]
        case "+" | "*":
            made = args[0]
            for arg in args[1:]:
                made = made + arg if term.op == "+" else made * arg
            return made
        case "inside":
            raise Open("an index among others")
        case _:
            return rebuild(term, tuple(integer(a) if isinstance(a, int) else a for a in args))


def position(names: Sequence[Any], ordinal: int) -> Any:
    """The member that has so many before it. Raises Undefined where there is none."""
    if not 0 <= ordinal < len(names):
        raise Undefined("no member has that many before it")
    return names[ordinal]


def number(value: int, sort: Sort) -> Term:
    """A number as an element of a sort."""
    return literal(Fraction(value) if sort == REAL else value, sort)
