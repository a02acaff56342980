"""Ask bitwuzla. No bitwuzla object leaves this module, and bitwuzla is imported only when it is asked.

It takes truth values, machine integers and floats of 16, 32, 64 and 128 bits; numbers without bound, and bfloat16, it
rejects. Its floats are those of SymFPU, as cvc5's are: `logic/verdict.py` counts the two as one voice.

bitwuzla has no count of work. It asks a terminator now and then whether to go on, which on one text happens the same
number of times on each machine: these calls are counted.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import BUDGET, INCOMPLETE, NOT_INSTALLED, Answer, unknown
from sonnx_verify.solving.solvers.limits import Z3_UNITS_PER_BITWUZLA_CALL, units
from sonnx_verify.solving.solvers.rejections import rejected

NAME = "bitwuzla"
MODULE = "bitwuzla"

_FLOAT = re.compile(r"\(_ FloatingPoint \d+ \d+\)")
_KNOWN = frozenset(f"(_ FloatingPoint {sizes})" for sizes in ("5 11", "8 24", "11 53", "15 113"))
_NUMBER = re.compile(r"(?<=[\s(])(?:Int|Real)(?=[\s)])|\bfp\.to_real\b")


def takes(text: str) -> bool:
    """Return whether a text is about floats that bitwuzla knows, and about nothing that it does not know."""
    floats = set(_FLOAT.findall(text))
    return bool(floats) and floats <= _KNOWN and not _NUMBER.search(text)


def load() -> None:
    """Import the solver. Raises ImportError where it is not installed."""
    import bitwuzla  # noqa: F401


def version() -> str:
    """The version of the installed bitwuzla. Does not import it if it was installed from a wheel."""
    try:
        return metadata.version("bitwuzla")
    except metadata.PackageNotFoundError:  # installed by other means than a wheel
        import bitwuzla

        return str(bitwuzla.version())


def ask(text: str, budget: int, want: tuple[str, ...] = (), least: tuple[str, ...] = ()) -> Answer:
    """Return whether the asserts of `text`, an SMT-LIB 2.6 script without check-sat, are satisfiable.

    `budget` is in z3's units and converted. `want` names the constants (or terms) whose values make up the model of a
    sat answer; `least` has to be empty, since there are no natural numbers. Never raises: every failure is an unknown
    with its reason.
    """
    try:
        return _ask(text, budget, want, least)
    except ImportError:
        return unknown(NAME, NOT_INSTALLED)
    except Exception as error:
        return rejected(NAME, str(error) or type(error).__name__)


class _Limit:
    """Counts how often bitwuzla asks whether to go on, and says no when the work is over."""

    def __init__(self, calls: int) -> None:
        self.reason = ""
        self._calls = calls

    def __call__(self) -> bool:
        self._calls -= 1
        if self._calls < 0:
            self.reason = self.reason or BUDGET
        return bool(self.reason)


def _ask(text: str, budget: int, want: tuple[str, ...], least: tuple[str, ...]) -> Answer:
    import bitwuzla

    if "\0" in text:  # The reader would stop there, and answer a question without the asserts behind it.
        return rejected(NAME, "the text holds a NUL character")
    if least:
        return rejected(NAME, "no natural numbers to minimize")
    options: Any = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, bool(want))
    # It raises an exception at the first error: no assert goes missing.
    parser: Any = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text, True, False)  # noqa: FBT003 - reads only, and from the text itself
    solver: Any = parser.bitwuzla()
    limit = _Limit(units(budget, Z3_UNITS_PER_BITWUZLA_CALL))
    solver.configure_terminator(limit)
    result = solver.check_sat()
    if result == bitwuzla.Result.UNSAT:
        return Answer(NAME, Status.UNSAT)
    if result != bitwuzla.Result.SAT:
        return unknown(NAME, limit.reason or INCOMPLETE)
    values = [f"({term} {solver.get_value(parser.parse_term(term))})" for term in want]
    return Answer(NAME, Status.SAT, "", f"({' '.join(values)})" if want else "")
