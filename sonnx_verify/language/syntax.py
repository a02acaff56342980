"""The syntax tree: what a specification says, each part with its place. No meaning yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from sonnx_verify.errors import Span


@dataclass(frozen=True, slots=True)
class Node:
    """An expression or a part of one. `kind` is the grammar rule; `parts` its children; `text` its own words."""

    kind: str
    span: Span
    parts: tuple[Node, ...] = ()
    text: tuple[str, ...] = ()
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Type:
    """`int`, `bool`, `shape`, `index`, an element type or its variable; or a tensor, list or set of one."""

    name: str
    span: Span
    of: Type | None = None

    def __str__(self) -> str:
        return self.name if self.of is None else f"{self.name} of {self.of}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name with its type; `low` and `high` are there when it is a family `X[low..high]`. `default` is the value of an
    attribute that is left out."""

    name: str
    type: Type
    span: Span
    low: Node | None = None
    high: Node | None = None
    where: Node | None = None
    optional: bool = False
    default: Node | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """The formal text under a tag; `body` is None for what is outside the model. A draft may have one text for several
    tags: `tag` is the first of them, `tags` all. `place` counts the items of the file: what stands above has a smaller
    one, and what replaces an item of an earlier version takes over its place."""

    tag: str
    kind: str
    title: str
    origin: str
    family: str
    body: Node | None
    span: Span
    tags: str
    arithmetic: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """`shape Y = ...`, `value Y[i] = ...` or `unspecified ... when ...`; `index` names i where there is one. What is
    unspecified may have a title."""

    what: str
    output: str
    index: str
    origin: str
    family: str
    body: Node
    span: Span
    arithmetic: str = ""
    tag: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a value; `place` as in a clause."""

    name: str
    body: Node
    span: Span
    tag: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """A shared definition; several may have one name when their families differ. `recursion` is the parameter that it
    calls itself with one less of, and the number from which it does."""

    name: str
    parameters: tuple[Declaration, ...]
    result: Type
    family: str
    title: str
    body: Node
    span: Span
    recursion: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class OrderDefinition:
    """`x before y`, given directly or by classes of elements, the greatest first."""

    name: str
    family: str
    title: str
    origin: str
    x: str
    y: str
    body: Node
    span: Span
    classes: tuple[tuple[str, Node], ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Used:
    """A theorem that a proof rests on, with its arguments, for every choice of some binders. Without arguments they are
    what the theorem's own names mean here."""

    name: str
    arguments: tuple[Node, ...] | None
    binders: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Taken:
    """A term that a proof names, for every value of its binders."""

    name: str
    binders: tuple[Node, ...]
    body: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Theorem:
    name: str
    title: str
    declarations: tuple[Declaration, ...]
    assuming: Node | None
    induction: tuple[str, Node, Node] | None
    body: Node
    span: Span
    using: tuple[Used, ...] = ()
    taken: tuple[Taken, ...] = ()


@dataclass(frozen=True, slots=True)
class General:
    """A general restriction. Where it has a formal meaning, it is that every `whom`, input or attribute, is `what`: a
    declared fact, or `given`."""

    title: str
    span: Span
    whom: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A function that a draft uses and never defines."""

    name: str
    arguments: tuple[Type, ...]
    result: Type
    title: str
    origin: str
    span: Span


@dataclass(frozen=True, slots=True)
class Reading:
    """A repair that the transcription of a draft had to make, stated: `what` is read as `repair`."""

    what: str
    repair: str
    title: str
    origin: str
    span: Span


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
class Change:
    """One line of a difference between versions: `add` or `replace` an item, `remove` what is named, or `move` an
    attribute to an input. `item` is an item as the builder makes it, a pair (kind, name) for `remove`, a Declaration
    for `move`."""

    what: str
    item: object
    span: Span


@dataclass(frozen=True, slots=True)
class Difference:
    """What changes from one version, or text of it, to the next."""

    version: int
    text: str
    changes: tuple[Change, ...]
    span: Span


@dataclass(slots=True)
class File:
    """One file of specifications, by the kinds of its items, each in the order of the text.

    `differences` are still to be applied (see versions.py); `edition` says which of several versions and texts it is.
    """

    path: str
    kind: str = ""
    name: str = ""
    version: int | None = None
    text: str = ""
    title: str = ""
    span: Span | None = None
    uses: list[tuple[str, Span]] = field(default_factory=list)
    refines: Refines | None = None
    page: tuple[str, Span] | None = None
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
    undefined: list[Undefined] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    index_base: int = 0
    expectations: list[Expectation] = field(default_factory=list)
    using: list[Used] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    edition: str = ""
