"""Expressions to terms: the elaborator. Trusted.

In go an expression, a scope with the meaning of each name, and a context; out comes a value, made of terms. The
conditions on which its meaning rests are noted in the context as side conditions, closed over what encloses the place.
Mistakes of names, kinds and arities are SpecificationErrors at their place.

Terms are total: `X[5]` of a shorter X and `div(n, 0)` have some value, of which nothing is known. So no rule here may
give a meaning to what a reader would call undefined; it asks a side condition instead, and a clause has the meaning of
its term only where all its side conditions are shown.

`Elaborator` says for each kind of expression which part knows it, and in which order what is inside is looked at: side
conditions, operators that are met and branches are noted in that order. The parts know each other only as far as their
constructors say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.kernel import arithmetic, guards, reads
from sonnx_verify.kernel.ranges import Binding
from sonnx_verify.kernel.values import Domain, Items, Outcome, SetOf, Tensor, Value
from sonnx_verify.language import origins
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.binding import Ranging
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.comparisons import Comparisons
from sonnx_verify.language.complaints import names as complaints
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.folds import Folds
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.makers import Makers
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.subexpressions import Scope, constraints_in, key_of_constraint
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INT, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Term, is_literal

_Number = s.Integer | s.Decimal | s.Quoted | s.Sum | s.Product | s.Negative | s.Power
_Truth = (
    s.Relation | s.MemberOf | s.Is | s.Fails | s.Not | s.Conjunction | s.Disjunction | s.Implies | s.Iff | s.ForAll
    | s.Exists
)  # fmt: skip  # a table
_Made = s.Comprehension | s.Fold | s.Listed | s.Make | s.Replaced | s.AnyOf | s.Within | s.WithinSteps
_TYPES = (s.TypeWord.T, *ELEMENT_TYPES)
_VALID = "valid"
"""The one fact of results: that the operator has one."""


class Elaborator:
    """Elaborates the expressions of one file in one context. `numbers` and `calls` are asked from outside too: for
    conversions, and for definitions and orders on given values."""

    def __init__(self, library: Library, context: Context, index_base: int = 0) -> None:
        self.library, self.context, self.numbers = library, context, Numbers(context)
        self.elsewhere: Mapping[str, str] = {}
        """The names that the text gives for other families only, each with these in words: for messages."""
        self.outputs: Collection[str] = ()
        """The outputs of the text, which its shapes and values do not know: for messages."""
        self.of_types: set[str] = set()
        """The names that the text gives to something that asks what a type is."""
        self._comparisons = Comparisons(context, self.numbers)
        self._access = Access(context, index_base)
        self._ranging = Ranging(self, context, self._access)
        self.calls = Calls(self, library, context, self.numbers, self._access)
        self._folds = Folds(self, context, self._ranging, self.numbers, self.calls)
        self._makers = Makers(self, context, self._ranging, self.numbers, self._access)

    # ------------------------------------------------------------------------------------------------ entry points

    def value(self, node: s.Expression, scope: Scope) -> Value:
        """The meaning of an expression. Where arithmetic is exact an integer element is the integer it stands for."""
        # Here, at each expression, and not at each operator: so `X[i] + 1`, `f(X[i])` and `X[i] < 3` all see the
        # integer.
        try:
            made = self._value(node, scope)
        except TooLarge:
            raise complaints.too_large(node.span) from None
        if self.context.exact and isinstance(made, Term):
            made = self.numbers.exactly(made)
        origins.note(made, node)
        return made

    def condition(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be true or false."""
        return self._term(node, scope, BOOL)

    def integer(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be an integer."""
        return self._term(node, scope, INT)

    def _term(self, node: s.Expression, scope: Scope, sort: Sort) -> Term:
        value = self.value(node, scope)
        if isinstance(value, Term) and value.sort == sort:
            return value
        raise complaints.unexpected(sort, value, node.span)

    def domain(self, node: s.Domain, scope: Scope) -> Domain | SetOf:
        """The range of a variable."""
        return self._ranging.domain(node, scope)

    def binding(self, node: s.Binder, scope: Scope) -> Binding:
        """The variable of a binder."""
        return self._ranging.binding(node, scope)

    def every(self, binders: s.Binders, scope: Scope, body: Callable[[Scope], Term]) -> Term:
        """The condition that `body` holds of the names of some binders, for every choice."""
        return self._ranging.every(binders, scope, body)

    # --------------------------------------------------------------------------------------------- kinds of expressions

    def _value(self, node: s.Expression, scope: Scope) -> Value:
        match node:
            case s.Name():
                return self._name(node, scope)
            case s.Group():
                return self.value(node.inner, scope)
            case s.Call():
                return self.calls.call(node, scope)
            case s.CallOnSet():
                return self.calls.call_on_set(node, scope)
            case s.Read():
                return self._access.read(node, self.value(node.owner, scope), self.value(node.at, scope))
            case s.Slice():
                return self._slice(node, scope)
            case s.Member():
                return self._member(node, scope)
            case s.If():
                return self._if(node, scope)
            case s.Integer() | s.Decimal() | s.Quoted() | s.Sum() | s.Product() | s.Negative() | s.Power():
                return self._number_or_text(node, scope)
            case (
                s.Comprehension()
                | s.Fold()
                | s.Listed()
                | s.Make()
                | s.Replaced()
                | s.AnyOf()
                | s.Within()
                | s.WithinSteps()
            ):
                return self._set_or_made(node, scope)
            case _:
                return self._truth(node, scope)

    def _number_or_text(self, node: _Number, scope: Scope) -> Term:
        match node:
            case s.Integer():
                return self.numbers.integer(node)
            case s.Decimal():
                return self.numbers.decimal(node)
            case s.Quoted():
                return arithmetic.text(node.text)
            case s.Sum():
                return self.numbers.sum(node, [self.value(operand, scope) for operand in node.operands])
            case s.Product():
                return self.numbers.product(node, [self._number(operand, scope) for operand in node.operands])
            case s.Negative():
                return self.numbers.negative(node, self._number(node.inner, scope))
            case s.Power():
                return self.numbers.power(node, self.value(node.base, scope))

    def _truth(self, node: _Truth, scope: Scope) -> Term:
        match node:
            case s.Relation():
                return self._comparisons.chain(node, [self.value(operand, scope) for operand in node.operands])
            case s.MemberOf():
                return self._ranging.member_of(node, scope)
            case s.Is():
                return self._is(node, scope)
            case s.Fails():
                return _fails(node, scope)
            case s.Not():
                return guards.negation(self.condition(node.inner, scope))
            case s.Conjunction():
                return self._conjunction(node, scope)
            case s.Disjunction():
                return self._disjunction(node, scope)
            case s.Implies():
                return self._implies(node, scope)
            case s.Iff():
                return guards.equivalence(self.condition(node.left, scope), self.condition(node.right, scope))
            case s.ForAll():
                return self._ranging.for_all(node, scope)
            case s.Exists():
                return self._ranging.exists(node, scope)

    def _set_or_made(self, node: _Made, scope: Scope) -> Value:
        match node:
            case s.Comprehension():
                return self._folds.set(node, scope)
            case s.Fold():
                return self._folds.fold(node, scope)
            case s.Listed():
                return self._makers.listed(node, scope)
            case s.Make():
                return self._makers.make(node, scope)
            case s.Replaced():
                return self._makers.replaced(node, scope)
            case s.AnyOf():
                return self._makers.any_of(node)
            case s.Within():
                return self._makers.within(node, scope)
            case s.WithinSteps():
                return self._makers.within_steps(node, scope)

    def _number(self, node: s.Expression, scope: Scope) -> Term:
        return self.numbers.number(node, self.value(node, scope))

    # ---------------------------------------------------------------------------------------------------- control

    def _if(self, node: s.If, scope: Scope) -> Value:
        """A branch is only looked at where the condition says so: it asks for nothing elsewhere."""
        condition, by_type = self._decided(node.condition, scope)
        if by_type:
            # The other branch is for other types, and need not mean anything of this one: `if T is float then
            # is_nan(X[i]) else ...` of integers. Its side conditions would be asked under a condition that is false.
            taken = node.otherwise
            if condition is TRUE:
                taken = node.then
            return self.value(taken, scope)
        made, then, otherwise = guards.choice(
            self.context,
            condition,
            lambda: self.value(node.then, scope),
            lambda: self.value(node.otherwise, scope),
            lambda a, b: self.numbers.as_elements(node.then, a, node.otherwise, b),
            node.span,
        )
        # Branches of two types are refused rather than joined: `if c then 1 else 0.5` would have to say whether it
        # wraps.
        if made is None:
            raise complaints.no_choice(then, otherwise, self.context, node.span)
        return made

    def _decided(self, node: s.Expression, scope: Scope) -> tuple[Term, bool]:
        """A condition, and whether it is decided, with the help of what a type is."""
        asked = self.context.types_asked
        condition = self.condition(node, scope)
        return condition, is_literal(condition) and self.context.types_asked > asked

    def _implies(self, node: s.Implies, scope: Scope) -> Term:
        """`rank(X) > 0 => X.shape[0] = 1`: the right is only looked at where the left holds."""
        left, by_type = self._decided(node.left, scope)
        if by_type and left is FALSE:
            return TRUE
        return guards.implication(self.context, left, lambda: self.condition(node.right, scope))

    def _conjunction(self, node: s.Conjunction, scope: Scope) -> Term:
        """Joined from the left: what stands on the right is only looked at where all before it hold."""
        return guards.conjunction(self.context, self._parts(node.parts, scope, FALSE))

    def _disjunction(self, node: s.Disjunction, scope: Scope) -> Term:
        """Joined from the left: what stands on the right is only looked at where none before it holds."""
        return guards.disjunction(self.context, self._parts(node.parts, scope, TRUE))

    def _parts(self, nodes: Sequence[s.Expression], scope: Scope, deciding: Term) -> Iterator[guards.Part]:
        """The parts, up to the first that decides the whole by what a type is."""
        found: list[tuple[Term, bool]] = []

        def part(node: s.Expression) -> Term:
            found.append(self._decided(node, scope))
            return found[-1][0]

        for node in nodes:
            yield partial(part, node)
            # What stands behind is for other types, as in `T is signed and X[i] < T(0)`.
            condition, by_type = found[-1]
            if by_type and condition is deciding:
                return

    # ------------------------------------------------------------------------------------------------ names and members

    def _name(self, node: s.Name, scope: Scope) -> Value:
        name = node.name
        if name in s.TRUTHS:
            return arithmetic.truth(said=s.TRUTHS[name])
        if name in scope:
            if name in self.of_types:
                self.context.types_asked += 1
            return self._access.declared(scope[name], name, node.span)
        if name in self.library.definitions or name in self.library.orders or name in FUNCTIONS:
            raise complaints.without_arguments(name, node.span)
        if name in self.elsewhere:
            raise complaints.given_elsewhere(name, self.elsewhere[name], self.context.family, node.span)
        raise complaints.undefined(node, scope, self.library.definitions, self.outputs)

    def _member(self, node: s.Member, scope: Scope) -> Value:
        owner = node.owner
        # `T.lowest`, unless the text has an input called T: then it is a mistake about that.
        is_type = isinstance(owner, s.Name) and owner.name in (*_TYPES, *self.context.variables)
        if isinstance(owner, s.Name) and is_type and owner.name not in scope:
            return self.numbers.constant(owner.name, node.name, node.span)
        value = self.value(owner, scope)
        if node.name == s.TypeWord.SHAPE:
            return self._access.shape(owner, value)
        raise complaints.unknown_member(node)

    def _slice(self, node: s.Slice, scope: Scope) -> Items:
        owner = self._access.plain(self.value(node.owner, scope), node.span)
        if not isinstance(owner, Items):
            raise complaints.slice_of_others(owner, node.span)
        low, high = self.integer(node.part.low, scope), self.integer(node.part.high, scope)
        return self._access.part(node, owner, low, high)

    # ------------------------------------------------------------------------------------------------- facts, clauses

    def _is(self, node: s.Is, scope: Scope) -> Term:
        """The condition that a declared fact holds, or not, of a tensor, or that a type is one of some. `valid` is said
        of results."""
        holds = self._of_type(node, scope)
        if holds is None:
            holds = self._fact(node, scope)
        if node.denied:
            return guards.negation(holds)
        return holds

    def _of_type(self, node: s.Is, scope: Scope) -> Term | None:
        """The condition that a type variable stands for a type of some kind; None where none is named, as of an input
        called T."""
        name = node.owner
        if not isinstance(name, s.Name) or name.name in scope:
            return None
        if name.name in ELEMENT_TYPES:
            raise complaints.not_a_variable(name.name, self.context.variables, node.span)
        if name.name not in (s.TypeWord.T, *self.context.variables):
            return None
        return self.context.type_is(self.context.sort_of(name.name, name.span), node.fact, node.span)

    def _fact(self, node: s.Is, scope: Scope) -> Term:
        """The condition that a declared fact holds: a free symbol of an input."""
        value = self.value(node.owner, scope)
        if isinstance(value, Outcome):
            if node.fact == _VALID:
                return value.defined
            value = self._access.result(value, node.span)
        if not isinstance(value, Tensor):
            raise complaints.fact_of_others(node, value)
        if node.fact not in self.library.facts:
            raise complaints.unknown("fact", node.fact, node.span, list(self.library.facts))
        # An operator is applied to a tensor that was made: of such a tensor no fact fails.
        made = reads.fact(value, node.fact, is_made=self.context.applied)
        if made is not None:
            return made
        if value.facts is None:
            raise complaints.fact_of_no_input(node)
        raise complaints.fact_unknown_there(node)


def _fails(node: s.Fails, scope: Scope) -> Term:
    """`C1 fails`: the condition in the scope that this constraint, which stands above, is the first to fail."""
    value = scope.get(key_of_constraint(node.tag))
    if isinstance(value, Term):
        return value
    raise complaints.unknown("constraint", node.tag, node.span, constraints_in(scope))
