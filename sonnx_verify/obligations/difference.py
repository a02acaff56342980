"""Two specifications of one operator on one input: which of them accepts it, whether they allow the same results, which
errors each raises, and where each leaves the outcome open.

In: two units that `pair_of` or `pair_since` found to be about one operator. They are versions or texts of it, a profile
or draft and its standard, a draft and the profile of one standard, or one text now and in another project. Out:
obligations, one for each question. The inputs are those of one of the two, the base; the other is put on these.
Trusted: what is left out here is never asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.values import Declared, Items, Tensor, abstraction, kind_of, single, tensor_of
from sonnx_verify.kernel.variables import Variable, constant_value, same_constant, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, type_variables
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import Instance, instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.in_force import WHERE
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, INT
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, eq, implies, index, integer, not_, or_, to_int
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement, Wanted
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.refinement import accepts
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.results.difference import Aspect, Question, Side
from sonnx_verify.results.kinds import Kind


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operators: `names` has the name in the base of each input, attribute and output of the other; `alone` are the
    things of the base alone, which are at their defaults or left out; `moved` are inputs of the base that are
    attributes of the other; `required` are the things of the base that the other alone lets one leave out."""

    base: Unit
    other: Unit
    names: Mapping[str, str]
    alone: tuple[str, ...]
    moved: tuple[str, ...]
    required: tuple[str, ...]
    elsewhere: Project | None = None
    """The project of the other, where it is not that of the base: as where it is the same text as it was before."""

    def named(self, side: Side) -> str:
        """The name of a side in sentences."""
        match side, self.elsewhere:
            case Side.BASE, None:
                return self.base.operator
            case Side.OTHER, None:
                return self.other.operator
            case Side.BASE, _:
                return f"{self.base.operator} now"
            case _:
                return f"{self.other.operator} before"

    def allows_what(self, side: Side) -> str:
        """The sentence that is broken where a side does not allow a result of the opposite one."""
        return f"{self.named(side)} allows what {self.named(side.opposite)} allows"


def pair_of(a: Unit, b: Unit) -> Pair:
    """Pair two units. UsageError where they are not specifications of one operator."""
    if _subject(a) != _subject(b):
        raise UsageError(
            f"{a.operator} and {b.operator} specify different operators",
            cure="name two versions or texts of one operator, or a profile or draft and its standard",
        )
    # One of the two has all inputs of the other, or there is nothing to put both on. The likelier one is tried first,
    # and its reason is told where neither will do.
    reasons = []
    for base, other in sorted(((a, b), (b, a)), key=lambda both: _weight(both[0]), reverse=True):
        made = _pair(base, other)
        if isinstance(made, Pair):
            return made
        reasons.append(made)
    raise UsageError(
        f"{a.operator} and {b.operator} cannot be compared: {reasons[0]}",
        cure="compare texts with the same inputs and outputs; `sonnx-verify explain` shows what each says",
    )


def pair_since(now: Unit, then: Unit, before: Project) -> Pair:
    """Pair a text with what it was in another project. UsageError where that cannot be done."""
    made = _pair(now, then, since=True)
    if isinstance(made, str):
        reason = made.replace(f"{then.operator} has", "it had").replace(f"{now.operator} has", "it has")
        raise UsageError(
            f"{now.operator} cannot be compared with its earlier text: {reason}", cure="compare it by hand"
        )
    return replace(made, elsewhere=before)


def _file(unit: Unit) -> s.File:
    assert unit.file is not None
    return unit.file


def _subject(unit: Unit) -> tuple[str, str]:
    """The standard operator that it is about, or itself."""
    file = _file(unit)
    return (unit.namespace, file.name) if file.refines is None else (file.refines.namespace, file.refines.operator)


def _weight(unit: Unit) -> tuple[bool, int]:
    """A rank among bases: a text that refines speaks of facts, its standard does not; a newer one has more inputs."""
    return _file(unit).refines is not None, _file(unit).version or 0


def _standard_names(file: s.File) -> dict[str, str]:
    """The name in the standard of each declared thing."""
    renaming = {} if file.refines is None else file.refines.renaming
    return {d.name: renaming.get(d.name, d.name) for d in _declared(file)}


