"""An archive of files with their hashes: the same bytes for the same files, and nothing read from it that is not so."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sonnx_verify.errors import UserError

MANIFEST = "manifest.json"
FOLDER = "evidence"
_MOST = 1 << 30
"""An archive that unpacks to more is not read."""

_DAMAGED = (
    OSError, EOFError, tarfile.TarError, gzip.BadGzipFile, zlib.error, KeyError, ValueError, TypeError, AttributeError,
    IndexError, RecursionError, OverflowError,
)  # fmt: skip  # a table
"""The exceptions that the libraries raise for bytes that are no archive, or no JSON of the form written here."""


class Altered(UserError):
    """The files of an archive are not those of its manifest."""


def packed(files: Mapping[str, bytes], about: Mapping[str, Any]) -> bytes:
    """The archive of the files and of a manifest, which has their SHA-256 and what is said of them."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    manifest = json.dumps({**about, "files": hashes}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted({**files, MANIFEST: manifest.encode()}.items()):
            # No time, no owner: only what was filed.
            info = tarfile.TarInfo(f"{FOLDER}/{name}")
            info.size, info.mode = len(data), 0o644
            archive.addfile(info, io.BytesIO(data))
    made = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=made, mode="wb", mtime=0) as packer:
        packer.write(tar.getvalue())
    return made.getvalue()


def unpacked(path: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of an archive and its manifest. Raises UserError where it is none, Altered where a file is not as the
    manifest says."""
    files: dict[str, bytes] = {}
    try:
        with gzip.open(path) as packer:
            # To the end, where its checksum stands: the manifest has no hash.
            whole = packer.read(_MOST + 1)
        if len(whole) > _MOST:
            raise _wrong(path, "it is too large")
        with tarfile.open(fileobj=io.BytesIO(whole), mode="r:") as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                if not member.isfile() or name.is_absolute() or ".." in name.parts or name.parts[:1] != (FOLDER,):
                    raise _wrong(path, f"it has {member.name!r}, which is not a file of an evidence archive")
                if str(name.relative_to(FOLDER)) in files:
                    raise _wrong(path, f"it has {member.name} twice")
                data = archive.extractfile(member)
                assert data is not None
                files[str(name.relative_to(FOLDER))] = data.read()
        manifest = json.loads(files.pop(MANIFEST))
        hashes = {str(name): str(sha256) for name, sha256 in manifest["files"].items()}
    except _DAMAGED as problem:
        if isinstance(problem, FileNotFoundError):
            raise UserError(f"there is no file {path}", cure="name an evidence archive") from None
        raise _wrong(path, "it is cut off, or another kind of file") from None
    for file in sorted(hashes.keys() | files.keys()):
        if file not in files:
            raise _altered(path, f"{file} is missing")
        if file not in hashes:
            raise _altered(path, f"{file} is not in the manifest")
        if hashes[file] != hashlib.sha256(files[file]).hexdigest():
            raise _altered(path, f"{file} is not as the manifest says")
    return files, manifest


def refuse_other_archive(path: Path) -> None:
    """Raise UserError where a file is there that is neither empty nor an evidence archive, whole or altered."""
    try:
        if not path.is_file() or path.stat().st_size == 0:
            return
        with tarfile.open(path, mode="r:gz") as archive:
            archive.getmember(f"{FOLDER}/{MANIFEST}")
    except _DAMAGED:
        cure = "name another file, or remove it"
        raise UserError(f"{path} was not written by sonnx-verify; refusing to overwrite it", cure=cure) from None


NOT_TO_RELY_ON = "do not rely on it; ask whoever made it for another one"


def _wrong(path: Path, why: str) -> UserError:
    return UserError(f"{path} is not a complete evidence archive: {why}", cure=NOT_TO_RELY_ON)


def _altered(path: Path, why: str) -> Altered:
    return Altered(f"{path} was altered: {why}", cure=NOT_TO_RELY_ON)
