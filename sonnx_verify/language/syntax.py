"""The syntax tree: all of a specification, each part with its place. No meaning yet. Trusted.

Expressions come first, one class for each kind; items of texts below. Trees are immutable, and equal where both their
texts and their places are; `form` is an expression without its places.

The expressions that bind names are written down here once, in `bound_by` and `inside`: clauses, the editor, the
renderer, repairs and `prove` ask these, or `free_names`. A class of expressions that is added has to be added to
`Expression`; then the type checker lists each `match` that lacks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum, unique
from typing import TypeAlias, get_args

from sonnx_verify.sources import Span

# --------------------------------------------------------------------------------------------------- expressions


@unique
class Comparison(StrEnum):
    """The sign of a comparison."""

    EQUAL = "="
    UNEQUAL = "!="
    AT_MOST = "<="
    LESS = "<"
    AT_LEAST = ">="
    MORE = ">"


@unique
class Sign(StrEnum):
    """The sign before an operand of a sum."""

    PLUS = "+"
    MINUS = "-"


@unique
class Factor(StrEnum):
    """The sign before an operand of a product."""

    TIMES = "*"
    OVER = "/"


@unique
class FoldKind(StrEnum):
    """A value that is taken from a set."""

    THE = "the"
    GREATEST = "greatest"
    LEAST = "least"
    MAX = "max"
    MIN = "min"
    SUM = "sum"
    PRODUCT = "product"
    COUNT = "count"
    ALL = "all"
    ANY = "any"


@unique
class TypeWord(StrEnum):
    """The names of types that are not element types; T is the variable that each `types` line gives its types."""

    T = "T"
    INT = "int"
    INTS = "ints"
    FLOATS = "floats"
    STRINGS = "strings"
    STRING = "string"
    BOOL = "bool"
    SHAPE = "shape"
    INDEX = "index"
    TENSOR = "tensor"
    LIST = "list"
    SET = "set"
    TYPE = "type"


@unique
class Maker(StrEnum):
    """A value that is given by its parts."""

    SHAPE = "shape"
    INDEX = "index"
    TENSOR = "tensor"
    LIST = "list"


# Frozen: a tree is shared by all that is made of a text, by versions, and by runs of one process. A part that changed
# would change the meaning of a text that was read before.
@dataclass(frozen=True, slots=True)
class Node:
    """An expression or a part of one. The fields of a class are in the order in which they stand in the text."""

    span: Span


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name that stands for a value: `k`."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer(Node):
    """`42`. Its digits, since a text may write more of them than Python converts."""

    digits: str


@dataclass(frozen=True, slots=True)
class Decimal(Node):
    """`0.5`."""

    # Not a float of Python: 0.1 is the real number that is written, and no float is.
    digits: str


@dataclass(frozen=True, slots=True)
class Quoted(Node):
    """`"SAME_UPPER"`: a value that is a text, here without its quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Group(Node):
    """`(e)`. Parentheses are kept, since repairs and pages print what was written; no rule gives them a meaning."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Listed(Node):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`{ e | k in 0 .. n where c }`, a set of values of `e`."""

    # Folds go over the members of the domain, one by one: `sum { 1 | k in 1 .. 3 }` is 3, though it has one value.
    body: Expression
    binders: Binders


@dataclass(frozen=True, slots=True)
class AnyOf(Node):
    """`any T`, `any NaN`: every element of a type, or every NaN, conforms."""

    what: str


@dataclass(frozen=True, slots=True)
class Fold(Node):
    """`greatest { ... } by ORDER default e`; `over` may also be the name of a set. `order` is empty without one."""

    kind: FoldKind
    over: Expression
    order: str
    default: Default | None


