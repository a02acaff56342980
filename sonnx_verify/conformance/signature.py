"""What two differences have in common where they are one: sizes, values and attributes, roughly."""

from __future__ import annotations

from sonnx_verify.conformance.bench import Seen
from sonnx_verify.conformance.compare import Finding
from sonnx_verify.conformance.trial import Trial, slots
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.values import alphabet

SMALL = 2
"""Sizes above are all the same."""
FEW_RUNS = 3


def bucket(meaning: Meaning, seen: Seen) -> object:
    """What inputs share that are much alike: roughly their sizes, the order of their elements where it is simple,
    attributes, presentation."""
    return (
        tuple(
            (tuple((s - 1).bit_length() if s else -1 for s in t.shape), _runs(t) if v.type_variable else t.elements)
            for (v, _), t in slots(meaning, seen.trial.assignment)
        ),
        _attributes(meaning, seen),
        seen.trial.presentation,
    )


def kind_of_input(meaning: Meaning, trial: Trial) -> object:
    """What inputs share that a target dies of for one reason, most likely: ranks, what is empty, what is given."""
    return (
        tuple((slot[0].name, len(t.shape), 0 in t.shape) for slot, t in slots(meaning, trial.assignment)),
        tuple(v.name for v in meaning.variables if trial.assignment.get(v.name, LEFT_OUT) is not LEFT_OUT),
    )


def unordered(meaning: Meaning, seen: Seen, finding: Finding) -> object:
    """What smallest inputs of one type share where they show the same, in whatever order their elements are."""
    sizes = tuple((slot[0].name, _sizes(t)) for slot, t in slots(meaning, seen.trial.assignment))
    every = [n for slot, t in slots(meaning, seen.trial.assignment) for n in _elements(t)]
    return finding, sizes, tuple(sorted(every)), _attributes(meaning, seen), _presented(seen)


def signature(meaning: Meaning, seen: Seen, finding: Finding) -> object:
    """What smallest inputs of different types share where they show the same."""
    return (
        finding.kind,
        finding.cause,
        tuple((slot[0].name, _sizes(t), _elements(t)) for slot, t in slots(meaning, seen.trial.assignment)),
        _attributes(meaning, seen),
        _presented(seen),
    )


def shape_words(meaning: Meaning, seen: Seen) -> str:
    """The sizes of the inputs in an identity: `2x1+scalar`."""
    tensors = slots(meaning, seen.trial.assignment)
    made = ["x".join("n" if s > SMALL else str(s) for s in t.shape) or "scalar" for _, t in tensors]
    return "+".join(made) or "nothing"


def _presented(seen: Seen) -> tuple[bool, str, str]:
    """The presentation, of which the offset matters where there is one."""
    shown = seen.trial.presentation
    return bool(shown.offset), shown.form, shown.nans


def _runs(tensor: ConcreteTensor) -> tuple[object, ...]:
    """The elements without repetitions, where that makes few."""
    runs = [e for n, e in enumerate(tensor.elements) if not n or e != tensor.elements[n - 1]]
    return tuple(runs) if len(runs) <= FEW_RUNS else ()


def _sizes(tensor: ConcreteTensor) -> tuple[int, ...]:
    return tuple(min(size, SMALL + 1) for size in tensor.shape)


def _attributes(meaning: Meaning, seen: Seen) -> tuple[tuple[str, str], ...]:
    rows: list[tuple[str, Concrete]] = [
        (v.name, seen.trial.assignment[v.name]) for v in meaning.variables if v.role in ("attribute", "asked")
    ]
    return tuple((name, repr(value)) for name, value in rows if value is not LEFT_OUT)


def _elements(tensor: ConcreteTensor) -> tuple[str, ...]:
    """Which elements, in their order where there are few."""
    names = [element_name(tensor.sort, e) for e in tensor.elements]
    return tuple(names) if all(s <= SMALL for s in tensor.shape) else tuple(sorted(set(names)))


def element_name(sort: Sort, value: object) -> str:
    """What an element is called in every type that has one like it."""
    if isinstance(sort, IntegerSort):
        known = {sort.lowest: "lowest", sort.greatest: "greatest"}
        return str(value) if value in (0, 1, -1, 2) else known.get(value, "other")  # type: ignore[call-overload]  # an int, of which mypy knows object
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        if value == floats.greatest(sort):
            return "greatest"
        return floats.show(sort, value) if value in alphabet(sort) else "other"
    return str(int(value)) if isinstance(value, bool) else str(value)