def _declared(file: s.File) -> list[s.Declaration]:
    return [*file.inputs, *file.attributes, *file.outputs]


def _pair(base: Unit, other: Unit, *, since: bool = False) -> Pair | str:
    """The comparison on the inputs of the base, or why there is none. Things with the same names as before are the
    same, whatever they are called in the standard; else those are that the standard calls the same."""
    mine, theirs = _standard_names(_file(base)), _standard_names(_file(other))
    # A profile that renames its input in the `refines` line alone has the same input as before.
    if since and mine.keys() == theirs.keys():
        mine = theirs = {name: name for name in mine}
    by_standard = {standard: name for name, standard in mine.items()}
    lacking = [name for name, standard in theirs.items() if standard not in by_standard]
    if lacking:
        return f"{base.operator} has no `{lacking[0]}`"
    names = {name: by_standard[standard] for name, standard in theirs.items()}
    # ReduceMax-18 takes axes as an input, 13 as an attribute; keepdims is in both. An input that only the base has is
    # left out in the comparison, so that both get the same; where it cannot be, there is nothing to compare.
    extra = [d for d in (*_file(base).inputs, *_file(base).attributes) if d.name not in names.values()]
    needed = [d.name for d in extra if not d.optional and d.default is None]
    if needed:
        return f"{other.operator} has no `{needed[0]}`, which {base.operator} needs"
    missing = [d.name for d in _file(base).outputs if d.name not in names.values()]
    if missing:
        return f"{other.operator} has no output `{missing[0]}`"
    families = {d.name for d in _file(base).outputs if d.high is not None}
    for d in _file(other).outputs:
        # Nothing that is one output conforms to a text of several, nor the other way round.
        if (d.high is not None) is not (names[d.name] in families):
            several, single = (other, base) if d.high is not None else (base, other)
            return f"`{d.name}` is a family of outputs in {several.operator}, and one output in {single.operator}"
    declared = {d.name: d for d in _declared(_file(base))}
    for d in _file(other).outputs:
        # Whether a bool conforms to a text that wants an int8 is no question to solvers.
        (is_free, here), (is_free_there, there) = _element(base, declared[names[d.name]]), _element(other, d)
        if here != there and not (is_free and is_free_there):
            return f"`{d.name}` has elements of type {there} in {other.operator} and of type {here} in {base.operator}"
    inputs = {d.name for d in _file(base).inputs}
    moved = tuple(names[d.name] for d in _file(other).attributes if names[d.name] in inputs)
    for d in _file(other).attributes:
        # Axes in a tensor are the list of axes; a number in a tensor of T is a float of another type than an attribute.
        if names[d.name] in moved and str(d.type) != "ints":
            return f"`{d.name}` is an attribute of type {d.type} in {other.operator} and a tensor in {base.operator}"
    attributes = {d.name for d in _file(base).attributes}
    turned = [d.name for d in _file(other).inputs if names[d.name] in attributes]
    if turned:
        return f"`{turned[0]}` is an input of {other.operator} and an attribute of {base.operator}"
    # Input without it cannot be given to the base, so that nothing below speaks of it.
    free = (names[d.name] for d in _declared(_file(other)) if d.optional or d.default is not None)
    required = tuple(name for name in free if not declared[name].optional and declared[name].default is None)
    return Pair(base, other, names, tuple(d.name for d in extra), moved, required)


def _element(unit: Unit, declaration: s.Declaration) -> tuple[bool, str]:
    """The type of the elements of an output, and whether it is a variable, which may have another name elsewhere."""
    of = declaration.type.of
    name = str(declaration.type) if of is None else of.name
    return name in {"T", *_file(unit).type_variables.values()}, name


# ------------------------------------------------------------------------------------------------- types and sections


