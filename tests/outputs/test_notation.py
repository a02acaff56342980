"""Terms are shown in the notation of the language, with the names and the numbers that texts have."""

from __future__ import annotations

import pytest

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.parser import parse
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    bind_fold,
    eq,
    forall,
    forall_index,
    implies,
    integer,
    le,
    lt,
    not_,
    or_,
    placeholder,
    scale,
    sub,
    times,
)
from sonnx_verify.outputs.notation import Notation
from sonnx_verify.sources import Source

L = Symbol("L", (), INT)()
X = Variable("X", VariableKind.TENSOR, INT, add(L, ONE), 1, ("dense",))
S = Variable("S", VariableKind.SHAPE, INT, None, 0, (), VariableRole.THEOREM)
A = Variable("A", VariableKind.SET, BOOL, None, 0, (), VariableRole.THEOREM)
N, K = Symbol("n", (), INT)(), Symbol("k", (), INT)()
I = Symbol("i", (), INDEX)()  # noqa: E741  # the name that texts have


def rank() -> Term:
    return S.symbol("rank")()


def size(axis: Term) -> Term:
    return S.symbol("dim")(axis)


def greatest() -> Term:
    variable = placeholder(INT)
    return bind_fold("greatest", ZERO, N, variable, TRUE, size(variable), le, None)


CASES = {
    "0 <= n": le(ZERO, N),
    "k < n": lt(K, N),
    "k < rank(S)": not_(le(rank(), K)),
    "n != 1": not_(eq(N, ONE)),
    "-1 - n": sub(integer(-1), N),
    "2 * n - 3": add(scale(2, N), integer(-3)),
    "n * k": times(N, K),
    "k = n => n = 1": implies(eq(K, N), eq(N, ONE)),
    "k = n and (n = 1 or k = 1)": and_(eq(K, N), or_(eq(N, ONE), eq(K, ONE))),
    # An axis that is counted from the right, as texts count it.
    "S.shape[k]": size(sub(sub(rank(), ONE), K)),
    "S.shape[-1 - k]": size(K),
    # A family that begins at 1.
    "rank(X[1])": X.symbol("rank")(ZERO),
    "X[n + 1] is dense": X.symbol("dense")(N),
    "X[k][i]": X.symbol("read")(sub(K, ONE), I),
    "k in A": A.symbol("member")(K),
    "for all k in 0 .. n : S.shape[-1 - k] = 1": forall(ZERO, N, lambda k: eq(size(k), ONE)),
    "for all i in S : X[1][i] = 0": forall_index(rank(), size, lambda i: eq(X.symbol("read")(ZERO, i), ZERO)),
    "max { S.shape[-1 - k] | k in 0 .. n }": greatest(),
}


@pytest.mark.parametrize("said", CASES)
def test_notation(said: str) -> None:
    found = Notation((X, S, A)).text(CASES[said])
    # Which side of a sum or a product comes first hangs on digests.
    assert sorted(found.split()) == sorted(said.split())


def test_a_long_term_is_cut() -> None:
    term = N
    for _ in range(12):
        term = X.symbol("rank")(add(term, times(term, K)))
    assert "..." in Notation((X,)).text(term)
    assert len(Notation((X,)).text(term)) < 2000


def test_the_value_of_a_constant() -> None:
    """A constant of a proof is written as the fold that it is the value of."""
    constant = Symbol("greatest!abcdef", (), INT)()
    assert Notation((S,), values={constant: greatest()}).text(eq(constant, N)).startswith(("max {", "n = max {"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if X[i] < 0 then -X[i] else X[i] + X[i]", "if X[i] < T(0) then -X[i] else X[i] + X[i]"),
        ("T(int(X[i]) * 2)", "T(2 * int(X[i]))"),
        ("if T is signed then T.greatest else X[i]", "if T is signed then T.greatest else X[i]"),
    ],
)
def test_operations_on_elements_of_any_type(text: str, said: str) -> None:
    """As texts write those of each type, whatever free symbol they are."""
    source = Source("t.sonnx", OPERATOR.format(body=text))
    meaning = meaning_of(parse(source), Library(), Context("int", ELEMENT))
    result = meaning.result("Y")

    assert result is not None
    assert Notation(meaning.variables).text(result.read(Symbol("i", (), INDEX)())) == said


OPERATOR = """\
operator Foo version 1 user

types int = int8 uint8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = {body}
"""
