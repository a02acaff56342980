"""docs/float-results.md gives the sizes from which bounds say nothing; they are computed here from the bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from tests.language.test_dots import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "float-results.md").read_text("utf-8")


def growth(m: int, u: Fraction) -> Fraction:
    return m * u + (m * u) ** 2


SHARES: dict[str, Callable[[int, Fraction], Fraction]] = {
    "float_sum": lambda n, u: (n - 1) * u,
    "float_dot": lambda n, u: n * u,
    "float_mean": lambda n, u: growth(n + 3, u),
}
"""The part of F that each bound is, but for what underflows."""


def figures(name: str) -> dict[str, str]:
    """The figures of a row, by type."""
    (row,) = re.findall(rf"^\| `{name}`, from n = \| (.*) \|$", PAGE, re.MULTILINE)
    return dict(zip(FORMATS, row.split(" | "), strict=True))


@pytest.mark.parametrize("name", SHARES)
def test_the_bound_reaches_the_size_from_there_on(name: str) -> None:
    share = SHARES[name]
    for kind, said in figures(name).items():
        u = Fraction(1, 2 ** FORMATS[kind].p)
        if said.startswith("about "):
            n = int(float(said.removeprefix("about ")))
            assert share(int(n * 0.97), u) < 1 <= share(int(n * 1.03), u)
            continue
        power = re.fullmatch(r"2\^(\d+)( \+ 1)?", said)
        n = 2 ** int(power[1]) + bool(power[2]) if power else int(said.replace(",", ""))
        assert share(n - 1, u) < 1 <= share(n, u), kind
