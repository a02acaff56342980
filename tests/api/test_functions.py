"""The public functions: the example of docs/api.md runs, records are readable, mistakes are errors of the user."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sonnx_verify
from sonnx_verify.api.functions import Checked
from sonnx_verify.errors import SpecificationError, UsageError

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FOLD = """\
theory folds "Of integers"

theorem right "so it is"
  for k : int
  : k < k + 1

theorem wrong "so it is not"
  for k : int
  : k < 3
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a theorem that holds and one that does not."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "folds.sonnx").write_text(FOLD, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands, in the project, with its assertions."""
    monkeypatch.chdir(ROOT)
    functions, of_backend = EXAMPLES
    # A page without assertions would run whatever the functions return.
    assert functions.count("assert ") >= 6
    assert of_backend.count("assert ") == 1
    for example in EXAMPLES:
        exec(compile(example, "docs/api.md", "exec"), {})


def test_every_function_is_on_the_page() -> None:
    """The table of docs/api.md has the public names, and the package has no other."""
    table = set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE))

    assert table | {"__version__", "errors"} == set(sonnx_verify.__all__) == set(dir(sonnx_verify))
    assert all(callable(getattr(sonnx_verify, name)) for name in table)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = sonnx_verify.nosuch


def test_a_check_is_a_sequence_of_results(project: Path) -> None:
    """Findings are shown as `check` prints them, and each result is there by its identity."""
    checked = sonnx_verify.check("proofs/folds.sonnx")

    assert [one.verdict for one in checked] == ["holds", "proved", "refuted"]
    assert not checked.ok
    assert [one.id for one in checked.surprises] == ["proofs.folds/wrong/theorem"]
    assert checked["proofs.folds/right/theorem"].scope.startswith("every rank")
    with pytest.raises(KeyError):
        _ = checked["proofs.folds/nosuch/theorem"]
    assert "k = 3" in repr(checked)
    assert repr(checked).splitlines()[-1] == "1 surprise"
    assert "<table>" in checked._repr_html_()
    assert checked[0] is checked.results[0]
    assert checked[-1].counterexample is not None
    assert repr(checked[-1].counterexample) == "<k = 3>"


def test_a_mistake_in_one_text_is_among_the_errors(project: Path) -> None:
    """The others are decided."""
    (project / "proofs" / "wrong.sonnx").write_text("theory wrong\n", "utf-8")
    checked = sonnx_verify.check()

    assert len(checked.errors) == 1
    assert "wrong.sonnx:" in str(checked.errors[0])
    # Whoever prints the answer is not told that there are no surprises.
    assert repr(checked).endswith("\n1 error: proofs/wrong.sonnx was not checked")
    assert "no surprises" not in repr(checked)
    assert len(checked) == 3
    assert not checked.ok


def test_a_counterexample_is_the_smallest(project: Path) -> None:
    """With its values as plain data, and one line."""
    result = sonnx_verify.counterexample("proofs.folds/wrong/theorem")

    assert result.counterexample is not None
    assert result.counterexample.minimal
    assert [(one.name, one.value.elements) for one in result.counterexample.given] == [("k", (3,))]
    assert repr(result) == "<refuted proofs.folds/wrong/theorem: k = 3>"
    assert result.counterexample.arrays == {"k": 3}
    assert "<pre>refuted proofs.folds/wrong/theorem\n" in result._repr_html_()
    assert "\nk = 3" in result._repr_html_()
    assert result.counterexample._repr_html_() == "<pre>k = 3</pre>"


def test_a_notebook_shows_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = sonnx_verify.diff("onnx.Max-12", "onnx.Max-13")._repr_html_()

    assert shown.startswith("<pre>onnx.Max-13 and onnx.Max-12\n  types of onnx.Max-13 only: bfloat16\n")


def test_names_that_name_nothing(project: Path) -> None:
    """Each is an error of the user, with a cure."""
    with pytest.raises(UsageError, match="nosuch"):
        sonnx_verify.check("proofs.nosuch/x/theorem")
    with pytest.raises(UsageError):
        sonnx_verify.counterexample("proofs.folds/nosuch/theorem")
    with pytest.raises(UsageError):
        sonnx_verify.evaluate("sonnx.Nosuch")
    with pytest.raises(SpecificationError):
        sonnx_verify.prove("(((")


