"""Calls: built-in functions, definitions with their recursion, orders, and operators. Trusted.

A definition is elaborated anew on the values of each call: it has no meaning of its own, so a proof can use no more of
it than its body. This part keeps the way to a place through calls: the definitions that are being elaborated, to refuse
circles; the recursions among them; and the path of places, which tells two uses of an operator apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from sonnx_verify.kernel import arithmetic, functions, guards, orders, recursions
from sonnx_verify.kernel.core import Family, family_of
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.states import Layout, unknown_layout
from sonnx_verify.kernel.values import MACHINE, Declared, Items, Outcome, Position, Value, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.complaints import names as complaints
from sonnx_verify.language.constants import TYPES_BY_CODE, type_code
from sonnx_verify.language.context import Call, Context, Library, Setting
from sonnx_verify.language.families import is_for, lets_for
from sonnx_verify.language.fitting import fits
from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS, RANGES, REAL_FUNCTIONS, ROUNDED, Function
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.subexpressions import Scope, Subexpressions, is_name, key_of_asked
from sonnx_verify.language.syntax import text_of
from sonnx_verify.language.variables import resolved_type
from sonnx_verify.logic.elements import ARITY
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, REAL, Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.sources import Span

_RESULTS: Mapping[str, Sort] = {sort.name: sort for sort in (INT, REAL, BOOL)}
"""Types that a recursion can give, beside element types."""

_NO_RESULTS = (s.TypeWord.TENSOR, s.TypeWord.LIST, s.TypeWord.SET, s.TypeWord.SHAPE, s.TypeWord.INDEX)
"""Words of types that no recursion gives, unless they are the outer ones of a state."""


@dataclass(frozen=True)
class _Recursion:
    """A definition whose body is being elaborated, with the meaning of its parameters and of its own call there."""

    definition: s.Definition
    by: s.Recursion
    scope: Scope
    step: recursions.Step


@dataclass(frozen=True)
class _Text:
    """The text of an operator that is being elaborated: its items by their names, which grow meanwhile, and what T is
    there."""

    file: s.File
    items: Scope
    family: str
    element: Sort


class Calls:
    """Calls in one context, of what one library has."""

    def __init__(
        self, inner: Subexpressions, library: Library, context: Context, numbers: Numbers, access: Access
    ) -> None:
        self._inner, self._library, self._context = inner, library, context
        self._numbers, self._access = numbers, access
        self._open: list[str] = []
        self._recursions: dict[str, _Recursion] = {}
        self._path: list[Span] = []
        self._text: _Text | None = None

    def within(self, file: s.File, items: Scope) -> None:
        """Say which operator's text this is: its own definitions see its items, as far as these are given by now."""
        self._text = _Text(file, items, self._context.family, self._context.element)

    # ------------------------------------------------------------------------------------------- calls as written

    def call(self, node: s.Call, scope: Scope) -> Value:
        """`f(a, b)`, `Op(a, b with axis = 0)`."""
        if not isinstance(node.head, s.Name):
            raise complaints.not_a_name(node.head.span)
        if node.settings:
            return self._operator_with(node, scope)
        if node.name in self._recursions:
            return self._call_below(self._recursions[node.name], node.arguments, scope, node.span)
        if node.name == Function.GIVEN:
            return self._given(node, scope)
        if node.name == Function.EXACTLY_ONE:
            return self._exactly_one(node, scope)
        values = [self._inner.value(argument, scope) for argument in node.arguments]
        self._check_function(node, scope)
        return self._apply(node.name, node.arguments, values, node.span)

    def _check_function(self, node: s.Call, scope: Scope) -> None:
        """Refuse a variable in the place of a function, where no function has its name."""
        # What stands before a parenthesis is always a function: of an input `indices`, `indices(X)` is still a range.
        name, library = node.name, self._library
        if name not in scope or name in FUNCTIONS or name in CONVERSIONS or name in library.orders:
            return
        if name in self._context.variables:
            return
        if name in library.definitions or name in library.undefined or name in library.operator_names():
            return
        raise complaints.not_a_function(name, scope[name], node.span)

    def call_on_set(self, node: s.CallOnSet, scope: Scope) -> Value:
        """`f { e | k in D }`."""
        return self._apply(node.name, (node.over,), [self._inner.value(node.over, scope)], node.span)

    def _given(self, node: s.Call, scope: Scope) -> Term:
        """The condition that a declared thing is given. Its value plays no part, so it is not read: a read would ask
        for what this is to find out."""
        _check_arity(Function.GIVEN, node.arguments, 1, node.span)
        (argument,) = node.arguments
        name = _plain_name(argument)
        value = scope.get(name)
        if isinstance(value, Declared):
            # As a condition on a type decides an `if`: only the branch of the type is read.
            if value.by_type:
                self._context.types_asked += 1
            return value.given
        # An output, which most clauses cannot read: that it is asked for is part of the input.
        asked = scope.get(key_of_asked(name))
        if value is None and isinstance(asked, Term):
            return asked
        raise complaints.given_of_undeclared(argument.span)

    def _exactly_one(self, node: s.Call, scope: Scope) -> Term:
        """The condition that one of several conditions holds, and no two of them do."""
        if len(node.arguments) < 2:
            raise complaints.one_condition(node.span)
        # Each is looked at for itself, whatever the others are: none guards another, as the parts of an `and` do.
        parts = [self._inner.condition(argument, scope) for argument in node.arguments]
        return guards.exactly_one(parts)

    def _operator_with(self, node: s.Call, scope: Scope) -> Outcome:
        """An operator with settings of its attributes."""
        name, library = node.name, self._library
        made: dict[str, Setting] = {}
        for setting in node.settings:
            if setting.name in made:
                raise complaints.set_twice(setting)
            made[setting.name] = self._setting(setting, scope)
        values = [self._inner.value(argument, scope) for argument in node.arguments]
        if name in FUNCTIONS or name in library.definitions or name in library.orders:
            raise complaints.without_attributes(name, node.span)
        outcome = library.operators(Call(name, values, made, (*self._path, node.span)), self._context)
        if outcome is None:
            self._refuse_hidden(name, node.span)
            raise complaints.unknown("operator", name, node.span, list(library.operator_names()))
        return outcome

    def _setting(self, setting: s.Setting, scope: Scope) -> Setting:
        """The value of a setting; of the name of a type, its number in ONNX."""
        node = s.bare(setting.value)
        context = self._context
        if not isinstance(node, s.Name) or node.name in scope:
            return Setting(self._inner.value(setting.value, scope), setting.span)
        if node.name not in (s.TypeWord.T, *context.variables, *ELEMENT_TYPES):
            return Setting(self._inner.value(setting.value, scope), setting.span)
        sort = context.sort_of(node.name, node.span)
        if sort not in TYPES_BY_CODE.values():
            raise complaints.not_one_type(node.name, node.span)
        return Setting(arithmetic.whole_number(type_code(sort)), setting.span, is_type=True)

    def _apply(self, name: str, nodes: Sequence[s.Expression], values: list[Value], span: Span) -> Value:
        """The value of a name on some values. Names of the language come first: no text can define them anew."""
        library = self._library
        if name in RANGES:
            raise complaints.range_as_value(name, span)
        if name in FUNCTIONS:
            return self._function(name, nodes, values, span)
        if name in CONVERSIONS or name in self._context.variables:
            return self._numbers.conversion(name, values, span)
        if name in library.orders:
            x, y = self._elements(name, nodes, values, span, 2)
            return self.order(library.orders[name], x, y, span)
        if name in library.definitions:
            return self.definition(name, values, span)
        if name in library.undefined:
            return _of_undefined(library.undefined[name], values, span)
        made = library.operators(Call(name, values, {}, (*self._path, span)), self._context)
        if made is not None:
            return made
        self._refuse_hidden(name, span)
        known = [*library.definitions, *library.orders, *FUNCTIONS, *library.operator_names()]
        raise complaints.undefined_call(name, known, library.defined_in(name), span)

    def _refuse_hidden(self, name: str, span: Span) -> None:
        """Raise SpecificationError for a name that a text declares which cannot be read."""
        error = self._library.hidden_by(name)
        if error is not None and error.span is not None:
            raise complaints.in_unread_text(name, error.span, error.message, span)

    # ------------------------------------------------------------------------------------------------- functions

    def _function(self, name: str, nodes: Sequence[s.Expression], values: list[Value], span: Span) -> Value:
        match name:
            case Function.RANK:
                _check_arity(name, values, 1, span)
                value = values[0]
                if isinstance(value, Position):
                    return value.rank
                return self._access.shape(nodes[0], value).rank
            case Function.COUNT:
                return _count([self._access.plain(value, span) for value in values], span)
            case Function.DIV | Function.MOD:
                return self._divided(name, nodes, values, span)
            case Function.GIVEN:
                raise complaints.given_of_set(span)
            case _ if name in REAL_FUNCTIONS and self._is_real(values):
                function = RealFunction(name)
                _check_arity(name, values, function.arity, span)
                return self._of_real(function, nodes, values, span)
            case _:
                return self._of_floats(name, nodes, values, span)

    def _divided(self, name: str, nodes: Sequence[s.Expression], values: list[Value], span: Span) -> Term:
        _check_arity(name, values, 2, span)
        a, b = values
        if not (isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort == INT):
            raise complaints.not_integers(name, span)
        why = Why(f"the divisor {text_of(nodes[1])} is not 0", span)
        if name == Function.DIV:
            return arithmetic.euclidean_quotient(self._context, a, b, why)
        return arithmetic.remainder(self._context, a, b, why)

    def _of_real(self, function: RealFunction, nodes: Sequence[s.Expression], values: list[Value], span: Span) -> Term:
        if function is RealFunction.POW:
            values = [*self._numbers.as_elements(nodes[0], values[0], nodes[1], values[1])]
        args = [value for value in values if isinstance(value, Term)]
        for node, value in zip(nodes, args, strict=True):
            if value.sort != args[0].sort:
                raise complaints.mixed_arguments(function, args[0], value, self._context, node.span)
        why, finite = Why(_reason(function, nodes), span), Why(f"the argument of {span.text} is finite", span)
        return functions.of_reals(self._context, function, args, why, finite)

    def _is_real(self, values: Sequence[Value]) -> bool:
        """Return whether a function of reals is given one: a real, or an element that stands for one."""
        sorts = [value.sort for value in values if isinstance(value, Term)]
        if len(sorts) < len(values):
            return False
        return any(sort == REAL or (sort == ELEMENT and self._context.family == Family.REAL) for sort in sorts)

    def _of_floats(self, name: str, nodes: Sequence[s.Expression], values: list[Value], span: Span) -> Term:
        if name in REAL_FUNCTIONS - ROUNDED:
            raise complaints.not_reals(RealFunction(name), nodes, values, span)
        op = Op(name)
        arguments = self._elements(name, nodes, values, span, ARITY[op])
        family = self._context.family_of_element(arguments[0].sort)
        if family != Family.FLOAT and not (family == Family.MINIFLOAT and op in GROUPS[Group.FLOAT]):
            raise complaints.not_of_floats(name, self._context.family, span)
        for argument, value in zip(nodes, arguments, strict=True):
            if value.sort != arguments[0].sort:
                raise complaints.mixed_arguments(name, arguments[0], value, self._context, argument.span)
        return functions.of_elements(self._context, op, arguments)

    def _elements(
        self, name: str, nodes: Sequence[s.Expression], values: list[Value], span: Span, wanted: int
    ) -> list[Term]:
        _check_arity(name, values, wanted, span)
        found = []
        for node, value in zip(nodes, values, strict=True):
            if not (isinstance(value, Term) and (value.sort == ELEMENT or isinstance(value.sort, MACHINE))):
                raise complaints.not_a_float(name, node, value)
            found.append(value)
        return found

    # ----------------------------------------------------------------------------------------------- definitions

    def definition(self, name: str, values: list[Value], span: Span) -> Value:
        """A definition on given values, where it is for their family."""
        # A name that is bound at the place of the call means nothing in it, so a definition says the same wherever it
        # is called. An input, an attribute or a `let` means one thing in all of a text.
        definition = self._chosen(name, values, span)
        if name in self._open:
            raise complaints.circle(definition, self._open, span)
        _check_arity(name, values, len(definition.parameters), span)
        scope: dict[str, Value] = {}
        for parameter, value in zip(definition.parameters, values, strict=True):
            scope[parameter.name] = self.fitting(value, parameter.type, f"`{name}`", span)
        with self._inside(name, span), self._of_given(definition, values):
            scope = {**self.items_for(definition), **scope}
            if definition.recursion is not None:
                return self._recursive(definition, definition.recursion, scope, span)
            result = self._inner.value(definition.body, scope)
        return self.fitting(result, definition.result, f"the body of `{name}`", definition.body.span)

    def items_for(self, definition: s.Definition) -> dict[str, Value]:
        """The items of the operator's text that its definition sees: inputs, attributes, and each `let` above it that
        the place of the call sees too. A definition of another file sees none."""
        # What the place of the call does not see is not there: called by a restriction, a definition has no `let` below
        # that restriction, and is refused as the restriction would be.
        text = self._text
        if text is None or all(definition is not own for own in text.file.definitions):
            return {}
        # Where T stands for another type, an element of the section's T would be read by that type's operations.
        if (self._context.family, self._context.element) != (text.family, text.element):
            return {}
        seen = lets_for(text.file, text.family, self._context.standing_for)
        below = {let.name for let in seen if let.place > definition.place}
        return {name: value for name, value in text.items.items() if is_name(name) and name not in below}

    @contextmanager
    def _closed(self) -> Iterator[None]:
        """Inside what sees no items, nor does a definition that it calls."""
        before, self._text = self._text, None
        try:
            yield
        finally:
            self._text = before

    def _chosen(self, name: str, values: list[Value], span: Span) -> s.Definition:
        choices = self._library.definitions[name]
        family, types = self._family_of(choices, values)
        for definition in choices:
            if is_for(self._library.lines, definition.family, family, types, span):
                return definition
        raise complaints.not_defined_for(name, choices, family, span)

    @contextmanager
    def _inside(self, name: str, span: Span) -> Iterator[None]:
        """Inside the body of a definition, on the way that leads there."""
        self._open.append(name)
        self._path.append(span)
        try:
            with self._context.of_body(), self._context.calling(span):
                yield
        finally:
            self._open.pop()
            self._path.pop()

    def _of_given(self, definition: s.Definition, values: list[Value]) -> AbstractContextManager[None]:
        """Inside the body of a definition, where T stands for the type of what is given for T: of an element of another
        type variable, for that one. Where two types are given, or none, T is that of the section."""
        given: dict[str, Sort] = {}
        for parameter, value in zip(definition.parameters, values, strict=True):
            leaf = kind_of(value).leaf
            # A real is a number of the language as much as an element type.
            if _leaf(parameter.type) != s.TypeWord.T or leaf == REAL.name:
                continue
            if leaf == ELEMENT.name:
                given[leaf] = ELEMENT
            elif leaf in ELEMENT_TYPES:
                given[leaf] = ELEMENT_TYPES[leaf]
        sorts = tuple(given.values())
        if len(sorts) != 1 or sorts[0] in (ELEMENT, self._context.element):
            return nullcontext()
        return self._context.of_type(family_of(sorts[0]), sorts[0])

    def _family_of(self, choices: Sequence[s.Definition], values: list[Value]) -> tuple[str, tuple[str, ...]]:
        """The family, and the types, of what is given for T, else of another element type that a definition names, else
        those of the section. The family is the same whether the elements of the section are abstract or not."""
        # What is given for T decides, since T is what the choices differ in: `f(x, n)` of a float x and an int8 n is
        # the one for floats. Were it the first argument of any element type, f would change with the order of
        # parameters.
        of_section = self._context.family, self._context.standing_for
        given: list[tuple[str, set[str]]] = []
        for n, value in enumerate(values):
            types = [d.parameters[n].type for d in choices if n < len(d.parameters)]
            given.append((kind_of(value).leaf, {_leaf(resolved_type(t, self._context.variables)) for t in types}))
        for leaf, named in given:
            if s.TypeWord.T in named and leaf == ELEMENT.name:
                return of_section
            if s.TypeWord.T in named and leaf in ELEMENT_TYPES:
                return family_of(ELEMENT_TYPES[leaf]), (leaf,)
        for leaf, named in given:
            # A real is a number of the language as much as an element type, and a condition is no element: both decide
            # nothing.
            if leaf in named and leaf in ELEMENT_TYPES and leaf not in (REAL.name, BOOL.name):
                return family_of(ELEMENT_TYPES[leaf]), (leaf,)
        return of_section

    def fitting(self, value: Value, wanted: s.Type, whose: str, span: Span) -> Value:
        """The value as the wanted type, or an error. An operator's result fits where a tensor does."""
        wanted = resolved_type(wanted, self._context.variables)
        if isinstance(value, Outcome) and wanted.name in (s.TypeWord.TENSOR, s.TypeWord.LIST):
            value = self._access.result(value, span)
        if not fits(value, wanted):
            raise complaints.unfit(whose, wanted, value, span)
        return value

    # ------------------------------------------------------------------------------------------------- recursion

    def _recursive(self, definition: s.Definition, by: s.Recursion, scope: dict[str, Value], span: Span) -> Value:
        """A definition that calls itself with one less, as a recursion of the logic from `by.start` up to its
        number."""
        number = scope.get(by.on)
        if not isinstance(number, Term) or number.sort != INT:
            raise complaints.recursion_on_others(definition, by.on)
        context, result = self._context, resolved_type(definition.result, self._context.variables)
        why = Why(f"`{by.on}` of `{definition.name}` is at least {by.start}", span)
        leaf = leaf_of_state(result)
        sort = self._sort_of(definition, leaf or definition.result.name)

        def body(step: recursions.Step) -> Value:
            return self._body(_Recursion(definition, by, {**scope, by.on: step.number}, step), sort, span)

        def of_number(step: recursions.Step) -> Term:
            made = body(step)
            assert isinstance(made, Term)
            return made

        if not leaf:
            return recursions.of_number(context, by.start, number, sort, of_number, why)
        is_list = result.name == s.TypeWord.LIST
        of_tensors = not is_list or (result.of is not None and result.of.name == s.TypeWord.TENSOR)

        def layout(n: Term) -> Layout:
            return unknown_layout(sort, n, is_list=is_list, of_tensors=of_tensors)

        made = recursions.of_state(context, by.start, number, sort, layout, body, why)
        if made is None:
            raise complaints.layout_of_itself(definition, is_list=is_list)
        return made

    def _sort_of(self, definition: s.Definition, name: str) -> Sort:
        sort = _RESULTS.get(name)
        if sort is not None:
            return sort
        if name in _NO_RESULTS:
            raise complaints.no_result_of_recursions(definition)
        return self._context.sort_of(name, definition.result.span)

    def _body(self, current: _Recursion, sort: Sort, span: Span) -> Value:
        """The body of a recursion, given the meaning of its own call."""
        definition = current.definition
        self._recursions[definition.name] = current
        try:
            result = self._inner.value(definition.body, current.scope)
            made = self.fitting(result, definition.result, f"the body of `{definition.name}`", definition.body.span)
        finally:
            del self._recursions[definition.name]
        if kind_of(made).leaf != str(sort):
            raise complaints.other_result(definition, made, span)
        return made

    def _call_below(self, current: _Recursion, nodes: Sequence[s.Expression], scope: Scope, span: Span) -> Value:
        """A definition's call of itself: with its own parameters, and one less where it recurs. The recursion of the
        logic goes down by one and keeps all else, so no other call is one of its steps."""
        definition, by = current.definition, current.by
        names = [p.name for p in definition.parameters]
        # A name that is bound anew inside the body means another value, though it is written the same: in `for all a in
        # 0 .. n : f(n - 1, a) > 0` the a is not the parameter.
        is_own = all(scope.get(n) is current.scope[n] for n in names)
        if not is_own or not _goes_down(names, by.on, nodes):
            raise complaints.not_one_less(definition, by.on, span)
        reason = f"`{by.on}` is greater than {by.start} where `{definition.name}` calls itself"
        return current.step.call(self._context, Why(reason, span))

    # ---------------------------------------------------------------------------------------------------- orders

    @property
    def orders(self) -> Mapping[str, s.OrderDefinition]:
        """The orders that the text can name."""
        return self._library.orders

    def known_order(self, name: str, span: Span) -> s.OrderDefinition:
        """The order of that name, noted as used."""
        if name not in self.orders:
            raise complaints.unknown("order", name, span, list(self.orders))
        order = self.orders[name]
        self._context.know_order(order, self._library)
        return order

    def order(self, order: s.OrderDefinition, x: Term, y: Term, span: Span | None = None) -> Term:
        """`x before y` in an order of the library. It is total as it is read in its own family, T being the type of
        these elements: so it is read, wherever it is used."""
        # In a section of int8 an order of float elements is read with T = float: that is the order whose totality has
        # an obligation. Read with T = int8 it would be another one, without an obligation.
        self._context.know_order(order, self._library)
        family = self._family(x)
        if family != order.family:
            raise complaints.order_on_others(order, family, span)
        if x.sort == ELEMENT:
            return self._context.abstract_order(order.name, x, y)
        scope: dict[str, Value] = {order.x: x, order.y: y}
        # That it is total is asked elsewhere, without the items of this text.
        with self._context.of_elements(family, x.sort), self._closed():
            within = self._inner.condition(order.body, scope)
            if not order.classes:
                return within
            x_class, y_class = (self.class_number(order, e) for e in (x, y))
        return orders.before(within, x_class, y_class)

    def _family(self, element: Term) -> str:
        if element.sort == ELEMENT:
            return self._context.family
        if element.sort == INT:
            # In an exact clause an element is the integer that it stands for.
            return Family.INT
        return family_of(element.sort)

    def class_number(self, order: s.OrderDefinition, element: Term) -> Term:
        """The place of an element's class, 0 for the greatest; one more than the last for an element in no class."""
        return orders.class_number([self.in_class(order, place, element) for place in range(len(order.classes))])

    def in_class(self, order: s.OrderDefinition, place: int, element: Term) -> Term:
        """The condition that an element is in a class."""
        return self._inner.condition(order.classes[place].condition, {order.of: element})


