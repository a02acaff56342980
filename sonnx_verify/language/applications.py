"""An operator on given values: by position and by settings in a theorem, by renaming for a profile and its standard.
Trusted.

Values in, a scope for the operator's text out, with the conditions of its declarations on these values. Those are no
hypotheses here: whoever applies the operator has to meet them, so they are handed out (`arity`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.kernel import declarations
from sonnx_verify.kernel.values import (
    Declared,
    Items,
    Value,
    ValueKind,
    kind_of,
    listed,
    single,
    tensor_of,
)
from sonnx_verify.kernel.variables import Variable, VariableRole, is_given, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.constants import TYPES_BY_CODE
from sonnx_verify.language.context import Call, Context, Setting
from sonnx_verify.language.declare import condition_of, leaving_out, numbered
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import types_of
from sonnx_verify.language.variables import element_sort, variable_of
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, INT, FloatSort, Sort
from sonnx_verify.logic.terms import FALSE, Term
from sonnx_verify.sources import Span


@dataclass(frozen=True, slots=True)
class Supplied:
    """The values that an operator is applied to, one for each input and attribute by its name; the conditions that its
    optional outputs are asked for; and the types that the type variables beside T stand for."""

    values: Mapping[str, Declared]
    asked: Mapping[str, Term] = field(default_factory=dict)
    variables: Mapping[str, Sort] = field(default_factory=dict)


# ------------------------------------------------------------------------------------------------------- in a theorem


def supplied(file: s.File, call: Call, context: Context) -> Supplied:
    """The arguments of a call by the names of the inputs, its settings by the names of the attributes.

    Trailing optional inputs may be left out. An attribute that is not written is a free variable of its own, which may
    be left out where the operator says so: what is said has to hold for each of its values, and without it. Optional
    outputs are not asked for.
    """
    values = _by_position(file, call)
    # The types of the other type variables are read off the tensors that are given.
    kinds = {name: kind_of(v.value) for name, v in values.items()}
    tensors = {d.name for d in file.attributes if d.type.name == s.TypeWord.TENSOR}
    kinds |= {name: kind_of(setting.value) for name, setting in call.settings.items() if name in tensors}
    variables = type_variables(file, kinds | _types_said(file, call), call.span, context.standing_for)
    variables |= _own_elements(file, kinds, context)
    unknown = sorted(call.settings.keys() - {d.name for d in file.attributes})
    if unknown:
        raise complaints.unknown_attribute(file, unknown[0], call.settings[unknown[0]].span)
    site = context.site(file.name, call.path)
    universal = context.universal
    with context.of_operator(variables):
        for declaration in file.inputs:
            if declaration.name not in values:
                if not universal:
                    raise complaints.input_left_out(call.name, declaration.name, call.span)
                absent = replace(_unwritten(declaration, site, context), optional=True, role=VariableRole.ABSENT)
                values[declaration.name] = declarations.not_given(_free(absent, context))
        for declaration in file.attributes:
            setting = call.settings.get(declaration.name)
            if setting is not None:
                values[declaration.name] = declarations.name(_set(file, declaration, setting, context))
                continue
            if not universal:
                raise complaints.attribute_left_out(call.name, declaration.name, call.span)
            # `Op(X) = ...` of an Op with an axis is claimed for each axis, and for none where it may be left out.
            free = _unwritten(declaration, site, context)
            values[declaration.name] = declarations.name(_free(free, context), is_given(free))
    return Supplied(values, {d.name: declarations.not_asked() for d in file.outputs if d.optional}, variables)


def _own_elements(file: s.File, kinds: Mapping[str, ValueKind], context: Context) -> dict[str, Sort]:
    """The type that T of an operator stands for where its inputs are of another one than T is there: `Not(C)` of a C of
    bool, in a law about numbers. Empty where it is that, or nothing given says what it is."""
    of_t = [d.name for d in file.inputs if d.type.of is not None and d.type.of.name == s.TypeWord.T]
    given = {kinds[name].leaf for name in of_t if name in kinds} - {context.element.name}
    known = given & {*types_of(file, s.TypeWord.T)}
    if len(given) != 1 or not known:
        return {}
    return {s.TypeWord.T: ELEMENT_TYPES[known.pop()]}


def _types_said(file: s.File, call: Call) -> dict[str, ValueKind]:
    """The elements of which each attribute that says a type says it, by the name of the attribute."""
    found: dict[str, ValueKind] = {}
    for declaration in file.attributes:
        if not declaration.type.is_code:
            continue
        setting = call.settings.get(declaration.name)
        # What it says is no value that a proof could leave open: the output has another type with each.
        if setting is None:
            raise complaints.type_left_out(call.name, declaration.name, call.span)
        value = setting.value
        sort = None
        if isinstance(value, Term) and value.sort == INT and isinstance(value.payload, int):
            sort = TYPES_BY_CODE.get(value.payload)
        if sort is None:
            raise complaints.says_a_type(file.name, declaration.name, setting.span)
        found[declaration.name] = single(sort)
    return found


def _by_position(file: s.File, call: Call) -> dict[str, Declared]:
    rest = list(call.values)
    values: dict[str, Declared] = {}
    for declaration in file.inputs:
        if declaration.high is not None and rest:
            # `Concat(L)` of one list, or `Concat(A, B)` of as many tensors as there are: a family takes all that is
            # left.
            family: Value | None = rest[0]
            if len(rest) > 1 or not isinstance(family, Items):
                family = listed(rest)
            if not isinstance(family, Items):
                raise complaints.not_a_family(file.name, declaration.type, call.span)
            values[declaration.name], rest = declarations.name(family), []
        elif rest:
            values[declaration.name] = declarations.name(rest.pop(0))
        elif not declaration.optional:
            raise complaints.missing_input(file.name, declaration.name, call.span)
    if rest:
        raise complaints.too_many_inputs(file, call.span)
    return values


def _unwritten(declaration: s.Declaration, site: str, context: Context) -> Variable:
    own = replace(declaration, name=f"{site}.{declaration.name}", where=None)
    return variable_of(own, context, None, 0, (), VariableRole.ATTRIBUTE)


def _free(variable: Variable, context: Context) -> Value:
    context.unwritten[variable.name] = variable
    return value_of(variable)


def _set(file: s.File, declaration: s.Declaration, setting: Setting, context: Context) -> Value:
    """The value of a setting, if it is of the attribute's kind; a number that is written out is rounded to a float."""
    plain = replace(declaration, optional=False, default=None)
    variable = variable_of(plain, context, None, 0, (), VariableRole.ATTRIBUTE)
    value = setting.value
    if setting.is_type and variable.code is None:
        raise complaints.says_no_type(file.name, declaration.name, setting.span)
    if isinstance(variable.sort, FloatSort):
        value = declarations.as_float(value, variable.sort)
    wanted = kind_of(value_of(variable))
    if kind_of(value) != wanted:
        raise complaints.other_setting(file.name, declaration.name, wanted, value, setting.span)
    return value


