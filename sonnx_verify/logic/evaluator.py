"""The reference evaluator: the meaning of every term on concrete values.

A term is compiled once into nested functions and can then be run on many interpretations. Junctions and ite are lazy
from the left, so a guard protects what it guards. Values are those of logic/sorts.py; an index is the tuple of its
coordinates from the right without trailing zeros, so that equal indices are equal tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import floor, prod
from typing import Any

from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import OPERATORS
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, euclid

Value = Any
Interpretation = Mapping[Symbol, Any]
"""What each free symbol means: a value, or a function of values. A function raises Undefined outside its domain."""

Environment = dict[int, Value]
Code = Callable[[Environment, Interpretation], Value]


class Undefined(Exception):
    """The term has no value here: a read outside a tensor, the only member of a set that has none or several."""


class TooMany(Undefined):
    """A range, or a shape, of more members than are looked at one by one."""


_MOST = 1 << 16


def range_of(first: int, last: int) -> range:
    """The integers from first to last. Raises TooMany."""
    if last - first >= _MOST:
        raise TooMany("more numbers than are looked at")
    return range(first, last + 1)


def evaluate(term: Term, interpretation: Interpretation) -> Value:
    """The value of a closed term. Raises Undefined where it has none."""
    return compile_term(term)({}, interpretation)


_compiled: dict[Term, Code] = {}


def compile_term(term: Term) -> Code:
    """The function that gives the term's value from its bound variables and an interpretation."""
    code = _compiled.get(term)
    if code is None:
        code = _HANDLERS[term.op](term)
        if term.op in _REMEMBERED or (term.weight > _HEAVY and term.args):
            code = _remembering(term, code)
        _compiled[term] = code
    return code


_HEAVY = 60
_REMEMBERED = ("forall", "forall_index", "fold", "fold_index", "recursion")
_MEMORY = Symbol("values met", (), BOOL)


def _remembering(term: Term, code: Code) -> Code:
    """Terms are graphs: what has been computed for the same values of the bound variables is not computed again. The
    memory lives in the interpretation, so it ends with it."""
    numbers = tuple(sorted(v.payload for v in term.free if isinstance(v.payload, int)))

    def run(env: Environment, facts: Interpretation) -> Value:
        memory = facts.get(_MEMORY)
        if memory is None:
            if not isinstance(facts, dict):
                return code(env, facts)
            memory = facts[_MEMORY] = {}
        key = (term, *[env[n] for n in numbers])
        if key in memory:
            return memory[key]
        value = memory[key] = code(env, facts)
        return value

    return run


def without_memory(interpretation: Interpretation) -> dict[Symbol, Any]:
    """The interpretation as it was given, without what evaluation remembered in it."""
    return {symbol: meaning for symbol, meaning in interpretation.items() if symbol is not _MEMORY}


def _parts(term: Term) -> list[Code]:
    return [compile_term(a) for a in term.args]


def _literal(term: Term) -> Code:
    value = term.payload
    return lambda env, facts: value


def _variable(term: Term) -> Code:
    number = term.payload
    assert isinstance(number, int)
    return lambda env, facts: env[number]


def _apply(term: Term) -> Code:
    symbol = term.payload
    parts = _parts(term)
    if not parts:
        return lambda env, facts: facts[symbol]  # type: ignore[index]  # the payload of apply is a Symbol
    if len(parts) == 1:
        first = parts[0]
        return lambda env, facts: facts[symbol](first(env, facts))  # type: ignore[index]  # as above
    return lambda env, facts: facts[symbol](*[p(env, facts) for p in parts])  # type: ignore[index]  # as above


def _not(term: Term) -> Code:
    (a,) = _parts(term)
    return lambda env, facts: not a(env, facts)


def _and(term: Term) -> Code:
    parts = _parts(term)

    def run(env: Environment, facts: Interpretation) -> Value:
        for part in parts:  # noqa: SIM110 - a loop is twice as quick here as all() with a generator
            if not part(env, facts):
                return False
        return True

    return run


