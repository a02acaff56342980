"""The findings of `conform` as a run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance
from sonnx_verify.outputs.conformance import conformance_lines, divergence_lines, types_words
from sonnx_verify.outputs.record import FAILED, PASSED, UNDECIDED, About, Case, Run
from sonnx_verify.results.place import Place
from sonnx_verify.sources import Span

AGREEMENT, DIVERGENCE, UNSUPPORTED, LEDGER = "agreement", "divergence", "unsupported", "conform-ledger"
_RULES = (
    About(AGREEMENT, "A target agrees with the specification on everything that was tested.", "Nothing is to be done."),
    About(DIVERGENCE, "A target gives another result than the specification.", "The repro shows it: run it."),
    About(UNSUPPORTED, "A target refuses all valid input of a type.", "Leave the type out with --types, or add it."),
    About(LEDGER, "The run differs from the ledger of divergences.", "Review it; run --update-ledger."),
)


def run_of_conform(answer: Conformance, differences: Sequence[str], span: Span | None, *, frozen: bool) -> Run:
    """A case for each divergence, each type that is not supported or not decided and each line of the ledger that
    differs. The contents of a ledger are known, and pass if the run is `frozen`: held against it."""
    suite = f"{answer.operator} against {answer.target}"
    place = None if span is None else Place.of(span)
    known, refused = (PASSED, PASSED) if frozen else (FAILED, UNDECIDED)
    cases: list[Case] = []
    for one in answer.divergences:
        told = tuple(divergence_lines(one))
        title = f"{suite}: {one.title} ({types_words(one.types, is_misuse=one.misuse is not None)})"
        cases.append(Case(suite, one.id, known, DIVERGENCE, title, told, place=place))
    for row in answer.unsupported:
        name = f"{suite}: {row.type}"
        title = f"{name} is not supported: {row.said}"
        cases.append(Case(suite, name, refused, UNSUPPORTED, title, level="warning", place=place))
    for text in differences:
        cases.append(Case(suite, text.partition(":")[0], FAILED, LEDGER, text, (text,), place=place))
    for type_, found in answer.scope.get("of_types", {}).items():
        if found.get("verdict") == Conclusion.UNKNOWN:
            title = f"unknown: {type_}: {found.get('said', '')}"
            cases.append(Case(suite, f"{suite}: {type_}", refused, AGREEMENT, title, place=place))
    lines = list(conformance_lines(answer))
    # Divergences follow after a blank line; they are cases of their own.
    head = [*takewhile(bool, lines)]
    if not cases:
        outcome = UNDECIDED
        if frozen or answer.verdict in (Conclusion.PROVED, Conclusion.AGREES):
            outcome = PASSED
        # With the bound, without which it would claim more.
        facts = {"scope": "; ".join(line.strip() for line in head[1:])}
        cases = [Case(suite, suite, outcome, AGREEMENT, lines[0], tuple(lines), "warning", place, facts=facts)]
    used = {case.rule for case in cases}
    rules = [rule for rule in _RULES if rule.name in used]
    tools = {answer.target: answer.target_version} if answer.target_version else {}
    return Run("conform", cases, rules, [line.strip() for line in head], tools)
