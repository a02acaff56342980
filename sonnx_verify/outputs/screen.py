"""A run of `check` for a person at a terminal: a surprise as soon as it is found, expected findings on a line each, a
table at the end.

In: results in their order. Out: lines with colours. Where no person looks, outputs/console.py makes the lines.
"""

from __future__ import annotations

import io
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sonnx_verify.logic.verdict import GOOD, VerdictName
from sonnx_verify.outputs.console import line_of
from sonnx_verify.outputs.of_check import case_of, folded
from sonnx_verify.outputs.paint import Paint, Tone
from sonnx_verify.outputs.record import PASSED, Case, Key
from sonnx_verify.results.result import Result

_MOST = 40
"""The most rows of the table: those without a finding are left out first."""
_WIDEST = 120


class Screen:
    """A run as it goes on: each mistake is printed where its first result is known."""

    def __init__(self, root: Path, paint: Paint, *, verbose: bool) -> None:
        self._root = root
        self._paint = paint
        self._verbose = verbose
        self._told: set[Key] = set()
        self._known: dict[tuple[str, str, str], list[Case]] = {}

    def result_lines(self, result: Result) -> list[str]:
        """The lines that are printed when a result is known; none for what can wait."""
        if self._verbose:
            return [line_of(result, self._paint)]
        if not result.surprising:
            return []
        case = case_of(result, self._root, self._paint)
        is_told = case.key in self._told or case.awaited(self._known)
        self._told.add(case.key)
        self._known.setdefault(case.subject, []).append(case)
        # Its other families are named at the end.
        return [] if is_told else [*self._marked(case.lines), ""]

    def _marked(self, lines: Sequence[str]) -> list[str]:
        """The lines of a surprise, with a mark that is seen from afar."""
        return [f"{self._paint('!', Tone.BAD)} {lines[0]}", *lines[1:]]

    def ended(self, results: Sequence[Result]) -> list[str]:
        """The lines behind the last result: what was expected, with --verbose everything in full, and the table."""
        found = [result for result in results if self._verbose or not result.surprising]
        lines: list[str] = []
        for mistake in folded(found, self._root, self._paint, full=self._verbose):
            if not self._verbose:
                lines.append(self._paint(_cut(mistake.line), Tone.FAINT))
            elif mistake.case.outcome == PASSED:
                lines += ["", *mistake.lines]
            else:
                lines += ["", *self._marked(mistake.lines)]
        if lines:
            lines.append("")
        return [*lines, *_table(results, self._paint)]


def _cut(line: str) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return line if len(line) < width else f"{line[: width - 4]}..."


def _table(results: Sequence[Result], paint: Paint) -> list[str]:
    """A row for each operator or theory, a column for each verdict, by rich."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    counts: dict[str, Counter[str]] = {}
    surprises: Counter[str] = Counter()
    for result in results:
        counts.setdefault(result.subject, Counter())[result.verdict] += 1
        surprises[result.subject] += result.surprising
    present = {result.verdict for result in results}
    verdicts = [name for name in VerdictName if name in present]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for verdict in verdicts:
        table.add_column(verdict, justify="right")
    table.add_column("surprises", justify="right")
    shown = [*counts]
    if len(shown) > _MOST:
        shown = [subject for subject in shown if surprises[subject] or not counts[subject].keys() <= GOOD]
    for subject in shown:
        cells = [Text(str(counts[subject][verdict] or "")) for verdict in verdicts]
        style = Tone.BAD.value if surprises[subject] else ""
        table.add_row(Text(subject), *cells, Text(str(surprises[subject] or ""), style=style))
    if not shown:
        return []
    # The width of a terminal is that of the machine, but the columns are as wide as what is in them.
    console = Console(
        file=io.StringIO(), force_terminal=paint.colored, color_system="standard", width=_WIDEST, legacy_windows=False
    )
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()] + [""]
