"""The Markdown summary of a job: what was looked at, what was found, each finding with its counterexample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sonnx_verify.outputs.record import BROKEN, FAILED, PASSED, UNDECIDED, Case, Run

MOST = 50
"""The most findings that are shown in full: GitHub takes a megabyte of summary, and a reader less."""
_HEADS = {FAILED: "finding", UNDECIDED: "undecided", BROKEN: "not looked at"}


def summary(run: Run) -> str:
    """The text."""
    return "\n".join(_lines(run)).rstrip("\n") + "\n"


def _lines(run: Run) -> Iterator[str]:
    counts = run.counts
    outcome = "not passed" if run.findings else "passed"
    yield f"## sonnx-verify {run.command}: {outcome}"
    yield ""
    yield from ("| outcome | cases |", "|---|---|")
    for outcome in (PASSED, FAILED, UNDECIDED, BROKEN):
        # These two are always told: a job that looked at nothing shows zeros.
        if counts[outcome] or outcome in (PASSED, FAILED):
            yield f"| {outcome} | {counts[outcome]} |"
    yield ""
    for case in run.findings[:MOST]:
        yield from _case(case)
    if len(run.findings) > MOST:
        yield f"and {len(run.findings) - MOST} more."
        yield ""
    yield from run.extra
    if run.extra:
        yield ""
    for line in run.summary:
        yield f"- {_escaped(line)}"
    tools = ", ".join(f"{name} {version}" for name, version in run.tools.items())
    if tools:
        yield f"- with {_escaped(tools)}"


def _case(case: Case) -> Iterator[str]:
    place = ""
    if case.place is not None:
        place = f" at `{_code(case.place.file)}:{case.place.line}`"
    yield f"### {_HEADS[case.outcome].capitalize()}: `{_code(case.name)}`{place}"
    yield ""
    # A title that is the name, or one of the lines, is not told twice.
    if case.title and case.title not in (case.name, *case.lines):
        yield f"{_escaped(case.title)}"
        yield ""
    if case.lines:
        yield from (*fenced(case.lines), "")


def fenced(lines: Sequence[str]) -> list[str]:
    """Lines as they are, whatever stands in them: the fence is longer than any row of back-ticks in them."""
    rows = re.findall("`+", "\n".join(lines))
    fence = "`" * max(3, 1 + max(map(len, rows), default=0))
    return [f"{fence}text", *lines, fence]


def _code(text: str) -> str:
    """Text between back-ticks, on one line."""
    return " ".join(text.replace("`", "'").split())


# Nothing in a text may become a link, a heading or HTML in the summary.
def _escaped(text: str) -> str:
    return re.sub(r"[\\`*_\[\]<>|#&~!$]", r"\\\g<0>", " ".join(text.split()))
