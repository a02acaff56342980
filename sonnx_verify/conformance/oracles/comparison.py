"""The result of a call, compared with what the specification says: how far they agree, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Any

import numpy as np

from sonnx_verify.conformance.oracles.expectation import Demand, Expected, Member, Place
from sonnx_verify.conformance.targets.calls import Array, Ending, Response
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, MinifloatSort, Sort
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
    FOREIGN = "foreign-memory"
    DECLARED_TYPE = "declared-type"
    INVALID_CALL = "invalid-call"  # a result for one: it changes no verdict, and is a finding of the catalogue alone
    IN_SET = "set"  # another member of a declared set: it lowers the level, and is no finding


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a target differs: its kind, more of it where there is more to say, and the level up to which
    that is agreement."""

    kind: Kind
    cause: str = ""
    level: int = NOTHING


OF_ELEMENTS = (Kind.NAN_LOST, Kind.NAN_MADE, Kind.NAN_PAYLOAD, Kind.ZERO_SIGN, Kind.VALUE)
"""The kinds for which it matters where elements stand."""
NOTHING_DECLARED: Mapping[str, str] = MappingProxyType({})
DIES = {Ending.CRASHED: Kind.CRASH, Ending.HUNG: Kind.HANG, Ending.MEMORY: Kind.MEMORY}
"""The endings of a process, and the kind of finding of each."""


def compare(
    expected: Expected, outputs: Sequence[str], got: Response, declared: Mapping[str, str] = NOTHING_DECLARED
) -> tuple[int, list[Finding]]:
    """The level at which the result of a call agrees, and the findings, each kind once. `outputs` are asked for;
    `declared` has the types of those whose type the model alone says."""
    if expected.kind is Demand.OUTSIDE:
        return BITS, []
    # A wrong kernel is wrong at many elements: one finding of a kind says all of it.
    findings = list(dict.fromkeys(_findings(expected, outputs, got, declared)))
    level = max((f.level for f in findings), default=BITS)
    return level, [f for f in findings if f.kind is not Kind.IN_SET]


def _findings(
    expected: Expected, outputs: Sequence[str], got: Response, declared: Mapping[str, str]
) -> Iterator[Finding]:
    # Whatever the specification says of an input, also that anything may come of it: no code may die of it.
    if got.kind in DIES:
        yield Finding(DIES[got.kind])
        return
    # Inputs belong to the caller, also where the input is rejected or the outcome is open.
    if got.changed:
        yield Finding(Kind.CHANGES_INPUT)
    match expected.kind:
        case Demand.REJECTED | Demand.OPEN if got.varies:
            yield Finding(Kind.FOREIGN, "".join(expected.tags[:1]))
        # No clause is wrong about such a result: the model around the node is.
        case Demand.REJECTED if got.kind is Ending.RESULT and _has_other_types(outputs, got, declared):
            yield Finding(Kind.DECLARED_TYPE)
        case Demand.REJECTED if got.kind is not Ending.REFUSED:
            yield Finding(Kind.ACCEPTS, expected.tags[0])
        case Demand.RESULT:
            yield from _result(expected, outputs, got)


def _has_other_types(outputs: Sequence[str], got: Response, declared: Mapping[str, str]) -> bool:
    """Return whether an output has another type than the model declares; one that is not read as plain data has a type
    that no specification has."""
    rows = [(declared[name], array) for name, array in zip(outputs, got.outputs, strict=False) if name in declared]
    return any(array is None or array.dtype != dtype for dtype, array in rows)


def _result(expected: Expected, outputs: Sequence[str], got: Response) -> Iterator[Finding]:
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
        yield from _kinds(expected, name, array)


def elements_of(array: Array, sort: Sort) -> list[int | bool]:
    """The elements as the specification has them: floats as bits, of whatever NaN."""
    return list(_values(array, sort).tolist())


def _values(array: Array, sort: Sort) -> Any:
    """The elements in a row, with floats as bits."""
    if isinstance(sort, FloatSort):
        return np.frombuffer(array.data, f"u{sort.width // 8}")
    return np.frombuffer(array.data, dtype_of(sort.name))


def tensor_of(array: Array) -> ConcreteTensor | None:
    """An array as a tensor, NaNs with their own bits; None of a type that specifications have not."""
    sort = ELEMENT_TYPES.get(array.dtype)
    # `real` is a type of specifications that no array has: a target cannot name it.
    if sort is None or array.dtype == "real":
        return None
    return ConcreteTensor(sort, array.shape, tuple(elements_of(array, sort)))


