"""Entries of the cache: whole or not there, whatever happens to the folder."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from sonnx_verify.stores.store import Store

A, B, C, D = (f"{n:064x}" for n in (10, 11, 12, 13))
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and devices of Linux")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty one."""
    return Store(tmp_path / "cache")


def only(store: Store) -> Path:
    ((path, _),) = store.files()
    return path


def test_what_is_written_is_read(store: Store) -> None:
    """Bytes of any kind; under that key alone."""
    store.write("records", A, b"one\ntwo\x00")

    assert store.read("records", A) == b"one\ntwo\x00"
    assert store.read("records", B) is None
    assert store.read("answers", A) is None
    assert store.keys("records") == [A]


@pytest.mark.parametrize("change", [
    lambda data: data[:-1],
    lambda data: data + b" ",
    lambda data: data.replace(b"body", b"Body"),
    lambda data: data.replace(b"cache 1", b"cache 2"),
    lambda data: b"",
    lambda data: b"\n" * len(data),
    lambda data: data[: len(data) // 2],
], ids=["shorter", "longer", "other", "format", "empty", "lines", "half"])  # fmt: skip  # a table
def test_another_file_is_no_entry(store: Store, change: Callable[[bytes], bytes]) -> None:
    """What is not what was written is not there, and is removed."""
    store.write("records", A, b"the body of it")
    path = only(store)
    path.write_bytes(change(path.read_bytes()))

    assert store.read("records", A) is None
    assert not path.exists()


def test_an_entry_of_another_name_is_none(store: Store) -> None:
    """A copy under another key is not what was written there."""
    store.write("records", A, b"body")
    (store.folder / "records" / B).write_bytes(only(store).read_bytes())
    (store.folder / "answers").mkdir()
    (store.folder / "answers" / A).write_bytes((store.folder / "records" / A).read_bytes())

    assert store.read("records", B) is None
    assert store.read("answers", A) is None
    assert store.read("records", A) == b"body"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707, 0o720, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(store: Store, mode: int) -> None:
    """Nothing is read there, nothing is written, and it is told: whether its group can write there, or everybody."""
    store.write("records", A, b"body")
    store.folder.chmod(mode)
    store.write("records", B, b"body")

    assert store.read("records", A) is None
    assert store.keys("records") == [A]
    assert store.problem == f"the cache {store.folder} is writable by other users: it is not used"


def test_a_file_in_the_way(tmp_path: Path) -> None:
    """Where there can be no folder there is no cache, and it is told."""
    (tmp_path / "cache").write_text("mine", "utf-8")
    store = Store(tmp_path / "cache")
    store.write("records", A, b"body")

    assert store.read("records", A) is None
    assert store.problem == f"the cache {store.folder} cannot be written: File exists"
    assert (tmp_path / "cache").read_text("utf-8") == "mine"


@linux
def test_a_full_disk(store: Store) -> None:
    """What does not fit is not there, nor is a part of it; what was there stays."""
    store.write("records", A, b"body")
    process = get_context("fork").Process(target=_write_much, args=(store,))
    process.start()
    process.join()

    assert process.exitcode == 0
    assert store.keys("records") == [A]
    assert [path.name for path, _ in store.files()] == [A]


def _write_much(store: Store) -> None:
    """In a process that may write files of a thousand bytes: the system refuses the rest, as on a full disk."""
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    store.write("records", B, b"x" * 100_000)
    os._exit(0 if "cannot be written" in store.problem else 1)


def test_the_oldest_go_first(store: Store) -> None:
    """No more bytes stay than are allowed; what was read last stays longest."""
    for number, key in enumerate((A, B, C, D)):
        store.write("records", key, b"x" * 1000)
        os.utime(store.folder / "records" / key, (number, number))
    store.read("records", A)
    size = sum(stat.st_size for _, stat in store.files())
    store.trim(size // 2)

    assert store.keys("records") == [A, D]


def test_clear_touches_nothing_else(store: Store) -> None:
    """Entries are removed, with what a run that was killed left behind."""
    store.write("records", A, b"body")
    (store.folder / "records" / ".sonnx-left").write_bytes(b"half")
    mine = [store.folder / "mine.txt", store.folder / "records" / "mine.txt"]
    for path in mine:
        path.write_text("mine", "utf-8")

    assert store.read("records", "mine.txt") is None
    assert store.clear() == 2
    assert list(store.files()) == []
    assert [path.read_text("utf-8") for path in mine] == ["mine", "mine"]
