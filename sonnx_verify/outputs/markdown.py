"""The Markdown summary of a job: what was looked at, what was found, each finding with its counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sonnx_verify.outputs.record import BROKEN, FAILED, PASSED, UNDECIDED, Case, Run

MOST = 50
"""So many findings are shown in full: a summary has a limit, and a reader too."""
_HEADS = {FAILED: "finding", UNDECIDED: "undecided", BROKEN: "not looked at"}


def summary(run: Run) -> str:
    """The text."""
    return "\n".join(_lines(run)).rstrip("\n") + "\n"


def _lines(run: Run) -> Iterator[str]:
    counts = run.counts
    yield f"## sonnx-verify {run.command}: {'passed' if not run.findings else 'not passed'}"
    yield ""
    yield from ("| outcome | cases |", "|---|---|")
    for outcome in (PASSED, FAILED, UNDECIDED, BROKEN):
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
    place = f" at `{_code(case.place.file)}:{case.place.line}`" if case.place is not None else ""
    yield f"### {_HEADS[case.outcome].capitalize()}: `{_code(case.name)}`{place}"
    yield ""
    if case.title and case.title not in (case.name, *case.lines):
        yield f"{_escaped(case.title)}"
        yield ""
    if case.lines:
        yield from (*fenced(case.lines), "")


def fenced(lines: Sequence[str]) -> list[str]:
    """Lines as they are, whatever stands in them."""
    fence = "`" * max(3, 1 + max((_run(line) for line in lines), default=0))
    return [f"{fence}text", *lines, fence]


def _code(text: str) -> str:
    """Text between back-ticks, on one line."""
    return " ".join(text.replace("`", "'").split())


def _run(line: str) -> int:
    """The longest row of back-ticks in a line."""
    longest = length = 0
    for character in line:
        length = length + 1 if character == "`" else 0
        longest = max(longest, length)
    return longest


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#&~!$" else c for c in " ".join(text.split()))
