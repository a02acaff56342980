"""`check --fix`: lines that name theorems are written into the texts whose proofs need them.

A text keeps them if each of its verdicts is as good with them; else it is what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.authoring.lemmas.writing import written_into
from sonnx_verify.language.places import installed_library, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.source_files import read_source
from sonnx_verify.stores.folder import replace_file

_MARK = "\ufeff".encode()


def fixed(decided: Decided, jobs: int | None) -> Iterator[str]:
    """Write the lines into the files of a run that lack them, and check these again: a sentence for each file."""
    root = decided.asked.root
    for path, results in decided.results_by_file().items():
        lines = list(dict.fromkeys(chain.from_iterable(one.lemmas for one in results)))
        if not lines:
            continue
        shown = shown_as(path, root)
        if path.is_relative_to(installed_library()) and root != installed_library():
            yield f"{shown} is part of this tool, and stays as it is"
            continue
        before, source = path.read_bytes(), read_source(path, shown)
        (unit,) = Project.of_files(root, [path]).units
        assert unit.file is not None
        # Line ends and a byte order mark are the author's: what reads a text drops them.
        mark, end = _MARK if before.startswith(_MARK) else b"", b"\r\n" if b"\r\n" in before else b"\n"
        made = mark + written_into(source, unit.file, lines).encode().replace(b"\n", end)
        replace_file(path, made)
        kept = False
        try:
            other = _first_other(results, path, decided.asked, jobs)
            kept = other is None
        finally:
            # Also where the run is interrupted: that nothing is worse with them is not known then. What somebody else
            # wrote meanwhile stays.
            if not kept and path.read_bytes() == made:
                replace_file(path, before)
        number = counted_text(len(lines), "line")
        yield f"{shown}: {number} written" if other is None else f"{shown}: {number} taken back: {other}"


def _first_other(before: Sequence[Result], path: Path, run: Asked, jobs: int | None) -> str | None:
    """The first verdict of a run that is worse now, in words."""
    asked = Asked(run.root, further=[one for one in run.further if one == path], whole=[path], files=[path])
    cache = opened(run.root, asked.further, Solvers().versions())
    with solvers_with(cache) as solvers:
        decided = Decided(asked, cache, jobs)
        now = {one.id: one for one in decided.shown(solvers)}
    if cache is not None:
        cache.close()
    for error in decided.errors:
        return error.message
    for one in before:
        verdict = now[one.id].verdict if one.id in now else "gone"
        if verdict != one.verdict and verdict not in GOOD:
            return f"{one.id} is {one.verdict} without, and {verdict} with them"
    return None
