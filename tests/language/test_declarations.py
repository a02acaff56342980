"""Optional inputs and outputs, attributes with defaults, several outputs and type variables, written as a user would.

Every obligation is proved or holds; on small inputs the specification says what numpy does, whatever is left out; and a
text with one thing wrong in it is refuted by an obligation or says something else than numpy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, FLOATS
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.replay import assignment_of, replay
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SHAPES = [sizes for rank in range(3) for sizes in product(range(3), repeat=rank)]
Given = dict[str, Any]
Case = tuple[Given, dict[str, np.ndarray] | None]
Edited = Callable[[str, str, str], Path]
(FLOAT,) = (s for s in FLOATS if s == ELEMENT_TYPES["float"])


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """Both solvers, started once."""
    with Solvers() as started:
        yield started


def verdicts(path: Path, solvers: Solvers, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, str]:
    """The verdict of each obligation of a text whose id is wanted."""
    obligations = [o for o in collect(Project.of_files(ROOT, [path])) if wanted(o.id)]
    return {record.id: record.verdict.name for record in run(obligations, solvers)}


# -------------------------------------------------------------------------------------------------------- obligations

SUBJECT = {
    "clip": "user.Clip-13",
    "flip": "user.Flip-1",
    "threshold": "user.Above-1",
    "exchange": "user.Exchange-1",
}
SECTIONS = {
    "clip": ("int", "float"),
    "flip": ("int", "float"),
    "threshold": ("",),
    "exchange": ("int-int32", "int-int64", "float-int32", "float-int64"),
}
PROVED = {
    "clip": ("R/in-bounds", "Y.value/in-bounds", "Y/determined", "C1/covered", "C2/exclusive"),
    "flip": ("Y.value/in-bounds", "Y/determined", "C1/covered", "C2/exclusive"),
    "threshold": ("C1/in-bounds", "Y/determined", "C1/covered", "C1/exclusive"),
    "exchange": (
        *("Low.value/in-bounds", "Keys.value/in-bounds", "Swapped.shape/in-bounds", "Swapped.value/in-bounds"),
        *("Low/determined", "Keys/determined", "Swapped/determined", "Swapped.shape/total"),
    ),
}


@pytest.mark.parametrize("name", SUBJECT)
def test_every_obligation_is_proved_or_holds(name: str, solvers: Solvers) -> None:
    """For every rank, every type, and whatever is left out; every output has obligations of its own."""
    found = verdicts(HERE / f"{name}.sonnx", solvers)
    expected = {f"{SUBJECT[name]}/spec/well-formed": "holds"}
    for section in SECTIONS[name]:
        prefix = f"{SUBJECT[name]}{'.' if section else ''}{section}"
        expected |= {f"{prefix}/{rest}": "proved" for rest in PROVED[name]}
        expected[f"{prefix}/spec/satisfiable"] = "holds"
    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert {i: found.get(i) for i in expected} == expected


# -------------------------------------------------------------------------------------------------------------- numpy


class Specified:
    """The specification of a text on arrays, attributes and texts; what is not among them is left out."""

    def __init__(self, path: Path) -> None:
        self.project = Project.of_files(ROOT, [path])
        self.unit = self.project.units[0]

    def __call__(self, given: Mapping[str, Any]) -> dict[str, np.ndarray] | None:
        """The results by name, or None where the input is not valid."""
        values = {n: from_array(n, v) if isinstance(v, np.ndarray) else v for n, v in given.items()}
        types = {"T": getattr(values.get("X", values.get("A")), "sort", ELEMENT)}
        types["I"] = getattr(values.get("K"), "sort", ELEMENT)
        assert self.unit.file is not None
        has_t = "T" in self.unit.file.type_variables.values()
        element = types["T"] if has_t else ELEMENT
        instance = next(
            i
            for i in instances(self.unit.file)
            if (not has_t or element.name in i.types) and all(types[v] == s for v, s in i.variables.items())
        )
        family = family_of(element) if has_t else instance.family
        meaning = self.project.meaning(self.unit, Context(family, element, variables=instance.variables))
        outcome = replay(self.project, self.unit, meaning, assignment_of(meaning, values), why=False)
        assert not outcome.undetermined
        if outcome.undeclared or outcome.broken or outcome.errors:
            return None
        return {name: to_array(tensor) for name, tensor in outcome.outputs.items()}


def same(a: dict[str, np.ndarray] | None, b: dict[str, np.ndarray] | None) -> bool:
    """The same outputs, of the same types and shapes, with the same bits."""
    if a is None or b is None:
        return a is b
    return a.keys() == b.keys() and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and a[n].tobytes() == b[n].tobytes() for n in a
    )


def differing(path: Path, cases: Iterable[Case]) -> list[str]:
    """The cases in which the specification says something else than what is expected."""
    specified = Specified(path)
    return [f"{given}: {said}, not {e}" for given, e in cases if not same(said := specified(given), e)]


def numbers(shape: tuple[int, ...], dtype: Any, start: int = 0) -> np.ndarray:
    """An array of different numbers around 0."""
    size = int(np.prod(shape))
    return np.roll(np.arange(start, start + size) - size // 2, 1).astype(dtype).reshape(shape)


def clip_cases() -> Iterator[Case]:
    bounds = [None, np.array(-1), np.array(1), np.array([1])]
    for dtype, shape, low, high in product((np.int8, np.float32), SHAPES, bounds, bounds):
        x = numbers(shape, dtype)
        given: Given = {"X": x}
        given |= {n: b.astype(dtype) for n, b in (("min", low), ("max", high)) if b is not None}
        scalars = all(b is None or b.ndim == 0 for b in (low, high))
        y = x if low is None else np.maximum(x, given["min"])
        y = y if high is None else np.minimum(y, given["max"])
        yield given, {"Y": y.astype(dtype)} if scalars else None


def flip_cases() -> Iterator[Case]:
    for shape, direction, axis in product(SHAPES, (None, "FORWARD", "REVERSE", "SIDEWAYS"), (None, *range(-3, 3))):
        x = numbers(shape, np.int16)
        given: Given = {"X": x}
        given |= {n: v for n, v in (("direction", direction), ("axis", axis)) if v is not None}
        result = None
        if direction == "FORWARD":
            result = x if axis is None else None
        elif direction != "SIDEWAYS" and -x.ndim <= (a := -1 if axis is None else axis) < x.ndim:
            result = np.flip(x, a)
        yield given, None if result is None else {"Y": result}


def threshold_cases() -> Iterator[Case]:
    for alpha, sizes in product((None, 0.0, 0.1, -0.5, np.inf, np.nan), (None, (), (3,), (2, 2), (4,))):
        x = np.array([np.nextafter(np.float32(0.1), np.float32(1)), 0.1, -0.0, np.nan], np.float32)
        given: Given = {"X": x}
        given |= {} if alpha is None else {"alpha": floats.from_float(FLOAT, alpha)}
        given |= {} if sizes is None else {"sizes": sizes}
        bound = np.float32(0.1 if alpha is None else alpha)
        yield given, {"Y": bound < x} if sizes in (None, (4,)) else None


def exchange_cases() -> Iterator[Case]:
    others = ((), (2,), (2, 0), (2, 2))
    for dtype, keys, shape, other in product((np.int8, np.float32), (np.int32, np.int64), SHAPES, others):
        a, b = numbers(shape, dtype), np.asarray(np.flip(numbers(other, dtype)))
        k, m = numbers(shape, keys, 10), numbers(other, keys, 20)
        for asked in (False, True):
            given: Given = {"A": a, "B": b, "K": k, "M": m} | ({"Swapped.given": True} if asked else {})
            if shape != other or (asked and not shape):
                yield given, None
                continue
            result = {"Low": np.where(b < a, b, a), "Keys": np.where(b < a, m, k)}
            if asked:
                result["Swapped"] = np.any((b < a).reshape(shape[0], -1), axis=1)
            yield given, result


CASES: dict[str, Callable[[], Iterable[Case]]] = {
    "clip": clip_cases,
    "flip": flip_cases,
    "threshold": threshold_cases,
    "exchange": exchange_cases,
}


@pytest.mark.parametrize("name", CASES)
def test_says_what_numpy_does(name: str) -> None:
    """Valid exactly where it should be, with every output that is asked for, and its type."""
    cases = list(CASES[name]())
    assert {expected is None for _, expected in cases} == {True, False}
    assert differing(HERE / f"{name}.sonnx", cases)[:3] == []


# --------------------------------------------------------------------------------------------------------- wrong texts

REFUTED = [
    # A bound is read where it may be missing: in a value, in a constraint, under the condition for the other one.
    ("clip", "if given(max) then lowered", "if rank(max) = 0 then lowered", "int/Y.value/in-bounds"),
    ("clip", "given(min) => rank(min) = 0", "rank(min) = 0", "int/C1/in-bounds"),
    ("clip", "if given(min) then raised", "if given(max) then raised", "int/R/in-bounds"),
    # Nothing says that a bound is a scalar.
    ("clip", "given(max) => rank(max) = 0", "given(max) => rank(max) <= 1", "int/Y.value/in-bounds"),
    # An axis is checked only where it is written, so its default may be none.
    ("flip", 'direction = "FORWARD" or -rank', "not given(axis) or -rank", "int/Y.value/in-bounds"),
    # Reading forward is no error.
    ("flip", "when C1 fails", 'when direction = "FORWARD"', "int/C1/exclusive"),
    # An output speaks of an axis that is there only where another one is asked for.
    ("exchange", "not given(Swapped) or", "given(Swapped) or", "int-int32/Swapped.shape/in-bounds"),
    ("threshold", "count(sizes) = rank(X) and ", "", "C1/in-bounds"),
]  # fmt: skip  # a table
DIFFERENT = [
    ("clip", "if given(max) then lowered(R[i]", "if given(max) then raised(R[i]"),
    ("flip", 'string default "REVERSE"', 'string default "FORWARD"'),
    ("flip", "int default (-1)", "int default 0"),
    ("threshold", "float default 0.1", "float default 0.10000002"),
    ("threshold", "float default 0.1", "float"),
    ("exchange", "key(B[i] < A[i], K[i], M[i])", "key(A[i] < B[i], K[i], M[i])"),
    ("exchange", "then B[i] else A[i]", "then A[i] else B[i]"),
    ("exchange", "exists j in A where", "for all j in A where"),
]


@pytest.mark.parametrize(("name", "old", "new", "refuted"), REFUTED)
def test_wrong_text_is_refuted(name: str, old: str, new: str, refuted: str, edited: Edited, solvers: Solvers) -> None:
    """The obligation that the mistake breaks has a counterexample, which the evaluator has replayed."""
    wanted = f"{SUBJECT[name]}{'.' if refuted.count('/') == 2 else '/'}{refuted}"
    assert verdicts(edited(name, old, new), solvers, wanted.__eq__) == {wanted: "refuted"}


@pytest.mark.parametrize(("name", "old", "new"), DIFFERENT)
def test_wrong_text_differs_from_numpy(name: str, old: str, new: str, edited: Edited) -> None:
    """A text that means something else is told apart by the inputs of the test above."""
    path = edited(name, old, new)
    try:
        found = differing(path, CASES[name]())
    except KeyError as problem:
        found = [str(problem)]
        # Without a default the attribute has to be given, and the cases leave it out.
        if "missing" not in str(problem):
            raise

    assert found != []


# ----------------------------------------------------------------------------------------------------------- commands


def ask(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    """The exit status of a command among these texts, and everything it prints."""
    monkeypatch.chdir(HERE)
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


A = ("--input", "A=int8:[3, 1]", "--input", "B=int8:[2, 2]")
SCALARS = tuple(f"--input={name}=int{8 if name in 'AB' else 32}:1" for name in "ABKM")
KEYS = ("--input", "K=int64:[0, 1]", "--input", "M=int64:[5, 6]")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("user.Clip", "--input", "X=int8:[-3, 3]", "--input", "max=int8:1"), 0, "Y = int8 (2) [-3, 1]"),
        (("user.Clip", "--input", "X=int8:[-3, 3]", "--input", "max=int16:1"), 2, "both hold elements of T"),
        (("user.Flip", "--input", "X=int8:[1, 2]"), 0, "Y = int8 (2) [2, 1]"),
        (("user.Flip", "--input", "X=int8:[1, 2]", "--attr", "direction=FORWARD"), 0, "Y = int8 (2) [1, 2]"),
        (("user.Flip", "--input", "X=int8:[1, 2]", "--attr", "direction=UP"), 1, "does not match its declaration"),
        (("user.Flip", "--input", "X=int8:[1, 2]", "--attr", "axis=1.0"), 2, "`1.0` is not an integer"),
        (("user.Flip", "--input", "X=int8:[1, 2]", "--attr", "axis=9223372036854775808"), 2, "is beyond 64 bits"),
        (("user.Flip", "--input", "X=int8:[1, 2]", "--attr", "axes=[1]"), 2, "has no attribute `axes`"),
        (("user.Above", "--input", "X=float:[0.5]", "--attr", "alpha=0.5"), 0, "Y = bool (1) [false]"),
        (("user.Above", "--input", "X=float:[0.5]", "--attr", "sizes=[2]"), 1, "C1 fails"),
        (("user.Above", "--input", "X=float:[0.5]", "--attr", "sizes=1"), 2, "is not a list of integers"),
        (("user.Exchange", *A, *KEYS), 0, "Keys = int64 (2) [5, 1]"),
        (("user.Exchange", *A, *KEYS, "--output", "Swapped"), 0, "Swapped = bool (2) [true, false]"),
        (("user.Exchange", *A, *KEYS[:2], "--input", "M=int32:[5, 6]"), 2, "both hold elements of I"),
        (("user.Exchange", *A, *KEYS[:2], "--input", "M=int8:[5, 6]"), 2, "use one of int32, int64"),
        (("user.Exchange", *A, *KEYS[:2]), 2, "missing input `M`"),
        (("user.Concat", "--input", "X0=int8:[1]", "--attr", "axis=3"), 1, "-r = -1, axis = 3"),
        (("user.Exchange", *SCALARS, "--output", "Swapped"), 1, "`not given(Swapped) or rank(A) > 0` is false"),
    ],
)  # fmt: skip  # a table
def test_eval(arguments: tuple[str, ...], status: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`eval` takes attributes of every kind, lets what may be left out be left out, and tells types apart."""
    found, said = ask(monkeypatch, "eval", *arguments)

    assert found == status
    assert says in said


