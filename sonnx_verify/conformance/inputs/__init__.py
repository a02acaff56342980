"""Inputs: solved from a specification, drawn at random, and in rows that cover combinations of their properties."""
