"""Witnesses and counterexamples in forms that run elsewhere: a numpy snippet, a test in the layout of ONNX's own."""

from __future__ import annotations

import hashlib

from sonnx_verify.conformance.targets.models import NodeTests, need_onnx
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, INT, REAL, FloatSort, Sort
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.results.dtypes import FOREIGN, dtype_text
from sonnx_verify.solving.check.record import ConcreteExample
from sonnx_verify.solving.check.telling import left_out, named_values
from sonnx_verify.solving.inputs.replay import replay
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import TOOL

ROWS = "files"
"""The key of a test's files in its index."""


def numpy_snippet(identity: str, shown: ConcreteExample) -> str:
    """Python text that makes the arrays, bit for bit."""
    lines = [f"# {identity}", f"# {shown.broken}", "import numpy as np"]
    rows = [*named_values(shown, outputs=False), *named_values(shown, outputs=True)]
    if any(variable.sort.name in FOREIGN for _, variable, _ in rows):
        lines.append("import ml_dtypes")
    if any(variable.sort == REAL for _, variable, _ in rows):
        lines.append("from fractions import Fraction")
    lines.append("")
    for name, variable, value in rows:
        # Attributes are lists in Python too.
        is_list = variable.count is not None and variable.role == "attribute" and variable.sort == INT
        plain = list(value) if is_list and isinstance(value, tuple) else value
        lines.append(f"{_python_name(name)} = {_python_text(variable.sort, plain)}")
    lines += [f"{_python_name(v.name)} = {_python_text(v.sort, v.default)}  # not given" for v in left_out(shown)]
    names = ", ".join(_python_name(name) for name, *_ in rows)
    return "\n".join([*lines, f"print({names})"]) + "\n"


# Names of the language may have primes and dots, those of Python may not.
def _python_name(name: str) -> str:
    return name.replace("'", "_other").replace(".", "_")


def _python_text(sort: Sort, value: Concrete) -> str:
    """An array, a number or text, a list of numbers, None."""
    if isinstance(value, ConcreteTensor):
        return _array_text(value)
    if value is None or not isinstance(sort, FloatSort):
        return repr(value)
    # Floats are kept as bits: as an array they are shown, and read, without rounding.
    if isinstance(value, tuple):
        return _array_text(ConcreteTensor(sort, (len(value),), value))
    return _array_text(ConcreteTensor(sort, (), (value,)))


def _array_text(tensor: ConcreteTensor) -> str:
    sort = tensor.sort
    shape = repr(tensor.shape)
    if not isinstance(sort, FloatSort):
        dtype = f"np.dtype({sort.name!r})"
        if sort == REAL:
            dtype = "object"
        elif sort.name in FOREIGN:
            dtype = dtype_text(sort.name)
        return f"np.array({list(tensor.elements)}, dtype={dtype}).reshape({shape})"
    bits = ", ".join(f"0x{e:0{sort.width // 4}x}" for e in tensor.elements)
    return f"np.array([{bits}], dtype=np.uint{sort.width}).view({dtype_text(sort.name)}).reshape({shape})"


def onnx_test(project: Project, obligation: Obligation, shown: ConcreteExample) -> dict[str, bytes]:
    """The files by their names: model.onnx, test_data_set_0 with the inputs and, where the specification gives a
    result, the outputs, and an index.

    Raises UsageError for a result that is about no operator's input, and if the package onnx is not installed.
    """
    need_onnx()
    unit = next((u for u in project.units if u.file and u.operator == obligation.subject), None)
    if unit is None or unit.file is None or unit.file.version is None:
        raise UsageError(f"{obligation.id} is about no single operator", cure="export a counterexample of an operator")
    if obligation.kind == "theorem":
        raise UsageError(f"{obligation.id} is a theorem", cure="export a counterexample of an operator")
    tensors = [v for _, _, v in named_values(shown, outputs=False) if isinstance(v, ConcreteTensor)]
    if not tensors:
        raise UsageError(f"{obligation.id} has no tensor to export", cure="print it as text")
    # The witness says its element type; one without tensors of type T is of the first that was asked for.
    sorts = [v.sort for v in shown.variables if v.type_variable]
    sort = next(iter([*sorts, *obligation.types]), ELEMENT)
    meaning = project.meaning(unit, Context(obligation.family, sort, variables=obligation.variables))
    inputs = {v.name: shown.found.assignment[v.name] for v in meaning.given}
    outcome = replay(project, unit, meaning, inputs, why=False)
    files = NodeTests(project, unit, meaning, "counterexample").files(inputs, outcome)
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    index = {"tool": TOOL, "obligation": obligation.id, ROWS: listed}
    return files | {INDEX: sealed(index)}
