"""Write the schemas of the commands' JSON, each made of the types of its record.

python tools/answer_schema.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.api import evaluation, gaps, shapes  # noqa: E402
from sonnx_verify.authoring.explain import definition  # noqa: E402
from sonnx_verify.authoring.explain import text as operator  # noqa: E402
from sonnx_verify.cli.explaining import listing, proof, terms  # noqa: E402
from sonnx_verify.outputs import conformance, difference, explanation, page_findings, specification  # noqa: E402
from sonnx_verify.results import answer_json  # noqa: E402
from sonnx_verify.results.written import schema_of  # noqa: E402

FOLDER = ROOT / "sonnx_verify" / "outputs"
SCHEMAS: dict[str, Callable[[], Any]] = {
    "check": answer_json.schema,
    "conform": conformance.schema,
    "definition": partial(schema_of, definition.DefinitionText, "explain DEFINITION"),
    "diff": partial(schema_of, difference.DifferenceJson, "diff A B"),
    "eval": partial(schema_of, evaluation.EvaluationJson, "eval"),
    "explain": partial(schema_of, explanation.ExplanationJson, "explain"),
    "export": specification.schema,
    "gaps": partial(schema_of, gaps.GapsJson, "explain --gaps"),
    "lint": partial(schema_of, page_findings.LintJson, "page lint"),
    "list": partial(schema_of, listing.ListJson, "explain --list"),
    "obligation": partial(schema_of, explanation.ExplainedObligationJson, "explain OBLIGATION"),
    "operator": partial(schema_of, operator.OperatorText, "explain OPERATOR"),
    "proof": partial(schema_of, proof.ProofsJson, "explain --proof"),
    "terms": partial(schema_of, terms.TermsJson, "explain --terms"),
    "shape": partial(schema_of, shapes.ShapesJson, "eval --shape"),
    "since": partial(schema_of, difference.SinceJson, "diff REF"),
}


def text(command: str) -> str:
    """The text of the file of a command."""
    return json.dumps(SCHEMAS[command](), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in SCHEMAS:
        (FOLDER / f"{name}.schema.json").write_text(text(name), encoding="utf-8")
