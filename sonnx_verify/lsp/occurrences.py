"""Each name in a formal text, with the thing that it stands for: the ground of references, renaming, the outline's
places and colours.

The scopes of expressions are those of `syntax.inside`; here the names of items are added: what a text declares, what
its libraries share, and what one item alone knows, such as the parameters of a definition. A name that stands for
nothing known, or for a part of the language, is left out. Not trusted: `rename` looks at its own result.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path
from typing import assert_never

from lark import Token

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import holes, items_of, tree_of
from sonnx_verify.language.words import tokens_of
from sonnx_verify.lsp.names import Formal
from sonnx_verify.paths import resolved
from sonnx_verify.sources import Source, Span

_HOLE = re.compile(r"\{([^{}]*)\}")
_TAG = re.compile(r"[A-Za-z_][\w.]*")


@unique
class Space(StrEnum):
    """The kinds of things that names stand for. Two things of one name and two kinds are never mixed up."""

    VALUE = "value"
    FUNCTION = "definition"
    THEOREM = "theorem"
    EXAMPLE = "example"
    TAG = "tag"
    FACT = "fact"
    GENERAL = "general restriction"
    FAMILY = "family of types"
    OPERATOR = "operator"
    LIBRARY = "library"
    LOCAL = "local name"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A thing that has a name: its kind, its name, the file that declares it; `at` tells local names of one text apart,
    by the place of their declaration."""

    space: Space
    name: str
    path: Path
    at: int = -1


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in a text: the first character, counted from 0, and whether it is declared there."""

    start: int
    name: str
    meaning: Meaning
    declares: bool = False

    @property
    def end(self) -> int:
        """The character behind it."""
        return self.start + len(self.name)


def occurrences(formal: Formal) -> list[Occurrence]:
    """The names of a text, in its order; none of one that cannot be read."""
    source = Source(formal.document.shown, formal.text)
    try:
        items, tokens = items_of(source), tokens_of(tree_of(source))
    except UserError:
        return []
    reader = _Reader(formal, source.text, [t for t in tokens if t.type in _NAMES])
    reader.declare(items)
    for item in items:
        reader.item(item)
    # `X[0 .. L]` both declares L and has it as an expression: a place has one name.
    unique: dict[int, Occurrence] = {}
    for one in sorted(reader.found, key=lambda one: (one.start, not one.declares)):
        unique.setdefault(one.start, one)
    return list(unique.values())


Locals = Mapping[str, Meaning]
_NAMES = ("NAME", "ENTRY", "REFUSING")
"""The tokens that are names; in an example those before `=` and the tag behind `refused by` are tokens of their own."""


@dataclass
class _Reader:
    formal: Formal
    text: str
    names: list[Token]
    """The tokens that are names: an item knows its place, and not always that of each name in it."""
    found: list[Occurrence] = field(default_factory=list)
    own: dict[tuple[Space, str], Meaning] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    of_operator: bool = False

    def __post_init__(self) -> None:
        self.starts = [token.start_pos or 0 for token in self.names]
        self.path = resolved(self.formal.document.path)
        # A name of a library counts where the text has none of its own.
        for path, file in self.formal.used:
            shared = [(Space.FUNCTION, definition.name) for definition in file.definitions]
            shared += [(Space.FUNCTION, order.name) for order in file.orders]
            shared += [(Space.THEOREM, theorem.name) for theorem in file.theorems]
            shared += [(Space.FACT, name) for name in file.facts]
            shared += [(Space.GENERAL, name) for name in file.generals]
            for space, name in shared:
                self.own[space, name] = Meaning(space, name, resolved(path))

    # ------------------------------------------------------------------------------------------ what the text declares

    def declare(self, items: Iterable[s.Item]) -> None:
        """Take note of the names that a text declares, before any of them is used."""
        for item in items:
            if isinstance(item, s.Header) and item.version is not None:
                self.of_operator = True
            for space, name in _declared(item):
                self.own[space, name] = Meaning(space, name, self.path)

    def known(self, space: Space, name: str) -> Meaning | None:
        return self.own.get((space, name))

    # -------------------------------------------------------------------------------------------------- single names

    def note(self, start: int, meaning: Meaning | None, *, declares: bool = False, name: str = "") -> None:
        """Note a name that stands there, if it stands for something. The word in the text is checked: an item that puts
        its name elsewhere than expected gives no occurrence, rather than one of another word."""
        if meaning is None:
            return
        word = name or meaning.name
        if self.text[start : start + len(word)] == word:
            self.found.append(Occurrence(start, word, meaning, declares))

    def own_at(self, start: int | None, space: Space, name: str, *, declares: bool = False) -> None:
        if start is not None:
            self.note(start, self.known(space, name), declares=declares)

    def local(self, start: int | None, name: str, known: dict[str, Meaning]) -> None:
        """Declare a name of one item."""
        if start is not None:
            known[name] = Meaning(Space.LOCAL, name, self.path, start)
            self.note(start, known[name], declares=True)

    def within(self, start: int, end: int) -> list[Token]:
        """The names from one character to another."""
        return self.names[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def first(self, span: Span, number: int = 0) -> int | None:
        """The place of a name of an item, by its number."""
        tokens = self.within(span.start, span.start + span.length)
        if number < len(tokens):
            return tokens[number].start_pos
        return None

    def last_before(self, start: int, end: int, name: str) -> int | None:
        """The place of the last name in a stretch that is this word."""
        return next((t.start_pos for t in reversed(self.within(start, end)) if t == name), None)

    # -------------------------------------------------------------------------------------------------------- items

    def item(self, item: s.Item) -> None:
        """Note the names in an item."""
        match item:
            case s.Header() | s.Use() | s.Refines() | s.Types() | s.Fact() | s.General():
                self._of_file(item)
            case s.Declares():
                self._declaration(item.declaration)
            case s.Clause() | s.Let() | s.Rule():
                self._tags(item.span)
                self._origin(item)
                self._stated(item)
            case s.Definition():
                self._definition(item)
            case s.OrderDefinition():
                self._order(item)
            case s.Theorem():
                self._theorem(item)
            case s.Example():
                self._example(item)
            case s.Using():
                for used in item.used:
                    self._used(used, {})
            case s.Undefined() | s.Reading() | s.Expectation():
                self._of_draft(item)
            case s.AddItem() | s.ReplaceItem():
                self.item(item.item)
            case s.RemoveItem() | s.RemoveTypes() | s.MoveAttribute():
                self._changed(item)
            case s.Page() | s.Indices() | s.Difference():
                pass
            case _:
                assert_never(item)

    def _of_file(self, item: s.Header | s.Use | s.Refines | s.Types | s.Fact | s.General) -> None:
        match item:
            case s.Header(version=None):
                self.own_at(self.first(item.span), Space.LIBRARY, item.name, declares=True)
            case s.Header():
                self.own_at(self.first(item.span), Space.OPERATOR, item.name, declares=True)
            case s.Use():
                self._use(item)
            case s.Refines():
                self._refines(item)
            case s.Types():
                self.own_at(self.first(item.span), Space.FAMILY, item.name.partition(" ")[0], declares=True)
            case s.Fact():
                self.own_at(self.first(item.span), Space.FACT, item.name, declares=True)
            case s.General():
                self.own_at(self.first(item.span), Space.GENERAL, item.name, declares=True)
                end = item.span.start + item.span.length
                self.own_at(self.last_before(item.span.start, end, item.what), Space.FACT, item.what)

    def _stated(self, item: s.Clause | s.Let | s.Rule) -> None:
        match item:
            case s.Clause(body=None):
                pass
            case s.Clause(body=body) if body is not None:
                self._family(item.span.start, body.span.start, item.family)
                self._expressions({}, body)
            case s.Let():
                self.own_at(self.first(item.span), Space.VALUE, item.name, declares=True)
                self._family(item.span.start, item.body.span.start, item.family)
                self._expressions({}, item.body)
            case s.Rule():
                self._rule(item)

    def _of_draft(self, item: s.Undefined | s.Reading | s.Expectation) -> None:
        match item:
            case s.Undefined():
                self.own_at(self.first(item.span), Space.FUNCTION, item.name, declares=True)
            case s.Reading():
                self.own_at(self.first(item.span), Space.VALUE, item.what, declares=True)
                self.own_at(self.first(item.span, 1), Space.VALUE, item.repair)
            case s.Expectation():
                self._expectation(item)

    def _example(self, item: s.Example) -> None:
        self.own_at(item.span.start, Space.EXAMPLE, item.name, declares=True)
        below = [entry.span.start for entry in item.entries]
        named = ((item.refused_span, item.refused), (item.open_span, item.open_by))
        tags = [(span, tag) for span, tag in named if span is not None]
        below += [span.start for span, _ in tags]
        self._family(item.span.start, min(below, default=len(self.text)), item.family)
        for entry in item.entries:
            name = entry.name
            if self.known(Space.VALUE, name) is None:
                # X0 is a member of X, whose name it begins with.
                name = name.rstrip("0123456789")
            self.own_at(entry.span.start, Space.VALUE, name)
        for span, tag in tags:
            self.own_at(span.start, Space.TAG, tag)

    def _changed(self, item: s.RemoveItem | s.RemoveTypes | s.MoveAttribute) -> None:
        start = self.first(item.span)
        match item:
            case s.RemoveItem(kind=s.ItemKind.EXAMPLE):
                self.own_at(start, Space.EXAMPLE, item.name)
            case s.RemoveItem():
                self._any_of((Space.TAG, Space.VALUE, Space.FUNCTION), start, item.name)
            case s.RemoveTypes():
                self.own_at(start, Space.FAMILY, item.types.name.partition(" ")[0])
            case s.MoveAttribute():
                self.own_at(start, Space.VALUE, item.declaration.name, declares=True)
                self._expressions({}, item.declaration.where)

    def _origin(self, item: s.Clause | s.Let | s.Rule) -> None:
        """The general restriction that a clause or a rule is from: `[R1] restriction from GR1 "..." : ...`."""
        if isinstance(item, s.Let) or self.known(Space.GENERAL, item.origin) is None:
            return
        after = item.span.start + 1
        following = self.names[bisect_left(self.starts, after) :]
        start = next((t.start_pos for t in following if t == item.origin), None)
        self.own_at(start, Space.GENERAL, item.origin)

    def _any_of(self, spaces: Iterable[Space], start: int | None, name: str) -> None:
        """Note a name that may be one of several kinds of things."""
        for space in spaces:
            if self.known(space, name) is not None:
                self.own_at(start, space, name)
                return

    def _use(self, item: s.Use) -> None:
        start = self.first(item.span)
        for path, file in self.formal.used:
            if path.stem == item.name and start is not None:
                # The word is the name of the file, which need not be that of the library in it.
                self.note(start, Meaning(Space.LIBRARY, file.name, resolved(path)), name=item.name)
                return

    def _refines(self, item: s.Refines) -> None:
        other = self.formal.operator(item.operator, item.namespace, item.version)
        _, operator, *pairs = self.within(item.span.start, item.span.start + item.span.length)
        path = self.path
        if other is not None and other.path is not None:
            path = resolved(other.path)
            self.note(operator.start_pos or 0, Meaning(Space.OPERATOR, item.operator, path))
        for mine, theirs in zip(pairs[::2], pairs[1::2], strict=False):
            self.own_at(mine.start_pos, Space.VALUE, str(mine))
            if path != self.path:
                self.note(theirs.start_pos or 0, Meaning(Space.VALUE, str(theirs), path))

    def _tags(self, span: Span) -> None:
        """The tags in the brackets that an item begins with."""
        if self.text[span.start : span.start + 1] != "[":
            return
        end = self.text.index("]", span.start)
        for found in _TAG.finditer(self.text, span.start, end):
            self.own_at(found.start(), Space.TAG, found[0], declares=True)

    def _family(self, start: int, end: int, family: str) -> None:
        if family:
            self.own_at(self.last_before(start, end, family), Space.FAMILY, family)

    def _declaration(self, item: s.Declaration) -> None:
        self.own_at(item.span.start, Space.VALUE, item.name, declares=True)
        if isinstance(item.high, s.Name):
            # `X[0 .. L]` declares L, unless something above does.
            declares = not any(o.meaning == self.known(Space.VALUE, item.high.name) for o in self.found)
            self.own_at(item.high.span.start, Space.VALUE, item.high.name, declares=declares)
        self._expressions({}, item.low, item.high, item.where, item.default)

    def _rule(self, item: s.Rule) -> None:
        known: dict[str, Meaning] = {}
        if item.output:
            self.own_at(self.first(item.span), Space.VALUE, item.output)
        # `value Y[k][i]`: the names stand in this order behind the output.
        for number, name in enumerate((n for n in (item.number, item.index) if n), 1):
            self.local(self.first(item.span, number), name, known)
        self._family(item.span.start, item.body.span.start, item.family)
        self._expressions(known, item.body)

    def _definition(self, item: s.Definition) -> None:
        self.own_at(self.first(item.span), Space.FUNCTION, item.name, declares=True)
        known: dict[str, Meaning] = {}
        for parameter in item.parameters:
            self.local(parameter.span.start, parameter.name, known)
        end = item.body.span.start
        if item.recursion is not None:
            on = self.last_before(item.span.start, end, item.recursion.on)
            end = on or end
            if on is not None:
                self.note(on, known.get(item.recursion.on))
        behind = max((parameter.span.start for parameter in item.parameters), default=item.span.start)
        self._family(behind, end, item.family)
        # In the text of an operator a definition sees its items.
        self._expressions(known, item.body, whole=self.of_operator)

    def _order(self, item: s.OrderDefinition) -> None:
        self.own_at(self.first(item.span), Space.FUNCTION, item.name, declares=True)
        self.own_at(self.first(item.span, 1), Space.FAMILY, item.family)
        known: dict[str, Meaning] = {}
        # `... : x before y = body`: the last two names before the body.
        for token in self.within(item.span.start, item.body.span.start)[-2:]:
            self.local(token.start_pos, str(token), known)
        self._expressions(known, item.body, whole=False)
        inner: dict[str, Meaning] = {}
        if item.classes:
            names = self.within(item.span.start, item.classes[0].condition.span.start)
            # `classes of e class NAME : condition`
            self.local(names[-2].start_pos, item.of, inner)
        self._expressions(inner, *(one.condition for one in item.classes), whole=False)

    def _theorem(self, item: s.Theorem) -> None:
        self.own_at(self.first(item.span), Space.THEOREM, item.name, declares=True)
        known: dict[str, Meaning] = {}
        for one in item.declarations:
            if isinstance(one.high, s.Name) and one.high.name not in known:
                self.local(one.high.span.start, one.high.name, known)
            self._expressions(known, one.low, one.high, whole=False)
            self.local(one.span.start, one.name, known)
        self._expressions(known, item.assuming, whole=False)
        if item.induction is not None:
            low, high = item.induction.low, item.induction.high
            self._expressions(known, low, high, whole=False)
            self.local(self.last_before(item.span.start, low.span.start, item.induction.on), item.induction.on, known)
        for used in item.using:
            self._used(used, known, whole=False)
        for taken in item.taken:
            self.local(self.first(taken.span), taken.name, {})
            bound = s.Binders(taken.span, taken.binders, taken.body)
            self._expressions(known, bound, whole=False)
        self._expressions(known, item.body, whole=False)

    def _used(self, used: s.Used, known: Locals, *, whole: bool = True) -> None:
        start = used.span.start
        arguments = s.Listed(used.span, used.arguments or ())
        if used.binders is None:
            self._expressions(known, arguments, whole=whole)
        else:
            self._expressions(known, s.ForAll(used.span, used.binders, arguments, None), whole=whole)
            end = used.binders.span.start + used.binders.span.length
            start = next((t.start_pos or 0 for t in self.within(end, end + used.span.length)), start)
        self.note(start, self.known(Space.THEOREM, used.name))

    def _expectation(self, item: s.Expectation) -> None:
        start = self.text.index(item.path, item.span.start)
        name = re.split(r"[./]", item.path)[0]
        self._any_of((Space.TAG, Space.VALUE, Space.FUNCTION, Space.THEOREM), start, name)
        self._family(start, item.span.start + item.span.length, item.family)

    # -------------------------------------------------------------------------------------------------- expressions

    def _expressions(self, known: Locals, *nodes: s.Part | None, whole: bool = True) -> None:
        """Note the names in expressions of an item with these names; with those of the text if they see the `whole`."""
        values = dict(known)
        if whole:
            values = {name: m for (space, name), m in self.own.items() if space is Space.VALUE} | values
        for node in nodes:
            if node is not None:
                _Expression(self, values).part(node, {})


@dataclass
class _Expression:
    """The names in an expression. `base` is the place of a text that was parsed by itself, as those in the braces of a
    sentence are."""

    reader: _Reader
    values: Locals
    base: int = 0
    binders: dict[int, Meaning] = field(default_factory=dict)

    def part(self, node: s.Part, scope: s.Scope) -> None:
        """Note the names in a part of it, which sees some binders."""
        self._own(node, scope)
        if isinstance(node, s.Call) and isinstance(node.head, s.Name):
            # As in `free_names`: the name that is called is none of a value.
            parts: tuple[s.Part, ...] = (*node.arguments, *node.settings)
            for part in parts:
                self.part(part, scope)
            return
        for part, seen in s.inside(node, scope):
            self.part(part, seen)

    def _own(self, node: s.Part, scope: s.Scope) -> None:
        reader, start = self.reader, self.base + node.span.start
        binders = s.bound_by(node)
        if isinstance(node, s.Binders):
            binders = node
        if binders is not None:
            self._bind(binders)
        match node:
            case s.Name():
                reader.note(start, self._value(node.name, scope))
            case s.Call(head=s.Name(name=name)):
                called = reader.known(Space.FUNCTION, name) or self._operator(name)
                reader.note(start, called)
                if called is not None and called.space is Space.OPERATOR:
                    for setting in node.settings:
                        meaning = Meaning(Space.VALUE, setting.name, called.path)
                        reader.note(self.base + setting.span.start, meaning)
            case s.CallOnSet():
                reader.note(start, reader.known(Space.FUNCTION, node.name))
            case s.Fold() if node.order:
                end = self.base + node.over.span.start + node.over.span.length
                order = self.reader.within(end, start + node.span.length)
                if order:
                    reader.note(order[0].start_pos or 0, reader.known(Space.FUNCTION, node.order))
            case s.Is():
                reader.note(start + node.span.length - len(node.fact), reader.known(Space.FACT, node.fact))
            case s.Fails():
                reader.note(start, reader.known(Space.TAG, node.tag))
            case s.ForAll() if node.sentence:
                self._sentence(node, scope)
            case _:
                pass

    def _bind(self, binders: s.Binders) -> None:
        for binder in binders.binders:
            at = self.base + binder.span.start
            meaning = Meaning(Space.LOCAL, binder.name, self.reader.path, at)
            self.binders[id(binder)] = meaning
            self.reader.note(at, meaning, declares=True)

    def _value(self, name: str, scope: s.Scope) -> Meaning | None:
        if name in scope:
            return self.binders.get(id(scope[name]))
        return self.values.get(name)

    def _operator(self, name: str) -> Meaning | None:
        found = self.reader.formal.operator(name)
        if found is None or found.path is None:
            return None
        return Meaning(Space.OPERATOR, name, resolved(found.path))

    def _sentence(self, node: s.ForAll, scope: s.Scope) -> None:
        """The expressions in the braces of a sentence, which stands at the end of its `for all` and sees its names."""
        assert node.sentence is not None
        end = node.span.start + node.span.length - 1
        begin = self.base + end - len(node.sentence)
        seen = {**scope, **{binder.name: binder for binder in node.binders.binders}}
        places = [found.start(1) for found in _HOLE.finditer(node.sentence)]
        try:
            parsed = holes(node)
        except UserError:  # a mistake in a sentence, of which the text's diagnostics tell
            return
        for place, hole in zip(places, parsed, strict=True):
            inner = _Expression(self.reader, self.values, begin + place, self.binders)
            inner.part(hole, seen)


def _declared(item: s.Item) -> list[tuple[Space, str]]:
    """The names that an item gives to a text; those of one item alone are not among them."""
    match item:
        case s.Header(version=None):
            return [(Space.LIBRARY, item.name)]
        case s.Header():
            return [(Space.OPERATOR, item.name)]
        case s.Types():
            return [(Space.FAMILY, item.name.partition(" ")[0])]
        case s.Fact():
            return [(Space.FACT, item.name)]
        case s.General():
            return [(Space.GENERAL, item.name)]
        case s.Declares(declaration=declaration) | s.MoveAttribute(declaration=declaration):
            found = [(Space.VALUE, declaration.name)]
            if isinstance(declaration.high, s.Name):
                found.append((Space.VALUE, declaration.high.name))
            return found
        case s.Clause():
            return [(Space.TAG, tag) for tag in _TAG.findall(item.tags)]
        case s.Let():
            return [(Space.VALUE, item.name), *((Space.TAG, tag) for tag in _TAG.findall(item.tag))]
        case s.Rule():
            return [(Space.TAG, tag) for tag in _TAG.findall(item.tag)]
        case s.Definition() | s.OrderDefinition() | s.Undefined():
            return [(Space.FUNCTION, item.name)]
        case s.Theorem() | s.Example():
            space = Space.THEOREM if isinstance(item, s.Theorem) else Space.EXAMPLE
            return [(space, item.name)]
        case s.Reading():
            return [(Space.VALUE, item.what)]
        case s.AddItem() | s.ReplaceItem():
            return _declared(item.item)
        case _:
            return []
