"""Commands that once proved what rests on a theorem that is false, or on another one of its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

TRUE = 'theory laws "laws"\ntheorem a "fine" for A : shape : rank(A) >= 0\n'
FALSE = 'theory laws "laws"\ntheorem a "not fine" for A : shape : rank(A) = 0\n'
USER = 'use laws\ntheory user "user"\ntheorem b "scalars" for A : shape using a(A) : rank(A) = 0\n'
INSTALLED = """use row_major
theory mine "an installed theorem, used"
theorem b "the number of elements, split"
  for S : shape; a : int assuming 0 <= a <= rank(S)
  using split(S, a)
  : numel(S) = sizes_product(S, 0, a) * sizes_product(S, a, rank(S))
"""


def said(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(autouse=True)
def two_texts_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`first/laws.sonnx` is true; `second/laws.sonnx` is false, and `second/user.sonnx` uses it."""
    monkeypatch.chdir(tmp_path)
    Path("sonnx-verify.toml").touch()
    for path, text in (("first/laws", TRUE), ("second/laws", FALSE), ("second/user", USER)):
        Path(path).parent.mkdir(exist_ok=True)
        Path(f"{path}.sonnx").write_text(text, "utf-8")


def test_the_text_that_is_used_is_the_one_that_is_asked() -> None:
    """Not another of its name, which is found first."""
    made = said("check", "second/user.sonnx")

    assert made.exit_code == 3
    assert "depends on user.laws/a/theorem, which is" in made.stdout


def test_another_text_is_not_taken_for_it() -> None:
    """Nor where the other one is asked for too, and the right one is not."""
    made = said("check", "first/laws.sonnx", "second/user.sonnx")

    assert made.exit_code == 3
    assert "depends on user.laws/a/theorem, which is" in made.stdout


def test_all_of_them_together() -> None:
    """What uses one of that name rests on all of them."""
    made = said("check")

    assert made.exit_code == 1
    assert "depends on user.laws/a/theorem, which is refuted" in made.stdout


def test_a_statement_rests_on_what_it_uses() -> None:
    """`prove` decides what the statement uses."""
    Path("lie.sonnx").write_text(FALSE.replace("theory laws", "library lie"), "utf-8")
    made = said("prove", "for A : shape using a(A) : rank(A) = 0")

    assert made.exit_code == 3
    assert "depends on user.lie/a/theorem, which is refuted" in made.stdout


def test_a_statement_uses_a_theorem_of_a_theory() -> None:
    """With what it uses proved, it is proved."""
    Path("true.sonnx").write_text(TRUE.replace("theory laws", "theory true"), "utf-8")
    made = said("prove", "for A : shape using a(A) : rank(A) >= 0")

    assert made.exit_code == 0
    assert made.stdout.startswith("proved")


def test_an_installed_theorem_is_used(tmp_path: Path) -> None:
    """A text elsewhere finds what is stated in `proofs/`, and it is decided."""
    Path("mine.sonnx").write_text(INSTALLED, "utf-8")
    made = said("check", "mine.sonnx")

    assert made.exit_code == 0
    assert "1 proved" in made.stdout
