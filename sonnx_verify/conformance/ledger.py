"""The ledger of divergences: what was found of a target in one version, committed, so that a new version is a diff.

One file for each target and version, one line for each divergence. No times and no paths: the same target gives the
same bytes on every machine of one kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.record import Conformance, divergence_json
from sonnx_verify.conformance.target import Target
from sonnx_verify.errors import UserError, read_json

FOLDER = Path("proofs") / "divergences"
"""Where the ledgers of a project are, from its root."""
_RESTORE = "restore it from the version control, or remove it and make it again with --update-ledger"
_SETTINGS = ("seed", "random", "accepted", "short")
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known of a target: by operator, what was tried, what is unsupported, and the divergences by identity."""

    target: str
    version: str
    operators: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the file."""
        operators = ",\n".join(_operator(name, self.operators[name]) for name in sorted(self.operators))
        head = f' "target": {_json(self.target)},\n "version": {_json(self.version)},\n'
        return f'{{\n{head} "operators": {{\n{operators}\n }}\n}}\n'


def _operator(name: str, entry: Entry) -> str:
    rows = [f'   "scope": {_json(entry["scope"])}', f'   "unsupported": {_json(entry["unsupported"])}']
    found = ",\n".join(f"    {_json(i)}: {_json(one)}" for i, one in entry["divergences"].items())
    rows.append(f'   "divergences": {{\n{found}\n   }}' if found else '   "divergences": {}')
    return f"  {_json(name)}: {{\n" + ",\n".join(rows) + "\n  }"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def entry_of(answer: Conformance) -> Entry:
    """What the ledger says of an operator."""
    rows = [divergence_json(d) for d in answer.divergences]
    made = {row.pop("id"): row for row in rows}
    unsupported = {str(u["type"]): str(u["said"]) for u in answer.unsupported}
    entry = {"scope": dict(answer.scope), "unsupported": unsupported, "divergences": made}
    plain: Entry = json.loads(json.dumps(entry))
    return plain


def place_of(root: Path, target: Target, version: str) -> Path:
    """The file of a target in a version."""
    return root / FOLDER / f"{target.slug}-{version or 'unversioned'}.json"


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file. UserError with the place where it is none."""
    place, made = read_json(path, _RESTORE)
    if not isinstance(made, dict) or set(made) != {"target", "version", "operators"} or not _are_entries(made):
        raise UserError("this is no ledger of divergences", place, _RESTORE)
    return Ledger(made["target"], made["version"], made["operators"])


def _are_entries(made: Mapping[str, Any]) -> bool:
    operators = made["operators"]
    parts = {"scope": dict, "unsupported": dict, "divergences": dict}
    return isinstance(operators, dict) and all(
        isinstance(entry, dict)
        and set(entry) == set(parts)
        and all(isinstance(entry[part], kind) for part, kind in parts.items())
        and all(isinstance(d, dict) and isinstance(d.get("types"), list) for d in entry["divergences"].values())
        for entry in operators.values()
    )


def updated(root: Path, target: Target, answer: Conformance) -> tuple[Path, str]:
    """The file and its text with what is known now, of all types of the operator."""
    path = place_of(root, target, answer.target_version)
    before = read_ledger(path).operators if path.exists() else {}
    ledger = Ledger(target.text, answer.target_version, {**before, answer.operator: entry_of(answer)})
    return path, ledger.text()


def changes(root: Path, target: Target, answer: Conformance) -> list[str]:
    """What is otherwise than the ledger says of the types that were tried, one line each."""
    path = place_of(root, target, answer.target_version)
    if path.exists():
        ledger = read_ledger(path)
        return list(_since(ledger, answer)) if answer.operator in ledger.operators else [_none(answer)]
    others = sorted((root / FOLDER).glob(f"{target.slug}-*.json"))
    found = [_none(answer)]
    for other in others[-1:]:
        ledger = read_ledger(other)
        found.append(f"compared with what {target.text} {ledger.version} has:")
        found += _since(ledger, answer) if answer.operator in ledger.operators else ["nothing of this operator"]
    return found


def _none(answer: Conformance) -> str:
    version = f" {answer.target_version}" if answer.target_version else ""
    return f"there is no ledger of {answer.operator} against {answer.target}{version}: make it with --update-ledger"


def _since(ledger: Ledger, answer: Conformance) -> Iterator[str]:
    known, now = ledger.operators[answer.operator], entry_of(answer)
    # The inputs of a short run are some of those of a long one: what it does not find is not gone.
    part = now["scope"].get("short") is True and known["scope"].get("short") is False
    for name in _SETTINGS:
        if known["scope"].get(name) != now["scope"].get(name) and not (part and name == "short"):
            yield f"tried with {name} {now['scope'].get(name)}, not {known['scope'].get(name)}"
    tried = [*now["scope"].get("of_types", {}), *now["unsupported"]]
    yield from _types(known, now, tried, part)
    for identity in sorted(now["divergences"] if part else {*known["divergences"], *now["divergences"]}):
        was, is_ = known["divergences"].get(identity), now["divergences"].get(identity)
        if part and was and is_:
            # It may take a long run to find it of a type.
            tried = [t for t in tried if t in is_["types"] or t not in was["types"]]
        yield from _divergence(identity, was, is_, tried)


def _types(known: Entry, now: Entry, tried: list[str], part: bool) -> Iterator[str]:
    for name in tried:
        was, is_ = known["unsupported"].get(name), now["unsupported"].get(name)
        if was != is_:
            if is_ is None:
                yield f"{name} is supported now"
            elif was is None:
                yield f"{name} is unsupported now"
            else:
                yield f"{name} says now: {is_}"
            continue
        one, other = (entry["scope"].get("of_types", {}).get(name) for entry in (known, now))
        if one != other and not part:
            yield f"{name}: was {_json(one)}, is {_json(other)}"


def _divergence(identity: str, was: Entry | None, is_: Entry | None, tried: list[str]) -> Iterator[str]:
    before = [t for t in was["types"] if t in tried] if was else []
    after = list(is_["types"]) if is_ else []
    if after and not before:
        yield f"new: {identity} ({', '.join(after)})"
    elif before and not after:
        yield f"gone: {identity} ({', '.join(before)})"
    elif before != after:
        yield f"changed: {identity}: of {', '.join(before)} before, of {', '.join(after)} now"
    elif was and is_ and before and was["types"][0] == is_["types"][0]:
        other = [k for k in sorted({*was, *is_}) if k != "types" and was.get(k) != is_.get(k)]
        if other:
            yield f"changed: {identity}: {', '.join(other)}"
