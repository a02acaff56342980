"""example: a text gives the outputs that its examples say, refuses them by the clause that they name, or leaves them
open. Trusted.

In: the examples of a text, its sections and meaning. Out: an obligation for each example, with its values and what has
to be true of them. Nothing is proved: the reference evaluator decides (solving/check/examples.py). Values that do not
fit the declarations are a SpecificationError at their place. An element that its type lacks refutes its example alone:
the example then has no values.

No statement of another obligation has any part of an example. That its values are tried as input where others are
searched for makes no verdict: such input is replayed as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.values import Items, Shape, Tensor
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import near
from sonnx_verify.language.families import Instance, types_of
from sonnx_verify.language.meaning import LeftOpen, Meaning, is_member
from sonnx_verify.language.meaning import Statement as ClauseMeaning
from sonnx_verify.language.written import NoElement
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.logic.terms import FALSE, Term, and_, forall_index, not_, or_
from sonnx_verify.obligations.differing import Cause, outputs_differ
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.obligations.given import values_of
from sonnx_verify.obligations.obligation import Input, Obligation
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that has to be true of the values of an example; the cause is told where it is not."""

    term: Term
    cause: Cause


@dataclass(frozen=True, slots=True)
class Shown:
    """An example of a text: its obligation, and its values. The conditions are evaluated in their order, each where
    those before it are true: a clause may have no meaning on input that a clause above it excludes."""

    obligation: Obligation
    variables: tuple[Variable, ...]
    values: Input
    conditions: tuple[Condition, ...]


def shown_in(sections: Sequence[Section], lines: Sequence[Instance]) -> Iterator[Shown]:
    """Each example of a text; `lines` are those of its sections, in the same order. Raises SpecificationError where one
    does not fit the declarations."""
    file = sections[0].file
    # Reports list what is said of a tag, whatever kind of obligation says it.
    taken = {"spec", *(c.tag for c in file.clauses), *(d.name for d in file.outputs), *(x.name for x in file.lets)}
    seen: dict[str, s.Example] = {}
    for example in file.examples:
        if example.name in seen:
            first = seen[example.name].span.line
            raise SpecificationError(
                f"example `{example.name}` is defined twice; the first is on line {first}", example.span, "rename one"
            )
        if example.name in taken:
            raise SpecificationError(
                f"`{example.name}` names another part of the text", example.span, "choose another name for the example"
            )
        seen[example.name] = example
        try:
            yield _shown(sections, lines, example)
        except SpecificationError:
            if not sections[0].project.lenient:
                raise


def _shown(sections: Sequence[Section], lines: Sequence[Instance], example: s.Example) -> Shown:
    section, sort = _Choice(sections[0].file, example).of(sections, lines)
    meaning = section.meaning(section.context(sort))
    _check_expected(meaning, example, lenient=section.project.lenient)
    made = section.obligation(example.name, Kind.EXAMPLE, example.span, None, example.title)
    # Of one type: an example is no statement about the others of its line. It is evaluated, so it rests on no proof.
    made.types = (sort,) if section.types else ()
    made.uses, made.presumes = (), ()
    try:
        values = values_of(meaning, example)
    except NoElement as problem:
        if section.project.lenient:
            raise
        return Shown(made, (), (), (Condition(FALSE, _told(problem.message, problem.span or example.span)),))
    outputs, tensors, _ = free_outputs(meaning, "")
    conditions = (*_declared(meaning, example), *_said(meaning, example, tensors))
    return Shown(made, (*meaning.given, *outputs), values, conditions)


def _told(cause: str, span: Span) -> Cause:
    return lambda facts: (cause, span)


def _declared(meaning: Meaning, example: s.Example) -> Iterator[Condition]:
    """Claim that the values are as the declarations say."""
    for term in meaning.hypotheses:
        yield Condition(term, _told("a value is not of its type", example.span))
    where = [d for d in (*meaning.file.inputs, *meaning.file.attributes) if d.where is not None]
    for declaration, term in zip(where, meaning.arity, strict=True):
        yield Condition(term, _told(f"`{declaration.name}` is not as its `where` declares it", example.span))


def _said(meaning: Meaning, example: s.Example, outputs: Mapping[str, Tensor | Items]) -> Iterator[Condition]:
    """Claim that the text agrees with the example."""
    if example.refused:
        yield from _refusing(meaning, example)
        return
    for clause in (*meaning.restrictions, *meaning.constraints):
        yield Condition(clause.known, _told(f"{_named(clause)} refuses it", example.span))
    for error in meaning.errors:
        yield Condition(not_(error.known), _told(f"{_named(error)} applies", example.span))
    if example.openness is s.Openness.OPEN:
        yield _open(meaning, example)
        return
    if example.openness is s.Openness.PINNED:
        yield from _pinned(meaning, example)
    # Of outputs that nobody asks for `conforms` says nothing.
    if example.excluded:
        yield Condition(not_(meaning.conforms(outputs)), _told("the text allows these outputs", example.span))
        return
    yield Condition(meaning.conforms(outputs), outputs_differ(meaning, example, outputs))


