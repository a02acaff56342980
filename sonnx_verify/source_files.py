"""Files of specifications as texts. Trusted."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.errors import MissingFile, SpecificationError
from sonnx_verify.sources import Source

# No text of the library has a thirtieth of this; a file of gigabytes, named by mistake, shall not be read.
MAX_SPEC_BYTES = 1 << 20


def read_source(path: Path, shown: str | None = None) -> Source:
    """The text of a specification file. Raises UserError with the file's name for what is not a readable text."""
    name = shown or path.as_posix()
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise MissingFile(f"{name} is not a file", cure="name a .sonnx file")
        if size > MAX_SPEC_BYTES:
            raise SpecificationError(
                f"{name} has {size} bytes, more than the {MAX_SPEC_BYTES} that a specification may have",
                cure="split it into several files",
            )
        data = path.read_bytes()
    except OSError as problem:
        raise MissingFile(
            f"{name} cannot be read: {problem.strerror}", cure="check the path and its permissions"
        ) from None
    return source_of(name, data)


def source_of(name: str, data: bytes) -> Source:
    """The bytes of a specification as a text with LF line ends and no byte order mark. Raises SpecificationError for
    what is not a readable text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "backslashreplace").decode()
        raise SpecificationError(f"the name of {shown} is not UTF-8", cure="rename the file") from None
    # Without a mark and with LF, lines and columns are the same on every system, and so is every hash of a text.
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise SpecificationError(
            f"{name} is not UTF-8 text: byte {problem.start}, on line {line}", cure="save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise SpecificationError(f"{name} is not text: it has a NUL character on line {line}", cure="check the path")
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
