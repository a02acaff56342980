"""The places and names of specifications: all that is known of files before they are read. Trusted."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.paths import NAMESPACES, PROOFS, USER, resolved

STANDARDS, VERSIONS = Path("spec") / "onnx", "versions.toml"
OWN, SHARED = "sonnx-verify.toml", "pyproject.toml"
"""The files of a configuration; of the second a table (cli/configuration.py)."""


_stand_ins: list[Path] = []


def stand_in_for_library(folder: Path) -> None:
    """From now on another folder is the installed library: that of the process for which this one works."""
    _stand_ins[:] = [folder]


def installed_library() -> Path:
    """The folder that holds `spec/` and `proofs/` of this installation."""
    if _stand_ins:
        return _stand_ins[0]
    package = Path(__file__).parent.parent
    packaged = package / "library"
    if packaged.is_dir():
        return packaged
    return package.parent


def files_of_project(folder: Path) -> list[Path]:
    """The specifications of a folder: those in its `spec/` and `proofs/`, else every .sonnx file below it. A folder
    without these, without a .sonnx file directly in it and without a configuration is no project, and has none."""
    if (folder / "spec").is_dir():
        return sorted((folder / "spec").rglob("*.sonnx")) + sorted((folder / "proofs").rglob("*.sonnx"))
    # A folder of clones, or a home, is not one project of all that lies below.
    return texts_below(folder) if _is_project(folder) else []


def _is_project(folder: Path) -> bool:
    if (folder / PROOFS).is_dir() or any(folder.glob("*.sonnx")) or (folder / OWN).is_file():
        return True
    try:
        return b"[tool.sonnx-verify" in (folder / SHARED).read_bytes()
    except OSError:
        return False


def texts_below(folder: Path) -> list[Path]:
    """The .sonnx files below a folder, without hidden ones: `.venv` may hold an installed library."""
    return sorted(p for p in folder.rglob("*.sonnx") if not any(x.startswith(".") for x in p.relative_to(folder).parts))


def root_here() -> Path:
    """The current folder, or that of the installed library where the current one has no specification."""
    here = Path.cwd()
    if files_of_project(here):
        return here
    return installed_library()


def use_folders(path: Path, root: Path) -> list[Path]:
    """The folders in which a file's `use` looks for a library, the nearest first."""
    # One's own before the installed one: who copies a library to change it means the copy.
    found = [path.parent]
    for folder in (root, installed_library()):
        found += [folder / "spec/common", folder / "proofs"]
    return found


def signatures(root: Path) -> Path:
    """The table of ONNX's own signatures."""
    own, installed = (folder / STANDARDS / "signatures.json" for folder in (root, installed_library()))
    return own if own.is_file() else installed


def versions(root: Path) -> list[Path]:
    """The tables of ONNX's versions without a text of their own: one in the folder of each operator, or one for all."""
    one = root / STANDARDS / VERSIONS
    if one.is_file():
        return [one]
    # A folder of one's own stands for the installed one of its name.
    bases = (installed_library() / STANDARDS, root / STANDARDS)
    found = {folder.name: folder / VERSIONS for base in bases for folder in sorted(base.glob("*/"))}
    return [path for path in found.values() if path.is_file()]


def tables(root: Path) -> tuple[Path, ...]:
    """All tables of ONNX: they decide verdicts as texts do."""
    return signatures(root), *versions(root)


def shown_as(path: Path, root: Path) -> str:
    """The path as messages show it: from the root on, or from the folder of the installed library."""
    if path.is_symlink():
        return path.as_posix()
    place = resolved(path)
    for folder in (root, installed_library()):
        within = resolved(folder)
        if place.is_relative_to(within):
            return place.relative_to(within).as_posix()
    return path.as_posix()


def namespace_of(path: Path) -> str:
    """The namespace of what stands in a file, by its folder."""
    parts = resolved(path).parts
    # The last `spec` on the way: a checkout may lie below a folder of that name.
    _, found, after = "/".join(parts).rpartition("/spec/")
    namespace, _, _ = after.partition("/")
    if found and namespace in NAMESPACES:
        return namespace
    if PROOFS in parts:
        return PROOFS
    return USER
