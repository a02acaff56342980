"""The making of a meaning: declarations, clauses and rules of a text become terms, each in its place. Trusted.

In goes the file of an operator, with what it can use; out comes its meaning on free inputs, or on given ones. Names
come into scope as the text is gone through, and what a clause may rely on is what was gone through before it:

    declarations    the inputs, then the attributes, each with its `where`
    restrictions    in the order of the text
    constraints     in the order of the text; from then on `C1 fails` has a meaning
    errors          these see all constraints
    `let`           just before the first clause below it, else after all clauses
    counts          of families of outputs
    shapes          of each member of a family, and where outcome or shape are left open
    values          at each index of the shape, and where they are left open
    constraints     that speak of outputs: of any outputs, so that they can be asked of those of an implementation
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from sonnx_verify.kernel import rules
from sonnx_verify.kernel.declarations import name
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import Items, Position, Results, Shape, Tensor, Value
from sonnx_verify.kernel.variables import Variable, VariableRole, asked, free_count, is_asked, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import Supplied, bind
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.declare import check_output, declare
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import is_for, lines_named
from sonnx_verify.language.meaning import LeftOpen, Meaning, Statement, place_of
from sonnx_verify.language.proof_scripts import lemmas_of
from sonnx_verify.language.subexpressions import Scope, key_of_asked, key_of_constraint
from sonnx_verify.language.variables import variable_of
from sonnx_verify.language.versions import told_of
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import Term, is_literal
from sonnx_verify.sources import Span


def meaning_of(
    file: s.File, library: Library, context: Context, given: Supplied | None = None, span: Span | None = None
) -> Meaning:
    """The specification on free inputs, or on the given ones."""
    with told_of(file):
        if given is None:
            return _of_free_inputs(file, library, context)
        assert span is not None
        return _of_given(file, library, context, given, span)


def _of_given(file: s.File, library: Library, context: Context, given: Supplied, span: Span) -> Meaning:
    # No hypotheses: what the declarations say of free inputs, the values have by themselves or have to be shown to
    # have.
    with context.of_operator(given.variables), context.applying():
        elaborator = Elaborator(library, context, file.index_base)
        bound: dict[str, Value] = {}
        arity = bind(file, given, elaborator, bound, span)
        asked = {d.name: given.asked[d.name] for d in file.outputs if d.optional}
        meaning = Meaning([], bound, [], arity, asked=asked, file=file, context=context)
        _Making(file, elaborator, bound, meaning).of_all()
        return meaning


def _of_free_inputs(file: s.File, library: Library, context: Context) -> Meaning:
    elaborator = Elaborator(library, context, file.index_base)
    scope: dict[str, Value] = {}
    inputs, hypotheses, arity = declare(file.inputs, elaborator, scope, sorted(library.facts), VariableRole.INPUT)
    attributes, more, extra = declare(file.attributes, elaborator, scope, [], VariableRole.ATTRIBUTE)
    facts = {d.name: asked(d.name) for d in file.outputs if d.optional}
    variables = [*inputs, *attributes, *facts.values()]
    meaning = Meaning(variables, scope, hypotheses + more, arity + extra, file=file, context=context)
    meaning.asked = {name: is_asked(fact) for name, fact in facts.items()}
    making = _Making(file, elaborator, scope, meaning)
    making.of_all()
    if using := [used for used in file.using if making.applies(used)]:
        # Its own obligations use them. Where it is applied they are not needed, and may speak of it.
        shapes = {name: rules.of_shape(shape) for name, shape in meaning.shapes.items()}
        meaning.lemmas = lemmas_of(using, elaborator, {**scope, **shapes})
    return meaning


def mentions(node: s.Expression, names: set[str]) -> bool:
    """Return whether an expression speaks of one of these, other than to ask whether it is given: that an output is
    asked for is part of the input."""
    return any(name.name in names for name in s.free_names(node, asking=False))


def spoken(file: s.File, node: s.Expression) -> set[str]:
    """The names that an expression speaks of, by itself or through definitions of its text."""
    return {name.name for name in s.free_names(node)} | _spoken_through(file, node)


def sees_items(file: s.File, definition: s.Definition) -> bool:
    """Return whether a definition speaks of inputs, attributes or lets of its text, by itself or through others."""
    declared = (*file.inputs, *file.attributes)
    items = {d.name for d in declared} | {d.high.name for d in declared if isinstance(d.high, s.Name)}
    items |= {let.name for let in file.lets} | {reading.what for reading in file.readings}
    return not items.isdisjoint(_spoken_by(definition) | _spoken_through(file, definition.body))


def _spoken_by(definition: s.Definition) -> set[str]:
    return {name.name for name in s.free_names(definition.body)} - {p.name for p in definition.parameters}


def _spoken_through(file: s.File, node: s.Expression) -> set[str]:
    """The names that definitions of the text speak of which an expression calls, also through others."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = [node]
    while todo:
        called = {s.called(part) for part in s.every(todo.pop())} - seen
        seen |= called
        for definition in file.definitions:
            if definition.name in called:
                found |= _spoken_by(definition)
                todo.append(definition.body)
    return found


