"""What a text says of some types: a `let` and a `shape` for each family, and conditions on what a type is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.sources import Source

ROOT = Path(__file__).parent.parent.parent
Records = Callable[[Path, Callable[[str], bool]], list[Record]]
HEAD = """\
operator Doubled version 1 user

types int   = int8 int16
types float = float16 float

input  X : tensor of T
output Y : tensor of T

"""
DOUBLED = (
    HEAD
    + """\
let n           = rank(X)
let Z for int   = X
let Z for float = tensor (i in X -> X[i] + X[i])
let m for float = n + 1

[C1] constraint "a vector"      : n = 1
[E1] error      "not a vector"  : when C1 fails

shape Y for int   = shape (k in axes(Z) -> Z.shape[k] + 1)
shape Y for float = shape (k in 0 .. m - 2 -> Z.shape[k])
value Y[i] for int   = if i[0] < Z.shape[0] then Z[i] else T(0)
value Y[i] for float = Z[i]
"""
)


def written(folder: Path, text: str) -> Path:
    """The text in a file of its own."""
    path = folder / "text.sonnx"
    path.write_text(text, "utf-8")
    return path


def refused(folder: Path, text: str) -> SpecificationError:
    """The error of a text."""
    with pytest.raises(SpecificationError) as caught:
        collect(Project.of_files(ROOT, [written(folder, text)]))
    return caught.value


# --------------------------------------------------------------------------------------------------- let and shape


def test_each_family_has_its_own_let_and_shape(tmp_path: Path, records: Records) -> None:
    """Everything is proved in each section, and the obligations of a section are those of its own items."""
    found = {r.id: r.verdict.name for r in records(written(tmp_path, DOUBLED), lambda _: True)}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert found["user.Doubled-1.float/Z/in-bounds"] == "proved"
    assert "user.Doubled-1.int/Z/in-bounds" not in found
    assert "user.Doubled-1.int/Y.shape/total" in found


def test_a_theorem_is_named_for_a_family(tmp_path: Path) -> None:
    """Its arguments may be what other families lack, whose obligations do not rest on it."""
    text = DOUBLED + "define half(x : T) : real for float\n  = real(x) / 2.0\n"
    law = 'theory rises "Above"\n\ntheorem rises "a number is below the next"\n  for x : real : x < x + 1.0\n'
    (tmp_path / "rises.sonnx").write_text(law, "utf-8")
    text = f"use rises\n\n{text}using for float for all i in X : rises(half(X[i]))\n"
    made = collect(Project.of_files(ROOT, [written(tmp_path, text), tmp_path / "rises.sonnx"]))
    using = {o.section for o in made if o.uses}

    assert using == {"float"}
    assert "unknown family `real8`" in str(refused(tmp_path, text.replace("using for float", "using for real8")))


def test_the_result_is_that_of_the_family(tmp_path: Path, operator: Callable[..., Any]) -> None:
    """Integers get one element more, floats are doubled."""
    path = written(tmp_path, DOUBLED)
    of_ints, of_floats = operator(path, T="int8"), operator(path, T="float")

    assert list(of_ints({"X": np.array([3, 4], np.int8)}).elements) == [3, 4, 0]
    doubled = np.array(of_floats({"X": np.array([3.0], np.float32)}).elements, np.uint32).view(np.float32)
    assert doubled.tolist() == [6.0]


def test_a_report_points_to_the_item_of_the_section(tmp_path: Path) -> None:
    """Both families have `Y.shape`, each on a line of its own."""
    found = {o.id: o.span.line for o in collect(Project.of_files(ROOT, [written(tmp_path, DOUBLED)]))}
    lines = DOUBLED.split("\n")

    assert lines[found["user.Doubled-1.int/Y.shape/total"] - 1].startswith("shape Y for int")
    assert lines[found["user.Doubled-1.float/Y/determined"] - 1].startswith("shape Y for float")


def test_an_error_reaches_a_let_through_that_of_its_own_family(tmp_path: Path, records: Records) -> None:
    """E2 is for input that fails C1, and reads X.shape[0] through `a` for int: the `a` for float must not hide it."""
    text = (
        HEAD
        + """\
[C1] constraint "an axis"     : rank(X) > 0
let n = X.shape[0]
let a for int   = n
let a for float = 0
[C2] constraint "few axes"    : rank(X) < 9
[E1] error "no axis"          : when C1 fails
[E2] error "long"     for int : when C1 fails and a > 5
[E3] error "many axes"        : when C2 fails

