"""Exported queries are asked again of programs that know nothing of this one: z3's own, cvc5's and bitwuzla's readers.

A few claims of our own, and of the library: integers, shapes, machine integers, floats, reals.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "replay.md"
Z3 = Path(sysconfig.get_path("scripts")) / "z3"
LIBRARY = (
    "proofs.floats.float/nan_above_all/theorem",
    "proofs.sums_of_numbers/two_addends/theorem",
    "sonnx.Max-13.int/C1/covered",
)
SMALL = """
theory small "claims of each logic, größere too"
use broadcast

types int   = int8
types float = float16

theorem above     "an integer is below the next"        for k : int : k < k + 1
theorem symmetric "broadcasting does not know an order"
  for A, B : shape : broadcastable([A, B]) iff broadcastable([B, A])
theorem between   "no element is between itself"        for x, y : T assuming x < y : not (y < x)
theorem sums      "addition knows no order"             for x, y : T : x + y = y + x
theorem doubled   "what is below another stays below"   for r, s : real assuming r < s : r + r < s + s
theorem far       "no integer is very large"            for k : int : 2 * k != 2000000000000000002
"""


def export(folder: Path, *what: str, run_in: Path) -> None:
    before = Path.cwd()
    os.chdir(run_in)
    try:
        done = CliRunner().invoke(main, ["check", "--no-hints", "--export-smt", str(folder), *what])
    finally:
        os.chdir(before)
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two exports, `own` and `library`."""
    folder = tmp_path_factory.mktemp("exported")
    texts = tmp_path_factory.mktemp("texts")
    (texts / "small.sonnx").write_text(SMALL, "utf-8")
    export(folder / "own", "small.sonnx", run_in=texts)
    export(folder / "library", *LIBRARY, run_in=ROOT)
    return folder


def index(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / "index.json").read_text("utf-8"))
    return made


def wanted(exported: Path) -> dict[Path, str]:
    """Every exported file with the answer it names."""
    found = {}
    for path in sorted(exported.glob("*/*.smt2")):
        (status,) = re.findall(r"^\(set-info :status (\w+)\)$", path.read_text("utf-8"), re.MULTILINE)
        found[path] = status
    assert Counter(found.values()) == Counter({"unsat": len(found) - 1, "sat": 1})
    assert len(found) > 40
    return found


def sorts(exported: Path) -> dict[Path, list[str]]:
    """What each file speaks of."""
    return {f / row["file"]: row["sorts"] for f in exported.iterdir() for row in index(f)["queries"]}


def told_by_cvc5(path: Path, *options: tuple[str, str]) -> tuple[str, Any]:
    """What cvc5 prints for a file, read by its own parser, and the solver."""
    import cvc5

    terms: Any = cvc5.TermManager()
    solver: Any = cvc5.Solver(terms)
    for option, value in (("fp-exp", "true"), ("incremental", "false"), *options):
        solver.setOption(option, value)
    symbols: Any = cvc5.SymbolManager(terms)
    parser: Any = cvc5.InputParser(solver, symbols)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    printed = []
    while not (command := parser.nextCommand()).isNull():
        printed.append(str(command.invoke(solver, symbols)))
    return "".join(printed).strip(), solver


def test_z3_s_own_program(exported: Path) -> None:
    """Every file, as it is: no option is needed."""
    for path, status in wanted(exported).items():
        done = subprocess.run([Z3, path], capture_output=True, text=True, timeout=60, check=False)

        assert (done.stdout.strip(), done.stderr, done.returncode) == (status, "", 0), path


def test_cvc5_s_own_reader(exported: Path) -> None:
    """Every file; for floats of two bytes with the option `fp-exp`."""
    for path, status in wanted(exported).items():
        assert told_by_cvc5(path)[0] == status, path


