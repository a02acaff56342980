"""Errors by size: seeded inputs, exact values on arrays, and the records that are made of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.conformance.inputs.contexts import contexts_of, name_of
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.inputs.seeds import Elements, seeded
from sonnx_verify.conformance.judgement.accuracy import exact_term, exact_value
from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance
from sonnx_verify.conformance.judgement.sizes import BySize, size_of
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.records.accuracy import ERRORS, Entry, Recorded
from sonnx_verify.conformance.records.ledger import divergence_changes, updated
from sonnx_verify.conformance.records.ledger import entry_of as ledger_entry
from sonnx_verify.conformance.runs.bench import begun
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import Array, Call, Ending, Response
from sonnx_verify.conformance.targets.models import Models
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.approximate import approximate
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INDEX, FloatSort
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.outputs.accuracy import bins, share_words, size_words, worst_input
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.written import plain
from sonnx_verify.solving.inputs.inputs import interpretation

ROOT = Path(__file__).resolve().parents[2]
TOTAL = """\
operator Total version 1 user

types float = float

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a list" : rank(X) = 1
[E1] error      "X is a list" : when C1 fails

shape Y    = shape (k in 0 .. 0 -> 1)
value Y[i] = T(sum { real(X[[m]]) | m in 0 .. X.shape[0] - 1 })
"""
PAIR = """\
operator Pair version 1 user

types float = float

input  A : tensor of T
input  B : tensor of T
output Y : tensor of T

[C1] constraint "one shape" : A.shape = B.shape
[E1] error      "one shape" : when C1 fails

shape Y    = A.shape
value Y[i] = {value}
"""
VALUES = (
    "A[i] + B[i]",
    "A[i] - B[i]",
    "A[i] * B[i]",
    "A[i] / B[i]",
    "sqrt(A[i])",
    "fma(A[i], B[i], A[i])",
    "if is_nan(B[i]) or is_infinite(B[i]) then -A[i] else T(exp(real(B[i])))",
    "if is_nan(A[i]) then any NaN else if is_infinite(A[i]) then -T.infinity else within 2 steps of exp(real(A[i]))",
)


@dataclass
class Local:
    """A runner in this process, which keeps the arrays that it was given."""

    function: Callable[..., Any]
    calls: list[list[Any]]
    version: str = ""

    def run(self, call: Call) -> Response:
        arrays = [np.frombuffer(a.data, np.float32).reshape(a.shape) for _, a in call.given]
        self.calls.append(arrays)
        with np.errstate(all="ignore"):
            made = np.asarray(self.function(*arrays), np.float32)
        return Response(Ending.RESULT, (Array("float", made.shape, made.tobytes()),))

    def again(self, call: Call) -> Response:
        return self.run(call)

    def close(self) -> None:
        """Nothing to end."""


def by_size(folder: Path, text: str, function: Callable[..., Any]) -> tuple[BySize, Local]:
    """The measurement of a function on the one type of a text."""
    path = folder / "text.sonnx"
    path.write_text(text, "utf-8")
    project = Project.of_files(folder, [path])
    (unit,) = (u for u in project.units if u.path == path)
    assert unit.error is None
    (context,) = contexts_of(unit, ())
    meaning = project.meaning(unit, context)
    runner = Local(function, [])
    oracle = ArrayOracle(project, unit, meaning)
    models = Models(project, unit, meaning, wanted=False)
    return BySize.on(Points(project, unit, context), oracle, models, runner), runner


def words(seed: int) -> Iterator[int]:
    """The words of a seed, by docs/vectors.md."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def element(way: str, word: int) -> Fraction:
    """The float of a word, by docs/vectors.md."""
    sign = -1 if word >> 63 and way != "magnitudes" else 1
    if way == "spread":
        digits = (word >> 40) & ((1 << 23) - 1)
        return sign * (1 + Fraction(digits, 1 << 23)) * Fraction(2) ** (word % (1 << 11) % 17 - 10)
    return sign * Fraction((word >> 39) & ((1 << 24) - 1), 1 << 24)


