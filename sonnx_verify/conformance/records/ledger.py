"""The ledger of divergences: the findings on a target in one version, committed, so that a new version is a diff.

A part for each divergence and each member of the scope (files.py has the form of the files). No times and no paths: the
same target gives the same bytes on every machine of one kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance
from sonnx_verify.conformance.records.files import RecordStore, TargetRecord
from sonnx_verify.conformance.targets.calls import Ending
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.results.written import json_line, plain
from sonnx_verify.stores.homes import RecordPlace

_RESTORE = "restore it from version control, or delete it and create it again with --update-ledger"
_OLD_RULES = 1
"""The version of the rules by which inputs were chosen before ledgers had one."""
_SETTINGS = ("seed", "random", "accepted", "short", "strength")
_OF_COVERING = ("types", "strength", "combinations", "covered", "rows", "left")
Entry = Mapping[str, Any]


Ledger = TargetRecord[Entry]
"""The known state of a target: by operator, the verdict, the scope, the unsupported types, the divergences by
identity."""


def entry_of(answer: Conformance) -> Entry:
    """The part of a ledger that is about one operator."""
    rows = plain(answer.divergences)
    for row in rows:
        # Most have no set to be outside of.
        if row["outside"] is None:
            del row["outside"]
        # It follows from the specification and its page, too: an example with another name changes no finding.
        del row["examples"]
        # Of code with a state it depends on what was called before.
        del row["reproduced"]
    made = {row.pop("id"): row for row in rows}
    unsupported = {one.type: one.said for one in answer.unsupported}
    of_types = {name: _comparable(row) for name, row in answer.scope.get("of_types", {}).items()}
    scope = {**answer.scope, "of_types": of_types}
    if "covering" in scope:
        # Which classes there are, and which of them no valid input has together, follows from the specification.
        scope["covering"] = [{name: one[name] for name in _OF_COVERING} for one in scope["covering"]]
    entry = {"verdict": answer.verdict, "scope": scope, "unsupported": unsupported, "divergences": made}
    # As it will be read again: a tuple is a list then, and what differs in nothing else is no change.
    again: Entry = plain(entry)
    return again


def _comparable(row: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome of a type, without what was not compared: that says nothing of the target."""
    return {name: value for name, value in row.items() if name not in ("missing", "unreached", "only_open")}


_EARLY = frozenset(("a", "alpha", "b", "beta", "c", "dev", "nightly", "pre", "preview", "rc"))
"""The words of a version that is older than the one without them."""


def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """The place of a version among those of its target: 1.9 before 1.10rc1 before 1.10 before 1.10.1."""
    made = []
    for word in re.findall(r"[0-9]+|[a-z]+", version.lower()):
        if word.isdigit():
            made.append((3, int(word), ""))
        elif word in _EARLY:
            made.append((0, 0, word))
        else:
            made.append((2, 0, word))
    # The end of a version stands between what makes it older and what makes it newer.
    return (*made, (1, 0, ""))


class _Covering(Struct):
    types: list[str]
    strength: int
    combinations: int
    covered: int
    rows: int
    left: int


class _Fault(Struct, forbid_unknown_fields=True):
    kind: str
    subject: str | None


class _Outcome(Struct):
    outcome: Ending


class _Accepted(Struct, forbid_unknown_fields=True):
    misuse: _Fault
    title: str
    got: _Outcome


class _Misuse(Struct):
    accepted: dict[str, _Accepted] | list[str] = {}
    """A list of names in a ledger of an earlier version."""


class _Scope(Struct):
    misuse: _Misuse | None = None
    of_types: dict[str, dict[str, Any]] = {}
    covering: list[_Covering] = []


class _Divergence(Struct):
    types: list[str]
    misuse: _Fault | None = None


class _Entry(Struct, forbid_unknown_fields=True):
    scope: _Scope
    unsupported: dict[str, str]
    divergences: dict[str, _Divergence]
    verdict: Conclusion | None = None
    """None in a ledger of an earlier version."""


LEDGERS: RecordStore[Entry] = RecordStore(
    folder=RecordPlace("runs", "divergences"),
    said="a ledger of divergences",
    restore=_RESTORE,
    form=_Entry,
    made=dict,
    members=dict,
    opened=4,
)


def updated(root: Path, target: Target, answer: Conformance) -> dict[Path, str | None]:
    """The files that change, with their texts, by what is known now, of all types of the operator."""
    return LEDGERS.updated(root, Ledger(target.text, answer.target_version, {answer.operator: entry_of(answer)}))


def divergence_changes(roots: Sequence[Path], target: Target, answer: Conformance) -> list[str]:
    """The differences between the run and the ledger on the types that were tried, one line each."""
    now = entry_of(answer)
    known = LEDGERS.find(roots, answer.operator, target.text, answer.target_version)
    if known is not None:
        return list(entry_changes(known, now))
    found = [_missing(answer)]
    # A new version of a runtime has no ledger yet: what changed since the last one is what its user wants to know.
    every = LEDGERS.versions(roots, answer.operator, target.text)
    for version in sorted(every, key=version_key)[-1:]:
        found.append(f"compared with the ledger of {target.text} {version}:")
        found += entry_changes(every[version], now)
    return found


def _missing(answer: Conformance) -> str:
    named = " ".join(filter(None, (answer.target, answer.target_version)))
    return f"there is no ledger for {answer.operator} against {named}: create it with --update-ledger"


