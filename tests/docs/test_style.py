"""The style of docstrings, as far as a pattern sees it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_docstrings_are_noun_phrases_or_imperatives() -> None:
    """None begins with `What`: it would name its subject only at the end."""
    written = [path for folder in ("sonnx_verify", "tools") for path in (ROOT / folder).rglob("*.py")]

    assert len(written) > 100
    assert [path.name for path in written if re.search(r'"""What ', path.read_text("utf-8"))] == []