def test_eval_shows_the_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each type variable stands for is part of the answer."""
    _, said = ask(monkeypatch, "eval", "user.Exchange", *A, *KEYS, "--format", "json")

    assert json.loads(said)["types"] == {"T": "int8", "I": "int64"}


def test_what_is_left_out_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A witness names what is not given, with the default that it has instead; the smallest leaves out all it can."""
    _, said = ask(monkeypatch, "explain", "--counterexample", "user.Clip-13.int/spec/satisfiable", "--format", "json")
    shown = json.loads(said)["witness"]

    assert (shown["attributes"], list(shown["inputs"]), shown["omitted"]) == ({}, ["X"], ["min", "max"])
    _, said = ask(
        monkeypatch, "explain", "--counterexample", "user.Exchange-1.int-int64/C2/independent", "--format", "json"
    )
    made = json.loads(said)
    assert made["variables"] == {"I": "int64"}
    assert made["witness"]["omitted"] == []
    _, said = ask(monkeypatch, "explain", "--counterexample", "user.Flip-1.int/E1/satisfiable")
    assert re.search(r'direction += "FORWARD"', said)
    _, said = ask(monkeypatch, "explain", "--counterexample", "user.Flip-1.int/E2/satisfiable")
    assert re.search(r'direction += not given, so "REVERSE"', said)
    assert re.search(r"axis += not given, so -1", said)


