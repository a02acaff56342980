"""Workflow commands of GitHub: one annotation for each mistake, at its line."""

from __future__ import annotations

from collections import Counter

from sonnx_verify.outputs.record import LEVELS, UNDECIDED, Mistake, Run
from sonnx_verify.results.text import counted_text

_NAMES = dict(zip(LEVELS, ("error", "warning", "notice"), strict=True))


MOST = 10
"""The most annotations of a level that GitHub shows of a step; it drops the others, and says nothing."""


def workflow_commands(run: Run) -> str:
    """A line for each mistake, and one that counts them if GitHub does not show them all."""
    lines = [_annotation(mistake, run) for mistake in run.mistakes]
    shown = Counter(line.partition(" ")[0] for line in lines)
    if max(shown.values(), default=0) > MOST:
        title = counted_text(len(lines), "mistake")
        lines.append(
            f"::notice title={title}::GitHub shows {MOST} annotations of a level. The summary has all mistakes."
        )
    return "".join(f"{line}\n" for line in lines)


def _annotation(mistake: Mistake, run: Run) -> str:
    case = mistake.case
    # An open question is no error: the exit status says that the job must not pass on it.
    level = _NAMES[case.level]
    if mistake.outcome == UNDECIDED:
        level = "warning"
    place = ""
    if case.place is not None:
        place = f"file={_property(case.place.file)},line={case.place.line},col={case.place.column},"
    text = "\n".join([mistake.text, *run.links_of(mistake)])
    return f"::{level} {place}title={_property(mistake.title)}::{_data(text)}"


# A command ends with its line, a property at a comma or a colon.
def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
