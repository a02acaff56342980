"""The answers of `explain`."""
