"""A record that goes from process to process arrives as it was."""

from __future__ import annotations

import pickle

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.language.context import Context
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, add, and_, forall, integer, le, lt, not_
from sonnx_verify.logic.verdict import VerdictName, is_witness, static, undecided
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span
from tests.logic.built import exists, fold

X = Symbol("x", (), INT)()


def test_terms_are_one_object_again() -> None:
    """A term with every kind of binder is, unpickled, the very same node."""
    inner = fold("greatest", integer(0), X, lambda k: lt(k, X), lambda k: add(k, X))
    term = and_(forall(integer(0), X, lambda k: le(k, inner)), exists(X, inner, lambda k: not_(lt(k, X))))

    # Equality of terms is identity: a copy would be another term to every table.
    assert pickle.loads(pickle.dumps(term)) is term


def test_record_keeps_everything() -> None:
    """A refuted record says the same in JSON, and its counterexample still is one."""
    goal = le(X, integer(0))
    variables = (Variable("x", VariableKind.INT, INT, None, 0),)

    def build(context: Context) -> Statement:
        return Statement(variables, (), (Claim((), goal, "x is not positive"),))

    obligation = Obligation(
        None, None, "", "small", Kind.THEOREM, Span(Source("s", "x"), 1, 1), "user.s", family="int", build=build
    )
    with Solvers() as solvers:
        record = next(run([obligation], solvers))
    back = Record.of_parts(obligation, pickle.loads(pickle.dumps(record.parts())))

    assert record.verdict.name == "refuted"
    assert result_of(back) == result_of(record)
    assert back == record
    assert back.counterexample is not None
    assert is_witness((not_(goal),), back.counterexample.found.facts)


def test_a_record_of_another_obligation_says_nothing() -> None:
    """Whatever it concludes: it was given to the wrong one on the way."""
    span = Span(Source("s", "x"), 1, 1)
    mine, other = (Obligation(None, None, "", tag, Kind.THEOREM, span, "user.s") for tag in ("mine", "other"))
    back = Record.of_parts(mine, Record(other, static("names fit", holds=True)).parts())

    assert back.obligation is mine
    assert (back.verdict.name, back.verdict.reason) == ("unknown", "the record is that of user.s/other/theorem")


def test_error_keeps_its_place() -> None:
    """A user's error prints the same on the other side."""
    span = Span(Source("s.sonnx", "a\nb y\n"), 2, 3)
    error = SpecificationError("there is no `y`", span, "define it")
    obligation = Obligation(None, None, "", "t", Kind.THEOREM, span, "user.s")
    record = Record(obligation, undecided(VerdictName.UNKNOWN, ""), error=error)
    back = Record.of_parts(obligation, pickle.loads(pickle.dumps(record.parts())))

    assert str(back.error) == str(error)
    assert type(back.error) is SpecificationError
