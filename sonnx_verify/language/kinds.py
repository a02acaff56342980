"""The kinds of expressions by their form and the kinds of the names in them: for readers, not for proofs.

The elaborator decides what is right, and takes a good part of a second for it. This reads no more than the syntax, so
it answers at once, and of texts that are not finished. What it does not know is None. Nothing trusted uses it.

    X : tensor of T          X.shape          shape
    L : list of tensor of T  L[k]             tensor of T
                             { k | k in L }   set of int, the positions of L
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from sonnx_verify.language import syntax as s
from sonnx_verify.language.functions import RANGES
from sonnx_verify.language.words import TYPES


@dataclass(frozen=True, slots=True)
class Kind:
    """A type as it is written; `of` is what a `list`, `set` or `tensor` holds, None where that is not known."""

    name: str
    of: Kind | None = None

    def __str__(self) -> str:
        return self.name if self.of is None else f"{self.name} of {self.of}"

    @property
    def is_whole(self) -> bool:
        """Whether it is known what it holds, if it is one that holds something."""
        if self.name not in _HOLDING:
            return True
        return self.of is not None and self.of.is_whole


_HOLDING = frozenset(("list", "set", "tensor"))
INT, REAL, BOOL, STRING = (Kind(name) for name in ("int", "real", "bool", "string"))
SHAPE, INDEX, RESULTS = (Kind(name) for name in ("shape", "index", "results"))
_FUNCTIONS = dict.fromkeys(("rank", "count", "div", "mod", "floor", "ceil"), INT)
_FUNCTIONS |= dict.fromkeys(
    ("ieee_equal", "is_nan", "is_infinite", "is_zero", "is_negative", "is_positive", "given"), BOOL
)
_RANGES = {"axes": Kind("set", INT), "indices": Kind("set", INDEX)}
_REALS = frozenset(("roundoff", "overflow", "least"))
"""Constants of a type that are reals."""
_LISTS = {"ints": Kind("list", INT), "floats": Kind("list", Kind("float"))}
"""Types of attributes that have a short name."""


def of_type(kind: s.Type) -> Kind:
    """The kind that a type says."""
    if kind.of is not None:
        return Kind(kind.name, of_type(kind.of))
    return _LISTS.get(kind.name, Kind(kind.name))


def of_declaration(declaration: s.Declaration) -> Kind:
    """The kind of what is declared; a family is a list."""
    kind = of_type(declaration.type)
    return kind if declaration.high is None else Kind("list", kind)


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of the names that can be used at a place, and of what definitions and operators give."""

    names: Mapping[str, Kind | None] = field(default_factory=dict)
    results: Mapping[str, Kind] = field(default_factory=dict)

    def having(self, names: Mapping[str, Kind | None]) -> Kinds:
        """The same with further names."""
        return Kinds({**self.names, **names}, self.results)

    def within(self, binders: s.Binders) -> Kinds:
        """The kinds where these binders are in scope."""
        found = self
        for binder in binders.binders:
            found = found.having({binder.name: found.member(binder.domain)})
        return found

    def member(self, domain: s.Domain) -> Kind | None:
        """The kind of a variable over a domain: a position of a list, an index of a tensor or a shape."""
        if isinstance(domain, s.Range):
            return INT
        kind = self.of(domain)
        match kind:
            case Kind(name="set"):
                return kind.of
            case Kind(name="list" | "index"):
                return INT
            case Kind(name="tensor" | "shape"):
                return INDEX
            case _:
                return None

    def of(self, node: s.Expression) -> Kind | None:
        """The kind of an expression."""
        match node:
            case s.Name():
                return self.names.get(node.name)
            case s.Integer() | s.Power():
                return INT
            case s.Decimal():
                return REAL
            case s.Quoted():
                return STRING
            case (
                s.Relation() | s.MemberOf() | s.Is() | s.Fails() | s.ForAll() | s.Exists() | s.Implies() | s.Iff()
                | s.Conjunction() | s.Disjunction() | s.Not()
            ):  # fmt: skip  # a table
                return BOOL
            case s.Group():
                return self.of(node.inner)
            case s.If():
                return self.of(node.then) or self.of(node.otherwise)
            case s.Sum() | s.Product():
                return self._arithmetic(node.operands)
            case s.Negative():
                return self.of(node.inner)
            case s.Read():
                return self._item(node.owner)
            case s.Slice():
                return self.of(node.owner)
            case s.Replaced():
                return INDEX
            case s.Call() | s.CallOnSet():
                return self._called(node.name)
            case s.Member():
                return _member(node)
            case s.Listed():
                return Kind("list", self.of(node.items[0]))
            case s.Comprehension():
                return Kind("set", self.within(node.binders).of(node.body))
            case s.Make():
                return self._made(node)
            case s.Fold():
                return self._folded(node)
            case s.AnyOf() | s.Within():
                return Kind("set", RESULTS)
            case _:
                assert_never(node)

    def _arithmetic(self, operands: tuple[s.Expression, ...]) -> Kind | None:
        """The kind of the operands, which are of one; an operand that is written out may be an integer."""
        kinds = [self.of(operand) for operand in operands]
        for kind in kinds:
            if kind is not None and kind != INT:
                return kind
        return None if None in kinds else INT

    def _item(self, owner: s.Expression) -> Kind | None:
        kind = self.of(owner)
        match kind:
            case Kind(name="list" | "tensor"):
                return kind.of
            case Kind(name="shape" | "index"):
                return INT
            case _:
                return None

    def _called(self, name: str) -> Kind | None:
        if name in RANGES:
            return _RANGES[name]
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        if name in TYPES or name == "T":
            return Kind(name)
        return self.results.get(name)

    def _made(self, node: s.Make) -> Kind:
        match node.maker:
            case s.Maker.SHAPE:
                return SHAPE
            case s.Maker.INDEX:
                return INDEX
            case s.Maker.LIST | s.Maker.TENSOR:
                return Kind(node.maker.value, self.within(node.binders).of(node.body))

    def _folded(self, node: s.Fold) -> Kind | None:
        match node.kind:
            case s.FoldKind.COUNT:
                return INT
            case s.FoldKind.ALL | s.FoldKind.ANY:
                return BOOL
            case _:
                kind = self.of(node.over)
                return kind.of if kind is not None and kind.name == "set" else None


def _member(node: s.Member) -> Kind | None:
    if node.name == "shape":
        return SHAPE
    if node.name in _REALS:
        return REAL
    return Kind(node.owner.name) if isinstance(node.owner, s.Name) else None
