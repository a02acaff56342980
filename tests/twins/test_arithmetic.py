"""Wrong twins of arithmetic: one line of it is changed in a fork of this process, and a test that it has is run there.

arithmetic.toml names the test that notices each. A fork takes the functions of the changed text into those that are
loaded, so that whoever imported them by name runs the change: a twin costs what its test costs, mostly milliseconds.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.operations import operation
from sonnx_verify.logic import floats
from sonnx_verify.logic.elements import ARITY
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.rounded_reals import as_rounded_reals
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import FLOATS, FloatSort
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import Symbol, apply, element, eq, le, literal, not_, or_
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import forked
from sonnx_verify.solving.solvers import cvc5_solver, z3_solver
from sonnx_verify.solving.solvers.limits import DEFAULT_BUDGET
from tests.twins.slip import edited

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TWINS: list[dict[str, Any]] = tomllib.loads((HERE / "arithmetic.toml").read_text("utf-8"))["twin"]
PATIENCE = 60.0

_FORMATS = (
    FloatSort("float6", 3, 3),
    FloatSort("float7", 3, 4),
    FloatSort("float8_e5m2", 5, 3),
    FloatSort("float8_e4m3", 4, 4),
    *FLOATS,
)


def _submit(ground: Sequence[Any]) -> Any:
    """Both solvers, asked in this process."""
    text = script(ground)
    answers = {solver.NAME: solver.ask(text, DEFAULT_BUDGET) for solver in (z3_solver, cvc5_solver)}
    return SimpleNamespace(result=lambda: answers)


ARGUMENTS: dict[str, Any] = {
    "submit": _submit,
    **{str(number): number for number in (-1, 30, 127)},
    **{sort.name: sort for sort in _FORMATS},
    **{f"name:{sort.name}": sort.name for sort in _FORMATS},
    **{op.name: op for op in Op},
    **{function.value: function for function in RealFunction},
}
"""The arguments of tests by their names in arithmetic.toml."""


# ---------------------------------------------------------------------------------------------------- taking a change


def take(module: ModuleType, text: str) -> None:
    """Make a loaded module run another text of its own."""
    assert module.__file__ is not None
    made = ModuleType(module.__name__)
    made.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    exec(compile(text, module.__file__, "exec"), made.__dict__)
    for name, value in vars(made).items():
        if name not in ("__builtins__", "__annotations__"):
            setattr(module, name, _taken(vars(module).get(name), value, module.__name__))


def _taken(live: Any, made: Any, module: str) -> Any:
    """What there is, changed to what was made: the object stays where others hold it."""
    if getattr(made, "__module__", module) != module:
        return made  # It comes from elsewhere.
    if hasattr(live, "cache_clear"):
        live.cache_clear()
        _taken(live.__wrapped__, made.__wrapped__, module)
        return live
    match live, made:
        case FunctionType(), FunctionType():
            live.__code__, live.__defaults__, live.__kwdefaults__ = (
                made.__code__,
                made.__defaults__,
                made.__kwdefaults__,
            )
            return live
        case property(), property():
            _taken(live.fget, made.fget, module)
            return live
        case type(), type():
            for name, value in vars(made).items():
                if isinstance(value, FunctionType | property):
                    _taken(vars(live)[name], value, module)
            return live
        case dict(), dict():
            for key in live.keys() & made.keys():
                live[key] = _entry(live[key], made[key], module)
            return live
        case _, Enum():
            return live
        case _, int() | str() | Fraction():
            return made
        case _:
            return live  # A table that was filled since, which others hold.


def _entry(live: Any, made: Any, module: str) -> Any:
    """What stands in a table, changed likewise. Members of enumerations that were made stay out."""
    if isinstance(live, FunctionType) and live.__module__ == made.__module__ == module:
        return _taken(live, made, module)
    if repr(live) == repr(made):
        return live
    if not is_dataclass(made) or type(made).__module__ != module:
        return made
    for one in fields(made):
        if repr(getattr(live, one.name)) != repr(getattr(made, one.name)):
            object.__setattr__(live, one.name, getattr(made, one.name))
    return live


def notices(channel: Channel, twin: dict[str, Any], *, changed: bool) -> None:
    """Run the test of a twin, with its change or without, and say what it came to."""
    name, _, function = twin["test"].rpartition(".")
    test = getattr(importlib.import_module(f"tests.{name}"), function)
    test = getattr(getattr(test, "hypothesis", None), "inner_test", test)
    if changed:
        path = ROOT / twin["file"]
        text = path.read_text("utf-8")
        module = ".".join(Path(twin["file"]).with_suffix("").parts)
        take(importlib.import_module(module), edited(text, twin))
    try:
        test(*(ARGUMENTS[given] for given in twin["given"]))
    except BaseException as error:
        channel.send(type(error).__name__)
    else:
        channel.send("")


def came_to(twin: dict[str, Any], *, changed: bool) -> str:
    """The kind of exception that the test of a twin ends with, or nothing."""
    child = forked(notices, twin, changed=changed)
    try:
        said: str = child.receive(PATIENCE)
        return said
    finally:
        child.end()


# ------------------------------------------------------------------------------------------------------------- tests


FLOAT6, BFLOAT16 = ARGUMENTS["float6"], ARGUMENTS["bfloat16"]


@pytest.mark.parametrize("op", [Op.ADD, Op.DIVIDE, Op.SQRT, Op.FMOD, Op.ROUND_EVEN])
def test_solvers_compute_as_the_evaluator_does(op: Op) -> None:
    """On numbers of 8 bits, ties among them: what solvers are told to compute has the value that the evaluator has."""
    sort = ARGUMENTS["float8_e5m2"]
    numbers = [floats.from_float(sort, x) for x in (1.0, 1.25, 1.5, -2.5, 5.0, -0.125)]
    ground, wrong = [], []
    for n, case in enumerate(product(numbers, repeat=ARITY[op])):
        symbols = [Symbol(f"x{n} {k}", (), sort) for k in range(len(case))]
        term = element(op, *map(apply, symbols))
        ground += [eq(apply(symbol), literal(bits, sort)) for symbol, bits in zip(symbols, case, strict=True)]
        wrong.append(not_(eq(term, literal(evaluate(term, dict(zip(symbols, case, strict=True))), sort))))
    answers = _submit([*ground, or_(*wrong)]).result()

    assert {answer.status for answer in answers.values()} == {Status.UNSAT}


def test_fused_on_arrays_rounds_once() -> None:
    """3 * 99 + 2^-100 in bfloat16: 297 is the middle of 296 and 298, and what is added breaks the tie."""
    numbers = [floats.round_to_nearest(BFLOAT16, Fraction(x)) for x in (3, 99, Fraction(1, 1 << 100))]
    symbols = [apply(Symbol(name, (), BFLOAT16)) for name in "abc"]
    columns = [np.array([bits], dtype=bits_type(BFLOAT16)).view(DTYPES[BFLOAT16]) for bits in numbers]
    made = operation(element(Op.FMA, *symbols), range(3), {})(None, columns)

    assert floats.to_fraction(BFLOAT16, floats.fused(BFLOAT16, *numbers)) == float(made[0]) == 298


def test_the_laws_of_a_small_format() -> None:
    """Both solvers decide, on rounded reals, that a float is rounded to itself and that rounding keeps the order."""
    x, y = (apply(Symbol(name, (), FLOAT6)) for name in "xy")
    one = literal(floats.from_float(FLOAT6, 1.0), FLOAT6)
    nan = [not_(element(Op.IS_NAN, element(Op.ADD, a, one))) for a in (x, y)]
    for law in (
        [not_(eq(element(Op.MUL, x, one), x))],
        [le(x, y), *nan, not_(le(element(Op.ADD, x, one), element(Op.ADD, y, one)))],
    ):
        answers = _submit(as_rounded_reals(law)).result()
        assert {answer.status for answer in answers.values()} == {Status.UNSAT}


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """All that forks need, once: else each would load it for itself."""
    importlib.import_module("flint")
    for twin in TWINS:
        importlib.import_module(f"tests.{twin['test'].rpartition('.')[0]}")


@cache
def _holds_as_shipped(test: str, given: tuple[str, ...]) -> bool:
    return came_to({"test": test, "given": given}, changed=False) == ""


def _parameters() -> list[Any]:
    return [pytest.param(t, marks=[pytest.mark.soak] if t.get("long") else [], id=t["name"]) for t in TWINS]


@pytest.mark.parametrize("twin", _parameters())
def test_a_slip_in_arithmetic_is_noticed(twin: dict[str, Any]) -> None:
    """The test fails with the twin, and passes without."""
    text = (ROOT / twin["file"]).read_text("utf-8")

    assert edited(text, twin) != text
    assert _holds_as_shipped(twin["test"], tuple(twin["given"]))
    assert came_to(twin, changed=True) == twin.get("fails", "AssertionError")


def test_a_change_of_nothing_is_not_noticed() -> None:
    """Without a slip the text that is taken is the one that there was: no test fails for having been moved."""
    for file in sorted({twin["file"] for twin in TWINS}):
        twin = next(t for t in TWINS if t["file"] == file and not t.get("long"))
        assert came_to({**twin, "new": twin["old"]}, changed=True) == "", file


def test_names_of_slips_differ() -> None:
    """A name stands for one twin."""
    assert len({twin["name"] for twin in TWINS}) == len(TWINS)
