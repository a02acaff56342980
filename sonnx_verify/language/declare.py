"""Declarations as variables, with the hypotheses that they give; and given values as what a theorem declares. Trusted.

A hypothesis is assumed by every proof of the text, so one too many could prove too much. Each comes from a type or a
`where` that stands in the text, under `given` where the thing may be left out.

    optional input B : tensor of T where rank(B) = 1        given(B) => 0 <= rank(B) and ... ; given(B) => rank(B) = 1
"""

from __future__ import annotations

from dataclasses import replace

from sonnx_verify.kernel import declarations as forms
from sonnx_verify.kernel.applications import unheard
from sonnx_verify.kernel.arithmetic import number_of_integers
from sonnx_verify.kernel.values import Items, Value, kind_of
from sonnx_verify.kernel.variables import (
    Variable,
    VariableRole,
    constant_value,
    declared_value,
    is_given,
    kind_says,
    last_number,
    value_of,
)
from sonnx_verify.language import origins
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.constants import TYPES_BY_CODE
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.variables import element_sort, variable_of
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Term, is_literal
from sonnx_verify.sources import Span

ATTRIBUTES = ("int", "ints", "float", "floats", "string", "strings", "tensor")
"""The kinds of attributes of ONNX that the language has: an int may also say a type, and a tensor is one of a type."""
_LISTS = ("list of int", "list of float", "list of string")
PARTS = frozenset(("rank", "dim", "read", "count", "given"))
"""The names of the parts of a thing: a fact of one of these names would be the same symbol, `X.rank`."""


def declare(
    declarations: list[s.Declaration],
    elaborator: Elaborator,
    scope: dict[str, Value],
    facts: list[str],
    role: VariableRole,
) -> tuple[list[Variable], list[Term], list[Term]]:
    """Variables for declarations, put in scope, the hypotheses of their types, and those of their `where`. A hypothesis
    on a thing that is optional is one where it is given."""
    variables: list[Variable] = []
    hypotheses: list[Term] = []
    where: list[Term] = []
    for declaration in declarations:
        # One after the other: what is declared further down means nothing in a `where` above it.
        _check(declaration, role, facts, elaborator.context)
        count, base = None, 0
        if declaration.high is not None and declaration.low is not None:
            _declare_length(declaration.high, scope, variables)
            low = elaborator.integer(declaration.low, scope)
            if not is_literal(low):
                raise complaints.no_literal_number(declaration.low.span)
            assert isinstance(low.payload, int)
            base = low.payload
            count = number_of_integers(low, elaborator.integer(declaration.high, scope))
        # Twice would be one symbol: what is declared of the one would be assumed of the other.
        if declaration.name in scope:
            raise complaints.declared_twice(declaration)
        leaving = leaving_out(declaration, elaborator)
        variable = variable_of(declaration, elaborator.context, count, base, facts, role)
        # Where its default is another type than that of the section, it is always given.
        if leaving == FALSE:
            variable = replace(variable, default=None, optional=False)
        variables.append(variable)
        # What a theorem declares is there. An input or attribute may be left out, so its name knows whether it is
        # given.
        if role in (VariableRole.INPUT, VariableRole.ATTRIBUTE):
            scope[declaration.name] = replace(declared_value(variable), by_type=leaving != TRUE)
        else:
            scope[declaration.name] = value_of(variable)
        hypotheses.append(forms.hypothesis(variable, leaving, bounded=role is VariableRole.ATTRIBUTE))
        origins.note(hypotheses[-1], declaration)
        if declaration.where is not None:
            # `above` says on which conditions this one may rely: those further up. Two that relied on each other could
            # both be false, and each would be shown from the other.
            with elaborator.context.at(declaration.name, above=len(where)):
                where.append(condition_of(declaration, is_given(variable), elaborator, scope))
            _check_default(declaration, declaration.where, elaborator, scope, variable)
    return variables, hypotheses, where


