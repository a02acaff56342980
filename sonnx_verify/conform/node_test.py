"""An input of an operator as a model and tensors, in the layout of ONNX's backend tests of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.errors import INSTALL, UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array
from sonnx_verify.solving.inputs.replay import Outcome

OPSET, IR = 13, 8
"""Old ones, so that every runtime of today accepts them."""


def need_onnx() -> None:
    """Raise UsageError where the package onnx is not installed."""
    try:
        import onnx  # noqa: F401  # whether it is there
    except ImportError:
        raise UsageError("the package onnx is not installed", cure=INSTALL) from None


@dataclass(slots=True)
class NodeTests:
    """Tests of one operator with elements of one type. `graph` is the name of the graph in each model."""

    project: Project
    unit: Unit
    meaning: Meaning
    graph: str
    domain: str = field(init=False)
    opset: int = field(init=False)

    def __post_init__(self) -> None:
        # An operator of one's own is in no domain that a runtime knows.
        self.domain = "user" if self.unit.namespace == "user" else ""
        self.opset = opset_of(self.project, self.unit)

    def files(self, inputs: Assignment, outcome: Outcome) -> dict[str, bytes]:
        """model.onnx, test_data_set_0 with the inputs, and with the outputs where the outcome has any."""
        from onnx import helper, numpy_helper

        assert self.unit.file is not None
        tensors = list(_named_tensors(self.meaning, inputs))
        outputs = [v for v in self.meaning.outputs if inputs.get(f"{v.name}.given", True)]
        places = [v.name if inputs.get(f"{v.name}.given", True) else "" for v in self.meaning.outputs]
        node = helper.make_node(
            self.unit.file.name, _places(self.meaning, inputs), _trimmed(places), domain=self.domain
        )
        for variable in self.meaning.variables:
            if variable.role == "attribute" and inputs[variable.name] is not LEFT_OUT:
                node.attribute.append(attribute_proto(helper, variable, inputs[variable.name]))
        opsets = [helper.make_opsetid(self.domain, self.opset)]
        given = [_info(helper, n, t) for n, t in tensors]
        # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
        sizes = [None] * max((len(t.shape) for _, t in tensors), default=0)
        results = [
            _info(helper, v.name, outcome.outputs.get(v.name))
            or helper.make_tensor_value_info(v.name, _kind(helper, v.sort), sizes)
            for v in outputs
        ]
        graph = helper.make_graph([node], self.graph, given, results)
        model = helper.make_model(graph, ir_version=IR, opset_imports=opsets)
        files = {"model.onnx": model.SerializeToString()}
        for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
            for n, (name, tensor) in enumerate(rows):
                made = numpy_helper.from_array(to_array(tensor), name)
                files[f"test_data_set_0/{kind}_{n}.pb"] = made.SerializeToString()
        return files


def _named_tensors(meaning: Meaning, inputs: Assignment) -> list[tuple[str, ConcreteTensor]]:
    """The tensors that are given, members of a family one by one."""
    found: list[tuple[str, ConcreteTensor]] = []
    for variable in meaning.variables:
        if variable.kind != "tensor" or variable.role == "output":
            continue
        value = inputs[variable.name]
        items = value if isinstance(value, tuple) else (value,)
        names = (
            [variable.name]
            if not isinstance(value, tuple)
            else [f"{variable.name}{n + variable.base}" for n in range(len(value))]
        )
        found += [(name, item) for name, item in zip(names, items, strict=True) if isinstance(item, ConcreteTensor)]
    return found


def opset_of(project: Project, unit: Unit) -> int:
    """A set in which the operator has this version: the oldest that is usual, but before the next version."""
    assert unit.file is not None and unit.file.version is not None
    version = unit.file.version
    files = [u.file for u in project.units if u.namespace in ("onnx", unit.namespace) and u.file is not None]
    later = [f.version for f in files if f.name == unit.file.name and f.version is not None and f.version > version]
    return min([max(OPSET, version), *(v - 1 for v in later)])


def _places(meaning: Meaning, inputs: Assignment) -> list[str]:
    """The names of the node's inputs, members of a family one by one; "" for one that is left out before another."""
    names: list[str] = []
    for variable in meaning.variables:
        if variable.role == "input":
            value = inputs[variable.name]
            family = isinstance(value, tuple)
            names += (
                [f"{variable.name}{n + variable.base}" for n in range(len(value))] if isinstance(value, tuple) else []
            )
            names += [] if family else [variable.name if value is not LEFT_OUT else ""]
    return _trimmed(names)


def _trimmed(names: list[str]) -> list[str]:
    """Without what is left out at the end."""
    while names and not names[-1]:
        names = names[:-1]
    return names


def attribute_proto(helper: Any, variable: Variable, value: Concrete) -> Any:
    """An attribute as ONNX holds it: its kind is said, since an empty list has none."""
    kinds = {INT: "INT", STRING: "STRING"}
    kind = kinds.get(variable.sort, "FLOAT") + ("S" if isinstance(value, tuple) else "")
    items: list[Any] = list(value) if isinstance(value, tuple) else [value]
    if isinstance(variable.sort, FloatSort):
        items = [floats.to_float(variable.sort, item) for item in items]
    from onnx import AttributeProto

    plain = items if isinstance(value, tuple) else items[0]
    return helper.make_attribute(variable.name, plain, attr_type=getattr(AttributeProto, kind))


def _info(helper: Any, name: str, tensor: ConcreteTensor | None) -> Any:
    if tensor is None:
        return None
    return helper.make_tensor_value_info(name, _kind(helper, tensor.sort), tensor.shape)


def _kind(helper: Any, sort: Sort) -> Any:
    """ONNX's number for an element type."""
    return helper.np_dtype_to_tensor_dtype(to_array(ConcreteTensor(sort, (0,), ())).dtype)
