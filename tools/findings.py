"""The catalogue of findings, from the ledgers of divergences.

A finding is one mistake of one target: the divergences of all specifications and versions that have the same kind and
the same cause. It shows the smallest of their inputs, the line that reproduces it, what the standard says about that
input, and what the profile decides. Groups and severities follow from the tables below alone. The same ledgers, texts
and pages give the same files.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.inputs.misuse import Fault  # noqa: E402  # as above
from sonnx_verify.conformance.judgement.description import TITLES  # noqa: E402  # as above
from sonnx_verify.conformance.oracles.comparison import LEVELS, Kind  # noqa: E402  # runs without an installation
from sonnx_verify.conformance.records.ledger import LEDGERS, Entry, Ledger, version_key  # noqa: E402  # as above
from sonnx_verify.conformance.records.reported import Report, reports  # noqa: E402  # as above
from sonnx_verify.conformance.targets.target import slug_of  # noqa: E402  # as above
from sonnx_verify.outputs.conformance import empty_bound_words, outcome_words, types_words  # noqa: E402  # as above
from sonnx_verify.outputs.tensors import attribute_words, tensor_words  # noqa: E402  # as above
from sonnx_verify.results.text import counted_text, digits_text, framed  # noqa: E402  # as above
from tools.positions import Judged, Position, Stance, judged  # noqa: E402  # as above
from tools.severity import (  # noqa: E402  # as above
    ABOUT,
    GRADES,
    NEAR,
    OF_KIND,
    RARE,
    RULES,
    TITLE,
    Group,
    Severity,
    beyond,
    graded,
)

_LONG = 180
"""The longest text in a cell."""
_SLUG = 40
"""The longest cause in an identity."""
One = Mapping[str, Any]


_BY_SAID = (Kind.REFUSES, Kind.NO_RESULT)
"""The kinds whose cause is the message of the target."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A divergence of a ledger, or the same one of several versions of a target, with what the texts say of it."""

    target: str
    versions: tuple[str, ...]
    operator: str
    id: str
    one: One
    judged: Judged
    shown: int = 0
    """The inputs of its types that show a difference of its kind."""
    inputs: int = 0
    """All inputs of these types; 0 where neither is recorded."""
    report: Report | None = None

    @property
    def varies(self) -> bool:
        """Return whether the result depends on memory that nobody wrote."""
        return "varies" in self.one["got"]

    @property
    def kind(self) -> Kind:
        """The kind of divergence."""
        return Kind(self.one["kind"])

    @property
    def name(self) -> str:
        """The operator without namespace and version: the same for standard, profile and all versions."""
        return self.operator.partition(".")[2].partition("-")[0]

    @property
    def misuse(self) -> Fault | None:
        """The invalid call; None for an input of the specification."""
        made = self.one.get("misuse")
        if made is None:
            return None
        return Fault(made["kind"], made["subject"] or "")

    @property
    def own(self) -> Position | None:
        """The position of the specification that it was found with."""
        both = (self.judged.standard, self.judged.profile)
        return next((one for one in both if one is not None and one.operator == self.operator), None)

    @property
    def standard(self) -> Position:
        """The position of the standard."""
        return self.judged.standard or Position("", Stance.NO_TEXT)

    @property
    def is_moved(self) -> bool:
        """Return whether a wrong result has the elements of the right one, in other places."""
        wanted, got = (list(self.one[part].get("outputs", {}).values()) for part in ("expected", "got"))
        if len(wanted) != len(got):
            return False
        return all(_elements(a) == _elements(b) for a, b in zip(wanted, got, strict=True))

    @property
    def weight(self) -> tuple[object, ...]:
        """Its place in the order of smallness; of inputs of one size that of a profile, which leaves nothing open."""
        tensors = list(self.one["inputs"].values())
        return (
            len(tensors),
            sum(len(made["shape"]) for made in tensors),
            sum(sum(made["shape"]) for made in tensors),
            self.judged.profile is not self.own,
            bool(self.one["presentation"]),
            len(self.one["attributes"]),
            self.id,
        )


def _types(every: Iterable[Seen]) -> str:
    """The types that show some divergences."""
    made: dict[bool, dict[str, None]] = {}
    for seen in every:
        made.setdefault(seen.misuse is not None, {}).update(dict.fromkeys(seen.one["types"]))
    return "; ".join(types_words([*types], is_misuse=is_misuse) for is_misuse, types in made.items())


