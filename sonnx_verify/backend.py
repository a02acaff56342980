"""Specifications as a backend of ONNX, so that ONNX's own test suites run on them.

    from onnx.backend.test import BackendTest
    import sonnx_verify.backend

    globals().update(BackendTest(sonnx_verify.backend, __name__).test_cases)

The numpy evaluator computes each node by a text: the standard of the version that the model's operator set has in
force, or with `ProfileBackend` the profile of that version. A version without a text of its own has the one that
its `versions.toml` names, for its own types alone. Each node is run in its order. What no text speaks of
raises BackendIsNotSupposedToImplementIt, which ONNX's runner takes for a test that is skipped. A text that rejects its
input raises ClauseViolated.

The package onnx is no dependency: this module needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import SORTS
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.errors import INSTALL, ClauseViolated, UsageError
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.named import here, in_force
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.stores.store import store_of_trees

try:
    import onnx
    from onnx.backend.base import Backend, BackendRep, namedtupledict
    from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt
except ImportError:
    raise UsageError("the package onnx is not installed", cure=INSTALL) from None

__all__ = [
    "Prepared",
    "ProfileBackend",
    "SpecificationBackend",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]
_OWN_DOMAIN = "user"
"""The domain of operators of one's own, and their namespace."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A node with the operator that computes it; "" stands for an input that is left out, or an output that nobody
    asks for."""

    operator: Operator
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    def run(self, values: dict[str, Any]) -> None:
        """Compute the outputs, and put them among the values. Raises UserError."""
        arguments = [values[name] if name else None for name in self.inputs]
        self._refuse_other_types(arguments)
        try:
            made = self.operator.evaluate(*arguments, **self.attributes)
        except ClauseViolated as problem:
            if self._is_restriction(problem.tag):
                # A profile says by a restriction what it does not speak of.
                raise BackendIsNotSupposedToImplementIt(str(problem)) from problem
            raise
        results = made if isinstance(made, tuple) else (made,)
        if len(self.outputs) > len(results):
            raise UsageError(
                f"{self.operator.name} has {len(results)} outputs here, and the node names {len(self.outputs)}",
                cure="name as many outputs as there are",
            )
        values |= {name: array for name, array in zip(self.outputs, results, strict=False) if name}

    def _refuse_other_types(self, arguments: Sequence[Any]) -> None:
        signature = self.operator.signature
        named = zip(signature.names_of(len(arguments), ()), arguments, strict=True)
        given = {name: array for (name, _), array in named if array is not None}
        foreign = [str(array.dtype) for array in given.values() if array.dtype not in SORTS]
        if foreign:
            raise BackendIsNotSupposedToImplementIt(f"{self.operator.name}: no text has elements of {foreign[0]}")
        try:
            signature.check_types(given)
        except UsageError as problem:
            raise BackendIsNotSupposedToImplementIt(problem.message) from problem

    def _is_restriction(self, tag: str) -> bool:
        file = self.operator.unit.file
        assert file is not None
        return any(clause.tag == tag and clause.kind is ClauseKind.RESTRICTION for clause in file.clauses)


class Prepared(BackendRep):
    """A model whose nodes all have a specification."""

    def __init__(self, graph: onnx.GraphProto, nodes: Sequence[_Node]) -> None:
        self._nodes = tuple(nodes)
        self._constants = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        self._types = {i.name: i.type.tensor_type.elem_type for i in graph.input}
        self._outputs = {o.name: o.type.tensor_type.elem_type for o in graph.output}

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the outputs for the inputs: an array, arrays in the order of the graph, or arrays by name.

        Raises UserError where a text rejects an input of its node, or does not determine the result.
        """
        values = {**self._constants, **self._given(inputs)}
        for node in self._nodes:
            node.run(values)
        for name, declared in self._outputs.items():
            wanted, made = onnx.helper.tensor_dtype_to_np_dtype(declared), values[name].dtype
            if made != wanted:
                raise UsageError(f"{name}: the model declares {wanted}, and the result is {made}", cure="declare that")
        return _named([*self._outputs], values)

    def _given(self, inputs: Any) -> dict[str, Any]:
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        if not isinstance(inputs, Mapping):
            # An input with an initializer has a default, which all the inputs by position stand for.
            names = list(self._types)
            if len(inputs) < len(names):
                names = [name for name in names if name not in self._constants]
            if len(inputs) != len(names):
                raise UsageError(
                    f"the model has {len(names)} inputs, and {len(inputs)} are given", cure=f"give {', '.join(names)}"
                )
            inputs = dict(zip(names, inputs, strict=True))
        self._check(inputs)
        return {name: np.asarray(array) for name, array in inputs.items()}

    def _check(self, inputs: Mapping[str, Any]) -> None:
        """Raise UsageError for other inputs than those of the model."""
        unknown = [name for name in inputs if name not in self._types]
        missing = [name for name in self._types if name not in inputs and name not in self._constants]
        if unknown or missing:
            said = f"the model has no input `{unknown[0]}`" if unknown else f"the input `{missing[0]}` is not given"
            raise UsageError(said, cure=f"its inputs are {', '.join(self._types)}")
        for name, array in inputs.items():
            wanted = onnx.helper.tensor_dtype_to_np_dtype(self._types[name])
            if np.asarray(array).dtype != wanted:
                raise UsageError(
                    f"{name}: the model takes {wanted}, and {np.asarray(array).dtype} is given", cure="convert it"
                )