def types_alone(pair: Pair) -> dict[str, dict[Side, tuple[str, ...]]]:
    """The types that each side has alone, by type variable as the base calls it."""
    found = {}
    for theirs, mine in {"T": "T", **_variables(pair)}.items():
        base, other = types_of(_file(pair.base), mine), types_of(_file(pair.other), theirs)
        found[mine] = {
            Side.BASE: tuple(t for t in base if t not in other),
            Side.OTHER: tuple(t for t in other if t not in base),
        }
    for side in Side:
        for variable in _unified(pair, side):
            found[variable] = {side: ("any but T",), side.opposite: ()}
    return found


def _variables(pair: Pair) -> dict[str, str]:
    """The name in the base of each type variable of the other beside T, by the things declared with it."""
    mine = {d.name: d.type.of.name for d in _declared(_file(pair.base)) if d.type.of is not None}
    known = [set(_file(unit).type_variables.values()) - {"T"} for unit in (pair.base, pair.other)]
    found = {}
    for d in _declared(_file(pair.other)):
        if d.type.of is None:
            continue
        # T1 there is T2 here if an input of T1 there is one of T2 here.
        name = mine.get(pair.names[d.name], "")
        if name in known[0] and d.type.of.name in known[1]:
            found[d.type.of.name] = name
    return found


def _unified(pair: Pair, side: Side = Side.BASE) -> list[str]:
    """The type variables of a side for which the opposite one has T: that takes only input in which they are the same
    type."""

    def variables(file: s.File) -> dict[str, str]:
        return {d.name: d.type.of.name for d in _declared(file) if d.type.of is not None}

    mine, theirs = variables(_file(pair.base)), variables(_file(pair.other))
    both = [(mine[name], theirs[other]) for other, name in pair.names.items() if name in mine and other in theirs]
    if side is Side.OTHER:
        both = [(there, here) for here, there in both]
    unit = pair.base if side is Side.BASE else pair.other
    known = set(_file(unit).type_variables.values()) - {"T"}
    return list(dict.fromkeys(name for name, opposite in both if name in known and opposite == "T"))


def _sections(project: Project, pair: Pair) -> Iterator[Section]:
    """The sections of the base, with the types that both have."""
    shared, unified = types_of(_file(pair.other), "T"), _unified(pair)
    for x in instances(_file(pair.base)):
        # Of a type that one of them lacks `types_alone` tells: no input of it could be given to both.
        types = [t for t in x.types if t in shared and all(x.variables[v].name == t for v in unified)]
        untyped = not x.types
        if (types or untyped) and _has(pair, x):
            yield Section(project, pair.base, x.name, x.family, sorts(types), x.variables)


def _has(pair: Pair, x: Instance) -> bool:
    """True where the other is for the types that the variables beside T stand for in a section of the base."""
    there = {mine: types_of(_file(pair.other), theirs) for theirs, mine in _variables(pair).items()}
    return all(sort.name in there.get(variable, [sort.name]) for variable, sort in x.variables.items())


# ------------------------------------------------------------------------------------------------------ the questions


def asked(project: Project, pair: Pair, *aspects: Aspect) -> Iterator[tuple[Question, Obligation]]:
    """The questions of some aspects in each section that both have, with the obligations that answer them.

    ACCEPTANCE, RESULTS, ERROR and OPEN together are all that an operator does with input. Which restrictions and
    constraints say so is not compared: of `0 <= a and a <= 1` and two clauses that say the same, nothing differs.
    """
    for section in _sections(project, pair):
        for aspect in aspects:
            for question in _questions(pair, section, aspect):
                yield question, _obligation(pair, section, question)


def inclusions(project: Project, pair: Pair) -> Iterator[Obligation]:
    """Claim in each section that the other accepts all that the base accepts. It says the same as that nothing is
    accepted by the base alone, but as a claim, which is cut into one for each clause of the other."""
    for section in _sections(project, pair):
        yield _made(pair, section, "inclusion", _included(pair, section))