def test_exports_leave_out_what_is_not_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The ONNX test has the attributes and inputs that are given, in their places, and the outputs asked for."""
    import onnx

    for identity, inputs, outputs, attributes in (
        ("user.Clip-13.int/C2/independent", ["X", "", "max"], ["Y"], {}),
        ("user.Flip-1.int/C1/independent", ["X"], ["Y"], {"direction": b"FORWARD", "axis": -1}),
        ("user.Exchange-1.float-int64/C1/independent", ["A", "B", "K", "M"], ["Low", "Keys"], {}),
        ("user.Exchange-1.float-int64/C2/independent", ["A", "B", "K", "M"], ["Low", "Keys", "Swapped"], {}),
        ("user.Above-1/C1/independent", ["X"], ["Y"], {"sizes": []}),
    ):
        folder = tmp_path / identity.replace("/", "_")
        status, said = ask(
            monkeypatch, "explain", "--counterexample", identity, "--export", "onnx", "--out", str(folder)
        )
        assert status == 0, said
        model = onnx.load(str(folder / "model.onnx"))
        node = model.graph.node[0]
        found = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

        assert (list(node.input), list(node.output)) == (inputs, outputs), identity
        assert found == attributes, identity
        assert [i.name for i in model.graph.input] == [name for name in inputs if name]
    model = onnx.load(str(tmp_path / "user.Exchange-1.float-int64_C2_independent" / "model.onnx"))
    kinds = {o.name: o.type.tensor_type.elem_type for o in model.graph.output}
    assert kinds == {"Low": onnx.TensorProto.FLOAT16, "Keys": onnx.TensorProto.INT64, "Swapped": onnx.TensorProto.BOOL}


def test_numpy_snippet_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out has its default, or is None."""
    _, snippet = ask(monkeypatch, "explain", "--counterexample", "user.Above-1/spec/satisfiable", "--export", "numpy")
    scope: dict[str, Any] = {}
    exec(compile(snippet, "snippet", "exec"), scope)

    assert scope["sizes"] is None
    assert scope["alpha"] == np.float32(0.1)