def _or(term: Term) -> Code:
    parts = _parts(term)

    def run(env: Environment, facts: Interpretation) -> Value:
        for part in parts:  # noqa: SIM110 - as above
            if part(env, facts):
                return True
        return False

    return run


def _ite(term: Term) -> Code:
    condition, then, otherwise = _parts(term)

    return lambda env, facts: then(env, facts) if condition(env, facts) else otherwise(env, facts)


def _equal(term: Term) -> Code:
    a, b = _parts(term)
    return lambda env, facts: a(env, facts) == b(env, facts)


def _plus(term: Term) -> Code:
    parts = _parts(term)
    return lambda env, facts: sum(p(env, facts) for p in parts)


def _times(term: Term) -> Code:
    parts = _parts(term)
    return lambda env, facts: prod(p(env, facts) for p in parts)


def _divide(term: Term) -> Code:
    a, b = _parts(term)
    which = 0 if term.op == "div" else 1

    def run(env: Environment, facts: Interpretation) -> Value:
        divisor = b(env, facts)
        if divisor == 0:
            raise Undefined("division by 0")
        return euclid(a(env, facts), divisor)[which]

    return run


def _compare(term: Term) -> Code:
    a, b = _parts(term)
    sort = term.args[0].sort
    if isinstance(sort, FloatSort):
        relation = floats.less_equal if term.op == "<=" else floats.less
        return lambda env, facts: relation(sort, a(env, facts), b(env, facts))
    if term.op == "<=":
        return lambda env, facts: a(env, facts) <= b(env, facts)
    return lambda env, facts: a(env, facts) < b(env, facts)


def wrap(sort: IntegerSort, value: int) -> int:
    """The value of the sort that is equal to `value` modulo 2 to the width."""
    return (value - sort.lowest) % (1 << sort.width) + sort.lowest


_INTEGER_OPERATIONS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
}
_FLOAT_OPERATIONS: dict[str, Callable[..., Value]] = {
    "add": floats.add,
    "sub": floats.sub,
    "mul": floats.mul,
    "neg": floats.negate,
    "ieee_equal": floats.ieee_equal,
    "is_nan": floats.is_nan,
    "is_infinite": floats.is_infinite,
    "is_zero": floats.is_zero,
    "is_negative": floats.is_negative,
    "is_positive": floats.is_positive,
}


def _element(term: Term) -> Code:
    sort: Sort = term.args[0].sort
    parts = _parts(term)
    if isinstance(sort, FloatSort):
        operation = _FLOAT_OPERATIONS[term.op]
        return lambda env, facts: operation(sort, *[p(env, facts) for p in parts])
    assert isinstance(sort, IntegerSort)
    exact = _INTEGER_OPERATIONS[term.op]
    return lambda env, facts: wrap(sort, exact(*[p(env, facts) for p in parts]))


def _same(term: Term) -> Code:
    (a,) = _parts(term)
    return a


def _to_real(term: Term) -> Code:
    (a,) = _parts(term)
    sort = term.args[0].sort
    if not isinstance(sort, FloatSort):
        return lambda env, facts: Fraction(a(env, facts))

    def run(env: Environment, facts: Interpretation) -> Value:
        bits = a(env, facts)
        if floats.is_nan(sort, bits) or floats.is_infinite(sort, bits):
            raise Undefined("the real number of what is not finite")
        return floats.to_fraction(sort, bits)

    return run


def _floor(term: Term) -> Code:
    (a,) = _parts(term)
    return lambda env, facts: floor(a(env, facts))


def _wrapped(term: Term) -> Code:
    (a,) = _parts(term)
    sort = term.sort
    assert isinstance(sort, IntegerSort)
    return lambda env, facts: wrap(sort, a(env, facts))


def _rounded(term: Term) -> Code:
    (a,) = _parts(term)
    sort = term.sort
    assert isinstance(sort, FloatSort)
    return lambda env, facts: floats.round_to_nearest(sort, a(env, facts))


