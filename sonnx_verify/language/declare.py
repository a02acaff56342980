"""Declarations: as variables, or as the values that are given for them."""

from __future__ import annotations

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.values import Items, Value, kind_of, listed
from sonnx_verify.language.variables import Variable, count_of, element_sort, typed, typed_value, value_of, variable_of
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import (
    TRUE,
    Term,
    add,
    eq,
    integer,
    is_literal,
    not_,
    sub,
)


def declare(
    declarations: list[s.Declaration], elaborator: Elaborator, scope: dict[str, Value], facts: list[str], role: str
) -> tuple[list[Variable], list[Term], list[Term]]:
    """Variables for declarations, put in scope; what their types say, and what their `where` says."""
    variables: list[Variable] = []
    hypotheses: list[Term] = []
    where: list[Term] = []
    for declaration in declarations:
        count, base = None, 0
        if declaration.high is not None and declaration.low is not None:
            _declare_length(declaration.high, elaborator, scope, variables)
            low = elaborator.integer(declaration.low, scope)
            if not is_literal(low):
                raise SpecificationError(
                    "a family begins at a number", declaration.low.span, "write `[0 .. L]` or `[1 .. N]`"
                )
            assert isinstance(low.payload, int)
            base = low.payload
            count = count_of(low, elaborator.integer(declaration.high, scope))
        if declaration.name in scope:
            raise SpecificationError(f"`{declaration.name}` is declared twice", declaration.span, "rename one of them")
        variable = variable_of(declaration, elaborator.context, count, base, facts, role)
        variables.append(variable)
        scope[declaration.name] = value_of(variable)
        hypotheses.append(typed(variable, bounded=role == "attribute"))
        if declaration.where is not None:
            with elaborator.context.at(f"where {len(where)} {declaration.name}"):
                where.append(elaborator.condition(declaration.where, scope))
    return variables, hypotheses, where


def _declare_length(high: s.Node, elaborator: Elaborator, scope: dict[str, Value], variables: list[Variable]) -> None:
    """The name in `X[0 .. L]` is an integer of its own when nothing declared it before."""
    if high.kind == "name" and high.text[0] not in scope:
        variable = Variable(high.text[0], "int", INT, None, 0, (), "length")
        variables.append(variable)
        scope[high.text[0]] = value_of(variable)


def bind(file: s.File, given: list[Value], elaborator: Elaborator, scope: dict[str, Value], span: Span) -> list[Term]:
    """The declared inputs as the given values; what the declarations say of them."""
    where: list[Term] = []
    rest = list(given)
    if file.attributes:
        name = file.attributes[0].name
        raise SpecificationError(
            f"`{file.name}` has the attribute `{name}`, which a call cannot give", span, "use an operator without any"
        )
    for declaration in file.inputs:
        if not rest:
            raise SpecificationError(f"`{file.name}` misses its input `{declaration.name}`", span, "add an argument")
        assert declaration.type.of is not None
        wanted = f"tensor of {element_sort(declaration.type.of, elaborator.context)}"
        value: Value
        if declaration.high is not None and declaration.low is not None:
            family = rest[0] if isinstance(rest[0], Items) and len(rest) == 1 else listed(rest)
            rest = []
            if not isinstance(family, Items) or family.kind != wanted:
                raise SpecificationError(f"`{file.name}` takes a list of {wanted}", span, "give it such tensors")
            value = _bind_family(file, declaration, family, elaborator, scope, where, span)
        else:
            value = rest.pop(0)
            if kind_of(value) != wanted:
                raise SpecificationError(
                    f"`{file.name}` takes a {wanted} as {declaration.name}, not {kind_of(value)}",
                    span,
                    f"give a {wanted}",
                )
        scope[declaration.name] = value
        if declaration.where is not None:
            where.append(elaborator.condition(declaration.where, scope))
    if rest:
        raise SpecificationError(f"`{file.name}` takes {len(file.inputs)} inputs, not more", span, "drop an argument")
    return where


def _bind_family(
    file: s.File,
    declaration: s.Declaration,
    family: Items,
    elaborator: Elaborator,
    scope: dict[str, Value],
    where: list[Term],
    span: Span,
) -> Items:
    """The given list as the declared family: its length is the one declared, or gives the declared name its value."""
    assert declaration.low is not None and declaration.high is not None
    low = elaborator.integer(declaration.low, scope)
    assert isinstance(low.payload, int)
    high = declaration.high
    last_number = sub(add(family.count, low), integer(1))
    if high.kind == "name" and high.text[0] not in scope:
        scope[high.text[0]] = last_number
    else:
        fits = eq(elaborator.integer(high, scope), last_number)
        if fits is not_(TRUE):
            raise SpecificationError(
                f"`{file.name}` takes another number of `{declaration.name}`", span, "give as many as are declared"
            )
        where.append(fits)
    return Items(family.count, family.item, family.kind, low.payload)


def give(
    declarations: list[s.Declaration],
    values: list[Value],
    elaborator: Elaborator,
    scope: dict[str, Value],
    whose: str,
    span: Span,
) -> list[Term]:
    """The given values as what a theorem declares, put in scope; what their types say of them."""
    conditions: list[Term] = []
    for declaration, given in zip(declarations, values, strict=True):
        value = elaborator.fitting(given, _of_family(declaration), f"`{whose}`", span)
        if declaration.low is not None and declaration.high is not None:
            assert isinstance(value, Items)
            value = _numbered(declaration, value, elaborator, scope, conditions)
        conditions.append(typed_value(value))
        scope[declaration.name] = value
    return conditions


def _of_family(declaration: s.Declaration) -> s.Type:
    if declaration.high is None:
        return declaration.type
    return s.Type("list", declaration.span, declaration.type)


def _numbered(
    declaration: s.Declaration, family: Items, elaborator: Elaborator, scope: dict[str, Value], conditions: list[Term]
) -> Items:
    """A list numbered as declared: its length gives the name of its last number a value, or has to agree with it."""
    assert declaration.low is not None and declaration.high is not None
    low = elaborator.integer(declaration.low, scope)
    assert isinstance(low.payload, int)
    high, last_number = declaration.high, sub(add(family.count, low), integer(1))
    if high.kind == "name" and high.text[0] not in scope:
        scope[high.text[0]] = last_number
    else:
        conditions.append(eq(elaborator.integer(high, scope), last_number))
    return Items(family.count, family.item, family.kind, low.payload)
