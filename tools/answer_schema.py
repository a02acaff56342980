"""Writes sonnx_verify/outputs/check.schema.json anew, from the types in sonnx_verify/results/answer_json.py.

python tools/answer_schema.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.results.answer_json import schema  # noqa: E402

SCHEMA = ROOT / "sonnx_verify" / "outputs" / "check.schema.json"


def text() -> str:
    """The text of the file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(), encoding="utf-8")
