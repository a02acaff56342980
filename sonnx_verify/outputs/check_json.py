"""What `check` tells, as JSON. The schema is check.schema.json beside this file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sonnx_verify.results.told import Told
from sonnx_verify.version import __version__


def summary_json(records: Iterable[Told], errors: int) -> dict[str, Any]:
    """How many of each verdict, how many surprises, how many files that could not be read."""
    listed = list(records)
    return {
        "verdicts": dict(sorted(Counter(r.verdict for r in listed).items())),
        "surprises": sum(r.surprising for r in listed),
        "errors": errors,
    }


def check_json(records: Iterable[Told], solvers: dict[str, str | None], errors: list[str]) -> dict[str, Any]:
    """The whole answer of `check`."""
    listed = list(records)
    return {
        "tool": {"name": "sonnx-verify", "version": __version__},
        "solvers": solvers,
        "obligations": [r.json for r in listed],
        "errors": errors,
        "summary": summary_json(listed, len(errors)),
    }
