"""Proof scripts: what the theorems say that a proof uses, and the terms that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.declare import give
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.library import Lemma, Library
from sonnx_verify.language.values import Declared, Position, Value
from sonnx_verify.logic.sorts import INDEX, INT, Sort
from sonnx_verify.logic.terms import Term, and_, forall, implies, le
from sonnx_verify.logic.witness import Taken


def used_ids(
    using: Sequence[s.Used], library: Library, family: str, types: tuple[Sort, ...], here: Span
) -> tuple[str, ...]:
    """The obligations that a proof rests on. Raises SpecificationError for a theorem that there is not, or that stands
    below `here` in the same file."""
    found: dict[str, None] = {}
    for used in using:
        lemma = _lemma(used, library)
        same_file = lemma.theorem.span.source is here.source
        if same_file and (lemma.theorem.span.line, lemma.theorem.span.column) >= (here.line, here.column):
            raise SpecificationError(
                f"`{used.name}` does not stand above this", used.span, "a proof uses what is stated before it"
            )
        made = lemma.id(family, types)
        if made is None:
            raise SpecificationError(
                f"`{used.name}` is not stated for these element types", used.span, "state it for them too"
            )
        found[made] = None
    return tuple(found)


def _lemma(used: s.Used, library: Library) -> Lemma:
    lemma = library.lemmas.get(used.name)
    if lemma is None:
        known = ", ".join(sorted(library.lemmas)[:8]) or "none; `use` the file that states it"
        raise SpecificationError(f"there is no theorem `{used.name}` to use", used.span, f"known here: {known}")
    return lemma


def lemmas_of(using: Sequence[s.Used], elaborator: Elaborator, scope: Mapping[str, Value]) -> tuple[Term, ...]:
    """What the used theorems say of their arguments. Their own proofs are other obligations."""
    with elaborator.context.silent():
        return tuple(_said(used, elaborator, scope) for used in using)


def _said(used: s.Used, elaborator: Elaborator, scope: Mapping[str, Value]) -> Term:
    lemma = _lemma(used, elaborator.library)

    def body(inner: Mapping[str, Value]) -> Term:
        names = [d.name for d in lemma.theorem.declarations]
        if used.arguments is None:
            missing = [n for n in names if n not in inner]
            if missing:
                raise SpecificationError(
                    f"`{used.name}` is about `{missing[0]}`, which has no meaning here",
                    used.span,
                    f"write its arguments: `{used.name}({', '.join(names)})`",
                )
            values = [v.value if isinstance(v := inner[n], Declared) else v for n in names]
        else:
            values = [elaborator.value(a, inner) for a in used.arguments]
        if len(values) != len(names):
            raise SpecificationError(
                f"`{used.name}` is about {len(names)} things, not {len(values)}", used.span, ", ".join(names)
            )
        return _instance(lemma, values, elaborator, used.span)

    if used.binders is None:
        return body(scope)
    return elaborator.quantified(used.binders, scope, body)


def _instance(lemma: Lemma, values: list[Value], outer: Elaborator, span: Span) -> Term:
    """The theorem of these values: where they are of its types and meet what it assumes, and where the restrictions
    hold of the operators that it applies."""
    with outer.context.gathering() as restrictions:
        conditions, said = _parts(lemma, values, outer, span)
    return implies(and_(*conditions, *restrictions), said)


def _parts(lemma: Lemma, values: list[Value], outer: Elaborator, span: Span) -> tuple[list[Term], Term]:
    theorem = lemma.theorem
    elaborator = Elaborator(lemma.library(), outer.context, lemma.file.index_base)
    scope: dict[str, Value] = {}
    typed = give(list(theorem.declarations), values, elaborator, scope, theorem.name, span)
    if theorem.assuming is not None:
        typed.append(elaborator.condition(theorem.assuming, scope))
    if theorem.induction is None:
        return typed, elaborator.condition(theorem.body, scope)
    name, low, high = theorem.induction
    first, last = elaborator.integer(low, scope), elaborator.integer(high, scope)

    def said(n: Term) -> Term:
        return elaborator.condition(theorem.body, {**scope, name: n})

    # What it says of the last number is what an induction is for.
    return typed, and_(forall(first, last, said), implies(le(first, last), said(last)))


def taken_of(taken: Sequence[s.Taken], elaborator: Elaborator, scope: dict[str, Value]) -> tuple[Taken, ...]:
    """The named terms, to be tried; their names mean nothing elsewhere."""
    return tuple(_taken(elaborator, scope, t) for t in taken)


def _taken(elaborator: Elaborator, scope: Mapping[str, Value], taken: s.Taken) -> Taken:
    inner = dict(scope)
    parameters: list[Term] = []
    with elaborator.context.silent():
        for binder in taken.binders:
            binding = elaborator.binding(binder.parts[0], inner)
            parameters.append(binding.variable)
            inner[binder.text[0]] = binding.value
        value = elaborator.value(taken.body, inner)
    term = value.term if isinstance(value, Position) else value
    if not isinstance(term, Term) or term.sort not in (INT, INDEX):
        raise SpecificationError(
            f"`{taken.name}` is no integer and no index", taken.span, "take an integer or an index"
        )
    return Taken(tuple(parameters), term)