def test_bitwuzla(exported: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A third solver agrees wherever it knows the sorts: machine integers, and floats but bfloat16."""
    import bitwuzla

    known, asked = sorts(exported), Counter[str]()
    for path, status in wanted(exported).items():
        kinds = {re.sub(r"[(_ \d)]", "", sort) for sort in known[path]}
        if not kinds or kinds & {"Int", "Real"} or "(_ FloatingPoint 8 8)" in known[path]:
            continue
        bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options()).parse(str(path))
        assert capfd.readouterr().out.strip() == status, path
        asked.update(kinds)

    assert asked["BitVec"] >= 24
    assert asked["FloatingPoint"] >= 10


@pytest.mark.parametrize(("sort", "why"), [("Int", "unsupported logic"), ("(_ FloatingPoint 8 8)", "experimental")])
def test_what_bitwuzla_does_not_take(exported: Path, sort: str, why: str) -> None:
    """The limits that docs/replay.md tells of."""
    import bitwuzla

    path = next(path for path, found in sorted(sorts(exported).items()) if sort in found)
    with pytest.raises(bitwuzla.BitwuzlaException, match=why):
        bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options()).parse(str(path))


def is_float(sorts: list[str]) -> bool:
    return any("FloatingPoint" in sort for sort in sorts)


LOGICS = {
    "shapes": {"Bool", "Int"},
    "reals": {"Bool", "Int", "Real"},
    "machine integers": {"(_ BitVec 64)"},
    "float16": {"(_ FloatingPoint 5 11)"},
    "bfloat16": {"(_ FloatingPoint 8 8)"},
}


@pytest.mark.parametrize("logic", LOGICS)
def test_cvc5_prints_a_proof(exported: Path, logic: str) -> None:
    """For each logic; its own checker finds nothing wrong with it, and outside floats no step is taken on trust."""
    status = wanted(exported)
    found = [p for p, s in sorts(exported).items() if set(s) == LOGICS[logic] and status[p] == "unsat"]
    path = min(found, key=lambda p: (p.stat().st_size, p))
    steps = rules(path)

    assert sum(steps.values()) > 5
    assert steps["assume"] != 0
    if logic not in ("float16", "bfloat16"):
        assert trusted(steps) == 0


def rules(path: Path) -> Counter[str]:
    """How often each rule occurs in cvc5's proof."""
    import cvc5

    answer, solver = told_by_cvc5(path, ("produce-proofs", "true"), ("check-proofs", "true"))
    assert answer == "unsat"
    text = b"".join(solver.proofToString(p, cvc5.ProofFormat.CPC) for p in solver.getProof()).decode()
    return Counter([*re.findall(r":rule ([\w-]+)", text), *re.findall(r"^\((assume)\b", text, re.MULTILINE)])


def trusted(steps: Counter[str]) -> int:
    """How many steps are taken on trust."""
    return sum(number for rule, number in steps.items() if "trust" in rule or "hole" in rule)


def test_some_steps_of_floats_are_on_trust(exported: Path) -> None:
    """As docs/replay.md says: how floats become bits is no rule of the proof format. When this fails the page is out of
    date."""
    floats = sorted(path for path, found in sorts(exported).items() if is_float(found))

    assert any(trusted(rules(path)) for path in floats)


BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_the_page_s_commands(exported: Path, tmp_path: Path, block: int) -> None:
    """Each says nothing of an export, and names a file in which a fact was left out."""
    folder = tmp_path / "queries"
    folder.mkdir()
    for path in sorted((exported / "own").iterdir()):
        (folder / path.name).write_bytes(path.read_bytes())
    place = {**os.environ, "PATH": f"{Z3.parent}{os.pathsep}{os.environ['PATH']}"}

    def said() -> str:
        shell = ["sh", "-c", BLOCKS[block]]
        return subprocess.run(shell, cwd=tmp_path, env=place, capture_output=True, text=True, check=False).stdout

    assert said() == ""
    changed = next(p for p in sorted(folder.glob("*.smt2")) if b":status unsat" in p.read_bytes())
    changed.write_text(re.sub(r"^\(assert .*\n", "", changed.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    assert said() == f"queries/{changed.name}\n"


def test_texts_are_those_that_were_asked(exported: Path) -> None:
    """The name of a file is the SHA-256 of its text, and `check` knows it by that."""
    for path in wanted(exported):
        text = path.read_text("utf-8").split("\n(set-info :status ")[1].split("\n", 1)[1].removesuffix("(check-sat)\n")
        assert hashlib.sha256(text.encode()).hexdigest() == path.stem
