"""Vectors: tests in files, read as inputs of a specification, written from it, and counted."""
