"""Each rule of the named-witness expansion proves what needs it, and no near miss of that.

A law is given as formulas that cannot be true together. `laws.proves` says from which generation on both solvers find
that, and whether it needs the rules of equality; `laws.never` that neither finds it at any step of the ladder.
The last tests put a wrong rule in the place of a right one, and see a false law become unsat: so `never` can fail.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic import grounding, instances, witness
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.fold_equality import FoldEquality
from sonnx_verify.logic.fold_rules import FoldRules
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.names import Context
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, REAL
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Fold,
    Symbol,
    Term,
    add,
    and_,
    at,
    eq,
    forall,
    forall_index,
    implies,
    index,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    or_,
    scale,
    sub,
    substitute,
    times,
    with_copy,
)
from sonnx_verify.logic.witness import Expansion, Extensionality
from tests.logic.built import exists, fold

Laws = Any  # of conftest.py
TWO = integer(2)
A, B, C, D = (Symbol(name, (), INT)() for name in "abcd")
F, G = Symbol("f", (INT,), INT), Symbol("g", (INT, INT), INT)
P, Q, R = Symbol("p", (INT,), BOOL), Symbol("q", (INT,), BOOL), Symbol("r", (INT, INT), BOOL)
T = Symbol("t", (), BOOL)()
I, H = Symbol("i", (), INDEX)(), Symbol("h", (INDEX,), INT)  # noqa: E741 - an index is called i


def within(low: Term, name: Term, high: Term) -> Term:
    return and_(le(low, name), le(name, high))


def greatest(low: Term, high: Term, condition: Callable[[Term], Term] = P, otherwise: Term | None = None) -> Term:
    return fold("greatest", low, high, condition, F, otherwise=otherwise)


def least(low: Term, high: Term) -> Term:
    return fold("greatest", low, high, P, F, lambda x, y: le(y, x))


def the(low: Term, high: Term, condition: Callable[[Term], Term] = P, otherwise: Term | None = None) -> Term:
    return fold("the", low, high, condition, F, otherwise=otherwise)


def total(low: Term, high: Term) -> Term:
    return fold("sum", low, high, P, F)


# --------------------------------------------------------------------------------------------------------- quantifiers


def test_instantiation(laws: Laws) -> None:
    """What holds of a range holds of a name in it, and says nothing of a name just outside."""
    law = forall(A, B, P)

    laws.proves(0, law, within(A, C, B), not_(P(C)))
    laws.proves(0, law, within(A, add(C, ONE), B), not_(P(add(C, ONE))))
    laws.never(law, within(A, C, add(B, ONE)), not_(P(C)))
    laws.never(law, within(sub(A, ONE), C, B), not_(P(C)))


def test_instantiation_under_an_offset(laws: Laws) -> None:
    """A variable that stands in an argument with an offset or a sign is solved for."""
    laws.proves(0, forall(A, B, lambda k: P(add(k, C))), within(A, D, B), not_(P(add(C, D))))
    laws.proves(0, forall(A, B, lambda k: P(sub(C, k))), within(A, sub(C, D), B), not_(P(D)))
    laws.never(forall(A, B, lambda k: P(sub(C, k))), within(A, D, B), not_(P(D)))


def test_counterexample_is_named(laws: Laws) -> None:
    """A quantifier that fails has a witness inside its range."""
    laws.proves(0, exists(A, B, P), forall(A, B, lambda k: not_(P(k))))
    laws.proves(0, exists(A, B, lambda k: TRUE), lt(B, A))
    laws.never(exists(A, add(B, ONE), P), forall(A, B, lambda k: not_(P(k))))


def test_equation_names_its_other_side(laws: Laws) -> None:
    """In `k = t`, t is worth trying, though it stands in no argument position."""
    laws.proves(0, forall(A, B, lambda k: not_(eq(k, C))), within(A, C, B))
    laws.never(forall(A, B, lambda k: not_(eq(k, C))), within(A, C, add(B, ONE)))


def test_least_value_of_a_range_is_named(laws: Laws) -> None:
    """A range that is not empty has its least value, where the variable stands in no argument position."""
    laws.proves(0, forall(A, B, lambda k: or_(T, lt(k, C))), not_(T), le(A, B), le(C, A))
    laws.proves(0, forall(ZERO, A, lambda k: FALSE), le(ZERO, A))
    laws.never(forall(A, B, lambda k: or_(T, lt(k, C))), not_(T), le(C, A))
    laws.never(forall(ZERO, A, lambda k: FALSE), le(ZERO, add(A, ONE)))


def test_values_of_a_short_range_are_named(laws: Laws) -> None:
    """All values of a short range of literals are tried, where they are only compared."""
    misses = forall(ZERO, integer(4), lambda k: or_(lt(k, A), lt(A, k)))

    laws.proves(0, misses, within(ZERO, A, integer(4)))
    laws.never(misses, within(ZERO, A, integer(5)))


def test_alternation_costs_a_generation(laws: Laws) -> None:
    """A witness that depends on an instance has a generation more; the converse of swapping is no law."""
    each = forall(ZERO, A, lambda x: exists(ZERO, B, lambda y: R(x, y)))
    # Not up to B: then both would speak of one inner quantifier, and no witness were needed.
    none = forall(ZERO, A, lambda x: forall(ZERO, add(B, ONE), lambda y: not_(R(x, y))))

    laws.proves(1, each, none, le(ZERO, A))
    laws.never(each, none)
    laws.never(each, not_(exists(ZERO, B, lambda y: forall(ZERO, A, lambda x: R(x, y)))))


def test_depth_without_alternation_is_free(laws: Laws) -> None:
    """Witnesses of nested quantifiers of one kind cost nothing."""
    some = exists(ZERO, A, lambda x: exists(ZERO, B, lambda y: exists(ZERO, C, lambda z: R(G(x, y), z))))
    none = forall(ZERO, A, lambda x: forall(ZERO, B, lambda y: forall(ZERO, C, lambda z: not_(R(G(x, y), z)))))

    laws.proves(0, some, none)
    laws.never(some, forall(ZERO, A, lambda x: forall(ZERO, B, lambda y: forall(ONE, C, lambda z: not_(R(x, z))))))


def test_generations_add_up(laws: Laws) -> None:
    """Two alternations need two generations."""
    chain = forall(ZERO, A, lambda x: exists(ZERO, A, lambda y: R(x, y)))
    stop = forall(ZERO, A, lambda x: forall(ZERO, A, lambda y: or_(not_(R(x, y)), P(y))))
    end = forall(ZERO, A, lambda x: or_(not_(P(x)), forall(ZERO, A, lambda y: not_(and_(R(x, y), P(y))))))

    laws.proves(2, chain, stop, end, le(ZERO, A))
    laws.never(chain, stop, le(ZERO, A))


def test_quantifier_as_a_value(laws: Laws) -> None:
    """A quantifier that stands on a side of an equation or in a condition may be true and may be false."""
    law = forall(A, B, P)

    laws.proves(0, eq(law, T), T, within(A, C, B), not_(P(C)))
    laws.proves(0, eq(law, T), not_(T), lt(B, A))
    laws.proves(0, eq(ite(law, ZERO, ONE), ZERO), within(A, C, B), not_(P(C)))
    laws.never(eq(law, T), within(A, C, B), not_(P(C)))


# --------------------------------------------------------------------------------------------------------------- folds


def test_fold_bound(laws: Laws) -> None:
    """No member of a set is beyond its greatest by the order; what is no member may be."""
    laws.proves(0, within(A, C, B), P(C), lt(greatest(A, B), F(C)))
    laws.proves(0, within(A, C, B), P(C), lt(F(C), least(A, B)))
    laws.never(within(A, C, B), lt(greatest(A, B), F(C)))
    laws.never(within(A, C, add(B, ONE)), P(C), lt(greatest(A, B), F(C)))
    laws.never(within(A, C, B), P(C), lt(least(A, B), F(C)))


@pytest.mark.parametrize("make", [greatest, least, the])
def test_fold_witness(make: Callable[[Term, Term], Term], laws: Laws) -> None:
    """The fold of a set that has members is the value of one of them."""
    taken = eq(make(A, B), D)
    other = forall(A, B, lambda k: or_(not_(P(k)), not_(eq(F(k), D))))

    laws.proves(0, taken, within(A, C, B), P(C), other)
    laws.never(taken, other)
    laws.never(taken, within(A, C, B), other)


@pytest.mark.parametrize("make", [greatest, the])
def test_fold_else(make: Callable[..., Term], laws: Laws) -> None:
    """The fold of an empty set is its else value; that of another is not."""
    taken = make(A, B, otherwise=D)

    laws.proves(0, lt(B, A), not_(eq(taken, D)))
    laws.proves(0, forall(A, B, lambda k: not_(P(k))), not_(eq(taken, D)))
    laws.never(not_(eq(taken, D)))
    laws.never(forall(A, B, lambda k: not_(P(k))), le(A, B), eq(taken, D))


@pytest.mark.parametrize("make", [greatest, least, the])
def test_empty_fold_without_else_may_be_anything(make: Callable[[Term, Term], Term], laws: Laws) -> None:
    """A law that relies on the value of a fold of nothing is not proved, nor is one that relies on another value."""
    empty, other = make(A, B), make(C, D)

    laws.never(lt(B, A), not_(eq(empty, ZERO)))
    laws.never(lt(B, A), eq(empty, ZERO))
    laws.never(lt(B, A), lt(D, C), not_(eq(empty, other)))
    laws.never(lt(B, A), not_(P(F(empty))))


def test_the_has_choice_semantics(laws: Laws) -> None:
    """`the` of two members is one of them, neither the first nor the last by itself."""
    two = the(ZERO, ONE, lambda k: TRUE)

    laws.proves(0, not_(eq(two, F(ZERO))), not_(eq(two, F(ONE))))
    laws.never(not_(eq(two, F(ZERO))))
    laws.never(not_(eq(two, F(ONE))))
    laws.never(not_(eq(the(ZERO, ONE), F(ZERO))), P(ZERO))
    laws.proves(0, not_(eq(the(ZERO, ONE), F(ZERO))), P(ZERO), not_(P(ONE)))


def unique() -> Term:
    return forall(A, B, lambda k: forall(A, B, lambda m: implies(and_(P(k), P(m)), eq(F(k), F(m)))))


def test_copies_of_the(laws: Laws) -> None:
    """Two copies of `the` are equal where the member is the only one, and are not known to be otherwise."""
    taken, some = the(A, B), exists(A, B, P)
    differ = not_(eq(taken, with_copy(taken, 1)))

    assert laws.steps(unique(), some, differ)[-1]
    laws.never(some, differ)
    laws.never(unique(), differ)


@pytest.mark.parametrize("make", [greatest, least])
def test_copies_of_greatest(make: Callable[[Term, Term], Term], laws: Laws) -> None:
    """Two copies of the greatest are equal, where there is one: the order says so, and congruence is not needed."""
    taken, some = make(A, B), exists(A, B, P)
    differ = not_(eq(taken, with_copy(taken, 1)))

    laws.proves(0, some, differ)
    laws.never(differ)


def test_congruence(laws: Laws) -> None:
    """Folds over sets with the same members are equal, where there are members."""
    same = forall(A, B, lambda k: eq(P(k), Q(k)))
    differ = not_(eq(the(A, B), the(A, B, Q)))
    some = and_(within(A, C, B), P(C))

    laws.proves(0, same, some, differ, equality=True)
    laws.never(same, differ)
    laws.never(forall(A, B, lambda k: implies(P(k), Q(k))), some, differ)
    laws.never(forall(add(A, ONE), B, lambda k: eq(P(k), Q(k))), some, differ)
    laws.never(same, some, not_(eq(the(A, B), with_copy(the(A, B, Q), 1))))
    laws.never(same, some, not_(eq(the(A, B), greatest(A, B, Q))))
    laws.never(same, some, not_(eq(least(A, B), greatest(A, B, Q))))


def test_congruence_of_values(laws: Laws) -> None:
    """So are folds of the same values over one set."""
    other = fold("the", A, B, P, lambda k: G(k, k))
    same = forall(A, B, lambda k: eq(F(k), G(k, k)))

    laws.proves(0, same, within(A, C, B), P(C), not_(eq(the(A, B), other)), equality=True)
    laws.never(forall(A, sub(B, ONE), lambda k: eq(F(k), G(k, k))), within(A, C, B), P(C), not_(eq(the(A, B), other)))


# ---------------------------------------------------------------------------------------------------------------- sums


def test_empty_sum(laws: Laws) -> None:
    """A sum over an empty range is 0, whatever its addends."""
    laws.proves(0, lt(B, A), not_(eq(total(A, B), ZERO)))
    laws.never(le(B, A), not_(eq(total(A, B), ZERO)))


def test_last_addend(laws: Laws) -> None:
    """A sum to n + 1 is that to n and the last addend, where it is chosen."""
    less, more = total(A, B), total(A, add(B, ONE))
    last = F(add(B, ONE))

    laws.proves(0, le(A, B), P(add(B, ONE)), not_(eq(more, add(less, last))))
    laws.proves(0, not_(P(add(B, ONE))), le(A, B), not_(eq(more, less)))
    laws.never(le(A, B), not_(eq(more, add(less, last))))
    laws.never(P(add(B, ONE)), not_(eq(more, add(less, last))))
    laws.never(le(A, B), P(add(B, ONE)), not_(eq(more, add(less, F(B)))))


def test_sum_is_not_negative(laws: Laws) -> None:
    """A sum without a negative addend is not negative."""
    addends = forall(A, B, lambda k: implies(P(k), le(ZERO, F(k))))

    laws.proves(0, addends, lt(total(A, B), ZERO))
    laws.never(addends, lt(ZERO, total(A, B)))
    laws.never(forall(A, sub(B, ONE), lambda k: implies(P(k), le(ZERO, F(k)))), lt(total(A, B), ZERO))


def test_sum_of_reals(laws: Laws) -> None:
    """The rules of sums hold of reals, too."""
    real = fold("sum", A, B, P, Symbol("u", (INT,), REAL))

    laws.proves(0, lt(B, A), not_(eq(real, literal(Fraction(0), REAL))))


def test_sums_may_differ_at_one_member_and_be_opposed_at_another(laws: Laws) -> None:
    """That one sum is below the other, and that both are below zero together, may each be due to another member."""
    u, v = (Symbol(name, (INT,), REAL) for name in "uv")
    below, above = (fold("sum", A, B, lambda k: TRUE, values) for values in (u, v))
    opposed = lt(above, scale(-1, below))
    differ, negative = forall(A, B, lambda k: eq(u(k), v(k))), forall(A, B, lambda k: le(scale(-1, u(k)), v(k)))

    laws.proves(0, negative, opposed, equality=True)
    laws.proves(0, differ, lt(below, above), equality=True)
    laws.never(lt(below, above), opposed, forall(A, B, lambda k: or_(eq(u(k), v(k)), le(scale(-1, u(k)), v(k)))))


# ------------------------------------------------------------------------------------------------------------- indices


def inside_law(rank: Term, size: Term) -> Term:
    """That h of an index is at most its first coordinate, for every index of a shape."""
    return forall_index(rank, lambda k: size, lambda i: le(H(i), at(i, ZERO)))


def test_index_literal_is_read(laws: Laws) -> None:
    """A coordinate of an index literal is what is written, within its rank, and 0 beyond."""
    law = inside_law(ONE, B)

    laws.proves(0, law, within(ZERO, C, sub(B, ONE)), lt(C, H(index(ONE, lambda k: C))))
    laws.proves(0, law, lt(ZERO, B), eq(A, ZERO), lt(ZERO, H(index(A, lambda k: C))))
    laws.never(law, within(ZERO, C, B), lt(C, H(index(ONE, lambda k: C))))
    laws.never(law, within(ZERO, C, sub(B, ONE)), lt(C, H(index(TWO, lambda k: C))))


def test_index_of_a_shape_is_inside(laws: Laws) -> None:
    """A law of all indices of a shape holds of those whose coordinates are in range, and 0 beyond the rank."""
    law = forall_index(ONE, lambda k: A, lambda i: eq(H(i), ZERO))
    read = index(ONE, lambda k: at(I, k))

    laws.proves(0, law, within(ZERO, at(I, ZERO), sub(A, ONE)), not_(eq(H(read), ZERO)))
    laws.never(law, within(ZERO, at(I, ZERO), A), not_(eq(H(read), ZERO)))
    laws.never(law, within(ZERO, at(I, ZERO), sub(A, ONE)), not_(eq(H(I), ZERO)))


def test_counterexample_index_is_inside(laws: Laws) -> None:
    """A law of all indices that fails has a named index of the shape that breaks it."""
    positive = forall_index(A, F, lambda i: le(ZERO, H(i)))

    laws.proves(0, positive, not_(forall_index(A, F, lambda i: le(integer(-1), H(i)))))
    laws.proves(0, not_(forall_index(ONE, lambda k: B, lambda i: le(ZERO, at(i, ZERO)))))
    laws.never(positive, not_(forall_index(A, F, lambda i: le(ONE, H(i)))))
    laws.never(positive, not_(forall_index(add(A, ONE), F, lambda i: le(ZERO, H(i)))))


def test_extensionality(laws: Laws) -> None:
    """Indices with the same coordinates are read alike; with one axis less the same, they are not."""
    one, other = index(A, F), index(A, lambda k: G(k, k))
    differ = not_(eq(H(one), H(other)))

    laws.proves(0, forall(ZERO, sub(A, ONE), lambda k: eq(F(k), G(k, k))), differ, equality=True)
    laws.never(forall(ZERO, sub(A, TWO), lambda k: eq(F(k), G(k, k))), differ)
    laws.never(differ)


def test_limit() -> None:
    """An expansion beyond its limit ends, and gives nothing."""
    formulas = [forall(A, B, lambda k: R(k, k)), *(P(F(integer(n))) for n in range(20))]

    assert len(Expansion(Effort(0, 0, 40)).run(formulas)) <= 40
    with pytest.raises(TooLarge):
        Expansion(Effort(0, 0, 10)).run(formulas)


def test_limit_of_a_number() -> None:
    """Squares of squares soon have more digits than anything can write: an expansion ends there too."""
    large = integer(1 << 12_000)

    with pytest.raises(TooLarge, match="bits"):
        times(large, large)


# --------------------------------------------------------------------------------------------------------- wrong rules

Patch = Callable[[pytest.MonkeyPatch], None]


def member_without_upper_check(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Fold, "member", lambda self, name: and_(le(self.low, name), self.chosen(name)))


def instance_without_upper_check(patch: pytest.MonkeyPatch) -> None:
    right = instances.instance

    def instance(term: Term, name: Term) -> Term:
        if term.op != "forall":
            return right(term, name)
        return implies(le(term.args[1], name), substitute(term.args[3], {term.args[0]: name}))

    patch.setattr(witness, "instance", instance)


def fold_that_always_has_a_member(patch: pytest.MonkeyPatch) -> None:
    right = FoldRules.fold

    def always(self: FoldRules, term: Term, context: Context) -> Term:
        made = right(self, term, context)
        for _, _, some in self.met:
            self._grounder.assertions.fact(some)
        return made

    patch.setattr(FoldRules, "fold", always)


def first_match(patch: pytest.MonkeyPatch) -> None:
    right = FoldRules.fold

    def first(self: FoldRules, term: Term, context: Context) -> Term:
        known = term in self._grounder.constants
        made = right(self, term, context)
        if not known:
            low = term.args[1]
            self._grounder.tell(implies(Fold.of(term).member(low), eq(made, F(low))), context)
        return made

    patch.setattr(FoldRules, "fold", first)


def congruence_across_copies(patch: pytest.MonkeyPatch) -> None:
    right = FoldEquality.compare

    def shared(self: FoldEquality) -> None:
        self._rules.met = [(with_copy(term, 0), made, some) for term, made, some in self._rules.met]
        right(self)

    patch.setattr(FoldEquality, "compare", shared)


def congruence_of_empty_folds(patch: pytest.MonkeyPatch) -> None:
    right = FoldEquality._congruent

    def congruent(self: FoldEquality, one: Fold, c: Term, some: Term, other: Fold, d: Term) -> None:
        right(self, one, c, TRUE, other, d)

    patch.setattr(FoldEquality, "_congruent", congruent)


def sum_step_below_the_range(patch: pytest.MonkeyPatch) -> None:
    def step(self: FoldRules, shorter: Fold, less: Term, longer: Fold, more: Term, context: Context) -> None:
        last = longer.high
        assert last is not None
        assert shorter.high is not None
        following = eq(last, add(shorter.high, ONE))
        grown = ite(longer.chosen(last), add(less, longer.value_at(last)), less)
        self._grounder.tell(implies(following, eq(more, grown)), context)

    patch.setattr(FoldRules, "_step", step)


def index_without_rank(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(grounding, "in_range", lambda axis, rank: le(ZERO, axis))


def extensionality_at_one_axis(patch: pytest.MonkeyPatch) -> None:
    def extensional(self: Extensionality, a: Term, b: Term, generation: int) -> None:
        context = Context(generation, False)
        self._grounder.tell(or_(eq(a, b), not_(eq(at(a, ZERO), at(b, ZERO)))), context)

    patch.setattr(Extensionality, "_extensional", extensional)


def witness_shared_by_instances(patch: pytest.MonkeyPatch) -> None:
    right = Grounder.constant

    def constant(self: Grounder, sort: object, stem: str, generation: int, *origin: Term) -> Term:
        if stem == "k" and generation > 0:
            made = Symbol("k!shared", (), INT)()
            self.names.born(made, generation)
            return made
        return right(self, sort, stem, generation, *origin)  # type: ignore[arg-type]  # passed on as it came

    patch.setattr(Grounder, "constant", constant)


WRONG: dict[Patch, tuple[Term, ...]] = {
    member_without_upper_check: (P(add(B, ONE)), le(A, B), lt(greatest(A, B), F(add(B, ONE)))),
    instance_without_upper_check: (forall(A, B, P), le(A, B), not_(P(add(B, ONE)))),
    fold_that_always_has_a_member: (lt(B, A), le(ZERO, the(A, B))),
    first_match: (P(ZERO), not_(eq(the(ZERO, ONE), F(ZERO)))),
    congruence_across_copies: (exists(A, B, P), not_(eq(the(A, B), with_copy(the(A, B), 1)))),
    congruence_of_empty_folds: (lt(B, A), not_(eq(the(A, B), the(A, B, lambda k: or_(P(k), T)))), not_(T)),
    sum_step_below_the_range: (
        lt(add(B, ONE), A),
        P(add(B, ONE)),
        lt(ZERO, F(add(B, ONE))),
        le(total(A, B), total(A, add(B, ONE))),
    ),
    index_without_rank: (eq(C, ONE), not_(eq(H(index(ONE, lambda k: C)), H(index(TWO, lambda k: C))))),
    extensionality_at_one_axis: (eq(C, ONE), not_(eq(H(index(ONE, lambda k: C)), H(index(TWO, lambda k: C))))),
    witness_shared_by_instances: (
        forall(A, B, lambda x: exists(A, B, lambda y: and_(R(x, y), eq(F(y), x)))),
        lt(A, B),
        P(A),
        P(B),
        R(A, A),
        R(B, B),
    ),
}


@pytest.mark.parametrize("patch", WRONG, ids=lambda p: p.__name__)
def test_wrong_rule(patch: Patch, laws: Laws, monkeypatch: pytest.MonkeyPatch) -> None:
    """A false law is unsat at some step with the wrong rule, and at none with the right one."""
    laws.never(*WRONG[patch])

    patch(monkeypatch)

    assert laws.anywhere(*WRONG[patch])
