"""Outputs for CI jobs: one record of a run, and each form that it is written in."""
