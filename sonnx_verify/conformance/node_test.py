"""An input of an operator as a model and tensors, in the layout of ONNX's backend tests of nodes."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.conformance.models import Edge, asked_outputs, inputs_of, one_node_model
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

        tensors = [(name, t) for name, t in inputs_of(self.meaning, inputs) if t is not None]
        given = [Edge(name, t.sort, t.shape) for name, t in tensors]
        # Where the specification gives no result, the output's sizes are left open; a model has to say its rank.
        sizes = [None] * max((len(t.shape) for _, t in tensors), default=0)
        results = []
        for variable in asked_outputs(self.meaning, inputs):
            made = outcome.outputs.get(variable.name)
            results.append(Edge(variable.name, variable.sort, sizes if made is None else made.shape))
        model = one_node_model(self.project, self.unit, self.meaning, inputs, self.graph, given, results)
        files = {"model.onnx": model}
        for kind, rows in (("input", tensors), ("output", list(outcome.outputs.items()))):
            for n, (name, tensor) in enumerate(rows):
                array = numpy_helper.from_array(to_array(tensor), name)
                files[f"test_data_set_0/{kind}_{n}.pb"] = array.SerializeToString()
        return files
