"""refines and narrowing: the profile against the standard that it restricts. Trusted.

Both are elaborated on the same inputs, those of the profile by the standard's names. refines: whatever implements the
profile is right by the standard, on input that is valid in the profile. narrowing: input that only the standard accepts
is rejected by a restriction, which says so, and not by a constraint in passing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.values import Declared, Items, Tensor, kind_of, tensor_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, type_variables
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.declare import default_type
from sonnx_verify.language.families import types_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.operators import OPERATORS
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, REAL
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, conjuncts, not_, or_, replace_nodes, subterms
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs, only_results
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def standard_of(section: Section, meaning: Meaning, context: Context) -> Meaning | None:
    """The standard on the profile's inputs, or None without a `refines` line; see `_refinement`."""
    refines = _refinement(section)
    if refines is None:
        return None
    unit = section.project.find(refines.namespace, refines.operator, refines.version)
    if unit is None or unit.file is None:
        raise SpecificationError(
            f"there is no {refines.namespace} {refines.operator} version {refines.version}",
            refines.span,
            "correct the name or the version, or add the standard under spec/",
        )
    file, library = unit.file, section.project.library(unit)

    def make(fresh: Context) -> Meaning:
        _check_renaming(section, file, refines)
        given = _supplied(section, file, meaning, refines)
        _check_left_out(section.file, file, refines)
        _check_default_types(section.file, file, given, fresh, refines)
        # With the order of the profile's elements, so that both have the same; its side conditions are asked of the
        # standard.
        with fresh.silent():
            standard = meaning_of(file, library, fresh, given, refines.span)
        _check_outputs(standard, meaning, refines)
        # An output that the standard always gives has to be asked for here.
        mine = _mine(file, meaning, refines)
        always = [d for d in file.outputs if not d.optional]
        standard.arity += [meaning.asked.get(mine[d.name], TRUE) for d in always]
        return standard

    return section.project.meaning_beside(section.unit, context, make)


def _refinement(section: Section) -> s.Refines | None:
    """The `refines` line, where it says something of the section.

    ONNX has no reals, so a standard need not have a section of them; where ONNX names a function of reals, or an
    operation, the standard has one, and the profile's refines it (twin exp_is_cos).
    """
    refines = section.file.refines
    if refines is None or section.family != REAL.name:
        return refines
    unit = section.project.find(refines.namespace, refines.operator, refines.version)
    if unit is None or unit.file is None:
        return None
    return refines if REAL.name in types_of(unit.file, s.TypeWord.T) else None


def _check_renaming(section: Section, standard: s.File, refines: s.Refines) -> None:
    """Raise SpecificationError unless every name here has one there, and every type of the section is one there."""
    theirs = {d.name for d in (*standard.inputs, *standard.outputs, *standard.attributes)}
    if unknown := sorted(set(refines.renaming.values()) - theirs):
        raise SpecificationError(
            f"the standard has no `{unknown[0]}`", refines.span, "it has " + ", ".join(sorted(theirs))
        )
    listed = types_of(standard, "T")
    if foreign := [t.name for t in section.types if t.name not in listed]:
        raise SpecificationError(
            f"the standard has no type {foreign[0]}", refines.span, "remove the type, or correct the standard"
        )
    # An input that the standard does not know of would be free there: it would refine whatever it does.
    mine = {d.name for d in (*section.file.inputs, *section.file.attributes, *section.file.outputs)}
    if missing := sorted(mine - refines.renaming.keys()):
        raise SpecificationError(
            f"the `refines` line does not map `{missing[0]}` to the standard",
            refines.span,
            f"add `{missing[0]} = NAME`",
        )


def accepts(standard: Meaning) -> Term:
    """The condition that the standard has a result: the input is valid there, and no error applies."""
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
                    f"`{declaration.name}` of the standard is an {kind}, but `{name}` is not",
                    refines.span,
                    f"name an {kind}",
                )
            value = meaning.inputs[name]
            assert isinstance(value, Declared)
            values[declaration.name] = _handed_over(declaration, name, value, refines)
    kinds = {name: kind_of(v.value) for name, v in values.items()}
    outputs = {v.name: v for v in meaning.outputs}
    for declaration in file.outputs:
        name = mine[declaration.name]
        if name not in outputs:
            raise SpecificationError(
                f"`{declaration.name}` of the standard is an output, but `{name}` is not",
                refines.span,
                "name an output",
            )
        kinds[declaration.name] = tensor_of(outputs[name].sort)
    asked = {d.name: meaning.asked.get(mine[d.name], TRUE) for d in file.outputs}
    standing_for = [sort.name for sort in section.types]
    return Supplied(values, asked, type_variables(file, kinds, refines.span, standing_for))


