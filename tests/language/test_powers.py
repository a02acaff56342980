"""Powers of reals in texts: laws that are decided, a domain that is asked for, and what is refused by its types."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

HERE = Path(__file__).parent
FALSE_FROM = "no_domain"
"""The first law of the text that is false; all below it are."""


def test_laws_of_powers_are_decided() -> None:
    """Each law is proved, and what is false, or speaks of a power that is not a real, is refuted."""
    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(HERE / "powers.sonnx"), cached=False)}
    tags = [identity.split("/")[1] for identity in found if identity.endswith("/theorem")]
    true, false = tags[: tags.index(FALSE_FROM)], tags[tags.index(FALSE_FROM) :]

    verdicts = {tag: found[f"user.powers/{tag}/theorem"] for tag in tags}
    assert verdicts == dict.fromkeys(true, "proved") | dict.fromkeys(false, "refuted")
    assert (len(true), len(false)) == (8, 5)


def test_powers_of_elements_are_in_bounds() -> None:
    """An operator on reals takes a power of each element, where its constraint says that there is one."""
    text = HERE / "power_of.sonnx"
    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(text), cached=False)}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}


def test_without_the_constraint_there_is_no_power(tmp_path: Path) -> None:
    """The value is out of bounds."""
    text = tmp_path / "t.sonnx"
    text.write_text((HERE / "power_of.sonnx").read_text().replace("real(Y[i]) = real(floor(real(Y[i])))", "Y[i] < 9"))
    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(text), cached=False)}

    assert [i.split("/", 1)[1] for i, v in found.items() if v == "refuted"] == ["Z.value/in-bounds"]


@pytest.mark.parametrize(("said", "cure"), [
    ("pow(x, 2) = x", "convert what is finite, and round the result: `T(pow(real(x), 2.0))`"),
    ("pow(x, -2) = x", "convert what is finite, and round the result: `T(pow(real(x), -2.0))`"),
    ("sqrt(2) = x", "write `sqrt(2.0)` for the real, `sqrt(T(2))` for the float"),
    ("remainder(x, 3) = x", "write `T(3)`"),
])  # fmt: skip
def test_cures_of_arguments(said: str, cure: str, tmp_path: Path) -> None:
    """A number that is written out is a real, or a float, by a form of its own; what is read is converted."""
    text = tmp_path / "t.sonnx"
    text.write_text(f'theory t "t"\ntypes float = float\ntheorem a "a"\n  for x : T\n  : {said}')
    (error,) = sonnx_verify.check(str(text), cached=False).errors

    assert error.cure == cure


@pytest.mark.parametrize(("said", "why"), [
    ("pow(x) = x", "`pow` takes 2 arguments, not 1"),
    ("pow(x, x, x) = x", "`pow` takes 2 arguments, not 3"),
    ("pow(x, 2) = x", "`pow` cannot mix a real and an int"),
    ("pow(2, 2) = 4", "`pow` is a function of a real, and takes no int and no int"),
    ("exp(x, x) = x", "`exp` takes 1 argument, not 2"),
])  # fmt: skip
def test_types_of_powers(said: str, why: str, tmp_path: Path) -> None:
    """Two reals, and nothing else."""
    text = tmp_path / "t.sonnx"
    text.write_text(f'theory t "t"\ntheorem a "a" for x : real : {said}')
    found = sonnx_verify.check(str(text), cached=False)

    assert [e.message for e in found.errors] + [r.reason for r in found if r.reason] == [why]
