#!/usr/bin/env python3
"""Record what is concluded of every text, and of every twin, so that a change of the code can be held against it.

Usage: verdicts.py [--check] [--share NUMBER/COUNT] [--jobs N]

Decides tests/language/ and the probes and twins under tests/twins without any cache, and writes tests/verdicts.txt; of
spec/ and proofs/ the ledger has the verdicts. Each folder is a project of its own, as in the tests: with the library
beside it, a name such as Sigmoid would mean the operator of the profile. With --check the file stays as it is, and
every line that differs is printed; the exit status is then 1. A line has, between tabs: identity, verdict, statement
hash, scope, expected verdict, assumptions, the input that shows it, and the first digits of the SHA-256 of each query,
sorted. No times, versions or places: a change of the code that should change no verdict leaves the file as it is, byte
for byte. With --share only some of the texts and twins are decided, and compared or written, chosen by their names.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import tomllib
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["SONNX_VERIFY_CACHE"] = "off"

from sonnx_verify.api.select import select  # noqa: E402
from sonnx_verify.authoring.mutation.mutation import Mutation  # noqa: E402
from sonnx_verify.language.project import Project  # noqa: E402
from sonnx_verify.logic.verdict import UNBOUNDED  # noqa: E402
from sonnx_verify.results.example import example_lines  # noqa: E402
from sonnx_verify.solving.check.collect import of_unit  # noqa: E402
from sonnx_verify.solving.check.needed import needed_in  # noqa: E402
from sonnx_verify.solving.check.record import Record  # noqa: E402
from sonnx_verify.solving.check.run import run  # noqa: E402
from sonnx_verify.solving.check.telling import example_of  # noqa: E402
from sonnx_verify.solving.solvers import Solvers  # noqa: E402
from sonnx_verify.source_files import read_source  # noqa: E402
from tests.twins.slip import place_of  # noqa: E402

RECORDED = ROOT / "tests" / "verdicts.txt"
TWINS = ROOT / "tests" / "twins" / "twins.toml"
TEXTS = ("tests/language", "tests/twins/probes")
DIGITS = 8


def line_of(name: str, record: Record) -> str:
    """The line of an obligation."""
    queries = " ".join(sorted(sha256[:DIGITS] for sha256 in record.queries))
    scope = "unbounded" if record.scope == UNBOUNDED else record.scope
    assumptions = "; ".join(record.assumptions)
    example = example_of(record.counterexample or record.witness)
    lines = "; ".join(example_lines(example)) if example else ""
    verdict = record.verdict.name
    fields = (name, verdict, record.statement, scope, record.expected, assumptions, lines, queries)
    return "\t".join(fields).rstrip() + "\n"


class Share:
    """The names that are looked at: all of them, or those of a share."""

    def __init__(self, text: str | None) -> None:
        self.number, self.count = map(int, text.split("/")) if text else (0, 1)

    def has(self, name: str) -> bool:
        """Return whether a name is in the share."""
        return crc32(name.encode()) % self.count == self.number


def name_of(line: str) -> str:
    """The name of what a line is about: the file of a text, or the twin."""
    first, second, *_ = line.split(" ", 2)
    return f"twin {second}" if first == "twin" else first


def of_texts(jobs: int, share: Share) -> Iterator[str]:
    """The lines of everything that the texts state."""
    for folder in TEXTS:
        os.chdir(ROOT / folder)
        # All are read: what a text states may speak of an operator in another one.
        selection = select(["."])
        if selection.errors:
            raise SystemExit("\n".join(map(str, selection.errors)))
        chosen = [
            (name, obligation)
            for path, found in selection.of_files.items()
            if share.has(name := path.resolve().relative_to(ROOT).as_posix())
            for obligation in found
        ]
        obligations = [obligation for _, obligation in chosen]
        with Solvers() as solvers:
            records = run(obligations, solvers, needed_in(selection.project, obligations), jobs)
            for (name, _), record in zip(chosen, records, strict=True):
                yield line_of(f"{name} {record.id}", record)
    os.chdir(ROOT)


def of_twin(twin: dict[str, Any]) -> str:
    """The line of the obligation that a mutation in a specification breaks."""
    source = read_source(ROOT / twin["file"], twin["file"])
    first, last = place_of(source.text, twin)
    mutation = Mutation(source, first, source.text[first:last], twin["new"])
    project = Project.open(ROOT, mutation.instead(ROOT))
    killer = twin["killer"]
    namespace, _, rest = killer.partition(".")
    stem = rest.partition("/")[0].partition(".")[0].partition("-")[0].lower()
    units = [u for u in project.units if u.namespace == namespace and u.path.stem.lower() == stem]
    (unit,) = (u for u in units if killer.startswith((f"{u.operator}.", f"{u.operator}/")))
    with Solvers() as solvers:
        (record,) = run([o for o in of_unit(project, unit) if o.id == killer], solvers)
    return line_of(f"twin {twin['name']} {killer}", record)


def main() -> int:
    """Write the file, or hold it against a run."""
    parser = argparse.ArgumentParser(description="Record what is concluded of every text and twin.")
    parser.add_argument("--check", action="store_true", help="leave the file, and print every line that differs")
    parser.add_argument("--share", metavar="NUMBER/COUNT", help="look at one share of the texts and twins")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that decide")
    options = parser.parse_args()
    share = Share(options.share)
    lines = list(of_texts(options.jobs, share))
    print(f"{len(lines)} obligations", file=sys.stderr, flush=True)
    twins = [t for t in tomllib.loads(TWINS.read_text("utf-8"))["twin"] if share.has(f"twin {t['name']}")]
    with get_context("fork").Pool(options.jobs) as pool:
        lines += pool.imap(of_twin, twins)
    print(f"{len(twins)} twins", file=sys.stderr)
    lines.sort(key=name_of)
    recorded = RECORDED.read_text("utf-8").splitlines(keepends=True)
    if not options.check:
        lines += [line for line in recorded if not share.has(name_of(line))]
        RECORDED.write_text("".join(sorted(lines, key=name_of)), "utf-8")
        return 0
    before = [line for line in recorded if share.has(name_of(line))]
    differing = list(difflib.unified_diff(before, lines, "recorded", "now", n=0))
    sys.stdout.writelines(differing)
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
