"""Targets called in violation of the signature: the calls, what is reported, and what is a divergence."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from onnx import ModelProto

import sonnx_verify.outputs
from sonnx_verify.conformance.inputs.contexts import contexts_of
from sonnx_verify.conformance.inputs.misuse import Fault, Misuse, misuses
from sonnx_verify.conformance.inputs.misuse_models import CHANGES
from sonnx_verify.conformance.judgement.answer import identified
from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance, Divergence
from sonnx_verify.conformance.judgement.misuse import MisuseAnswers, misused
from sonnx_verify.conformance.judgement.reproduction import repro_of_call
from sonnx_verify.conformance.pipeline import tested as run_tests
from sonnx_verify.conformance.records.ledger import divergence_changes, updated
from sonnx_verify.conformance.runs.bench import begun
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import Call, Presentation
from sonnx_verify.conformance.targets.models import Models
from sonnx_verify.conformance.targets.presentation import read
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.outputs.conformance import conformance_json, conformance_lines
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.replay import assignment_of
from sonnx_verify.stores.folder import write_files

PROJECT = Path(__file__).with_name("project")
LANGUAGE = Path(__file__).parents[1] / "language"
SCHEMA = Path(sonnx_verify.outputs.__file__).with_name("conform.schema.json")
TARGETS = """\
import os
import time

import numpy as np

__version__ = "1.0"

def checked(xs, twice):
    if len(xs) > 4 or any(x is None or x.dtype != xs[0].dtype for x in xs) or xs[0].dtype not in (np.int8, np.float32):
        raise TypeError("no such input")
    if type(twice) is not int or twice not in (0, 1) or any(x.shape != xs[0].shape for x in xs):
        raise ValueError("no such input")

def two(x, y):
    if x.dtype.kind != "f":
        return np.where(x > y, x, y)
    first = (x > y) | ((x == y) & ~np.signbit(x)) | np.isnan(x)
    return np.where(first, x, y)

def right(*xs, twice):
    checked(xs, twice)
    y = xs[0]
    for x in xs[1:]:
        y = two(y, x)
    return np.array(y)

def lenient(*xs, twice, extra=0):
    return right(*xs, twice=twice)

def dies_or_hangs(*xs, twice):
    if any(x is None for x in xs[1:-1]):
        os.abort()
    while not xs:
        time.sleep(1)
    return right(*xs, twice=twice)

def dies_of_all(*xs, twice=None, extra=0):
    try:
        return right(*xs, twice=twice)
    except TypeError:
        os.abort()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two small operators, with targets beside them."""
    shutil.copytree(PROJECT, tmp_path / "project")
    (tmp_path / "project" / "called.py").write_text(TARGETS, "utf-8")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@cache
def opened(path: Path) -> tuple[Project, Unit]:
    """The project of a folder, and the text of one file."""
    project = Project.open(path.parent)
    (unit,) = [one for one in project.operators() if Path(one.path).resolve() == path.resolve()]
    return project, unit


def tensor(dtype: str, *elements: int) -> ConcreteTensor:
    """A tensor of rank 1."""
    return ConcreteTensor(ELEMENT_TYPES[dtype], (len(elements),), elements)


# ---------------------------------------------------------------------------------------------------------- the calls


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the texts alone: a project reads all that lie beside one."""
    folder = tmp_path_factory.mktemp("texts")
    for name in INPUTS:
        shutil.copy(LANGUAGE / f"{name}.sonnx", folder)
    return folder


def calls_of(path: Path, *, wanted: bool) -> tuple[Call, list[Misuse]]:
    """An input of a text as a call, and the calls outside of the signature that are made from it."""
    project, unit = opened(path)
    context = contexts_of(unit, ())[0]
    meaning = project.meaning(unit, context)
    models = Models(project, unit, meaning, wanted)
    base = assignment_of(meaning, INPUTS[path.stem])
    return models.call(base, Presentation()), list(misuses(models, base))


INPUTS: Mapping[str, Mapping[str, Concrete]] = {
    "clip": {"X": tensor("int8", 1), "max": tensor("int8", 1)},
    "concat": {**{f"X{n}": tensor("int8", n) for n in range(3)}, "axis": 0},
    "gather": {"X": tensor("int8", 1, 2), "places": tensor("int32", 0)},
    "conv": {"X": tensor("int8", 1), "W": tensor("int8", 1), "pads": (0, 0), "auto_pad": "VALID"},
    "constant": {"value": tensor("int64", 1)},
}
NAMES = {
    "clip": {"omitted-X", "no-inputs", "too-many-inputs", "foreign-T-bool", "mixed-T", "unknown-attribute"},
    "concat": {"omitted-first-X", "omitted-second-X", "omitted-last-X", "omitted-attribute-axis", "kind-axis-ints"},
    "gather": {"omitted-X", "omitted-places", "too-few-inputs", "foreign-I-bool", "kind-axis-string"},
    "conv": {"kind-pads-int", "kind-pads-string", "kind-auto_pad-int", "mixed-T"},
    "constant": {"unknown-attribute", "kind-value-int", "kind-value_ints-int"},
}
"""Some of the calls of each text: optional inputs, families, type variables, attributes of each kind, no inputs."""


