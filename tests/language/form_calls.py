"""A log of the forms that an elaboration calls, and its replay without any text.

A call has the name of its form, its arguments, and of each argument that is a function what was called inside it, each
time. Values are named by the call that made them and the way to them, such as `12.shape.rank`: whatever the elaborator
hands to a form has to be what a form gave, or is no value, such as a name or a number that the text has. So the log is
all that the kernel is told of a text.

Some values are there, and may not be handed on, since nothing was asked of them: a declared thing that may be left out
and the result of an operator, unless a form read them; the part of a list or a tensor at a place, unless by a form that
asks for the place; what was made under a guard or a binder, behind it; what was made `unheard`. Handed to a form, or
left in the meaning of the text, they are as if no form had made them.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

from sonnx_verify.kernel import (
    applications,
    arithmetic,
    comparisons,
    conversions,
    core,
    declarations,
    folds,
    functions,
    guards,
    makers,
    orders,
    ranges,
    reads,
    recursions,
    results,
    rules,
    sections,
    states,
    values,
    variables,
)
from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.language import syntax
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term
from sonnx_verify.sources import Source, Span

MODULES: tuple[ModuleType, ...] = (
    applications, arithmetic, comparisons, conversions, declarations, folds, functions, guards, makers, orders, ranges,
    reads, recursions, results, rules, sections, states, values, variables,
)  # fmt: skip  # a table
_METHODS: tuple[tuple[type, str], ...] = (
    (values.Abstraction, "__call__"),
    (values.Entries, "__call__"),
    (recursions.Step, "call"),
    (rules.Element, "__init__"),
    (rules.Element, "members"),
    (rules.Element, "at_index"),
    (sections.OutputFamily, "at"),
    (sections.Section, "first_to_fail"),
    (sections.Section, "free_outputs"),
    (variables.Variable, "symbol"),
    (core.Kernel, "abstract_order"),
    (core.Kernel, "type_condition"),
    (core.Kernel, "same_type"),
)
_SPAN = Span(Source("log", "-"), 1, 1)
_PART = -1
"""The number of a function that is one of several parts."""
_OPEN = frozenset(("rules.of_member", "rules.where_asked"))
"""Forms around a rule, which gives nothing but what the meaning of the text then has."""
_NO_VALUES = (str, int, bool, float, Fraction, enum.Enum, type(None), Sort, Symbol, Why, Source, Span)


@dataclasses.dataclass
class Call:
    """A call: `inside` are the calls of each function that was handed in, with its arguments and what it gave."""

    form: str
    state: tuple[object, ...]
    arguments: list[object]
    named: dict[str, object]
    inside: list[tuple[int, list[int], list[Call], object]]
    number: int
    digests: list[int]


@dataclasses.dataclass(frozen=True)
class Made:
    """A value by the call that made it, and the way to it."""

    number: int
    way: tuple[str | int, ...]


@dataclasses.dataclass(frozen=True)
class Tag:
    """A clause, of which a form knows no more."""

    tag: str


@dataclasses.dataclass(frozen=True)
class Function:
    """A function that was handed in, by its number in the call."""

    number: int


@dataclasses.dataclass(frozen=True)
class Built:
    """A record that the elaborator put together of what it has."""

    kind: type
    parts: tuple[tuple[str, object], ...]


_UNREAD: frozenset[tuple[type, object]] = frozenset(
    ((values.Declared, "value"), (values.Outcome, "result"), (sections.Section, "lemmas"))
)
"""Parts that hold what may not be handed on."""
_GIVING = frozenset(f"declarations.{name}" for name in ("not_given", "name", "attribute", "or_default", "says_type"))
"""Forms of what an operator is applied to, which say whether it is given."""
_UNASKED = frozenset(("applications.unheard",))
"""Forms of whose parts nothing is asked, so that nothing may be claimed by them."""


class Parts:
    """Functions that were handed in one after the other, as `and` takes its parts."""


class Unmade(AssertionError):
    """A form was handed a value that none gave."""


def digests_of(value: object) -> list[int]:
    """The digests of the terms in which no variable is free: which numbers free ones have depends on what was made
    before, in this process."""
    return [term.digest for term in terms_in(value) if not term.free]


def terms_in(value: object) -> Iterator[Term]:
    """The terms of what a form gives, in their order."""
    if isinstance(value, Term):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from terms_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type) and not isinstance(value, Kernel):
        for one in dataclasses.fields(value):
            if one.name not in ("context", "file", "clause", "rule"):
                yield from terms_in(getattr(value, one.name))


class Log:
    """The calls of an elaboration, outermost first."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.sides: list[tuple[str, int]] = []
        self._open: list[list[Call]] = [self.calls]
        self._inside_form = False
        self._known: dict[int, Made] = {}
        self._unread: dict[int, Made] = {}
        """Values that may not be handed on: as part of the declaration or the outcome that has them alone."""
        self._inside: list[list[int]] = [[]]
        """The values of which there is a name inside each function around, and not behind it."""
        self._kept: list[object] = []
        self._number = 0

    # ------------------------------------------------------------------------------------------------------ naming

    def _name(self, value: object) -> int:
        """Give what was made a number, and its parts with it."""
        self._number += 1
        self._note(value, Made(self._number, ()), 0)
        return self._number

    def _note(self, value: object, made: Made, depth: int) -> None:
        if isinstance(value, _NO_VALUES) or depth > 6 or isinstance(value, Kernel):
            return
        if isinstance(value, syntax.Node | syntax.Clause | syntax.Rule | syntax.File) or id(value) in self._known:
            return
        self._kept.append(value)  # so that no other object has its identity
        self._known[id(value)] = made
        self._inside[-1].append(id(value))
        parts: list[tuple[str | int, object]] = []
        if isinstance(value, list | tuple):
            parts = list(enumerate(value))
        elif isinstance(value, dict):
            parts = list(value.items())
        elif dataclasses.is_dataclass(value):
            # Of a meaning the section: its text and context are the elaborator's.
            kind = sections.Section if isinstance(value, sections.Section) else value
            parts = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(kind) if not f.name.startswith("_")]
        elif isinstance(value, rules.Element):
            parts = [("value", value.value)]
        for way, part in parts:
            if (type(value), way) in _UNREAD and (getattr(value, "needs", True) or id(part) in self._unread):
                self._hide(part, Made(made.number, (*made.way, way)))
            else:
                self._note(part, Made(made.number, (*made.way, way)), depth + 1)

    def _hide(self, value: object, made: Made) -> None:
        """Note a value that may not be handed on, and what it is made of."""
        if isinstance(value, list | tuple):
            for way, part in enumerate(value):
                self._hide(part, Made(made.number, (*made.way, way)))
        self._kept.append(value)
        self._unread.setdefault(id(value), made)

    def encoded(self, value: object, functions_: list[Any], *, unread: bool = False) -> object:
        if isinstance(value, Kernel):
            return Kernel
        if isinstance(value, _NO_VALUES):
            return value if not isinstance(value, Why) else Why("", value.span)
        # The elaborator puts the count, the shape and the elements into a family one after the other.
        if (known := self._known.get(id(value))) is not None and not isinstance(value, sections.OutputFamily):
            return known
        if unread and (known := self._unread.get(id(value))) is not None:
            return known
        if value is TRUE or value is FALSE:
            return value
        if isinstance(value, Term):
            raise Unmade(f"no form gave {value}")
        if isinstance(value, list | tuple):
            return type(value)(self.encoded(item, functions_, unread=unread) for item in value)
        if isinstance(value, dict):
            return {key: self.encoded(item, functions_) for key, item in value.items()}
        if isinstance(value, syntax.Clause):
            return Tag(value.tag)
        if isinstance(value, syntax.Rule):
            return None
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            # Of a meaning the section: its text and context are the elaborator's.
            kind = sections.Section if isinstance(value, sections.Section) else type(value)
            named = [f.name for f in dataclasses.fields(kind) if f.init]
            parts = [
                (name, self.encoded(getattr(value, name), functions_, unread=(kind, name) in _UNREAD)) for name in named
            ]
            return Built(kind, tuple(parts))
        if isinstance(value, Iterator):
            return Parts()
        if callable(value):
            functions_.append(value)
            return Function(len(functions_) - 1)
        raise Unmade(f"{type(value).__name__} is no value")

    # ---------------------------------------------------------------------------------------------------- recording

    def recorded(self, name: str, form: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a form, and note it if it is the elaborator that calls."""
        if self._inside_form:
            return form(*args, **named)
        handed: list[Any] = []
        kernel = next((a for a in args if isinstance(a, Kernel)), None)
        call = Call(
            name,
            _state(kernel),
            [
                self.encoded(a, handed, unread=name in _GIVING)
                for a in (args[1:] if name.endswith("__init__") else args)
            ],
            {key: self.encoded(a, handed) for key, a in named.items()},
            [],
            0,
            [],
        )
        self._open[-1].append(call)
        inner = iter(range(len(handed)))

        def heard(value: Any) -> Any:
            if isinstance(value, Iterator):
                return (self._heard(call, _PART, part) for part in value)
            if callable(value) and any(value is f for f in handed):
                return self._heard(call, next(inner), value)
            return value

        self._inside_form = True
        try:
            made = form(*map(heard, args), **{key: heard(a) for key, a in named.items()})
        finally:
            self._inside_form = False
        self._number += 1
        call.number, given = self._number, Made(self._number, ())
        if name in _UNASKED or not self._may_be_read(name, args):
            self._hide(made, given)
        else:
            self._note(args[0] if name.endswith("__init__") else made, given, 0)
        call.digests = digests_of(made)
        return made

    def _may_be_read(self, name: str, args: tuple[Any, ...]) -> bool:
        """Return whether the value of a call may be handed on, with no form that reads it."""
        match name:
            case "variables.value_of":
                return not args[0].optional
            case "reads.declared":
                return args[1].needs or id(args[1].value) not in self._unread
            case "Abstraction.__call__" | "Entries.__call__":
                # The member of a family of outputs that its variable numbers is one of those that are there.
                place = self._known.get(id(args[1]))
                return place is not None and place.way[-1:] == ("number",)
            case _:
                return True

    def _heard(self, call: Call, number: int, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def one(*args: Any) -> Any:
            before, self._inside_form = self._inside_form, False
            calls: list[Call] = []
            self._open.append(calls)
            self._inside.append([])
            try:
                parameters = [self._name(a) for a in args]
                made = function(*args)
                given = self.encoded(made, [])
            finally:
                self._open.pop()
                self._inside_form = before
                self._leave(call)
            call.inside.append((number, parameters, calls, given))
            return made

        return one

    def _leave(self, call: Call) -> None:
        """Forget the names of what was made inside a function: what was asked of it was asked there alone."""
        names = self._inside.pop()
        if call.form in _OPEN:
            self._inside[-1] += names
            return
        for one in names:
            del self._known[one]


def _state(kernel: Kernel | None) -> tuple[object, ...]:
    """The parts of the kernel's state that are the text's: what T is, and the clause."""
    if kernel is None:
        return ()
    return kernel.family, kernel.element, kernel.types, kernel.supposing, kernel.place, kernel.called


def forms() -> Iterator[tuple[object, str, str, FunctionType]]:
    """The forms, with where they stand."""
    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield module, name, f"{module.__name__.rpartition('.')[2]}.{name}", value
    for kind, name in _METHODS:
        yield kind, name, f"{kind.__name__}.{name}", getattr(kind, name)


@contextmanager
def logged() -> Iterator[Log]:
    """The calls of forms inside, by whatever name a file of the elaborator has them."""
    log = Log()
    changed: list[tuple[object, str, object]] = []

    def put(owner: object, name: str, value: object) -> None:
        changed.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    users = [m for n, m in sys.modules.items() if n.startswith(("sonnx_verify.language", "sonnx_verify.kernel"))]
    for owner, name, called, form in [*forms()]:
        if called in _PURE:
            continue

        def wrapper(*args: Any, _called: str = called, _form: FunctionType = form, **named: Any) -> Any:
            return log.recorded(_called, _form, args, named)

        heard = wraps(form)(wrapper)
        if isinstance(owner, type):
            put(owner, name, heard)
            continue
        for user in users:
            for own, value in list(vars(user).items()):
                if value is form:
                    put(user, own, heard)
    try:
        yield log
    finally:
        for owner, name, value in reversed(changed):
            setattr(owner, name, value)


_PURE = frozenset(("values.kind_of", "values.single", "values.tensor_of", "values.a_kind", "conversions.constants_of"))
"""Functions that give no value of the language."""


class Replay:
    """The values of a log, made by its calls alone."""

    def __init__(self, family: str, element: Sort) -> None:
        self.kernel = Kernel(family, element)
        self._values: dict[int, object] = {}
        self._forms = {called: form for _, _, called, form in forms()}
        self.differences: list[str] = []

    def calls(self, calls: list[Call]) -> None:
        for call in calls:
            self._call(call)

    def _call(self, call: Call) -> None:
        k = self.kernel
        before = k.family, k.element, k.types, k.supposing, k.place
        called = False
        if call.state:
            k.family, k.element, k.types, k.supposing, k.place, called = call.state  # type: ignore[assignment]
        # That there is a definition around it is the elaborator's to say; which one plays no part.
        with k.calling(_SPAN) if called and not k.called else nullcontext():
            made = self._made(call)
        k.family, k.element, k.types, k.supposing, k.place = before
        self._values[call.number] = made
        if digests_of(made) != call.digests:
            self.differences.append(call.form)

    def _made(self, call: Call) -> Any:
        inside = iter(call.inside)

        def function(number: int) -> Callable[..., Any]:
            def one(*args: Any) -> Any:
                expected, parameters, calls, given = next(inside)
                assert expected == number, call.form
                self._values.update(zip(parameters, args, strict=True))
                self.calls(calls)
                return self._decoded(given, function)

            return one

        def parts() -> Iterator[Callable[..., Any]]:
            for number, *_ in call.inside:
                if number == _PART:
                    yield function(_PART)

        args = [parts() if isinstance(a, Parts) else self._decoded(a, function) for a in call.arguments]
        named = {key: self._decoded(a, function) for key, a in call.named.items()}
        form = self._forms[call.form]
        if not call.form.endswith("__init__"):
            return form(*args, **named)
        made = rules.Element.__new__(rules.Element)
        form(made, *args, **named)
        return made

    def _decoded(self, value: object, function: Callable[[int], Callable[..., Any]]) -> Any:
        if value is Kernel:
            return self.kernel
        if isinstance(value, Made):
            found = self._values[value.number]
            for way in value.way:
                found = found[way] if isinstance(found, list | tuple | dict) else getattr(found, str(way))  # type: ignore[index]
            return found
        if isinstance(value, Function):
            return function(value.number)
        if isinstance(value, list | tuple):
            return type(value)(self._decoded(item, function) for item in value)
        if isinstance(value, dict):
            return {key: self._decoded(item, function) for key, item in value.items()}
        if isinstance(value, Built):
            return value.kind(**{name: self._decoded(part, function) for name, part in value.parts})
        return value