class _Making:
    """The text of one file on its way to a meaning. The scope grows; its inputs and attributes are there already."""

    def __init__(self, file: s.File, elaborator: Elaborator, scope: dict[str, Value], meaning: Meaning) -> None:
        self._file, self._elaborator, self._scope, self._meaning = file, elaborator, scope, meaning
        self._context = meaning.context
        self._lines = lines_named(file)
        self._lets = meaning.lets
        """Each `let` of this section that has no meaning yet."""
        elaborator.outputs = [declaration.name for declaration in file.outputs]
        elaborator.elsewhere = _elsewhere(file, {let.name for let in self._lets})
        elaborator.calls.within(file, scope)

    def of_all(self) -> None:
        """Go through the text, in the order that the module's head gives."""
        self._outputs()
        self._readings()
        self._restrictions_and_constraints()
        self._errors()
        self._give_lets(self._lets)
        self._counts()
        self._shapes()
        self._values()
        self._about_outputs()

    def applies(self, item: s.Clause | s.Rule | s.Used) -> bool:
        """Return whether an item belongs to the section."""
        # A clause without `for` is one of each family. Of a family that has none of its own nothing is said, and what
        # is missing is asked by an obligation (gap): it is not filled in from another family.
        return is_for(self._lines, item.family, self._context.family, self._context.standing_for, item.span)

    def _outputs(self) -> None:
        for declaration in self._file.outputs:
            check_output(declaration)
            _check_members(declaration, self._file)
        outputs = [self._output(d) for d in self._file.outputs]
        self._meaning.variables = [*self._meaning.variables, *outputs]
        # A given input may be a variable that has the name of an output here, and is another thing (twin
        # output_is_the_input): no text has a name with a `#`.
        self._meaning.unknown_outputs = self._meaning.free_outputs("#" if self._context.applied else "")
        for output in outputs:
            self._scope[key_of_asked(output.name)] = self._meaning.asked.get(output.name, rules.always())

    def _output(self, declaration: s.Declaration) -> Variable:
        count, base = None, 0
        if declaration.low is not None:
            base = _first_number(declaration, self._elaborator.integer(declaration.low, self._scope))
            # Of the outputs that an implementation makes nothing is known, nor how many there are.
            count = free_count(declaration.name)
            self._meaning.families[declaration.name] = rules.family_from(base)
        return variable_of(declaration, self._context, count, base, (), VariableRole.OUTPUT)

    def _readings(self) -> None:
        """Give a meaning to names that a draft uses for something that it declares by another."""
        for reading in self._file.readings:
            if reading.what == s.INDICES:
                continue
            if reading.repair not in self._scope:
                raise complaints.unknown_reading(reading)
            self._scope[reading.what] = self._scope[reading.repair]

    # -------------------------------------------------------------------------------------------------------- clauses

    def _clauses(self, kind: s.ClauseKind) -> Iterator[s.Clause]:
        return (c for c in self._file.clauses if c.kind is kind and self.applies(c))

    def _condition(self, clause: s.Clause, scope: Scope) -> Term | None:
        """The condition of a clause; None where it is outside the model."""
        with self._context.at(clause.tag), self._context.arithmetic(clause.arithmetic, clause.span):
            if clause.body is None:
                # Of a restriction nothing has to be known: what is proved of all input holds of input that meets it
                # too. A constraint or an error would be known where it is a goal: "input that fails C1 raises an error"
                # is not so because there is an error that nobody can evaluate.
                if clause.kind is not s.ClauseKind.RESTRICTION:
                    raise complaints.outside_model(clause)
                return None
            return self._elaborator.condition(clause.body, scope)

    def _restrictions_and_constraints(self) -> None:
        """Elaborate restrictions first and constraints next: each may rely on those before it."""
        # In this order wherever they stand: no input outside the restrictions is looked at, so each constraint may rely
        # on all of them.
        outputs = {d.name for d in self._file.outputs}
        meaning = self._meaning
        for kind, into in (
            (s.ClauseKind.RESTRICTION, meaning.restrictions),
            (s.ClauseKind.CONSTRAINT, meaning.constraints),
        ):
            for clause in self._clauses(kind):
                self._give_lets([let for let in self._lets if let.place < clause.place])
                # A constraint on outputs is no condition on input: to count it as one would call input invalid for
                # which an implementation gives a wrong result.
                if clause.body is not None and mentions(clause.body, outputs):
                    meaning.output_clauses.append(clause)
                    continue
                term = self._condition(clause, self._scope)
                into.append(Statement(clause, term))
                if term is not None and kind is s.ClauseKind.CONSTRAINT:
                    # `C1 fails` is true of the first constraint that fails alone: those below may rely on it, and
                    # need not mean anything where it does not hold. With C1 `rank(X) > 0` and C2 `X.shape[0] > 0`, of a
                    # scalar C1 fails, and that C2 would fail too is not even a question.
                    self._scope[key_of_constraint(clause.tag)] = meaning.first_to_fail(clause.tag)

    def _errors(self) -> None:
        for clause in self._clauses(s.ClauseKind.ERROR):
            self._meaning.errors.append(Statement(clause, self._condition(clause, self._scope)))

    def _give_lets(self, lets: list[s.Let]) -> None:
        """Give names their meaning, once: a clause sees the names that `let` gives above it."""
        # A `let` relies on the clauses above it, as each clause does: `let n = X.shape[0]` below C1 `rank(X) > 0` is
        # right. A name means its value and nothing else, so to elaborate it earlier than it is read changes no claim.
        for let in lets:
            asked = self._context.types_asked
            with self._context.at(let.name):
                self._scope[let.name] = self._elaborator.value(let.body, self._scope)
            if self._context.types_asked > asked:
                self._elaborator.of_types.add(let.name)
        self._lets = [let for let in self._lets if let not in lets]

    def _about_outputs(self) -> None:
        """Elaborate constraints that speak of outputs, on outputs of which nothing is known."""
        # It has to have a meaning whatever an implementation answers, so `Y[[0]] = 1` has to say before that Y has one
        # axis, and an element on it.
        meaning = self._meaning
        outputs = {name: value_of(variable) for name, variable in meaning.unknown_outputs.items()}
        lengths = {length: _last_number(outputs[name]) for name, length in self._lengths().items()}
        for clause in meaning.output_clauses:
            term = self._condition(clause, {**self._scope, **_readable(meaning, outputs), **lengths})
            if term is not None:
                meaning.about_outputs[clause.tag] = term

    # ---------------------------------------------------------------------------------------------------------- rules

    def _inside(self, rule: s.Rule, body: Callable[[], None]) -> None:
        """Go through a rule, which gives something only where its output is asked for."""
        asked = self._meaning.asked.get(rule.output, rules.always())
        with self._context.at(place_of(self._file, rule)):
            if rule.what is s.RuleKind.OPEN_VALUE and rule.output in self._meaning.families:
                raise complaints.open_family(rule)
            rules.where_asked(self._context, asked, body)

    def _lengths(self) -> dict[str, str]:
        """The names of the last numbers of families: L of `output Y[0 .. L]`."""
        return {d.name: d.high.name for d in self._file.outputs if isinstance(d.high, s.Name)}

    def _counts(self) -> None:
        """Elaborate how many outputs there are in each family; from then on the name of its last number is known."""
        for rule in self._file.rules:
            if rule.what is s.RuleKind.COUNT and self.applies(rule):
                self._inside(rule, partial(self._count, rule))
        lengths = self._lengths()
        for declaration in self._file.outputs:
            family = self._meaning.families.get(declaration.name)
            if family is None:
                continue
            length = lengths[declaration.name]
            if length in self._scope:
                assert declaration.high is not None
                raise complaints.length_with_meaning(length, declaration.name, declaration.high.span)
            if family.count is not None:
                self._scope[length] = rules.last_number(family.count, family.base)

    def _count(self, rule: s.Rule) -> None:
        if rule.output not in self._meaning.families:
            raise complaints.count_of_one(rule)
        count = self._elaborator.integer(rule.body, self._scope)
        why = Why(f"there is at least one `{rule.output}`", rule.body.span)
        self._meaning.families[rule.output].count = rules.count_of(self._context, count, why)

    def _numbering(self, rule: s.Rule, body: Callable[[Scope], None]) -> None:
        """Go through a rule about each member of a family, in a scope that has its number. Of other rules in the scope
        as it is."""
        family = self._meaning.families.get(rule.output)
        _check_number(rule, of_family=family is not None)
        if family is None:
            body(self._scope)
            return
        # Each member below the count is asked of; where no clause gives the count, each that may be there.
        count = family.count
        if count is None:
            count = free_count(rule.output)
        rules.of_member(self._context, family, count, lambda number: body({**self._scope, rule.number: number}))

    def _shapes(self) -> None:
        """Elaborate shapes, and where the outcome or a shape is left open."""
        for rule in self._file.rules:
            if not self.applies(rule):
                continue
            match rule.what:
                case s.RuleKind.SHAPE:
                    self._inside(rule, partial(self._shape, rule))
                case s.RuleKind.OPEN_OUTCOME | s.RuleKind.OPEN_SHAPE:
                    self._inside(rule, partial(self._left_open, rule))
                case s.RuleKind.COUNT:
                    pass  # done before
                case s.RuleKind.VALUE | s.RuleKind.OPEN_VALUE:
                    pass  # these need the shapes

    def _shape(self, rule: s.Rule) -> None:
        found: list[Value] = []
        self._numbering(rule, lambda scope: found.append(self._elaborator.value(rule.body, scope)))
        (value,) = found
        if not isinstance(value, Shape):
            raise complaints.not_a_shape(rule, value, self._context)
        family = self._meaning.families.get(rule.output)
        if family is not None:
            family.shape = value
        else:
            self._meaning.shapes[rule.output] = value

    def _left_open(self, rule: s.Rule) -> None:
        meaning = self._meaning
        condition = self._elaborator.condition(rule.body, self._scope)
        meaning.left_open.append(LeftOpen(rule, rules.left_open(condition)))
        if rule.what is s.RuleKind.OPEN_OUTCOME:
            meaning.unspecified_outcome = rules.any_of(meaning.unspecified_outcome, condition)
        else:
            meaning.unspecified_shape = rules.any_of(meaning.unspecified_shape, condition)

    def _values(self) -> None:
        for rule in self._file.rules:
            if rule.what.reach is s.Reach.VALUE and self.applies(rule):
                self._inside(rule, partial(self._numbering, rule, partial(self._element, rule)))

    def _element(self, rule: s.Rule, outer: Scope) -> None:
        """A rule for one element: elaborated once on a variable index, to check it and note its side conditions."""
        meaning, context = self._meaning, self._context
        variable = next((v for v in meaning.outputs if v.name == rule.output), None)
        if variable is None:
            raise complaints.unknown_output(rule)
        family = meaning.families.get(rule.output)
        shape = meaning.shapes.get(rule.output) if family is None else family.shape
        if shape is None:
            free = value_of(meaning.unknown_outputs[rule.output])
            if family is not None:
                assert isinstance(free, Items)
                free = free.item(family.number)
            assert isinstance(free, Tensor)
            shape = free.shape

        def body(position: Position) -> Value:
            with context.arithmetic(rule.arithmetic, rule.span):
                found = self._elaborator.value(rule.body, {**outer, rule.index: position})
                if context.exact and isinstance(found, Term) and found.sort == INT:
                    found = self._elaborator.numbers.exact_element(found, variable.sort, rule.body.span)
            return found

        made = rules.Element(context, shape, body)
        element = made.value
        gives_value = rule.what is s.RuleKind.VALUE
        if gives_value and isinstance(element, Results) and element.sort == variable.sort:
            # A set of results: the condition that a candidate is one of them, and one to compute with.
            member, reach = made.members(element, variable.sort)
            if family is None:
                meaning.members[rule.output], meaning.reaches[rule.output] = member, reach
            else:
                family.member, family.reach = member, reach
            element = element.representative
        # The rank of the index is that of the output; only where no clause gives the shape is it free.
        at_index = made.at_index(self._of_sort(rule, element, variable))
        if gives_value and family is not None:
            family.value = at_index
        elif gives_value:
            meaning.values[rule.output] = at_index
        else:
            meaning.left_open.append(LeftOpen(rule, at_index))
            meaning.unspecified_values.setdefault(rule.output, []).append(at_index)

    def _of_sort(self, rule: s.Rule, element: Value, variable: Variable) -> Term:
        """The element, if it is one of the output; where a value is left open, a condition."""
        wanted = BOOL
        if rule.what is s.RuleKind.VALUE:
            wanted = variable.sort
        if isinstance(element, Term) and element.sort == wanted:
            return element
        raise complaints.not_an_element(rule, wanted, element, self._context)


