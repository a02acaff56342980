"""An input as other software takes it: arrays, attributes, and the model of one node that applies the operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any

from sonnx_verify.conformance.targets.calls import Array, Call, Presentation
from sonnx_verify.errors import INSTALL, UsageError
from sonnx_verify.kernel.variables import Variable, VariableRole
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.places import installed_library, signatures
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Table
from sonnx_verify.language.syntax import FileKind, TypeWord
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, Sort
from sonnx_verify.paths import USER
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array
from sonnx_verify.solving.inputs.replay import Outcome, on_input

Named = tuple[str, ConcreteTensor | None]
OPSET, IR = 13, 8
"""Old ones, so that every runtime of today accepts them."""


def need_onnx() -> None:
    """Raise UsageError where the package onnx is not installed."""
    try:
        import onnx  # noqa: F401  # only to see that it is there
    except ImportError:
        raise UsageError("the package onnx is not installed", cure=INSTALL) from None


def inputs_of(meaning: Meaning, assignment: Assignment) -> list[Named]:
    """The tensors in the order of the specification, members of a family one by one; None for one that is left out."""
    made: list[Named] = []
    for variable in meaning.variables:
        if variable.role is not VariableRole.INPUT:
            continue
        match assignment[variable.name]:
            case tuple() as family:
                made += [(f"{variable.name}{n}", item) for n, item in enumerate(family, variable.base)]
            case ConcreteTensor() as tensor:
                made.append((variable.name, tensor))
            case _:
                # It keeps its place: a node names its inputs by their order.
                made.append((variable.name, None))
    return made


def given_inputs(meaning: Meaning, assignment: Assignment) -> list[tuple[str, ConcreteTensor]]:
    """The tensors that are given, in the order of the specification."""
    return [(name, tensor) for name, tensor in inputs_of(meaning, assignment) if tensor is not None]


def attributes_of(meaning: Meaning, assignment: Assignment) -> list[tuple[Variable, Concrete]]:
    """The attributes that are given."""
    rows = [(v, assignment[v.name]) for v in meaning.variables if v.role is VariableRole.ATTRIBUTE]
    return [(v, value) for v, value in rows if value is not LEFT_OUT]


def plain_attribute(sort: Sort, value: Concrete) -> Any:
    """An attribute as Python has it."""
    # Lists are tuples here, so that inputs can be keys.
    if isinstance(value, ConcreteTensor):
        return to_array(value)
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
    """The calls of one operator. Models are kept: inputs that differ in sizes and elements share one."""

    project: Project
    unit: Unit
    meaning: Meaning
    wanted: bool
    """True if the target takes models."""
    _made: dict[object, bytes] = field(default_factory=dict)

    def declared(self, assignment: Assignment) -> dict[str, str]:
        """The types of the outputs whose type no input has, so that the model alone says which it is."""
        assert self.unit.file is not None
        file, context = self.unit.file, self.meaning.context
        inputs = {one.type.of.name for one in file.inputs if one.type.of is not None}
        words = {one.type.of.name for one in file.outputs if one.type.of is not None} - inputs
        sorts = {TypeWord.T: context.element, **context.variables}
        free = {sorts[word] for word in words if word in sorts}
        return {v.name: v.sort.name for v in asked_outputs(self.meaning, assignment) if v.sort in free}

    def call(self, assignment: Assignment, presentation: Presentation) -> Call:
        """The call for an input."""
        arrays: list[tuple[str, Array | None]] = []
        for name, tensor in inputs_of(self.meaning, assignment):
            array = None
            if tensor is not None:
                array = array_of(tensor)
            arrays.append((name, array))
        attributes = attributes_of(self.meaning, assignment)
        plain = tuple((v.name, plain_attribute(v.sort, value)) for v, value in attributes)
        model = b""
        if self.wanted:
            model = self._model(assignment)
        asked = tuple(_is_asked(v, assignment) for v in on_input(self.meaning, assignment).outputs)
        return Call(tuple(arrays), plain, presentation, model, self.meaning.several_outputs, asked)

    def _model(self, given: Assignment) -> bytes:
        """The model. Ranks are fixed, sizes are not; nothing is said of the shape of outputs."""
        # A runtime that is told the sizes may compile for them: one model for all sizes is what users mostly have.
        tensors = given_inputs(self.meaning, given)
        attributes = tuple((v.name, value) for v, value in attributes_of(self.meaning, given))
        outputs = [Edge(v.name, v.sort, None) for v in asked_outputs(self.meaning, given)]
        # The inputs that are left out are in the key too, by their names.
        names = tuple(name for name, _ in inputs_of(self.meaning, given))
        kinds = tuple((name, t.sort, len(t.shape)) for name, t in tensors)
        key = (names, kinds, attributes, tuple(outputs))
        if key not in self._made:
            numbers = count()
            inputs = [Edge(name, t.sort, [f"n{next(numbers)}" for _ in t.shape]) for name, t in tensors]
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

    # A size that is None or a name is left open in the model; `sizes` that are None leave the rank open, too.
    def info(edge: Edge) -> Any:
        kind = TensorProto.DataType.Value(edge.sort.name.upper())
        return helper.make_tensor_value_info(edge.name, kind, edge.sizes)

    assert unit.file is not None
    domain = domain_of(unit)
    names = node_inputs(inputs_of(meaning, assignment)), node_outputs(meaning, assignment)
    node = helper.make_node(unit.file.name, *names, domain=domain)
    # Only those that are given: a default that is written out is another model, and is tried as a value of its own.
    for variable, value in attributes_of(meaning, assignment):
        node.attribute.append(_attribute(variable, value))
    made = helper.make_graph([node], graph, [info(edge) for edge in inputs], [info(edge) for edge in outputs])
    opsets = [helper.make_opsetid(domain, opset_of(project, unit))]
    data: bytes = helper.make_model(made, ir_version=IR, opset_imports=opsets).SerializeToString()
    return data


def _proto(name: str, tensor: ConcreteTensor) -> Any:
    """A tensor as ONNX holds it in a model."""
    from sonnx_verify.conformance.targets.program import tensor_proto

    return tensor_proto(name, array_of(tensor))


def _attribute(variable: Variable, value: Concrete) -> Any:
    """An attribute as ONNX holds it."""
    from onnx import AttributeProto, helper

    if isinstance(value, ConcreteTensor):
        return helper.make_attribute(variable.name, _proto(variable.name, value))
    plain = plain_attribute(variable.sort, value)
    types = AttributeProto.AttributeType
    kinds = {INT: (types.INT, types.INTS), STRING: (types.STRING, types.STRINGS)}
    # The kind is said: of an empty list the helper could not tell it from the items.
    kind, many = kinds.get(variable.sort, (types.FLOAT, types.FLOATS))
    if isinstance(value, tuple):
        kind = many
    return helper.make_attribute(variable.name, plain, attr_type=kind)


def opset_of(project: Project, unit: Unit) -> int:
    """A set in which the operator has this version: the oldest that is usual, but before the next version."""
    assert unit.file is not None
    assert unit.file.version is not None
    version, name = unit.file.version, unit.file.name
    known: list[int | None] = []
    for other in project.units:
        if other.namespace in ("onnx", unit.namespace) and other.file is not None and other.file.name == name:
            known.append(other.file.version)
    # The project need not have a text of the next version, in which the same node may mean something else.
    if not domain_of(unit):
        known += _versions().get(name, ())
    # Max has the versions 8, 12 and 13: version 8 is in force in the sets 8 to 11.
    later = [other - 1 for other in known if other is not None and other > version]
    return min([max(OPSET, version), *later])


def first_version(unit: Unit) -> int:
    """The first version that the operator has in ONNX; its own if ONNX has none."""
    assert unit.file is not None
    assert unit.file.version is not None
    known: tuple[int, ...] = ()
    if not domain_of(unit):
        known = _versions().get(unit.file.name, ())
    return min(known, default=unit.file.version)


def domain_of(unit: Unit) -> str:
    """ONNX's own domain; an operator of one's own is in none that a runtime knows."""
    assert unit.file is not None
    # Wherever the file is, what its status says is ONNX's operator is that.
    if unit.namespace == USER and unit.file.kind not in (FileKind.STANDARD, FileKind.PROFILE):
        return "user"
    return ""


@cache
def _versions() -> dict[str, tuple[int, ...]]:
    """The versions of each operator of ONNX."""
    return Table(signatures(installed_library()).read_text("utf-8")).operators()


def node_inputs(inputs: list[Named]) -> list[str]:
    """The names of a node's inputs: "" for one that is left out before another."""
    return _trimmed(["" if tensor is None else name for name, tensor in inputs])


