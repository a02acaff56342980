"""Diagnostics of a document while it is typed, of the text that the editor has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.pages.lint.rules import RULES

ROOT = Path(__file__).resolve().parents[2]


def test_a_parse_error_and_its_end(quiet: Any) -> None:
    """It stands where the text is wrong, whatever is above or before it, with what to do; it goes when it is fixed."""
    client, desk = quiet
    uri = desk.uri("broken.sonnx")
    # Each line counts two units for one character, and ends with two characters.
    wrong = 'library one "𝔸 library"\r\ndefine f(x : int) : int "𝔸" = x +\r\n'
    client.open(uri, wrong)

    (found,) = client.diagnostics(uri)

    assert (found["source"], found["severity"]) == ("sonnx-verify", 1)
    assert found["range"]["start"] == {"line": 2, "character": 0}
    assert "to fix" in found["message"]
    client.change(uri, wrong.replace("x +", "§"))
    (found,) = client.diagnostics(uri)
    assert found["range"] == client.range(uri, "§")
    client.change(uri, wrong.replace("x +", "x"))
    assert client.diagnostics(uri) == []


def test_a_page_is_linted_as_it_is_typed(quiet: Any) -> None:
    """The findings are those of `lint`, of the text in the editor, not of the file; examples are evaluated later."""
    client, _ = quiet
    path = ROOT / "tests" / "pages" / "slips.md"
    uri, text = path.as_uri(), path.read_text("utf-8")
    listed = json.loads(CliRunner().invoke(main, ["page", "lint", str(path), "--format", "json"]).stdout)["findings"]
    # Rules that evaluate a formal text would hold up who types; a process looks with those.
    rows = [row for row in listed if not RULES[row["rule"]].slow]
    client.open(uri, text, "markdown")

    found = client.diagnostics(uri)

    assert [(f["code"], f["range"]["start"]["line"] + 1) for f in found] == [(r["rule"], r["line"]) for r in rows]
    assert {f["severity"] for f in found} == {{"error": 1, "warning": 2, "note": 3}[r["severity"]] for r in rows}
    client.change(uri, "# **Op** (int, int)\n")
    assert {f["range"]["start"]["line"] for f in client.diagnostics(uri)} == {0}


def test_only_the_last_of_quick_edits_counts(quiet: Any) -> None:
    """After many edits in a row what is said last is said of the last one, and of each text at most once."""
    client, desk = quiet
    uri = desk.uri("quick.sonnx")
    client.open(uri, desk.row_text)
    for n in range(60):
        client.change(uri, desk.row_text + "§" * (n % 2) + "\n" * n)
    client.change(uri, desk.row_text.replace("rank(X)", "rank(X"))

    (found,) = client.diagnostics(uri)

    assert found["range"]["start"]["line"] == client.place(uri, "shape Y")["line"]
    # Nothing comes after it: an answer to a later question is the next thing that is said.
    client.ask("textDocument/hover", textDocument={"uri": uri}, position={"line": 0, "character": 0})
    said = [m["params"] for m in client.heard if m.get("method") == "textDocument/publishDiagnostics"]
    versions = [p["version"] for p in said if p["uri"] == uri]
    assert versions == sorted(set(versions))
    assert client.versions[uri] not in versions
    # Other files of tests share the desk, and a text with a mistake refuses to rename what it may use.
    client.tell("textDocument/didClose", textDocument={"uri": uri})


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "untitled:/a%20b/Untitled.sonnx",
        "git:/x/y.sonnx?ref=HEAD",
        "vscode-vfs://github/o/r/a.sonnx",
        "file:///nowhere/at/all/x.sonnx",
        "file:///a%00b.sonnx",
        "no uri",
    ],
)
def test_documents_that_are_no_files(quiet: Any, uri: str) -> None:
    """They are looked at like any other."""
    client, desk = quiet
    client.open(uri, desk.row_text.replace("when C1", "§"))
    (found,) = client.diagnostics(uri)
    assert found["range"] == client.range(uri, "§")

    client.change(uri, desk.row_text)

    assert client.diagnostics(uri) == []
    assert "constraint C1" in client.hover(uri, "C1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # What JSON can hold and a file cannot, what no parser gets through, what is no text at all.
        ("", "is empty"),
        ("\0", "NUL"),
        ("\ud800", ""),
        ('library a "b"\ndefine f(x : int) : int "g" = ' + "(" * 900 + "x" + ")" * 900, "nested"),
        ("-" * (1 << 20) + "--", "bytes"),
        ('\ufefflibrary a "b"\n§', "§"),
    ],
    ids=["empty", "binary", "half a character", "deep", "long", "mark"],
)
def test_garbage(quiet: Any, text: str, said: str) -> None:
    """Whatever is in a document, something is said of it, and the next one is looked at too."""
    client, desk = quiet
    uri = desk.uri(f"garbage {len(text)}.sonnx")
    client.open(uri, text)

    found = client.diagnostics(uri)

    assert found
    assert said in found[0]["message"]
    client.tell("textDocument/didClose", textDocument={"uri": uri})


def test_what_is_no_page(quiet: Any) -> None:
    """Other Markdown has no findings, and other languages have none either."""
    client, desk = quiet
    for uri, language in ((desk.uri("README.md"), "markdown"), (desk.uri("x.py"), "python")):
        client.open(uri, "# Read me\n\n[nowhere](#nowhere) TODO\n", language)
    # Documents are looked at in their order: with this answer the two before have had theirs.
    uri = desk.uri("a.sonnx")
    client.open(uri, "x")

    assert client.diagnostics(uri)
    said = [m["params"] for m in client.heard if m.get("method") == "textDocument/publishDiagnostics"]
    assert all(not p["diagnostics"] for p in said if p["uri"].endswith(("README.md", "x.py")))


def test_closing_takes_diagnostics_away(quiet: Any) -> None:
    """A document that is not open has no diagnostics."""
    client, desk = quiet
    uri = desk.uri("closed.sonnx")
    client.open(uri, "x")
    assert client.diagnostics(uri)

    client.tell("textDocument/didClose", textDocument={"uri": uri})

    client.wait(lambda m: m.get("params", {}).get("uri") == uri and m["params"]["diagnostics"] == [])
    assert client.ask("textDocument/hover", textDocument={"uri": uri}, position={"line": 0, "character": 0}) is None
