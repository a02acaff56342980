"""What `conform` found, as a run."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.conformance.record import Conclusion, Conformance
from sonnx_verify.errors import Span
from sonnx_verify.outputs.conformance import conformance_lines, divergence_lines
from sonnx_verify.outputs.record import FAILED, PASSED, UNDECIDED, About, Case, Run
from sonnx_verify.results.place import Place

_RULES = (
    About("agreement", "A target agrees with the specification on what was looked at.", "Nothing is to be done."),
    About("divergence", "A target gives another result than the specification.", "The repro shows it: run it."),
    About("unsupported", "A target refuses all valid input of a type.", "Leave the type out with --types, or add it."),
    About("conform-ledger", "The run is not what the ledger of divergences has.", "Review it; run --update-ledger."),
)


def run_of_conform(answer: Conformance, differences: Sequence[str], frozen: bool, span: Span | None) -> Run:
    """A case for each divergence, each type that is not supported or not decided and each line of the ledger that is
    otherwise. What a ledger has is known, and passes where the run is held against it."""
    suite = f"{answer.operator} against {answer.target}"
    place = None if span is None else Place.of(span)
    known, refused = (PASSED, PASSED) if frozen else (FAILED, UNDECIDED)
    cases = [
        Case(suite, d.id, known, "divergence", d.title, tuple(divergence_lines(d)), place=place)
        for d in answer.divergences
    ]
    cases += [
        Case(suite, f"{suite}: {u['type']}", refused, "unsupported", str(u["said"]), level="warning", place=place)
        for u in answer.unsupported
    ]
    cases += [
        Case(suite, text.partition(":")[0], FAILED, "conform-ledger", text, (text,), place=place)
        for text in differences
    ]
    lines = list(conformance_lines(answer))
    until = lines.index("") if "" in lines else len(lines)
    cases += [
        Case(suite, f"{suite}: {name}", refused, "agreement", f"unknown: {name}: {one.get('said', '')}", place=place)
        for name, one in answer.scope.get("of_types", {}).items()
        if one.get("verdict") == Conclusion.UNKNOWN
    ]
    if not cases:
        outcome = PASSED if frozen or answer.verdict in (Conclusion.PROVED, Conclusion.AGREES) else UNDECIDED
        # With the bound, without which it would claim more.
        facts = {"scope": "; ".join(line.strip() for line in lines[1:until])}
        cases = [Case(suite, suite, outcome, "agreement", lines[0], tuple(lines), "warning", place, facts=facts)]
    used = {case.rule for case in cases}
    tools = {answer.target: answer.target_version} if answer.target_version else {}
    return Run("conform", cases, [r for r in _RULES if r.name in used], [x.strip() for x in lines[:until]], tools)
