"""The syntax tree of a parsed text: one method for each rule of the grammar. Trusted.

In goes the parse tree of a text that is in the grammar and within the limits of size, which parser.py checks; out comes
an expression, a theorem, or the list of a file's items: nodes of syntax.py alone. Lark calls the method of a rule with
the place of the rule, and with what the methods of the rules below it gave. Tokens that have a name in the grammar
stand among that; words such as `if` and `(` do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from lark import Token, Transformer, v_args
from lark.tree import Meta

from sonnx_verify.errors import Source, Span
from sonnx_verify.language import syntax as s

Children = list[Any]
"""What the methods of the rules below gave."""
_Found = TypeVar("_Found")


# ------------------------------------------------------------------------------------ marks: parts of items, not nodes


class _Origin(str):
    """Text behind `from`."""


class _Family(str):
    """Text behind `for`."""


class _TextName(str):
    """Text behind `text`."""


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
    condition: s.Expression


@dataclass(frozen=True, slots=True)
class _Every:
    whom: str
    what: str


@dataclass(frozen=True, slots=True)
class _Renaming:
    mine: str
    theirs: str


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
    return str(text[1:-1]) if text.startswith('"') else str(text)


def _title(children: Children) -> str:
    """The first quoted text; empty without one."""
    return _unquoted(_token("STRING", children))


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


def span_of(source: Source, meta: Meta) -> Span:
    """The place of a rule."""
    if meta.empty:
        return Span(source, 1, 1, 1)
    return Span(source, meta.line, meta.column, max(1, meta.end_pos - meta.start_pos))


@v_args(meta=True)
class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar, in its order but for expressions, which come first."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def _span(self, meta: Meta) -> Span:
        return span_of(self._source, meta)

    # ------------------------------------------------------------------------------------------------ conditions

    def if_(self, meta: Meta, children: Children) -> s.If:
        condition, then, otherwise = children
        return s.If(self._span(meta), condition, then, otherwise)

    def for_all(self, meta: Meta, children: Children) -> s.ForAll:
        binders, body, *sentence = children
        return s.ForAll(self._span(meta), binders, body, _unquoted(sentence[0]) if sentence else None)

    def exists(self, meta: Meta, children: Children) -> s.Exists:
        binders, body = children
        return s.Exists(self._span(meta), binders, body)

    def within(self, meta: Meta, children: Children) -> s.Within:
        bound, centre = children
        return s.Within(self._span(meta), bound, centre)

    def binders(self, meta: Meta, children: Children) -> s.Binders:
        where = _one(_Where, children)
        return s.Binders(self._span(meta), tuple(_all(s.Binder, children)), where.condition if where else None)

    def binder(self, meta: Meta, children: Children) -> s.Binder:
        name, domain = children
        return s.Binder(self._span(meta), str(name), domain)

    def where(self, meta: Meta, children: Children) -> _Where:
        (condition,) = children
        return _Where(condition)

    def range(self, meta: Meta, children: Children) -> s.Range:
        low, high = children
        return s.Range(self._span(meta), low, high)

    def implies(self, meta: Meta, children: Children) -> s.Implies:
        left, _, right = children
        return s.Implies(self._span(meta), left, right)

    def iff(self, meta: Meta, children: Children) -> s.Iff:
        left, right = children
        return s.Iff(self._span(meta), left, right)

    def disjunction(self, meta: Meta, children: Children) -> s.Disjunction:
        return s.Disjunction(self._span(meta), tuple(children))

    def conjunction(self, meta: Meta, children: Children) -> s.Conjunction:
        return s.Conjunction(self._span(meta), tuple(children))

    def not_(self, meta: Meta, children: Children) -> s.Not:
        (inner,) = children
        return s.Not(self._span(meta), inner)

    def relation(self, meta: Meta, children: Children) -> s.Relation:
        signs = tuple(s.Comparison(str(sign)) for sign in children[1::2])
        return s.Relation(self._span(meta), tuple(children[::2]), signs)

    def member_of(self, meta: Meta, children: Children) -> s.MemberOf:
        member, owner = children
        return s.MemberOf(self._span(meta), member, owner)

    def is_(self, meta: Meta, children: Children) -> s.Is:
        owner, fact = children
        return s.Is(self._span(meta), owner, str(fact), denied=False)

    def is_not(self, meta: Meta, children: Children) -> s.Is:
        owner, fact = children
        return s.Is(self._span(meta), owner, str(fact), denied=True)

    def fails(self, meta: Meta, children: Children) -> s.Fails:
        (tag,) = children
        return s.Fails(self._span(meta), str(tag))

    # --------------------------------------------------------------------------------- numbers, reads, calls, atoms

    def sum(self, meta: Meta, children: Children) -> s.Sum:
        signs = tuple(s.Sign(str(sign)) for sign in children[1::2])
        return s.Sum(self._span(meta), tuple(children[::2]), signs)

    def product(self, meta: Meta, children: Children) -> s.Product:
        return s.Product(self._span(meta), tuple(children))

    def negative(self, meta: Meta, children: Children) -> s.Negative:
        (inner,) = children
        return s.Negative(self._span(meta), inner)

    def power(self, meta: Meta, children: Children) -> s.Power:
        base, exponent = children
        return s.Power(self._span(meta), base, str(exponent))

    def read(self, meta: Meta, children: Children) -> s.Read:
        owner, at = children
        return s.Read(self._span(meta), owner, at)

    def slice(self, meta: Meta, children: Children) -> s.Slice:
        owner, part = children
        return s.Slice(self._span(meta), owner, part)

    def arguments(self, meta: Meta, children: Children) -> _Arguments:
        return _Arguments(tuple(children))

    def call(self, meta: Meta, children: Children) -> s.Call:
        head, arguments = children
        return s.Call(self._span(meta), head, arguments.parts)

    def call_with(self, meta: Meta, children: Children) -> s.Call:
        head, arguments, *settings = children
        return s.Call(self._span(meta), head, arguments.parts, tuple(settings))

    def setting(self, meta: Meta, children: Children) -> s.Setting:
        name, value = children
        return s.Setting(self._span(meta), str(name), value)

    def call_set(self, meta: Meta, children: Children) -> s.CallOnSet:
        name, over = children
        return s.CallOnSet(self._span(meta), str(name), over)

    def member(self, meta: Meta, children: Children) -> s.Member:
        owner, name = children
        return s.Member(self._span(meta), owner, str(name))

    def integer(self, meta: Meta, children: Children) -> s.Integer:
        (digits,) = children
        return s.Integer(self._span(meta), str(digits))

    def decimal(self, meta: Meta, children: Children) -> s.Decimal:
        (digits,) = children
        return s.Decimal(self._span(meta), str(digits))

    def text_value(self, meta: Meta, children: Children) -> s.Quoted:
        (text,) = children
        return s.Quoted(self._span(meta), _unquoted(text))

    def name(self, meta: Meta, children: Children) -> s.Name:
        (name,) = children
        return s.Name(self._span(meta), str(name))

    def group(self, meta: Meta, children: Children) -> s.Group:
        (inner,) = children
        return s.Group(self._span(meta), inner)

    def listed(self, meta: Meta, children: Children) -> s.Listed:
        (arguments,) = children
        return s.Listed(self._span(meta), arguments.parts)

    def set(self, meta: Meta, children: Children) -> s.Comprehension:
        body, binders = children
        return s.Comprehension(self._span(meta), body, binders)

    def any_(self, meta: Meta, children: Children) -> s.AnyOf:
        (what,) = children
        return s.AnyOf(self._span(meta), str(what))

    def fold(self, meta: Meta, children: Children) -> s.Fold:
        kind, over, *_ = children
        order = _token("NAME", children)
        return s.Fold(self._span(meta), s.FoldKind(str(kind)), over, order, _one(s.Default, children))

    def default(self, meta: Meta, children: Children) -> s.Default:
        (value,) = children
        return s.Default(self._span(meta), value)

    def make(self, meta: Meta, children: Children) -> s.Make:
        maker, binder, *where, body = children
        condition = where[0].condition if where else None
        # The grammar has no rule for these binders alone: they end with the condition, or with the one binder.
        end = binder.span if condition is None else condition.span
        span = replace(binder.span, length=end.start + end.length - binder.span.start)
        binders = s.Binders(span, (binder,), condition)
        return s.Make(self._span(meta), s.Maker(str(maker)), binders, body)

    def replaced(self, meta: Meta, children: Children) -> s.Replaced:
        index, axis, value = children
        return s.Replaced(self._span(meta), index, axis, value)

    # --------------------------------------------------------------------------------------------------------- types

    def named_type(self, meta: Meta, children: Children) -> s.Type:
        (name,) = children
        return s.Type(str(name), self._span(meta))

    def tensor_type(self, meta: Meta, children: Children) -> s.Type:
        (name,) = children
        span = self._span(meta)
        return s.Type("tensor", span, s.Type(str(name), span))

    def list_type(self, meta: Meta, children: Children) -> s.Type:
        (of,) = children
        return s.Type("list", self._span(meta), of)

    def set_type(self, meta: Meta, children: Children) -> s.Type:
        (of,) = children
        return s.Type("set", self._span(meta), of)

    # ------------------------------------------------------------------------------------- what a file is, versions

    def start(self, meta: Meta, children: Children) -> list[s.Item]:
        return children

    def use(self, meta: Meta, children: Children) -> s.Use:
        (name,) = children
        return s.Use(str(name), self._span(meta))

    def library(self, meta: Meta, children: Children) -> s.Header:
        name, title = children
        return s.Header(s.FileKind.LIBRARY, str(name), None, _unquoted(title), "", self._span(meta))

    def theory(self, meta: Meta, children: Children) -> s.Header:
        name, title = children
        return s.Header(s.FileKind.THEORY, str(name), None, _unquoted(title), "", self._span(meta))

    def operator(self, meta: Meta, children: Children) -> s.Header:
        name, version, status, *text = children
        kind = s.FileKind(str(status))
        return s.Header(kind, str(name), int(version), "", str(text[0]) if text else "", self._span(meta))

    def text(self, meta: Meta, children: Children) -> _TextName:
        (name,) = children
        return _TextName(name)

    def refines(self, meta: Meta, children: Children) -> s.Refines:
        namespace, name, version, *renamings = children
        renamed = {one.mine: one.theirs for one in renamings}
        return s.Refines(str(namespace), str(name), int(version), renamed, self._span(meta))

    def renaming(self, meta: Meta, children: Children) -> _Renaming:
        mine, theirs = children
        return _Renaming(str(mine), str(theirs))

    def page(self, meta: Meta, children: Children) -> s.Page:
        (name,) = children
        return s.Page(_unquoted(name), self._span(meta))

    def version(self, meta: Meta, children: Children) -> s.Difference:
        number, *text = children
        return s.Difference(int(number), str(text[0]) if text else "", (), self._span(meta))

    def add(self, meta: Meta, children: Children) -> s.AddItem:
        (item,) = children
        return s.AddItem(item, self._span(meta))

    def replace(self, meta: Meta, children: Children) -> s.ReplaceItem:
        (item,) = children
        return s.ReplaceItem(item, self._span(meta))

    def remove(self, meta: Meta, children: Children) -> s.RemoveItem:
        kind, name = children
        return s.RemoveItem(s.ItemKind(str(kind)), str(name), self._span(meta))

    def remove_types(self, meta: Meta, children: Children) -> s.RemoveTypes:
        return s.RemoveTypes(self.types(meta, children), self._span(meta))

    def remove_types_of(self, meta: Meta, children: Children) -> s.RemoveTypes:
        return s.RemoveTypes(self.types_of(meta, children), self._span(meta))

    def move(self, meta: Meta, children: Children) -> s.MoveAttribute:
        where, kind = _one(_Where, children), _one(s.Type, children)
        assert kind is not None
        declaration = s.Declaration(
            _token("NAME", children),
            kind,
            self._span(meta),
            where=where.condition if where else None,
            optional=bool(_token("OPTIONAL", children)),
        )
        return s.MoveAttribute(declaration, self._span(meta))

    # ------------------------------------------------------------------------------------------- what an operator has

    def types(self, meta: Meta, children: Children) -> s.Types:
        name, *members = map(str, children)
        return s.Types(name, members, "T", self._span(meta))

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
        return _bounded(str(name), kind, self._span(meta), bounds[0] if bounds else None)

    def bounds(self, meta: Meta, children: Children) -> _Bounds:
        low, high = children
        return _Bounds(low, high)

    def fact(self, meta: Meta, children: Children) -> s.Fact:
        name, title = children
        return s.Fact(str(name), _unquoted(title), self._span(meta))

    def general(self, meta: Meta, children: Children) -> s.General:
        name, title, *every = children
        whom, what = (every[0].whom, every[0].what) if every else ("", "")
        return s.General(str(name), _unquoted(title), self._span(meta), whom, what)

    def every(self, meta: Meta, children: Children) -> _Every:
        whom, what = children
        return _Every(str(whom), str(what))

    def origin(self, meta: Meta, children: Children) -> _Origin:
        (name,) = children
        return _Origin(_unquoted(name))

    def family(self, meta: Meta, children: Children) -> _Family:
        (name,) = children
        return _Family(name)

    def clause(self, meta: Meta, children: Children) -> s.Clause:
        *marks, body = children
        return self._clause(marks, body)

    def outside(self, meta: Meta, children: Children) -> s.Clause:
        return self._clause(children, None)

    def _clause(self, children: Children, body: s.Expression | None) -> s.Clause:
        tag, kind, *marks = children
        tags = _tags(children)
        return s.Clause(
            tags.split(",")[0],
            s.ClauseKind(str(kind)),
            _title(marks),
            _origin(marks),
            _family(marks),
            body,
            Span(self._source, tag.line, tag.column, len(tag)),
            tags,
            _arithmetic(marks),
        )

    def let(self, meta: Meta, children: Children) -> s.Let:
        *marks, body = children
        return s.Let(_token("NAME", marks), body, self._span(meta), _tags(marks))

    def shape(self, meta: Meta, children: Children) -> s.Rule:
        return self._rule(s.RuleKind.SHAPE, meta, children)

    def value(self, meta: Meta, children: Children) -> s.Rule:
        return self._rule(s.RuleKind.VALUE, meta, children)

    def unspecified(self, meta: Meta, children: Children) -> s.Rule:
        reach = s.Reach(_token("REACH", children))
        return replace(self._rule(s.OPEN[reach], meta, children), title=_title(children))

    def _rule(self, what: s.RuleKind, meta: Meta, children: Children) -> s.Rule:
        *marks, body = children
        output, index, *_ = [*_tokens("NAME", marks), "", ""]
        origin, family, arithmetic = _origin(marks), _family(marks), _arithmetic(marks)
        return s.Rule(what, output, index, origin, family, body, self._span(meta), arithmetic, _tags(marks))

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

    def parameter(self, meta: Meta, children: Children) -> s.Declaration:
        name, kind = children
        return s.Declaration(str(name), kind, self._span(meta))

    def order(self, meta: Meta, children: Children) -> s.OrderDefinition:
        *marks, body = children
        name, family, x, y = _tokens("NAME", marks)
        return s.OrderDefinition(name, family, _title(marks), _origin(marks), x, y, body, self._span(meta))

    def order_by_classes(self, meta: Meta, children: Children) -> s.OrderDefinition:
        *marks, body = children
        name, family, of, x, y = _tokens("NAME", marks)
        classes, span = tuple(_all(s.OrderClass, marks)), self._span(meta)
        return s.OrderDefinition(name, family, _title(marks), _origin(marks), x, y, body, span, classes, of)

    def class_(self, meta: Meta, children: Children) -> s.OrderClass:
        name, condition = children
        return s.OrderClass(str(name), condition)

    def statement(self, meta: Meta, children: Children) -> s.Theorem:
        return self._theorem("statement", "the statement", children, meta)

    def theorem(self, meta: Meta, children: Children) -> s.Theorem:
        name, title, *rest = children
        return self._theorem(str(name), _unquoted(title), rest, meta)

    def _theorem(self, name: str, title: str, children: Children, meta: Meta) -> s.Theorem:
        *middle, body = children
        declarations, assuming = _one(_Declarations, middle), _one(_Assuming, middle)
        using = _one(s.Using, middle)
        return s.Theorem(
            name,
            title,
            declarations.parts if declarations else (),
            assuming.condition if assuming else None,
            _one(s.Induction, middle),
            body,
            self._span(meta),
            using.used if using else (),
            tuple(_all(s.Taken, middle)),
        )

    def declarations(self, meta: Meta, children: Children) -> _Declarations:
        return _Declarations(tuple(declaration for group in children for declaration in group))

    def declaration(self, meta: Meta, children: Children) -> list[s.Declaration]:
        *declared, kind = children
        return [_bounded(one.name, kind, one.span, one.bounds) for one in declared]

    def declared(self, meta: Meta, children: Children) -> _Declared:
        name, *bounds = children
        return _Declared(str(name), bounds[0] if bounds else None, self._span(meta))

    def assuming(self, meta: Meta, children: Children) -> _Assuming:
        (condition,) = children
        return _Assuming(condition)

    def induction(self, meta: Meta, children: Children) -> s.Induction:
        name, low, high = children
        return s.Induction(str(name), low, high)

    def using(self, meta: Meta, children: Children) -> s.Using:
        return s.Using(tuple(children))

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

    # ----------------------------------------------------------------------------------------- what a draft leaves open

    def undefined(self, meta: Meta, children: Children) -> s.Undefined:
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
    declaration, where, default = _one(s.Declaration, children), _one(_Where, children), _one(s.Default, children)
    assert declaration is not None
    return replace(
        declaration,
        where=where.condition if where else None,
        default=default.value if default else None,
        optional=bool(_token("OPTIONAL", children)),
    )
