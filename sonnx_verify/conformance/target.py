"""What a specification is held against: which kind of target, and how it is begun."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from sonnx_verify.conformance.calls import Call, Got
from sonnx_verify.errors import INSTALL, UsageError

_KINDS = "onnx.reference, onnxruntime, evaluator, python:MODULE:FUNCTION or exec:COMMAND"


class Runner(Protocol):
    """Runs calls of a target. `version` is the target's own, or empty."""

    version: str

    def run(self, call: Call) -> Got:
        """What came of the call."""

    def close(self) -> None:
        """End what runs it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target as it was named: its kind, and the function or command, where it has one."""

    text: str
    kind: str
    name: str

    @classmethod
    def of(cls, text: str) -> Target:
        """The target that a text names. UsageError where it names none, or what it needs is not installed."""
        kind, colon, name = text.partition(":")
        if kind in ("onnx.reference", "onnxruntime", "evaluator") and not colon:
            _needed(*{"onnx.reference": ("onnx",), "onnxruntime": ("onnx", "onnxruntime")}.get(kind, ()))
            return cls(text, kind, kind)
        if kind == "python" and re.fullmatch(r"[\w.]+(?<!\.py):[\w.]+", name):
            return cls(text, kind, name)
        if kind == "exec" and name.strip():
            return cls(text, kind, name)
        if kind == "python" and (file := re.fullmatch(r"(?:.*/)?(\w+)\.py:([\w.]+)", name)):
            raise UsageError(f"`{name}` names a file", cure=f"in its folder, name python:{file[1]}:{file[2]}")
        raise UsageError(f"`{text}` is no target", cure=f"name one of {_KINDS}")

    @property
    def takes_arrays(self) -> bool:
        """Whether it is given arrays where they lie in memory, not files."""
        return self.kind != "exec"

    @property
    def is_python(self) -> bool:
        """Whether it is code of Python on arrays of numpy, that can be proved."""
        return self.kind in ("python", "evaluator")

    @property
    def takes_models(self) -> bool:
        """Whether it is given a model of ONNX."""
        return self.kind in ("onnx.reference", "onnxruntime", "exec")

    @property
    def slug(self) -> str:
        """Its name in identities and file names."""
        return re.sub(r"[^\w.]+", "-", self.text).strip("-")

    def begin(self, operator: str, seconds: float) -> Runner:
        """Start what runs it, for the specification of that name. UsageError where it cannot be imported or found."""
        if self.kind == "exec":
            from sonnx_verify.conformance.program import Program

            program = Program(self.name, seconds)
            _needed("onnx")
            return program
        from sonnx_verify.conformance.process import ChildProcess

        return ChildProcess(self.kind, operator if self.kind == "evaluator" else self.name, seconds)


def _needed(*packages: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        what = f"the package {missing[0]} is" if len(missing) == 1 else f"the packages {' and '.join(missing)} are"
        raise UsageError(f"{what} not installed", cure=INSTALL)
