"""Each command prints what its golden file says, and ends with that status.

A case is a .txt file here: one or several command lines, each followed by what it prints and by its exit status. What
goes to standard error stands below a line `-- stderr`. `$ sonnx-verify` runs in this process, `$ python -m
sonnx_verify` in one of its own, both in the root of the project. `{tmp}` is a folder of the case, with the arrays of
`arrays` in it. What changes with the machine, not with the project, is replaced: see `steady`.

`SONNX_REWRITE_GOLDEN=1 pytest tests/golden` writes the files anew.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify import __version__
from sonnx_verify.cli import COMMANDS, main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = sorted(path.stem for path in HERE.glob("*.txt"))
HISTORY = HERE / "history"
_VERSION = re.compile(r"^(?:operator (\w+) )?version (\d+)(?: text (\S+))?", re.MULTILINE)


def versions_of(path: Path) -> list[str]:
    """The versions in a file of the standard, such as Max-6 and Max-8."""
    found = _VERSION.findall(path.read_text("utf-8"))
    return ["@".join(filter(None, (f"{found[0][0]}-{version}", text))) for _, version, text in found]


HISTORIES = sorted(path.stem for path in HISTORY.glob("*.txt"))
"""The operators whose versions are compared in full: differences of all others are in their records."""
LONG = ("prove_reductions", "color", "mutate")
"""In the soak: `prove` has three more files, and floats that do not associate take solvers half a minute; colours are
those of a text that `check_drafts` has decided, and pages run what `mutate` prints."""
QUICK = ("add", "clip", "less")
"""Of the histories; those of reductions take ten minutes each."""
REWRITE = os.environ.get("SONNX_REWRITE_GOLDEN") == "1"
ENVIRONMENT = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
HEADS = (["sonnx-verify"], ["python", "-m", "sonnx_verify"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with arrays in files."""
    # Each as somebody has it: of another byte order, in the order of Fortran, without elements, of a type of ml_dtypes,
    # of one that ONNX has and the language not; and two files that only look like arrays.
    arrays: dict[str, np.ndarray] = {
        "floats": np.array([np.nan, -0.0, np.inf, 1.5], dtype=np.float32),
        "scalar": np.array(7, dtype=np.int64),
        "empty": np.zeros((2, 0), dtype=np.float64),
        "row": np.array([[1, 2, 3]], dtype=np.uint8),
        "turned": np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
        "bfloat16": np.array([1.5, -0.0, np.nan], dtype=ml_dtypes.bfloat16),
        "swapped": np.array([1.5, -2], dtype=">f4"),
        "complex": np.array([1j]),
    }
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    np.save(tmp_path / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "text.npy").write_text("no array", "utf-8")
    return tmp_path


def run(line: str, folder: Path) -> str:
    """A command line with everything that came of it, as it stands in a golden file."""
    words = [word.replace("{tmp}", str(folder)) for word in shlex.split(line.removeprefix("$ "))]
    head = next(h for h in HEADS if words[: len(h)] == h)
    arguments = words[len(head) :]
    if len(head) == 1:
        done = CliRunner(env=ENVIRONMENT).invoke(main, arguments, prog_name="sonnx-verify")
        # click's runner keeps exceptions; a defect has to fail the test with its traceback, not with a difference.
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        status, out, err = done.exit_code, done.stdout, done.stderr
    else:
        ended = subprocess.run(
            [sys.executable, *head[1:], *arguments],
            cwd=ROOT,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        status, out, err = ended.returncode, ended.stdout, ended.stderr
    parts = [line, steady(out, folder)]
    if err:
        parts.append("-- stderr\n" + steady(err, folder))
    parts.append(f"exit {status}")
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def steady(text: str, folder: Path) -> str:
    """The text without what may differ: versions, the case's folder, hashes and numbers of queries."""
    # Each of these depends on the machine or the version of a solver, and on nothing in the texts.
    text = text.replace(str(folder), "{tmp}").replace(__version__, "{version}")
    text = re.sub(r'("?(?:z3|cvc5|bitwuzla)"?:?) "?\d+(?:\.\d+)+"?', r"\1 {version}", text)
    text = re.sub(r"^\d+ SMT queries, \d+ sent", "{n} SMT queries, {m} sent", text, flags=re.MULTILINE)
    text = re.sub(r"^\d+ queries, \d+ of", "{n} queries, {m} of", text, flags=re.MULTILINE)
    return re.sub(r'"queries": \[\n.*?\n( *)\]', r'"queries": [{queries}]', text, flags=re.DOTALL)


# Each file is written anew when all are.
@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[pytest.mark.soak] * (c in LONG and not REWRITE)) for c in CASES]
)
def test_golden(case: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output of a command is that of its golden file, byte for byte."""
    monkeypatch.chdir(ROOT)
    if case == "cache":  # one of its own, with a name that is the same each time
        monkeypatch.setenv("SONNX_VERIFY_CACHE", str(folder / "cache"))
    path = HERE / f"{case}.txt"
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("$ ")]
    assert lines, f"{path.name} has no command line"
    hold(path, lines, folder)


@pytest.mark.parametrize(
    "operator", [pytest.param(o, marks=[pytest.mark.soak] * (o not in QUICK and not REWRITE)) for o in HISTORIES]
)
def test_history_of_a_standard(operator: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How each version differs from the one before it, and what each leaves open."""
    monkeypatch.chdir(ROOT)
    texts = [f"onnx.{name}" for name in versions_of(ROOT / "spec" / "onnx" / operator / f"{operator}.sonnx")]
    lines = [f"$ sonnx-verify diff --quiet {before} {after}" for before, after in itertools.pairwise(texts)]
    hold(HISTORY / f"{operator}.txt", [*lines, f"$ sonnx-verify explain --gaps {' '.join(texts)}"], folder)


def hold(path: Path, lines: Sequence[str], folder: Path) -> None:
    """Run the command lines, and hold what they print against a golden file; or write the file."""
    made = "\n".join(run(line, folder) for line in lines)
    if REWRITE:
        path.write_text(made, "utf-8")
        return
    wanted = path.read_text("utf-8") if path.exists() else ""
    if made != wanted:
        name = path.relative_to(ROOT).as_posix()
        difference = difflib.unified_diff(
            wanted.splitlines(), made.splitlines(), f"{name} (expected)", f"{name} (printed now)", lineterm=""
        )
        pytest.fail(
            "\n".join([*difference, "", "If this is meant: SONNX_REWRITE_GOLDEN=1 pytest tests/golden"]), pytrace=False
        )


def test_golden_files_are_clean() -> None:
    """No golden file holds a traceback, a path of a machine or a version."""
    for path in HERE.rglob("*.txt"):
        text = path.read_text("utf-8")
        for foul in ("Traceback", "/tmp/", "/home/", "/root/", str(ROOT), __version__):
            assert foul not in text, f"{path.name} holds {foul}"


def test_cases_are_there() -> None:
    """The cases of every command are found, some of them run as a process."""
    text = "".join((HERE / f"{case}.txt").read_text("utf-8") for case in CASES)

    assert set(QUICK) < set(HISTORIES)
    new = {name for name, entry in COMMANDS.items() if not entry.now}
    used = re.findall(r"^\$ (?:sonnx-verify|python -m sonnx_verify) ([\w-]+)", text, re.MULTILINE)
    assert new <= set(used)
    assert text.count("$ python -m sonnx_verify ") >= 10
