"""The mistakes of items: declarations, clauses and rules, operators that are applied, proof scripts. Not trusted.

Whoever raises one of these has found that there is a mistake; all that the functions choose is its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import A_SCALAR, Tensor, Value, ValueKind, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import a_kind, a_value, of_two
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, INT, REAL, Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.sources import Span

_TENSORS = "pass tensors of that type"
_OF_EACH_TYPE = "declare it with the element type T: a statement about an operator is checked for each of its types"


# ------------------------------------------------------------------------------------------------------- declarations


def unknown_type(kind: s.Type, variables: Iterable[str]) -> SpecificationError:
    """A word that stands where a type of elements belongs."""
    known = ["T", *variables, *ELEMENT_TYPES]
    return SpecificationError(f"unknown element type `{kind.name}`", kind.span, "use one of " + ", ".join(known))


def list_of_no_values(declaration: s.Declaration, named: s.Type) -> SpecificationError:
    """A list of which an input has no values."""
    return SpecificationError(
        f"`{declaration.name}` is a list of {named}, which no input can be",
        declaration.type.span,
        "declare a list of integers, shapes or tensors",
    )


def set_of_others(declaration: s.Declaration, named: s.Type) -> SpecificationError:
    """A set of something else than integers."""
    return SpecificationError(
        f"`{declaration.name}` is a {named}: only sets of int are declared",
        declaration.type.span,
        "declare `set of int`",
    )


def no_literal_number(span: Span) -> SpecificationError:
    """A family whose first number is computed."""
    return SpecificationError("a family starts at a literal number", span, "write `[0 .. L]` or `[1 .. N]`")


def declared_twice(declaration: s.Declaration) -> SpecificationError:
    """Two declarations of one name."""
    return SpecificationError(f"`{declaration.name}` is declared twice", declaration.span, "rename one of them")


def default_of_no_type(declaration: s.Declaration, span: Span) -> SpecificationError:
    """A default that is not a type, where one belongs."""
    return SpecificationError(
        f"the default of `{declaration.name}` is not a type", span, "write a type, as in `default T`"
    )


def default_outside(declaration: s.Declaration, span: Span) -> SpecificationError:
    """A default that its own `where` excludes."""
    return SpecificationError(
        f"the default of `{declaration.name}` violates its `where` condition", span, "correct one of them"
    )


def not_an_attribute(declaration: s.Declaration, kinds: Iterable[str]) -> SpecificationError:
    """An attribute of a type that no attribute has."""
    known = ", ".join("type U" if name == "tensor" else name for name in kinds)
    return SpecificationError(
        f"an attribute cannot be a {declaration.type}", declaration.type.span, f"use one of {known}, tensor of T"
    )


def not_an_input(declaration: s.Declaration) -> SpecificationError:
    """An input that is no tensor."""
    return SpecificationError(
        f"an input is a tensor, not a {declaration.type}", declaration.type.span, "write `tensor of T`"
    )


def not_an_output(declaration: s.Declaration) -> SpecificationError:
    """An output that is no tensor."""
    return SpecificationError(
        f"an output is a tensor, not {declaration.type}",
        declaration.span,
        f"write `output {declaration.name} : tensor of T`",
    )


def optional_family(declaration: s.Declaration) -> SpecificationError:
    """A family of inputs that is optional."""
    return SpecificationError(
        f"`{declaration.name}` is a family, which cannot be optional",
        declaration.span,
        "allow an empty family: remove `0 <= L`",
    )


def optional_outputs(declaration: s.Declaration) -> SpecificationError:
    """A family of outputs that is optional."""
    return SpecificationError(
        f"`{declaration.name}` is a family, which cannot be optional",
        declaration.span,
        f"remove `optional`, and let `count {declaration.name}` say how many there are",
    )


def optional_type(declaration: s.Declaration) -> SpecificationError:
    """An optional attribute that says a type."""
    return SpecificationError(
        f"`{declaration.name}` says a type, so it cannot be optional",
        declaration.span,
        "write the type that it means where it is left out, as in `default T`",
    )


def optional_default(declaration: s.Declaration) -> SpecificationError:
    """An optional attribute with a default."""
    return SpecificationError(
        f"`{declaration.name}` has a default, so it always has a value",
        declaration.span,
        "remove `optional` or the default",
    )


def fact_called_part(name: str, span: Span) -> SpecificationError:
    """A fact with the name of a part of a thing."""
    return SpecificationError(f"a fact cannot be called `{name}`", span, "choose another name for the fact")


def default_of_tensor(declaration: s.Declaration, span: Span) -> SpecificationError:
    """A tensor whose default is no type."""
    return SpecificationError(
        f"`{declaration.name}` is a tensor, whose default is a type",
        span,
        "write the type that is meant without it, as in `default float`, or make it optional",
    )


def family_of_attributes(declaration: s.Declaration) -> SpecificationError:
    """A family of attributes."""
    return SpecificationError(
        f"`{declaration.name}` is a family, which no attribute is", declaration.span, "declare one tensor"
    )


def type_of_no_variable(declaration: s.Declaration, variable: str) -> SpecificationError:
    """An attribute that says what T is, or what no text asks."""
    return SpecificationError(
        f"`{declaration.name}` must say the type of a variable other than T, not of `{variable}`",
        declaration.type.span,
        "write `type U`, and list its types in lines such as `types float of U = float16 float`",
    )


def type_without_number(variable: str, sort: Sort, span: Span) -> SpecificationError:
    """A type that no attribute can say."""
    return SpecificationError(
        f"ONNX has no number for the type {sort.name} of `{variable}`", span, "list types of ONNX"
    )


def no_new_name(declaration: s.Declaration, span: Span) -> SpecificationError:
    """A family of outputs whose last number is no name."""
    name = declaration.name
    return SpecificationError(
        f"the last number of the outputs `{name}` is a new name",
        span,
        f"write `output {name}[0 .. L] : {declaration.type}` and `count {name} = ...`",
    )


def not_of_t(whose: str, declaration: s.Declaration, value: Value, span: Span) -> SpecificationError:
    """A value of other elements than those that a theorem is about."""
    kind = kind_of(value)
    return SpecificationError(
        f"`{whose}` is about elements of type T, but `{declaration.name}` would be {a_kind(kind)}",
        span,
        f"state it for {kind.leaf}, or convert to T",
    )


# -------------------------------------------------------------------------------------------------- clauses and rules


def unknown_reading(reading: s.Reading) -> SpecificationError:
    """A reading as a name that there is not."""
    return SpecificationError(
        f"cannot read `{reading.what}` as `{reading.repair}`: unknown name", reading.span, "name an input"
    )


def outside_model(clause: s.Clause) -> SpecificationError:
    """A constraint or an error without a condition."""
    return SpecificationError(
        f"only a restriction may be outside the model: [{clause.tag}] is {a_kind(clause.kind)}",
        clause.span,
        "make it a restriction, or write its condition",
    )


def open_family(rule: s.Rule) -> SpecificationError:
    """A family whose values are left open."""
    return SpecificationError(
        f"the value of `{rule.output}` cannot be left open: it is a family",
        rule.span,
        "leave open the outcome or the shape, or give a set of results",
    )


def length_with_meaning(length: str, name: str, span: Span) -> SpecificationError:
    """The last number of a family of outputs, where its name means something already."""
    return SpecificationError(
        f"`{length}` has a meaning already: the last number of `{name}` is a new name",
        span,
        f"choose another name, and write `count {name} = ...`",
    )


def count_of_one(rule: s.Rule) -> SpecificationError:
    """A count of one output."""
    return SpecificationError(
        f"`{rule.output}` is one output, and has no count",
        rule.span,
        f"remove it, or declare `output {rule.output}[0 .. L] : tensor of T`",
    )


def of_members(rule: s.Rule, *, of_family: bool) -> SpecificationError:
    """A rule of a family that numbers no member, or one of another output that does."""
    index = ""
    if rule.what.reach is s.Reach.VALUE:
        index = f"[{rule.index}]"
    if of_family:
        return SpecificationError(
            f"`{rule.output}` is a family: its {rule.what.reach} is that of each member",
            rule.span,
            f"write `{rule.what.reach} {rule.output}[k]{index}`, where k is the number of the member",
        )
    return SpecificationError(
        f"`{rule.output}` is one output, and has no members",
        rule.span,
        f"write `{rule.what.reach} {rule.output}{index}`",
    )


def not_a_shape(rule: s.Rule, value: Value, context: Kernel) -> SpecificationError:
    """A rule for a shape that gives something else."""
    return SpecificationError(
        f"expected the shape of `{rule.output}`, found {a_value(value)}",
        rule.body.span,
        of_two(value, A_SCALAR, context),
    )


def unknown_output(rule: s.Rule) -> SpecificationError:
    """A rule about no output."""
    return SpecificationError(f"unknown output `{rule.output}`", rule.span, "name one of the declared outputs")


def not_an_element(rule: s.Rule, wanted: Sort, found: Value, context: Kernel) -> SpecificationError:
    """A rule for an element that gives something else; where a value is left open, no condition."""
    cure = "write a condition"
    if rule.what is s.RuleKind.VALUE:
        name = wanted.name
        if wanted == context.element:
            name = "T"
        cure = f"write an element, as in `{name}(0)`"
        if isinstance(found, Term) and found.sort in (INT, REAL):
            cure = f"make an element of it: `{name}(...)`"
    if isinstance(found, Tensor):
        cure = f"read an element of it, as in `X[{rule.index}]`"
    return SpecificationError(
        f"expected an element of `{rule.output}` ({wanted}), found {kind_of(found)}", rule.body.span, cure
    )


def name_of_member(other: s.Declaration, family: s.Declaration) -> SpecificationError:
    """A declaration with the name of a member of a family."""
    return SpecificationError(
        f"`{other.name}` is also the name of a member of `{family.name}`", other.span, "rename one of them"
    )


def negative_number(span: Span) -> SpecificationError:
    """A family whose first number is below 0."""
    return SpecificationError("a family starts at 0 or above", span, "write `[0 .. L]`")


# ------------------------------------------------------------------------------------------ operators that are applied


def unknown_attribute(file: s.File, name: str, span: Span) -> SpecificationError:
    """A setting of an attribute that the operator lacks."""
    known = ", ".join(d.name for d in file.attributes) or "none"
    return SpecificationError(f"`{file.name}` has no attribute `{name}`", span, f"its attributes: {known}")


def type_left_out(operator: str, name: str, span: Span) -> SpecificationError:
    """A call without the attribute that says a type."""
    return SpecificationError(
        f"`{operator}` needs its `{name}`, which says a type", span, f"write `{operator}(... with {name} = int8)`"
    )


def says_a_type(operator: str, name: str, span: Span) -> SpecificationError:
    """A setting of an attribute that says a type to something else."""
    return SpecificationError(
        f"the attribute `{name}` of `{operator}` says a type", span, "write a type of ONNX, or its number"
    )


def says_no_type(operator: str, name: str, span: Span) -> SpecificationError:
    """A setting of another attribute to a type."""
    return SpecificationError(f"the attribute `{name}` of `{operator}` says no type", span, "give it a value")


def not_a_family(operator: str, wanted: object, span: Span) -> SpecificationError:
    """Something else than the list of tensors that an operator takes."""
    return SpecificationError(f"`{operator}` takes a list of {wanted}", span, _TENSORS)


def wrong_number(operator: str, name: str, span: Span) -> SpecificationError:
    """A list with more or fewer tensors than are declared."""
    return SpecificationError(f"wrong number of `{name}` for `{operator}`", span, "pass as many as are declared")


def missing_input(operator: str, name: str, span: Span) -> SpecificationError:
    """A call without an input that is not optional."""
    return SpecificationError(f"`{operator}` needs its input `{name}`", span, "pass it as an argument")


def too_many_inputs(file: s.File, span: Span) -> SpecificationError:
    """A call with more inputs than there are."""
    return SpecificationError(f"`{file.name}` takes at most {len(file.inputs)} inputs", span, "remove the others")


def input_left_out(operator: str, name: str, span: Span) -> SpecificationError:
    """A call without an optional input, in no theorem."""
    return _left_out(operator, name, span, "give it as an argument")


def attribute_left_out(operator: str, name: str, span: Span) -> SpecificationError:
    """A call without an attribute, in no theorem."""
    return _left_out(operator, name, span, f"write `{operator}(... with {name} = ...)`")


def _left_out(operator: str, name: str, span: Span, cure: str) -> SpecificationError:
    return SpecificationError(f"`{operator}` needs its `{name}`, which only a theorem may omit", span, cure)


def other_setting(operator: str, name: str, wanted: ValueKind, value: Value, span: Span) -> SpecificationError:
    """A setting of an attribute to a value of another kind."""
    return SpecificationError(
        f"the attribute `{name}` of `{operator}` is {a_kind(wanted)}, not {a_value(value)}",
        span,
        f"give it {a_kind(wanted)}",
    )


def other_argument(operator: str, name: str, wanted: ValueKind, value: Value, span: Span) -> SpecificationError:
    """An argument of another kind than is declared."""
    cure = f"give {a_kind(wanted)}"
    if wanted.leaf == ELEMENT.name:
        cure = _OF_EACH_TYPE
    return SpecificationError(f"`{operator}` takes {a_kind(wanted)} as {name}, not {a_value(value)}", span, cure)


def foreign_elements(operator: str, name: str, found: str, types: Iterable[str], span: Span) -> SpecificationError:
    """An argument of a type that its type variable cannot be."""
    return SpecificationError(
        f"`{name}` of `{operator}` cannot have elements of type {found}", span, "use one of " + ", ".join(types)
    )


def two_types(operator: str, variable: str, given: Mapping[str, str], span: Span) -> SpecificationError:
    """Arguments of two types for one type variable."""
    return SpecificationError(
        f"`{variable}` of `{operator}` cannot be both {' and '.join(sorted(set(given.values())))}",
        span,
        f"give {' and '.join(f'`{n}`' for n in given)} the same type",
    )


def open_type(operator: str, output: str, span: Span) -> SpecificationError:
    """An output whose type no argument gives."""
    return SpecificationError(
        f"the arguments do not determine the element type of `{output}` of `{operator}`",
        span,
        "apply an operator whose inputs determine it",
    )


def of_itself(operator: str, path: str, span: Span) -> SpecificationError:
    """An operator in its own text."""
    return SpecificationError(
        f"`{operator}` is applied in its own specification, {path}",
        span,
        f"define its result without `{operator}`; state theorems about it in a theory",
    )


def in_circle(circle: Sequence[tuple[str, Span]], span: Span) -> SpecificationError:
    """Operators that apply each other, each with the place where it is applied."""
    ways = " -> ".join(operator for operator, _ in circle)
    places = ", ".join(f"`{operator}` at {place}" for operator, place in circle[1:-1])
    return SpecificationError(
        f"operators apply each other in a cycle: {ways}; {places}",
        span,
        "define the result of one of them without the others",
    )


def several_outputs(operator: str, span: Span) -> SpecificationError:
    """An operator of which no one output is meant."""
    return SpecificationError(f"`{operator}` has several outputs", span, "use an operator with one output")


def several_results(operator: str, span: Span, *, has_sets: bool) -> SpecificationError:
    """An operator with a set of results, or one that leaves some open."""
    what = "is a set" if has_sets else "is left open for some inputs"
    return SpecificationError(
        f"the result of `{operator}` {what}, and a statement needs one result",
        span,
        "state it of an operator, or of types, that have one result",
    )


def no_result(operator: str, span: Span) -> SpecificationError:
    """An operator without a rule for its shape or value."""
    return SpecificationError(
        f"`{operator}` does not determine its result", span, "use an operator with shape and value"
    )


# ------------------------------------------------------------------------------------------------------- proof scripts


def not_above(used: s.Used) -> SpecificationError:
    """A theorem that stands further down."""
    return SpecificationError(
        f"`{used.name}` is not stated above this", used.span, "a proof may use only what precedes it"
    )


def not_for_these(used: s.Used) -> SpecificationError:
    """A theorem about other types."""
    return SpecificationError(
        f"`{used.name}` is not stated for these element types", used.span, "state it for them too"
    )


def unknown_theorem(used: s.Used, lemmas: Iterable[str]) -> SpecificationError:
    """A name that is no theorem's."""
    known = ", ".join(sorted(lemmas)[:8]) or "none; `use` the file that states it"
    return SpecificationError(f"unknown theorem `{used.name}`", used.span, f"in scope: {known}")


def undefined_argument(used: s.Used, name: str, names: Iterable[str]) -> SpecificationError:
    """A theorem without arguments, about something that means nothing here."""
    return SpecificationError(
        f"`{used.name}` is about `{name}`, which is undefined here",
        used.span,
        f"write its arguments: `{used.name}({', '.join(names)})`",
    )


def other_number(used: s.Used, names: Sequence[str], count: int) -> SpecificationError:
    """A theorem of more or fewer arguments."""
    return SpecificationError(f"`{used.name}` takes {len(names)} arguments, not {count}", used.span, ", ".join(names))


def by_no_integer(used: s.Used, number: Value) -> SpecificationError:
    """An induction of something else than an integer."""
    return SpecificationError(
        f"`{used.name}` is proved by induction on an integer, not on {a_value(number)}",
        used.span,
        "pass an integer",
    )


def not_to_take(taken: s.Taken) -> SpecificationError:
    """A term that is named, and is nothing to try."""
    return SpecificationError(
        f"`{taken.name}` is neither an integer nor an index", taken.span, "take an integer or an index"
    )
