"""The pages of a report: which there are, and on which of them each thing stands. Nothing is drawn here.

A page is a few screens long. What is longer goes on: a list is cut where its lines come to `MOST`, and a section of a
text begins a page of its own. Addresses depend on the facts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from sonnx_verify.conformance.records.accuracy import Row
from sonnx_verify.outputs.accuracy import bins
from sonnx_verify.outputs.html.facts import Clause, Facts, Subject
from sonnx_verify.results.result import Result, State

T = TypeVar("T")
MOST = 110
"""The most lines of a page, by estimate: some three or four screens."""
_WIDTH = 80
"""About so many characters are a line."""


@dataclass(frozen=True, slots=True)
class Sheet(Generic[T]):
    """A page of a list: the file, the part of the text that it is about, and which one of how many it is of that."""

    file: str
    name: str
    items: Sequence[T]
    number: int = 1
    of: int = 1

    @property
    def title(self) -> str:
        """The name of the page in its list."""
        if self.of == 1:
            return self.name
        return f"{self.name} {self.number}".strip()


Divergence = tuple[str, Mapping[str, Any]]
"""The identity of a divergence, and the divergence as its ledger has it."""
Gap = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Runtime:
    """The entry of a ledger about an operator, with its pages: none where nothing diverges."""

    target: str
    version: str
    operator: str
    entry: Mapping[str, Any]
    sheets: Sequence[Sheet[Divergence]]

    @property
    def covering(self) -> Sequence[Mapping[str, Any]]:
        """The combinations of classes of inputs that were covered, for each group of types; empty if nobody asked."""
        found: Sequence[Mapping[str, Any]] = self.entry["scope"].get("covering", ())
        return found


@dataclass(frozen=True, slots=True)
class Measured:
    """The recorded errors of a target on an operator, with its pages: none where nothing was measured."""

    target: str
    version: str
    operator: str
    rows: Sequence[Row]
    sheets: Sequence[Sheet[Row]]

    @property
    def elements(self) -> int:
        """The number of elements that were measured."""
        return sum(row["measured"] for row in self.rows)

    @property
    def worst(self) -> Row | None:
        """The row with the greatest error."""
        known = [row for row in self.rows if row["worst"] is not None]
        return max(known, key=lambda row: row["worst"]["ulps"], default=None)


@dataclass(slots=True)
class TextPages:
    """The pages about one text, each list of them empty where there is nothing to say."""

    home: str
    clauses: Sequence[Sheet[Clause]] = ()
    obligations: Sequence[Sheet[Result]] = ()
    gaps: Sequence[Sheet[Gap]] = ()
    differences: str = ""
    runtimes: list[Runtime] = field(default_factory=list)
    accuracy: list[Measured] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """All pages of a report, with the addresses of obligations and gaps, from the folder of the report on."""

    texts: dict[str, TextPages]
    runtimes: list[Runtime]
    accuracy: list[Measured]
    mutants: Sequence[Sheet[tuple[str, Mapping[str, str]]]]
    operators: Mapping[str, str]
    """The file of the page of each operator."""
    _address: dict[tuple[str, str], str]
    _gaps: dict[tuple[str, str], str]

    @classmethod
    def of(cls, facts: Facts) -> Plan:
        """The pages for some facts."""
        made = cls({}, list(_runtimes(facts)), list(_measured(facts)), (), {}, {}, {})
        names = [one.name for one in facts.operators]
        stems = _apart(f"operators/{name}" for name in names)
        made.operators = {name: f"{stem}.html" for name, stem in zip(names, stems, strict=True)}
        folders = _apart(f"texts/{subject.name}" for subject in facts.subjects)
        for subject, folder in zip(facts.subjects, folders, strict=True):
            pages = _of_text(subject, folder)
            pages.runtimes = [one for one in made.runtimes if one.operator == subject.name]
            pages.accuracy = [one for one in made.accuracy if one.operator == subject.name]
            made.texts[subject.name] = pages
            for sheet in pages.obligations:
                for one in sheet.items:
                    made._address[subject.name, one.id] = f"{quote(sheet.file)}#{quote(one.id)}"
            for gaps in pages.gaps:
                for gap in gaps.items:
                    made._gaps[subject.name, gap["id"]] = f"{quote(gaps.file)}#{quote(gap['id'])}"
        alive = [
            (f"{text} {name}", row)
            for text, record in sorted(facts.mutants.items())
            for name, row in record.alive().items()
        ]
        made.mutants = _sheets("mutants/alive", {"": alive}, lambda _: 1)
        return made

    def address(self, one: Result) -> str:
        """The address of an obligation."""
        return self._address[one.subject, one.id]

    def address_of(self, subject: str, identity: str) -> str:
        """The address of the obligation of a text, empty where the report has none of that name."""
        return self._address.get((subject, identity), "")

    def gap(self, subject: str, gap: Gap) -> str:
        """The address of what a text leaves open."""
        return self._gaps[subject, gap["id"]]


def _of_text(subject: Subject, folder: str) -> TextPages:
    clauses: dict[str, list[Clause]] = {}
    for clause in subject.clauses:
        clauses.setdefault(clause.family, []).append(clause)
    obligations: dict[str, list[Result]] = {}
    for one in subject.results:
        obligations.setdefault(one.section, []).append(one)
    pages = TextPages(
        f"{folder}/index.html",
        _sheets(f"{folder}/clauses", clauses, _lines_of_clause),
        _sheets(f"{folder}/obligations", obligations, _lines_of_result),
    )
    if subject.gaps or subject.unshown:
        pages.gaps = _sheets(f"{folder}/open", {"": subject.gaps}, lambda _: 16, empty=True)
    if subject.differences:
        pages.differences = f"{folder}/differences.html"
    return pages


def _runtimes(facts: Facts) -> Iterator[Runtime]:
    """The entries of all ledgers, whether the report is about their operators or not."""
    listed = [(ledger, name) for ledger in facts.ledgers for name in sorted(ledger.operators)]
    stems = _apart(f"runtimes/{ledger.target}/{name}" for ledger, name in listed)
    for (ledger, name), stem in zip(listed, stems, strict=True):
        entry = ledger.operators[name]
        found = list(entry["divergences"].items())
        sheets = _sheets(stem, {"": found}, lambda _: 18)
        yield Runtime(ledger.target, ledger.version, name, entry, sheets)


def _measured(facts: Facts) -> Iterator[Measured]:
    """The entries of all records, whether the report is about their operators or not."""
    listed = [(record, name) for record in facts.accuracy for name in sorted(record.operators)]
    stems = _apart(f"accuracy/{record.target}/{name}" for record, name in listed)
    for (record, name), stem in zip(listed, stems, strict=True):
        rows = record.operators[name].rows
        sheets = _sheets(stem, {"": rows}, lambda row: 6 + len(bins(row)))
        yield Measured(record.target, record.version, name, rows, sheets)


def _sheets(
    stem: str, parts: Mapping[str, Sequence[T]], lines: Callable[[T], int], *, empty: bool = False
) -> list[Sheet[T]]:
    """The pages of a list that falls into parts, each of which begins a page; of nothing there is none, unless `empty`
    ones are wanted."""
    found: list[tuple[str, list[list[T]]]] = []
    for name, items in parts.items():
        pages = list(_pages(items, lines))
        if not pages and empty:
            pages = [[]]
        found.append((name, pages))
    stems: list[str] = []
    for name, pages in found:
        for number in range(1, len(pages) + 1):
            stems.append("-".join([stem, *_words(name, number)]))
    files = iter(_apart(stems))
    made: list[Sheet[T]] = []
    for name, pages in found:
        for number, items in enumerate(pages, 1):
            made.append(Sheet(f"{next(files)}.html", name, items, number, len(pages)))
    return made


def _words(name: str, number: int) -> list[str]:
    words = [name] if name else []
    if number > 1:
        words.append(str(number))
    return words


def _pages(items: Iterable[T], lines: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in lists of at most `MOST` lines, or of one item that has more."""
    page: list[T] = []
    length = 0
    for item in items:
        more = lines(item)
        if page and length + more > MOST:
            yield page
            page, length = [], 0
        page.append(item)
        length += more
    if page:
        yield page


def _apart(names: Iterable[str]) -> list[str]:
    """The names of files. Those that differ in capitals alone differ everywhere: not every file system tells them
    apart; the second is called NAME~2."""
    often: dict[str, int] = {}
    made: list[str] = []
    for name in names:
        number = often[name.lower()] = often.get(name.lower(), 0) + 1
        made.append(f"{name}~{number}" if number > 1 else name)
    return made


def _lines(text: str) -> int:
    """The lines that a text takes, wrapped."""
    return sum(1 + len(line) // _WIDTH for line in text.splitlines())


def _lines_of_clause(clause: Clause) -> int:
    """A sentence stands beside the formal text: the longer one counts."""
    beside = max(_lines(clause.text), _lines(clause.sentence) + 2 * bool(clause.formula))
    return 5 + beside + len(clause.finding) + _lines(clause.reading)


def _lines_of_result(one: Result) -> int:
    lines = 5
    if one.state is not State.GOOD:
        lines += _lines(one.reasons) + _lines(one.expected_reason) + 1
    if one.counterexample is not None:
        lines += 10
    return lines
