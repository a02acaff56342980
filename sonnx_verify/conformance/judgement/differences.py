"""Each difference once: what two that are one have in common, roughly their sizes, values and attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from sonnx_verify.conformance.inputs.trial import slots, weight
from sonnx_verify.conformance.judgement.conformance import Divergence
from sonnx_verify.conformance.judgement.description import described
from sonnx_verify.conformance.oracles.comparison import OF_ELEMENTS, Finding, Kind
from sonnx_verify.conformance.runs.bench import Bench, Benches, Observation
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.progress import shown
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.values import alphabet

BUCKETS = 150
"""The number of inputs of one kind of difference, each unlike the others, that are made smaller."""
SMALL = 2
"""Sizes above are all the same."""
FEW_RUNS = 3


def bucket(meaning: Meaning, seen: Observation) -> object:
    """The same for inputs that are much alike: roughly their sizes, the order of their elements where it is simple,
    attributes, presentation."""
    tensors: list[tuple[object, object]] = []
    for (variable, _), tensor in slots(meaning, seen.trial.assignment):
        # The number of bits of the size less one: 1, 2, 3 to 4, 5 to 8, ...; -1 for an empty axis.
        sizes = tuple((max(size, 1) - 1).bit_length() - (size == 0) for size in tensor.shape)
        if variable.type_variable:
            tensors.append((sizes, _runs(tensor)))
        else:
            tensors.append((sizes, tensor.elements))
    return tuple(tensors), _attributes(meaning, seen), seen.trial.presentation


def unordered(meaning: Meaning, seen: Observation, finding: Finding) -> object:
    """The same for smallest inputs of one type that show the same, in whatever order their elements are."""
    tensors = list(slots(meaning, seen.trial.assignment))
    names: list[str] = []
    for _, tensor in tensors:
        names += _elements(tensor)
    sizes = tuple((slot[0].name, _sizes(t)) for slot, t in tensors)
    return finding, sizes, tuple(sorted(names)), _attributes(meaning, seen), _presented(seen)


def signature(meaning: Meaning, seen: Observation, finding: Finding) -> object:
    """The same for smallest inputs of different types that show the same.

    Its `repr` is hashed into the identities of ledgers: plain strings, numbers and tuples only.
    """
    return (
        finding.kind.value,
        finding.cause,
        tuple((slot[0].name, _sizes(t), _elements(t)) for slot, t in slots(meaning, seen.trial.assignment)),
        _attributes(meaning, seen),
        _presented(seen),
    )


def _presented(seen: Observation) -> tuple[bool, str, str]:
    """The presentation, of which the offset matters where there is one."""
    shown = seen.trial.presentation
    return bool(shown.offset), shown.form.value, shown.nans.value


def _runs(tensor: ConcreteTensor) -> tuple[object, ...]:
    """The elements without repetitions, where that makes few."""
    # [0, 0, 0, NaN] and [0, NaN] are alike, [NaN, 0] is not: code may lose the first element, or the last.
    runs = [element for element, _ in groupby(tensor.elements)]
    if len(runs) <= FEW_RUNS:
        return tuple(runs)
    return ()


def _sizes(tensor: ConcreteTensor) -> tuple[int, ...]:
    return tuple(min(size, SMALL + 1) for size in tensor.shape)


def _attributes(meaning: Meaning, seen: Observation) -> tuple[tuple[str, str], ...]:
    named = [v.name for v in meaning.variables if v.role in (VariableRole.ATTRIBUTE, VariableRole.ASKED)]
    rows = [(name, seen.trial.assignment[name]) for name in named]
    return tuple((name, _attribute(value)) for name, value in rows if value is not LEFT_OUT)


def _attribute(value: Concrete) -> str:
    # A tensor of T is alike in all types, as one that is an input is.
    if isinstance(value, ConcreteTensor):
        return repr((_sizes(value), _elements(value)))
    return repr(value)


def _elements(tensor: ConcreteTensor) -> tuple[str, ...]:
    """The names of the elements, in their order where there are few."""
    # Of long tensors the places of elements differ from type to type: registers hold more int8 than int64.
    names = [element_name(tensor.sort, e) for e in tensor.elements]
    if any(size > SMALL for size in tensor.shape):
        return tuple(sorted(set(names)))
    return tuple(names)


def element_name(sort: Sort, value: object) -> str:
    """A name of an element that is the same in every type that has one like it."""
    match sort:
        case IntegerSort():
            # Small numbers first: of uint8 the lowest is 0, as it is in every type.
            names = {sort.lowest: "lowest", sort.greatest: "greatest", 0: "0", 1: "1", -1: "-1", 2: "2"}
            assert isinstance(value, int)
            return names.get(value, "other")
        case FloatSort():
            assert isinstance(value, int)
            if value == floats.greatest(sort):
                return "greatest"
            if value in alphabet(sort):
                return decimals.show(sort, value)
            return "other"
        case _:
            # A truth value is the integer that it is converted to.
            return str(int(value)) if isinstance(value, bool) else str(value)


# ------------------------------------------------------------------------------------------------------------ each once


def each_once(
    benches: Benches, bench: Bench, failing: Mapping[Finding, Sequence[Observation]], level: int
) -> tuple[int, list[Divergence]]:
    """Each difference on its smallest input. Of inputs that are much alike the smallest is made smaller; what comes to
    the same is the same. The level of agreement falls to that of what is confirmed to be no finding."""
    made: list[Divergence] = []
    findings = sorted(failing.items(), key=lambda row: (row[0].kind, row[0].cause))
    for finding, every in shown(findings, len(findings), "kinds of differences, on small inputs"):
        found: dict[object, Observation] = {}
        tried: dict[object, object] = {}
        examples: dict[object, list[str]] = {}
        misled = False
        for seen in sorted(every, key=lambda s: weight(bench.meaning, s.trial)):
            # Making an input smaller takes hundreds of calls: of inputs that look alike one is enough.
            alike = bucket(bench.meaning, seen)
            if alike in tried:
                examples[tried[alike]] += filter(None, [seen.trial.example])
                continue
            # An example of the specification that is wrong is always told.
            if len(tried) >= BUCKETS and not seen.trial.example:
                continue
            if misled:
                seen = bench.confirmed(seen)
                level = max(level, seen.level)
                if finding not in seen.findings:
                    continue
            # The first may take any order of its elements. Those after it keep theirs: in any order they would all
            # come to the same smallest input, and code that fails in two places would show one of them.
            reorder = not found or finding.kind not in OF_ELEMENTS
            smallest = bench.confirmed(bench.smallest(seen, finding, reorder=reorder))
            # The numpy evaluator may have misled on the way, or where it began: an input that is no finding must not
            # stand for those that are alike, and hide one that is.
            if finding not in smallest.findings:
                misled = True
                smallest = bench.confirmed(seen)
            level = max(level, smallest.level)
            if finding not in smallest.findings:
                continue
            mark = tried[alike] = unordered(bench.meaning, smallest, finding)
            found.setdefault(mark, smallest)
            examples.setdefault(mark, []).extend(filter(None, [seen.trial.example]))
        for mark, seen in found.items():
            one = divergence(benches, bench, finding, seen)
            made.append(replace(one, examples=tuple(examples[mark])))
    return level, made


def divergence(benches: Benches, bench: Bench, finding: Finding, seen: Observation) -> Divergence:
    """One divergence of one type; `identified` completes it."""
    mark = signature(bench.meaning, seen, finding)
    call = bench.models.call(seen.trial.assignment, seen.trial.presentation)
    # A wrong result of a valid input may be foreign memory too.
    if not seen.got.varies:
        seen = replace(seen, got=benches.filled.compared(call, seen.got))
    made = described(bench, benches.unit, benches.target, finding, seen, mark)
    return replace(made, reproduced=_shows_again(benches, bench, finding, seen))


def _shows_again(benches: Benches, bench: Bench, finding: Finding, seen: Observation) -> bool:
    """Return whether a new process shows the finding too: what earlier calls left behind may have caused it."""
    assignment = seen.trial.assignment
    call = bench.models.call(assignment, seen.trial.presentation)
    got = benches.runner.again(call)
    if finding.kind is Kind.FOREIGN:
        got = benches.filled.compared(call, got, fresh=True)
    return finding in bench.compared(seen.trial, seen.expected, got).findings