def _elements(made: Mapping[str, Any]) -> list[str]:
    return sorted(re.findall(r"[^\s,\[\]]+", str(made.get("bits", made.get("data", "")))))


@dataclass(frozen=True, slots=True)
class Cause:
    """The key that makes two divergences of a kind one finding: `words` are part of its identity."""

    target: str
    kind: Kind
    group: Group
    words: tuple[str, ...]
    stance: Stance
    varies: bool


@dataclass(slots=True)
class Found:
    """A finding: a cause with its divergences, the smallest first."""

    cause: Cause
    seen: list[Seen] = field(default_factory=list)
    id: str = ""

    @property
    def first(self) -> Seen:
        """The divergence that it is shown on."""
        return self.seen[0]

    @property
    def severity(self) -> Severity:
        """By the table of rules."""
        if self.cause.varies:
            return Severity.CRITICAL
        if self.is_graded:
            return graded(self.beyond, *self.share)
        rule = OF_KIND[self.cause.kind]
        texts = (self.first.standard, *self.first.judged.further)
        if all(text.allows for text in texts):
            return rule.open_there
        return rule.severity

    @property
    def reports(self) -> list[Report]:
        """The reports of its divergences, each once."""
        return [*dict.fromkeys(one.report for one in self.seen if one.report is not None)]

    @property
    def is_graded(self) -> bool:
        """Return whether it is a wrong value, and not the right one elsewhere."""
        return self.cause.kind is Kind.VALUE and self.cause.group is Group.IEEE

    @property
    def beyond(self) -> int | None:
        """The floats between its worst value and the last that is allowed; None if these are not what tells the two
        apart."""
        every = [beyond(one.one) for one in self.seen]
        return None if None in every else max(n for n in every if n is not None)

    @property
    def share(self) -> tuple[int, int]:
        """The inputs that show it, and all inputs, of the operators and types that do."""
        # Each operator counts once, whatever the number of its smallest inputs.
        of_operators = {(one.operator, *one.one["types"]): (one.shown, one.inputs) for one in self.seen}
        return sum(n for n, _ in of_operators.values()), sum(n for _, n in of_operators.values())

    @property
    def title(self) -> str:
        """A phrase that says what it is."""
        own = self.first.own
        if self.cause.kind is Kind.ACCEPTS and own is not None and own.sentences:
            return f"accepts input that violates: {own.sentences[0].text}"
        if self.first.misuse:
            return str(self.first.one["title"])
        return TITLES[self.cause.kind].format(cause="a clause")

    @property
    def marks(self) -> list[str]:
        """The part that a reader has to see first."""
        made = []
        if self.cause.kind is Kind.CRASH:
            made.append("crash")
        elif self.cause.group is Group.CRASH and self.cause.kind is not Kind.FOREIGN and not self.cause.varies:
            made.append(str(self.cause.kind))
        if self.cause.varies:
            made.append("returns foreign memory: the result varies with what memory holds")
        layouts = sorted({one.one["presentation"] for one in self.seen if one.one["presentation"]})
        if layouts:
            made.append(f"some inputs show it only with special arrays: {'; '.join(layouts)}")
        return made

    @property
    def operators(self) -> list[str]:
        """The specifications that it was found with."""
        return sorted({one.operator for one in self.seen})

    @property
    def types(self) -> str:
        """The element types that show it, in words."""
        return _types(self.seen)

    @property
    def versions(self) -> list[str]:
        """The versions of the target that show it."""
        return sorted({name for one in self.seen for name in one.versions}, key=version_key)


# -------------------------------------------------------------------------------------------------------- collecting


def ledgers() -> list[Ledger]:
    """The ledgers of the project, of each target the newest version last."""
    return sorted(LEDGERS.all([ROOT]), key=lambda one: (one.target, version_key(one.version)))


