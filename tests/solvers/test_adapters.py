"""z3 and cvc5, asked in this process: the same text, the same kind of answer."""

import re
import sys
from types import ModuleType

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import Answer
from sonnx_verify.solving.solvers import cvc5_solver, registry, z3_solver

BUDGET = 1_000_000
# x^3 + y^3 = z^3 over the integers: no solver decides it, both count work on it steadily.
FERMAT = (
    "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))"
)


@pytest.fixture(params=[z3_solver, cvc5_solver], ids=["z3", "cvc5"])
def solver(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def ask(solver: ModuleType, text: str, *want: str, budget: int = BUDGET) -> Answer:
    answer: Answer = solver.ask(text, budget, want)
    return answer


def values(model: str) -> list[str]:
    """The model on one line, blanks made single, so that line breaks do not count."""
    return re.sub(r"\s+", " ", model).removeprefix("(").removesuffix(")").split(") (")


CASES = {
    "int": ("QF_LIA", "Int", "(and (> x 3) (< x 5))", "(< x x)", {"4"}),
    "negative int": ("QF_LIA", "Int", "(= x (- 5))", "(= (* 2 x) 7)", {"(- 5)"}),
    "bool": ("QF_UF", "Bool", "x", "(and x (not x))", {"true"}),
    "bitvector": ("QF_BV", "(_ BitVec 8)", "(= x #xa5)", "(bvult x #x00)", {"#xa5", "#b10100101"}),
    "float16": (
        "ALL",
        "Float16",
        "(= x ((_ to_fp 5 11) RNE 1.5))",
        "(and (fp.isNaN x) (fp.eq x x))",
        {"(fp #b0 #b01111 #b1000000000)"},
    ),
    "float32": (
        "ALL",
        "Float32",
        "(= x ((_ to_fp 8 24) RNE 1.5))",
        "(and (fp.isInfinite x) (fp.isZero x))",
        {"(fp #b0 #x7f #b10000000000000000000000)", "(fp #b0 #b01111111 #b10000000000000000000000)"},
    ),
    "bfloat16": (
        "ALL",
        "(_ FloatingPoint 8 8)",
        "(= x ((_ to_fp 8 8) RNE 1.5))",
        "(fp.lt x x)",
        {"(fp #b0 #x7f #b1000000)", "(fp #b0 #b01111111 #b1000000)"},
    ),
    "negative zero": (
        "ALL",
        "Float16",
        "(= x (fp #b1 #b00000 #b0000000000))",
        "(and (fp.isZero x) (fp.isNegative x) (fp.isPositive x))",
        {"(_ -zero 5 11)", "(fp #b1 #b00000 #b0000000000)"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_sat_and_model(solver: ModuleType, case: str) -> None:
    """A satisfiable text is sat, and the model holds the only possible value in SMT-LIB syntax."""
    logic, sort, true, _, possible = CASES[case]
    answer = ask(solver, f"(set-logic {logic})(declare-const x {sort})(assert {true})", "x")

    assert (answer.solver, answer.status, answer.reason) == (solver.NAME, "sat", "")
    assert answer.model in {f"((x {value}))" for value in possible}


@pytest.mark.parametrize("case", CASES)
def test_unsat(solver: ModuleType, case: str) -> None:
    """An unsatisfiable text is unsat, and wanting values does not disturb it."""
    logic, sort, _, false, _ = CASES[case]
    answer = ask(solver, f"(set-logic {logic})(declare-const x {sort})(assert {false})", "x")

    assert answer == Answer(solver.NAME, Status.UNSAT)


def test_quoted_names_in_order(solver: ModuleType) -> None:
    """Values come in the order they were wanted, under names as they were written."""
    text = "(set-logic ALL)(declare-const |a b| Int)(declare-const c Int)(assert (= |a b| 1))(assert (= c 2))"

    assert values(ask(solver, text, "c", "|a b|").model) == ["(c 2", "|a b| 1)"]


def test_floats_with_uninterpreted_functions(solver: ModuleType) -> None:
    """Logic ALL mixes floats, integers and uninterpreted functions: congruence holds for a tensor of floats."""
    text = """(set-logic ALL)(declare-fun x (Int) Float16)(declare-const i Int)(declare-const j Int)
    (assert (= i (+ j 0)))(assert (not (= (fp.add RNE (x i) (x j)) (fp.add RNE (x j) (x i)))))"""

    assert ask(solver, text) == Answer(solver.NAME, Status.UNSAT)


def test_nothing_asserted(solver: ModuleType) -> None:
    """A text without asserts is sat, and without wanted values there is no model."""
    assert ask(solver, "(set-logic QF_LIA)") == Answer(solver.NAME, Status.SAT)


def test_budget(solver: ModuleType) -> None:
    """A query that costs more than its budget is unknown, and the reason is the budget."""
    assert ask(solver, FERMAT, budget=100_000) == Answer(solver.NAME, Status.UNKNOWN, "budget")


@pytest.mark.parametrize("budget", [0, -1, 1])
def test_no_budget_is_not_unlimited(solver: ModuleType, budget: int) -> None:
    """A budget of nothing ends at once instead of meaning no limit, as zero does to both solvers."""
    assert ask(solver, FERMAT, budget=budget) == Answer(solver.NAME, Status.UNKNOWN, "budget")


def test_budget_is_deterministic(solver: ModuleType) -> None:
    """Whether a budget suffices does not depend on the queries before."""
    text = """(set-logic QF_BV)(declare-const x (_ BitVec 12))(declare-const y (_ BitVec 12))
    (assert (not (= (bvmul x (bvadd y #x001)) (bvadd x (bvmul y x)))))(assert (= (bvmul x x) #x111))"""
    budgets = [30 * 2**k for k in range(10)]
    first = [ask(solver, text, budget=budget) for budget in budgets]
    ask(solver, FERMAT, budget=20_000)

    assert [ask(solver, text, budget=budget) for budget in reversed(budgets)] == first[::-1]


@pytest.mark.parametrize(
    "text",
    [
        "(set-logic QF_LIA)(declare-const x Int",
        "(set-logic QF_LIA)(declare-const x Int)(assert (> x 0)))",
        "(set-logic NO_SUCH_LOGIC)",
        "(set-logic QF_LIA)(set-option :no-such-option 1)",
        "(set-logic QF_LIA)(declare-const x Int)(assert (= x true))",
        "(set-logic QF_LIA)(assert true)\0(assert false)",
        "(set-logic QF_LIA)(assert \ud800)",
        "(set-logic QF_LIA)(check-sat)",
    ],
)
def test_rejected(solver: ModuleType, text: str) -> None:
    """What is not a script of ours is rejected, with one line from the solver, and never raises."""
    answer = ask(solver, text)

    assert answer.status == "unknown"
    assert re.fullmatch(r"rejected: \S.*", answer.reason)


PRINTED = "(set-logic QF_UFLIA)\n(declare-fun x () Int)\n(declare-fun b () Bool)\n"


@pytest.mark.parametrize(
    ("more", "status"), [("(assert (< x 0))\n", "sat"), ("(assert (< x 0))\n(assert (> x 0))\n", "unsat")]
)
def test_printed(solver: ModuleType, more: str, status: str) -> None:
    """Texts as the printer makes them, one command on each line, which z3 reads another way."""
    assert ask(solver, PRINTED + more) == Answer(solver.NAME, Status(status))


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ("(assert (> x y))", "line 4 column 13"),
        ("(assert x)", "line 4 column 9"),
        ("(assert (= x b))", "line 4 column 14"),
        ("(assert (> x 0)", ""),
        ("(assert (> x 0)))", ""),
        ("(declare-fun x () Int)", "line 4"),
        ("(assert (bvult x x))", "line 4"),
    ],
)
def test_printed_and_wrong(solver: ModuleType, wrong: str, place: str) -> None:
    """One command that cannot be read rejects the text, although the others contradict each other."""
    answer = ask(solver, f"{PRINTED}{wrong}\n(assert (< x 0))\n(assert (> x 0))\n")

    assert answer.status == "unknown"
    assert answer.reason.startswith("rejected: " + (place if solver is z3_solver else ""))


@pytest.mark.parametrize("budget", [0, 1, 100])
def test_printed_and_costly(solver: ModuleType, budget: int) -> None:
    """The budget holds for such texts too."""
    names = [f"p{n}" for n in range(9)]
    lines = [f"(declare-fun {n} () Int)\n(assert (and (<= 0 {n}) (< {n} 8)))\n" for n in names]
    text = f"(set-logic QF_UFLIA)\n{''.join(lines)}(assert (distinct {' '.join(names)}))\n"

    assert ask(solver, text, budget=budget) == Answer(solver.NAME, Status.UNKNOWN, "budget")


def test_z3_does_not_convert() -> None:
    """z3 refuses Int beside Real instead of converting, so an ill-sorted text of ours cannot be decided unnoticed."""
    answer = ask(z3_solver, "(set-logic QF_LIRA)(declare-const x Int)(assert (= x 1.5))")

    assert answer.reason.startswith("rejected: line 1")
    assert ask(z3_solver, f"{PRINTED}(assert (= x 1.5))\n").reason.startswith("rejected: line 4")


def test_no_assert_is_dropped(solver: ModuleType) -> None:
    """An assert that the solver cannot read rejects the text, although the other asserts could be decided."""
    answer = ask(solver, "(set-logic QF_LIA)(declare-const x Int)\n(assert (> y 0))(assert (> x 0))")

    assert answer.reason.startswith("rejected: ")
    assert "y" in answer.reason.removeprefix("rejected: ")


def test_z3_error_has_the_place_in_the_text() -> None:
    """z3 counts lines and columns from the beginning of the text, not of what we send before it."""
    answer = ask(z3_solver, "(set-logic QF_LIA)\n(assert y)")

    assert answer.reason == "rejected: line 2 column 8: unknown constant y"


def test_unknown_value_wanted(solver: ModuleType) -> None:
    """Wanting the value of something undeclared is rejected: a sat without its model would be of no use."""
    answer = ask(solver, "(set-logic QF_LIA)(declare-const x Int)(assert (> x 0))", "x", "nobody")

    assert answer.reason.startswith("rejected: ")
    assert "nobody" in answer.reason


def test_queries_do_not_see_each_other(solver: ModuleType) -> None:
    """Each query is asked in a fresh context: a name can be declared again with another sort."""
    assert ask(solver, "(set-logic QF_UF)(declare-const x Bool)(assert x)(assert (not x))").status == "unsat"
    assert ask(solver, "(set-logic QF_LIA)(declare-const x Int)(assert (= x 7))", "x").model == "((x 7))"


def test_version(solver: ModuleType) -> None:
    """An installed solver has a version."""
    assert re.match(r"\d+\.\d+", solver.version())


def test_not_installed(solver: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that cannot be imported has no version and answers so. None in sys.modules makes its import fail."""
    # Itself too, where no test before it imported the solver.
    for name in {solver.MODULE, *(name for name in sys.modules if name.split(".")[0] == solver.MODULE)}:
        monkeypatch.setitem(sys.modules, name, None)

    assert registry.version(solver.NAME) is None
    assert ask(solver, "(set-logic QF_LIA)") == Answer(solver.NAME, Status.UNKNOWN, "not installed")
