"""The inputs of an operator up to a bound, but for the elements: shapes, attributes, lists, what is left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, combinations, product
from math import prod

from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.inputs.trial import counted, family_items
from sonnx_verify.conformance.proofs.specialisation import Specialiser
from sonnx_verify.conformance.symbolic.cells import input_cell
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import to_forget
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, tensors_in

Known = dict[str, Concrete]
_PARTS = ("rank", "dim", "read", "count", "given")


@dataclass(frozen=True, slots=True)
class Bound:
    """The ranks, sizes and numbers of inputs up to which something is proved. A list has up to `rank` entries, each
    from -rank to `dim`; with `sets` they are axes, and ascend from 0 on. An attribute is an integer from -rank to one
    above `rank` and `dim`, or left out; one that says a type has the number of that type."""

    rank: int = 2
    dim: int = 2
    inputs: int = 2
    sets: bool = False

    def __str__(self) -> str:
        return self.said(families=True, lists=True, integers=True)

    def said(self, *, families: bool, lists: bool, integers: bool) -> str:
        """The bound in words, for an operator that has a family of inputs, lists such as axes, and attributes that are
        integers, or not."""
        parts = [f"rank <= {self.rank}", f"dims 0..{self.dim}"]
        if families:
            parts.append(self._inputs)
        if lists:
            parts.append(self._lists)
        if integers:
            parts.append(f"attributes {self.integers.start}..{self.integers.stop - 1}")
        return ", ".join(parts)

    @property
    def _inputs(self) -> str:
        if self.inputs == 1:
            return "1 input"
        return f"1 to {self.inputs} inputs"

    @property
    def _lists(self) -> str:
        if self.sets:
            return "lists of axes as sets"
        return f"lists of up to {self.rank} entries {self.entries.start}..{self.entries.stop - 1}"

    def deeper(self, *, families: bool) -> Iterator[Bound]:
        """Greater bounds without end: one size more, then one axis, then where there are families one input."""
        bound = self
        while True:
            for name in ("dim", "rank", *(["inputs"] if families else [])):
                bound = replace(bound, **{name: getattr(bound, name) + 1})
                yield bound

    @property
    def integers(self) -> range:
        """The values of an attribute: an axis from either end, a size, and one that is too large."""
        return range(-max(self.rank, 1), max(self.rank, self.dim) + 2)

    @property
    def entries(self) -> range:
        """The entries of a list: axes from either end, and sizes."""
        return range(-self.rank, max(self.rank, self.dim + 1))

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Smallest first: by rank, then by the sum of sizes."""
        ranks = [product(range(self.dim + 1), repeat=rank) for rank in range(self.rank + 1)]
        return sorted(chain.from_iterable(ranks), key=lambda shape: (len(shape), sum(shape), shape))


_MOST = {"rank": 4, "dim": 8, "inputs": 4}
_CURE = "rank, dim and inputs are given once, with a number, as in rank=3,dim=3,inputs=2; `sets` has none"


def bound_of(text: str) -> Bound:
    """`rank=3,dim=3,inputs=2`, each with its default where it is not said, and `sets`. UsageError for anything else."""
    found: dict[str, int] = {}
    if not text:
        return Bound()
    for part in text.split(","):
        name, value = _part(part, found)
        found[name] = value
    return Bound(**{**asdict(Bound()), **found})


def _part(part: str, found: Collection[str]) -> tuple[str, int]:
    """One part of a bound and its value; of `sets`, that it is there."""
    name, _, number = part.strip().partition("=")
    if (name, number) == ("sets", "") and name not in found:
        return name, True
    if name not in _MOST or name in found or not re.fullmatch("[0-9]{1,3}", number):
        raise UsageError(f"`{part}` is not part of a bound", cure=_CURE)
    # Without an input nothing would be asked, and everything proved.
    if name == "inputs" and not int(number):
        raise UsageError("a bound of inputs=0 leaves no input", cure="give at least inputs=1")
    if int(number) > _MOST[name]:
        raise UsageError(f"a bound of {name}={number} has too many inputs", cure=f"at most {name}={_MOST[name]}")
    return name, int(number)


