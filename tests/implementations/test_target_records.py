"""The files of records about targets: whose they are, what is wrong with them, and how they change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.conformance.records.ledger import LEDGERS, Entry, Ledger
from sonnx_verify.errors import UserError
from sonnx_verify.stores.folder import write_files

ROOT = Path(__file__).resolve().parents[2]
NAME = "t-1.json"
KNOWN: Entry = {"verdict": "agrees", "scope": {}, "unsupported": {}, "divergences": {}}
OTHER: Entry = {**KNOWN, "verdict": "unknown"}
TARGET = {"of": "t", "version": "1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with folders of two operators."""
    for place in ("sonnx/max", "onnx/max", "sonnx/min"):
        (tmp_path / "spec" / place).mkdir(parents=True)
    return tmp_path


def written(path: Path, *operators: str, version: str = "1", known: Entry = KNOWN) -> Path:
    """A file with that entry of some operators."""
    write_files({path: LEDGERS.written(Ledger("t", version, dict.fromkeys(operators, known)))})
    return path


def own(root: Path, place: str, name: str = NAME) -> Path:
    return root / "spec" / place / "runs" / name


def old(root: Path, name: str = NAME) -> Path:
    return root / "proofs" / "divergences" / name


def test_a_record_is_read_where_it_is(root: Path) -> None:
    """In the folder of its operator, or in the shared file; together they are one."""
    written(own(root, "sonnx/max"), "sonnx.Max-12", "sonnx.Max-13")
    written(own(root, "onnx/max"), "onnx.Max-13", known=OTHER)
    written(old(root), "sonnx.Min-13", "user.Foo-1")
    (record,) = LEDGERS.all([root])

    assert [*record.operators] == ["onnx.Max-13", "sonnx.Max-12", "sonnx.Max-13", "sonnx.Min-13", "user.Foo-1"]
    for operator, entry in record.operators.items():
        assert LEDGERS.find([root], operator, "t", "1") == entry
    assert LEDGERS.find([root], "sonnx.Max-13", "t", "2") is None
    assert LEDGERS.find([root], "sonnx.Max-14", "t", "1") is None


def test_only_the_files_of_an_operator_are_read(root: Path) -> None:
    """What is wrong with another one is told by who asks for it."""
    written(own(root, "sonnx/max"), "sonnx.Max-13")
    own(root, "sonnx/min").parent.mkdir()
    own(root, "sonnx/min").write_text("{", "utf-8")

    assert LEDGERS.find([root], "sonnx.Max-13", "t", "1") == KNOWN
    assert LEDGERS.versions([root], "sonnx.Max-13", "t") == {"1": KNOWN}
    with pytest.raises(UserError, match="not JSON"):
        LEDGERS.all([root])


