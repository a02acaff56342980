"""Syntax trees in the cache: those that parsing gives, of what files say, and nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import parser, trees
from sonnx_verify.language import syntax as s
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source
from sonnx_verify.stores import tool
from sonnx_verify.stores.store import Store

ROOT = Path(__file__).parents[2]
TEXTS = sorted(p for part in ("spec", "proofs", "tests") for p in (ROOT / part).rglob("*.sonnx"))
LONG = "-- a comment is no part of a tree\n" * 80


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """This process asks the cache again, and so do the tests after these."""
    trees.parsed.cache_clear()
    yield
    trees.parsed.cache_clear()


@pytest.fixture
def file(tmp_path: Path, cache: Path) -> Path:
    """A file that is long enough, in a folder of its own."""
    path = tmp_path / "few.sonnx"
    path.write_text(f'theory few "Of integers"\n\ntheorem one "one" : 1 = 1\n{LONG}\n', "utf-8")
    return path


def entries(cache: Path) -> dict[str, bytes]:
    store = Store(cache)
    return {key: store.read("trees", key) or b"" for key in store.keys("trees")}


def read(path: Path, name: str = "few.sonnx") -> object:
    """The tree of a file, as another process would come to it."""
    trees.parsed.cache_clear()
    return trees.parsed(read_source(path, name), path)


@pytest.mark.soak
def test_all_our_texts(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written, and read again under another name, a tree is what parsing gives under that name."""
    trees_read = 0
    for path in TEXTS:
        try:
            expected = parser.parse(read_source(path, "another.sonnx"))
        except SpecificationError:
            continue  # a text with a mistake has no tree
        assert read(path) == parser.parse(read_source(path, "few.sonnx"))
        with monkeypatch.context() as patch:
            patch.setattr(parser, "parse", None)
            assert read(path, "another.sonnx") == expected
        trees_read += 1

    # Some texts are the same.
    assert trees_read > 100
    assert trees_read * 0.9 < len(entries(cache)) <= trees_read


def test_a_known_text_is_not_parsed(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(file)
    (entry,) = entries(cache).values()
    monkeypatch.setattr(parser, "parse", None)

    assert read(file) == first
    assert entry


def test_another_tool_has_trees_of_its_own(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read(file)
    monkeypatch.setattr(trees, "digest_from", lambda root: "another")
    read(file)

    assert len(entries(cache)) == 2


def test_what_no_file_says_is_not_kept(file: Path, cache: Path) -> None:
    """What an editor holds, and a file that is gone."""
    text = file.read_text("utf-8")
    trees.parsed(Source("few.sonnx", text.replace("1 = 1", "2 = 2")), file)
    trees.parsed(Source("few.sonnx", text), file.with_name("gone.sonnx"))
    assert not entries(cache)

    read(file)
    assert len(entries(cache)) == 1


@pytest.mark.parametrize("damage", [
    b"", b"{", b"[]", b"[0]", b"[-3,1]", b"[99]", b"null", b'["x"]', b"[-4,1,2,3]", b"[" * 100_000, b"\xff", b"[-2]",
])  # fmt: skip  # a table
def test_what_is_no_tree_is_parsed_again(file: Path, cache: Path, damage: bytes) -> None:
    """Whoever wrote it, with the right hash."""
    expected = read(file)
    (key,) = entries(cache)
    good = entries(cache)[key]
    Store(cache).write("trees", key, damage)

    assert read(file) == expected
    assert entries(cache) == {key: good}


def test_without_a_cache(file: Path, no_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    read(file)
    assert not no_cache.exists()
    assert not Path("off").exists()


def test_a_tree_that_comes_out_otherwise_is_not_kept(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is written it is read, and compared."""
    monkeypatch.setattr(trees, "_read", lambda body, source: None)
    read(file)
    assert not entries(cache)


def test_deep_texts(tmp_path: Path, cache: Path) -> None:
    """What can be parsed is told the same, with a tree or without."""
    path = tmp_path / "deep.sonnx"
    for depth in (50, 100, 200, 400):
        body = "(" * depth + "n" + " + 1)" * depth
        path.write_text(f'theory deep "Of depth"\n\ntheorem one "one" for n : int : {body} = 1\n{LONG}\n', "utf-8")
        said = []
        for _ in range(2):
            try:
                said.append(repr(read(path)))
            except SpecificationError as problem:
                said.append(str(problem))
        assert said[0] == said[1]


def test_a_forged_tree_is_found_out(
    project: Path, cache: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is believed, as all that is in the folder; a frozen run reads some of the texts again."""
    run("check", "--update-ledger")
    store = Store(cache)
    (key,) = (key for key, body in entries(cache).items() if b'"large"' in body)
    number, name = (trees._NUMBERS[kind] for kind in (s.Integer, s.Name))
    two, other = (f'[{kind},[-4,5,10,1],"{text}"]'.encode() for kind, text in ((number, "2"), (name, "k")))
    forged = entries(cache)[key].replace(two, other)
    assert forged != entries(cache)[key]
    store.write("trees", key, forged)

    def forget_verdicts() -> None:
        for known in store.keys("records"):
            store.remove("records", known)
        trees.parsed.cache_clear()

    forget_verdicts()
    assert "proved      proofs.other/large/theorem" in run("check", "-v").stdout

    # Where no verdict is recalled, none of those that are reached rests on the tree.
    forget_verdicts()
    done = run("check", "--frozen", "-v")
    assert "proved      proofs.other/large/theorem" not in done.stdout

    forget_verdicts()
    run("check")
    trees.parsed.cache_clear()
    done = run("check", "--frozen")
    assert done.exit_code == 1
    assert "cache: proofs.other/large/theorem: the cache had proved, it is refuted" in done.stderr


def test_code_behind_a_link_is_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder of the package is a link, another line below it is another tool."""
    (tmp_path / "there").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "language").symlink_to(tmp_path / "there")
    monkeypatch.setattr(tool, "_PACKAGE", tmp_path / "package")
    monkeypatch.setattr(tool, "package_code", functools.cache(tool.package_code.__wrapped__))
    digests = set()
    for line in ("one = 1\n", "one = 2\n"):
        (tmp_path / "there" / "parser.py").write_text(line, "utf-8")
        tool.package_code.cache_clear()
        digests.add(tool.digest_of.__wrapped__())
    assert len(digests) == 2
