"""What came of holding a target against a specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PROVED, REFUTED, AGREES, DIVERGES, UNSUPPORTED = "proved", "refuted", "agrees", "diverges", "unsupported"
UNKNOWN = "unknown"
STATUS = {PROVED: 0, AGREES: 0, REFUTED: 1, DIVERGES: 1, UNSUPPORTED: 3, UNKNOWN: 3}
"""The exit status for each verdict."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One way in which a target differs from the specification, on the smallest input that was found for it.

    `inputs`, `attributes`, `expected` and `got` are as JSON has them. `types` are the element types of T that show it,
    `inputs` is of the first of them.
    """

    id: str
    kind: str
    title: str
    types: tuple[str, ...]
    inputs: Mapping[str, Any]
    attributes: Mapping[str, Any]
    omitted: tuple[str, ...]
    expected: Any
    got: Any
    repro: str
    presentation: str = ""
    signature: object = None
    """What two divergences of different types have in common where they are one."""


@dataclass(frozen=True, slots=True, repr=False)
class Conformance:
    """The answer of `conform`: see docs/json.md."""

    operator: str
    target: str
    target_version: str
    verdict: str
    scope: Mapping[str, Any]
    level: str | None
    divergences: tuple[Divergence, ...] = ()
    unsupported: tuple[Mapping[str, Any], ...] = ()

    def __repr__(self) -> str:
        version = f" {self.target_version}" if self.target_version else ""
        found = ", ".join(divergence.id for divergence in self.divergences)
        return f"<{self.operator} against {self.target}{version}: {self.verdict}{f': {found}' if found else ''}>"

    @property
    def crashes(self) -> list[Divergence]:
        """Those that end, or keep, the process."""
        return [d for d in self.divergences if d.kind in ("crash", "hang", "memory")]


def divergence_json(one: Divergence) -> dict[str, Any]:
    """One member of `divergences`."""
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.title,
        "types": list(one.types),
        "inputs": dict(one.inputs),
        "attributes": dict(one.attributes),
        "omitted": list(one.omitted),
        "presentation": one.presentation or None,
        "expected": one.expected,
        "got": one.got,
        "repro": one.repro,
    }
