"""The kinds of an input: ranks, sizes, numbers of inputs, what is left out, what attributes and lists hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable, VariableKind, VariableRole
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor

_CHOSEN = (VariableRole.INPUT, VariableRole.ATTRIBUTE)
"""Whose values make a kind. The other roles say what follows from these, or which outputs are asked for."""


def kinds_of(
    meaning: Meaning, structural: Collection[str], is_data: Callable[[Variable], bool], assignment: dict[str, Concrete]
) -> list[str]:
    """The names of the kinds. `structural` are the tensors whose entries clauses speak of."""

    def of_tensor(variable: Variable, tensor: object) -> Iterator[str]:
        assert isinstance(tensor, ConcreteTensor)
        # The entries of a list of axes make it what it is; of data the sizes do.
        if variable.name in structural and len(tensor.shape) == 1:
            return _of_list(variable.name, tensor.elements)
        rank = f"rank {len(tensor.shape)}"
        if not is_data(variable):
            rank = f"{variable.name} of {rank}"
        return _of_shape(rank, tensor.shape)

    found: list[str] = []
    for variable in meaning.given:
        if variable.role not in _CHOSEN:
            continue
        match assignment[variable.name]:
            case value if value is LEFT_OUT:
                found.append(f"{variable.name} left out")
            case tuple() as members if variable.kind is VariableKind.TENSOR:
                found.append(f"{len(members)} of {variable.name}")
                for member in members:
                    found += of_tensor(variable, member)
            case value if variable.kind is VariableKind.TENSOR:
                found += of_tensor(variable, value)
            case tuple() as items:
                found += _of_list(variable.name, items)
            case value:
                found.append(f"{variable.name} = {value}")
    return found


def _of_shape(rank: str, shape: tuple[int, ...]) -> Iterator[str]:
    yield rank
    # 0, 1, 2 and 3: beyond that, sizes are alike to everything but vector code, for which there are `lengths`.
    yield from dict.fromkeys(f"a size {size}" for size in shape if size < 4)
    if 0 in shape:
        yield "empty"


def _of_list(name: str, items: tuple[Any, ...]) -> Iterator[str]:
    yield f"{name} with {len(items)} entries" if items else f"{name} empty"
    # Small numbers one by one, since they may be axes of small tensors; of others only the sign matters.
    for item in dict.fromkeys(items):
        if not isinstance(item, int):
            continue
        if -4 < item < 4:
            yield f"{name} has {item}"
        elif item < 0:
            yield f"{name} has a negative one"
        else:
            yield f"{name} has a large one"
    if len(set(items)) < len(items):
        yield f"{name} has one twice"
