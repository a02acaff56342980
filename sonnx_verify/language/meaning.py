"""What an operator specification means for given inputs: its clauses, shape and value as terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, bind
from sonnx_verify.language.context import Context
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.declare import check_output, declare
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.library import Library, a_kind
from sonnx_verify.language.proof_scripts import lemmas_of
from sonnx_verify.language.values import Declared, Outcome, Position, Results, Shape, Tensor, Value, kind_of, same_shape
from sonnx_verify.language.variables import Variable, asked_for, value_of, variable_of
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Term,
    and_,
    eq,
    forall_index,
    implies,
    not_,
    or_,
    placeholder,
    substitute,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause with its meaning; `term` is None for what is outside the model."""

    clause: s.Clause
    term: Term | None

    @property
    def tag(self) -> str:
        return self.clause.tag

    @property
    def known(self) -> Term:
        """The meaning, or no condition where there is none in the model."""
        return TRUE if self.term is None else self.term


@dataclass(slots=True)
class Meaning:
    """One operator specification on given inputs.

    `inputs` is what names mean: inputs, attributes and each `let`. `hypotheses` are what the types and the declarations
    say. Statements about outputs are functions of those outputs. `values` give the element at an index. Where a clause
    gives a set of results, `members` say whether an element is one of them, and `values` give its representative.
    `asked` says when an optional output is asked for: only then is anything said of it. `lemmas` are what the theorems
    say that the text uses.
    """

    file: s.File
    context: Context
    variables: list[Variable]
    inputs: dict[str, Value]
    hypotheses: list[Term] = field(default_factory=list)
    arity: list[Term] = field(default_factory=list)
    restrictions: list[Statement] = field(default_factory=list)
    constraints: list[Statement] = field(default_factory=list)
    errors: list[Statement] = field(default_factory=list)
    output_clauses: list[s.Clause] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    values: dict[str, Callable[[Position], Term]] = field(default_factory=dict)
    members: dict[str, Callable[[Position, Term], Term]] = field(default_factory=dict)
    lemmas: tuple[Term, ...] = ()
    unspecified_outcome: Term = field(default_factory=lambda: not_(TRUE))
    unspecified_shape: Term = field(default_factory=lambda: not_(TRUE))
    unspecified_values: dict[str, list[Callable[[Position], Term]]] = field(default_factory=dict)
    asked: dict[str, Term] = field(default_factory=dict)
    _output_condition: Callable[[s.Clause, Mapping[str, Tensor]], Term] | None = None

    @property
    def valid(self) -> Term:
        """All restrictions and all constraints about inputs and attributes hold."""
        return and_(*self.arity, *(r.known for r in self.restrictions), *(c.known for c in self.constraints))

    def first_to_fail(self, tag: str) -> Term:
        """Those above this constraint, on which it may rely, hold, and it does not: what `C1 fails` means."""
        place = next(n for n, c in enumerate(self.constraints) if c.tag == tag)
        return and_(*(c.known for c in self.constraints[:place]), not_(self.constraints[place].known))

    @property
    def failing(self) -> Term:
        """Some error applies."""
        return or_(*(e.known for e in self.errors)) if self.errors else not_(TRUE)

    @property
    def erring(self) -> Term:
        """The same of input that meets every constraint, shorter: of that, no constraint fails."""
        fails = {self.first_to_fail(c.tag) for c in self.constraints}
        return or_(*(e.known for e in self.errors if e.known not in fails)) if self.errors else not_(TRUE)

    @property
    def leaves_open(self) -> bool:
        """Whether some clause leaves something unspecified."""
        open_anywhere = or_(self.unspecified_outcome, self.unspecified_shape)
        return open_anywhere is not not_(TRUE) or any(self.unspecified_values.values())

    def output_condition(self, clause: s.Clause, outputs: Mapping[str, Tensor]) -> Term:
        """What a constraint about outputs says of these."""
        assert self._output_condition is not None
        return self._output_condition(clause, outputs)

    def result(self, name: str) -> Tensor | None:
        """The output as the clauses give it, where both shape and value are given."""
        shape, value = self.shapes.get(name), self.values.get(name)
        if shape is None or value is None:
            return None
        sort = next(v.sort for v in self.outputs if v.name == name)
        return Tensor(shape, lambda i: value(Position(i, shape.rank)), sort)

    @property
    def outputs(self) -> list[Variable]:
        return [v for v in self.variables if v.role == "output"]

    def free_outputs(self, copy: str = "") -> dict[str, Variable]:
        """Fresh variables for the outputs."""
        return {v.name: replace(v, name=f"{v.name}{copy}") for v in self.outputs}

    def conforms(self, outputs: Mapping[str, Tensor]) -> Term:
        """Whether these outputs are a result that the specification allows on valid input."""
        parts = [self.output_condition(c, outputs) for c in self.output_clauses if c.body is not None]
        for name, output in outputs.items():
            shape = self.shapes.get(name)
            asked = self.asked.get(name, TRUE)
            if shape is not None:
                parts.append(implies(asked, or_(self.unspecified_shape, same_shape(output.shape, shape))))
            if name in self.values:
                parts.append(implies(asked, self._value_conforms(name, output)))
        return or_(self.unspecified_outcome, and_(*parts))

    def conforms_at(self, name: str, position: Position, element: Term) -> Term:
        """Whether an element is one that the output may have at an index."""
        member = self.members.get(name)
        return eq(element, self.values[name](position)) if member is None else member(position, element)

    def _value_conforms(self, name: str, output: Tensor) -> Term:
        free = self.unspecified_values.get(name, [])

        def element(i: Term) -> Term:
            position = Position(i, output.shape.rank)
            return or_(*(u(position) for u in free), self.conforms_at(name, position, output.read(i)))

        return or_(self.unspecified_shape, forall_index(output.shape.rank, output.shape.dim, element))


