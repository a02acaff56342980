"""Which tool concluded something: every file of this package, and the libraries that it works with."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARIES = ("lark", "ml_dtypes", "numpy", "sympy")
"""What verdicts may depend on beside the solvers, whose versions are asked of them."""
_PACKAGE = Path(__file__).parents[1]


@cache
def digest_of(part: str = "") -> str:
    """A hash of the files of a part of this package, or of all of it, and of the versions of Python and libraries. What
    is not a release has a version too: another line of code is another tool."""
    found = hashlib.sha256()
    for path in sorted(_files(_PACKAGE / part)):
        if path.suffix in (".py", ".lark") and "library" not in path.relative_to(_PACKAGE).parts[:1]:
            data = path.read_bytes()
            found.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(data)}\n".encode() + data)
    for name in LIBRARIES:
        found.update(f"{name} {_version(name)}\n".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder, through links to folders as well: what is imported through them is code like other."""
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(place, name) for name in files)


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