class SpecificationBackend(Backend):
    """The standards, as a backend of ONNX."""

    namespace = "onnx"

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether it is the CPU."""
        return device.partition(":")[0].upper() == "CPU"

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Return whether there is a specification for each node of the model."""
        try:
            cls._nodes(model)
        except BackendIsNotSupposedToImplementIt:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> Prepared:
        """Return the model, ready to be run. Raises BackendIsNotSupposedToImplementIt where no text speaks of a node or
        of a type, and whatever onnx.checker raises for a model that is none."""
        if not cls.supports_device(device):
            raise BackendIsNotSupposedToImplementIt(f"specifications are evaluated on the CPU, not on {device}")
        super().prepare(model, device, **kwargs)
        for one in (*model.graph.input, *model.graph.output):
            if not one.type.HasField("tensor_type"):
                raise BackendIsNotSupposedToImplementIt(f"`{one.name}` is not a tensor")
            if one.type.tensor_type.elem_type == onnx.TensorProto.UNDEFINED:
                raise BackendIsNotSupposedToImplementIt(f"`{one.name}` has no element type")
        if model.graph.sparse_initializer:
            raise BackendIsNotSupposedToImplementIt("an initializer is sparse")
        return Prepared(model.graph, cls._nodes(model))

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Any, ...]:
        """Run one node, of the newest operator set, or of that which `opset_version` says. Inputs are in the order of
        the node, without those that it leaves out."""
        if not cls.supports_device(device):
            raise BackendIsNotSupposedToImplementIt(f"specifications are evaluated on the CPU, not on {device}")
        opset = int(kwargs.get("opset_version", onnx.defs.onnx_opset_version()))
        if not node.domain:
            super().run_node(node, inputs, device, outputs_info, **kwargs)
        made = _node(cls.namespace, node, opset)
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        names = [name for name in made.inputs if name]
        if len(set(names)) != len(names) or len(inputs) != len(names):
            raise UsageError(f"the node has {len(names)} inputs, and {len(inputs)} are given", cure="give each once")
        values = dict(zip(names, map(np.asarray, inputs), strict=True))
        made.run(values)
        asked = [name for name in made.outputs if name]
        return _named(asked, values)

    @classmethod
    def _nodes(cls, model: onnx.ModelProto) -> list[_Node]:
        """The nodes in their order, each with its operator."""
        opsets = {_domain(entry.domain): entry.version for entry in model.opset_import}
        functions = {(_domain(f.domain), f.name) for f in model.functions}
        made = []
        for node in model.graph.node:
            # A function of the model stands for the operator of its name, whatever a text says of that.
            if (_domain(node.domain), node.op_type) in functions:
                raise BackendIsNotSupposedToImplementIt(f"{node.op_type} is a function of the model")
            made.append(_node(cls.namespace, node, opsets.get(_domain(node.domain), 0)))
        return made


class ProfileBackend(SpecificationBackend):
    """The profile, as a backend of ONNX. Input that a restriction of it excludes is not supposed to be implemented."""

    namespace = "sonnx"


def _named(names: Sequence[str], values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The outputs as backends give them: a tuple that has them by their names, too."""
    return namedtupledict("Outputs", names)(*(values[name] for name in names))


def _domain(name: str) -> str:
    """The domain by the shorter of the two names that ONNX's own has."""
    return "" if name == "ai.onnx" else name


def _node(namespace: str, node: onnx.NodeProto, opset: int) -> _Node:
    """The node with its operator. Raises BackendIsNotSupposedToImplementIt."""
    attributes = {attribute.name: _value(attribute) for attribute in node.attribute}
    operator = _found(str(Path.cwd()), namespace, _domain(node.domain), node.op_type, opset)
    if isinstance(operator, str):
        raise BackendIsNotSupposedToImplementIt(operator)
    return _Node(operator, tuple(node.input), tuple(node.output), attributes)


def _value(attribute: onnx.AttributeProto) -> Any:
    """An attribute as the evaluator takes it."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    items = value if isinstance(value, list) else [value]
    if attribute.ref_attr_name or not all(isinstance(item, int | float | str | bytes) for item in items):
        raise BackendIsNotSupposedToImplementIt(f"the attribute `{attribute.name}` is of a kind that no text has")
    return value


@lru_cache(maxsize=8)
def _project(folder: str) -> Project:
    """The project of the current folder, as it is read first; `folder` is that folder, and only tells it apart."""
    keep_in(store_of_trees)
    return here()


@lru_cache(maxsize=4096)
def _found(folder: str, namespace: str, domain: str, name: str, opset: int) -> Operator | str:
    """The operator of the text that is in force, or why there is none. It is kept, since an operator keeps its
    plans."""
    if domain == _OWN_DOMAIN:
        namespace = _OWN_DOMAIN
    elif domain:
        return f"no text is of the domain `{domain}`"
    project = _project(folder)
    try:
        return Operator(project, in_force(project, namespace, name, opset))
    except UsageError as problem:
        return problem.message


prepare = SpecificationBackend.prepare
run_model = SpecificationBackend.run_model
run_node = SpecificationBackend.run_node
supports_device = SpecificationBackend.supports_device
is_compatible = SpecificationBackend.is_compatible
