"""Verdicts. Only this module can make `proved` and `refuted`, and only from what their names promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass

from sonnx_verify.logic.evaluator import evaluate, without_memory
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined
from sonnx_verify.logic.terms import Term

NAMES = (
    "proved",
    "holds",
    "refuted",
    "violated",
    "vacuous",
    "inconsistent",
    "candidate",
    "unknown",
    "unsupported",
)
GOOD = frozenset(("proved", "holds"))
FINDINGS = frozenset(("refuted", "violated", "vacuous", "inconsistent"))
UNBOUNDED = "every rank, every dim including 0, every number of inputs, every element value"
"""The scope of what is proved without bound."""
_KEY = object()


@dataclass(frozen=True)
class Verdict:
    """An answer and its reason. Made by the functions below."""

    name: str
    reason: str
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if self.name not in NAMES:
            raise ValueError(f"no verdict is called {self.name}")
        if self.name in ("proved", "refuted", "holds", "violated", "vacuous") and key is not _KEY:
            raise ValueError(f"`{self.name}` is made in logic/verdict.py only")

    def __repr__(self) -> str:
        return f"Verdict({self.name!r}, {self.reason!r})"


def is_surprise(verdict: str, expected: str) -> bool:
    """Whether a verdict is another than the expected one: proved or holds where nothing is expected."""
    return verdict != expected if expected else verdict not in GOOD


def all_unsat(answers: Sequence[Mapping[str, str]]) -> bool:
    """Whether every query was asked of at least two solvers and each of them said unsat. No query at all is none."""
    return bool(answers) and all(len(a) >= 2 and all(v == "unsat" for v in a.values()) for a in answers)


def contradicted(answers: Sequence[Mapping[str, str]]) -> bool:
    """Whether two solvers contradict each other on some query."""
    return any({"sat", "unsat"} <= set(a.values()) for a in answers)


def is_witness(conditions: Sequence[Term], interpretation: Interpretation) -> bool:
    """Whether the reference evaluator finds every condition true. Where one has no value, it is not."""
    facts = without_memory(interpretation)
    try:
        return all(evaluate(c, facts) is True for c in conditions)
    except (Undefined, KeyError):
        return False


def proved(
    answers: Sequence[Mapping[str, str]], hypotheses: Sequence[Term], witness: Interpretation | None, reason: str = ""
) -> Verdict:
    """Proved: unsat by all solvers on all queries, under hypotheses that a witness satisfies."""
    if contradicted(answers):
        return Verdict("inconsistent", "the solvers contradict each other")
    if not all_unsat(answers):
        return Verdict("unknown", reason or "not every query is unsat")
    if witness is None or not is_witness(hypotheses, witness):
        return Verdict("unknown", "no witness of the hypotheses was found")
    return Verdict("proved", reason, _KEY)


def vacuous(answers: Sequence[Mapping[str, str]], reason: str) -> Verdict:
    """Vacuous: the hypotheses themselves are unsat by all solvers."""
    if not all_unsat(answers):
        return Verdict("unknown", "no witness of the hypotheses was found")
    return Verdict("vacuous", reason, _KEY)


def refuted(conditions: Sequence[Term], counterexample: Interpretation, reason: str) -> Verdict:
    """Refuted: the hypotheses and the negated statement are all true of a concrete input."""
    if not is_witness(conditions, counterexample):
        return Verdict("candidate", "the counterexample did not survive its replay")
    return Verdict("refuted", reason, _KEY)


def witnessed(conditions: Sequence[Term], witness: Interpretation, reason: str) -> Verdict:
    """An existential statement holds: all conditions are true of a concrete input."""
    if not is_witness(conditions, witness):
        return Verdict("candidate", "the witness did not survive its replay")
    return Verdict("holds", reason, _KEY)


def impossible(answers: Sequence[Mapping[str, str]], reason: str) -> Verdict:
    """An existential statement is violated: unsat by all solvers."""
    if contradicted(answers):
        return Verdict("inconsistent", "the solvers contradict each other")
    if not all_unsat(answers):
        return Verdict("unknown", "no witness was found, and it is not shown that there is none")
    return Verdict("violated", reason, _KEY)


def static(holds: bool, reason: str) -> Verdict:
    """A statement about the text itself, that needs no solver."""
    return Verdict("holds" if holds else "violated", reason, _KEY)


def undecided(name: str, reason: str) -> Verdict:
    """unknown, candidate, unsupported or inconsistent."""
    return Verdict(name, reason)


def recalled(name: str, reason: str) -> Verdict:
    """What an earlier run of this tool, with these solvers, concluded of this very text: read from the cache."""
    return Verdict(name, reason, _KEY)
