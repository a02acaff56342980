"""Cases as tests in the layout of ONNX's node tests, with an index that says what each one tests.

The tests are in folders by what a runner that compares with one array can make of them, see `Folder`. ONNX's own loader
takes each of these folders for a kind of tests.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum, unique
from itertools import chain
from types import MappingProxyType
from typing import Any

from sonnx_verify.conformance.inputs.cases import Case, cases_at
from sonnx_verify.conformance.inputs.points import NOT_DECLARED, Points
from sonnx_verify.conformance.inputs.small_inputs import lacking
from sonnx_verify.conformance.oracles.sets import Allowed, allowed, offset_in, representative
from sonnx_verify.conformance.targets.models import NodeTests
from sonnx_verify.conformance.vectors.tolerance import tolerance_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import Clause, Reach
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.values import element_json
from sonnx_verify.results.written import json_text
from sonnx_verify.solving.inputs.replay import Outcome, replay
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import TOOL

ROWS = "files"
"""The key of the files in the index."""


@unique
class Folder(StrEnum):
    """The folders of tests. EXACT: no element but the written one conforms, or no NaN but any NaN. TOLERANCE: the
    tolerances in data.json admit each element that conforms. OPEN: no tolerance does, or some elements are left open;
    the written result is one of several. UNSPECIFIED: the text leaves open what comes of the input. REFUSED: the input
    is rejected. The last two have no outputs."""

    EXACT = "exact"
    TOLERANCE = "tolerance"
    OPEN = "open"
    UNSPECIFIED = "unspecified"
    REFUSED = "refused"


def vectors(project: Project, unit: Unit, chosen: Iterable[Context], extra: Mapping[str, bytes]) -> dict[str, bytes]:
    """All cases of these sections and types as files by their names, an index among them, and `extra` ones."""
    return written(project, unit, ((p := Points(project, unit, c), cases_at(p)) for c in chosen), extra)


def written(
    project: Project,
    unit: Unit,
    cases: Iterable[tuple[Points, list[Case]]],
    extra: Mapping[str, bytes] = MappingProxyType({}),
) -> dict[str, bytes]:
    """Some cases as files by their names, an index among them, and `extra` files."""
    assert unit.file is not None
    files = dict(extra)
    rows = []
    # The index names each file with its digest: a file that is changed or missing shows.
    for points, mine in cases:
        for row, made in _tests(project, unit, points, mine):
            rows.append(row)
            files |= {f"{row['folder']}/{row['name']}/{name}": data for name, data in made.items()}
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    index = {
        "tool": TOOL,
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
    types = types_of(points.context)
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
            made = {**_beside(points, row), **tests.files(case.assignment, outcome)}
        yield {"name": name, "types": types, **row}, made


def types_of(context: Context) -> dict[str, str]:
    """The element type of each type variable."""
    types: dict[str, str] = {}
    # Without type variable the texts are about an `element` of no type.
    if context.element.name != "element":
        types["T"] = context.element.name
    return types | {variable: sort.name for variable, sort in context.variables.items()}


def _told(points: Points, case: Case) -> tuple[dict[str, Any], Outcome]:
    """The answer of the specification to the case, as a row of the index; and the outputs."""
    judged = points.judge(case.assignment)
    # An element that is left open leaves the others: its index is in the row, and the rest is compared.
    wider = [item for item in points.open_points if item.reach is not Reach.VALUE]
    open_ = [item.tag for item in wider if item.name in case.exercises]
    outcome = Outcome()
    row: dict[str, Any] = {"verdict": "result", "tags": [], "exercises": list(case.exercises), "outputs": {}}
    row["tolerance"] = None
    folder = Folder.EXACT
    if not judged.valid:
        folder = Folder.REFUSED
        row |= {"verdict": "rejected", "tags": [*judged.broken, *judged.errors]}
    elif open_:
        folder = Folder.UNSPECIFIED
        row |= {"verdict": "unspecified", "tags": open_}
    else:
        outcome = replay(points.project, points.unit, points.meaning, case.assignment, why=False)
        several = allowed(points.meaning, case.assignment, outcome)
        if outcome.undetermined:
            folder = Folder.UNSPECIFIED
            outcome.outputs.clear()
            row["verdict"] = "unspecified"
        else:
            outcome.outputs = representative(points.meaning, case.assignment, outcome, several)
            folder, row["tolerance"] = _compared(outcome, several)
        for name, tensor in outcome.outputs.items():
            row["outputs"][name] = {
                "unspecified": [list(place) for place in outcome.unspecified.get(name, [])],
                "several": [_several(tensor, one) for one in several.get(name, [])],
            }
    row["folder"] = folder.value
    return row, outcome


def _compared(outcome: Outcome, several: Mapping[str, Sequence[Allowed]]) -> tuple[Folder, dict[str, float] | None]:
    """The way in which ONNX's runner can compare the outputs, and the tolerances that it needs."""
    free: dict[str, set[tuple[int, ...]]] = {}
    for name, tensor in outcome.outputs.items():
        every = [one.index for one in several.get(name, ()) if one.any == tensor.sort.name]
        free[name] = {*outcome.unspecified.get(name, ()), *every}
    tolerance = tolerance_of(outcome.outputs, several, free)
    if tolerance is None:
        return Folder.OPEN, None
    numbers = {"rtol": tolerance.rtol, "atol": tolerance.atol}
    if any(free.values()):
        return Folder.OPEN, numbers
    if tolerance.is_exact:
        return Folder.EXACT, numbers
    return Folder.TOLERANCE, numbers