def seen_in(every: Sequence[Ledger]) -> list[Seen]:
    """Each divergence once, with the versions that have it, and the report of it."""
    made: dict[str, Seen] = {}
    rows = [
        (ledger, operator, entry, {**entry["divergences"], **dict(accepted_calls(ledger, operator, entry))})
        for ledger in every
        for operator, entry in sorted(ledger.operators.items())
    ]
    reported = reports(ROOT, {identity for *_, divergences in rows for identity in divergences})
    for ledger, operator, entry, divergences in rows:
        for identity, one in divergences.items():
            before = made.get(identity)
            versions = (ledger.version,) if before is None else (*before.versions, ledger.version)
            # The ledger of the newest version is the last: its input and its line count.
            said, share = judged(operator, one), _share(entry, one)
            report = reported.get(identity)
            made[identity] = Seen(ledger.target, versions, operator, identity, one, said, *share, report)
    return list(made.values())


def accepted_calls(ledger: Ledger, operator: str, entry: Entry) -> Iterator[tuple[str, One]]:
    """The invalid calls that had a result, as divergences. Earlier ledgers have their names alone."""
    misuse = entry["scope"].get("misuse", {})
    accepted = misuse.get("accepted", {})
    if not accepted or not isinstance(accepted, Mapping):
        return
    kind, type_ = Kind.INVALID_CALL, misuse["type"]
    command = f"sonnx-verify conform {operator} --against {ledger.target} --types {type_} --short --format json"
    base = {part: misuse[part] for part in ("inputs", "attributes", "omitted")}
    base |= {"kind": kind.value, "types": [type_], "presentation": None, "repro": command}
    for name, call in accepted.items():
        title = f"{TITLES[kind]}: {call['title']}"
        more = {"title": title, "misuse": call["misuse"], "expected": {"outcome": "open"}, "got": call["got"]}
        yield f"{slug_of(ledger.target)}/{operator}/{kind}/{name}", {**base, **more}


def _share(entry: Entry, one: One) -> tuple[int, int]:
    """The inputs of the types of a divergence that show its kind, and all of them."""
    rows = [row for name, row in entry["scope"].get("of_types", {}).items() if name in one["types"]]
    rows = [row for row in rows if "failing" in row]
    return sum(row["failing"].get(one["kind"], 0) for row in rows), sum(row["inputs"] for row in rows)


def cause_of(one: Seen) -> Cause:
    """The cause of a divergence."""
    kind, standard = one.kind, one.standard
    group = OF_KIND[kind].group
    if kind is Kind.VALUE and one.is_moved:
        group = Group.STRUCTURAL
    if one.varies:
        group = Group.CRASH
    words: tuple[str, ...]
    own = one.own
    if kind is Kind.ACCEPTS and own is not None and own.sentences:
        # The sentence, not the tag: C1 of one operator is C2 of another.
        words = (own.sentences[0].text,)
    elif kind is Kind.DECLARED_TYPE:
        words = ()
    elif one.misuse:
        # A mistake in how models are read shows with every operator, whatever its inputs are called.
        words = (one.misuse.kind,)
    elif group is Group.CRASH:
        # What ends a process is a mistake in one piece of code; of two, each is worth its own line.
        words = (one.name,)
    elif kind in _BY_SAID:
        words = (one.one["got"].get("said", "").replace(one.name, "*"),)
    elif standard.stance is Stance.OPEN:
        # What the standard leaves open has one tag in all its texts.
        words = standard.tags
    else:
        words = (one.name,)
    return Cause(one.target, kind, group, words, standard.stance, one.varies)


def findings(every: Iterable[Seen]) -> list[Found]:
    """The findings, by group, severity and identity."""
    made: dict[Cause, Found] = {}
    for one in every:
        cause = cause_of(one)
        made.setdefault(cause, Found(cause)).seen.append(one)
    every_finding = _with_refusals_merged(made.values())
    taken: dict[str, list[Found]] = {}
    for found in every_finding:
        found.seen.sort(key=lambda one: one.weight)
        taken.setdefault(_identity(found), []).append(found)
    for identity, several in taken.items():
        # Links lead to an identity: what was known before keeps it when another finding comes to the same words.
        first, *later = sorted(several, key=_age)
        first.id = identity
        for found in later:
            found.id = f"{identity}-{hashlib.sha256(repr(found.cause).encode()).hexdigest()[:6]}"
    order = [*Severity]
    groups = [*Group]
    return sorted(every_finding, key=lambda f: (groups.index(f.cause.group), order.index(f.severity), f.id))


