"""Values of every kind in the forms in which an example is shown: text, JSON, numpy, HTML."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INT, REAL, STRING, Sort
from sonnx_verify.logic.terms import integer
from sonnx_verify.outputs.export import numpy_snippet
from sonnx_verify.outputs.html.drawn import of_shown
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.results.example import example_line
from sonnx_verify.results.values import Value, ValueKind
from sonnx_verify.results.written import plain
from sonnx_verify.solving.check.record import ConcreteExample
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.inputs.inputs import Found

ROOT = Path(__file__).parents[2]
DEFINITIONS = json.loads((ROOT / "sonnx_verify/outputs/check.schema.json").read_text("utf-8"))["$defs"]
VALIDATOR = jsonschema.Draft202012Validator({"$ref": "#/$defs/ExampleJson", "$defs": DEFINITIONS})
SHAPES = ((), (0,), (1,), (2, 0), (3,), (2, 2))
TYPES = ("int8", "uint64", "float16", "bfloat16", "double", "float8e4m3fn", "bool")
FLOAT = ELEMENT_TYPES["float"]
ONE = 0x3F800000
"""1 as a float."""


def tensor(sort: Sort, shape: tuple[int, ...]) -> ConcreteTensor:
    """A tensor whose elements are not all alike."""
    count = int(np.prod(shape, dtype=int))
    every = (False, True) if sort == BOOL else (0, 1)
    return ConcreteTensor(sort, shape, tuple(every[n % 2] for n in range(count)))


def shown_of(
    value: Concrete, sort: Sort, kind: VariableKind, *, attribute: bool = False, listed: bool = False
) -> ConcreteExample:
    """An example in which one name has a value."""
    role = VariableRole.ATTRIBUTE if attribute else VariableRole.THEOREM
    variable = Variable("a", kind, sort, integer(9) if listed else None, 0, role=role)
    return ConcreteExample((variable,), Found({"a": value}, {}, True), "a sentence")


def forms_of(shown: ConcreteExample) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The text, the JSON and what the numpy program makes. Each form is one that its readers take."""
    example = example_of(shown)
    made = json.loads(json.dumps(plain(example_json(example)), allow_nan=False))
    assert not [error.message for error in VALIDATOR.iter_errors(made)]
    assert repr(example) == f"<{example_line(example)}>"
    of_shown(made)
    names: dict[str, Any] = {"print": lambda *_: None}
    exec(numpy_snippet("user.One-1/C1/covered", shown), names)
    return example_line(example), made, names


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", TYPES)
def test_an_attribute_that_is_a_tensor(name: str, shape: tuple[int, ...]) -> None:
    """It is written like an input: no element is lost, and none is needed."""
    sort = ELEMENT_TYPES[name]
    value = tensor(sort, shape)
    of_attribute = forms_of(shown_of(value, sort, VariableKind.TENSOR, attribute=True))
    of_input = forms_of(shown_of(value, sort, VariableKind.TENSOR))

    assert of_attribute[0] == of_input[0]
    assert of_attribute[1]["attributes"]["a"] == of_input[1]["inputs"]["a"]
    assert of_attribute[1]["attributes"]["a"]["shape"] == list(shape)
    assert ("bits" in of_attribute[1]["attributes"]["a"]) == (np.dtype(dtype_of(name)).kind not in "iub")
    made = of_attribute[2]["a"]
    assert (made.dtype, made.shape) == (dtype_of(name), shape)


@pytest.mark.parametrize(
    ("value", "sort", "kind", "listed", "text", "wanted"),
    [
        (3, INT, VariableKind.INT, False, "3", 3),
        (-(2**60), INT, VariableKind.INT, False, str(-(2**60)), str(-(2**60))),
        (ONE, FLOAT, VariableKind.ELEMENT, False, "float 1", 1.0),
        (0, FLOAT, VariableKind.ELEMENT, False, "float 0", 0.0),
        (0x7FC00000, FLOAT, VariableKind.ELEMENT, False, "float nan", "nan"),
        ("SAME", STRING, VariableKind.ELEMENT, False, '"SAME"', "SAME"),
        ((), INT, VariableKind.INT, True, "[]", []),
        ((4,), INT, VariableKind.INT, True, "[4]", [4]),
        ((4, -4), INT, VariableKind.INT, True, "[4, -4]", [4, -4]),
        ((ONE, 0x80000000), FLOAT, VariableKind.ELEMENT, True, "[1, -0.0]", [1.0, "-0.0"]),
        (("a", "b"), STRING, VariableKind.ELEMENT, True, '["a", "b"]', ["a", "b"]),
    ],
)
def test_an_attribute_that_is_none(
    value: Concrete, sort: Sort, kind: VariableKind, listed: bool, text: str, wanted: object
) -> None:
    """A number or a text is itself, a list a list, of any length."""
    line, made, _ = forms_of(shown_of(value, sort, kind, attribute=True, listed=listed))

    assert line == f"a = {text}"
    assert made["attributes"] == {"a": wanted}


