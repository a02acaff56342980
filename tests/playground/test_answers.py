"""The answers about a text: the verdicts of `check`, mistakes, counterexamples; and the end of too much work."""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.layout import layout
from sonnx_verify.playground.child import work
from sonnx_verify.playground.jobs import Limits
from sonnx_verify.playground.requests import Question, Request
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(sonnx_verify.__file__).parent / "playground" / "examples"
LISTED = tomllib.loads((EXAMPLES / "examples.toml").read_text("utf-8"))["example"]
CLAMP, DIFF, ADD = ((EXAMPLES / name).read_text("utf-8") for name in ("clamp.sonnx", "neighbours.sonnx", "add.sonnx"))
FIXED = CLAMP.replace("when only(low) > only(high)", "when C2 fails")
DRAFT = (ROOT / "spec/drafts/max_001.sonnx").read_text("utf-8")
HARD = """theory hard "Nobody knows"

theorem fermat "no cube is the sum of two cubes"
  for a, b, c : int assuming a > 0 and b > 0 and c > 0
  : a * a * a + b * b * b != c * c * c
"""
NOTHING = 'library nothing "Nothing"\n'
POWER = """operator Power version 1 user
types int = int64

input  X : tensor of T
output Y : tensor of T

define tower(n : int) : int by recursion on n from 0
  = if n = 0 then 2 else tower(n - 1) * tower(n - 1)

shape Y    = shape (k in 0 .. 0 -> tower(X.shape[0]))
value Y[i] = T(0)
"""
TEXTS = {
    "refuted": CLAMP,
    "proved": FIXED,
    "violated": DIFF,
    "library": ADD,
    "unknown": HARD,
    "a mistake": CLAMP.replace("X.shape\n", "X.shap\n"),
    "a mistake of grammar": CLAMP.replace("output", "outptu"),
    "a circle": "use broadcast\n" + CLAMP.replace("= A[index (k in axes(A.shape) -> 0)]", "= only(A)"),
    "nothing": NOTHING,
    "expected": DRAFT,
}
STATES = {0: {"good", "empty"}, 1: {"finding"}, 2: {"mistake"}, 3: {"open"}}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.soak] * (n in ("unknown", "expected"))) for n in TEXTS]
)
def test_the_verdicts_are_those_of_check(
    name: str, served: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every obligation, its verdict and its scope; every mistake; and an end that is good exactly where the exit status
    of `check` is 0."""
    text = TEXTS[name]
    (tmp_path / "playground.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "playground.sonnx", "--format", "json"], catch_exceptions=False)
    made = json.loads(done.stdout)

    messages = served.check(text)

    rows = {m["id"]: (m["verdict"], m["scope"]) for m in messages if m["kind"] == "row"}
    assert rows == {o["id"]: (o["verdict"], o["scope"] or "") for o in made["obligations"]}
    mistakes = {
        f"{m['place']['file']}:{m['place']['line']}:{m['place']['column']}: error: {m['message']}"
        for m in messages
        if m["kind"] == "mistake"
    }
    assert mistakes == {error.splitlines()[0] for error in made["errors"]}
    end = messages[-1]
    assert end["kind"] == "end"
    assert end["state"] in STATES[done.exit_code]
    assert end["state"] != "empty" or not rows


@pytest.mark.soak
def test_the_texts_have_all_ends(served: Any) -> None:
    """The test above speaks of good texts, of findings, of what is open, and of mistakes."""
    ends = {served.check(TEXTS[name])[-1]["state"] for name in ("refuted", "proved", "unknown", "a mistake")}
    assert ends == {"finding", "good", "open", "mistake"}


def test_a_counterexample(served: Any) -> None:
    """It stands in the row, below the broken clause."""
    rows = {m["id"]: m for m in served.check(CLAMP) if m["kind"] == "row"}
    finding = "\n".join(rows["user.Clamp-1.float/C2/covered"]["finding"])
    assert "clause: low is not above high" in finding
    assert "high = float16 () nan" in finding
    assert rows["user.Clamp-1.float/C2/covered"]["line"] == 17
    assert rows["user.Clamp-1.float/C1/covered"]["finding"] == []


def test_the_layout(served: Any) -> None:
    """The text in its one layout, as `fmt` writes it."""
    untidy = CLAMP.replace("input  X    :", "input X:")
    laid = [m["text"] for m in served.check(untidy) if m["kind"] == "text"]
    assert laid == [layout(Source("x", untidy))]
    assert laid[0] != untidy


@pytest.mark.parametrize("example", LISTED, ids=lambda e: e["file"])
def test_the_layout_of_examples(example: dict[str, str]) -> None:
    text = (EXAMPLES / example["file"]).read_text("utf-8")
    assert layout(Source("x", text)) == text


@pytest.mark.parametrize(
    ("file", "question", "values"),
    [
        (example["file"], question, example[question])
        for example in LISTED
        for question in ("evaluate", "shape")
        if example[question] and example["file"] != "mistake.sonnx"
    ],
)
def test_the_questions_of_examples(file: str, question: str, values: str, served: Any) -> None:
    """Each answers what the page offers to ask."""
    text = (EXAMPLES / file).read_text("utf-8")
    (answer,) = (m for m in served.post(question, text, values).messages if m["kind"] == "answer")
    assert not answer["fails"]
    assert answer["lines"]


def test_the_lessons(served: Any) -> None:
    """The words of the lessons, done: the texts are good then, or are not any more."""
    more = '[C2] constraint "X is not empty" : X.shape[0] >= 1\n[E2] error "X is empty" : when C2 fails\n\nshape Y '
    theorem = (EXAMPLES / "theorem.sonnx").read_text("utf-8")
    first, _, second = theorem.rpartition(" assuming low <= high")
    overflow = (EXAMPLES / "overflow.sonnx").read_text("utf-8")
    assert served.check(FIXED)[-1]["state"] == "good"
    assert served.check(overflow.replace("for x : T", "for x : T assuming x < T(100)"))[-1]["state"] == "good"
    assert served.check(theorem)[-1]["state"] == "good"
    assert served.check(first + second)[-1]["state"] == "finding"
    assert served.check(DIFF.replace("shape Y ", more))[-1]["state"] == "good"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ('{"X": [1, 4, 9]}', "Y = int32 (2) [3, 5]"),
        ('{"X": {"type": "int64", "data": [1, 9007199254740993]}}', "Y = int64 (1) [9007199254740992]"),
        ('{"X": [[1]]}', "[C1] fails: X is a vector"),
    ],
)
def test_evaluate(values: str, line: str, served: Any) -> None:
    (answer,) = (m for m in served.post("evaluate", DIFF, values).messages if m["kind"] == "answer")
    assert answer["lines"][0] == line
    assert answer["fails"] == line.startswith("[C1]")


@pytest.mark.parametrize("question", ["evaluate", "shape"])
@pytest.mark.parametrize(
    "values",
    [
        "",
        "[",
        "[]",
        "1",
        '{"X": "/etc/passwd.npy"}',
        '{"X": {"type": "float", "data": "x.npy"}}',
        '{"X": {"type": "x.npy", "data": []}}',
        '{"X": {"type": "no", "data": [1]}}',
        '{"X": {"file": "x.npy"}}',
        '{"X=x.npy": [1]}',
        '{"X": [1, [2]]}',
        '{"X": [1.5]}',
        '{"X": [1e999999999]}',
        '{"X": null}',
        '{"Y": 1}',
        '{"X": ' + "[" * 1000 + "]" * 1000 + "}",
        '{"X": ' + "[" * 9000 + "]" * 9000 + "}",
    ],
)
def test_values_that_are_none(question: str, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of the user, found in this process as in that of the server; and no file is opened for it."""

    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("a file is read")

    monkeypatch.setattr(np, "load", refuse)
    with pytest.raises(UserError):
        work(Request(Question(question), DIFF, values), lambda message: None)


def test_values_that_name_a_file(served: Any) -> None:
    """The same over HTTP: a message, and no end of the process."""
    messages = served.post("evaluate", DIFF, '{"X": "/etc/passwd.npy"}').messages
    assert [m["kind"] for m in messages] == ["begin", "mistake", "end"]
    assert messages[1]["message"] == "X: /etc/passwd.npy is not a value of type int32"


def test_shapes(served: Any) -> None:
    (answer,) = (m for m in served.post("shape", ADD, '{"A": ["N", 3], "B": [1]}').messages if m["kind"] == "answer")
    assert answer["lines"] == ["C : [N, 3]"]


def test_a_text_without_an_operator(served: Any) -> None:
    (mistake,) = (m for m in served.post("evaluate", NOTHING, "{}").messages if m["kind"] == "mistake")
    assert mistake["message"] == "the text has no operator"


@pytest.mark.parametrize("name", ["secret", "playground", "clamp", "Diff"])
def test_use_of_a_file_that_is_not_shipped(name: str, served: Any) -> None:
    """There may be one of that name: in the folder of the server, beside the examples, or nowhere."""
    (mistake,) = (m for m in served.check(f"use {name}\n{CLAMP}") if m["kind"] == "mistake")
    assert mistake["message"] == f"unknown library `{name}`"
    assert "shipped" in mistake["cure"]
    assert mistake["place"]["line"] == 1


@pytest.mark.parametrize("page", ["/etc/passwd", "README.md", "../static/index.html"])
def test_no_page_is_read(page: str, served: Any) -> None:
    text = CLAMP.replace("version 1 user\n", f'version 1 user\npage "{page}"\n')
    (mistake,) = (m for m in served.check(text) if m["kind"] == "mistake")
    assert mistake["message"] == "the playground reads no pages"


# --------------------------------------------------------------------------------------------------------- the limits


def test_work_without_an_end_is_stopped(limited: Any, many: str) -> None:
    """And the next text is checked."""
    client = limited(Limits(seconds=20))
    end = client.check(many)[-1]
    assert end == {"kind": "end", "state": "failed", "sentence": "Stopped: no result after 20 seconds."}
    assert client.check(NOTHING)[-1]["state"] == "good"


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a limit on memory may not be kept")
def test_work_that_takes_all_memory_is_stopped(limited: Any) -> None:
    """A size that would have more digits than the machine has memory for."""
    client = limited(Limits(memory=400 << 20))
    messages = client.post("evaluate", POWER, f'{{"X": {[0] * 45}}}').messages
    assert messages[-1]["state"] == "failed", messages
    assert "memory" in messages[-1]["sentence"]
    assert client.check(NOTHING)[-1]["state"] == "good"


@pytest.mark.soak
def test_two_tabs(served: Any) -> None:
    """Each gets the answer to its own text, whoever is first."""
    first, second = served.begin(CLAMP), served.begin(FIXED)
    ends = [json.loads(tab.getresponse().read().splitlines()[-1])["state"] for tab in (first, second)]
    assert ends == ["finding", "good"]


@pytest.mark.soak
def test_a_tab_that_is_closed(limited: Any, many: str) -> None:
    """Its work ends: else the next text would wait, and the last of these would be refused."""
    client = limited(Limits(seconds=3600, waiting=2))
    for _ in range(3):
        tab = client.begin(many)
        assert tab.getresponse().readline() == b'{"kind": "begin"}\n'
        tab.close()
        # The server first has to notice that the tab is closed, and takes only so many requests a second.
        while (answer := client.post("check", NOTHING)).status in (429, 503):
            time.sleep(0.05)
        assert answer.messages[-1]["state"] == "good"


def test_too_many_tabs(limited: Any, many: str) -> None:
    client = limited(Limits(seconds=3600, waiting=1))
    tab = client.begin(many)
    tab.getresponse().readline()
    answer = client.post("check", NOTHING)
    assert answer.status == 503
    assert "tabs" in answer.error
    tab.close()


def test_a_port_in_use(served: Any) -> None:
    port = served.host.partition(":")[2]
    done = CliRunner().invoke(main, ["serve", "--port", port])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: port {port} cannot be used")
    assert "name another port" in done.stderr
