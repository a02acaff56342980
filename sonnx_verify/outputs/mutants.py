"""The verdicts on mutants, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.table import count, score
from sonnx_verify.errors import Span
from sonnx_verify.outputs.paint import PLAIN, Paint, Tone
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.example import example_lines
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.version import TOOL

_WORDS: dict[Fate, str] = {
    Fate.KILLED: "killed",
    Fate.EQUIVALENT: "equivalent, proved",
    Fate.SURVIVING: "surviving",
    Fate.NOT_SHOWN: "not shown",
    Fate.REJECTED: "rejected by the language",
}
_TONES = {Fate.SURVIVING: Tone.BAD, Fate.NOT_SHOWN: Tone.OPEN, Fate.KILLED: Tone.GOOD, Fate.EQUIVALENT: Tone.GOOD}
"""The tones of the fates that a line may tell."""


def line_of(outcome: Outcome, paint: Paint = PLAIN) -> str:
    """A mutant on one line, with its end."""
    verdict = paint(f"{outcome.verdict:<10}", _TONES.get(outcome.verdict, Tone.FAINT))
    return f"{verdict} {outcome.mutation.identity}{_how(outcome)}"


def _how(outcome: Outcome) -> str:
    """The obligation that the verdict depends on."""
    match outcome.verdict:
        case Fate.KILLED:
            return f" by {outcome.killer} ({outcome.finding})"
        # Of a mutant that is not shown to survive, the statement that is open stands in place of the killer.
        case Fate.NOT_SHOWN:
            return framed(": ", outcome.killer, f" is {outcome.finding}")
        case Fate.EQUIVALENT | Fate.SURVIVING | Fate.REJECTED:
            return ""


def in_full(outcome: Outcome, paint: Paint = PLAIN) -> list[str]:
    """A mutant with its line in the text, and with what is known of it."""
    mutation = outcome.mutation
    lines = [line_of(outcome, paint)]
    # Survivors are shown with their line: the mutation in it is what nothing noticed.
    if outcome.verdict in ALIVE:
        quoted = Span(mutation.source, mutation.line, mutation.column, len(mutation.old.split("\n", 1)[0])).quote()
        lines += [f"  {line}" for line in quoted.split("\n")]
    example = example_of(outcome.shown)
    if example is not None:
        lines.append(f"  {paint('violated:', Tone.NAME)} {outcome.reason}")
        lines += [f"    {line}" for line in example_lines(example)]
    elif outcome.reason:
        lines.append(f"  {outcome.reason}")
    return lines


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """The number of each verdict, and the score."""
    counted = Counter[str](o.verdict for o in outcomes)
    parts = [f"{counted[name]} {_WORDS[name]}" for name in Fate if counted[name]]
    lines = [f"{counted_text(len(outcomes), 'mutation')}: {', '.join(parts)}"]
    reached = score(counted)
    if reached is not None:
        lines.append(f"score: {reached:g} % killed of those that are not proved equivalent")
    return lines


def mutants_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The whole answer of `mutate`."""
    return {
        "tool": TOOL,
        "mutants": [_json_of(o) for o in outcomes],
        "summary": count(o.verdict for o in outcomes),
    }


def _json_of(outcome: Outcome) -> dict[str, Any]:
    mutation = outcome.mutation
    return {
        "file": mutation.source.name,
        "line": mutation.line,
        "column": mutation.column,
        "item": mutation.item,
        "slip": mutation.kind,
        "old": mutation.old,
        "new": mutation.new,
        "source": mutation.source.line(mutation.line),
        "verdict": outcome.verdict,
        "killer": outcome.killer or None,
        "finding": outcome.finding or None,
        "reason": outcome.reason or None,
        "counterexample": example_json(example_of(outcome.shown)),
    }