def _check_number(rule: s.Rule, *, of_family: bool) -> None:
    """Check that a rule numbers the members of its output if that is a family."""
    if bool(rule.number) is not of_family:
        raise complaints.of_members(rule, of_family=of_family)


def _check_members(family: s.Declaration, file: s.File) -> None:
    """Check that nothing else has the name of a member of a family of outputs: in a model, and in an example, what is
    called Y1 is one thing."""
    if family.high is None:
        return
    for other in (*file.inputs, *file.attributes, *file.outputs):
        if re.fullmatch(rf"{family.name}\d+", other.name):
            raise complaints.name_of_member(other, family)


def _first_number(declaration: s.Declaration, low: Term) -> int:
    """The number of the first member of a family of outputs."""
    assert declaration.low is not None
    if not is_literal(low):
        raise complaints.no_literal_number(declaration.low.span)
    assert isinstance(low.payload, int)
    if low.payload < 0:
        raise complaints.negative_number(declaration.low.span)
    return low.payload


def _last_number(outputs: Value) -> Term:
    """The number of the last of these outputs, as a text numbers them."""
    assert isinstance(outputs, Items)
    return rules.last_number(outputs.count, outputs.base)


def _elsewhere(file: s.File, here: set[str]) -> dict[str, str]:
    """The names of `let` that are not given here, each with the families that it is given for."""
    families: dict[str, list[str]] = {}
    for let in file.lets:
        if let.name not in here:
            families.setdefault(let.name, []).append(let.family)
    return {name: " and ".join(given) for name, given in families.items()}


def _readable(meaning: Meaning, outputs: Mapping[str, Value]) -> dict[str, Value]:
    """Outputs as their names mean them: an optional one may be read where it is asked for."""
    asked_for = meaning.asked
    return {n: name(v, asked_for.get(n, rules.always()), needs=n in asked_for) for n, v in outputs.items()}
