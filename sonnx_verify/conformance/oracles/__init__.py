"""Oracles: what a specification demands of a call, and how far a result meets it."""
