"""The only place that talks to z3 and cvc5: SMT-LIB text goes in, plain answers come out."""

from .answer import Answer
from .limits import DEFAULT_BUDGET
from .pool import Query, Solvers

__all__ = ["DEFAULT_BUDGET", "Answer", "Query", "Solvers"]
