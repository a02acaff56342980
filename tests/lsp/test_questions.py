"""The questions of an editor about a place: hover, definition, completion, layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def row(quiet: Any) -> Any:
    """The formal text of the desk and its page, open."""
    client, desk = quiet
    for uri, text, language in ((desk.row_uri, desk.row_text, "sonnx"), (desk.page_uri, desk.page_text, "markdown")):
        if uri not in client.versions:
            client.open(uri, text, language)
        else:
            client.change(uri, text)
        client.diagnostics(uri)
    return client, desk


@pytest.mark.parametrize(
    ("what", "after", "said"),
    [
        # Within a word, and behind its last character, where a cursor often stands.
        ("is_list(X)", 2, "define is_list : (X : tensor of T) : bool"),
        ("is_list(X)", 2, "it has one axis"),
        ("is_list(X)", 8, "input X : tensor of T"),
        ("X.shape", 3, "X.shape : shape"),
        ("same(X[i])", 8, "index i : index"),
        ("same(X[i])", 6, "X : tensor of T"),
        # At the bracket, which is no word: the expression that it closes.
        ("[i])", 3, "X[i] : T"),
        ("n = rank", 0, "let n : int"),
        ("rank(X)", 4, "rank(X) : int"),
        ("[C1]", 2, "> the rank of $X$ is $1$."),
        ("C1 fails", 1, "constraint C1"),
        ("Row version", 1, "operator user.Row-1 Row"),
    ],
)
def test_hover_of_a_formal_text(row: Any, what: str, after: int, said: str) -> None:
    """The type of what is there, the sentence of a definition, and what the page says of a clause."""
    client, desk = row

    assert said in client.hover(desk.row_uri, what, after)


@pytest.mark.parametrize(("what", "after"), [("X is a list", 3), ("comment", 2), ("shape Y", 1), ("when", 1)])
def test_hover_of_nothing(row: Any, what: str, after: int) -> None:
    """Sentences, comments and words of the language are nothing to explain."""
    client, desk = row

    assert client.hover(desk.row_uri, what, after) == ""


def test_hover_counts_as_editors_do(quiet: Any) -> None:
    """A character outside the basic plane is two for an editor, and the lines may end in two characters."""
    client, desk = quiet
    uri = desk.uri("astral.sonnx")
    client.open(uri, desk.row_text.replace("X is a list", "𝔸𝔸𝔸𝔸𝔸𝔸𝔸𝔸 is one").replace("\n", "\r\n"))

    assert "define is_list" in client.hover(uri, "is_list(X)", 0)
    found = client.at("hover", uri, "is_list(X)", 3)
    assert found["range"] == client.range(uri, "is_list")


def test_hover_of_a_page(row: Any) -> None:
    """Of a tag its clause, of a name what it is in the formal text."""
    client, desk = row

    assert '[C1] constraint "X is a list" : is_list(X)' in client.hover(desk.page_uri, "`[C1]`", 3)
    assert 'error "X is not a list" : when C1 fails' in client.hover(desk.page_uri, "`[E1]`", 3)
    assert "input X : tensor of T" in client.hover(desk.page_uri, "$X$", 1)


def test_from_a_page_and_back(row: Any) -> None:
    """From a tag of the page, or a name, to the formal text; from a clause to the page; from its file's name there."""
    client, desk = row

    (clause,) = client.at("definition", desk.page_uri, "`[C1]`", 3)
    assert clause == {"uri": desk.row_uri, "range": client.range(desk.row_uri, "[C1]")}
    (used,) = client.at("definition", desk.page_uri, "C1 does not hold", 1)
    assert used == clause
    (name,) = client.at("definition", desk.page_uri, "$X$", 1)
    assert name["range"]["start"] == client.place(desk.row_uri, "input  X : tensor", 7)
    (tag,) = client.at("definition", desk.row_uri, "[C1] constraint", 1)
    assert tag["uri"] == desk.page_uri
    assert tag["range"]["start"]["line"] == client.place(desk.page_uri, "`[C1]`")["line"]
    (page,) = client.at("definition", desk.row_uri, '"row.md"', 2)
    assert page["uri"] == desk.page_uri


def test_within_formal_texts(row: Any) -> None:
    """A name leads to its declaration, here or in the library, and a library's name to its file."""
    client, desk = row

    (there,) = client.at("definition", desk.row_uri, "same(X[i])", 1)
    line = desk.library_text[: desk.library_text.index("define same")].count("\n")
    assert (there["uri"], there["range"]["start"]) == (desk.library_uri, {"line": line, "character": 0})
    (library,) = client.at("definition", desk.row_uri, "use rows", 5)
    assert library["uri"] == desk.library_uri
    (clause,) = client.at("definition", desk.row_uri, "when C1", 6)
    assert clause["range"] == client.range(desk.row_uri, "[C1]")
    assert client.at("definition", desk.row_uri, "X is a list", 3) == []