def differing(expected: Expected, name: str, array: Array) -> Iterator[tuple[Place, int, Finding]]:
    """The index, the element of the target and the finding wherever bits of an output differ and nothing is left open.
    The output has the type and the shape that are expected."""
    wanted, free = expected.outputs[name], expected.unspecified.get(name, frozenset())
    member = expected.members.get(name)
    rows: list[tuple[Place, int, Finding]] = []
    for n, other, kind in zip(*(column.tolist() for column in _unequal(expected, name, array)), strict=True):
        place = place_in(wanted.shape, n)
        if place not in free:
            rows.append((place, other, _DIFFERENCES[kind]))
    if member is None:
        yield from rows
    else:
        yield from _outside_of(member, wanted.sort, rows)


def _outside_of(
    member: Member, sort: Sort, rows: Sequence[tuple[Place, int, Finding]]
) -> Iterator[tuple[Place, int, Finding]]:
    """The same, where another element of the set is no finding."""
    # The expected element is one member of the set: an element that differs in more than a payload may be another.
    asked = [row for row in rows if row[2].level > PAYLOAD]
    places, elements = [place for place, _, _ in asked], [_canonical(sort, element) for _, element, _ in asked]
    inside = dict(zip(places, member.each(places, elements), strict=True))
    for place, element, finding in rows:
        if inside.get(place, False):
            # A member with a wrong sign of zero is told at the better of the two levels.
            yield place, element, Finding(Kind.IN_SET, "", min(finding.level, MEMBER))
        else:
            yield place, element, finding


def _canonical(sort: Sort, element: int) -> int:
    """The element with a NaN as the specification writes it: membership is about values, not about payloads."""
    if isinstance(sort, FloatSort):
        return floats.canonical(sort, element)
    return element


def _kinds(expected: Expected, name: str, array: Array) -> Iterator[Finding]:
    """Each finding about the elements of an output, once or more often."""
    if name in expected.members or expected.unspecified.get(name):
        yield from (finding for _, _, finding in differing(expected, name, array))
        return
    # Inputs are compared by the thousand, and a wrong kernel is wrong at most elements: their places matter to none.
    kinds, first = np.unique(_unequal(expected, name, array)[2], return_index=True)
    yield from (_DIFFERENCES[kind] for kind in kinds[np.argsort(first)].tolist())


_DIFFERENCES = (
    Finding(Kind.VALUE),
    Finding(Kind.ZERO_SIGN, "", ZERO),
    Finding(Kind.NAN_LOST),
    Finding(Kind.NAN_MADE),
    Finding(Kind.NAN_PAYLOAD, "", PAYLOAD),
)
_VALUE, _ZERO_SIGN, _NAN_LOST, _NAN_MADE, _NAN_PAYLOAD = range(len(_DIFFERENCES))
"""The places of the differences that an element can have from the one that is expected."""


def _unequal(expected: Expected, name: str, array: Array) -> tuple[Any, Any, Any]:
    """The numbers of the elements whose bits differ, in row-major order, those of the target, and the number of each
    difference."""
    sort = expected.outputs[name].sort
    ours, theirs = expected.values(name), _values(array, sort)
    # numpy would compare one element with each of many.
    assert len(ours) == len(theirs)
    where = np.flatnonzero(ours != theirs)
    one, other = ours[where], theirs[where]
    kinds = np.full(len(where), _VALUE)
    if isinstance(sort, FloatSort):
        # Bits that differ and are both zeros: only the sign is another.
        kinds[_magnitudes(sort, one | other) == 0] = _ZERO_SIGN
        was, is_now = _are_nan(sort, one), _are_nan(sort, other)
        kinds[was & ~is_now] = _NAN_LOST
        kinds[~was & is_now] = _NAN_MADE
        kinds[was & is_now] = _NAN_PAYLOAD
    return where, other, kinds


def _are_nan(sort: FloatSort, bits: Any) -> Any:
    """Which bit patterns of an array are a NaN, of any sign and payload."""
    if isinstance(sort, MinifloatSort):
        return _magnitudes(sort, bits) == floats.nan(sort)
    return _magnitudes(sort, bits) > floats.infinity(sort)


def _magnitudes(sort: FloatSort, bits: Any) -> Any:
    """Bit patterns without their signs."""
    return bits & bits.dtype.type(floats.zero(sort, negative=True) - 1)


def place_in(shape: tuple[int, ...], n: int) -> Place:
    """The index of the n-th element in row-major order."""
    place = []
    for size in reversed(shape):
        n, k = divmod(n, size)
        place.append(k)
    return tuple(reversed(place))