def _with_refusals_merged(every: Iterable[Found]) -> list[Found]:
    """The findings, where an operator's refusals of the same types are one: a type that a runtime lacks shows in other
    words with each input that is given."""
    made: list[Found] = []
    groups: list[tuple[set[tuple[object, ...]], Found]] = []
    for found in every:
        if found.cause.kind is not Kind.REFUSES:
            made.append(found)
            continue
        cause = found.cause
        keys: set[tuple[object, ...]] = set()
        keys.update((cause.target, cause.stance, one.name, frozenset(one.one["types"])) for one in found.seen)
        alike = [group for group in groups if group[0] & keys]
        first = alike[0][1] if alike else found
        for other_keys, other in alike[1:]:
            first.seen += other.seen
            keys |= other_keys
        if alike:
            first.seen += found.seen
            keys |= alike[0][0]
        groups = [group for group in groups if group not in alike]
        groups.append((keys, first))
    return [*made, *(found for _, found in groups)]


def _age(found: Found) -> tuple[object, ...]:
    """Its place among the findings of a target: by the oldest version that shows it, then by its cause."""
    return version_key(found.versions[0]), repr(found.cause)


def _identity(found: Found) -> str:
    words = "-".join(found.cause.words)
    if found.cause.kind in _BY_SAID:
        words = "-".join(sorted({one.name for one in found.seen}))
    text = f"{found.cause.target}-{found.cause.kind}"
    cause = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(cause) > _SLUG:
        cause = cause[:_SLUG].rpartition("-")[0]
    return re.sub(r"[^a-z0-9]+", "-", f"{text} {cause}".lower()).strip("-")


# ------------------------------------------------------------------------------------------------------------- pages

_HEAD = """\
# Findings

How runtimes differ from the specifications of the standard and of the profile, as found by
[`sonnx-verify conform`](../conform.md).

A finding is one kind of difference in one target: the specifications that show it, the smallest input, and a shell
command that reproduces it. These pages are [made](../records.md#findings) from the ledgers of divergences, which hold a
command for every further input too. `python tools/reproductions.py` runs all commands.

No runtime is an oracle: a finding says that a target and a specification disagree. Where the standard leaves a result
open, it allows any; the profile decides.
"""
_MEMORY = """\
## Crashes and foreign memory

Each target runs in a separate process, which detects crashes, hangs and memory exhaustion. Findings of these kinds are
marked, and so are those that some inputs show only with a special memory layout.

Each result for an input that a specification rejects or leaves open is computed twice more, as is each wrong result
that is listed: with [two fillings](../conform.md#foreign-memory) of fresh memory and of the memory around the inputs.
If the results differ, the finding is critical; its command prints both. Equal results prove nothing: the memory read
may not affect the result.
"""


def pages() -> dict[str, str]:
    """The text of each file."""
    every = ledgers()
    found = findings(seen_in(every))
    made = {"findings/index.md": _index(every, found)}
    for group in Group:
        own = [one for one in found if one.cause.group is group]
        made[f"findings/{group}.md"] = "\n".join(_page(group, own)).rstrip() + "\n"
    return made


def _index(every: Sequence[Ledger], found: Sequence[Found]) -> str:
    lines = [_HEAD, *_counts(found), "", "## All findings", ""]
    lines += _table(
        ("finding", "target", "severity", "specifications", "types", "what", "the standard", "reported"),
        [_row_of(one) for one in found],
    )
    lines += ["", *_severities(), "", _MEMORY, *_tested(every)]
    lines += ["```{toctree}", ":hidden:", "", *map(str, Group), "```"]
    return "\n".join(lines) + "\n"


def _counts(found: Sequence[Found]) -> Iterator[str]:
    rows = []
    for group in Group:
        own = [one for one in found if one.cause.group is group]
        counts = [sum(one.severity is severity for one in own) for severity in Severity]
        rows.append((f"[{TITLE[group]}]({group}.md)", ABOUT[group], *(str(n or "") for n in counts)))
    yield from _table(("group", "about", *Severity), rows)


