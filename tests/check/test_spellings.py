"""What the spelling does not decide: a place by the number of members before it, an index that reads nothing, a sum of
what is above 0, a range that is empty far below its start. Beside each a wrong one, which is refuted or not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

PICK = """\
operator Pick version 1 user

types int = int8

input  X : tensor of T
input  C : tensor of bool
output Y : tensor of T

[C1] constraint "two lists, of one length" : rank(X) = 1 and rank(C) = 1 and X.shape[0] = C.shape[0]
[E1] error      "no such lists"            : when C1 fails

let n = count {{ k | k in 0 .. C.shape[0] - 1 where C[[k]] }}
define chosen(m : int) : int
  "the place of the one with m others before it"
  = the {{ p | p in 0 .. C.shape[0] - 1 where {condition} }}
shape Y    = shape (k in 0 .. 0 -> {size})
value Y[i] = X[[chosen(i[0])]]
"""
BEFORE = {
    "C[[p]] and count { q | q in 0 .. p - 1 where C[[q]] } = m": ("n", "proved"),
    "m = count { q | q in 0 .. p - 1 where C[[q]] } and C[[p]]": ("n", "proved"),
    "C[[p]] and count { q | q in 0 .. p - 1 where C[[q]] } = m + 0": ("n + 1", "refuted"),
    "C[[p]] and count { q | q in 0 .. p where C[[q]] } = m": ("n", "refuted"),
    "C[[p]] and count { q | q in 1 .. p - 1 where C[[q]] } = m": ("n", "refuted"),
    "count { q | q in 0 .. p - 1 where C[[q]] } = m": ("n", "refuted"),
}
GATHER = """\
operator Turned version 1 user

types int = int8

input     X : tensor of T
input     I : tensor of int64
output    Y : tensor of T

[C1] constraint "X is a list"         : rank(X) = 1
[E1] error      "no list"             : when C1 fails
[C2] constraint "each is one of them" : for all j in indices(I) : 0 <= int(I[j]) {bound} X.shape[0]
[E2] error      "no such place"       : when C2 fails

shape Y    = shape (k in axes(I) -> I.shape[k])
value Y[i] = X[[mod(int(I[i]) + 1, X.shape[0])]]
"""
SHARE = """\
use functions
use numbers

operator Share version 1 user

types float = float16 float

input  X : tensor of T
output Y : tensor of T

[C1] constraint "a list of numbers" : rank(X) = 1 and (for all j in indices(X) : is_number(X[j]))
[E1] error      "anything else"     : when C1 fails

shape Y    = X.shape
value Y[i] = T({part} / {whole})
using for all j in indices(X) : exp_positive(number(X[j]))
"""
TAILS = """\
operator Tail version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

[C1] constraint "no size is 0" : for all k in axes(X) : X.shape[k] > 0
[E1] error      "a size is 0"  : when C1 fails

shape Y    = shape (k in 0 .. rank(X) - 3 -> X.shape[k + {further}])
value Y[i] = X[index (k in axes(X) -> if k < 2 then 0 else i[k - 2])]
"""


SCALAR = """\
operator Diagonal version 1 user

types int = int8

input  X : tensor of T
input  K : tensor of int64
output Y : tensor of T

[C1] constraint "K is a number" : rank(K) {rank}
[E1] error      "anything else" : when C1 fails

let d = the {{ int(K[j]) | j in indices(K) }}

shape Y    = X.shape
value Y[i] = T(mod(d, 8))
"""
PLANE = """\
operator Places version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

[C1] constraint "an image with elements" : rank(X) >= 2 and (for all k in 2 .. rank(X) - 1 : X.shape[k] {size} 0)
[E1] error      "anything else"          : when C1 fails

let plane = shape (k in 2 .. rank(X) - 1 -> X.shape[k])

shape Y    = shape (k in 0 .. 1 -> X.shape[k])
value Y[i] = T(mod(100, count {{ j | j in indices(plane) }}))
"""


def verdicts(text: str, folder: Path) -> dict[str, str]:
    """The verdicts on a text, without the name of the operator and its section."""
    path = folder / "made.sonnx"
    path.write_text(text, "utf-8")
    return {one.id.partition("/")[2]: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}


@pytest.mark.parametrize("condition", BEFORE)
def test_a_place_by_what_stands_before_it(condition: str, tmp_path: Path) -> None:
    """There is one for each number below the count; none for the count itself, and no other count will do."""
    size, expected = BEFORE[condition]

    found = verdicts(PICK.format(condition=condition, size=size), tmp_path)

    assert found["Y.value/total"] == expected
    if expected == "proved":
        assert [name for name, said in found.items() if said not in ("proved", "holds")] == []


@pytest.mark.parametrize(("bound", "expected"), [("<", "proved"), ("<=", "refuted")])
def test_an_index_that_reads_nothing(bound: str, expected: str, tmp_path: Path) -> None:
    """That an index of the result is one of I, and so X has an element, is known where only a size is asked of."""
    assert verdicts(GATHER.format(bound=bound), tmp_path)["Y.value/in-bounds"] == expected


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        ("sum { exp(number(X[j])) | j in indices(X) }", True),
        ("sum { exp(number(X[[k]])) | k in 0 .. X.shape[0] - 1 }", True),
        ("sum { exp(number(X[[k]])) | k in 1 .. X.shape[0] - 1 }", False),
        ("sum { number(X[[k]]) | k in 0 .. X.shape[0] - 1 }", False),
        ("sum { exp(number(X[[k]])) * number(X[[k]]) | k in 0 .. X.shape[0] - 1 }", False),
    ],
)
def test_a_sum_of_what_is_above_0(whole: str, *, expected: bool, tmp_path: Path) -> None:
    """It divides what it is a sum of, where there is an addend."""
    found = verdicts(SHARE.format(part="exp(number(X[i]))", whole=whole), tmp_path)

    assert (found["Y.value/in-bounds"] == "proved") is expected


@pytest.mark.parametrize(("further", "expected"), [(2, "proved"), (3, "refuted")])
def test_a_range_far_below_its_start(further: int, expected: str, tmp_path: Path) -> None:
    """A tensor of rank 0 or 1 has no axes after the second."""
    found = verdicts(TAILS.format(further=further), tmp_path)

    assert found["Y.shape/in-bounds"] == expected
    assert expected == "refuted" or found["Y/determined"] == "proved"


@pytest.mark.parametrize(("rank", "expected"), [("= 0", "proved"), ("<= 1", "refuted")])
def test_the_only_index_of_a_scalar(rank: str, expected: str, tmp_path: Path) -> None:
    """A scalar has one index, of which nothing else speaks; a list may have none, or two."""
    assert verdicts(SCALAR.format(rank=rank), tmp_path)["d/total"] == expected


@pytest.mark.parametrize(("size", "expected"), [(">", "proved"), (">=", "refuted")])
def test_an_index_where_no_size_is_0(size: str, expected: str, tmp_path: Path) -> None:
    """A plane with sizes above 0 has a place, also that of no axes; with a size 0 it has none."""
    assert verdicts(PLANE.format(size=size), tmp_path)["Y.value/in-bounds"] == expected
