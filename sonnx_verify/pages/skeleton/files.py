"""The places of a new page and a new formal text. Existing files are never touched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from sonnx_verify.errors import MissingFile, UsageError, UserError
from sonnx_verify.language.parser import parse
from sonnx_verify.language.places import STANDARDS, installed_library
from sonnx_verify.language.signatures import Schema
from sonnx_verify.language.syntax import File
from sonnx_verify.language.versions import editions
from sonnx_verify.pages.reading.schemas import operators, schema
from sonnx_verify.paths import resolved
from sonnx_verify.results.text import framed
from sonnx_verify.source_files import read_source

_LONGEST = 60
_GENERAL = Path("spec") / "common" / "general_restrictions.sonnx"


def schema_of(operator: str, version: int | None) -> Schema:
    """The row of ONNX's table for a version, by default the newest. Raises UsageError where there is none."""
    known = operators()
    if operator not in known:
        alike = {name.lower(): name for name in known}
        # Comparing takes time with the square of the length, and a name may be a whole file.
        near = [alike[name] for name in get_close_matches(operator.lower()[:_LONGEST], alike, 4, 0.65)]
        shown = operator
        if len(operator) > _LONGEST:
            shown = f"{operator[:_LONGEST]}..."
        cure = framed("did you mean ", ", ".join(near), "?") or "name one as ONNX writes it, such as `Relu`"
        raise UsageError(f"ONNX has no operator `{shown}`", cure=cure)
    versions = known[operator]
    if version is not None and version not in versions:
        listed = ", ".join(map(str, versions))
        raise UsageError(f"{operator} has no version {version}", cure=f"its versions are {listed}")
    found = schema(operator, version)
    assert found is not None
    if found.deprecated:
        before = ", ".join(str(v) for v in versions if v < found.version)
        cure = framed("name an earlier version with --since: ", before) or "name another operator"
        raise UsageError(f"{operator} is deprecated from version {found.version} on", cure=cure)
    return found


def folder_of(operator: str, out: str | None, *, standard: bool = False) -> Path:
    """The folder that is asked for; else, in a project, `spec/onnx/op` for a text of the standard, `spec/sonnx/op` for
    a pair; else the current one. Raises UsageError for what no folder can be called."""
    if out is not None and "\0" in out:
        raise UsageError("the name of a folder cannot contain a NUL character", cure="name another folder")
    if out is not None:
        return Path(out)
    if not Path("spec").is_dir():
        return Path()
    return Path("spec") / ("onnx" if standard else "sonnx") / operator.lower()


def general_from(folder: Path) -> str:
    """The way from a folder to the general restrictions of the project that it is in; empty where it is in none."""
    # Through links the way would be another one: both ends are resolved.
    here = Path.cwd()
    target = here / _GENERAL
    place = resolved(here / folder)
    if not target.is_file() or not place.is_relative_to(resolved(here)):
        return ""
    return Path(os.path.relpath(resolved(target), place)).as_posix()


def standard_text_of(operator: str, version: int) -> File | None:
    """The formal text of the standard, here or installed; None where there is none."""
    name = operator.lower()
    folders = [root / STANDARDS for root in (Path.cwd(), installed_library())]
    places = (folder / within / f"{name}.sonnx" for folder in folders for within in (name, ""))
    path = next(filter(Path.is_file, places), None)
    if path is None:
        return None
    try:
        found = {(file.name, file.version): file for file in editions(parse(read_source(path)))}
    except UserError:
        # A text that cannot be read is told by `check`; the new one then refines nothing.
        return None
    return found.get((operator, version))


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files into the folder, which is made. Raises UserError where one is there, or cannot be written: then
    none is."""
    # A link that leads nowhere is there too.
    there = [name for name in files if os.path.lexists(folder / name)]
    if there:
        shown = [(folder / name).as_posix() for name in there]
        exist = "exists" if len(there) == 1 else "exist"
        raise UsageError(f"{' and '.join(shown)} already {exist}", cure="name another folder with --out")
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            # `x` makes a file or fails: what came here since it was looked at is not touched either.
            with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                made.append(folder / name)
                file.write(text)
    except (OSError, ValueError) as problem:
        for path in made:
            path.unlink(missing_ok=True)
        # A ValueError is of a path that no system call takes, as one with a character that cannot be encoded.
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise MissingFile(f"cannot write to {folder.as_posix()}: {why}", cure="name another folder") from None
