"""The ways to call each kind of target. Runs in the child."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conformance.targets.by_value import loaded
from sonnx_verify.conformance.targets.calls import (
    Call,
    Ending,
    Presentation,
    Response,
    TargetKind,
    asked_for,
    raised_text,
    results_in,
)
from sonnx_verify.conformance.targets.presentation import made, read
from sonnx_verify.conformance.targets.runtimes import RUNTIMES, Adapter
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.limits import lower
from sonnx_verify.version import __version__

PLAIN = Presentation()
_KEPT_BYTES = 64
SESSIONS = 64
"""The number of models that are kept ready."""


def python(name: str) -> tuple[Callable[[Call], Response], str]:
    """`module:function`, called with arrays by position and attributes by name."""
    import importlib

    module, _, path = name.partition(":")
    # As `python -c` has it: what is in the current folder comes first.
    sys.path.insert(0, "")
    found: Any = importlib.import_module(module)
    version = str(getattr(found, "__version__", ""))
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is not callable")
    return of_python(found), version


def of_python(function: Callable[..., Any]) -> Callable[[Call], Response]:
    """Return what calls a function with arrays by position and attributes by name."""
    return lambda call: _called(call, lambda arrays: function(*arrays, **dict(call.attributes)))


def evaluator(name: str) -> tuple[Callable[[Call], Response], str]:
    """The evaluator of this package, of the specification of that name."""
    from sonnx_verify.arrays.evaluator.operator import load

    specification: Any = load(name)

    def run(call: Call) -> Response:
        return _called(call, lambda arrays: specification.evaluate(*arrays, **dict(call.attributes)))

    return run, __version__


def _called(call: Call, function: Callable[[list[Any]], Any]) -> Response:
    """Return the results of a function of arrays, and which of its arguments it wrote to."""
    present = {n: made(a, call.presentation) for n, (_, a) in enumerate(call.inputs) if a is not None}
    watched = _Watched([(call.inputs[n][0], array) for n, array in present.items()])
    try:
        # A list of its own: a function that changes the list must not hide an array from the comparison below.
        result = function([present.get(n) for n in range(len(call.inputs))])
    except Exception as problem:  # an error of any kind is how Python code rejects an input
        return watched.refused(problem)
    changed = watched.changed
    items = asked_for(call, results_in(result, several=call.several))
    outputs = tuple(read(item) for item in items)
    strange = [type(item).__name__ for item, output in zip(items, outputs, strict=True) if output is None]
    if strange:
        return Response(Ending.MALFORMED, said=f"{strange[0]} is not an array", changed=changed)
    return Response(Ending.RESULT, outputs, changed=changed)


def _state(array: Any) -> object:
    """All that a target could change of an array, also in the memory around it."""
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    return whole.tobytes(), array.tobytes(), array.shape, array.dtype, array.strides


class _Watched:
    """The arrays of a call with their names: whoever gave them to a target wants them back as they were."""

    def __init__(self, arrays: list[tuple[str, Any]]) -> None:
        self._arrays = arrays
        self._before = [_state(array) for _, array in arrays]

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of those that were written to."""
        found = zip(self._arrays, self._before, strict=True)
        return tuple(name for (name, array), before in found if _state(array) != before)

    def refused(self, problem: Exception) -> Response:
        """The result of a call that raised an error."""
        kind = Ending.MEMORY if isinstance(problem, MemoryError) else Ending.REFUSED
        return Response(kind, said=raised_text(problem), changed=self.changed)


def reference(name: str) -> tuple[Callable[[Call], Response], str]:
    """The reference evaluator of the package onnx."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    sessions: dict[bytes, Any] = {}

    def run(call: Call) -> Response:
        try:
            session = _kept(sessions, call.model, lambda: ReferenceEvaluator(onnx.load_from_string(call.model)))
        except Exception as problem:
            return Response(Ending.REFUSED, said=raised_text(problem))
        # A node names its inputs; what is left out has no name in the feeds.
        given = [name for name, _ in call.given]

        def answer(arrays: list[Any]) -> Any:
            fed = dict(zip(given, [a for a in arrays if a is not None], strict=True))
            return tuple(session.run(None, fed))

        return _called(call, answer)

    return run, onnx.__version__


def runtime(adapter: Adapter) -> Callable[[Call], Response]:
    """Return the function that runs calls by a runtime."""
    sessions: dict[bytes, Any] = {}

    def run(call: Call) -> Response:
        arrays = [(name, made(a, call.presentation)) for name, a in call.given]
        watched = _Watched(arrays)
        try:
            session = _kept(sessions, call.model, lambda: adapter.begin(call.model))
            results = adapter.run(session, arrays)
        except Exception as problem:
            return watched.refused(problem)
        return Response(Ending.RESULT, tuple(results), changed=watched.changed)

    return run


def _kept(sessions: dict[bytes, Any], model: bytes, begin: Callable[[], Any]) -> Any:
    """The session of a model; one that could not be made is not made again."""
    if model not in sessions:
        # The oldest goes: inputs of one model come one after the other.
        if len(sessions) >= SESSIONS:
            sessions.pop(next(iter(sessions)))
        try:
            sessions[model] = begin()
        except Exception as problem:
            sessions[model] = problem
    found = sessions[model]
    if isinstance(found, Exception):
        raise found
    return found


RUNNERS: dict[TargetKind, Callable[[str], tuple[Callable[[Call], Response], str]]] = {
    TargetKind.PYTHON: python,
    TargetKind.EVALUATOR: evaluator,
    TargetKind.REFERENCE: reference,
}
"""The kinds of targets that are no runtime; a function that gets the name of one makes what runs its calls."""


def _runner(kind: TargetKind, name: str) -> tuple[Callable[[Call], Response], str]:
    """The function that runs the calls of a target, and its version."""
    if kind in RUNTIMES:
        adapter = RUNTIMES[kind]()
        return runtime(adapter), adapter.version
    return RUNNERS[kind](name)


MEMORY = 8 << 30
"""The address space of a target, in bytes."""


def serve(channel: Channel, kind: TargetKind, name: str, function: bytes = b"") -> None:
    """Say whether the target can be used, as its version or the reason; then answer calls until the channel closes."""
    lower(resource.RLIMIT_AS, MEMORY)
    # A crash is an expected answer: it is to leave no file in the user's folder.
    lower(resource.RLIMIT_CORE, 0)
    try:
        run, version = (of_python(loaded(function)), "") if function else _runner(kind, name)
    except Exception as problem:  # an import runs any code, which raises anything
        channel.send((False, raised_text(problem)))
        return
    channel.send((True, version))
    while True:
        try:
            number, call = channel.receive()
        except EOFError:
            return
        if call.presentation.filling != PLAIN.filling:
            _fill_kept(call.presentation.filling)
        channel.send((number, run(call)))


def _fill_kept(filling: int) -> None:
    """Fill the memory that numpy keeps for small arrays: the C library does not see it again."""
    # numpy keeps up to 7 blocks of each size below 1 KiB. The smallest inputs, which findings are shown on, need the
    # first of them.
    kept = [np.full(size, filling, np.uint8) for size in range(1, _KEPT_BYTES + 1) for _ in range(7)]
    del kept
