"""Paths of the file system."""

from __future__ import annotations

import os
from pathlib import Path


def resolved(path: Path) -> Path:
    """The path without links; as it is where they go round in a circle."""
    # `Path.resolve` would look at what it found once more.
    return Path(os.path.realpath(path))