@pytest.mark.parametrize("name", NAMES)
def test_each_call_differs_from_the_valid_one(name: str, texts: Path) -> None:
    """Each call has a name of its own, and other arguments or another model than the input it is made from."""
    for wanted in (True, False):
        base, made = calls_of(texts / f"{name}.sonnx", wanted=wanted)

        names = {one.fault.name for one in made}
        assert len(names) == len(made)
        assert names >= NAMES[name]
        assert bool(names & {change[0] for change in CHANGES}) is wanted
        valid = ModelProto.FromString(base.model)
        for one in made:
            other = one.call
            differs = other.inputs != base.inputs or repr(other.attributes) != repr(base.attributes)
            assert differs or ModelProto.FromString(other.model) != valid, one.fault.name


@pytest.mark.parametrize("name", ["clip", "concat", "gather"])
def test_a_model_says_what_the_arguments_are(name: str, texts: Path) -> None:
    """The model of a call with other arguments names and declares each of them, in its place and with its type."""
    of_models = {change[0] for change in CHANGES} | {"too-many-outputs"}
    for one in calls_of(texts / f"{name}.sonnx", wanted=True)[1]:
        if one.fault.name in of_models:
            continue
        graph = ModelProto.FromString(one.call.model).graph
        given = {name: array for name, array in one.call.inputs if array is not None}
        assert list(graph.node[0].input) == [name if name in given else "" for name, _ in one.call.inputs], (
            one.fault.name
        )
        declared = {info.name: info.type.tensor_type.elem_type for info in graph.input}
        numbers = {"int8": 3, "int32": 6, "bool": 9, "complex64": 14, "uint8": 2, "int16": 5, "int64": 7}
        assert declared == {name: numbers[array.dtype] for name, array in given.items()}, one.fault.name
        assert {a.name for a in graph.node[0].attribute} == {name for name, _ in one.call.attributes}, one.fault.name


@pytest.mark.parametrize("name", ["clip", "constant"])
def test_the_line_of_a_call_has_its_arguments_and_its_model(name: str, texts: Path) -> None:
    """A line for a runtime or a program makes the very model, and arrays of the types and elements of the call."""
    project, unit = opened(texts / f"{name}.sonnx")
    meaning = project.meaning(unit, contexts_of(unit, ())[0])
    for target in ("onnx.reference", "onnxruntime", "exec:true"):
        for one in calls_of(texts / f"{name}.sonnx", wanted=True)[1]:
            script = shlex.split(repro_of_call(meaning, unit, Target.of(target), one.call))[2]
            # What is made, without the call itself, which is the last statement.
            made: dict[str, object] = {}
            exec(script.partition("; print(")[0].partition("; open(")[0], made)
            assert made["m"] == ModelProto.FromString(one.call.model), one.fault.name
            for variable, array in one.call.given:
                there = made[variable]
                assert isinstance(there, np.ndarray)
                assert read(there) == array, one.fault.name


# ------------------------------------------------------------------------------------------------------ what they do


def called(operator: str, target: str, inputs: Mapping[str, Concrete], seconds: float = 5.0) -> MisuseAnswers:
    """What came of the calls that are made from an input."""
    project, unit = opened(Path(f"{operator}.sonnx").absolute())
    context = contexts_of(unit, ())[0]
    named = Target.of(target)
    with begun(project, unit, named, Settings(seconds=seconds)) as benches:
        bench = benches.of(context)
        made = misused(bench, named, context.element.name, assignment_of(bench.meaning, inputs))
    return replace(made, found=identified(unit, named, made.found))


def fault(one: Divergence) -> Fault:
    """What is wrong with a call."""
    assert one.misuse is not None
    return one.misuse


THREE: Mapping[str, Concrete] = {**{f"X{n}": tensor("int8", n) for n in range(3)}, "twice": 0}


def test_a_result_is_told(folder: Path) -> None:
    """A function that takes an unknown attribute, and refuses all else."""
    made = called("Greater", "python:called:lenient", THREE)

    counts = ("type", "calls", "refused", "omitted")
    assert {name: made.scope[name] for name in counts} == {"type": "int8", "calls": 10, "refused": 9, "omitted": []}
    assert (list(made.scope["inputs"]), made.scope["attributes"]) == (["X0", "X1", "X2"], {"twice": 0})
    assert made.scope["accepted"] == {
        "unknown-attribute": {
            "misuse": {"kind": "unknown-attribute", "subject": None},
            "title": "unknown attribute",
            "got": {"outcome": "result", "outputs": {"Y": {"dtype": "int8", "shape": [1], "data": [2]}}},
        }
    }
    assert made.found == []


