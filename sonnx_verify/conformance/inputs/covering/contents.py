"""The elements of the data of a row: classes of contents, for each type, and tensors that have them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from sonnx_verify.arrays.evaluator.ends import nearest
from sonnx_verify.arrays.evaluator.known import bits_type
from sonnx_verify.conformance.inputs.covering.combinations import Factor
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.random_inputs import element
from sonnx_verify.conformance.inputs.special_values import special_pairs, special_values
from sonnx_verify.kernel.variables import Variable, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, members_of, numel
from sonnx_verify.solving.inputs.values import infinities

Content = Callable[[random.Random, Sort, int], list[object]]


@cache
def contents_of(sort: Sort) -> dict[str, Content]:
    """The classes of contents of a type by their names, the plainest first."""
    match sort:
        case FloatSort():
            made = {**_OF_ALL, **_OF_NUMBERS, **_OF_FLOATS}
            if not infinities(sort):
                del made["infinities"]
            return made
        case IntegerSort():
            return {**_OF_ALL, **_OF_NUMBERS}
        case _:
            return dict(_OF_ALL)


def filled_with(tensor: ConcreteTensor, content: Content, draws: random.Random) -> ConcreteTensor:
    """The tensor with such elements."""
    return replace(tensor, elements=tuple(content(draws, tensor.sort, numel(tensor.shape))))


class Contents:
    """The factors of the elements of some types, whose inputs have the same data: one of the first tensor, and one of
    all others that have the same classes of contents, whatever the type."""

    def __init__(self, every: Sequence[Points]) -> None:
        self._variables = every[0].data
        self._sorts = [{v.name: v.sort for v in points.data} for points in every]
        data = [v for v in self._variables if v.role is not VariableRole.ABSENT]
        classes = {v.name: [tuple(contents_of(sorts[v.name])) for sorts in self._sorts] for v in data}
        # The first tensor is a group of its own, also where it is the first member of a family.
        groups = [[v.name] for v in data[:1]]
        for variable in data[0 if data and data[0].count is not None else 1 :]:
            alike = (group for group in groups[1:] if classes[group[0]] == classes[variable.name])
            group = next(alike, None)
            if group is None:
                groups.append([variable.name])
            else:
                group.append(variable.name)
        self._first = data[0].name if data else ""
        self._group_of = {name: n for n, group in enumerate(groups[1:], 1) for name in group}
        self.factors = [_factor(_name(n, groups), classes[group[0]]) for n, group in enumerate(groups)]
        self.known = [
            [
                {c for c, name in enumerate(factor.classes) if name in classes[group[0]][of_type]}
                for factor, group in zip(self.factors, groups, strict=True)
            ]
            for of_type in range(len(every))
        ]
        """The numbers of the classes of each factor that each type has."""

    def tensors(self, structure: Input) -> list[tuple[int, Variable, ConcreteTensor]]:
        """The tensors of the data, each with the number of its factor."""
        found: list[tuple[int, Variable, ConcreteTensor]] = []
        for variable in self._variables:
            for item in members_of(structure[variable.name]):
                if isinstance(item, ConcreteTensor):
                    is_first = variable.name == self._first and not found
                    found.append((0 if is_first else self._group_of.get(variable.name, 0), variable, item))
        return found

    def filled(self, of_type: int, structure: Input, classes: Sequence[int], draws: random.Random) -> Input:
        """The input with elements of that type, of one class for each factor."""
        made: dict[str, list[ConcreteTensor]] = {}
        for n, variable, tensor in self.tensors(structure):
            sort = self._sorts[of_type][variable.name]
            content = contents_of(sort)[self.factors[n].classes[classes[n]]]
            made.setdefault(variable.name, []).append(filled_with(replace(tensor, sort=sort), content, draws))
        values = {name: structure[name] for name in made}
        alone = {name: isinstance(value, ConcreteTensor) for name, value in values.items()}
        return {**structure, **{name: ts[0] if alone[name] else tuple(ts) for name, ts in made.items()}}


def _factor(name: str, of_types: Sequence[Sequence[str]]) -> Factor:
    """The factor of tensors that have these classes of contents in each type."""
    return Factor(name, tuple(c for c in NAMES if any(c in classes for classes in of_types)))


def _name(n: int, groups: Sequence[Sequence[str]]) -> str:
    """The name of the factor of a group of tensors: of the first, of all others, or of those that are listed."""
    if n and len(groups) == 2:
        return "contents of the other data"
    return f"contents of {', '.join(groups[n])}"


# ------------------------------------------------------------------------------------------------------------- contents

_LOST = (("+0", "-0"), ("-0", "+0"), ("1", "NaN"), ("-inf", "NaN"), ("inf", "NaN"), ("NaN", "1"), ("inf", "-inf"))
"""The values that comparisons of floats lose: one beside others that are alike."""


def _random(draws: random.Random, sort: Sort, count: int) -> list[object]:
    return [element(draws, sort) for _ in range(count)]


def _small(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers from -8 to 8, or from 0 to 16 where none is negative: they occur more than once in many elements, and
    small sums of them stay in the type."""
    least = 0 if _is_unsigned(sort) else -8
    return [_number(sort, draws.randrange(least, least + 17)) for _ in range(count)]


