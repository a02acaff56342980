"""What a variable ranges over, and the quantifiers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.expressions import Expressions
from sonnx_verify.language.library import a_kind, binders_of, holes
from sonnx_verify.language.values import (
    Domain,
    Items,
    Members,
    Outcome,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    instantiate,
    kind_of,
    last,
)
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import (
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    bind_forall,
    bind_forall_index,
    eq,
    implies,
    inside_shape,
    integer,
    le,
    not_,
    placeholder,
)


@dataclass(frozen=True)
class Binding:
    """A variable over a domain, where a condition holds; `value` is what its name means there."""

    domain: Domain
    variable: Term
    condition: Term
    value: Value

    def for_all(self, body: Term) -> Term:
        """That the body, in which the variable stands, holds of each."""
        body = implies(self.condition, body)
        shape = self.domain.shape
        if shape is None:
            return bind_forall(self.domain.low, self.domain.high, self.variable, body)
        return bind_forall_index(shape.rank, shape.dim, self.variable, body)


class Binders(Expressions, ABC):
    """The layer of binders."""

    def domain(self, node: s.Node, scope: Mapping[str, Value]) -> Domain | SetOf:
        """An interval, the positions of a list, the axes or indices of a shape, or a set that is given by one."""
        if node.kind == "range":
            low, high = (self.integer(p, scope) for p in node.parts)
            return Domain(low, high)
        if node.kind == "call" and node.parts[0].kind == "name":
            name = node.parts[0].text[0]
            if name in ("axes", "indices") and len(node.parts[1].parts) == 1:
                argument = node.parts[1].parts[0]
                shape = self._shape(argument, self.value(argument, scope))
                return Domain(shape=shape) if name == "indices" else Domain(ZERO, last(shape.rank))
        value = self.value(node, scope)
        match value:
            case SetOf():
                return value
            case Items():
                return Domain(integer(value.base), add(integer(value.base - 1), value.count))
            case Shape() | Tensor() | Outcome():
                return Domain(shape=self._shape(node, value))
            case Members():
                raise SpecificationError(
                    "of this set only its members are known, not where they end",
                    node.span,
                    "write a range and a condition: `k in 0 .. n where k in A`",
                )
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(value))} is nothing to range over",
                    node.span,
                    "write a range `0 .. n`, a list, `axes(X)`, or a tensor for its indices",
                )

    def binding(self, node: s.Node, scope: Mapping[str, Value]) -> Binding:
        """The variable of a binder."""
        found = self.domain(node, scope)
        domain = found.domain if isinstance(found, SetOf) else found
        variable = placeholder(INT if domain.shape is None else INDEX)
        if isinstance(found, SetOf):
            condition = instantiate(found.condition, found.variable, variable)
            assert isinstance(condition, Term)
            return Binding(domain, variable, condition, instantiate(found.body, found.variable, variable))
        value = variable if domain.shape is None else Position(variable, domain.shape.rank)
        return Binding(domain, variable, TRUE, value)

    @contextmanager
    def within(self, binding: Binding) -> Iterator[None]:
        """Inside a binder."""
        domain = binding.domain
        ranging = (
            self.context.ranging(domain.low, domain.high, binding.variable)
            if domain.shape is None
            else self.context.indexing(domain.shape.rank, domain.shape.dim, binding.variable)
        )
        with ranging, self.context.assuming(binding.condition):
            yield

    # ------------------------------------------------------------------------------------------------- quantifiers

    def _for_all(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        *binders, where = binders_of(node.parts[0])
        if node.text:
            self._check_sentence(node, scope)
        return self._quantified(binders, where, node.parts[1], dict(scope), implies)

    def _check_sentence(self, node: s.Node, scope: Mapping[str, Value]) -> None:
        """The expressions in the sentence that tells why a `for all` fails have to mean something."""
        inner = dict(scope)
        applied = dict(self.context.applications)
        with self.context.silent():
            for binder in node.parts[0].parts:
                if binder.kind == "binder":
                    inner[binder.text[0]] = self.binding(binder.parts[0], inner).value
            for hole in holes(node):
                self.value(hole, inner)
        # The sentence has no part in the meaning.
        self.context.applications = applied

    def _exists(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        *binders, where = binders_of(node.parts[0])
        return not_(self._quantified(binders, where, node.parts[1], dict(scope), lambda a, b: implies(a, not_(b))))

    def quantified(self, binders: s.Node, scope: Mapping[str, Value], body: Callable[[dict[str, Value]], Term]) -> Term:
        """That what `body` gives for the names of some binders holds for every choice."""
        *found, where = binders_of(binders)
        return self._over(found, where, dict(scope), body, implies)

    def _quantified(
        self,
        binders: list[s.Node | None],
        where: s.Node | None,
        body: s.Node,
        scope: dict[str, Value],
        combine: Callable[[Term, Term], Term],
    ) -> Term:
        return self._over(binders, where, scope, lambda inner: self.condition(body, inner), combine)

    def _over(
        self,
        binders: list[s.Node | None],
        where: s.Node | None,
        scope: dict[str, Value],
        body: Callable[[dict[str, Value]], Term],
        combine: Callable[[Term, Term], Term],
    ) -> Term:
        if not binders:
            condition = TRUE if where is None else self.condition(where, scope)
            with self.context.assuming(condition):
                return combine(condition, body(scope))
        first, *others = binders
        assert first is not None
        binding = self.binding(first.parts[0], scope)
        scope[first.text[0]] = binding.value
        with self.within(binding):
            inner = self._over(others, where, scope, body, combine)
        return binding.for_all(inner)

    # -------------------------------------------------------------------------------------------------- membership

    def _member_of(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        left, right = node.parts
        member = self.value(left, scope)
        call = right.parts[0].text if right.kind == "call" and right.parts[0].kind == "name" else ()
        if call in (("axes",), ("indices",)):
            domain = self.domain(right, scope)
            assert isinstance(domain, Domain)
            return self._in_domain(node, member, domain)
        owner = self.value(right, scope)
        match owner:
            case Members():
                if isinstance(member, Term) and member.sort == INT:
                    return owner.contains(member)
            case Items():
                variable = placeholder(INT)
                same = self._same(node, owner.item(variable), member)
                return not_(bind_forall(ZERO, last(owner.count), variable, not_(same)))
            case SetOf():
                return self._in_set(node, owner, member)
            case Results():
                if isinstance(member, Term) and member.sort == owner.sort:
                    return owner.conforms(member)
        raise SpecificationError(
            f"{a_kind(kind_of(owner))} has no {kind_of(member)} as a member",
            node.span,
            "name a set, a list, or axes(X)",
        )

    def _in_domain(self, node: s.Node, member: Value, domain: Domain) -> Term:
        if domain.shape is None and isinstance(member, Term) and member.sort == INT:
            return and_(le(domain.low, member), le(member, domain.high))
        if domain.shape is not None and isinstance(member, Position):
            shape = domain.shape
            return and_(eq(member.rank, shape.rank), inside_shape(member.term, shape.rank, shape.dim))
        raise SpecificationError(
            f"{a_kind(kind_of(member))} is never one of these", node.span, "compare with one of them"
        )

    def _in_set(self, node: s.Node, owner: SetOf, member: Value) -> Term:
        if owner.body is owner.variable and isinstance(member, Term) and member.sort == INT:
            # A set of the numbers of a range themselves: no search for which of them it is.
            chosen = instantiate(owner.condition, owner.variable, member)
            assert isinstance(chosen, Term)
            return and_(self._in_domain(node, member, owner.domain), chosen)
        variable = placeholder(owner.variable.sort)
        condition = instantiate(owner.condition, owner.variable, variable)
        assert isinstance(condition, Term)
        same = self._same(node, instantiate(owner.body, owner.variable, variable), member)
        binding = Binding(owner.domain, variable, condition, variable)
        return not_(binding.for_all(not_(same)))

    @abstractmethod
    def _same(self, node: s.Node, a: Value, b: Value) -> Term:
        """That two values are the same; the layer of comparisons says it."""
