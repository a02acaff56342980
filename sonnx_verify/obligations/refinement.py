"""refines and narrowing: the profile against the standard that it restricts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, type_variables
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import types_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Declared, Items, Tensor, kind_of, tensor_of
from sonnx_verify.logic.terms import TRUE, Term, and_, not_, or_
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def standard_of(section: Section, meaning: Meaning, context: Context) -> Meaning | None:
    """The standard on the profile's inputs, or None without a `refines` line; ONNX has no reals."""
    refines = section.file.refines
    if refines is None or section.family == "real":
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
    standard_types = set(types_of(unit.file, "T"))
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
    given = _supplied(section, unit.file, meaning, refines)
    _check_left_out(section.file, unit.file, refines)
    with context.silent():
        standard = meaning_of(unit.file, section.project.library(unit), context, given, refines.span)
    _check_outputs(standard, meaning, refines)
    # What the standard always gives has to be asked for here.
    mine = _mine(unit.file, meaning, refines)
    standard.arity += [meaning.asked.get(mine[d.name], TRUE) for d in unit.file.outputs if not d.optional]
    return standard


def accepts(standard: Meaning) -> Term:
    """Whether the standard has a result: the input is valid there, and no error applies."""
    return and_(standard.valid, not_(standard.erring))


def _supplied(section: Section, file: s.File, meaning: Meaning, refines: s.Refines) -> Supplied:
    """The inputs and attributes of the profile by the standard's names, each given where it is given here."""
    mine = _mine(file, meaning, refines)
    values: dict[str, Declared] = {}
    for kind, declarations, own in (
        ("input", file.inputs, section.file.inputs),
        ("attribute", file.attributes, section.file.attributes),
    ):
        for declaration in declarations:
            name = mine[declaration.name]
            if name not in {d.name for d in own}:
                raise SpecificationError(
                    f"`{declaration.name}` of the standard is an {kind}, and `{name}` is none",
                    refines.span,
                    f"name an {kind}",
                )
            value = meaning.inputs[name]
            assert isinstance(value, Declared)
            if declaration.high is not None and not isinstance(value.value, Items):
                raise SpecificationError(
                    f"`{declaration.name}` of the standard is any number of tensors, and `{name}` is one",
                    refines.span,
                    f"declare `{name}[0 .. L]`, and restrict L",
                )
            inner = value.value
            if isinstance(inner, Items):
                inner = Items(inner.count, inner.item, inner.kind)
            values[declaration.name] = Declared(inner, value.given, default=value.default)
    kinds = {name: kind_of(v.value) for name, v in values.items()}
    outputs = {v.name: v for v in meaning.outputs}
    for declaration in file.outputs:
        name = mine[declaration.name]
        if name not in outputs:
            raise SpecificationError(
                f"`{declaration.name}` of the standard is an output, and `{name}` is none",
                refines.span,
                "name an output",
            )
        kinds[declaration.name] = tensor_of(outputs[name].sort)
    asked = {d.name: meaning.asked.get(mine[d.name], TRUE) for d in file.outputs}
    return Supplied(values, asked, type_variables(file, kinds, refines.span))


def _check_left_out(mine: s.File, theirs: s.File, refines: s.Refines) -> None:
    """What may be left out in the standard may be left out here: that it may not is for a restriction to say."""
    own = {d.name: d for d in (*mine.inputs, *mine.attributes, *mine.outputs)}
    free = {d.name for d in (*theirs.inputs, *theirs.attributes, *theirs.outputs) if d.optional or d.default}
    for name, other in refines.renaming.items():
        if other in free and not (own[name].optional or own[name].default):
            raise SpecificationError(
                f"`{other}` of the standard may be left out, and `{name}` may not",
                own[name].span,
                f"declare it `optional`, and restrict it: given({name})",
            )


def _mine(file: s.File, meaning: Meaning, refines: s.Refines) -> dict[str, str]:
    """What each input, attribute and output of the standard is called here."""
    inverse = {theirs: mine for mine, theirs in refines.renaming.items()}
    if len(inverse) < len(refines.renaming):
        named = list(refines.renaming.values())
        twice = next(name for name in named if named.count(name) > 1)
        raise SpecificationError(
            f"two things are `{twice}` of the standard", refines.span, "give each a name of its own there"
        )
    known = {v.name for v in meaning.variables}
    for declaration in (*file.inputs, *file.outputs, *file.attributes):
        if inverse.get(declaration.name) not in known:
            kind = "attribute " if declaration in file.attributes else ""
            raise SpecificationError(
                f"the `refines` line does not say what the {kind}`{declaration.name}` of the standard is here",
                refines.span,
                f"add `NAME = {declaration.name}`",
            )
    return inverse


def _check_outputs(standard: Meaning, meaning: Meaning, refines: s.Refines) -> None:
    """Outputs that are compared have one type."""
    mine = {v.name: v for v in meaning.outputs}
    for variable in standard.outputs:
        name = next(own for own, theirs in refines.renaming.items() if theirs == variable.name)
        if mine[name].sort != variable.sort:
            raise SpecificationError(
                f"`{name}` holds {mine[name].sort}, and `{variable.name}` of the standard {variable.sort}",
                refines.span,
                "give both one type",
            )


def _named_for_standard(section: Section, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    refines = section.file.refines
    assert refines is not None
    return {refines.renaming[name]: tensor for name, tensor in tensors.items()}


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """The obligations that a `refines` line brings."""
    refines = section.file.refines
    if refines is None or section.family == "real":
        return
    for obligation in _against_standard(section, meaning, refines):
        unit = section.project.find(refines.namespace, refines.operator, refines.version)
        assert unit is not None
        of_standard = presumed.by_refinement(section.project, unit, section.family)
        obligation.presumes = tuple(dict.fromkeys((*obligation.presumes, *of_standard)))
        yield obligation


def _against_standard(section: Section, meaning: Meaning, refines: s.Refines) -> Iterator[Obligation]:
    yield section.obligation("spec", Kind.REFINES, refines.span, _refines(section))
    if section.file.kind == "draft":
        for statement in meaning.restrictions:
            if statement.term is not None:
                tag, title = statement.tag, statement.clause.title
                build = _restriction_narrows(section, tag)
                yield section.obligation(tag, Kind.NARROWING, statement.clause.span, build, title)
    yield section.obligation("spec", Kind.NARROWING, refines.span, _narrowing(section))


def _refines(section: Section) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        valid = (*meaning.hypotheses, meaning.valid)
        variables = list(meaning.given)
        accepted = Claim(
            valid,
            and_(standard.valid, or_(standard.unspecified_outcome, not_(standard.erring))),
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
        variables = meaning.given
        hypotheses = (
            *meaning.hypotheses,
            accepts(standard),
            not_(standard.unspecified_outcome),
            *(r.known for r in meaning.restrictions),
        )
        goal: Term = and_(*meaning.arity, *(c.known for c in meaning.constraints), not_(meaning.erring))
        what = "input that is valid in the standard and rejected here violates a restriction"
        return Statement(variables, hypotheses, (Claim(hypotheses, goal, what),))

    return build


def _restriction_narrows(section: Section, tag: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        variables = meaning.given
        hypotheses = (*meaning.hypotheses, accepts(standard), not_(standard.unspecified_outcome))
        term = next(r.known for r in meaning.restrictions if r.tag == tag)
        what = f"{tag} rejects nothing that the standard accepts"
        return Statement(variables, hypotheses, (Claim(hypotheses, term, what),))

    return build
