"""Examples of ONNX, against our specifications: those that the seeds print, and the node tests of the installed onnx.

The result of each has to be what `eval` gives; where a specification gives a set of results, as for sums of floats, it
has to be a member.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.backend.test.case import node as node_tests

from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import literal, placeholder
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.arguments import from_array
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import assignment_of, replay

OPERATORS = ("Max", "Min", "ReduceMax", "ReduceMin", "ReduceSum")
REDUCTIONS = OPERATORS[2:]


@dataclass(frozen=True)
class Example:
    """An input of an operator with the result that somebody says it has."""

    operator: str
    inputs: Mapping[int, Any]
    attributes: Mapping[str, Any]
    result: Any


def newest(project: Project, namespace: str, operator: str, opset: int = 1_000_000) -> Unit:
    """The specification of the newest version that is not above the opset."""
    files = [u.file for u in project.units if u.file and (u.namespace, u.file.name) == (namespace, operator)]
    unit = project.find(namespace, operator, max(f.version for f in files if f.version and f.version <= opset))
    assert unit is not None
    return unit


def disagreement(project: Project, unit: Unit, example: Example) -> str:
    """What the specification has against the result; nothing if it allows it."""
    file = unit.file
    assert file is not None
    given: dict[str, Concrete] = {}
    for n, array in example.inputs.items():
        declared = file.inputs[min(n, len(file.inputs) - 1)]
        given[declared.name if declared.high is None else f"{declared.name}{n}"] = from_array(declared.name, array)
    expected = from_array("result", np.asarray(example.result))
    family = next(i for i in instances(file) if expected.sort.name in i.types)
    meaning = project.meaning(unit, Context(family.family, expected.sort, variables=family.variables))
    attributes = {k: tuple(v) if isinstance(v, list) else v for k, v in example.attributes.items()}
    assignment = assignment_of(meaning, {**given, **attributes})
    outcome = replay(project, unit, meaning, assignment, why=False)
    if not outcome.outputs:
        return f"no result: {[c[0].clause.tag for c in outcome.broken]} {outcome.undeclared} {outcome.undetermined}"
    ((name, made),) = outcome.outputs.items()
    if (made.sort, made.shape) != (expected.sort, expected.shape):
        return f"the result is {made.sort.name} {made.shape}, not {expected.sort.name} {expected.shape}"
    facts, index = interpretation(meaning.given, assignment), placeholder(INDEX)
    for at, element in zip(indices_of(list(reversed(expected.shape))), expected.elements, strict=True):
        allowed = compile_term(meaning.conforms_at(name, index, literal(element, expected.sort)))
        if allowed({number_of(index): at}, facts) is not True:
            return f"{example.result} is not allowed, see {at} from the right"
    return ""


# ------------------------------------------------------------------------------------------------- printed in the seeds


def printed(text: str, title: str) -> tuple[Any, list[int] | None, dict[str, int], Any]:
    """Of the first example with that title: the input, the axes, the attributes, and the result that is printed."""
    block = text.split(f"**{title}**\n", 1)[1].split("\n**", 1)[0]
    found = re.search(r"data = np\.array\((.*?),\s*dtype=np\.float32\s*\)", block, re.DOTALL)
    assert found
    data = np.array(ast.literal_eval(found[1].strip()), dtype=np.float32)
    listed = re.search(r"axes = (?:np\.array\()?(\[.*?\])", block)
    shown = block.split("print(reduced)\n", 1)[1].split("\n\n", 1)[0]
    rows = " ".join(line.strip().lstrip("# ") for line in shown.splitlines())
    result = np.array(ast.literal_eval(re.sub(r"\]\s*\[", "], [", rows)), dtype=np.float32)
    keepdims = re.search(r"keepdims = (\d)", block)
    assert keepdims
    attributes = {"keepdims": int(keepdims[1])}
    if "noop_with_empty_axes=True" in block:
        attributes["noop_with_empty_axes"] = 1
    return data, ast.literal_eval(listed[1]) if listed else None, attributes, result


@pytest.mark.parametrize(
    ("seed", "operator", "title"),
    [
        ("000", "ReduceMax", "do_not_keepdims"),
        ("000", "ReduceMax", "keepdims"),
        ("000", "ReduceMax", "default_axes_keepdims"),
        ("000", "ReduceMax", "negative_axes_keepdims"),
        ("002", "ReduceSum", "_do_not_keepdims"),
        ("002", "ReduceSum", "_keepdims"),
        ("002", "ReduceSum", "_default_axes_keepdims"),
        ("002", "ReduceSum", "_negative_axes_keepdims"),
        ("002", "ReduceSum", "_empty_axes_input_noop"),
    ],
)
def test_printed_examples(seed: str, operator: str, title: str, project: Project, shared: Path) -> None:
    """What the seeds print is what version 13 and the profile give: shape, and the only element that is exact."""
    text = next((shared / "seeds").glob(f"{seed}_*")).read_text("utf-8")
    data, axes, attributes, result = printed(text, title)
    as_input = {0: data} if axes is None else {0: data, 1: np.array(axes, dtype=np.int64)}
    as_attribute = attributes if axes is None else {**attributes, "axes": axes}
    explicit = {"keepdims": 1, "noop_with_empty_axes": 0, **attributes}
    standard = project.find("onnx", operator, 13)
    assert standard is not None

    if operator == "ReduceMax":
        of_standard = Example(operator, {0: data}, as_attribute, result)
    else:
        of_standard = Example(operator, as_input, attributes, result)
    assert disagreement(project, standard, of_standard) == ""
    of_profile = Example(operator, as_input, explicit, result)
    assert disagreement(project, newest(project, "sonnx", operator), of_profile) == ""

    # One element more, or another shape, is not allowed.
    wrong = Example(operator, as_input, explicit, result + np.float32(1))
    assert "is not allowed" in disagreement(project, newest(project, "sonnx", operator), wrong)
    wrong = Example(operator, as_input, explicit, result[None])
    assert "the result is float" in disagreement(project, newest(project, "sonnx", operator), wrong)


# --------------------------------------------------------------------------------------------------- node tests of onnx


@cache
def of_onnx(operator: str) -> list[tuple[str, int, Example]]:
    """The node tests of an operator: the name, the opset and the example. Those of functions' bodies are the same
    input and result, in other nodes."""
    with np.errstate(divide="ignore"):
        importlib.import_module(f"{node_tests.__name__}.{operator.lower()}")
    found = []
    for case in node_tests._NodeTestCases:
        nodes = case.model.graph.node
        if len(nodes) != 1 or nodes[0].op_type != operator:
            continue
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in nodes[0].attribute}
        places = [n for n, name in enumerate(nodes[0].input) if name]
        for inputs, outputs in case.data_sets:
            example = Example(operator, dict(zip(places, inputs, strict=True)), attributes, outputs[0])
            found.append((case.name, case.model.opset_import[0].version, example))
    return found


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("namespace", ["onnx", "sonnx"])
def test_node_tests_of_onnx(operator: str, namespace: str, project: Project) -> None:
    """Each result of ONNX's own tests is one that we allow, by the version that the test is for and by the profile."""
    cases = of_onnx(operator)
    for name, opset, example in cases:
        unit = newest(project, namespace, operator, opset if namespace == "onnx" else 1_000_000)
        if namespace == "sonnx" and operator in REDUCTIONS:
            # The profile has every attribute written out.
            explicit = {"keepdims": 1, "noop_with_empty_axes": 0, **example.attributes}
            example = Example(operator, example.inputs, explicit, example.result)

        assert disagreement(project, unit, example) == "", name

    assert len(cases) >= 10
