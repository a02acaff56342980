"""TRUSTED: when the answers of several solvers to one text count as one answer."""

from __future__ import annotations

from collections.abc import Mapping

from .answer import Answer


def agree(answers: Mapping[str, Answer]) -> str:
    """One word for the answers to one text, by solver name.

    "unsat" only when there are at least two solvers and every one says unsat; "inconsistent" when one says sat and
    another unsat; "sat" when at least one says sat and none unsat (a model is replayed before it counts, so one solver
    is enough); "unknown" for everything else, also when nobody was asked. Total: never raises.
    """
    said = [answer.status for answer in answers.values()]
    if "sat" in said:
        return "inconsistent" if "unsat" in said else "sat"
    if len(said) >= 2 and all(status == "unsat" for status in said):
        return "unsat"
    return "unknown"
