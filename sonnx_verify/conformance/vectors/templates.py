"""Valid inputs of which large ones are made: one for each way in which ranks, sizes of 1 and what is beside the data
differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from sonnx_verify.conformance.inputs.trial import instead, own_slots, simplest, slots
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.results.concrete import Assignment, Concrete

SHAPES = ((2,), (2, 2), (2, 1, 2))


def templates(
    meaning: Meaning, valid: Sequence[Assignment], is_valid: Callable[[Assignment], bool]
) -> list[Assignment]:
    """Valid inputs with an axis that differ in ranks, in which sizes are 1, in what is beside the tensors of T."""
    found: dict[object, Assignment] = {}
    for assignment in _candidates(meaning, valid):
        own = [t for _, t in own_slots(meaning, assignment)]
        rest = tuple(t for slot, t in slots(meaning, assignment) if not slot[0].type_variable)
        # An axis of size 0 cannot be made longer together with the others: nothing says what stands there.
        if not 1 <= len(own) <= 3 or any(0 in t.shape for t in own) or not any(t.shape for t in own):
            continue
        key = (tuple(tuple(size > 1 for size in t.shape) for t in own), rest)
        # The clauses are asked last, and once for each kind: that is what takes time.
        if key not in found and is_valid(assignment):
            found[key] = assignment
    return list(found.values())


def _candidates(meaning: Meaning, valid: Sequence[Assignment]) -> Iterator[Assignment]:
    """The inputs with all tensors of T of one shape, whatever else is given, then as they are: some are not valid."""
    for shape, assignment in product(SHAPES, valid):
        made: dict[str, Concrete] = dict(assignment)
        for slot, tensor in own_slots(meaning, assignment):
            made = instead(made, slot, simplest(tensor.sort, shape))
        yield made
    yield from valid
