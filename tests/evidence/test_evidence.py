"""An evidence archive has what a claim rests on, in the same bytes, and is told apart from what was changed."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.api.queried import Queried
from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language import trees
from sonnx_verify.outputs.evidence.archive import packed, unpacked
from sonnx_verify.stores.store import Store

TEXT = """operator Foo version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "X has an axis" : rank(X) > {least}
[E1] error "X has none" : when rank(X) = 0
shape Y = X.shape
value Y[i] = X[i]
"""


def run(*args: str) -> Result:
    """What `sonnx-verify` prints and returns."""
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "foo.sonnx").write_text(TEXT.format(least=0), "utf-8")
    (tmp_path / "foo.md").write_text("# **Foo** (int, int)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_filed(folder: Path) -> None:
    """Claim, answer, ledger, queries and texts; the same bytes again, by any number of processes."""
    assert run("evidence", "--out", "one.tar.gz").exit_code == 0
    assert run("evidence", "--out", "two.tar.gz", "--jobs", "2").exit_code == 0
    assert (folder / "one.tar.gz").read_bytes() == (folder / "two.tar.gz").read_bytes()

    files, manifest = unpacked(folder / "one.tar.gz")
    answer = json.loads(files["check.json"])
    queries = {f"smt/{q['sha256']}.smt2" for o in answer["obligations"] for q in o["queries"]}
    assert queries
    assert queries <= files.keys()
    assert files["texts/foo.sonnx"] == (folder / "foo.sonnx").read_bytes()
    assert "texts/foo.md" in files
    assert json.loads(files["ledger.json"])
    assert manifest["solvers"] == answer["solvers"]
    claim = files["CLAIM.md"].decode()
    assert "All are as expected." in claim
    assert "every rank" in claim
    assert "an input violates the statement; the reference evaluator replayed it before it was reported." in claim
    assert str(folder) not in "".join(data.decode() for data in files.values())


def test_it_is_decided_again(folder: Path) -> None:
    """Whatever has become of the texts since."""
    run("evidence", "--out", "e.tar.gz", "foo.sonnx")
    (folder / "foo.sonnx").unlink()
    done = run("evidence", "--verify", "e.tar.gz")
    assert done.exit_code == 0
    assert "checked again, same verdicts" in done.stdout


def test_a_finding_is_filed_too(folder: Path) -> None:
    """With the status of `check`, and named in the claim."""
    (folder / "foo.sonnx").write_text(TEXT.format(least=1), "utf-8")
    assert run("evidence", "--out", "e.tar.gz").exit_code == 1
    files, _ = unpacked(folder / "e.tar.gz")
    assert b"- user.Foo-1.int/C1/covered: refuted" in files["CLAIM.md"]
    done = run("evidence", "--verify", "e.tar.gz")
    assert done.exit_code == 0
    assert "1 of them is a surprise, listed in CLAIM.md" in done.stdout


def test_a_file_that_was_changed(folder: Path) -> None:
    """Its hash tells."""
    run("evidence", "--out", "e.tar.gz")
    files, manifest = unpacked(folder / "e.tar.gz")
    hashes = manifest.pop("files")
    archive = packed({**files, "CLAIM.md": b"all is well"}, manifest)
    lying = archive_with(archive, {"manifest.json": json.dumps({**manifest, "files": hashes}).encode()})
    (folder / "e.tar.gz").write_bytes(lying)
    done = run("evidence", "--verify", "e.tar.gz", "--hashes-only")
    assert done.exit_code == 1
    assert "CLAIM.md is not as the manifest says" in done.stderr
    archive = packed({**files, "more.txt": b"all is well"}, manifest)
    more = archive_with(archive, {"manifest.json": json.dumps({**manifest, "files": hashes}).encode()})
    (folder / "e.tar.gz").write_bytes(more)
    done = run("evidence", "--verify", "e.tar.gz", "--hashes-only")
    assert done.exit_code == 1
    assert "more.txt is not in the manifest" in done.stderr


def test_an_answer_that_lies(folder: Path) -> None:
    """Hashes that fit do not help: it is decided again."""
    (folder / "foo.sonnx").write_text(TEXT.format(least=1), "utf-8")
    run("evidence", "--out", "e.tar.gz")
    files, manifest = unpacked(folder / "e.tar.gz")
    answer = json.loads(files["check.json"])
    for obligation in answer["obligations"]:
        obligation["verdict"] = obligation["verdict"].replace("refuted", "proved")
    manifest.pop("files")
    (folder / "e.tar.gz").write_bytes(packed({**files, "check.json": json.dumps(answer).encode()}, manifest))
    assert run("evidence", "--verify", "e.tar.gz", "--hashes-only").exit_code == 0
    done = run("evidence", "--verify", "e.tar.gz")
    assert done.exit_code == 1
    assert "user.Foo-1.int/C1/covered: proved in the archive, refuted now" in done.stdout


def forged(folder: Path, **instead: object) -> Result:
    """Verify the archive with other bytes in some files, whose hashes fit; `tool` and `what` are of the manifest."""
    files, manifest = unpacked(folder / "e.tar.gz")
    manifest.pop("files")
    manifest |= {name: value for name, value in instead.items() if name in manifest}
    other = {name: value for name, value in instead.items() if isinstance(value, bytes)}
    (folder / "forged.tar.gz").write_bytes(packed({**files, **other}, manifest))
    assert run("evidence", "--verify", "forged.tar.gz", "--hashes-only").exit_code == 0
    return run("evidence", "--verify", "forged.tar.gz")


@pytest.mark.soak
def test_what_people_read_that_lies(folder: Path) -> None:
    """The claim, the ledger and the queries are made again too, whatever the answers say."""
    (folder / "foo.sonnx").write_text(TEXT.format(least=1), "utf-8")
    run("evidence", "--out", "e.tar.gz")
    files, manifest = unpacked(folder / "e.tar.gz")
    assert forged(folder).exit_code == 0
    query = next(name for name in files if name.endswith(".smt2"))
    for name, data in {
        "CLAIM.md": files["CLAIM.md"].replace(b"1 of them differs from what the texts expect", b"All is well"),
        "ledger.json": files["ledger.json"].replace(b"refuted", b"proved"),
        query: b"(assert false)\n",
        "smt/more.smt2": b"(assert false)\n",
        "texts/more.md": b"# More\n",
    }.items():
        assert files.get(name) != data
        done = forged(folder, **{name: data})
        assert done.exit_code == 1, name
        assert f"{name} does not match its texts" in done.stdout, name
    # One who says that another build made it hides what cannot be compared, and is told.
    done = forged(folder, **{"CLAIM.md": b"all is well"}, tool={**manifest["tool"], "digest": "0"})
    assert done.exit_code == 3
    assert "compared check.json only, not CLAIM.md, ledger.json and smt/" in done.stdout


def test_two_texts_of_one_identity(folder: Path) -> None:
    """A verdict of one would be lost behind that of the other: nothing is filed, and what says both is no archive."""
    run("evidence", "--out", "e.tar.gz")
    (folder / "bar.sonnx").write_text(TEXT.format(least=1), "utf-8")
    done = run("evidence", "--out", "two.tar.gz")
    assert done.exit_code == 2
    assert "is in bar.sonnx and in foo.sonnx" in done.stderr
    assert not (folder / "two.tar.gz").exists()
    answer = json.loads(unpacked(folder / "e.tar.gz")[0]["check.json"])
    answer["obligations"].append(answer["obligations"][0])
    assert forged(folder, **{"check.json": json.dumps(answer).encode()}).exit_code == 2


def test_paths_are_those_of_the_archive(folder: Path) -> None:
    """However the text was named: nothing of this machine is in it, and it can be decided again."""
    (folder / "sub").mkdir()
    (folder / "foo.sonnx").rename(folder / "sub" / "foo.sonnx")
    (folder / "sonnx-verify.toml").write_text("", "utf-8")
    run("evidence", "--out", "e.tar.gz", str(folder / "sub" / "foo.sonnx"))
    files, manifest = unpacked(folder / "e.tar.gz")
    assert manifest["what"] == ["sub/foo.sonnx"]
    assert run("evidence", "--verify", "e.tar.gz").exit_code == 0


def test_a_page_of_another_name(folder: Path) -> None:
    """The page that a text names is filed too; one that is elsewhere cannot be."""
    (folder / "foo.md").rename(folder / "other.md")
    (folder / "foo.sonnx").write_text(TEXT.format(least=0).replace("types", 'page "other.md"\ntypes'), "utf-8")
    run("evidence", "--out", "e.tar.gz")
    assert run("evidence", "--verify", "e.tar.gz").exit_code == 0
    assert "texts/other.md" in unpacked(folder / "e.tar.gz")[0]
    (folder / "sub").mkdir()
    text = (folder / "foo.sonnx").read_text("utf-8").replace("other.md", "../other.md")
    (folder / "sub" / "foo.sonnx").write_text(text, "utf-8")
    os.chdir(folder / "sub")
    done = run("evidence", "--out", "e.tar.gz")
    assert done.exit_code == 2
    assert "other.md is outside the project" in done.stderr


def test_a_forged_tree_is_not_filed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the folder of the cache has no part in an archive, nor in what is decided again."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(folder / "cache"))
    text = (folder / "foo.sonnx").read_text("utf-8").replace("> 0", "> 1")
    (folder / "foo.sonnx").write_text(text, "utf-8")
    assert run("check").exit_code == 1
    store = Store(folder / "cache")
    for kind in ("records", "answers"):
        for key in store.keys(kind):
            store.remove(kind, key)
    (key,) = store.keys("trees")
    body = store.read("trees", key)
    assert body is not None
    forged = body.replace(b'"1"', b'"0"')
    assert forged != body
    store.write("trees", key, forged)
    trees.parsed.cache_clear()
    assert run("check").exit_code == 0
    trees.parsed.cache_clear()
    assert run("evidence", "--out", "e.tar.gz").exit_code == 1
    assert "user.Foo-1.int/C1/covered: refuted" in unpacked(folder / "e.tar.gz")[0]["CLAIM.md"].decode()


def test_a_text_that_changes_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided is what is filed, or nothing is."""

    def slowly(what: Sequence[str], jobs: int | None) -> Queried:
        made = Queried.of(what, jobs)
        (folder / "foo.sonnx").write_text(TEXT.format(least=1), "utf-8")
        return made

    monkeypatch.setattr("sonnx_verify.cli.evidence.Queried", SimpleNamespace(of=slowly))
    done = run("evidence", "--out", "e.tar.gz")
    assert done.exit_code == 2
    assert "foo.sonnx changed during the run" in done.stderr
    assert not (folder / "e.tar.gz").exists()


