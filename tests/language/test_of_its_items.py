"""Definitions of an operator's text that name its inputs, attributes and lets: they say what the clause would say."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.cli import main
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from tests.language.stated import statements

HERE = Path(__file__).parent
TEXT = (HERE / "of_its_items.sonnx").read_text("utf-8")
SIZES = """\
define sizes(A : tensor of T, n : int) : int
  "the sum of the first n sizes of A"
  by recursion on n from 0
  = if n = 0 then 0 else sizes(A, n - 1) + A.shape[n - 1]
"""
PLAIN = f"""\
operator Last version 1 user

types int   = int8 int16
types float = float16 float

input              X    : tensor of T
optional input     Y    : tensor of T
attribute          axis : int
output             Z    : tensor of T

{SIZES}
[C1] constraint "the axis is one of X" : 0 <= axis < rank(X)
[C2] constraint "X has something on it" : X.shape[axis] > 0
[C3] constraint "Y is alike" : given(Y) => Y.shape = X.shape and X.shape[axis] > 0
[C4] constraint "sizes are few" : sizes(X, rank(X)) < 100
[E1] error "no axis" : when C1 fails
[E2] error "nothing on the axis" : when C2 fails
[E3] error "not alike" : when C3 fails
[E4] error "many sizes" : when C4 fails

let n = X.shape[axis]

shape Z    = X.shape
value Z[i] = if given(Y) then Y[(i with [axis] = n - 1)] else X[(i with [axis] = n - 1)]
"""


def stated(path: Path, text: str) -> dict[str, list[int]]:
    """The statements of a text in a file of that path. Raises SpecificationError."""
    path.write_text(text, "utf-8")
    return statements(path)


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with some places changed."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("of_items", "plain"),
    [
        ((), ()),
        # The axis may be outside: both texts read it.
        ((("0 <= axis < rank(X)", "0 <= axis"),), (("0 <= axis < rank(X)", "0 <= axis"),)),
        # An error is asked for where C1 fails, and so is the `let` that it speaks of, which relies on C1.
        ((("[C3]", "let m = at(axis)\n\n[C3]"),
          ("let n =", 'define some(k : int) : bool = m > k\n\n[E9] error "m" : some(9)\nlet n ='),),
         (("[C3]", "let m = X.shape[axis]\n\n[C3]"), ("let n =", '[E9] error "m" : m > 9\nlet n ='))),
        ((("[C3]", "let m = at(axis)\nlet o = m\n\n[C3]"),
          ("let n =", 'define some(k : int) : bool = more(k)\n\ndefine more(n : int) : bool = o > n\n\n'
           '[E9] error "m" : some(9)\nlet n ='),),
         (("[C3]", "let m = X.shape[axis]\nlet o = m\n\n[C3]"), ("let n =", '[E9] error "m" : o > 9\nlet n ='))),
    ],
)  # fmt: skip  # a table
def test_as_if_it_were_written_out(
    of_items: tuple[tuple[str, str], ...], plain: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    """Every statement has the terms of the text without definitions, hypotheses and side conditions among them."""
    path = tmp_path / "last.sonnx"
    mine = stated(path, changed(TEXT, *of_items))
    theirs = stated(path, changed(PLAIN, *plain))

    assert mine.keys() == theirs.keys()
    # An `if` in a definition is one of it, and counts as one branch of the whole.
    assert {name for name in mine if mine[name] != theirs[name]} == set()


@pytest.mark.soak
def test_verdicts(tmp_path: Path) -> None:
    """A definition reads outside where its clause would; the operator is proved otherwise, and applied in a theorem."""
    path = tmp_path / "last.sonnx"
    laws = tmp_path / "laws.sonnx"
    laws.write_text(
        'theory laws "Laws"\n\ntypes int = int8 int16\n'
        + "".join(
            f'theorem {name} "{name}"\n  for A : tensor of T assuming A.shape = shape (k in 0 .. 0 -> {size})\n'
            "  : Last(A with axis = 0) = A\n"
            for name, size in (("one", 1), ("two", 2))
        ),
        "utf-8",
    )
    path.write_text(TEXT, "utf-8")
    whole = {r.id: str(r.verdict) for r in sonnx_verify.check(str(path), str(laws), cached=False)}
    path.write_text(changed(TEXT, ("0 <= axis < rank(X)", "axis < rank(X)")), "utf-8")
    broken = {r.id: str(r.verdict) for r in sonnx_verify.check(str(path), cached=False)}

    assert (whole["user.laws.int/one/theorem"], whole["user.laws.int/two/theorem"]) == ("proved", "refuted")
    assert {v for name, v in whole.items() if "laws" not in name} == {"proved", "holds"}
    assert broken["user.Last-1.int/C2/in-bounds"] == "refuted"


OWN = """\
use others

operator Op version 1 user

types int = int8 int16
types int of I = uint8

input  X : tensor of T
input  K : tensor of I
output Y : tensor of T

{items}

