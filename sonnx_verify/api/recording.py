"""The records of one operator, made by one command: which steps there are, and which of them are stale.

A step is a command of this tool that writes records into the folders of the operator (stores/homes.py). It is done
again only where something changed that it rests on: the texts that it reads, the code that makes it, the runtime that
it runs, or what it wrote. That it was done is kept in the cache, under a key of all of these. A run that is killed goes
on with the first step that it did not end; what a step writes is the same whoever begins it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from sonnx_verify.api.history import committed
from sonnx_verify.errors import UsageError
from sonnx_verify.language.families import families
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach
from sonnx_verify.paths import resolved
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.homes import home_of
from sonnx_verify.stores.store import Store, default_folder
from sonnx_verify.stores.tool import DECIDING, digest_from, digest_of

_KIND = "steps"
_ENDED = (0, 1, 3)
"""The exit statuses of a command that did what it was asked, with findings or without."""
_RUNTIMES = {"onnx.reference": "onnx", "onnxruntime": "onnxruntime"}
"""The targets that operators are run against, and the packages whose version a record is of."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command that makes some of the records."""

    title: str
    command: tuple[str, ...]
    """The command that shows what somebody has to decide, and writes nothing."""
    writing: tuple[str, ...]
    comparing: tuple[str, ...] | None
    """The options with which it writes the records, and compares them; None for what nothing is held against."""
    rests_on: tuple[str, ...]
    """Digests of all that decides what is written."""
    records: tuple[str, ...]
    """Patterns of the files that it writes, from the root of the project."""
    shared: tuple[str, ...] = ()
    """Patterns of the files of `proofs/` in which the same may be recorded, which is an error."""
    first: bool = False
    """True if the others may read what it writes."""
    missing: str = ""
    """The reason why it cannot be done here."""

    def files(self, root: Path) -> list[Path]:
        """The records that are there."""
        return sorted({path for pattern in self.records for path in root.glob(pattern)})


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was done, or was not stale: what it printed, its exit status, and the seconds."""

    step: Step
    said: str = ""
    status: int = 0
    seconds: float | None = None

    @property
    def failed(self) -> bool:
        """True where the command could not do what it was asked."""
        return self.status not in _ENDED


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of the profile, the standard that it refines, and their folders."""

    project: Project
    profile: Unit
    standard: Unit | None
    folders: tuple[Path, ...]

    @classmethod
    def of(cls, project: Project, name: str) -> Operator:
        """The operator of that name. UsageError where there is none, or where it has no folder of its own."""
        profile = find_operator(project, name if "." in name else f"sonnx.{name}")
        assert profile.file is not None
        if profile.namespace != "sonnx" or profile.note:
            raise UsageError(f"{profile.operator} is no text of the profile", cure="name one of `sonnx`, such as `Abs`")
        if not resolved(profile.path).is_relative_to(resolved(Path.cwd())):
            # Its records would be written there.
            cure = f"go to the project that has it, or begin one: `sonnx-verify new {profile.file.name} --profile`"
            raise UsageError(f"{profile.operator} is in the installed library", cure=cure)
        folder = home_of(profile.operator, project.root)
        if folder is None or not profile.path.is_relative_to(folder):
            word = profile.file.name.lower()
            cure = f"move {profile.shown} into spec/sonnx/{word}/, which will hold its records too"
            raise UsageError(f"{profile.operator} has no folder of its own", cure=cure)
        standard = project.find("onnx", profile.file.name, profile.file.version)
        found = [folder]
        if standard is not None and (home := home_of(standard.operator, project.root)) is not None:
            found.append(home)
        return cls(project, profile, standard, tuple(found))

    def missing(self) -> Iterator[tuple[str, str]]:
        """The folders that lack a text or a page, and which."""
        assert self.profile.file is not None
        name = self.profile.file.name
        folder = self.folders[0].relative_to(self.project.root).as_posix()
        if not self.pages:
            yield folder, f'a page: write `page "{name.lower()}.md"` in the text, and the page'
        if self.standard is None:
            yield f"spec/onnx/{name.lower()}", f"the standard: `sonnx-verify new {name} --standard` begins it"

    def undecided(self, ended: Iterable[Done]) -> Iterator[Done]:
        """The steps that leave something to decide.

        What a commit has was decided by who reviewed it: a finding counts where a record differs from the commit, and
        wherever no commit is known.
        """
        known = committed(self.project.root, [path.relative_to(self.project.root).as_posix() for path in self.folders])
        for one in ended:
            written = one.step.files(self.project.root) if one.step.writing else []
            if one.status and (one.failed or not written or not known.issuperset(map(resolved, written))):
                yield one

    @property
    def pages(self) -> list[Path]:
        """Its pages."""
        return sorted(path for folder in self.folders for path in folder.glob("*.md"))


