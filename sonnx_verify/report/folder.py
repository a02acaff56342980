"""Generated files, and folders of them, written whole: there is the old one or the new one, never half of one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from sonnx_verify.errors import UserError

_CURE = "name a folder that is new or empty"
Reader = Callable[[bytes], Mapping[str, str] | None]
"""From the bytes of an index to the files it lists, with the SHA-256 of each; None where it is no index."""


def refuse_others(folder: Path, index: str, reader: Reader) -> None:
    """Raise UserError unless the folder is new or empty, or holds what an earlier run wrote and nothing else."""
    try:
        above = next(parent for parent in folder.resolve().parents if parent.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise UserError(f"{above} is not a folder that can be written to", cure="name another place")
        if not folder.exists() and not folder.is_symlink():
            return
        if folder.resolve() == Path.cwd():
            raise UserError("the current folder cannot be replaced", cure="name a folder in it")
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder", cure=_CURE)
        found = {entry.name: entry for entry in folder.iterdir()}
        if not found:
            return
        if index not in found or not _is_file(found[index]):
            raise UserError(f"{folder} is not empty, and holds no earlier export", cure=_CURE)
        listed = reader(found.pop(index).read_bytes())
        if listed is None:
            raise UserError(f"{folder / index} is no index of an export", cure=_CURE)
        for name, path in sorted(found.items()):
            if name not in listed:
                raise UserError(f"{path} is no part of the export in {folder}", cure=f"move it, or {_CURE}")
            if not _is_file(path) or hashlib.sha256(path.read_bytes()).hexdigest() != listed[name]:
                raise UserError(f"{path} was changed since it was exported", cure=f"move it, or {_CURE}")
    except (OSError, ValueError) as problem:
        raise UserError(f"{folder} cannot be read: {_why(problem)}", cure="check the path and its rights") from None


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def refuse_unwritable(path: Path) -> None:
    """Raise UserError where a file cannot be written: before much is worked that would be lost."""
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UserError(f"{path} cannot be written", cure="name a file in a folder that is there and can be written to")


def write_file(path: Path, text: str) -> None:
    """Write the text to the file: a run that is killed leaves the one before. Raises UserError where the folder cannot
    be written to."""
    try:
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as problem:
        cure = "make room, or the folder writable"
        raise UserError(f"{path} cannot be written: {_why(problem)}", cure=cure) from None


def write_folder(folder: Path, files: Mapping[str, bytes], index: str, reader: Reader) -> None:
    """Write the files to the folder, in place of an earlier export. Raises UserError where it holds anything else, and
    where it cannot be written."""
    try:
        place = folder.resolve()
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}-"))
        try:
            new, old = made / "new", made / "old"
            new.mkdir()
            for name, data in files.items():
                (new / name).write_bytes(data)
            refuse_others(folder, index, reader)
            if place.exists():
                os.replace(place, old)
            try:
                os.replace(new, place)
            except OSError:
                if old.exists():
                    os.replace(old, place)
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except (OSError, ValueError) as problem:
        raise UserError(
            f"{folder} cannot be written: {_why(problem)}", cure="make room, or the folder above it writable"
        ) from None


def _why(problem: OSError | ValueError) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
