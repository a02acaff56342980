"""Workflow commands of GitHub: one annotation for each finding, at its line."""

from __future__ import annotations

from sonnx_verify.outputs.record import LEVELS, UNDECIDED, Case, Run

_NAMES = dict(zip(LEVELS, ("error", "warning", "notice"), strict=True))


def workflow_commands(run: Run) -> str:
    """A line for each finding."""
    return "".join(f"{_annotation(case)}\n" for case in run.findings)


def _annotation(case: Case) -> str:
    # An open question is no error: the exit status says that the job must not pass on it.
    level = _NAMES[case.level]
    if case.outcome == UNDECIDED:
        level = "warning"
    place = ""
    if case.place is not None:
        place = f"file={_property(case.place.file)},line={case.place.line},col={case.place.column},"
    return f"::{level} {place}title={_property(case.title or case.name)}::{_data(case.text)}"


# A command ends with its line, a property at a comma or a colon.
def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
