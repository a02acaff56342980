"""Cases as tests in the layout of ONNX's node tests, with an index that says what each one tests."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sonnx_verify.conformance.cases.allowed import Allowed, allowed
from sonnx_verify.conformance.cases.case import Case
from sonnx_verify.conformance.cases.cases import cases_at
from sonnx_verify.conformance.cases.points import Points
from sonnx_verify.conformance.cases.structures import lacking
from sonnx_verify.conformance.node_test import NodeTests
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.values import element_json
from sonnx_verify.solving.inputs.replay import Outcome, replay
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import __version__

ROWS = "files"
"""The key of the files in the index."""


def vectors(project: Project, unit: Unit, chosen: Iterable[Context]) -> dict[str, bytes]:
    """All cases of these sections and types as files by their names, an index among them."""
    return written(project, unit, ((p := Points(project, unit, c), cases_at(p)) for c in chosen))


def written(project: Project, unit: Unit, cases: Iterable[tuple[Points, list[Case]]]) -> dict[str, bytes]:
    """Some cases as files by their names, an index among them."""
    assert unit.file is not None
    files: dict[str, bytes] = {}
    rows = []
    # The index names each file with its digest: a file that is changed or missing shows.
    for points, mine in cases:
        for row, made in _tests(project, unit, points, mine):
            rows.append(row)
            files |= {f"{row['name']}/{name}": data for name, data in made.items()}
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    index = {
        "tool": {"name": "sonnx-verify", "version": __version__},
        "operator": f"{unit.namespace}.{unit.file.name}",
        "version": unit.file.version,
        "text": unit.text or None,
        "cases": rows,
        ROWS: listed,
    }
    return files | {INDEX: sealed(index)}


def _tests(
    project: Project, unit: Unit, points: Points, cases: list[Case]
) -> Iterator[tuple[dict[str, Any], dict[str, bytes]]]:
    assert unit.file is not None
    tests = NodeTests(project, unit, points.meaning, "vector")
    types: dict[str, str] = {}
    # Without type variable the texts are about an `element` of no type.
    if points.context.element.name != "element":
        types["T"] = points.context.element.name
    types |= {variable: sort.name for variable, sort in points.context.variables.items()}
    named = "_".join([unit.file.name.lower(), *types.values()])
    often = Counter(chain.from_iterable(case.exercises for case in cases))
    for number, case in enumerate(cases, 1):
        # What few others exercise says most of what it is for.
        rarest = min(case.exercises, key=lambda e: often[e], default="")
        name = "_".join(["test", named, f"{number:03}", slug(rarest)]).rstrip("_")
        row, outcome = _told(points, case)
        # That a tensor is sparse, or has no type, is nothing that the file of a tensor can say.
        row["held"] = not lacking(case.assignment)
        made: dict[str, bytes] = {}
        if row["held"]:
            made = tests.files(case.assignment, outcome)
        yield {"name": name, "types": types, **row}, made


def _told(points: Points, case: Case) -> tuple[dict[str, Any], Outcome]:
    """The answer of the specification to the case, as a row of the index; and the outputs."""
    judged = points.judge(case.assignment)
    # An element that is left open leaves the others: its index is in the row, and the rest is compared.
    wider = [item for item in points.open_points if item.reach is not Reach.VALUE]
    open_ = [item.tag for item in wider if item.name in case.exercises]
    outcome = Outcome()
    row: dict[str, Any] = {"verdict": "result", "tags": [], "exercises": list(case.exercises), "outputs": {}}
    if not judged.valid:
        row |= {"verdict": "rejected", "tags": [*judged.broken, *judged.errors]}
    elif open_:
        row |= {"verdict": "unspecified", "tags": open_}
    else:
        outcome = replay(points.project, points.unit, points.meaning, case.assignment, why=False)
        several = allowed(points.meaning, case.assignment, outcome)
        if outcome.undetermined:
            row["verdict"] = "unspecified"
        for name, tensor in outcome.outputs.items():
            row["outputs"][name] = {
                "unspecified": [list(place) for place in outcome.unspecified.get(name, [])],
                "several": [_several(tensor, one) for one in several.get(name, [])],
            }
    return row, outcome


def _several(tensor: ConcreteTensor, one: Allowed) -> dict[str, Any]:
    sort = tensor.sort
    assert isinstance(sort, FloatSort)
    if one.any:
        return {"index": list(one.index), "any": one.any}
    ends = {"lowest": one.lowest, "greatest": one.greatest}
    digits = sort.width // 4
    return {
        "index": list(one.index),
        **{name: element_json(sort.name, bits) for name, bits in ends.items()},
        "bits": [f"0x{bits:0{digits}x}" for bits in ends.values()],
        "bound": str(max(abs(floats.to_fraction(sort, b) - _centre(tensor, one)) for b in ends.values())),
    }


def _centre(tensor: ConcreteTensor, one: Allowed) -> Any:
    """The representative, exactly."""
    assert isinstance(tensor.sort, FloatSort)
    offset = 0
    for place, size in zip(one.index, tensor.shape, strict=True):
        offset = offset * size + place
    element = tensor.elements[offset]
    assert isinstance(element, int)
    return floats.to_fraction(tensor.sort, element)


def slug(name: str) -> str:
    """The name of a point as a part of a file's name."""
    text = name.replace("+0", "plus_0").replace("-", " minus ").replace("`", "")
    text = re.sub(r"\S*/(\w+)\.sonnx:(\d+):(\d+)", r"\1 \2 \3", text)
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:48].strip("_")