def _forall(term: Term) -> Code:
    variable, low, high, body = term.args
    number = variable.payload
    assert isinstance(number, int)
    first, last, inner = compile_term(low), compile_term(high), compile_term(body)

    def run(env: Environment, facts: Interpretation) -> Value:
        for k in range_of(first(env, facts), last(env, facts)):
            env[number] = k
            if not inner(env, facts):
                return False
        return True

    return run


def indices_of(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Every index of a shape given by its sizes from the right, in row-major order."""
    if 0 in sizes:
        return
    if prod(sizes) > _MOST:
        raise TooMany("more indices than are looked at")
    for position in product(*(range(size) for size in reversed(sizes))):
        yield stripped(list(reversed(position)))


def stripped(coordinates: Sequence[int]) -> tuple[int, ...]:
    """The index of these coordinates from the right, as evaluation holds it."""
    end = len(coordinates)
    while end and coordinates[end - 1] == 0:
        end -= 1
    return tuple(coordinates[:end])


def _forall_index(term: Term) -> Code:
    variable, rank, axis, dim, body = term.args
    number, axis_number = variable.payload, axis.payload
    assert isinstance(number, int) and isinstance(axis_number, int)
    axes, size, inner = compile_term(rank), compile_term(dim), compile_term(body)

    def run(env: Environment, facts: Interpretation) -> Value:
        sizes = []
        for k in range_of(0, axes(env, facts) - 1):
            env[axis_number] = k
            sizes.append(size(env, facts))
        for position in indices_of(sizes):
            env[number] = position
            if not inner(env, facts):
                return False
        return True

    return run


def _index(term: Term) -> Code:
    variable, rank, coordinate = term.args
    number = variable.payload
    assert isinstance(number, int)
    axes, body = compile_term(rank), compile_term(coordinate)

    def run(env: Environment, facts: Interpretation) -> Value:
        coordinates = []
        for k in range_of(0, axes(env, facts) - 1):
            env[number] = k
            coordinates.append(body(env, facts))
        return stripped(coordinates)

    return run


def _at(term: Term) -> Code:
    position, axis = _parts(term)

    def run(env: Environment, facts: Interpretation) -> Value:
        coordinates, k = position(env, facts), axis(env, facts)
        return coordinates[k] if 0 <= k < len(coordinates) else 0

    return run


def _inside(term: Term) -> Code:
    position, rank, axis, dim = term.args
    number = axis.payload
    assert isinstance(number, int)
    where, axes, size = compile_term(position), compile_term(rank), compile_term(dim)

    def run(env: Environment, facts: Interpretation) -> Value:
        coordinates, count = where(env, facts), axes(env, facts)
        if len(coordinates) > max(count, 0):
            return False
        for k in range_of(0, count - 1):
            env[number] = k
            if not 0 <= (coordinates[k] if k < len(coordinates) else 0) < size(env, facts):
                return False
        return True

    return run


_HANDLERS: dict[str, Callable[[Term], Code]] = {
    "literal": _literal,
    "variable": _variable,
    "apply": _apply,
    "not": _not,
    "and": _and,
    "or": _or,
    "=": _equal,
    "ite": _ite,
    "+": _plus,
    "*": _times,
    "div": _divide,
    "mod": _divide,
    "<=": _compare,
    "<": _compare,
    **{name: _element for name, row in OPERATORS.items() if row.group in ("element", "float")},
    "forall": _forall,
    "forall_index": _forall_index,
    "fold": lambda term: compile_fold(term),
    "fold_index": lambda term: compile_fold(term),
    "recursion": lambda term: compile_recursion(term),
    "to_int": _same,
    "to_real": _to_real,
    "wrapped": _wrapped,
    "floor": _floor,
    "rounded": _rounded,
    "index": _index,
    "at": _at,
    "inside": _inside,
}
assert _HANDLERS.keys() == OPERATORS.keys(), "the evaluator handles every operator"

# The folds are compiled by a module of their own, which needs what is above.
from sonnx_verify.logic.evaluator_folds import compile_fold, compile_recursion  # noqa: E402
