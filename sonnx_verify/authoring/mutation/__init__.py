"""Systematic mutations of specifications, each against what is stated of them: which words no statement defends."""
