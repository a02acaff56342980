"""What a text says of one family of types: a `let` and a `shape` of one name for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.errors import Source, SpecificationError
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record

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
