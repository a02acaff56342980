"""`check`: the verdicts on obligations, printed as they come, compared with the ledger or written to it, and reported.

Exit status: 0 as expected, 1 a finding or a difference from the ledger, 2 an error in a text or an option, 3 undecided.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from msgspec import UNSET, UnsetType

from sonnx_verify.api.asked import Asked, no_specification
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.cli.ledgers import Keep, Ledgers, shown_files
from sonnx_verify.cli.options import (
    EVERY,
    JOBS,
    LINKS,
    REPORTS,
    RUN_FORMAT,
    TIMEOUT,
    complete_identity,
    exclusive,
    guarded,
    paint_of_output,
    print_errors,
    print_json,
    refuse_beside,
    refuse_without,
    tell,
    tell_cache_problem,
    tell_note,
)
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import tables
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.outputs.console import counted, line_of, surprises, unchecked
from sonnx_verify.outputs.wanted import Form, Wanted
from sonnx_verify.progress import is_silent
from sonnx_verify.results.answer_json import AnswerJson, ChangedJson, answer_json
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result, State, exit_status
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.ledger import LEDGER, RENEW
from sonnx_verify.stores.store import without_cache, without_trees
from sonnx_verify.timeouts import seconds_each

if TYPE_CHECKING:
    from sonnx_verify.api.changed import Changed
    from sonnx_verify.outputs.record import Mistake
    from sonnx_verify.outputs.screen import Screen
    from sonnx_verify.solving.check.hints import Hinting


class _Hints(Enum):
    """The use of hints: each is tried; each that fits stays, and the others are made again; none."""

    TRY = 0
    UPDATE = 1
    IGNORE = 2

    @classmethod
    def of(cls, *, update: bool, ignore: bool) -> _Hints:
        """By the options. Raises UsageError for both."""
        if update and ignore:
            raise exclusive("--update-hints", "--no-hints")
        if update:
            return cls.UPDATE
        if ignore:
            return cls.IGNORE
        return cls.TRY

    def hinting(self, root: Path) -> Hinting | None:
        """The hints of a project that are tried; None for all, which are read when they are needed."""
        if self is _Hints.TRY:
            return None
        from sonnx_verify.api.hints import hints_in
        from sonnx_verify.solving.check.hints import NO_HINTS

        if self is _Hints.IGNORE:
            return NO_HINTS
        return replace(hints_in(root), wanted=True)


CLEAR = "run `sonnx-verify cache clear`, and check who else can write to that folder"
"""The cure for a cache with something else in it than was put there."""
_INTERRUPTED = 130
"""The exit status of a run that Ctrl-C ended, as a shell has it: 128 and the number of the signal."""
_SLOWEST, _WORTH_TELLING = 10, 0.01
"""The most obligations that `--times` lists, and the seconds from which one is worth a line."""
AGAIN = 10
"""The number of cached obligations that are decided again where a run is compared with the ledger."""


@click.command()
@click.argument("what", nargs=-1, shell_complete=complete_identity)
@click.option("--no-cache", is_flag=True, help="Ignore the results of earlier runs.")
@click.option(
    "--verbose", "-v", is_flag=True, help="Print a line for each obligation; on a terminal, expected findings in full."
)
@click.option(
    "--times",
    is_flag=True,
    help="Print the elapsed seconds, the slowest obligations first, and write them into JUnit reports.",
)
@JOBS
@TIMEOUT
@click.option("--dask", metavar="ADDRESS", help="Run on the dask cluster with the scheduler at ADDRESS.")
@click.option("--update-ledger", is_flag=True, help="Write the verdicts to the ledger.")
@click.option("--frozen", is_flag=True, help="Fail if any verdict differs from the ledger.")
@click.option("--update-hints", is_flag=True, help="Write the facts that proofs use as hints; no cache.")
@click.option("--fix", is_flag=True, help="Write the lines that name theorems into the texts whose proofs need them.")
@click.option("--no-hints", is_flag=True, help="Search for each proof; ignores the cache.")
@click.option("--changed", metavar="REF", help="Check only what changed since REF, and its dependents.")
@click.option("--dependents", is_flag=True, help="Check the dependents of the named files too; for hooks.")
@click.option("--watch", is_flag=True, help="Check files again as they change, until Ctrl-C.")
@EVERY
@click.option(
    "--export-smt", metavar="DIR", type=click.Path(), help="Export the SMT queries behind the verdicts to DIR."
)
@RUN_FORMAT
@REPORTS
@LINKS
@guarded
def check(
    what: tuple[str, ...],
    *,
    no_cache: bool,
    verbose: bool,
    times: bool,
    jobs: int | None,
    dask: str | None,
    update_ledger: bool,
    frozen: bool,
    update_hints: bool,
    fix: bool,
    no_hints: bool,
    changed: str | None,
    dependents: bool,
    watch: bool,
    every: float,
    export_smt: str | None,
    form: Form,
    reports: tuple[str, ...],
    links: tuple[str, ...],
) -> int:
    """Prove or refute specifications and theorems.

    WHAT is a file, a folder or a pattern of identities, such as `sonnx.Max-13*`. Without it: everything under spec/ and
    proofs/, or the .sonnx files below this folder. Prints each finding, with its smallest counterexample, and a
    summary.

    \b
    Examples:
      sonnx-verify check proofs/integers.sonnx
      sonnx-verify check sonnx.Min-13.int --verbose
      sonnx-verify check --export-smt queries 'proofs.integers.int/*'
    """
    if watch:
        from sonnx_verify.cli.watching import watch as watching

        refuse_beside("--watch", "every", "jobs")
        if seconds_each() is not None:
            raise UsageError("--watch does not go with --timeout", cure="leave one of them out")
        return watching(what, every, jobs)
    refuse_without("--watch", "every")
    if export_smt is not None:
        return _export(export_smt, what, jobs, form, hints=not no_hints)
    began = time.perf_counter()
    wanted = Wanted.of(form, reports, links)
    given = click.get_current_context().get_parameter_source("jobs") is not ParameterSource.ENVIRONMENT
    if dask is not None and not given:
        jobs = None  # what holds of this machine says nothing of a cluster
    keep = Keep.of(update=update_ledger, frozen=frozen)
    hints = _Hints.of(update=update_hints, ignore=no_hints)
    _refuse_timeout(keep, hints, dask)
    if fix and (keep is not Keep.NOTHING or dask is not None):
        other = "--dask" if dask is not None else "a ledger"
        raise UsageError(f"--fix does not go with {other}", cure="run it first, by itself")
    if fix and not all(Path(name).suffix == ".sonnx" or Path(name).is_dir() for name in what):
        # Of a pattern some verdicts of a text are known, and the others might be worse.
        raise UsageError("--fix takes files and folders", cure="name the files whose texts it may write to")
    with ExitStack() as settings:
        # What an earlier run decided has no hints; and without hints it is decided once more.
        if no_cache or hints is not _Hints.TRY:
            settings.enter_context(without_cache())
        if keep is Keep.FROZEN:
            # A run that is compared with the ledger rests on no tree that an earlier run left.
            settings.enter_context(without_trees())
        status = _check(
            what,
            wanted,
            keep,
            hints,
            verbose=verbose,
            jobs=jobs,
            ref=changed,
            dask=dask,
            dependents=dependents,
            times=times,
            fix=fix,
        )
    if times:
        click.echo(f"{time.perf_counter() - began:.2f} s", err=True)
    return status


def _refuse_timeout(keep: Keep, hints: _Hints, dask: str | None) -> None:
    """Raise UsageError where a limit of time has no place."""
    if seconds_each() is None:
        return
    if hints is _Hints.UPDATE:
        raise UsageError("--update-hints does not go with --timeout", cure="leave one of them out: hints would be lost")
    if keep is not Keep.NOTHING:
        option = "--frozen" if keep is Keep.FROZEN else "--update-ledger"
        cure = "leave one of them out: a ledger has only what every machine would find"
        raise UsageError(f"{option} does not go with --timeout", cure=cure)
    if dask is not None:
        raise UsageError("--dask does not go with --timeout", cure="leave one of them out")


def _export(folder: str, what: Sequence[str], jobs: int | None, form: Form, *, hints: bool) -> int:
    from sonnx_verify.cli.exporting import export_queries

    refuse_beside("--export-smt", "jobs", "form", "no_hints")
    if form not in (Form.TEXT, Form.JSON):
        raise UsageError(f"--export-smt prints no {form}", cure="leave out --format, or give --format json")
    return export_queries(folder, what, jobs, form, hints=hints)


@dataclass(frozen=True, slots=True)
class _Answer:
    """All that a run found. `otherwise` has the lines in which it differs from the ledger, and `lies` those in which
    the cache differs from what was decided again; both are None where it is not held against the ledger."""

    results: list[Result]
    errors: list[UserError]
    unchecked: list[str]
    versions: dict[str, str | None]
    changed: Changed | None = None
    otherwise: list[str] | None = None
    lies: list[str] | None = None
    unrecorded: list[str] = field(default_factory=list)
    """A line for each difference of versions without a record of its texts as they are, and each record of no pair."""
    searched: int = 0
    """The number of proofs to which no hints led, in a project that has some."""
    seconds: list[float] = field(default_factory=list)
    """The time that the run waited for each result, if it is measured."""

    @property
    def answering(self) -> list[str]:
        """The solvers that are there."""
        return [name for name, version in self.versions.items() if version is not None]

    @property
    def status(self) -> int:
        """The exit status. That the run differs from the ledger is a finding, which no open question hides."""
        status = exit_status(self.results, len(self.errors), self.versions)
        if status == 2:
            return status
        if self.unrecorded:
            return 1
        # What such a run differs in is the doing of a clock.
        if (self.otherwise or self.lies) and not any(result.struck for result in self.results):
            return 1
        return status


def _check(
    what: Sequence[str],
    wanted: Wanted,
    keep: Keep,
    hints: _Hints,
    *,
    verbose: bool,
    jobs: int | None,
    ref: str | None,
    dask: str | None,
    dependents: bool,
    times: bool,
    fix: bool,
) -> int:
    if dask is not None and jobs is not None:
        raise UsageError("--jobs is about this machine, and --dask about others", cure="give one of them")
    if dask is not None and hints is _Hints.UPDATE:
        raise UsageError("--update-hints works on this machine, and --dask on others", cure="give one of them")
    asked, changed = _asked(what, keep, ref, dependents=dependents)
    wanted.refuse([*asked.files, *asked.whole], [*LEDGER.every(Path()), *tables(asked.root)])
    versions = Solvers().versions()
    cache = opened(asked.root, asked.further, versions)
    screen = _screen(asked.root, verbose=verbose)
    with solvers_with(cache) as solvers:
        decided = Decided(asked, cache, jobs, dask, hinting=hints.hinting(asked.root))
        # A run of nothing ends with 0, and a pipeline whose folder was renamed would stay green. That nothing changed
        # is another matter.
        if decided.is_empty and not decided.errors and changed is None:
            raise no_specification()
        ledgers = _ledgers(decided, keep, asked, everything=not what)
        told = _Told(screen if wanted.is_text else None, verbose=verbose and wanted.is_text)
        stopped = told.all_of(decided.shown(solvers))
    results = told.results
    errors = [*decided.errors, *([_interrupted(len(results), kept=cache is not None)] if stopped else [])]
    print_errors(errors)
    if wanted.is_text and not is_silent():
        for sentence in decided.twice():
            tell(f"note: {sentence}")
    answer = _Answer(results, errors, decided.unchecked, versions, changed, searched=decided.searched)
    if times:
        answer = replace(answer, seconds=told.seconds)
    whole = not what and not errors
    if keep is Keep.FROZEN and not stopped:
        otherwise = ledgers.changes(results, answer.answering, complete=not errors)
        unrecorded = _unrecorded(asked.root, whole=whole)
        answer = replace(answer, otherwise=otherwise, lies=_again(decided), unrecorded=unrecorded)
    _print_answer(answer, wanted, asked.root, screen, verbose=verbose)
    if wanted.needs_run:
        click.echo(_reports(answer, wanted, asked.root, ref, what), nl=False)
    # After all that asks solvers, so that their answers are kept too.
    if cache is not None and (problem := cache.close()):
        tell_cache_problem(problem)
    if stopped:
        return _INTERRUPTED
    if fix:
        from sonnx_verify.cli.fixing import fixed

        for sentence in fixed(decided, jobs):
            tell(sentence)
    if keep is Keep.UPDATE:
        _update_ledger(answer, ledgers, wanted)
    if hints is _Hints.UPDATE:
        _update_hints(answer, decided, wanted, whole=whole and changed is None)
    return answer.status


class _Told:
    """The results of a run, each told as soon as it is known, with the seconds that the run waited for it."""

    def __init__(self, screen: Screen | None, *, verbose: bool) -> None:
        self._screen, self._verbose = screen, verbose
        self.results: list[Result] = []
        self.seconds: list[float] = []

    def all_of(self, found: Iterable[Result]) -> bool:
        """Tell them all; return whether somebody ended the run before."""
        began = time.perf_counter()
        try:
            for result in found:
                self.results.append(result)
                # Several processes decide at once: the waits for their results add up to the time of the run.
                self.seconds.append(time.perf_counter() - began)
                began += self.seconds[-1]
                if lines := _lines_of(result, self._screen, verbose=self._verbose):
                    click.echo("\n".join(lines))
        except KeyboardInterrupt:
            return True
        return False


def _interrupted(number: int, *, kept: bool) -> UserError:
    """The error of a run that somebody ended: what it found is printed and reported, and it has not found all."""
    done = f"the run was interrupted after {counted_text(number, 'obligation')}"
    return UserError(done, cure=f"run it again{': it goes on with what is not decided' if kept else ''}")


def _ledgers(decided: Decided, keep: Keep, asked: Asked, *, everything: bool) -> Ledgers:
    """The ledgers as they are. Says which text each version without its own uses. Raises UserError for what is wrong
    with a ledger, or cannot be in it, before anything is decided."""
    for note in decided.notes:
        if keep is not Keep.NOTHING:
            problem = "the ledger has no versions without a text of their own"
            raise UsageError(problem, cure="leave them out, or drop --update-ledger and --frozen")
        tell_note(note)
    if keep is not Keep.NOTHING:
        decided.refuse_shared()
    return Ledgers.read(keep, asked, everything=everything)


def _asked(what: Sequence[str], keep: Keep, ref: str | None, *, dependents: bool) -> tuple[Asked, Changed | None]:
    """The files that are named, with what uses them where `dependents`, or what changed in them since a commit."""
    if dependents and (ref is not None or keep is not Keep.NOTHING):
        cure = "leave it out: --changed has what uses a file already, and a ledger is about all files"
        raise UsageError("--dependents goes with neither --changed nor a ledger", cure=cure)
    if dependents:
        from sonnx_verify.api.dependents import with_dependents

        return with_dependents(what)
    asked = Asked.of(what)
    if ref is None:
        return asked, None
    if keep is not Keep.NOTHING:
        cure = "give one of them: a run with --frozen reads from the cache what did not change"
        raise UsageError("--changed does not go with a ledger: it checks only a part", cure=cure)
    from sonnx_verify.api.changed import changed_since

    changed = changed_since(ref, asked)
    return changed.asked, changed


def _screen(root: Path, *, verbose: bool) -> Screen | None:
    """The screen of a person at a terminal; None where no person looks."""
    paint = paint_of_output()
    if not paint.colored:
        return None
    from sonnx_verify.outputs.screen import Screen

    return Screen(root, paint, verbose=verbose)


def _lines_of(result: Result, screen: Screen | None, *, verbose: bool) -> list[str]:
    """The lines that are printed as soon as a result is known: a check of the library takes minutes."""
    if screen is not None:
        return screen.result_lines(result)
    return [line_of(result)] if verbose else []


def _print_answer(answer: _Answer, wanted: Wanted, root: Path, screen: Screen | None, *, verbose: bool) -> None:
    if wanted.form is Form.JSON:
        print_json(_as_json(answer))
    elif wanted.is_text and (lines := _text_lines(answer, root, screen, verbose=verbose)):
        click.echo("\n".join(lines))
    for seconds, identity in _slowest(answer):
        click.echo(f"{seconds:8.2f} s  {identity}", err=True)
    if answer.otherwise:
        click.echo(f"the ledger differs from this run\n  to fix: {RENEW}", err=True)
    if answer.unrecorded:
        click.echo(
            "the records of differences do not have all pairs\n  to fix: run `sonnx-verify diff --update-records`",
            err=True,
        )


def _slowest(answer: _Answer) -> list[tuple[float, str]]:
    """The obligations that a measured run waited for longest, the slowest first."""
    waited = zip(answer.seconds, (result.id for result in answer.results), strict=False)
    return sorted(((s, i) for s, i in waited if s >= _WORTH_TELLING), key=lambda one: (-one[0], one[1]))[:_SLOWEST]


def _text_lines(answer: _Answer, root: Path, screen: Screen | None, *, verbose: bool) -> list[str]:
    """The lines behind the last result. The surprises come last, and their names once more at the very end: that
    is what a log of CI shows."""
    surprising = _mistakes((one for one in answer.results if one.surprising), root)
    lines: list[str] = []
    if screen is None:
        if not verbose and not is_silent():
            lines = [mistake.line for mistake in _mistakes((r for r in answer.results if not r.surprising), root)]
        if surprising or verbose:
            lines += [""] * bool(lines or verbose)
        for mistake in surprising:
            lines += [*mistake.lines, ""]
    elif not is_silent():
        lines = screen.ended(answer.results)
    if is_silent():
        # What differs from the ledger is a finding.
        return [*lines, *(f"ledger: {line}" for line in answer.otherwise or []), *answer.unrecorded]
    if verbose:
        lines += _pinned(answer.results, root)
    return [*lines, *_as_text(answer, surprising)]


def _mistakes(results: Iterable[Result], root: Path) -> list[Mistake]:
    """The findings among results, those together that tell one mistake."""
    listed = [result for result in results if result.state is not State.GOOD]
    if not listed:
        return []
    # Only a run with a finding loads what reads pages.
    from sonnx_verify.outputs.of_check import folded

    return folded(listed, root)


def _as_json(answer: _Answer) -> AnswerJson:
    errors = [str(error) for error in answer.errors]
    changed: ChangedJson | UnsetType = UNSET
    if answer.changed is not None:
        changed = answer.changed.json()
    return answer_json(
        answer.results,
        answer.versions,
        errors,
        unchecked=answer.unchecked,
        changed=changed,
        ledger=answer.otherwise,
        cache=answer.lies,
        differences=answer.unrecorded,
    )


def _reports(answer: _Answer, wanted: Wanted, root: Path, ref: str | None, what: Sequence[str]) -> str:
    """Write the reports that are wanted; return what is to be printed of them."""
    from sonnx_verify.outputs.of_check import run_of_check

    extra = []
    # With an error in a text its operators have no meaning to compare.
    if ref is not None and not answer.errors:
        extra = _meaning_since(ref, what)
    run = run_of_check(
        answer.results,
        answer.errors,
        answer.otherwise or [],
        answer.lies or [],
        answer.versions,
        _as_text(answer),
        root,
        extra,
        answer.seconds,
        answer.unrecorded,
    )
    return wanted.finish(run)


def _update_ledger(answer: _Answer, ledgers: Ledgers, wanted: Wanted) -> None:
    # What was not decided, or by one solver, must not become what later runs are held against.
    if answer.errors or None in answer.versions.values():
        raise UsageError("the ledger was not updated", cure="fix the errors and install all solvers")
    if any(result.struck for result in answer.results):
        tell("the ledger was not updated: the guard of time ended a query, which may be decided elsewhere")
        return
    said = ledgers.update(answer.results, answer.answering)
    if wanted.is_text:
        click.echo(said)


def _update_hints(answer: _Answer, decided: Decided, wanted: Wanted, *, whole: bool) -> None:
    """Write the hints. A run of a part keeps the other lines; one of everything drops those that no proof needs."""
    from sonnx_verify.api.hints import write_hints

    if None in answer.versions.values():
        raise UsageError("the hints were not updated", cure="install all solvers")
    number, files = write_hints(decided.asked.root, decided.hints, whole=whole)
    if wanted.is_text:
        click.echo(f"wrote {shown_files(files)}: {counted_text(number, 'hint')}")


def _pinned(results: Sequence[Result], root: Path) -> list[str]:
    """Lines on how much the standards pin that `refines` was proved for."""
    from sonnx_verify.arrays.pinned import pinned_by_standard
    from sonnx_verify.language.project import Project

    proved = {r.subject for r in results if r.kind is Kind.REFINES and r.verdict in GOOD}
    if not proved:
        return []
    project = Project.open(root)
    found = [(u.operator, pinned_by_standard(project, u)) for u in project.operators() if u.operator in proved]
    return [f"{name} {pins}" for name, pins in found if pins is not None]


def _as_text(answer: _Answer, surprising: Sequence[Mistake] = ()) -> list[str]:
    """The end of the answer: the verdicts by number, what was left out, what the ledger has otherwise, surprises."""
    lines = counted(answer.results, answer.versions)
    if answer.changed is not None:
        lines += answer.changed.lines()
    lines += unchecked(answer.errors, answer.unchecked)
    if answer.otherwise is not None:
        if answer.searched:
            some = counted_text(answer.searched, "proof was", "proofs were")
            lines.append(
                f"{some} found without a recorded hint, which is as good, only slower: "
                "`sonnx-verify check --update-hints` records hints for the next run"
            )
        lines += [f"ledger: {line}" for line in answer.otherwise]
        lines += answer.unrecorded
    lines += surprises(answer.results, len(answer.errors), surprising)
    if answer.otherwise is not None:
        lines.append(_end_of_frozen(answer, len(answer.otherwise)))
    return lines


def _end_of_frozen(answer: _Answer, otherwise: int) -> str:
    """The last line of a run that is held against the ledger: a run that fails does not end as if all were well."""
    if otherwise:
        return f"failed: the run differs from the ledger in {counted_text(otherwise, 'obligation')}"
    if answer.lies:
        return "failed: cached verdicts differ from a new check"
    if answer.unrecorded:
        missing = counted_text(len(answer.unrecorded), "difference")
        return f"failed: the run matches the ledger, but {missing} of versions without a valid record"
    if answer.status:
        return "failed, though nothing differs from the ledger"
    return "matches the ledger"


def _meaning_since(ref: str, what: Sequence[str]) -> list[str]:
    """The operators whose meaning differs from that in a commit, as Markdown."""
    from sonnx_verify.api.asking import asking
    from sonnx_verify.api.since import difference_lines_since, differences
    from sonnx_verify.outputs.markdown import fenced

    with asking(tell_cache_problem) as solvers:
        lines = list(difference_lines_since(ref, differences(ref, Asked.of(what), solvers)))
    return ["### Changes of meaning", "", *fenced(lines)]


def _unrecorded(root: Path, *, whole: bool) -> list[str]:
    """A line for each pair of texts of a whole project whose recorded difference is missing, or of other texts."""
    from sonnx_verify.stores.differences import files_of

    # A project that records none owes none.
    if not whole or next(files_of(root), None) is None:
        return []
    from sonnx_verify.api.differences import Recorded
    from sonnx_verify.language.project import Project

    problems = Recorded.of(Project.open(root)).problems()
    return [f"the difference of {line}" for line in problems]


def _again(decided: Decided) -> list[str]:
    """Decide some of what was recalled again, and tell what is otherwise.

    A verdict in the cache is a file that anybody can write. A sample bounds what a change of many of them could hide.
    """
    with without_cache(), Solvers() as solvers:
        wrong = decided.again(AGAIN, solvers)
    if decided.recalled:
        known, again = f"{decided.recalled} of {counted_text(len(decided), 'verdict')}", min(AGAIN, decided.recalled)
        click.echo(f"cache: reused {known}; checked {again} of these again", err=True)
    for line in wrong:
        click.echo(f"cache: {line}", err=True)
    if wrong:
        click.echo(f"  to fix: {CLEAR}", err=True)
    return wrong
