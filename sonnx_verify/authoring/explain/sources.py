"""The words of a text for a term: the expression or declaration that it came from, and the item that this stands in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.origins import Place
from sonnx_verify.language.project import Project
from sonnx_verify.logic.terms import Term, conjuncts, not_
from sonnx_verify.sources import Span

Places = Mapping[Term, Sequence[Place]]
_Key = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a text with its words. `item` is the tag or name of the item that it is, and `sentence` the item's;
    both are None of a part of an item. It is `whole` where it says just the condition that was asked for, not where
    that is one of several."""

    file: str
    line: int
    column: int
    item: str | None
    sentence: str | None
    text: str
    whole: bool = True

    @property
    def place(self) -> tuple[object, ...]:
        """The part of the text, whatever it is the source of."""
        return self.file, self.line, self.column, self.text


class Items:
    """The items of the texts of a project, by the expressions that are their own."""

    def __init__(self, project: Project) -> None:
        self._known: dict[_Key, tuple[str, str]] = {}
        self._errors: set[_Key] = set()
        for unit in project.every_unit():
            if unit.file is not None:
                for span, item, sentence in _items_of(unit.file):
                    self._known.setdefault(_key(span), (item, sentence))
                errors = [clause for clause in unit.file.clauses if clause.kind is s.ClauseKind.ERROR]
                self._errors |= {_key(clause.body.span) for clause in errors if clause.body is not None}

    def at(self, span: Span) -> tuple[str, str]:
        """The tag or name, and the sentence, of the item whose own expression stands at a place; else both empty."""
        return self._known.get(_key(span), ("", ""))

    def is_error(self, span: Span) -> bool:
        """Return whether the condition of an error stands at a place."""
        return _key(span) in self._errors


_Table = tuple[Places, Mapping[Term, Sequence[Place]]]
"""The places of terms, and those of the parts of conditions."""


class Sources:
    """The places that terms came from: those that were noted for a statement, else any; those in its file first."""

    def __init__(self, items: Items, tables: Sequence[_Table], file: str = "") -> None:
        self._items, self._tables, self._file = items, tables, file

    @classmethod
    def of_project(cls, project: Project, places: Places) -> Sources:
        """All that was noted of a project."""
        return cls(Items(project), [(places, _by_parts(places))])

    def for_statement(self, file: str, own: Places) -> Sources:
        """Those of a statement of a file, for which some were noted."""
        return Sources(self._items, [(own, _by_parts(own)), *self._tables], file)

    def of(self, term: Term) -> list[Source]:
        """The places of a condition, or of one that it is a part of: those of items, else the innermost expression."""
        first: list[Source] = []
        for table, parts in self._tables:
            listed = self._listed(table.get(term, ()), parts.get(term, ()))
            # Of a clause of the text and one of the standard that say the same, it is the text's that is assumed: what
            # was made for another statement is looked at too before the standard's is named.
            if any(source.file == self._file for source in listed):
                return listed
            first = first or listed
        return first

    def of_denied(self, term: Term) -> list[Source]:
        """The places of what a condition denies: items and quantifiers. A part of another condition that happens to say
        the same, such as an assumption, would be taken for what is to be shown."""
        denied = not_(term)
        for table, _ in self._tables:
            found = [place for place in table.get(denied, ()) if self._is_shown(place)]
            if found:
                return self._listed(found, found)
        return []

    def _is_shown(self, place: Place) -> bool:
        """Return whether a place is an item or a quantifier."""
        if isinstance(place, s.Declaration):
            return False
        return isinstance(place, s.ForAll | s.Exists) or bool(self._items.at(place.span)[0])

    def _listed(self, whole: Sequence[Place], found: Sequence[Place]) -> list[Source]:
        made: dict[_Key, Source] = {}
        for place in found:
            # An error speaks of valid input to say what it is not: it is the source of no part of that.
            if self._items.is_error(place.span) and not any(place is one for one in whole):
                continue
            is_whole = not isinstance(place, s.Declaration) and any(place is one for one in whole)
            source = replace(self.at(place), whole=is_whole)
            made.setdefault(_key(place.span), source)
        # What says more is named only where nothing says just that.
        exact = [source for source in made.values() if source.whole]
        listed = sorted(exact or made.values(), key=lambda source: source.file != self._file)
        items = [source for source in listed if source.item]
        # Of a definition on other definitions the innermost says most; the calls of it say the same.
        return items or listed[:1]

    def at(self, place: Place) -> Source:
        """A place with its words."""
        span = place.span
        item, sentence = self._items.at(span)
        end = _end_of(span)
        match place:
            case s.Declaration():
                item, sentence, end = "declaration", "", _end(place)
            case s.Used():
                item, sentence = "using", ""
            case s.ForAll():
                # Without the sentence that says why it fails.
                end = _end_of(place.body.span)
        return Source(span.source.name, span.line, span.column, item or None, sentence or None, _text_to(span, end))


def _by_parts(places: Places) -> dict[Term, list[Place]]:
    """The places of each part of a condition."""
    made: dict[Term, list[Place]] = {}
    for term, listed in places.items():
        for part in conjuncts(term):
            made.setdefault(part, []).extend(listed)
    return made


def _end_of(*spans: Span) -> int:
    return max(span.start + span.length for span in spans)


def _end(declaration: s.Declaration) -> int:
    """The end of a declaration in its text."""
    parts = [declaration.span, declaration.type.span]
    parts += [part.span for part in (declaration.where, declaration.default) if part is not None]
    return _end_of(*parts)


def _text_to(span: Span, end: int) -> str:
    """The text from a place on, on one line, without comments."""
    lines = span.source.text[span.start : end].splitlines()
    return " ".join(" ".join(line.split(" -- ")[0].split()) for line in lines)


def _key(span: Span) -> _Key:
    return span.source.name, span.line, span.column, span.length


def _items_of(file: s.File) -> Iterator[tuple[Span, str, str]]:
    """The expressions that are an item's own, with its tag or name, and its sentence."""
    for clause in file.clauses:
        if clause.body is not None:
            yield clause.body.span, clause.tag, clause.title
    for declaration in (*file.inputs, *file.attributes, *file.outputs):
        if declaration.where is not None:
            yield declaration.where.span, declaration.name, ""
    for let in file.lets:
        yield let.body.span, let.name, ""
    for theorem in file.theorems:
        yield theorem.body.span, theorem.name, theorem.title
        if theorem.assuming is not None:
            yield theorem.assuming.span, theorem.name, ""
