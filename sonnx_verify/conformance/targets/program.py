"""A program as a target: run as `COMMAND model.onnx DIR`, it reads input_N.pb in DIR and writes output_N.pb there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from sonnx_verify.conformance.targets.calls import Array, Call, Ending, Response
from sonnx_verify.conformance.targets.process import end_of
from sonnx_verify.errors import UsageError
from sonnx_verify.processes.guard import Guard
from sonnx_verify.results.dtypes import dtype_of

REJECTED = 3
"""The exit status that says: the input is rejected."""
_NEVER = 20
"""The number of crashes, and nothing else, after which the program counts as wrongly named."""
_TAIL = 1 << 12
"""The number of bytes at the end of a program's standard error that are read."""
_LARGEST = 1 << 30
"""The number of bytes that a file of a result may have."""


def words_of(command: str) -> list[str]:
    """The words of a command. UsageError where it is none, or its program is not there."""
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise UsageError(f"`{command}` is not a command: {problem}", cure="quote it as for a shell") from None
    if not words or shutil.which(words[0]) is None:
        raise UsageError(f"there is no program `{command}`", cure="name an executable program")
    return words


class Program:
    """Runs calls by a command, each in a folder of its own that is gone afterwards, even if this process is killed."""

    version = ""

    def __init__(self, command: str, seconds: float, environment: Mapping[str, str]) -> None:
        self._words = words_of(command)
        self._seconds, self._command = seconds, command
        self._environment = environment
        self._works, self._crashes = False, 0
        self._guard = Guard()
        with ExitStack() as undo:
            undo.callback(self._guard.close)
            self._folder = Path(tempfile.mkdtemp(prefix="sonnx-verify-"))
            self._guard.folder(self._folder)
            undo.pop_all()

    def run(self, call: Call) -> Response:
        """Return the result of the call, whatever it is."""
        # A program may take away what it was given, and what that lies in.
        self._folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True) as made:
            folder = Path(made)
            write_call(call, folder)
            before = {path.name: path.read_bytes() for path in folder.glob("input_*.pb")}
            try:
                with (folder / "errors").open("w+b") as errors:
                    status = self._status(folder, errors)
                    last = _last_line(errors, folder)
            except OSError as problem:
                message = f"{self._words[0]} cannot be run: {problem.strerror}"
                raise UsageError(message, cure="make it executable") from None
            names = [name for name, _ in call.given]
            changed = tuple(name for n, name in enumerate(names) if not _same(folder / f"input_{n}.pb", before))
            if status is None:
                return Response(Ending.HUNG, said=f"no answer in {self._seconds:g} seconds")
            # It read the model, and decided: its name is right, and later crashes are its own.
            if status == REJECTED:
                self._works = True
                return Response(Ending.REFUSED, said=f"exit status {REJECTED}", changed=changed)
            if status:
                return self._crashed(status, f"{end_of(status)}{last}")
            self._works = True
            if not folder.is_dir():
                return Response(Ending.MALFORMED, said="DIR is gone", changed=changed)
            return _outputs(folder, changed)

    def again(self, call: Call) -> Response:
        """Return the result of the call in a process that has run no other, as each of a program has."""
        return self.run(call)

    def _crashed(self, status: int, said: str) -> Response:
        """A crash. Raise UsageError for a program that did nothing else: its name is wrong, not its results."""
        # Otherwise a mistyped command would be reported as a target that diverges on every input.
        self._crashes += 1
        if not self._works and self._crashes >= _NEVER:
            raise UsageError(
                f"the first {_NEVER} calls of `{self._command}` crashed: {said}",
                cure=f"try it: {self._command} model.onnx FOLDER",
            )
        return Response(Ending.CRASHED, said=said, status=status)

    def close(self) -> None:
        """Remove the folder of all calls. Each call has ended its own program."""
        self._guard.close()

    def _status(self, folder: Path, errors: IO[bytes]) -> int | None:
        """The exit status of the program; None where it did not end in time."""
        words = [*self._words, str(folder / "model.onnx"), str(folder)]
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **self._environment},
            # A group of its own, so that what it starts can be ended with it.
            start_new_session=True,
        )
        self._guard.group(process.pid)
        try:
            return process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Also what it left running.
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self._guard.ended(process.pid)


