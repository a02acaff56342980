"""Notes that forms take on the way: conditions that they ask, branches, and restrictions that are supposed. Trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto, unique

from sonnx_verify.kernel.failing_read import Read
from sonnx_verify.kernel.frames import Frames, Place
from sonnx_verify.kernel.values import Position, Shape
from sonnx_verify.logic.terms import TRUE, Term, is_literal, not_
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


@unique
class Lack(Enum):
    """Something that a text reads by its number, and that may not be there."""

    ITEM = auto()  # of a list
    AXIS = auto()  # of a shape or an index


@dataclass(frozen=True, slots=True)
class Why:
    """The words for a condition that is asked, and its place in the text. No verdict depends on them."""

    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Side:
    """A condition on which the meaning of a clause rests: a closed formula, its reason, and where it arose. Its kind is
    IN_BOUNDS, where something is read that has to be there, or TOTAL, where there has to be exactly one value. Of what
    is read by a number `lack` says what it is, of an element `read` which one."""

    kind: Kind
    formula: Term
    reason: str
    span: Span
    place: Place
    read: Read | None = None
    lack: Lack | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if` of the source: closed formulas that say it never goes one way, and never the other."""

    span: Span
    never_then: Term
    never_else: Term


@dataclass(slots=True)
class Notes(Frames):
    """The notes of one elaboration. In a theorem it is `supposing` that the restrictions of the operators in it hold,
    which are noted in `restrictions`, and their sentences in `supposed`."""

    sides: list[Side] = field(default_factory=list, init=False)
    branches: list[Branch] = field(default_factory=list, init=False)
    restrictions: list[Term] = field(default_factory=list, init=False)
    supposed: dict[str, None] = field(default_factory=dict, init=False)
    supposing: bool = field(default=False, init=False)

    def require(
        self,
        kind: Kind,
        condition: Term,
        why: Why,
        read: tuple[Position, Shape, int] | None = None,
        lack: Lack | None = None,
    ) -> None:
        """Note a side condition. A read has an index, the shape of its tensor, and the first coordinate's number."""
        # What is muted is elaborated elsewhere too, and noted there: the text of an operator that is applied has
        # obligations of its own, a step of a recursion is gone through once more. To mute anything else would drop a
        # question: `X[k]` beyond X has some value, and whatever is proved with it would be about nothing.
        if self.muted:
            return
        found = None
        if read is not None:
            position, shape, base = read
            found = Read(position, shape, condition, tuple(self.enclosing), base)
        condition = self.closed(condition)
        # Terms are built once, so what is trivially true is the term TRUE, and the same condition the same term.
        if condition is TRUE:
            return
        if all(x.formula is not condition or x.kind != kind or x.place != self.place for x in self.sides):
            self.sides.append(Side(kind, condition, why.reason, why.span, self.place, found, lack))

    def branch(self, condition: Term, span: Span) -> None:
        """Note an `if`, whose branches some input has to reach. In a definition that is called, one that an argument
        decides is none: that a call never takes the other branch is no fault of it."""
        # `f(n) = if n = 0 then 1 else ...` called as `f(2)`: 2 = 0 is the term FALSE, and is skipped. Written in a
        # clause itself, `if 2 = 0` is noted, and reported as a branch that nothing reaches.
        if not self.muted and (not is_literal(condition) or not self.called):
            self.branches.append(Branch(span, self.closed(not_(condition)), self.closed(condition)))

    def suppose(self, restriction: Term, sentence: str, span: Span) -> None:
        """Note a restriction of an operator that is applied here: theorems hold where restrictions do. In the text of
        another operator it is that text that has to see to it."""
        if not self.supposing:
            self.require(Kind.TOTAL, restriction, Why(sentence, span))
        if self.muted or not self.supposing:
            return
        # Under its binders, but whatever the conditions around it say. A restriction that nothing meets, assumed as
        # `c => false`, would rule out all input with c in silence; alone it leaves no input at all, and the theorem is
        # seen to be vacuous.
        restriction = self.bound(restriction)
        if restriction is not TRUE and restriction not in self.restrictions:
            self.restrictions.append(restriction)
            self.supposed[sentence] = None
