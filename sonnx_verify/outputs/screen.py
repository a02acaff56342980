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
from sonnx_verify.outputs.console import hint_lines, line_of
from sonnx_verify.outputs.paint import Paint, Tone
from sonnx_verify.results.result import Result

_MOST = 40
"""The most rows of the table: those without a finding are left out first."""
_WIDEST = 120


def result_lines(result: Result, root: Path, paint: Paint, *, verbose: bool) -> list[str]:
    """The lines that are printed when a result is known; none for what can wait."""
    if verbose:
        return [line_of(result, paint)]
    if not result.surprising:
        return []
    return [*surprise_lines(result, root, paint), ""]


def surprise_lines(result: Result, root: Path, paint: Paint) -> list[str]:
    """A surprise in full, with a mark that is seen from afar."""
    from sonnx_verify.outputs.findings import quoted_finding

    first, *others = quoted_finding(result, root, paint)
    return [f"{paint('!', Tone.BAD)} {first}", *others, *hint_lines(result)]


def ended(results: Sequence[Result], root: Path, paint: Paint, *, verbose: bool) -> list[str]:
    """The lines behind the last result: what was expected, with --verbose everything in full, and the table."""
    from sonnx_verify.outputs.findings import quoted_finding

    lines: list[str] = []
    for result in results:
        if result.verdict in GOOD:
            continue
        if verbose and result.surprising:
            lines += ["", *surprise_lines(result, root, paint)]
        elif verbose:
            lines += ["", *quoted_finding(result, root, paint)]
        elif not result.surprising:
            lines.append(_folded(result, paint))
    if lines:
        lines.append("")
    return [*lines, *_table(results, paint)]


def _folded(result: Result, paint: Paint) -> str:
    why = result.expected_reason or result.reason
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    room = width - len(f"  expected {result.verdict} {result.id}: ")
    if room < len(why):
        why = f"{why[: max(room - 3, 10)]}..."
    return paint(f"  expected {result.verdict} {result.id}: {why}", Tone.FAINT)


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
