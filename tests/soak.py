"""What takes long: the random tests at length, and everything checked again with the answers counted.

Writes tests/soak.json, without times, to be committed. Exit status 0 when every part passed, and every mutant came out
as its record has it. `python tests/soak.py PART...` runs some parts.

All of it takes many hours, since it grows with each operator. So most parts look at a share, as SHARES has it, chosen
by names: another one each time, until all have had their turn. The result says which. The nightly workflow runs all
shares, each as a job of at most an hour: `python tests/soak.py PART --share NUMBER --record FOLDER` writes a record in
place of the result, and tools/nightly.py makes a page of such records.

Nothing is known beforehand: no part has a cache that another run left. Each text is checked in a process of its own
without hints, and has to come out as the ledger has it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from sonnx_verify.conformance.records.ledger import LEDGERS

_WITH_MORE = ("bad_input", "cache", "cases", "evaluator", "implementations", "skeleton", "spec")
FOLDERS = tuple(f"tests/{name}" for name in _WITH_MORE)
LANGUAGE = ("tests/language/test_layout.py", "tests/language/test_ten_operators.py")
ELSEWHERE = (*FOLDERS, *LANGUAGE, "tests/logic/test_generalise.py")
REST = ("tests", *(f"--ignore={place}" for place in ("tests/logic", "tests/twins", *ELSEWHERE)))
ROOT = Path(__file__).parent.parent
RESULT = Path(__file__).with_name("soak.json")
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


def shared(part: str, turn: int, names: Iterable[str]) -> list[str]:
    """The names that are in a share. A name stays in its share whatever others there are."""
    return [name for name in names if crc32(name.encode()) % SHARES[part] == turn]


def pytest(part: str, turn: int, *args: str) -> dict[str, object]:
    """Run the share of a part of the tests at soak size; how many passed and failed."""
    head = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal", "-p", "no:cacheprovider"]
    # Long tracebacks print arguments, and a record has terms that share parts: printed in full they fill the memory.
    command = [*head, "--durations=30", "--tb=short", "-rfE", *args]
    environment = {**os.environ, "SONNX_SOAK": "1", "SONNX_SOAK_SHARE": f"{turn}/{SHARES[part]}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    print(done.stdout[-6000:], flush=True)
    counts = {what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    # A run that was stopped has passed so far.
    failed = counts.get("failed", 0) + counts.get("error", 0)
    return {"exit": done.returncode, "passed": counts.get("passed", 0), "failed": failed}


def check(turn: int) -> dict[str, object]:
    """Check texts without hints, each alone, and compare with the ledger; the verdicts and how many distinct queries
    were asked."""
    texts = [p.relative_to(ROOT).as_posix() for folder in ("spec", "proofs") for p in (ROOT / folder).rglob("*.sonnx")]
    chosen = shared("check", turn, sorted(texts))
    environment = {**os.environ, "SONNX_VERIFY_CACHE": "off", "SONNX_VERIFY_JOBS": "1"}

    def checked(text: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sonnx_verify", "check", text, "--no-hints", "--frozen", "--format", "json"]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        every = list(pool.map(checked, chosen))
    for text, done in zip(chosen, every, strict=True):
        if done.returncode:
            print(text, done.returncode, done.stdout[-2000:], done.stderr[-2000:], flush=True)
    # One that could not be read at all has no answer, and a status.
    answers = [json.loads(done.stdout) for done in every if done.stdout.startswith("{")]
    queries = {q["sha256"] for answer in answers for o in answer["obligations"] for q in o["queries"]}
    verdicts: Counter[str] = Counter()
    for answer in answers:
        verdicts.update(answer["summary"]["verdicts"])
    status = next((done.returncode for done in every if done.returncode), 0)
    return {
        "exit": status if every else 1,
        "solvers": answers[0]["solvers"] if answers else {},
        "queries": len(queries),
        "verdicts": dict(sorted(verdicts.items())),
        "otherwise": sum(len(answer["ledger"]) for answer in answers),
    }


def mutants(turn: int) -> dict[str, object]:
    """Judge the mutants of some texts again, and compare with the records; how many there are of each verdict."""
    files = [*ROOT.glob("spec/*/*/mutants.json"), ROOT / "proofs" / "mutants.json"]
    texts = sorted(name for path in files for name in json.loads(path.read_text("utf-8")))
    command = [sys.executable, "-m", "sonnx_verify", "mutate", *shared("mutants", turn, texts), "--frozen"]
    done = subprocess.run([*command, "--format", "json"], cwd=ROOT, capture_output=True, text=True)
    answer = json.loads(done.stdout or '{"summary": {}, "changes": []}')
    print(*answer["changes"], done.stderr[-2000:], sep="\n", flush=True)
    return {"exit": done.returncode, **answer["summary"]}


def verdicts(turn: int) -> dict[str, object]:
    """Decide texts and twins, and compare with the records beside them; how many lines there are, and differ."""
    share = f"{turn}/{SHARES['verdicts']}"
    command = [sys.executable, "tools/verdicts.py", "--check", "--share", share]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout[-2000:], done.stderr[-2000:], flush=True)
    lines = sum(path.read_text("utf-8").count("\n") for path in (ROOT / "tests").rglob("*.verdicts"))
    differing = sum(line.startswith(("+", "-")) and line[1:2] != line[:1] for line in done.stdout.splitlines())
    return {"exit": done.returncode, "as recorded": lines, "otherwise": differing}


def divergences(turn: int) -> dict[str, object]:
    """Check one target against operators of the ledgers, two at once; how many came out as the ledger has them. ONNX's
    own evaluator is checked against what the standard says, the runtime against what the profile says."""
    against = {"onnx.reference": "onnx.", "onnxruntime": "sonnx."}
    pairs = [(o, x.target) for x in LEDGERS.all([ROOT]) for o in x.operators if o.startswith(against[x.target])]
    chosen = shared("divergences", turn, (operator for operator, _ in pairs))
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


PARTS: dict[str, Callable[[int], dict[str, object]]] = {
    "check": check,
    "verdicts": verdicts,
    "formulas and terms": lambda turn: pytest("formulas and terms", turn, "-m", "soak", "tests/logic"),
    "long twins": lambda turn: pytest("long twins", turn, "-m", "soak", "tests/twins"),
    "mutants": mutants,
    "divergences": divergences,
    "everything else at soak size": lambda turn: pytest(
        "everything else at soak size", turn, "-m", "soak or not soak", *ELSEWHERE
    ),
    "what takes long elsewhere": lambda turn: pytest("what takes long elsewhere", turn, "-m", "soak", *REST),
}


def ran(part: str, turn: int) -> dict[str, object]:
    """Run the share of a part, which begins with an empty cache."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ["SONNX_VERIFY_CACHE"] = folder
        result = {**PARTS[part](turn), "share": turn, "of": SHARES[part]}
    print(f"{part}: {result} ({time.perf_counter() - began:.0f} s)", flush=True)
    return result


