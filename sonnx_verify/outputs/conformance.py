"""The answer of `conform` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sonnx_verify.conformance.record import Conclusion, Conformance, Divergence, divergence_json
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.values import shape_text
from sonnx_verify.version import __version__


def conformance_json(answer: Conformance) -> dict[str, Any]:
    """The object of docs/json.md."""
    return {
        "tool": {"name": "sonnx-verify", "version": __version__},
        "operator": answer.operator,
        "target": answer.target,
        "target_version": answer.target_version or None,
        "verdict": answer.verdict,
        "scope": dict(answer.scope),
        "level": answer.level,
        "divergences": [divergence_json(d) for d in answer.divergences],
        "unsupported": [dict(u) for u in answer.unsupported],
        "crashes": [divergence_json(d) for d in answer.crashes],
    }


def conformance_lines(answer: Conformance) -> Iterator[str]:
    """The answer as a person reads it."""
    version = f" {answer.target_version}" if answer.target_version else ""
    up_to = ", up to a bound" if answer.verdict is Conclusion.PROVED else ""
    yield f"{answer.operator} against {answer.target}{version}: {answer.verdict}{up_to}"
    if answer.scope.get("method") == "tested" or answer.scope["types"]:
        yield f"  {_scope(answer)}"
    if answer.verdict is Conclusion.PROVED:
        yield "  not looked at: larger inputs, and whether invalid ones are refused; --test-only tests both"
    if answer.level is not None:
        yield f"  level of agreement: {answer.level}"
    for name, one in answer.scope["of_types"].items() if answer.scope.get("method") == "proved" else ():
        if one["verdict"] == Conclusion.UNKNOWN:
            yield f"  unknown: {name}: {_cut(one.get('said', ''))}{_tests(one)}"
    for rule in answer.scope.get("assumptions", ()):
        yield f"  on trust: {rule}"
    for one in answer.unsupported:
        tests = _tests(answer.scope["of_types"].get(one["type"], {}))
        yield f"  unsupported: {one['type']}: {_cut(str(one['said']))}{tests}"
    for divergence in answer.divergences:
        yield ""
        yield from divergence_lines(divergence)


def _tests(row: Mapping[str, Any]) -> str:
    """What came of the tests of a type that could not be proved."""
    count = row.get("tests", 0)
    return f"; tested on {counted_text(count, 'input')}: no difference" if count else ""


def _scope(answer: Conformance) -> str:
    scope = answer.scope
    if scope.get("method") != "tested":
        return str(scope.get("said", ""))
    types = ", ".join(scope["types"]) or "no type"
    passed = sum(one.get("passed_over", 0) for one in scope["of_types"].values())
    more = f"; {passed} passed over, since their like ended the process" if passed else ""
    small = "small " if scope["short"] else ""
    return f"tested on {counted_text(scope['inputs'], f'{small}input')} of {types}; seed {scope['seed']}{more}"


def divergence_lines(one: Divergence) -> Iterator[str]:
    """One divergence as a person reads it."""
    yield one.id
    yield f"  {one.title} ({', '.join(one.types)})"
    rows = [(name, tensor_words(t)) for name, t in one.inputs.items()]
    rows += [(name, json.dumps(value)) for name, value in one.attributes.items()]
    rows += [(name, "not given") for name in one.omitted]
    rows += [("expected", outcome_words(one.expected)), ("got", outcome_words(one.got))]
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        yield f"    {name:<{width}} = {_cut(text)}"
    yield f"    {one.repro}"


def tensor_words(tensor: Mapping[str, Any]) -> str:
    """Type, sizes, elements."""
    data = json.dumps(tensor["data"]).replace('"', "") if "data" in tensor else ""
    return f"{tensor['dtype']} {shape_text(tensor['shape'])} {data}".strip()


def outcome_words(outcome: Mapping[str, Any]) -> str:
    """What is expected, or came of it."""
    if "outputs" not in outcome:
        more = outcome.get("said") or " and ".join(outcome.get("clauses", ()))
        return f"{outcome['outcome']}: {more}" if more else str(outcome["outcome"])
    outputs = outcome["outputs"]
    texts = [tensor_words(t) if len(outputs) == 1 else f"{n} {tensor_words(t)}" for n, t in outputs.items()]
    return "; ".join([*texts, *set_words(outcome), *wrote_words(outcome)])


def set_words(outcome: Mapping[str, Any]) -> list[str]:
    """That what is expected is one of several results; nothing where it is the only one."""
    return ["or another of the set"] if outcome.get("representative") else []


def wrote_words(outcome: Mapping[str, Any]) -> list[str]:
    """Which inputs it wrote to; nothing where none is otherwise than before."""
    return [f"wrote to {', '.join(outcome['changed'])}"] if outcome.get("changed") else []


def _cut(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:157]}..."