def test_a_broken_text_is_known_as_it_was(row: Any) -> None:
    """While a text cannot be read, what is not being edited is explained as it was read last, at the places of now."""
    client, desk = row
    # Two lines more above what is asked about, and a sign that no text has.
    client.change(desk.row_uri, desk.row_text.replace("let n", "-- one\n-- two\nlet n § "))
    assert client.diagnostics(desk.row_uri)

    assert "define same" in client.hover(desk.row_uri, "same(X", 1)
    assert "index i : index" in client.hover(desk.row_uri, "same(X[i])", 8)
    (clause,) = client.at("definition", desk.row_uri, "when C1", 6)
    assert clause["range"] == client.range(desk.row_uri, "[C1]")


def labels(found: Any) -> set[str]:
    return {item["label"] for item in found["items"]}


@pytest.mark.parametrize(
    ("text", "what", "wanted", "unwanted"),
    [
        ("let n = ra", "ra", {"is_list", "same", "X", "Y", "n", "rank", "if", "Row", "count"}, {"x"}),
        ("value Y[i] = s", "= s", {"same", "X"}, {"x"}),
        ("use r", "use r", {"rows", "broadcast", "orders"}, {"X", "if"}),
        ("types float = bf", "= bf", {"bfloat16", "double"}, {"X", "if"}),
        ("input Z : t", ": t", {"tensor", "T", "int"}, {"R1"}),
        # C1 and E1 are taken.
        ("[", "[", {"R1", "C2", "E2"}, {"C1", "X"}),
        # Within a sentence nothing is completed.
        ('[C2] constraint "i', '"i', set(), {"if", "is_list"}),
    ],
)
def test_completion(row: Any, text: str, what: str, wanted: set[str], unwanted: set[str]) -> None:
    """The items that fit the place, also in a text that is not finished."""
    client, desk = row
    client.change(desk.row_uri, desk.row_text + "\n" + text)
    line = (desk.row_text + "\n").count("\n")

    position = {"line": line, "character": len(text)}
    found = labels(client.ask("textDocument/completion", textDocument={"uri": desk.row_uri}, position=position))

    assert wanted <= found
    assert not unwanted & found


def test_completion_of_names_that_are_bound(quiet: Any) -> None:
    """Parameters and bound variables are known where they are bound, and nowhere else."""
    client, desk = quiet
    uri = desk.uri("bound.sonnx")
    client.open(uri, 'library one "b"\ndefine f(low : int) : bool "c" = for all each in 0 .. low : each < 3\n')
    client.diagnostics(uri)

    inside = labels(client.at("completion", uri, "each < 3", 7))
    outside = labels(client.at("completion", uri, "library", 0))

    assert {"low", "each"} <= inside
    assert not {"low", "each"} & outside


def test_completion_on_a_page(row: Any) -> None:
    """Tags after a bracket, anchors in a link."""
    client, desk = row
    client.change(desk.page_uri, desk.page_text + "\nSee [\n\nSee [C1](#in\n")

    assert {"C1", "E1"} == labels(client.at("completion", desk.page_uri, "See [\n", 5))
    assert {"int-C1", "function"} <= labels(client.at("completion", desk.page_uri, "(#in", 4))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_formatting(quiet: Any, apply: Any, end: str) -> None:
    """The edits make of a text what `fmt` makes of it, with the line ends that it has."""
    client, desk = quiet
    uri = desk.uri(f"layout {len(end)}.sonnx")
    text = ("\n" + desk.row_text.replace(" : tensor", ":tensor").replace("let n =", "let  n  =") + "\n\n").replace(
        "\n", end
    )
    client.open(uri, text)

    found = client.ask(
        "textDocument/formatting", textDocument={"uri": uri}, options={"tabSize": 2, "insertSpaces": True}
    )

    assert apply(text, found) == desk.row_text.replace("\n", end)
    client.change(uri, desk.row_text.replace("\n", end))
    options = {"tabSize": 2, "insertSpaces": True}
    assert client.ask("textDocument/formatting", textDocument={"uri": uri}, options=options) == []


def test_formatting_of_what_cannot_be_read(quiet: Any) -> None:
    """It stays as it is, and the log says why."""
    client, desk = quiet
    uri = desk.uri("no layout.sonnx")
    client.open(uri, "§")

    found = client.ask(
        "textDocument/formatting", textDocument={"uri": uri}, options={"tabSize": 2, "insertSpaces": True}
    )

    assert found is None
    assert "formatting" in client.logged()
