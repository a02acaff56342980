"""Searches of `lint` that found nothing: made once for the same terms, and for no others."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.nodes import make
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import ONE, ZERO, Role, Symbol, Term, add, integer, ite, le, lt
from sonnx_verify.pages.lint import on_equivalence, searches
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.stores.store import Store

ROOT = Path(__file__).parents[2]
K = Variable("k", VariableKind.INT, INT, None, 0)
SHAPE = Variable("S", VariableKind.SHAPE, INT, None, 0)
MANY = 20


def beyond(least: int) -> Term:
    """What no small shape meets, and its rank alone does not say so."""
    nothing = ite(lt(Symbol("S.dim", (INT,), INT, Role.SIZE)(ZERO), ZERO), ONE, ZERO)
    return le(integer(least), add(Symbol("S.rank", (), INT, Role.RANK)(), nothing))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, cache: Path) -> list[int]:
    """A number for each search that was begun."""
    made: list[int] = []

    class Counted(Search):
        def first(self):  # type: ignore[no-untyped-def]
            made.append(len(made))
            return super().first()

    monkeypatch.setattr(searches, "Search", Counted)
    return made


def entries(cache: Path) -> list[str]:
    return Store(cache).keys("searches")


def test_once_for_the_same_terms(begun: list[int], cache: Path) -> None:
    for _ in range(2):
        assert searches.first_found([SHAPE], [beyond(9)], MANY) is None
    assert len(begun) == len(entries(cache)) == 1


def test_again_for_others(begun: list[int], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another condition, one more, another budget, another variable, another tool."""
    asked = [
        ([SHAPE], [beyond(9)], MANY),
        ([SHAPE], [beyond(8)], MANY),
        ([SHAPE], [beyond(9), beyond(8)], MANY),
        ([SHAPE], [beyond(9)], MANY + 1),
        ([SHAPE, K], [beyond(9)], MANY),
    ]
    for one in asked:
        assert searches.first_found(*one) is None
    monkeypatch.setattr(searches, "digest_from", lambda root: "another")
    assert searches.first_found(*asked[0]) is None
    assert len(begun) == len(entries(cache)) == len(asked) + 1


@pytest.mark.parametrize(
    "other",
    [
        {"name": "R"},
        {"kind": "index"},
        {"sort": BOOL},
        {"base": 1},
        {"facts": ("dense",)},
        {"role": "output"},
        {"type_variable": True},
        {"optional": True},
        {"default": (1,)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_variable(other: dict[str, Any]) -> None:
    """Each part of a variable may change what is found."""
    assert searches._key([replace(SHAPE, **other)], [beyond(9)], MANY) != searches._key([SHAPE], [beyond(9)], MANY)


def test_another_count_is_another_variable() -> None:
    counts = (None, integer(1), integer(2), Symbol("L", (), INT)())
    assert len({searches._key([replace(SHAPE, count=n)], [beyond(9)], MANY) for n in counts}) == len(counts)


def test_terms_are_told_apart_by_what_they_are() -> None:
    """Not by the digests of their nodes, which some terms share: those of these two do."""
    x, y = Symbol("x", (), INT)(), Symbol("y", (), INT)()
    one, two = (make("+", (z, make("+", (z,), INT)), INT) for z in (x, y))
    assert one.digest == two.digest
    assert searches._key([], [one], MANY) != searches._key([], [two], MANY)
    assert searches._key([], [one, x], MANY) != searches._key([], [x, one], MANY) != searches._key([], [one], MANY)


def test_what_was_found_is_not_kept(begun: list[int], cache: Path) -> None:
    """Also where it was the last that was looked at; nor what is found soon to be nowhere."""
    least = next(b for b in range(1, MANY) if Search([SHAPE], [beyond(1)], b).first() is not None)
    for _ in range(2):
        found = searches.first_found([SHAPE], [beyond(1)], least)
        assert found is not None
        assert found.assignment["S"] == (0,)
    large = le(integer(1000), Symbol("k", (), INT)())
    for _ in range(2):
        assert searches.first_found([K], [large], 1000 * MANY) is None
    assert len(begun) == 4
    assert entries(cache) == []


def test_without_a_cache(begun: list[int], no_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    for _ in range(2):
        assert searches.first_found([SHAPE], [beyond(9)], MANY) is None
    assert len(begun) == 2
    assert not no_cache.exists()


@pytest.mark.soak
def test_no_cache(begun: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`lint --no-cache` tries every formula."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    numbers = []
    for more in ([], [], ["--no-cache"]):
        before = len(begun)
        on_equivalence._found.cache_clear()
        assert CliRunner().invoke(main, ["page", "lint", "spec/sonnx/max/max.md", *more]).exit_code == 0
        numbers.append(len(begun) - before)
    assert numbers[0] == numbers[2] > numbers[1]


@pytest.mark.soak
def test_of_a_page(begun: list[int], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is not tried again while it says the same, in whatever words; a slip in a formula is found."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "spec" / "sonnx" / "max" / "max.md"

    def lint() -> Result:
        on_equivalence._found.cache_clear()
        return CliRunner().invoke(main, ["page", "lint", str(page)])

    first = lint()
    there = len(begun)
    assert first.exit_code == 0
    assert len(entries(cache)) > 0
    text = page.read_text("utf-8")
    page.write_text(f"{text}\nMore words.\n", "utf-8")
    assert lint().exit_code == 0
    assert len(begun) - there == there - len(entries(cache))

    page.write_text(text.replace("\\max_{m \\in [0, L]} Z_m[i]", "\\min_{m \\in [0, L]} Z_m[i]"), "utf-8")
    slip = lint()
    assert slip.exit_code == 1
    assert "[formula-differs]" in slip.output
    assert lint().output == slip.output
