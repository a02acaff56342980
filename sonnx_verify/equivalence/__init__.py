"""The engine that decides whether two texts mean the same."""