def node_outputs(meaning: Meaning, given: Assignment) -> list[str]:
    """The names of a node's outputs: "" for one that is not asked for before another."""
    return _trimmed([v.name if _is_asked(v, given) else "" for v in on_input(meaning, given).outputs])


def asked_outputs(meaning: Meaning, given: Assignment) -> list[Variable]:
    """The outputs that are asked for."""
    return [v for v in on_input(meaning, given).outputs if _is_asked(v, given)]


def _is_asked(output: Variable, given: Assignment) -> bool:
    # Only of an optional output the assignment says whether it is wanted.
    return bool(given.get(f"{output.name}.given", True))


def _trimmed(names: list[str]) -> list[str]:
    """The names without those that are left out at the end, as ONNX writes a node."""
    while names and not names[-1]:
        names = names[:-1]
    return names


@dataclass(slots=True)
class NodeTests:
    """Tests of one operator with elements of one type. `graph` is the name of the graph in each model."""

    project: Project
    unit: Unit
    meaning: Meaning
    graph: str

    def files(self, inputs: Assignment, outcome: Outcome) -> dict[str, bytes]:
        """model.onnx, test_data_set_0 with the inputs, and with the outputs where the outcome has any."""
        from onnx import numpy_helper

        tensors = given_inputs(self.meaning, inputs)
        given = [Edge(name, t.sort, t.shape) for name, t in tensors]
        # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
        unknown: Sequence[int | str | None] = [None] * max((len(t.shape) for _, t in tensors), default=0)
        shapes: dict[str, Sequence[int | str | None]] = {name: made.shape for name, made in outcome.outputs.items()}
        asked = asked_outputs(self.meaning, inputs)
        results = [Edge(v.name, v.sort, shapes.get(v.name, unknown)) for v in asked]
        model = one_node_model(self.project, self.unit, self.meaning, inputs, self.graph, given, results)
        files = {"model.onnx": model}
        for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
            for n, (name, tensor) in enumerate(rows):
                array = numpy_helper.from_array(to_array(tensor), name)
                files[f"test_data_set_0/{kind}_{n}.pb"] = array.SerializeToString()
        return files
