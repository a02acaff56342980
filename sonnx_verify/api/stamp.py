"""The origin of a report: the project, the commit of its texts, and a day.

The day is that of the commit, or the one that SOURCE_DATE_EPOCH names, never that of the clock: the same texts make the
same bytes on any machine, on any day.
"""

from __future__ import annotations

import os
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from sonnx_verify.api.history import commit_of
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.html.facts import Stamp

EPOCH = "SOURCE_DATE_EPOCH"
"""Environment variable: seconds since 1970, as builds that are to be reproduced have it."""
_DIGITS = 11
"""Beyond that no calendar has the day."""


def stamp_of(root: Path) -> Stamp:
    """The stamp of a project. Raises UsageError where the environment names no second."""
    commit = commit_of(root)
    seconds = _epoch()
    if seconds is None and commit is not None:
        seconds = commit.seconds
    date = ""
    if seconds is not None:
        date = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
    if commit is None:
        return Stamp(_name_of(root), "", date)
    return Stamp(_name_of(root), commit.sha[:12], date, commit.changed)


def _epoch() -> int | None:
    said = os.environ.get(EPOCH, "")
    if not said:
        return None
    if not said.isascii() or not said.isdigit() or len(said) > _DIGITS:
        raise UsageError(
            f"{EPOCH} is `{said}`", cure=f"write seconds since 1970, as in {EPOCH}=1700000000, or unset it"
        )
    return int(said)


def _name_of(root: Path) -> str:
    """The name of a project as its `pyproject.toml` has it; not that of the folder, which each machine may call
    something else."""
    try:
        made = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    project = made.get("project")
    if isinstance(project, dict) and isinstance(project.get("name"), str):
        return str(project["name"])
    return ""
