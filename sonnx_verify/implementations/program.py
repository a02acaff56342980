"""A program as a target: run as `COMMAND model.onnx DIR`, it reads input_N.pb in DIR and writes output_N.pb there."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from sonnx_verify.errors import UsageError
from sonnx_verify.implementations.calls import Array, Call, Got
from sonnx_verify.implementations.process import end_of

REJECTED = 3
"""The exit status that says: the input is rejected."""


class Program:
    """Runs calls by a command, each in a folder of its own that is gone afterwards."""

    version = ""

    def __init__(self, command: str, seconds: float) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as problem:
            raise UsageError(f"`{command}` is no command: {problem}", cure="quote it as for a shell") from None
        if not self._words or shutil.which(self._words[0]) is None:
            raise UsageError(f"there is no program `{command}`", cure="name one that is there, and can be run")
        self._seconds = seconds

    def run(self, call: Call) -> Got:
        """What came of the call."""
        with tempfile.TemporaryDirectory(prefix="sonnx-verify-") as made:
            folder = Path(made)
            write_call(call, folder)
            before = {path.name: path.read_bytes() for path in folder.glob("input_*.pb")}
            try:
                status = self._status(folder)
            except OSError as problem:
                message = f"{self._words[0]} cannot be run: {problem.strerror}"
                raise UsageError(message, cure="make it runnable") from None
            if status is None:
                return Got("hung", said=f"no answer in {self._seconds:g} seconds")
            if status == REJECTED:
                return Got("refused", said=f"exit status {REJECTED}")
            if status:
                return Got("crashed", said=end_of(status))
            changed = tuple(
                name
                for n, (name, _) in enumerate((i, a) for i, a in call.inputs if a is not None)
                if not _same(folder / f"input_{n}.pb", before)
            )
            return _outputs(folder, changed)

    def close(self) -> None:
        """Nothing is left running."""

    def _status(self, folder: Path) -> int | None:
        """How the program ended; None where it did not in time."""
        words = [*self._words, str(folder / "model.onnx"), str(folder)]
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Also what it left running.
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def write_call(call: Call, folder: Path) -> None:
    """model.onnx and input_N.pb of a call: N counts the inputs that are given."""
    (folder / "model.onnx").write_bytes(call.model)
    for n, (name, array) in enumerate((name, a) for name, a in call.inputs if a is not None):
        (folder / f"input_{n}.pb").write_bytes(tensor_file(name, array))


def tensor_file(name: str, array: Array) -> bytes:
    """A tensor as ONNX writes it."""
    from onnx import TensorProto

    made = TensorProto(name=name, dims=array.shape, data_type=TensorProto.DataType.Value(array.dtype.upper()))
    made.raw_data = array.data
    data: bytes = made.SerializeToString()
    return data


def _same(path: Path, before: dict[str, bytes]) -> bool:
    try:
        return path.read_bytes() == before[path.name]
    except OSError:
        return False


def _outputs(folder: Path, changed: tuple[str, ...]) -> Got:
    outputs: list[Array | None] = []
    while (path := folder / f"output_{len(outputs)}.pb").exists():
        if not path.is_file():
            return Got("malformed", said=f"{path.name} is no file", changed=changed)
        try:
            outputs.append(_read(path.read_bytes()))
        except Exception as problem:  # whatever a file that anyone wrote makes of the parser
            return Got("malformed", said=f"{path.name} is no tensor: {type(problem).__name__}", changed=changed)
    return Got("result", tuple(outputs), changed=changed)


def _read(data: bytes) -> Array:
    from onnx import TensorProto, numpy_helper

    made: Any = TensorProto()
    made.ParseFromString(data)
    if any(size < 0 for size in made.dims):
        raise ValueError("a size below 0")
    name = TensorProto.DataType.Name(made.data_type).lower()
    return Array(name, tuple(made.dims), numpy_helper.to_array(made).tobytes())
