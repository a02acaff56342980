"""Implementations by others, checked against a specification."""
