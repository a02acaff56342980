"""The Markdown summary of a job: what was looked at, what was found, each finding with its counterexample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sonnx_verify.outputs.record import BROKEN, FAILED, NOTED, PASSED, UNDECIDED, Mistake, Run

MOST = 50
"""The most findings that are shown in full: GitHub takes a megabyte of summary, and a reader less."""
_HEADS = {NOTED: "note", FAILED: "finding", UNDECIDED: "undecided", BROKEN: "not looked at"}


def summary(run: Run) -> str:
    """The text."""
    return "\n".join(_lines(run)).rstrip("\n") + "\n"


def _lines(run: Run) -> Iterator[str]:
    counts = run.counts
    outcome = "not passed" if run.findings else "passed"
    yield f"## sonnx-verify {run.command}: {outcome}"
    yield ""
    yield from ("| outcome | cases |", "|---|---|")
    for outcome in (PASSED, NOTED, FAILED, UNDECIDED, BROKEN):
        # These two are always told: a job that looked at nothing shows zeros.
        if counts[outcome] or outcome in (PASSED, FAILED):
            yield f"| {outcome} | {counts[outcome]} |"
    yield ""
    mistakes = run.mistakes
    for mistake in mistakes[:MOST]:
        yield from _mistake(mistake, run)
    if len(mistakes) > MOST:
        yield f"and {len(mistakes) - MOST} more."
        yield ""
    yield from run.extra
    if run.extra:
        yield ""
    for line in run.summary:
        yield f"- {_escaped(line)}"
    if run.links.report:
        yield f"- [the report]({run.links.report})"
    tools = ", ".join(f"{name} {version}" for name, version in run.tools.items())
    if tools:
        yield f"- with {_escaped(tools)}"


def _mistake(mistake: Mistake, run: Run) -> Iterator[str]:
    case = mistake.case
    place = ""
    if case.place is not None:
        place = f" at `{_code(case.place.file)}:{case.place.line}`"
    yield f"### {_HEADS[mistake.outcome].capitalize()}: {_escaped(mistake.title)}{place}"
    yield ""
    if case.lines:
        yield from (*fenced(mistake.lines), "")
    elif case.name != case.title:
        yield from (", ".join(f"`{_code(name)}`" for name in mistake.names), "")
    about = run.rule_of(mistake)
    if url := run.links.of_rule(about):
        # Nothing in an address ends the link: it was checked when it was given.
        yield f"[{_escaped(about.sentence)}]({url})"
        yield ""


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
