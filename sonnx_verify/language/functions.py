"""The names of functions that the language has of itself. Trusted."""

from __future__ import annotations

from sonnx_verify.logic.operators import GROUPS
from sonnx_verify.logic.sorts import ELEMENT_TYPES

RANGES = frozenset(("axes", "indices"))
"""Functions that are only written where a variable ranges over something."""
FUNCTIONS = frozenset(GROUPS["float"] | RANGES | {"rank", "count", "div", "mod", "given"})
CONVERSIONS = frozenset(("int", "real", "floor", "ceil", "T", *ELEMENT_TYPES)) - {"bool"}
