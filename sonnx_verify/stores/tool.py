"""The identity of the tool that concluded something: the files of this package, and the libraries that it works with.

The keys of everything that is kept are made of this. Trusted: where a digest misses a change, an old answer is taken
for a new one. Most keys are made of the whole package; `ANSWERING` names the parts of the others.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARIES = ("lark", "ml_dtypes", "numpy", "python-flint", "sympy")
"""The libraries that verdicts may depend on beside the solvers, whose versions are asked of them."""
ANSWERING = (
    "logic/status.py",
    "processes",
    "results/answer.py",
    "results/voice.py",
    "solving/solvers",
    "timeouts.py",
)
"""All that can change how a solver is asked a text, or what is read from it: folders and files of this package. The
text itself is in the key of its answer."""
_PACKAGE = Path(__file__).parents[1]


@cache
def digest_of(*parts: str) -> str:
    """A hash of the files of some parts of this package, or of all of it, and of the versions of Python and libraries.
    What is not a release has a version too: another line of code is another tool.

    Raises FileNotFoundError for a part without code: a part that moved would else be in no key.
    """
    found = hashlib.sha256()
    for part in parts or ("",):
        code = [path for path in sorted(_files(_PACKAGE / part)) if _is_code(path)]
        if not code:
            raise FileNotFoundError(f"there is no code in {part}")
        for path in code:
            # The length too, or the end of one file could be the beginning of the next.
            data = path.read_bytes()
            found.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(data)}\n".encode() + data)
    for name in LIBRARIES:
        found.update(f"{name} {_version(name)}\n".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()


def _is_code(path: Path) -> bool:
    """Return whether what this package does depends on the file. The specifications in a wheel are texts like any
    others."""
    return path.suffix in (".py", ".lark") and path.relative_to(_PACKAGE).parts[0] != "library"


def _files(part: Path) -> Iterator[Path]:
    """The file, or the files below a folder, through links to folders as well: what is imported through them is code
    like other."""
    if part.is_file():
        yield part
    for place, folders, files in os.walk(part, followlinks=True):
        # Python writes there whenever it runs.
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(place, name) for name in files)


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
