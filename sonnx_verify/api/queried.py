"""The obligations that are named, decided with the texts of their queries: the source of an export and of evidence.

Nothing is recalled: the cache knows answers and verdicts, but not the queries that they answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sonnx_verify.api.asked import no_specification
from sonnx_verify.api.hints import hints_in
from sonnx_verify.api.select import select
from sonnx_verify.errors import UserError
from sonnx_verify.language.origins import noted
from sonnx_verify.outputs.queries import Queries
from sonnx_verify.outputs.query_words import QueryWords
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.hints import NO_HINTS
from sonnx_verify.solving.check.mistakes import add_once
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.check.telling import evidence_of
from sonnx_verify.solving.solvers import Solvers


@dataclass(slots=True)
class Queried:
    """The records that were asked for with their queries, the number of others that they use, and the errors in the
    texts, of which nothing is decided."""

    versions: dict[str, str | None]
    queries: Queries
    asked: list[Record] = field(default_factory=list)
    used: int = 0
    errors: list[UserError] = field(default_factory=list)

    @classmethod
    def of(cls, what: Sequence[str], jobs: int | None, *, hints: bool = True) -> Queried:
        """Decide it, along hints where these are wanted. Raises UsageError where nothing is named."""
        # The places of terms are noted while texts are elaborated: the words for what queries hold.
        with noted() as origins, Solvers(keep_texts=True) as solvers:
            selection = select(what)
            if not selection.obligations and not selection.errors:
                raise no_specification()
            versions = solvers.versions()
            made = cls(versions, Queries(versions, solvers.budget), errors=selection.errors)
            if selection.errors:  # an export of the others would look complete
                return made
            needed = selection.needed()
            # What is used is exported too: without it a reader could not redo the proofs that rest on it.
            every = [*needed, *selection.obligations]
            made.used = len(needed)
            hinting = hints_in(selection.project.root) if hints else NO_HINTS
            words = QueryWords(hinting.known)
            with closing(run(every, solvers, jobs=jobs or usable_cores(), hinting=hinting)) as decided:
                for number, record in enumerate(shown(decided, len(every), "obligations")):
                    # Some texts cannot be built only when it is their turn.
                    if record.error is not None:
                        add_once(made.errors, record.error)
                        continue
                    is_asked = number >= len(needed)
                    made.queries.add(record, asked=is_asked)
                    words.note(record, evidence_of(record))
                    if is_asked:
                        made.asked.append(record)
            made.queries.describe(words.lines(selection.project, origins.places))
        return made
