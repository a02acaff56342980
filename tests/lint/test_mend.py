"""Mends, through the command: in the file, all at once, and nothing else."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import sonnx_verify.outputs
from sonnx_verify.cli import main
from sonnx_verify.pages.lint.mend import mended

SCHEMA = json.loads(Path(sonnx_verify.outputs.__file__).with_name("lint.schema.json").read_text("utf-8"))

PAGE = """# Contents

- **Clamp** for types [int8, int8, FP16](#int)

<a id="int"></a>
# **Clamp** (int, int)

## Restrictions

| tag | statement | origin |
|---|---|---|
| `[R1]` <a id="int-R1"></a> | Tensors are dense, not sparse | GR1 |
| `[R2]` <a id="int-R1b"></a> | Lenght and `lenght` | [lenght](lenght.md) |
| R3 | The order is 0+ > 0 > 0-

## Informal specification

As said.
"""
MENDED = """# Contents

- **Clamp** for types [int8, float16](#int)

<a id="int"></a>
# **Clamp** (int, int)

## Restrictions

| tag | statement | origin |
|---|---|---|
| `[R1]` <a id="int-R1"></a> | Tensors are dense, not sparse | GR1 |
| `[R2]` <a id="int-R2b"></a> | Length and `lenght` | [length](lenght.md) |
| [R3] <a id="int-R3"></a> | The order is 0+ > 0- |

## Function

As said.
"""


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["page", "lint", *words])
    return done.exit_code, done.stdout


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_page_is_mended(ends: str, encoding: str, tmp_path: Path) -> None:
    """Line ends, the mark of the byte order, the encoding and the rights of the file stay."""
    path = tmp_path / "page.md"
    left = "Caf\xe9, no last line end"
    path.write_bytes((PAGE + left).replace("\n", ends).encode(encoding))
    path.chmod(0o640)
    status, told = run(str(path), "--fix")

    assert path.read_bytes() == (MENDED + left).replace("\n", ends).encode(encoding)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["page.md"]
    assert "page.md:14:3: fixed: R3 is written without brackets" in told
    assert status == 1
    assert told.endswith(", 10 fixed\n")
    again = path.stat()
    assert run(str(path), "--fix")[1].endswith("0 fixed\n")
    # What needs no mend is not written.
    assert path.stat().st_mtime_ns == again.st_mtime_ns
    assert path.stat().st_ino == again.st_ino


def test_what_can_be_mended_is_told(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    told = json.loads(run(str(path), "--format", "json")[1])
    mendable = {f["rule"] for f in told["findings"] if f["fixable"]}

    assert mendable == {
        "type-twice", "type-unknown", "anchor-differs", "spelling", "zeros", "table-pipe", "tag-brackets",
        "anchor-missing", "section-old-name",
    }  # fmt: skip  # a table
    assert path.read_text("utf-8") == PAGE
    fixed = json.loads(run(str(path), "--fix", "--format", "json")[1])
    for answer in (told, fixed):
        jsonschema.validate(answer, SCHEMA)
    assert {f["rule"] for f in fixed["fixed"]} == mendable
    assert not any(f["fixable"] for f in fixed["findings"])


def test_headings_that_links_lead_to_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# **Op** (int)\n\n## Informal specification\n\nSee [above](#informal-specification).\n", "utf-8")
    run(str(path), "--fix")

    assert "## Informal specification" in path.read_text("utf-8")


def test_an_anchor_that_links_lead_to_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = '# **Op** (int)\n\n## Inputs\n\n- [C1] <a id="C7"></a> so\n- [C2] <a id="C2"></a> see [above](#C7)\n'
    path.write_text(text, "utf-8")
    run(str(path), "--fix")

    assert path.read_text("utf-8") == text


def test_what_is_linked_is_mended_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "page.md"
    there.write_text("# **Op** (int)\n\nThe lenght.\n", "utf-8")
    (tmp_path / "page.md").symlink_to(there)
    run(str(tmp_path / "page.md"), "--fix")

    assert (tmp_path / "page.md").is_symlink()
    assert "The length." in there.read_text("utf-8")


def test_a_folder_that_nobody_may_write_to(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        return
    (tmp_path / "page.md").write_text("# **Op** (int)\n\nThe lenght.\n", "utf-8")
    tmp_path.chmod(0o500)
    status, told = run(str(tmp_path / "page.md"), "--fix")
    tmp_path.chmod(0o700)

    assert status == 2
    assert (tmp_path / "page.md").read_text("utf-8").endswith("lenght.\n")


def test_a_page_that_is_write_protected(tmp_path: Path) -> None:
    """It is left as it is, as by every command."""
    if os.geteuid() == 0:
        return
    page = tmp_path / "page.md"
    page.write_text("# **Op** (int)\n\nThe lenght.\n", "utf-8")
    page.chmod(0o400)

    assert run(str(page), "--fix")[0] == 2
    assert page.read_text("utf-8").endswith("lenght.\n")


def test_what_is_there_often_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# **Op** (int)\n" + "\n[a](none.md)\n" * 20, "utf-8")
    told = run(str(path))[1]

    assert told.count("none.md next to") == 1
    assert "also on lines 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27 and 7 more" in told
    findings = json.loads(run(str(path), "--format", "json")[1])["findings"]
    assert len([f for f in findings if "none.md" in f["message"]]) == 20


@pytest.mark.parametrize(
    "text",
    [
        "`multi\nline lenght code` and $a\nlenght$",
        "[x]: ./lenght.md",
        "a <!-- comment\nlenght\n--> b",
        "lenght.md, path/lenght/x, lenght_name, my-lenght-id, lenght@example.org",
        "    lenght of code",
    ],
)
def test_no_name_is_spelled_otherwise(text: str) -> None:
    """What is no word of a sentence may be the name of something, and stays."""
    data = f"# A page\n\n{text}\n\nThe lenght of it.\n".encode()
    changed, _, _ = mended("a.md", data)

    assert changed == data.replace(b"The lenght of it", b"The length of it")


def test_a_link_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is no page, and no folder for a report."""
    monkeypatch.chdir(tmp_path)
    Path("loop.md").symlink_to("loop.md")
    for words in (["page", "lint", "loop.md"], ["page", "lint", "--fix", "loop.md"]):
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        assert done.exit_code == 2
        assert "loop.md is not a file" in done.stderr
