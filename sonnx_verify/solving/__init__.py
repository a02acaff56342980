"""From obligations to verdicts: solvers, the search for inputs, the decision."""
