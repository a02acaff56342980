"""The inputs of an operator up to a bound, but for the elements: shapes, attributes, lists, what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from math import prod

from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.symbolic.cells import input_cell
from sonnx_verify.conformance.symbolic.specialise import Specialiser
from sonnx_verify.errors import UsageError
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, tensors_in

Known = dict[str, Concrete]
_PARTS = ("rank", "dim", "read", "count", "given")


@dataclass(frozen=True, slots=True)
class Bound:
    """Up to which ranks, sizes and numbers of inputs something is proved. A list of axes has up to `rank` entries, each
    from -rank to rank - 1; with `sets` they ascend from 0 on. An attribute is one of the values from -1 to 2, its
    default, or left out."""

    rank: int = 2
    dim: int = 2
    inputs: int = 2
    sets: bool = False

    def __str__(self) -> str:
        return self.said(families=True, lists=True)

    def said(self, families: bool, lists: bool) -> str:
        """The bound in words, for an operator that has a family of inputs, or lists such as axes, or not."""
        parts = [f"rank <= {self.rank}", f"dims 0..{self.dim}"]
        if families:
            parts.append("1 input" if self.inputs == 1 else f"1 to {self.inputs} inputs")
        if lists:
            parts.append("lists of axes as sets" if self.sets else f"lists of up to {self.rank} entries")
        return ", ".join(parts)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Smallest first: by rank, then by the sum of sizes."""
        made = [s for r in range(self.rank + 1) for s in product(range(self.dim + 1), repeat=r)]
        return sorted(made, key=lambda s: (len(s), sum(s), s))


_MOST = {"rank": 4, "dim": 8, "inputs": 4}


def bound_of(text: str) -> Bound:
    """`rank=3,dim=3,inputs=2`, each with its default where it is not said, and `sets`. UsageError for anything else."""
    found: dict[str, int] = {}
    for part in text.split(",") if text else ():
        name, _, number = part.strip().partition("=")
        if (name, number) == ("sets", "") and name not in found:
            found[name] = True
            continue
        if name not in _MOST or name in found or not re.fullmatch("[0-9]{1,3}", number):
            raise UsageError(
                f"`{part}` is no part of a bound",
                cure="rank, dim and inputs are given once, with a number, as in rank=3,dim=3,inputs=2; `sets` has none",
            )
        if name == "inputs" and not int(number):
            raise UsageError("a bound of inputs=0 leaves no input", cure="give at least inputs=1")
        if int(number) > _MOST[name]:
            raise UsageError(f"a bound of {name}={number} has too many inputs", cure=f"at most {name}={_MOST[name]}")
        found[name] = int(number)
    return Bound(**{**asdict(Bound()), **found})