def leaving_out(declaration: s.Declaration, elaborator: Elaborator) -> Term:
    """The condition under which an attribute whose default is a type may be left out: that is its type.

    attribute dtype : type U default T              U is T
    attribute value : tensor of T default float     T is float, the type of 32 bits
    """
    if not (declaration.type.is_code or declaration.type.is_tensor) or declaration.default is None:
        return forms.always()
    assert declaration.type.of is not None
    context = elaborator.context
    said = element_sort(declaration.type.of, context)
    usual = default_type(declaration, context)
    # T may be abstract, and stand for all types of its line: whether it is this one is left open then.
    return context.same_type(usual, said)


def default_type(declaration: s.Declaration, context: Context) -> Sort:
    """The type that is the default of an attribute. Raises SpecificationError where that is no type."""
    assert declaration.default is not None
    node = s.bare(declaration.default)
    if isinstance(node, s.Name) and (node.name in ELEMENT_TYPES or node.name in (s.TypeWord.T, *context.variables)):
        sort = element_sort(s.Type(node.name, node.span), context)
        if sort == ELEMENT or sort in TYPES_BY_CODE.values():
            return sort
    raise complaints.default_of_no_type(declaration, declaration.default.span)


def condition_of(declaration: s.Declaration, given: Term, elaborator: Elaborator, scope: dict[str, Value]) -> Term:
    """The condition of a `where`, of what is optional where it is given. Not of what has a default: its value is there
    even if it is left out."""
    assert declaration.where is not None
    if not declaration.optional and not declaration.type.is_tensor:
        given = forms.always()
    node = declaration.where
    return forms.where(elaborator.context, given, lambda: elaborator.condition(node, scope))


def _check_default(
    declaration: s.Declaration, node: s.Expression, elaborator: Elaborator, scope: dict[str, Value], variable: Variable
) -> None:
    """Check that a default meets its own `where`, as far as that speaks of nothing else that is declared."""
    # `attribute axis : int default 5 where axis < 3` would contradict itself as soon as axis is left out, and prove
    # anything of that input. Where the condition needs more than the default to be evaluated, emptiness is asked later.
    if variable.default is None or declaration.default is None or variable.code is not None:
        return
    by_default = {**scope, variable.name: constant_value(variable.default, variable.sort)}
    held = unheard(elaborator.context, lambda: elaborator.condition(node, by_default))
    try:
        meets = evaluate(held, {})
    except (Undefined, KeyError):
        return
    if meets is not True:
        raise complaints.default_outside(declaration, declaration.default.span)


def _check(declaration: s.Declaration, role: VariableRole, facts: list[str], context: Context) -> None:
    """Refuse a declaration that one of this role cannot be."""
    if declaration.type.is_code and role is VariableRole.ATTRIBUTE:
        _check_code(declaration, context)
    elif role is VariableRole.ATTRIBUTE and declaration.type.name == s.TypeWord.TENSOR:
        _check_tensor(declaration)
    elif role is VariableRole.ATTRIBUTE and str(declaration.type) not in (*ATTRIBUTES, *_LISTS):
        raise complaints.not_an_attribute(declaration, ATTRIBUTES)
    if role is VariableRole.INPUT and declaration.type.name != s.TypeWord.TENSOR:
        raise complaints.not_an_input(declaration)
    if declaration.optional and declaration.high is not None:
        raise complaints.optional_family(declaration)
    if declaration.type.is_code and declaration.optional:
        raise complaints.optional_type(declaration)
    if declaration.optional and declaration.default is not None:
        raise complaints.optional_default(declaration)
    if taken := sorted(PARTS & set(facts)):
        raise complaints.fact_called_part(taken[0], declaration.span)


def _check_tensor(declaration: s.Declaration) -> None:
    """Refuse a tensor with a default that is no type, or several of them, as an attribute."""
    # Nothing writes a tensor out, and ONNX has no default that is one: without it, something says of which type it is.
    if declaration.default is not None and not isinstance(s.bare(declaration.default), s.Name):
        raise complaints.default_of_tensor(declaration, declaration.default.span)
    if declaration.high is not None:
        raise complaints.family_of_attributes(declaration)


