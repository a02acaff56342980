"""What has to be unsatisfiable for an implementation to be equal to its specification on one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sonnx_verify.implementations.symbolic.cells import DTYPES
from sonnx_verify.implementations.symbolic.instances import Instance
from sonnx_verify.implementations.symbolic.long_folds import Fact, Facts, LongFold, full, of_named_members, symbols_of
from sonnx_verify.implementations.symbolic.paths import Explored, Returned, joined
from sonnx_verify.implementations.symbolic.specialise import IsTotal, Specialiser
from sonnx_verify.implementations.symbolic.trees import with_sums_named
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic.binders import rebuild, replace_nodes
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.sorts import BOOL, INDEX
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, integer, not_, or_, subterms

_PLACE = Symbol("the index that is asked about", (), INDEX)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the specification says of one output: its type, its shape, and of each index and element whether it
    conforms there."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    specialise: Specialiser
    term: Any
    candidate: Term

    def at(self, place: Sequence[int], element: Term, is_total: IsTotal | None = None) -> tuple[Term, Facts]:
        """Whether the element conforms at an index, counted from the left; and what is known of symbols in that."""
        symbol = self.candidate.payload
        assert isinstance(symbol, Symbol)
        here = self.specialise.knowing({_PLACE: stripped(list(place)[::-1]), symbol: element}, is_total)
        made = here(self.term)
        assert isinstance(made, Term)
        return made, here.said


@dataclass(slots=True)
class Claim:
    """Assertions that must not be satisfiable together; `rules` are those on trust that they use. `wider` is a weaker
    form, easier to decide: where that cannot be satisfied, neither can they."""

    what: str
    assertions: list[Term]
    wider: list[Term]
    rules: set[str] = field(default_factory=set)


def wanted(meaning: Meaning, instance: Instance) -> list[Wanted]:
    """What is wanted of each output. Raises Open and Undefined as the specialiser does."""
    made = []
    for variable in meaning.outputs:
        shape = meaning.shapes[variable.name]
        rank = instance.specialise(shape.rank)
        sizes = tuple(instance.specialise(shape.dim(integer(rank - 1 - k))) for k in range(rank))
        position = Position(_PLACE(), integer(rank))
        candidate = Symbol(f"an element of {variable.name}", (), variable.sort)()
        free = [u(position) for u in meaning.unspecified_values.get(variable.name, [])]
        term = or_(*free, meaning.conforms_at(variable.name, position, candidate))
        dtype = DTYPES[variable.sort]
        made.append(Wanted(variable.name, dtype, sizes, instance.specialise, term, candidate))
    return made


def claims_of(explored: Explored, results: Sequence[Wanted], is_total: IsTotal) -> list[Claim]:
    """What has to be shown: runs that give anything but results of the wanted types and shapes never happen, and every
    element conforms."""
    form = ("", tuple((w.dtype, w.shape) for w in results))
    good = [r for r in explored.runs if r.form == form]
    made = [_claim(_wrong(r, results), [r.condition], explored.facts) for r in explored.runs if r.form != form]
    if good:
        # Where runs are left out, those that are not can be told apart by the decisions that they share no more.
        outputs = joined(good) if len(good) == len(explored.runs) else None
        for result, n in ((w, n) for n, w in enumerate(results)):
            for place in np.ndindex(*result.shape):
                where = f"{result.name}{list(place)}" if place else result.name
                for run in good if outputs is None else good[:1]:
                    element: Any = run.outputs[n][1][place] if outputs is None else outputs[n][place]
                    under = [run.condition] if outputs is None else []
                    conforms, said = result.at(place, element, is_total)
                    about = symbols_of([result.at(place, result.candidate)[0]])
                    what = f"{where} is not what is specified"
                    facts = {**explored.facts, **said}
                    made.append(_claim(what, [*under, not_(conforms)], facts, frozenset(about)))
    # Of results without elements nothing is left to be shown; that is asked too.
    return made or [Claim("the result is another one", [FALSE], [FALSE])]


def _wrong(run: Returned, results: Sequence[Wanted]) -> str:
    if run.failed:
        return run.failed
    if len(run.outputs) != len(results):
        return f"gives {len(run.outputs)} results, not {len(results)}"
    for (dtype, terms), result in zip(run.outputs, results, strict=True):
        if dtype != result.dtype:
            return f"{result.name} is of type {dtype}, not {result.dtype}"
        if terms.shape != result.shape:
            return f"{result.name} has the shape {list(terms.shape)}, not {list(result.shape)}"
    raise AssertionError("a run of the wanted form")


def _claim(what: str, assertions: list[Term], facts: Facts, about: frozenset[Symbol] | None = None) -> Claim:
    """With what is known of the symbols in it, and with sums named."""
    assertions = [a for a in assertions if a is not TRUE]
    if FALSE in assertions:
        return Claim(what, [FALSE], [FALSE])
    every, rules = _completed(assertions, facts, whole=True)
    near = assertions if about is None else localised(assertions, about, facts)
    wider, _ = _completed(near, facts, whole=False)
    return Claim(what, every, wider, rules)


def _completed(assertions: list[Term], facts: Facts, whole: bool) -> tuple[list[Term], set[str]]:
    """The assertions with what is known: `whole`, or of long folds what is known of named members."""
    known: dict[Term, None] = {}
    folds: dict[Symbol, LongFold] = {}
    waiting: list[Term] = list(assertions)
    met: set[Symbol] = set()
    while waiting:
        for symbol in symbols_of([waiting.pop()]):
            fact = facts.get(symbol)
            if symbol in met or fact is None:
                continue
            met.add(symbol)
            if isinstance(fact, LongFold) and not whole:
                folds[symbol] = fact
                continue
            known[full(fact)] = None
            waiting.append(full(fact))
    said = of_named_members(list(folds.values()), symbols_of([*assertions, *known])) if folds else []
    named, sums, rules = with_sums_named([*assertions, *known, *said])
    return [*named, *sums], rules


def localised(assertions: list[Term], about: frozenset[Symbol], facts: Facts) -> list[Term]:
    """The assertions with each condition that other elements play a part in as a truth value of its own. Code decides
    by many elements at once what it does with each: mostly it is right whichever way that goes."""
    near = set(about)
    known = {s: {t for t in _needed(fact) if t.result != BOOL} - {s} for s, fact in facts.items()}
    for symbol in about & known.keys():
        near |= known[symbol]
    while more := {symbol for symbol, named in known.items() if symbol not in near and named <= near}:
        near |= more
    made: dict[Term, Term] = {}
    far: set[Term] = set()
    for node in subterms(*assertions):
        args = tuple(made[a] for a in node.args)
        new = made[node] = node if args == node.args else rebuild(node, args)
        if node.op == "apply" and not node.args and node.sort != BOOL:
            if node.payload not in near:
                far.add(new)
        elif any(a in far for a in new.args):
            if node.sort == BOOL and node.op not in ("and", "or", "not"):
                made[node] = Symbol(f"elsewhere {len(made)}", (), BOOL)()
            else:
                far.add(new)
    return [made[a] for a in assertions]


def _needed(fact: Fact) -> list[Symbol]:
    return symbols_of(fact.members) if isinstance(fact, LongFold) else symbols_of([fact])


def renamed(assertions: Sequence[Term]) -> tuple[list[Term], dict[str, Symbol]]:
    """The assertions with constants named by the order in which they occur, and what these names stand for."""
    originals = symbols_of(assertions)
    names = {f"v{n}": symbol for n, symbol in enumerate(originals)}
    values = {symbol(): Symbol(name, (), symbol.result)() for name, symbol in names.items()}
    return replace_nodes(assertions, values), names
