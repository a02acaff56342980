"""The verdicts on mutants, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.records import count, score
from sonnx_verify.errors import quoted
from sonnx_verify.outputs.paint import PLAIN, Paint, Tone
from sonnx_verify.results.answer_json import TOOL, ExampleJson, ToolJson, example_json
from sonnx_verify.results.example import example_lines
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.sources import Span

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
    return f"{verdict} {outcome.mutation.place} {outcome.mutation.name}{_how(outcome)}"


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
        place = Span(mutation.source, mutation.line, mutation.column, len(mutation.old.split("\n", 1)[0]))
        lines += [f"  {line}" for line in quoted(place).split("\n")]
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


class MutantJson(Struct, frozen=True):
    """A mutant and its end."""

    name: str
    file: str
    line: int
    column: int
    item: str
    slip: str | None
    old: str
    new: str
    source: str
    verdict: Fate
    killer: str | None
    finding: str | None
    reason: str | None
    counterexample: ExampleJson | None


class MutantsJson(Struct, frozen=True):
    """The whole answer of `mutate`."""

    tool: ToolJson
    mutants: list[MutantJson]
    summary: dict[str, int | float | None]
    changes: list[str] | UnsetType = UNSET


def mutants_json(outcomes: Sequence[Outcome], changes: list[str] | None) -> MutantsJson:
    """The record of some mutants, with the differences from the records where they are compared."""
    return MutantsJson(
        TOOL,
        [_json_of(o) for o in outcomes],
        count(Counter[str](o.verdict for o in outcomes)),
        UNSET if changes is None else changes,
    )


def _json_of(outcome: Outcome) -> MutantJson:
    mutation = outcome.mutation
    return MutantJson(
        mutation.name,
        mutation.source.name,
        mutation.line,
        mutation.column,
        mutation.item,
        mutation.kind,
        mutation.old,
        mutation.new,
        mutation.source.line(mutation.line),
        outcome.verdict,
        outcome.killer or None,
        outcome.finding or None,
        outcome.reason or None,
        example_json(example_of(outcome.shown)),
    )
