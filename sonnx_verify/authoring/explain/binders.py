"""The names that an author gave the variables of terms, in binders and in what became of these in a proof.

Terms have no names of variables. A binder that was elaborated has those of its text; one in which a name was put for a
variable has those of the binder that it was. Not trusted: a name that is not found is made up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.origins import Place
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import Symbol, Term, substitute, subterms

_QUANTIFIERS = (Op.FORALL, Op.FORALL_INDEX)
_FOLDS = (Op.FOLD, Op.FOLD_INDEX)
_TURNED = frozenset((Op.VARIABLE, Op.LITERAL, Op.NOT, Op.AT_MOST, Op.PLUS, Op.TIMES))
_Signature = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Binder:
    """The name of a bound variable, and the expression that binds it."""

    name: str
    place: s.Expression


def variable_of(term: Term) -> Term | None:
    """The variable of a quantifier or fold; None of any other term. That of membership is an axis."""
    if term.op in _QUANTIFIERS or term.op in _FOLDS:
        return term.args[0]
    if term.op is Op.INSIDE:
        return term.args[2]
    return None


class Binders:
    """The binders of texts by their terms."""

    def __init__(self, known: dict[Term, Binder], alike: Mapping[_Signature, Binder | None]) -> None:
        self._known, self._alike = known, alike

    @classmethod
    def of_texts(cls, places: Mapping[Term, Sequence[Place]]) -> Binders:
        """Those of the expressions in texts."""
        known: dict[Term, Binder] = {}
        alike: dict[_Signature, Binder | None] = {}
        for term, listed in places.items():
            for place in listed:
                for part, binder in _named(term, place):
                    known.setdefault(part, binder)
                    signature = _signature(part)
                    # Where two are alike, which one it is cannot be told: better none than the wrong one.
                    if alike.setdefault(signature, binder) != binder:
                        alike[signature] = None
        return cls(known, alike)

    def with_instances(self, tried: Iterable[tuple[Term, Term]]) -> Binders:
        """These, and what became of them where names were put for their variables."""
        made = Binders(dict(self._known), self._alike)
        made._put_all(list(dict.fromkeys(tried)))
        return made

    def _put_all(self, pairs: Sequence[tuple[Term, Term]]) -> None:
        # What was put into a binder may be put into one that was made so: as often as these are nested.
        for _ in range(4):
            for term, name in pairs:
                self._put(term, name)

    def of(self, term: Term) -> Binder | None:
        """The binder of a quantifier or fold, where it is known."""
        found = self._known.get(term)
        if found is None and term.op is not Op.INSIDE:
            found = self._alike.get(_signature(term))
        return found

    def _put(self, term: Term, name: Term) -> None:
        """Note what the binders inside become where a name is put for the variable."""
        variable = variable_of(term)
        if variable is None or variable.sort != name.sort:
            return
        for part in subterms(*term.args):
            if variable in part.free and variable_of(part) is not None:
                found = self.of(part)
                if found is not None:
                    self._known.setdefault(substitute(part, {variable: name}), found)


def _named(term: Term, place: Place) -> Iterator[tuple[Term, Binder]]:
    """The binders of an expression, from the outside in, with the terms they became."""
    listed: tuple[s.Binder, ...] = ()
    match place:
        case s.ForAll(binders=binders) | s.Exists(binders=binders):
            listed = binders.binders
        case s.Fold(over=s.Comprehension(binders=binders)) | s.CallOnSet(over=s.Comprehension(binders=binders)):
            listed = binders.binders
        case _:
            return
    part: Term | None = term
    if term.op is Op.NOT:
        part = term.args[0]
    for binder in listed:
        if part is None or variable_of(part) is None:
            return
        yield part, Binder(binder.name, place)
        part = _inner(part)


def _inner(term: Term) -> Term | None:
    """The quantifier that is the body of another, under its condition."""
    if term.op not in _QUANTIFIERS:
        return None
    body = term.args[-1]
    parts = body.args if body.op is Op.OR else (body,)
    found = [part for part in parts if part.op in _QUANTIFIERS]
    return found[-1] if found else None


def _signature(term: Term) -> _Signature:
    """The part of a term that stays where other variables stand in it: how often each symbol and operator occurs.
    Comparisons and sums have their sides in an order that hangs on the variables."""
    found = Counter[tuple[str, str]]()
    for part in subterms(*term.args):
        if part.op is Op.APPLY:
            assert isinstance(part.payload, Symbol)
            found[str(part.op), part.payload.name] += 1
        elif part.op not in _TURNED:
            found[str(part.op), str(part.payload)] += 1
    return (str(term.op), str(term.payload), frozenset(found.items()))
