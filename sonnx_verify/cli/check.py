"""`check`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from msgspec import UNSET

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened
from sonnx_verify.api.decided import Decided
from sonnx_verify.cli.options import JOBS, REPORTS, RUN_FORMAT, guarded
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import signatures
from sonnx_verify.outputs.console import hint_lines, line_of, summary
from sonnx_verify.outputs.wanted import Form, Wanted
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.result import Result, State, exit_status
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.folder import write_file
from sonnx_verify.stores.ledger import PLACE, RENEW, changes, differing, ledger_of, read_ledger
from sonnx_verify.stores.store import without_cache, without_trees

if TYPE_CHECKING:
    from sonnx_verify.api.changed import Changed


class _Keep(Enum):
    """The use of the ledger: none; it is made again; the run is compared with it."""

    NOTHING = 0
    UPDATE = 1
    FROZEN = 2

    @classmethod
    def of(cls, update: bool, frozen: bool) -> _Keep:
        """By the options. Raises UsageError for both."""
        if update and frozen:
            raise UsageError("--update-ledger writes what --frozen holds the run against", cure="give one of them")
        if update:
            return cls.UPDATE
        return cls.FROZEN if frozen else cls.NOTHING


CLEAR = "run `sonnx-verify cache clear`, and see what else can write there"
"""The cure for a cache with something else in it than was put there."""
AGAIN = 10
"""The number of cached obligations that are decided again where a run is compared with the ledger."""


@click.command()
@click.argument("what", nargs=-1)
@click.option("--no-cache", is_flag=True, help="Decide everything, whatever earlier runs found.")
@click.option("--verbose", "-v", is_flag=True, help="One line for each obligation, not only for findings.")
@click.option("--times", is_flag=True, help="Print the seconds it took.")
@JOBS
@click.option("--dask", metavar="ADDRESS", help="Decide on the dask cluster whose scheduler has this address.")
@click.option("--update-ledger", is_flag=True, help="Write what came of it into proofs/ledger.json.")
@click.option("--frozen", is_flag=True, help="Fail where anything is otherwise than the ledger says.")
@click.option("--changed", metavar="REF", help="Only what says something else than in that commit, and what uses it.")
@RUN_FORMAT
@REPORTS
@guarded
def check(
    what: tuple[str, ...],
    no_cache: bool,
    verbose: bool,
    times: bool,
    jobs: int | None,
    dask: str | None,
    update_ledger: bool,
    frozen: bool,
    changed: str | None,
    form: Form,
    reports: tuple[str, ...],
) -> int:
    """Check specifications and theorems.

    WHAT is a path or a pattern of identities, such as `sonnx.Max-13*`. Without it: everything under spec/ and proofs/,
    or the .sonnx files below this folder.
    """
    began = time.perf_counter()
    wanted = Wanted.of(form, reports)
    given = click.get_current_context().get_parameter_source("jobs") is not ParameterSource.ENVIRONMENT
    if dask is not None and not given:
        jobs = None  # what holds of this machine says nothing of a cluster
    keep = _Keep.of(update_ledger, frozen)
    with ExitStack() as settings:
        if no_cache:
            settings.enter_context(without_cache())
        if keep is _Keep.FROZEN:
            # A run that is compared with the ledger rests on no tree that an earlier run left.
            settings.enter_context(without_trees())
        status = _check(what, verbose, wanted, jobs, keep, changed, dask)
    if times:
        click.echo(f"{time.perf_counter() - began:.2f} s", err=True)
    return status


def _check(
    what: Sequence[str], verbose: bool, wanted: Wanted, jobs: int | None, keep: _Keep, ref: str | None, dask: str | None
) -> int:
    if dask is not None and jobs is not None:
        raise UsageError("--jobs is about this machine, and --dask about others", cure="give one of them")
    asked, changed = Asked.of(what), None
    if ref is not None and keep is not _Keep.NOTHING:
        cure = "give one of them: a run with --frozen reads from the cache what did not change"
        raise UsageError("--changed leaves out what a ledger is about", cure=cure)
    if ref is not None:
        from sonnx_verify.api.changed import changed_since

        changed = changed_since(ref, asked)
        asked = changed.asked
    wanted.refuse([*asked.files, *asked.whole], [PLACE, signatures(asked.root)])
    versions = Solvers().versions()
    cache = opened(asked.root, asked.further, versions)
    results: list[Result] = []
    with Solvers(kept=None if cache is None else cache.answers) as solvers:
        decided = Decided(asked, cache, jobs, dask)
        if not len(decided) and not decided.errors and changed is None:
            raise UsageError("there is no specification here", cure="write a .sonnx file, or name one")
        # What is wrong with the ledger, or cannot be in it, is results before anything is decided.
        if keep is not _Keep.NOTHING:
            decided.refuse_shared()
        before = None
        if keep is _Keep.FROZEN or (keep is _Keep.UPDATE and PLACE.exists()):
            before = read_ledger(PLACE)
        for one in shown(decided.results(solvers), len(decided), "obligations"):
            results.append(one)
            if wanted.is_text:
                if verbose:
                    click.echo(line_of(one))
                elif one.verdict not in ("proved", "holds"):
                    click.echo("\n".join(_finding(one, asked.root)) + "\n")
    errors = decided.errors
    for error in errors:
        click.echo(str(error), err=True)
    answering = [name for name, version in versions.items() if version is not None]
    whole = not what and not errors
    # Of a text that was named as a whole nothing may be missing; of a pattern it is not known what should be there.
    subjects: set[str] | None = set()
    if whole:
        subjects = None
    elif not asked.patterns:
        subjects = {one.subject for one in results}
    otherwise, lies = None, []
    if keep is _Keep.FROZEN:
        if before is not None:
            otherwise = changes(before, results, answering, subjects)
        lies = _again(decided)
    if wanted.form is Form.JSON:
        answer = answer_json(
            results,
            versions,
            [str(error) for error in errors],
            changed=UNSET if changed is None else changed.json(),
            ledger=otherwise,
            cache=lies if keep is _Keep.FROZEN else None,
        )
        click.echo(json.dumps(answer, indent=1, ensure_ascii=False))
    elif wanted.is_text:
        if verbose:
            lines = [line for one in results if one.surprising for line in ("", *_finding(one, asked.root))]
            click.echo("\n".join([*lines, ""]))
        click.echo("\n".join(_as_text(results, versions, errors, otherwise, lies, changed)))
    if otherwise:
        click.echo(f"the ledger {PLACE} is not what this run found\n  to fix: {RENEW}", err=True)
    if wanted.needs_run:
        from sonnx_verify.outputs.of_check import run_of_check

        lines = _as_text(results, versions, errors, otherwise, lies, changed)
        extra = []
        if ref is not None and not errors:
            extra = _meaning_since(ref, what)
        run = run_of_check(results, errors, otherwise or [], lies, versions, lines, asked.root, extra)
        click.echo(wanted.finish(run), nl=False)
    if cache is not None and (problem := cache.close()):
        click.echo(f"{problem}; the run did without", err=True)
    if keep is _Keep.UPDATE:
        if errors or None in versions.values():
            raise UsageError(f"{PLACE} is left as it was", cure="mend the texts, and install all solvers")
        made = ledger_of(results, answering, None if whole else before)
        write_file(PLACE, made.text())
        if wanted.is_text:
            click.echo(f"wrote {PLACE}: {differing(before, made)}")
    status = exit_status(results, len(errors), versions)
    if (otherwise or lies) and status in (0, 3):
        return 1
    return status


def _as_text(
    results: list[Result],
    versions: dict[str, str | None],
    errors: list[UserError],
    otherwise: list[str] | None,
    lies: list[str],
    changed: Changed | None,
) -> list[str]:
    """The end of the answer: the summary, what was left out, what the ledger has otherwise."""
    lines = summary(results, versions)
    if errors:
        # It is not over: nothing is said about surprises.
        del lines[-1]
    if changed is not None:
        lines += changed.lines()
    if errors:
        lines.append(f"{counted_text(len(errors), 'error')} in the texts: what they are in was not checked")
    if otherwise is not None:
        lines += [f"ledger: {line}" for line in otherwise]
        lines.append(_end_of_frozen(results, versions, errors, otherwise, lies))
    return lines


def _end_of_frozen(
    results: list[Result],
    versions: dict[str, str | None],
    errors: list[UserError],
    otherwise: list[str],
    lies: list[str],
) -> str:
    """The last line of a run that is held against the ledger: a run that fails does not end as if all were well."""
    if otherwise:
        return f"failed: the run differs from the ledger in {counted_text(len(otherwise), 'obligation')}"
    if lies:
        return "failed: the cache differs from what was decided again"
    if exit_status(results, len(errors), versions):
        return "failed, though nothing differs from the ledger"
    return "as the ledger says"


def _meaning_since(ref: str, what: Sequence[str]) -> list[str]:
    """The operators whose meaning differs from that in a commit, as Markdown."""
    from sonnx_verify.api.asking import asking
    from sonnx_verify.cli.since import changes, lines
    from sonnx_verify.outputs.markdown import fenced

    with asking() as solvers:
        found = list(lines(ref, changes(ref, Asked.of(what), solvers)))
    return ["### What changed in meaning", "", *fenced(found)]


def _again(decided: Decided) -> list[str]:
    """Decide some of what was recalled again, and tell what is otherwise."""
    with without_cache(), Solvers() as solvers:
        wrong = decided.again(AGAIN, solvers)
    if decided.recalled:
        known, again = f"{decided.recalled} of {counted_text(len(decided), 'obligation')}", min(AGAIN, decided.recalled)
        click.echo(f"cache: {known} as an earlier run decided them, {again} of these decided again", err=True)
    for line in wrong:
        click.echo(f"cache: {line}", err=True)
    if wrong:
        click.echo(f"  to fix: {CLEAR}", err=True)
    return wrong


def _finding(one: Result, root: Path) -> list[str]:
    """The lines of a finding, with the sentence of the page for a clause."""
    if one.state is State.GOOD:
        return []
    from sonnx_verify.outputs.findings import quoted_finding

    return [*quoted_finding(one, root), *hint_lines(one)]
