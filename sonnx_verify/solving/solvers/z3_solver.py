"""Ask z3. No z3 object leaves this module, and z3 is imported only when it is asked.

The text goes through z3's own SMT-LIB reader, options and all, in a fresh context per query: in a shared context the
time of one float query varies fifty-fold. `auto_config` is off because it picks a strategy from the shape of the
query: measured on QF_UFLIA with 1,000 asserts, 130 ms and some unknowns with it, 19 ms and none without; float
queries take the same time either way.

Where the text has only integers, truth values and free functions, and no model is wanted, the solver beneath the
strategies is asked itself: to set up strategies takes z3 longer than most such queries. Floats and machine integers
need them.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import (
    BUDGET,
    INCOMPLETE,
    MEMORY,
    NOT_INSTALLED,
    STATUSES,
    Answer,
    unknown,
)
from sonnx_verify.solving.solvers.least import descend
from sonnx_verify.solving.solvers.limits import units
from sonnx_verify.solving.solvers.rejections import rejected

NAME = "z3"
MODULE = "z3"

_PLAIN = re.compile(r"\(set-logic QF_UFLIA\)\n(?:\((?:declare-fun|define-fun|assert) .*\n)*")
"""The texts of the printer that need no strategy, one command on each line."""


def load() -> None:
    """Import the solver. Raises ImportError where it is not installed."""
    import z3  # noqa: F401


def version() -> str:
    """The version of the installed z3. Does not import z3 if it was installed from a wheel."""
    try:
        return metadata.version("z3-solver")
    except metadata.PackageNotFoundError:  # installed by other means than a wheel
        import z3

        return str(z3.get_version_string())


def ask(text: str, budget: int, want: tuple[str, ...] = (), least: tuple[str, ...] = ()) -> Answer:
    """Return whether the asserts of `text`, an SMT-LIB 2.6 script without check-sat, are satisfiable.

    `budget` is in rlimit units. `want` names the constants (or terms) whose values make up the model of a sat answer,
    in which each of the natural numbers `least` has in turn the least value that is found with that work.
    Never raises: every failure is an unknown with its reason. Sets process-wide z3 parameters, the same each time.
    """
    try:
        return _ask(text, budget, want, least)
    except ImportError:
        return unknown(NAME, NOT_INSTALLED)
    except Exception as error:
        return rejected(NAME, _message(error))


def _ask(text: str, budget: int, want: tuple[str, ...], least: tuple[str, ...]) -> Answer:
    import z3.z3core as core
    from z3 import Context

    if "\0" in text:
        return rejected(NAME, "the text holds a NUL character")  # z3 would stop there and drop the asserts behind it
    # Read when a context is made. Without it z3 turns Bool into Int and Int into Real unasked, so that it would decide
    # ill-sorted texts. With it, z3 reports the success of every command whatever :print-success says.
    core.Z3_global_param_set("smtlib2_compliant", "true")
    if not want and _PLAIN.fullmatch(text):
        return _ask_beneath(text, budget)
    context: Any = Context()

    def tell(commands: str) -> str:
        printed = str(core.Z3_eval_smtlib2_string(context.ref(), commands))
        return "\n".join(line for line in printed.splitlines() if line and line != "success")

    # Apart from the text, so that the line and column of an error are those of the text.
    tell(f"(set-option :auto_config false)(set-option :rlimit {units(budget)})")
    complaint = tell(text)
    if complaint:  # z3 goes on after an error, with the assert missing; "unsupported" is printed, not raised
        return rejected(NAME, complaint)
    said = tell("(check-sat)")
    if said not in STATUSES:
        return rejected(NAME, said)
    status = Status(said)
    if status == Status.UNKNOWN:
        return unknown(NAME, _reason(tell("(get-info :reason-unknown)")))
    if not want or status != Status.SAT:
        return Answer(NAME, status)
    values = f"(get-value ({' '.join(want)}))"
    model, shown = descend(tell, least, tell(values), values)
    return Answer(NAME, status, "", model, shown)


def _ask_beneath(text: str, budget: int) -> Answer:
    """The answer to a plain text. Raises what z3 raises where it cannot read one of the commands."""
    import z3.z3core as core
    from z3 import Context

    owner: Any = Context(auto_config=False)
    context = owner.ref()
    solver = core.Z3_mk_simple_solver(context)
    core.Z3_solver_inc_ref(context, solver)
    limits = core.Z3_mk_params(context)
    core.Z3_params_inc_ref(context, limits)
    try:
        core.Z3_params_set_uint(context, limits, core.Z3_mk_string_symbol(context, "rlimit"), units(budget))
        core.Z3_solver_set_params(context, solver, limits)
        core.Z3_solver_from_string(context, solver, text)
        status = {1: Status.SAT, -1: Status.UNSAT, 0: Status.UNKNOWN}[core.Z3_solver_check(context, solver)]
        if status == Status.UNKNOWN:
            return unknown(NAME, _reason(str(core.Z3_solver_get_reason_unknown(context, solver))))
        return Answer(NAME, status)
    finally:
        core.Z3_params_dec_ref(context, limits)
        core.Z3_solver_dec_ref(context, solver)


def _reason(said: str) -> str:
    """Our reason for what z3 `said`."""
    if "out of memory" in said or "memout" in said:
        return MEMORY
    # Arithmetic engines say "canceled" whichever limit stopped them, and there is no other.
    if "resource limit" in said or "canceled" in said:
        return BUDGET
    return INCOMPLETE


def _message(error: Exception) -> str:
    text = str(error)
    value = getattr(error, "value", None)
    if isinstance(value, bytes):  # z3's own exception, whose str() shows them as a Python literal
        text = value.decode("utf-8", "replace")
    return text.replace("success\n", "") or type(error).__name__
