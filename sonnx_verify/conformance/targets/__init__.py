"""Targets: how each kind is begun and called, and the calls and models that it is given."""
