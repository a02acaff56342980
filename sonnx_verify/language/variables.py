"""Declarations as variables: what a type that is written out means. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from sonnx_verify.kernel.values import Constant
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole, free_count
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.constants import default_of, type_code
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INDEX, INT, STRING, Sort
from sonnx_verify.logic.terms import Term


class ElementTypes(Protocol):
    """The types that T and the other type variables stand for, as a context says."""

    @property
    def element(self) -> Sort: ...

    @property
    def variables(self) -> Mapping[str, Sort]: ...


def element_sort(kind: s.Type, context: ElementTypes) -> Sort:
    """The element sort a type names: T's, another type variable's, or a type of ONNX."""
    if kind.name == TypeWord.T:
        return context.element
    if kind.name in context.variables:
        return context.variables[kind.name]
    if kind.name in ELEMENT_TYPES:
        return ELEMENT_TYPES[kind.name]
    raise complaints.unknown_type(kind, context.variables)


def resolved_type(kind: s.Type, variables: Mapping[str, Sort]) -> s.Type:
    """The type with each type variable beside T replaced by the type that it stands for."""
    if kind.of is not None:
        return replace(kind, of=resolved_type(kind.of, variables))
    sort = variables.get(kind.name)
    if sort is None:
        return kind
    if sort == ELEMENT:
        # The abstract element has no name but T.
        return replace(kind, name=TypeWord.T)
    return replace(kind, name=sort.name)


def variable_of(
    declaration: s.Declaration,
    context: ElementTypes,
    count: Term | None,
    base: int,
    facts: Iterable[str],
    role: VariableRole,
) -> Variable:
    """The variable that a declaration introduces."""
    named = _spelled_out(declaration.type)
    many = named.name == TypeWord.LIST
    if many:
        assert named.of is not None
        named = named.of
    kind, sort = _kind_and_sort(declaration, named, context)
    if many and count is None:
        count = free_count(declaration.name)
    # A definition may take such a list. But a variable needs values, and the search makes no list of these.
    if count is not None and kind in (VariableKind.INDEX, VariableKind.SET) and role is not VariableRole.PARAMETER:
        raise complaints.list_of_no_values(declaration, named)
    is_tensor = kind is VariableKind.TENSOR
    of_t = named.name == TypeWord.T or (is_tensor and named.of is not None and named.of.name == TypeWord.T)
    known: tuple[str, ...] = ()
    if is_tensor and role is VariableRole.INPUT:
        # Facts are free of inputs alone: of an output `Y is dense` would be a claim that no implementation is held to.
        known = tuple(facts)
    # An output that is optional is one that may not be asked for: `asked_for` says when it is.
    optional = declaration.optional and role in (VariableRole.INPUT, VariableRole.ATTRIBUTE)
    code = None
    if named.is_code:
        assert named.of is not None
        code = type_code(element_sort(named.of, context))
    default: Constant | None = None
    if declaration.default is not None and code is not None:
        # Left out, it has the code of its default, which is that of the variable: `leaving_out` says so.
        default = code
    elif declaration.default is not None and is_tensor:
        # Left out, it has no elements: its default is the type that is meant then (declare.py).
        optional = role is VariableRole.ATTRIBUTE
    elif declaration.default is not None:
        default = default_of(declaration, sort, listed=many)
    return Variable(declaration.name, kind, sort, count, base, known, role, of_t, optional, default, code)


def _spelled_out(kind: s.Type) -> s.Type:
    """The type without the short names that ONNX has for lists of attributes."""
    if kind.name in (TypeWord.INTS, TypeWord.FLOATS, TypeWord.STRINGS):
        return s.Type(TypeWord.LIST.value, kind.span, s.Type(kind.name.removesuffix("s"), kind.span))
    return kind


def _kind_and_sort(declaration: s.Declaration, named: s.Type, context: ElementTypes) -> tuple[VariableKind, Sort]:
    """The kind that a type is, and the sort of what is read from it: of a set, whether an integer is a member."""
    match named.name:
        case TypeWord.INDEX:
            return VariableKind.INDEX, INDEX
        case TypeWord.SET:
            assert named.of is not None
            if named.of.name != TypeWord.INT:
                raise complaints.set_of_others(declaration, named)
            return VariableKind.SET, BOOL
        case TypeWord.INT:
            return VariableKind.INT, INT
        case TypeWord.TYPE:
            return VariableKind.INT, INT
        case TypeWord.STRING:
            return VariableKind.ELEMENT, STRING
        case TypeWord.SHAPE:
            return VariableKind.SHAPE, INT
        case TypeWord.TENSOR:
            assert named.of is not None
            return VariableKind.TENSOR, element_sort(named.of, context)
        case _:
            return VariableKind.ELEMENT, element_sort(named, context)
