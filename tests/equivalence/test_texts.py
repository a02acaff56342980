"""A mutation is equivalent only where the text means the same of all arguments: what differs anywhere never is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.equivalence.texts import BY_NORMAL_FORM, PROVED, same_meaning
from sonnx_verify.language.project import Project
from sonnx_verify.results.difference import Answer
from sonnx_verify.solving.solvers import Solvers
from tests.mutation.mutations import mutation_of

LIBRARY = """library some "Definitions"

order up on int "upwards" : x before y = x < y or x = y

order never on int "of nothing" : x before y = x < y and y < x

order parted on int "by the parts of a text"
  classes of k
    class positive : k > T(0)
    class others   : k <= T(0)
  within : x before y = x <= y

define least(a : int, b : int) : int
  "the smaller one"
  = if a < b then a else b

define size(S : shape, k : int) : int
  "a size"
  = S[k]

define both(a : int) : int
  "a sum"
  = a + 2

define ones(S : shape) : shape
  "a shape of ones"
  = shape (k in 0 .. rank(S) - 1 -> if S[k] = 1 then S[k] else 1)

define small(S : shape) : set of int
  "axes"
  = { k | k in 0 .. rank(S) - 1 where S[k] = 0 }

define many(S : shape) : set of int
  "sizes, as often as they occur"
  = { S[k] | k in axes(S) }

define total(S : shape, n : int) : int
  "the first sizes added"
  by recursion on n from 0
  = if n = 0 then 0 else total(S, n - 1) + S[n - 1]

define most(V : set of T) : T for int
  "the greatest"
  = greatest V by up
