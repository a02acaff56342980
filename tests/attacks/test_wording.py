"""The list `wording` of docs/trusted.toml: what these files say changes, and no verdict does.

Each public function of these files says nonsense here, wherever it is used. The attacks then come out as ever: a text
that is refused is still refused, and what is false is not proved.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from sonnx_verify import errors
from sonnx_verify.api.select import select
from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.kernel import failing_read
from sonnx_verify.language import cures, hidden, misread
from sonnx_verify.language.complaints import expressions, items, names, texts
from sonnx_verify.obligations import differing
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span
from tests.attacks.test_attacks import EXPECTED, HERE, assert_repelled

NONSENSE = "nonsense"
PLACE = Span(Source(NONSENSE, NONSENSE), 1, 1)
ROOT = Path(__file__).resolve().parents[2]


def nonsense(*_: object, **__: object) -> str:
    """The cure for everything."""
    return NONSENSE


def mistake(*_: object, **__: object) -> SpecificationError:
    """The error for everything, at no place of the text."""
    return SpecificationError(NONSENSE, PLACE, NONSENSE)


def difference(*_: object) -> differing.Cause:
    """The difference of all outputs."""
    return lambda _: (NONSENSE, PLACE)


def public(*modules: ModuleType) -> set[FunctionType]:
    """The functions that these modules give to others."""
    return {
        value
        for module in modules
        for key, value in vars(module).items()
        if isinstance(value, FunctionType) and not key.startswith("_") and value.__module__ == module.__name__
    }


COMPLAINTS = (expressions, items, names, texts)
"""The modules in which each function is the error for one kind of mistake."""
SAID: dict[object, object] = {
    **dict.fromkeys(public(*COMPLAINTS), mistake),
    cures.a_kind: nonsense,
    cures.a_value: nonsense,
    cures.as_float: nonsense,
    cures.as_real: nonsense,
    cures.meant: nonsense,
    cures.near: nonsense,
    cures.of_name: nonsense,
    cures.of_call: nonsense,
    cures.of_member: nonsense,
    cures.of_two: nonsense,
    cures.parameters_listed: nonsense,
    cures.type_name: nonsense,
    cures.types_apart: nonsense,
    differing.outputs_differ: difference,
    errors.install: nonsense,
    errors.quoted: nonsense,
    hidden.library_of: nonsense,
    hidden.hiding: mistake,
    misread.called: nonsense,
    misread.missing: mistake,
    misread.explained: mistake,
}


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """One pair of solvers for all."""
    with Solvers() as made:
        yield made


@pytest.fixture
def nonsensical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every module that imported one of these functions has the one that says nonsense."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sonnx_verify."):
            for key, value in list(vars(module).items()):
                if callable(value) and value in SAID:
                    monkeypatch.setattr(module, key, SAID[value])
    monkeypatch.setattr(failing_read.Read, "failing", nonsense)
    monkeypatch.setattr(UserError, "__str__", nonsense)


def test_the_files_are_those_of_the_list() -> None:
    """Each file of the list says nonsense here, by all that it gives to others."""
    listed = tomllib.loads((ROOT / "docs" / "trusted.toml").read_text("utf-8"))["wording"]["files"]
    assert listed == [
        "errors.py",
        "kernel/failing_read.py",
        "language/complaints/expressions.py",
        "language/complaints/items.py",
        "language/complaints/names.py",
        "language/complaints/texts.py",
        "language/cures.py",
        "language/hidden.py",
        "language/misread.py",
        "obligations/differing.py",
    ]
    assert public(cures, differing, errors, hidden, misread, *COMPLAINTS) == set(SAID)
    assert {function.__annotations__["return"] for function in public(*COMPLAINTS)} == {SpecificationError.__name__}


@pytest.mark.thinned(3)
@pytest.mark.usefixtures("nonsensical")
@pytest.mark.parametrize("name", EXPECTED)
def test_wording_changes_no_verdict(name: str, solvers: Solvers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they say, a text is refused where it was, and a claim is proved where it was."""
    monkeypatch.chdir(HERE / name)
    assert_repelled(name, solvers)


@pytest.mark.usefixtures("nonsensical")
@pytest.mark.parametrize("text", ["theorem", "theorem t : n = 0\n"])
def test_nonsense_is_said(text: str, tmp_path: Path) -> None:
    """An error that is worded by one of these files has the nonsense, or nothing was tested here."""
    (tmp_path / "laws.sonnx").write_text(text, "utf-8")
    (error,) = select([str(tmp_path / "laws.sonnx")]).errors

    assert NONSENSE in f"{error.message} {error.cure}"