def _questions(pair: Pair, section: Section, aspect: Aspect) -> Iterator[Question]:
    files = (_file(pair.base), _file(pair.other))
    match aspect:
        case Aspect.RESULTS:
            yield Question(aspect)
        case Aspect.ACCEPTANCE:
            yield from (Question(aspect, side) for side in Side)
        case Aspect.ERROR:
            # Errors are told apart by tags: E1 here and E1 there are the same error, whatever their sentences say.
            errors = [c for file in files for c in section.seen(file, file.clauses) if c.kind is s.ClauseKind.ERROR]
            for tag in dict.fromkeys(c.tag for c in errors):
                yield from (Question(aspect, side, tag) for side in Side)
        case Aspect.OPEN:
            # Where neither leaves an outcome open there is nothing to ask.
            if any(rule.what is s.RuleKind.OPEN_OUTCOME for file in files for rule in file.rules):
                yield from (Question(aspect, side) for side in Side)
        case Aspect.TEXT | Aspect.TYPES | Aspect.DECLARATIONS:
            raise AssertionError(f"no input answers {aspect}")


def _obligation(pair: Pair, section: Section, question: Question) -> Obligation:
    """The obligation that answers a question: without a side it is a claim, with one it is input that is wanted."""
    if question.side is None:
        return _made(pair, section, "results", _results(pair, section))
    tag: str = question.side
    if question.aspect is not Aspect.ACCEPTANCE:
        tag = f"{question.subject or 'outcome'}.{question.side}"
    return _made(pair, section, tag, _said_alone(pair, section, question, question.side))


def _made(pair: Pair, section: Section, what: str, build: Callable[[Context], Statement]) -> Obligation:
    """The obligation to compare the two in a section; it presumes that both mean something."""
    span = _file(pair.base).span
    assert span is not None
    made = section.obligation(f"{pair.other.operator}.{what}", Kind.DIFF, span, build)
    rests = presumed.by_refinement(section.project, pair.base, section.family)
    if pair.elsewhere is None:
        # Of another project nothing is found by name in this one: whoever compares the two asks it there.
        rests = (*presumed.by_refinement(section.project, pair.other, section.family), *rests)
    made.presumes = tuple(dict.fromkeys((*made.presumes, *rests)))
    return made


def _said_alone(pair: Pair, section: Section, question: Question, side: Side) -> Callable[[Context], Statement]:
    """Ask for input of which the text of one side says something and the other does not. The two are the same in this
    only if the solvers find that there is none, for either side."""

    def build(context: Context) -> Statement:
        mine, theirs, known = _both(pair, section, context)
        one, none = mine, theirs
        if side is Side.OTHER:
            one, none = theirs, mine
        who = pair.named(side)
        what, impossible = f"input of {who} only", "there is no such input"
        said: tuple[Term, ...]
        match question.aspect:
            case Aspect.ACCEPTANCE:
                # Input of which the other leaves the outcome open is none that it rejects.
                said = (accepts(one), not_(_takes(none)))
                what, impossible = f"input that only {who} accepts", f"{who} accepts no input that the other rejects"
            case Aspect.ERROR:
                # Of what one of them accepts ACCEPTANCE speaks: here is what both reject, with another error.
                refused = (not_(accepts(mine)), not_(accepts(theirs)))
                said = (*refused, _raises(one, question.subject), not_(_raises(none, question.subject)))
            case _:
                said = (_open(one), not_(_open(none)))
        return Statement(mine.given, wanted=(Wanted((*known, *said), what, impossible),))

    return build


def _takes(meaning: Meaning) -> Term:
    """It accepts the input, or says nothing of what happens."""
    return and_(meaning.valid, or_(meaning.unspecified_outcome, not_(meaning.erring)))


def _raises(meaning: Meaning, tag: str) -> Term:
    """The error of a tag, of input that meets the restrictions; where the outcome is open, nothing has to be raised."""
    term = next((e.term for e in meaning.errors if e.tag == tag and e.term is not None), FALSE)
    declared = and_(*meaning.arity, *(r.known for r in meaning.restrictions))
    return and_(declared, term, not_(_open(meaning)))


def _open(meaning: Meaning) -> Term:
    return and_(meaning.valid, meaning.unspecified_outcome)


