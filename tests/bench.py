"""Speed, against the targets of docs/design.md. Prints a table; never fails for being slow."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from sonnx_verify import load
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import and_
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.solvers import Solvers, cvc5_solver, z3_solver
from sonnx_verify.solving.solvers.limits import DEFAULT_BUDGET

ROOT = Path(__file__).parent.parent
Row = tuple[str, str, str]


def seconds(*command: str, runs: int = 3) -> float:
    """The least of some runs of a command."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sonnx_verify", *command], cwd=ROOT, capture_output=True, check=True)
        taken.append(time.perf_counter() - began)
    return min(taken)


def jobs_ratio() -> tuple[float, float]:
    """Seconds of a full check by one process, and by the default number of them, taken in turns."""
    one, default = [], []
    for _ in range(3):
        one.append(seconds("check", "--no-cache", "--jobs", "1", runs=1))
        default.append(seconds("check", "--no-cache", runs=1))
    return min(one), min(default)


def query_times() -> dict[str, list[float]]:
    """Seconds of every query of a full check, asked once more of each solver, alone."""
    texts: dict[str, None] = {}
    with Solvers() as solvers:
        submit = solvers.submit

        def noting(text: str, *rest: Any, **named: Any) -> object:
            texts[text] = None
            return submit(text, *rest, **named)

        solvers.submit = noting  # type: ignore[method-assign,assignment]  # to see the texts as they are asked
        for _ in run(collect(Project.open(ROOT)), solvers):
            pass
    taken: dict[str, list[float]] = {"z3": [], "cvc5": []}
    for text in texts:
        for name, solver in (("z3", z3_solver), ("cvc5", cvc5_solver)):
            began = time.perf_counter()
            solver.ask(text, DEFAULT_BUDGET)
            taken[name].append(time.perf_counter() - began)
    return taken


LAW = "proofs.reducing/result_broadcasts_back/theorem"
SIZES = (0, 1, 2)


def law_beside_enumeration() -> list[Row]:
    """What a law of shapes and sets of axes costs for all of them, and for those of one rank after the other with
    sizes up to 2, by the reference evaluator."""
    (law,) = [o for o in collect(Project.open(ROOT)) if o.id == LAW]
    with Solvers() as solvers:
        began = time.perf_counter()
        (record,) = run([law], solvers)
        rows = [(f"{LAW}: {record.verdict.name}", f"{1000 * (time.perf_counter() - began):.0f} ms", "flat in the rank")]
    statement, _ = Work(law).on(ELEMENT)
    false = [and_(*claim.refutation) for claim in statement.claims]
    for rank in range(6):
        began, number = time.perf_counter(), 0
        for shape in product(SIZES, repeat=rank):
            for size in range(rank + 1):
                for axes in combinations(range(rank), size):
                    facts = interpretation(statement.variables, {"S": shape, "A": frozenset(axes)})
                    assert not any(evaluate(f, facts) for f in false), (shape, axes)
                    number += 1
        taken = time.perf_counter() - began
        rows.append((f"  the same, rank {rank}: {number} shapes and sets of axes", f"{1000 * taken:.0f} ms", ""))
    return rows


def alternating(ours: Callable[[], object], theirs: Callable[[], object], runs: int, times: int) -> tuple[float, float]:
    """The least seconds of each of two computations, taken in turns: what else the machine does meets both."""
    least = [float("inf"), float("inf")]
    for _ in range(runs):
        for n, compute in enumerate((ours, theirs)):
            began = time.perf_counter()
            for _ in range(times):
                compute()
            least[n] = min(least[n], (time.perf_counter() - began) / times)
    return least[0], least[1]


SIDE = 4096


def evaluator_beside_numpy() -> list[Row]:
    """The evaluator on float32 arrays of 4096 x 4096: how many times as long as numpy's own maximum and minimum, which
    leave the sign of zeros open."""
    rng = np.random.default_rng(0)
    zeros = np.array([0.0, -0.0], np.float32)
    kinds = {
        "normal": [rng.standard_normal((SIDE, SIDE), dtype=np.float32) for _ in range(2)],
        "full of zeros": [rng.choice(zeros, (SIDE, SIDE)) for _ in range(2)],
    }
    settings = {"keepdims": 0, "noop_with_empty_axes": 0}
    rows = []
    for kind, (a, b) in kinds.items():
        for name, function in (("Max", np.maximum), ("Min", np.minimum)):
            whole, along = load(f"sonnx.{name}"), load(f"sonnx.Reduce{name}")
            pairs = {name: (partial(whole.evaluate, a, b), partial(function, a, b))}
            for axis in (0, 1):
                ours = partial(along.evaluate, a, np.array([axis]), **settings)
                pairs[f"Reduce{name}, axis {axis}"] = ours, partial(function.reduce, a, axis=axis)
            for what, both in pairs.items():
                least = alternating(*both, 15, 1)
                target = "1.3" if kind == "normal" else "2.5"
                rows.append((f"{what}, {kind}: numpy's time, times", f"{least[0] / least[1]:.2f}", target))
    return rows