def _row_of(one: Found) -> tuple[str, ...]:
    what = "; ".join([one.title, *(f"**{mark}**" for mark in one.marks)])
    return (
        f"[{one.id}]({one.cause.group}.md#{one.id})",
        _target(one),
        one.severity,
        ", ".join(f"`{name}`" for name in one.operators),
        one.types,
        what,
        _briefly(one.first.standard),
        "; ".join(report.words for report in one.reports),
    )


def _briefly(position: Position) -> str:
    if position.stance is Stance.OPEN:
        return f"leaves it open: {', '.join(f'`{tag}`' for tag in position.tags)}"
    if position.stance in (Stance.RESULT, Stance.REJECTS):
        return "allows it" if position.allows else "disagrees"
    return str(position.stance)


def _severities() -> Iterator[str]:
    yield "## Severity\n"
    yield "The first row that applies decides:\n"
    rows = [("the result varies between runs", Severity.CRITICAL, Severity.CRITICAL, "reads foreign memory")]
    for rule in RULES:
        kinds = ", ".join(f"`{kind}`" for kind in rule.kinds)
        rows.append((kinds, rule.severity, rule.open_there, rule.why))
    yield from _table(("kind", "severity", "if the standard allows it", "why"), rows)
    yield ""
    yield "`conform` defines [the kinds](../conform.md#divergences). The standard allows any result where it leaves one"
    yield "open, and any member of a set. A wrong value is structural if the right elements are in the wrong places."
    yield ""
    yield f"Other wrong values are graded. *Near* is at most {NEAR} floats beyond what is allowed; *rare* is shown by"
    yield f"less than {100 * RARE} % of the inputs tried, which are no sample of those in use:"
    yield ""
    words = {False: "no", True: "yes"}
    grades = [(words[near], words[rare], severity) for (near, rare), severity in GRADES.items()]
    yield from _table(("near", "rare", "severity"), grades)


def _tested(every: Sequence[Ledger]) -> Iterator[str]:
    yield "## What was tested\n"
    rows = []
    for ledger in every:
        for name, entry in sorted(ledger.operators.items()):
            inputs, level = _extent(entry)
            counts = (inputs, str(len(entry["divergences"])))
            named = f"{ledger.target} {ledger.version}".rstrip()
            level += framed(
                "; the bound says nothing from about ", empty_bound_words(entry["scope"]["of_types"]), " on"
            )
            rows.append((named, f"`{name}`", *counts, level, ", ".join(entry["unsupported"])))
    heads = ("target", "specification", "inputs", "divergences", "level of agreement", "unsupported types")
    yield from _table(heads, rows)
    yield ""
    yield "The bound of a float sum grows with the number of elements. Where it says nothing, zero and results of the"
    yield "other sign conform even if all elements have one sign: agreement there is no evidence."
    yield ""


def _extent(entry: Entry) -> tuple[str, str]:
    """How many inputs were compared, and the level at which they agree; of a proof its verdict."""
    scope = entry["scope"]
    if scope["method"] == "proved":
        return "proof", str(entry["verdict"])
    levels = [one["level"] for one in scope["of_types"].values()]
    level = "none" if None in levels or not levels else max(levels, key=LEVELS.index)
    return f"{scope['inputs']:,}", level


def _page(group: Group, found: Sequence[Found]) -> Iterator[str]:
    yield f"# {TITLE[group]}\n"
    yield f"{ABOUT[group]} The [list of findings](index.md) has all groups and explains severities.\n"
    if not found:
        yield "No findings.\n"
    for one in found:
        yield from _section(one)


def _section(found: Found) -> Iterator[str]:
    first = found.first
    yield f"## {found.id}\n"
    yield f"**{found.title[0].upper()}{found.title[1:]}.** {_target(found)}, {found.severity}.\n"
    for mark in found.marks:
        yield f"- **{mark[0].upper()}{mark[1:]}.**"
    for report in found.reports:
        yield f"- {report.words}"
    if found.is_graded:
        yield f"- {_grade(found)}"
    for operator in found.operators:
        yield f"- `{operator}`: {_types([one for one in found.seen if one.operator == operator])}"
    yield ""
    yield f"The smallest input, with `{first.operator}`:\n"
    yield from _table(("", ""), _facts(first))
    yield ""
    yield f"```sh\n{first.one['repro']}\n```\n"
    yield from _standard(found)
    yield from _profile(found)
    others = [one for one in found.seen if one is not first]
    # A mistake in how models are read shows with every operator, and in each alike.
    if others and found.cause.kind is not Kind.INVALID_CALL:
        yield "Further inputs:\n"
        heads = ("specification", "types", "input", "expected", "got")
        yield from _table(heads, [_row_of_seen(one) for one in others])
        yield ""