def _named(clause: ClauseMeaning) -> str:
    return f'{clause.tag}, "{clause.clause.title}",'


def _refusing(meaning: Meaning, example: s.Example) -> Iterator[Condition]:
    """Claim that a clause is the first of its kind that refuses an input.

    Restrictions and constraints are one list, as validity has them: of input that fails C1 and C2 it is C1. An error
    is met where every restriction holds, as errors rely on these.
    """
    tag, span = example.refused, example.refused_span or example.span
    errors = [e.tag for e in meaning.errors]
    if tag in errors:
        for clause in meaning.restrictions:
            yield Condition(clause.known, _told(f"{_named(clause)} refuses it, so no error is asked about", span))
        above, error = meaning.errors[: errors.index(tag)], meaning.errors[errors.index(tag)]
        for other in above:
            yield Condition(not_(other.known), _told(f"{_named(other)} applies, which stands above {tag}", span))
        yield Condition(error.known, _told(f"{_named(error)} does not apply", span))
        return
    clauses = [*meaning.restrictions, *meaning.constraints]
    if tag not in [c.tag for c in clauses]:
        # Of a mutant without the clause: it is no other text if another clause refuses the input.
        yield Condition(or_(not_(meaning.valid), meaning.erring), _told(f"without {tag} nothing refuses it", span))
        return
    place = [c.tag for c in clauses].index(tag)
    for clause in clauses[:place]:
        yield Condition(clause.known, _told(f"{_named(clause)} refuses it, which stands above {tag}", span))
    yield Condition(not_(clauses[place].known), _told(f"{_named(clauses[place])} holds of it", span))


def _open(meaning: Meaning, example: s.Example) -> Condition:
    """Claim that the text leaves the result open: outcome or shape, or the value at every index, of which there is one.

    With a tag it is the item of that tag, and it alone: where two say the same, a slip in one would hide behind the
    other. Of several elements each is open: one that is not would hide behind its neighbours.
    """
    named = [x for x in meaning.left_open if x.rule.tag == example.open_by]
    span = example.open_span or example.span
    if not example.open_by or not named:
        # Of a mutant without the item: it is no other text if another item leaves the same open.
        cause = f"without {example.open_by} nothing leaves it open" if example.open_by else "nothing leaves it open"
        wide = [x.when(None) for x in meaning.left_open if x.reach is not s.Reach.VALUE]
        every = [_open_everywhere(meaning, output, lambda x: True) for output in meaning.valued]
        return Condition(or_(*wide, and_(*every) if every else FALSE), _told(cause, span))
    (item,) = named
    others = [x for x in meaning.left_open if x is not item]
    if item.reach is not s.Reach.VALUE:
        rivals = [x for x in others if x.reach is item.reach or x.reach is s.Reach.OUTCOME]
        alone = and_(item.when(None), *(not_(x.when(None)) for x in rivals))
        return Condition(alone, _told(f"it is not {item.rule.tag} alone that leaves it open", span))
    wider = [not_(x.when(None)) for x in others if x.reach is not s.Reach.VALUE]
    alone = _open_everywhere(meaning, item.rule.output, lambda x: x is item)
    return Condition(
        and_(*wider, alone), _told(f"it is not {item.rule.tag} alone that leaves every element open", span)
    )


def _open_everywhere(meaning: Meaning, output: str, does: Callable[[LeftOpen], bool]) -> Term:
    """The condition that an output has elements, and that each is left open by such items and by no others."""
    shape = meaning.shapes.get(output)
    if shape is None:
        return FALSE
    mine = [x for x in meaning.left_open if x.reach is s.Reach.VALUE and x.rule.output == output]
    yes, no = [x for x in mine if does(x)], [x for x in mine if not does(x)]
    elements = not_(forall_index(shape.rank, shape.dim, lambda _: FALSE))

    def here(i: Term) -> Term:
        return and_(_applies(yes, i), not_(_applies(no, i)))

    return and_(elements, forall_index(shape.rank, shape.dim, here))


def _applies(items: Sequence[LeftOpen], i: Term) -> Term:
    return or_(*(x.when(i) for x in items))


def _pinned(meaning: Meaning, example: s.Example) -> Iterator[Condition]:
    """Claim that no item leaves anything open, at any index."""
    for item in meaning.left_open:
        cause = _told(f"{_tag_of(meaning, item)} leaves it open", example.span)
        shape = meaning.shapes.get(item.rule.output)
        if item.reach is not s.Reach.VALUE:
            yield Condition(not_(item.when(None)), cause)
        elif shape is not None:
            yield Condition(_applies_nowhere(item, shape), cause)


def _applies_nowhere(item: LeftOpen, shape: Shape) -> Term:
    return forall_index(shape.rank, shape.dim, lambda i: not_(item.when(i)))


def _tag_of(meaning: Meaning, item: LeftOpen) -> str:
    return f'{gap_tag(meaning.file, item.rule)}, "{item.rule.title}",'