def _check_arity(name: str, values: Sized, wanted: int, span: Span) -> None:
    if len(values) != wanted:
        raise complaints.wrong_arity(name, wanted, len(values), span)


def _count(values: list[Value], span: Span) -> Term:
    _check_arity(Function.COUNT, values, 1, span)
    (value,) = values
    if isinstance(value, Items):
        return value.count
    raise complaints.not_a_list(value, span)


def _of_undefined(undefined: s.Undefined, values: list[Value], span: Span) -> Term:
    """A function that a draft leaves undefined: a free symbol, so that what is shown holds whatever it is."""
    _check_arity(undefined.name, values, len(undefined.arguments), span)
    terms = [v for v in values if isinstance(v, Term)]
    if len(terms) != len(values):
        raise complaints.not_numbers(undefined.name, span)
    gives_condition = undefined.result.name == s.TypeWord.BOOL
    return functions.undefined(undefined.name, terms, gives_condition=gives_condition)


def _reason(function: RealFunction, nodes: Sequence[s.Expression]) -> str:
    """The words for the domain of a function."""
    argument = f"the argument {text_of(nodes[0])} of `{function}` is"
    match function:
        case RealFunction.SQRT:
            return f"{argument} not negative"
        case RealFunction.LOG:
            return f"{argument} above 0"
        case RealFunction.POW:
            return f"`{function}` of {' and '.join(map(text_of, nodes))} is a real"
        case _:
            return ""


