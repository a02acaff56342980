"""Tests in the layout of ONNX's node tests, read as inputs of a specification."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.inputs.contexts import contexts
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import STRING, FloatSort
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import from_array
from sonnx_verify.solving.inputs.replay import assignment_of

MODEL = "model.onnx"
LARGEST = 1 << 26
"""The bytes up to which a file is read."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A test that cannot be read, or that is no input of a specification, and why."""

    test: str
    why: str


class Unreadable(Exception):
    """A folder holds no test, or none that a specification speaks of; with the cause."""


class _OtherType(Unreadable):
    """A tensor is of a type that the section is not for."""


@dataclass(frozen=True, slots=True)
class Test:
    """One node with one set of inputs: tensors in the node's order, None for one that is left out."""

    name: str
    operator: str
    inputs: tuple[ConcreteTensor | None, ...]
    attributes: dict[str, object] = field(default_factory=dict)


def folders(folder: Path) -> list[Path]:
    """The folders below, or the folder itself, that hold a model, in the order of their names. UserError where there
    are none."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", cure="name a folder of tests, each with a model.onnx")
    try:
        found = sorted(path.parent for path in folder.rglob(MODEL))
    except OSError as problem:
        raise UserError(f"{folder} cannot be read: {problem.strerror}", cure="check its permissions") from None
    if not found:
        raise UsageError(f"{folder} contains no tests", cure="name a folder of tests, each with a model.onnx")
    return found


def read(folder: Path, wanted: Collection[tuple[str, str]] = ()) -> tuple[list[Test], list[Unread]]:
    """The tests of a folder, and those that cannot be read, with the reason; those of some operators, given by domain
    and name, or where none is given of all."""
    tests: list[Test] = []
    broken = []
    for one in folders(folder):
        try:
            if wanted and operators_of(one).isdisjoint(wanted):
                continue
            operator_of(one)
            tests += tests_of(one, folder)
        except Unreadable as problem:
            broken.append(Unread(name_of(one, folder), str(problem)))
    return tests, broken


def operator_of(folder: Path) -> str:
    """The one operator of the model. Unreadable where it is no such model."""
    return str(_node(_model(folder)).op_type)


def operators_of(folder: Path) -> set[tuple[str, str]]:
    """The domain and the name of the operator of each node of the model. Unreadable where it is no model."""
    nodes = _model(folder).graph.node
    # Both are names of ONNX's own domain.
    return {("" if node.domain == "ai.onnx" else str(node.domain), str(node.op_type)) for node in nodes}


def tests_of(folder: Path, root: Path) -> Iterator[Test]:
    """The test of a folder, once for each set of inputs. Unreadable where something is missing or broken."""
    model = _model(folder)
    node = _node(model)
    # An initializer may be listed as an input too; the files are of the others.
    held = {i.name for i in model.graph.initializer}
    order = [i.name for i in model.graph.input if i.name not in held]
    sets = sorted(p for p in folder.glob("test_data_set_*") if p.is_dir())
    if not sets:
        raise Unreadable("test_data_set_0 is missing")
    for data in sets:
        given: dict[str, ConcreteTensor | None] = {"": None}
        given |= {i.name: _tensor(i.SerializeToString(), i.name) for i in model.graph.initializer}
        for n, wanted in enumerate(order):
            given[wanted] = _tensor(_bytes(data / f"input_{n}.pb"), f"input_{n}.pb")
        unknown = [n for n in node.input if n not in given]
        if unknown:
            raise Unreadable(f"the input {unknown[0]} of the node has no value")
        own = name_of(folder, root)
        if len(sets) > 1:
            own = f"{own}/{data.name}"
        inputs = tuple(given[n] for n in node.input)
        yield Test(own, node.op_type, inputs, {a.name: _attribute(a) for a in node.attribute})


def name_of(folder: Path, root: Path) -> str:
    """The name of a test: its folder below the root, or the root's own name where that is the test."""
    if folder == root:
        return folder.name
    return folder.relative_to(root).as_posix()


def _model(folder: Path) -> Any:
    import onnx

    data = _bytes(folder / MODEL)
    try:
        return onnx.ModelProto.FromString(data)
    except Exception as problem:  # protobuf's own exceptions have no common class that is public
        raise Unreadable(f"{MODEL} is not a model: {_first_line(problem)}") from None


def _node(model: Any) -> Any:
    if len(model.graph.node) != 1:
        # With several nodes the files are of the whole graph: nothing says what one of them gives.
        raise Unreadable(f"the model has {len(model.graph.node)} nodes, not one")
    return model.graph.node[0]


def _tensor(data: bytes, name: str) -> ConcreteTensor:
    import onnx
    from onnx import numpy_helper

    try:
        proto = onnx.TensorProto.FromString(data)
        # numpy would take -1 for "whatever is left".
        if any(size < 0 for size in proto.dims):
            raise ValueError("a size below 0")
        if proto.data_location == onnx.TensorProto.EXTERNAL:
            raise ValueError("external data, which are not read")
        array = numpy_helper.to_array(proto)
    except Exception as problem:  # whatever protobuf, onnx and numpy say of bytes that are no tensor
        raise Unreadable(f"{name} is not a tensor: {_first_line(problem)}") from None
    try:
        return from_array(name, array)
    except UsageError as problem:
        raise Unreadable(f"{name} holds {array.dtype.name}") from problem


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise Unreadable(f"{path.name} is not a file")
        if path.stat().st_size > LARGEST:
            raise Unreadable(f"{path.name} is larger than {LARGEST >> 20} MiB")
        return path.read_bytes()
    except OSError as problem:
        raise Unreadable(f"{path.name} cannot be read: {problem.strerror}") from None


