"""SARIF 2.1.0, the form in which code hosts take findings of analyses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sonnx_verify.outputs.record import NOTED, PASSED, UNDECIDED, About, Mistake, Run
from sonnx_verify.results.written import json_text
from sonnx_verify.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(run: Run) -> str:
    """The log, with one run. Every mistake is a result at its place, its rule among those of the tool. What passed is
    counted and no result: code hosts show each result as an alert, whatever kind it is of."""
    rules = {about.name: n for n, about in enumerate(run.rules)}
    results = [_result(mistake, rules) for mistake in run.mistakes]
    driver = {
        "name": "sonnx-verify",
        "semanticVersion": __version__,
        "rules": [_rule(about, run.links.of_rule(about)) for about in run.rules],
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
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [made]})


def _rule(about: About, url: str) -> dict[str, Any]:
    made: dict[str, Any] = {"id": about.name, "shortDescription": {"text": about.sentence}}
    if url:
        made["helpUri"] = url
    return made | {
        "help": {"text": about.help, "markdown": about.help},
        "defaultConfiguration": {"level": about.level},
    }


def _result(mistake: Mistake, rules: Mapping[str, int]) -> dict[str, Any]:
    case = mistake.case
    # The first sentence of a message is what a list of alerts shows.
    message = mistake.text
    if case.lines:
        message = f"{mistake.title}\n{message}"
    made: dict[str, Any] = {"ruleId": case.rule, "ruleIndex": rules[case.rule]}
    # SARIF allows a level for the kind `fail` alone.
    if mistake.outcome == UNDECIDED:
        made |= {"kind": "open", "level": "none", "message": {"text": message}}
    elif mistake.outcome == NOTED:
        made |= {"kind": "review", "level": "none", "message": {"text": message}}
    else:
        made |= {"kind": "fail", "level": case.level, "message": {"text": message}}
    if case.place is not None:
        region: dict[str, int] = {"startLine": case.place.line, "startColumn": case.place.column}
        # Without an end a region goes to the end of its line.
        if case.place.length:
            region["endColumn"] = case.place.column + case.place.length
        location = {"uri": _uri(case.place.file), "uriBaseId": "%SRCROOT%"}
        made["locations"] = [
            {
                "physicalLocation": {"artifactLocation": location, "region": region},
                "logicalLocations": [{"fullyQualifiedName": name} for name in mistake.names],
            }
        ]
    # Code hosts tell alerts apart by this mark.
    made["partialFingerprints"] = {"case/v1": mistake.fingerprint[:16]}
    if case.facts:
        made["properties"] = dict(case.facts)
    return made


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
