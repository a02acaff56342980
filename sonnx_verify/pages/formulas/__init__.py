"""The readings of a page's formulas in the language, and whether the clauses are equivalent to them."""
