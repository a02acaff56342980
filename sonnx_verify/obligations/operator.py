"""The obligations of one operator specification about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Branch, Context
from sonnx_verify.language.meaning import Meaning, place_of
from sonnx_verify.language.meaning import Statement as ClauseMeaning
from sonnx_verify.language.values import Position, Shape, Tensor, same_shape, same_tensor
from sonnx_verify.language.variables import Variable, typed, value_of
from sonnx_verify.logic.terms import TRUE, Symbol, Term, and_, eq, forall_index, not_, or_, subterms, with_copy
from sonnx_verify.logic.verdict import static, undecided
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement, Wanted
from sonnx_verify.obligations.orders import class_wanted
from sonnx_verify.obligations.section import Section


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """All obligations of a section about itself; `meaning` is any elaboration of it, to know which clauses it has."""
    checked = section.file.kind in ("profile", "draft", "user")
    yield from _sides(section, meaning)
    yield from _undetermined(section, meaning)
    for name in meaning.values:
        yield _determined(section, meaning, checked, name)
    if checked:
        yield from _errors(section, meaning)
        for clause in meaning.output_clauses:
            if meaning.values:
                yield _holds(section, clause)
    yield _satisfiable(section, meaning)
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        yield _clause_satisfiable(section, statement)
    for order in section.file.orders:
        yield from _classes(section, order)
    if checked:
        for statement in (*meaning.restrictions, *meaning.constraints):
            yield _independent(section, statement)


# ------------------------------------------------------------------------------------------------------ side conditions


def _sides(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """in-bounds and total: what each clause needs to mean anything."""
    groups: dict[tuple[str, str], None] = {}
    for side in meaning.context.sides:
        groups[(side.place, side.kind)] = None
    for place, kind in groups:
        yield section.obligation(
            place_tag(section, place), kind, _place_span(section, place), _sides_builder(section, place, kind)
        )


def _sides_builder(section: Section, place: str, kind: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        hypotheses = _before(meaning, place)
        claims = tuple(
            Claim(hypotheses, side.formula, f"{side.reason} ({side.span})")
            for side in context.sides
            if (side.place, side.kind) == (place, kind)
        )
        used = {n.payload for c in claims for t in (*c.hypotheses, c.goal) for n in subterms(t) if n.op == "apply"}
        spoken = (v for v in meaning.variables if v.role != "output" or v.symbol("rank") in used)
        return Statement(tuple(spoken), hypotheses, claims)

    return build


def _before(meaning: Meaning, place: str) -> tuple[Term, ...]:
    """What may be relied on at a place: for a clause those before it, for an error the restrictions, else validity."""
    if place.startswith("where "):
        # A declaration relies on the types and on the declarations above it.
        return (*meaning.hypotheses, *meaning.arity[: int(place.split()[1])])
    known = [*meaning.hypotheses, *meaning.arity]
    statements = [*meaning.restrictions, *meaning.constraints]
    let = next((x for x in meaning.file.lets if x.name == place), None)
    below = [] if let is None else [c for c in meaning.file.clauses if c.place > let.place]
    if let is not None and (below or let.name in _lets_of_errors(meaning.file)):
        # Clauses below may use it: it has to make sense under those above alone. A restriction comes before all
        # constraints, those above it too; and an error is asked for where constraints fail.
        above = [x for x in statements if x.clause.place < let.place]
        if any(c.kind == "restriction" for c in below) or let.name in _lets_of_errors(meaning.file):
            above = [x for x in above if x.clause.kind == "restriction"]
        return (*known, *(x.known for x in above))
    about_outputs = place in {c.tag for c in meaning.output_clauses}
    if about_outputs:
        return (*known, *(typed(v, bounded=False) for v in meaning.outputs), meaning.valid)
    if any(e.tag == place for e in meaning.errors):
        return (*known, *(r.known for r in meaning.restrictions))
    for statement in statements:
        if statement.tag == place:
            return tuple(known)
        known.append(statement.known)
    free = {v.name: value for v in meaning.outputs if isinstance(value := value_of(v), Tensor)}
    if not meaning.shapes:
        known += [typed(v, bounded=False) for v in meaning.outputs]
        known += [meaning.output_condition(c, free) for c in meaning.output_clauses if c.body is not None]
    return (*known, not_(meaning.unspecified_outcome), not_(meaning.failing))


def _lets_of_errors(file: s.File) -> set[str]:
    """The names given by `let` that errors speak of, also through others."""
    bodies = {let.name: let.body for let in file.lets}
    found: set[str] = set()
    todo = [c.body for c in file.clauses if c.kind == "error" and c.body is not None]
    while todo:
        node = todo.pop()
        todo.extend(node.parts)
        name = node.text[0] if node.kind == "name" else ""
        if name in bodies and name not in found:
            found.add(name)
            todo.append(bodies[name])
    return found


def place_tag(section: Section, place: str) -> str:
    """The name of what is declared, for its `where`; else the place itself."""
    return place.split()[2] if place.startswith("where ") else place


def _place_span(section: Section, place: str) -> Span:
    file = section.file
    for clause in file.clauses:
        if clause.tag == place:
            return clause.span
    for let in file.lets:
        if let.name == place:
            return let.span
    for rule in file.rules:
        if place_of(file, rule) == place:
            return rule.span
    assert file.span is not None
    return file.span


def _undetermined(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """An output that no clause gives a shape or a value."""
    for output in section.file.outputs:
        missing = [
            what for what, given in (("shape", meaning.shapes), ("value", meaning.values)) if output.name not in given
        ]
        if missing:
            obligation = section.obligation(output.name, "total", output.span, None)
            obligation.answer = static(False, f"no clause gives the {' and '.join(missing)} of `{output.name}`")
            yield obligation


# -------------------------------------------------------------------------------------------------- result and errors


def free_outputs(meaning: Meaning, copy: str) -> tuple[list[Variable], dict[str, Tensor], tuple[Term, ...]]:
    """Fresh outputs: their variables, themselves by name, and what their types say."""
    made = meaning.free_outputs(copy)
    tensors = {name: value for name, v in made.items() if isinstance(value := value_of(v), Tensor)}
    return list(made.values()), tensors, tuple(typed(v, bounded=False) for v in made.values())


def _determined(section: Section, meaning: Meaning, exactly: bool, name: str) -> Obligation:
    file = section.file
    span = next((r.span for r in file.rules if r.what in ("shape", "value") and r.output == name), file.span)
    assert span is not None
    complete = all(meaning.result(v.name) is not None for v in meaning.outputs)
    complete = complete and not (exactly and meaning.leaves_open)
    build = _determined_result(section, exactly, name) if complete else _determined_freely(section, name)
    return section.obligation(name, "determined", span, build)


def _determined_result(section: Section, exactly: bool, name: str) -> Callable[[Context], Statement]:
    """Where shape and value are given, what conforms is equal to them: two readings of them, in which every choice is
    made anew, are equal. For a standard outside its unspecified conditions."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        valid = (*meaning.hypotheses, meaning.valid, not_(meaning.unspecified_outcome), not_(meaning.failing))
        places = {place_of(section.file, r) for r in section.file.rules if r.output in ("", name)}
        choices = and_(*(x.formula for x in context.sides if x.kind == "total" and x.place in places - {"outcome"}))
        inputs = tuple(v for v in meaning.variables if v.role != "output")
        claims = [Claim(valid, choices, "each choice in shape and value has exactly one answer")]
        result = meaning.result(name)
        assert result is not None
        free = [] if exactly else meaning.unspecified_values.get(name, [])
        # The other claims rest on the first.
        known = (*valid, meaning.asked.get(name, TRUE), TRUE if exactly else not_(meaning.unspecified_shape), choices)
        shape = same_shape(result.shape, _copied_shape(result.shape))
        # A counterexample is one of the first claim: a choice with two answers.
        claims.append(Claim(known, shape, f"exactly one shape of {name} conforms", choices))
        if name in meaning.members:
            claims += _set_claims(meaning, name, result, free, known, choices)
        else:
            value = _copied_values(result, free)
            claims.append(Claim(known, value, f"exactly one value conforms at each index of {name}", choices))
        return Statement(inputs, valid, tuple(claims))

    return build


