"""Whether two texts mean the same."""
