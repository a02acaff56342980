"""Generated files, and folders of them, written whole: there is the old one or the new one, never half of one."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sonnx_verify.errors import MissingFile, UserError
from sonnx_verify.paths import resolved
from sonnx_verify.results.written import json_text

INDEX = "index.json"
"""The file of a folder that lists the others: only files that it lists, with the bytes that it lists, are replaced."""
_SEAL = "index_sha256"
_CURE = "name a folder that is new or empty"


def sealed(index: Mapping[str, Any]) -> bytes:
    """The bytes of an index, with the hash of all the rest of it."""
    seal = hashlib.sha256(json_text(index).encode()).hexdigest()
    return json_text({**index, _SEAL: seal}).encode()


def _listed(index: bytes, rows: str) -> dict[str, str] | None:
    """The files in those rows of an index, with the SHA-256 of their bytes; None where it is not as it was written."""
    try:
        made = json.loads(index)
        unsealed = {key: value for key, value in made.items() if key != _SEAL}
        # An index that was edited may list a file of the user, which would then be replaced.
        if made["tool"]["name"] != "sonnx-verify" or index != sealed(unsealed):
            return None
        return {str(row["file"]): str(row["bytes_sha256"]) for row in made[rows]}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def refuse_others(folder: Path, rows: str) -> None:
    """Raise UserError unless the folder is new or empty, or holds the files of an earlier run, which its index lists in
    those `rows`, and nothing else."""
    try:
        # It is put aside and replaced as a whole, so that nobody may stand in it.
        place, here = resolved(folder), Path.cwd()
        if place == here:
            raise UserError("the current folder cannot be replaced", cure="name a folder in it")
        if place in here.parents:
            raise UserError(f"{folder} holds the current folder, and cannot be replaced", cure=_CURE)
        above = next(parent for parent in place.parents if parent.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise UserError(f"{above} is not a folder that can be written to", cure="name another place")
        if not folder.exists() and not folder.is_symlink():
            return
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder", cure=_CURE)
        _refuse_others_in(folder, folder, rows)
    except (OSError, ValueError, RuntimeError) as problem:
        raise UserError(
            f"{folder} cannot be read: {_why(problem)}", cure="check the path and its permissions"
        ) from None


def _refuse_others_in(place: Path, folder: Path, rows: str) -> None:
    """The same of a folder that is there, in that `place`, and shown as `folder`."""
    if not any(place.iterdir()):
        return
    if not _is_file(place / INDEX):
        raise UserError(f"{folder} is not empty, and holds no earlier export", cure=_CURE)
    # Only an index that this tool wrote, and that nobody edited, says which files are its own.
    listed = _listed((place / INDEX).read_bytes(), rows)
    if listed is None:
        raise UserError(f"{folder / INDEX} is not the index of an export, or was modified", cure=f"move it, or {_CURE}")
    folders = {parent.as_posix() for name in listed for parent in PurePosixPath(name).parents}
    for path in _below(place):
        name = path.relative_to(place).as_posix()
        if name == INDEX or (name in folders and _is_folder(path)):
            continue
        if name not in listed:
            raise UserError(f"{folder / name} is not part of the export in {folder}", cure=f"move it, or {_CURE}")
        if not _is_file(path) or hashlib.sha256(path.read_bytes()).hexdigest() != listed[name]:
            raise UserError(f"{folder / name} was modified after the export", cure=f"move it, or {_CURE}")


def _below(place: Path) -> Iterator[Path]:
    """Everything in a folder and the folders in it, each folder before what is in it."""
    for path in sorted(place.iterdir()):
        yield path
        if _is_folder(path):
            yield from _below(path)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


_OURS = "-sonnx-verify-"
"""A part of the names of files that are being written: no file of a user is taken for one that a killed run left."""


def refuse_unwritable(path: Path) -> None:
    """Raise UserError where a file cannot be written: before much is worked that would be lost."""
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UserError(f"{path} cannot be written", cure="name a file in a folder that is there and can be written to")


def refuse_other_file(path: Path, *begins: bytes) -> None:
    """Raise UserError where a file is there that is not empty and does not begin as the new one may: it may be all that
    there is of somebody's work."""
    try:
        with Path(os.path.realpath(path)).open("rb") as file:
            said = file.read(max(map(len, begins)))
    except OSError:
        return  # there is none, or the mistake is told when it is written
    if said and not said.startswith(begins):
        raise UserError(
            f"{path} was not written by sonnx-verify; refusing to overwrite it", cure="name another file, or remove it"
        )


