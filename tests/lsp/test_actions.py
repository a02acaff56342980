"""What an editor offers and shows of verdicts: corrections, repairs, hints, marks beside the lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DIFF = """\
operator Diff version 1 user

types int = int32

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a vector"     : rank(X) = 1
[E1] error      "X is not a vector" : when C1 fails

shape Y    = shape (k in axes(X.shape) -> X.shape[k] - 1)
value Y[i] = X[[i[0] + 1]] - X[[i[0]]]
"""


SHARES = """\
use numbers

operator Shares version 1 user

types float = float16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "a list of numbers" : rank(X) = 1 and (for all j in indices(X) : is_number(X[j]))
[E1] error      "anything else"     : when C1 fails

shape Y    = X.shape
value Y[i] = T(exp(number(X[i])) / sum { exp(number(X[j])) | j in indices(X) })
"""


@pytest.fixture(scope="module")
def proving(server: Any, make_desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server that proves, for the tests of mistakes in names, each of which opens another document of its desk."""
    desk = make_desk(tmp_path_factory.mktemp("proving"))
    with server(desk.folder, prove=True) as client:
        yield client, desk


def actions(client: Any, uri: str, where: Any, **context: Any) -> list[Any]:
    """The actions for a range. What diagnostics carry is known to the server, whatever a client sends back."""
    found: list[Any] = client.ask(
        "textDocument/codeAction", textDocument={"uri": uri}, range=where, context={"diagnostics": [], **context}
    )
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rank(X) = 1", "rank(X) == 1"),
        ("rank(X) = 1", "rank(X) ≤ 1"),
        ("[C1] constraint", "[C1] constrain"),
        ("when C1 fails", "when C1 fails ∨ C1 fails"),
    ],
)
def test_correction_of_what_cannot_be_read(quiet: Any, apply: Any, old: str, new: str) -> None:
    """Where the message says what to write, the action writes it, and then the text can be read."""
    client, desk = quiet
    uri = desk.uri("diff.sonnx")
    client.open(uri, DIFF.replace(old, new))
    (diagnostic,) = client.diagnostics(uri, len)

    (action,) = actions(client, uri, diagnostic["range"], only=["quickfix"])
    (edits,) = action["edit"]["changes"].values()
    client.change(uri, apply(client.texts[uri], edits))

    assert action["isPreferred"]
    assert action["title"].startswith("Replace `")
    assert client.diagnostics(uri) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("is_list(X)", "is_lst(X)"),
        ("when C1 fails", "when C1"),
        ("use rows\n", ""),
    ],
)
def test_correction_of_a_name(proving: Any, apply: Any, old: str, new: str) -> None:
    """The name that was meant, `fails` behind a constraint, the library that defines what is called."""
    client, desk = proving
    uri, text = desk.uri(f"without {old.split()[0]}.sonnx"), desk.row_text.replace(old, new)
    client.open(uri, text)
    (diagnostic,) = client.diagnostics(uri, len)

    (action,) = actions(client, uri, diagnostic["range"], only=["quickfix"])
    (edits,) = action["edit"]["changes"].values()
    corrected = apply(text.replace("𝔸", "A"), edits)
    assert sorted(corrected.split()) == sorted(desk.row_text.replace("𝔸", "A").split())


def test_a_name_like_no_other(proving: Any) -> None:
    """The message asks nothing, and nothing is offered."""
    client, desk = proving
    uri = desk.uri("unlike.sonnx")
    client.open(uri, desk.row_text.replace("let n = rank(X)", "let n = rank(Q)"))
    (diagnostic,) = client.diagnostics(uri, len)

    assert actions(client, uri, diagnostic["range"], only=["quickfix"]) == []


def test_theorems_that_are_not_named(proving: Any, apply: Any) -> None:
    """They are told at the clause that rests on them, and the action names them: then nothing is told."""
    client, desk = proving
    uri = desk.uri("shares.sonnx")
    client.open(uri, SHARES)
    (diagnostic,) = client.diagnostics(uri, len)

    (action,) = actions(client, uri, diagnostic["range"], only=["quickfix"])
    (edits,) = action["edit"]["changes"].values()
    named = apply(SHARES, edits)

    assert diagnostic["severity"] == 4
    assert named == SHARES + "use functions\nusing for all i in indices(Y) : exp_positive(number(X[i]))\n"
    client.change(uri, named)
    assert client.diagnostics(uri, lambda found: not found) == []