def steps_of(operator: Operator) -> list[Step]:
    """The steps for an operator, the longest first of those that can be done at once."""
    project, profile = operator.project, operator.profile
    assert profile.file is not None
    reach = Reach.of(project.root, ())
    texts = [unit.path for unit in (profile, operator.standard) if unit is not None]
    of_texts = tuple(reach.digest(path) or "" for path in texts)
    # What uses the operator judges its mutants too.
    using = [path for path in sorted(reach.texts) if any(text in reach.of_file(path) for text in map(resolved, texts))]
    of_users = tuple(reach.digest(path) or "" for path in using)
    folders = tuple(folder.relative_to(project.root).as_posix() for folder in operator.folders)
    solvers = tuple(f"{name} {said}" for name, said in Solvers().versions().items())
    steps = [
        Step(
            "verdicts, hints and examples",
            ("check", *folders),
            ("--update-ledger", "--update-hints"),
            ("--frozen",),
            (*of_texts, *solvers, digest_from(DECIDING)),
            tuple(f"{folder}/{name}" for folder in folders for name in ("verdicts.json", "hints.txt")),
            ("proofs/ledger.json",),
            first=True,
        ),
        Step(
            "mutants",
            ("mutate", *folders),
            ("--update-records",),
            ("--frozen",),
            (*of_users, *solvers, digest_from("authoring/mutation/processes.py")),
            tuple(f"{folder}/mutants.json" for folder in folders),
            ("proofs/mutants.json",),
        ),
    ]
    for target, package in _RUNTIMES.items():
        missing = "" if _version(package) else f"the package {package} is not installed"
        of_runs = (*of_texts, target, _version(package), digest_of())
        for unit, folder in zip((profile, operator.standard), folders, strict=False):
            if unit is not None:
                run = ("conform", unit.operator, "--against", target)
                title, kept = f"runs of {unit.operator} on {target}", (f"{folder}/runs/{target}-*.json",)
                options, old = (("--update-ledger",), ("--frozen",)), (f"proofs/divergences/{target}-*.json",)
                steps.append(Step(title, run, *options, of_runs, kept, old, missing=missing))
        if any(family == "float" for _, family, _ in families(profile.file)):
            measured = ("conform", profile.operator, "--against", target, "--accuracy", "--short")
            title, kept = f"errors of {profile.operator} on {target}", (f"{folders[0]}/accuracy/{target}-*.json",)
            # What is measured is recorded, and held against nothing.
            old = (f"proofs/accuracy/{target}-*.json",)
            steps.append(Step(title, measured, ("--update-accuracy",), None, of_runs, kept, old, missing=missing))
    files = tuple(f"{folder}/differences.json" for folder in folders)
    compare, of_pairs = ("diff", profile.file.name), (*of_texts, *solvers, digest_of())
    old = (f"proofs/differences/{profile.file.name.lower()}.json",)
    steps.append(Step("differences of versions", compare, ("--update-records",), ("--frozen",), of_pairs, files, old))
    if pages := tuple(path.relative_to(project.root).as_posix() for path in operator.pages):
        of_page = (*of_texts, *map(_digest_of_file, operator.pages), digest_of())
        render, lint, trace = (("page", word, *pages) for word in ("render", "lint", "trace"))
        steps.append(Step("quotations of the page", render, ("--write",), ("--check",), of_page, pages))
        steps.append(Step("mistakes of the page", lint, (), (), of_page, pages))
        steps.append(Step("from the page to proofs", trace, (), (), of_page, pages))
    return steps


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _digest_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def done(operator: Operator, steps: Sequence[Step], jobs: int, *, compare: bool) -> Iterator[Done]:
    """Do the steps that are stale, each as soon as it is done; with `compare`, compare all records with a run.

    Where the verdicts leave something to decide, it is done behind them: the text will change, and with it all else.
    """
    folder = default_folder()
    store = None if folder is None else Store(folder)
    todo: list[Step] = []
    ended: list[Done] = []
    for step in steps:
        if step.missing or (compare and step.comparing is None):
            continue
        known = None
        if store is not None and not compare:
            known = _read(store, _key(operator, step))
        if known is None:
            todo.append(step)
        else:
            ended.append(Done(step, known.said, known.status))
    for step in (step for step in todo if step.first):
        ended.append(_run(operator, step, jobs, store, set(), compare=compare))
        yield ended[-1]
    is_wrong = [one for one in ended if one.step.first and (one.failed or one.status == 1)]
    yield from (one for one in ended if one.seconds is None and (one.step.first or not is_wrong))
    if not compare and any(operator.undecided(is_wrong)):
        return
    running: set[subprocess.Popen[str]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_run, operator, s, 1, store, running, compare=compare) for s in todo if not s.first]
        try:
            for one in as_completed(waiting):
                yield one.result()
        except BaseException:
            # Whoever interrupts it waits for no step: those that did not end are done by the next run.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.terminate()
            raise


