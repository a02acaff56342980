"""The syntax tree of a parsed text: one method for each rule of the grammar. Trusted.

A mistake here gives a text another meaning before anything is proved of it. So no method decides anything: each puts
the parts of its rule into the fields of a node.

In goes the parse tree of a text that is in the grammar and within the limits of size, which parser.py checks; out comes
an expression, a theorem, or the list of a file's items: nodes of syntax.py alone. Lark calls the method of a rule with
the place of the rule, and with what the methods of the rules below it gave. Tokens that have a name in the grammar
stand among that; words such as `if` and `(` do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

from lark import Token, Transformer, v_args
from lark.tree import Meta

from sonnx_verify.language import syntax as s
from sonnx_verify.sources import Source, Span

Children = list[Any]
"""The results of the methods of the rules below."""
_Found = TypeVar("_Found")


# ------------------------------------------------------------------------------------ marks: parts of items, not nodes


# A rule such as `clause` has its parts in one list, some of them optional. So each part has a type of its own, by which
# it is found in the list, and not a place.
class _Origin(str):
    """Text behind `from`."""


class _Family(str):
    """Text behind `for`."""


class _TextName(str):
    """Text behind `text`."""


class _Lacking(str):
    """A fact behind `, not`."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    sizes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Refused:
    tag: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class _Excluded:
    pass


@dataclass(frozen=True, slots=True)
class _Open:
    openness: s.Openness
    tag: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class _Where:
    condition: s.Expression


@dataclass(frozen=True, slots=True)
class _Bounds:
    low: s.Expression
    high: s.Expression


@dataclass(frozen=True, slots=True)
class _Arguments:
    parts: tuple[s.Expression, ...]


@dataclass(frozen=True, slots=True)
class _Declared:
    """A name among those that a theorem declares with one type."""

    name: str
    bounds: _Bounds | None
    span: Span


@dataclass(frozen=True, slots=True)
class _Declarations:
    parts: tuple[s.Declaration, ...]


@dataclass(frozen=True, slots=True)
class _Assuming:
    condition: s.Expression | None


@dataclass(frozen=True, slots=True)
class _Every:
    whom: str
    what: str


@dataclass(frozen=True, slots=True)
class _Renaming:
    mine: str
    theirs: str


def _plain(child: Any) -> Any:
    """A child of a rule as a field has it: a token's text, without its quotes if it is a STRING."""
    if not isinstance(child, Token):
        return child
    if child.type == "STRING":
        return _unquoted(child)
    return str(child)


def _all(kind: type[_Found], children: Children) -> list[_Found]:
    return [c for c in children if isinstance(c, kind)]


def _one(kind: type[_Found], children: Children) -> _Found | None:
    """The first child of a kind, if there is one."""
    return next((c for c in children if isinstance(c, kind)), None)


def _tokens(name: str, children: Children) -> list[str]:
    """The texts of the tokens of that name."""
    return [str(c) for c in children if isinstance(c, Token) and c.type == name]


def _token(name: str, children: Children) -> str:
    """The text of the first token of that name; empty without one."""
    return next(iter(_tokens(name, children)), "")


def _unquoted(text: str) -> str:
    """The text without its quotes, if it has any."""
    if text.startswith('"'):
        return str(text[1:-1])
    return str(text)


def _title(children: Children) -> str:
    """The first quoted text; empty without one."""
    return _unquoted(_token("STRING", children))


def _condition(children: Children) -> s.Expression | None:
    """The condition behind `where`; None without one."""
    where = _one(_Where, children)
    if where is None:
        return None
    return where.condition


def _text_name(children: Children) -> str:
    return str(_one(_TextName, children) or "")


def _origin(children: Children) -> str:
    return str(_one(_Origin, children) or "")


def _family(children: Children) -> str:
    return str(_one(_Family, children) or "")


def _arithmetic(children: Children) -> s.Arithmetic:
    return s.Arithmetic(_token("ARITHMETIC", children))


def _tags(children: Children) -> str:
    """The first tags, with one blank after each comma; empty without any."""
    brackets = _token("TAG", children)
    return ", ".join(tag.strip() for tag in brackets[1:-1].split(","))


_DATA = {
    "NUMBER": s.DatumKind.NUMBER,
    "SPECIAL": s.DatumKind.NUMBER,
    "STRING": s.DatumKind.TEXT,
    "TRUTH": s.DatumKind.TRUTH,
}


