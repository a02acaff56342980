"""Theorems that an operator's proofs need and that its text does not name, found by the calls that both speak of."""