def _handed_over(declaration: s.Declaration, name: str, value: Declared, refines: s.Refines) -> Declared:
    """The value of a thing of the profile as the standard takes it."""
    inner = value.value
    if isinstance(inner, Items):
        # Members from 0 on, whatever number the profile gives to its first: the standard numbers its own.
        inner = Items(inner.count, inner.item, inner.kind)
    elif declaration.high is not None:
        raise SpecificationError(
            f"`{declaration.name}` of the standard is variadic, but `{name}` is one tensor",
            refines.span,
            f"declare `{name}[0 .. L]`, and restrict L",
        )
    return Declared(inner, value.given, default=value.default)


def _check_left_out(mine: s.File, theirs: s.File, refines: s.Refines) -> None:
    """Check that a thing which may be left out in the standard may be left out here: that it may not is for a
    restriction to say, or nobody would read of it."""
    own = {d.name: d for d in (*mine.inputs, *mine.attributes, *mine.outputs)}
    free = {d.name for d in (*theirs.inputs, *theirs.attributes, *theirs.outputs) if d.optional or d.default}
    for name, other in refines.renaming.items():
        if other in free and not (own[name].optional or own[name].default):
            raise SpecificationError(
                f"`{other}` of the standard is optional, but `{name}` is not",
                own[name].span,
                f"declare it `optional`, and restrict it: given({name})",
            )


def _check_default_types(mine: s.File, theirs: s.File, given: Supplied, context: Context, refines: s.Refines) -> None:
    """Check that a default which is a type is the same type here: an attribute may be left out where it says that one.
    With another one the profile would accept it elsewhere, and refuse what the standard accepts, without a word of a
    restriction (twin default_of_another_type)."""
    standard = {d.name: d for d in theirs.attributes if d.default is not None and (d.type.is_code or d.type.is_tensor)}
    for declaration in mine.attributes:
        other = standard.get(refines.renaming.get(declaration.name, ""))
        if other is None or declaration.default is None or declaration.type.is_code != other.type.is_code:
            continue
        usual = s.bare(other.default) if other.default is not None else None
        assert isinstance(usual, s.Name)
        known = {s.TypeWord.T: context.element, **given.variables}
        wanted = known.get(usual.name) or ELEMENT_TYPES[usual.name]
        if default_type(declaration, context) != wanted:
            raise SpecificationError(
                f"without `{other.name}` the standard has the type {usual.name}, and this text another one",
                declaration.default.span,
                "give both the same default",
            )


def _mine(file: s.File, meaning: Meaning, refines: s.Refines) -> dict[str, str]:
    """The name here of each input, attribute and output of the standard."""
    inverse = {theirs: mine for mine, theirs in refines.renaming.items()}
    # Of two names for one thing the last would count, and the first would be compared with nothing.
    if len(inverse) < len(refines.renaming):
        named = list(refines.renaming.values())
        twice = next(name for name in named if named.count(name) > 1)
        raise SpecificationError(
            f"`{twice}` of the standard is mapped twice", refines.span, "map each name of the standard once"
        )
    known = {v.name for v in meaning.variables}
    declared = [(d.name, "") for d in (*file.inputs, *file.outputs)]
    declared += [(d.name, "attribute ") for d in file.attributes]
    for name, kind in declared:
        if inverse.get(name) not in known:
            raise SpecificationError(
                f"the `refines` line does not map the {kind}`{name}` of the standard",
                refines.span,
                f"add `NAME = {name}`",
            )
    return inverse


def _check_outputs(standard: Meaning, meaning: Meaning, refines: s.Refines) -> None:
    """Check that outputs which are compared have one type."""
    mine = {v.name: v for v in meaning.outputs}
    for variable in standard.outputs:
        name = next(own for own, theirs in refines.renaming.items() if theirs == variable.name)
        if (mine[name].count is None) is not (variable.count is None):
            several, single = (name, variable.name) if mine[name].count is not None else (variable.name, name)
            raise SpecificationError(
                f"`{several}` is a family of outputs, but `{single}` is one output",
                refines.span,
                "map a family to a family, and declare both with `[0 .. L]`",
            )
        if mine[name].sort != variable.sort:
            raise SpecificationError(
                f"`{name}` holds {mine[name].sort}, but `{variable.name}` of the standard holds {variable.sort}",
                refines.span,
                "give both the same type",
            )


def _named_for_standard(section: Section, tensors: dict[str, Tensor | Items]) -> dict[str, Tensor | Items]:
    refines = section.file.refines
    assert refines is not None
    return {refines.renaming[name]: tensor for name, tensor in tensors.items()}


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """The obligations that a `refines` line brings."""
    refines = _refinement(section)
    if refines is None:
        return
    for obligation in _against_standard(section, meaning, refines):
        unit = section.project.find(refines.namespace, refines.operator, refines.version)
        assert unit is not None
        # Refining a standard that reads outside says nothing: its reads have to be inside as well.
        of_standard = presumed.by_refinement(section.project, unit, section.family)
        obligation.presumes = tuple(dict.fromkeys((*obligation.presumes, *of_standard)))
        yield obligation