shape Y    = X.shape
value Y[i] = X[i]
"""
    )
    found = {r.id: r.verdict.name for r in records(written(tmp_path, text), lambda i: i.endswith("n/in-bounds"))}

    assert found == {"user.Doubled-1.int/n/in-bounds": "refuted", "user.Doubled-1.float/n/in-bounds": "proved"}


BODY = "shape Y    = X.shape\nvalue Y[i] = X[i]\n"


@pytest.mark.parametrize(
    ("text", "message", "cure"),
    [
        ("let a for int = 1\nlet a for int = 2\n" + BODY, "`a` is given twice for int", "choose another name"),
        ("let a = 1\nlet a for int = 2\n" + BODY, "`a` is given twice, for all families and for int", "each"),
        ("let a for int = 1\nlet a = 2\n" + BODY, "`a` is given twice, for int and for all families", "each"),
        ("let a = 1\nlet a = 2\n" + BODY, "`a` is given twice", "restrict each to a family"),
        ("let X for int = 1\n" + BODY, "the name `X` is taken", "choose another name"),
        ("let a for ints = 1\n" + BODY, "unknown family `ints`", "the families are int, float"),
        ("let a for int = 1\nlet b = a\n" + BODY, "`a` is given for int, not for float", "add `let a for float = ...`"),
        (
            "shape Y for int = X.shape\nshape Y = X.shape\nvalue Y[i] = X[i]\n",
            "the shape of `Y` is defined twice, for int and for all families",
            "keep one",
        ),
        (
            "shape Y for int = X.shape\nshape Y for int = X.shape\nvalue Y[i] = X[i]\n",
            "the shape of `Y` is defined twice for int",
            "keep one",
        ),
    ],
)
def test_what_is_given_twice_is_refused(text: str, message: str, cure: str, tmp_path: Path) -> None:
    """The error names the item, the families, and what to do; its place is that of the second one, or of the use."""
    error = refused(tmp_path, HEAD + text)

    assert error.message == message
    assert cure in error.cure
    assert error.span is not None


def test_a_shape_that_a_family_lacks_is_a_finding(tmp_path: Path) -> None:
    """Nothing is filled in from another family."""
    text = HEAD + "shape Y for int = X.shape\nvalue Y[i] = X[i]\n"
    found = {o.id: o.answer for o in collect(Project.of_files(ROOT, [written(tmp_path, text)]))}

    answer = found["user.Doubled-1.float/Y/total"]
    assert answer is not None
    assert answer.reason == "no clause gives the shape of `Y`"
    assert "user.Doubled-1.int/Y/total" not in found


def test_a_version_replaces_the_let_of_one_family(tmp_path: Path) -> None:
    """The identity of a `let` has its family; `remove` removes all."""
    later = DOUBLED + "\nversion 2\nreplace let Z for int = tensor (i in X -> T(7))\n"
    units = Project.of_files(ROOT, [written(tmp_path, later)]).units
    lets = {let.family: let.body.span.text for let in units[1].file.lets if let.name == "Z"}  # type: ignore[union-attr]
    assert lets == {"int": "tensor (i in X -> T(7))", "float": "tensor (i in X -> X[i] + X[i])"}

    removed = DOUBLED + "\nversion 2\nremove let Z\nadd let Z = X\n"
    units = Project.of_files(ROOT, [written(tmp_path, removed)]).units
    assert [let.family for let in units[1].file.lets if let.name == "Z"] == [""]  # type: ignore[union-attr]


def test_the_layout_keeps_families() -> None:
    """They stand before the sign, and the lines of one kind are aligned."""
    text = 'let a for int = 1\nlet bc for float = 2\n\nshape Y from "p" for int = S\n'

    assert (
        layout(Source("text", text)) == 'let a  for int   = 1\nlet bc for float = 2\n\nshape Y from "p" for int = S\n'
    )


# ------------------------------------------------------------------------------------------- conditions on the type

SIZE = """\
operator Size version 1 user

types int   = uint8 int8 int16
types float = float16 float

input  X : tensor of T
output Y : tensor of T

define below_zero(x : T) : bool for int = T is signed and x < T(0)

let signed = T is signed

