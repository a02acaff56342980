"""The mistakes of names: such as mean nothing, calls that do not fit, and types. Not trusted.

Whoever raises one of these has found that there is a mistake; all that the functions choose is its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.core import FAMILIES, SIGNED, UNSIGNED, Kernel
from sonnx_verify.kernel.values import Declared, SetOf, Value, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import a_kind, a_value, as_float, as_real, meant, of_call, of_member, of_name, of_two
from sonnx_verify.language.functions import FUNCTIONS, Function
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.text import counted_text
from sonnx_verify.sources import Span


def unknown(what: str, name: str, span: Span, known: Sequence[str]) -> SpecificationError:
    """A name of some sort that means nothing here, where others are known."""
    listed = ", ".join(f"`{k}`" for k in known[:8])
    cure = "state it, or `use` the file that states it"
    if listed:
        cure = f"in scope: {listed}"
    return SpecificationError(f"unknown {what} `{name}`", span, meant(name, known) or cure)


# -------------------------------------------------------------------------------------------------------------- calls


def not_a_name(span: Span) -> SpecificationError:
    """A call of something else than a name."""
    return SpecificationError("only a name can be called", span, "write `name(arguments)`")


def not_a_function(name: str, value: Value, span: Span) -> SpecificationError:
    """A call of a variable."""
    if isinstance(value, Declared):
        value = value.value
    return SpecificationError(
        f"`{name}` is {a_value(value)}, and no function", span, f"read a part of it, as in `{name}[k]`"
    )


def given_of_undeclared(span: Span) -> SpecificationError:
    """`given` of something that nobody could leave out."""
    return SpecificationError("`given` takes an input, an attribute or an output", span, "name one that is declared")


def given_of_set(span: Span) -> SpecificationError:
    """`given` of a set."""
    return SpecificationError("`given` takes a name", span, "write `given(x)`")


def one_condition(span: Span) -> SpecificationError:
    """`exactly_one` of less than two conditions."""
    return SpecificationError(
        f"`{Function.EXACTLY_ONE}` takes several conditions",
        span,
        "write `exactly_one(given(a), given(b))`, or the condition itself",
    )


def set_twice(setting: s.Setting) -> SpecificationError:
    """Two settings of one attribute."""
    return SpecificationError(f"`{setting.name}` is set twice", setting.span, "set it once")


def without_attributes(name: str, span: Span) -> SpecificationError:
    """A function with settings."""
    return SpecificationError(f"`{name}` is not an operator and has no attributes", span, "remove `with`")


def not_one_type(name: str, span: Span) -> SpecificationError:
    """A setting to a type that has no number in ONNX."""
    return SpecificationError(
        f"`{name}` stands for several types here, or for none of ONNX", span, "name a type of ONNX"
    )


def range_as_value(name: str, span: Span) -> SpecificationError:
    """A range in the place of a value."""
    return SpecificationError(f"`{name}(...)` is a range, not a value", span, f"write `k in {name}(X)`")


def undefined_call(name: str, known: Iterable[str], library: str, span: Span) -> SpecificationError:
    """A call of a name that is not defined; `library` is one that does define it."""
    return SpecificationError(f"undefined function or operator `{name}`", span, of_call(name, known, library))


def in_unread_text(name: str, place: Span, message: str, span: Span) -> SpecificationError:
    """A call of a name that is defined in a text with a mistake."""
    return SpecificationError(
        f"`{name}` is in {place.source.name}, which has an error", span, f"correct {place} ({message})"
    )


def wrong_arity(name: str, wanted: int, found: int, span: Span) -> SpecificationError:
    """A call with more or fewer arguments."""
    return SpecificationError(
        f"`{name}` takes {counted_text(wanted, 'argument')}, not {found}", span, f"give it {wanted}"
    )


def not_integers(name: str, span: Span) -> SpecificationError:
    """A division of something else than integers."""
    return SpecificationError(f"`{name}` takes two integers", span, "write integers")


def mixed_arguments(name: str, first: Term, other: Term, context: Kernel, span: Span) -> SpecificationError:
    """Arguments of two types."""
    return SpecificationError(
        f"`{name}` cannot mix {a_value(first)} and {a_value(other)}", span, of_two(first, other, context)
    )


def not_reals(
    function: RealFunction, nodes: Sequence[s.Expression], values: Sequence[Value], span: Span
) -> SpecificationError:
    """A function of reals that is given none."""
    if len(nodes) == function.arity and all(isinstance(value, Term) for value in values):
        written = ", ".join(map(as_real, nodes, values))
    else:
        written = ", ".join(("real(x)", "real(y)")[: function.arity])
    taken = " and no ".join(str(kind_of(value)) for value in values) or "nothing"
    return SpecificationError(
        f"`{function}` is a function of a real, and takes no {taken}",
        span,
        f"convert what is finite, and round the result: `T({function}({written}))`",
    )


def not_of_floats(name: str, family: str, span: Span) -> SpecificationError:
    """A function of floats in a section of other elements."""
    return SpecificationError(
        f"`{name}` applies to floats, and the elements here are {family}", span, "mark the clause `for float`"
    )


def not_a_float(name: str, node: s.Expression, value: Value) -> SpecificationError:
    """A function of floats that is given something else."""
    return SpecificationError(f"`{name}` takes floats, not {a_value(value)}", node.span, as_float(name, node, value))


def not_a_list(value: Value, span: Span) -> SpecificationError:
    """`count` of something else than a list."""
    cure = "name a list"
    if isinstance(value, SetOf):
        cure = "count its members: `count { x | x in ... }`"
    return SpecificationError(f"`count` takes a list, not {a_value(value)}", span, cure)


def not_numbers(name: str, span: Span) -> SpecificationError:
    """A function without a definition, of something else than numbers."""
    return SpecificationError(f"`{name}` takes numbers", span, "give it numbers")


# ------------------------------------------------------------------------------------------- definitions and orders


def not_defined_for(name: str, choices: Iterable[s.Definition], family: str, span: Span) -> SpecificationError:
    """A definition for other families."""
    return SpecificationError(
        f"`{name}` is defined for {', '.join(d.family for d in choices)}, not for {family}",
        span,
        f"define it `for {family}`",
    )


def unfit(whose: str, wanted: s.Type, value: Value, span: Span) -> SpecificationError:
    """A value of another type than is declared."""
    wanted_kind = a_kind(str(wanted))
    cure = f"give it {wanted_kind}"
    if wanted_kind == "a real" and isinstance(value, Term) and value.sort != BOOL:
        cure = "convert it: `real(x)` is the real that an element or an integer x stands for"
    return SpecificationError(f"{whose}: expected {wanted_kind}, found {a_value(value)}", span, cure)


def circle(definition: s.Definition, opened: list[str], span: Span) -> SpecificationError:
    """A definition that calls itself, by way of those that are opened."""
    name = definition.name
    cycle = " -> ".join([*opened[opened.index(name) :], name])
    cure = "break the cycle"
    if name == opened[-1]:
        number = next((p.name for p in definition.parameters if p.type.name == s.TypeWord.INT), "n")
        cure = f"name the parameter that decreases: `by recursion on {number} from 0`"
    return SpecificationError(f"circular definition: {cycle}", span, cure)


def recursion_on_others(definition: s.Definition, on: str) -> SpecificationError:
    """A recursion on something else than an integer."""
    return SpecificationError(
        f"`{definition.name}` recurs on `{on}`, which is not an integer parameter",
        definition.span,
        f"declare `{on} : int`",
    )


def layout_of_itself(definition: s.Definition, *, is_list: bool) -> SpecificationError:
    """A recursion whose call of itself decides a shape or a length."""
    known = "length or the shape" if is_list else "shape"
    return SpecificationError(
        f"the {known} of `{definition.name}` depends on its own call",
        definition.body.span,
        f"say it without: `tensor (i in S -> ...)` with an S that `{definition.name}` is no part of",
    )


def no_result_of_recursions(definition: s.Definition) -> SpecificationError:
    """A recursion that is declared to give what none can."""
    return SpecificationError(
        f"no recursion gives {a_kind(definition.result)}",
        definition.result.span,
        "have it give a number, a condition, an element, a tensor, a list of these, or a list of tensors",
    )


def other_result(definition: s.Definition, made: Value, span: Span) -> SpecificationError:
    """A recursion that gives another type of these arguments."""
    return SpecificationError(
        f"`{definition.name}` goes by recursion and gives {definition.result}, and of these arguments {a_value(made)}",
        span,
        f"give it arguments of {definition.result}, or declare a result of {kind_of(made)}",
    )


def not_one_less(definition: s.Definition, on: str, span: Span) -> SpecificationError:
    """A recursion that calls itself with other arguments."""
    call = ", ".join({on: f"{on} - 1"}.get(p.name, p.name) for p in definition.parameters)
    return SpecificationError(
        f"`{definition.name}` may call itself only with its own parameters, and `{on} - 1` for `{on}`",
        span,
        f"write `{definition.name}({call})`",
    )


def order_on_others(order: s.OrderDefinition, family: str, span: Span | None) -> SpecificationError:
    """An order of elements of another family."""
    return SpecificationError(
        f"`{order.name}` is an order on {order.family}, and the elements here are {family}",
        span or order.span,
        f"name an order on {family}",
    )


def two_orders(order: s.OrderDefinition, other: s.OrderDefinition) -> SpecificationError:
    """Two orders of one name in one statement."""
    return SpecificationError(
        f"order `{order.name}` is defined twice; the other definition is at {other.span}",
        order.span,
        "rename one of them",
    )


# ------------------------------------------------------------------------------------------------------------- types


def exact_of_others(family: str, span: Span) -> SpecificationError:
    """An `exact` clause of other elements than integers."""
    return SpecificationError(
        f"`exact` applies to integers, and the elements here are {family}", span, "write `for int exact`"
    )


def unknown_element_type(name: str, variables: Iterable[str], span: Span) -> SpecificationError:
    """A word that is no type of elements."""
    known = ("T", *variables, *ELEMENT_TYPES)
    return SpecificationError(f"unknown element type `{name}`", span, "one of " + ", ".join(known))


def unknown_type_or_family(word: str, span: Span) -> SpecificationError:
    """A word behind `T is` that means nothing there."""
    known = ", ".join((SIGNED, UNSIGNED, *FAMILIES, *(t for t in ELEMENT_TYPES if t not in FAMILIES)))
    return SpecificationError(f"unknown type or family `{word}`", span, f"write one of {known}")


def not_a_variable(name: str, variables: Iterable[str], span: Span) -> SpecificationError:
    """A type that is asked what it is."""
    return SpecificationError(
        f"`{name}` is a type, not a type variable", span, f"write it of {' or '.join(('T', *variables))}"
    )


# ---------------------------------------------------------------------------------------------- names, members, facts


def too_large(span: Span) -> SpecificationError:
    """A number that takes too long to compute."""
    return SpecificationError("the number is too large", span, "write a shorter one: it has thousands of digits")


def unexpected(wanted: Sort, value: Value, span: Span) -> SpecificationError:
    """Something else than a condition, or than an integer."""
    what = "an integer"
    if wanted == BOOL:
        what = "a condition"
    cure = f"write {what}"
    if wanted == BOOL and isinstance(value, Term) and value.sort == ELEMENT:
        cure = "compare it; elements that are conditions belong to a `tensor of bool` or to the family bool"
    return SpecificationError(f"expected {what}, found {a_value(value)}", span, cure)


def without_arguments(name: str, span: Span) -> SpecificationError:
    """A function in the place of a value."""
    return SpecificationError(f"`{name}` needs arguments", span, f"write `{name}(...)`")


def given_elsewhere(name: str, families: str, family: str, span: Span) -> SpecificationError:
    """A `let` of other families."""
    return SpecificationError(
        f"`{name}` is given for {families}, not for {family}",
        span,
        f"add `let {name} for {family} = ...`, or mark what uses it `for {families}`",
    )


def undefined(
    node: s.Name, scope: Mapping[str, Value], definitions: Iterable[str], outputs: Collection[str]
) -> SpecificationError:
    """A name that stands for nothing, or for nothing yet."""
    cure = _let_below(node) or of_name(node.name, scope, [*scope, *definitions, *FUNCTIONS], outputs)
    return SpecificationError(f"undefined symbol `{node.name}`", node.span, cure)


def _let_below(node: s.Name) -> str:
    """The cure where a `let` further down gives the name its value; empty where none does."""
    lines = node.span.source.text.splitlines()
    declared = re.compile(rf"\s*(?:\[\w+\]\s*)?let\s+{re.escape(node.name)}\b")
    found = next((n for n, line in enumerate(lines, 1) if n > node.span.line and declared.match(line)), None)
    return "" if found is None else f"`let {node.name}` stands in line {found}: move it above what uses it"


def unknown_member(node: s.Member) -> SpecificationError:
    """A word behind a dot that nothing has."""
    return SpecificationError(f"unknown member `{node.name}`", node.span, of_member(node.name))


def slice_of_others(owner: Value, span: Span) -> SpecificationError:
    """A slice of something else than a list."""
    return SpecificationError(f"only a list can be sliced, not {a_value(owner)}", span, "slice a list")


def fact_of_others(node: s.Is, value: Value) -> SpecificationError:
    """A fact of something else than a tensor."""
    return SpecificationError(f"`is {node.fact}` applies to a tensor, not {a_value(value)}", node.span, "name a tensor")


def fact_of_no_input(node: s.Is) -> SpecificationError:
    """A fact of a tensor that is computed."""
    return SpecificationError(f"`is {node.fact}` applies only to an operator's inputs", node.span, "remove this")


def fact_unknown_there(node: s.Is) -> SpecificationError:
    """A fact that the text of the tensor does not use."""
    return SpecificationError(
        f"the text that gives this tensor does not know the fact `{node.fact}`",
        node.span,
        "let it `use` the library that declares the fact",
    )


def no_choice(then: Value, otherwise: Value, context: Kernel, span: Span) -> SpecificationError:
    """The branches of an `if` that no condition can choose between."""
    first, second = a_value(then), a_value(otherwise)
    if first != second:
        cure = of_two(then, otherwise, context)
        return SpecificationError(f"the branches differ in type: {first} and {second}", span, cure)
    return SpecificationError(
        f"both branches are {first}, and no condition can choose between these",
        span,
        "choose between what is read of them; lists of one `if` are numbered from one number",
    )
