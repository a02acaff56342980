"""An input of an operator as a model and tensors, in the layout of ONNX's backend tests of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sonnx_verify.conformance.targets.models import Edge, asked_outputs, given_inputs, one_node_model
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.arguments import to_array
from sonnx_verify.solving.inputs.replay import Outcome


@dataclass(slots=True)
class NodeTests:
    """Tests of one operator with elements of one type. `graph` is the name of the graph in each model."""

    project: Project
    unit: Unit
    meaning: Meaning
    graph: str

    def files(self, inputs: Assignment, outcome: Outcome) -> dict[str, bytes]:
        """model.onnx, test_data_set_0 with the inputs, and with the outputs where the outcome has any."""
        from onnx import numpy_helper

        tensors = given_inputs(self.meaning, inputs)
        given = [Edge(name, t.sort, t.shape) for name, t in tensors]
        # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
        unknown: Sequence[int | str | None] = [None] * max((len(t.shape) for _, t in tensors), default=0)
        shapes: dict[str, Sequence[int | str | None]] = {name: made.shape for name, made in outcome.outputs.items()}
        asked = asked_outputs(self.meaning, inputs)
        results = [Edge(v.name, v.sort, shapes.get(v.name, unknown)) for v in asked]
        model = one_node_model(self.project, self.unit, self.meaning, inputs, self.graph, given, results)
        files = {"model.onnx": model}
        for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
            for n, (name, tensor) in enumerate(rows):
                array = numpy_helper.from_array(to_array(tensor), name)
                files[f"test_data_set_0/{kind}_{n}.pb"] = array.SerializeToString()
        return files
