"""The forms in which a claim is asked, at each effort: ground assertions, what says less before what says more.

Trusted: each form has a model wherever the formulas have one, so unsat of any of them is unsat of the formulas. To say
less is sound, and cheap; what says too little to be unsat is followed by what says more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.generalise import Parts, generalised
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import REAL, FloatSort
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term, subterms
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.check.readings import Asked, Reading, read, readings

_MANY = 600
"""The number of assertions above which fewer, weaker ones are tried first."""


@dataclass(frozen=True, slots=True)
class Source:
    """The sources of assertions: formulas, with such parts of them replaced, at an effort."""

    formulas: tuple[Term, ...]
    taken: tuple[Taken, ...]
    effort: Effort
    parts: Parts | None


@dataclass(slots=True)
class Form:
    """Ground assertions that are asked in a reading, as a script that is made when it is needed. `source` is what they
    were made from."""

    ground: list[Term]
    reading: Reading
    source: Source | None = None
    _text: str = ""

    @classmethod
    def of(cls, made: tuple[list[Term], Source]) -> list[Form]:
        """The forms of some assertions: what products are is told only where it matters."""
        ground, source = made
        return [cls(ground, reading, source) for reading in readings(ground)]

    @property
    def assertions(self) -> list[Term]:
        """The assertions as they are read."""
        return read(self.ground, self.reading)

    @property
    def hard(self) -> bool:
        """Return whether a solver may search for ever."""
        return self.reading is not Reading.FREE

    @property
    def beyond_sums(self) -> bool:
        """Return whether reals, and no floats, are multiplied, divided, made of integers or given to functions."""
        beyond = (Op.TIMES, Op.MUL, Op.DIVIDE, Op.TO_REAL, Op.REAL_FUNCTION)
        nodes = list(subterms(*self.ground))
        has_floats = any(isinstance(t.sort, FloatSort) for t in nodes)
        return not has_floats and any(t.op in beyond and t.sort == REAL for t in nodes)

    @property
    def text(self) -> str:
        """The script in SMT-LIB."""
        self._text = self._text or script(self.assertions)
        return self._text

    @property
    def asked(self) -> Asked:
        """The script, and how floats are read in it."""
        return Asked.of(self.text, self.reading)


class Forms:
    """The forms in which a claim is asked one after the other, each made when it is its turn."""

    def __init__(self, grounds: Iterator[tuple[list[Term], Source]]) -> None:
        self._made: list[Form] = []
        self._rest = chain.from_iterable(map(Form.of, grounds))

    def at(self, stage: int) -> Form | None:
        """The form of that turn, None behind the last."""
        while len(self._made) <= stage:
            form = next(self._rest, None)
            if form is None:
                return None
            self._made.append(form)
        return self._made[stage]


class Ladder:
    """One claim, with the forms of each effort, and with what turned out to be too large on the way."""

    def __init__(self, formulas: tuple[Term, ...], taken: tuple[Taken, ...]) -> None:
        self._formulas, self._taken = formulas, taken
        self._forms: dict[Effort, Forms] = {}
        self._too_large: dict[tuple[Term, ...], list[Effort]] = {}

    def forms(self, effort: Effort) -> Forms:
        """The forms at an effort; none where each would be too large."""
        if effort not in self._forms:
            self._forms[effort] = Forms(self._grounds(effort))
        return self._forms[effort]

    def _grounds(self, effort: Effort) -> Iterator[tuple[list[Term], Source]]:
        """The ground assertions of the formulas, after smaller ones that say less where they are many; nothing where
        they are too many."""
        # Most claims have few assertions as they stand: then nothing is replaced.
        few = self._ground(self._formulas, replace(effort, limit=min(_MANY, effort.limit)))
        if few is not None:
            yield few, Source(self._formulas, self._taken, effort, None)
            return
        seen: list[list[Term]] = []
        whole_fits = False
        for which in (Parts.CONDITIONS, Parts.WITHOUT_FOLDS, None, Parts.ALL):
            # Without folds hardly anything is said: that is for formulas that are too large as they stand.
            if which is Parts.ALL and whole_fits:
                continue
            asked = self._replaced(which)
            if asked is None or asked in seen:
                continue
            seen.append(asked)
            ground = self._ground(asked, effort)
            if ground is not None:
                whole_fits = whole_fits or which is None
                yield ground, Source(tuple(asked), self._taken, effort, which)

    def _replaced(self, which: Parts | None) -> list[Term] | None:
        """The formulas with such parts replaced by free functions, or as they stand; None where there are no such
        parts."""
        if which is None:
            return list(self._formulas)
        made = generalised(self._formulas, which)
        if made is None:
            return None
        return made.formulas

    def _ground(self, formulas: Sequence[Term], effort: Effort) -> list[Term] | None:
        """The ground assertions, None where they are too many: what goes further than an effort that was too much for
        these formulas is not tried."""
        # An effort that goes further makes all assertions of one that was too much, and more.
        too_large = self._too_large.setdefault(tuple(formulas), [])
        if any(effort.includes(less) for less in too_large):
            return None
        try:
            return Expansion(effort, self._taken).run(list(formulas))
        except TooLarge:
            too_large.append(effort)
            return None
