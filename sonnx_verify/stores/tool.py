"""The identity of the tool that concluded something: the files of this package, and the libraries that it works with.

The keys of everything that is kept are made of this. Trusted: where a digest misses a change, an old answer is taken
for a new one. `digest_of` hashes the whole package or parts of it, `digest_from` what some files can run. So verdicts
stay where an editor or a printer changes.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARIES = ("lark", "ml_dtypes", "msgspec", "numpy", "python-flint", "sympy")
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
DECIDING = "api/decided.py"
"""The file whose code decides obligations and keeps their records."""
_PACKAGE = Path(__file__).parents[1]
_NAMES = re.compile(
    rb"sonnx_verif[y]((?:\.\w+)*)"  # in brackets, or this would find itself
    rb"(?:(?=[ \t\\\n]+import\b[ \t]*(\((?:#.*|[^)#])*|(?:\\\n|.)*))|)"  # only looked at: more names may be in it
)
"""A name of a module, wherever it is written, and what is imported from it."""
_UNSEEN = [
    re.compile(form) for form in (rb"import(?:_modul[e]|_[_]| importli[b])", rb"resolve_nam[e]", rb"from[ \t]+[.]")
]
"""Imports that `_NAMES` does not show."""
_LAZY = re.compile(rb"^(?:def .*|if TYPE_CHECKING:)\n(?:[ \t].*\n|\n)*", re.MULTILINE)
"""The code of a module that its import does not run."""


@cache
def digest_of(*parts: str) -> str:
    """A hash of the files of some parts of this package, or of all of it, and of the versions of Python and libraries.
    What is not a release has a version too: another line of code is another tool.

    Raises FileNotFoundError for a part without code: a part that moved would else be in no key.
    """
    if not parts:
        return _digest(package_code())
    found: list[str] = []
    for part in parts:
        files = [file for file in package_code() if file == part or file.startswith(f"{part}/")]
        if not files:
            raise FileNotFoundError(f"there is no code in {part}")
        found += files
    return _digest(found)


@cache
def digest_from(root: str) -> str:
    """The same hash of the files that `run_from` finds. Raises FileNotFoundError for a root that is not there."""
    return _digest(run_from(root))


def run_from(root: str) -> set[str]:
    """The files that the code of one file can run: the file, all that these files import, also inside functions, the
    packages around them, and the grammars beside them. All files if some import cannot be seen by reading.

    They are found anew in each process: a list in a file would lack what was imported since. Every name of a module
    counts, in a string or a comment too, since a program is started by its name (processes/child.py).
    """
    if root not in package_code():
        raise FileNotFoundError(f"there is no code in {root}")
    found: set[str] = set()
    todo = {"__init__.py", root, *_files_of(root.removesuffix(".py").replace("/", "."))}
    names: set[str] = set()
    while todo:
        file = todo.pop()
        found.add(file)
        code = package_code()[file]
        if file == "__init__.py":
            # Its functions import everything, but only for a caller that names the package itself: see below.
            code = _LAZY.sub(b"", code)
        if any(form.search(code) for form in _UNSEEN):
            return set(package_code())
        for name in set(_names_in(code)) - names:
            files = _files_of(name)
            if not files:
                return set(package_code())  # the package itself, or one of its functions
            names.add(name)
            todo |= files - found
    # Of a grammar only that it is beside some code is seen, not who reads it.
    folders = {os.path.dirname(file) for file in found}
    return found | {file for file in package_code() if file.endswith(".lark") and os.path.dirname(file) in folders}


def _files_of(name: str) -> set[str]:
    """The files that an import of a module runs: its own, and those of the packages around it. The name is that of the
    module or of something in it, without the name of this package."""
    found: set[str] = set()
    while name:
        place = name.replace(".", "/")
        found |= {file for file in (f"{place}.py", f"{place}/__init__.py") if file in package_code()}
        name = name.rpartition(".")[0]
    return found


def _names_in(code: bytes) -> Iterator[str]:
    """The names of modules in some code, without the name of this package: "" where the package itself is named. Names
    of what is in a module are among them."""
    for place, imported in _NAMES.findall(code):
        module = place.decode()[1:]
        if module or not imported:
            yield module
        for word in re.findall(r"[*\w]+", imported.decode()):
            yield f"{module}.{word}".removeprefix(".")


def _digest(files: Iterable[str]) -> str:
    """A hash of some files, and of the versions of Python and libraries."""
    found = hashlib.sha256()
    for file in sorted(files):
        # The length too, or the end of one file could be the beginning of the next.
        found.update(f"{file} {len(package_code()[file])}\n".encode() + package_code()[file])
    for name in LIBRARIES:
        found.update(f"{name} {_version(name)}\n".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()


@cache
def package_code() -> dict[str, bytes]:
    """The modules and grammars of this package, by file name. The specifications in a wheel are texts like any others.

    They are read once in a process, when it makes its first key: a process that waits for work goes on with the code
    that it imported, whatever is written since. Links to folders are followed, as imports do.
    """
    found: dict[str, bytes] = {}
    for place, folders, names in os.walk(_PACKAGE, followlinks=True):
        # Python writes there whenever it runs.
        folders[:] = [name for name in folders if name != "__pycache__"]
        below = place.removeprefix(str(_PACKAGE)).removeprefix("/")
        for name in names:
            file = os.path.join(below, name)
            if file.endswith((".py", ".lark")) and not file.startswith("library/"):
                # Paths would take longer than reading: there are some hundred files.
                with open(os.path.join(place, name), "rb") as opened:
                    found[file] = opened.read()
    return found


@cache
def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
