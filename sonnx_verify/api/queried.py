"""What is named, decided with the texts of its queries kept: what an export and a package of evidence are made of."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sonnx_verify.api.select import select
from sonnx_verify.errors import UsageError, UserError, add_once
from sonnx_verify.outputs.queries import Queries
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.solvers import Solvers


@dataclass(slots=True)
class Queried:
    """What is named, decided with the texts of its queries: the records that were asked for, how many of others they
    use, the errors in the texts, of which nothing is decided."""

    versions: dict[str, str | None]
    queries: Queries
    asked: list[Record] = field(default_factory=list)
    used: int = 0
    errors: list[UserError] = field(default_factory=list)

    @classmethod
    def of(cls, what: Sequence[str], jobs: int | None) -> Queried:
        """Decide it. Raises UsageError where nothing is named."""
        with Solvers(keep_texts=True) as solvers:
            selection = select(what)
            if not selection.obligations and not selection.errors:
                raise UsageError("there is no specification here", cure="write a .sonnx file, or name one")
            versions = solvers.versions()
            made = cls(versions, Queries(versions, solvers.budget), errors=selection.errors)
            needed = [] if selection.errors else selection.needed()
            every = [] if selection.errors else [*needed, *selection.obligations]
            made.used = len(needed)
            decided = run(every, solvers, jobs=usable_cores() if jobs is None else jobs)
            with closing(decided):
                for n, record in enumerate(shown(decided, len(every), "obligations")):
                    if record.error is not None:
                        add_once(made.errors, record.error)
                        continue
                    made.queries.add(record, asked=n >= len(needed))
                    if n >= len(needed):
                        made.asked.append(record)
        return made
