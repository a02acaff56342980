"""An input as other software takes it: arrays, attributes, and the model of one node that applies the operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sonnx_verify.conformance.calls import Array, Call, Presentation
from sonnx_verify.errors import INSTALL, UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array

Named = tuple[str, ConcreteTensor | None]
OPSET, IR = 13, 8
"""Old ones, so that every runtime of today accepts them."""


def need_onnx() -> None:
    """Raise UsageError where the package onnx is not installed."""
    try:
        import onnx  # noqa: F401  # whether it is there
    except ImportError:
        raise UsageError("the package onnx is not installed", cure=INSTALL) from None


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
        arrays = tuple((name, None if t is None else array_of(t)) for name, t in inputs_of(self.meaning, assignment))
        attributes = attributes_of(self.meaning, assignment)
        plain = tuple((v.name, plain_attribute(v.sort, value)) for v, value in attributes)
        return Call(arrays, plain, presentation, self._model(assignment) if self.wanted else b"")

    def _model(self, given: Assignment) -> bytes:
        """The model. Ranks are fixed, sizes are not; nothing is said of the shape of outputs."""
        tensors = inputs_of(self.meaning, given)
        kinds = tuple((name, None if t is None else (t.sort, len(t.shape))) for name, t in tensors)
        attributes = tuple((v.name, value) for v, value in attributes_of(self.meaning, given))
        outputs = [Edge(v.name, v.sort, None) for v in asked_outputs(self.meaning, given)]
        key = (kinds, attributes, tuple(outputs))
        if key not in self._made:
            numbers = count()
            inputs = []
            for name, tensor in tensors:
                if tensor is not None:
                    inputs.append(Edge(name, tensor.sort, [f"n{next(numbers)}" for _ in tensor.shape]))
            made = one_node_model(self.project, self.unit, self.meaning, given, "one_node", inputs, outputs)
            self._made[key] = made
        return self._made[key]


@dataclass(frozen=True, slots=True)
class Edge:
    """An input or output of a graph. `sizes` are numbers or names; None stands for one, or for all, left open."""

    name: str
    sort: Sort
    sizes: Sequence[int | str | None] | None


def one_node_model(
    project: Project,
    unit: Unit,
    meaning: Meaning,
    assignment: Assignment,
    graph: str,
    inputs: Sequence[Edge],
    outputs: Sequence[Edge],
) -> bytes:
    """The model, with a graph of that name, that applies the operator to an input."""
    from onnx import TensorProto, helper

    def info(edge: Edge) -> Any:
        kind = TensorProto.DataType.Value(edge.sort.name.upper())
        return helper.make_tensor_value_info(edge.name, kind, edge.sizes)

    assert unit.file is not None
    domain = domain_of(unit)
    names = node_inputs(inputs_of(meaning, assignment)), node_outputs(meaning, assignment)
    node = helper.make_node(unit.file.name, *names, domain=domain)
    for variable, value in attributes_of(meaning, assignment):
        node.attribute.append(_attribute(variable, value))
    made = helper.make_graph([node], graph, [info(edge) for edge in inputs], [info(edge) for edge in outputs])
    opsets = [helper.make_opsetid(domain, opset_of(project, unit))]
    data: bytes = helper.make_model(made, ir_version=IR, opset_imports=opsets).SerializeToString()
    return data


def _attribute(variable: Variable, value: Concrete) -> Any:
    """An attribute as ONNX holds it: its kind is said, since an empty list has none."""
    from onnx import AttributeProto, helper

    plain = plain_attribute(variable.sort, value)
    types = AttributeProto.AttributeType
    kinds = {INT: (types.INT, types.INTS), STRING: (types.STRING, types.STRINGS)}
    one, many = kinds.get(variable.sort, (types.FLOAT, types.FLOATS))
    return helper.make_attribute(variable.name, plain, attr_type=many if isinstance(value, tuple) else one)


def opset_of(project: Project, unit: Unit) -> int:
    """A set in which the operator has this version: the oldest that is usual, but before the next version."""
    assert unit.file is not None
    assert unit.file.version is not None
    version = unit.file.version
    files = [u.file for u in project.units if u.namespace in ("onnx", unit.namespace) and u.file is not None]
    later = [f.version for f in files if f.name == unit.file.name and f.version is not None and f.version > version]
    return min([max(OPSET, version), *(v - 1 for v in later)])


def domain_of(unit: Unit) -> str:
    """ONNX's own domain; an operator of one's own is in none that a runtime knows."""
    return "user" if unit.namespace == "user" else ""


def node_inputs(inputs: list[Named]) -> list[str]:
    """The names of a node's inputs: "" for one that is left out before another."""
    return _trimmed(["" if t is None else name for name, t in inputs])


def node_outputs(meaning: Meaning, given: Assignment) -> list[str]:
    """The names of a node's outputs: "" for one that is not asked for before another."""
    asked = asked_outputs(meaning, given)
    return _trimmed([v.name if v in asked else "" for v in meaning.outputs])


def asked_outputs(meaning: Meaning, given: Assignment) -> list[Variable]:
    """The outputs that are asked for."""
    return [v for v in meaning.outputs if given.get(f"{v.name}.given", True)]


def _trimmed(names: list[str]) -> list[str]:
    """The names without what is left out at the end."""
    while names and not names[-1]:
        names = names[:-1]
    return names
