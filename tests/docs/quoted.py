"""Outputs that a page quotes: whether a command still prints them, and how they are written anew.

A line `...` stands for any number of lines. The solvers' versions, and the numbers of queries, may differ.
`SONNX_REWRITE_GOLDEN=1` writes an output that differs into the page; a person reads the difference.
"""

from __future__ import annotations

import difflib
import fcntl
import os
import re
from functools import cache
from pathlib import Path

ELISION = "..."
VARIES = (
    (re.compile(r'\b(z3|cvc5|bitwuzla)(": "| )\d[\d.]*'), r"\1\2VERSION"),
    (re.compile(r"^\d+ ((?:SMT )?queries), \d+ ", re.MULTILINE), r"N \1, N "),
)
ALIKE = 0.4
"""How much of two lines has to be common before one is taken for the other in new words."""


def masked(text: str) -> str:
    """The text without what may differ from one installation to the next."""
    for pattern, replacement in VARIES:
        text = pattern.sub(replacement, text)
    return text


def pattern_of(expected: str) -> str:
    """The expected output as a regular expression."""
    lines = masked(expected).splitlines(keepends=True)
    return "".join(r"(?:.*\n)*?" if line.strip() == ELISION else re.escape(line) for line in lines)


def agrees(expected: str, printed: str) -> bool:
    """Whether a page that shows the first still tells the truth of the second."""
    return re.fullmatch(pattern_of(expected), masked(printed)) is not None


def compare(page: Path, command: str, expected: str, printed: str) -> None:
    """Fail if a page shows another output of a command, or write the page anew where that is asked for."""
    if agrees(expected, printed):
        return
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        rewrite(page, command, expected, renewed(expected, printed))
        return
    hint = "if this is meant: SONNX_REWRITE_GOLDEN=1 pytest tests/docs"
    assert masked(printed) == masked(expected), f"{page.name} shows another output of `{command}`; {hint}"


def rewrite(page: Path, command: str, expected: str, now: str) -> None:
    """Put the output of a command into a page. The text around it may have changed since it was read."""
    # Other workers write into the same page; the lock is on the folder, since the page is replaced.
    folder = os.open(page.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        text = page.read_text("utf-8")
        quoted = re.compile("^" + re.escape(f"$ {command}\n{expected}") + r"(?=\$ |```$)", re.MULTILINE)
        made, times = quoted.subn(lambda _: f"$ {command}\n{now}", text)
        assert times, f"{page.name} no longer shows `{command}` as it was read"
        page.write_text(made, "utf-8")
    finally:
        os.close(folder)


def renewed(expected: str, printed: str) -> str:
    """The printed output with the elisions of the expected one, where the lines around an elision are still there.

    Where a line beside an elision has gone, all that it hid is written out: a person decides what to leave out.
    """
    old = expected.splitlines(keepends=True)
    new = printed.splitlines(keepends=True)
    made: list[str] = []
    gap: list[str] = []
    hidden = lost = False

    def close() -> None:
        """End a gap between two lines that were found again."""
        nonlocal hidden, lost
        if hidden and gap and not lost:
            made.append(f"{ELISION}\n")
        else:
            made.extend(gap)
        gap.clear()
        hidden = lost = False

    for ours, line in aligned(old, new):
        if ours is None:
            gap.append(line)
        elif ours.strip() == ELISION:
            hidden = True
        elif not line:
            lost = True
        else:
            close()
            made.append(ours if masked(ours) == masked(line) else line)
    close()
    return "".join(made)


def aligned(old: list[str], new: list[str]) -> list[tuple[str | None, str]]:
    """Pairs of an old line and what became of it: nothing where it is gone, and no old line beside one that is new.

    The alignment of least cost. A line that an elision hides costs nothing; any other that is gone costs one, a new
    one half of that, and a line in other words the part of it that differs.
    """

    @cache
    def differs(i: int, j: int) -> float:
        one, other = masked(old[i]).strip(), masked(new[j]).strip()
        if one == other:
            return 0.0
        ratio = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
        return 1 - ratio if ratio >= ALIKE else 2.5

    # best[i][j]: the cost of old[i:] beside new[j:], and the step that it takes.
    best: list[list[tuple[float, str]]] = [[(0.0, "end")] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old) + 1)):
        for j in reversed(range(len(new) + 1)):
            steps: list[tuple[float, str]] = []
            elided = i < len(old) and old[i].strip() == ELISION
            after = i > 0 and old[i - 1].strip() == ELISION
            if i < len(old):
                steps.append((best[i + 1][j][0] + (0 if elided else 1), "gone"))
            if j < len(new):
                steps.append((best[i][j + 1][0] + (0 if after else 0.5), "new"))
            if i < len(old) and j < len(new) and not elided:
                steps.append((best[i + 1][j + 1][0] + differs(i, j), "same"))
            if steps:
                # Of equal costs the pair: a line that is there again is shown, not hidden.
                best[i][j] = min(steps, key=lambda step: (step[0], step[1] != "same"))
    pairs: list[tuple[str | None, str]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        match best[i][j][1]:
            case "gone":
                pairs.append((old[i], ""))
                i += 1
            case "new":
                pairs.append((None, new[j]))
                j += 1
            case _:
                pairs.append((old[i], new[j]))
                i, j = i + 1, j + 1
    return pairs
