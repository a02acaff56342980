"""Proof scripts: the theorems that a proof uses, as hypotheses, and the terms that it names. Trusted.

    using rises(n, m), for all k in 0 .. n : bounded(k)

gives the proof, as hypotheses, `rises` of n and m where they meet its assumptions, and `bounded` of each k. That those
theorems are proved is not asked here: `used_ids` names their obligations, and no proof stands before they do. They
stand above, so no proof rests on itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.kernel import applications
from sonnx_verify.kernel.values import Declared, Position, Value
from sonnx_verify.language import origins
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.context import Lemma, Library
from sonnx_verify.language.declare import give
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.logic.sorts import INDEX, INT, Sort
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term
from sonnx_verify.sources import Span


def used_ids(
    using: Sequence[s.Used],
    library: Library,
    family: str,
    types: tuple[Sort, ...],
    variables: Mapping[str, Sort],
    here: Span,
) -> tuple[str, ...]:
    """The obligations that a proof rests on. Raises SpecificationError for a theorem that there is not, that is not
    stated for these types, or that stands below `here` in the same file."""
    found: dict[str, None] = {}
    for used in using:
        lemma = _lemma(used, library)
        # Two theorems that used each other would both be proved, whatever they say. In one file the order decides;
        # files cannot use each other in a circle (project.py).
        same_file = lemma.theorem.span.source is here.source
        if same_file and (lemma.theorem.span.line, lemma.theorem.span.column) >= (here.line, here.column):
            raise complaints.not_above(used)
        made = lemma.id(family, types, variables)
        if made is None:
            raise complaints.not_for_these(used)
        found[made] = None
    return tuple(found)


def rests_on_axioms(using: Sequence[s.Used], library: Library) -> bool:
    """Return whether one of the used theorems is an axiom, or is proved with one."""
    lemmas = [_lemma(used, library) for used in using]
    # A theorem uses only what stands above it, or in other files, which do not go round in a circle.
    return any(x.theorem.cited is not None or rests_on_axioms(x.theorem.using, x.library()) for x in lemmas)


def _lemma(used: s.Used, library: Library) -> Lemma:
    lemma = library.lemmas.get(used.name)
    if lemma is None:
        raise complaints.unknown_theorem(used, library.lemmas)
    return lemma


def lemmas_of(using: Sequence[s.Used], elaborator: Elaborator, scope: Mapping[str, Value]) -> tuple[Term, ...]:
    """The used theorems, of their arguments. Their own proofs are other obligations."""
    said = applications.unheard(elaborator.context, lambda: tuple(_said(used, elaborator, scope) for used in using))
    for term, used in zip(said, using, strict=True):
        origins.note(term, used)
    return said


def _said(used: s.Used, elaborator: Elaborator, scope: Mapping[str, Value]) -> Term:
    lemma = _lemma(used, elaborator.library)

    def body(inner: Mapping[str, Value]) -> Term:
        names = [d.name for d in lemma.theorem.declarations]
        if used.arguments is None:
            missing = [n for n in names if n not in inner]
            if missing:
                raise complaints.undefined_argument(used, missing[0], names)
            values = [_plain(inner[n]) for n in names]
        else:
            values = [elaborator.value(a, inner) for a in used.arguments]
        number = None
        if lemma.theorem.induction is not None and len(values) == len(names) + 1:
            number = values.pop()
        if len(values) != len(names):
            raise complaints.other_number(used, names, len(values))
        if number is not None and not (isinstance(number, Term) and number.sort == INT):
            raise complaints.by_no_integer(used, number)
        return _instance(lemma, values, number, elaborator, used.span)

    if used.binders is None:
        return body(scope)
    return elaborator.every(used.binders, scope, body)


def _plain(value: Value) -> Value:
    if isinstance(value, Declared):
        return value.value
    return value


def _instance(lemma: Lemma, values: list[Value], number: Term | None, outer: Elaborator, span: Span) -> Term:
    """The theorem of these values: where they are of its types and meet what it assumes. Of an induction, what it says
    of one number where that is given.

    It is elaborated in the library of its own file, for the same element types.
    """
    theorem, context = lemma.theorem, outer.context
    elaborator = Elaborator(lemma.library(), context, lemma.file.index_base)
    scope: dict[str, Value] = {}
    with context.of_theorem(typed=lemma.typed) as restrictions:
        typed = give(list(theorem.declarations), values, elaborator, scope, theorem.name, span)
        if theorem.assuming is not None:
            typed.append(elaborator.condition(theorem.assuming, scope))
        if theorem.induction is None:
            body = elaborator.condition(theorem.body, scope)
        else:
            body = _by_number(theorem, theorem.induction, number, elaborator, scope)
    return applications.theorem(typed, restrictions, body)


def _by_number(
    theorem: s.Theorem,
    induction: s.Induction,
    number: Term | None,
    elaborator: Elaborator,
    scope: dict[str, Value],
) -> Term:
    """The theorem that was proved by induction, of one number or of all; then once more of the last, which is what an
    induction is for."""
    first, last = elaborator.integer(induction.low, scope), elaborator.integer(induction.high, scope)

    def said(n: Term) -> Term:
        return elaborator.condition(theorem.body, {**scope, induction.on: n})

    return applications.by_number(elaborator.context, first, last, number, said)


def taken_of(taken: Sequence[s.Taken], elaborator: Elaborator, scope: dict[str, Value]) -> tuple[Taken, ...]:
    """The named terms, to be tried; their names mean nothing elsewhere."""
    # To name a term is no claim: it only adds instances of what is known already, so a wrong one proves nothing.
    return tuple(_taken(elaborator, scope, t) for t in taken)


def _taken(elaborator: Elaborator, scope: Mapping[str, Value], taken: s.Taken) -> Taken:
    inner = dict(scope)
    parameters: list[Term] = []

    def named() -> Value:
        for binder in taken.binders:
            binding = elaborator.binding(binder, inner)
            parameters.append(binding.variable)
            inner[binder.name] = binding.value
        return elaborator.value(taken.body, inner)

    value = applications.unheard(elaborator.context, named)
    term = value
    if isinstance(value, Position):
        term = value.term
    if not isinstance(term, Term) or term.sort not in (INT, INDEX):
        raise complaints.not_to_take(taken)
    return Taken(tuple(parameters), term)
