"""Models of one node that break a rule of ONNX's IR, each made from a good one by one change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Model = Any
"""A ModelProto. The package onnx is imported only where it is needed: code of Python is tested without it."""
EXTRA = "extra"
"""The name of something that no text declares."""
TOO_NEW = 100_000
"""A version that neither ONNX's IR nor a set of operators will have soon."""


def changed(model: bytes, change: Callable[[Model], object]) -> bytes:
    """The model with a change; no model stays none."""
    if not model:
        return model
    from onnx import ModelProto

    made: Model = ModelProto.FromString(model)
    change(made)
    data: bytes = made.SerializeToString(deterministic=True)
    return data


def replace_all(field: Any, items: Iterable[Any]) -> None:
    """Put messages in the place of those of a repeated field, of which they may be some."""
    # An item of a field changes when the field does.
    kept = [type(item).FromString(item.SerializeToString()) for item in items]
    del field[:]
    field.extend(kept)


def element_number(dtype: str) -> int:
    """ONNX's number of an element type."""
    from onnx import TensorProto

    number: int = TensorProto.DataType.Value(dtype.upper())
    return number


# ------------------------------------------------------------------------------------------------ versions and domains


def opset(version: int) -> Callable[[Model], None]:
    """Import another version of the operators."""

    def change(model: Model) -> None:
        model.opset_import[0].version = version

    return change


def _ir(version: int) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        model.ir_version = version

    return change


def _two_opsets(model: Model) -> None:
    second = model.opset_import.add()
    second.CopyFrom(model.opset_import[0])
    second.version -= 1


def _unknown_domain(model: Model) -> None:
    model.graph.node[0].domain = EXTRA


def _imported_domain(model: Model) -> None:
    model.graph.node[0].domain = EXTRA
    model.opset_import.add(domain=EXTRA, version=1)


def _unknown_operator(model: Model) -> None:
    model.graph.node[0].op_type = EXTRA


# --------------------------------------------------------------------------------------------------------- the graph


def _undeclared_input(model: Model) -> None:
    names = model.graph.node[0].input
    names[:] = [EXTRA, *names[1:]]


def _input_twice(model: Model) -> None:
    model.graph.input.extend(model.graph.input[:1])


def _output_of_nobody(model: Model) -> None:
    model.graph.output[0].name = EXTRA


def _output_is_input(model: Model) -> None:
    for info in model.graph.input[:1]:
        model.graph.node[0].output[0] = model.graph.output[0].name = info.name


def _node_twice(model: Model) -> None:
    model.graph.node.append(model.graph.node[0])


def _cycle(model: Model) -> None:
    node = model.graph.node[0]
    node.input[:] = [node.output[0], *node.input[1:]]


def _nodes_in_a_circle(model: Model) -> None:
    # The first node takes the output that the second makes of the result of the first.
    first, second = model.graph.node[0], model.graph.node.add()
    second.CopyFrom(first)
    second.output[0] = EXTRA
    first.input[:] = [EXTRA, *first.input[1:]]
    second.input[:] = [first.output[0], *second.input[1:]]


# ------------------------------------------------------------------------------------------------- types in the model


def _element_type(number: int) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        for info in model.graph.input[:1]:
            info.type.tensor_type.elem_type = number

    return change


def _sequence(model: Model) -> None:
    for info in model.graph.input[:1]:
        tensor = type(info.type).FromString(info.type.SerializeToString())
        info.type.sequence_type.elem_type.CopyFrom(tensor)


def _no_type(model: Model) -> None:
    for info in model.graph.input[:1]:
        info.ClearField("type")


def _negative_size(model: Model) -> None:
    for info in model.graph.input:
        for size in info.type.tensor_type.shape.dim[:1]:
            size.dim_value = -1


def _other_rank(model: Model) -> None:
    for info in model.graph.input[:1]:
        info.type.tensor_type.shape.dim.add(dim_value=1)


def _short_initializer(model: Model) -> None:
    from onnx import TensorProto

    # Its sizes ask for a million elements, of which none are there.
    for info in model.graph.input[:1]:
        model.graph.initializer.add(name=info.name, dims=[1_000_000], data_type=TensorProto.FLOAT, raw_data=b"")


# ---------------------------------------------------------------------------------------------------- first attribute


