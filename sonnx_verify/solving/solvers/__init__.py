"""The only place that talks to z3 and cvc5: SMT-LIB text goes in, plain answers come out."""

from sonnx_verify.results.answer import Answer
from sonnx_verify.solving.solvers.limits import DEFAULT_BUDGET
from sonnx_verify.solving.solvers.pool import Query, Solvers

__all__ = ["DEFAULT_BUDGET", "Answer", "Query", "Solvers"]
