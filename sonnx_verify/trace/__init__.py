"""Traceability: page, formal text, proofs and tests, tag by tag."""
