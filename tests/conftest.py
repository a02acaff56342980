"""Hypothesis profiles and the fixtures that every folder of tests may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# ci: the same examples on every machine. soak: fresh examples on every run, and many of them.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("soak", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile("soak" if os.environ.get("SONNX_SOAK") == "1" else "ci")


@pytest.fixture(scope="session")
def shared() -> Path | None:
    """The folder `shared` beside the checkout, or None where there is none."""
    path = ROOT.parent / "shared"
    return path if path.is_dir() else None
