"""The code that is checked against a specification: the way to call it, and its results for real arrays."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.array import SymbolicArray, array_of
from sonnx_verify.conformance.symbolic.replacement import views_replaced
from sonnx_verify.conformance.symbolic.trace import OutsideOfMemory, memory_watched
from sonnx_verify.conformance.targets.calls import raised_text, results_in
from sonnx_verify.conformance.targets.presentation import is_array
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import Variable, VariableRole
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array


@dataclass(frozen=True, slots=True)
class Subject:
    """A function of arrays in the order of the specification's inputs, a family spread out, None for what is left out,
    with attributes as keywords. `module` is where it stands, for what it took from numpy by name; where it may have
    `several` outputs, it may return a list of them."""

    name: str
    call: Callable[..., Any]
    module: ModuleType | None = None
    several: bool = False


def python_subject(target: str) -> Subject:
    """`module:function`, from the current folder or the path. UsageError where there is none."""
    module_name, colon, function = target.partition(":")
    if not colon or not module_name or not function:
        raise UsageError(f"`{target}` is not MODULE:FUNCTION", cure="write for example python:mycode:reduce_max")
    # As `python -c` has it: modules of the current folder are found.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as problem:
        raise UsageError(
            f"the module `{module_name}` cannot be imported: {raised_text(problem)}",
            cure="name a module of the current folder or of the path",
        ) from None
    found: Any = module
    for part in function.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise UsageError(f"`{module_name}` has no function `{function}`", cure="name a function of the module")
    return Subject(target, found, module)


def evaluator_subject(operator: str) -> Subject:
    """The evaluator of this package, of the specification of that name. Its input is no error here: what it rejects is
    an answer."""
    from sonnx_verify.arrays.evaluator.operator import load

    return Subject(operator, load(operator).evaluate)


def spread(variables: Sequence[Variable], known: Mapping[str, Concrete]) -> tuple[list[Any], dict[str, Any]]:
    """The inputs in their order, and the attributes by name: tensors and values as the evaluators hold them."""
    inputs: list[Any] = []
    attributes: dict[str, Any] = {}
    for variable in variables:
        value = known.get(variable.name)
        match variable.role, value:
            # It keeps its place among the inputs; an attribute has a name instead.
            case VariableRole.INPUT, _ if value is LEFT_OUT:
                inputs.append(None)
            case VariableRole.INPUT, tuple():
                inputs += value
            case VariableRole.INPUT, _:
                inputs.append(value)
            case VariableRole.ATTRIBUTE, tuple():
                attributes[variable.name] = list(value)
            case VariableRole.ATTRIBUTE, _ if value is not LEFT_OUT:
                attributes[variable.name] = value
    return inputs, attributes


def symbolic(tensor: ConcreteTensor) -> SymbolicArray:
    """A tensor whose elements are terms, as an array."""
    cells = real.empty(len(tensor.elements), object)
    cells[:] = tensor.elements
    return array_of(cells.reshape(tensor.shape), DTYPES[tensor.sort])


def is_free(value: object) -> bool:
    """Return whether it is a tensor of terms; one without elements counts."""
    return isinstance(value, ConcreteTensor) and all(isinstance(e, Term) for e in value.elements[:1])


def real_inputs(inputs: Sequence[Any]) -> list[Any]:
    """The inputs as arrays of numpy."""
    return [to_array(i) if isinstance(i, ConcreteTensor) else i for i in inputs]


def state(value: Any) -> object:
    """The part of an array that must not change."""
    if not isinstance(value, np.ndarray):
        return None
    return value.tobytes(), value.shape, value.dtype


def called(subject: Subject, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...] | str:
    """The results of the code for real arrays, as arrays; or in words what it does instead."""
    given = real_inputs(inputs)
    # An array that is written to is wrong, whatever the result: it belongs to the caller.
    before = [state(i) for i in given]
    outside: list[str] = []
    try:
        with (
            np.errstate(all="ignore"),
            redirect_stdout(StringIO()),
            views_replaced(subject.module),
            memory_watched() as outside,
        ):
            made = subject.call(*given, **attributes)
        given_back = results_in(made, several=subject.several)
        strange = [type(result).__name__ for result in given_back if not is_array(result)]
        if strange:
            return f"returns {strange[0]}, which is not an array"
        results = tuple(map(real.asarray, given_back))
    except (Exception, SystemExit) as problem:  # whatever the code under test raises is its answer
        return outside[0] if outside else f"raises {raised_text(problem)}"
    except OutsideOfMemory:
        pass
    if outside:
        return outside[0]
    for n, (array, held) in enumerate(zip(given, before, strict=True)):
        if state(array) != held:
            return f"changes its input {n}"
    return results
