"""One result: the only member of a set is no choice once it is shown to be the only one; any other choice is, also
beside it, and so is one that a `let` hides."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify

PICK = """\
use orders

operator Pick version 1 user

types int   = int8
types float = float16 float

input  X : tensor of T
input  C : tensor of bool
output Y : tensor of T

[C1] constraint "lists of one length" : rank(X) = 1 and C.shape = X.shape
[E1] error      "no such lists"       : when C1 fails
[C2] constraint "{title}"             : {asked}
[E2] error      "another number"      : when C2 fails

{let}

shape Y    = X.shape
value Y[i] = {value}
"""
CHOSEN = "{ k | k in 0 .. X.shape[0] - 1 where C[[k]] }"
ONE = ("one is chosen", f"count {CHOSEN} = 1")
SOME = ("some are chosen", f"count {CHOSEN} >= 1")
NONE = ("any are chosen", "rank(C) = 1")
CASES = {
    "the one": (ONE, "", f"X[[the {CHOSEN}]]", "proved"),
    "in a let": (ONE, f"let m = the {CHOSEN}", "X[[m]]", "proved"),
    "of one or more": (SOME, "", f"X[[the {CHOSEN}]]", ""),
    "of any": (NONE, "", f"X[[the {CHOSEN}]]", ""),
    "of one or more, in a let": (SOME, f"let m = the {CHOSEN}", "X[[m]]", ""),
    "of elements": (ONE, "", "the { X[[k]] | k in 0 .. X.shape[0] - 1 where C[[k]] }", "proved"),
    "of more elements": (SOME, "", "the { X[[k]] | k in 0 .. X.shape[0] - 1 where C[[k]] }", ""),
    "in a let of any name": (SOME, f"let outcome = the {CHOSEN}", "X[[outcome]]", ""),
    "in a let of a let": (SOME, f"let m = the {CHOSEN}\nlet p = m + 0", "X[[p]]", ""),
    "in a let that is not used": (SOME, f"let m = the {CHOSEN}", "X[i]", "proved"),
    "in a let of a definition": (
        SOME,
        f'let m = the {CHOSEN}\ndefine found(i : index) : T "it" = X[[m]]',
        "found(i)",
        "",
    ),
    "in a branch": (SOME, "", f"if count {CHOSEN} = 1 then X[[the {CHOSEN}]] else X[i]", "proved"),
    "beside a set": (ONE, "", f"if C[i] then any T else X[[the {CHOSEN}]]", "proved"),
    "of any, beside a set": (NONE, "", f"if C[i] then any T else X[[the {CHOSEN}]]", ""),
    "in the other branch": (SOME, "", f"if count {CHOSEN} = 1 then X[i] else X[[the {CHOSEN}]]", ""),
}


def verdicts(folder: Path, case: str) -> dict[str, str]:
    (title, asked), let, value, _ = CASES[case]
    path = folder / "pick.sonnx"
    path.write_text(PICK.format(title=title, asked=asked, let=let, value=value), "utf-8")
    return {one.id.partition("-1.")[2]: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}


@pytest.mark.parametrize("case", CASES)
def test_the_only_member(case: str, tmp_path: Path) -> None:
    """It is determined exactly where there is one, wherever in the text that is said."""
    found = verdicts(tmp_path, case)

    for family in ("int", "float"):
        assert (found[f"{family}/Y/determined"] == "proved") is bool(CASES[case][3]), family
