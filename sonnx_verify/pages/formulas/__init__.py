"""What the formulas of a page are read as, in the language, and whether the clauses are equivalent to that."""
