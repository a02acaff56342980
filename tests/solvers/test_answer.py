"""An Answer is consistent, whoever makes it."""

import dataclasses

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import Answer, unknown
from sonnx_verify.solving.solvers.rejections import rejected


@pytest.mark.parametrize(
    ("status", "reason", "model"),
    [
        ("maybe", "", ""),
        ("unknown", "", ""),
        ("unsat", "budget", ""),
        ("unknown", "tired", ""),
        ("unsat", "", "((x 1))"),
        ("unknown", "budget", "((x 1))"),
    ],
)
def test_contradictions_are_refused(status: str, reason: str, model: str) -> None:
    """No answer has a status, reason and model that contradict each other."""
    with pytest.raises(ValueError, match="status|reason|model"):
        Answer("z3", status, reason, model)  # type: ignore[arg-type]  # one is no status, which is tested


def test_frozen() -> None:
    """An answer never changes."""
    answer = unknown("z3", "budget")

    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.status = Status.UNSAT  # type: ignore[misc]  # that is the law


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Symbol 'y' not declared\nmore", "rejected: Symbol 'y' not declared"),
        ('(error "line 1 column 3: unknown constant y")\n', "rejected: line 1 column 3: unknown constant y"),
        ('(error "unknown parameter\nLegal parameters are")', "rejected: unknown parameter"),
        ("", "rejected: no message"),
        ("Symbol 's.bad_alloc' not declared", "rejected: Symbol 's.bad_alloc' not declared"),
        ("std::bad_alloc", "memory"),
        ('(error "out of memory")', "memory"),
    ],
)
def test_rejected_keeps_first_line(message: str, reason: str) -> None:
    """A rejection carries the first line of the solver's message, without its SMT-LIB wrapping. That there is no memory
    left is none."""
    assert rejected("z3", message) == Answer("z3", Status.UNKNOWN, reason)
