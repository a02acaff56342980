"""Writes the schemas that are made of types: check.schema.json of those in sonnx_verify/results/answer_json.py,
export.schema.json of those in sonnx_verify/outputs/specification.py.

python tools/answer_schema.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.outputs import specification  # noqa: E402
from sonnx_verify.results import answer_json  # noqa: E402

FOLDER = ROOT / "sonnx_verify" / "outputs"
SCHEMAS = {"check": answer_json.schema, "export": specification.schema}


def text(command: str) -> str:
    """The text of the file of a command."""
    return json.dumps(SCHEMAS[command](), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in SCHEMAS:
        (FOLDER / f"{name}.schema.json").write_text(text(name), encoding="utf-8")
