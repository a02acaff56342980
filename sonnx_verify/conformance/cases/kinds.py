"""Of which kind an input is: ranks, sizes, numbers of inputs, what is left out, what attributes and lists hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor


def kinds_of(
    meaning: Meaning, structural: Collection[str], is_data: Callable[[Variable], bool], assignment: dict[str, Concrete]
) -> list[str]:
    """The names of the kinds. `structural` are the tensors whose entries clauses speak of."""
    found: list[str] = []
    for variable in meaning.given:
        value = assignment[variable.name]
        if variable.role in ("length", "absent", "asked"):
            continue
        if value is LEFT_OUT:
            found.append(f"{variable.name} left out")
        elif variable.kind == "tensor":
            items = value if isinstance(value, tuple) else (value,)
            if isinstance(value, tuple):
                found.append(f"{len(items)} of {variable.name}")
            for item in items:
                assert isinstance(item, ConcreteTensor)
                found += _of_tensor(variable, item, variable.name in structural, is_data(variable))
        elif variable.count is not None:
            assert isinstance(value, tuple)
            found += _of_list(variable.name, value)
        else:
            found.append(f"{variable.name} = {value}")
    return found


def _of_tensor(variable: Variable, tensor: ConcreteTensor, structural: bool, data: bool) -> Iterator[str]:
    if structural and len(tensor.shape) == 1:
        yield from _of_list(variable.name, tensor.elements)
        return
    yield f"rank {len(tensor.shape)}" if data else f"{variable.name} of rank {len(tensor.shape)}"
    yield from dict.fromkeys(f"a size {size}" for size in tensor.shape if size < 4)
    if 0 in tensor.shape:
        yield "empty"


def _of_list(name: str, items: tuple[Any, ...]) -> Iterator[str]:
    yield f"{name} with {len(items)} entries" if items else f"{name} empty"
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
