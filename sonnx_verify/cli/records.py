"""`diff --update-records` and `diff --frozen`: the recorded differences of a project, decided."""

from __future__ import annotations

from itertools import chain

import click

from sonnx_verify.api.differences import Recorded
from sonnx_verify.cli.options import tell, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here_at_once
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import without_cache


def update(name: str | None, jobs: int | None) -> int:
    """Decide each pair, or those of an operator, without a record of its texts as they are, and write the records, an
    operator at a time: what is written stays, whatever ends the run."""
    recorded = _recorded(name)
    pairs = recorded.pairs()
    missing = recorded.missing(pairs)
    foreign = recorded.drop_foreign()
    for file in chain(recorded.moved(), foreign, recorded.decide(missing, jobs, tell_cache_problem)):
        recorded.write(file)
    open_still = recorded.missing(missing)
    decided = counted_text(len(missing) - len(open_still), "pair")
    known = counted_text(len(pairs) - len(open_still), "pair")
    click.echo(f"decided {decided}; {known} of {len(pairs)} recorded")
    for one, other in open_still:
        tell(f"not recorded ({_NOT_LASTING}): {one.operator} and {other.operator}")
    return 3 if open_still else 0


_NOT_LASTING = "undecided because of a time limit, a crash or lack of memory"


def check_records(name: str | None, jobs: int | None) -> int:
    """Decide all recorded pairs anew, or those of an operator, with nothing from the cache, and compare: 1 if one
    differs, 3 if one stayed undecided that was not."""
    recorded = _recorded(name)
    problems = recorded.problems()
    found = [(pair, recorded.find(pair)) for pair in recorded.pairs()]
    pairs = [pair for pair, known in found if known is not None]
    before = {(one.operator, other.operator): known for (one, other), known in found if known is not None}
    with without_cache():
        for _ in recorded.decide(pairs, jobs, tell_cache_problem):
            pass
    now = recorded.own.entries
    left = [names for names in before if names not in now]
    other = [names for names in before if names not in left and now[names].difference != before[names]]
    for line in problems:
        click.echo(line)
    for names in other:
        click.echo(f"{' and '.join(names)}: the new answer differs from the record")
    for names in left:
        click.echo(f"{' and '.join(names)}: not decided again ({_NOT_LASTING})")
    invalid = f"; {len(problems)} without a valid record" if problems else ""
    differ = counted_text(len(other), "difference")
    click.echo(f"{counted_text(len(pairs), 'pair')} decided anew; {differ} from the record{invalid}")
    if problems or other:
        return 1
    return 3 if left else 0


def _recorded(name: str | None) -> Recorded:
    """The records of the project here, all or those of an operator. Raises UsageError where a solver is missing: what
    is decided has to last."""
    if None in Solvers().versions().values():
        raise UsageError("records need all solvers", cure="install what the project depends on")
    recorded = Recorded.of(here_at_once())
    if name is not None:
        recorded.operator = name.rpartition(".")[2].partition("-")[0]
    return recorded
