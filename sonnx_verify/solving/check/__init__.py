"""From obligations to records: asked of the solvers, searched for counterexamples, in one process or in many."""
