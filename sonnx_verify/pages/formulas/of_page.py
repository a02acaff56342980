"""Obligations that a formula of a page, as it was read, is equivalent to its clause, to the elements of an output, to
a `let`.

In: a formal text and the page beside it. Out: for each formula that is about a part of the text, the obligation, or why
there is none. A formula that is not read has no obligation, and nothing is claimed of it. One that is read as something
else than the page says would be proved by mistake: whatever is in doubt raises Unread before it comes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from sonnx_verify.equivalence.formulas import Build, follows, same_clause, same_elements, same_let
from sonnx_verify.errors import UserError
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
from sonnx_verify.pages.formulas.stated import Claimed, by_family, claims, condition_of
from sonnx_verify.pages.formulas.words import Unread
from sonnx_verify.pages.reading.families import call_families
from sonnx_verify.pages.reading.kinds import TagKind
from sonnx_verify.pages.reading.page import Page, tags_in
from sonnx_verify.pages.reading.tags import Tag
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Source, Span

_NAME = re.compile(r"\w+")
_STATED = (TagKind.RESTRICTION, TagKind.CONSTRAINT, TagKind.ERROR)
_IN_DOUBT = "the page says more about it than can be read"
_OTHER_FORM = "the page defines it in another form"
_ALL_OR_EACH = "it is ambiguous whether all or each is excluded"
Maker = Callable[[Section, str, s.Expression], Build]
"""The way to state that an expression says what a part of a section says."""


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
    """The formulas of the page, and the sentences like one, that are about a part of the formal text: family by family,
    in the order of the page."""
    file = unit.file
    assert file is not None
    call_families(page, file)
    library, families = project.library(unit), by_family(page)
    there = Definitions.of(page, list(families.items()), _quoted(page))
    lets = {let.name for let in file.lets}
    for instance in instances(file):
        section = Section(project, unit, instance.name, instance.family, sorts(instance.types), instance.variables)
        meaning = section.meaning(section.context(ELEMENT))
        names = [name for name in meaning.inputs if name.isidentifier()]
        bare = Notation.of(names, library, [constraint.tag for constraint in meaning.constraints])
        bare.doubtful = there.doubtful | _own(there, bare, lets)
        notations = {family: _with(bare, there, family) for family in {*families, instance.family}}
        of = _Instance(section, meaning, page, notations, frozenset(lets))
        for made in of.formulas(there):
            if made.obligation is not None:
                made.obligation.library = library
            read = frozenset(_NAME.findall(made.text))
            yield replace(made, lets=tuple(sorted(lets & read)), names=tuple(sorted(of.notation.names & read)))


def _own(there: Definitions, bare: Notation, lets: set[str]) -> set[str]:
    """The names that both the formal text has and the page defines, but for those of a `let`: the definition of a `let`
    is compared, and of all else nobody knows whether both mean the same."""
    defined = {one.name for one in there.read if not one.reads and bare.knows(one.name)}
    plain = {one.name for one in there.read if not one.macro.parameters}
    return defined - (lets & plain)


def _quoted(page: Page) -> frozenset[int]:
    """The lines that show what the formal text renders to."""
    if page.path is None:
        return frozenset()
    made: set[int] = set()
    with suppress(UserError):
        for quote in quotes_of(page.source, page.path.parent, formal_of_file):
            # One that differs says something else than the formal text, and may define anything.
            if quote.holds:
                made.update(range(quote.first, quote.last + 2))
    return frozenset(made)


def _with(bare: Notation, there: Definitions, family: str) -> Notation:
    """The names with those that a family of the page defines."""
    made = replace(bare, macros={})
    for one in there.read:
        if one.family == family and one.name not in bare.doubtful and not one.reads:
            made.define(one.name, one.macro)
    return made


@dataclass(frozen=True, slots=True)
class _Instance:
    """A section of the formal text, what it means, the page, and the names that each family of the page has."""

    section: Section
    meaning: Meaning
    page: Page
    notations: Mapping[str, Notation]
    lets: frozenset[str]

    @property
    def notation(self) -> Notation:
        """The names of the family of the section."""
        return self.notations[self.section.family]

    def formulas(self, there: Definitions) -> Iterator[PageFormula]:
        """The formulas of the page that are about a part of the section: of tags, of definitions, of claims."""
        statements = (*self.meaning.restrictions, *self.meaning.constraints, *self.meaning.errors)
        titles = {x.tag: x.clause.title for x in statements if x.term is not None}
        for tag in tags_in(by_family(self.page).get(self.section.family, [])):
            if tag.name in titles and tag.kind in _STATED:
                yield self._of_tag(tag, titles[tag.name])
        for one in there.read:
            if one.family == self.section.family:
                yield from self._of_definition(one)
        inputs = {x.tag for x in (*self.meaning.restrictions, *self.meaning.constraints) if x.term is not None}
        for claim in claims(self.page, self.section.family):
            if inputs.issuperset(claim.tags):
                yield self._of_claim(claim)

    def _of_tag(self, tag: Tag, title: str) -> PageFormula:
        try:
            words, family = condition_of(self.page, self.section.family, tag)
            # What a tag of another family states means what the names mean there.
            notation = self.notations[family]
            notation.used.clear()
            text = Reader(words, notation).condition()
        except Unread as unread:
            return self._unread(tag.name, tag.span, unread.message)
        found = self._checked(tag.name, tag.span, text, same_clause, title)
        return replace(found, definitions=_used(notation))

    def _of_definition(self, one: Defined) -> Iterator[PageFormula]:
        """The formula of a definition, where the formal text has the name."""
        notation = self.notation
        plain = not one.macro.parameters
        in_doubt = one.name in notation.doubtful
        value = f"{one.name}.value"
        if one.name in {output.name for output in self.meaning.outputs}:
            if in_doubt:
                yield self._unread(value, one.span, _IN_DOUBT)
                return
            # `Y[i] = ...` says all of Y; `Y_m[i] = ...` something of each member of a list.
            if len(one.reads) == 1 and plain and one.name in self.meaning.values:
                make = partial(same_elements, output=one.name, index=f"{one.reads[0]}_", span=one.span)
                yield self._defined(value, one, notation, make)
                return
        if not notation.knows(one.name):
            return
        if in_doubt:
            yield self._unread(one.name, one.span, _IN_DOUBT)
        elif one.name in self.lets and plain and not one.reads:
            yield self._defined(one.name, one, self._before_let(one.name), same_let)
        else:
            yield self._unread(one.name, one.span, _OTHER_FORM)

    def _of_claim(self, claim: Claimed) -> PageFormula:
        tag = f"{' and '.join(claim.tags)}, line {claim.span.line}"
        self.notation.used.clear()
        try:
            text = Reader(claim.words, self.notation).condition()
        except Unread as unread:
            return self._unread(tag, claim.span, unread.message)
        # "R1 excludes that X_m is sparse for all m": all of them at once, or any of them.
        if claim.excludes and "for all" in text:
            return replace(self._unread(tag, claim.span, _ALL_OR_EACH), text=text)
        make = partial(follows, tags=claim.tags, excluded=claim.excludes)
        found = self._checked(tag, claim.span, text, make, claim.said, Kind.CLAIM)
        shown = f"not {text}" if claim.excludes else text
        return replace(found, text=shown, definitions=_used(self.notation))

    def _before_let(self, name: str) -> Notation:
        """The names that stand above a `let`: nothing is proved by itself."""
        lets = [let for let in self.section.file.lets if self.section.sees(let)]
        place = next(let.place for let in lets if let.name == name)
        later = {let.name for let in lets if let.place >= place}
        return replace(self.notation, names=self.notation.names - later)

    def _defined(self, tag: str, one: Defined, notation: Notation, make: Maker) -> PageFormula:
        """The first way to read it that means something: `max` is of elements, or of integers."""
        # An element type is not known by the words alone: only what fits the types of the section has a meaning.
        found = self._defined_as(tag, one, replace(notation, of_elements=True), make)
        if found.obligation is not None:
            return found
        return self._defined_as(tag, one, replace(notation, of_elements=False), make)

    def _defined_as(self, tag: str, one: Defined, notation: Notation, make: Maker) -> PageFormula:
        notation.used.clear()
        bound = {name: f"{name}_" for name in one.reads}
        try:
            # Within itself: `r = r + 1` defines nothing.
            text = Reader(one.macro.body, notation, bound, (one.key,)).value_or_set()
        except Unread as unread:
            return self._unread(tag, one.span, unread.message)
        found = self._checked(tag, one.span, text, make, tag)
        return replace(found, definitions=_used(notation))

    def _unread(self, tag: str, span: Span, why: str) -> PageFormula:
        return PageFormula(self.section.name, tag, span, "", None, why)

    def _checked(self, tag: str, span: Span, text: str, make: Maker, title: str, kind: Kind = Kind.PAGE) -> PageFormula:
        """The obligation, where the text means something for the section's types."""
        section = self.section
        made = PageFormula(section.name, tag, span, text, None)
        try:
            build = make(section, tag, parse_expression(Source(f"what the page states of {tag}", text)))
            # For all element types at once, as the obligation is proved; then for one, whose inputs can be shown.
            build(section.context(ELEMENT))
            statement = build(section.context(next(iter(section.types), ELEMENT)))
        except UserError as problem:
            return replace(made, unread=problem.message)
        return replace(made, obligation=section.obligation(tag, kind, span, build, title), statement=statement)


def _used(notation: Notation) -> tuple[tuple[str, int], ...]:
    """The definitions of the page that were read, in the order of the page."""
    return tuple(sorted(notation.used, key=lambda named: (named[1], named[0])))
