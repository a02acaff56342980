"""GitLab's Code Quality report: a list of mistakes, each with the fields that GitLab documents and no others."""

from __future__ import annotations

from sonnx_verify.outputs.record import BROKEN, UNDECIDED, Mistake, Run
from sonnx_verify.results.written import json_text

_TOOL = "sonnx-verify"
BEGINS = (b"[]\n", b'[\n {\n  "check_name": "sonnx-verify/')
"""The beginnings of a report, by which it is known: of one without a mistake, and of any other."""
_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def code_quality(run: Run) -> str:
    """The report. GitLab shows a mistake that the target branch lacks in the merge request, at its line."""
    return json_text([_issue(mistake) for mistake in run.mistakes])


def _issue(mistake: Mistake) -> dict[str, object]:
    case = mistake.case
    path, line = ".", 1
    if case.place is not None:
        path, line = case.place.file, case.place.line
    return {
        "check_name": f"{_TOOL}/{case.rule}",
        "description": " ".join(mistake.title.split()),
        "severity": _severity(mistake),
        "fingerprint": mistake.fingerprint,
        "location": {"path": path, "lines": {"begin": line}},
    }


def _severity(mistake: Mistake) -> str:
    # What could not be looked at may hide anything; what is undecided may be true.
    if mistake.outcome == BROKEN:
        return "critical"
    if mistake.outcome == UNDECIDED:
        return "minor"
    return _SEVERITIES[mistake.case.level]
