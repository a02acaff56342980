"""Proofs follow in the background: what they find stands at the clause, and typing goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Start = Callable[..., Any]
REFUTED = ("when C1 fails", "rank(X) = 3")
"""An error that leaves out most of what fails the constraint."""


def test_verdicts_of_a_text_as_it_changes(start: Start, desk: Any) -> None:
    """One life of a text: sound, refuted with a counterexample, wrong in its names, sound again."""
    client = start(desk.folder, prove=True)
    uri = desk.row_uri
    client.open(uri, desk.row_text)
    client.checked("row.sonnx")

    # Each obligation stands at its clause, also where a clause is hovered.
    lenses = client.lenses(uri)
    assert sum(len(lens["arguments"][1]) for lens in lenses.values()) == 9
    (of_clause,) = (lens for title, lens in lenses.items() if "covered" in title)
    assert of_clause["title"] == "proved: covered, exclusive; holds: satisfiable, independent (int)"
    assert of_clause["line"] == client.place(uri, "[C1]")["line"]
    assert "**proved** C1/covered (int)" in client.hover(uri, "[C1]", 2)
    # An editor does not ask again by itself: it would show no lens until the next keystroke.
    client.wait(lambda m: m.get("method") == "workspace/codeLens/refresh")

    # What fails is said at its clause with the input that shows it; so does the lens.
    client.change(uri, desk.row_text.replace(*REFUTED))
    found = client.diagnostics(uri, lambda found: any(f["code"] == "covered" for f in found))
    refuted = next(f for f in found if f["code"] == "covered")
    assert refuted["range"] == client.range(uri, "[C1]")
    assert refuted["severity"] == 1
    assert "smallest counterexample, replayed:\n    X = int8 () 0" in refuted["message"]
    client.checked("row.sonnx")
    lens = client.lenses(uri)["refuted: covered (int), show why"]
    said = client.ask("workspace/executeCommand", command=lens["command"], arguments=lens["arguments"])
    assert "X = int8 () 0" in said
    shown = client.wait(lambda m: m.get("method") == "window/showMessage")
    assert shown["params"]["message"] == said

    # An edit above moves it, and says that it is of the text before; the verdict is not dropped.
    client.change(uri, "-- one line more\n" + desk.row_text.replace(*REFUTED).replace("= same(X[i])", "= same(§)"))
    found = client.diagnostics(uri)
    moved = next(f for f in found if f["code"] == "covered")
    assert moved["range"] == client.range(uri, "[C1]")
    assert "before the last edit" in moved["message"]
    assert any("(outdated)" in title for title in client.lenses(uri))

    # Errors of names and types come from the check, at their places.
    client.change(uri, desk.row_text.replace("is_list(X)", "is_lst(X)"))
    found = client.diagnostics(uri, lambda found: any(f["code"] == "error" for f in found))
    wrong = next(f for f in found if f["code"] == "error")
    assert wrong["range"] == client.range(uri, "is_lst(X)")
    assert "did you mean `is_list`" in wrong["message"]

    # All is well again once it is proved: until then the finding of the text before stands there.
    client.change(uri, desk.row_text)
    assert client.diagnostics(uri, lambda found: not found) == []
    # A line at the end changes nothing that was found: no old finding comes back with the new text.
    client.change(uri, desk.row_text + "\n")
    assert client.diagnostics(uri) == []


@pytest.mark.soak
def test_edits_while_it_proves(start: Start, desk: Any) -> None:
    """A check is given up when its text changes: of many edits the last one is checked, and questions are answered
    meanwhile."""
    client = start(desk.folder, prove=True)
    uri = desk.row_uri
    client.open(uri, desk.row_text)
    for n in range(20):
        client.change(uri, desk.row_text.replace("C1 fails", f"rank(X) = {n}"))
        assert "is_list" in client.hover(uri, "is_list(X)", 2)
    client.change(uri, desk.row_text.replace(*REFUTED))

    found = client.diagnostics(uri, lambda found: any(f["code"] == "covered" for f in found))

    # The checks of the other nineteen texts left nothing that is shown of this one.
    assert not any("before the last edit" in f["message"] for f in found if f["code"] == "covered")
    client.checked("row.sonnx")
    assert len(client.lenses(uri)) >= 4


@pytest.mark.soak
def test_a_library_in_the_editor(start: Start, desk: Any) -> None:
    """A library that is open in the editor counts as it is there, once it is saved."""
    client = start(desk.folder, prove=True)
    client.open(desk.library_uri, desk.library_text)
    client.open(desk.row_uri, desk.row_text)
    client.checked("row.sonnx")
    # Only in the editor: the file still has `is_list`.
    client.change(desk.library_uri, desk.library_text.replace("is_list", "is_row"))
    client.tell("textDocument/didSave", textDocument={"uri": desk.library_uri})

    (found,) = client.diagnostics(desk.row_uri, lambda found: any(f["code"] == "error" for f in found))

    assert "`is_list`" in found["message"]


@pytest.mark.soak
def test_a_page_knows_verdicts(start: Start, desk: Any) -> None:
    """The formal text beside an open page is checked too, as it is written."""
    client = start(desk.folder, prove=True)
    client.open(desk.page_uri, desk.page_text, "markdown")
    client.checked("row.sonnx")

    assert "**proved** C1/covered (int)" in client.hover(desk.page_uri, "`[C1]`", 3)


def test_an_unsaved_text_is_proved(start: Start, desk: Any) -> None:
    """A text that is in no file is checked with the installed definitions."""
    client = start(None, prove=True)
    uri = "untitled:Untitled-1"
    text = 'theory one "b"\nuse broadcast\n\ntheorem wrong "c"\n  for S : shape\n  : common_rank([S]) = 1\n'
    client.open(uri, text)

    found = client.diagnostics(uri, lambda found: found)

    assert "refuted" in found[0]["message"]
    assert found[0]["range"]["start"] == client.place(uri, "theorem wrong")


@pytest.mark.soak
def test_examples_of_a_page(start: Start) -> None:
    """A page whose example is not what its formal text gives is told so, while nothing is saved."""
    client = start(ROOT, prove=True)
    path = ROOT / "spec" / "sonnx" / "max" / "max.md"
    uri, right = path.as_uri(), "$X_0 = -5$ gives $Y = -5$"
    text = path.read_text("utf-8")
    assert right in text
    client.open(uri, text.replace(right, "$X_0 = -5$ gives $Y = 5$"), "markdown")

    (found,) = client.diagnostics(uri, lambda found: any(f["code"] == "example-differs" for f in found))

    assert found["range"]["start"]["line"] == client.place(uri, "gives $Y = 5$")["line"]