def _check_expected(meaning: Meaning, example: s.Example, *, lenient: bool) -> None:
    """Check that an example has either outputs or the tag of a clause that can refuse input."""
    outputs = {v.name for v in meaning.outputs}
    families = {v.name for v in meaning.outputs if v.count is not None}
    written = [e for e in example.entries if e.name in outputs or any(is_member(family, e.name) for family in families)]
    clauses: list[ClauseMeaning] = [*meaning.restrictions, *meaning.constraints, *meaning.errors]
    if example.has_outputs:
        return
    if written:
        said = f"is refused by {example.refused}" if example.refused else "is open"
        raise SpecificationError(
            f"example `{example.name}` has the output `{written[0].name}` and {said}",
            written[0].span,
            f"remove the output, or the line `{'refused by ...' if example.refused else 'open'}`",
        )
    if not example.refused:
        _check_open_by(meaning, example, lenient=lenient)
        return
    known = [c.tag for c in clauses if c.term is not None]
    if example.refused not in known and not lenient:
        found = near(example.refused, known)
        cure = f"write `{found}`" if found else f"name one of {', '.join(known) or 'its clauses; it has none'}"
        raise SpecificationError(
            f"no clause `{example.refused}` can refuse an input here", example.refused_span or example.span, cure
        )


def _check_open_by(meaning: Meaning, example: s.Example, *, lenient: bool) -> None:
    """Check that the tag of what leaves an input open is that of such an item of its section."""
    known = [x.rule.tag for x in meaning.left_open if x.rule.tag]
    if not example.open_by or example.open_by in known or lenient:
        return
    found = near(example.open_by, known)
    cure = f"write `{found}`" if found else f"name one of {', '.join(known) or 'its items; none has a tag'}"
    raise SpecificationError(
        f"no item `{example.open_by}` can leave anything open here", example.open_span or example.span, cure
    )


@dataclass(frozen=True, slots=True)
class _Choice:
    """The section that an example is of, by the types of its tensors."""

    file: s.File
    example: s.Example

    def of(self, sections: Sequence[Section], lines: Sequence[Instance]) -> tuple[Section, Sort]:
        """The section and the type of T, which is the first of its line where no tensor says it."""
        variables = self._types()
        family = self.example.family
        named = [line.line for line in lines]
        if family and family not in named:
            cure = f"name one of {', '.join(dict.fromkeys(named))}"
            raise SpecificationError(f"there is no line `types {family}`", self.example.span, cure)
        for section, line in zip(sections, lines, strict=True):
            others = all(variables.get(name, (sort, None))[0] == sort for name, sort in line.variables.items())
            element = variables.get(s.TypeWord.T)
            fits = element is None or element[0].name in line.types
            if others and fits and family in ("", line.line):
                return section, self._element(line, element)
        place = next((entry.span for _, entry in variables.values()), self.example.span)
        found = ", ".join(f"{name} = {sort.name}" for name, (sort, _) in variables.items())
        where = f" for {family}" if family else ""
        raise SpecificationError(
            f"no section{where} of this text has {found or 'such types'}", place, "write values of types of one section"
        )

    def _element(self, line: Instance, element: tuple[Sort, s.Entry] | None) -> Sort:
        if element is not None:
            return element[0]
        if line.types:
            return ELEMENT_TYPES[line.types[0]]
        # Nothing is of type T here, so nothing is said of the type that it stands for.
        return ELEMENT_TYPES["int8"]

    def _types(self) -> dict[str, tuple[Sort, s.Entry]]:
        """The type of each type variable, with the entry that says it."""
        chosen: dict[str, tuple[Sort, s.Entry]] = {}
        declared = {d.name: d for d in (*self.file.inputs, *self.file.outputs)}
        for entry in self.example.entries:
            declaration = declared.get(entry.name) or _member_of(entry.name, self.file)
            if declaration is None or not isinstance(entry.value, s.TensorValue) or declaration.type.of is None:
                continue
            variable = declaration.type.of.name
            if variable not in (s.TypeWord.T, *self.file.type_variables.values()):
                continue
            sort = self._listed(variable, entry.value.type, entry.span)
            first, other = chosen.setdefault(variable, (sort, entry))
            if first != sort:
                raise SpecificationError(
                    f"`{entry.name}` is {sort.name}, and `{other.name}` is {first.name}: both hold elements of "
                    f"{variable}",
                    entry.span,
                    "write values of one type",
                )
        return chosen

    def _listed(self, variable: str, name: str, span: Span) -> Sort:
        listed = types_of(self.file, variable)
        if name not in listed:
            raise SpecificationError(f"{variable} is never {name} here", span, f"use one of {', '.join(listed)}")
        return ELEMENT_TYPES[name]


def _member_of(name: str, file: s.File) -> s.Declaration | None:
    """The family that a name such as `X0` is a member of."""
    for declared in (*file.inputs, *file.outputs):
        rest = name.removeprefix(declared.name)
        if declared.high is not None and rest != name and rest.isdigit():
            return declared
    return None