def _datum(child: Any) -> s.Datum | s.DatumList:
    """A value that an example writes out."""
    if isinstance(child, s.DatumList):
        return child
    assert isinstance(child, Token)
    return s.Datum(_DATA[child.type], _unquoted(child))


def span_of(source: Source, meta: Meta) -> Span:
    """The place of a rule."""
    # A rule without any token has no place, as a text without items.
    if meta.empty:
        return Span(source, 1, 1, 1)
    return Span(source, meta.line, meta.column, max(1, meta.end_pos - meta.start_pos))


def _part(kind: Callable[..., _Found]) -> Callable[[Builder, Meta, Children], _Found]:
    """The method of a rule whose parts are the fields of a class, in the order of both: `low ".." high` of bounds."""
    # A token holds on to its place and to lark, so a tree has plain texts: it is kept, compared and sent elsewhere.
    return lambda builder, meta, children: kind(*map(_plain, children))


def _node(kind: Callable[..., _Found]) -> Callable[[Builder, Meta, Children], _Found]:
    """The same of an expression, whose first field is its place: `"if" c "then" a "else" b`."""
    return lambda builder, meta, children: kind(span_of(builder.source, meta), *map(_plain, children))


def _item(kind: Callable[..., _Found]) -> Callable[[Builder, Meta, Children], _Found]:
    """The same of an item, whose place comes last: `"use" NAME`."""
    return lambda builder, meta, children: kind(*map(_plain, children), span_of(builder.source, meta))


def _joined(kind: Callable[..., _Found]) -> Callable[[Builder, Meta, Children], _Found]:
    """The method of a rule whose parts are the operands of an expression: `a and b and c`."""
    return lambda builder, meta, children: kind(span_of(builder.source, meta), tuple(children))


