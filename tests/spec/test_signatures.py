"""The table of ONNX's signatures is what the installed onnx says, and is read as such."""

from __future__ import annotations

import re
import runpy
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sonnx_verify.language.signatures import Schema, Table
from sonnx_verify.pages.reading.schemas import operators, schema

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "spec" / "onnx" / "signatures.json"
SCRIPT = ROOT / "tools" / "schemas.py"


def test_the_table_is_that_of_onnx() -> None:
    """Every version of every operator of the main domain that the installed onnx knows."""
    script = runpy.run_path(str(SCRIPT))

    assert TABLE.read_text("utf-8") == script["written"](), "if this is meant: python tools/schemas.py"
    assert TABLE.stat().st_size < 200_000


def test_what_is_read_is_what_onnx_says() -> None:
    """Each part of each schema, as onnx has it: the reader undoes what the script wrote."""
    import onnx.defs

    of = onnx.defs.OpSchema.FormalParameterOption
    options = {of.Single: "", of.Optional: "optional", of.Variadic: "variadic"}
    table = Table(TABLE.read_text("utf-8"))
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain]
    assert len(schemas) > 600
    assert sum(map(len, table.operators().values())) == len(schemas)
    for theirs in schemas:
        mine = table.schema(theirs.name, theirs.since_version)
        assert mine is not None
        for ours, formal in ((mine.inputs, theirs.inputs), (mine.outputs, theirs.outputs)):
            assert [(p.name, p.option) for p in ours] == [(p.name, options[p.option]) for p in formal]
            assert [in_onnx(mine, p.type) for p in ours] == [set(p.types) for p in formal], theirs.name
        assert mine.deprecated == theirs.deprecated
        attributes = theirs.attributes
        assert {a.name: a.required for a in mine.attributes} == {n: a.required for n, a in attributes.items()}
        kinds = {n: str(a.type).rpartition(".")[2].lower() for n, a in attributes.items()}
        assert {a.name: a.kind for a in mine.attributes} == kinds


def in_onnx(mine: Schema, kind: str) -> set[str]:
    """The types of a variable, or a type, as onnx writes them."""
    types = mine.types.get(kind, (kind,))
    return {t if "(" in t else f"tensor({t})" for t in types}


def test_versions_are_found_by_opset() -> None:
    """The newest version that is not newer than the opset."""
    found = schema("Clip", 12)

    assert operators()["Clip"] == (1, 6, 11, 12, 13)
    assert found is not None
    assert (found.version, found.arity) == (12, (1, 3, 1, 1))
    assert [p.option for p in found.inputs] == ["", "optional", "optional"]
    assert "bfloat16" not in found.elements
    assert "int8" in found.elements
    assert schema("Clip", 0) is None
    assert schema("Max", 26) == schema("Max")
    assert schema("max") is None


def test_only_what_is_asked_for_is_decoded() -> None:
    """A line that cannot be read concerns its own operator alone."""
    text = re.sub(r'^  "Min-13": .*', '  "Min-13": {,', TABLE.read_text("utf-8"), flags=re.MULTILINE)
    table = Table(text)
    found = table.schema("Max", 13)

    assert found is not None
    assert [p.name for p in found.inputs] == ["data_0"]
    with pytest.raises(ValueError, match="Expecting"):
        table.schema("Min", 13)


def test_a_new_list_of_types_renames_no_other() -> None:
    """Names of lists go by history: an operator that sorts first and comes last has the last one."""
    script = runpy.run_path(str(SCRIPT))
    known = script["schemas"]()
    named = script["lists_of_types"](known)
    old = [s for s in known if s.since_version < 20]
    assert list(named.items())[: len(script["lists_of_types"](old))] == list(script["lists_of_types"](old).items())


def test_a_sentence_of_another_form_ends_the_script() -> None:
    """ONNX says in prose alone which attributes exclude each other: what is not understood is not passed over."""
    script = runpy.run_path(str(SCRIPT))

    class Odd:
        """A schema with a sentence of no known form."""

        name, since_version, inputs = "Odd", 1, ()
        attributes: ClassVar[dict[str, object]] = {}
        doc = "Give exactly one of the following: a, b."

    with pytest.raises(ValueError, match="Odd-1: a sentence of another form"):
        script["exactly_one"](Odd())


@pytest.mark.parametrize("version", [12, 13, 25])
def test_onnx_takes_exactly_one_of_a_group(version: int) -> None:
    """Its own inference of shapes accepts one attribute of the group, and neither two of them nor none."""
    import onnx
    from onnx import helper

    values: dict[str, Any] = {
        "value_float": 1.0, "value_floats": [1.0], "value_int": 1, "value_ints": [1], "value_string": "a",
        "value_strings": ["a"], "value": helper.make_tensor("v", onnx.TensorProto.FLOAT, [1], [1.0]),
    }  # fmt: skip  # a table

    def accepts(*names: str) -> bool:
        node = helper.make_node("Constant", [], ["y"], **{name: values[name] for name in names})
        graph = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name="y")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
        try:
            onnx.shape_inference.infer_shapes(model, strict_mode=True)
        except onnx.shape_inference.InferenceError:
            return False
        return True

    found = schema("Constant", version)
    assert found is not None
    assert set(values) | {"sparse_value"} == set(found.exactly_one[0])
    assert all(accepts(name) for name in values)
    assert not any(accepts(*two) for two in combinations(values, 2))
    assert not accepts()
