"""Specifications as data: what `export` prints keeps to its schema, and says what the text says."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "sonnx_verify" / "outputs" / "export.schema.json"
HALF = """\
-- Half of the elements.
use broadcast

operator Half version 2 user

types int   = int8 int16
types float = float16

input              X    : tensor of T
optional attribute mode : string where mode = "up" or mode = "down"
attribute          add  : int default 0
output             Y    : tensor of T

define half(x : T) : T for int
  "half of x, -- rounded down"
  = T(div(int(x),  -- towards the lower number
          2))

[R1] restriction from "a report" "no scalars" : rank(X) > 0
[C1] constraint "nothing is added" for int : add = 0
[E1] error "something is added" for int : when C1 fails

let r = rank(X)
shape Y = X.shape
value Y[i] for int   = half(X[i])
value Y[i] for float = X[i] / 2

example two for int "one is rounded"
  X = int8 (2) [3, 4]
  Y = int8 (2) [1, 2]

example scalar for float
  X = float16 () 1
  refused by R1

example long for int X = int8 (2, 2) [[3, 4],  -- two rows
    [5, 6]] Y = int8 (2, 2)
    [[1, 2], [2, 3]]
"""


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["export", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def exported(*words: str) -> list[dict[str, Any]]:
    status, said = run(*words)
    assert status == 0, said
    made = json.loads(said)
    jsonschema.validate(made, json.loads(SCHEMA.read_text("utf-8")))
    operators: list[dict[str, Any]] = made["operators"]
    return operators


def test_the_schema_is_made_of_the_types() -> None:
    script = runpy.run_path(str(ROOT / "tools" / "answer_schema.py"))
    for command in script["SCHEMAS"]:
        path = SCHEMA.with_name(f"{command}.schema.json")
        assert path.read_text("utf-8") == script["text"](command), "if this is meant: python tools/answer_schema.py"


def test_all_of_the_library_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each operator once, each profile with the decisions of its page, each standard with what it leaves open."""
    monkeypatch.chdir(ROOT)
    made = exported("spec")

    assert len({one["operator"] for one in made}) == len(made) > 30
    profiles = [one for one in made if one["status"] == "profile"]
    left_open = {one["operator"]: one["left_open"] for one in made}
    assert profiles
    for one in profiles:
        assert (ROOT / one["page"]).is_file()
        assert one["decisions"] or not left_open[one["refines"]["operator"]], one["operator"]
        assert one["refines"]["operator"].startswith(f"onnx.{one['name']}-")
        assert {e["fails"] for e in one["errors"]} <= {c["tag"] for c in one["constraints"]} | {None}
    assert any("U_NAN" in row["tags"] for one in profiles for row in one["decisions"])
    assert any(gap["tag"] == "U_NAN" for one in made if one["status"] == "standard" for gap in one["left_open"])


def test_what_is_exported_is_what_the_text_says(tmp_path: Path) -> None:
    path = tmp_path / "half.sonnx"
    path.write_text(HALF, "utf-8")
    (one,) = exported(str(path))

    assert (one["operator"], one["status"], one["page"], one["refines"]) == ("user.Half-2", "user", None, None)
    assert [(t["name"], t["family"], t["types"]) for t in one["types"]] == [
        ("int", "int", ["int8", "int16"]),
        ("float", "float", ["float16"]),
    ]
    assert [(a["name"], a["optional"], a["default"] and a["default"]["text"]) for a in one["attributes"]] == [
        ("mode", True, None),
        ("add", False, "0"),
    ]
    assert one["attributes"][0]["where"]["text"] == 'mode = "up" or mode = "down"'
    (half,) = one["definitions"]
    assert (half["formula"]["text"], half["parameters"]) == ("T(div(int(x), 2))", ["x : T"])
    assert half["sentence"] == "half of x, -- rounded down"
    assert [(c["tag"], c["origin"], c["types"]) for c in (*one["restrictions"], *one["constraints"])] == [
        ("R1", "a report", None),
        ("C1", None, "int"),
    ]
    assert [(e["tag"], e["fails"], e["formula"]["text"]) for e in one["errors"]] == [("E1", "C1", "C1 fails")]
    assert [(v["types"], v["index"], v["formula"]["text"]) for v in one["values"]] == [
        ("int", "i", "half(X[i])"),
        ("float", "i", "X[i] / 2"),
    ]
    assert [(e["name"], e["values"], e["refused"]) for e in one["examples"]] == [
        ("two", {"X": "int8 (2) [3, 4]", "Y": "int8 (2) [1, 2]"}, None),
        ("scalar", {"X": "float16 () 1"}, "R1"),
        ("long", {"X": "int8 (2, 2) [[3, 4], [5, 6]]", "Y": "int8 (2, 2) [[1, 2], [2, 3]]"}, None),
    ]
    assert one["place"]["line"] == 4


def test_mistakes_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "laws.sonnx").write_text('theory laws "Laws"\n', "utf-8")
    (tmp_path / "broken.sonnx").write_text("operator 7", "utf-8")
    for words, said in {
        ("laws.sonnx",): "has no operator",
        ("broken.sonnx",): "broken.sonnx:1:10",
        ("none.sonnx",): "none.sonnx",
        ("user.None-1",): "unknown operator user.None-1",
        ("--format", "text", "laws.sonnx"): "'text' is not 'json'",
        (): "Missing argument",
    }.items():
        status, output = run(*words)
        assert status == 2, (words, output)
        assert said in output, (words, output)
