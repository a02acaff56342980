"""An overview of an operator, on one screen: the cases that the standard leaves open and the profile decides, runtimes,
what is proved. Whoever calls has decided everything; here it is brought together and put into words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_verify.conformance.records.ledger import Ledger
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.outputs.specification import DecisionJson, decisions_of
from sonnx_verify.pages.reading.kinds import BlockKind, SectionKind
from sonnx_verify.pages.reading.page import Page

GOOD = (VerdictName.PROVED, VerdictName.HOLDS)
"""The verdicts that say that something is as it should be."""
_HERE, _WHY = "here", "why"
"""The heads of the columns of a table of decisions, in small letters."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A case: its tag and what the standard does not say of it, empty where the profile alone has it; what the profile
    says, empty where it says nothing, and why."""

    case: str
    tag: str
    here: str
    why: str


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The findings of `conform` on a runtime with a specification: its verdict, and the differences by their kinds."""

    target: str
    version: str
    operator: str
    verdict: str
    differences: Mapping[str, int]
    unsupported: Sequence[str] = ()

    @property
    def words(self) -> str:
        """In one line."""
        said = [f"{title}{f' ({number} findings)' if number > 1 else ''}" for title, number in self.differences.items()]
        if not said:
            said.append(self.verdict)
        if self.unsupported:
            said.append(f"does not take {', '.join(self.unsupported)}")
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem that speaks of the operator."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Overview:
    """An operator by its name, with its texts."""

    name: str
    intent: str
    """Its purpose, in the words of its page."""
    profile: Unit | None
    page: Page | None
    standards: Sequence[Unit]
    cases: Sequence[Decided]
    behaviours: Sequence[Behaviour]
    verdicts: Mapping[str, Mapping[str, int]]
    """The number of obligations of each text, by verdict."""
    theorems: Sequence[Theorem]

    @property
    def open(self) -> int:
        """The number of cases that the standard leaves open."""
        return sum(bool(case.tag) for case in self.cases)

    @property
    def runtimes(self) -> list[str]:
        """The runtimes that were held against it, each with the verdicts of its ledger."""
        # In the words of the ledger: a runtime without a difference need not agree, as not all may have been tried.
        found: dict[str, set[str]] = {}
        for one in self.behaviours:
            found.setdefault(one.target, set()).add("differs" if one.differences else one.verdict)
        return [
            f"{target} {'differs' if 'differs' in v else ', '.join(sorted(v))}" for target, v in sorted(found.items())
        ]

    @property
    def state(self) -> str:
        """The status of an operator: by its text of the profile, and by whether anything is not shown."""
        if self.profile is None:
            return "standard only"
        found = Counter[str]()
        for counts in self.verdicts.values():
            found.update(counts)
        left = [f"{number} {verdict}" for verdict, number in sorted(found.items()) if verdict not in _AS_SAID]
        if left:
            return ", ".join(left)
        if not found:
            return "not checked"
        shown, every = sum(found[verdict] for verdict in GOOD), found.total()
        return f"{shown} shown" if shown == every else f"{shown} of {every} shown"


_AS_SAID = (*GOOD, VerdictName.UNSUPPORTED)
"""The verdicts of what is shown, or said to be outside of the model."""


@dataclass(slots=True)
class _Known:
    """The texts and the page of an operator."""

    profile: Unit | None = None
    page: Page | None = None
    standards: list[Unit] = field(default_factory=list)


def overviews(
    units: Iterable[Unit],
    pages: Mapping[str, Page],
    ledgers: Sequence[Ledger],
    verdicts: Mapping[str, Mapping[str, int]],
) -> list[Overview]:
    """An overview of each operator of the standard and the profile, in the order of their names. `pages` and `verdicts`
    are by the identities of texts."""
    every = [unit for unit in units if unit.file is not None]
    known: dict[str, _Known] = {}
    for unit in every:
        assert unit.file is not None
        if unit.namespace == "sonnx" and unit.file.version is not None:
            own = known.setdefault(unit.file.name, _Known())
            own.profile, own.page = unit, pages.get(unit.operator)
        elif unit.namespace == "onnx" and unit.file.version is not None:
            known.setdefault(unit.file.name, _Known()).standards.append(unit)
    theorems = list(_theorems(every))
    return [
        Overview(
            name,
            "" if one.page is None else _intent(one.page),
            one.profile,
            one.page,
            one.standards,
            _cases(one),
            list(_behaviours(name, ledgers)),
            {unit.operator: verdicts.get(unit.operator, {}) for unit in _texts(one)},
            [Theorem(identity, title) for identity, title, named in theorems if name in named],
        )
        for name, one in sorted(known.items(), key=lambda item: item[0].lower())
    ]


def _texts(one: _Known) -> Iterator[Unit]:
    if one.profile is not None:
        yield one.profile
    yield from one.standards


def _intent(page: Page) -> str:
    """The first paragraph of the first section Function."""
    for section in page.sections:
        if section.kind is SectionKind.FUNCTION:
            return next((block.cell.text for block in section.blocks if block.kind is BlockKind.PARAGRAPH), "")
    return ""


def _cases(one: _Known) -> list[Decided]:
    """The cases that the newest standard leaves open, each as the page decides it; then its other decisions."""
    rows = [] if one.page is None else decisions_of(one.page)
    made: list[Decided] = []
    told: set[int] = set()
    opened: dict[str, str] = {}
    if one.standards and one.standards[-1].file is not None:
        opened = {r.tag: r.title for r in one.standards[-1].file.rules if r.what.leaves_open and r.tag}
    for tag, title in opened.items():
        deciding = [number for number, row in enumerate(rows) if tag in row.tags]
        told.update(deciding)
        here = " ".join(_cell(rows[number], _HERE) for number in deciding)
        why = " ".join(filter(None, (_cell(rows[number], _WHY) for number in deciding)))
        made.append(Decided(title, tag, here, why))
    for number, row in enumerate(rows):
        if number not in told and _WHY in map(str.lower, row.cells):
            made.append(Decided(next(iter(row.cells.values()), ""), "", _cell(row, _HERE), _cell(row, _WHY)))
    return made


def _cell(row: DecisionJson, head: str) -> str:
    return next((cell for name, cell in row.cells.items() if name.lower() == head), "")


def _behaviours(name: str, ledgers: Sequence[Ledger]) -> Iterator[Behaviour]:
    for ledger in ledgers:
        for operator, entry in ledger.operators.items():
            if operator.partition(".")[2].partition("-")[0] == name:
                titles = Counter(one["title"] for one in entry["divergences"].values())
                refused = list(entry.get("unsupported", ()))
                yield Behaviour(ledger.target, ledger.version, operator, entry["verdict"], titles, refused)


def _theorems(units: Iterable[Unit]) -> Iterator[tuple[str, str, set[str]]]:
    """The theorems of all texts, with what they call."""
    for unit in units:
        assert unit.file is not None
        for theorem in unit.file.theorems:
            bodies = [theorem.body] if theorem.assuming is None else [theorem.body, theorem.assuming]
            named = {call.partition(".")[2] or call for body in bodies for call in map(s.called, s.every(body)) if call}
            if named and theorem.cited is None:
                yield f"{unit.operator}/{theorem.name}", theorem.title, named
