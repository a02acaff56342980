"""`diff --update-records` and `diff --frozen`: the recorded differences of a project, decided."""

from __future__ import annotations

from itertools import chain

import click

from sonnx_verify.api.differences import Recorded, pairs_of
from sonnx_verify.cli.options import tell, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here_at_once
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.differences import FOLDER
from sonnx_verify.stores.store import without_cache


def update(jobs: int | None) -> int:
    """Decide each pair without a record of its texts as they are, and write the records, an operator at a time: what is
    written stays, whatever ends the run."""
    recorded = _recorded()
    pairs = pairs_of(recorded.project)
    missing = recorded.missing(pairs)
    for file in chain(recorded.drop_foreign(), recorded.decide(missing, jobs, tell_cache_problem)):
        recorded.write(file)
    open_still = recorded.missing(missing)
    decided = counted_text(len(missing) - len(open_still), "pair")
    click.echo(f"decided {decided} of {len(pairs)}, in {FOLDER.as_posix()}")
    for one, other in open_still:
        tell(f"not recorded, since a clock, a crash or a lack of memory left it open: {one.operator} {other.operator}")
    return 3 if open_still else 0


def check_records(jobs: int | None) -> int:
    """Decide all recorded pairs anew, with nothing from the cache, and compare: 1 if one differs."""
    recorded = _recorded()
    before = dict(recorded.entries)
    problems = recorded.problems()
    pairs = [pair for pair in pairs_of(recorded.project) if recorded.find(pair) is not None]
    with without_cache():
        for _ in recorded.decide(pairs, jobs, tell_cache_problem):
            pass
    problems += [
        f"{' and '.join(names)}: another answer" for names in before if recorded.entries.get(names) != before[names]
    ]
    for line in problems:
        click.echo(line)
    click.echo(f"{counted_text(len(pairs), 'pair')} decided anew, {len(problems)} of them not as recorded")
    return 1 if problems else 0


def _recorded() -> Recorded:
    """The records of the project here. Raises UsageError where a solver is missing: what is decided has to last."""
    if None in Solvers().versions().values():
        raise UsageError("a record needs all solvers", cure="install what the project depends on")
    return Recorded.of(here_at_once())