@pytest.mark.parametrize("way", [way for way in Elements if way is not Elements.BITS])
def test_elements_of_a_seed(way: Elements) -> None:
    """They are those that docs/vectors.md describes."""
    sort = ELEMENT_TYPES["float"]
    assert isinstance(sort, FloatSort)
    found = words(7)
    wanted = [element(way, next(found)) for _ in range(200)]

    made = [floats.to_fraction(sort, bits) for bits in seeded(sort, (200,), way, 7).elements]  # type: ignore[arg-type]
    assert made == wanted
    assert (min(wanted) < 0) == (way is not Elements.MAGNITUDES)


def test_sums_by_size(tmp_path: Path) -> None:
    """Each class has its inputs, and its worst one follows from what is said of it: shape, seed, and nothing else."""
    measured, runner = by_size(tmp_path, TOTAL, lambda x: np.add.accumulate(np.append(np.float32(0), x))[-1:])
    rows = [plain(one) for one in measured.of("float", 0, 3)["Y"]]

    assert [(row["least"], row["most"]) for row in rows] == [(0, 8), (9, 100), (101, 1000), (1001, 10_000)]
    sizes = [len(x) for (x,) in runner.calls]
    for row in rows:
        inside = [size for size in sizes if row["least"] <= size <= row["most"]]
        assert row["measured"] == len(inside) == sum(one["elements"] for one in row["histogram"]) == 3
        tensor = row["worst"]["inputs"]["X"]
        found = words(tensor["seed"])
        exact = [element(tensor["elements"], next(found)) for _ in range(*tensor["shape"])]
        total = np.float32(0)
        for x in exact:
            total = np.float32(total + np.float32(float(x)))
        assert float(total) == row["worst"]["got"]
        assert row["worst"]["exact"].startswith(str(float(sum(exact)))[:12])
        exponent = max(np.frexp(float(abs(sum(exact))))[1] - 24, -149)
        ulps = abs(Fraction(float(total)) - sum(exact)) / Fraction(2) ** int(exponent)
        assert row["worst"]["ulps"] == pytest.approx(float(ulps), rel=1e-3)
    # Behind a thousand additions, few sums are still the nearest floats.
    assert rows[0]["nearest"] > rows[3]["nearest"]


def test_a_size_is_read_for_each_element(tmp_path: Path) -> None:
    """It is the number of elements of the inputs for each one of the output, rounded up."""
    total, _ = by_size(tmp_path, TOTAL, np.sum)
    pair, _ = by_size(tmp_path, PAIR.format(value="A[i] + B[i]"), np.add)

    assert {size_of(total.points, x) for x in total.pool} == {0, 1, 2, 3}
    assert {size_of(pair.points, x) for x in pair.pool} == {0, 2}


def test_the_same_again(tmp_path: Path) -> None:
    """The inputs depend on the seed, the types and the class alone."""
    measured, runner = by_size(tmp_path, TOTAL, lambda x: np.sum(x)[None])
    first = measured.of("float", 0, 2)
    calls = [x.tobytes() for (x,) in runner.calls]
    runner.calls.clear()

    assert measured.of("float", 0, 2) == first
    assert [x.tobytes() for (x,) in runner.calls] == calls
    assert measured.of("float", 1, 1) != measured.of("float", 0, 1)