def _attribute(attribute: Any) -> object:
    import onnx

    try:
        value = onnx.helper.get_attribute_value(attribute)
    except ValueError as problem:
        raise Unreadable(f"the attribute {attribute.name}: {_first_line(problem)}") from None
    if attribute.type == onnx.AttributeProto.TENSOR:
        return _tensor(value.SerializeToString(), attribute.name)
    # A list is one of protobuf's own; a text is bytes.
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return tuple(value)
    return value


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0][:100]


# ------------------------------------------------------------------------------------------- as an input of a text


@dataclass(slots=True)
class Reader:
    """Reads tests as inputs of one specification."""

    project: Project
    unit: Unit
    contexts: list[Context] = field(init=False)
    _made: dict[int, Points] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.contexts = contexts(self.unit)

    def points(self, number: int) -> Points:
        """The points of a section and a type, by its number among the contexts."""
        if number not in self._made:
            self._made[number] = Points(self.project, self.unit, self.contexts[number])
        return self._made[number]

    @property
    def every(self) -> list[Points]:
        """The points of every section and type."""
        return [self.points(n) for n in range(len(self.contexts))]

    @property
    def spoken(self) -> list[Points]:
        """Those of types that tests were of, and one of each family: they have all clauses and branches there are."""
        families = [c.family for c in self.contexts]
        return [self.points(n) for n, f in enumerate(families) if n in self._made or families.index(f) == n]

    def read(self, test: Test) -> tuple[Points, Input]:
        """The test as an input, with the points of its types. Unreadable where the text has no such input."""
        sorts = {tensor.sort for tensor in test.inputs if tensor is not None}
        types = Unreadable(f"{self.unit.operator} does not support {', '.join(sorted(s.name for s in sorts))}")
        chosen = [n for n, context in enumerate(self.contexts) if context.element in sorts]
        # What is of no type that varies says nothing of the section: the first one does.
        for number in chosen or range(len(self.contexts)):
            points = self.points(number)
            try:
                return points, assignment_of(points.meaning, _given(points, test))
            except _OtherType as told:
                types = told
            except KeyError as told:
                raise Unreadable(str(told.args[0])) from None
        raise types


def _given(points: Points, test: Test) -> dict[str, Concrete]:
    """The values by the names of the text."""
    given: dict[str, Concrete] = {}
    rest = list(test.inputs)
    for variable in points.meaning.given:
        if variable.role is not VariableRole.INPUT or variable.kind is not VariableKind.TENSOR:
            continue
        if variable.count is not None:
            # A family takes all inputs that are left: ONNX has it at the end only.
            for n, member in enumerate(rest, variable.base):
                given |= _typed(variable, f"{variable.name}{n}", member)
            rest = []
        elif rest:
            given |= _typed(variable, variable.name, rest.pop(0))
    if rest:
        raise Unreadable(f"the node has {len(rest)} inputs more than {points.unit.operator}")
    known = {v.name: v for v in points.meaning.given if v.role is VariableRole.ATTRIBUTE}
    for name, value in test.attributes.items():
        if name not in known:
            raise Unreadable(f"{points.unit.operator} has no attribute {name}")
        given[name] = _value(known[name], value)
    return given


def _typed(variable: Variable, name: str, tensor: ConcreteTensor | None) -> dict[str, Concrete]:
    """The tensor under its name; nothing for one that is left out."""
    if tensor is None:
        return {}
    if tensor.sort != variable.sort:
        raise _OtherType(f"{variable.name} is {tensor.sort.name}, which the text has no section for")
    return {name: tensor}


def _value(variable: Variable, value: object) -> Concrete:
    """An attribute as the text has it."""
    if isinstance(value, ConcreteTensor):
        if variable.kind is not VariableKind.TENSOR:
            raise Unreadable(f"the attribute {variable.name} has a different kind in the text")
        return _typed(variable, variable.name, value)[variable.name]
    if variable.kind is VariableKind.TENSOR:
        raise Unreadable(f"the attribute {variable.name} has a different kind in the text")
    if isinstance(value, tuple):
        return tuple(_item(variable, item) for item in value)
    return _item(variable, value)


def _item(variable: Variable, item: Any) -> int | str:
    match item:
        case bytes() if variable.sort == STRING:
            return item.decode("utf-8", "replace")
        case str() if variable.sort == STRING:
            return item
        case int() | float() if isinstance(variable.sort, FloatSort):
            return floats.from_float(variable.sort, float(item))
        case int() if variable.sort != STRING:
            return item
        case _:
            raise Unreadable(f"the attribute {variable.name} has a different kind in the text")