def test_damage_is_told(folder: Path) -> None:
    """Whatever byte it is at: never a traceback, and never other files."""
    run("evidence", "--out", "e.tar.gz", "user.Foo-1.int/C1/covered")
    whole, data = unpacked(folder / "e.tar.gz"), (folder / "e.tar.gz").read_bytes()
    for n in range(0, len(data), 7):
        (folder / "bad.tar.gz").write_bytes(data[:n] + bytes([data[n] ^ 16]) + data[n + 1 :])
        refusal = None
        try:
            assert unpacked(folder / "bad.tar.gz") == whole
        except UserError as problem:
            refusal = str(problem)
        assert refusal is None or "is not a complete evidence archive" in refusal


def archive_with(archive: bytes, instead: dict[str, bytes]) -> bytes:
    """The archive with other bytes for some of its files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(archive)) as old, tarfile.open(fileobj=made, mode="w:gz") as new:
        for member in old:
            data = old.extractfile(member)
            assert data is not None
            text = instead.get(member.name.removeprefix("evidence/"), data.read())
            member.size = len(text)
            new.addfile(member, io.BytesIO(text))
    return made.getvalue()


def hostile(name: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    """An archive with a member that has no place in one."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info, io.BytesIO())
    return made.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"no archive", hostile("evidence/../../out"), hostile("/evidence/a"), hostile("elsewhere/a"),
        hostile("evidence/link", tarfile.SYMTYPE), packed({}, {})[:-20], hostile("evidence/manifest.json"),
        packed({"check.json": b"{}"}, {"what": ["../x"], "tool": {"version": "", "digest": ""}}),
    ],
)  # fmt: skip  # a table
def test_what_is_no_archive(folder: Path, data: bytes) -> None:
    """A user's mistake, told; nothing is written anywhere."""
    (folder / "bad.tar.gz").write_bytes(data)
    done = run("evidence", "--verify", "bad.tar.gz")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert not (folder.parent / "out").exists()


@pytest.mark.parametrize("manifest", [b"[" * 100_000, b'{"files": [[1, 2], ["a", "b"]]}', b"[]", b"7", b"\xff"])
def test_a_manifest_of_another_form(folder: Path, manifest: bytes) -> None:
    """As for what is no archive."""
    (folder / "bad.tar.gz").write_bytes(archive_with(packed({}, {}), {"manifest.json": manifest}))
    done = run("evidence", "--verify", "bad.tar.gz")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")


def test_what_cannot_be_filed(folder: Path) -> None:
    """Texts with mistakes, files from elsewhere, a place that cannot be written."""
    assert run("evidence", "--out", "nowhere/e.tar.gz").exit_code == 2
    (folder / "bar.sonnx").write_text("operator Bar version\n", "utf-8")
    done = run("evidence", "--out", "e.tar.gz")
    assert done.exit_code == 2
    assert "nothing is written" in done.stderr
    assert not (folder / "e.tar.gz").exists()
    assert run("evidence", "--verify", "none.tar.gz").exit_code == 2
