"""The state of one elaboration, and the library that its text can use. Trusted.

A `Context` holds element types, what encloses the place, and the side conditions met on the way; a `Library` holds the
definitions, orders, theorems and operators that a text can name. They stand together because each speaks of the other:
an operator of a library is applied in a context, and a context notes orders with the library that gives them a meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from sonnx_verify.errors import UserError
from sonnx_verify.kernel.core import Family, Kernel, family_of
from sonnx_verify.kernel.frames import Frame, Indexing, Ranging
from sonnx_verify.kernel.notes import Branch, Side
from sonnx_verify.kernel.values import Outcome, Value
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import names as complaints
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.sources import Span

UNTYPED: tuple[str, Sort] = (Family.INT, ELEMENT)
"""The family, and T, in a text that lists no types for T."""


# ------------------------------------------------------------------------------------------------ what a text can use


@dataclass(frozen=True, slots=True)
class Lemma:
    """A theorem that a proof can use: its place, the library of its text, and the obligation that it is, for a family,
    some element types, and the types of the other type variables; None where it is not stated for them. `typed` says
    that its text lists types for T."""

    theorem: s.Theorem
    file: s.File
    library: Callable[[], Library]
    id: Callable[[str, tuple[Sort, ...], Mapping[str, Sort]], str | None]
    typed: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of an attribute in a call."""

    value: Value
    span: Span
    is_type: bool = False
    """It is written as the name of a type."""


@dataclass(frozen=True, slots=True)
class Call:
    """An operator's name with arguments and settings. The path leads to it, through the calls of definitions."""

    name: str
    values: list[Value]
    settings: Mapping[str, Setting]
    path: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The place of the call itself."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Library:
    """The names that a file can use: definitions (one for each family), orders, facts, general restrictions."""

    definitions: Mapping[str, list[s.Definition]] = field(default_factory=dict)
    orders: Mapping[str, s.OrderDefinition] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    generals: Mapping[str, s.General] = field(default_factory=dict)
    undefined: Mapping[str, s.Undefined] = field(default_factory=dict)
    lemmas: Mapping[str, Lemma] = field(default_factory=dict)
    operators: Callable[[Call, Context], Outcome | None] = lambda *_: None
    operator_names: Callable[[], Sequence[str]] = tuple
    defined_in: Callable[[str], str] = lambda _: ""
    """The library, not used here, that defines a name."""
    hidden_by: Callable[[str], UserError | None] = lambda _: None
    """The error of a text that declares a name and cannot be read."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The `types` lines of an operator that its items are marked for by name."""


# --------------------------------------------------------------------------------------------------- one elaboration


class _Passing(TypedDict, total=False):
    """The fields of a context that have another value inside a part."""

    family: str
    element: Sort
    types: tuple[Sort, ...]
    variables: Mapping[str, Sort]
    sides: list[Side]
    branches: list[Branch]
    restrictions: list[Term]
    supposed: dict[str, None]
    supposing: bool
    exact: bool
    below_exact: bool
    applied: bool
    universal: bool
    muted: int
    enclosing: list[Frame]
    binders: list[Ranging | Indexing]


