"""`check --watch`: check again what changed, until an interrupt.

Files are looked at every so often: what is watched is a few dozen small files, of which only those with another time or
size are read, and it is the same on every system, in a container and on a network drive, where notices of the system do
not come.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import shown_as
from sonnx_verify.language.reach import Reach, reached
from sonnx_verify.outputs.console import finding_lines, line_of, unchecked
from sonnx_verify.outputs.of_check import folded
from sonnx_verify.outputs.page_findings import finding_texts
from sonnx_verify.pages.lint.finding import Severity
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import page_bytes, page_from
from sonnx_verify.progress import is_silent
from sonnx_verify.results.result import Result, exit_status
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import in_line


def watch(paths: Sequence[str], every: float, jobs: int | None) -> int:
    """Print what fails, and then the verdicts that are others than before, until an interrupt. Return the status of
    `check` for what was checked last, or 1 where a page that changed has findings."""
    watched = Watched(paths, jobs)
    if watched.asked().patterns:
        raise UsageError("`--watch` takes files and folders", cure="name a .sonnx file or a folder, not an identity")
    with suppress(KeyboardInterrupt):
        watched.check()
        while True:
            time.sleep(every)
            if watched.changed():
                watched.check()
    click.echo("")
    return watched.status


Looks = dict[Path, tuple[int, int, str]]
"""Of each file its time, its size and a hash of what is in it."""
_INTERRUPTED = 130
"""The exit status of an interrupt, 128 + SIGINT, as a shell reports it."""
_NAMED = 3
"""The number of files that are named in a line; more are counted."""
ByPlace = dict[tuple[Path, str], Result]
"""The result of each obligation, by its file and its identity: two files may declare one operator."""


@dataclass(slots=True)
class Watched:
    """Files, and what is known of them."""

    what: Sequence[str]
    jobs: int | None
    _root: Path | None = None
    """The folder of the project, once something was there."""
    _decided: int = _INTERRUPTED
    """The status of what was checked last; that of an interrupt, until something was."""
    _wrong_pages: dict[Path, int] = field(default_factory=dict)
    """The number of findings, more than notes, of each page that was looked at."""
    _looks: Looks = field(default_factory=dict)
    _seen: Looks | None = None
    _digests: dict[Path, str | None] = field(default_factory=dict)
    _told: dict[Path, dict[str, Result]] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The exit status of `check`, and 1 where a page that changed has findings."""
        if self._decided == 0 and any(self._wrong_pages.values()):
            return 1
        return self._decided

    def asked(self) -> Asked:
        """The files that the command line names by now. A path that is gone names nothing, until it is there again."""
        if self._root is None:
            asked = Asked.of(self.what)
            self._root = asked.root
            return asked
        here = [name for name in self.what if Path(name).exists()]
        # Without a name `Asked.of` would take all of the project.
        if self.what and not here:
            return Asked(self._root)
        try:
            return Asked.of(here)
        except UsageError:  # a folder is empty
            return Asked(self._root)

    def changed(self) -> bool:
        """True if files say something else than when they were checked; but not while they are being written: what is
        there has to be the same twice."""
        now = _look(self._files(), self._seen or self._looks)
        same, self._seen = now == self._seen, now
        return same and _hashes(now) != _hashes(self._looks)

    def _files(self) -> list[Path]:
        """All that may play a part."""
        asked = self.asked()
        # Of a folder with a text each page counts: one may be written for a text that has none yet.
        pages: list[Path] = []
        for folder in {path.parent for path in asked.whole}:
            pages += sorted(folder.glob("*.md"))
        return [*reached(asked.root, asked.further), *asked.whole, *pages]

    def check(self) -> None:
        """Check what rests on something that changed, and print which verdicts are others than before; and what is
        wrong with pages that changed."""
        known = _hashes(self._looks)
        self._looks = self._seen or _look(self._files(), {})
        began = time.perf_counter()
        asked = self.asked()
        reach = Reach.of(asked.root, asked.further)
        digests = {path: reach.digest(path) for path in asked.whole}
        # A digest is of all that a file can read: a library that changes touches the texts that use it, and no other.
        touched = [p for p in asked.whole if digests[p] is None or digests[p] != self._digests.get(p)]
        gone = [path for path in self._digests if path not in digests]
        first, before = self._decided == _INTERRUPTED, _by_place(self._told)
        for path in known.keys() - self._looks.keys():
            self._wrong_pages.pop(path, None)
        # Not at first: whoever starts on a folder with a hundred pages wants verdicts, and has `lint` for the pages.
        if not first:
            pages = self._pages_to_lint(known, touched)
            self._lint(pages, asked.root)
            if not touched and not gone:
                self._print_looked_at(pages, asked.root)
                return
        for path in gone:
            self._told.pop(path, None)
        versions = Solvers().versions()
        errors: list[UserError] = []
        missing: list[str] = []
        self._digests = digests
        if touched:
            errors, missing = self._decide(replace(asked, whole=touched, files=touched), versions)
        now = _by_place(self._told)
        self._print(before, now, errors, first=first)
        self._decided = exit_status([*now.values()], len(errors), versions)
        # That it was checked is a note; what was found stands above.
        if is_silent():
            return
        took, names = time.perf_counter() - began, [shown_as(p, asked.root) for p in touched]
        named = counted_text(len(names), "file")
        if 0 < len(names) <= _NAMED:
            named = ", ".join(names)
        counted = ", ".join([_counted(now.values()), *unchecked(errors, missing)])
        click.echo(f"checked {in_line(named)} in {took:.1f} s: {counted}; waiting for changes")

    def _pages_to_lint(self, known: dict[Path, str], touched: Sequence[Path]) -> list[Path]:
        """The pages that changed, and those beside texts that did: the statements of a page are held against its text,
        and may be wrong now although nobody touched them."""
        pages: dict[Path, None] = {}
        for path, digest in _hashes(self._looks).items():
            if path.suffix == ".md" and known.get(path) != digest:
                pages[path] = None
        for page in (path.with_suffix(".md") for path in touched):
            if page.is_file():
                pages[page] = None
        return list(pages)

    def _print_looked_at(self, pages: Sequence[Path], root: Path) -> None:
        if not pages or is_silent():
            return
        counted = counted_text(sum(self._wrong_pages.get(page, 0) for page in pages), "finding")
        named = ", ".join(shown_as(page, root) for page in pages)
        click.echo(f"looked at {in_line(named)}: {counted}; waiting for changes")

    def _lint(self, pages: Sequence[Path], root: Path) -> None:
        """Print what is wrong with pages that are there."""
        for path in pages:
            try:
                found = findings_of(page_from(shown_as(path, root), page_bytes(path), path))
            except UserError as problem:
                click.echo(str(problem))
                self._wrong_pages[path] = 1
                continue
            self._wrong_pages[path] = sum(f.severity is not Severity.NOTE for f in found)
            for text in finding_texts(found):
                click.echo(text)

    def _decide(self, asked: Asked, versions: dict[str, str | None]) -> tuple[list[UserError], list[str]]:
        """Decide what is asked for as `check` does, and keep what is told of it. Return the errors, and the files that
        were not checked for them."""
        cache = opened(asked.root, asked.further, versions)
        with solvers_with(cache) as solvers:
            decided = Decided(asked, cache, self.jobs)
            told = {path: {one.id: one for one in known} for path, known in decided.recalls().items()}
            for _ in decided.results(solvers):
                pass
        if cache is not None:
            cache.close()
        told |= {path: {one.id: one for one in found} for path, found in decided.found.items()}
        # What cannot be read is looked at again with whatever changes next; till then its verdicts are those it had.
        self._digests |= dict.fromkeys(decided.failed, None)
        self._told |= {path: found for path, found in told.items() if path not in decided.failed}
        return decided.errors, decided.unchecked

    def _print(self, before: ByPlace, now: ByPlace, errors: list[UserError], *, first: bool) -> None:
        """Errors, failures that are new or other than before, and verdicts that are others."""
        for error in errors:
            click.echo(str(error))
        found: list[Result] = []
        for place, one in now.items():
            was = before.get(place)
            # A finding that is the same as before stands further up on the screen, and is not printed at each save.
            if one.surprising and (was is None or finding_lines(was) != finding_lines(one)):
                found.append(one)
            elif was is None:
                if not first:
                    click.echo(f"{line_of(one)}  (new)")
            elif was.verdict != one.verdict:
                click.echo(f"{line_of(one)}  (it was {was.verdict})")
        for mistake in folded(found, None):
            click.echo("\n".join(mistake.lines) + "\n")
        # With an error it is not known what is gone: half of a text was not read.
        if not errors:
            for _, name in sorted(before.keys() - now.keys()):
                click.echo(f"{'gone':<11} {name}")


def _by_place(told: dict[Path, dict[str, Result]]) -> ByPlace:
    found: ByPlace = {}
    for path, results in told.items():
        for name, result in results.items():
            found[path, name] = result
    return found


def _counted(results: Collection[Result]) -> str:
    """The numbers of obligations and surprises; of texts with an error, what there was before it."""
    wrong = sum(result.surprising for result in results)
    counted = counted_text(len(results), "obligation")
    if wrong:
        return f"{counted}, {counted_text(wrong, 'surprise')}"
    return f"{counted}, no surprises"


def _look(paths: Sequence[Path], before: Looks) -> Looks:
    """The files that are there. What has the time and size that it had is not read again."""
    found: Looks = {}
    for path in paths:
        try:
            # Time and size, as `make` and git do: a change within a tick of the clock that keeps the size is missed
            # until the next one.
            status = os.stat(path)
            known = before.get(path)
            if known is not None and known[:2] == (status.st_mtime_ns, status.st_size):
                found[path] = known
            else:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                found[path] = (status.st_mtime_ns, status.st_size, digest)
        except OSError:
            continue
    return found


def _hashes(looks: Looks) -> dict[Path, str]:
    return {path: digest for path, (_, _, digest) in looks.items()}