def write_call(call: Call, folder: Path) -> None:
    """model.onnx and input_N.pb of a call: N counts the inputs that are given."""
    (folder / "model.onnx").write_bytes(call.model)
    for n, (name, array) in enumerate(call.given):
        (folder / f"input_{n}.pb").write_bytes(tensor_file(name, array))


def tensor_file(name: str, array: Array) -> bytes:
    """A tensor as ONNX writes it."""
    data: bytes = tensor_proto(name, array).SerializeToString()
    return data


def tensor_proto(name: str, array: Array) -> Any:
    """A tensor as ONNX's own. Two or four elements of an integer type of 4 or 2 bits share a byte there."""
    import numpy as np
    from onnx import numpy_helper

    return numpy_helper.from_array(np.frombuffer(array.data, dtype_of(array.dtype)).reshape(array.shape), name)


def _last_line(errors: IO[bytes], folder: Path) -> str:
    """The last line that a program wrote to standard error, to be put behind how it ended."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _TAIL))
    lines = [line for line in errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return ""
    # A terminal would obey control characters.
    said = "".join(_printable(c) for c in lines[-1].strip()[:200])
    # The folder is another one in every run: with its name no two runs would say the same.
    return f": {said.replace(str(folder), 'DIR')}"


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return "?"


def _same(path: Path, before: dict[str, bytes]) -> bool:
    """Return whether a file of an input is as it was; one that is gone is not."""
    was = before[path.name]
    try:
        # What the program left there may be a pipe, which nobody writes to, or a device without an end.
        return path.is_file() and path.stat().st_size == len(was) and path.read_bytes() == was
    except OSError:
        return False


def _outputs(folder: Path, changed: tuple[str, ...]) -> Response:
    """The files of results, from output_0.pb on, up to the first that is not there."""
    outputs: list[Array | None] = []
    while (path := folder / f"output_{len(outputs)}.pb").exists():
        if not path.is_file():
            return Response(Ending.MALFORMED, said=f"{path.name} is not a file", changed=changed)
        # The file is read into this process: a target must not be able to use up its memory.
        if path.stat().st_size > _LARGEST:
            return Response(Ending.MALFORMED, said=f"{path.name} has more than {_LARGEST} bytes", changed=changed)
        try:
            outputs.append(read_tensor(path.read_bytes()))
        except Exception as problem:  # whatever a file that anyone wrote makes of the parser
            return Response(
                Ending.MALFORMED, said=f"{path.name} is not a tensor: {type(problem).__name__}", changed=changed
            )
    # What is behind a number that is left out would go unseen.
    numbers = [int(found[1]) for p in folder.iterdir() if (found := re.fullmatch(r"output_([0-9]{1,9})\.pb", p.name))]
    if max(numbers, default=0) > len(outputs):
        said = f"output_{max(numbers)}.pb is there, but no output_{len(outputs)}.pb"
        return Response(Ending.MALFORMED, said=said, changed=changed)
    return Response(Ending.RESULT, tuple(outputs), changed=changed)


_WITHIN = {
    "int8": range(-(2**7), 2**7), "int16": range(-(2**15), 2**15), "uint8": range(2**8), "uint16": range(2**16),
    "bool": range(2), "float16": range(2**16), "bfloat16": range(2**16), "float8e4m3fn": range(2**8),
    "float8e5m2": range(2**8), "uint32": range(2**32),
}  # fmt: skip  # a table
"""The numbers that stand for an element in a field of larger ones."""


def read_tensor(data: bytes) -> Array:
    """The tensor of a file. Raises ValueError, or what protobuf and onnx raise, where it is none."""
    from onnx import TensorProto, numpy_helper

    made: Any = TensorProto()
    made.ParseFromString(data)
    # numpy would take -1 for "whatever is left", and give an array of another shape than the file says.
    if any(size < 0 for size in made.dims):
        raise ValueError("a size below 0")
    # Their files are in a folder that the tensor does not name.
    if made.data_location == TensorProto.EXTERNAL:
        raise ValueError("external data")
    name = TensorProto.DataType.Name(made.data_type).lower()
    # numpy would keep the lowest bits of a number, whatever the others are.
    if name in _WITHIN and not all(n in _WITHIN[name] for n in (*made.int32_data, *made.uint64_data)):
        raise ValueError(f"a number that is no {name}")
    return Array(name, tuple(made.dims), numpy_helper.to_array(made).tobytes())