def test_a_crash_is_a_divergence(folder: Path) -> None:
    """A call that ends the process, or never returns, is one divergence. Its line ends as the target did."""
    made = called("Greater", "python:called:dies_or_hangs", THREE, seconds=3.0)

    assert [(one.kind, fault(one).name) for one in made.found] == [("crash", "omitted-second-X"), ("hang", "no-inputs")]
    assert (made.scope["calls"], made.scope["refused"], made.scope["accepted"]) == (10, 8, {})
    for one in made.found:
        assert one.id.startswith(f"python-called-dies_or_hangs/user.Greater-1/{one.kind}/{fault(one).name}/")
        assert len(one.inputs) == 3
    line = made.found[0].repro.replace("python", sys.executable, 1)
    # A user's shell does not keep Python from the current folder.
    user = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, env=user)
    assert done.returncode in (-6, 134), line + done.stderr


def test_after_many_crashes_the_rest_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not called is told."""
    monkeypatch.setattr("sonnx_verify.conformance.judgement.misuse.MOST_DEATHS", 1)
    made = called("Greater", "python:called:dies_of_all", THREE)

    assert len(made.found) == made.scope["calls"] == 1
    assert made.scope["passed_over"] == 9


PROGRAM = """\
#!/bin/sh
grep -q extra "$1" && ENDS
exit 3
"""


@pytest.mark.parametrize(
    ("ends", "found"),
    [("exit 1", []), ("kill -9 $$", ["crash"]), pytest.param("exit 139", ["crash"], marks=pytest.mark.soak)],
)
def test_a_program_refuses_by_any_status(ends: str, found: list[str], folder: Path) -> None:
    """Outside of the signature a status is a refusal, and a signal a crash, whatever shell it ended in."""
    program = folder / "guarded.sh"
    program.write_text(PROGRAM.replace("ENDS", ends), "utf-8")
    program.chmod(0o755)
    made = called("Same", "exec:./guarded.sh", {"X": tensor("int8", 1)})

    assert [one.kind for one in made.found if fault(one) == Fault("unknown-attribute")] == found
    assert not made.accepted


# ---------------------------------------------------------------------------------------------------- in the answers


SAME = """\
import os

def same(x, *, extra=0):
    if x.dtype == bool:
        os.abort()
    if extra not in (0, 1) or x.ndim == 0 or x.dtype != "int8":
        raise ValueError("no such input")
    return x.copy()
"""


def test_a_crash_changes_the_verdict_and_a_result_does_not(folder: Path) -> None:
    """What comes of the calls is in the text and in the JSON, which has the form of its schema."""
    (folder / "called.py").write_text(SAME, "utf-8")
    project, unit = opened(folder / "Same.sonnx")
    settings = Settings(short=True, random=0, test_only=True)
    answer = run_tests(project, unit, Target.of("python:called:same"), settings, ())

    assert answer.verdict is Conclusion.DIVERGES
    told = "  invalid calls: 6 made; 4 refused; 1 accepted: unknown-attribute"
    assert told in list(conformance_lines(answer))
    made = conformance_json(answer)
    jsonschema.validate(made, json.loads(SCHEMA.read_text("utf-8")))
    misuse = made["scope"]["misuse"]
    assert (misuse["type"], misuse["calls"], misuse["refused"]) == ("int8", 6, 4)
    assert list(misuse["accepted"]) == ["unknown-attribute"]
    assert [one["misuse"] for one in made["crashes"]] == [{"kind": "foreign", "subject": "T-bool"}]


def test_a_ledger_of_calls_outside_of_the_signature(tmp_path: Path) -> None:
    """A run of other types makes the calls from another type, and finds nothing new; what is gone is told."""
    target = Target.of("python:m:f")

    def answer(types: list[str], *, found: bool = True) -> Conformance:
        divergence = Divergence(
            id="t/o/crash/omitted-X/0",
            kind="crash",
            title="",
            types=(types[0],),
            inputs={},
            attributes={},
            omitted=(),
            expected={},
            got={},
            repro="false",
            misuse=Fault("omitted", "X"),
        )
        scope: dict[str, dict[str, object]] = {"of_types": {name: {} for name in types}}
        return Conformance("o", target.text, "1", Conclusion.DIVERGES, scope, None, (divergence,) * found)

    write_files(updated(tmp_path, target, answer(["int8", "float"])))

    assert divergence_changes([tmp_path], target, answer(["int8", "float"])) == []
    assert divergence_changes([tmp_path], target, answer(["float"])) == []
    gone = divergence_changes([tmp_path], target, answer(["int8", "float"], found=False))
    assert gone == ["gone: t/o/crash/omitted-X/0 (int8)"]
