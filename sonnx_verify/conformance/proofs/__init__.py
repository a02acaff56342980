"""Proofs: code of Python proved equal to a specification, or refuted, for all elements up to a bound."""