@dataclass(slots=True)
class Context(Kernel):
    """One elaboration: the kernel, and what the elaborator has to know beside it.

    `variables` are the types of the type variables beside T. `known_orders` are all orders that were used, each with
    the library it stands in. Where it is `universal`, in a theorem, `unwritten` holds a free variable for each thing
    that an operator was applied without, by its name; `sites` numbers the places where operators are applied.
    `applications` are the operators so met that have types for T, with these and a place. Inside an `exact` clause
    integer elements are read as integers; a definition called there, `below_exact`, must not wrap. `types_asked` counts
    the conditions on types that were met.
    """

    variables: Mapping[str, Sort] = field(default_factory=dict)
    known_orders: dict[str, tuple[s.OrderDefinition, Library]] = field(default_factory=dict)
    exact: bool = False
    below_exact: bool = False
    applied: bool = False
    universal: bool = False
    unwritten: dict[str, Variable] = field(default_factory=dict)
    sites: dict[tuple[str, tuple[Span, ...]], int] = field(default_factory=dict)
    applications: dict[str, tuple[tuple[str, ...], Span]] = field(default_factory=dict)
    types_asked: int = 0

    @property
    def standing_for(self) -> tuple[str, ...]:
        """The names of the types that T stands for here; none where these are not known."""
        if self.element != ELEMENT:
            return (self.element.name,)
        return tuple(sort.name for sort in self.types)

    @contextmanager
    def _having(self, **fields: Unpack[_Passing]) -> Iterator[None]:
        """Inside a part where some fields have other values. Those that they had come back at its end, even of a part
        that fails: the clause behind one that is exact must not be exact."""
        before = {name: getattr(self, name) for name in fields}
        for name, value in fields.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def of_operator(self, variables: Mapping[str, Sort]) -> AbstractContextManager[None]:
        """Inside the text of an operator that is applied: its type variables stand for these types, T for its own where
        it is among them, and its arithmetic is its own."""
        # Not `universal`: the text of Op may apply Other only with all its attributes written. Were one left free
        # there, Op would give one result for each of its values, and would be no function of its inputs.
        others = {name: sort for name, sort in variables.items() if name != s.TypeWord.T}
        own: _Passing = {"variables": others, "universal": False, "exact": False, "below_exact": False}
        if (element := variables.get(s.TypeWord.T)) is not None:
            own |= {"element": element, "family": family_of(element), "types": ()}
        return self._having(**own)

    def site(self, operator: str, path: tuple[Span, ...]) -> str:
        """The name of a place where an operator is applied: the operator's, with a number that tells its places apart.
        The path is that of the calls that lead there; the same one has the same name."""
        # `Op(X) = Op(X)` has two places, and each leaves its attribute unwritten for itself: the theorem has to hold
        # when the two are given different values, so it is false. The body of a recursion is elaborated twice, and its
        # place is one by its path: else the step would speak of another variable than its side conditions.
        key = (operator, path)
        if key not in self.sites:
            self.sites[key] = 1 + sum(1 for name, _ in self.sites if name == operator)
        return f"{operator}.{self.sites[key]}"

    def applying(self) -> AbstractContextManager[None]:
        """Inside an operator that is applied to tensors that were made, of which no fact fails."""
        return self._having(applied=True)

    def arithmetic(self, which: s.Arithmetic, span: Span) -> AbstractContextManager[None]:
        """Inside a clause whose arithmetic is `exact`, or wraps where nothing is said."""
        if which is s.Arithmetic.EXACT and self.family != Family.INT:
            raise complaints.exact_of_others(self.family, span)
        return self._having(exact=which is s.Arithmetic.EXACT, below_exact=False)

    def of_body(self) -> AbstractContextManager[None]:
        """Inside the body of a definition, which has arithmetic of its own: an exact clause that calls it would not see
        it wrap, so there it must not."""
        # `value Y[i] exact = twice(X, i)` with `define twice(X : tensor of T, i : index) : T = X[i] + X[i]`: the reader
        # of the clause thinks of integers, and of an int8 of 100 twice gives -56. It is refused (numbers.py), also in a
        # definition that the definition calls.
        return self._having(exact=False, below_exact=self.exact or self.below_exact)

    def adopt(self, other: Context) -> None:
        """Take over what another elaboration of the same elements noted, which began with the order of this one."""
        # Which order ELEMENT has is settled once for one statement: two texts that settled it differently would each
        # take what is proved of the other order for their own.
        assert self.order in ("", other.order)
        self.order = other.order
        self.fold_orders.update(other.fold_orders)
        for order, library in other.known_orders.values():
            self.know_order(order, library)
        self.applications.update(other.applications)
        self.sides.extend(other.sides)
        self.branches.extend(other.branches)

    def know_order(self, order: s.OrderDefinition, library: Library) -> None:
        """Note an order that is used. Two of one name are refused."""
        # On abstract elements an order is the symbol of its name: two of one name would be one relation, and what one
        # text proves of its own order would hold of the other's.
        known, _ = self.known_orders.setdefault(order.name, (order, library))
        if known is not order:
            raise complaints.two_orders(order, known)

    @contextmanager
    def of_theorem(self, *, typed: bool) -> Iterator[list[Term]]:
        """Inside the statement of a theorem that is used: its side conditions were asked where it is proved. It holds
        where the restrictions of the operators in it do, which are handed out. In a text without types of T, `typed` is
        false, definitions are those that were meant there."""
        # All that was noted around the place is put aside. Its restrictions must not mix with those of the user: they
        # stand on the left of the theorem (proof_scripts.py), and to assume them of the user's goal would be wrong.
        found: list[Term] = []
        family, element = self.family, self.element
        # Without types for T a definition means the one for integers. Read with the definitions for floats, a theorem
        # proved of the one would be believed of the other. Twin: lemma_of_another_family.
        if not typed:
            family, element = UNTYPED
        noted = self._having(restrictions=found, supposed={}, sides=[], branches=[], supposing=True)
        around = self._having(muted=0, enclosing=[], binders=[], types=self.types if typed else ())
        with noted, around, self.of_elements(family, element):
            yield found

    def of_elements(self, family: str, element: Sort) -> AbstractContextManager[None]:
        """Inside a text about elements of that type, whose arithmetic is its own: an order."""
        return self._having(family=family, element=element, exact=False, below_exact=False)

    def of_type(self, family: str, element: Sort) -> AbstractContextManager[None]:
        """Inside the body of a definition, where T stands for the type of its arguments."""
        return self._having(family=family, element=element)

    def sort_of(self, name: str, span: Span) -> Sort:
        """The element sort that the name of a type means here."""
        if name == s.TypeWord.T:
            return self.element
        if name in self.variables:
            return self.variables[name]
        if name in ELEMENT_TYPES:
            return ELEMENT_TYPES[name]
        raise complaints.unknown_element_type(name, self.variables, span)

    def type_is(self, sort: Sort, word: str, span: Span) -> Term:
        """`T is signed`, where T stands for the sort."""
        self.types_asked += 1
        made = self.type_condition(sort, word)
        if made is None:
            raise complaints.unknown_type_or_family(word, span)
        return made
