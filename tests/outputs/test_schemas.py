"""What each command prints as JSON keeps to the schema of its record."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

OUTPUTS = Path(__file__).parents[2] / "sonnx_verify" / "outputs"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("diff", "diff onnx.Max-12 onnx.Max-13"),
        ("diff", "diff onnx.Clip-11 onnx.Clip-12"),
        ("eval", "eval sonnx.Max-13 --input 'X0=int8:[1, 2]' --input X1=int8:3"),
        ("eval", "eval sonnx.Max-13 --input 'X0=int8:[1, 2]' --input 'X1=int8:[1, 2, 3]'"),
        ("eval", "eval onnx.Max-13 --input 'data_00=float16:[nan, -0.0]' --input data_01=float16:1"),
        ("eval", "eval onnx.Max-12 --input 'data_00=float16:[nan, -0.0]'"),
        (
            "eval",
            "eval sonnx.ReduceSum-13 --input 'data=float16:[[1, 0.3], [inf, 2]]' --attr keepdims=1 "
            "--attr noop_with_empty_axes=0",
        ),
        ("eval", "eval sonnx.Gelu-20 --input X=float:0.5 --attr approximate=none"),
        ("definition", "explain window_place"),
        ("gaps", "explain onnx.Max-13 --gaps"),
        ("list", "explain sonnx.Max-13 --list"),
        ("obligation", "explain sonnx.Max-13.int/Y/determined"),
        ("obligation", "explain sonnx.Max-13.int/R1/satisfiable"),
        ("operator", "explain sonnx.Exp-13"),
        ("operator", "explain onnx.Equal-13"),
        ("proof", "explain sonnx.Max-13.int/Y/determined sonnx.Max-13.int/R1/satisfiable --proof"),
        ("terms", "explain onnx.Equal-13 --terms"),
        ("shape", "eval sonnx.Max-13 --shape X0=N --shape X1=M"),
        ("shape", "eval sonnx.Max-13 --shape X0=2 --shape X1=3"),
    ],
)
def test_an_answer_keeps_to_its_schema(schema: str, words: str) -> None:
    kind = json.loads((OUTPUTS / f"{schema}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(kind)
    done = CliRunner().invoke(main, [*shlex.split(words), "--format", "json"])

    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, kind)
    # The answer itself, not an empty frame.
    assert any(answer.values())
