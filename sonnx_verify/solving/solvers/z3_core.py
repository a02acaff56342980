"""The asserts of a script that z3 needs to find it unsatisfiable. Not trusted: whoever leaves out the others asks
again."""

from __future__ import annotations

from typing import Any

from sonnx_verify.solving.solvers.limits import units

_NAME = "core!"


def core(text: str, budget: int) -> list[int] | None:
    """The numbers of the asserts of an SMT-LIB script, of which none can be left out of those; None where z3 does not
    find it unsatisfiable within `budget` units of work, or is not installed.

    Each assert of the script is a line. z3 works in this process.
    """
    try:
        return _core(text, budget)
    except Exception:  # as in the adapter: an answer less, whatever happened
        return None


def _core(text: str, budget: int) -> list[int] | None:
    import z3.z3core as z3
    from z3 import Context

    lines, number = [], 0
    for line in text.splitlines():
        if line.startswith("(assert "):
            lines.append(f"(assert (! {line[len('(assert ') : -1]} :named {_NAME}{number}))")
            number += 1
        else:
            lines.append(line)
    z3.Z3_global_param_set("smtlib2_compliant", "true")
    context: Any = Context()

    def tell(commands: str) -> list[str]:
        printed = str(z3.Z3_eval_smtlib2_string(context.ref(), commands))
        return [line for line in printed.splitlines() if line and line != "success"]

    tell(
        "(set-option :auto_config false)(set-option :produce-unsat-cores true)(set-option :smt.core.minimize true)"
        f"(set-option :rlimit {units(budget)})"
    )
    if tell("\n".join(lines)) or tell("(check-sat)") != ["unsat"]:
        return None
    names = " ".join(tell("(get-unsat-core)")).strip("()").split()
    return sorted(int(name.removeprefix(_NAME)) for name in names)
