"""Witnesses and counterexamples in forms that run elsewhere: a numpy snippet, a test in the layout of ONNX's own."""

from __future__ import annotations

import hashlib
from typing import Any

from sonnx_verify import __version__
from sonnx_verify.check.record import Shown
from sonnx_verify.counterexample.arguments import to_array
from sonnx_verify.counterexample.inputs import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.counterexample.replay import replay
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT, INT, STRING, FloatSort, Sort
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.report.folder import INDEX, sealed
from sonnx_verify.report.values import left_out, named_values

ROWS = "files"
"""What the index of a test calls its files."""
OPSET, IR = 13, 8
"""Old ones, so that every runtime of today accepts them."""


def numpy_snippet(identity: str, shown: Shown) -> str:
    """Python text that makes the arrays, bit for bit."""
    lines = [f"# {identity}", f"# {shown.broken}", "import numpy as np"]
    rows = [*named_values(shown, outputs=False), *named_values(shown, outputs=True)]
    if any(sort.name == "bfloat16" for _, sort, _, _ in rows):
        lines.append("import ml_dtypes")
    lines.append("")
    for name, sort, kind, value in rows:
        plain = list(value) if kind == "listed" and isinstance(value, tuple) and sort == INT else value
        lines.append(f"{_python_name(name)} = {_python_text(sort, plain)}")
    lines += [f"{_python_name(v.name)} = {_python_text(v.sort, v.default)}  # not given" for v in left_out(shown)]
    names = ", ".join(_python_name(name) for name, *_ in rows)
    return "\n".join([*lines, f"print({names})"]) + "\n"


def _python_name(name: str) -> str:
    return name.replace("'", "_other").replace(".", "_")


def _python_text(sort: Sort, value: Concrete) -> str:
    """An array, a number or text, a list of numbers, None."""
    if isinstance(sort, FloatSort) and not isinstance(value, ConcreteTensor) and value is not None:
        return (
            _array_text(ConcreteTensor(sort, (len(value),), value))
            if isinstance(value, tuple)
            else _array_text(ConcreteTensor(sort, (), (value,)))
        )
    return _array_text(value) if isinstance(value, ConcreteTensor) else repr(value)


def _array_text(tensor: ConcreteTensor) -> str:
    sort = tensor.sort
    shape = repr(tensor.shape)
    if not isinstance(sort, FloatSort):
        return f"np.array({list(tensor.elements)}, dtype=np.dtype({sort.name!r})).reshape({shape})"
    numpy_name = {"float": "np.float32", "double": "np.float64", "float16": "np.float16"}.get(sort.name)
    view = numpy_name or "ml_dtypes.bfloat16"
    bits = ", ".join(f"0x{e:0{sort.width // 4}x}" for e in tensor.elements)
    return f"np.array([{bits}], dtype=np.uint{sort.width}).view({view}).reshape({shape})"


def onnx_test(project: Project, obligation: Obligation, shown: Shown) -> dict[str, bytes]:
    """The files by their names: model.onnx, test_data_set_0 with the inputs and, where the specification gives a
    result, the outputs, and an index.

    Raises UsageError for what is no operator's input, and where the package onnx is not installed.
    """
    try:
        from onnx import helper, numpy_helper
    except ImportError:
        raise UsageError("the package onnx is not installed", cure="install it with pip") from None
    unit = next((u for u in project.units if u.file and u.operator == obligation.subject), None)
    if unit is None or unit.file is None or unit.file.version is None:
        raise UsageError(f"{obligation.id} is about no single operator", cure="export a counterexample of an operator")
    if obligation.kind == "theorem":
        raise UsageError(f"{obligation.id} is a theorem", cure="export a counterexample of an operator")
    tensors = [(n, v) for n, _, _, v in named_values(shown, outputs=False) if isinstance(v, ConcreteTensor)]
    if not tensors:
        raise UsageError(f"{obligation.id} has no tensor to export", cure="print it as text")
    sort = next(
        (v.sort for v in shown.variables if v.type_variable), obligation.types[0] if obligation.types else ELEMENT
    )
    meaning = project.meaning(unit, Context(obligation.family, sort, variables=obligation.variables))
    inputs = {v.name: shown.found.assignment[v.name] for v in meaning.given}
    outcome = replay(project, unit, meaning, inputs, why=False)
    outputs = [v for v in meaning.outputs if inputs.get(f"{v.name}.given", True)]
    # An operator of one's own is in no domain that a runtime knows.
    domain = "user" if unit.namespace == "user" else ""
    places = [v.name if inputs.get(f"{v.name}.given", True) else "" for v in meaning.outputs]
    node = helper.make_node(unit.file.name, _places(meaning, inputs), _trimmed(places), domain=domain)
    for variable in meaning.variables:
        if variable.role == "attribute" and inputs[variable.name] is not LEFT_OUT:
            node.attribute.append(attribute_proto(helper, variable, inputs[variable.name]))
    opsets = [helper.make_opsetid(domain, opset_of(project, unit))]
    given = [_info(helper, n, t) for n, t in tensors]
    # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
    sizes = [None] * max((len(t.shape) for _, t in tensors), default=0)
    unknown = [helper.make_tensor_value_info(v.name, _kind(helper, v.sort), sizes) for v in outputs]
    results = [_info(helper, v.name, outcome.outputs.get(v.name)) or i for v, i in zip(outputs, unknown, strict=True)]
    graph = helper.make_graph([node], "counterexample", given, results)
    model = helper.make_model(graph, ir_version=IR, opset_imports=opsets)
    files = {"model.onnx": model.SerializeToString()}
    for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
        for n, (name, tensor) in enumerate(rows):
            made = numpy_helper.from_array(to_array(tensor), name)
            files[f"test_data_set_0/{kind}_{n}.pb"] = made.SerializeToString()
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    index = {"tool": {"name": "sonnx-verify", "version": __version__}, "obligation": obligation.id, ROWS: listed}
    return files | {INDEX: sealed(index)}


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
