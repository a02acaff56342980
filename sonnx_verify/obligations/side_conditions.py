"""in-bounds and total: the conditions under which each clause means anything, on what stands before it. Trusted.

The elaborator notes a side condition wherever an expression may have no meaning (`language/enclosure.py`): a read
outside, a divisor 0, the only member of a set with two. Shown here is that no input reaches such a place. An example:
`[C2] constraint : X.shape[a] > 0` notes `0 <= a < rank(X)`, which has to follow from [C1] above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.kernel.frames import Place
from sonnx_verify.kernel.variables import VariableRole, typed, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import spoken
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning, place_of
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.terms import Term, not_, subterms
from sonnx_verify.logic.verdict import static
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import spoken_of
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.text import in_words
from sonnx_verify.sources import Span


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """in-bounds and total: the conditions under which each clause means anything."""
    groups = dict.fromkeys((side.place, side.kind) for side in meaning.context.sides)
    for place, kind in groups:
        yield section.obligation(place.tag, kind, _span(section, place), _sides_builder(section, place, kind))
    yield from _undetermined(section, meaning)


def _sides_builder(section: Section, place: Place, kind: Kind) -> Callable[[Context], Statement]:
    """State that the side conditions of one kind at a place follow from what may be relied on there.

    A term has a value wherever it reads, in the solvers: `X[5]` of three elements is some element. So `X[5] = X[5]` is
    proved, and would say nothing of an implementation. It is the in-bounds beside it that fails. (Twins reads_below_0,
    reducemax_entry_beyond_the_last, the_one_of_two.)
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        hypotheses = before(meaning, place)
        sides = [side for side in context.sides if (side.place, side.kind) == (place, kind)]
        claims = []
        for side in sides:
            failing = None if side.read is None else side.read.failing
            claims.append(Claim(hypotheses, side.formula, f"{side.reason} ({side.span})", failing=failing))
        used = _symbols(claims)
        spoken = [v for v in meaning.variables if v.role is not VariableRole.OUTPUT or v.symbol("rank") in used]
        return Statement(tuple(spoken), hypotheses, tuple(claims))

    return build


def _symbols(claims: list[Claim]) -> set[object]:
    """The symbols that claims apply: an output that none speaks of is not made up for an example."""
    found: set[object] = set()
    for claim in claims:
        for node in subterms(*claim.hypotheses, claim.goal):
            if node.op == ops.APPLY:
                found.add(node.payload)
    return found


def before(meaning: Meaning, place: Place) -> tuple[Term, ...]:
    """The conditions that may be relied on at a place: for a clause those before it, for an error the restrictions,
    else validity.

    A clause must never rely on itself or on one below it, which relies on it in turn: of `[C1] X[a] > 0` above
    `[C2] 0 <= a < count(X)` each would make the other mean something, and `X[a]` was never shown to be read inside.
    """
    if place.above is not None:
        # A declaration relies on the types and on the declarations above it.
        return (*meaning.hypotheses, *meaning.arity[: place.above])
    tag = place.tag
    declared = (*meaning.hypotheses, *meaning.arity)
    let = next((x for x in meaning.lets if x.name == tag), None)
    if let is not None:
        below = [c for c in meaning.file.clauses if c.place > let.place]
        of_errors = let.name in _lets_of_errors(meaning)
        if below or of_errors:
            return (*declared, *_above_let(meaning, let, below, of_errors=of_errors))
    if tag in {c.tag for c in meaning.output_clauses}:
        # Such a constraint is a condition on an output that somebody else made: only its type is known.
        return (*declared, *(typed(v, bounded=False) for v in meaning.outputs), meaning.valid)
    if any(e.tag == tag for e in meaning.errors):
        # An error has to mean something of the input that it is for, on which constraints fail.
        return (*declared, *(r.known for r in meaning.restrictions))
    statements = [*meaning.restrictions, *meaning.constraints]
    for n, statement in enumerate(statements):
        if statement.tag == tag:
            return (*declared, *(x.known for x in statements[:n]))
    valid = (*declared, *(x.known for x in statements))
    if tag == s.Reach.OUTCOME:
        # Of valid input it is asked first, also where an error applies.
        return valid
    unless_open = (not_(meaning.unspecified_outcome), not_(meaning.erring))
    counts = {f"{name}.{s.Reach.COUNT}" for name in meaning.families}
    if meaning.shaped or tag in counts:
        return (*valid, *unless_open)
    # No clause gives a shape: the value is a condition on an output of any shape that the other clauses allow.
    outputs = {v.name: value_of(v) for v in meaning.outputs}
    about_outputs = (*(typed(v, bounded=False) for v in meaning.outputs), *spoken_of(meaning, outputs))
    return (*valid, *about_outputs, *unless_open)


def _above_let(meaning: Meaning, let: s.Let, below: list[s.Clause], *, of_errors: bool) -> list[Term]:
    """The clauses that a `let` may rely on, where clauses below it, or errors, may use it: it has to make sense under
    those above alone."""
    above = [x for x in (*meaning.restrictions, *meaning.constraints) if x.clause.place < let.place]
    # A restriction comes before all constraints, also those above it; and an error is asked for where constraints fail.
    # Neither may come to rest on a constraint through the `let`.
    if of_errors or any(c.kind is s.ClauseKind.RESTRICTION for c in below):
        above = [x for x in above if x.clause.kind is s.ClauseKind.RESTRICTION]
    return [x.known for x in above]


def _lets_of_errors(meaning: Meaning) -> set[str]:
    """The names given by `let` that errors speak of, also through others and through definitions."""
    # Of this family alone: the `let` of another one has this name too, and speaks of other names.
    bodies = {let.name: let.body for let in meaning.lets}
    found: set[str] = set()
    todo = [c.body for c in meaning.file.clauses if c.kind is s.ClauseKind.ERROR and c.body is not None]
    while todo:
        new = (spoken(meaning.file, todo.pop()) & bodies.keys()) - found
        found |= new
        todo += [bodies[name] for name in new]
    return found


def _span(section: Section, place: Place) -> Span:
    """The line of a place, where a report points to."""
    file = section.file
    # Several rules may leave one thing open: a report points to the first.
    spans: dict[Place, Span] = {}
    for clause in file.clauses:
        if section.sees(clause):
            spans.setdefault(Place(clause.tag), clause.span)
    for let in file.lets:
        if section.sees(let):
            spans.setdefault(Place(let.name), let.span)
    for rule in file.rules:
        if section.sees(rule):
            spans.setdefault(Place(place_of(file, rule)), rule.span)
    assert file.span is not None
    return spans.get(place, file.span)


def _undetermined(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """An output that no clause gives a shape or a value: violated, without a solver."""
    for output in section.file.outputs:
        missing = []
        family = meaning.families.get(output.name)
        if family is not None and family.count is None:
            missing.append("count")
        if output.name not in meaning.shaped:
            missing.append("shape")
        if output.name not in meaning.valued:
            missing.append("value")
        if missing:
            obligation = section.obligation(output.name, Kind.TOTAL, output.span, None)
            reason = f"no clause gives the {in_words(missing)} of `{output.name}`"
            obligation.answer = static(holds=False, reason=reason)
            yield obligation
