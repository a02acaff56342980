"""The process in which a target runs, seen from outside: it may crash, hang or want memory; then it begins anew."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from sonnx_verify.conformance.targets.calls import Call, Ending, Response, TargetKind
from sonnx_verify.conformance.targets.runners import serve
from sonnx_verify.errors import INSTALL, UsageError
from sonnx_verify.processes.child import Child, Program
from sonnx_verify.processes.guard import Guard
from sonnx_verify.processes.limits import how_ended

STARTING = 120.0
"""Seconds that a target may take to be imported."""


class ChildProcess:
    """Runs calls of one target, one after the other; each may take `seconds`."""

    def __init__(
        self, kind: TargetKind, name: str, seconds: float, environment: Mapping[str, str], function: bytes = b""
    ) -> None:
        self.kind, self.name, self.seconds = kind, name, seconds
        self._environment, self._function = environment, function
        self.version = ""
        self._calls = count()
        # The child ends with this process, but not what code under test started.
        self._guard = Guard()
        self._child: Child | None = self._begun()

    def run(self, call: Call) -> Response:
        """Return the result of the call, whatever it is."""
        if self._child is None:
            self._child = self._begun()
        try:
            number = next(self._calls)
            self._child.post((number, call))
            answer = self._child.receive(self.seconds)
        except TimeoutError:
            # It may answer later: that answer would be taken for the one to the next call.
            self._end()
            return Response(Ending.HUNG, said=f"no answer in {self.seconds:g} seconds")
        except EOFError:
            child, self._child = self._child, None
            status = child.ended()
            self._guard.ended(child.pid)
            return Response(Ending.CRASHED, said=end_of(status))
        match answer:
            case (int() as answered, Response() as got) if answered == number:
                return got
        # Code under test can write to the channel too, and a copy of the process that it made answers beside it: an
        # answer to another call must not be taken for the one to this.
        self._end()
        return Response(Ending.CRASHED, said="the process gave an unexpected answer")

    def again(self, call: Call) -> Response:
        """Return the result of the call in a process that has run no other."""
        self._end()
        return self.run(call)

    def close(self) -> None:
        """End the process, with all that it started."""
        self._end()
        self._guard.close()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()
            self._guard.ended(child.pid)

    def _begun(self) -> Child:
        """A process that has imported the target. Raises UsageError."""
        # The package may lie elsewhere than where the target does; what the user put on the path stays on it.
        folders = (os.environ.get("PYTHONPATH", ""), str(Path(__file__).parents[3]))
        program = Program(
            path=[folder for folder in folders if folder],
            environment=self._environment,
            errors=subprocess.DEVNULL,
            group=True,
        )
        with ExitStack() as undo:
            undo.callback(self._guard.close)
            child = program.start(serve, self.kind, self.name, self._function)
            undo.callback(child.end)
            self._guard.group(child.pid)
            self.version = self._imported(child)
            undo.pop_all()
        return child

    def _imported(self, child: Child) -> str:
        """The version of the target, once it is imported. Raises UsageError."""
        try:
            answer = child.receive(STARTING)
        except (TimeoutError, EOFError):
            raise UsageError(f"importing {self.name} crashes or hangs", cure="import it by itself first") from None
        match answer:
            case (True, str() as version):
                return version
            case (False, str() as problem):
                raise UsageError(f"{self.name} cannot be used: {problem}", cure=_cure(self.kind))
        # Code under test can write to the channel too.
        raise UsageError(
            f"{self.name} gave an unexpected answer when it was imported", cure="import it by itself first"
        )


def end_of(status: int) -> str:
    """The way a process ended, in words."""
    return f"the process {how_ended(status)}"


def _cure(kind: TargetKind) -> str:
    match kind:
        case TargetKind.PYTHON:
            return "name python:MODULE:FUNCTION; the module must be in this folder or on PYTHONPATH"
        case TargetKind.REFERENCE | TargetKind.ONNXRUNTIME | TargetKind.OPENVINO | TargetKind.TRACT:
            return INSTALL
        case _:
            return "see docs/conform.md"
