"""SARIF 2.1.0, the form in which code hosts take findings of analyses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sonnx_verify.outputs.record import PASSED, UNDECIDED, Case, Run
from sonnx_verify.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(run: Run) -> str:
    """The log, with one run. Every finding is a result at its place, its rule among those of the tool. What passed is
    counted and no result: code hosts show each result as an alert, whatever kind it is of."""
    rules = {about.name: n for n, about in enumerate(run.rules)}
    results = [_result(case, rules) for case in run.cases if case.outcome != PASSED]
    driver = {
        "name": "sonnx-verify",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": about.name,
                "shortDescription": {"text": about.sentence},
                "help": {"text": about.help, "markdown": about.help},
                "defaultConfiguration": {"level": about.level},
            }
            for about in run.rules
        ],
    }
    tool: dict[str, Any] = {"driver": driver}
    # The solvers and targets of the run; pages are checked without any.
    if run.tools:
        tool["extensions"] = [{"name": name, "version": version} for name, version in run.tools.items()]
    made: dict[str, Any] = {
        "tool": tool,
        "automationDetails": {"id": f"sonnx-verify/{run.command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder that the command ran in."}}},
        "results": results,
        "properties": {"passed": run.counts[PASSED]},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [made]}, indent=1, ensure_ascii=False) + "\n"


def _result(case: Case, rules: Mapping[str, int]) -> dict[str, Any]:
    made: dict[str, Any] = {"ruleId": case.rule, "ruleIndex": rules[case.rule]}
    # SARIF allows a level for the kind `fail` alone.
    if case.outcome == UNDECIDED:
        made |= {"kind": "open", "level": "none", "message": {"text": case.text}}
    else:
        made |= {"kind": "fail", "level": case.level, "message": {"text": case.text}}
    if case.place is not None:
        region: dict[str, int] = {"startLine": case.place.line, "startColumn": case.place.column}
        # Without an end a region goes to the end of its line.
        if case.place.length:
            region["endColumn"] = case.place.column + case.place.length
        location = {"uri": _uri(case.place.file), "uriBaseId": "%SRCROOT%"}
        made["locations"] = [
            {
                "physicalLocation": {"artifactLocation": location, "region": region},
                "logicalLocations": [{"fullyQualifiedName": case.name}],
            }
        ]
    # Code hosts tell alerts apart by this mark: it has no line, so that one that moves stays the same.
    mark = hashlib.sha256("\0".join((case.rule, case.identity or case.name, case.title)).encode()).hexdigest()
    made["partialFingerprints"] = {"case/v1": mark[:16]}
    if case.facts:
        made["properties"] = dict(case.facts)
    return made


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
