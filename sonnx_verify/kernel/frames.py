"""The surroundings of the place of a text that is elaborated: binders, conditions, calls, the clause. Trusted.

A side condition is closed over what encloses it, from the inside out. Of

    for all k in 0 .. n : given(x) => X[k] = x

the read asks that `for all k in 0 .. n : given(x) => k is inside X`: of each k, since each is read, and only where x is
given, since it is not read elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.values import Shape
from sonnx_verify.logic.terms import Term, bind_forall, bind_forall_index, implies
from sonnx_verify.sources import Span

MAX_CALLS = 2_000
MAX_NESTED_CALLS = 100
"""Limits of the definitions and operators that one call in a text leads to, in all and one inside the other."""


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a text that is elaborated, by the tag that its obligations have: that of a clause, the name of a
    `let`, `Y.shape`. Of what a declaration says behind `where`, that is the declared name, and `above` counts such
    conditions above it, on which it may rely."""

    tag: str = ""
    above: int | None = None


@dataclass(frozen=True, slots=True)
class Assuming:
    """A part that is only looked at where the condition holds."""

    condition: Term

    def close(self, side: Term) -> Term:
        """A side condition in there as one outside."""
        return implies(self.condition, side)


@dataclass(frozen=True, slots=True)
class Ranging:
    """A binder over a range."""

    low: Term
    high: Term
    variable: Term

    def close(self, side: Term) -> Term:
        """A side condition of the variable as one of each value."""
        return bind_forall(self.low, self.high, self.variable, side)


@dataclass(frozen=True, slots=True)
class Indexing:
    """A binder over the indices of a shape."""

    shape: Shape
    variable: Term

    def close(self, side: Term) -> Term:
        """A side condition of the variable as one of each index."""
        return bind_forall_index(self.shape.rank, self.shape.dim, self.variable, side)


Frame = Assuming | Ranging | Indexing


@dataclass(slots=True)
class Frames:
    """The surroundings of a place, outermost first. Nothing is noted where it is `muted`."""

    place: Place = field(default=Place(), init=False)
    muted: int = field(default=0, init=False)
    enclosing: list[Frame] = field(default_factory=list, init=False)
    binders: list[Ranging | Indexing] = field(default_factory=list, init=False)
    _calls: list[Span] = field(default_factory=list, init=False)
    _made: int = field(default=0, init=False)

    @contextmanager
    def _under(self, frame: Frame) -> Iterator[None]:
        self.enclosing.append(frame)
        try:
            yield
        finally:
            self.enclosing.pop()

    def assuming(self, condition: Term) -> AbstractContextManager[None]:
        """Inside what is only looked at where the condition holds."""
        # Terms are total, so `and`, `or`, `=>` and `if` of terms do not care in which order their parts are evaluated.
        # The guard takes nothing from what is claimed: where the condition fails the value of the part plays no role.
        #     rank(X) > 0 => X.shape[0] = 1        asks rank(X) > 0 => 0 <= 0 and 0 < rank(X), and nothing of rank 0
        return self._under(Assuming(condition))

    def ranging(self, low: Term, high: Term, variable: Term) -> AbstractContextManager[None]:
        """Inside a binder over a range."""
        # Of each value, since it is elaborated once for all of them. Left open, the variable would be free in the side
        # condition, and to show it for one value would be taken for all.
        return self._binding(Ranging(low, high, variable))

    def indexing(self, shape: Shape, variable: Term) -> AbstractContextManager[None]:
        """Inside a binder over an index set."""
        return self._binding(Indexing(shape, variable))

    @contextmanager
    def _binding(self, frame: Ranging | Indexing) -> Iterator[None]:
        self.binders.append(frame)
        try:
            with self._under(frame):
                yield
        finally:
            self.binders.pop()

    @contextmanager
    def at(self, tag: str, above: int | None = None) -> Iterator[None]:
        """Inside the part of that tag."""
        before, self.place = self.place, Place(tag, above)
        try:
            yield
        finally:
            self.place = before

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Without noting side conditions."""
        # A count, not a flag: inside an operator that is applied a recursion is silent too, and its end is not the end
        # of the silence around it.
        self.muted += 1
        try:
            yield
        finally:
            self.muted -= 1

    @contextmanager
    def calling(self, span: Span) -> Iterator[None]:
        """Inside what a definition or an operator that is called there says. Raises SpecificationError where the call
        in the text that leads there leads to too many: each of them calling the next one twice makes 2^n of n."""
        if not self._calls:
            self._made = 0
        self._made += 1
        outermost = next(iter(self._calls), span)
        if len(self._calls) >= MAX_NESTED_CALLS:
            raise SpecificationError(
                f"this call nests more than {MAX_NESTED_CALLS} others",
                outermost,
                "use fewer levels of definitions",
            )
        if self._made > MAX_CALLS:
            raise SpecificationError(
                f"this call leads to more than {MAX_CALLS:,} others",
                outermost,
                "call a definition once and pass its result on, as a parameter or by `let`",
            )
        self._calls.append(span)
        try:
            yield
        finally:
            self._calls.pop()

    @property
    def called(self) -> bool:
        """Return whether the place is in a definition or an operator that is called."""
        return bool(self._calls)

    def closed(self, formula: Term) -> Term:
        """The formula under all binders and conditions around it."""
        # From the inside out: a domain may speak of the variable of a binder further out, as in `for all k in 0 .. n, m
        # in 0 .. k`, and a condition of those around it. The other way round k would stand outside its own binder.
        for frame in reversed(self.enclosing):
            formula = frame.close(formula)
        return formula

    def bound(self, formula: Term) -> Term:
        """The formula under the binders around it alone, whatever the conditions around it say."""
        for binder in reversed(self.binders):
            formula = binder.close(formula)
        return formula
