"""The matrix of a page: each tag with what the page states, its clause, its proofs and its tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.sections import sections_of
from sonnx_verify.logic.verdict import FINDINGS, GOOD
from sonnx_verify.pages.formulas.outcome import Outcome
from sonnx_verify.pages.reading.examples import Example, examples_of
from sonnx_verify.pages.reading.families import sections_by_line
from sonnx_verify.pages.reading.kinds import SectionKind, TagKind
from sonnx_verify.pages.reading.page import Page, Section, tags_in
from sonnx_verify.pages.reading.sentences import stated
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result
from sonnx_verify.sources import Span

KIND = "page"
"""The kind of what only the page states: definitions and claims."""
TEXT = "text"
"""The kind of what is claimed of the text as a whole."""
STATED = (TagKind.RESTRICTION, TagKind.CONSTRAINT, TagKind.ERROR)
NOT_ON_PAGE = "not on the page"
"""The gap of a clause that the page does not state."""
_COMING_OUT = (s.RuleKind.COUNT, s.RuleKind.SHAPE, s.RuleKind.VALUE)


@dataclass(frozen=True, slots=True)
class Row:
    """A tag of a family. `page` and `formal` are places, None if it is not there; `sentence` is the statement of the
    page, `formula` the clause as LaTeX; `quoted` says that the page shows the clause as it renders, so that both say
    the same. `proofs` has the obligations by verdict, `examples` the lines of examples, `mutants` the number of
    mutations in the clause that were killed, and of those that could be."""

    operator: str
    family: str
    tag: str
    kind: str
    page: Span | None
    sentence: str
    formal: Span | None
    formula: str = ""
    quoted: bool = False
    proofs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    examples: tuple[int, ...] = ()
    mutants: tuple[int, int] = (0, 0)
    outcome: Outcome | None = None
    """The reading of the page's statement, and whether it is equivalent to the clause."""

    @property
    def gap(self) -> str:
        """The missing side of this row; empty where both are there."""
        if self.formal is None:
            return "no clause"
        if self.page is None and self.kind in STATED:
            return NOT_ON_PAGE
        if not self.proofs:
            return "no proof"
        return ""

    @property
    def status(self) -> int:
        """1 if something is missing or refuted, 3 if something is undecided, else 0."""
        verdicts = set(self.proofs)
        if self.outcome is not None:
            verdicts.add(self.outcome.verdict)
        # A statement that was not compared has no verdict, and fails nothing.
        verdicts.discard("")
        if self.gap or verdicts & FINDINGS:
            return 1
        if verdicts - GOOD:
            return 3
        return 0