def write_file(path: Path, text: str) -> None:
    """Write the text to the file, as `write_bytes`."""
    write_bytes(path, text.encode())


def write_files(texts: Mapping[Path, str | None]) -> None:
    """Write the files, as `write_bytes`, in this order; one without a text is removed."""
    for path, text in texts.items():
        if text is None:
            path.unlink(missing_ok=True)
        else:
            write_file(path, text)


def write_bytes(path: Path, data: bytes) -> None:
    """Write the file: a run that is killed leaves the one before. A link stays a link. Raises UserError where it cannot
    be written, or is no regular file: a device or a pipe is not to be replaced by one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise UserError(f"{path} is not a regular file; refusing to overwrite it", cure="name another file")
        _tidy(target)
        _put(target, data, f".{target.stem}{_OURS}{os.getpid()}-", 0o644)
    except (OSError, ValueError) as problem:
        cure = "free some space, or make the folder writable"
        raise UserError(f"{path} cannot be written: {_why(problem)}", cure=cure) from None


def replace_file(path: Path, data: bytes) -> None:
    """Replace what a file says at once: whoever reads it sees the old or the new. A link stays a link, and its rights
    are kept. Raises MissingFile where it cannot be written."""
    target = Path(os.path.realpath(path))
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "it is write-protected")
        _put(target, data, f".{target.name}.", target.stat().st_mode & 0o7777)
    except OSError as problem:
        raise MissingFile(f"{path} cannot be written: {problem.strerror}", cure="check its permissions") from None


def _put(target: Path, data: bytes, prefix: str, rights: int) -> None:
    """Write beside the target and rename: the new name is there only once all bytes are on the disk."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, rights)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _tidy(path: Path) -> None:
    """Remove the files that runs left beside this one which were killed while they wrote it."""
    for left in path.parent.glob(f".{glob.escape(path.stem)}{_OURS}*"):
        # The number of the process stands in the name: one that is still running is at work on it.
        found = re.fullmatch(r"(\d+)-\w{8}", left.name.removeprefix(f".{path.stem}{_OURS}"), re.ASCII)
        if found is not None and not _is_running(int(found[1])):
            left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True


def write_folder(folder: Path, files: Mapping[str, bytes], rows: str) -> None:
    """Write the files, their index among them, to the folder, in place of an earlier export. A file that has its bytes
    already is not written: it keeps its time, and tools that look at times leave it alone. Raises UserError where the
    folder holds anything else, and where it cannot be written."""
    try:
        place = resolved(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        # On the same disk, or it could not be renamed into its place.
        made = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}-"))
        new, old = made / "new", made / "old"
        try:
            for name, data in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                _take_over(place / name, new / name, data)
            refuse_others(folder, rows)
            _exchange(place, new, old, folder, rows)
        finally:
            # Where the old one has no place, nor the new one, the old one stays.
            shutil.rmtree(new if new.exists() and old.exists() else made, ignore_errors=True)
    except (OSError, ValueError, RuntimeError) as problem:
        raise UserError(
            f"{folder} cannot be written: {_why(problem)}", cure="free some space, or make the folder above it writable"
        ) from None


def _take_over(old: Path, new: Path, data: bytes) -> None:
    """Give the new file these bytes: by a second name of the old file where that has them, else written."""
    if _is_file(old) and old.read_bytes() == data:
        try:
            os.link(old, new)
        except OSError:  # a file system without links
            shutil.copy2(old, new)
        return
    new.write_bytes(data)


def _exchange(place: Path, new: Path, old: Path, folder: Path, rows: str) -> None:
    """Put the new folder in the place, and the old one aside; any mistake on the way puts that back."""
    try:
        if place.exists():
            os.replace(place, old)
            # Something may have come into it since it was looked at.
            _refuse_others_in(old, folder, rows)
        os.replace(new, place)
    except BaseException:
        if new.exists() and old.exists():
            try:
                os.replace(old, place)
            except OSError:
                raise UserError(
                    f"something else was put into {folder} meanwhile", cure=f"its former content is in {old}"
                ) from None
        raise


def _why(problem: OSError | ValueError | RuntimeError) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem)
