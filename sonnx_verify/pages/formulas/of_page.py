"""Obligations that a formula of a page, as it was read, is equivalent to its clause, to the elements of an output, to
a `let`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sonnx_verify.equivalence.formulas import Build, follows, same_clause, same_elements, same_let
from sonnx_verify.errors import Source, Span, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.obligations.obligation import Obligation, Statement
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.pages.formulas.definitions import Definitions
from sonnx_verify.pages.formulas.equations import Defined
from sonnx_verify.pages.formulas.notation import Notation
from sonnx_verify.pages.formulas.reader import Reader
from sonnx_verify.pages.formulas.stated import by_family, claims, condition_of
from sonnx_verify.pages.formulas.words import Unread, Word
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of
from sonnx_verify.results.kinds import Kind

KIND, CLAIM = Kind.PAGE, Kind.CLAIM
_NAME = re.compile(r"\w+")
STATED = ("restriction", "constraint", "error")


@dataclass(frozen=True, slots=True)
class PageFormula:
    """A formula of a page beside what it is about: the family, the tag of the clause or `Y.value` or the name of a
    `let`, where it stands, and the obligation that what was read is equivalent to that; None where nothing is read, and
    why not."""

    family: str
    tag: str
    span: Span
    text: str
    obligation: Obligation | None
    unread: str = ""
    statement: Statement | None = None
    """The statement of the obligation for the first element type of the family."""
    lets: tuple[str, ...] = ()
    """The names that `let` items give which it was read with."""
    names: tuple[str, ...] = ()
    """All names of the formal text that it was read with."""
    definitions: tuple[tuple[str, int], ...] = ()
    """The definitions of the page that it was read with: names and lines."""

    @property
    def kind(self) -> str:
        """`page` or `claim`."""
        return "" if self.obligation is None else self.obligation.kind


def formulas_of(project: Project, unit: Unit, page: Page) -> Iterator[PageFormula]:
    """Of everything that the page states by a formula, or in words like one, and the formal text too; of each family,
    in the order of the page."""
    file = unit.file
    assert file is not None
    library, families = project.library(unit), by_family(page)
    there = Definitions.of(page, list(families.items()), _quoted(page))
    lets = {let.name for let in file.lets}
    for x in instances(file):
        section = Section(project, unit, x.name, x.family, sorts(x.types), x.variables)
        meaning = section.meaning(section.context(ELEMENT))
        names = [name for name in meaning.inputs if name.isidentifier()]
        bare = Notation.of(names, library, [c.tag for c in meaning.constraints])
        # What the formal text has and the page defines: of a `let` it is compared, of all else who knows what it is.
        own = {d.name for d in there.read if not d.reads and bare.knows(d.name)}
        plain = {d.name for d in there.read if not d.macro.parameters}
        bare.doubtful = there.doubtful | (own - (lets & plain))
        notations = {family: _with(bare, there, family) for family in {*families, x.family}}
        notation = notations[x.family]
        parts = (
            _of_tags(section, meaning, page, notations),
            _of_definitions(section, meaning, [d for d in there.read if d.family == x.family], notation),
            _of_claims(section, meaning, page, notation),
        )
        for made in chain(*parts):
            if made.obligation is not None:
                made.obligation.library = library
            read = frozenset(_NAME.findall(made.text))
            yield replace(made, lets=tuple(sorted(lets & read)), names=tuple(sorted(notation.names & read)))


def _quoted(page: Page) -> frozenset[int]:
    """The lines that show what the formal text renders to."""
    if page.path is not None:
        with suppress(UserError):
            quotes = quotes_of(page.source, page.path.parent, formal_of_file)
            return frozenset(n for quote in quotes if quote.holds for n in range(quote.first, quote.last + 2))
    return frozenset()


def _with(bare: Notation, there: Definitions, family: str) -> Notation:
    """The names with those that a family of the page defines."""
    made = replace(bare, macros={})
    for one in there.read:
        if one.family == family and one.name not in bare.doubtful and not one.reads:
            made.define(one.name, one.macro)
    return made


def _of_tags(
    section: Section, meaning: Meaning, page: Page, notations: Mapping[str, Notation]
) -> Iterator[PageFormula]:
    clauses = {x.tag: x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.term is not None}
    for tag in (t for part in by_family(page).get(section.family, []) for t in part.tags):
        clause = clauses.get(tag.name)
        if clause is None or tag.kind not in STATED:
            continue
        try:
            words, family = condition_of(page, section.family, tag)
            text = _condition(words, notation := notations[family])
        except Unread as unread:
            yield PageFormula(section.name, tag.name, tag.span, "", None, unread.message)
            continue
        found = _checked(section, tag.name, tag.span, text, same_clause, clause.clause.title)
        yield replace(found, definitions=_used(notation))


def _condition(words: Sequence[Word], notation: Notation) -> str:
    notation.used.clear()
    return Reader(words, notation).condition()


def _used(notation: Notation) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(notation.used, key=lambda named: (named[1], named[0])))


def _of_definitions(
    section: Section, meaning: Meaning, own: Sequence[Defined], notation: Notation
) -> Iterator[PageFormula]:
    outputs = {v.name for v in meaning.outputs}
    lets = {let.name for let in section.file.lets}
    for one in own:
        macro = one.macro
        if one.name in outputs and one.name in notation.doubtful:
            why = "the page says more of it than is read"
            yield PageFormula(section.name, f"{one.name}.value", one.span, "", None, why)
        elif one.name in outputs and len(one.reads) == 1 and not macro.parameters and one.name in meaning.values:
            yield _defined(section, f"{one.name}.value", one, notation, _elements(one))
        elif one.name in notation.doubtful and notation.knows(one.name):
            yield PageFormula(section.name, one.name, one.span, "", None, "the page says more of it than is read")
        elif one.name in lets and not one.reads and not macro.parameters:
            yield _defined(section, one.name, one, _before_let(section, notation, one.name), same_let)
        elif notation.knows(one.name):
            yield PageFormula(section.name, one.name, one.span, "", None, "the page defines it in another form")


def _of_claims(section: Section, meaning: Meaning, page: Page, notation: Notation) -> Iterator[PageFormula]:
    known = {x.tag for x in (*meaning.restrictions, *meaning.constraints) if x.term is not None}
    for claim in claims(page, section.family):
        if known.issuperset(claim.tags):
            tag = f"{' and '.join(claim.tags)}, line {claim.span.line}"
            try:
                text = _condition(claim.words, notation)
            except Unread as unread:
                yield PageFormula(section.name, tag, claim.span, "", None, unread.message)
                continue
            if claim.excludes and "for all" in text:
                why = "whether all or each is excluded is not said"
                yield PageFormula(section.name, tag, claim.span, text, None, why)
                continue
            shown = f"not {text}" if claim.excludes else text
            ways = partial(follows, tags=claim.tags, excluded=claim.excludes)
            found = _checked(section, tag, claim.span, shown, ways, claim.said, CLAIM, stated=text)
            yield replace(found, definitions=_used(notation))


def _before_let(section: Section, notation: Notation, name: str) -> Notation:
    """The names that stand above a `let`: nothing is proved by itself."""
    place = next(let.place for let in section.file.lets if let.name == name)
    later = {let.name for let in section.file.lets if let.place >= place}
    return replace(notation, names=notation.names - later)


Maker = Callable[[Section, str, s.Expression], Build]
"""How it is stated that an expression says what a part of a section says."""


def _elements(one: Defined) -> Maker:
    return partial(same_elements, output=one.name, index=f"{one.reads[0]}_", span=one.span)


def _defined(section: Section, tag: str, one: Defined, notation: Notation, make: Maker) -> PageFormula:
    """The first way to read it that means something: `max` is of integers, or of elements."""
    result: PageFormula | None = None
    for of_elements in (True, False):
        notation.of_elements = of_elements
        notation.used.clear()
        try:
            reader = Reader(one.macro.body, notation, {name: f"{name}_" for name in one.reads}, (one.key,))
            text = reader.value_or_set()
        except Unread as unread:
            result = result or PageFormula(section.name, tag, one.span, "", None, unread.message)
        else:
            found = _checked(section, tag, one.span, text, make, tag)
            if found.obligation is not None:
                return replace(found, definitions=_used(notation))
            result = found
        finally:
            notation.of_elements = False
    assert result is not None
    return result


def _checked(
    section: Section,
    tag: str,
    span: Span,
    text: str,
    make: Maker,
    title: str,
    kind: Kind = KIND,
    stated: str = "",
) -> PageFormula:
    """The obligation, where the text means something for the section's types. `stated` is the condition where the text
    is what a reader is shown."""
    try:
        build = make(section, tag, parse_expression(Source(f"what the page states of {tag}", stated or text)))
        build(section.context(ELEMENT))
        statement = build(section.context(next(iter(section.types), ELEMENT)))
    except UserError as problem:
        return PageFormula(section.name, tag, span, text, None, problem.message)
    return PageFormula(section.name, tag, span, text, section.obligation(tag, kind, span, build, title), "", statement)