def meaning_of(
    file: s.File, library: Library, context: Context, given: Supplied | None = None, span: Span | None = None
) -> Meaning:
    """The specification on free inputs, or on the given ones."""
    with told_of(file):
        return _meaning_of(file, library, context, given, span)


def _meaning_of(file: s.File, library: Library, context: Context, given: Supplied | None, span: Span | None) -> Meaning:
    if given is not None:
        assert span is not None
        with context.of_operator(given.variables), context.applying():
            elaborator = Elaborator(library, context, file.index_base)
            bound: dict[str, Value] = {}
            arity = bind(file, given, elaborator, bound, span)
            asked = {d.name: given.asked[d.name] for d in file.outputs if d.optional}
            meaning = Meaning(file, context, [], bound, [], arity, asked=asked)
            return _with_clauses(file, elaborator, bound, meaning)
    elaborator = Elaborator(library, context, file.index_base)
    scope: dict[str, Value] = {}
    inputs, hypotheses, arity = declare(file.inputs, elaborator, scope, sorted(library.facts), "input")
    attributes, more, extra = declare(file.attributes, elaborator, scope, [], "attribute")
    facts = [fact for d in file.outputs if (fact := asked_for(d)) is not None]
    meaning = Meaning(file, context, [*inputs, *attributes, *facts], scope, hypotheses + more, arity + extra)
    meaning.asked = {d.name: f.symbol("")() for d in file.outputs if (f := asked_for(d)) is not None}
    meaning = _with_clauses(file, elaborator, scope, meaning)
    if file.using:
        # Its own obligations use them. Where it is applied they are not needed, and may speak of it.
        shapes = {name: Tensor(shape, lambda i: i, INDEX) for name, shape in meaning.shapes.items()}
        meaning.lemmas = lemmas_of(file.using, elaborator, {**scope, **shapes})
    return meaning