def _check_code(declaration: s.Declaration, context: Context) -> None:
    """Refuse an attribute that says the type of no type variable, or of T."""
    assert declaration.type.of is not None
    variable = declaration.type.of.name
    # T stands for all types of its line at once; the others for one type in each section.
    if variable not in context.variables:
        raise complaints.type_of_no_variable(declaration, variable)
    if context.variables[variable] not in TYPES_BY_CODE.values():
        raise complaints.type_without_number(variable, context.variables[variable], declaration.type.span)


def check_output(declaration: s.Declaration) -> None:
    """Refuse an output that is neither a tensor nor a family of tensors."""
    if declaration.type.name != s.TypeWord.TENSOR:
        raise complaints.not_an_output(declaration)
    if declaration.high is None:
        return
    if declaration.optional:
        raise complaints.optional_outputs(declaration)
    # How many there are is not declared: it is computed, and that it is right is an obligation.
    if not isinstance(declaration.high, s.Name):
        raise complaints.no_new_name(declaration, declaration.high.span)


def _declare_length(high: s.Expression, scope: dict[str, Value], variables: list[Variable]) -> None:
    """Declare the name in `X[0 .. L]`, an integer of its own when nothing declared it before."""
    # Before the bound is elaborated: the same L in `X[0 .. L], Y[0 .. L]` is one number, so the lists have one length.
    if isinstance(high, s.Name) and high.name not in scope:
        variable = last_number(high.name)
        variables.append(variable)
        scope[high.name] = value_of(variable)


def give(
    declarations: list[s.Declaration],
    values: list[Value],
    elaborator: Elaborator,
    scope: dict[str, Value],
    whose: str,
    span: Span,
) -> list[Term]:
    """The given values as what a theorem declares, put in scope, with the hypotheses of their types. T is the type that
    it is in the context: a theorem that is proved for that type is none of another."""
    # These stand on the left of what the theorem says of the values (proof_scripts.py): it was proved of tensors with
    # sizes that are not negative, and a value is any term. Twin: lemma_of_anything.
    conditions: list[Term] = []
    for declaration, given in zip(declarations, values, strict=True):
        wanted = _of_family(declaration)
        value = elaborator.calls.fitting(given, wanted, f"`{whose}`", span)
        if _of_t(wanted) and kind_of(value).leaf != elaborator.context.element.name:
            raise complaints.not_of_t(whose, declaration, value, span)
        if declaration.low is not None and declaration.high is not None:
            assert isinstance(value, Items)
            value = numbered(declaration, value, elaborator, scope, conditions)
        elif isinstance(value, Items):
            # A list that is declared by its type is numbered from 0, whatever it was where it came from.
            value = forms.renumbered(value, 0)
        # A theorem holds of what its declarations admit: that no rank or size is negative is a condition of its use.
        conditions.append(kind_says(value))
        scope[declaration.name] = value
    return conditions


def _of_t(kind: s.Type) -> bool:
    """Return whether it is about elements of T."""
    while kind.of is not None:
        kind = kind.of
    return kind.name == s.TypeWord.T


def _of_family(declaration: s.Declaration) -> s.Type:
    if declaration.high is None:
        return declaration.type
    return s.Type(s.TypeWord.LIST.value, declaration.span, declaration.type)


def numbered(
    declaration: s.Declaration, family: Items, elaborator: Elaborator, scope: dict[str, Value], conditions: list[Term]
) -> Items:
    """A list numbered as declared: its length gives the name of its last number a value, or has to agree with it."""
    assert declaration.low is not None
    assert declaration.high is not None
    low = elaborator.integer(declaration.low, scope)
    assert isinstance(low.payload, int)
    high, found = declaration.high, forms.last_of(family, low.payload)
    if isinstance(high, s.Name) and high.name not in scope:
        scope[high.name] = found
    else:
        conditions.append(forms.agrees(elaborator.integer(high, scope), found))
    return forms.renumbered(family, low.payload)
