"""Divergences that somebody has reported to the makers of a target: `reported.json` in the folder of an operator.

People write it, and no command does, so that it stays when records are made again:

    {"t/sonnx.Max-13/crash/omitted-last-X/1f2e3d": {"url": "https://...", "date": "2026-11-30", "state": "open"}}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum, unique
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from sonnx_verify.errors import UserError
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import home_of, homes, shared
from sonnx_verify.stores.json_file import place_of_key, read_json

NAME = "reported.json"
_RESTORE = "correct it, or restore it from version control"


@unique
class State(StrEnum):
    """The state of a report, as the makers of the target see it."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    FIXED = "fixed"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Report:
    """A report of a divergence."""

    url: str
    date: date
    state: State

    @property
    def words(self) -> str:
        """The report as Markdown."""
        return f"[reported on {self.date}]({self.url}), {self.state}"


class _Row(Struct, forbid_unknown_fields=True):
    url: Annotated[str, Meta(pattern=r"^https?://[^\s()]+$")]
    date: date
    state: State


def reports(root: Path, known: Collection[str]) -> dict[str, Report]:
    """The reports of a project, by the identity of the divergence. UserError with the place for one that is damaged,
    not of its folder, or about none of the divergences that are `known`."""
    made: dict[str, Report] = {}
    for folder in (*homes(root), shared(root)):
        path = folder / NAME
        if path.exists():
            made |= _read(path, root, known)
    return made


def _read(path: Path, root: Path, known: Collection[str]) -> dict[str, Report]:
    start, made = read_json(path, _RESTORE)
    if not isinstance(made, dict):
        raise UserError("not reports of divergences", start, _RESTORE)
    return dict(_rows(path, root, known, start, made))


def _rows(
    path: Path, root: Path, known: Collection[str], start: Span, made: dict[str, object]
) -> Iterator[tuple[str, Report]]:
    for identity, value in made.items():
        span = place_of_key(start.source, identity)
        try:
            row = msgspec.convert(value, _Row)
        except msgspec.ValidationError as problem:
            states = ", ".join(State)
            cure = f'write {{"url": "https://...", "date": "2026-11-30", "state": one of {states}}}'
            raise UserError(f"not a report: {problem}", span, cure) from None
        _, _, rest = identity.partition("/")
        operator, _, _ = rest.partition("/")
        place = (home_of(operator, root) or shared(root)) / NAME
        if path != place:
            raise UserError(
                f"`{operator}` is not of this folder", span, f"move it to {place.relative_to(root).as_posix()}"
            )
        if identity not in known:
            cure = f"remove it, or name a divergence of {operator} as its ledgers do"
            raise UserError(f"there is no divergence `{identity}`", span, cure)
        yield identity, Report(row.url, row.date, row.state)
