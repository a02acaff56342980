"""Cures: the text to write instead of a name that means nothing, or where things of two types meet. Not trusted."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence

from sonnx_verify.errors import Cure, NewUse, Replacement
from sonnx_verify.kernel.core import Family, Kernel
from sonnx_verify.kernel.values import Items, Position, SetOf, Shape, Tensor, Value, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.functions import REAL_FUNCTIONS
from sonnx_verify.language.signatures import Option, Parameter
from sonnx_verify.language.subexpressions import is_name, key_of_constraint
from sonnx_verify.language.syntax import text_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, IntegerSort, Sort
from sonnx_verify.logic.terms import Term

# `Max(a, b)` is an operator and `max` a fold: who calls `max(a, b)` is told of both.
_FOLDS = frozenset(s.FoldKind) - {s.FoldKind.GREATEST, s.FoldKind.LEAST}
_MEMBERS = {
    "rank": "write `rank(X)`",
    "ndim": "write `rank(X)`",
    "size": "write `X.shape[k]` for the size of one axis; `numel` of the library layout counts elements",
    "length": "write `count(L)` for a list",
    "count": "write `count(L)` for a list",
    "dtype": "a clause `for int` or `for float` speaks of one family of types",
}


def a_kind(kind: object) -> str:
    """The kind in the words of a message, with its article."""
    # An abstract element is of the type that texts call T.
    text = str(kind).replace(f" {ELEMENT.name}", " T")
    if text[0] in "aeiou":
        return f"an {text}"
    return f"a {text}"


def a_value(value: Value) -> str:
    """The kind of a value in words, with its article."""
    return a_kind(kind_of(value))


def near(name: str, known: Iterable[str]) -> str:
    """The known name that is most like it, perhaps in other letters; empty where none is."""
    # The same name in other letters first: `relu` means Relu, however many names are more like it.
    listed = [k for k in known if is_name(k)]
    same = [k for k in listed if k.lower() == name.lower()]
    return next(iter([*same, *difflib.get_close_matches(name, listed, n=1)]), "")


def meant(name: str, known: Iterable[str]) -> Cure | None:
    """The question for the known name that is most like it; None where none is."""
    found = near(name, known)
    if not found:
        return None
    return Cure(f"did you mean `{found}`?", Replacement(name, found))


def of_name(name: str, scope: Mapping[str, Value], known: Iterable[str], outputs: Collection[str]) -> str:
    """For a name that stands for nothing. The `outputs` of a text have a meaning only in constraints about them."""
    if name.lower() in ("true", "false"):
        return Cure(f"write `{name.lower()}`", Replacement(name, name.lower()))
    if key_of_constraint(name) in scope:
        return Cure(f"`{name}` is a constraint: write `{name} fails`", Replacement(name, f"{name} fails"))
    if name in outputs:
        return f"`{name}` is an output: repeat what is said of it, or give that a name with `let`"
    if found := meant(name, known):
        return found
    here = [n for n, value in scope.items() if isinstance(value, Position)]
    if here:
        return f"the index is called `{here[-1]}` here; or bind it, as in `for all {name} in ... :`"
    return f"declare it, define it with `let {name} = ...`, or bind it, as in `for all {name} in ... :`"


def of_call(name: str, known: Iterable[str], library: str) -> str:
    """For a call of what is not defined; `library` is one that does define it."""
    if name in _FOLDS:
        other = "".join(f"; the operator is called `{k}`" for k in known if k.lower() == name and k != name)
        two = ""
        if name in (s.FoldKind.MAX, s.FoldKind.MIN):
            two = f"; of two numbers, `if a {'>' if name == s.FoldKind.MAX else '<'} b then a else b`"
        return f"`{name}` takes a set: write `{name} {{ e | k in 0 .. n }}`{two}{other}"
    if library:
        return Cure(f"write `use {library}`, the library that defines it", NewUse(library))
    if found := meant(name, known):
        return found
    return f"define `{name}`, or `use` the library that does"


def of_member(name: str) -> str:
    """For something behind a dot that nothing has."""
    return _MEMBERS.get(name, "a tensor has a `.shape`")


def of_two(a: Value, b: Value, context: Kernel) -> str:
    """For two things that should be of one type."""
    if isinstance(a, Term) and isinstance(b, Term):
        return _of_two_terms(a.sort, b.sort, context)
    pair = (a, b)
    if any(isinstance(v, Shape) for v in pair) and any(isinstance(v, Items) for v in pair):
        return "make a shape of the list L: `shape (k in L -> L[k])`"
    if any(isinstance(v, Shape) for v in pair) and any(isinstance(v, Tensor) for v in pair):
        return "write `X.shape` for the shape of a tensor"
    if any(isinstance(v, SetOf) for v in pair):
        return "write `k in A` for a member of a set"
    if any(isinstance(v, Tensor) for v in pair):
        return "read an element of the tensor, as in `X[i]`"
    return "use operands of one type"


def type_name(sort: Sort, context: Kernel) -> str:
    """The name of an element type as a text writes it: T where it is that of the section."""
    if sort in (ELEMENT, context.element):
        return s.TypeWord.T
    return sort.name


def _of_two_terms(a: Sort, b: Sort, context: Kernel) -> str:
    if BOOL in (a, b):
        return "a truth value is a condition by itself: write `p`, `not p` or `p iff q`"
    numbers = [sort for sort in (a, b) if sort in (INT, REAL)]
    elements = [sort for sort in (a, b) if sort not in (INT, REAL)]
    if not elements:
        return "write the integer as a real, `2.0` or `real(n)`; `floor(x)` is an integer"
    name = type_name(elements[0], context)
    # The way between two element types leads through the numbers that they stand for: integers where there is no
    # fraction.
    between, other = REAL, "both as reals, `real(x)` and `real(n)`"
    if isinstance(elements[0], IntegerSort) or (elements[0] == ELEMENT and context.family == Family.INT):
        between, other = INT, "the element as an integer, `int(x)`"
    # Between floats the conversion rounds, and asks for nothing: `real(x)` would ask x to be finite.
    if not numbers and (ELEMENT in elements or context.element in elements) and between == REAL:
        return "convert the other one, as in `T(x)`"
    if not numbers:
        return f"convert one of them, as in `{name}({between}(x))`"
    if numbers[0] == REAL and between == INT:
        return "write the element as a real, `real(x)`, or an integer, such as `1`"
    if numbers[0] == REAL:
        return f"write the element as a real, `real(x)`, or the number as an element, `{name}(0.5)`"
    return f"write the number as an element, as in `{name}(0)`, or {other}"


def as_real(node: s.Expression, value: Value) -> str:
    """The text that gives an argument as a real: a number that is written out as a decimal."""
    text = text_of(node)
    if isinstance(value, Term) and value.sort == REAL:
        return text
    number = s.bare(node)
    if isinstance(number, s.Negative):
        number = s.bare(number.inner)
    if isinstance(number, s.Integer):
        return f"{text}.0"
    return f"real({text})"


def as_float(name: str, node: s.Expression, value: Value) -> str:
    """The cure where a function of floats is given something else."""
    if not isinstance(value, Term) or value.sort not in (INT, REAL):
        return "read an element"
    text = text_of(node)
    if name in REAL_FUNCTIONS:
        return f"write `{name}({as_real(node, value)})` for the real, `{name}(T({text}))` for the float"
    return f"write `T({text})`"


def parameters_listed(parameters: Sequence[Parameter]) -> str:
    """The names of inputs or outputs, with what may be left out or repeated."""
    names = []
    for parameter in parameters:
        name = parameter.name
        if parameter.option is Option.OPTIONAL:
            name = f"optional {name}"
        if parameter.option is Option.VARIADIC:
            name = f"{name} (any number)"
        names.append(name)
    return ", ".join(names) or "none"


def types_apart(types: Sequence[str], others: Sequence[str]) -> str:
    """The types that are in one list alone."""
    alone = sorted(set(types) - set(others))
    return f"also {' '.join(alone)}" if alone else "nothing else"