def test_layout_as_an_action(quiet: Any, apply: Any) -> None:
    """The text is laid out on request, and nothing is offered of one that is."""
    client, desk = quiet
    uri = desk.uri("wide.sonnx")
    client.open(uri, DIFF.replace("shape Y    =", "shape   Y ="))
    line = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}

    (action,) = actions(client, uri, line)
    (edits,) = action["edit"]["changes"].values()

    assert (action["kind"], apply(client.texts[uri], edits)) == ("source.fixAll", DIFF)
    client.change(uri, DIFF)
    assert actions(client, uri, line) == []
    assert actions(client, uri, line, only=["refactor"]) == []


def marked(client: Any, uri: str, wanted: Any) -> dict[int, str]:
    """The states of lines, once they are the wanted ones."""

    def states(message: Any) -> dict[int, str]:
        return {one["range"]["start"]["line"] + 1: one["state"] for one in message["params"]["lines"]}

    def fits(message: Any) -> bool:
        mine = message.get("method") == "sonnx-verify/verdicts" and message["params"]["uri"] == uri
        if not mine or message["params"]["version"] != client.versions[uri]:
            return False
        return bool(wanted(states(message)))

    return states(client.wait(fits))


@pytest.mark.soak
def test_marks_turn_green(start: Any, tmp_path: Path, apply: Any) -> None:
    """A refuted line is red; the action finds a repair, writes it into the text, and all is green."""
    client = start(tmp_path, prove=True, showsMarks=True)
    uri = (tmp_path / "diff.sonnx").as_uri()
    client.open(uri, DIFF)
    marks = marked(client, uri, lambda states: len(states) == 5)
    assert marks == {1: "proved", 8: "proved", 9: "proved", 11: "refuted", 12: "proved"}
    hints = client.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=whole(DIFF))
    assert [one["label"] for one in hints if one["position"]["line"] == 10] == ["✗ refuted: total, determined (int)"]

    line = {"start": {"line": 10, "character": 3}, "end": {"line": 10, "character": 3}}
    offered = {one["title"]: one["command"] for one in actions(client, uri, line, only=["quickfix"])}
    command = offered["Find a repair for user.Diff-1.int/Y.shape/total"]
    client.ask("workspace/executeCommand", command=command["command"], arguments=command["arguments"])
    request = client.wait(lambda m: m.get("method") == "workspace/applyEdit")
    (edits,) = request["params"]["edit"]["changes"].values()
    repaired = apply(DIFF, edits)

    clause = '[R1] restriction "every size is at least 0" : for all k in axes(X.shape) : X.shape[k] - 1 >= 0'
    assert clause in repaired.split("\n")
    client.change(uri, repaired)
    assert 8 in marked(client, uri, lambda states: len(states) > 5 and set(states.values()) == {"proved"})


def whole(text: str) -> Any:
    """The range of a text."""
    end = {"line": text.count("\n"), "character": 0}
    return {"start": {"line": 0, "character": 0}, "end": end}


@pytest.mark.soak
def test_marks_of_an_edited_text(start: Any, tmp_path: Path) -> None:
    """Until a line is decided again its mark is stale, at the place where the line is now."""
    client = start(tmp_path, prove=True, showsMarks=True, inlayHints=False)
    uri = (tmp_path / "diff.sonnx").as_uri()
    client.open(uri, DIFF)
    marked(client, uri, lambda states: states.get(12) == "proved" and 11 in states)

    client.change(uri, f"-- one line more\n{DIFF}")

    assert marked(client, uri, lambda states: states.get(13) == "stale")[12] == "refuted"
    assert marked(client, uri, lambda states: states.get(13) == "proved")[12] == "refuted"
    assert client.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=whole(DIFF)) is None


@pytest.mark.soak
def test_other_clients_hear_of_no_marks(start: Any, desk: Any) -> None:
    """The notification is not in the protocol: only who asks for it is sent it."""
    client = start(desk.folder, prove=True)
    client.open(desk.row_uri, desk.row_text)
    client.checked("row.sonnx")

    assert client.ask("textDocument/inlayHint", textDocument={"uri": desk.row_uri}, range=whole(desk.row_text))
    assert not [m for m in client.heard if m.get("method") == "sonnx-verify/verdicts"]
