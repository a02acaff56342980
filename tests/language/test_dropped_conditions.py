"""Each form that asks for something: without what it asks, a text that means nothing there is not refused any more."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.kernel import notes

pytestmark = pytest.mark.usefixtures("nothing_kept")


@dataclass(frozen=True)
class Probe:
    """A form, by the functions of the kernel that ask for it, and a text in which that does not hold."""

    form: str
    asks: str
    text: str
    obligation: str
    types: str = "int = int8"


PROBES = (
    Probe("declared", "reads.declared", "value Y[i] = T(rank(B))", "Y.value/in-bounds"),
    Probe("item", "reads._inside", "value Y[i] = [X[i]][1]", "Y.value/in-bounds"),
    Probe("size", "reads._inside", "value Y[i] = T(X.shape[0])", "Y.value/in-bounds"),
    Probe("coordinate", "reads._inside", "value Y[i] = T(i[0])", "Y.value/in-bounds"),
    Probe("element", "reads.element", "value Y[i] = X[[0]]", "Y.value/in-bounds"),
    Probe("replaced", "reads._inside", "value Y[i] = T(rank((i with [0] = 0)))", "Y.value/in-bounds"),
    Probe("part", "reads.part", "value Y[i] = T(count([1, 2][0 .. 2]))", "Y.value/in-bounds"),
    Probe("divided", "arithmetic.divided", "value Y[i] = X[i] / X[i]", "Y.value/in-bounds", "real = real"),
    Probe("quotient", "arithmetic._not_zero", "value Y[i] = T(div(1, rank(X)))", "Y.value/in-bounds"),
    Probe("remainder", "arithmetic._not_zero", "value Y[i] = T(mod(1, rank(X)))", "Y.value/in-bounds"),
    Probe("real", "conversions.to_real_number", "value Y[i] = T(real(X[i]))", "Y.value/in-bounds", "float = float16"),
    Probe("held", "conversions.exact_element", "value Y[i] exact = X[i] + 1", "Y.value/total"),
    Probe("sqrt", "functions.of_reals", "value Y[i] = sqrt(X[i])", "Y.value/in-bounds", "real = real"),
    Probe("max", "folds._ask_for_one", "value Y[i] = T(max { k | k in 0 .. rank(X) - 1 })", "Y.value/total"),
    Probe("the", "folds.the_only", "value Y[i] = T(the { k | k in 0 .. rank(X) })", "Y.value/total"),
    Probe(
        "list",
        "makers.list_over",
        "value Y[i] = T(count(list (k in 0 .. (if rank(X) > 0 then 0 else -3) -> k)))",
        "Y.value/total",
    ),
    Probe(
        "size of a shape", "makers._from_the_right", "value Y[i] = T(rank(shape (k in 0 .. 0 -> -1)))", "Y.value/total"
    ),
    Probe(
        "rank of a shape",
        "makers._from_the_right",
        "value Y[i] = T(rank(shape (k in 0 .. (if rank(X) > 0 then 0 else -3) -> 1)))",
        "Y.value/total",
    ),
    Probe(
        "rank of an index",
        "makers._from_the_right",
        "value Y[i] = T(rank(index (k in 0 .. (if rank(X) > 0 then 0 else -3) -> 1)))",
        "Y.value/total",
    ),
    Probe(
        "steps",
        "results.within_steps",
        "value Y[i] = within -1 steps of 1.0 in T(0) .. T(2)",
        "Y.value/total",
        "float = float16",
    ),
    Probe("recursion", "recursions._from_start", "value Y[i] = T(down(rank(X) - 1))", "Y.value/in-bounds"),
    Probe("its own call", "recursions.call", "value Y[i] = T(endless(rank(X)))", "Y.value/total"),
    Probe(
        "count", "rules.count_of", "count Z = rank(X)\nshape Z[m] = X.shape\nvalue Z[m][i] = X[i]", "Z.count/in-bounds"
    ),
)
TEXT = """\
operator Foo version 1 user

types {types}

input          X : tensor of T
optional input B : tensor of T
output         {output} : tensor of T

define down(n : int) : int by recursion on n from 0
  = if n = 0 then 0 else down(n - 1)
define endless(n : int) : int by recursion on n from 0
  = endless(n - 1)

{shape}
{text}
"""


def verdict(folder: Path, probe: Probe) -> str:
    """The verdict on the obligation, "" where nothing is asked."""
    family = "Z[0 .. L]" if probe.text.startswith("count") else "Y"
    shape = "" if family != "Y" else "shape Y = X.shape"
    (folder / "foo.sonnx").write_text(
        TEXT.format(types=probe.types, output=family, shape=shape, text=probe.text), "utf-8"
    )
    done = CliRunner().invoke(main, ["check", "foo.sonnx", "--format", "json", "--jobs", "1"], catch_exceptions=False)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert not answer["errors"], answer["errors"]
    found = [one["verdict"] for one in answer["obligations"] if one["id"].endswith(f"/{probe.obligation}")]
    return found[0] if found else ""


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.form)
def test_what_a_form_asks_is_needed(probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert verdict(tmp_path, probe) in ("refuted", "candidate"), "the form asks"

    asked = notes.Notes.require
    module, _, function = probe.asks.partition(".")

    def dropped(self: notes.Notes, *arguments: Any, **named: Any) -> None:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        code = frame.f_back.f_code
        if code.co_name != function or not code.co_filename.endswith(f"kernel/{module}.py"):
            asked(self, *arguments, **named)

    monkeypatch.setattr(notes.Notes, "require", dropped)
    assert verdict(tmp_path, probe) in ("", "proved", "holds"), "without what it asks nothing is noticed"


def test_each_form_that_asks_has_a_probe() -> None:
    """By the functions of the kernel that ask for something."""
    kernel = Path(notes.__file__).parent
    asking = set()
    for path in sorted(kernel.glob("*.py")):
        name = ""
        for line in path.read_text("utf-8").splitlines():
            stripped = line.strip()
            if stripped.startswith("def "):
                name = stripped[4:].partition("(")[0]
            if "k.require(" in stripped:
                asking.add(f"{path.stem}.{name}")

    assert asking - {probe.asks for probe in PROBES} == {"reads.result"}  # tests/attacks: what is applied has no result