def sums_beside_numpy() -> list[Row]:
    """Sums of floats along each axis, and along all: how many times as long as numpy's own."""
    rng = np.random.default_rng(0)
    added, rows = load("sonnx.ReduceSum"), []
    for dtype, shape in product(("float32", "float64"), ((SIDE, SIDE), (256, 256, 256), (SIDE * SIDE // 5, 5))):
        data = rng.standard_normal(shape).astype(dtype)
        for axes in [*((n,) for n in range(data.ndim)), tuple(range(data.ndim))]:
            ours = partial(added.evaluate, data, np.array(axes), keepdims=0, noop_with_empty_axes=0)
            least = alternating(ours, partial(np.add.reduce, data, axis=axes), 9, 1)
            what = f"sum of {dtype} {shape} along {axes}"
            rows.append((f"{what}: numpy's time, times", f"{least[0] / least[1]:.2f}", "2"))
    return rows


def functions_beside_numpy() -> list[Row]:
    """Functions of reals, correctly rounded, on 1024 x 1024: how many times as long as numpy's own, which are not, or
    as its exp where it has none."""
    rng = np.random.default_rng(0)
    theirs: dict[str, Any] = {
        "Exp": np.exp,
        "Log": np.log,
        "Tanh": np.tanh,
        "Sin": np.sin,
        "Cos": np.cos,
        "Pow": np.power,
    }
    rows = []
    for dtype, target in ((np.float32, "25"), (np.float64, "60")):
        x, y = (2 * rng.standard_normal((1024, 1024)).astype(dtype) for _ in range(2))
        for name in (*theirs, "Sigmoid", "Erf"):
            special: dict[str, list[Any]] = {"Log": [abs(x)], "Pow": [abs(x), y]}
            arrays = special.get(name, [x])
            both = partial(load(f"sonnx.{name}").evaluate, *arrays), partial(theirs.get(name, np.exp), *arrays)
            least = alternating(*both, 15, 1)
            what = f"{name} of {np.dtype(dtype).name}"
            rows.append(
                (f"{what}: numpy's time, times", f"{least[0] / least[1]:.1f}", "60" if name == "Pow" else target)
            )
    return rows


def processor() -> list[Row]:
    """The processor that the figures are of, with what numpy uses of it."""
    used = np.show_config(mode="dicts")["SIMD Extensions"]  # type: ignore[call-overload,index,unused-ignore]
    names = [line.partition(":")[2].strip() for line in _lines_of("/proc/cpuinfo") if line.startswith("model name")]
    return [("processor", "", names[0] if names else "unknown"), ("numpy's instructions", "", " ".join(used["found"]))]


def _lines_of(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except OSError:
        return []


def operators_beside_numpy() -> list[Row]:
    """All that is no function of reals, on 1024 x 1024: how many times as long as numpy's, and an element's time."""
    rng, n = np.random.default_rng(0), 1024
    a, b = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    i, j = rng.integers(-1000, 1000, (n, n)).astype(np.int32), rng.integers(1, 100, (n, n)).astype(np.int32)
    truth, some, one = a > 0, rng.integers(0, n, n), np.float32(1)
    along: dict[str, Any] = {"keepdims": 1, "noop_with_empty_axes": 0}
    rows = np.array([1])
    calls: dict[str, tuple[tuple[Any, ...], dict[str, Any], Callable[[], object]]] = {
        "Abs": ((a,), {}, lambda: np.abs(a)),
        "Add": ((a, b), {}, lambda: a + b),
        "And": ((truth, truth), {}, lambda: truth & truth),
        "Clip": ((a, -one, one), {}, lambda: np.clip(a, -1, 1)),
        "Concat": ((a, b), {"axis": 1}, lambda: np.concatenate([a, b], 1)),
        "Div": ((a, b), {}, lambda: a / b),
        "Div of int32": ((i, j), {}, lambda: i // j),
        "Equal": ((a, b), {}, lambda: a == b),
        "Expand": ((a[0], np.array([n, n])), {}, lambda: np.broadcast_to(a[0], (n, n)).copy()),
        "Flatten": ((a,), {"axis": 1}, a.copy),
        "Gather": ((a, some), {"axis": 0}, lambda: np.take(a, some, 0)),
        "Greater": ((a, b), {}, lambda: a > b),
        "Identity": ((a,), {}, a.copy),
        "LeakyRelu": ((a,), {"alpha": 0.1}, lambda: np.where(a > 0, a, a * np.float32(0.1))),
        "Less": ((a, b), {}, lambda: a < b),
        "Max": ((a, b), {}, lambda: np.maximum(a, b)),
        "Min": ((a, b), {}, lambda: np.minimum(a, b)),
        "Mul": ((a, b), {}, lambda: a * b),
        "Neg": ((a,), {}, lambda: -a),
        "Not": ((truth,), {}, lambda: ~truth),
        "Or": ((truth, truth), {}, lambda: truth | truth),
        "ReduceMax": ((a, rows), along, lambda: np.max(a, 1)),
        "ReduceMean": ((a, rows), along, lambda: np.mean(a, 1)),
        "ReduceMin": ((a, rows), along, lambda: np.min(a, 1)),
        "ReduceSum": ((a, rows), along, lambda: np.sum(a, 1)),
        "Relu": ((a,), {}, lambda: np.maximum(a, 0)),
        "Reshape": ((a, np.array([2 * n, n // 2])), {"allowzero": 0}, a.copy),
        "Sign": ((a,), {}, lambda: np.sign(a)),
        "Sqrt": ((abs(a),), {}, lambda: np.sqrt(abs(a))),
        "Squeeze": ((a[None], np.array([0])), {}, a.copy),
        "Sub": ((a, b), {}, lambda: a - b),
        "Sum": ((a, b), {}, lambda: a + b),
        "Transpose": ((a,), {"perm": [1, 0]}, a.T.copy),
        "Unsqueeze": ((a, np.array([0])), {}, a.copy),
        "Where": ((truth, a, b), {}, lambda: np.where(truth, a, b)),
        "Xor": ((truth, truth), {}, lambda: truth ^ truth),
    }
    found = []
    for name, (arrays, attributes, theirs) in calls.items():
        ours = partial(load(f"sonnx.{name.partition(' ')[0]}").evaluate, *arrays, **attributes)
        least = alternating(ours, theirs, 15, 1)
        each = f"{1e9 * least[0] / n**2:.2f} ns an element"
        found.append((f"{name}: numpy's time, times; {each}", f"{least[0] / least[1]:.1f}", "4"))
    return found


def narrow_beside_numpy() -> list[Row]:
    """The evaluator on floats of 16 bits: how many times as long as numpy's own maximum, or that of ml_dtypes."""
    rng = np.random.default_rng(0)
    settings = {"keepdims": 0, "noop_with_empty_axes": 0}
    rows = []
    for dtype in (np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)):
        a, b = (rng.standard_normal((SIDE // 2, SIDE // 2)).astype(dtype) for _ in range(2))
        pairs = {"Max": (partial(load("sonnx.Max").evaluate, a, b), partial(np.maximum, a, b))}
        for axis in (0, 1):
            ours = partial(load("sonnx.ReduceMax").evaluate, a, np.array([axis]), **settings)
            pairs[f"ReduceMax, axis {axis}"] = ours, partial(np.maximum.reduce, a, axis=axis)
        for what, both in pairs.items():
            least = alternating(*both, 15, 1)
            rows.append((f"{what} of {dtype.name}: numpy's time, times", f"{least[0] / least[1]:.2f}", "1.3"))
    return rows


def evaluator_beside_onnx() -> list[Row]:
    """The evaluator on tensors of 4 elements: how many times as long as ONNX's reference evaluator on a model of one
    node."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    x = np.array([[1, -0.0], [3, 2]], np.float32)
    rows = []
    for name, second in (("Max", x[::-1].copy()), ("ReduceMax", np.array([1])), ("ReduceSum", np.array([1]))):
        operator = load(f"sonnx.{name}")
        attributes: dict[str, Any] = {}
        if operator.signature.attributes:
            attributes = {"keepdims": 1, "noop_with_empty_axes": 0}
        file = operator.unit.file
        assert file is not None
        assert file.version is not None
        kinds = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}
        feeds = {"a": x, "b": second}
        values = [helper.make_tensor_value_info(n, kinds[v.dtype.name], v.shape) for n, v in feeds.items()]
        result = helper.make_tensor_value_info("o", TensorProto.FLOAT, None)
        graph = helper.make_graph([helper.make_node(name, ["a", "b"], ["o"], **attributes)], "g", values, [result])
        version = helper.make_opsetid("", file.version)
        reference = ReferenceEvaluator(helper.make_model(graph, opset_imports=[version], ir_version=10))
        both = partial(operator.evaluate, x, second, **attributes), partial(reference.run, None, feeds)
        least = alternating(*both, 20, 500)
        rows.append((f"{name} of 4 elements: onnx.reference's time, times", f"{least[0] / least[1]:.2f}", "1"))
    return rows


def proofs_of_code() -> list[Row]:
    """The right specimens: how long the proof for one shape takes, with all lists and attributes at that shape."""
    import importlib.util

    from sonnx_verify.conformance.proofs.instances import Bound, Instance, instances
    from sonnx_verify.conformance.proofs.prover import Prover
    from sonnx_verify.conformance.proofs.subject import Subject
    from sonnx_verify.kernel.core import family_of
    from sonnx_verify.language.context import Context
    from sonnx_verify.language.named import find_operator, here
    from sonnx_verify.logic.sorts import ELEMENT_TYPES

    project, took = here(), []
    for path in sorted((ROOT / "tests" / "implementations" / "right").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
        sort = ELEMENT_TYPES[code.TYPES[0]]
        meaning = project.meaning(find_operator(project, code.OPERATOR), Context(family_of(sort), sort))
        shapes: dict[object, list[Instance]] = {}
        for instance in instances(meaning, Bound()):
            shapes.setdefault(instance.shapes, []).append(instance)
        with Solvers() as solvers:
            for some in shapes.values():
                start = time.perf_counter()
                proof = Prover(meaning, Subject(path.stem, code.run, code), solvers, Bound()).run(some)
                took.append(1000 * (time.perf_counter() - start))
                assert proof.verdict.name == "proved", (path.stem, proof.verdict)
    took.sort()
    what = "proof of one implementation at one shape"
    rows = [("median", took[len(took) // 2], "100"), ("95 %", took[len(took) * 95 // 100], ""), ("most", took[-1], "")]
    return [(f"{what}, {name}: ms", f"{value:.1f}", target) for name, value, target in rows]


def diagnostics_of_the_largest_page() -> list[Row]:
    """Milliseconds from a keystroke in the largest page to what an editor is told of it, without the way there."""
    from sonnx_verify.lsp.diagnostics import static
    from sonnx_verify.lsp.documents import Desk, uri_of
    from sonnx_verify.lsp.state import TOGETHER

    desk, took = Desk(), []
    page = max((ROOT / "spec").rglob("*.md"), key=lambda path: path.stat().st_size)
    for n in range(11):
        start = time.perf_counter()
        static(desk.put(uri_of(page), "markdown", n, page.read_text("utf-8") + "x" * n))
        took.append(1000 * (time.perf_counter() - start + TOGETHER))
    took.sort()
    what = f"diagnostics of {page.name} after a keystroke"
    return [(f"{what}, median", f"{took[5]:.0f} ms", "200 ms"), (f"{what}, most", f"{took[-1]:.0f} ms", "")]


def start_and_jobs() -> Iterator[Row]:
    """The time of a start, and of a check by one process beside that of several."""
    one, default = jobs_ratio()
    yield f"as many times as long with --jobs 1 as with {usable_cores()}", f"{one / default:.2f}", "> 1"
    yield "--help", f"{1000 * seconds('--help'):.0f} ms", "150 ms"


def queries() -> Iterator[Row]:
    """The time of one query of each kind."""
    for name, taken in query_times().items():
        ordered = sorted(taken)
        late = ordered[int(len(ordered) * 0.95)]
        yield f"one query, {name}, median", f"{1000 * statistics.median(ordered):.1f} ms", "10 ms"
        yield f"one query, {name}, 95 %", f"{1000 * late:.0f} ms", "200 ms"


MEASURES: tuple[Callable[[], Iterable[Row]], ...] = (
    processor,
    start_and_jobs,
    queries,
    evaluator_beside_numpy,
    sums_beside_numpy,
    operators_beside_numpy,
    functions_beside_numpy,
    narrow_beside_numpy,
    evaluator_beside_onnx,
    proofs_of_code,
    law_beside_enumeration,
    diagnostics_of_the_largest_page,
)


def main() -> None:
    """Measure and print."""
    for measure in MEASURES:
        for what, measured, target in measure():
            # At once: a run that is stopped has said something.
            print(f"{what:<52} {measured:>9}   {target and 'target ' + target}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
