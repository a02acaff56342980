"""Shapes over filtered axes: reads behind a filter are proved, whatever the comparison; a wrong place is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

TEXT = """\
operator Part version 1 user

types int = int8

input     X : tensor of T
attribute a : int
output    Y : tensor of T

[C1] constraint "a is an axis, and no size is 0" : 0 <= a < rank(X) and (for all k in axes(X) : X.shape[k] > 0)
[E1] error      "there is no such axis"          : when C1 fails

shape Y    = shape (k in axes(X) where {filter} -> X.shape[k])
value Y[i] = X[index (k in axes(X) -> {place})]
"""
PLACES = {
    "k != a": "if k = a then 0 else if k < a then i[k] else i[k - 1]",
    "k < a": "if k < a then i[k] else 0",
    "k <= a": "if k <= a then i[k] else 0",
    "k > a": "if k > a then i[k - a - 1] else 0",
    "a <= k": "if a <= k then i[k - a] else 0",
    "not k < a": "if k < a then 0 else i[k - a]",
    "k > 0 and k != a": "if k = 0 or k = a then 0 else if k < a or a = 0 then i[k - 1] else i[k - 2]",
    "k >= 1 and k < a": "if k >= 1 and k < a then i[k - 1] else 0",
}


@pytest.mark.parametrize("chosen", PLACES)
def test_reads_behind_a_filter(chosen: str, tmp_path: Path) -> None:
    """Each axis of the result is one that the filter leaves."""
    path = tmp_path / "part.sonnx"
    path.write_text(TEXT.format(filter=chosen, place=PLACES[chosen]), "utf-8")

    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}

    assert found["user.Part-1.int/Y.value/in-bounds"] == "proved"
    assert [f"{name} {said}" for name, said in found.items() if said not in ("proved", "holds")] == []


@pytest.mark.parametrize("chosen", ["k != a", "k > a"])
def test_a_wrong_place_behind_a_filter(chosen: str, tmp_path: Path) -> None:
    """The axis after the right one has another size, or is none."""
    place = PLACES[chosen].replace("i[k - 1]", "i[k]").replace("i[k - a - 1]", "i[k - a]")
    path = tmp_path / "part.sonnx"
    path.write_text(TEXT.format(filter=chosen, place=place), "utf-8")

    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}

    assert found["user.Part-1.int/Y.value/in-bounds"] == "refuted"
