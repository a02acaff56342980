"""Ask cvc5. No cvc5 object leaves this module, and cvc5 is imported only when it is asked.

Everything is fresh per query: terms, solver, symbols, parser. The Python interface starts in incremental mode, unlike
the command line; with it off, QF_UFLIA with 1,000 asserts takes 130 ms instead of 290. Deciding by justification, and
learning nothing before the search, is a twelfth less work over all queries of the library, and loses no answer.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import BUDGET, INCOMPLETE, MEMORY, NOT_INSTALLED, Answer, unknown
from sonnx_verify.solving.solvers.least import descend
from sonnx_verify.solving.solvers.limits import Z3_UNITS_PER_CVC5_UNIT, units
from sonnx_verify.solving.solvers.rejections import rejected

NAME = "cvc5"
MODULE = "cvc5"


def load() -> None:
    """Import the solver. Raises ImportError where it is not installed."""
    import cvc5  # noqa: F401


def version() -> str:
    """The version of the installed cvc5. Does not import cvc5 if it was installed from a wheel."""
    try:
        return metadata.version("cvc5")
    except metadata.PackageNotFoundError:  # installed by other means than a wheel
        import cvc5

        return str(cvc5.__version__)


def ask(text: str, budget: int, want: tuple[str, ...] = (), least: tuple[str, ...] = ()) -> Answer:
    """Return whether the asserts of `text`, an SMT-LIB 2.6 script without check-sat, are satisfiable.

    `budget` is in z3's units and converted. `want` names the constants (or terms) whose values make up the model of a
    sat answer, in which each of the natural numbers `least` has in turn the least value that is found with that work.
    Never raises: every failure is an unknown with its reason.
    """
    try:
        return _ask(text, budget, want, least)
    except ImportError:
        return unknown(NAME, NOT_INSTALLED)
    except Exception as error:
        return rejected(NAME, str(error) or type(error).__name__)


def _ask(text: str, budget: int, want: tuple[str, ...], least: tuple[str, ...]) -> Answer:
    import cvc5

    if "\0" in text:  # The reader would stop there, and answer a question without the asserts behind it.
        return rejected(NAME, "the text holds a NUL character")
    terms: Any = cvc5.TermManager()
    solver: Any = cvc5.Solver(terms)
    for option, value in (
        ("fp-exp", "true"),  # without it Float16 and bfloat16 are refused
        ("incremental", str(bool(least)).lower()),
        ("decision", "justification"),
        ("static-learning", "false"),
        ("produce-models", str(bool(want)).lower()),
        ("rlimit-per", str(units(budget, Z3_UNITS_PER_CVC5_UNIT))),
    ):
        solver.setOption(option, value)
    symbols: Any = cvc5.SymbolManager(terms)

    def tell(commands: str) -> str:
        parser: Any = cvc5.InputParser(solver, symbols)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, commands, "query")
        while not (command := parser.nextCommand()).isNull():
            printed = str(command.invoke(solver, symbols)).strip()
            if printed:  # a script without questions prints nothing but errors and "unsupported"
                return printed
        return ""

    # After an error the assert that caused it is missing: sat of what is left would say nothing.
    complaint = tell(text)
    if complaint:
        return rejected(NAME, complaint)
    result: Any = solver.checkSat()
    if result.isUnsat():
        return Answer(NAME, Status.UNSAT)
    if result.isSat() and not want:
        return Answer(NAME, Status.SAT)
    if result.isSat():
        values = f"(get-value ({' '.join(want)}))"
        model = tell(values)
        if model.startswith("(error"):
            return rejected(NAME, model)
        return Answer(NAME, Status.SAT, "", *descend(tell, least, model, values))
    why = result.getUnknownExplanation()
    reasons = cvc5.UnknownExplanation
    limits = {reasons.RESOURCEOUT: BUDGET, reasons.MEMOUT: MEMORY}
    return unknown(NAME, limits.get(why, INCOMPLETE))
