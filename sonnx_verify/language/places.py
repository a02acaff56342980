"""Where specifications are, and what they are called: what is known of files before they are read."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.paths import resolved

NAMESPACES = ("common", "onnx", "sonnx", "drafts")


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
    return packaged if packaged.is_dir() else package.parent


def files_of_project(folder: Path) -> list[Path]:
    """The specifications of a folder: those in its `spec/` and `proofs/`, else every .sonnx file below it."""
    if (folder / "spec").is_dir():
        return [p for part in ("spec", "proofs") for p in sorted((folder / part).rglob("*.sonnx"))]
    return sorted(p for p in folder.rglob("*.sonnx") if not any(x.startswith(".") for x in p.relative_to(folder).parts))


def root_here() -> Path:
    """The current folder, or that of the installed library where the current one has no specification."""
    here = Path.cwd()
    return here if files_of_project(here) else installed_library()


def use_folders(path: Path, root: Path) -> list[Path]:
    """Where a file's `use` looks for a library."""
    roots = (root, installed_library())
    return [path.parent, *(folder / part for folder in roots for part in ("spec/common", "proofs"))]


def signatures(root: Path) -> Path:
    """The table of ONNX's own signatures."""
    path = root / "spec" / "onnx" / "signatures.json"
    return path if path.is_file() else installed_library() / "spec" / "onnx" / "signatures.json"


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
    if "spec" in parts:
        after = parts[len(parts) - parts[::-1].index("spec") :]
        if after and after[0] in NAMESPACES:
            return after[0]
    return "proofs" if "proofs" in parts else "user"
