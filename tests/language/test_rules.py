"""Laws about numbers that an author would write without a lemma: each is proved, and its false twin refuted.

The texts beside this file name a false law `false_...`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record

HERE = Path(__file__).parent
Records = Callable[[Path, Callable[[str], bool]], list[Record]]


@pytest.mark.parametrize("text", ["computed", "integers", "reals"])
def test_laws_and_their_false_twins(text: str, records: Records) -> None:
    """A law is proved for each type of its section, a false one refuted by a replayed counterexample."""
    decided = [r for r in records(HERE / f"{text}.sonnx", lambda name: name.endswith(f"/{Kind.THEOREM}"))]
    laws = {r.obligation.id.split("/")[1]: r.verdict.name for r in decided}

    assert len(laws) > 10
    assert laws == {name: "refuted" if name.startswith("false_") else "proved" for name in laws}
