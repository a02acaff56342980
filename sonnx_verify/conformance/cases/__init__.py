"""Inputs of an operator, solved from its specification."""
