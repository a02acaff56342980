"""What the clauses say of an input, in lines."""

from __future__ import annotations

from sonnx_verify.language import syntax
from sonnx_verify.solving.inputs.replay import Outcome


def clause_lines(outcome: Outcome, why: bool) -> list[str]:
    """Each clause that fails, or all where `why`, with the reasons; last what the errors come of."""
    lines = []
    for name, reasons in outcome.undeclared.items():
        lines.append(f"`{name}` is not as it is declared")
        lines += [f"  {reason}" for reason in reasons]
    for statement, holds, reasons in outcome.clauses:
        clause = statement.clause
        if clause.kind == "error":
            if holds or why:
                lines.append(f"[{clause.tag}] {'applies' if holds else 'does not apply'}: {clause.title}")
        elif not holds or why:
            lines.append(f"[{clause.tag}] {'holds' if holds else 'fails'}: {clause.title}")
            lines += [f"  {reason}" for reason in reasons]
    if outcome.broken and outcome.errors:
        lines.append(_why_error(outcome))
    if outcome.undetermined:
        lines.append(outcome.undetermined)
    return lines


def _why_error(outcome: Outcome) -> str:
    """What the errors come of. Where they say so themselves, that is one constraint: `C1 fails` is true of the first
    alone."""
    first = next((c for c in outcome.broken if c[0].clause.kind == "constraint"), outcome.broken[0])
    by_first = [e for e in outcome.errors if e.clause.body is not None and first[0].tag in _said_to_fail(e.clause.body)]
    causes, errors = ([first], by_first) if by_first else (outcome.broken, outcome.errors)
    reason = next((f"{reasons[0]}: " for _, _, reasons in causes if reasons), "")
    fail = "fails" if len(causes) == 1 else "fail"
    return f"{reason}{' and '.join(s.tag for s, _, _ in causes)} {fail}, so {' and '.join(e.tag for e in errors)}"


def _said_to_fail(body: syntax.Expression) -> set[str]:
    """The constraints of which a condition speaks."""
    return {node.tag for node in syntax.every(body) if isinstance(node, syntax.Fails)}