def test_the_json_keeps_to_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with texts, type variables, and what is left out."""
    import jsonschema

    schema = json.loads((ROOT / "sonnx_verify/outputs/check.schema.json").read_text("utf-8"))
    status, said = ask(monkeypatch, "check", "exchange.sonnx", "flip.sonnx", "threshold.sonnx", "--format", "json")

    assert status == 0
    assert [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(said))] == []


@pytest.mark.parametrize(
    ("statement", "status", "words"),
    [
        ("Clip(A) = A", 1, "proved for real, int8"),
        ("Clip(A, B) = A", 1, "refuted"),
        ("Flip(A) = Flip(A)", 1, "Flip.2.direction"),
        ('Flip(A with direction = "FORWARD").shape = A.shape', 1, "the applied operator has a result"),
        ("for a : int : Flip(A with axis = a).shape = A.shape", 2, "`A`"),
        ("for s, t : string : s = t", 1, "refuted"),
        ('for s : string : s = "A" or s = "B"', 1, "refuted"),
        ('for s, t : string assuming s = "A" and t = "B" : s != t', 0, "proved"),
        (
            "for X : tensor of float; s : ints"
            " : Above(X with alpha = 1, sizes = s) = Above(X with alpha = 1.0, sizes = s)",
            0,
            "proved",
        ),
        ("Flip(A with axes = [1]) = A", 2, "no attribute `axes`"),
        ('Flip(A with axis = "a") = A', 2, "is an int, not a string"),
        ("Exchange(A, A, A, A) = A", 2, "several outputs"),
        ("for K : tensor of int64 : Exchange(A, A, K, K) = A", 2, "`A`"),
        ("for A : tensor of T; K : tensor of int64 : Exchange(A, A, K, K) = A", 2, "several outputs"),
        ("given(A)", 2, "`given` takes"),
    ],
)
def test_prove(statement: str, status: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators with attributes in statements: what is not written is universal, and each time anew."""
    found, said = ask(monkeypatch, "prove", statement)

    assert (found, words in said) == (status, True), said
