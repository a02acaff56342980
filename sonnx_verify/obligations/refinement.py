"""refines and narrowing: the profile against the standard that it restricts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning, meaning_of
from sonnx_verify.language.values import Items, Tensor, Value
from sonnx_verify.logic.terms import Term, and_, not_, or_
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.operator import free_outputs
from sonnx_verify.obligations.section import Section


def standard_of(section: Section, meaning: Meaning, context: Context) -> Meaning | None:
    """The standard on the profile's inputs, or None without a `refines` line."""
    refines = section.file.refines
    if refines is None:
        return None
    unit = section.project.find(refines.namespace, refines.operator, refines.version)
    if unit is None or unit.file is None:
        raise SpecificationError(
            f"there is no {refines.namespace} {refines.operator} version {refines.version}",
            refines.span,
            "correct the name or the version, or add the standard under spec/",
        )
    theirs = {d.name for d in (*unit.file.inputs, *unit.file.outputs, *unit.file.attributes)}
    unknown = sorted(set(refines.renaming.values()) - theirs)
    if unknown:
        raise SpecificationError(
            f"the standard has no `{unknown[0]}`", refines.span, "it has " + ", ".join(sorted(theirs))
        )
    standard_types = {t for types in unit.file.types.values() for t in types}
    foreign = [t.name for t in section.types if t.name not in standard_types]
    if foreign:
        raise SpecificationError(
            f"the standard has no type {foreign[0]}", refines.span, "leave the type out, or correct the standard"
        )
    renamed = {d.name for d in (*section.file.inputs, *section.file.attributes, *section.file.outputs)}
    if missing := sorted(renamed - refines.renaming.keys()):
        raise SpecificationError(
            f"the `refines` line does not say what `{missing[0]}` is in the standard",
            refines.span,
            f"add `{missing[0]} = NAME`",
        )
    inverse = {theirs: mine for mine, theirs in refines.renaming.items()}
    given: list[Value] = []
    for declaration in [*unit.file.inputs, *unit.file.outputs]:
        mine = inverse.get(declaration.name)
        known = {v.name for v in meaning.variables}
        if mine is None or mine not in known:
            raise SpecificationError(
                f"the `refines` line does not say what `{declaration.name}` of the standard is here",
                refines.span,
                f"add `NAME = {declaration.name}`",
            )
        if declaration in unit.file.inputs:
            value = meaning.inputs[mine]
            if declaration.high is not None and not isinstance(value, Items):
                raise SpecificationError(
                    f"`{declaration.name}` of the standard is any number of tensors, and `{mine}` is one",
                    refines.span,
                    f"declare `{mine}[0 .. L]`, and restrict L",
                )
            given.append(Items(value.count, value.item, value.kind) if isinstance(value, Items) else value)
    with context.silent():
        return meaning_of(unit.file, section.project.library(unit), context, given, refines.span)


def _named_for_standard(section: Section, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    refines = section.file.refines
    assert refines is not None
    return {refines.renaming[name]: tensor for name, tensor in tensors.items()}


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """The obligations that a `refines` line brings."""
    refines = section.file.refines
    if refines is None:
        return
    yield section.obligation("spec", "refines", refines.span, _refines(section))
    if section.file.kind == "draft":
        for statement in meaning.restrictions:
            if statement.term is not None:
                tag, title = statement.tag, statement.clause.title
                build = _restriction_narrows(section, tag)
                yield section.obligation(tag, "narrowing", statement.clause.span, build, title)
    yield section.obligation("spec", "narrowing", refines.span, _narrowing(section))


def _refines(section: Section) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        valid = (*meaning.hypotheses, meaning.valid)
        variables = [v for v in meaning.variables if v.role != "output"]
        accepted = Claim(
            valid,
            or_(standard.unspecified_outcome, standard.valid),
            "input that is valid here is valid in the standard",
        )
        results = {v.name: meaning.result(v.name) for v in meaning.outputs}
        if all(r is not None for r in results.values()) and not (meaning.leaves_open or meaning.members):
            tensors = {name: r for name, r in results.items() if r is not None}
            goal = standard.conforms(_named_for_standard(section, tensors))
            agreed = Claim(valid, goal, "the result is one that the standard allows")
            return Statement(tuple(variables), valid, (accepted, agreed))
        made, free, kinds = free_outputs(meaning, "")
        conforming = (*valid, *kinds, meaning.conforms(free))
        goal = standard.conforms(_named_for_standard(section, free))
        agreed = Claim(conforming, goal, "every result that conforms here is one that the standard allows")
        return Statement((*variables, *made), conforming, (accepted, agreed))

    return build


def _narrowing(section: Section) -> Callable[[Context], Statement]:
    """What the standard accepts and the restrictions accept, the constraints accept."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        variables = tuple(v for v in meaning.variables if v.role != "output")
        hypotheses = (
            *meaning.hypotheses,
            standard.valid,
            not_(standard.unspecified_outcome),
            *(r.known for r in meaning.restrictions),
        )
        goal: Term = and_(*meaning.arity, *(c.known for c in meaning.constraints), not_(meaning.failing))
        what = "input that is valid in the standard and rejected here violates a restriction"
        return Statement(variables, hypotheses, (Claim(hypotheses, goal, what),))

    return build


def _restriction_narrows(section: Section, tag: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        variables = tuple(v for v in meaning.variables if v.role != "output")
        hypotheses = (*meaning.hypotheses, standard.valid, not_(standard.unspecified_outcome))
        term = next(r.known for r in meaning.restrictions if r.tag == tag)
        what = f"{tag} rejects nothing that the standard accepts"
        return Statement(variables, hypotheses, (Claim(hypotheses, term, what),))

    return build
