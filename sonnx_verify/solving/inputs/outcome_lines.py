"""The outcome of an evaluation as lines of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.language import syntax as s
from sonnx_verify.results.text import counted_text, digits_text, framed
from sonnx_verify.results.values import tensor_text
from sonnx_verify.solving.inputs.reached import Reached
from sonnx_verify.solving.inputs.replay import Judged, Outcome

_MOST_PLACES = 12
"""The most indices that a line lists."""
_VERBS = {(True, True): "applies", (True, False): "does not apply", (False, True): "holds", (False, False): "fails"}
"""The verbs of errors and of other clauses, by whether they are true."""


def clause_lines(outcome: Outcome, *, why: bool) -> list[str]:
    """Each clause that fails, or all where `why`, with the reasons; then what the errors come of, or what leaves the
    outcome open."""
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
    lines += map(open_line, outcome.left_open)
    if outcome.undetermined:
        lines.append(outcome.undetermined)
    return lines


def open_line(rule: s.Rule) -> str:
    """The line of an item that leaves the outcome or the shape open."""
    text = f"leaves the {rule.what.reach} open: {rule.title}"
    if not rule.tag:
        return f"the specification {text}"
    return f"[{rule.tag}] {text}"


def outcome_lines(outcome: Outcome, reached: Mapping[str, Sequence[Reached]], *, why: bool) -> list[str]:
    """The lines of the clauses, and each output with how far its sets of results reach and what is left open of it."""
    lines = clause_lines(outcome, why=why)
    for name, tensor in outcome.outputs.items():
        lines.append(f"{name} = {tensor_text(tensor)}")
        # Where the element is open the set binds nobody.
        open_at = outcome.unspecified.get(name, [])
        lines += reach_lines([one for one in reached.get(name, ()) if one.index not in open_at])
        lines += [f"  {_open_element_line(rule, places)}" for rule, places in outcome.open_items.get(name, ())]
    return lines


def _open_element_line(rule: s.Rule, places: Sequence[tuple[int, ...]]) -> str:
    """The line of an item that leaves some elements open: each shown there is one of those that conform."""
    item = "the specification" if not rule.tag else f"[{rule.tag}]"
    what = "the element"
    if places[0]:
        shown = ", ".join(str(list(place)) for place in places[:_MOST_PLACES])
        more = ", ..." if len(places) > _MOST_PLACES else ""
        what = f"{'elements' if len(places) > 1 else 'element'} {shown}{more}"
    return f"{item} leaves {what} open{framed(': ', rule.title)}"


def reach_lines(sets: Sequence[Reached]) -> list[str]:
    """A line on the widest of the sets that say something, then those that say nothing, each indented."""
    lines = []
    counted = [one for one in sets if one.steps is not None]
    if counted:
        widest = max(counted, key=lambda one: one.steps or 0)
        steps = counted_text(widest.steps or 0, "step")
        # Most often a text allows one number of steps everywhere.
        if len({one.steps for one in counted}) == 1:
            others = _more(len(counted))
        else:
            others = _others("the widest of", len(counted))
        lines.append(f"  {_at(widest)}within {steps} of {widest.nearest}{others}")
    telling = [one for one in sets if one.bound is not None and not one.says_nothing]
    if telling:
        widest = max(telling, key=lambda one: one.ratio or 0)
        lines.append(f"  {_within(widest)}{_others('the widest of', len(telling))}")
    silent = [one for one in sets if one.says_nothing and one.bound is not None]
    if silent:
        lines.append(f"  {_within(silent[0])}: the bound says nothing{_more(len(silent))}")
    free = [one for one in sets if one.is_any]
    if free:
        lines.append(f"  {_at(free[0])}any element conforms{_more(len(free))}")
    return lines


def _within(one: Reached) -> str:
    assert one.bound is not None
    assert one.centre is not None
    text = f"{_at(one)}within {digits_text(one.bound, 3)} of {digits_text(one.centre, 6)}"
    if one.ratio is not None:
        text += f", {digits_text(one.ratio, 2)} of it"
    return text


def _at(one: Reached) -> str:
    if not one.index:
        return ""
    return f"at {list(one.index)}: "


def _others(text: str, count: int) -> str:
    if count == 1:
        return ""
    return f", {text} {count} sets"


def _more(count: int) -> str:
    if count == 1:
        return ""
    return f" (one of {count} such indices)"


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