def _set_claims(
    meaning: Meaning,
    name: str,
    result: Tensor,
    free: list[Callable[[Position], Term]],
    known: tuple[Term, ...],
    choices: Term,
) -> Iterator[Claim]:
    """Of a set of results: its representative is in it, and it is one set however its choices are made."""

    def over(body: Callable[[Position], Term]) -> Term:
        def element(i: Term) -> Term:
            position = Position(i, result.shape.rank)
            return or_(*(u(position) for u in free), body(position))

        return forall_index(result.shape.rank, result.shape.dim, element)

    inhabited = over(lambda position: meaning.conforms_at(name, position, result.read(position.term)))
    yield Claim(known, inhabited, f"some value conforms at each index of {name}")
    any_element = Symbol(f"any element of {name}", (), result.sort)()

    def member(position: Position) -> Term:
        conforms = meaning.conforms_at(name, position, any_element)
        return eq(conforms, with_copy(conforms, 1))

    yield Claim(known, over(member), f"exactly one set of values conforms at each index of {name}", choices)


def _copied_values(result: Tensor, free: list[Callable[[Position], Term]]) -> Term:
    """At every index the element is that of the copy, or left open."""

    def element(i: Term) -> Term:
        left_open = (u(Position(i, result.shape.rank)) for u in free)
        return or_(*left_open, eq(result.read(i), with_copy(result.read(i), 1)))

    return forall_index(result.shape.rank, result.shape.dim, element)


