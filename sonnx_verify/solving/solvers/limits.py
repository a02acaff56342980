"""The cost limits of a query. Work units alone decide; processor time and memory guard against a solver that stops
counting."""

from __future__ import annotations

# In z3's unit (rlimit). Measured, this lets z3 work for 1 to 8 seconds and cvc5 for 2 to 6 of the processor.
DEFAULT_BUDGET = 10_000_000

# One cvc5 unit takes about as long as this many z3 units (z3: 1,300 to 12,000 a millisecond; cvc5: 600 to 1,000).
Z3_UNITS_PER_CVC5_UNIT = 5

# One call of bitwuzla's terminator takes about as long as this many z3 units (70 to 300 calls a millisecond).
Z3_UNITS_PER_BITWUZLA_CALL = 20

# z3 and cvc5 hold limits in unsigned machine words, and read 0 as "no limit".
LARGEST_BUDGET = 2**32 - 1

# The seconds of the processor that a query may take before the kernel ends its worker: many times what its work units
# take. Not seconds of the clock: beside twenty other processes a query takes ten times as many of these.
GUARD_SECONDS = 60

# The seconds after which a silent worker is looked at: one that has not worked at all since then hangs.
PATIENCE_SECONDS = 65.0

# Address space of a worker, in bytes. Over all queries of the library z3 came to 308 MB of it, 83 resident, and cvc5 to
# 134, 117 resident: the work units run out long before this, on any machine. It keeps one query from taking what the
# other workers need, and a machine from swapping.
MEMORY_BYTES = 2 * 2**30


def units(budget: int, per_unit: int = 1) -> int:
    """`budget` in a solver's unit that is worth `per_unit` of ours: at least 1, since 0 would mean unlimited."""
    return min(max(budget // per_unit, 1), LARGEST_BUDGET)
