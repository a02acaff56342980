"""The error of a target in ulps: how far its floats lie from the exact values that the specification rounds.

A figure, not a verdict: nothing is judged by it. An ulp is the distance between two neighbouring floats of the type in
the binade of the exact value, and never less than the smallest subnormal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from sys import float_info
from typing import Any

from sonnx_verify.conformance.inputs.seeds import Elements
from sonnx_verify.conformance.judgement.conformance import Accuracy, AtSize, Bin, Worst
from sonnx_verify.conformance.oracles.comparison import elements_of, place_in
from sonnx_verify.conformance.oracles.expectation import Demand, Expected
from sonnx_verify.conformance.runs.bench import Observation
from sonnx_verify.conformance.targets.calls import Ending
from sonnx_verify.conformance.targets.models import asked_outputs, attributes_of, given_inputs
from sonnx_verify.kernel.sections import member_name
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import enclosed, floats
from sonnx_verify.logic.approximate import approximate
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Environment, Interpretation, Undefined, stripped
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, REAL, FloatSort, IntegerSort
from sonnx_verify.logic.terms import (
    Term,
    add,
    eq,
    ite,
    literal,
    placeholder,
    quotient,
    real_function,
    scale,
    sub,
    times,
    to_int,
    to_real,
)
from sonnx_verify.results.concrete import Assignment, ConcreteTensor
from sonnx_verify.results.values import attribute_json, element_json, tensor_json
from sonnx_verify.results.written import plain
from sonnx_verify.solving.check.telling import value_of
from sonnx_verify.solving.inputs.inputs import interpretation

_GREATEST = Fraction(float_info.max)
MOST_ELEMENTS = 20_000
"""The number of elements of one output and one choice of types that are measured."""
EDGES = (Fraction(0), Fraction(1, 2), *(Fraction(2) ** n for n in range(8)))
"""The upper ends of the classes of the histogram, in ulps. The last class has no end."""
MOST_SHOWN = 8
"""The most elements of a tensor with a seed that are written out."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The way from words to elements and the number that the elements of a tensor follow from (inputs/seeds.py)."""

    way: Elements
    number: int


