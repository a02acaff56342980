"""The claims that have to be unsatisfiable for an implementation to be equal to its specification on one instance.

Trusted: what is not claimed here was not shown, whatever `conform` says. Runs of a wrong form are claimed never to
happen; of all other runs every element of every output is claimed to conform.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.conformance.proofs.instances import Instance
from sonnx_verify.conformance.proofs.paths import Explored, Returned, joined
from sonnx_verify.conformance.proofs.specialisation import IsTotal, Specialiser
from sonnx_verify.conformance.symbolic.cells import Objects
from sonnx_verify.conformance.symbolic.long_folds import Fact, Facts, LongFold, full, of_named_members, symbols_of
from sonnx_verify.conformance.symbolic.trees import with_sums_named
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.binders import rebuild, replace_nodes
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INDEX
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, integer, not_, or_, subterms

PLACE = Symbol("the index that is asked about", (), INDEX)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The demand of the specification on one output: its type, its shape, and the term that says of an index and of an
    element whether it conforms there."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    specialise: Specialiser
    term: Term
    candidate: Term

    def at(self, place: Sequence[int], element: Term, is_total: IsTotal | None = None) -> tuple[Term, Facts]:
        """The term that says whether the element conforms at an index, counted from the left; and the facts about the
        symbols in it."""
        symbol = self.candidate.payload
        assert isinstance(symbol, Symbol)
        here = self.specialise.knowing({PLACE: stripped(list(place)[::-1])}, {symbol: element}, is_total)
        return here(self.term), here.said


def misfit(made: Sequence[tuple[np.dtype[Any], tuple[int, ...]]], results: Sequence[Wanted]) -> str:
    """The first difference of results of these types and shapes from the wanted form, in words; empty if none."""
    if len(made) != len(results):
        return f"gives {len(made)} results, not {len(results)}"
    # Before any element: code that gives int64 for int8 has no element of the wanted type to compare.
    for (dtype, shape), result in zip(made, results, strict=True):
        if dtype != result.dtype:
            return f"{result.name} is of type {dtype}, not {result.dtype}"
        if shape != result.shape:
            return f"{result.name} has the shape {list(shape)}, not {list(result.shape)}"
    return ""


class Assertions(NamedTuple):
    """Terms, and the rules on trust without which they would say less."""

    terms: tuple[Term, ...]
    rules: frozenset[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """Assertions that must not be satisfiable together, with all that is known; `wider` is a weaker form, easier to
    decide: where that cannot be satisfied, neither can they."""

    what: str
    _stated: list[Term]
    _facts: Facts
    wider: Assertions

    @classmethod
    def of(cls, what: str, stated: list[Term], facts: Facts, about: frozenset[Symbol] | None = None) -> Claim:
        """The claim that is stated, with the facts about the symbols in it. `about` are the symbols of the element that
        it is about, if it is about one."""
        stated = [a for a in stated if a is not TRUE]
        # One that is false makes all of them unsatisfiable: the others need not be sent.
        if FALSE in stated:
            stated = [FALSE]
        near = stated
        if about is not None:
            near = localised(stated, about, facts)
        return cls(what, stated, facts, _completed(near, facts, whole=False))

    def whole(self) -> Assertions:
        """The assertions with all that is known."""
        return _completed(self._stated, self._facts, whole=True)


def wanted(meaning: Meaning, instance: Instance) -> list[Wanted]:
    """The demand on each output. Raises Open and Undefined as the specialiser does."""
    made = []
    counts = {}
    for name, family in meaning.families.items():
        if family.count is None:
            raise Undefined(f"no clause gives the count of `{name}`")
        counts[name] = instance.specialise.number(family.count)
    meaning = meaning.spread(counts)
    for variable in meaning.outputs:
        if not meaning.complete(variable.name):
            raise Undefined(f"no clauses give the shape and the value of `{variable.name}`")
        # At known shapes and attributes these are numbers; where one depends on an element, it is Open.
        shape = meaning.shapes[variable.name]
        rank = instance.specialise.number(shape.rank)
        sizes = tuple(instance.specialise.number(shape.dim(integer(rank - 1 - k))) for k in range(rank))
        candidate = Symbol(f"an element of {variable.name}", (), variable.sort)()
        # Where a value is left open every element conforms.
        free = [u(PLACE()) for u in meaning.unspecified_values.get(variable.name, [])]
        term = or_(*free, meaning.conforms_at(variable.name, PLACE(), candidate))
        dtype = DTYPES[variable.sort]
        made.append(Wanted(variable.name, dtype, sizes, instance.specialise, term, candidate))
    return made


def claims_of(explored: Explored, results: Sequence[Wanted], is_total: IsTotal) -> list[Claim]:
    """The claims to be shown: runs that give anything but results of the wanted types and shapes never happen, and
    every element conforms."""
    form = ("", tuple((w.dtype, w.shape) for w in results))
    good = [r for r in explored.runs if r.form == form]
    made = [Claim.of(_wrong(r, results), [r.condition], explored.facts) for r in explored.runs if r.form != form]
    answers = list(_answers(good, whole=len(good) == len(explored.runs)))
    for n, result in enumerate(results):
        for place, (under, outputs) in product(np.ndindex(*result.shape), answers):
            element: Any = outputs[n][place]
            made.append(_conforming(explored, result, place, element, under, is_total))
    # Of results without elements nothing is left to be shown; that is asked too.
    return made or [Claim.of("the result differs", [FALSE], {})]


def _answers(good: Sequence[Returned], *, whole: bool) -> Iterator[tuple[list[Term], tuple[Objects, ...]]]:
    """The outputs, with the conditions under which they are given: of all runs together, as one choice by their
    decisions; where runs are left out, of each by itself."""
    # In a tree with leaves missing, two runs can be told apart by decisions that they share no more.
    if whole and good:
        yield [], joined(good)
        return
    for run in good:
        yield [run.condition], tuple(cells for _, cells in run.outputs)


def _conforming(
    explored: Explored, result: Wanted, place: tuple[int, ...], element: Term, under: list[Term], is_total: IsTotal
) -> Claim:
    """The claim that one element conforms."""
    conforms, said = result.at(place, element, is_total)
    about = symbols_of([result.at(place, result.candidate)[0]])
    what = f"{element_name(result.name, place)} differs from the specification"
    return Claim.of(what, [*under, not_(conforms)], {**explored.facts, **said}, frozenset(about))


def element_name(output: str, place: Sequence[int]) -> str:
    """The name of an element of an output: `Y[0, 1]`, `Y` where there is one alone."""
    if not place:
        return output
    return f"{output}{list(place)}"


def _wrong(run: Returned, results: Sequence[Wanted]) -> str:
    said = run.failed or misfit([(dtype, terms.shape) for dtype, terms in run.outputs], results)
    assert said, "a run of the expected form"
    return said


def _completed(stated: list[Term], facts: Facts, *, whole: bool) -> Assertions:
    """The stated terms with all facts about them: `whole`, or of long folds those about named members alone."""
    # Facts have symbols too, of which there may be facts: what is left out is a weaker claim, never a wrong one.
    known: dict[Term, None] = {}
    folds: dict[Symbol, LongFold] = {}
    met: dict[Symbol, None] = {}
    waiting = stated
    while waiting:
        new = [symbol for symbol in symbols_of(waiting) if symbol not in met]
        met.update(dict.fromkeys(new))
        waiting = []
        for symbol in new:
            fact = facts.get(symbol)
            if isinstance(fact, LongFold) and not whole:
                folds[symbol] = fact
            elif fact is not None:
                waiting.append(full(fact))
        known.update(dict.fromkeys(waiting))
    said = of_named_members(list(folds.values()), met)
    named, sums, rules = with_sums_named([*stated, *known, *said])
    return Assertions((*named, *sums), frozenset(rules))


def localised(assertions: list[Term], about: frozenset[Symbol], facts: Facts) -> list[Term]:
    """The assertions with each condition that other elements play a part in as a truth value of its own. Code decides
    by many elements at once what it does with each: mostly it is right whichever way that goes."""
    # A free truth value in place of a condition allows all that the condition allows, and more: what cannot be
    # satisfied so cannot be satisfied at all. Where it can be, the whole claim is asked.
    # Near are the elements that the specification speaks of here, and all values that are made of these alone.
    near = set(about)
    known = {s: {t for t in _needed(fact) if t.result != BOOL} - {s} for s, fact in facts.items()}
    for symbol in about & known.keys():
        near |= known[symbol]
    while more := {symbol for symbol, named in known.items() if symbol not in near and named <= near}:
        near |= more
    if all(symbol.result == BOOL or symbol in near for symbol in symbols_of(assertions)):
        return assertions
    made: dict[Term, Term] = {}
    far: set[Term] = set()
    for node in subterms(*assertions):
        args = tuple(made[a] for a in node.args)
        new = made[node] = node if args == node.args else rebuild(node, args)
        if node.op == Op.APPLY and not node.args and node.sort != BOOL:
            if node.payload not in near:
                far.add(new)
        elif any(a in far for a in new.args):
            # A condition on other elements; `and`, `or` and `not` of such conditions stay as they are.
            if node.sort == BOOL and node.op not in (Op.AND, Op.OR, Op.NOT):
                made[node] = Symbol(f"elsewhere {len(made)}", (), BOOL)()
            else:
                far.add(new)
    return [made[a] for a in assertions]


def _needed(fact: Fact) -> list[Symbol]:
    """The symbols that a fact speaks of."""
    if isinstance(fact, LongFold):
        return symbols_of(fact.members)
    return symbols_of([fact])


def renamed(assertions: Sequence[Term]) -> tuple[list[Term], dict[str, Symbol]]:
    """The assertions with constants named by the order in which they occur, and what these names stand for."""
    # Claims that differ in names alone are one query, which is asked once.
    originals = symbols_of(assertions)
    names = {f"v{n}": symbol for n, symbol in enumerate(originals)}
    values = {symbol(): Symbol(name, (), symbol.result)() for name, symbol in names.items()}
    return replace_nodes(assertions, values), names
