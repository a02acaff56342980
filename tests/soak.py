"""What takes long: the random tests at length, and everything checked again with the answers counted.

Writes tests/soak.json, without times, and proofs/mutants.json, the table of mutants, both to be committed. Exit status
0 when every part passed, and every mutant came out as the table had it. `python tests/soak.py PART...` runs some parts.

All of it takes many hours, since it grows with each operator. So some parts look at a share, as SHARES has it, chosen
by names: another one each time, until all have had their turn. The result says which.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

_WITH_MORE = ("bad_input", "cache", "cases", "evaluator", "implementations", "skeleton", "spec")
FOLDERS = tuple(f"tests/{name}" for name in _WITH_MORE)
LANGUAGE = ("tests/language/test_layout.py", "tests/language/test_ten_operators.py")
ELSEWHERE = (*FOLDERS, *LANGUAGE, "tests/logic/test_generalise.py")
REST = ("tests", *(f"--ignore={place}" for place in ("tests/logic", "tests/twins", *ELSEWHERE)))
ROOT = Path(__file__).parent.parent
RESULT = Path(__file__).with_name("soak.json")
TABLE = "proofs/mutants.json"
SHARES = {
    "check": 8,
    "verdicts": 8,
    "formulas and terms": 4,
    "long twins": 4,
    "mutants": 16,
    "divergences": 16,
    "everything else at soak size": 8,
    "what takes long elsewhere": 16,
}
"""The parts that look at one share of so many."""


def turn_of(part: str) -> int:
    """The number of the share whose turn it is: the one behind that of the committed result."""
    before = json.loads(RESULT.read_text("utf-8")).get(part, {}) if RESULT.exists() else {}
    return (int(before.get("share", -1)) + 1) % SHARES[part]


def shared(part: str, names: Iterable[str]) -> list[str]:
    """The names that are in the share. A name stays in its share whatever others there are."""
    return [name for name in names if crc32(name.encode()) % SHARES[part] == turn_of(part)]


def pytest(part: str, *args: str) -> dict[str, object]:
    """Run the share of a part of the tests at soak size; how many passed and failed."""
    head = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal", "-p", "no:cacheprovider"]
    # Long tracebacks print arguments, and a record has terms that share parts: printed in full they fill the memory.
    command = [*head, "--durations=30", "--tb=short", "-rfE", *args]
    environment = {**os.environ, "SONNX_SOAK": "1", "SONNX_SOAK_SHARE": f"{turn_of(part)}/{SHARES[part]}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    print(done.stdout[-6000:], flush=True)
    counts = {what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    # A run that was stopped has passed so far.
    failed = counts.get("failed", 0) + counts.get("error", 0)
    return {"exit": done.returncode, "passed": counts.get("passed", 0), "failed": failed}


def check() -> dict[str, object]:
    """Check texts without hints; the verdicts and how many distinct queries were asked."""
    texts = [p.relative_to(ROOT).as_posix() for folder in ("spec", "proofs") for p in (ROOT / folder).rglob("*.sonnx")]
    chosen = shared("check", sorted(texts))
    command = [sys.executable, "-m", "sonnx_verify", "check", *chosen, "--no-hints", "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    queries = {q["sha256"] for o in answer["obligations"] for q in o["queries"]}
    return {"exit": done.returncode, "solvers": answer["solvers"], "queries": len(queries), **answer["summary"]}


def mutants() -> dict[str, object]:
    """Judge the mutants of some files again, trying first what killed them last time, and make their part of the table
    again; how many the table has of each verdict."""
    table = json.loads((ROOT / TABLE).read_text("utf-8"))["mutants"]
    chosen = shared("mutants", sorted({identity.partition(":")[0] for identity in table}))
    command = [sys.executable, "-m", "sonnx_verify", "mutate", *chosen, "--against", TABLE, "--out", TABLE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout[-2000:], done.stderr[-2000:], flush=True)
    return {"exit": done.returncode, **json.loads((ROOT / TABLE).read_text("utf-8"))["summary"]}


def verdicts() -> dict[str, object]:
    """Decide texts and twins, and compare with tests/verdicts.txt; how many lines there are, and differ."""
    share = f"{turn_of('verdicts')}/{SHARES['verdicts']}"
    command = [sys.executable, "tools/verdicts.py", "--check", "--share", share]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout[-2000:], done.stderr[-2000:], flush=True)
    lines = (ROOT / "tests" / "verdicts.txt").read_text("utf-8").count("\n")
    differing = sum(line.startswith(("+", "-")) and line[1:2] != line[:1] for line in done.stdout.splitlines())
    return {"exit": done.returncode, "as recorded": lines, "otherwise": differing}


def divergences() -> dict[str, object]:
    """Check one target against operators of the ledgers, two at once; how many came out as the ledger has them. ONNX's
    own evaluator is checked against what the standard says, the runtime against what the profile says."""
    ledgers = [json.loads(p.read_text("utf-8")) for p in sorted((ROOT / "proofs" / "divergences").glob("*.json"))]
    against = {"onnx.reference": "onnx.", "onnxruntime": "sonnx."}
    pairs = [(o, x["target"]) for x in ledgers for o in x["operators"] if o.startswith(against[x["target"]])]
    chosen = shared("divergences", (operator for operator, _ in pairs))
    asked = [pair for pair in pairs if pair[0] in chosen]

    def held(one: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sonnx_verify", "conform", one[0], "--against", one[1], "--frozen"]
        began = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        print(f"  {one[0]} against {one[1]}: {done.returncode} ({time.perf_counter() - began:.0f} s)", flush=True)
        return done

    with ThreadPoolExecutor(2) as pool:
        every = list(pool.map(held, asked))
    for one, done in zip(asked, every, strict=True):
        if done.returncode:
            print(*one, done.stdout[-1000:], done.stderr[-1000:], flush=True)
    right = sum(done.returncode == 0 for done in every)
    # One that a signal ended has a negative status.
    status = next((done.returncode for done in every if done.returncode), 0)
    return {"exit": status if every else 1, "as the ledger has it": right, "otherwise": len(every) - right}


PARTS: dict[str, Callable[[], dict[str, object]]] = {
    "check": check,
    "verdicts": verdicts,
    "formulas and terms": lambda: pytest("formulas and terms", "-m", "soak", "tests/logic"),
    "long twins": lambda: pytest("long twins", "-m", "soak", "tests/twins"),
    "mutants": mutants,
    "divergences": divergences,
    "everything else at soak size": lambda: pytest(
        "everything else at soak size", "-m", "soak or not soak", *ELSEWHERE
    ),
    "what takes long elsewhere": lambda: pytest("what takes long elsewhere", "-m", "soak", *REST),
}


def main() -> int:
    """Run all parts, or those that are named, and write what came of them in place of what there was."""
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        print(f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    result: dict[str, dict[str, object]] = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    for name, run in PARTS.items():
        if name not in chosen:
            continue
        began = time.perf_counter()
        share = {"share": turn_of(name), "of": SHARES[name]} if name in SHARES else {}
        result[name] = {**run(), **share}
        print(f"{name}: {result[name]} ({time.perf_counter() - began:.0f} s)", flush=True)
        # At once: a run that is stopped has done something.
        result = {name: result[name] for name in PARTS if name in result}
        RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0 if all(is_good(one) for one in result.values()) else 1


def is_good(part: Mapping[str, object]) -> bool:
    """Whether a part passed, and something was looked at in it."""
    wrong = any(part.get(name) for name in ("exit", "failed", "otherwise"))
    return not wrong and all(part.get(name, 1) for name in ("passed", "as the ledger has it"))


if __name__ == "__main__":
    sys.exit(main())
