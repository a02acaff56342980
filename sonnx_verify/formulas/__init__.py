"""What the formulas of a page say, in the language, and whether the clauses say the same."""
