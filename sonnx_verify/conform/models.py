"""An input as a target is called with it: arrays, attributes, and the model of ONNX that applies the operator to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.conform.calls import Array, Call, Presentation
from sonnx_verify.conform.node_test import IR, attribute_proto, opset_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array

Named = tuple[str, ConcreteTensor | None]


def inputs_of(meaning: Meaning, assignment: Assignment) -> list[Named]:
    """The tensors in the order of the specification, members of a family one by one; None for one that is left out."""
    made: list[Named] = []
    for variable in meaning.variables:
        if variable.role != "input":
            continue
        value = assignment[variable.name]
        if isinstance(value, tuple):
            made += [(f"{variable.name}{n + variable.base}", item) for n, item in enumerate(value)]
        else:
            made.append((variable.name, value if isinstance(value, ConcreteTensor) else None))
    return made


def attributes_of(meaning: Meaning, assignment: Assignment) -> list[tuple[Variable, Concrete]]:
    """The attributes that are given."""
    rows = [(v, assignment[v.name]) for v in meaning.variables if v.role == "attribute"]
    return [(v, value) for v, value in rows if value is not LEFT_OUT]


def plain_attribute(sort: Sort, value: Concrete) -> Any:
    """An attribute as Python has it."""
    if isinstance(value, tuple):
        return [plain_attribute(sort, item) for item in value]
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        return floats.to_float(sort, value)
    return value


def array_of(tensor: ConcreteTensor) -> Array:
    """A tensor as plain data."""
    return Array(tensor.sort.name, tensor.shape, to_array(tensor).tobytes())


@dataclass(slots=True)
class Models:
    """Makes the calls of one operator. Models are kept: inputs that differ in sizes and elements share one."""

    project: Project
    unit: Unit
    meaning: Meaning
    wanted: bool
    """Whether the target takes models."""
    _made: dict[object, bytes] = field(default_factory=dict)

    def call(self, assignment: Assignment, presentation: Presentation) -> Call:
        """The call for an input."""
        inputs = inputs_of(self.meaning, assignment)
        attributes = attributes_of(self.meaning, assignment)
        arrays = tuple((name, None if t is None else array_of(t)) for name, t in inputs)
        plain = tuple((v.name, plain_attribute(v.sort, value)) for v, value in attributes)
        return Call(arrays, plain, presentation, self._model(inputs, attributes, assignment) if self.wanted else b"")

    def _model(self, inputs: list[Named], attributes: list[tuple[Variable, Concrete]], given: Assignment) -> bytes:
        kinds = tuple((name, None if t is None else (t.sort, len(t.shape))) for name, t in inputs)
        asked = tuple(given.get(f"{v.name}.given", True) for v in self.meaning.outputs)
        key = (kinds, tuple((v.name, value) for v, value in attributes), asked)
        if key not in self._made:
            self._made[key] = model_of(self.project, self.unit, self.meaning, inputs, attributes, given)
        return self._made[key]


def model_of(
    project: Project,
    unit: Unit,
    meaning: Meaning,
    inputs: list[Named],
    attributes: list[tuple[Variable, Concrete]],
    given: Assignment,
) -> bytes:
    """A model with that one node. Ranks are fixed, sizes are not; nothing is said of the shape of outputs."""
    from onnx import helper

    assert unit.file is not None
    domain = domain_of(unit)
    sizes = _sizes()
    infos = [
        helper.make_tensor_value_info(name, _number(t.sort), [next(sizes) for _ in t.shape])
        for name, t in inputs
        if t is not None
    ]
    node = helper.make_node(unit.file.name, node_inputs(inputs), node_outputs(meaning, given), domain=domain)
    for variable, value in attributes:
        node.attribute.append(attribute_proto(helper, variable, value))
    outputs = [
        helper.make_tensor_value_info(v.name, _number(v.sort), None)
        for v in meaning.outputs
        if given.get(f"{v.name}.given", True)
    ]
    graph = helper.make_graph([node], "one_node", infos, outputs)
    opsets = [helper.make_opsetid(domain, opset_of(project, unit))]
    data: bytes = helper.make_model(graph, ir_version=IR, opset_imports=opsets).SerializeToString()
    return data


def domain_of(unit: Unit) -> str:
    """ONNX's own domain; an operator of one's own is in none that a runtime knows."""
    return "user" if unit.namespace == "user" else ""


def node_inputs(inputs: list[Named]) -> list[str]:
    """The names of a node's inputs: "" for one that is left out before another."""
    return _trimmed(["" if t is None else name for name, t in inputs])


def node_outputs(meaning: Meaning, given: Assignment) -> list[str]:
    """The names of a node's outputs: "" for one that is not asked for before another."""
    return _trimmed([v.name if given.get(f"{v.name}.given", True) else "" for v in meaning.outputs])


def _trimmed(names: list[str]) -> list[str]:
    while names and not names[-1]:
        names = names[:-1]
    return names


def _number(sort: Sort) -> int:
    from onnx import TensorProto

    number: int = TensorProto.DataType.Value(sort.name.upper())
    return number


def _sizes() -> Iterator[str]:
    number = 0
    while True:
        yield f"n{number}"
        number += 1