def entry_changes(known: Entry, now: Entry) -> Iterator[str]:
    """The differences of two parts about one operator, of which `now` is the later."""
    rules = [entry["scope"].get("rules", _OLD_RULES) for entry in (known, now)]
    if rules[0] != rules[1]:
        problem = f"the inputs are chosen by other rules: ledger {rules[0]}, now {rules[1]}"
        yield f"{problem}; create the ledger again with --update-ledger"
    # The inputs of a short run are some of those of a long one: what it does not find is not gone.
    part = now["scope"].get("short") is True and known["scope"].get("short") is False
    # The rows of a covering array are shared by all types: a run of some of them has other rows.
    part |= {*now["scope"].get("of_types", {})} != {*known["scope"].get("of_types", {})}
    yield from _verdict(known, now, part=part)
    for name in _SETTINGS:
        if (part and name == "short") or (now["scope"].get("short") is True and name == "strength"):
            continue
        if known["scope"].get(name) != now["scope"].get(name):
            yield f"{name}: ledger {known['scope'].get(name)}, now {now['scope'].get(name)}"
    # By other rules each number of inputs is another one: one line says so, and those on divergences follow.
    counted = not part and rules[0] == rules[1]
    if counted and known["scope"].get("strength") == now["scope"].get("strength"):
        yield from _coverings(known, now)
    tried = [*now["scope"].get("of_types", {}), *now["unsupported"]]
    yield from _types(known, now, tried, part=not counted)
    identities = {*now["divergences"]}
    if not part:
        identities |= {*known["divergences"]}
    for identity in sorted(identities):
        was = known["divergences"].get(identity, _ABSENT)
        is_ = now["divergences"].get(identity, _ABSENT)
        compared = tried
        if part and was["types"] and is_["types"]:
            # It may take a long run to find it of a type.
            compared = [t for t in tried if t in is_["types"] or t not in was["types"]]
        yield from _divergence(identity, was, is_, compared)


def _verdict(known: Entry, now: Entry, *, part: bool) -> Iterator[str]:
    """The change of the verdict. Of a part of a run only that it decides no more what was decided before."""
    was, is_ = known.get("verdict"), now["verdict"]
    if part and not (is_ == Conclusion.UNKNOWN and was in (Conclusion.AGREES, Conclusion.PROVED)):
        return
    if was != is_:
        yield f"verdict: ledger {was or 'none'}, now {is_}"


def _coverings(known: Entry, now: Entry) -> Iterator[str]:
    """The groups of types whose inputs were covered otherwise: a test that covers less must not look as if it agreed as
    before."""
    was, is_ = (_covering_of(entry) for entry in (known, now))
    for types in dict.fromkeys((*was, *is_)):
        if was.get(types) != is_.get(types):
            yield f"coverage of {types}: ledger {json_line(was.get(types))}, now {json_line(is_.get(types))}"


def _covering_of(entry: Entry) -> dict[str, Any]:
    """The covering of each group, by its types."""
    groups = entry["scope"].get("covering", ())
    return {", ".join(one["types"]): {name: one[name] for name in _OF_COVERING[1:]} for one in groups}


_ABSENT: Entry = {"types": []}
"""The entry of a divergence that was not found: of no type."""


def _types(known: Entry, now: Entry, tried: list[str], *, part: bool) -> Iterator[str]:
    for name in tried:
        was, is_ = known["unsupported"].get(name), now["unsupported"].get(name)
        if was != is_:
            yield _support(name, was, is_)
            continue
        # A short run tries fewer inputs of a type: their number is another one without any change in the target.
        one, other = (entry["scope"].get("of_types", {}).get(name) for entry in (known, now))
        if part and not _is_lost(one, other):
            continue
        if one != other:
            yield f"{name}: ledger {json_line(one)}, now {json_line(other)}"


def _is_lost(was: Mapping[str, Any] | None, is_: Mapping[str, Any] | None) -> bool:
    """Return whether a type was proved, and is not any more: a part of a run can show that too."""
    if was is None or is_ is None:
        return False
    return bool(was.get("verdict") == Conclusion.PROVED != is_.get("verdict"))


def _support(name: str, was: str | None, is_: str | None) -> str:
    """A change in the support of a type, which is refused with a message or not."""
    if is_ is None:
        return f"{name} is now supported"
    if was is None:
        return f"{name} is now unsupported"
    return f"{name} now says: {is_}"


def _divergence(identity: str, was: Entry, is_: Entry, tried: list[str]) -> Iterator[str]:
    # Types that were not tried in this run are not gone.
    before, after = [t for t in was["types"] if t in tried], list(is_["types"])
    if was.get("misuse") and after:
        # It was found with the first type of a run, which is another one where the run is of some types only.
        before = after
    if after and not before:
        yield f"new: {identity} ({', '.join(after)})"
    elif before and not after:
        yield f"gone: {identity} ({', '.join(before)})"
    elif before != after:
        yield f"changed: {identity}: {', '.join(before)} before, {', '.join(after)} now"
    elif before and was["types"][0] == is_["types"][0]:
        # The input is of the first type: with another one it is another input.
        other = [k for k in sorted({*was, *is_}) if k != "types" and was.get(k) != is_.get(k)]
        if other:
            yield f"changed: {identity}: {', '.join(other)}"