[C1] constraint "an axis, of an unsigned type a long one" : rank(X) > 0 and (T is not unsigned or X.shape[0] > 1)
[E1] error      "no axis, or a short one"                 : when C1 fails

shape Y    = X.shape
value Y[i] = if T is float then if is_nan(X[i]) then T(0) else X[i] else if below_zero(X[i]) then -X[i] else
  if signed and X[i] = T(7) then T(8) else X[i]
"""


def test_one_text_for_all_types_is_proved(tmp_path: Path, records: Records) -> None:
    """Every branch is of types that have it: `is_nan` of integers has no meaning, nothing of uint8 is below 0."""
    found = {r.id: r.verdict.name for r in records(written(tmp_path, SIZE), lambda _: True)}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert {f"user.Size-1.{family}/spec/satisfiable" for family in ("int", "float")} <= found.keys()


@pytest.mark.parametrize(
    ("element", "given", "expected"),
    [
        ("uint8", [200, 7], [200, 7]),
        ("uint8", [200], None),
        ("int8", [-20, 7], [20, 8]),
        ("int16", [-200], [200]),
        ("float16", [-2.0, np.nan], [-2.0, 0.0]),
        ("float", [-2.0], [-2.0]),
    ],
)
def test_the_branch_of_the_type_is_taken(
    element: str, given: list[float], expected: list[float] | None, tmp_path: Path, operator: Callable[..., Any]
) -> None:
    """The result, and whether there is one, depend on what T is."""
    result = operator(written(tmp_path, SIZE), T=element)({"X": np.array(given)})

    if expected is None:
        assert result is None
        return
    sort = ELEMENT_TYPES[element]
    bits = [floats.from_float(sort, e) if isinstance(sort, FloatSort) else e for e in expected]
    assert list(result.elements) == bits


WORDS = {
    "signed": {"int8", "int64"},
    "unsigned": {"uint8", "uint64"},
    "int": {"int8", "int64", "uint8", "uint64"},
    "float": {"bfloat16", "float16", "float", "double"},
    "minifloat": {"float8e4m3fn"},
    "bool": {"bool"},
    "int8": {"int8"},
    "uint64": {"uint64"},
    "bfloat16": {"bfloat16"},
    "double": {"double"},
}
ALL = sorted(set().union(*WORDS.values()))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("variable", ["T", "U"])
def test_what_a_type_is(variable: str, word: str, tmp_path: Path, operator: Callable[..., Any]) -> None:
    """Each word is true of its types and of no others, `is not` the other way round, of T and of another variable."""
    lines = "".join(f"types {family} = {' '.join(t)}\n" for family, t in _by_family().items())
    others = "".join(f"types {family} of U = {' '.join(t)}\n" for family, t in _by_family().items())
    text = f"""\
operator Asked version 1 user
{lines}{others}input  X : tensor of T
input  V : tensor of U
output Y : tensor of bool
shape Y    = shape (k in 0 .. 1 -> 2)
value Y[i] = if i[0] = 0 then {variable} is {word} else {variable} is not {word}
"""
    path = written(tmp_path, text)
    for name in ALL:
        types = {"T": name, "U": "uint8"} if variable == "T" else {"T": "uint8", "U": name}
        said = operator(path, **types)({"X": np.zeros(()), "V": np.zeros(())}).elements
        assert said == ((True, True, False, False) if name in WORDS[word] else (False, False, True, True)), name


def _by_family() -> dict[str, list[str]]:
    return {family: [t for t in ALL if t in WORDS[family]] for family in ("int", "float", "minifloat", "bool")}


LAWS = """\
theory laws "what unsigned types have"

types int   = uint8 int8
types float = float16

theorem not_below "unsigned elements are not below 0"
  for x : T
  : T is unsigned => T(0) <= x

theorem below "elements are not below 0"
  for x : T
  : T is int => T(0) <= x

theorem greatest "the greatest int8"
  for x : T
  : T is int8 => int(T.greatest) = 127

theorem other_greatest "the greatest uint8"
  for x : T
  : T is uint8 => int(T.greatest) = 127
