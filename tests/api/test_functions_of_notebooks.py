"""A function that no other process can import is a target of `conform`: it is sent with what it refers to."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_verify.conformance.targets.by_value import dumped, importable, loaded
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.errors import UsageError

NOTEBOOK = """\
import numpy as np
import sonnx_verify as sv

LIMIT = 3

def clipped(x):
    return np.where(x > LIMIT, helped(x), -x)

def helped(x):
    return x

answer = sv.conform("sonnx.Neg-13", clipped, types=["int8"], short=True, random=0, test_only=TESTED)
print(answer.verdict, answer.target)
for one in answer.divergences:
    print(one.kind, one.repro)
"""


@pytest.mark.parametrize("tested", [True, False])
def test_a_function_of_the_main_module(tested: bool, tmp_path: Path) -> None:
    """As in a notebook: it refers to a module, to a value and to another function beside it."""
    path = tmp_path / "notebook.py"
    path.write_text(NOTEBOOK.replace("TESTED", str(tested)), "utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)

    first, *others = done.stdout.splitlines()
    assert first == f"{'diverges' if tested else 'refuted'} python:__main__:clipped"
    (value,) = (line for line in others if line.startswith("value "))
    assert value.startswith("value import numpy as np; ")
    assert value.endswith("print(clipped(X))")


def test_a_function_with_a_closure_that_refers_to_itself() -> None:
    """Closures, defaults and recursion go along."""

    def counted(n: int, step: int = 1, *, base: int = 2) -> int:
        return base if n <= 0 else offset + counted(n - step, step, base=base)

    offset = int(math.sqrt(100))
    copy = loaded(dumped(counted))

    assert importable(counted) is None
    assert copy is not counted
    assert copy(3) == counted(3) == 32


def test_what_can_be_imported_goes_by_its_name() -> None:
    """The target is the same as if it were named."""
    assert Target.of_function(math.sqrt) == Target.of("python:math:sqrt")


def test_what_cannot_be_sent_is_told() -> None:
    """The message names the function and what to do instead."""
    stream = sys.stdout

    def printed(x: object) -> object:
        print(x, file=stream)
        return x

    with pytest.raises(UsageError, match="cannot be run in another process") as told:
        dumped(printed)
    assert told.value.cure == "write it into a module, and name python:MODULE:FUNCTION"