@v_args(meta=True)
class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar, in its order but for expressions, which come first."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def _span(self, meta: Meta) -> Span:
        return span_of(self.source, meta)

    # ------------------------------------------------------------------------------------------------ conditions

    if_ = _node(s.If)
    exists = _node(s.Exists)
    within = _node(s.Within)

    def within_steps(self, meta: Meta, children: Children) -> s.WithinSteps:
        # The word `steps` may be a name elsewhere, so it has a name in the grammar and is a child.
        count, _, *others = children
        return s.WithinSteps(self._span(meta), count, *others)

    binder = _node(s.Binder)
    range = _node(s.Range)
    iff = _node(s.Iff)
    not_ = _node(s.Not)
    member_of = _node(s.MemberOf)
    fails = _node(s.Fails)
    disjunction = _joined(s.Disjunction)
    conjunction = _joined(s.Conjunction)

    def for_all(self, meta: Meta, children: Children) -> s.ForAll:
        binders, body, *sentence = children
        said = next((_unquoted(text) for text in sentence), None)
        return s.ForAll(self._span(meta), binders, body, said)

    def binders(self, meta: Meta, children: Children) -> s.Binders:
        return s.Binders(self._span(meta), tuple(_all(s.Binder, children)), _condition(children))

    where = _part(_Where)

    def implies(self, meta: Meta, children: Children) -> s.Implies:
        # `=>` has a name in the grammar, so that it is not read as `=` and `>`, and is a child.
        left, _, right = children
        return s.Implies(self._span(meta), left, right)

    def relation(self, meta: Meta, children: Children) -> s.Relation:
        # Operands and signs take turns, as in `a <= b < c`.
        signs = tuple(s.Comparison(str(sign)) for sign in children[1::2])
        return s.Relation(self._span(meta), tuple(children[::2]), signs)

    def is_(self, meta: Meta, children: Children) -> s.Is:
        owner, fact = children
        return s.Is(self._span(meta), owner, str(fact), denied=False)

    def is_not(self, meta: Meta, children: Children) -> s.Is:
        owner, fact = children
        return s.Is(self._span(meta), owner, str(fact), denied=True)

    # --------------------------------------------------------------------------------- numbers, reads, calls, atoms

    negative = _node(s.Negative)
    power = _node(s.Power)
    read = _node(s.Read)
    slice = _node(s.Slice)
    setting = _node(s.Setting)
    call_set = _node(s.CallOnSet)
    member = _node(s.Member)
    integer = _node(s.Integer)
    decimal = _node(s.Decimal)
    name = _node(s.Name)
    group = _node(s.Group)
    set = _node(s.Comprehension)
    any_ = _node(s.AnyOf)
    default = _node(s.Default)
    replaced = _node(s.Replaced)

    def product(self, meta: Meta, children: Children) -> s.Product:
        signs = tuple(s.Factor(str(sign)) for sign in children[1::2])
        return s.Product(self._span(meta), tuple(children[::2]), signs)

    def sum(self, meta: Meta, children: Children) -> s.Sum:
        signs = tuple(s.Sign(str(sign)) for sign in children[1::2])
        return s.Sum(self._span(meta), tuple(children[::2]), signs)

    def arguments(self, meta: Meta, children: Children) -> _Arguments:
        return _Arguments(tuple(children))

    def call(self, meta: Meta, children: Children) -> s.Call:
        head, arguments = children
        return s.Call(self._span(meta), head, arguments.parts)

    def call_with(self, meta: Meta, children: Children) -> s.Call:
        head, arguments, *settings = children
        return s.Call(self._span(meta), head, arguments.parts, tuple(settings))

    text_value = _node(s.Quoted)

    def listed(self, meta: Meta, children: Children) -> s.Listed:
        (arguments,) = children
        return s.Listed(self._span(meta), arguments.parts)

    def fold(self, meta: Meta, children: Children) -> s.Fold:
        # `by ORDER` and `default e` may both be missing; a name among the children is the order, since `over` is a
        # node.
        kind, over, *_ = children
        order = _token("NAME", children)
        return s.Fold(self._span(meta), s.FoldKind(str(kind)), over, order, _one(s.Default, children))

    def make(self, meta: Meta, children: Children) -> s.Make:
        maker, binder, *where, body = children
        condition = _condition(where)
        # The grammar has no rule for these binders alone: they end with the condition, or with the one binder.
        end = (condition or binder).span
        span = replace(binder.span, length=end.start + end.length - binder.span.start)
        binders = s.Binders(span, (binder,), condition)
        return s.Make(self._span(meta), s.Maker(str(maker)), binders, body)

    # --------------------------------------------------------------------------------------------------------- types

    named_type = _item(s.Type)

    def tensor_type(self, meta: Meta, children: Children) -> s.Type:
        (name,) = children
        span = self._span(meta)
        return s.Type(s.TypeWord.TENSOR.value, span, s.Type(str(name), span))

    def list_type(self, meta: Meta, children: Children) -> s.Type:
        (of,) = children
        return s.Type(s.TypeWord.LIST.value, self._span(meta), of)

    def set_type(self, meta: Meta, children: Children) -> s.Type:
        (of,) = children
        return s.Type(s.TypeWord.SET.value, self._span(meta), of)

    def type_type(self, meta: Meta, children: Children) -> s.Type:
        (name,) = children
        span = self._span(meta)
        return s.Type(s.TypeWord.TYPE.value, span, s.Type(str(name), span))

    # ------------------------------------------------------------------------------------- what a file is, versions

    def start(self, meta: Meta, children: Children) -> list[s.Item]:
        return children

    use = _item(s.Use)

    def library(self, meta: Meta, children: Children) -> s.Header:
        name, title = children
        return s.Header(s.FileKind.LIBRARY, str(name), None, _unquoted(title), "", self._span(meta))

    def theory(self, meta: Meta, children: Children) -> s.Header:
        name, title = children
        return s.Header(s.FileKind.THEORY, str(name), None, _unquoted(title), "", self._span(meta))

    def operator(self, meta: Meta, children: Children) -> s.Header:
        name, version, status, *text = children
        return s.Header(
            s.FileKind(str(status)), str(name), int(version), title="", text=_text_name(text), span=self._span(meta)
        )

    text = _part(_TextName)

    def refines(self, meta: Meta, children: Children) -> s.Refines:
        namespace, name, version, *renamings = children
        renamed = {one.mine: one.theirs for one in renamings}
        return s.Refines(str(namespace), str(name), int(version), renamed, self._span(meta))

    renaming = _part(_Renaming)

    page = _item(s.Page)

    def version(self, meta: Meta, children: Children) -> s.Difference:
        number, *text = children
        return s.Difference(int(number), _text_name(text), (), self._span(meta))

    add = _item(s.AddItem)

    replace = _item(s.ReplaceItem)

    def remove(self, meta: Meta, children: Children) -> s.RemoveItem:
        kind, name = children
        return s.RemoveItem(s.ItemKind(str(kind)), str(name), self._span(meta))

    def remove_types(self, meta: Meta, children: Children) -> s.RemoveTypes:
        return s.RemoveTypes(self.types(meta, children), self._span(meta))

    def remove_types_of(self, meta: Meta, children: Children) -> s.RemoveTypes:
        return s.RemoveTypes(self.types_of(meta, children), self._span(meta))

    def move(self, meta: Meta, children: Children) -> s.MoveAttribute:
        kind, span = _one(s.Type, children), self._span(meta)
        assert kind is not None
        declaration = s.Declaration(_token("NAME", children), kind, span)
        return s.MoveAttribute(_marked(declaration, children), span)

    # ------------------------------------------------------------------------------------------- what an operator has

    def types(self, meta: Meta, children: Children) -> s.Types:
        # `types float = float16 float` is a line of T, whose name need not be written.
        name, *members = map(str, children)
        return s.Types(name, members, s.TypeWord.T.value, self._span(meta))

    def types_of(self, meta: Meta, children: Children) -> s.Types:
        name, variable, *members = map(str, children)
        # T and another variable may have lines for the same family.
        return s.Types(f"{name} of {variable}", members, variable, self._span(meta))

    def input(self, meta: Meta, children: Children) -> s.Declares:
        return s.Declares(s.ItemKind.INPUT, _declaration(children))

    def output(self, meta: Meta, children: Children) -> s.Declares:
        return s.Declares(s.ItemKind.OUTPUT, _declaration(children))

    def attribute(self, meta: Meta, children: Children) -> s.Declares:
        return s.Declares(s.ItemKind.ATTRIBUTE, _declaration(children))

    def declared_as(self, meta: Meta, children: Children) -> s.Declaration:
        name, *bounds, kind = children
        return _bounded(str(name), kind, self._span(meta), _one(_Bounds, bounds))

    bounds = _part(_Bounds)

    fact = _item(s.Fact)

    def general(self, meta: Meta, children: Children) -> s.General:
        name, title, *_ = children
        every = _one(_Every, children) or _Every("", "")
        return s.General(str(name), _unquoted(title), self._span(meta), every.whom, every.what)

    every = _part(_Every)

    origin = _part(_Origin)

    family = _part(_Family)

    of_line = _part(_Family)
    cited_for = _part(_Family)

    def clause(self, meta: Meta, children: Children) -> s.Clause:
        *marks, body = children
        return self._clause(marks, body)

    def outside(self, meta: Meta, children: Children) -> s.Clause:
        return self._clause(children, None)

    def _clause(self, children: Children, body: s.Expression | None) -> s.Clause:
        # The place of a clause is that of its tag: that is what a finding is shown at, and a clause may have many
        # lines.
        tag, kind, *marks = children
        tags = _tags(children)
        return s.Clause(
            tags.split(",")[0],
            s.ClauseKind(str(kind)),
            _title(marks),
            _origin(marks),
            _family(marks),
            body,
            Span(self.source, tag.line, tag.column, len(tag)),
            tags,
            _arithmetic(marks),
        )

    def let(self, meta: Meta, children: Children) -> s.Let:
        *marks, body = children
        return s.Let(_token("NAME", marks), body, self._span(meta), _tags(marks), family=_family(marks))

    def count(self, meta: Meta, children: Children) -> s.Rule:
        return self._rule(s.RuleKind.COUNT, meta, children)

    def shape(self, meta: Meta, children: Children) -> s.Rule:
        return self._rule(s.RuleKind.SHAPE, meta, children)

    def value(self, meta: Meta, children: Children) -> s.Rule:
        return self._rule(s.RuleKind.VALUE, meta, children)

    def unspecified(self, meta: Meta, children: Children) -> s.Rule:
        reach = s.Reach(_token("REACH", children))
        return replace(self._rule(s.OPEN[reach], meta, children), title=_title(children))

    def _rule(self, what: s.RuleKind, meta: Meta, children: Children) -> s.Rule:
        *marks, body = children
        # `unspecified outcome when ...` names no output, `shape Y = ...` no index.
        output, *names = [*_tokens("NAME", marks), ""]
        number, index = "", ""
        names = [name for name in names if name]
        # `shape Y[k]` numbers a member, `value Y[k][i]` too; `value Y[i]` has an index alone.
        if names and what.reach is s.Reach.VALUE:
            index = names.pop()
        if names:
            number = names[0]
        origin, family, arithmetic = _origin(marks), _family(marks), _arithmetic(marks)
        return s.Rule(
            what, output, index, origin, family, body, self._span(meta), arithmetic, _tags(marks), number=number
        )

    # ------------------------------------------------------------------------------------ definitions, orders, theorems

    def define(self, meta: Meta, children: Children) -> s.Definition:
        name, *marks, body = children
        result = _one(s.Type, marks)
        assert result is not None
        return s.Definition(
            str(name),
            tuple(_all(s.Declaration, marks)),
            result,
            _family(marks),
            _title(marks),
            body,
            self._span(meta),
            _one(s.Recursion, marks),
        )

    def recursion(self, meta: Meta, children: Children) -> s.Recursion:
        name, start = children
        return s.Recursion(str(name), int(start))

    parameter = _item(s.Declaration)

    def order(self, meta: Meta, children: Children) -> s.OrderDefinition:
        # `order NAME on FAMILY "title" : x before y = body`
        *marks, body = children
        name, family, x, y = _tokens("NAME", marks)
        return s.OrderDefinition(name, family, _title(marks), _origin(marks), x, y, body, self._span(meta))

    def order_by_classes(self, meta: Meta, children: Children) -> s.OrderDefinition:
        # `... classes of e class NAME : condition ... within : x before y = body`
        *marks, body = children
        name, family, of, x, y = _tokens("NAME", marks)
        classes, span = tuple(_all(s.OrderClass, marks)), self._span(meta)
        return s.OrderDefinition(name, family, _title(marks), _origin(marks), x, y, body, span, classes, of)

    class_ = _part(s.OrderClass)

    def statement(self, meta: Meta, children: Children) -> s.Theorem:
        return self._theorem("statement", "the statement", children, meta)

    def theorem(self, meta: Meta, children: Children) -> s.Theorem:
        name, title, *rest = children
        return self._theorem(str(name), _unquoted(title), rest, meta)

    def axiom(self, meta: Meta, children: Children) -> s.Theorem:
        name, title, *rest = children
        return replace(self._theorem(str(name), _unquoted(title), rest, meta), cited=_origin(rest))

    def _theorem(self, name: str, title: str, children: Children, meta: Meta) -> s.Theorem:
        *middle, body = children
        declarations = _one(_Declarations, middle) or _Declarations(())
        using = _one(s.Using, middle) or s.Using(())
        assuming = _one(_Assuming, middle) or _Assuming(None)
        return s.Theorem(
            name,
            title,
            declarations.parts,
            assuming.condition,
            _one(s.Induction, middle),
            body,
            self._span(meta),
            using.used,
            tuple(_all(s.Taken, middle)),
        )

    def declarations(self, meta: Meta, children: Children) -> _Declarations:
        return _Declarations(tuple(chain.from_iterable(children)))

    def declaration(self, meta: Meta, children: Children) -> list[s.Declaration]:
        *declared, kind = children
        return [_bounded(one.name, kind, one.span, one.bounds) for one in declared]

    def declared(self, meta: Meta, children: Children) -> _Declared:
        name, *bounds = children
        return _Declared(str(name), _one(_Bounds, bounds), self._span(meta))

    assuming = _part(_Assuming)

    induction = _part(s.Induction)

    def using(self, meta: Meta, children: Children) -> s.Using:
        return s.Using(tuple(children))

    def cited(self, meta: Meta, children: Children) -> s.Using:
        family = _family(children)
        return s.Using(tuple(replace(used, family=family) for used in _all(s.Used, children)))

    def used(self, meta: Meta, children: Children) -> s.Used:
        name, arguments = children
        return s.Used(str(name), arguments.parts, None, self._span(meta))

    def used_as_named(self, meta: Meta, children: Children) -> s.Used:
        (name,) = children
        return s.Used(str(name), None, None, self._span(meta))

    def used_for_all(self, meta: Meta, children: Children) -> s.Used:
        binders, name, arguments = children
        return s.Used(str(name), arguments.parts, binders, self._span(meta))

    def take(self, meta: Meta, children: Children) -> s.Taken:
        name, *binders, body = children
        return s.Taken(str(name), tuple(binders), body, self._span(meta))

    # ------------------------------------------------------------------------------------------------------ examples

    def example(self, meta: Meta, children: Children) -> s.Example:
        _, name, *rest = children
        refused = _one(_Refused, rest) or _Refused("", None)
        left_open = _one(_Open, rest) or _Open(s.Openness.UNSAID)
        span = Span(self.source, name.line, name.column, len(name))
        return s.Example(
            str(name),
            _title(rest),
            _family(rest),
            tuple(_all(s.Entry, rest)),
            refused.tag,
            span,
            refused.span,
            _one(_Excluded, rest) is not None,
            left_open.openness,
            left_open.tag,
            left_open.span,
        )

    def entry(self, meta: Meta, children: Children) -> s.Entry:
        name, value = children
        return s.Entry(str(name), value, Span(self.source, name.line, name.column, len(name)))

    def tensor_value(self, meta: Meta, children: Children) -> s.TensorValue:
        kind, *rest = children
        sizes = _one(_Sizes, rest)
        # What is left is the one value, behind the shape and before the facts.
        (data,) = (child for child in rest if not isinstance(child, _Sizes | _Lacking))
        written = None if sizes is None else sizes.sizes
        return s.TensorValue(str(kind), written, _datum(data), tuple(map(str, _all(_Lacking, rest))))

    def plain_value(self, meta: Meta, children: Children) -> s.PlainValue:
        (data,) = children
        return s.PlainValue(_datum(data))

    def not_given(self, meta: Meta, children: Children) -> s.NotGiven:
        _, *default = children
        # `so` has a name in the grammar, and is a child.
        return s.NotGiven(_datum(default[1]) if default else None)

    def not_asked(self, meta: Meta, children: Children) -> s.NotAsked:
        return s.NotAsked()

    def sizes(self, meta: Meta, children: Children) -> _Sizes:
        return _Sizes(tuple(map(str, children)))

    def datum_list(self, meta: Meta, children: Children) -> s.DatumList:
        return s.DatumList(tuple(map(_datum, children)))

    def lacking(self, meta: Meta, children: Children) -> _Lacking:
        (fact,) = children
        return _Lacking(fact)

    def refused(self, meta: Meta, children: Children) -> _Refused:
        _, tag = children
        return _Refused(str(tag), Span(self.source, tag.line, tag.column, len(tag)))

    def excluded(self, meta: Meta, children: Children) -> _Excluded:
        return _Excluded()

    def left_open(self, meta: Meta, children: Children) -> _Open:
        # `by` has a name in the grammar, and is a child.
        _, *by = children
        if not by:
            return _Open(s.Openness.OPEN)
        tag = by[-1]
        return _Open(s.Openness.OPEN, str(tag), Span(self.source, tag.line, tag.column, len(tag)))

    def pinned(self, meta: Meta, children: Children) -> _Open:
        return _Open(s.Openness.PINNED)

    # ----------------------------------------------------------------------------------------- what a draft leaves open

    def undefined(self, meta: Meta, children: Children) -> s.Undefined:
        # The types in parentheses, then the one behind the colon: the last is the result.
        name, *rest = children
        *arguments, result = _all(s.Type, rest)
        return s.Undefined(str(name), tuple(arguments), result, _title(rest), _origin(rest), self._span(meta))

    def reading(self, meta: Meta, children: Children) -> s.Reading:
        what, repair, *rest = children
        return s.Reading(str(what), str(repair), _title(rest), _origin(rest), self._span(meta))

    def indices_from(self, meta: Meta, children: Children) -> s.Indices:
        base, *rest = children
        reading = s.Reading(s.INDICES, f"from {int(base)}", _title(rest), _origin(rest), self._span(meta))
        return s.Indices(int(base), reading)

    def expect(self, meta: Meta, children: Children) -> s.Expectation:
        verdict, path, *rest = children
        return s.Expectation(str(verdict), str(path), _token("NAME", rest), _title(rest), self._span(meta))


def _bounded(name: str, kind: s.Type, span: Span, bounds: _Bounds | None) -> s.Declaration:
    """A declaration; of a family, with the numbers of its first and last member."""
    if bounds is None:
        return s.Declaration(name, kind, span)
    return s.Declaration(name, kind, span, bounds.low, bounds.high)


def _declaration(children: Children) -> s.Declaration:
    """A declaration with what stands before and after its name and type."""
    declaration, default = _one(s.Declaration, children), _one(s.Default, children)
    assert declaration is not None
    declaration = _marked(declaration, children)
    if default is None:
        return declaration
    return replace(declaration, default=default.value)


def _marked(declaration: s.Declaration, children: Children) -> s.Declaration:
    """The declaration with the condition behind `where`, and the word `optional`, among the children."""
    return replace(declaration, where=_condition(children), optional=bool(_token("OPTIONAL", children)))
