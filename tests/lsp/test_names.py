"""Names: their places, their renaming, the outline and the colours, asked as an editor asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.language.functions import FUNCTIONS

ROOT = Path(__file__).resolve().parents[2]
LAWS = """\
theory laws "Laws"
use rows

theorem reflexive "a number is itself" for n : int : n = n

theorem bounded "none is above the greatest"
  for S : shape; k : int
  assuming rank(S) > 0
  using reflexive(k)
  take half(m in 0 .. k) = m
  : for all m in 0 .. k : m <= k otherwise "{m} is above {k}"

theorem named "as it is called there" for n : int using reflexive : n = n

theorem is_row "a row is one" for X : tensor of T : is_list(X) iff rank(X) = 1
"""


@pytest.fixture
def row(quiet: Any) -> Any:
    """The desk, with its text, page and library open and as they are written."""
    # Tests before this one may have left them broken.
    client, desk = quiet
    client.open(desk.row_uri, desk.row_text)
    client.open(desk.page_uri, desk.page_text, "markdown")
    client.open(desk.library_uri, desk.library_text)
    return client, desk


@pytest.fixture
def laws(quiet: Any) -> Iterator[Any]:
    """A theory that uses the library, beside it."""
    client, desk = quiet
    uri = desk.uri("laws.sonnx")
    client.open(uri, LAWS)
    yield client, desk, uri
    client.tell("textDocument/didClose", textDocument={"uri": uri})


def tree(symbols: list[Any]) -> list[Any]:
    """Names, with those below them."""
    return [(one["name"], tree(one["children"])) if one.get("children") else one["name"] for one in symbols]


def test_outline(row: Any) -> None:
    """The items of a text stand below its header, each with its lines and the place of its name."""
    client, desk = row

    (operator,) = client.ask("textDocument/documentSymbol", textDocument={"uri": desk.row_uri})

    below = ["int", "X", "Y", "[C1]", "[E1]", "n", "shape Y", "value Y"]
    assert tree([operator]) == [("Row-1", below)]
    found = {one["name"]: one for one in operator["children"]}
    assert found["[C1]"]["detail"] == "constraint X is a list"
    assert found["X"]["detail"] == "input : tensor of T"
    assert found["X"]["selectionRange"]["start"] == client.place(desk.row_uri, "X : tensor")
    line = client.place(desk.row_uri, "input  X")["line"]
    assert found["X"]["range"]["start"] == {"line": line, "character": 0}
    assert operator["range"]["end"] == client.place(desk.row_uri, "same(X[i])", len("same(X[i])"))


def test_outline_of_versions(quiet: Any) -> None:
    """What a version changes stands below it."""
    client, _ = quiet
    path = ROOT / "spec" / "onnx" / "max" / "max.sonnx"
    client.open(path.as_uri(), path.read_text("utf-8"))

    (operator,) = client.ask("textDocument/documentSymbol", textDocument={"uri": path.as_uri()})

    versions = [one for one in operator["children"] if one["name"].startswith("version")]
    assert [one["name"] for one in versions][:2] == ["version 8", "version 12"]
    assert all(one["children"] for one in versions)
    for outer, inner in zip(versions, versions[1:], strict=False):
        assert outer["range"]["end"]["line"] < inner["range"]["start"]["line"]


def test_search(row: Any) -> None:
    """Definitions and operators of the workspace, by letters of their names."""
    client, desk = row

    found = {one["name"]: one for one in client.ask("workspace/symbol", query="islist")}

    assert list(found) == ["is_list"]
    assert found["is_list"]["location"]["uri"] == desk.library_uri
    assert "user.Row-1" in {one["name"] for one in client.ask("workspace/symbol", query="Row")}
    assert client.ask("workspace/symbol", query="no such thing") == []


def places(client: Any, found: list[Any]) -> set[tuple[str, int]]:
    """The files and lines of locations."""
    return {(Path(one["uri"]).name, one["range"]["start"]["line"] + 1) for one in found}


def references(client: Any, uri: str, what: str, after: int = 0, *, declaration: bool = True) -> set[tuple[str, int]]:
    context = {"includeDeclaration": declaration}
    return places(client, client.ask("textDocument/references", context=context, **client.where(uri, what, after)))


def test_references(row: Any, laws: Any) -> None:
    """A definition is found in all texts that use its library, a name of one text in that, a tag on the page too."""
    client, desk = row

    everywhere = {("rows.sonnx", 3), ("row.sonnx", 12), ("laws.sonnx", 15)}
    assert references(client, desk.row_uri, "is_list(X)") == everywhere
    assert references(client, desk.library_uri, "is_list(X", 7) == everywhere
    assert references(client, desk.row_uri, "is_list(X)", declaration=False) == everywhere - {("rows.sonnx", 3)}
    # X of the library is another one.
    assert references(client, desk.row_uri, "X : tensor") == {("row.sonnx", n) for n in (9, 12, 15, 17, 18)}
    tag = {("row.sonnx", 12), ("row.sonnx", 13), ("row.md", 24), ("row.md", 30)}
    assert references(client, desk.row_uri, "C1 fails") == tag
    assert references(client, desk.page_uri, "`[C1]`", 3) == tag
    assert references(client, desk.row_uri, "rank(X)") == set()


def test_highlights(laws: Any) -> None:
    """The same name that is bound anew is another one, also in the sentence of a counterexample."""
    client, _, uri = laws

    found = client.ask("textDocument/documentHighlight", **client.where(uri, "m in 0 .. k : m"))

    assert [(one["range"]["start"]["line"], one["kind"]) for one in found] == [(10, 3), (10, 2), (10, 2)]
    sentence = client.place(uri, "{m}", 1)
    assert found[-1]["range"]["start"] == sentence
    taken = client.ask("textDocument/documentHighlight", **client.where(uri, "m in 0 .. k) = m"))
    assert [one["range"]["start"]["line"] for one in taken] == [9, 9]


def renamed(client: Any, apply: Any, uri: str, what: str, new: str, after: int = 0) -> dict[str, str]:
    """The texts that a renaming changes, as they are then, by the names of their files."""
    edit = client.ask("textDocument/rename", newName=new, **client.where(uri, what, after))
    texts = {}
    for changed, edits in edit["changes"].items():
        text = client.texts.get(changed) or Path(changed.removeprefix("file://").replace("%20", " ")).read_text("utf-8")
        texts[changed.rpartition("/")[2]] = apply(text, edits)
    return texts


def test_rename_within_a_text(row: Any, laws: Any, apply: Any) -> None:
    """A parameter, a let, an index, a bound name and a name of a theorem: these words and no others."""
    client, desk = row
    uri = laws[2]
    library, text = desk.library_text, desk.row_text

    parameter = renamed(client, apply, desk.library_uri, "x : T", "element")
    let = renamed(client, apply, desk.row_uri, "n = rank", "axes_of_X")
    index = renamed(client, apply, desk.row_uri, "i])", "at")
    bound = renamed(client, apply, uri, "m in 0 .. k : m", "each")
    variable = renamed(client, apply, uri, "k : int", "top")

    assert parameter == {"rows.sonnx": library.replace("same(x", "same(element").replace("= x", "= element")}
    assert let == {"row.sonnx": text.replace("let n", "let axes_of_X")}
    assert index == {"row.sonnx": text.replace("Y[i]", "Y[at]").replace("X[i]", "X[at]")}
    sentence = 'for all each in 0 .. k : each <= k otherwise "{each} is above {k}"'
    assert bound == {"laws.sonnx": LAWS.replace('for all m in 0 .. k : m <= k otherwise "{m} is above {k}"', sentence)}
    changed = LAWS.replace("k : int", "top : int").replace("reflexive(k)", "reflexive(top)")
    changed = changed.replace(".. k", ".. top").replace("<= k", "<= top").replace("{k}", "{top}")
    assert variable == {"laws.sonnx": changed}


def test_rename_in_all_texts(row: Any, laws: Any, apply: Any) -> None:
    """A definition in the files that use it, one of which nobody has open; a theorem; a tag with its page."""
    client, desk = row
    uri = laws[2]
    client.tell("textDocument/didClose", textDocument={"uri": desk.library_uri})
    client.texts.pop(desk.library_uri)

    definition = renamed(client, apply, desk.row_uri, "is_list(X)", "has_one_axis")
    theorem = renamed(client, apply, uri, "reflexive(k)", "itself")
    tag = renamed(client, apply, desk.row_uri, "C1 fails", "C7")

    assert definition == {
        "rows.sonnx": desk.library_text.replace("is_list", "has_one_axis"),
        "row.sonnx": desk.row_text.replace("is_list", "has_one_axis"),
        "laws.sonnx": LAWS.replace("is_list", "has_one_axis"),
    }
    assert theorem == {"laws.sonnx": LAWS.replace("reflexive", "itself")}
    assert tag == {"row.sonnx": desk.row_text.replace("C1", "C7"), "row.md": desk.page_text.replace("C1", "C7")}
    assert renamed(client, apply, desk.page_uri, "`[C1]`", "C7", 3) == tag


@pytest.mark.parametrize(
    ("file", "what", "after", "new", "reason"),
    [
        ("row", "when C1", 1, "x", "`when` is a word of the language"),
        ("row", "rank(X)", 0, "x", "`rank` is a name of the language"),
        ("row", "X is a list", 0, "x", "there is no name here"),
        ("row", "Row version", 0, "x", "`Row` is the name of an operator"),
        ("row", "rows\n", 0, "x", "`rows` is a library"),
        ("row", "int = int8", 0, "x", "`int` is a family of types"),
        ("row", "n = rank", 0, "if", "`if` is a word of the language"),
        ("row", "n = rank", 0, "rank", "`rank` is a word of the language"),
        ("row", "n = rank", 0, "2n", "`2n` is not a name"),
        ("row", "n = rank", 0, "X", "`X` stands for something else already, in row.sonnx, line 9"),
        ("row", "C1 fails", 0, "E1", "`E1` stands for something else already"),
        ("row", "C1 fails", 0, "C", "`C` is not a tag of a page"),
        ("row", "i])", 0, "X", "`X` stands for something else already"),
        ("row", "is_list(X)", 0, "same", "`same` stands for something else already"),
        ("laws", "m in 0 .. k : m", 0, "k", "`k` stands for something else already"),
        ("laws", "n : int : n", 0, "p", "`using reflexive` goes by `n`, in laws.sonnx, line 13"),
        ("laws", "n : int using", 0, "p", "`n` may be what `using reflexive` goes by"),
        ("page", "input has one", 0, "x", "only tags can be renamed on a page"),
    ],
)
def test_what_keeps_its_name(row: Any, laws: Any, file: str, what: str, after: int, new: str, reason: str) -> None:
    """The answer says why, before the editor asks for the new name where that is known by then."""
    client, desk = row
    uri = {"row": desk.row_uri, "laws": laws[2], "page": desk.page_uri}[file]

    assert client.refused("textDocument/rename", newName=new, **client.where(uri, what, after)).startswith(reason)


def test_what_is_shipped_keeps_its_name(row: Any) -> None:
    """A definition of the installed library, and the names that ONNX gave."""
    client, desk = row
    uri = desk.uri("shipped.sonnx")
    client.open(uri, 'theory shipped "x"\nuse broadcast\ntheorem t "t" for S : shape : common_shape([S]) = S\n')
    reason = "`common_shape` is declared in spec/common/broadcast.sonnx, which is shipped"
    assert client.refused("textDocument/prepareRename", **client.where(uri, "common_shape")) == reason
    path = ROOT / "spec" / "onnx" / "max" / "max.sonnx"
    client.open(path.as_uri(), path.read_text("utf-8"))
    answer = client.refused("textDocument/prepareRename", **client.where(path.as_uri(), "data_0"))
    assert answer == "`data_0` is in the signature of Max: ONNX and the page refer to it"


def test_a_text_that_cannot_be_read_keeps_its_names(row: Any) -> None:
    """Nothing is renamed by half: the answer says which text has to be fixed first."""
    client, desk = row
    client.change(desk.library_uri, desk.library_text + "§ is_list\n")
    reason = client.refused("textDocument/rename", newName="x", **client.where(desk.row_uri, "is_list(X)"))
    assert reason.startswith("rows.sonnx cannot be read, line 10: ")
    # A name that no other text can see is not held up by that.
    prepared = client.ask("textDocument/prepareRename", **client.where(desk.row_uri, "n = rank"))
    assert prepared["placeholder"] == "n"
    assert prepared["range"]["start"] == client.place(desk.row_uri, "n = rank")
    client.change(desk.library_uri, desk.library_text)


# The first one has names of every kind; the other one, seconds later, has none of another kind.
@pytest.mark.soak
@pytest.mark.parametrize("name", ["concat", pytest.param("transpose", marks=pytest.mark.soak)])
def test_there_and_back(quiet: Any, apply: Any, name: str) -> None:
    """Every name of a text that can change changes back, and the text is then the one that it was."""
    client, desk = quiet
    text = (ROOT / "tests" / "language" / f"{name}.sonnx").read_text("utf-8")
    uri = desk.uri(f"{name}.sonnx")
    client.open(uri, text)
    changed = 0
    data = client.ask("textDocument/semanticTokens/full", textDocument={"uri": uri})["data"]
    for position in declared(data):
        where = {"textDocument": {"uri": uri}, "position": position}
        number = client.begin("textDocument/prepareRename", **where)
        message = client.wait(lambda m, n=number: m.get("id") == n and "method" not in m)
        if "error" in message:
            continue
        old = message["result"]["placeholder"]
        # `axes` is a function of the language, and may be an input all the same; nobody can choose that as a new name.
        if old in FUNCTIONS:
            continue
        new = f"Zz{old}"
        (edits,) = client.ask("textDocument/rename", newName=new, **where)["changes"].values()
        client.change(uri, apply(text, edits))
        assert not client.diagnostics(uri), new
        (edits,) = client.ask("textDocument/rename", newName=old, **moved(where, edits))["changes"].values()
        assert apply(client.texts[uri], edits) == text, old
        client.change(uri, text)
        changed += 1
    assert changed > 5


def moved(where: Any, edits: list[Any]) -> Any:
    """The place where it is when each edit made its name two characters longer."""
    line, character = where["position"]["line"], where["position"]["character"]
    starts = [edit["range"]["start"] for edit in edits]
    before = [start for start in starts if start["line"] == line and start["character"] < character]
    return {**where, "position": {"line": line, "character": character + 2 * len(before)}}


def declared(data: list[int]) -> Iterator[dict[str, int]]:
    """The places of the tokens that declare something."""
    line = character = 0
    for n in range(0, len(data), 5):
        down, right, _, _, modifiers = data[n : n + 5]
        line, character = line + down, right if down else character + right
        if modifiers & 1:
            yield {"line": line, "character": character}


def test_colours(row: Any) -> None:
    """Words by what they stand for, all else by its form; columns as the editor counts them."""
    client, desk = row
    legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.ask("textDocument/semanticTokens/full", textDocument={"uri": desk.row_uri})["data"]
    found = []
    line = character = 0
    lines = [text.encode("utf-16-le") for text in desk.row_text.split("\n")]
    for n in range(0, len(data), 5):
        down, right, length, kind, _ = data[n : n + 5]
        line, character = line + down, right if down else character + right
        word = lines[line][2 * character : 2 * (character + length)].decode("utf-16-le")
        found.append((word, legend[kind]))

    assert found[0] == ("-- 𝔸 comment above the text.", "comment")
    wanted = {
        ("rows", "namespace"),
        ("Row", "class"),
        ("1", "number"),
        ('"X is a list"', "string"),
        ("C1", "decorator"),
        ("is_list", "function"),
        ("rank", "function"),
        ("int8", "type"),
        ("X", "variable"),
        ("i", "parameter"),
        ("when", "keyword"),
        ("=", "operator"),
    }
    assert wanted <= set(found)
    assert "".join(word for word, _ in found if word[0].isalpha()).count("is_list") == 1