def test_nothing_decided_is_not_ok() -> None:
    """A run without results has shown nothing."""
    # No error, no surprise, both solvers there: and yet nothing was checked.
    checked = Checked((), (), {"z3": "1", "cvc5": "1"})

    assert not checked.ok


def test_what_is_no_target_and_no_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an error of the user."""
    monkeypatch.chdir(ROOT)
    with pytest.raises(UsageError, match="not a target"):
        sonnx_verify.conform("sonnx.Max-13", "numpy.maximum")
    with pytest.raises(UsageError, match="unknown level"):
        sonnx_verify.conform("sonnx.Max-13", "evaluator", level="some")
    with pytest.raises(UsageError, match="a list of names"):
        sonnx_verify.conform("sonnx.Max-13", "evaluator", types="int8")
    with pytest.raises(UsageError, match="neither a target nor a function"):
        sonnx_verify.conform("sonnx.Max-13", 7)  # type: ignore[arg-type]  # as a user may
    for seconds in (-1.0, 0.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="not a valid time limit"):
            sonnx_verify.conform("sonnx.Max-13", "evaluator", seconds=seconds)
    with pytest.raises(UsageError, match="random inputs"):
        sonnx_verify.conform("sonnx.Max-13", "evaluator", random=-1)
    with pytest.raises(UsageError, match="bound is a text, not `int`"):
        sonnx_verify.conform("sonnx.Max-13", "evaluator", bound=2)  # type: ignore[arg-type]  # likewise


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("check(3)", "each name is a text, not `int`"),
        ("check('sonnx.Max-13', jobs='2')", "jobs is an integer, not `str`"),
        ("prove(3)", "the statement is a text"),
        ("counterexample(None)", "the identity is a text, not `NoneType`"),
        ("diff('onnx.Max-13', 12)", "the name of an operator is a text"),
        ("conform(max, 'evaluator')", "the name of an operator is a text"),
        ("conform('sonnx.Max-13', 'evaluator', random='all')", "random is an integer"),
        ("conform('sonnx.Max-13', 'evaluator', seed=True)", "seed is an integer, not `bool`"),
    ],
)
def test_arguments_of_the_wrong_kind(call: str, said: str) -> None:
    """Each is an error of the user that names the argument, and is there to be caught after the import alone."""
    code = f"import sonnx_verify as sv\ntry:\n  sv.{call}\nexcept sv.errors.UsageError as error:\n  print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert said in done.stdout


def test_the_import_loads_nothing_heavy() -> None:
    """A notebook that only wants the version does not wait for numpy."""
    code = "import sys, sonnx_verify; print(sorted({'numpy', 'sympy', 'z3', 'cvc5', 'lark'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("statement", "verdict", "shown"),
    [
        ("for S : list of shape : count(S) >= 0", "proved", ""),
        ("for S : list of shape : count(S) <= 1", "refuted", "S0 = shape (), S1 = shape ()"),
        ("for S : list of shape : count(S) < 2 or S[0] = S[1]", "refuted", "S0 = shape (), S1 = shape (0)"),
    ],
)
def test_a_list_of_shapes_has_a_length_of_its_own(
    statement: str, verdict: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No number of the statement gives it: the search counts the members."""
    monkeypatch.chdir(ROOT)
    (result,) = sonnx_verify.prove(statement)

    assert result.verdict == verdict
    assert repr(result.counterexample) == (f"<{shown}>" if shown else "None")


@pytest.mark.parametrize(
    ("items", "said"),
    [("[A, B]", "a list cannot hold set of int"), ("[A, k]", "the list mixes types: set of int, int")],
)
def test_what_no_list_holds(items: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets, alike or not, and things that are unlike."""
    monkeypatch.chdir(ROOT)
    with pytest.raises(SpecificationError, match=said):
        sonnx_verify.prove(f"for A, B : set of int; k : int : count({items}) = 2")


def test_nothing_is_printed(project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Not even that the cache cannot be written, which the answers do not depend on."""
    place = project / "cache"
    place.write_text("mine", "utf-8")
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(place))

    assert sonnx_verify.prove("1 + 1 = 2").ok
    assert sonnx_verify.counterexample("proofs.folds/wrong/theorem").counterexample is not None
    assert capfd.readouterr() == ("", "")