def _beside(points: Points, row: Mapping[str, Any]) -> dict[str, bytes]:
    """The files beside a model that say how its outputs are compared, or why there are none."""
    made: dict[str, object] = {}
    if row["tolerance"] is not None:
        made["data.json"] = row["tolerance"]
    match row["folder"]:
        case Folder.REFUSED:
            statements = {statement.tag: statement.clause for statement in points.statements}
            declared = NOT_DECLARED not in row["exercises"]
            made["refused.json"] = {
                "declared": declared,
                "clauses": [_sentence(statements[tag]) for tag in row["tags"]],
            }
        case Folder.UNSPECIFIED:
            titles = {item.tag: item.title for item in points.open_points}
            made["unspecified.json"] = {"items": [{"tag": tag, "sentence": titles[tag]} for tag in row["tags"]]}
        case Folder.OPEN:
            made["open.json"] = {"outputs": row["outputs"]}
    return {name: json_text(value).encode() for name, value in made.items()}


def _sentence(clause: Clause) -> dict[str, str]:
    """A clause as it is told beside a model: of a restriction, the general one that it is from."""
    made = {"tag": clause.tag, "kind": clause.kind.value, "sentence": clause.title}
    if clause.origin:
        made["from"] = clause.origin
    return made


def _several(tensor: ConcreteTensor, one: Allowed) -> dict[str, Any]:
    sort = tensor.sort
    if one.any:
        return {"index": list(one.index), "any": one.any}
    assert isinstance(sort, FloatSort)
    ends = {"lowest": one.lowest, "greatest": one.greatest}
    digits = sort.width // 4
    return {
        "index": list(one.index),
        **{name: element_json(sort.name, bits) for name, bits in ends.items()},
        "bits": [f"0x{bits:0{digits}x}" for bits in ends.values()],
        "bound": _bound(sort, tensor.elements[offset_in(tensor.shape, one.index)], ends.values()),
    }


def _bound(sort: FloatSort, element: object, ends: Iterable[int]) -> str:
    """The exact distance of the representative from the farthest of some floats."""
    assert isinstance(element, int)
    if not all(floats.is_finite(sort, bits) for bits in (element, *ends)):
        return "infinity"
    return str(max(abs(floats.to_fraction(sort, b) - floats.to_fraction(sort, element)) for b in ends))


def slug(name: str) -> str:
    """The name of a point as a part of a file's name."""
    text = name.replace("+0", "plus_0").replace("-", " minus ").replace("`", "")
    text = re.sub(r"\S*/(\w+)\.sonnx:(\d+):(\d+)", r"\1 \2 \3", text)
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:48].strip("_")