@dataclass(frozen=True, slots=True)
class Instance:
    """One choice of everything but the elements: `known` as the reference evaluator takes it, with terms as elements of
    what is free, and `free` the names of those tensors, in the order of the operator."""

    known: Known
    specialise: Specialiser
    size: tuple[object, ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Those of the tensors whose elements are free."""
        return tuple(t.shape for t in tensors_in(self.known) if all(isinstance(e, Term) for e in t.elements))


_kept: dict[tuple[object, ...], list[Known]] = {}


def instances(meaning: Meaning, bound: Bound) -> list[Instance]:
    """The valid ones, smallest first. Raises Open where what is valid depends on elements."""
    # What is valid is mostly the same whatever T is: then so is the term that says so. Elements of other types are not
    # made anew below.
    others = tuple((v.name, None if v.type_variable else v.sort) for v in meaning.given)
    key = (meaning.valid, *meaning.hypotheses, others, bound)
    if key not in _kept:
        found = _valid(meaning, bound)
        _kept[key] = [i.known for i in found]
        return found
    return [_instance(meaning, {n: _as_free(v, meaning, n) for n, v in known.items()}) for known in _kept[key]]


def _as_free(value: Concrete, meaning: Meaning, name: str) -> Concrete:
    """The same with elements of the sort that they have here."""
    variable = next(v for v in meaning.given if v.name == name)
    if not variable.type_variable:
        return value
    if isinstance(value, tuple):
        return tuple(_free(f"{name}{n + variable.base}", variable, t.shape) for n, t in enumerate(value))
    return _free(name, variable, value.shape) if isinstance(value, ConcreteTensor) else value


def _instance(meaning: Meaning, known: Known) -> Instance:
    return Instance(known, Specialiser.of(meaning.given, known), size_of(known))


def _valid(meaning: Meaning, bound: Bound) -> list[Instance]:
    found = []
    variables = [v for v in meaning.given if v.role != "length"]
    for values in product(*(_possible(v, meaning, bound) for v in variables)):
        known = dict(zip((v.name for v in variables), values, strict=True))
        for variable in meaning.variables:
            if variable.role == "length":
                known[variable.name] = _length(meaning, known)
        instance = _instance(meaning, known)
        try:
            valid = instance.specialise(meaning.valid)
            stated = all(instance.specialise(h) is TRUE for h in meaning.hypotheses)
        except Undefined:
            continue
        if valid is TRUE and stated:
            found.append(instance)
        elif valid.op != Op.LITERAL:
            raise Open("what is valid depends on elements")
    return sorted(found, key=lambda i: i.size)


def size_of(known: Known) -> tuple[object, ...]:
    """What makes an input small, as in the order of counterexamples."""
    tensors = list(tensors_in(known))
    others = tuple(v for v in known.values() if isinstance(v, int) and not isinstance(v, bool))
    return (
        len(tensors),
        sum(len(t.shape) for t in tensors),
        sum(sum(t.shape) for t in tensors),
        tuple((abs(v), v < 0) for v in others),
        tuple(t.shape for t in tensors),
        tuple(tuple((abs(e), e < 0) for e in t.elements if isinstance(e, int)) for t in tensors),
    )


def _possible(variable: Variable, meaning: Meaning, bound: Bound) -> list[Concrete]:
    """The values of one variable that nothing forbids whatever the others are."""
    names = {variable.name, *(f"{variable.name}.{part}" for part in (*_PARTS, *variable.facts))}
    valid = meaning.valid
    own = [
        part
        for part in (valid.args if valid.op == Op.AND else (valid,))
        if {n.payload.name for n in subterms(part) if n.op == Op.APPLY and isinstance(n.payload, Symbol)} <= names
    ]
    return [v for v in _values(variable, bound) if _meets(own, variable, v)]


def _meets(parts: Sequence[Term], variable: Variable, value: Concrete) -> bool:
    specialise = Specialiser.of([variable], {variable.name: value})
    try:
        return all(specialise(part) is not FALSE for part in parts)
    except Undefined:
        return False
    except Open:
        return True  # it is about elements: `instances` says so


def _length(meaning: Meaning, known: Known) -> int:
    """The last number of a family, as it is counted."""
    family = next(v for v in meaning.variables if v.role == "input" and v.count is not None and v.kind == "tensor")
    members = known[family.name]
    assert isinstance(members, tuple)
    return len(members) + family.base - 1


def _values(variable: Variable, bound: Bound) -> Iterator[Concrete]:
    if variable.may_be_left_out:
        yield LEFT_OUT
    if variable.role == "asked":
        yield True
        return
    if variable.kind == "tensor" and variable.count is not None:
        for number in range(1, bound.inputs + 1):
            for shapes in product(bound.shapes, repeat=number):
                yield tuple(_free(f"{variable.name}{n + variable.base}", variable, s) for n, s in enumerate(shapes))
    elif variable.kind == "tensor" and not variable.type_variable and isinstance(variable.sort, IntegerSort):
        yield from _lists(variable, bound)
    elif variable.kind == "tensor":
        yield from (_free(variable.name, variable, shape) for shape in bound.shapes)
    elif variable.sort == INT and variable.count is None:
        yield from range(-1, 3)
    elif variable.sort == INT:
        yield from (v for n in range(bound.rank + 1) for v in product(range(-bound.rank, bound.rank), repeat=n))
    else:
        raise Open(f"`{variable.name}`, of which there is no small number of values")


def _free(name: str, variable: Variable, shape: Sequence[int]) -> ConcreteTensor:
    cells = tuple(input_cell(f"{name}[{n}]", variable.sort) for n in range(prod(shape)))
    return ConcreteTensor(variable.sort, tuple(shape), cells)


def _lists(variable: Variable, bound: Bound) -> Iterator[ConcreteTensor]:
    """A tensor that other things depend on, as a list of axes: every value of it."""
    sort = variable.sort
    assert isinstance(sort, IntegerSort)
    entries = range(-bound.rank if sort.signed else 0, bound.rank)
    for number in range(bound.rank + 1):
        every = combinations(range(bound.rank), number) if bound.sets else product(entries, repeat=number)
        yield from (ConcreteTensor(sort, (number,), values) for values in every)
    yield from (ConcreteTensor(sort, (), (value,)) for value in entries)