_NONE: Mapping[str, Seed] = {}


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an output: its index, and its bits as the specification and as the target give it."""

    place: tuple[int, ...]
    wanted: int
    got: int


@dataclass(frozen=True, slots=True)
class Error:
    """An error in ulps: the input, the element, the exact value there to a hundred bits, whether the element is exact,
    and whether it is the float nearest to the exact value."""

    ulps: Fraction
    assignment: Assignment
    element: Element
    exact: Fraction
    is_exact: bool
    is_nearest: bool
    seeds: Mapping[str, Seed] = field(default_factory=dict)
    """The seeds of the tensors of the input that have one."""

    @property
    def bin(self) -> int:
        """The number of its class in the histogram."""
        if self.is_exact:
            return 0
        return next((n for n, edge in enumerate(EDGES) if n > 0 and self.ulps <= edge), len(EDGES))


@dataclass(slots=True)
class Errors:
    """The errors of the elements of one output.

    `nearest` counts the elements that are correctly rounded.
    `not_finite` counts the elements of which the specification or the target gives NaN or an infinity, and `differing`
    those of them that do not conform; `unconstrained` those where any value conforms; `undecided` those whose
    exact value no enclosure tells from 0.
    """

    sort: FloatSort
    measured: int = 0
    total: Fraction = Fraction(0)
    nearest: int = 0
    classes: Counter[int] = field(default_factory=Counter)
    worst: Error | None = None
    not_finite: int = 0
    differing: int = 0
    unconstrained: int = 0
    undecided: int = 0

    @property
    def mean(self) -> Fraction:
        """The mean error in ulps; 0 of nothing."""
        return self.total / max(1, self.measured)

    def add(self, error: Error) -> None:
        """Take in the error of one more element."""
        self.measured += 1
        # Binary, so that the sum of quotients stays short.
        self.total += Fraction(round(error.ulps * 2**40), 2**40)
        self.nearest += error.is_nearest
        self.classes[error.bin] += 1
        if self.worst is None or error.ulps > self.worst.ulps:
            self.worst = error


class Measurement:
    """Measures what a target answers, for one choice of types."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self._exact = {
            v.name: _exact_of(meaning, v.name)
            for v in meaning.outputs
            if isinstance(v.sort, FloatSort) and meaning.complete(v.name)
        }
        self.sizes: dict[str, tuple[AtSize, ...]] = {}
        """The errors of each output on inputs of each class of sizes."""
        self.errors = {
            v.name: Errors(v.sort) for v in meaning.outputs if v.name in self._exact and isinstance(v.sort, FloatSort)
        }

    def look(self, seen: Observation) -> None:
        """Measure every element of a result, if the target gave one of the right shape and type."""
        expected = seen.expected
        if expected.kind is not Demand.RESULT or expected.any_shape or seen.got.kind is not Ending.RESULT:
            return
        assignment = seen.trial.assignment
        facts = interpretation(self.meaning.given, assignment)
        declared = self._declared(expected)
        outputs = [v.name for v in asked_outputs(self.meaning, assignment)]
        for name, array in zip(outputs, seen.got.outputs, strict=False):
            wanted = expected.outputs.get(name)
            if name not in declared or wanted is None or array is None:
                continue
            output = declared[name]
            if (array.dtype, array.shape) != (wanted.sort.name, wanted.shape):
                continue
            rows = zip(wanted.elements, elements_of(array, wanted.sort), strict=True)
            for n, (one, other) in enumerate(rows):
                assert isinstance(one, int)
                self._element(name, output, seen, facts, Element(place_in(wanted.shape, n), one, other))

    def _declared(self, expected: Expected) -> dict[str, tuple[str, int]]:
        """The declared name of each output that is measured, with the number of the member; 0 of a single output."""
        found = {}
        for variable in self.meaning.outputs:
            if variable.name not in self.errors:
                continue
            if variable.count is None:
                found[variable.name] = variable.name, 0
                continue
            # The members of a family are measured as one output: they have one text.
            members = (member_name(variable, m) for m in range(len(expected.outputs)))
            found |= {name: (variable.name, m) for m, name in enumerate(members) if name in expected.outputs}
        return found

    def _element(
        self, name: str, output: tuple[str, int], seen: Observation, facts: dict[Any, object], element: Element
    ) -> None:
        errors = self.errors[output[0]]
        sort = errors.sort
        if errors.measured >= MOST_ELEMENTS:
            return
        if _is_open(seen.expected, name, sort, element):
            errors.unconstrained += 1
            return
        if not (floats.is_finite(sort, element.wanted) and floats.is_finite(sort, element.got)):
            errors.not_finite += 1
            errors.differing += not _conforms(seen.expected, name, sort, element)
            return
        try:
            value = self._exact[output[0]](facts, output[1], element.place)
            errors.add(error_of(sort, seen.trial.assignment, element, value))
        except Undefined:
            errors.undecided += 1


def error_of(
    sort: FloatSort, assignment: Assignment, element: Element, value: enclosed.Value, seeds: Mapping[str, Seed] = _NONE
) -> Error:
    """The error of a finite element. Raises Undefined where no enclosure decides it."""
    exact = approximate(value)
    ulps = abs(floats.to_fraction(sort, element.got) - exact) / ulp(sort, exact)
    # Of exp(2^-149), which is irrational, a hundred bits are those of 1.
    is_exact = ulps == 0 and not isinstance(value, enclosed.Enclosed)
    # What is off by less than half an ulp needs no question that enclosures may leave open; both zeros are one number.
    is_nearest = 2 * ulps < 1
    if 2 * ulps >= 1 and ulps <= 1:
        nearest = enclosed.round_to_nearest(sort, value)
        is_nearest = floats.to_fraction(sort, nearest) == floats.to_fraction(sort, element.got)
    return Error(ulps, assignment, element, exact, is_exact, is_nearest, seeds)


