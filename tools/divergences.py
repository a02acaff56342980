"""Writes docs/divergences.md from the ledgers in proofs/divergences/: `python tools/divergences.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.compare import LEVELS  # noqa: E402  # runs without an installation
from sonnx_verify.conformance.ledger import FOLDER, Ledger, read_ledger  # noqa: E402  # as above
from sonnx_verify.outputs.conformance import outcome_words, tensor_words  # noqa: E402  # as above

PAGE = ROOT / "docs" / "divergences.md"
_HEAD = """\
# Divergences

How runtimes differ from the specifications. [`sonnx-verify conform`](conform.md) found all of it. Each difference is
listed once, on the smallest input that was found for it. `tools/divergences.py` makes this page from the ledgers in
`proofs/divergences/`, which also hold the bits of floats, and for each difference a line that reproduces it.

No runtime is an oracle: a difference says that the two do not agree. If a standard leaves the outcome of an input open,
everything agrees with it; the profile decides.
"""
_LONG = 90


def page() -> str:
    """The whole page."""
    ledgers = [read_ledger(path) for path in sorted((ROOT / FOLDER).glob("*.json"))]
    return "\n".join([_HEAD, *(line for ledger in ledgers for line in _of_target(ledger))])


def _of_target(ledger: Ledger) -> Iterator[str]:
    yield f"## {ledger.target} {ledger.version}".rstrip() + "\n"
    yield "| specification | inputs | divergences | level of agreement | types without any result |"
    yield "|---|---|---|---|---|"
    for name, entry in sorted(ledger.operators.items()):
        levels = [one["level"] for one in entry["scope"]["of_types"].values()]
        level = "none" if None in levels or not levels else max(levels, key=LEVELS.index)
        cells = [f"`{name}`", f"{entry['scope']['inputs']:,}", str(len(entry["divergences"])), level]
        yield _row([*cells, ", ".join(entry["unsupported"])])
    yield ""
    for name, entry in sorted(ledger.operators.items()):
        if entry["divergences"]:
            yield f"### {name} against {ledger.target}\n"
            yield "| what | types | input | expected | got |"
            yield "|---|---|---|---|---|"
            for one in entry["divergences"].values():
                yield _row(_cells(one, len(entry["scope"]["types"])))
            yield ""


def _cells(one: Mapping[str, Any], types: int) -> list[str]:
    given = [f"{name} = {tensor_words(t)}" for name, t in one["inputs"].items()]
    given += [f"{name} = {value}" for name, value in one["attributes"].items()]
    given += [f"no {name}" for name in one["omitted"]]
    of = "all" if len(one["types"]) == types else ", ".join(one["types"])
    return [one["title"], of, _code("; ".join(given)), _code(outcome_words(one["expected"])), _code(_short(one["got"]))]


def _short(got: Mapping[str, Any]) -> str:
    """What came of it; of a refusal not all of what is said."""
    return outcome_words(got) if "outputs" in got else str(got["outcome"])


def _code(text: str) -> str:
    shown = text if len(text) <= _LONG * 2 else f"{text[: _LONG * 2 - 3]}..."
    return f"`{shown}`".replace("|", r"\|")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