def leaf_of_state(result: s.Type) -> str:
    """The name of what a tensor, a list or a list of tensors holds; empty for any other type."""
    of = result.of
    if of is None or result.name not in (s.TypeWord.TENSOR, s.TypeWord.LIST):
        return ""
    if result.name == s.TypeWord.LIST and of.name == s.TypeWord.TENSOR:
        of = of.of
    if of is None or of.of is not None:
        return ""
    return of.name


def _leaf(kind: s.Type) -> str:
    """The name of the type that a type is of at last."""
    while kind.of is not None:
        kind = kind.of
    return kind.name


def _goes_down(names: Sequence[str], on: str, nodes: Sequence[s.Expression]) -> bool:
    """Return whether arguments are these names, in their order, with one less of the name `on`."""
    if len(nodes) != len(names):
        return False
    for name, node in zip(names, nodes, strict=True):
        written = _plain_name(node)
        if name == on:
            written = _one_less(node)
        if written != name:
            return False
    return True


def _plain_name(node: s.Expression) -> str:
    """The name that an expression is; empty for any other."""
    if isinstance(node, s.Name):
        return node.name
    return ""


def _one_less(node: s.Expression) -> str:
    """The name n of `n - 1`."""
    match node:
        case s.Sum(operands=(s.Name(name=name), s.Integer(digits="1")), signs=(s.Sign.MINUS,)):
            return name
        case _:
            return ""