# ---------------------------------------------------------------------------------------------------------- as a whole


def type_variables(
    file: s.File, kinds: Mapping[str, ValueKind], span: Span, standing_for: Sequence[str]
) -> dict[str, Sort]:
    """The type that each type variable beside T stands for, by the kinds of inputs and outputs that are known.

    Where those have the abstract elements of who applies the operator, which are `standing_for` some types, so does the
    variable, if it may have each of these.
    """
    # ONNX binds a type variable to one type in a node. Where nothing that is given says which, as of the output of
    # Cast, every choice would be a guess, and the operator is refused; a variable of one type needs no saying.
    found: dict[str, Sort] = {}
    names = dict.fromkeys(v for v in file.type_variables.values() if v != s.TypeWord.T)
    for variable in names:
        types = types_of(file, variable)
        declared = (*file.inputs, *file.outputs, *file.attributes)
        users = [d for d in declared if d.type.of is not None and d.type.of.name == variable]
        # What an attribute of the one that refines this says is a number here: the output has the type that it says.
        saying = {d.name for d in users if d.type.is_code and kinds.get(d.name) == single(INT)}
        given = {d.name: kinds[d.name].leaf for d in users if d.name in kinds and d.name not in saying}
        for name, given_type in given.items():
            meant: Sequence[str] = (given_type,)
            if given_type == ELEMENT.name and standing_for:
                meant = standing_for
            if foreign := [t for t in meant if t not in types]:
                raise complaints.foreign_elements(file.name, name, foreign[0], types, span)
        if len(set(given.values())) > 1:
            raise complaints.two_types(file.name, variable, given, span)
        open_outputs = [d.name for d in file.outputs if d in users]
        if not given and len(types) > 1 and open_outputs:
            raise complaints.open_type(file.name, open_outputs[0], span)
        stands_for = next(iter(given.values()), types[0])
        if stands_for == ELEMENT.name:
            found[variable] = ELEMENT
        else:
            found[variable] = ELEMENT_TYPES[stands_for]
    return found


def bind(file: s.File, supplied: Supplied, elaborator: Elaborator, scope: dict[str, Value], span: Span) -> list[Term]:
    """The declared inputs and attributes as the given values, put in scope; the conditions of the declarations."""
    where: list[Term] = []
    for declaration in (*file.inputs, *file.attributes):
        declared = supplied.values[declaration.name]
        value, given = declared.value, declared.given
        attribute = declaration in file.attributes
        if declaration.high is not None:
            value = _family(file, declaration, value, elaborator, scope, where, span)
        else:
            plain = replace(declaration, optional=False)
            role = VariableRole.INPUT
            if attribute:
                role = VariableRole.ATTRIBUTE
            variable = variable_of(plain, elaborator.context, None, 0, (), role)
            wanted = kind_of(value_of(variable))
            if kind_of(value) != wanted:
                raise complaints.other_argument(file.name, declaration.name, wanted, value, span)
            if attribute:
                where.append(declarations.attribute(given, value))
            if variable.default is not None and variable.default != declared.default:
                value = declarations.or_default(given, value, variable.default, variable)
            if variable.code is not None:
                assert isinstance(value, Term)
                where.append(declarations.says_type(value, variable.code))
            where.append(declarations.may_be_missing(given, leaving_out(declaration, elaborator)))
        if not declaration.optional and declaration.default is None:
            where.append(given)
        lacking = declaration.optional or (declaration.type.is_tensor and declaration.default is not None)
        scope[declaration.name] = declarations.name(value, given, needs=lacking)
        if declaration.where is not None:
            where.append(condition_of(declaration, given, elaborator, scope))
    return where


def _family(
    file: s.File,
    declaration: s.Declaration,
    family: Value,
    elaborator: Elaborator,
    scope: dict[str, Value],
    where: list[Term],
    span: Span,
) -> Items:
    """The given list as the declared family: its length is the one declared, or gives the declared name its value."""
    assert declaration.type.of is not None
    wanted = tensor_of(element_sort(declaration.type.of, elaborator.context))
    if not isinstance(family, Items) or family.kind != wanted:
        raise complaints.not_a_family(file.name, wanted, span)
    agrees: list[Term] = []
    made = numbered(declaration, family, elaborator, scope, agrees)
    where += agrees
    if FALSE in agrees:
        raise complaints.wrong_number(file.name, declaration.name, span)
    return made