def matrix(
    page: Page,
    formal: Formal,
    told: Sequence[Result],
    killed: Callable[[Span], tuple[int, int]],
    quoted: Collection[tuple[str, ...]] = (),
    outcomes: Mapping[tuple[str, str], Outcome] = MappingProxyType({}),
) -> list[Row]:
    """The rows of a page and of the formal text that names it, by families, in the order of the formal text; last what
    the page alone has. `killed` has the number of killed mutants of a clause, and of all, `quoted` what the page
    shows as it renders, by its tag, and its family where it is for one."""
    file = formal.file
    sections = sections_by_line(page, file)
    made: list[Row] = []
    for name, _, _ in families(file):
        names = sections_of(file, name)
        # An example is of no tag: those of the page are listed beside the tags that they show.
        own = [one for one in told if _is_of(one, names) and one.kind is not Kind.EXAMPLE]
        family = _Family(page, formal, name, sections.get(name, []), own, outcomes)
        clauses = list(family.clauses(killed, quoted))
        known = {row.tag for row in clauses}
        made += [*clauses, *family.of_text(known), *family.claimed(known), *family.unproved(known)]
    return made


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of a text, with its sections on the page and the results of its obligations. The rows that are under a
    tag of the formal text come first; `known` are these tags."""

    page: Page
    formal: Formal
    name: str
    sections: Sequence[Section]
    results: Sequence[Result]
    outcomes: Mapping[tuple[str, str], Outcome]

    @property
    def operator(self) -> str:
        """The operator with its version."""
        return f"{self.formal.file.name}-{self.formal.file.version}"

    def clauses(self, killed: Callable[[Span], tuple[int, int]], quoted: Collection[tuple[str, ...]]) -> Iterator[Row]:
        """The clauses, shapes and values of the formal text."""
        for tag, kind, span, formula in clauses_of(self.formal, self.name):
            # A page without this family says nothing of it, whatever its other families say under that tag.
            on_page = next((one for one in tags_in(self.sections) if one.name == tag), None)
            yield Row(
                self.operator,
                self.name,
                tag,
                kind,
                _function(self.sections, kind) if on_page is None else on_page.span,
                "" if on_page is None else stated(on_page),
                span,
                formula,
                (tag,) in quoted or (tag, self.name) in quoted,
                _by_verdict(self.results, tag),
                _examples(self.page, self.sections, tag, kind),
                killed(span),
                self.outcomes.get((self.name, tag)),
            )

    def of_text(self, known: Collection[str]) -> Iterator[Row]:
        """Claims about the text as a whole, as that it refines the standard: they are under no tag of the page."""
        span = self.formal.file.span
        if span is None:
            return
        for tag in dict.fromkeys(one.tag for one in self.results):
            if not any(_about(tag, row_tag) for row_tag in known):
                proofs = _by_verdict(self.results, tag)
                yield Row(self.operator, self.name, tag, TEXT, None, "", span, proofs=proofs)

    def claimed(self, known: Collection[str]) -> Iterator[Row]:
        """Definitions and claims of the page by a formula: they are under no tag."""
        span = self.formal.file.span
        if span is None:
            return
        for (family, tag), one in self.outcomes.items():
            if family == self.name and tag not in known and one.verdict:
                proofs = {one.verdict: [KIND]}
                yield Row(self.operator, family, tag, KIND, one.span, one.text, span, proofs=proofs, outcome=one)

    def unproved(self, known: Collection[str]) -> Iterator[Row]:
        """Statements of the page under a tag that the formal text does not have."""
        for tag in chain.from_iterable(section.tags for section in self.sections):
            if tag.kind in STATED and tag.name not in known:
                yield Row(self.operator, self.name, tag.name, tag.kind, tag.span, stated(tag), None)


def clauses_of(formal: Formal, family: str) -> Iterator[tuple[str, str, Span, str]]:
    """The clauses, shapes and values of the formal text in a family: tag, kind, place and formula."""
    file = formal.file
    for clause in file.clauses:
        if clause.family in ("", family):
            yield clause.tag, clause.kind, clause.span, formal.clause(clause)
    for rule in file.rules:
        if rule.what in _COMING_OUT and rule.family in ("", family):
            yield f"{rule.output}.{rule.what}", rule.what, rule.span, formal.rule(rule)


def _function(sections: Sequence[Section], kind: str) -> Span | None:
    """The place where a family says what comes out: its section Function."""
    if kind in STATED:
        return None
    return next((section.heading.span for section in sections if section.kind is SectionKind.FUNCTION), None)


def _by_verdict(told: Iterable[Result], tag: str) -> dict[str, list[str]]:
    """The kinds of obligations of a tag, by verdict."""
    made: dict[str, list[str]] = {}
    for one in told:
        if _about(one.tag, tag):
            kinds = made.setdefault(one.verdict, [])
            if one.kind not in kinds:
                kinds.append(one.kind)
    return made


def is_about(one: Result, tag: str, sections: Collection[str]) -> bool:
    """Return whether an obligation is about what has a tag in some sections; in any, where none is named."""
    return (not sections or _is_of(one, sections)) and _about(one.tag, tag)


def _is_of(one: Result, sections: Collection[str]) -> bool:
    """Return whether an obligation is of one of some sections; what has none is of all."""
    return not one.section or one.section in sections


def _about(place: str, tag: str) -> bool:
    """Return whether an obligation at a place is about what has a tag. A claim about an output as a whole rests on its
    shape and its value."""
    # A claim about `Y` counts for `Y.shape` and for `Y.value`.
    output, _, what = tag.partition(".")
    return place == tag or place.endswith(f".{tag}") or bool(what and place == output)


def _examples(page: Page, sections: Sequence[Section], tag: str, kind: str) -> tuple[int, ...]:
    """The lines of examples that show an error, or, of what comes out, a result."""
    if not sections or kind not in (TagKind.ERROR, *_COMING_OUT):
        return ()
    own = [one for one in examples_of(page) if one.family is sections[0]]
    if kind == TagKind.ERROR:
        return _lines(one for one in own if one.error == tag)
    return _lines(one for one in own if one.results)


def _lines(examples: Iterable[Example]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.span.line for one in examples))