@dataclass(frozen=True, slots=True)
class Instance:
    """One choice of everything but the elements: `known` as the reference evaluator takes it, with terms as elements of
    what is free, and `free` the names of those tensors, in the order of the operator."""

    known: Known
    specialise: Specialiser
    size: tuple[object, ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the tensors whose elements are free."""
        return tuple(t.shape for t in tensors_in(self.known) if all(isinstance(e, Term) for e in t.elements))


_kept: dict[tuple[object, ...], list[Known]] = {}
to_forget(_kept.clear)


def instances(meaning: Meaning, bound: Bound) -> list[Instance]:
    """The valid ones, smallest first. Raises Open where validity depends on elements."""
    # What is valid is mostly the same whatever T is: then so is the term that says so. Elements of other types are not
    # made anew below.
    others = tuple((v.name, None if v.type_variable else v.sort) for v in meaning.given)
    key = (meaning.valid, *meaning.hypotheses, others, bound)
    if key not in _kept:
        found = _valid(meaning, bound)
        _kept[key] = [i.known for i in found]
        return found
    own = {v.name: v for v in meaning.given if v.type_variable}
    made = []
    for known in _kept[key]:
        renewed = {name: _as_free(own[name], known[name]) for name in own}
        made.append(_instance(meaning, known | renewed))
    return made


def _as_free(variable: Variable, value: Concrete) -> Concrete:
    """The same with elements of the sort that they have here."""
    match value:
        case tuple():
            return _members(variable, [tensor.shape for tensor in family_items(value)])
        case ConcreteTensor():
            return _free(variable.name, variable, value.shape)
        case _:
            return value


def _instance(meaning: Meaning, known: Known) -> Instance:
    return Instance(known, Specialiser.of(meaning.given, known), size_of(known))


def _valid(meaning: Meaning, bound: Bound) -> list[Instance]:
    found = []
    variables = [v for v in meaning.given if v.role is not VariableRole.LENGTH]
    for values in product(*(_possible(v, meaning, bound) for v in variables)):
        known = counted(meaning, dict(zip((v.name for v in variables), values, strict=True)))
        instance = _instance(meaning, known)
        try:
            valid = instance.specialise(meaning.valid)
            stated = all(instance.specialise(h) is TRUE for h in meaning.hypotheses)
        # A clause without a value holds of nothing: the input is not valid.
        except Undefined:
            continue
        if valid is TRUE and stated:
            found.append(instance)
        # Neither true nor false: to leave it out would be to prove less than is said.
        elif valid.op != Op.LITERAL:
            raise Open("validity depends on elements")
    return sorted(found, key=lambda i: i.size)


def size_of(known: Known) -> tuple[object, ...]:
    """The place of an input in the order of counterexamples, the smallest first."""
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
    # Of a conjunction one part that is false is enough: what fails a part about this variable alone is valid with no
    # values of the others, and need not be combined with them.
    names = {variable.name, *(f"{variable.name}.{part}" for part in (*_PARTS, *variable.facts))}
    parts: Sequence[Term] = (meaning.valid,)
    if meaning.valid.op == Op.AND:
        parts = meaning.valid.args
    own = [part for part in parts if _symbol_names(part) <= names]
    return [v for v in _values(variable, bound) if _meets(own, variable, v)]


def _symbol_names(term: Term) -> set[str]:
    payloads = [n.payload for n in subterms(term) if n.op == Op.APPLY]
    return {symbol.name for symbol in payloads if isinstance(symbol, Symbol)}


def _meets(parts: Sequence[Term], variable: Variable, value: Concrete) -> bool:
    specialise = Specialiser.of([variable], {variable.name: value})
    try:
        return all(specialise(part) is not FALSE for part in parts)
    except Undefined:
        return False
    except Open:
        return True  # it is about elements: `instances` says so


def _values(variable: Variable, bound: Bound) -> Iterator[Concrete]:
    if variable.may_be_left_out:
        yield LEFT_OUT
    match variable:
        case Variable(role=VariableRole.ASKED):
            # All outputs are asked for, so that all are compared.
            yield True
        case Variable(role=VariableRole.ATTRIBUTE, kind=VariableKind.TENSOR):
            raise Open(f"`{variable.name}` is a tensor among the attributes, which is tested alone")
        case Variable(kind=VariableKind.TENSOR, count=None):
            yield from _tensors(variable, bound)
        case Variable(kind=VariableKind.TENSOR):
            for number in range(1, bound.inputs + 1):
                for shapes in product(bound.shapes, repeat=number):
                    yield _members(variable, shapes)
        case Variable(code=int(code)):
            # It says the type of the section, which is fixed here.
            yield code
        case Variable(sort=sort, count=None) if sort == INT:
            yield from bound.integers
        case Variable(sort=sort) if sort == INT:
            for number in range(bound.rank + 1):
                yield from product(bound.entries, repeat=number)
        case _:
            raise Open(f"`{variable.name}` has too many values to enumerate")


def _tensors(variable: Variable, bound: Bound) -> Iterator[ConcreteTensor]:
    """A tensor with free elements, of each shape; one of integers of a fixed type is a list, with all its values."""
    if not variable.type_variable and isinstance(variable.sort, IntegerSort):
        yield from _lists(variable.sort, bound)
        return
    for shape in bound.shapes:
        yield _free(variable.name, variable, shape)


def _members(variable: Variable, shapes: Sequence[Sequence[int]]) -> tuple[ConcreteTensor, ...]:
    """The members of a family, with free elements."""
    return tuple(_free(f"{variable.name}{n}", variable, shape) for n, shape in enumerate(shapes, variable.base))


def _free(name: str, variable: Variable, shape: Sequence[int]) -> ConcreteTensor:
    cells = tuple(input_cell(f"{name}[{n}]", variable.sort) for n in range(prod(shape)))
    return ConcreteTensor(variable.sort, tuple(shape), cells)


def _lists(sort: IntegerSort, bound: Bound) -> Iterator[ConcreteTensor]:
    """A tensor that other things depend on, as a list of axes: every value of it."""
    entries = range(bound.entries.start * sort.signed, bound.entries.stop)
    for number in range(bound.rank + 1):
        # As sets: [1, 0] and [-1] name axes that [0, 1] and [1] name too. The scope of the proof says so.
        every: Iterator[tuple[int, ...]] = product(entries, repeat=number)
        if bound.sets:
            every = combinations(range(bound.rank), number)
        yield from (ConcreteTensor(sort, (number,), values) for values in every)
    yield from (ConcreteTensor(sort, (), (value,)) for value in entries)
