"""The page of ONNX's node tests.

ONNX's node tests of the operators that there are standards of, each on the standard of its version, by the numpy
evaluator, and on the profile: as it is, and with the attributes that it leaves out written out. All of them are run
for the page, which takes some twenty seconds.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.arrays.evaluator.operator import Operator  # noqa: E402  # as above
from sonnx_verify.arrays.evaluator.results import Result  # noqa: E402  # as above
from sonnx_verify.errors import LeftUnspecified, NoResult, UsageError  # noqa: E402  # runs without an installation
from sonnx_verify.language.context import Context  # noqa: E402  # as above
from sonnx_verify.language.families import instances  # noqa: E402  # as above
from sonnx_verify.language.project import Project  # noqa: E402  # as above
from sonnx_verify.logic import floats  # noqa: E402  # as above
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort  # noqa: E402  # as above

HEAD = """\
# ONNX's node tests

ONNX has [tests of each operator](https://github.com/onnx/onnx/tree/main/onnx/backend/test/case/node): models of one
node, with inputs and expected outputs. The [numpy evaluator](evaluator.md) runs the tests of those operators that have
a standard here, on the standard of their version, in each of its texts, and on the profile.

| result | means |
|---|---|
| same | the specification gives these elements and no others, bit for bit |
| in the set | it gives a set of results at each index, and the expected ones are in it |
| left open | the standard leaves some elements open; all others are as expected |
| left open: a tag | this item leaves open whatever the operator does with the input |
| a clause | the input is not valid: this is the first clause that it violates |

Everything agrees with what a standard leaves open. Its sums of floats are completely open, so the tests say more about
the profile's. The profile rejects a test that leaves out an attribute, since it has no defaults to rely on. The last
column is the same input with the defaults written out. The page is [made](records.md#node-tests) by running them. To
run them yourself, [use a backend of ONNX](backend.md).

## Test by test

"""


@dataclass(frozen=True)
class NodeTest:
    """One of ONNX's node tests: its operator at an opset, the inputs in their order, what is expected."""

    name: str
    operator: str
    opset: int
    inputs: list[Any]
    attributes: dict[str, Any]
    expected: list[Any]


@cache
def project() -> Project:
    """The project's specifications."""
    return Project.open(ROOT)


def versions(namespace: str, name: str) -> dict[int, list[Operator]]:
    """The operators of a name by their versions, each in all its texts."""
    found: dict[int, list[Operator]] = {}
    for unit in project().units:
        file = unit.file
        if file is not None and unit.namespace == namespace and file.name == name and file.version is not None:
            found.setdefault(file.version, []).append(loaded(unit.operator))
    return found


@cache
def loaded(name: str) -> Operator:
    """The operator of that name."""
    return next(Operator(project(), u) for u in project().units if u.file is not None and u.operator == name)


@cache
def tests() -> tuple[NodeTest, ...]:
    """The node tests of one node whose operator has a standard here, by name: folders are listed in any order."""
    return tuple(sorted(_tests(), key=lambda test: test.name))


def _tests() -> Iterator[NodeTest]:
    from onnx import helper
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    for case in cases:
        assert case.model is not None
        assert case.data_sets is not None
        nodes, opset = case.model.graph.node, case.model.opset_import[0].version
        if len(nodes) != 1 or nodes[0].domain or not versions("onnx", nodes[0].op_type):
            continue
        attributes = {a.name: _value_of(helper.get_attribute_value(a)) for a in nodes[0].attribute}
        for inputs, expected in case.data_sets:
            given = iter(inputs)
            placed = [next(given) if name else None for name in nodes[0].input]
            yield NodeTest(case.name, nodes[0].op_type, opset, placed, attributes, list(expected))


def _value_of(value: Any) -> Any:
    """The value of an attribute, a tensor as an array."""
    from onnx import TensorProto, numpy_helper

    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value


def written_out(operator: Operator, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes, with those that are left out and have a default."""
    assert operator.unit.file is not None
    instance = instances(operator.unit.file)[0]
    element = ELEMENT_TYPES[instance.types[0]]
    meaning = project().meaning(operator.unit, Context(instance.family, element, variables=instance.variables))
    made = dict(attributes)
    for variable in meaning.given:
        if variable.role == "attribute" and variable.default is not None and variable.name not in made:
            value: Any = variable.default
            if isinstance(variable.sort, FloatSort):
                value = floats.to_float(variable.sort, value)
            made[variable.name] = value
    return made


def says(operator: Operator, test: NodeTest, attributes: Mapping[str, Any]) -> str:
    """The answer of an operator to a test's input and result: `same`, `left open`, `in the set`, `not so`; the item
    that leaves all of it open; or the clause, or the types, that reject the input."""
    try:
        made = operator.results(*test.inputs, **attributes)
    except LeftUnspecified as problem:
        return f"left open: {problem.tag}"
    except NoResult as problem:
        return f"[{problem.tag}] {problem.sentence}"
    except UsageError as problem:
        # Tensors of types that the signature does not take.
        return f"[types] {problem.message}"
    results: tuple[Result, ...] = made if isinstance(made, tuple) else (made,)
    found = [_compared(result, expected) for result, expected in zip(results, test.expected, strict=True)]
    return next((f for f in found if f != "same"), "same")


def _compared(result: Result, expected: Any) -> str:
    alike = expected.shape == result.value.shape and expected.dtype == result.value.dtype
    if not alike or not np.all(result.conforms(expected)):
        return "not so"
    if np.any(result.unspecified):
        return "left open"
    return "in the set" if result.name in result.meaning.members else "same"


def is_in_the_model(test: NodeTest) -> bool:
    """Return whether the inputs and the results are tensors that the language has: no sequences, texts and complex
    numbers."""
    arrays = [*test.inputs, *test.expected]
    return all(x is None or (isinstance(x, np.ndarray | np.generic) and x.dtype.kind not in "OUSc") for x in arrays)


def table() -> str:
    """The tests, one a row."""
    head = ("test", "standard", "result", "profile", "result", "with its attributes written out")
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    agreeing, every = 0, 0
    left_out = [f"`{test.name}`" for test in tests() if not is_in_the_model(test)]
    for test in filter(is_in_the_model, tests()):
        fitting = versions("onnx", test.operator)
        # A version without a text before the first that has one is what that one is, for fewer types.
        standards = fitting[max((v for v in fitting if v <= test.opset), default=min(fitting))]
        found = [says(standard, test, test.attributes) for standard in standards]
        every, agreeing = every + 1, agreeing + ("not so" not in found and not any(f.startswith("[") for f in found))
        profiles = versions("sonnx", test.operator)
        (profile,) = profiles[max(profiles)]
        plain = says(profile, test, test.attributes)
        full = says(profile, test, written_out(profile, test.attributes))
        rows.append(
            f"| `{test.name}` | {', '.join(f'`{s.name}`' for s in standards)} | {', '.join(found)} "
            f"| `{profile.name}` | {plain} | {full} |"
        )
    said = [f"{agreeing} of {every} agree with the standard."]
    if left_out:
        said += ["", f"Not run, since they are about types outside of the model: {', '.join(left_out)}."]
    return "\n".join([*said, "", *rows])


def pages() -> dict[str, str]:
    """The text of the file."""
    return {"node_tests.md": f"{HEAD}{table()}\n"}