def _is_open(expected: Expected, name: str, sort: FloatSort, element: Element) -> bool:
    """Return whether any value conforms at an element."""
    if element.place in expected.unspecified.get(name, frozenset()):
        return True
    member = expected.members.get(name)
    # A set that has NaN, and a number for its representative, is that of all values.
    return member is not None and not floats.is_nan(sort, element.wanted) and member(element.place, floats.nan(sort))


def _conforms(expected: Expected, name: str, sort: FloatSort, element: Element) -> bool:
    """Return whether an element is the value of the specification, or another member of its set."""
    got = floats.canonical(sort, element.got)
    if got == floats.canonical(sort, element.wanted):
        return True
    # An infinity is the neighbour of the greatest float, so a set of steps may have it beside a finite representative.
    member = expected.members.get(name)
    return member is not None and member(element.place, got)


def accuracies(types: str, measured: Measurement) -> Iterator[Accuracy]:
    """The measurements, output by output, for one choice of types."""
    for name, errors in measured.errors.items():
        figures = figures_of(measured.meaning, errors)
        yield Accuracy(type=types, output=name, sizes=measured.sizes.get(name, ()), **figures)


def figures_of(meaning: Meaning, errors: Errors) -> dict[str, Any]:
    """The errors of an output, as plain data: members of a record of them."""
    ends = [*map(float, EDGES), None]
    worst = None
    if errors.worst is not None:
        worst = _worst(meaning, errors.sort, errors.worst)
    return {
        "measured": errors.measured,
        "nearest": errors.nearest,
        "mean": _short(errors.mean),
        "worst": worst,
        "histogram": tuple(Bin(end, errors.classes[n]) for n, end in enumerate(ends) if errors.classes[n]),
        "not_finite": errors.not_finite,
        "differ": errors.differing,
        "open": errors.unconstrained,
        "undecided": errors.undecided,
    }


def _worst(meaning: Meaning, sort: FloatSort, worst: Error) -> Worst:
    assignment = worst.assignment
    return Worst(
        ulps=_short(worst.ulps),
        inputs={name: _input_json(t, worst.seeds.get(name)) for name, t in given_inputs(meaning, assignment)},
        attributes=plain({v.name: attribute_json(value_of(v, x)) for v, x in attributes_of(meaning, assignment)}),
        index=worst.element.place,
        exact=_decimal(worst.exact),
        got=element_json(sort.name, worst.element.got),
    )


def _input_json(tensor: ConcreteTensor, seed: Seed | None) -> Any:
    """A tensor; one of many elements that has a seed without them."""
    if seed is None:
        return plain(tensor_json(tensor))
    made = {"dtype": tensor.sort.name, "shape": list(tensor.shape), "elements": seed.way, "seed": seed.number}
    if len(tensor.elements) <= MOST_SHOWN:
        made["data"] = tensor_json(tensor).data
    return made


def _short(ulps: Fraction) -> float:
    """An error as a float of four digits; beyond all doubles the greatest of them, since JSON has no infinity."""
    return float(f"{float(min(ulps, _GREATEST)):.4g}")


