"""The shapes of an operator's outputs on inputs of symbolic sizes: the conditions that have to hold, and each case.

However an answer was found, it is confirmed as a whole: its conditions, cases and sizes are compared with the exact
terms of the text, and both solvers have to find every difference contradictory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_verify.arrays.partial.folding import assuming
from sonnx_verify.arrays.partial.intervals import Interval
from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.arrays.shapes.decide import Decider, Decisions, Path, atoms, choices
from sonnx_verify.arrays.shapes.dims import Shortening, sayable, says
from sonnx_verify.arrays.shapes.given import Known, meanings
from sonnx_verify.arrays.shapes.unfold import Unfolder
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.values import Shape
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    eq,
    integer,
    is_literal,
    ite,
    not_,
    or_,
    subterms,
)
from sonnx_verify.solving.inputs.replay import MOST_MEMBERS, miscounted

_MOST_CASES = 64
GIVE_MORE = "give sizes as numbers, or inputs with their values"


@dataclass(frozen=True, slots=True)
class Condition:
    """The demand of a clause beyond those before it. `form` is None where it can only be said in the clause's words:
    then it is an assumption, as it is where it speaks of elements. `broken` says what it means that it fails."""

    tag: str
    kind: str
    sentence: str
    form: Term | None
    assumed: bool
    broken: str


@dataclass(frozen=True, slots=True)
class Case:
    """A condition, and the sizes of the outputs under it, from the left."""

    when: Term
    outputs: Mapping[str, tuple[Term, ...]]


@dataclass(slots=True)
class Answer:
    """The answer about shapes. `fails` is the clause that fails for all sizes: there are no cases then.
    `confirmed` is that both solvers agree with everything that was made shorter."""

    conditions: list[Condition] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    fails: Condition | None = None
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class _Asked:
    """Something that has to hold for there to be a result."""

    tag: str
    kind: str
    sentence: str
    term: Term
    broken: str = "fails for all sizes"


def infer(
    meaning: Meaning,
    known: Mapping[str, Known],
    bounds: dict[str, Interval],
    decider: Decider,
    confirm: Decider,
) -> Answer:
    """The shapes on inputs of these sizes and values. Raises UsageError where they are only known at run time."""
    return _Inference(meaning, known, bounds, decider).answer(confirm)


class _Inference:
    def __init__(
        self, meaning: Meaning, known: Mapping[str, Known], bounds: dict[str, Interval], decider: Decider
    ) -> None:
        self._meaning = meaning
        self._unfolder = Unfolder(meanings(meaning.given, known), bounds)
        self._decisions = Decisions(decider, bounds)
        self._shorten = Shortening(self._decisions, self._unfolder)
        self._valid: list[Term] = []
        self._exact: list[Term] = []
        self._sizes: dict[tuple[str, int], Term] = {}
        self._ranks: dict[str, Term] = {}
        self._counts: list[tuple[Term, int]] = []
        """The number of members of each family of outputs, as the text computes it and as a number."""

    def answer(self, confirm: Decider) -> Answer:
        answer = Answer()
        for asked in _asked_of(self._meaning):
            exact = self._unfolder.condition(asked.term)
            # Beyond those before it: `rank 2` need not be said again by the clause on axes.
            form = self._decisions.simplified(exact, tuple(self._valid))
            if self._decisions.impossible(*self._valid, form):
                form = FALSE
            condition = self._condition(asked, form)
            self._exact.append(exact)
            if form is FALSE:
                answer.fails = condition
                answer.confirmed = self._confirmed(confirm, self._exact)
                return answer
            if form is not TRUE:
                self._valid.append(form)
                answer.conditions.append(condition)
        self._spread()
        found: list[tuple[Path, dict[str, tuple[Term, ...]]]] = []
        self._split((), found)
        answer.cases = self._merged(found)
        answer.confirmed = all(self._confirmed(confirm, claim) for claim in self._claims(answer))
        return answer

    def _confirmed(self, confirm: Decider, claim: Sequence[Term]) -> bool:
        """A claim is contradictory by its form, or both solvers find it so."""
        return and_(*claim) is FALSE or confirm(self._decisions.with_bounds(claim))

    def _condition(self, asked: _Asked, form: Term) -> Condition:
        is_seen = sayable(form) and not any(n in self._unfolder.unseen for n in subterms(form))
        said = form if is_seen else None
        assumed = not is_seen or self._unfolder.at_run_time(form)
        return Condition(asked.tag, asked.kind, asked.sentence, said, assumed, asked.broken)

    def _spread(self) -> None:
        """Put each member of a family of outputs in its place. Raises UsageError where their number is not known."""
        counts = {}
        for name, family in self._meaning.families.items():
            if family.count is None:
                raise UsageError(f"no clause gives the count of `{name}`", cure="add `count " + name + " = ...`")
            what = f"the number of outputs `{name}`"
            exact = self._unfold(family.count, what)
            count = self._number(exact, tuple(self._valid), what).payload
            if not isinstance(count, int):
                raise _unknown(what)
            if not 0 < count <= MOST_MEMBERS:
                raise UsageError(miscounted(name, count), cure="correct the text, or give other values")
            self._counts.append((exact, count))
            counts[name] = count
        self._meaning = self._meaning.spread(counts)

    # ------------------------------------------------------------------------------------------------------------ cases

    def _split(self, path: Path, found: list[tuple[Path, dict[str, tuple[Term, ...]]]]) -> None:
        """The shapes under a path; where they depend on a condition, under it and under its opposite."""
        # Ten sizes that may each be 1 make a thousand cases, which nobody reads.
        if len(found) >= _MOST_CASES:
            raise UsageError(f"there are more than {_MOST_CASES} cases", cure=GIVE_MORE)
        outputs: dict[str, tuple[Term, ...]] = {}
        for output in self._meaning.outputs:
            made = self._shape(output.name, path)
            if isinstance(made, Term):
                # The condition first: cases stand in the order of the branches of the text.
                for side in (made, not_(made)):
                    if not self._decisions.impossible(*self._valid, *path, side):
                        self._split((*path, side), found)
                return
            outputs[output.name] = made
        found.append((path, outputs))

    def _shape(self, name: str, path: Path) -> tuple[Term, ...] | Term:
        """The sizes of an output, or a condition on which they depend."""
        shape = self._meaning.shapes.get(name)
        if shape is None:
            raise UsageError(f"no clause gives the shape of `{name}`", cure="add `shape " + name + " = ...`")
        here = (*self._valid, *path)
        rank = self._rank(name, shape, path)
        if not is_literal(rank):
            return self._next(rank, here, f"the rank of `{name}`")
        assert isinstance(rank.payload, int)
        sizes = []
        for k in range(rank.payload):
            size = self._shorten(_under(self._size(name, shape, rank.payload - 1 - k), path), here)
            if choices(size):
                return self._next(size, here, f"size {k} of `{name}`")
            if not sayable(size):
                raise _unknown(f"size {k} of `{name}`")
            sizes.append(size)
        return tuple(sizes)

    def _rank(self, name: str, shape: Shape, path: Path) -> Term:
        if name not in self._ranks:
            self._ranks[name] = self._unfold(shape.rank, f"the rank of `{name}`")
        here = (*self._valid, *path)
        return self._number(_under(self._ranks[name], path), here, f"the rank of `{name}`")

    def _number(self, exact: Term, here: Path, what: str) -> Term:
        """A number that follows from conditions; the term itself where none does."""
        number = self._shorten(exact, here)
        if is_literal(number):
            return number
        try:
            values = self._unfolder.values_of(exact)
        except Open:
            raise _unknown(what) from None
        # The axes [a, b] are two if a != b, whichever they are: members can be counted without being known.
        one = (integer(v) for v in values if self._decisions.follows(here, eq(exact, integer(v))))
        return next(one, exact)

    def _size(self, name: str, shape: Shape, axis: int) -> Term:
        if (name, axis) not in self._sizes:
            self._sizes[name, axis] = self._unfold(shape.dim(integer(axis)), f"a size of `{name}`")
        return self._sizes[name, axis]

    def _unfold(self, term: Term, what: str) -> Term:
        try:
            return self._unfolder(term)
        except (Open, Undefined):
            raise _unknown(what) from None

    def _next(self, term: Term, path: Path, what: str) -> Term:
        """The first condition in a term that is not decided."""
        for atom in atoms(*choices(term)):
            # A case has to be said: one by elements that have no form would not tell a reader which shape it is.
            if atom in self._unfolder.unseen or not sayable(atom):
                break
            if not (self._decisions.follows(path, atom) or self._decisions.impossible(*path, atom)):
                return atom
        raise _unknown(what)

    def _merged(self, found: Sequence[tuple[Path, dict[str, tuple[Term, ...]]]]) -> list[Case]:
        """One case for each result."""
        # Conditions were split one at a time, and many paths end at the same sizes.
        results: dict[tuple[tuple[Term, ...], ...], list[Path]] = {}
        for path, outputs in found:
            results.setdefault(tuple(outputs.values()), []).append(path)
        if len(results) == 1:
            return [Case(TRUE, found[0][1])]
        names = [v.name for v in self._meaning.outputs]
        valid = tuple(self._valid)
        cases: list[Case] = []
        for result, paths in results.items():
            when = or_(*(and_(*path) for path in paths))
            cases.append(Case(self._decisions.simplified(when, valid), dict(zip(names, result, strict=True))))
        return cases

    # ----------------------------------------------------------------------------------------------------------- claims

    def _claims(self, answer: Answer) -> list[list[Term]]:
        """The conditions that have to be contradictory if the answer is right."""
        # The conditions that are shown, `said`, hold exactly where those of the text do, ...
        valid, said = and_(*self._exact), and_(*self._valid)
        # ... exactly one case holds there, and in each case the sizes are those of the text.
        cases = add(*(ite(c.when, ONE, ZERO) for c in answer.cases))
        claims = [[valid, not_(said)], [said, not_(valid)], [valid, not_(eq(cases, ONE))]]
        # A family has as many members as are shown.
        claims += [[valid, not_(eq(exact, integer(count)))] for exact, count in self._counts]
        for case in answer.cases:
            parts = []
            for name, sizes in case.outputs.items():
                shape = self._meaning.shapes[name]
                parts.append(eq(self._ranks[name], integer(len(sizes))))
                parts += [says(size, self._size(name, shape, len(sizes) - 1 - k)) for k, size in enumerate(sizes)]
            claims.append([valid, case.when, not_(and_(*parts))])
        return claims


def _under(term: Term, path: Path) -> Term:
    """The term under conditions that hold."""
    for condition in path:
        term = assuming(term, condition, TRUE)
    return term


def _unknown(what: str) -> UsageError:
    return UsageError(f"{what} is known only at run time", cure=GIVE_MORE)


def _asked_of(meaning: Meaning) -> list[_Asked]:
    """The demands on input, in the order of the text: declarations, restrictions, constraints; that no other error
    applies and nothing leaves the shape open."""
    file = meaning.file
    where = [d for d in (*file.inputs, *file.attributes) if d.where is not None]
    asked = [
        _Asked(d.name, "declaration", f"`{d.name}` matches its declaration", t)
        for d, t in zip(where, meaning.arity, strict=True)
    ]
    for statement in (*meaning.restrictions, *meaning.constraints):
        clause = statement.clause
        asked.append(_Asked(clause.tag, clause.kind, clause.title, statement.known))
    # An error that applies exactly where a constraint fails would be the same condition again.
    failing = {meaning.first_to_fail(c.tag) for c in meaning.constraints}
    for error in meaning.errors:
        if error.term is not None and error.term not in failing:
            asked.append(_Asked(error.tag, "error", f"no error: {error.clause.title}", not_(error.term)))
    for item in meaning.left_open:
        if item.reach is not Reach.VALUE:
            tag, title = item.rule.tag or item.reach, item.rule.title or "its condition holds"
            asked.append(_Asked(tag, "unspecified", title, not_(item.when(None)), f"leaves the {item.reach} open"))
    return asked