@pytest.mark.parametrize("value", VALUES)
def test_exact_values_on_arrays(tmp_path: Path, value: str) -> None:
    """They are those of the reference evaluator, where the float is finite: for special values too."""
    measured, _ = by_size(tmp_path, PAIR.format(value=value), lambda a, b: a)
    meaning, sort = measured.models.meaning, measured.points.context.element
    assert isinstance(sort, FloatSort)
    index = placeholder(INDEX)
    term = meaning.values["Y"](index)
    special = [floats.from_float(sort, x) for x in (0.0, -0.0, 1.0, -1.5, 0.1, 3e38, np.inf, -np.inf, np.nan)]
    pairs = list(product(special, special))
    made = dict(next(x for x in measured.pool if getattr(x["A"], "shape", ()) == (3,)))
    made["A"] = ConcreteTensor(sort, (len(pairs),), tuple(a for a, _ in pairs))
    made["B"] = ConcreteTensor(sort, (len(pairs),), tuple(b for _, b in pairs))
    (result,) = measured.oracle.results(made) or ()
    facts = interpretation(meaning.given, made)

    finite = np.isfinite(result.value)
    assert np.sum(finite) > 20
    for place, other in enumerate(result.reals(exact_term)):
        if finite[place]:
            exact = exact_value(term, {number_of(index): stripped((place,))}, facts)
            assert approximate(other) == approximate(exact)


def test_what_is_not_measured_is_counted(tmp_path: Path) -> None:
    """Infinities where the specification has none, and elements for which any value conforms."""
    measured, _ = by_size(tmp_path, PAIR.format(value="A[i] + B[i]"), lambda a, b: np.full_like(a, np.inf))
    (row,) = measured.of("float", 0, 3)["Y"]
    open_, _ = by_size(tmp_path, PAIR.format(value="any T"), lambda a, b: a)
    (other,) = open_.of("float", 0, 3)["Y"]

    assert row.measured == 0
    assert row.not_finite == row.differ > 0
    assert other.open > 0 == other.measured


TARGET = "def added(A, B):\n    if A.shape != B.shape:\n        raise ValueError\n    return A + B\n"
COMMAND = ("conform", "user.Pair-1", "--against", "python:pairs:added", "--short", "--update-accuracy", "--random")


