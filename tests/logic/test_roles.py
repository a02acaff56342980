"""A symbol has one role, which is no part of its name, its digest or its text for the solvers."""

from __future__ import annotations

import pickle

import pytest

from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT
from sonnx_verify.logic.terms import ZERO, Role, SortError, Symbol, Term, le, lt
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.solving.check.spoken import has_free_operations, mentions_undefined, of_any_type, reads


def test_a_second_role_is_refused() -> None:
    """A name of the same sorts stands for one thing; with other sorts it is another symbol."""
    Symbol("roles.a", (), INT, Role.COUNT)

    with pytest.raises(SortError, match="`roles.a` is a symbol for count, and not for plain"):
        Symbol("roles.a", (), INT)
    assert Symbol("roles.a", (INT,), INT).role is Role.PLAIN


def test_a_role_goes_to_other_processes() -> None:
    """A symbol that was pickled is the same one."""
    symbol = Symbol("roles.pickled", (INDEX,), BOOL, Role.READ)

    assert pickle.loads(pickle.dumps(symbol)) is symbol


def test_solvers_see_no_role() -> None:
    """Two symbols that differ in name and role have texts that differ in the name alone."""
    one, other = Symbol("roles.x", (), INT)(), Symbol("roles.y", (), INT, Role.RANK)()

    assert script([le(ZERO, one)]).replace("roles.x", "roles.y") == script([le(ZERO, other)])


def test_an_identity_of_names_is_no_role() -> None:
    """A condition is about what the roles say, whatever the names look like."""
    constant = lt(ZERO, Symbol("int..greatest", (), INT, Role.CONSTANT)())
    likeness = lt(ZERO, Symbol("roles..greatest", (), INT)())
    read = Symbol("roles.t", (INDEX,), BOOL, Role.READ)(Symbol("roles.i", (), INDEX)())
    named = Symbol("roles.read", (INDEX,), BOOL)(Symbol("roles.i", (), INDEX)())

    assert (of_any_type([constant]), of_any_type([likeness])) == (False, True)
    assert (reads([read]), reads([named])) == (True, False)


def test_free_operations_and_undefined_functions() -> None:
    """Both are found by their roles, in hypotheses and goals."""
    x = Symbol("roles.e", (), ELEMENT)()
    operation = Symbol("roles..is_odd", (ELEMENT,), BOOL, Role.OPERATION)(x)
    undefined = Symbol("roles.nowhere", (INT,), BOOL, Role.UNDEFINED)(ZERO)

    def statement(goal: Term) -> Statement:
        return Statement((), (), (Claim((), goal, ""),))

    assert has_free_operations(statement(operation))
    assert not has_free_operations(statement(undefined))
    assert mentions_undefined(statement(undefined))
    assert not mentions_undefined(statement(operation))
