"""One archive with what a claim rests on, for an assessor to file, and its examination."""