def test_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes it, and what is read is written the same again."""
    (tmp_path / "pair.sonnx").write_text(PAIR.format(value="A[i] + B[i]"), "utf-8")
    (tmp_path / "pairs.py").write_text(TARGET, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*COMMAND, "2", "--format", "json"])
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "proofs" / "accuracy").glob("*.json")
    record = ERRORS.read(path, tmp_path)

    assert ERRORS.written(record) == path.read_text("utf-8")
    (entry,) = record.operators.values()
    assert (entry.seed, entry.random) == (0, 2)
    (answer,) = json.loads(done.output)["accuracy"]
    assert [{"type": "float", "output": "Y", **one} for one in answer["sizes"]] == list(entry.rows)
    assert entry.rows[0]["nearest"] == entry.rows[0]["measured"] > 0

    for text in ("[]", '{"target": "t", "version": "1", "operators": {"a": {"seed": 0, "random": 1, "rows": [{}]}}}'):
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match="not a record of errors"):
            ERRORS.read(path, tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("1", "--types", "float"), "the record has all types"),
        (("0",), "without random inputs nothing is recorded"),
        (("1", "--vectors", "."), "--update-accuracy"),
        (("1", "--update-ledger"), "have no place in the ledger"),
        (("1", "--frozen"), "have no place in the ledger"),
    ],
)
def test_no_record_of_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    """A record says what all types of an operator gave."""
    (tmp_path / "pair.sonnx").write_text(PAIR.format(value="A[i] + B[i]"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*COMMAND, *options])

    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "proofs").exists()


def row(**more: Any) -> dict[str, Any]:
    """A row of a record."""
    made: dict[str, Any] = {"least": 9, "most": 1000, "measured": 0, "nearest": 0, "histogram": [], "worst": None}
    return made | more


def test_words() -> None:
    """A share is never rounded up to all, nor down to none; an input takes a line."""
    shares = [share_words(row(measured=n, nearest=k)) for n, k in ((3000, 2999), (3000, 1), (3000, 0), (8, 8), (0, 0))]
    assert shares == ["99.9 %", "< 0.1 %", "0 %", "100 %", ""]
    assert [size_words(row()), size_words(row(least=0))] == ["9 to 1,000", "up to 1,000"]

    histogram = [{"up_to": 0.5, "elements": 3}, {"up_to": 1.0, "elements": 1}]
    found = [(one.name, one.elements, one.percent) for one in bins(row(measured=4, histogram=histogram))]
    assert found == [("exact", 0, 0), ("up to 0.5", 3, 75), ("up to 1", 1, 25)]
    (*_, last) = bins(row(measured=4, histogram=[{"up_to": None, "elements": 4}]))
    assert last.name == "more than 128"

    seeded = {"dtype": "float", "shape": [2, 9], "elements": "spread", "seed": 7}
    axes = {"dtype": "int64", "shape": [1], "data": [1]}
    worst = {"inputs": {"X": seeded, "axes": axes}, "attributes": {"k": 0}, "index": [1]}
    said = "X = float (2, 9) spread of seed 7, axes = int64 (1) [1], k = 0; at [1]"
    assert worst_input(row(worst=worst)) == said


def test_a_record_is_sorted() -> None:
    """By operator, however they come."""
    entries = {name: Entry(0, 1, ()) for name in ("b", "a")}
    assert ERRORS.written(Recorded("t", "1", entries)) == ERRORS.written(
        Recorded("t", "1", dict(reversed(entries.items())))
    )


def covering(**changes: Any) -> Conformance:
    """An answer with what was covered for one group of types."""
    numbers: dict[str, Any] = {"types": ["float"], "strength": 3, "combinations": 9, "covered": 7, "rows": 4, "left": 1}
    numbers |= {**changes, "factors": ["rank"], "rejected": ["rank 0 with axis 1"]}
    scope = {"covering": [numbers], "strength": 3}
    return Conformance("a", "onnx.reference", "1", Conclusion.AGREES, scope, "bits")


def test_what_a_ledger_keeps_of_a_covering(tmp_path: Path) -> None:
    """The numbers for each group of types: the classes, and which pairs no valid input has, are the specification's. A
    run that covers less is a change."""
    numbers = {"types": ["float"], "strength": 3, "combinations": 9, "covered": 7, "rows": 4, "left": 1}
    assert ledger_entry(covering())["scope"]["covering"] == [numbers]

    target = Target.of("onnx.reference")
    ((path, text),) = updated(tmp_path, target, covering()).items()
    assert text is not None
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    assert divergence_changes([tmp_path], target, covering()) == []
    path.write_text(text.replace('"rows": 4', '"rows": 4, "factors": ["rank"]'), "utf-8")
    assert divergence_changes([tmp_path], target, covering()) == []
    (change,) = divergence_changes([tmp_path], target, covering(covered=6))
    assert change.startswith("coverage of float: ledger {")
    assert '"covered": 6' in change
    path.write_text(text.replace('"rows": 4', '"rows": "4"'), "utf-8")
    with pytest.raises(UserError, match="not a ledger"):
        divergence_changes([tmp_path], target, covering())


@pytest.mark.soak
@pytest.mark.parametrize("target", ["onnx.reference", "onnxruntime"])
def test_the_committed_records_again(target: str) -> None:
    """What is measured now is, to the byte, what is committed, if the runtime is of the same version."""
    project = Project.open(ROOT)
    unit = next(u for u in project.units if u.operator == "sonnx.ReduceSum-13")
    (record,) = (one for one in ERRORS.all([ROOT]) if one.target == target)
    rows: list[Any] = []
    with begun(project, unit, Target.of(target), Settings()) as benches:
        if benches.runner.version != record.version:
            pytest.skip(f"the record is of {record.version}, not of {benches.runner.version}")
        for context in contexts_of(unit, ("float16", "float")):
            bench, points = benches.of(context), Points(project, unit, context)
            oracle = ArrayOracle(project, unit, bench.meaning)
            types = name_of(unit, context)
            measured = BySize.on(points, oracle, bench.models, benches.runner).of(types, 0, 40)
            found = [(name, plain(size)) for name, sizes in measured.items() for size in sizes]
            rows += [{"type": types, "output": name, **one} for name, one in found]

    known = [one for one in record.operators[unit.operator].rows if one["type"] in ("float16", "float")]
    assert json.loads(json.dumps(rows)) == known
