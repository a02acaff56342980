"""The result of a call, compared with what the specification says: how far they agree, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from sonnx_verify.conformance.calls import Array, Ending, Got
from sonnx_verify.conformance.expected import Demand, Expected, Member
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of

LEVELS = ("bits", "nan-payload", "zero-sign", "member")
"""The degrees of agreement of results, the best first: bit for bit; up to the payload and the sign of NaN; up to the
sign of zero; as another member of the set of results that the specification declares."""
BITS, PAYLOAD, ZERO, MEMBER = range(4)
NOTHING = len(LEVELS)
"""Worse than every level: they do not agree."""


@unique
class Kind(StrEnum):
    """The kinds of findings. Identities, JSON and ledgers have their values."""

    NAN_LOST = "nan-lost"
    NAN_MADE = "nan-made"
    NAN_PAYLOAD = "nan-payload"
    ZERO_SIGN = "zero-sign"
    VALUE = "value"
    SHAPE = "shape"
    TYPE = "type"
    OUTPUTS = "number-of-outputs"
    NO_RESULT = "no-result"
    REFUSES = "refuses"
    ACCEPTS = "accepts"
    CHANGES_INPUT = "changes-input"
    CRASH = "crash"
    HANG = "hang"
    MEMORY = "memory"
    IN_SET = "set"  # another member of a declared set: it lowers the level, and is no finding


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a target differs: its kind, more of it where there is more to say, and the level up to which
    that is agreement."""

    kind: Kind
    cause: str = ""
    level: int = NOTHING


DIES = {Ending.CRASHED: Kind.CRASH, Ending.HUNG: Kind.HANG, Ending.MEMORY: Kind.MEMORY}
"""The endings of a process, and the kind of finding of each."""


def compare(expected: Expected, outputs: Sequence[str], got: Got) -> tuple[int, list[Finding]]:
    """The level at which the result of a call agrees, and the findings, each kind once. `outputs` are asked for."""
    if expected.kind is Demand.OUTSIDE:
        return BITS, []
    # A wrong kernel is wrong at many elements: one finding of a kind says all of it.
    findings = list(dict.fromkeys(_findings(expected, outputs, got)))
    level = max((f.level for f in findings), default=BITS)
    return level, [f for f in findings if f.kind is not Kind.IN_SET]


def _findings(expected: Expected, outputs: Sequence[str], got: Got) -> Iterator[Finding]:
    # Whatever the specification says of an input, also that anything may come of it: no code may die of it.
    if got.kind in DIES:
        yield Finding(DIES[got.kind])
        return
    # Inputs belong to the caller, also where the input is rejected or the outcome is open.
    if got.changed:
        yield Finding(Kind.CHANGES_INPUT)
    match expected.kind:
        case Demand.REJECTED if got.kind is not Ending.REFUSED:
            yield Finding(Kind.ACCEPTS, expected.tags[0])
        case Demand.RESULT:
            yield from _result(expected, outputs, got)


def _result(expected: Expected, outputs: Sequence[str], got: Got) -> Iterator[Finding]:
    """The findings where the specification gives a result, and the process lives."""
    if got.kind is Ending.REFUSED:
        yield Finding(Kind.REFUSES)
    elif got.kind is Ending.MALFORMED:
        yield Finding(Kind.NO_RESULT)
    elif len(got.outputs) != len(outputs):
        yield Finding(Kind.OUTPUTS)
    else:
        for name, array in zip(outputs, got.outputs, strict=True):
            if name in expected.outputs:
                yield from _output(expected, name, array)


def _output(expected: Expected, name: str, array: Array | None) -> Iterator[Finding]:
    wanted = expected.outputs[name]
    if array is None:
        # An output that was asked for is not there.
        yield Finding(Kind.OUTPUTS)
    elif array.dtype != wanted.sort.name:
        yield Finding(Kind.TYPE)
    elif expected.any_shape:
        # With the shape every element is open: only the type is left to compare.
        return
    elif array.shape != wanted.shape:
        yield Finding(Kind.SHAPE)
    else:
        rows = differing(wanted, array, expected.unspecified.get(name, frozenset()), expected.members.get(name))
        yield from (finding for _, _, finding in rows)


def elements_of(array: Array, sort: Sort) -> list[int | bool]:
    """The elements as the specification has them: floats as bits, of whatever NaN."""
    if isinstance(sort, FloatSort):
        return list(np.frombuffer(array.data, f"u{sort.width // 8}").tolist())
    return list(np.frombuffer(array.data, dtype_of(sort.name)).tolist())


def tensor_of(array: Array) -> ConcreteTensor | None:
    """An array as a tensor, NaNs with their own bits; None of a type that specifications have not."""
    sort = ELEMENT_TYPES.get(array.dtype)
    # `real` is a type of specifications that no array has: a target cannot name it.
    if sort is None or array.dtype == "real":
        return None
    return ConcreteTensor(sort, array.shape, tuple(elements_of(array, sort)))


def differing(
    wanted: ConcreteTensor, array: Array, free: frozenset[tuple[int, ...]], member: Member | None
) -> Iterator[tuple[tuple[int, ...], int, Finding]]:
    """The index, the element of the target and the finding wherever bits differ and nothing is left open."""
    sort = wanted.sort
    got = tuple(elements_of(array, sort))
    # Mostly all are the same, and there are thousands.
    if got == wanted.elements:
        return
    at_once = None
    if member is not None and member.of_all is not None:
        at_once = member.of_all([_canonical(sort, element) for element in got])
    for n, (one, other) in enumerate(zip(wanted.elements, got, strict=True)):
        if one == other:
            continue
        assert isinstance(one, int)
        place = place_in(wanted.shape, n)
        if place in free:
            continue
        finding = _element(sort, one, other)
        # The expected element is one member of the set: an element that differs in more than a payload may be another.
        # A member with a wrong sign of zero is told at the better of the two levels.
        if (
            member is not None
            and finding.level > PAYLOAD
            and (at_once[n] if at_once is not None else member.at(place, _canonical(sort, other)))
        ):
            finding = Finding(Kind.IN_SET, "", min(finding.level, MEMBER))
        yield place, other, finding


def _canonical(sort: Sort, element: int) -> int:
    """The element with a NaN as the specification writes it: membership is about values, not about payloads."""
    if isinstance(sort, FloatSort):
        return floats.canonical(sort, element)
    return element


def _element(sort: Sort, one: int, other: int) -> Finding:
    """The difference of an element from the one that is expected."""
    if not isinstance(sort, FloatSort):
        return Finding(Kind.VALUE)
    match floats.is_nan(sort, one), floats.is_nan(sort, other):
        case True, True:
            return Finding(Kind.NAN_PAYLOAD, "", PAYLOAD)
        case True, False:
            return Finding(Kind.NAN_LOST)
        case False, True:
            return Finding(Kind.NAN_MADE)
    # Bits that differ and are both zeros: only the sign is another.
    if floats.is_zero(sort, one) and floats.is_zero(sort, other):
        return Finding(Kind.ZERO_SIGN, "", ZERO)
    return Finding(Kind.VALUE)


def place_in(shape: tuple[int, ...], n: int) -> tuple[int, ...]:
    """The index of the n-th element in row-major order."""
    place = []
    for size in reversed(shape):
        n, k = divmod(n, size)
        place.append(k)
    return tuple(reversed(place))
