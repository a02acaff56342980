"""Runs: what the inputs of tests are run with, and what is observed of each."""