def _copied_shape(shape: Shape) -> Shape:
    return Shape(with_copy(shape.rank, 1), lambda q: with_copy(shape.dim(q), 1))


def _determined_freely(section: Section, name: str) -> Callable[[Context], Statement]:
    """Any two results that conform are equal."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        inputs = [v for v in meaning.variables if v.role != "output"]
        one, first, typed_one = free_outputs(meaning, "")
        two, second, typed_two = free_outputs(meaning, "'")
        conforming = (meaning.conforms(first), with_copy(meaning.conforms(second), 1))
        hypotheses = (
            *meaning.hypotheses,
            meaning.valid,
            not_(meaning.unspecified_outcome),
            not_(meaning.failing),
            *typed_one,
            *typed_two,
            *conforming,
        )
        hypotheses = (*hypotheses, meaning.asked.get(name, TRUE))
        claim = Claim(hypotheses, same_tensor(first[name], second[name]), "exactly one result conforms: here are two")
        return Statement((*inputs, *one, *two), hypotheses, (claim,))

    return build


def _errors(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """covered and exclusive: errors are the complement of the constraints."""
    for statement in meaning.constraints:
        yield section.obligation(
            statement.tag, "covered", statement.clause.span, _covered(section, statement.tag), statement.clause.title
        )
    if meaning.errors:
        clauses = [c.clause for c in meaning.constraints] + meaning.output_clauses
        for clause in clauses:
            yield section.obligation(clause.tag, "exclusive", clause.span, _exclusive(section), clause.title)


def _covered(section: Section, tag: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        constraint = next(c for c in meaning.constraints if c.tag == tag)
        base = (*meaning.hypotheses, *meaning.arity, *(r.known for r in meaning.restrictions))
        hypotheses = (*base, not_(constraint.known))
        construction = any(e.term is not None and e.term is not_(constraint.known) for e in meaning.errors)
        inputs = tuple(v for v in meaning.variables if v.role != "output")
        what = f"input that fails {tag} meets an error"
        note = "by construction: an error is the negation of the constraint" if construction else ""
        return Statement(inputs, hypotheses, (Claim(hypotheses, meaning.failing, what),), note=note)

    return build


def _exclusive(section: Section) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        base = (*meaning.hypotheses, meaning.valid)
        variables = [v for v in meaning.variables if v.role != "output"]
        if meaning.output_clauses:
            made, tensors, kinds = free_outputs(meaning, "")
            variables += made
            spoken = (meaning.output_condition(c, tensors) for c in meaning.output_clauses if c.body is not None)
            base = (*base, *kinds, *spoken)
        construction = all(
            e.term is not None and any(e.term is not_(c.known) for c in meaning.constraints) for e in meaning.errors
        )
        note = "by construction: each error is the negation of a constraint" if construction else ""
        tags = ", ".join(e.tag for e in meaning.errors)
        what = f"input that meets every constraint meets no error ({tags})"
        return Statement(tuple(variables), base, (Claim(base, not_(meaning.failing), what),), note=note)

    return build


def _holds(section: Section, clause: s.Clause) -> Obligation:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        made, tensors, kinds = free_outputs(meaning, "")
        inputs = [v for v in meaning.variables if v.role != "output"]
        meaning = replace(meaning, output_clauses=[])
        hypotheses = (*meaning.hypotheses, meaning.valid, not_(meaning.failing), *kinds, meaning.conforms(tensors))
        goal = meaning.output_condition(clause, tensors)
        what = f"{clause.tag} follows from shape and value: {clause.title}"
        return Statement((*inputs, *made), hypotheses, (Claim(hypotheses, goal, what),))

    return section.obligation(clause.tag, "holds", clause.span, build if clause.body is not None else None)


# ------------------------------------------------------------------------------------------------------ satisfiability


def _satisfiable(section: Section, meaning: Meaning) -> Obligation:
    """Valid inputs exist, and every `if` of the definitions goes both ways on some of them."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        variables = tuple(v for v in meaning.variables if v.role != "output")
        valid = (*meaning.hypotheses, meaning.valid)
        if meaning.output_clauses or not meaning.shapes:
            made, tensors, kinds = free_outputs(meaning, "")
            variables = (*variables, *made)
            spoken = (meaning.output_condition(c, tensors) for c in meaning.output_clauses if c.body is not None)
            valid = (*valid, *kinds, *spoken)
        wanted = [Wanted(valid, "valid input", "no input is valid")]
        ways: dict[Span, list[Branch]] = {}
        for branch in context.branches:
            ways.setdefault(branch.span, []).append(branch)
        for span, branches in ways.items():
            for way, never in (
                ("then", and_(*(b.never_then for b in branches))),
                ("else", and_(*(b.never_else for b in branches))),
            ):
                what = f"the `{way}` of {span}"
                wanted.append(Wanted((*valid, not_(never)), f"{what} is reached", f"{what} is never reached"))
        return Statement(variables, wanted=tuple(wanted))

    assert section.file.span is not None
    return section.obligation("spec", "satisfiable", section.file.span, build)