@pytest.mark.parametrize(
    ("value", "sort", "kind", "text", "wanted"),
    [
        ((2, 3), INT, VariableKind.SHAPE, "shape (2, 3)", {"dtype": "shape", "shape": [2], "data": [2, 3]}),
        ((), INT, VariableKind.INDEX, "index []", {"dtype": "index", "shape": [0], "data": []}),
        (frozenset({2, 1}), INT, VariableKind.SET, "{1, 2}", {"dtype": "set", "shape": [2], "data": [1, 2]}),
        (7, INT, VariableKind.INT, "7", {"dtype": "int", "shape": [], "data": 7}),
        (ONE, FLOAT, VariableKind.ELEMENT, "float 1", {"dtype": "float", "shape": [], "data": 1.0}),
        (Fraction(1, 3), REAL, VariableKind.ELEMENT, "real 1/3", {"dtype": "real", "shape": [], "data": "1/3"}),
        (
            ConcreteTensor(REAL, (2,), (Fraction(1, 3), Fraction(2))),
            REAL,
            VariableKind.TENSOR,
            "real (2) [1/3, 2]",
            {"dtype": "real", "shape": [2], "data": ["1/3", "2"]},
        ),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_variable_of_a_law(value: Concrete, sort: Sort, kind: VariableKind, text: str, wanted: object) -> None:
    """Each kind that a theorem is about says what it is."""
    line, made, _ = forms_of(shown_of(value, sort, kind))

    assert line == f"a = {text}"
    assert made["inputs"] == {"a": wanted}


def test_what_is_left_out() -> None:
    """What is left out has no value, whatever its default is."""
    for default in (None, 1, (1, 2), ()):
        count = integer(9) if isinstance(default, tuple) else None
        variable = Variable("a", VariableKind.INT, INT, count, 0, role=VariableRole.ATTRIBUTE, default=default)
        _, made, _ = forms_of(ConcreteExample((variable,), Found({"a": LEFT_OUT}, {}, True), "a sentence"))
        assert (made["attributes"], made["omitted"]) == ({}, ["a"])


@pytest.mark.parametrize(
    ("value", "array"),
    [
        (Value(ValueKind.TENSOR, "float16", (2,), (0x8000, 0x3C00)), np.array([-0.0, 1], np.float16)),
        (Value(ValueKind.TENSOR, "bfloat16", (), (0x3FC0,)), np.array(1.5, ml_dtypes.bfloat16)),
        (Value(ValueKind.TENSOR, "float8e4m3fn", (1,), (0x7E,)), np.array([448], ml_dtypes.float8_e4m3fn)),
        (Value(ValueKind.TENSOR, "int8", (1, 2), (-128, 1)), np.array([[-128, 1]], np.int8)),
        (Value(ValueKind.TENSOR, "uint4", (1,), (15,)), np.array([15], ml_dtypes.uint4)),
        (Value(ValueKind.ELEMENT, "uint64", (), (2**64 - 1,)), np.array(2**64 - 1, np.uint64)),
        (Value(ValueKind.TENSOR, "bool", (0, 2), ()), np.zeros((0, 2), bool)),
        (Value(ValueKind.TENSOR, "real", (1,), ("1/3",)), np.array(["1/3"], object)),
        (Value(ValueKind.SHAPE, "int", (2,), (2**70, 0)), np.array([2**70, 0], object)),
        (Value(ValueKind.NUMBER, "string", (), ("SAME",)), np.array("SAME", object)),
    ],
)
def test_a_value_as_an_array(value: Value, array: Any) -> None:
    """It has the type and the shape of the value, and its bits: -0 and the greatest integers too."""
    made = value.array

    assert (made.dtype, made.shape, made.tolist()) == (array.dtype, array.shape, array.tolist())
    if array.dtype != object:
        assert made.tobytes() == array.tobytes()
