"""Inputs that a solver chooses: they are found where enumeration does not get that far, and are the smallest there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.api.select import select
from sonnx_verify.cli import main
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.terms import Symbol, Term, subterms
from sonnx_verify.logic.verdict import is_witness
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.inputs import SHAPED
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.solving.inputs.unrolled import Bounds, Choice, Unbounded, Unroller

ROOT = Path(__file__).parents[2]
TEXTS = ("spec/sonnx/reducemax", *(f"tests/language/{name}.sonnx" for name in ("concat", "gather", "slice", "gemm")))
OTHERS = ("expand", "squeeze", "transpose", "flatten", "where", "pad", "conv")
MORE = ("spec/sonnx/max", "spec/onnx/reducesum/reducesum.sonnx", *(f"tests/language/{name}.sonnx" for name in OTHERS))
"""In the soak: a job has time for the other ones."""
BOUNDS = Bounds(ranks=3, sizes=4, members=4, numbers=4, span=10)
Statement = tuple[str, tuple[Variable, ...], tuple[Term, ...]]


def statements(*texts: str) -> Iterator[Statement]:
    """What inputs are wanted for: the conditions of each witness and of each refutation, on the first type."""
    for obligation in select([str(ROOT / text) for text in texts]).obligations:
        if obligation.build is None or not obligation.types:
            continue
        statement, _ = Work(obligation).on(obligation.types[0])
        for wanted in statement.wanted:
            yield obligation.id, statement.variables, wanted.conditions
        for claim in statement.claims:
            yield obligation.id, statement.variables, claim.refutation


def constants_of(choice: Choice, unroller: Unroller, value: Concrete) -> dict[Symbol, Any]:
    """The values of the constants of a variable for a concrete one."""
    variable = choice.variable
    made: dict[Symbol, Any] = {}

    def has(term: Term, to: object) -> None:
        assert isinstance(term.payload, Symbol)
        made[term.payload] = to

    if variable.may_be_left_out:
        has(choice.given, value is not LEFT_OUT)
        if value is LEFT_OUT and variable.default is not None:
            value = variable.default
    items: tuple[Concrete, ...] = ()
    if value is not LEFT_OUT:
        items = (value,) if variable.count is None else value  # type: ignore[assignment]
    if choice.count.args == () and isinstance(choice.count.payload, Symbol):
        has(choice.count, len(items))
    for m in range(max(len(choice.ranks), len(choice.items) if variable.kind is not VariableKind.SET else 0)):
        item = items[m] if m < len(items) else None
        if variable.kind in SHAPED:
            shape: Any = item.shape if isinstance(item, ConcreteTensor) else item or ()
            has(choice.ranks[m], len(shape))
            for k, size in enumerate(choice.sizes[m]):
                has(size, shape[-1 - k] if k < len(shape) else 0)
            if isinstance(item, ConcreteTensor):
                element = unroller.element(choice, m, choice.sizes[m])
                assert isinstance(element.payload, Symbol)
                made[element.payload] = lambda *at, item=item: item.read(stripped(at))
                for fact in variable.facts:
                    has(unroller.fact(choice, m, fact), fact not in item.lacks)
        else:
            has(choice.items[m], 0 if item is None else item)
    return made


def symbols_of(formula: Term) -> set[Symbol]:
    return {node.payload for node in subterms(formula) if isinstance(node.payload, Symbol)}


def fits(unroller: Unroller, assignment: Assignment) -> dict[Symbol, Any]:
    """The values of all constants for an assignment."""
    made: dict[Symbol, Any] = {}
    for name, choice in unroller.choices.items():
        made |= constants_of(choice, unroller, assignment[name])
    return made


@pytest.mark.parametrize("text", [*TEXTS, *(pytest.param(text, marks=pytest.mark.soak) for text in MORE)])
def test_conditions_say_the_same_unrolled(text: str) -> None:
    """On inputs within the bounds, whether these meet the conditions or not: a condition that has no value on an input
    is false of it."""
    looked_at = {True: 0, False: 0}
    asked = list(statements(text))
    for identity, variables, conditions in asked[:: max(1, len(asked) // 8)]:
        try:
            unroller = Unroller(variables, BOUNDS, ["", "a", "SAME_UPPER", "NOTSET"])
        except Unbounded:
            continue
        formulas = []
        for one in conditions:
            unroller.complete = True
            formula = unroller.true(one)
            formulas.append((one, formula, unroller.complete))
        # Inputs of all kinds: of any shapes, and some that meet all but one of the conditions.
        inputs = list(islice(Search(variables, (), 300).all(), 0, 60, 7))
        for left_out in range(0, len(conditions), 3):
            others = (*conditions[:left_out], *conditions[left_out + 1 :])
            inputs += islice(Search(variables, others, 100).all(), 2)
        for found in inputs:
            constants = fits(unroller, found.assignment)
            for condition, formula, complete in formulas:
                expected = is_witness([condition], found.facts)
                if not expected and not complete:
                    continue  # too large to be unrolled, in part
                if any(symbol.name.startswith("witness") for symbol in symbols_of(formula)):
                    continue  # a constant for an index that breaks something: any may be the one
                assert evaluate(formula, constants) is expected, (identity, condition, found.assignment)
                looked_at[expected] += 1
    assert looked_at[True] > 20
    assert looked_at[False] > 5


def test_a_shape_behind_an_outcome_that_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Y has the shape of X unless the outcome is open: with a whole disjunction left out, the solver's Y had another
    one, and no witness was found."""
    monkeypatch.chdir(tmp_path)
    Path("op.sonnx").write_text(
        "operator Open version 1 user\ntypes int = int8\ninput X : tensor of T\noptional input B : tensor of T\n"
        'output Y : tensor of T\n[U1] unspecified outcome "a scalar" when rank(X) = 0\n'
        "shape Y = X.shape\nvalue Y[i] = X[i]\n",
        "utf-8",
    )
    done = CliRunner().invoke(main, ["check", "--no-cache", "user.Open"])

    assert done.exit_code == 0, done.output
    assert "4 obligations: 2 proved, 2 holds" in done.output
