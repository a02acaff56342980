"""The folders that keep what was found out about a specification: its own, or `proofs/` of the project.

`spec/sonnx/pow/` holds the text and the page of `sonnx.Pow`, and all records about it: whoever adds an operator changes
no file of another one. What lies in no such folder (theories, shared definitions, a project of a few texts) shares the
files of `proofs/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sonnx_verify.paths import NAMESPACES, PROOFS

_SUBJECT = re.compile(r"(\w+)\.(\w+)")


def home_of(name: str, root: Path) -> Path | None:
    """The folder `spec/namespace/operator` of an identity such as `sonnx.Pow-15.float/C1/total`, or of the name of an
    operator; None where a project has no such folder, and its records stand in `proofs/`."""
    found = _SUBJECT.match(name)
    if found is None or found[1] not in NAMESPACES:
        return None
    folder = root / "spec" / found[1] / found[2].lower()
    return folder if folder.is_dir() else None


def homes(root: Path) -> Iterator[Path]:
    """All such folders of a project, in their order."""
    for namespace in NAMESPACES:
        yield from sorted(path for path in (root / "spec" / namespace).glob("*/") if path.is_dir())


def shared(root: Path) -> Path:
    """The folder of the records of all else."""
    return root / PROOFS