def _decimal(exact: Fraction) -> str:
    """The first twenty digits of a number, for people."""
    context = Context(prec=20, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return str(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


def ulp(sort: FloatSort, value: Fraction) -> Fraction:
    """The distance between neighbouring floats in the binade of a number; the smallest subnormal below all binades."""
    least = floats.to_fraction(sort, floats.smallest_subnormal(sort))
    size = abs(value)
    if size == 0:
        return least
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    return max(least, Fraction(2) ** (exponent - sort.significand + 1))


# ------------------------------------------------------------------------------------------------------ the exact value


def _exact_of(meaning: Meaning, name: str) -> Callable[[dict[Any, object], int, tuple[int, ...]], enclosed.Value]:
    """A function from the facts of an input, the number of a member and an index to the exact value of the output's
    element there. The number counts in a family alone."""
    family = meaning.families.get(name)
    number = placeholder(INT)
    if family is not None:
        number = family.number
        meaning = meaning.with_members(name, {name: number})
    index = placeholder(INDEX)
    term = meaning.values[name](index)

    def at(facts: dict[Any, object], m: int, place: tuple[int, ...]) -> enclosed.Value:
        return exact_value(term, {number_of(number): m, number_of(index): stripped(place[::-1])}, facts)

    return at


def exact_value(term: Term, env: Environment, facts: Interpretation) -> enclosed.Value:
    """The real number that a finite float is the rounding of, where the last step to it rounds; else the float.

    Raises Undefined.
    """
    while term.op is Op.ITE:
        condition, then, otherwise = term.args
        term = then if compile_term(condition)(env, facts) else otherwise
    if term.op is Op.ROUNDED:
        value: enclosed.Value = compile_term(term.args[0])(env, facts)
        return value
    operation = _OPERATIONS.get(term.op)
    if operation is not None:
        operands = [_finite(argument, env, facts) for argument in term.args]
        # Of infinite operands the result is exact: it is finite only as a zero.
        if None not in operands:
            return operation(*(o for o in operands if o is not None))
    made = _finite(term, env, facts)
    if made is None:
        raise Undefined("the real number of a value that is not finite")
    return made


_OPERATIONS: Mapping[Op, Callable[..., enclosed.Value]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIVIDE: lambda a, b: a / b,
    Op.FMA: lambda a, b, c: a * b + c,
    Op.SQRT: lambda a: enclosed.apply(RealFunction.SQRT, a),
    Op.CONVERTED: lambda a: a,
}


def exact_term(term: Term) -> Term:
    """The real number of `exact_value` as a term. It has a meaning where the float is finite; elsewhere it is any
    number, or has none."""
    if term.op is Op.ITE:
        condition, then, otherwise = term.args
        return ite(condition, exact_term(then), exact_term(otherwise))
    if term.op is Op.ROUNDED:
        return term.args[0]
    operation = _TERMS.get(term.op)
    if operation is None:
        return _real_of(term)
    return operation(*map(_real_of, term.args))


def _real_of(term: Term) -> Term:
    """The real number of an element."""
    match term.sort:
        case FloatSort() if term.op is Op.LITERAL and not _is_finite(term):
            return literal(Fraction(0), REAL)
        case FloatSort():
            return to_real(term)
        case IntegerSort():
            return to_real(to_int(term))
        case _ if term.sort == BOOL:
            return ite(term, literal(Fraction(1), REAL), literal(Fraction(0), REAL))
        case _ if term.sort == INT:
            return to_real(term)
        case _:
            return term


def _is_finite(literal_: Term) -> bool:
    assert isinstance(literal_.sort, FloatSort)
    assert isinstance(literal_.payload, int)
    return floats.is_finite(literal_.sort, literal_.payload)


def _ratio(a: Term, b: Term) -> Term:
    """A quotient, and 0 of the divisor 0, by which no quotient of floats is finite."""
    zero = literal(Fraction(0), REAL)
    return ite(eq(b, zero), zero, quotient(a, b))


_TERMS: Mapping[Op, Callable[..., Term]] = {
    Op.ADD: add,
    Op.SUB: sub,
    Op.MUL: times,
    Op.DIVIDE: _ratio,
    Op.FMA: lambda a, b, c: add(times(a, b), c),
    Op.SQRT: lambda a: real_function(RealFunction.SQRT, a),
    Op.CONVERTED: lambda a: a,
    # A text may write -inf: no array holds the real number of it.
    Op.NEG: lambda a: scale(-1, a),
}
"""The same operations as `_OPERATIONS`, and negation, which is exact."""


def _finite(term: Term, env: Environment, facts: Interpretation) -> Fraction | None:
    """An element as a fraction; None for NaN and infinities."""
    value = compile_term(term)(env, facts)
    if not isinstance(term.sort, FloatSort):
        return Fraction(value)
    if not floats.is_finite(term.sort, value):
        return None
    return floats.to_fraction(term.sort, value)