def main() -> int:
    """Run all parts, or those that are named, and write what came of them in place of what there was."""
    parser = argparse.ArgumentParser(description="Run what takes long.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of: {', '.join(PARTS)}")
    parser.add_argument("--share", type=int, help="of one part this share, not the one whose turn it is")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="write a record of that share there, no result")
    options = parser.parse_args()
    chosen = options.parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        print(f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    if options.record is not None:
        (part,) = chosen
        return recorded(part, options.share, options.record)
    result: dict[str, dict[str, object]] = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    for name in PARTS:
        if name not in chosen:
            continue
        result[name] = ran(name, turn_of(name) if options.share is None else options.share)
        # At once: a run that is stopped has done something.
        result = {name: result[name] for name in PARTS if name in result}
        RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0 if all(is_good(one) for one in result.values()) else 1


def recorded(part: str, share: int, folder: Path) -> int:
    """Run a share, and write what came of it, when, and how long it took."""
    began = time.perf_counter()
    result = ran(part, share)
    made = {
        "part": part,
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": os.environ.get("GITHUB_SHA", "")[:8],
        "seconds": round(time.perf_counter() - began),
        "good": is_good(result),
        **result,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{part.replace(' ', '-')}-{share}.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    return 0 if made["good"] else 1


def is_good(part: Mapping[str, object]) -> bool:
    """Whether a part passed, and something was looked at in it."""
    wrong = any(part.get(name) for name in ("exit", "failed", "otherwise"))
    return not wrong and all(part.get(name, 1) for name in ("passed", "as the ledger has it"))


if __name__ == "__main__":
    sys.exit(main())