class _Ended(msgspec.Struct, frozen=True):
    """The part of a step that was done that is kept."""

    said: str
    status: int


def _read(store: Store, key: str) -> _Ended | None:
    body = store.read(_KIND, key)
    if body is None:
        return None
    try:
        return msgspec.json.decode(body, type=_Ended)
    except msgspec.MsgspecError:
        # Another version of this file may have written it: not all keys have its digest.
        return None


def _run(
    operator: Operator,
    step: Step,
    jobs: int,
    store: Store | None,
    running: set[subprocess.Popen[str]],
    *,
    compare: bool,
) -> Done:
    began = time.monotonic()
    options = step.comparing or () if compare else step.writing
    # -P: a folder `sonnx_verify` in the project is not the tool.
    command = [sys.executable, "-P", "-m", "sonnx_verify", *step.command, *options, "--quiet"]
    environment = {**os.environ, "SONNX_VERIFY_JOBS": str(jobs)}
    pipe, folder = subprocess.PIPE, operator.project.root
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True) as ran:
        running.add(ran)
        try:
            said, errors = ran.communicate()
        finally:
            running.discard(ran)
    if ran.returncode not in _ENDED:
        said += errors
    if store is not None and not compare and ran.returncode in _ENDED:
        store.write(_KIND, _key(operator, step), msgspec.json.encode(_Ended(said, ran.returncode)))
    return Done(step, said, ran.returncode, time.monotonic() - began)


def _key(operator: Operator, step: Step) -> str:
    """A hash of all that a step rests on, and of what it wrote."""
    root = operator.project.root
    said = [step.title, *step.command, *step.writing, root.as_posix(), *step.rests_on]
    for path in (*step.files(root), *sorted(path for pattern in step.shared for path in root.glob(pattern))):
        said.append(f"{path.relative_to(root).as_posix()} {_digest_of_file(path)}")
    return hashlib.sha256("\0".join(said).encode()).hexdigest()
