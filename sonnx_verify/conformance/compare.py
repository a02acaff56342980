"""What a target did, held against what the specification says: how far they agree, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sonnx_verify.conformance.calls import Array, Got
from sonnx_verify.conformance.expected import OPEN, OUTSIDE, REJECTED, Expected, Member
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor

LEVELS = ("bits", "nan-payload", "zero-sign", "sum-bound")
"""How far results agree, the best first: bit for bit; up to the payload and the sign of NaN; up to the sign of zero; as
one of the set of results that the specification declares."""
BITS, PAYLOAD, ZERO, BOUND = range(4)
NOTHING = len(LEVELS)
"""Worse than every level: they do not agree."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a target differs: its kind, more of it where there is more to say, and the level up to which
    that is agreement."""

    kind: str
    cause: str = ""
    level: int = NOTHING


DIES = {"crashed": "crash", "hung": "hang", "memory": "memory"}
"""What becomes of a process, and the kind of finding that is."""


def compare(expected: Expected, outputs: Sequence[str], got: Got) -> tuple[int, list[Finding]]:
    """The level at which what came of a call agrees, and the findings, each kind once. `outputs` are asked for."""
    if expected.kind == OUTSIDE:
        return BITS, []
    findings = list(dict.fromkeys(_findings(expected, outputs, got)))
    level = max((f.level for f in findings), default=BITS)
    return level, [f for f in findings if f.cause != _ALLOWED]


_ALLOWED = "allowed"
"""The cause of what says a level and is no difference: another member of a declared set."""


def _findings(expected: Expected, outputs: Sequence[str], got: Got) -> Iterator[Finding]:
    if got.kind in DIES:
        yield Finding(DIES[got.kind])
        return
    if got.changed:
        yield Finding("changes-input")
    if expected.kind == OPEN:
        return
    if expected.kind == REJECTED:
        if got.kind != "refused":
            yield Finding("accepts", expected.tags[0])
        return
    if got.kind == "refused":
        yield Finding("refuses")
    elif got.kind == "malformed":
        yield Finding("no-result")
    elif len(got.outputs) != len(outputs):
        yield Finding("number-of-outputs")
    else:
        for name, array in zip(outputs, got.outputs, strict=True):
            if name in expected.outputs:
                yield from _output(expected, name, array)


def _output(expected: Expected, name: str, array: Array | None) -> Iterator[Finding]:
    wanted = expected.outputs[name]
    if array is None:
        yield Finding("number-of-outputs")
    elif array.dtype != wanted.sort.name:
        yield Finding("type")
    elif expected.any_shape:
        return
    elif array.shape != wanted.shape:
        yield Finding("shape")
    else:
        yield from _elements(wanted, array, expected.unspecified.get(name, frozenset()), expected.members.get(name))


def elements_of(array: Array, sort: Sort) -> list[int | bool]:
    """The elements as the specification has them: floats as bits, of whatever NaN."""
    if isinstance(sort, FloatSort):
        return list(np.frombuffer(array.data, f"u{sort.width // 8}").tolist())
    return list(np.frombuffer(array.data, sort.name).tolist())


def _elements(
    wanted: ConcreteTensor, array: Array, free: frozenset[tuple[int, ...]], member: Member | None
) -> Iterator[Finding]:
    sort = wanted.sort
    for n, (one, other) in enumerate(zip(wanted.elements, elements_of(array, sort), strict=True)):
        if one == other:
            continue
        place = _place(n, wanted.shape) if free or member is not None else ()
        if place in free:
            continue
        assert isinstance(one, int)
        finding = _element(sort, one, other)
        plain = floats.canonical(sort, other) if isinstance(sort, FloatSort) else other
        if member is not None and finding.level > PAYLOAD and member(place, plain):
            finding = Finding("set", _ALLOWED, min(finding.level, BOUND))
        yield finding


def _element(sort: Sort, one: int, other: int) -> Finding:
    """How an element differs from the one that is expected."""
    if not isinstance(sort, FloatSort):
        return Finding("value")
    nan, made = floats.is_nan(sort, one), floats.is_nan(sort, other)
    if nan and made:
        return Finding("nan-payload", "", PAYLOAD)
    if nan or made:
        return Finding("nan-lost" if nan else "nan-made")
    if floats.is_zero(sort, one) and floats.is_zero(sort, other):
        return Finding("zero-sign", "", ZERO)
    return Finding("value")


def _place(n: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of the n-th element in row-major order."""
    place = []
    for size in reversed(shape):
        n, k = divmod(n, size)
        place.append(k)
    return tuple(reversed(place))
