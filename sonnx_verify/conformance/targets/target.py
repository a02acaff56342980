"""The targets that a specification is checked against: their kinds, and how they are begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol

from sonnx_verify.conformance.targets.by_value import dumped, importable, name_of
from sonnx_verify.conformance.targets.calls import LAYOUTS, Call, Form, Presentation, Response, TargetKind
from sonnx_verify.errors import UsageError, install

_KINDS = "onnx.reference, onnxruntime, openvino, tract, evaluator, python:MODULE:FUNCTION or exec:COMMAND"


def slug_of(target: str) -> str:
    """The name of a target in identities and file names."""
    return re.sub(r"[^\w.]+", "-", target).strip("-")


class Runner(Protocol):
    """Runs calls of a target. `version` is the target's own, or empty."""

    version: str

    def run(self, call: Call) -> Response:
        """Return the result of the call, whatever it is."""

    def again(self, call: Call) -> Response:
        """Return the result of the call in a process that has run no other."""

    def close(self) -> None:
        """End what runs it."""


_ALONE = {
    TargetKind.REFERENCE: ("onnx",),
    TargetKind.ONNXRUNTIME: ("onnx", "onnxruntime"),
    TargetKind.OPENVINO: ("onnx", "openvino"),
    TargetKind.TRACT: ("onnx", "tract"),
    TargetKind.EVALUATOR: (),
}
"""The kinds that are named without a function or command, and the packages that they need."""


NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
EXTRAS = frozenset((TargetKind.OPENVINO, TargetKind.TRACT))
"""The runtimes that have an extra of their name."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target as it was named: its kind, and the function or command, where it has one."""

    text: str
    kind: TargetKind
    name: str
    function: Callable[..., Any] | None = field(default=None, compare=False)
    """The function itself, where no other process can import it."""

    @classmethod
    def of_function(cls, function: Callable[..., Any]) -> Target:
        """A function, or anything else that can be called: by its name where it can be imported."""
        if (name := importable(function)) is not None:
            return cls.of(f"python:{name}")
        name = f"__main__:{name_of(function)}"
        return cls(f"python:{name}", TargetKind.PYTHON, name, function)

    @classmethod
    def of(cls, text: str) -> Target:
        """The target that a text names. UsageError where it names none, or what it needs is not installed."""
        word, colon, name = text.partition(":")
        for kind, packages in _ALONE.items():
            if text == kind:
                # A runtime has an extra of its own if it is no package of `onnx`.
                _needed(*packages, extra=text if text in EXTRAS else "onnx")
                return cls(text, kind, kind)
        if word == TargetKind.PYTHON and colon:
            # `python:code.py:f` is a natural slip: a file is named where a module is wanted.
            if file := re.fullmatch(r"(?:.*/)?(\w+)\.py:([\w.]+)", name):
                raise UsageError(f"`{name}` names a file", cure=f"in its folder, name python:{file[1]}:{file[2]}")
            if re.fullmatch(r"[\w.]+(?<!\.py):[\w.]+", name):
                return cls(text, TargetKind.PYTHON, name)
        if word == TargetKind.PROGRAM and name.strip():
            return cls(text, TargetKind.PROGRAM, name)
        raise UsageError(f"`{text}` is not a target", cure=f"name one of {_KINDS}")

    @property
    def takes_arrays(self) -> bool:
        """Return whether it is given arrays where they lie in memory, not files."""
        return self.kind is not TargetKind.PROGRAM

    @property
    def layouts(self) -> dict[str, Presentation]:
        """The ways in which it is given arrays, by their names. A file has one; runtimes take no strides."""
        plain = {name: one for name, one in LAYOUTS.items() if one.form is Form.PLAIN}
        match self.kind:
            case TargetKind.PROGRAM:
                return dict(list(plain.items())[:1])
            case TargetKind.ONNXRUNTIME | TargetKind.OPENVINO | TargetKind.TRACT:
                return plain
        return LAYOUTS

    @property
    def is_python(self) -> bool:
        """Return whether it is code of Python on arrays of numpy, that can be proved."""
        return self.kind in (TargetKind.PYTHON, TargetKind.EVALUATOR)

    @property
    def is_runtime(self) -> bool:
        """Return whether it has operators of its own, which it finds by their names."""
        return not self.is_python and self.kind is not TargetKind.PROGRAM

    @property
    def takes_models(self) -> bool:
        """Return whether it is given a model of ONNX."""
        return not self.is_python

    @property
    def slug(self) -> str:
        """Its name in identities and file names."""
        return slug_of(self.text)

    def begin(self, operator: str, seconds: float, environment: Mapping[str, str] = NO_VARIABLES) -> Runner:
        """Start what runs it, for the specification of that name, with some more variables of the environment.
        UsageError where it cannot be imported or found."""
        if self.kind is TargetKind.PROGRAM:
            from sonnx_verify.conformance.targets.program import Program, words_of

            # A command that is not there is the likelier mistake: it is told before a missing package.
            words_of(self.name)
            _needed("onnx")
            return Program(self.name, seconds, environment)
        from sonnx_verify.conformance.targets.process import ChildProcess

        name = self.name
        if self.kind is TargetKind.EVALUATOR:
            name = operator
        function = b"" if self.function is None else dumped(self.function)
        return ChildProcess(self.kind, name, seconds, environment, function)


def _needed(*packages: str, extra: str = "onnx") -> None:
    """Raise UsageError where a package of an extra is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if len(missing) == 1:
        raise UsageError(f"the package {missing[0]} is not installed", cure=install(extra))
    if missing:
        raise UsageError(f"the packages {' and '.join(missing)} are not installed", cure=install(extra))
