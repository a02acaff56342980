"""Witnesses and counterexamples in forms that run elsewhere: a numpy snippet, a test in the layout of ONNX's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sonnx_verify.check.record import Shown
from sonnx_verify.counterexample.arguments import to_array
from sonnx_verify.counterexample.inputs import ConcreteTensor
from sonnx_verify.counterexample.replay import replay
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project, Unit
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.report.values import named_values

OPSET, IR = 13, 8
"""Old ones, so that every runtime of today accepts them."""


def numpy_snippet(identity: str, shown: Shown) -> str:
    """Python text that makes the arrays, bit for bit."""
    lines = [f"# {identity}", f"# {shown.broken}", "import numpy as np"]
    rows = [*named_values(shown, outputs=False), *named_values(shown, outputs=True)]
    if any(sort.name == "bfloat16" for _, sort, _, _ in rows):
        lines.append("import ml_dtypes")
    lines.append("")
    for name, _, _, value in rows:
        text = _array_text(value) if isinstance(value, ConcreteTensor) else repr(value)
        lines.append(f"{name.replace(chr(39), '_other')} = {text}")
    names = ", ".join(name.replace(chr(39), "_other") for name, *_ in rows)
    return "\n".join([*lines, f"print({names})"]) + "\n"


def _array_text(tensor: ConcreteTensor) -> str:
    sort = tensor.sort
    shape = repr(tensor.shape)
    if not isinstance(sort, FloatSort):
        return f"np.array({list(tensor.elements)}, dtype=np.dtype({sort.name!r})).reshape({shape})"
    numpy_name = {"float": "np.float32", "double": "np.float64", "float16": "np.float16"}.get(sort.name)
    view = numpy_name or "ml_dtypes.bfloat16"
    bits = ", ".join(f"0x{e:0{sort.width // 4}x}" for e in tensor.elements)
    return f"np.array([{bits}], dtype=np.uint{sort.width}).view({view}).reshape({shape})"


def onnx_test(project: Project, obligation: Obligation, shown: Shown, folder: Path) -> list[Path]:
    """Write model.onnx and test_data_set_0 with the inputs and, where the specification gives a result, the outputs.

    Raises UsageError for what is no operator's input, and where the package onnx is not installed.
    """
    try:
        import onnx
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
    sort = next((v.sort for v in shown.variables if v.type_variable), tensors[0][1].sort)
    meaning = project.meaning(unit, Context(obligation.family, sort))
    inputs = {v.name: shown.found.assignment[v.name] for v in meaning.variables if v.role != "output"}
    outcome = replay(project, unit, meaning, inputs, why=False)
    names = [d.name for d in unit.file.outputs]
    # An operator of one's own is in no domain that a runtime knows.
    domain = "user" if unit.namespace == "user" else ""
    chosen = [v.name for v in meaning.variables if v.role == "attribute"]
    attributes: dict[str, Any] = {name: shown.found.assignment[name] for name in chosen}
    node = helper.make_node(unit.file.name, [n for n, _ in tensors], names, domain=domain, **attributes)
    opsets = [helper.make_opsetid(domain, _opset(project, unit))]
    given = [_info(helper, n, t) for n, t in tensors]
    # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
    sizes = [None] * max((len(t.shape) for _, t in tensors), default=0)
    unknown = [helper.make_tensor_value_info(n, _kind(helper, sort), sizes) for n in names]
    results = [_info(helper, n, outcome.outputs.get(n)) or info for n, info in zip(names, unknown, strict=True)]
    graph = helper.make_graph([node], "counterexample", given, results)
    model = helper.make_model(graph, ir_version=IR, opset_imports=opsets)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    written = [folder / "model.onnx"]
    onnx.save(model, str(written[0]))
    for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
        for n, (name, tensor) in enumerate(rows):
            path = data / f"{kind}_{n}.pb"
            path.write_bytes(numpy_helper.from_array(to_array(tensor), name).SerializeToString())
            written.append(path)
    return written


def _opset(project: Project, unit: Unit) -> int:
    """A set in which the operator has this version: the oldest that is usual, but before the next version."""
    assert unit.file is not None and unit.file.version is not None
    version = unit.file.version
    files = [u.file for u in project.units if u.namespace in ("onnx", unit.namespace) and u.file is not None]
    later = [f.version for f in files if f.name == unit.file.name and f.version is not None and f.version > version]
    return min([max(OPSET, version), *(v - 1 for v in later)])


def _info(helper: Any, name: str, tensor: ConcreteTensor | None) -> Any:
    if tensor is None:
        return None
    return helper.make_tensor_value_info(name, _kind(helper, tensor.sort), tensor.shape)


def _kind(helper: Any, sort: Sort) -> Any:
    """ONNX's number for an element type."""
    return helper.np_dtype_to_tensor_dtype(to_array(ConcreteTensor(sort, (0,), ())).dtype)