def test_the_first_folder_counts(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The current folder before the installed library, operator by operator."""
    here = tmp_path_factory.mktemp("here")
    written(old(here), "sonnx.Max-13", known=OTHER)
    written(own(root, "sonnx/max"), "sonnx.Max-12", "sonnx.Max-13")
    (record,) = LEDGERS.all([here, root])

    assert record.operators == {"sonnx.Max-12": KNOWN, "sonnx.Max-13": OTHER}
    assert LEDGERS.find([here, root], "sonnx.Max-13", "t", "1") == OTHER
    assert LEDGERS.find([here, root], "sonnx.Max-12", "t", "1") == KNOWN


def foreign(root: Path) -> Path:
    """A file in the folder of another operator."""
    return written(own(root, "sonnx/max"), "onnx.Max-13", "sonnx.Max-13")


def double(root: Path) -> Path:
    """An operator in its folder and in the shared file."""
    written(own(root, "sonnx/max"), "sonnx.Max-13")
    return written(old(root), "sonnx.Max-13", "user.Foo-1")


def misnamed(root: Path) -> Path:
    """A copy under the name of another version."""
    return written(own(root, "sonnx/max", "t-2.json"), "sonnx.Max-13")


def damaged(root: Path) -> Path:
    """An entry that a merge left without its end."""
    path = written(own(root, "sonnx/max"), "sonnx.Max-12", "sonnx.Max-13")
    before, key, after = path.read_text("utf-8").partition('"sonnx.Max-13"')
    path.write_text(before + key + after.replace('"unsupported": {}', '"unsupported": []'), "utf-8")
    return path


def stray(root: Path) -> Path:
    """What is no file."""
    own(root, "sonnx/max").mkdir(parents=True)
    return own(root, "sonnx/max")


@pytest.mark.parametrize(
    ("made", "line", "said", "cure"),
    [
        (foreign, 5, "`onnx.Max-13` is not of this folder", f"move it to spec/onnx/max/runs/{NAME}"),
        (double, 5, f"also in spec/sonnx/max/runs/{NAME}", "delete it in one of the two"),
        (misnamed, 1, "a ledger of divergences about t 1", f"rename it to {NAME}"),
        (damaged, 11, "not a ledger of divergences", "restore it from version control"),
        (stray, 0, "is not a file", "restore it from version control"),
    ],
)
def test_a_file_that_is_wrong(root: Path, made: Callable[[Path], Path], line: int, said: str, cure: str) -> None:
    """It is an error with its line and its cure, for every reader."""
    path = made(root)
    version = path.stem.rpartition("-")[2]
    for read in (
        lambda: LEDGERS.all([root]),
        lambda: LEDGERS.find([root], "sonnx.Max-13", "t", version),
        lambda: LEDGERS.versions([root], "sonnx.Max-13", "t"),
    ):
        with pytest.raises(UserError) as error:
            read()
        assert said in error.value.message
        assert cure in (error.value.cure or "")
        if line:
            assert f"{path}:{line}:" in str(error.value.span)


def test_an_operator_goes_to_its_folder(root: Path) -> None:
    """And out of the shared file, which ends with its last one. What is said of others stays, as does a file that says
    the same already."""
    written(old(root), "sonnx.Max-12", "sonnx.Max-13")
    for operator in ("sonnx.Max-13", "sonnx.Max-12"):
        assert old(root).exists()
        write_files(LEDGERS.updated(root, Ledger("t", "1", {operator: OTHER})))
        assert LEDGERS.find([root], operator, "t", "1") == OTHER
    assert not old(root).exists()

    assert [*LEDGERS.read(own(root, "sonnx/max"), root).operators] == ["sonnx.Max-12", "sonnx.Max-13"]
    assert LEDGERS.updated(root, Ledger("t", "1", {"sonnx.Max-12": OTHER})) == {}


FORM = """\
{
 "target": "t",
 "version": "1",
 "operators": {
  "user.Foo-1": {
   "verdict": "diverges",
   "scope": {
    "seed": 0,
    "of_types": {"int8": {"inputs": 2}, "float": {"inputs": 3}},
    "covering": [{"types": ["int8"], "strength": 2, "combinations": 9, "covered": 8, "rows": 7, "left": 1}]
   },
   "unsupported": {"int4": "none"},
   "divergences": {}
  }
 }
}
"""


def test_each_member_has_a_line(root: Path) -> None:
    """So that a diff shows the one that changed, and two branches seldom change one line."""
    old(root).parent.mkdir(parents=True)
    old(root).write_text(FORM, "utf-8")

    assert LEDGERS.written(LEDGERS.read(old(root), root)) == FORM


def test_our_records_are_as_they_are_written() -> None:
    """So that the diff of a new run shows what is new, and no lines that say the same in another layout."""
    files = [*LEDGERS.files(ROOT)]

    assert files
    assert [path for path in files if LEDGERS.written(LEDGERS.read(path, ROOT)) != path.read_text("utf-8")] == []


def test_what_has_no_folder_stays_together(root: Path) -> None:
    written(old(root), "user.Foo-1")
    write_files(LEDGERS.updated(root, Ledger("t", "1", {"drafts.Foo-1": OTHER})))

    assert [*LEDGERS.files(root)] == [old(root)]
    assert LEDGERS.read(old(root), root).operators == {"drafts.Foo-1": OTHER, "user.Foo-1": KNOWN}


@pytest.mark.parametrize("version", ["../../1", "2024/1", "1 beta", "a\\b"])
def test_a_version_is_no_path(root: Path, version: str) -> None:
    """Whatever a target calls itself, the record is in its folder, and is read there."""
    updated = LEDGERS.updated(root, Ledger("t", version, {"sonnx.Max-13": KNOWN}))
    write_files(updated)

    assert [path.parent for path in updated] == [own(root, "sonnx/max").parent]
    assert LEDGERS.find([root], "sonnx.Max-13", "t", version) == KNOWN


def test_two_targets_of_one_name(root: Path) -> None:
    """A record of one is not compared with a run of the other, nor replaced by it."""
    write_files(LEDGERS.updated(root, Ledger("exec:run a", "1", {"sonnx.Max-13": KNOWN})))

    for ask in (
        lambda: LEDGERS.find([root], "sonnx.Max-13", "exec:run -a", "1"),
        lambda: LEDGERS.updated(root, Ledger("exec:run -a", "1", {"sonnx.Max-12": KNOWN})),
    ):
        with pytest.raises(UserError, match=r"has records about `exec:run a` 1, not about `exec:run -a` 1"):
            ask()
