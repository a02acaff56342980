"""Constants that a text names are among the values that are tried where the usual ones show nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXT = """operator Foo version 1 user
types uint = uint8 uint16
types float = float
input X : tensor of T
input Z : tensor of T
output Y : tensor of T
attribute bits : int
attribute scale : float
[C1] constraint "bits" : bits = 8 or bits = 16
[C2] constraint "zero point" : rank(Z) = 0 and (for all i in indices(Z) : Z[i] = T(128))
[C3] constraint "scale" : scale = float(0.125)
[E1] error "bits" : when C1 fails
[E2] error "zero point" : when C2 fails
[E3] error "scale" : when C3 fails
shape Y = X.shape
value Y[i] = if bits = 8 then X[i] else T(0)
"""


def verdicts(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The verdicts of `check` for a text."""
    (folder / "foo.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["check", "--format", "json"], catch_exceptions=False)
    return {one["id"]: one["verdict"] for one in json.loads(done.stdout)["obligations"]}


def test_a_right_text_with_constants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Integers, elements of every type and attributes that are floats: its clauses have witnesses."""
    assert set(verdicts(tmp_path, TEXT, monkeypatch).values()) == {"proved", "holds"}


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("old", "new", "refuted"), [
        # Right, and far from the small numbers that are tried first.
        ("bits = 8 or bits = 16\n", "bits > 40 or bits < -40 or bits = 8\n", None),
        ("when C1 fails", "when bits != 8 and bits != 16 and bits != 17", "C1/covered"),
        ("when C2 fails", "when rank(Z) != 0 or (exists i in indices(Z) : not (T(127) <= Z[i] and Z[i] <= T(128)))",
         "C2/covered"),
        # One value that the constraint forbids and no error names.
        ("when C3 fails", "when scale != float(0.125) and scale != float(0.25)", "C3/covered"),
    ],
)  # fmt: skip  # a table
def test_wrong_at_a_constant_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, refuted: str | None
) -> None:
    """An error that misses one value is refuted there; bounds are met on their far side."""
    found = verdicts(tmp_path, TEXT.replace(old, new), monkeypatch)
    wrong = {identity for identity, verdict in found.items() if verdict not in ("proved", "holds")}
    expected: set[str] = set()
    if refuted is not None:
        expected = {f"user.Foo-1.{family}/{refuted}" for family in ("uint", "float")}
    assert wrong == expected


REALS = """theory rounding "Of floats"
types float = float16 double

define fraction(x : T) : real
  "how far x is above an integer"
  = real(x) - real(floor(real(x)))

theorem place "not so, at one place or some" for x : T assuming not is_nan(x) and not is_infinite(x) : """


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("fraction(x) != 0.5", "x = float16 0.5"),
        ("fraction(x) = 0.5 => mod(floor(real(x)), 2) = 0", "x = float16 -0.5"),
        ("fraction(x) = 0.5 and real(x) > 0.0 => mod(floor(real(x)), 2) = 0", "x = float16 1.5"),
        ("fraction(x) = 0.5 => floor(real(x)) != 2", "x = float16 2.5"),
        # Solved for x, and between two numbers.
        ("4.0 * real(x) != 1.0", "x = float16 0.25"),
        ("real(x) <= 0.5 or 1.0 <= real(x)", "x = float16 0.75"),
        ("real(x) >= 0.5 or real(x) <= 0.0", "x = float16 0.25"),
        # True: nothing is shown.
        ("real(x) >= 0.5 or real(x) <= 0.5", None),
    ],
)
def test_where_a_branch_of_floats_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str, shown: str | None
) -> None:
    """Numbers at which a comparison turns, a whole number from them where a floor is taken, and those between."""
    (tmp_path / "foo.sonnx").write_text(f"{REALS}{stated}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "user.rounding.float/place/theorem"], catch_exceptions=False)

    shown_lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("    x = ")]
    assert shown_lines == ([] if shown is None else [shown])
    assert ("1 proved" in done.stdout) is (shown is None)


STEPS = """theory steps "Steps between floats"
types float = bfloat16 float16 float double

define finite(x : T) : bool
  "a number"
  = not is_nan(x) and not is_infinite(x)

theorem of_float "two steps from what is above 0"
  for x, y : T assuming finite(x) and x > 0 and finite(y) and y in (within 2 steps of real(x)) : y >= 0
theorem of_real "two steps from a real above 0"
  for x : T; r : real assuming finite(x) and r > 0.0 and x in (within 2 steps of r) : x >= 0
theorem of_elements "half of what is above 0 is"
  for X : tensor of T; i : index assuming i in indices(X) and finite(X[i]) and X[i] > 0 : T(real(X[i]) * 0.5) > 0
theorem of_one_step "one step is not below 0"
  for x, y : T assuming finite(x) and x > 0 and finite(y) and y in (within 1 steps of real(x)) : y >= 0
"""


def test_next_to_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least floats above and below 0 are tried where floats are read as numbers, or reals are rounded to them."""
    found = verdicts(tmp_path, STEPS, monkeypatch)

    tags = ("of_float", "of_real", "of_elements")
    assert {tag: found[f"user.steps.float/{tag}/theorem"] for tag in tags} == dict.fromkeys(tags, "refuted")
    assert found["user.steps.float/of_one_step/theorem"] not in ("refuted", "candidate")


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ("k != 12345", "refuted"),
        ("k != 2^63 and k < 2^70", "refuted"),
        # False at 12345, which the text does not name: a solver chooses it.
        ("2 * k != 24690", "refuted"),
        # False at a number beyond the bounds within which an input is chosen: nothing replays it.
        ("2 * k != 2000000000000000002", "candidate"),
    ],
)
def test_of_integers_without_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str, verdict: str) -> None:
    """The constants that a text names are tried, and what a solver chooses within bounds."""
    text = f'theory hard "Of integers"\n\ntheorem far "not so, at one place" for k : int : {stated}\n'
    assert verdicts(tmp_path, text, monkeypatch)["user.hard/far/theorem"] == verdict