def _results(pair: Pair, section: Section) -> Callable[[Context], Statement]:
    """Claim that where both accept, outputs that conform to one conform to the other.

    Each way is a claim: of a standard that allows any sum within a bound, and a profile that gives the exact one, the
    second allows less. Where only one accepts, ACCEPTANCE speaks.
    """

    def build(context: Context) -> Statement:
        mine, theirs, known = _both(pair, section, context)
        # One output for both: an implementation of the one, held against the other.
        made, tensors, kinds = free_outputs(mine, "")
        hypotheses = (*known, accepts(mine), accepts(theirs), *kinds)
        named = {d.name: tensors[pair.names[d.name]] for d in _file(pair.other).outputs}
        here, there = mine.conforms(tensors), theirs.conforms(named)
        claims = (
            Claim((*hypotheses, here), there, pair.allows_what(Side.OTHER)),
            Claim((*hypotheses, there), here, pair.allows_what(Side.BASE)),
        )
        return Statement((*mine.given, *made), hypotheses, claims)

    return build


def _included(pair: Pair, section: Section) -> Callable[[Context], Statement]:
    """Claim that the other accepts what the base accepts."""

    def build(context: Context) -> Statement:
        mine, theirs, known = _both(pair, section, context)
        claim = Claim(
            (*known, accepts(mine)),
            accepts(theirs),
            f"{pair.named(Side.OTHER)} accepts every input that {pair.named(Side.BASE)} accepts",
        )
        return Statement(mine.given, claim.hypotheses, (claim,))

    return build


# ------------------------------------------------------------------------------------------------- both on one input


def _both(pair: Pair, section: Section, context: Context) -> tuple[Meaning, Meaning, tuple[Term, ...]]:
    """The base on free inputs, the other on the same, and what is known of them."""
    if _unified(pair) and context.element == ELEMENT:
        raise NotAbstract
    mine = section.meaning(context)
    values: dict[str, Declared] = {}
    known = list(mine.hypotheses)
    file = _file(pair.other)
    for declaration in (*file.inputs, *file.attributes):
        name = pair.names[declaration.name]
        value = mine.inputs[name]
        assert isinstance(value, Declared)
        inner = value.value
        if name in pair.moved:
            # Axes in a tensor of rank 1 are the list of axes: a tensor of another rank is no such list.
            assert isinstance(inner, Tensor)
            known.append(implies(value.given, eq(inner.shape.rank, integer(1))))
            inner = _as_list(inner)
        elif isinstance(inner, Items):
            inner = Items(inner.count, inner.item, inner.kind)
        values[declaration.name] = Declared(inner, value.given, default=value.default)
    known += [r.known for r in mine.restrictions if r.tag == WHERE]
    # An input that the other does not know of must not decide: else any text with one more would differ.
    known += [_as_if_absent(v) for v in mine.given if v.name in pair.alone]
    kinds = {name: kind_of(v.value) for name, v in values.items()}
    outputs = {v.name: v for v in mine.outputs}
    kinds |= {d.name: tensor_of(outputs[pair.names[d.name]].sort) for d in file.outputs}
    wanted = {d.name: mine.asked.get(pair.names[d.name], TRUE) for d in file.outputs}
    span = file.span
    assert span is not None
    supplied = Supplied(values, wanted, type_variables(file, kinds, span, context.standing_for))
    # The side conditions of the other are its own obligations, which this one presumes: none are noted here.
    with context.silent():
        theirs = meaning_of(file, (pair.elsewhere or section.project).library(pair.other), context, supplied, span)
    # Of other input the row of a version says nothing: whether that is accepted is not known.
    known += [r.known for r in theirs.restrictions if r.tag == WHERE]
    return mine, theirs, tuple(known)


def _as_if_absent(variable: Variable) -> Term:
    """It has its default, written or not; what has none is left out."""
    if variable.default is None:
        return not_(variable.given)
    # An attribute that is written with its default is the same input as one that is left out.
    return same_constant(value_of(variable), constant_value(variable.default, variable.sort))


def _as_list(tensor: Tensor) -> Items:
    """The integers in a tensor of rank 1."""

    def item(m: Term) -> Term:
        return to_int(tensor.read(index(integer(1), lambda _: m)))

    return Items(tensor.shape.dim(integer(0)), abstraction(item, INT), single(INT))
