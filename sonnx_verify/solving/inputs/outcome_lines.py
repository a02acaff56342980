"""The judgement of each clause on an input, and what comes of it, in lines."""

from __future__ import annotations

from sonnx_verify.language import syntax as s
from sonnx_verify.results.values import tensor_text
from sonnx_verify.solving.inputs.replay import Judged, Outcome

_VERBS = {(True, True): "applies", (True, False): "does not apply", (False, True): "holds", (False, False): "fails"}
"""The verbs of errors and of other clauses, by whether they are true."""


def clause_lines(outcome: Outcome, *, why: bool) -> list[str]:
    """Each clause that fails, or all where `why`, with the reasons; last what the errors come of."""
    lines = []
    for name, reasons in outcome.undeclared.items():
        lines.append(f"`{name}` does not match its declaration")
        lines += [f"  {reason}" for reason in reasons]
    for judged in outcome.clauses:
        # An error that does not apply is no news, nor is a condition that holds.
        if why or judged.is_error == judged.holds:
            lines += _clause(judged)
    if outcome.broken and outcome.errors:
        lines.append(_why_error(outcome))
    if outcome.undetermined:
        lines.append(outcome.undetermined)
    return lines


def outcome_lines(outcome: Outcome, *, why: bool) -> list[str]:
    """The lines of the clauses, and each output with what is left open of it."""
    lines = clause_lines(outcome, why=why)
    for name, tensor in outcome.outputs.items():
        lines.append(f"{name} = {tensor_text(tensor)}")
        if name in outcome.unspecified:
            lines.append(f"  left open by the specification at {', '.join(map(str, outcome.unspecified[name]))}")
    return lines


def _clause(judged: Judged) -> list[str]:
    clause = judged.statement.clause
    verb = _VERBS[judged.is_error, judged.holds]
    lines = [f"[{clause.tag}] {verb}: {clause.title}"]
    if not judged.is_error:
        lines += [f"  {reason}" for reason in judged.reasons]
    return lines


def _why_error(outcome: Outcome) -> str:
    """The cause of the errors. Where they say so themselves, that is one constraint: `C1 fails` is true of the first
    alone."""
    causes, errors = outcome.broken, outcome.errors
    constraints = [c for c in causes if c.statement.clause.kind is s.ClauseKind.CONSTRAINT]
    first = next(iter(constraints), causes[0])
    by_first = [e for e in errors if first.statement.tag in _said_to_fail(e.clause.body)]
    if by_first:
        causes, errors = [first], by_first
    # One reason is enough: why the second of two clauses fails is in its own lines above.
    reason = next((f"{judged.reasons[0]}: " for judged in causes if judged.reasons), "")
    fail = "fails" if len(causes) == 1 else "fail"
    tags = " and ".join(judged.statement.tag for judged in causes)
    return f"{reason}{tags} {fail}, so {' and '.join(error.tag for error in errors)}"


def _said_to_fail(body: s.Expression | None) -> set[str]:
    """The constraints of which a condition speaks."""
    if body is None:
        return set()
    return {node.tag for node in s.every(body) if isinstance(node, s.Fails)}
