"""`sonnx-verify fmt`: which files it writes, what it prints, and its exit status."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

LOOSE = '-- Head.\ntheory t "laws"\ntypes int=int8\ntheorem a "is itself"  for x : T:x=x -- so\n'
LAID = '-- Head.\ntheory t "laws"\ntypes int = int8\ntheorem a "is itself"\n  for x : T\n  : x = x  -- so\n'
BAD = 'theory t "laws"\ntheorem a "no end"\n  : x = = y\n'


def fmt(*arguments: str | Path, given: str | bytes | None = None) -> Result:
    """What the command did; a traceback fails the test."""
    done = CliRunner().invoke(main, ["fmt", *map(str, arguments)], input=given)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a loose file, one laid out, and a hidden one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in" / ".hidden").mkdir(parents=True)
    (tmp_path / "in" / "loose.sonnx").write_text(LOOSE)
    (tmp_path / "in" / "laid.sonnx").write_text(LAID)
    (tmp_path / "in" / ".hidden" / "loose.sonnx").write_text(LOOSE)
    (tmp_path / "in" / "loose.txt").write_text(LOOSE)
    return tmp_path / "in"


def contents(folder: Path) -> dict[Path, tuple[bytes, int, int]]:
    """Every file below a folder: bytes, mode, and which file it is."""
    files = (p for p in folder.rglob("*") if p.is_file())
    return {p: (p.read_bytes(), p.stat().st_mode, p.stat().st_ino) for p in files}


def test_a_folder(folder: Path) -> None:
    """Only what has to change is written; hidden folders are none of its business."""
    before = contents(folder)

    done = fmt("in")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "changed in/loose.sonnx\n", "")
    after = contents(folder)
    assert after.pop(folder / "loose.sonnx")[0] == LAID.encode()
    del before[folder / "loose.sonnx"]
    assert after == before


def test_again(folder: Path) -> None:
    fmt("in")
    before = contents(folder)

    done = fmt("in", "in/laid.sonnx")

    assert (done.exit_code, done.output) == (0, "")
    assert contents(folder) == before


def test_check(folder: Path) -> None:
    before = contents(folder)

    done = fmt("--check", "in", "in/loose.sonnx")

    assert (done.exit_code, done.stdout) == (1, "would change in/loose.sonnx\n")
    assert fmt("--check", "in/laid.sonnx").exit_code == 0
    assert contents(folder) == before


def test_diff(folder: Path) -> None:
    before = contents(folder)

    done = fmt("--diff", "in")

    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "--- in/loose.sonnx",
        "+++ in/loose.sonnx",
        "@@ -1,4 +1,6 @@",
        " -- Head.",
        ' theory t "laws"',
        "-types int=int8",
        '-theorem a "is itself"  for x : T:x=x -- so',
        "+types int = int8",
        '+theorem a "is itself"',
        "+  for x : T",
        "+  : x = x  -- so",
    ]
    assert contents(folder) == before


def test_diff_without_a_final_line_end(folder: Path) -> None:
    (folder / "laid.sonnx").write_text(LAID.rstrip())

    assert fmt("--diff", "in/laid.sonnx").stdout.endswith(
        "-  : x = x  -- so\n\\ No newline at end of file\n+  : x = x  -- so\n"
    )


def test_standard_input() -> None:
    done = fmt("-", given=LOOSE)

    assert (done.exit_code, done.stdout, done.stderr) == (0, LAID, "")
    assert fmt("-", given=LAID).stdout == LAID
    assert (fmt("--check", "-", given=LOOSE).exit_code, fmt("--check", "-", given=LAID).exit_code) == (1, 0)


@pytest.mark.parametrize(
    "data",
    [
        LAID.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + LAID.encode(),
        LAID.rstrip("\n").encode(),
        f"\n{LAID}\n\n".encode(),
    ],
    ids=["line ends", "byte order mark", "no final line end", "blank lines around"],
)
def test_bytes_around_the_text(folder: Path, data: bytes) -> None:
    (folder / "laid.sonnx").write_bytes(data)

    assert fmt("in/laid.sonnx").stdout == "changed in/laid.sonnx\n"
    assert (folder / "laid.sonnx").read_bytes() == LAID.encode()


def test_an_error_in_one_of_several_files(folder: Path) -> None:
    """It is shown with its place, its file stays as it is, and the others are laid out."""
    (folder / "bad.sonnx").write_text(BAD)

    done = fmt("in")

    assert (done.exit_code, done.stdout) == (2, "changed in/loose.sonnx\n")
    assert done.stderr.startswith(
        "in/bad.sonnx:3:9: error: unexpected `=`\n    3 |   : x = = y\n                ^\n  to fix: "
    )
    assert (folder / "bad.sonnx").read_text() == BAD
    assert fmt("--check", "in/bad.sonnx").exit_code == fmt("-", given=BAD).exit_code == 2


def test_rights_and_links_stay(folder: Path) -> None:
    real, link = folder / "loose.sonnx", folder / "link.sonnx"
    real.chmod(0o640)
    link.symlink_to("loose.sonnx")

    assert fmt("in/link.sonnx").stdout == "changed in/link.sonnx\n"
    assert link.is_symlink()
    assert link.read_text() == LAID
    assert real.stat().st_mode & 0o777 == 0o640


def test_nothing_is_left_beside_the_file(folder: Path) -> None:
    before = set(contents(folder))
    fmt("in")

    assert set(contents(folder)) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_write_protected_file(folder: Path) -> None:
    (folder / "loose.sonnx").chmod(0o444)

    done = fmt("in")

    assert (done.exit_code, done.stderr.splitlines()[0]) == (
        2,
        "error: in/loose.sonnx cannot be written: it is write-protected",
    )
    assert (folder / "loose.sonnx").read_text() == LOOSE


@pytest.mark.parametrize("name", ["gone.sonnx", "empty", "no\0name"])
def test_nothing_there(folder: Path, name: str) -> None:
    """Nothing is written if one of the names is wrong."""
    (folder.parent / "empty").mkdir()

    done = fmt("in", name)

    assert done.exit_code == 2
    assert done.stderr.startswith("error: there is no ")
    assert (folder / "loose.sonnx").read_text() == LOOSE


@pytest.mark.parametrize("data", [b"\xff\xfe", b"let x = \0", b"-" * (1 << 20) + b"-"], ids=["bytes", "NUL", "large"])
def test_what_is_no_text(folder: Path, data: bytes) -> None:
    (folder / "loose.sonnx").write_bytes(data)

    assert fmt("in/loose.sonnx").exit_code == fmt("-", given=data).exit_code == 2
    assert (folder / "loose.sonnx").read_bytes() == data
