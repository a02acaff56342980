#!/usr/bin/env python3
"""Record the verdicts on every text and twin, so that a change of the code can be held against them.

Usage: verdicts.py [--check] [--share NUMBER/COUNT] [--jobs N] [NAME...]

Decides tests/language/, tests/twins/probes/ and the twins of tests/twins/twins.toml without any verdict or answer of
the cache, which keeps syntax trees alone, and writes the records beside them: gather.verdicts beside gather.sonnx,
twins.verdicts beside twins.toml. Of spec/ and proofs/ the ledger has the verdicts. Each folder is a project of its own,
as in the tests: with the library beside it, a name such as Sigmoid would mean the operator of the profile. NAME is a
text, such as tests/language/gather.sonnx, a twin, or tests/twins/twins.toml for all twins; without one everything is
decided. With --share only some of the texts and twins are, chosen by their names.

With --check the files stay as they are, and every line that differs is printed; the exit status is then 1. It is 2
where a record is missing, damaged, double or foreign to the text beside it: that is told before the rest is decided.
Where a statement has a mistake it is 2 as well, and the file beside its text stays as it is.

A line has, between tabs: identity, verdict, statement hash, scope, expected verdict, assumptions, the input that shows
it, and the first digits of the SHA-256 of each query, sorted. That of a twin begins with its name. No times, versions
or places: a change of the code that should change no verdict leaves the files as they are, byte for byte.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sonnx_verify.api.select import select  # noqa: E402
from sonnx_verify.authoring.mutation.mutation import Mutation  # noqa: E402
from sonnx_verify.errors import UsageError, UserError  # noqa: E402
from sonnx_verify.language.kept import keep_in  # noqa: E402
from sonnx_verify.language.project import Project  # noqa: E402
from sonnx_verify.logic.verdict import NAMES, UNBOUNDED  # noqa: E402
from sonnx_verify.obligations.obligation import Obligation  # noqa: E402
from sonnx_verify.results.example import example_lines  # noqa: E402
from sonnx_verify.solving.check.collect import of_unit  # noqa: E402
from sonnx_verify.solving.check.mistakes import add_once  # noqa: E402
from sonnx_verify.solving.check.needed import needed_in  # noqa: E402
from sonnx_verify.solving.check.record import Record  # noqa: E402
from sonnx_verify.solving.check.run import run  # noqa: E402
from sonnx_verify.solving.check.telling import example_of  # noqa: E402
from sonnx_verify.solving.solvers import Solvers  # noqa: E402
from sonnx_verify.source_files import read_source  # noqa: E402
from sonnx_verify.sources import Source, Span  # noqa: E402
from sonnx_verify.stores.store import FOLDER, OFF, store_of_trees, trim_what_grew  # noqa: E402
from tests.twins.slip import place_of  # noqa: E402

TEXTS = ("tests/language", "tests/twins/probes")
TWINS = "tests/twins/twins.toml"
ENDING = ".verdicts"
DIGITS = 8
_FIELDS = 8


def texts_of(root: Path) -> dict[str, Path]:
    """The texts that have records, by their names."""
    found = (path for folder in TEXTS for path in sorted((root / folder).rglob("*.sonnx")))
    return {path.relative_to(root).as_posix(): path for path in found}


def twins_of(root: Path) -> dict[str, dict[str, Any]]:
    """The twins that have records, by their names."""
    return {twin["name"]: twin for twin in tomllib.loads((root / TWINS).read_text("utf-8"))["twin"]}


class Chosen:
    """The texts and twins that are looked at: all, or those that are named, or of these a share."""

    def __init__(self, root: Path, names: Sequence[str] = (), share: str | None = None) -> None:
        self.number, self.count = map(int, share.split("/")) if share else (0, 1)
        texts, twins = texts_of(root), twins_of(root)
        self.names: set[str] = set()
        for name in names:
            if name == TWINS:
                self.names |= {f"twin {twin}" for twin in twins}
            elif name in twins:
                self.names.add(f"twin {name}")
            elif name in texts:
                self.names.add(name)
            else:
                cure = f"name a text of {' or '.join(TEXTS)}, {TWINS} or a twin in it"
                raise UsageError(f"{name} has no records of verdicts", cure=cure)

    def has(self, name: str) -> bool:
        """Return whether a text is chosen, or a twin, whose name is `twin` and its own."""
        return crc32(name.encode()) % self.count == self.number and (not self.names or name in self.names)


# ------------------------------------------------------------------------------------------------------------- records


class Stated(NamedTuple):
    """The place of something that needs a record, and the NAME with which it is decided."""

    span: Span
    name: str


def read_records(path: Path, name: str, stated: Mapping[str, Stated]) -> tuple[dict[str, str], list[UserError]]:
    """The lines of a file beside what is `stated`, by their identities; and its mistakes: damaged, double and foreign
    lines. `name` is the one with which the file is written anew."""
    records: dict[str, str] = {}
    lines: dict[str, int] = {}
    wrong: list[UserError] = []
    source = read_source(path)
    cure = f"remove the line, or decide all of them anew: python tools/verdicts.py {name}"
    for number, line in enumerate(source.text.removesuffix("\n").split("\n"), 1):
        identity, *fields = line.split("\t")
        problem = ""
        if not 1 <= len(fields) < _FIELDS or fields[0] not in NAMES:
            problem = "this is not a record of a verdict"
        elif identity in records:
            problem = f"{identity} has a record on line {lines[identity]} already"
        elif identity not in stated:
            problem = f"this is a record of {identity}, but nothing beside this file states that"
        if problem:
            wrong.append(UserError(problem, Span(source, number, 1, len(identity)), cure))
        records[identity], lines[identity] = line + "\n", number
    return records, wrong


def mistakes(path: Path, name: str, stated: Mapping[str, Stated]) -> list[UserError]:
    """The mistakes of a file of records, and what is stated without a record."""
    records: dict[str, str] = {}
    wrong: list[UserError] = []
    if path.exists():
        records, wrong = read_records(path, name, stated)
    for identity, (span, own) in stated.items():
        if identity not in records:
            cure = f"decide it: python tools/verdicts.py {own}"
            wrong.append(UserError(f"{identity} has no record in {path.name}", span, cure))
    return wrong


def orphans(root: Path) -> list[UserError]:
    """The files of records that lie beside no text."""
    expected = {path.with_suffix(ENDING) for path in (*texts_of(root).values(), root / TWINS)}
    found = sorted({*(root / "tests").rglob(f"*{ENDING}")} - expected)
    cure = "rename it as the text is named, or remove it"
    return [UserError(f"{path.relative_to(root).as_posix()} lies beside no text", cure=cure) for path in found]


class Decided(NamedTuple):
    """A file of records, the lines that it should have, and the mistakes of statements, which have no verdict."""

    path: Path
    lines: Sequence[str]
    errors: Sequence[UserError]


def line_of(identity: str, record: Record) -> str:
    """The line of an obligation."""
    queries = " ".join(sorted(sha256[:DIGITS] for sha256 in record.queries))
    scope = "unbounded" if record.scope == UNBOUNDED else record.scope
    assumptions = "; ".join(record.assumptions)
    example = example_of(record.counterexample or record.witness)
    lines = "; ".join(example_lines(example)) if example else ""
    verdict = record.verdict.name
    fields = (identity, verdict, record.statement, scope, record.expected, assumptions, lines, queries)
    return "\t".join(fields).rstrip() + "\n"


# --------------------------------------------------------------------------------------------------------------- texts


@dataclass(frozen=True, slots=True)
class Folder:
    """The obligations of the chosen texts of a folder, by the names of these."""

    root: Path
    folder: str
    project: Project
    of_text: Mapping[str, Sequence[Obligation]]

    @classmethod
    def read(cls, root: Path, folder: str, chosen: Chosen) -> Folder | None:
        """The obligations; None where no text of the folder is chosen. SystemExit for a text with a mistake."""
        if not any(chosen.has(name) for name in texts_of(root) if name.startswith(f"{folder}/")):
            return None
        os.chdir(root / folder)
        # All are read: what a text states may speak of an operator in another one.
        selection = select(["."])
        found = selection.of_files.items()
        named = {path.resolve().relative_to(root).as_posix(): obligations for path, obligations in found}
        os.chdir(root)
        if selection.errors:
            raise SystemExit("\n".join(map(str, selection.errors)))
        return cls(root, folder, selection.project, {name: o for name, o in named.items() if chosen.has(name)})

    def mistakes(self) -> list[UserError]:
        """The mistakes of the files of records beside these texts."""
        wrong: list[UserError] = []
        for name, obligations in self.of_text.items():
            # The folder is a project: its spans have names from there on.
            spans = {o.id: replace(o.span, source=Source(name, o.span.source.text)) for o in obligations}
            stated = {identity: Stated(span, name) for identity, span in spans.items()}
            wrong += mistakes(Path(name).with_suffix(ENDING), name, stated)
        return wrong

    def decided(self, jobs: int) -> Iterator[Decided]:
        """The files of records with their lines, each as soon as its text is decided."""
        os.chdir(self.root / self.folder)
        obligations = [o for of_text in self.of_text.values() for o in of_text]
        with Solvers() as solvers:
            records = run(obligations, solvers, needed_in(self.project, obligations), jobs)
            for name, of_text in self.of_text.items():
                of_file = list(islice(records, len(of_text)))
                errors: list[UserError] = []
                for record in of_file:
                    if record.error:
                        # All that a text states is well-formed or not: its own record has the mistake too.
                        add_once(errors, self._from_root(record.error))
                lines = [line_of(record.id, record) for record in of_file]
                yield Decided(self.root / Path(name).with_suffix(ENDING), lines, errors)
        os.chdir(self.root)

    def _from_root(self, error: UserError) -> UserError:
        """The mistake with the name that its text has from the root on; that of a library has none there."""
        span = error.span
        if span and (self.root / self.folder / span.source.name).exists():
            span = replace(span, source=Source(f"{self.folder}/{span.source.name}", span.source.text))
        return UserError(error.message, span, error.cure)


# --------------------------------------------------------------------------------------------------------------- twins


@dataclass(frozen=True, slots=True)
class Twins:
    """The twins, of which some are chosen. They share a file of records."""

    root: Path
    every: Mapping[str, dict[str, Any]]
    chosen: Sequence[dict[str, Any]]

    @classmethod
    def read(cls, root: Path, chosen: Chosen) -> Twins | None:
        """The twins; None where none is chosen."""
        every = twins_of(root)
        some = [twin for name, twin in every.items() if chosen.has(f"twin {name}")]
        return cls(root, every, some) if some else None

    @property
    def path(self) -> Path:
        """The file of records."""
        return (self.root / TWINS).with_suffix(ENDING)

    @property
    def stated(self) -> dict[str, Stated]:
        """The places of all twins, by the identities of their records."""
        source = read_source(self.root / TWINS, TWINS)
        spans: dict[str, Span] = {}
        for number, line in enumerate(source.text.split("\n"), 1):
            if found := re.fullmatch(r'name = "(.+)"', line):
                spans[found[1]] = Span(source, number, 1, len(line))
        return {_identity(twin): Stated(spans[name], name) for name, twin in self.every.items()}

    def mistakes(self) -> list[UserError]:
        """The mistakes of the file of records."""
        return mistakes(self.path.relative_to(self.root), TWINS, self.stated)

    def kept(self) -> tuple[dict[str, str], list[UserError]]:
        """The records of twins that are not decided, and what is wrong with them."""
        if len(self.chosen) == len(self.every) or not self.path.exists():
            return {}, []
        return read_records(self.path.relative_to(self.root), TWINS, self.stated)

    def decided(self, jobs: int) -> Iterator[Decided]:
        """The file of records with its lines."""
        records, _ = self.kept()
        errors: list[UserError] = []
        with get_context("fork").Pool(jobs) as pool:
            for twin, (line, error) in zip(self.chosen, pool.imap(decided_twin, self.chosen), strict=True):
                records[_identity(twin)] = line
                if error:
                    errors.append(error)
        # Sorted, so that two branches seldom add a line in one place.
        yield Decided(self.path, sorted(records.values()), errors)


def _identity(twin: Mapping[str, Any]) -> str:
    return f"{twin['name']} {twin['killer']}"


def decided_twin(twin: dict[str, Any]) -> tuple[str, UserError | None]:
    """The line of the obligation that a mutation in a specification breaks, and the mistake of its statement."""
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
    return line_of(_identity(twin), record), record.error


# ------------------------------------------------------------------------------------------------------------ the tool


def differing(path: Path, lines: Sequence[str]) -> list[str]:
    """The lines that differ from those of a file."""
    before = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    name = path.relative_to(ROOT).as_posix()
    return list(difflib.unified_diff(before, lines, f"{name} recorded", f"{name} now", n=0))


def main() -> int:
    """Write the files, or hold them against a run."""
    parser = argparse.ArgumentParser(description="Record the verdicts on every text and twin.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="texts and twins to decide (default: all)")
    parser.add_argument("--check", action="store_true", help="leave the files, and print every line that differs")
    parser.add_argument("--share", metavar="NUMBER/COUNT", help="look at one share of the texts and twins")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that decide")
    options = parser.parse_args()
    # Of the cache nothing but the trees is used: the rest of the tool finds it switched off.
    trees = store_of_trees()
    keep_in(lambda: trees)
    os.environ[FOLDER] = OFF
    os.chdir(ROOT)
    try:
        chosen = Chosen(ROOT, options.names, options.share)
        twins = Twins.read(ROOT, chosen)
        read: list[Folder | Twins | None] = [*(Folder.read(ROOT, folder, chosen) for folder in TEXTS), twins]
        parts = [part for part in read if part is not None]
        wrong = orphans(ROOT)
        if options.check:
            wrong += [problem for part in parts for problem in part.mistakes()]
        elif twins:
            wrong += twins.kept()[1]
    except UserError as problem:
        print(problem, file=sys.stderr)
        return 2
    # To decide all takes hours: mistakes are told before it.
    for mistake in wrong:
        print(mistake, file=sys.stderr, flush=True)
    if wrong and not options.check:
        return 2
    status = 2 if wrong else 0
    for path, lines, errors in (made for part in parts for made in part.decided(options.jobs)):
        for mistake in errors:
            print(mistake, file=sys.stderr, flush=True)
        if errors:
            status = 2
        elif not options.check:
            path.write_text("".join(lines), "utf-8")
        elif found := differing(path, lines):
            sys.stdout.writelines(found)
            status = status or 1
    trim_what_grew()
    return status


if __name__ == "__main__":
    sys.exit(main())
