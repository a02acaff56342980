"""The files that a command works on, from names of files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.paths import resolved


def pages_of(names: Iterable[str]) -> list[Path]:
    """The pages that are named or lie below folders, each once. UsageError for a formal text, and for a folder that has
    no page."""
    found: dict[Path, None] = {}
    for name in names:
        found |= dict.fromkeys(_pages(Path(name)))
    return list(found)


def _pages(path: Path) -> list[Path]:
    if path.suffix == ".sonnx":
        raise UsageError(f"{path} is a formal text, no page", cure="name its page; `check` is for formal texts")
    if not path.is_dir():
        return [path]
    found = sorted([*path.rglob("*.md"), *path.rglob("*.rst")])
    if not found:
        raise UsageError(f"{path} has no page", cure="name a file, or a folder with files *.md or *.rst")
    return found


def traced_pages_of(names: Iterable[str]) -> list[Path]:
    """The pages that are named, and those below folders that have a formal text beside them, each once. UsageError for
    a formal text, and for a folder without such a page."""
    found: dict[Path, None] = {}
    for name in names:
        found |= dict.fromkeys(_traced_pages(Path(name)))
    return list(found)


def _traced_pages(path: Path) -> list[Path]:
    if path.suffix == ".sonnx":
        raise UsageError(f"{path} is a formal text, no page", cure="name the page that it names")
    if not path.is_dir():
        return [path]
    # A folder also has pages of its own, such as README.md, which nothing formal belongs to.
    found = [p for p in sorted(path.rglob("*.md")) if p.with_suffix(".sonnx").is_file()]
    if not found:
        raise UsageError(f"{path} has no page with a formal text", cure="name a page, or another folder")
    return found


def texts_of(paths: Iterable[str]) -> Iterator[Path | None]:
    """The formal texts that are named or lie below folders, each once; None is standard input. UsageError for a name
    that names nothing."""
    seen: set[Path] = set()
    for name in paths:
        if name == "-":
            yield None
            continue
        path = Path(name)
        if not _exists(path):
            raise UsageError(f"there is no file or folder {path}", cure="name a .sonnx file or a folder")
        for file in _texts(path):
            # By the path without links: `fmt` of a file and of a link to it would write it twice.
            if resolved(file) not in seen:
                seen.add(resolved(file))
                yield file


def _texts(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = _below(path)
    if not found:
        raise UsageError(f"there is no .sonnx file below {path}", cure="name another folder")
    return found


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _below(folder: Path) -> list[Path]:
    """The .sonnx files below a folder, without hidden ones."""

    def is_hidden(path: Path) -> bool:
        # `.venv` may hold an installed library: `fmt .` is not about that.
        return any(part.startswith(".") for part in path.relative_to(folder).parts)

    found = (path for path in folder.rglob("*.sonnx") if path.is_file())
    return sorted(path for path in found if not is_hidden(path))