def _attribute_twice(model: Model) -> None:
    attributes = model.graph.node[0].attribute
    attributes.extend(attributes[:1])


def _attribute_of(kind: str, field: str) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        from onnx import AttributeProto

        for one in model.graph.node[0].attribute[:1]:
            one.CopyFrom(AttributeProto(name=one.name, type=AttributeProto.AttributeType.Value(kind)))
            if field:
                getattr(one, field).SetInParent()

    return change


# ------------------------------------------------------------------------------------------------ outputs of the node


def _no_outputs(model: Model) -> None:
    del model.graph.node[0].output[:]


def _same_output_twice(model: Model) -> None:
    node = model.graph.node[0]
    node.output.append(node.output[0])


def _unnamed_output(model: Model) -> None:
    model.graph.node[0].output[0] = ""


def output_beyond(count: int) -> Callable[[Model], None]:
    """Ask for an output behind the `count` that are declared."""

    def change(model: Model) -> None:
        names = model.graph.node[0].output
        names.extend([""] * (count - len(names)))
        names.append(EXTRA)
        asked = model.graph.output.add()
        asked.CopyFrom(model.graph.output[0])
        asked.name = EXTRA

    return change


CHANGES: tuple[tuple[str, str, Callable[[Model], object]], ...] = (
    ("node-without-outputs", "node without outputs", _no_outputs),
    ("output-twice", "two outputs with the same name", _same_output_twice),
    ("output-unnamed", "unnamed output", _unnamed_output),
    ("attribute-twice", "two attributes with the same name", _attribute_twice),
    ("attribute-graph", "attribute that is an empty graph", _attribute_of("GRAPH", "g")),
    ("attribute-tensor", "attribute that is an empty tensor", _attribute_of("TENSOR", "t")),
    ("attribute-undefined", "attribute of type UNDEFINED", _attribute_of("UNDEFINED", "")),
    ("opset-0", "opset version 0", opset(0)),
    ("opset-negative", "opset version -1", opset(-1)),
    ("opset-too-new", f"opset version {TOO_NEW}", opset(TOO_NEW)),
    ("opset-missing", "no opset import", lambda model: model.ClearField("opset_import")),
    ("opset-twice", "two opset versions", _two_opsets),
    ("domain-unknown", "domain without an opset import", _unknown_domain),
    ("domain-imported", "unknown domain", _imported_domain),
    ("operator-unknown", "unknown operator", _unknown_operator),
    ("operator-missing", "node without an operator", lambda model: model.graph.node[0].ClearField("op_type")),
    ("ir-0", "IR version 0", _ir(0)),
    ("ir-negative", "IR version -1", _ir(-1)),
    ("ir-too-new", f"IR version {TOO_NEW}", _ir(TOO_NEW)),
    ("ir-missing", "no IR version", lambda model: model.ClearField("ir_version")),
    ("graph-missing", "no graph", lambda model: model.ClearField("graph")),
    ("graph-without-nodes", "graph without nodes", lambda model: model.graph.ClearField("node")),
    ("graph-without-inputs", "graph without inputs", lambda model: model.graph.ClearField("input")),
    ("graph-without-outputs", "graph without outputs", lambda model: model.graph.ClearField("output")),
    ("input-undeclared", "node input that the graph does not declare", _undeclared_input),
    ("input-twice", "two graph inputs with the same name", _input_twice),
    ("output-of-nobody", "graph output that no node produces", _output_of_nobody),
    ("output-is-input", "output with the name of an input", _output_is_input),
    ("node-twice", "two nodes with the same output", _node_twice),
    ("cycle-of-1", "node that reads its own output", _cycle),
    ("cycle-of-2", "cycle of two nodes", _nodes_in_a_circle),
    ("type-missing", "input without a type", _no_type),
    ("type-undefined", "input of element type UNDEFINED", _element_type(0)),
    ("type-unknown", "input of an unknown element type", _element_type(99)),
    ("type-sequence", "tensor for an input declared as a sequence", _sequence),
    ("initializer-short", "initializer without data", _short_initializer),
    ("size-negative", "input with a dimension of -1", _negative_size),
    ("rank-differs", "tensor whose rank differs from the declaration", _other_rank),
)
"""The name, the title and the change of each. What a model has no part for, it leaves as it is."""