@dataclass(frozen=True, slots=True)
class Default(Node):
    """`default e`: what a fold gives of an empty set."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Make(Node):
    """`shape (k in D where c -> e)`. There is one binder."""

    maker: Maker
    binders: Binders
    body: Expression


@dataclass(frozen=True, slots=True)
class Replaced(Node):
    """`(i with [axis] = value)`: an index with another coordinate."""

    # An expression, no assignment: i stays what it is.
    index: Expression
    axis: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Read(Node):
    """`X[i]`."""

    owner: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`L[1 .. n]`, a part of a list."""

    owner: Expression
    part: Range


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(a, b)`, or an operator with settings of its attributes: `Op(a, b with axis = 0)`."""

    # The grammar lets anything be called, so that `X[i](2)` is a mistake with a place and a cure, not one of syntax.
    head: Expression
    arguments: tuple[Expression, ...]
    settings: tuple[Setting, ...] = ()

    @property
    def name(self) -> str:
        """The name that is called; empty where the head is no name, which the elaborator refuses."""
        if isinstance(self.head, Name):
            return self.head.name
        return ""


@dataclass(frozen=True, slots=True)
class Setting(Node):
    """`axis = 0` in a call."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class CallOnSet(Node):
    """`f { e | ... }`: a definition on a set that is written out."""

    name: str
    over: Comprehension


@dataclass(frozen=True, slots=True)
class Member(Node):
    """`X.shape`, `T.lowest`."""

    owner: Expression
    name: str


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if c then a else b`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class ForAll(Node):
    """`for all k in D where c : e otherwise "sentence"`; the sentence is without its quotes."""

    # The sentence words a counterexample, `axis {k} is out of range`, and has no part in the meaning.
    binders: Binders
    body: Expression
    sentence: str | None


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """`exists k in D where c : e`."""

    binders: Binders
    body: Expression


@dataclass(frozen=True, slots=True)
class Within(Node):
    """`within b of e in l .. h`: the elements from l to h whose real value is no further than b from e.
    A range need not be given."""

    bound: Expression
    centre: Expression
    range: Range | None = None


@dataclass(frozen=True, slots=True)
class WithinSteps(Node):
    """`within k steps of e in a .. b`: the floats from a to b that are at most k floats away from the one nearest to e.
    A range need not be given."""

    count: Expression
    centre: Expression
    range: Range | None = None