"""


def test_a_law_is_asked_of_each_type_that_it_speaks_of(tmp_path: Path, records: Records) -> None:
    """It is proved where it holds of these, whatever it says of others, and refuted on one of these."""
    found = {r.id.removeprefix("user.laws."): r for r in records(written(tmp_path, LAWS), lambda i: "theorem" in i)}
    verdicts = {name: str(r.verdict.name) for name, r in found.items()}

    assert verdicts == {
        "int/not_below/theorem": "proved",
        "int/below/theorem": "refuted",
        "int/greatest/theorem": "proved",
        "int/other_greatest/theorem": "refuted",
        "float/not_below/theorem": "proved",
        "float/below/theorem": "proved",
        "float/greatest/theorem": "proved",
        "float/other_greatest/theorem": "proved",
    }
    assert found["int/below/theorem"].types == ("int8",)
    assert found["int/other_greatest/theorem"].types == ("uint8",)


def test_a_branch_that_a_type_lacks_hides_no_other(tmp_path: Path, records: Records) -> None:
    """uint8 lacks the inner `if`, which no input of int8 reaches. The outer one is reached by a tensor that is too
    large to be made: that of the inner one is no reason to say that nothing reaches it."""
    text = """\
operator Large version 1 user

types int = uint8 int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = if rank(X) = 2^40 then if T is signed and rank(X) < 0 then T(1) else T(2) else X[i]
"""
    (record,) = records(written(tmp_path, text), lambda i: i.endswith("spec/satisfiable"))

    assert record.verdict.name == "unknown"


def test_a_branch_that_no_input_reaches_is_still_found(tmp_path: Path, records: Records) -> None:
    """A condition on the type is no excuse for the condition beside it."""
    text = SIZE.replace("x < T(0)", "x < T(0) and x = T(1)")
    found = {r.id: r for r in records(written(tmp_path, text), lambda i: i.endswith("int/spec/satisfiable"))}

    record = found["user.Size-1.int/spec/satisfiable"]
    assert record.verdict.name == "violated"
    assert "is never reached" in record.verdict.reason


def test_a_definition_asks_what_it_is_given(tmp_path: Path, operator: Callable[..., Any]) -> None:
    """T in its body is the type of its argument, here that of another type variable or of an attribute's float."""
    text = """\
operator Given version 1 user
types int = int8 uint8
types int of U = uint16 int16
input  X : tensor of T
input  V : tensor of U
output Y : tensor of bool
define can_be_below(x : T) : bool = T is signed and T.lowest < T(0)
shape Y    = shape (k in 0 .. 0 -> 3)
value Y[i] = if i[0] = 0 then can_be_below(X[index (k in axes(X) -> 0)]) else
  if i[0] = 1 then can_be_below(V[index (k in axes(V) -> 0)]) else can_be_below(float(0))
"""
    path = written(tmp_path, text)
    given = {"X": np.zeros(()), "V": np.zeros(())}

    assert operator(path, T="int8", U="uint16")(given).elements == (True, False, False)
    assert operator(path, T="uint8", U="int16")(given).elements == (False, True, False)


@pytest.mark.parametrize(
    ("text", "message", "cure"),
    [
        (HEAD + BODY.replace("= X[i]", "= if T is sigend then X[i] else X[i]"), "`sigend`", "signed, unsigned, int"),
        (
            HEAD + BODY.replace("= X[i]", "= if int8 is signed then X[i] else X[i]"),
            "`int8` is a type, not a type variable",
            "of T",
        ),
        (HEAD + BODY.replace("= X[i]", "= if T is int then X[i] else y"), "undefined symbol `y`", "bind it"),
        (
            "operator Plain version 1 user\noutput Y : tensor of int8\n"
            "shape Y = shape (k in 0 .. 0 -> 1)\nvalue Y[i] = if T is int then int8(1) else int8(0)\n",
            "`T` has no types here",
            "add a line",
        ),
    ],
)
def test_what_no_type_is_is_refused(text: str, message: str, cure: str, tmp_path: Path) -> None:
    """The error names what is wrong, at its place; in `if T is int`, `y` is a mistake of the floats."""
    error = refused(tmp_path, text)

    assert message in error.message
    assert cure in error.cure
    assert error.span is not None


# ------------------------------------------------------------------------------------------- several lines of a family

