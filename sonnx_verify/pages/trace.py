"""The matrix of a page: each tag with what the page states, its clause, its proofs and its tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sonnx_verify.errors import Span
from sonnx_verify.language.families import families, sections_of
from sonnx_verify.logic.verdict import FINDINGS, GOOD
from sonnx_verify.pages.formulas.outcome import Outcome
from sonnx_verify.pages.reading.examples import examples_of
from sonnx_verify.pages.reading.kinds import SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.sentences import family_of, stated, tag_of
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.results.result import Result

KIND = "page"
"""The kind of what only the page states: definitions and claims."""
TEXT = "text"
"""The kind of what is claimed of the text as a whole."""
STATED = ("restriction", "constraint", "error")


@dataclass(frozen=True, slots=True)
class Row:
    """A tag of a family. `page` and `formal` are places, None where it is not there; `sentence` is what the page
    states, `formula` the clause as LaTeX; `quoted` says that the page shows the clause as it renders, so that both say
    the same. `proofs` has the obligations by verdict, `examples` the lines of examples, `mutants` how many slips in the
    clause were killed, and how many there are that could be."""

    operator: str
    family: str
    tag: str
    kind: str
    page: Span | None
    sentence: str
    formal: Span | None
    formula: str
    quoted: bool
    proofs: Mapping[str, Sequence[str]]
    examples: tuple[int, ...]
    mutants: tuple[int, int]
    outcome: Outcome | None = None
    """The reading of the page's statement, and whether it is equivalent to the clause."""

    @property
    def gap(self) -> str:
        """The missing side of this row; empty where both are there."""
        if self.formal is None:
            return "no clause"
        if self.page is None and self.kind in STATED:
            return "not on the page"
        if not self.proofs:
            return "no proof"
        return ""

    @property
    def status(self) -> int:
        """1 where something is missing or refuted, 3 where something is undecided, else 0."""
        own = [self.outcome.verdict] if self.outcome is not None and self.outcome.verdict else []
        verdicts = [*self.proofs, *own]
        if self.gap or any(verdict in FINDINGS for verdict in verdicts):
            return 1
        return 3 if any(verdict not in GOOD for verdict in verdicts) else 0


def matrix(
    page: Page,
    formal: Formal,
    told: Sequence[Result],
    mutants: Mapping[str, Mapping[str, str]],
    quoted: Collection[tuple[str, ...]] = (),
    outcomes: Mapping[tuple[str, str], Outcome] = MappingProxyType({}),
) -> list[Row]:
    """The rows of a page and of the formal text that names it, by families, in the order of the formal text; last what
    the page alone has. `mutants` are the rows of their table, `quoted` what the page
    shows as it renders, by its tag, and its family where it is for one."""
    file = formal.file
    operator = f"{file.name}-{file.version}"
    sections = {family_of(found[0]): found for found in page.by_family[1:]}
    made: list[Row] = []
    for family, _, _ in families(file):
        found = sections.get(family, [])
        names = sections_of(file, family)
        own = [one for one in told if _is_of(one, names)]
        for tag, kind, span, formula in clauses_of(formal, family):
            on_page = tag_of(page, family, tag) if found else None
            place = on_page.span if on_page is not None else _function(found, kind)
            made.append(
                Row(
                    operator,
                    family,
                    tag,
                    kind,
                    place,
                    "" if on_page is None else stated(on_page),
                    span,
                    formula,
                    (tag,) in quoted or (tag, family) in quoted,
                    _by_verdict(own, tag),
                    _examples(page, found, tag, kind),
                    _killed(mutants, span),
                    outcomes.get((family, tag)),
                )
            )
        known = {row.tag for row in made if row.family == family}
        # What is claimed of the text as a whole, as that it refines the standard, is under no tag of the page.
        others = dict.fromkeys(one.tag for one in own)
        for tag in others:
            if file.span is not None and not any(_about(tag, row_tag) for row_tag in known):
                proofs = _by_verdict(own, tag)
                made.append(Row(operator, family, tag, TEXT, None, "", file.span, "", False, proofs, (), (0, 0)))
        # What the page defines or claims by a formula is under no tag.
        for (name, tag), one in outcomes.items():
            if name == family and tag not in known and one.verdict and file.span is not None:
                proofs = {one.verdict: [KIND]}
                made.append(
                    Row(operator, family, tag, KIND, one.span, one.text, file.span, "", False, proofs, (), (0, 0), one)
                )
        for tag_here in (t for section in found for t in section.tags):
            if tag_here.kind in STATED and tag_here.name not in known:
                name, kind, words = tag_here.name, tag_here.kind, stated(tag_here)
                made.append(Row(operator, family, name, kind, tag_here.span, words, None, "", False, {}, (), (0, 0)))
    return made


def clauses_of(formal: Formal, family: str) -> Iterator[tuple[str, str, Span, str]]:
    """The clauses, shapes and values of the formal text in a family: tag, kind, place and formula."""
    file = formal.file
    for clause in file.clauses:
        if clause.family in ("", family):
            yield clause.tag, clause.kind, clause.span, formal.clause(clause)
    for rule in file.rules:
        if rule.what in ("shape", "value") and rule.family in ("", family):
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
    output, _, what = tag.partition(".")
    return place == tag or place.endswith(f".{tag}") or bool(what and place == output)


def _examples(page: Page, sections: Sequence[Section], tag: str, kind: str) -> tuple[int, ...]:
    """The lines of examples that show an error, or, of what comes out, a result."""
    if not sections or kind not in ("error", "shape", "value"):
        return ()
    own = [e for e in examples_of(page) if e.family is sections[0]]
    return tuple(dict.fromkeys(e.span.line for e in own if (e.error == tag if kind == "error" else bool(e.results))))


def _killed(mutants: Mapping[str, Mapping[str, str]], span: Span) -> tuple[int, int]:
    """How many slips in the lines of a clause were killed, and how many there are that something could notice: those
    that are texts, and not proved equivalent."""
    last = span.line + span.source.text[span.start : span.start + span.length].count("\n")
    killed = every = 0
    for identity, row in mutants.items():
        name, line, *_ = identity.split(":", 2)
        if name == span.source.name and span.line <= int(line) <= last:
            every += row["verdict"] not in ("rejected", "equivalent")
            killed += row["verdict"] == "killed"
    return killed, every