def _against_standard(section: Section, meaning: Meaning, refines: s.Refines) -> Iterator[Obligation]:
    yield section.obligation("spec", Kind.REFINES, refines.span, _refines(section))
    restrictions: list[s.Clause] = []
    if section.file.kind is s.FileKind.DRAFT:
        restrictions = [r.clause for r in meaning.restrictions if r.term is not None]
    for clause in restrictions:
        build = _restriction_narrows(section, clause.tag)
        yield section.obligation(clause.tag, Kind.NARROWING, clause.span, build, clause.title)
    yield section.obligation("spec", Kind.NARROWING, refines.span, _narrowing(section))


def _refines(section: Section) -> Callable[[Context], Statement]:
    """State that input which is valid here is valid in the standard, and that every result here is one that the
    standard allows.

    Where the standard leaves the outcome open, its errors demand nothing. Where the profile gives one result, it is put
    into the standard's conditions; else a free output that conforms here is (twins shape_of_the_first,
    reducemax_is_reducemin, one_input_too_many).
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        valid = (*meaning.hypotheses, meaning.valid)
        # Where the outcome is open the standard demands nothing, so an error of it is no reason to reject the input.
        accepted = _settled(
            valid,
            and_(standard.valid, or_(standard.unspecified_outcome, not_(standard.erring))),
            "input that is valid here is valid in the standard",
        )
        tensors = only_results(meaning)
        if tensors is not None:
            goal = standard.conforms(_named_for_standard(section, tensors))
            agreed = _settled(valid, goal, "the standard allows the result")
            return Statement(meaning.given, valid, (accepted, agreed))
        made, free, kinds = free_outputs(meaning, "")
        # Any result that the profile allows, not one of them: a set that is wider than the standard's is no refinement.
        conforming = (*valid, *kinds, meaning.conforms(free))
        goal = standard.conforms(_named_for_standard(section, free))
        agreed = _settled(conforming, goal, "the standard allows every result that conforms here")
        return Statement((*meaning.given, *made), conforming, (accepted, agreed))

    return build


def _narrowing(section: Section) -> Callable[[Context], Statement]:
    """State that input which the standard accepts and the restrictions accept, the constraints accept, and no error is
    raised: a constraint says what no implementation of the standard could do either (twins constraint_negated,
    no_empty_tensors, error_hides_a_restriction).
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        hypotheses = (
            *meaning.hypotheses,
            accepts(standard),
            not_(standard.unspecified_outcome),
            *(r.known for r in meaning.restrictions),
        )
        # Not `meaning.valid`: the restrictions are what may narrow.
        goal: Term = and_(*meaning.arity, *(c.known for c in meaning.constraints), not_(meaning.erring))
        what = "input that the standard accepts and this text rejects violates a restriction"
        return Statement(meaning.given, hypotheses, (_settled(hypotheses, goal, what),))

    return build


def _settled(hypotheses: Sequence[Term], goal: Term, what: str) -> Claim:
    """The claim with each hypothesis, and what it denies, decided wherever it stands in a sum, a product or a count.

    Two texts say one thing in two ways, `if rank(shape) = 1 then shape.shape[0] else 0` and `shape.shape[0]`. Solvers
    see that where the rank is known, but compare folds by their terms. A hypothesis is true in every model of all of
    them, so that the claim follows if this one does.
    """
    known: dict[Term, Term] = {}
    for fact in chain.from_iterable(map(conjuncts, hypotheses)):
        if fact not in (TRUE, FALSE):
            known[fact] = TRUE
            known[not_(fact)] = FALSE
    folds = [n for n in subterms(*hypotheses, goal) if OPERATORS[n.op].binds and n.sort != BOOL]
    settled = dict(zip(folds, replace_nodes(folds, known), strict=True))
    *assumed, wanted = replace_nodes((*hypotheses, goal), settled)
    return Claim(tuple(assumed), wanted, what)


def _restriction_narrows(section: Section, tag: str) -> Callable[[Context], Statement]:
    """State that a restriction rejects nothing. It is false of every real restriction of a draft, which is how a draft
    shows what it restricts: the counterexample is input that the profile gives up."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        standard = standard_of(section, meaning, context)
        assert standard is not None
        hypotheses = (*meaning.hypotheses, accepts(standard), not_(standard.unspecified_outcome))
        term = next(r.known for r in meaning.restrictions if r.tag == tag)
        what = f"{tag} rejects nothing that the standard accepts"
        return Statement(meaning.given, hypotheses, (Claim(hypotheses, term, what),))

    return build