LINES = """\
operator Lines version 1 user

types small = int8 uint8
types int   = int16
types wide  = int32 int64

input  X : tensor of T
output Y : tensor of T

define times(x : T) : T for small
  "x times a number of its line"
  = x * T(3)
define times(x : T) : T for wide
  "x times a number of its line"
  = x * T(5)

[C1] constraint "no number is great" for small : for all i in X : X[i] < T(100)
[C2] constraint "a vector"           for int   : rank(X) = 1
[E1] error      "a great number"     for small : when C1 fails
[E2] error      "no vector"          for int   : when C2 fails

let a for small = T(1)
let a for wide  = T(2)

shape Y              = X.shape
value Y[i] for small = times(X[i]) + a
value Y[i] for wide  = times(X[i]) + a
"""


def test_a_line_is_a_section_of_its_own(tmp_path: Path, records: Records) -> None:
    """Items for a line are in its section alone, those for the family in each; what no line is given is missed."""
    found = {
        r.id.removeprefix("user.Lines-1."): r.verdict.name for r in records(written(tmp_path, LINES), lambda _: True)
    }

    clauses = {i for i in found if i.endswith("/covered")}
    assert clauses == {"small/C1/covered", "small/C2/covered", "int/C2/covered", "wide/C2/covered"}
    assert {i for i, v in found.items() if v not in ("proved", "holds")} == {"int/Y/total"}
    assert found["int/Y/total"] == "violated"


def test_the_result_is_that_of_the_line(tmp_path: Path, operator: Callable[..., Any]) -> None:
    """Values, lets, definitions and constraints of the line of the type."""
    path = written(tmp_path, LINES)

    assert list(operator(path, T="uint8")({"X": np.array([3, 4])}).elements) == [10, 13]
    assert list(operator(path, T="int64")({"X": np.array([3, 400])}).elements) == [17, 2002]


def test_the_meanings_of_two_lines_are_apart(tmp_path: Path, records: Records) -> None:
    """Their abstract elements look alike: what holds of one line is not taken from the other."""
    text = """\
operator Apart version 1 user

types small = int8 uint8
types wide  = int32 int64

input  X : tensor of T
output Y : tensor of T

[C1] constraint "the same" : for all i in X : Y[i] = X[i]

shape Y              = X.shape
value Y[i] for small = X[i]
value Y[i] for wide  = X[i] + T(1)
"""
    found = {r.id: r.verdict.name for r in records(written(tmp_path, text), lambda i: i.endswith("/holds"))}

    assert found == {"user.Apart-1.small/C1/holds": "proved", "user.Apart-1.wide/C1/holds": "refuted"}


LAW = """\
theory laws "Laws of Lines"

types int = {}

theorem kept "nothing is changed"
  for A : tensor of T
  : Lines(A) = A
"""


def test_a_theorem_is_about_the_line_of_its_types(tmp_path: Path) -> None:
    """Of the types of one line it is decided at once; of those of two it would need two texts, and is refused."""
    written(tmp_path, LINES)
    laws = tmp_path / "laws.sonnx"
    laws.write_text(LAW.format("int8 uint8"), "utf-8")
    (found,) = [one for one in sonnx_verify.check(str(tmp_path), cached=False) if one.id.endswith("kept/theorem")]
    laws.write_text(LAW.format("int8 int32"), "utf-8")

    assert str(found.verdict) == "refuted"
    (error,) = sonnx_verify.check(str(tmp_path), cached=False).errors
    assert error.message == "`for small` is about int8, uint8 alone, and the elements here are int8, int32"
    assert "line of their own" in error.cure


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("types wide  = int32 int64", "types wide  = int32 uint8", "uint8 is in `types small` and in `types wide`"),
        ("let a for wide ", "let a for int  ", "`a` is given twice, for small and for int"),
        (
            "value Y[i] for wide ",
            "value Y[i]          ",
            "the value of `Y` is defined twice, for small and for all families",
        ),
        ("[C2] constraint", "[C1] constraint", "the tag [C1] is used twice"),
        ("define times(x : T) : T for wide", "define times(x : T) : T for int", "`times` is defined twice"),
        ("let a for wide", "let a for widest", "unknown family `widest`"),
    ],
)
def test_lines_that_overlap_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    """Each section has one of each."""
    assert refused(tmp_path, LINES.replace(old, new)).message.startswith(message)


def test_a_theory_has_no_items_for_lines(tmp_path: Path) -> None:
    """Whoever uses it may have lines of that name, or none."""
    text = 'theory laws "laws"\n\ntypes small = int8\n\ndefine f(x : T) : T for small = x\n'

    assert refused(tmp_path, text).message == "unknown family `small`"
