"""Paths of the file system, and the names of the folders of a project."""

from __future__ import annotations

import os
from pathlib import Path

NAMESPACES, PROOFS = ("common", "onnx", "sonnx", "drafts"), "proofs"
"""The folders of `spec/`, and the one beside it."""
USER = "user"
"""The namespace of what lies in neither."""


def resolved(path: Path) -> Path:
    """The path without links; as it is where they go round in a circle."""
    # `Path.resolve` would look at what it found once more.
    return Path(os.path.realpath(path))
