"""Verdicts. Only this module can make `proved` and `refuted`, and only from what their names promise. Trusted.

`proved` needs unsat from two independent voices for every claim, and an input that meets the hypotheses: of
contradictory hypotheses everything follows. `refuted` and `holds` need an input that the evaluator finds to meet all
conditions. A solver's `sat` shows nothing: it may come from names that were missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass
from enum import StrEnum

from sonnx_verify.logic.evaluator import evaluate, without_memory
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import Term


class VerdictName(StrEnum):
    """The verdicts, from the best one on. Texts, ledgers and JSON have their values."""

    PROVED = "proved"
    HOLDS = "holds"
    REFUTED = "refuted"
    VIOLATED = "violated"
    VACUOUS = "vacuous"
    INCONSISTENT = "inconsistent"
    CANDIDATE = "candidate"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"


NAMES = tuple(VerdictName)
GOOD = frozenset((VerdictName.PROVED, VerdictName.HOLDS))
FINDINGS = frozenset((VerdictName.REFUTED, VerdictName.VIOLATED, VerdictName.VACUOUS, VerdictName.INCONSISTENT))
EARNED = frozenset((*GOOD, VerdictName.REFUTED, VerdictName.VIOLATED, VerdictName.VACUOUS))
"""Verdicts that promise something, so that this module alone makes them."""
LASTING = frozenset((*EARNED, VerdictName.UNSUPPORTED))
"""Verdicts that another run would reach too."""
UNDECIDED = frozenset((VerdictName.UNKNOWN, VerdictName.CANDIDATE))
"""Verdicts that another run would reach too if nothing but work budgets and counted searches ended this one."""
UNBOUNDED = "every rank, every dim including 0, every number of inputs, every element value"
"""The scope of what is proved without bound."""
_VOICES = {"bitwuzla": "cvc5"}
"""Solvers that count as the voice of another one."""
# Nothing else has this object, so a verdict that promises something is made by a function of this module, or raises.
_KEY = object()


@dataclass(frozen=True)
class Verdict:
    """An answer and its reason. Made by the functions below."""

    name: VerdictName
    reason: str
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if self.name not in NAMES:
            raise ValueError(f"no verdict is called {self.name}")
        if self.name in EARNED and key is not _KEY:
            raise ValueError(f"`{self.name}` is made in logic/verdict.py only")

    def __repr__(self) -> str:
        return f"Verdict({str(self.name)!r}, {self.reason!r})"


def is_surprise(verdict: str, expected: str) -> bool:
    """Return whether a verdict is another than the expected one: proved or holds where nothing is expected."""
    if not expected:
        return verdict not in GOOD
    return verdict != expected


def lasts(verdict: VerdictName, *, repeatable: bool) -> bool:
    """Return whether another run would reach the same verdict. `repeatable` is whether no clock, no crash and no lack
    of memory ended anything that was tried."""
    return verdict in LASTING or (repeatable and verdict in UNDECIDED)


def voices(answers: Mapping[str, str]) -> frozenset[str]:
    """The independent voices that say unsat, by the solver that each is named after.

    bitwuzla and cvc5 make bits of floats by one library, SymFPU: a mistake in it would deceive both, so the two are one
    voice (twin shared_code_is_two_voices).
    """
    return frozenset(_VOICES.get(name, name) for name, status in answers.items() if status == Status.UNSAT)


def agreed(answers: Mapping[str, str]) -> bool:
    """Return whether two voices say unsat, and no solver says sat.

    One voice is not enough: a mistake in it would be a wrong proof (twin one_solver_suffices).
    """
    return len(voices(answers)) >= 2 and Status.SAT not in answers.values()


def all_unsat(answers: Sequence[Mapping[str, str]]) -> bool:
    """Return whether two voices say unsat of each of some queries. No query at all shows nothing."""
    return bool(answers) and all(agreed(a) for a in answers)


def contradicted(answers: Sequence[Mapping[str, str]]) -> bool:
    """Return whether two solvers contradict each other on some query: then one of them is wrong, and which is not
    known."""
    return any({Status.SAT, Status.UNSAT} <= set(a.values()) for a in answers)


def is_witness(conditions: Sequence[Term], interpretation: Interpretation) -> bool:
    """Return whether the reference evaluator finds every condition true. Where one has no value, it is not."""
    # From nothing but the input: a value that was remembered while others were tried would be no replay.
    facts = without_memory(interpretation)
    try:
        return all(evaluate(c, facts) is True for c in conditions)
    except (Undefined, KeyError):
        return False


def proved(
    answers: Sequence[Mapping[str, str]], hypotheses: Sequence[Term], witness: Interpretation | None, reason: str = ""
) -> Verdict:
    """Proved: unsat by two voices on all queries, under hypotheses that a witness satisfies."""
    if contradicted(answers):
        return Verdict(VerdictName.INCONSISTENT, "the solvers contradict each other")
    if not all_unsat(answers):
        return Verdict(VerdictName.UNKNOWN, reason or "not every query is unsat")
    # Of x < 0 and 0 < x everything follows, 1 = 2 too: "proved" promises that the claim is about some input.
    if witness is None or not is_witness(hypotheses, witness):
        return Verdict(VerdictName.UNKNOWN, "no witness of the hypotheses was found")
    return Verdict(VerdictName.PROVED, reason, _KEY)


def vacuous(answers: Sequence[Mapping[str, str]], reason: str) -> Verdict:
    """Vacuous: the hypotheses themselves are unsat by two voices."""
    if not all_unsat(answers):
        return Verdict(VerdictName.UNKNOWN, "no witness of the hypotheses was found")
    return Verdict(VerdictName.VACUOUS, reason, _KEY)


def unfounded(
    answers: Sequence[Mapping[str, str]], broken: Sequence[Term], interpretation: Interpretation, reason: str
) -> Verdict:
    """Vacuous: a proof takes for true what the reference evaluator finds false; `broken` is the negation of that."""
    if not is_witness(broken, interpretation):
        return Verdict(VerdictName.UNKNOWN, "no assumption of the proof was found to be false")
    return vacuous(answers, reason)


def refuted(conditions: Sequence[Term], counterexample: Interpretation, reason: str) -> Verdict:
    """Refuted: the hypotheses and the negated statement are all true of a concrete input."""
    if not is_witness(conditions, counterexample):
        return Verdict(VerdictName.CANDIDATE, "the counterexample did not survive its replay")
    return Verdict(VerdictName.REFUTED, reason, _KEY)


def witnessed(conditions: Sequence[Term], witness: Interpretation, reason: str) -> Verdict:
    """An existential statement holds: all conditions are true of a concrete input."""
    if not is_witness(conditions, witness):
        return Verdict(VerdictName.CANDIDATE, "the witness did not survive its replay")
    return Verdict(VerdictName.HOLDS, reason, _KEY)


def impossible(answers: Sequence[Mapping[str, str]], reason: str) -> Verdict:
    """An existential statement is violated: unsat by two voices."""
    if contradicted(answers):
        return Verdict(VerdictName.INCONSISTENT, "the solvers contradict each other")
    if not all_unsat(answers):
        return Verdict(VerdictName.UNKNOWN, "no witness was found, and it is not shown that there is none")
    return Verdict(VerdictName.VIOLATED, reason, _KEY)


def static(reason: str, *, holds: bool) -> Verdict:
    """A statement about the text itself, that needs no solver."""
    if holds:
        return Verdict(VerdictName.HOLDS, reason, _KEY)
    return Verdict(VerdictName.VIOLATED, reason, _KEY)


def undecided(name: VerdictName, reason: str) -> Verdict:
    """unknown, candidate, unsupported or inconsistent."""
    return Verdict(name, reason)


def supported(name: str, answers: Mapping[str, str], queries: Iterable[Mapping[str, str]]) -> bool:
    """Return whether a verdict can have been reached beside these records: what each solver says of the whole at worst,
    and what was said to each query.

    A proof, and that nothing meets some conditions, needs unsat from two voices; that a text is wrong in itself needs
    no query at all. Nothing stands where one solver says sat and another unsat to one query. A record that says
    otherwise was changed, or mixed up with another one.
    """
    # A record may come from a file, another process or another machine: none of them is believed a proof.
    asked = list(queries)
    if name in EARNED and contradicted(asked):
        return False
    match name:
        case VerdictName.PROVED | VerdictName.VACUOUS:
            return all_unsat([answers])
        case VerdictName.VIOLATED if asked or answers:
            return all_unsat([answers])
        case _:
            return True  # A replayed input, or the text itself, shows it; or nothing is promised.


def recalled(
    name: VerdictName, reason: str, answers: Mapping[str, str], queries: Iterable[Mapping[str, str]]
) -> Verdict:
    """The verdict that an earlier run of this tool, with these solvers, reached of this very text, with what the
    solvers said; unknown where they cannot have said that."""
    if not supported(name, answers, queries):
        return Verdict(VerdictName.UNKNOWN, f"a record says {name} beside answers that do not")
    return Verdict(name, reason, _KEY)
