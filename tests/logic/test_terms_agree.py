"""Random closed terms: the reference evaluator's value is the only one that both solvers allow.

Operands are symbols that a constraint makes equal to a value, so that nothing is computed while the term is built.
`at` is left out: indices have no literals, and test_rules.py covers their rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

import pytest

from sonnx_verify.logic import floats
from sonnx_verify.logic.elements import ARITY
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import GROUPS, Op
from sonnx_verify.logic.sorts import BOOL, FLOATS, INT, INTEGERS, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    add,
    and_,
    apply,
    bits,
    converted,
    div,
    element,
    eq,
    ite,
    le,
    literal,
    lt,
    mod,
    not_,
    of_bits,
    or_,
    quotient,
    resized,
    times,
)
from sonnx_verify.solving.solvers import Query

Submit = Callable[[Sequence[Term]], Query]
NUMBERS: tuple[Sort, ...] = (INT, REAL)
MACHINE: tuple[Sort, ...] = (*INTEGERS, *FLOATS)
SORTS: tuple[Sort, ...] = (BOOL, *NUMBERS, *MACHINE)
BOTH_UNSAT = {"z3": "unsat", "cvc5": "unsat"}
BOTH_SAT = {"z3": "sat", "cvc5": "sat"}


def special(sort: Sort) -> list[object]:
    """The values at which operators behave in a way of their own."""
    match sort:
        case FloatSort():
            zeros = [floats.zero(sort), floats.zero(sort, negative=True)]
            infinities = [floats.infinity(sort), floats.infinity(sort, negative=True)]
            ones = [floats.from_float(sort, x) for x in (1.0, -1.5)]
            largest_subnormal = (1 << (sort.significand - 1)) - 1
            small = [floats.smallest_subnormal(sort), floats.negate(sort, largest_subnormal)]
            return [floats.nan(sort), *zeros, *infinities, *ones, *small, floats.greatest(sort), floats.lowest(sort)]
        case IntegerSort():
            near_zero = [-2, -1] if sort.signed else [sort.greatest // 2, sort.greatest // 2 + 1]
            return [
                sort.lowest,
                sort.lowest + 1,
                *near_zero,
                0,
                1,
                min(2, sort.greatest),
                sort.greatest - 1,
                sort.greatest,
            ]
        case _ if sort == BOOL:
            return [False, True]
        case _ if sort == INT:
            return [0, 1, -1, 2, -3, 7, 1 << 64, -(1 << 63) - 1]
        case _:
            return [Fraction(n, d) for n, d in ((0, 1), (1, 1), (-1, 3), (5, 2), (-7, 1), (1 << 60, 3))]


def any_value(sort: Sort, rng: random.Random) -> object:
    """A special value half of the time, else one from the whole range."""
    if sort == BOOL or rng.randrange(2):
        return rng.choice(special(sort))
    match sort:
        case FloatSort():
            return floats.canonical(sort, rng.getrandbits(sort.width))
        case IntegerSort():
            return rng.randint(sort.lowest, sort.greatest)
        case _ if sort == INT:
            return rng.randint(-1000, 1000)
        case _:
            return Fraction(rng.randint(-1000, 1000), rng.randint(1, 50))


def symbol(value: object, sort: Sort) -> Term:
    """The constant that stands for a value."""
    text = str(value).replace("/", "over").replace("-", "minus")
    return apply(Symbol(f"{sort}.{text}", (), sort))


def comparisons(sort: Sort) -> dict[str, Callable[..., Term]]:
    """The builders, by operator, of bools from two operands of the sort."""
    ordered = {} if sort == BOOL else {"<=": le, "<": lt}
    ieee = {"ieee_equal": lambda a, b: element("ieee_equal", a, b)} if isinstance(sort, FloatSort) else {}
    return {"=": eq, **ordered, **ieee}


def unary(sort: Sort) -> dict[str, Callable[..., Term]]:
    """The builders, by operator, of one operand of the sort."""
    if sort == BOOL:
        return {"not": not_}
    names = {"neg"} if isinstance(sort, IntegerSort | FloatSort) else set()
    if isinstance(sort, FloatSort):
        names |= GROUPS["float"] - {"ieee_equal"}
        names |= {name for name in GROUPS["rounded"] if ARITY[name] == 1}
    inverted = {"bit_not": lambda a: bits(Op.BIT_NOT, a)} if isinstance(sort, IntegerSort) else {}
    return {name: (lambda a, name=name: element(name, a)) for name in sorted(names)} | inverted


def casts(sort: Sort) -> Iterator[tuple[str, Callable[[Term], Term]]]:
    """The builders, by operator, of a value of another machine sort from one of the sort."""
    for target in MACHINE:
        if target == sort or not isinstance(sort, IntegerSort | FloatSort):
            continue
        if isinstance(target, FloatSort):
            yield "converted", partial(converted, sort=target)
            if isinstance(sort, IntegerSort) and not sort.signed and sort.width == target.width:
                yield "of_bits", partial(of_bits, sort=target)
        elif isinstance(sort, IntegerSort):
            yield "resized", partial(resized, sort=target)


def binary(sort: Sort) -> dict[str, Callable[..., Term]]:
    """The builders, by operator, of a value of the sort from two."""
    if sort == BOOL:
        return {"and": and_, "or": or_}
    if sort == INT:
        return {"+": add, "*": times, "div": div, "mod": mod}
    if sort == REAL:
        return {"+": add, "*": times, "/": quotient}
    arithmetic = {name: (lambda a, b, name=name: element(name, a, b)) for name in ("add", "mul", "sub")}
    if not isinstance(sort, IntegerSort):
        rounded = sorted(name for name in GROUPS["rounded"] if ARITY[name] == 2)
        return arithmetic | {name: (lambda a, b, name=name: element(name, a, b)) for name in rounded}
    names = sorted(GROUPS["bits"] - {"bit_not", "resized", "of_bits", "converted"})
    return arithmetic | {name: (lambda a, b, name=name: bits(name, a, b)) for name in names}


def each_operator(sort: Sort) -> Iterator[tuple[str, Term]]:
    """Every operator of the sort, with every special value on every operand position."""
    operands = [symbol(v, sort) for v in special(sort)]
    for name, build in unary(sort).items():
        yield from ((name, build(a)) for a in operands)
    for name, build in casts(sort):
        yield from ((name, build(a)) for a in operands)
    for name, build in (*comparisons(sort).items(), *binary(sort).items()):
        yield from ((name, build(a, b)) for a, b in product(operands, repeat=2))
    if isinstance(sort, FloatSort):
        # Of three operands not all: each value stands with each other one, on each position.
        yield from (
            ("fma", element("fma", a, b, operands[(n * n + m) % len(operands)]))
            for n, a in enumerate(operands)
            for m, b in enumerate(operands)
        )
    for choice in (False, True):
        condition = symbol(choice, BOOL)
        yield from (("ite", ite(condition, a, b)) for a, b in product(operands, repeat=2))


@dataclass
class Nest:
    """Draws nested terms of a sort and of the bools over it."""

    sort: Sort
    rng: random.Random

    def value(self, depth: int) -> Term:
        if depth <= 0:
            return symbol(any_value(self.sort, self.rng), self.sort)
        if self.rng.randrange(4) == 0:
            return ite(self.truth(depth - 1), self.value(depth - 1), self.value(depth - 1))
        if self.rng.randrange(4) == 0 and "neg" in unary(self.sort):
            return element("neg", self.value(depth - 1))
        return self.rng.choice(list(binary(self.sort).values()))(self.value(depth - 1), self.value(depth - 1))

    def truth(self, depth: int) -> Term:
        if depth <= 0:
            return symbol(self.rng.randrange(2) == 1, BOOL)
        match self.rng.randrange(4):
            case 0:
                builders: list[Callable[..., Term]] = [and_, or_, eq]
                return self.rng.choice(builders)(self.truth(depth - 1), self.truth(depth - 1))
            case 1:
                return not_(self.truth(depth - 1))
            case _:
                build = self.rng.choice(list(comparisons(self.sort).values()))
                return build(self.value(depth - 1), self.value(depth - 1))


def symbols_of(terms: Sequence[Term]) -> dict[Symbol, Sort]:
    """The symbols of terms, with their sorts."""
    found: dict[Symbol, Sort] = {}
    stack, seen = list(terms), set(terms)
    while stack:
        node = stack.pop()
        if node.op == "apply" and isinstance(node.payload, Symbol):
            found[node.payload] = node.sort
        new = [a for a in node.args if a not in seen]
        seen.update(new)
        stack.extend(new)
    return found


def facts_of(sorts: Sequence[Sort]) -> dict[Symbol, object]:
    """The value of each symbol of the special values."""
    return {_symbol(symbol(v, sort)): v for sort in (BOOL, *sorts) for v in special(sort)}


def _symbol(term: Term) -> Symbol:
    assert isinstance(term.payload, Symbol)
    return term.payload


def statuses(query: Query) -> dict[str, str]:
    """What each solver says; an unknown with its reason."""
    return {name: f"{a.status} {a.reason}".strip() for name, a in query.result().items()}


@dataclass
class Claims:
    """Terms with the values that the evaluator gives them, under the values of their symbols."""

    facts: Mapping[Symbol, object]
    claims: list[tuple[Term, object]]

    def given(self) -> list[Term]:
        used = symbols_of([t for t, _ in self.claims])
        return [eq(apply(s), literal(self.facts[s], sort)) for s, sort in used.items()]

    def query(self) -> list[Term]:
        """Ground formulas that can be true only where some claim is false."""
        return [*self.given(), or_(*(not_(eq(t, literal(v, t.sort))) for t, v in self.claims))]

    def wrong(self, submit: Submit) -> list[tuple[Term, object, dict[str, str]]]:
        """The claims on which a solver disagrees, found by halving."""
        answers = statuses(submit(self.query()))
        if answers == BOTH_UNSAT:
            return []
        if len(self.claims) == 1:
            return [(*self.claims[0], answers)]
        half = len(self.claims) // 2
        parts = (Claims(self.facts, self.claims[:half]), Claims(self.facts, self.claims[half:]))
        return [found for part in parts for found in part.wrong(submit)][:3]


def claims_of(terms: Sequence[Term], facts: Mapping[Symbol, object]) -> Claims:
    """The terms that have values, with them."""
    claims = []
    for term in terms:
        try:
            claims.append((term, evaluate(term, facts)))
        except Undefined:
            continue
    return Claims(facts, claims)


def chunks(claims: Claims, size: int) -> list[Claims]:
    return [Claims(claims.facts, claims.claims[n : n + size]) for n in range(0, len(claims.claims), size)]


def disagreements(claims: Claims, size: int, submit: Submit) -> list[tuple[Term, object, dict[str, str]]]:
    """The first claims on which a solver disagrees; all queries are under way at once."""
    parts = chunks(claims, size)
    for part in parts:
        submit(part.query())
    return [found for part in parts for found in part.wrong(submit)][:3]


each_sort = pytest.mark.parametrize("sort", SORTS, ids=str)


@each_sort
def test_every_operator(sort: Sort, submit: Submit) -> None:
    """Each operator of the sort has the solvers' value on all special values, on each operand position."""
    terms = [term for _, term in each_operator(sort)]
    claims = claims_of(terms, facts_of([sort]))

    assert disagreements(claims, 200, submit) == []