def _clause_satisfiable(section: Section, statement: ClauseMeaning) -> Obligation:
    tag = statement.tag
    if statement.term is None:
        return _outside(section, statement, "satisfiable")

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        term = _find(meaning, tag).known
        variables = tuple(v for v in meaning.variables if v.role != "output")
        base = (*meaning.hypotheses, *meaning.arity)
        return Statement(
            variables,
            wanted=(
                Wanted((*base, term), f"{tag} admits", f"{tag} admits no input"),
                Wanted((*base, not_(term)), f"{tag} excludes", f"{tag} excludes no input"),
            ),
        )

    return section.obligation(tag, "satisfiable", statement.clause.span, build, statement.clause.title)


def _outside(section: Section, statement: ClauseMeaning, kind: str) -> Obligation:
    obligation = section.obligation(statement.tag, kind, statement.clause.span, None, statement.clause.title)
    obligation.answer = undecided("unsupported", "outside the model: no claim is made about this clause")
    obligation.expected = "unsupported"
    return obligation


def _find(meaning: Meaning, tag: str) -> ClauseMeaning:
    return next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)


def _classes(section: Section, order: s.OrderDefinition) -> Iterator[Obligation]:
    """Each class of an order by classes has a member."""
    if order.family == section.family:
        for place, (name, _) in enumerate(order.classes):
            build = class_wanted(section.project.library(section.unit), order, place)
            yield section.obligation(f"{order.name}.{name}", "satisfiable", order.classes[place][1].span, build)


def _where_it_speaks(meaning: Meaning, other: ClauseMeaning, statement: ClauseMeaning) -> Term:
    """What another clause says. One below may rely on this one, and says nothing where it has no meaning without it."""
    if other.clause.place < statement.clause.place:
        return other.known
    places = {other.tag, *(let.name for let in meaning.file.lets if let.place < other.clause.place)}
    needed = and_(*(side.formula for side in meaning.context.sides if side.place in places))
    return or_(not_(needed), other.known)


def _independent(section: Section, statement: ClauseMeaning) -> Obligation:
    tag = statement.tag
    if statement.term is None:
        return _outside(section, statement, "independent")

    def build(context: Context) -> Statement:
        from sonnx_verify.obligations.refinement import accepts, standard_of

        meaning = section.meaning(context)
        variables = tuple(v for v in meaning.variables if v.role != "output")
        mine = [x for x in (*meaning.restrictions, *meaning.constraints)]
        others = [_where_it_speaks(meaning, x, statement) for x in mine if x.tag != tag]
        conditions = [*meaning.hypotheses, *meaning.arity, *others]
        from_standard = ""
        term = _find(meaning, tag)
        standard = standard_of(section, meaning, context)
        if standard is not None and term.clause.kind == "restriction":
            conditions += [accepts(standard)]
            from_standard = " and the standard's constraints"
        names = ", ".join(x.tag for x in mine if x.tag != tag) or "nothing else"
        what = f"{tag} is redundant: it follows from {names}{from_standard}"
        wanted = Wanted((*conditions, not_(term.known)), f"input that {tag} alone rejects", what)
        return Statement(variables, wanted=(wanted,))

    return section.obligation(tag, "independent", statement.clause.span, build, statement.clause.title)
