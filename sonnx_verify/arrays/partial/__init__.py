"""Partial evaluation of terms: one walk over the operators, and what its clients have in common."""
