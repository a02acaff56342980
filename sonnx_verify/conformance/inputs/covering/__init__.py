"""Covering arrays: inputs in which the classes of their properties occur together."""