@dataclass(frozen=True, slots=True)
class Implies(Node):
    """`a => b`."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Iff(Node):
    """`a iff b`."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Disjunction(Node):
    """`a or b or c`."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conjunction(Node):
    """`a and b and c`."""

    # In their order, since each part is only looked at where those before it hold.
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not a`."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """`a <= b < c`: one sign less than operands."""

    # One node, as b is one value: its side conditions are asked once, and it is read once.
    operands: tuple[Expression, ...]
    signs: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class MemberOf(Node):
    """`k in S`."""

    member: Expression
    owner: Expression


@dataclass(frozen=True, slots=True)
class Is(Node):
    """`X is dense`, `X is not dense`."""

    owner: Expression
    fact: str
    denied: bool


@dataclass(frozen=True, slots=True)
class Fails(Node):
    """`C1 fails`."""

    tag: str


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """`a - b + c`: one sign less than operands."""

    # The order is kept and nothing is regrouped: (a - b) + c and a - (b - c) are two floats.
    operands: tuple[Expression, ...]
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Product(Node):
    """`a * b / c`: one sign less than operands, taken from the left."""

    operands: tuple[Expression, ...]
    signs: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """`-a`."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Power(Node):
    """`2^31`. The exponent is written out, in digits: the logic has no powers."""

    base: Expression
    exponent: str


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`low .. high`, both ends included."""

    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Binder(Node):
    """`k in D`."""

    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class Binders(Node):
    """`k in D, m in E where c`. Each binder is in scope in the domains behind it and in the condition."""

    # `i in 0 .. n, j in 0 .. i` is a triangle: the domain of j sees i. That of i does not see j.
    binders: tuple[Binder, ...]
    where: Expression | None


Expression: TypeAlias = (
    Name | Integer | Decimal | Quoted | Group | Listed | Comprehension | AnyOf | Fold | Make | Replaced | Read | Slice
    | Call | CallOnSet | Member | If | ForAll | Exists | Within | WithinSteps | Implies | Iff | Disjunction
    | Conjunction | Not | Relation | MemberOf | Is | Fails | Sum | Product | Negative | Power
)  # fmt: skip  # a table
"""All that has a value."""
Domain: TypeAlias = Expression | Range
"""All that a variable can range over."""
Part: TypeAlias = Expression | Range | Binder | Binders | Default | Setting
"""All that the tree of an expression consists of."""


KINDS: tuple[type[Part], ...] = get_args(Part)
DOMAINS: tuple[type[Domain], ...] = get_args(Domain)
_FIELDS: dict[type[Node], tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if f.name != "span") for kind in KINDS
}


def children(node: Node) -> tuple[Part, ...]:
    """The parts directly below a node, in the order of the text."""
    found: list[Part] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, KINDS):
            found.append(value)
        elif isinstance(value, tuple):
            found += [part for part in value if isinstance(part, KINDS)]
    return tuple(found)


def every(node: Part) -> Iterator[Part]:
    """A node and all that is in it, the outer before the inner, in the order of the text."""
    # Not recursive: a list of 5,000 operands is no deeper than one, but a text of many nested parts is.
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(children(one)))


def form(node: Node | None) -> object:
    """The expression without its places: two of the same form differ in these alone."""
    return _form(node)


def _form(value: object) -> object:
    if isinstance(value, Node):
        return (type(value), *(_form(getattr(value, name)) for name in _FIELDS[type(value)]))
    if isinstance(value, tuple):
        return tuple(_form(part) for part in value)
    return value


def bare(node: Expression) -> Expression:
    """The expression without parentheses around it."""
    while isinstance(node, Group):
        node = node.inner
    return node


def called(node: Node) -> str:
    """The name that an expression calls; empty where it calls none."""
    if isinstance(node, Call | CallOnSet):
        return node.name
    return ""


def text_of(node: Node) -> str:
    """The expression as it is written, on one line."""
    span = node.span
    return " ".join(span.source.text[span.start : span.start + span.length].split())


# ---------------------------------------------------------------------------------------------- names and binding


TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
"""The constants of bool. They are written as names are, and nothing has the name of one."""

Scope: TypeAlias = Mapping[str, "Binder"]
"""The binders that a part of an expression sees, by the names that they bind."""


def bound_by(node: Node) -> Binders | None:
    """The binders of an expression that binds names. Nothing else in the language does.

    Of `for all k in D, m in E where c : e` the name k is bound in E, c and e, m in c and e; D sees neither.
    """
    # A class that binds names and is missing here would have a name renamed out of the reach of its binder.
    match node:
        case ForAll() | Exists() | Comprehension() | Make():
            return node.binders
        case _:
            return None


def inside(node: Node, scope: Scope) -> Iterator[tuple[Part, Scope]]:
    """The parts below a node that sees some binders, each with the binders that it sees itself: domains before the
    bodies that they are for."""
    match node:
        case ForAll() | Exists() | Comprehension() | Make():
            yield from _below(node.binders, node.body, scope)
        case Binders():
            # Alone, as behind `for all` of a theorem that is used.
            yield from _below(node, None, scope)
        case _:
            for child in children(node):
                yield child, scope


def _below(binders: Binders, body: Expression | None, scope: Scope) -> Iterator[tuple[Part, Scope]]:
    # Of `{ k | k in 0 .. k }` the last k is free: each domain is read before its name is bound.
    for binder in binders.binders:
        yield binder.domain, scope
        scope = {**scope, binder.name: binder}
    for inner in (body, binders.where):
        if inner is not None:
            yield inner, scope


def free_names(node: Node, *, asking: bool = True) -> Iterator[Name]:
    """The names in an expression that it does not bind, domains before the bodies that they are for. Names that are
    called, and those in the sentence of a `for all`, are not among them; x of `given(x)` is if `asking` counts."""
    return _Free(asking=asking).names(node, {})


@dataclass(frozen=True, slots=True)
class _Free:
    asking: bool

    def names(self, node: Node, scope: Scope) -> Iterator[Name]:
        match node:
            case Name() if node.name not in scope and node.name not in TRUTHS:
                yield node
            case Call(name="given") if not self.asking:
                pass
            case Call(head=Name()):
                # The name that is called is none of a value: `f(f)` calls f on the value f.
                parts: tuple[Part, ...] = (*node.arguments, *node.settings)
                for part in parts:
                    yield from self.names(part, scope)
            case _:
                for part, seen in inside(node, scope):
                    yield from self.names(part, seen)


# ---------------------------------------------------------------------------------------------------------- items


@unique
class FileKind(StrEnum):
    """The kind of a file. Before its header is read, it is UNSAID."""

    UNSAID = ""
    LIBRARY = "library"
    THEORY = "theory"
    PROFILE = "profile"
    STANDARD = "standard"
    DRAFT = "draft"
    USER = "user"


@unique
class ClauseKind(StrEnum):
    """The kind of a clause."""

    RESTRICTION = "restriction"
    CONSTRAINT = "constraint"
    ERROR = "error"


@unique
class Arithmetic(StrEnum):
    """The arithmetic of a clause with integer elements; where nothing is said, they wrap."""

    UNSAID = ""
    EXACT = "exact"
    WRAPPING = "wrapping"


@unique
class Reach(StrEnum):
    """The part of an operator that a rule is about."""

    OUTCOME = "outcome"
    COUNT = "count"
    SHAPE = "shape"
    VALUE = "value"


@unique
class RuleKind(StrEnum):
    """The kind of a rule: it gives the number of outputs, a shape or an element, or leaves something open."""

    COUNT = "count"
    SHAPE = "shape"
    VALUE = "value"
    OPEN_OUTCOME = "unspecified outcome"
    OPEN_SHAPE = "unspecified shape"
    OPEN_VALUE = "unspecified value"

    @property
    def leaves_open(self) -> bool:
        """Return whether it is one of an `unspecified` line."""
        return self not in (RuleKind.COUNT, RuleKind.SHAPE, RuleKind.VALUE)

    @property
    def reach(self) -> Reach:
        """The part that it gives, or leaves open."""
        match self:
            case RuleKind.OPEN_OUTCOME:
                return Reach.OUTCOME
            case RuleKind.COUNT:
                return Reach.COUNT
            case RuleKind.SHAPE | RuleKind.OPEN_SHAPE:
                return Reach.SHAPE
            case RuleKind.VALUE | RuleKind.OPEN_VALUE:
                return Reach.VALUE


OPEN = {Reach.OUTCOME: RuleKind.OPEN_OUTCOME, Reach.SHAPE: RuleKind.OPEN_SHAPE, Reach.VALUE: RuleKind.OPEN_VALUE}
"""The kind of a rule that leaves this open."""


@unique
class ItemKind(StrEnum):
    """The kind of an item, in the words that a difference names it by."""

    INPUT = "input"
    OUTPUT = "output"
    ATTRIBUTE = "attribute"
    CLAUSE = "clause"
    LET = "let"
    COUNT = "count"
    SHAPE = "shape"
    VALUE = "value"
    UNSPECIFIED = "unspecified"
    OPEN_OUTCOME = "unspecified outcome"
    OPEN_SHAPE = "unspecified shape"
    OPEN_VALUE = "unspecified value"
    DEFINE = "define"
    ORDER = "order"
    THEOREM = "theorem"
    EXAMPLE = "example"
    UNDEFINED = "undefined"
    READING = "reading"
    EXPECT = "expect"
    TYPES = "types"
    FACT = "fact"
    GENERAL = "general"
    USE = "use"
    REFINES = "refines"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Header:
    """The line that says what a file is; `text` names the first text of an operator's version, if it has a name."""

    kind: FileKind
    name: str
    version: int | None
    title: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Use:
    """`use LIBRARY`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Page:
    """The page beside a text, by the name of its file."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Types:
    """`types float of T2 = float16 float`, whose name is `float of T2`; of T it is `float`."""

    name: str
    members: list[str]
    variable: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a tensor, in words."""

    name: str
    title: str
    span: Span


@dataclass(frozen=True, slots=True)
class Type:
    """`int`, `bool`, `shape`, `index`, an element type or its variable; a tensor, list or set of one; or `type U`."""

    name: str
    span: Span
    of: Type | None = None

    def __str__(self) -> str:
        if self.of is None:
            return self.name
        if self.is_code:
            return f"{self.name} {self.of}"
        return f"{self.name} of {self.of}"

    @property
    def is_tensor(self) -> bool:
        """Return whether it is `tensor of T`."""
        return self.name == TypeWord.TENSOR

    @property
    def is_code(self) -> bool:
        """Return whether it is `type U`: the number by which ONNX knows the type that U stands for."""
        return self.name == TypeWord.TYPE


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name with its type; `low` and `high` are there when it is a family `X[low..high]`. `default` is the value of an
    attribute that is left out."""

    # ONNX's variadic input is a family: `input X[0 .. L] : tensor of T` declares L too, the number of the last one.
    name: str
    type: Type
    span: Span
    low: Expression | None = None
    high: Expression | None = None
    where: Expression | None = None
    optional: bool = False
    default: Expression | None = None


