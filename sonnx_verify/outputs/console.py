"""Results of obligations as text, for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from sonnx_verify.errors import UserError
from sonnx_verify.logic.float_sums import SUM_IS_ROUNDED
from sonnx_verify.logic.verdict import GOOD, VerdictName
from sonnx_verify.outputs.paint import PLAIN, Paint, Tone
from sonnx_verify.outputs.record import Mistake
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.example import Example, example_lines
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.results.voice import ENUMERATION, STAND_INS
from sonnx_verify.sources import in_line


def line_of(record: Result, paint: Paint = PLAIN) -> str:
    """Verdict, identity and what is behind it, on one line."""
    return f"{paint.verdict(record, 11)} {record.id}{behind(record)}"


def behind(record: Result) -> str:
    """The words after a verdict: the expectation, notes, assumptions, the reason."""
    expectation = framed("expected ", record.expected)
    if record.expected and not record.surprising:
        expectation = "as expected"
    notes = [note for note in (expectation, record.note, _assuming(record)) if note]
    # Why a proof was found is in the record; why none was is what a person asks.
    if record.verdict not in GOOD:
        notes.append(record.reason)
    return f"  ({'; '.join(notes)})" if notes else ""


def _assuming(record: Result) -> str:
    return framed("assuming that ", " and ".join(record.assumed))


def finding_lines(result: Result, page_sentence: str = "", paint: Paint = PLAIN) -> list[str]:
    """A finding in full: the place, the broken sentence, the counterexample, and the expectation; below the clause the
    sentence of the page. Empty if all is well."""
    if not result.surprising and result.verdict in GOOD:
        return []
    lines = [f"{paint.verdict(result)} {paint(result.id, Tone.NAME)}", f"  {paint(str(result.place), Tone.PLACE)}"]
    if result.title:
        what = "example" if result.kind is Kind.EXAMPLE else "clause"
        lines.append(f"  {what}: {result.title}")
    if result.title and page_sentence:
        lines.append(f"  page: {page_sentence}")
    return [*lines, *reason_lines(result, paint)]


def reason_lines(result: Result, paint: Paint = PLAIN) -> list[str]:
    """The grounds of a finding: the counterexample, or the reason if there is none, and its assumptions."""
    lines = []
    # Of a counterexample the broken sentence is the reason.
    if result.counterexample is None:
        lines.append(f"  {result.reason}")
        if result.note and result.verdict not in GOOD:
            lines += [f"  {part}" for part in result.note.split("; ")]
    if result.verdict is VerdictName.VACUOUS and result.witness is not None and result.witness.given:
        lines += [f"    {text}" for text in example_lines(result.witness)]
    if result.assumed:
        lines.append(f"  {_assuming(result)}")
    if result.expected_reason:
        lines.append(f"  expected: {result.expected_reason}")
    if result.counterexample is not None:
        lines += _counterexample_lines(result, result.counterexample, paint)
    return lines


def _counterexample_lines(result: Result, example: Example, paint: Paint) -> list[str]:
    size = "smallest counterexample" if example.minimal else "counterexample"
    # An input of one element type shows nothing about the others.
    types = ""
    if len(result.types) != len(result.declared):
        types = f", for {', '.join(result.types)}"
    lines = [f"  {paint('violated:', Tone.NAME)} {example.broken}", f"  {size}, replayed{types}:"]
    lines += [f"    {text}" for text in example_lines(example)]
    # A read outside of a tensor has no value: the statement fails there, whatever is claimed.
    if example.read:
        lines.append(f"  out-of-bounds read: {example.read}")
    return lines


def hint_lines(result: Result) -> list[str]:
    """The command to run next, if a clause might repair the text."""
    if not result.mend:
        return []
    return [f"  to look for a repair: sonnx-verify explain {result.id}"]


def summary(records: Sequence[Result], solvers: dict[str, str | None], errors: int = 0) -> list[str]:
    """The verdicts of a run by number, with their scopes and the solvers that were asked, and the number of surprises.
    `errors` is the number of mistakes for which texts were not checked."""
    return [*counted(records, solvers), *surprises(records, errors)]


def counted(listed: Sequence[Result], solvers: dict[str, str | None]) -> list[str]:
    """The verdicts of a run by number, with their scopes and the solvers that were asked."""
    verdicts = Counter(r.verdict for r in listed)
    # Good verdicts first, findings behind them.
    order = [*sorted(verdicts.keys() & GOOD, reverse=True), *sorted(verdicts.keys() - GOOD)]
    by_verdict = ", ".join(f"{verdicts[name]} {name}" for name in order)
    scopes = dict.fromkeys(r.scope for r in listed if r.scope and r.verdict == "proved")
    # Obligations share queries: each is counted once.
    queries: dict[str, set[str]] = {}
    for query in chain.from_iterable(record.queries for record in listed):
        queries.setdefault(query.sha256, set()).update(query.answers)
    lines = [f"{counted_text(len(listed), 'obligation')}: {by_verdict or 'none'}"]
    lines += [f"scope of what is proved: {scope}" for scope in scopes]
    # A proof needs two voices: a query that one solver alone was asked proves nothing.
    first = {name: version for name, version in solvers.items() if name not in STAND_INS}
    by_both = sum(first.keys() <= names for names in queries.values())
    some = counted_text(len(queries), "SMT query", "SMT queries")
    lines.append(f"{some}, {by_both} sent to both solvers: {_solvers(first)}")
    for name in STAND_INS:
        asked = sum(name in names for names in queries.values())
        if asked:
            lines.append(f"{asked} of them sent to {_solvers({name: solvers.get(name)})} too")
    compared = sum(ENUMERATION in names for names in queries.values())
    if compared:
        lines.append(f"{compared} of them beside an enumeration of all values")
    trusting = sum(SUM_IS_ROUNDED in r.assumptions for r in listed)
    if trusting:
        lines.append(f"{counted_text(trusting, 'verdict')} on trust of one rule: {SUM_IS_ROUNDED}")
    lines += _axiom_lines(listed)
    lines += _lemma_lines(listed)
    for name in dict.fromkeys(chain.from_iterable(record.struck for record in listed)):
        lines.append(f"not decided: the guard of time struck twice at the query of {name}; work limits did not end it")
    expected = sum(bool(r.expected) and not r.surprising for r in listed)
    if expected:
        lines.append(counted_text(expected, "expected finding"))
    return lines


def surprises(records: Sequence[Result], errors: int, mistakes: Sequence[Mistake] = ()) -> list[str]:
    """The number of surprises, with the mistakes behind them by name."""
    number = sum(r.surprising for r in records)
    if number:
        end = ":" if mistakes else ""
        return [f"{counted_text(number, 'surprise')}{end}", *(f"  {mistake.line}" for mistake in mistakes)]
    # Of files that were not checked nothing is known, and a run that decided nothing could not be surprised.
    return [] if errors or not records else ["no surprises"]


def _axiom_lines(records: Sequence[Result]) -> list[str]:
    """The number of verdicts that rest on axioms, and each axiom outside the shared library."""
    resting = Counter(axiom for record in records for axiom in record.axioms)
    if not resting:
        return []
    some = counted_text(sum(bool(record.axioms) for record in records), "verdict rests", "verdicts rest")
    lines = [f"{some} on {counted_text(len(resting), 'axiom')}: cited laws that are not proved"]
    # Whoever writes an axiom may assume anything. Those of the shared library were reviewed; of others the reader has
    # to be told, in the same words everywhere.
    for axiom, number in not_reviewed(records).items():
        rest = counted_text(number, "verdict rests", "verdicts rest")
        lines.append(f"NOT REVIEWED: {rest} on the assumption that {axiom}")
    return lines


def _lemma_lines(records: Sequence[Result]) -> list[str]:
    """Of each file the lines that proofs of it need and that it lacks, with the command that writes them."""
    helped: dict[str, list[Result]] = {}
    for record in records:
        if record.lemmas:
            helped.setdefault(record.place.file, []).append(record)
    lines = []
    for file, some in helped.items():
        number = counted_text(len(some), "verdict rests", "verdicts rest")
        lines.append(f"{number} on theorems that {file} does not name; `sonnx-verify check --fix {file}` writes:")
        lines += (f"  {line}" for line in dict.fromkeys(chain.from_iterable(one.lemmas for one in some)))
    return lines


def not_reviewed(records: Iterable[Result]) -> dict[Axiom, int]:
    """The axioms that are not of the shared library, by their names, with the number of verdicts that rest on each."""
    resting = Counter(axiom for record in records for axiom in record.axioms if not axiom.is_shared)
    return {axiom: resting[axiom] for axiom in sorted(resting, key=lambda axiom: axiom.id)}


def unchecked(errors: Sequence[UserError], files: Sequence[str]) -> list[str]:
    """The line that says how many mistakes kept which files from being checked, if any did."""
    if not errors:
        return []
    wrong = list(dict.fromkeys(e.span.source.name for e in errors if e.span is not None))
    own, others = list(files), []
    # A mistake without a place may be in any of the files.
    if all(e.span is not None for e in errors):
        own = [file for file in files if file in wrong]
        others = [file for file in files if file not in wrong]
    if not own and not others:
        return []  # Somebody ended the run: that is no mistake of a file.
    line = f"{counted_text(len(errors), 'error')}: "
    if own:
        line += f"{_listed(own)} {_were(own)} not checked"
    if own and others:
        it = "them" if len(own) > 1 else "it"
        line += f", nor {_were(others)} {_listed(others)}, which {_need(others)} {it}"
    elif others:
        it = "they" if len(others) > 1 else "it"
        line += f"{_listed(others)} {_were(others)} not checked: {it} {_need(others)} {_listed(wrong)}"
    return [in_line(line)]


_MOST_FILES = 6
"""The most files that are named in a line."""


def _listed(files: Sequence[str]) -> str:
    if len(files) > _MOST_FILES:
        return f"{', '.join(files[:_MOST_FILES])} and {len(files) - _MOST_FILES} more files"
    *before, last = files
    return " and ".join(part for part in (", ".join(before), last) if part)


def _were(files: Sequence[str]) -> str:
    return "were" if len(files) > 1 else "was"


def _need(files: Sequence[str]) -> str:
    return "need" if len(files) > 1 else "needs"


def _solvers(solvers: dict[str, str | None]) -> str:
    return " and ".join(f"{name} {version or '(not installed)'}" for name, version in solvers.items())