def test_no_operator_is_left_out() -> None:
    """The operators that `each_operator` draws are all of the table but binders, leaves, `at`, `state_at`, and
    functions of reals, which no solver has."""
    drawn = {name for sort in SORTS for name, _ in each_operator(sort)}

    assert drawn == frozenset().union(
        *(GROUPS[g] for g in ("core", "arithmetic", "comparison", "element", "rounded", "float", "bits"))
    ) - {"at", "state_at", "real_function"}


def test_every_drawn_operator_is_built() -> None:
    """No builder has simplified away the operator that is tested, save where both operands are the same. The
    difference of machine integers is written as the sum with what is negated."""
    for sort in SORTS:
        built: dict[str, set[str]] = {}
        for name, term in each_operator(sort):
            built.setdefault(name, set()).update(n.op for n in symbols_and_heads(term))
        hidden = {name for name, ops in built.items() if name not in ops and name not in ("<", "ite")}

        if isinstance(sort, IntegerSort):
            assert {"add", "neg"} <= built["sub"], sort
            hidden.remove("sub")

        assert hidden == set(), sort


def symbols_and_heads(term: Term) -> list[Term]:
    return [term, *(n for a in term.args for n in symbols_and_heads(a))]


@each_sort
def test_the_question_can_be_answered_otherwise(sort: Sort, submit: Submit) -> None:
    """The constraints on the symbols are satisfiable, and one wrong value among the claims is seen."""
    claims = claims_of([term for _, term in each_operator(sort)], facts_of([sort]))
    term, value = next((t, v) for t, v in claims.claims if t.sort == sort and t.args)
    other = next(v for v in special(sort) if v != value)
    wrong = Claims(claims.facts, [*claims.claims[:5], (term, other)])

    assert statuses(submit(claims.given())) == BOTH_SAT
    assert statuses(submit(wrong.query())) == BOTH_SAT
    assert [found[:2] for found in wrong.wrong(submit)] == [(term, other)]