@dataclass(frozen=True, slots=True)
class Declares:
    """A declaration as an item: `role` is INPUT, OUTPUT or ATTRIBUTE."""

    role: ItemKind
    declaration: Declaration


@dataclass(frozen=True, slots=True)
class Clause:
    """The formal text under a tag; `body` is None for what is outside the model. A draft may have one text for several
    tags: `tag` is the first of them, `tags` all. `place` counts the items of the file: what stands above has a smaller
    one, and what replaces an item of an earlier version takes over its place."""

    # The place counts items, not lines: an item that replaces another stands further down in the file, and has to mean
    # what it would mean in the other's place.
    tag: str
    kind: ClauseKind
    title: str
    origin: str
    family: str
    body: Expression | None
    span: Span
    tags: str
    arithmetic: Arithmetic = Arithmetic.UNSAID
    place: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """`count Y = ...`, `shape Y = ...`, `value Y[i] = ...` or `unspecified ... when ...`; `index` names i where there
    is one, `number` names k in `shape Y[k]` and `value Y[k][i]`. What is unspecified may have a title."""

    what: RuleKind
    output: str
    index: str
    origin: str
    family: str
    body: Expression
    span: Span
    arithmetic: Arithmetic = Arithmetic.UNSAID
    tag: str = ""
    title: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a value; `place` as in a clause. Several may have one name when their families differ."""

    name: str
    body: Expression
    span: Span
    tag: str = ""
    place: int = 0
    family: str = ""


@dataclass(frozen=True, slots=True)
class Recursion:
    """`by recursion on n from 1`: a definition calls itself with one less of the parameter n, and begins at 1."""

    # The start is a number that is written out: it is the same for all calls, so the logic has one recursion for them.
    on: str
    start: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A shared definition; several may have one name when their families differ. `place` as in a clause: in the text of
    an operator it sees each `let` above it."""

    name: str
    parameters: tuple[Declaration, ...]
    result: Type
    family: str
    title: str
    body: Expression
    span: Span
    recursion: Recursion | None = None
    place: int = 0