def _grade(found: Found) -> str:
    """The figures that grade a wrong value."""
    made = "A different number"
    if found.beyond is not None:
        made = f"At most {counted_text(found.beyond, 'float')} beyond what is allowed"
    shown, inputs = found.share
    if inputs:
        percent = digits_text(Fraction(100 * shown, inputs), 2)
        made += f"; shown by {shown:,} of {inputs:,} inputs ({percent} %)"
    return f"{made}."


def _facts(seen: Seen) -> Iterator[tuple[str, ...]]:
    yield "input", _code("; ".join(_given(seen.one)), cut=False)
    if seen.one["presentation"]:
        yield "arrays", seen.one["presentation"]
    if seen.misuse:
        yield "call", f"`{seen.misuse.name}`, an [invalid call](../conform.md#invalid-calls)"
    yield "expected", _code(outcome_words(seen.one["expected"]), cut=False)
    yield "got", _code(outcome_words(seen.one["got"]), cut=False)


def _given(one: One) -> list[str]:
    given = [f"{name} = {tensor_words(made)}" for name, made in one["inputs"].items()]
    given += [f"{name} = {attribute_words(value)}" for name, value in one["attributes"].items()]
    return [*given, *(f"{name} not given" for name in one["omitted"])]


def _row_of_seen(seen: Seen) -> tuple[str, ...]:
    one = seen.one
    given = _given(one)
    if one["presentation"]:
        given.append(f"arrays: {one['presentation']}")
    if seen.misuse:
        given.append(seen.misuse.name)
    got = outcome_words(one["got"]) if "outputs" in one["got"] else str(one["got"]["outcome"])
    cells = (_code("; ".join(given)), _code(outcome_words(one["expected"])), _code(got))
    return f"`{seen.operator}`", _types([seen]), *cells


def _standard(found: Found) -> Iterator[str]:
    """The standard on the inputs; of the smallest input of each operator, where that differs."""
    said: dict[str, list[str]] = {}
    for one in found.seen:
        position = one.standard
        if one.operator == found.first.operator and one is not found.first:
            continue
        # A result is one of an input: of further inputs it stands under `expected`.
        if position.stance is Stance.RESULT and one is not found.first:
            continue
        names = said.setdefault(position.words, [])
        if position.operator and position.operator not in names:
            names.append(position.operator)
    for text in found.first.judged.further:
        said.setdefault(text.words, []).append(text.operator)
    for words, names in said.items():
        yield f"**The standard**{_of(names)} {words}.\n"


def _profile(found: Found) -> Iterator[str]:
    """The decision of the profile on the smallest input, and the words of its pages."""
    first = found.first
    position = first.judged.profile
    if position is None:
        yield "**The profile** does not specify this operator.\n"
        return
    yield f"**The profile**{_of([position.operator])} {position.words}."
    if position.rules:
        yield f"This follows from {' and '.join(f'`{rule}`' for rule in position.rules)}."
    for tag, rationale in first.judged.rationales:
        yield f"Its page explains `{tag}`: {rationale}"
    yield ""
    rows: dict[tuple[str, ...], list[str]] = {}
    for one in found.seen:
        for row in one.judged.decisions:
            pages = rows.setdefault(row, [])
            if one.judged.page not in pages:
                pages.append(one.judged.page)
    if rows:
        yield "The decision, from the operator pages:\n"
        listed = [(*row, ", ".join(f"`{Path(page).name}`" for page in pages)) for row, pages in rows.items()]
        yield from _table(("topic", "in the standard", "in the profile", "by", "page"), listed)
        yield ""


def _of(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f" ({', '.join(f'`{name}`' for name in names)})"


def _target(found: Found) -> str:
    return f"{found.cause.target} {', '.join(found.versions)}".rstrip()


def _code(text: str, *, cut: bool = True) -> str:
    shown = text
    if cut and len(text) > _LONG:
        shown = f"{text[: _LONG - 3]}..."
    return f"`{shown}`"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