def nested(sort: Sort, number: int, seed: int) -> Claims:
    """Claims about random nested terms of the sort and bools over it."""
    nest = Nest(sort, random.Random(f"{sort} {seed}"))
    # Products of products of machine numbers are dear for a solver, even of known values.
    depth = 3 if isinstance(sort, FloatSort) else 4
    terms = [nest.value(depth) if n % 2 else nest.truth(depth) for n in range(number)]
    facts = {s: None for s in symbols_of(terms)}
    return claims_of(terms, {s: value_in(s) for s in facts})


def value_in(symbol: Symbol) -> object:
    """The value that the name of a symbol made by `symbol` says."""
    text = symbol.name.split(".", 1)[1].replace("minus", "-")
    if symbol.result == BOOL:
        return text == "True"
    return Fraction(text.replace("over", "/")) if symbol.result == REAL else int(text)


@each_sort
def test_random_nestings(sort: Sort, submit: Submit) -> None:
    """Nested terms have the solvers' value."""
    assert disagreements(nested(sort, 300, 0), 20, submit) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 6))
@each_sort
def test_random_nestings_soak(sort: Sort, seed: int, submit: Submit) -> None:
    """Nested terms have the solvers' value, many of them."""
    assert disagreements(nested(sort, 500, seed), 20, submit) == []