def _alike(draws: random.Random, sort: Sort, count: int) -> list[object]:
    return [draws.choice(list(special_values(sort).values()))] * count


def _one_odd(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """All alike but one, at an end or anywhere: what may be lost among the others."""
    known = special_values(sort)
    pairs = [(one, other) for one, other in special_pairs(sort) if one != other]
    likely = [(one, other) for one, other in _LOST if one in known and other in known]
    one, other = draws.choice(likely if likely and draws.random() < 0.5 else pairs)
    made = [known[one]] * count
    if count:
        made[_place(draws, count)] = known[other]
    return made


def _special(draws: random.Random, sort: Sort, count: int) -> list[object]:
    known = list(special_values(sort).values())
    return [draws.choice(known) for _ in range(count)]


def _odd_end(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers, and at the end what stands out, where code that takes several at once has its rest."""
    made = _small(draws, sort, count)
    if count:
        made[-1] = _standing_out(draws, sort)
    return made


def _odd_begin(draws: random.Random, sort: Sort, count: int) -> list[object]:
    made = _small(draws, sort, count)
    if count:
        made[0] = _standing_out(draws, sort)
    return made


def _ends(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """The greatest and the lowest, and what is next to them: here sums and products leave the type."""
    known = special_values(sort)
    ends = [known[name] for name in ("greatest", "lowest", "greatest - 1", "lowest + 1") if name in known]
    return [draws.choice(ends) for _ in range(count)]


def _ascending(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Each number greater than the one before, as far as the type goes."""
    least = 0 if _is_unsigned(sort) else -(count // 2)
    return [_number(sort, least + n) for n in range(count)]


def _with_nan(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers, and one NaN at an end or anywhere."""
    assert isinstance(sort, FloatSort)
    made = _small(draws, sort, count)
    if count:
        made[_place(draws, count)] = floats.nan(sort)
    return made


def _zeros(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Zeros of both signs."""
    assert isinstance(sort, FloatSort)
    return [floats.zero(sort, negative=draws.random() < 0.5) for _ in range(count)]


def _infinities(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers with some infinities of both signs."""
    assert isinstance(sort, FloatSort)
    made = _small(draws, sort, count)
    for n in range(count):
        if draws.random() < 0.3:
            made[n] = draws.choice(infinities(sort))
    return made


def _subnormal(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers next to 0, of both signs."""
    assert isinstance(sort, FloatSort)
    most = 1 << (sort.significand - 1)
    made: list[object] = []
    for _ in range(count):
        bits = draws.randrange(1, most + 2)
        made.append(floats.negate(sort, bits) if draws.random() < 0.5 else bits)
    return made


def _fractions(draws: random.Random, sort: Sort, count: int) -> list[object]:
    """Numbers of all digits between -2 and 2, or of ordinary sizes up to 2^7: their sums and products are rounded."""
    assert isinstance(sort, FloatSort)
    if draws.random() < 0.5:
        numbers = [draws.uniform(-2, 2) for _ in range(count)]
    else:
        numbers = [draws.uniform(-2, 2) * 2.0 ** draws.randrange(-10, 7) for _ in range(count)]
    return list(nearest(np.array(numbers), sort).view(bits_type(sort)).tolist())


_OF_ALL: dict[str, Content] = {
    "any bits": _random,
    "special": _special,
    "one stands out": _one_odd,
    "alike": _alike,
}
_OF_NUMBERS: dict[str, Content] = {
    "small": _small,
    "special at the end": _odd_end,
    "special at the beginning": _odd_begin,
    "greatest and lowest": _ends,
    "ascending": _ascending,
}
_OF_FLOATS: dict[str, Content] = {
    "one NaN": _with_nan,
    "zeros": _zeros,
    "infinities": _infinities,
    "next to 0": _subnormal,
    "fractions": _fractions,
}
NAMES = tuple(dict.fromkeys([*_OF_ALL, *_OF_NUMBERS, *_OF_FLOATS]))
"""All classes of contents, of whatever type."""


def _is_unsigned(sort: Sort) -> bool:
    return isinstance(sort, IntegerSort) and sort.lowest == 0


@cache
def _number(sort: Sort, number: int) -> object:
    """The number, or one that it becomes in the type."""
    match sort:
        case FloatSort():
            return floats.from_float(sort, float(number))
        case IntegerSort():
            return sort.lowest + (number - sort.lowest) % (sort.greatest - sort.lowest + 1)
        case _ if sort == BOOL:
            return bool(number % 2)
        case _:
            return number


def _place(draws: random.Random, count: int) -> int:
    """The place of one element among so many: an end, where code often has a case of its own, or any."""
    return draws.choice((0, count - 1, draws.randrange(count)))


def _standing_out(draws: random.Random, sort: Sort) -> object:
    """A special value that small numbers do not hide, every second time NaN: comparisons lose it first."""
    known = special_values(sort)
    if "NaN" in known and draws.random() < 0.5:
        return known["NaN"]
    names = [name for name in ("inf", "-inf", "greatest", "lowest") if name in known]
    return known[draws.choice(names)]
