"""The set of results of Gemm with factors: what rounded operations give is in it, what is worse is not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.language.test_dots import (
    DTYPES,
    EACH,
    FORMATS,
    Format,
    Real,
    added,
    array_of,
    numbers,
    product,
    tree,
    value_of,
)

PROFILE = Path(__file__).parents[2] / "spec/sonnx/gemm/gemm.sonnx"
Pairs = Sequence[tuple[Real, Real]]
FACTORS = {
    "bfloat16": [0.0, -1.0, 2.0, 0.75, 2.0**-100], "float16": [0.0, -1.0, 3.0, 0.75, 2.0**-20],
    "float": [0.0, -1.0, 0.1, 0.75, 2.0**-120], "double": [0.0, -1.0, 0.1, 0.75, 2.0**-120],
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A row, a column, a number that is added, and the factors of their product and of that number."""

    name: str
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    alpha: np.float32
    beta: np.float32

    def compute(self, wide: Format, rng: random.Random) -> Real:
        """What an implementation in a format gives, rounded to the type once."""
        pairs = [(value_of(x), value_of(y)) for x, y in zip(self.a, self.b, strict=True)]
        alpha, beta = value_of(self.alpha), value_of(self.beta)
        third = wide.rounded(product(beta, value_of(self.c)))
        return FORMATS[self.name].rounded(scaled(pairs, alpha, third, wide, rng))

    @property
    def given(self) -> dict[str, object]:
        inputs = {"A": self.a.reshape(1, -1), "B": self.b.reshape(-1, 1), "C": self.c.reshape(1, 1)}
        # A lone float goes by its bits.
        factors = {"alpha": int(self.alpha.view(np.uint32)), "beta": int(self.beta.view(np.uint32))}
        return {**inputs, **factors, "transA": 0, "transB": 0}


@pytest.fixture(scope="module")
def allows(operator: Callable[..., object]) -> Callable[[Case, Real], bool]:
    """Asks the profile, by the reference evaluator, whether it allows a result of a case."""

    @cache
    def made(name: str) -> object:
        return operator(PROFILE, T=name)

    def ask(case: Case, y: Real) -> bool:
        return made(case.name).allows(case.given, array_of([y], case.name).reshape(1, 1))  # type: ignore[attr-defined,no-any-return]

    return ask


def scaled(pairs: Pairs, alpha: Real, third: Real, wide: Format, rng: random.Random) -> Real:
    """The factor multiplies one side of each pair, each product, or the sum of the products."""

    def by_alpha(x: Real) -> Real:
        return wide.rounded(product(alpha, x))

    match rng.randrange(5):
        case 0:
            products = [wide.rounded(product(by_alpha(a), b)) for a, b in pairs]
        case 1:
            products = [wide.rounded(product(a, by_alpha(b))) for a, b in pairs]
        case 2:
            products = [by_alpha(wide.rounded(product(a, b))) for a, b in pairs]
        case 3:
            total = tree([wide.rounded(product(a, b)) for a, b in pairs], wide, rng)
            return wide.rounded(added(by_alpha(total), third))
        case _:
            # Fused with the third number: the product with the sum is not rounded alone.
            total = tree([wide.rounded(product(a, b)) for a, b in pairs], wide, rng)
            return wide.rounded(added(product(alpha, total), third))
    return tree([third, *products], wide, rng)


def cases(name: str, count: int, seed: str, sizes: Sequence[int] = (1, 1, 2, 3, 5)) -> Iterator[Case]:
    rng = random.Random(f"{name} {seed}")
    for _ in range(count):
        n = rng.choice(sizes)
        alpha, beta = (np.float32(DTYPES[name](rng.choice(FACTORS[name]))) for _ in range(2))
        yield Case(name, numbers(name, n, rng), numbers(name, n, rng), numbers(name, 1, rng)[0], alpha, beta)


def admitted(form: Format, rng: random.Random) -> Format:
    """The type itself, or a format that is wide enough."""
    return rng.choice(
        [form, Format(form.p + 3, form.emin, form.emax), Format(2 * form.p + 1, 2 * form.emin, 2 * form.emax)]
    )


@EACH
@pytest.mark.parametrize("count", [25, pytest.param(3_000, marks=pytest.mark.soak)])
def test_what_implementations_do_conforms(name: str, count: int, allows: Callable[[Case, Real], bool]) -> None:
    """Wherever the factor multiplies, in any order, in the type itself or in one that is wide enough."""
    rng = random.Random(f"honest {name}")
    for case in cases(name, count, "honest"):
        results = {case.compute(admitted(FORMATS[name], rng), rng) for _ in range(4)}
        assert [y for y in results if not allows(case, y)] == [], case


@pytest.mark.parametrize("bits", [3, 4])
def test_fewer_bits_are_found_outside(bits: int, allows: Callable[[Case, Real], bool]) -> None:
    """What rounds to fewer bits gives something outside."""
    rng, form = random.Random("worse"), FORMATS["float16"]
    narrow = Format(form.p - bits, form.emin, form.emax)
    outside = (case for case in cases("float16", 400, "worse", (1, 2)) if not allows(case, case.compute(narrow, rng)))
    assert next(outside, None) is not None