def _with_clauses(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> Meaning:
    context = meaning.context
    for declaration in file.outputs:
        check_output(declaration)
    outputs = [variable_of(declaration, context, None, 0, (), "output") for declaration in file.outputs]
    meaning.variables = [*meaning.variables, *outputs]
    for output in outputs:
        scope[f"[given {output.name}]"] = meaning.asked.get(output.name, TRUE)
    for reading in file.readings:
        if reading.what != "indices":
            if reading.repair not in scope:
                raise SpecificationError(
                    f"there is no `{reading.repair}` to read `{reading.what}` as", reading.span, "name an input"
                )
            scope[reading.what] = scope[reading.repair]
    _clauses(file, elaborator, scope, meaning)
    return meaning


def _applies(family: str, context: Context) -> bool:
    return family in ("", context.family)


def _clauses(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    context = meaning.context
    outputs = {d.name for d in file.outputs}
    lets = list(file.lets)
    for kind, into in (("restriction", meaning.restrictions), ("constraint", meaning.constraints)):
        for clause in file.clauses:
            if clause.kind == kind and _applies(clause.family, context):
                lets = _lets_before(clause.place, lets, elaborator, scope)
                if clause.body is not None and _mentions(clause.body, outputs):
                    meaning.output_clauses.append(clause)
                    continue
                with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                    # Restrictions come first and constraints next: each may rely on those before it.
                    term = None if clause.body is None else elaborator.condition(clause.body, scope)
                into.append(Statement(clause, term))
                if term is not None and kind == "constraint":
                    scope[f"[{clause.tag}]"] = meaning.first_to_fail(clause.tag)
    for clause in file.clauses:
        if clause.kind == "error" and _applies(clause.family, context):
            with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                term = None if clause.body is None else elaborator.condition(clause.body, scope)
            meaning.errors.append(Statement(clause, term))
    for let in lets:
        with context.at(let.name):
            scope[let.name] = elaborator.value(let.body, scope)
    _rules(file, elaborator, scope, meaning)
    meaning._output_condition = _output_condition(elaborator, scope, meaning)
    free = _readable(meaning, {v.name: value_of(v) for v in meaning.outputs})
    for clause in meaning.output_clauses:
        if clause.body is not None:
            with context.at(clause.tag), context.arithmetic(clause.arithmetic, clause.span):
                elaborator.condition(clause.body, {**scope, **free})


def _output_condition(
    elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning
) -> Callable[[s.Clause, Mapping[str, Tensor]], Term]:
    variables = elaborator.context.variables

    def condition(clause: s.Clause, given: Mapping[str, Tensor]) -> Term:
        assert clause.body is not None
        # It is asked for later, when the context may stand in another text.
        context = elaborator.context
        with context.silent(), context.of_operator(variables), context.arithmetic(clause.arithmetic, clause.span):
            return elaborator.condition(clause.body, {**scope, **_readable(meaning, given)})

    return condition


def _readable(meaning: Meaning, outputs: Mapping[str, Value]) -> dict[str, Value]:
    """Outputs as their names mean them: an optional one may be read where it is asked for."""
    return {n: Declared(v, meaning.asked.get(n, TRUE), n in meaning.asked) for n, v in outputs.items()}


def _lets_before(place: int, lets: list[s.Let], elaborator: Elaborator, scope: dict[str, Value]) -> list[s.Let]:
    """A clause sees the names that `let` gives above it."""
    rest = []
    for let in lets:
        if let.place < place:
            with elaborator.context.at(let.name):
                scope[let.name] = elaborator.value(let.body, scope)
        else:
            rest.append(let)
    return rest


def _mentions(node: s.Node, names: set[str]) -> bool:
    stack = [node]
    while stack:
        part = stack.pop()
        if part.kind == "name" and part.text[0] in names:
            return True
        if part.kind == "call" and part.parts[0].text == ("given",):
            continue  # whether an output is asked for is part of the input
        stack.extend(part.parts)
    return False


def _rules(file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    context = meaning.context
    for rule in file.rules:
        if not _applies(rule.family, context):
            continue
        asked = meaning.asked.get(rule.output, TRUE)
        with context.at(place_of(file, rule)), context.assuming(asked):
            if rule.what == "shape":
                value = elaborator.value(rule.body, scope)
                if not isinstance(value, Shape):
                    raise SpecificationError(
                        f"the shape of `{rule.output}` is {a_kind(kind_of(value))}",
                        rule.body.span,
                        of_two(value, Shape(ZERO, lambda q: q), context),
                    )
                meaning.shapes[rule.output] = value
            elif rule.what in ("unspecified outcome", "unspecified shape"):
                _unspecified(rule, elaborator, scope, meaning)
    for rule in file.rules:
        if _applies(rule.family, context) and rule.what in ("value", "unspecified value"):
            asked = meaning.asked.get(rule.output, TRUE)
            with context.at(place_of(file, rule)), context.assuming(asked):
                _element_rule(rule, elaborator, scope, meaning)


def place_of(file: s.File, rule: s.Rule) -> str:
    """What the place of a rule is called: `Y.shape`, `Y.value` or `outcome`; `shape` where all of several outputs are
    meant."""
    what = rule.what.split()[-1]
    output = rule.output or (file.outputs[0].name if len(file.outputs) == 1 else "")
    return f"{output}.{what}" if output and what != "outcome" else what


def tag_of(place: str) -> str:
    """The tag of the obligations of a place: the name of what is declared, for its `where`; else the place itself."""
    return place.split()[2] if place.startswith("where ") else place


def _unspecified(rule: s.Rule, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    condition = elaborator.condition(rule.body, scope)
    if rule.what.endswith("outcome"):
        meaning.unspecified_outcome = or_(meaning.unspecified_outcome, condition)
    else:
        meaning.unspecified_shape = or_(meaning.unspecified_shape, condition)


def _element_rule(rule: s.Rule, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
    """A rule for one element: elaborated once on a variable index, to check it and note its side conditions."""
    variable = next((v for v in meaning.outputs if v.name == rule.output), None)
    if variable is None:
        raise SpecificationError(f"there is no output `{rule.output}`", rule.span, "name one of the declared outputs")
    shape = meaning.shapes.get(rule.output)
    if shape is None:
        free = value_of(variable)
        assert isinstance(free, Tensor)
        shape = free.shape

    index = placeholder(INDEX)
    context = meaning.context
    with context.indexing(shape.rank, shape.dim, index), context.arithmetic(rule.arithmetic, rule.span):
        element = elaborator.value(rule.body, {**scope, rule.index: Position(index, shape.rank)})
        if context.exact and isinstance(element, Term) and element.sort == INT:
            element = elaborator.held(element, variable.sort, rule.body.span)
    if isinstance(element, Results) and rule.what == "value" and element.sort == variable.sort:
        given = element
        candidate = placeholder(variable.sort)
        member = given.conforms(candidate)
        meaning.members[rule.output] = lambda position, y: substitute(member, {index: position.term, candidate: y})
        element = given.representative
    wanted = "bool" if rule.what != "value" else variable.sort.name
    if not isinstance(element, Term) or element.sort.name != wanted:
        name = "T" if variable.sort == context.element else wanted
        cure = f"write an element, as in `{name}(0)`" if rule.what == "value" else "write a condition"
        if isinstance(element, Tensor):
            cure = f"read an element of it, as in `X[{rule.index}]`"
        raise SpecificationError(
            f"an element of `{rule.output}` is {wanted}, and this is {kind_of(element)}", rule.body.span, cure
        )
    made = element

    def at_index(position: Position) -> Term:
        # The rank of the position is that of the output; only where no clause gives the shape is it free.
        return substitute(made, {index: position.term})

    if rule.what == "value":
        meaning.values[rule.output] = at_index
    else:
        meaning.unspecified_values.setdefault(rule.output, []).append(at_index)


def outcome_of(meaning: Meaning) -> Outcome | None:
    """What the operator does on given inputs; None when it has several outputs or gives no result in full. An optional
    output that is not asked for is none."""
    outputs = [v for v in meaning.outputs if meaning.asked.get(v.name) is not FALSE]
    if len(outputs) != 1 or meaning.leaves_open or meaning.members:
        return None
    result = meaning.result(outputs[0].name)
    if result is None:
        return None
    defined = and_(*(c.known for c in meaning.constraints), not_(meaning.erring))
    return Outcome(defined, result)
