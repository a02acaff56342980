"""The files that a command works on, from names of files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import texts_below
from sonnx_verify.paths import resolved


def pages_of(names: Iterable[str]) -> list[Path]:
    """The pages that are named or lie below folders, each once. UsageError for a formal text, and for a folder that has
    no page."""
    found: dict[Path, None] = {}
    for name in names:
        found |= dict.fromkeys(_pages(Path(name)))
    return list(found)


def _pages(path: Path) -> list[Path]:
    _refuse_formal(path, cure="name its page; `check` is for formal texts")
    if not path.is_dir():
        return [path]
    found = sorted([*path.rglob("*.md"), *path.rglob("*.rst")])
    if not found:
        raise UsageError(f"{path} has no page", cure="name a file, or a folder with files *.md or *.rst")
    return found


def _refuse_formal(path: Path, cure: str) -> None:
    if path.suffix == ".sonnx":
        raise UsageError(f"{path} is a formal text, not a page", cure=cure)


def traced_pages_of(names: Iterable[str]) -> list[Path]:
    """The pages that are named, and those below folders that have a formal text beside them, each once. UsageError for
    a formal text, and for a folder without such a page."""
    found: dict[Path, None] = {}
    for name in names:
        found |= dict.fromkeys(_traced_pages(Path(name)))
    return list(found)


def _traced_pages(path: Path) -> list[Path]:
    _refuse_formal(path, cure="name the page that it names")
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
        if not exists(path):
            raise UsageError(f"there is no file or folder {path}", cure="name a .sonnx file or a folder")
        for file in texts_at(path):
            # By the path without links: `fmt` of a file and of a link to it would write it twice.
            if resolved(file) not in seen:
                seen.add(resolved(file))
                yield file


def texts_at(path: Path) -> list[Path]:
    """The named file, or the texts below a named folder. UsageError for a folder without any."""
    if not path.is_dir():
        return [path]
    found = texts_below(path)
    if not found:
        raise UsageError(f"there is no .sonnx file below {path}", cure="name another folder")
    return found


def exists(path: Path) -> bool:
    """True if something is there, if only a link to nowhere: reading it tells what is wrong with it."""
    try:
        return path.exists() or path.is_symlink()
    except (OSError, ValueError):  # a name that is too long, or has a byte 0
        return False
