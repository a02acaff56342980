"""numpy on symbolic arrays: what is done with them is recorded as terms."""