@dataclass(frozen=True, slots=True)
class OrderClass:
    """A class of elements in an order, and when an element is in it."""

    name: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class OrderDefinition:
    """`x before y`, given directly or by classes of elements, the greatest first."""

    # Classes are for orders of floats, as numpy's with NaN above all: that it is total is then easy to see, and to
    # prove.
    name: str
    family: str
    title: str
    origin: str
    x: str
    y: str
    body: Expression
    span: Span
    classes: tuple[OrderClass, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Used:
    """A theorem that a proof rests on, with its arguments, for every choice of some binders. Without arguments they are
    what the theorem's own names mean here. One that an operator names may be for the sections of one `family`."""

    # None of `using law`, which takes the names of the law from here. No text can write an empty tuple.
    name: str
    arguments: tuple[Expression, ...] | None
    binders: Binders | None
    span: Span
    family: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """A term that a proof names, for every value of its binders."""

    name: str
    binders: tuple[Binder, ...]
    body: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Using:
    """The theorems that a proof rests on."""

    used: tuple[Used, ...]


@dataclass(frozen=True, slots=True)
class Induction:
    """`by induction on n from low to high`."""

    on: str
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Theorem:
    name: str
    title: str
    declarations: tuple[Declaration, ...]
    assuming: Expression | None
    induction: Induction | None
    body: Expression
    span: Span
    using: tuple[Used, ...] = ()
    taken: tuple[Taken, ...] = ()
    cited: str | None = None
    """The source of an axiom, which is tried and not proved; None for a theorem."""


@unique
class DatumKind(StrEnum):
    """The kind of a value that an example writes out."""

    NUMBER = "number"
    TEXT = "text"
    TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class Datum:
    """A number, a text without its quotes, `true` or `false`, as it is written."""

    kind: DatumKind
    text: str


@dataclass(frozen=True, slots=True)
class DatumList:
    """`[[1, 2], [3, 4]]`."""

    items: tuple[Datum | DatumList, ...]


@dataclass(frozen=True, slots=True)
class TensorValue:
    """`float (2) [1, nan], not dense`: `sizes` is None where the lists say the shape, `lacks` are the facts that do
    not hold."""

    type: str
    sizes: tuple[str, ...] | None
    data: Datum | DatumList
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlainValue:
    """The value of an attribute: `1`, `[0, 1]`, `"SAME_UPPER"`."""

    data: Datum | DatumList


@dataclass(frozen=True, slots=True)
class NotGiven:
    """`not given, so 1`, with the default where it is written."""

    default: Datum | DatumList | None


@dataclass(frozen=True, slots=True)
class NotAsked:
    """`not asked for`."""


Written: TypeAlias = TensorValue | PlainValue | NotGiven | NotAsked
"""The value that an example writes behind a name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`X0 = float (2) [1, nan]` in an example; the place is that of the name."""

    name: str
    value: Written
    span: Span


@unique
class Openness(StrEnum):
    """True if an example says that the text leaves its result open."""

    UNSAID = ""
    OPEN = "open"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class Example:
    """Values of inputs and attributes, and the outputs that come of them or, in `refused`, the tag of the clause that
    refuses them; outputs that are `excluded` do not conform. The result is open, by the item with the tag `open_by` if
    there is one, or pinned. `family` names a line of `types`; `refused_span` and `open_span` are the places of tags."""

    # No statement is made of it: it is input that is evaluated, so a slip in it makes no proof wrong.
    name: str
    title: str
    family: str
    entries: tuple[Entry, ...]
    refused: str
    span: Span
    refused_span: Span | None = None
    excluded: bool = False
    openness: Openness = Openness.UNSAID
    open_by: str = ""
    open_span: Span | None = None

    @property
    def has_outputs(self) -> bool:
        """Return whether the example says outputs."""
        return not self.refused and self.openness is not Openness.OPEN


@dataclass(frozen=True, slots=True)
class General:
    """A general restriction. Where it has a formal meaning, it is that every `whom`, input or attribute, is `what`: a
    declared fact, or `given`."""

    name: str
    title: str
    span: Span
    whom: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A function that a draft uses and never defines."""

    # A free symbol: what is shown of the draft holds whichever function was meant.
    name: str
    arguments: tuple[Type, ...]
    result: Type
    title: str
    origin: str
    span: Span


@dataclass(frozen=True, slots=True)
class Reading:
    """A repair that the transcription of a draft had to make, stated: `what` is read as `repair`."""

    # A draft that writes A where it declares X would have no meaning. The reading is stated, so that a reviewer sees
    # it.
    what: str
    repair: str
    title: str
    origin: str
    span: Span


INDICES = "indices"
"""The subject of a reading that says from which number indices are counted."""


@dataclass(frozen=True, slots=True)
class Indices:
    """`indices from 1`: the number of the first coordinate, and the reading that says so."""

    base: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Expectation:
    """A finding that a draft is known to have."""

    verdict: str
    path: str
    family: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Refines:
    namespace: str
    operator: str
    version: int
    renaming: dict[str, str]
    span: Span


@dataclass(frozen=True, slots=True)
class AddItem:
    """`add ITEM` in a difference."""

    item: Item
    span: Span


@dataclass(frozen=True, slots=True)
class ReplaceItem:
    """`replace ITEM` in a difference: it takes the place of what has its identity."""

    item: Item
    span: Span


@dataclass(frozen=True, slots=True)
class RemoveItem:
    """`remove let NAME` in a difference."""

    kind: ItemKind
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class RemoveTypes:
    """`remove types float = double` in a difference: the members go from the line of that name."""

    types: Types
    span: Span


@dataclass(frozen=True, slots=True)
class MoveAttribute:
    """`move attribute NAME to input : TYPE` in a difference."""

    declaration: Declaration
    span: Span


Change: TypeAlias = AddItem | ReplaceItem | RemoveItem | RemoveTypes | MoveAttribute
"""One line of a difference between versions."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes from one version, or text of it, to the next."""

    version: int
    text: str
    changes: tuple[Change, ...]
    span: Span


Item: TypeAlias = (
    Header | Use | Refines | Page | Types | Declares | Fact | General | Clause | Let | Rule | Definition
    | OrderDefinition | Theorem | Example | Using | Undefined | Reading | Indices | Expectation | Difference | Change
)  # fmt: skip  # a table
"""An item of a text, as the builder hands it over. A difference has no changes yet."""


@dataclass(slots=True)
class File:
    """One file of specifications, by the kinds of its items, each in the order of the text.

    `differences` are still to be applied (see versions.py); `edition` says which of several versions and texts it is.
    """

    # Alone among the nodes it can change, as the parser fills it item by item and a version begins as a copy of the one
    # before. Nothing changes it afterwards.
    path: str
    kind: FileKind = FileKind.UNSAID
    name: str = ""
    version: int | None = None
    text: str = ""
    title: str = ""
    span: Span | None = None
    uses: list[Use] = field(default_factory=list)
    refines: Refines | None = None
    page: Page | None = None
    types: dict[str, list[str]] = field(default_factory=dict)
    type_variables: dict[str, str] = field(default_factory=dict)
    type_spans: dict[str, Span] = field(default_factory=dict)
    inputs: list[Declaration] = field(default_factory=list)
    outputs: list[Declaration] = field(default_factory=list)
    attributes: list[Declaration] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    lets: list[Let] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    generals: dict[str, General] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    orders: list[OrderDefinition] = field(default_factory=list)
    theorems: list[Theorem] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    undefined: list[Undefined] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    index_base: int = 0
    expectations: list[Expectation] = field(default_factory=list)
    using: list[Used] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    edition: str = ""
