"""Terms in the notation of the language, for people. Nothing reads it back, and a term that is long is cut.

    (<= (+ v1 1) (X.rank m!a))     k < rank(X[m])        with the names that the author gave k and m

Sizes and coordinates are counted from the right in terms, and from the left in texts: `X.shape[-1 - k]` is the size on
axis k from the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from sonnx_verify.kernel.core import Family
from sonnx_verify.kernel.variables import Part, Variable
from sonnx_verify.logic import decimals
from sonnx_verify.logic.folds import Fold, State
from sonnx_verify.logic.nodes import FoldName
from sonnx_verify.logic.operators import OPERATORS, TO_A_TYPE, Op
from sonnx_verify.logic.polynomials import add, linear, sub
from sonnx_verify.logic.sorts import BOOL, INT, STRING, FloatSort
from sonnx_verify.logic.terms import ONE, TRUE, ZERO, Role, Symbol, Term, integer

_LOOSE, _IMPLIES, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _TIGHT = range(9)
"""The precedence of operators: a looser one than its place allows stands in parentheses."""
_HEAVIEST = 400
"""The size of a term that is written out."""
CUT = "..."
"""The words for a term that is not written out."""
_PARTS = (Part.ITSELF, Part.RANK, Part.DIM, Part.READ, Part.MEMBER, Part.GIVEN)
_BINARY: dict[str, tuple[str, int]] = {
    Op.LESS: ("<", _COMPARED),
    Op.IEEE_EQUAL: ("ieee =", _COMPARED),
    Op.ADD: ("+", _SUM),
    Op.SUB: ("-", _SUM),
    Op.MUL: ("*", _PRODUCT),
    Op.DIVIDE: ("/", _PRODUCT),
    Op.QUOTIENT: ("/", _PRODUCT),
}
_SIGNS: dict[str, tuple[str, int]] = {**_BINARY, Op.AT_MOST: ("<=", _COMPARED)}
_CALLED: dict[str, str] = {Op.WRAPPED: "T", Op.ROUNDED: "T", Op.TO_INT: "int", Op.TO_REAL: "real"}
"""The names of conversions of abstract elements, in texts."""


class Notation:
    """The notation of terms about some variables. `names` says how an author called the variable of a binder, `values`
    which binder a constant stands for."""

    def __init__(
        self,
        variables: Iterable[Variable] = (),
        names: Callable[[Term], str | None] = lambda _: None,
        values: Mapping[Term, Term] | None = None,
        origins: Mapping[Term, tuple[Term, ...]] | None = None,
    ) -> None:
        self._parts: dict[Symbol, tuple[Variable, str]] = {}
        self._counts: dict[Term, str] = {}
        for variable in variables:
            for part in (*_PARTS, *variable.facts):
                self._parts[variable.symbol(part)] = (variable, part)
            count = variable.count
            if count is not None and isinstance(count.payload, Symbol) and count.payload.role is Role.COUNT:
                self._counts[count] = f"count({variable.name})"
        self._names, self._values, self._origins = names, values or {}, origins or {}
        self._bound: dict[Term, str] = {}
        self._taken: set[str] = {variable.name for variable, _ in self._parts.values()}
        self.made: dict[Term, str] = {}
        """The names of the constants that were met, in their order."""

    def variable(self, binder: Term) -> str:
        """The name of the variable of a binder; made up where the author gave none."""
        found = self._names(binder)
        if found is None:
            found = "i" if binder.op in (Op.FORALL_INDEX, Op.FOLD_INDEX) else "k"
        return found

    def text(self, term: Term, place: int = _LOOSE) -> str:
        """The term, in parentheses where its place binds tighter."""
        if term.weight > _HEAVIEST:
            return CUT
        said, binds = self._written(term)
        if binds < place:
            return f"({said})"
        return said

    def _written(self, term: Term) -> tuple[str, int]:
        match term.op:
            case Op.LITERAL:
                return self._literal(term), _TIGHT
            case Op.VARIABLE:
                return self._bound.get(term, f"v{term.payload}"), _TIGHT
            case Op.APPLY:
                return self._applied(term)
            case Op.NOT:
                return self._negated(term.args[0])
            case Op.AND:
                return " and ".join(self.text(a, _NOT) for a in term.args), _AND
            case Op.OR:
                return self._either(term)
            case Op.AT_MOST:
                return self._at_most(*term.args)
            case Op.ITE:
                condition, then, otherwise = (self.text(a) for a in term.args)
                return f"if {condition} then {then} else {otherwise}", _LOOSE
            case Op.PLUS:
                return self._sum(term), _SUM
            case Op.TIMES:
                return " * ".join(self.text(a, _TIGHT) for a in term.args), _PRODUCT
            case Op.AT:
                position, axis = term.args
                return f"{self.text(position, _TIGHT)}[{self._from_left(axis, None)}]", _TIGHT
            case Op.STATE_AT:
                of, member, position = term.args
                return f"{self.text(of, _TIGHT)}[{self.text(member)}][{self.text(position)}]", _TIGHT
            case _ if OPERATORS[term.op].binds:
                return self._binder(term)
            case _:
                return self._operation(term)

    def _operation(self, term: Term) -> tuple[str, int]:
        if term.op is Op.EQUAL:
            return self._compared(term, "="), _COMPARED
        if term.op in _BINARY and len(term.args) == 2:
            sign, binds = _BINARY[term.op]
            one, other = term.args
            return f"{self.text(one, binds + 1)} {sign} {self.text(other, binds + 1)}", binds
        name = str(term.op)
        if term.op is Op.REAL_FUNCTION:
            name = str(term.payload)
        elif term.op in TO_A_TYPE:
            # As the language writes it: `float16(x)`.
            name = str(term.sort)
        return f"{name}({self._listed(term.args)})", _TIGHT

    def _compared(self, term: Term, sign: str) -> str:
        """Two sides of an equation, a literal on the right."""
        one, other = term.args
        if one.op is Op.LITERAL:
            one, other = other, one
        return f"{self.text(one, _SUM)} {sign} {self.text(other, _SUM)}"

    def _listed(self, terms: Iterable[Term]) -> str:
        return ", ".join(self.text(term) for term in terms)

    @staticmethod
    def _literal(term: Term) -> str:
        value = term.payload
        if isinstance(term.sort, FloatSort) and isinstance(value, int):
            return decimals.show(term.sort, value)
        if isinstance(value, bool):
            return str(value).lower()
        if term.sort == STRING:
            return f'"{value}"'
        assert isinstance(value, int | Fraction)
        return str(value)

    # ------------------------------------------------------------------------------------------------------- symbols

    def _applied(self, term: Term) -> tuple[str, int]:
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        found = self._parts.get(symbol)
        if found is not None:
            return self._part(*found, term.args), _TIGHT
        if term in self._counts:
            return self._counts[term], _TIGHT
        value = self._values.get(term)
        if value is not None:
            return self._written(value)
        if term in self._origins:
            return self._constant(term), _TIGHT
        name, _, operation = symbol.name.partition("..")
        if symbol.role in (Role.OPERATION, Role.CONSTANT) and name in tuple(Family):
            return self._on_elements(operation, term)
        # What is made on the way, such as the number of an induction, has two dots behind its name.
        if not term.args:
            return name, _TIGHT
        return f"{name}({self._listed(term.args)})", _TIGHT

    def _on_elements(self, name: str, term: Term) -> tuple[str, int]:
        """An operation on abstract elements, as texts write the one of every type."""
        args = term.args
        if not args:
            return (f"T is {name.removeprefix('is_')}" if term.sort == BOOL else f"T.{name}"), _TIGHT
        if name in _SIGNS and len(args) == 2:
            sign, binds = _SIGNS[name]
            return f"{self.text(args[0], binds + 1)} {sign} {self.text(args[1], binds + 1)}", binds
        if name == Op.NEG:
            return f"-{self.text(args[0], _TIGHT)}", _PRODUCT
        return f"{_CALLED.get(name, name)}({self._listed(args)})", _TIGHT

    def _part(self, variable: Variable, part: str, args: tuple[Term, ...]) -> str:
        """A part of a declared name, or of a member of its family."""
        family = variable.count is not None and part != Part.GIVEN
        owner, rest = self._owner(variable, args[: int(family)]), args[int(family) :]
        match part:
            case Part.ITSELF:
                return owner
            case Part.RANK:
                return f"rank({owner})"
            case Part.GIVEN:
                return f"given({owner})"
            case Part.MEMBER:
                return f"{self.text(rest[0], _COMPARED + 1)} in {owner}"
            case Part.READ:
                return f"{owner}[{self.text(rest[0])}]"
            case Part.DIM:
                rank = variable.symbol(Part.RANK)(*args[:-1])
                return f"{owner}.shape[{self._from_left(rest[0], rank)}]"
            case _:
                return f"{owner} is {part}"

    def _owner(self, variable: Variable, member: tuple[Term, ...]) -> str:
        """A declared name, or the member of its family with a number."""
        if not member:
            return variable.name
        return f"{variable.name}[{self.text(add(member[0], integer(variable.base)))}]"

    def _from_left(self, axis: Term, rank: Term | None) -> str:
        """The number of an axis that is counted from the right, as texts count it."""
        backwards = sub(integer(-1), axis)
        if rank is not None and rank in linear(axis)[0]:
            return self.text(add(rank, backwards))
        return self.text(backwards)

    def _constant(self, term: Term) -> str:
        """A constant that a proof makes: called as the variable that it was put for."""
        if term not in self.made:
            self.made[term] = ""  # of one that is met inside of itself nothing else is known
            (origin, *others) = self._origins[term]
            name = (self._names(origin) if not others else None) or self._stem(term)
            # Numbered from 1, so that none is called as a variable of the text.
            number = 1
            while (free := f"{name}{number}") in self._taken:
                number += 1
            self._taken.add(free)
            self.made[term] = free
        return self.made[term]

    @staticmethod
    def _stem(term: Term) -> str:
        assert isinstance(term.payload, Symbol)
        return term.payload.name.partition("!")[0]

    # ----------------------------------------------------------------------------------------------------- conditions

    def _negated(self, term: Term) -> tuple[str, int]:
        match term.op:
            case Op.EQUAL:
                return self._compared(term, "!="), _COMPARED
            case Op.AT_MOST:
                one, other = term.args
                sign = "<"
                if one.sort == INT and linear(one)[1] == 1:
                    one, sign = sub(one, ONE), "<="
                return f"{self.text(other, _SUM)} {sign} {self.text(one, _SUM)}", _COMPARED
            case _:
                pass
        return f"not {self.text(term, _NOT + 1)}", _NOT

    def _at_most(self, one: Term, other: Term) -> tuple[str, int]:
        """`a + 1 <= b` is `a < b` where both are integers."""
        sign = "<="
        if one.sort == INT:
            slack = sub(one, ONE)
            if linear(one)[1] == 1 and slack is not ZERO:
                one, sign = slack, "<"
        return f"{self.text(one, _SUM)} {sign} {self.text(other, _SUM)}", _COMPARED

    def _either(self, term: Term) -> tuple[str, int]:
        """`not a or b` is `a => b`."""
        denied = [a.args[0] for a in term.args if a.op is Op.NOT and a.args[0].op is not Op.AT_MOST]
        rest = [a for a in term.args if not (a.op is Op.NOT and a.args[0].op is not Op.AT_MOST)]
        if not denied or not rest:
            return " or ".join(self.text(a, _AND) for a in term.args), _OR
        conditions = " and ".join(self.text(a, _NOT) for a in denied)
        return f"{conditions} => {' or '.join(self.text(a, _AND) for a in rest)}", _IMPLIES

    def _sum(self, term: Term) -> str:
        atoms, constant = linear(term)
        said = ""
        if constant and all(factor < 0 for factor in atoms.values()):
            said, constant = str(constant), 0
        # What is added stands before what is taken away, so that no sum begins with a sign.
        for atom, factor in sorted(atoms.items(), key=lambda item: item[1] < 0):
            size = abs(factor)
            text = self.text(atom, _TIGHT) if size != 1 else self.text(atom, _PRODUCT)
            said += _signed(text if size == 1 else f"{size} * {text}", said, factor)
        if constant:
            said += _signed(str(abs(constant)), said, constant)
        return said

    # -------------------------------------------------------------------------------------------------------- binders

    def _binder(self, term: Term) -> tuple[str, int]:
        match term.op:
            case Op.FORALL:
                variable, low, high, body = term.args
                domain = f"{self.text(low)} .. {self.text(high)}"
                return self._within(term, variable, lambda k: f"for all {k} in {domain} : {self.text(body)}"), _LOOSE
            case Op.FORALL_INDEX:
                variable, rank, axis, sizes, body = term.args
                domain = self._shape(rank, axis, sizes)
                return self._within(term, variable, lambda i: f"for all {i} in {domain} : {self.text(body)}"), _LOOSE
            case Op.INSIDE:
                position, rank, axis, sizes = term.args
                return f"{self.text(position, _SUM)} in {self._shape(rank, axis, sizes)}", _COMPARED
            case Op.INDEX:
                axis, rank, body = term.args
                return self._within(term, axis, lambda q: self._index(q, rank, body)), _TIGHT
            case Op.RECURSION:
                return f"the recursion at {self.text(term.args[3])}", _TIGHT
            case Op.STATE:
                return f"the recursion at {self.text(State.of(term).number)}", _TIGHT
            case _:
                return self._fold(Fold.of(term)), _TIGHT

    def _index(self, axis: str, rank: Term, body: Term) -> str:
        return f"index (rank {self.text(rank)}, {axis} from the right -> {self.text(body)})"

    def _within(self, term: Term, variable: Term, said: Callable[[str], str]) -> str:
        """The words with a variable in scope."""
        name = self.variable(term)
        others = {text for bound, text in self._bound.items() if bound in term.free}
        used = {*others, *(self.made.values())}
        free, n = name, 2
        while free in used:
            free, n = f"{name}{n}", n + 1
        before = self._bound.get(variable)
        self._bound[variable] = free
        try:
            return said(free)
        finally:
            self._bound.pop(variable)
            if before is not None:
                self._bound[variable] = before

    def _shape(self, rank: Term, axis: Term, sizes: Term) -> str:
        """The shape of a declared thing; any other by its rank and sizes."""
        if sizes.op is Op.APPLY and sizes.args and sizes.args[-1] is axis:
            found = self._parts.get(sizes.payload) if isinstance(sizes.payload, Symbol) else None
            if found is not None and found[1] == Part.DIM and rank is found[0].symbol(Part.RANK)(*sizes.args[:-1]):
                return self._owner(found[0], sizes.args[:-1])
        before = self._bound.get(axis)
        self._bound[axis] = "q"
        said = self.text(sizes)
        self._bound.pop(axis)
        if before is not None:
            self._bound[axis] = before
        return f"shape (rank {self.text(rank)}, q from the right -> {said})"

    def _fold(self, fold: Fold) -> str:
        kind = str(fold.kind.name)
        if fold.kind.name is FoldName.GREATEST and fold.order.op is Op.AT_MOST:
            kind = "max" if fold.order.args[0] is fold.x else "min"

        def said(k: str) -> str:
            if fold.low is not None and fold.high is not None:
                domain = f"{self.text(fold.low)} .. {self.text(fold.high)}"
            else:
                assert fold.rank is not None
                assert fold.axis is not None
                assert fold.sizes is not None
                domain = self._shape(fold.rank, fold.axis, fold.sizes)
            value = k if fold.kind.name in (FoldName.COUNT, FoldName.POSITION) else self.text(fold.value)
            where = "" if fold.condition is TRUE else f" where {self.text(fold.condition)}"
            return f"{kind} {{ {value} | {k} in {domain}{where} }}"

        text = self._within(fold.term, fold.variable, said)
        if fold.otherwise is not None and fold.kind.name is not FoldName.POSITION:
            return f"{text} default {self.text(fold.otherwise)}"
        return text


def _signed(text: str, before: str, factor: int | Fraction) -> str:
    """An addend behind others."""
    if not before:
        return text if factor > 0 else f"-{text}"
    return f" + {text}" if factor > 0 else f" - {text}"