shape Y    = X.shape
value Y[i] = {value}
"""
OTHERS = 'library others "Others"\n\ndefine other(k : int) : int = rank(X) + k\n\ndefine plain(x : T) : T = x\n'


@pytest.mark.parametrize(
    ("items", "value", "message"),
    [
        ("define f(k : int) : int = m + k\nlet m = rank(X)", "T(f(1))", "undefined symbol `m`"),
        ('[R1] restriction "r" : f(1) = 1\nlet m = 1\ndefine f(k : int) : int = m', "X[i]", "undefined symbol `m`"),
        ("define f(k : int) : int = g(k)\ndefine g(k : int) : int = m\nlet m = 1", "T(f(1))", "undefined symbol `m`"),
        ("define f(k : int) : int = rank(Y) + k", "T(f(1))", "undefined symbol `Y`"),
        ("define f(k : int) : int = i[k]", "T(f(1))", "undefined symbol `i`"),
        ("let m = other(1)", "X[i]", "undefined symbol `X`"),
        ("let m = f(1)\ndefine f(k : int) : int = other(k)", "X[i]", "undefined symbol `X`"),
        ('[C1] constraint "c" : rank(X) = 1\ndefine f(k : int) : bool = C1 fails\nlet m = f(1)', "X[i]", "`C1`"),
        ('order o on int "o" : x before y = f(x, y)\ndefine f(x : T, y : T) : bool = rank(X) = 0 or x <= y',
         "greatest { X[j] | j in X } by o", "undefined symbol `X`"),
        ('theorem t "t" for n : int : f(n) = n\ndefine f(k : int) : int = rank(X) + k', "X[i]", "undefined symbol `X`"),
        # T is I in it: the elements of X are of another type.
        ("define f(x : T) : T = if rank(X) = 0 then x else x\nlet k = tensor (j in K -> f(K[j]))", "X[i]",
         "undefined symbol `X`"),
        ("define unused(k : int) : int = rank(k) + rank(X)", "X[i]", "found an int"),
        ("define unused(x : T) : T = X", "X[i]", "expected a T"),
    ],
)  # fmt: skip  # a table
def test_what_it_does_not_see(items: str, value: str, message: str, tmp_path: Path) -> None:
    """A `let` below it, outputs, indices, tags; and nothing in a library, an order, a theorem, or for another type."""
    (tmp_path / "others.sonnx").write_text(OTHERS, "utf-8")
    with pytest.raises(SpecificationError) as refused:
        stated(tmp_path / "op.sonnx", OWN.format(items=items, value=value))

    assert message in str(refused.value)


def test_parameters_come_first(tmp_path: Path) -> None:
    """A parameter with the name of an input is the parameter, as a variable that is bound is."""
    (tmp_path / "others.sonnx").write_text(OTHERS, "utf-8")
    path = tmp_path / "op.sonnx"
    named = stated(path, OWN.format(items="define f(X : int, K : int) : int = X + K", value="T(f(1, rank(K)))"))
    other = stated(path, OWN.format(items="define f(k : int, n : int) : int = k + n", value="T(f(1, rank(K)))"))

    assert named == other


def test_versions(tmp_path: Path) -> None:
    """A definition sees the `let` of its version."""
    text = changed(TEXT, ("operator Last version 1 user", "operator Last version 1 user"))
    path = tmp_path / "last.sonnx"
    path.write_text(f"{text}\nversion 2\nreplace let n = at(axis) - 1\n", "utf-8")
    verdicts = {r.id: str(r.verdict) for r in sonnx_verify.check(str(path), cached=False)}

    assert verdicts["user.Last-1.int/Z.value/in-bounds"] == "proved"
    assert verdicts["user.Last-2.int/Z.value/in-bounds"] == "refuted"
    assert verdicts["user.Last-2.int/C4/covered"] == "proved"


def test_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`eval` finds the reason in the definition."""
    monkeypatch.chdir(tmp_path)
    Path("last.sonnx").write_text(TEXT, "utf-8")
    given = ["--input", "X=int8:[1, 2]", "--input", "Y=int8:[1]", "--attr", "axis=0"]
    done = CliRunner().invoke(main, ["eval", "user.Last-1", *given])

    assert "`V.shape = X.shape` is false" in done.output, done.output


def test_an_order_is_closed(tmp_path: Path) -> None:
    """Where it is used too, not in its own obligations alone: of the order that is asked about, and of no other one, it
    is shown that it is total."""
    (tmp_path / "others.sonnx").write_text(OTHERS, "utf-8")
    path = tmp_path / "op.sonnx"
    items = 'order o on int "o" : x before y = f(x, y)\ndefine f(x : T, y : T) : bool = rank(X) = 0 or x <= y'
    path.write_text(OWN.format(items=items, value="greatest { X[j] | j in X } by o"), "utf-8")
    project = Project.of_files(HERE.parents[1], [path])
    (unit,) = project.units

    with pytest.raises(SpecificationError, match="undefined symbol `X`"):
        project.meaning(unit, Context("int", ELEMENT_TYPES["int8"], variables={"I": ELEMENT_TYPES["uint8"]}))
