"""Ten operators that move, choose or combine elements, written in the language as a user would: their obligations.

Each is decided for every rank, every dim including 0 and every element value, for one section: that of the integers.
The other sections differ in the elements only, which these texts move and do not look at, but for MatMul and ArgMax.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.solving.check.record import Record

HERE = Path(__file__).parent
Records = Callable[[Path, Callable[[str], bool]], list[Record]]

# Name and section of each, how many constraints it has, and other clauses of which something is proved.
OPERATORS = {
    "reshape": ("user.Reshape-25.int", 6, ("copied", "S")),
    "flatten": ("user.Flatten-25.int", 1, ("Y.shape",)),
    "slice": ("user.Slice-13.int-int64", 6, ("A", "at", "step", "begin", "end", "Y.shape")),
    "matmul": ("user.MatMul-13.int", 3, ("C3", "P", "Y.shape")),
    "squeeze": ("user.Squeeze-25.int", 4, ("A", "Y.shape")),
    "unsqueeze": ("user.Unsqueeze-25.int", 3, ("A", "Y.shape")),
    "gather": ("user.Gather-13.int-int64", 2, ("Y.shape",)),
    "expand": ("user.Expand-13.int", 3, ("S", "U")),
    "pad": ("user.Pad-25.int-int64", 6, ("A", "at", "front", "back", "Y.shape")),
    "argmax": ("user.ArgMax-13.int", 2, ("Y.shape",)),
}

CLAUSES = ("in-bounds", "total", "determined", "covered", "exclusive")


LONG = ("pad", "slice", "unsqueeze", "reshape")
"""In the soak: a job has time for the other ones."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.soak] * (n in LONG)) for n in OPERATORS])
def test_obligations_are_proved_or_hold(name: str, records: Records) -> None:
    """Reads are inside, results exist and are the only ones, errors are the complement of the constraints, none of
    which follows from the others."""
    section, constraints, places = OPERATORS[name]
    tags = [f"C{n + 1}" for n in range(constraints)]
    proved = [*(f"{p}/total" for p in places), "Y.value/in-bounds", "Y.value/total", "Y/determined"]
    proved += [f"{tag}/{kind}" for kind in ("covered", "exclusive") for tag in tags]
    hold = ["spec/satisfiable", *(f"{tag}/{kind}" for kind in ("satisfiable", "independent") for tag in tags)]
    hold += [f"E{n + 1}/satisfiable" for n in range(constraints)]

    def wanted(identity: str) -> bool:
        return identity.startswith((f"{section}/", f"{section.rpartition('.')[0]}/"))

    found = {record.id: record.verdict.name for record in records(HERE / f"{name}.sonnx", wanted)}
    expected = {f"{section}/{rest}": "proved" for rest in proved} | {f"{section}/{rest}": "holds" for rest in hold}

    assert {i: v for i, v in found.items() if v != ("proved" if i.endswith(CLAUSES) else "holds")} == {}
    assert {i: found.get(i) for i in expected} == expected
    assert found[f"{section.rpartition('.')[0]}/spec/well-formed"] == "holds"


# Of floats it takes half a minute: in `make soak`. `make verify` has the sums of ReduceSum.
@pytest.mark.parametrize("section", [pytest.param("float", marks=pytest.mark.soak), "real"])
def test_product_of_floats_and_reals(section: str, records: Records) -> None:
    """The sums of MatMul over floats and reals read inside and have a value; the correctly rounded sum is always one of
    the results of floats."""
    wanted = [f"user.MatMul-13.{section}/{place}" for place in ("Y.value/in-bounds", "Y.value/total", "Y/determined")]

    found = records(HERE / "matmul.sonnx", wanted.__contains__)

    assert {record.id: record.verdict.name for record in found} == dict.fromkeys(wanted, "proved")
