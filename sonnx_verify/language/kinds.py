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
from fractions import Fraction
from typing import assert_never

from sonnx_verify.kernel.conversions import REALS
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import written_out
from sonnx_verify.language.functions import REAL_FUNCTIONS, ROUNDED, Conversion, Function, Range
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.language.words import TYPES
from sonnx_verify.logic.operators import GROUPS, Group


@dataclass(frozen=True, slots=True)
class Kind:
    """A type as it is written; `of` is what a `list`, `set` or `tensor` holds, None where that is not known."""

    name: str
    of: Kind | None = None

    def __str__(self) -> str:
        if self.of is None:
            return self.name
        return f"{self.name} of {self.of}"

    @property
    def is_whole(self) -> bool:
        """Return whether it is known what it holds, if it is one that holds something."""
        if self.name not in _HOLDING:
            return True
        return self.of is not None and self.of.is_whole


_HOLDING: frozenset[str] = frozenset((TypeWord.LIST, TypeWord.SET, TypeWord.TENSOR))
INT, BOOL, STRING = Kind(TypeWord.INT.value), Kind(TypeWord.BOOL.value), Kind(TypeWord.STRING.value)
REAL, RESULTS = Kind("real"), Kind("results")
SHAPE, INDEX = Kind(TypeWord.SHAPE.value), Kind(TypeWord.INDEX.value)
_FUNCTIONS: dict[str, Kind] = {
    Range.AXES: Kind(TypeWord.SET.value, INT),
    Range.INDICES: Kind(TypeWord.SET.value, INDEX),
    Function.GIVEN: BOOL,
    Function.EXACTLY_ONE: BOOL,
    **dict.fromkeys((Function.RANK, Function.COUNT, Function.DIV, Function.MOD), INT),
    **dict.fromkeys((Conversion.FLOOR, Conversion.CEIL), INT),
    **dict.fromkeys(GROUPS[Group.FLOAT], BOOL),
}
_LISTS: dict[str, Kind] = {
    TypeWord.INTS: Kind(TypeWord.LIST.value, INT),
    TypeWord.FLOATS: Kind(TypeWord.LIST.value, Kind("float")),
    TypeWord.STRINGS: Kind(TypeWord.LIST.value, STRING),
}
"""Types of attributes that have a short name."""


def of_type(kind: s.Type) -> Kind:
    """The kind that a type says."""
    if kind.is_code:
        return INT
    if kind.of is not None:
        return Kind(kind.name, of_type(kind.of))
    return _LISTS.get(kind.name, Kind(kind.name))


def of_declaration(declaration: s.Declaration) -> Kind:
    """The kind of what is declared; a family is a list."""
    kind = of_type(declaration.type)
    if declaration.high is None:
        return kind
    return Kind(TypeWord.LIST.value, kind)


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
            case Kind(name=TypeWord.SET):
                return kind.of
            case Kind(name=TypeWord.LIST | TypeWord.INDEX):
                return INT
            case Kind(name=TypeWord.TENSOR | TypeWord.SHAPE):
                return INDEX
            case _:
                return None

    def of(self, node: s.Expression) -> Kind | None:  # noqa: C901  # one decision over a closed set
        """The kind of an expression."""
        # A text that is being written has names of nothing and calls of nobody: None goes up through all that contains
        # them.
        match node:
            case s.Name(name=name) if name in s.TRUTHS:
                return BOOL
            case s.Name():
                return self.names.get(node.name)
            case s.Integer() | s.Power():
                return INT
            case s.Decimal():
                return REAL
            case s.Quoted():
                return STRING
            case s.Relation() | s.MemberOf() | s.Is() | s.Fails() | s.Not() | s.ForAll() | s.Exists():
                return BOOL
            case s.Implies() | s.Iff() | s.Conjunction() | s.Disjunction():
                return BOOL
            case s.Replaced():
                return INDEX
            case s.AnyOf() | s.Within() | s.WithinSteps():
                return Kind(TypeWord.SET.value, RESULTS)
            case s.Group():
                return self.of(node.inner)
            case s.If():
                return self._arithmetic((node.then, node.otherwise))
            case s.Sum() | s.Product():
                return self._arithmetic(node.operands)
            case s.Negative():
                return self.of(node.inner)
            case s.Read():
                return self._item(node.owner)
            case s.Slice():
                return self.of(node.owner)
            case s.Call(name=name, arguments=arguments) if name in ROUNDED | REAL_FUNCTIONS:
                return self._arithmetic(arguments)
            case s.Call() | s.CallOnSet():
                return self._called(node.name)
            case s.Member():
                return _member(node)
            case s.Listed():
                return Kind(TypeWord.LIST.value, self.of(node.items[0]))
            case s.Comprehension():
                return Kind(TypeWord.SET.value, self.within(node.binders).of(node.body))
            case s.Make():
                return self._made(node)
            case s.Fold():
                return self._folded(node)
            case _:
                assert_never(node)

    def _arithmetic(self, operands: tuple[s.Expression, ...]) -> Kind | None:
        """The kind of the operands, which are of one but for numbers that are written out."""
        # `1.0 + x` is of the type of x, and one operand that is no integer says what all are.
        computed = [operand for operand in operands if not isinstance(written_out(operand), Fraction)]
        kinds = [self.of(operand) for operand in computed or operands]
        for kind in kinds:
            if kind is not None and kind != INT:
                return kind
        if None in kinds:
            return None
        return INT

    def _item(self, owner: s.Expression) -> Kind | None:
        kind = self.of(owner)
        match kind:
            case Kind(name=TypeWord.LIST | TypeWord.TENSOR):
                return kind.of
            case Kind(name=TypeWord.SHAPE | TypeWord.INDEX):
                return INT
            case _:
                return None

    def _called(self, name: str) -> Kind | None:
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        if name in TYPES or name == TypeWord.T:
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
                if kind is None or kind.name != TypeWord.SET:
                    return None
                return kind.of


def _member(node: s.Member) -> Kind | None:
    if node.name == TypeWord.SHAPE:
        return SHAPE
    if node.name in REALS:
        return REAL
    if isinstance(node.owner, s.Name):
        return Kind(node.owner.name)
    return None