"""
PROFILE = """operator Clip version 1 profile
page "clip.md"
types int = int8 int16
input X : tensor of T
attribute low : int default 0
output Y : tensor of T
[C1] constraint "low is 0 or 1" : 0 <= low and low <= 1
define is_low(k : int) : bool = low = k
define cut(k : int) : int "k, and 0 below it" = if k > 0 then k else 0
define alone(k : int) : int "read by no clause" = if k > 0 then k else 0
[C2] constraint "low is not 1" : not is_low(1)
[E1] error "low is neither" : when low != 0 and low != 1
shape Y = shape (k in axes(X) -> cut(X.shape[k]))
value Y[i] = if low = 1 and C1 fails then X[i] else X[i]
"""
STANDARD = """operator Some version 1 standard
types int = int8 int16
input X : tensor of T
attribute low : int default 0
output Y : tensor of T
shape Y = X.shape
value Y[i] = if X[i] < 0 then -X[i] else X[i]
unspecified outcome "low is negative" when low < 0
unspecified value Y[i] "the least" when X[i] = T.lowest
"""


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Baseline]:
    """A library and a profile."""
    folder = tmp_path_factory.mktemp("project")
    texts = {
        "spec/common/some": LIBRARY,
        "spec/sonnx/clip": PROFILE.replace(" and C1 fails", ""),
        "spec/onnx/some": STANDARD,
    }
    for name, text in texts.items():
        path = folder / f"{name}.sonnx"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    (folder / "spec/sonnx/clip.md").write_text("# Clip\n", "utf-8")
    with Solvers() as solvers:
        yield Baseline(Project.open(folder), solvers)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("if a < b then a", "if a <= b then a", PROVED),
        ("if a < b then a", "if a > b then a", ""),
        ("= a + 2", "= 2 + a", BY_NORMAL_FORM),
        ("= a + 2", "= a + 3", ""),
        ("= S[k]\n", "= S[k + 0]\n", BY_NORMAL_FORM),
        ("= S[k]\n", "= S[k] * S[k] * 0 + S[k]\n", BY_NORMAL_FORM),
        ("= S[k]\n", "= if S[k + 1] = 0 then S[k] else S[k]\n", ""),
        ("then S[k] else 1)", "then 1 else 1)", PROVED),
        ("(k in 0 .. rank(S) - 1 -> if", "(k in 0 .. rank(S) - 2 -> if", ""),
        ("where S[k] = 0 }", "where S[k] < 1 }", PROVED),
        ("where S[k] = 0 }", "where S[k] <= 1 }", ""),
        ("{ k | k in 0 .. rank(S) - 1 where", "{ k | k in 0 .. rank(S) where", ""),
        ("{ S[k] | k in axes(S) }", "{ S[k] | k in 0 .. rank(S) - 1 }", BY_NORMAL_FORM),
        ("{ S[k] | k in axes(S) }", "{ S[rank(S) - 1 - k] | k in axes(S) }", ""),
        ("+ S[n - 1]", "+ S[n - 1] * 1", BY_NORMAL_FORM),
        ("+ S[n - 1]", "+ 2 * S[n - 1]", ""),
        ("x < y or x = y", "x <= y", PROVED),
        ("x < y or x = y", "y < x or x = y", ""),
        ("greatest V by up", "least V by up", ""),
        ("greatest V by up", "greatest V by never", ""),
        ("k > T(0)", "k >= T(0)", ""),
        ("class positive :", "class other :", ""),
        ("on n from 0", "on n from 1", ""),
        ("define size(S : shape, k : int) : int", "define size(S : list of int, k : int) : int", ""),
    ],
)
def test_definitions_and_orders(baseline: Baseline, old: str, new: str, expected: str) -> None:
    assert said(baseline, "spec/common/some.sonnx", old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("0 <= low and low <= 1", "low = 0 or low = 1", PROVED),
        ("0 <= low and low <= 1", "0 <= low and low <= 2", ""),
        ("when low != 0 and low != 1", "when low < 0 or low > 1", PROVED),
        ("when low != 0 and low != 1", "when low < 0 or low > 2", ""),
        ("if low = 1 then", "if low = 0 then", PROVED),
        ("else X[i]\n", "else X[i] + X[i]\n", ""),
        # A definition that names an attribute means something in its clause alone.
        ("bool = low = k", "bool = k = low", BY_NORMAL_FORM),
        ("bool = low = k", "bool = low <= k and k <= low", PROVED),
        ("bool = low = k", "bool = low > k", ""),
        ("bool = low = k", "bool = 1 = k", ""),
        # A definition that no argument tells apart among those that the clauses give.
        ("= if k > 0 then k else 0\ndefine", "= if k >= 0 then k else 1\ndefine", PROVED),
        ("= if k > 0 then k else 0\ndefine", "= if k > 1 then k else 0\ndefine", ""),
        ("= if k > 0 then k else 0\n[C2]", "= if k > 1 then k else 0\n[C2]", ""),
        # The first type is no witness for the second one.
        ("else X[i]\n", "else (if X[i] > X[i] + T(1) and X[i] != T(127) then T(1) else X[i])\n", ""),
        ("else X[i]\n", "else (if X[i] = T(300) then T(44) else X[i])\n", ""),
        ("else X[i]\n", "else (if X[i] = T.greatest then T(127) else X[i])\n", ""),
        ("else X[i]\n", "else (if X[i] = T(300) then T(300) else X[i])\n", PROVED),
        ("else X[i]\n", "else (if int(X[i]) > 127 then T(1) else X[i])\n", ""),
        ("else X[i]\n", "else (if int(X[i]) > 32767 then T(1) else X[i])\n", PROVED),
        ("default 0", "default 1", ""),
        ("types int = int8 int16", "types int = int8", ""),
        ('[E1] error "low is neither" : when low != 0 and low != 1\n', "", ""),
    ],
)
def test_clauses_of_an_operator(baseline: Baseline, old: str, new: str, expected: str) -> None:
    assert said(baseline, "spec/sonnx/clip.sonnx", old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("if X[i] < 0", "if X[i] <= 0", PROVED),
        ("if X[i] < 0", "if X[i] < 2", ""),
        ("else X[i]\n", "else (if X[i] = T.lowest then T(1) else X[i])\n", PROVED),
        ("if X[i] < 0 then -X[i]", "if X[i] < 0 then (if X[i] = T.lowest then T(1) else -X[i])", PROVED),
        ("if X[i] < 0 then -X[i]", "if X[i] < 0 then (if low < 0 then T(1) else -X[i])", PROVED),
        ("if X[i] < 0 then -X[i]", "if X[i] < 0 then (if low < 1 then T(1) else -X[i])", ""),
        ("when X[i] = T.lowest", "when X[i] <= T.lowest", PROVED),
        ("when X[i] = T.lowest", "when X[i] < T(2) + T.lowest", ""),
        ("when X[i] = T.lowest", "when X[i] < T.lowest", ""),
        ("when low < 0", "when low <= -1", BY_NORMAL_FORM),
        ("when low < 0", "when low <= 0", ""),
        ("unspecified outcome", "unspecified shape", ""),
    ],
)
def test_a_standard_that_leaves_something_open(baseline: Baseline, old: str, new: str, expected: str) -> None:
    """As much is to be left open, and elsewhere the same said."""
    assert said(baseline, "spec/onnx/some.sonnx", old, new) == expected


def said(baseline: Baseline, name: str, old: str, new: str) -> str:
    """What is known of the text with `new` for `old`."""
    root = baseline.project.root
    (unit,) = (u for u in baseline.project.units if u.shown == name)
    assert unit.file is not None
    assert unit.file.span is not None
    mutation = mutation_of(unit.file.span.source, old, new)
    project = Project.open(root, mutation.instead(root))
    found = same_meaning(baseline.project, project, [u for u in project.units if u.shown == name], baseline.solvers)
    return found.reason if found.answer is Answer.SAME else ""
