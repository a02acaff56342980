"""The extent of a search that found no input: how many candidates, within which bounds a solver has none, and what a
solver chose that is no input when it is run. For the reader of an undecided verdict; nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from sonnx_verify.kernel.variables import SHOWN_BY_OTHERS, Variable, VariableKind
from sonnx_verify.results.concrete import LEFT_OUT, Concrete
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.values import Value, ValueKind, shape_text, value_text
from sonnx_verify.solving.inputs.inputs import SHAPED
from sonnx_verify.solving.inputs.unrolled import Bounds


@dataclass(frozen=True, slots=True)
class Missed:
    """The end of a search without an input: the number of candidates, the bounds within which a solver has none, and
    the values that it chose, which are none when run, as `X of shape (2, 3)`."""

    tried: int
    without: tuple[Bounds, ...] = ()
    chosen: tuple[str, ...] = ()

    def text(self, variables: Sequence[Variable]) -> str:
        """The sentence for the reader of a statement about these variables."""
        said = [f"none of {counted_text(self.tried, 'candidate')} shows it"]
        widest = [one for one in self.without if not any(_is_within(one, other) for other in self.without)]
        if widest:
            said += [f"a solver says that there is none with {_bounds_text(one, variables)}" for one in widest]
        if self.chosen:
            said.append(f"a solver chose what shows nothing when evaluated: {', '.join(self.chosen)}")
        return "; ".join(said)


def joined(missed: Iterable[Missed]) -> Missed:
    """The extent of several searches; the bounds are those in which none of them has an input."""
    every = list(missed)
    without = tuple(one for one in every[0].without if all(one in other.without for other in every))
    chosen = next((one.chosen for one in every if one.chosen), ())
    return Missed(max(one.tried for one in every), without, chosen)


def chosen_values(
    variables: Sequence[Variable],
    slots: Sequence[Variable],
    shapes: Sequence[tuple[int, ...]],
    numbers: Mapping[str, Concrete],
) -> tuple[str, ...]:
    """The shapes and numbers that a solver chose, as a person writes them."""
    told: list[str] = []
    for variable in variables:
        if variable.role in SHOWN_BY_OTHERS:
            continue
        if variable.kind in SHAPED:
            of_slot = [shape for slot, shape in zip(slots, shapes, strict=True) if slot is variable]
            for n, shape in enumerate(of_slot):
                name = variable.name if variable.count is None else f"{variable.name}{n + variable.base}"
                told.append(f"{name} of shape {shape_text(shape)}")
        elif (value := numbers[variable.name]) is not LEFT_OUT:
            kind = ValueKind.NUMBER if variable.count is None else ValueKind.LIST
            if variable.kind is VariableKind.ELEMENT and variable.count is None:
                kind = ValueKind.ELEMENT
            told.append(f"{variable.name} = {value_text(Value.of(variable.sort, kind, value))}")
    return tuple(told)


def _is_within(one: Bounds, other: Bounds) -> bool:
    """Return whether some bounds are narrower than others."""
    return one != other and all(getattr(one, f.name) <= getattr(other, f.name) for f in fields(Bounds))


def _bounds_text(bounds: Bounds, variables: Sequence[Variable]) -> str:
    """The bounds of what the variables have: ranks and sizes, members, numbers; and of what is quantified."""
    parts = []
    if any(variable.kind in SHAPED for variable in variables):
        parts += [f"ranks to {bounds.ranks}", f"sizes to {bounds.sizes}"]
    if any(variable.count is not None for variable in variables):
        parts.append(f"lists to {bounds.members} members")
    if any(variable.kind is VariableKind.INT and variable.role not in SHOWN_BY_OTHERS for variable in variables):
        parts.append(f"numbers to {_power(bounds.numbers)}")
    return f"{', '.join([*parts, f'ranges to {bounds.span} numbers'])}"


def _power(number: int) -> str:
    """A large number as a power of two, if it is one."""
    exponent = number.bit_length() - 1
    return f"2^{exponent}" if exponent > 16 and number == 1 << exponent else str(number)
