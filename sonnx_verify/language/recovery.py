"""All mistakes of a text that cannot be parsed: behind each, reading goes on at the next item.

Not trusted: a text with a mistake is refused, whatever is found here, and of a text without one nothing is asked. So
an item is looked for by the form of its line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import check_kind, items_of, place_item, tree_of
from sonnx_verify.language.words import KEYWORDS, TYPES
from sonnx_verify.sources import Source, Span

MOST = 20
"""The most mistakes of a text that are told: of a file that is no text of the language there would be one a line."""
_LONGEST = 1 << 17
"""The characters of a text of which more than one mistake is told: what is behind each is parsed again."""
_ITEM = re.compile(
    r"""^\[[\w.,\ ]+\] | ^using\s+\w | ^[ \t]*(?:
        \[[^\]\n]*\]\s*(?:restriction|constraint|error|let|count|shape|value|unspecified)\b
        | (?:(?:add|replace)\s+)?(?:
            (?:optional\s+)?(?:input|output|attribute)\s+(?!and\b|or\b|in\b|is\b)\w
            | let\s+\w+\s*(?:=|for\b) | (?:count|shape)\s+\w+\s*(?:=|\[|from\b|for\b)
            | value\s+\w+\s*\[ | types\s+\w+\s*(?:=|of\b)
            | (?:define|order|theorem|axiom|undefined|fact|library|theory)\s+\w+\s*["(o]
            | (?!for\b)\w+\s+\w+\s*(?:\[[^\]\n]*\]\s*)?:\s
            | (?:use|operator|refines|version|general|reading|expect|remove|move|unspecified)\s+\w | page\s+"
        )
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""The beginning of an item. The `for` and the `using` of a theorem stand further in, and begin none."""
_DECLARED = re.compile(
    r"\b(?:input|output|attribute|let|define|order|theorem|axiom|undefined|fact|reading)\b[^\w\n]+(\w+)(?:\s*\[[^\]]*\.\.\s*(\w+))?"
)
_LIKE = re.compile(r"^[ \t]*\w+\b[^\w\n]+(\w+)[ \t]*(?:\[[^\]\n]*\][ \t]*)?[:=]", re.MULTILINE)
"""A line that is like an item: `inptu X : tensor of T`."""
_TAGS = re.compile(r"^\W*?\[([\w., ]+)\]", re.MULTILINE)
_NEEDED = re.compile(r"^\s*(?:use|library|theory|operator|types|version|add|replace|remove|move)\b", re.MULTILINE)
_BODY = re.compile(r'[":=]')
"""A sign that the head of an item ends with: two mistakes without one between them are one."""
_QUOTED = re.compile(r'"[^"\n]*"|--[^\n]*')


@dataclass(slots=True)
class Recovered:
    """The mistakes of a text, in its order; the file of all other items, None where `needed` ones are among those that
    cannot be read; the names that were to be declared where the mistakes are."""

    mistakes: list[SpecificationError] = field(default_factory=list)
    file: s.File | None = None
    lost: set[str] = field(default_factory=set)
    needed: bool = False


def recovered(source: Source) -> Recovered:
    """The mistakes of a text, and what can be read of it."""
    made = Recovered()
    items = _read(source, made)
    file = s.File(source.name)
    for place, item in enumerate(items):
        try:
            place_item(file, item, place)
        except SpecificationError as problem:
            _note(made, source, problem)
            made.lost |= declared_in(text_of(item, source))
    if file.kind is s.FileKind.UNSAID or file.differences or made.needed:
        return made
    try:
        check_kind(file)
    except SpecificationError as problem:
        _note(made, source, problem)
    made.file = file
    return made


def _read(source: Source, made: Recovered) -> list[s.Item]:
    text = source.text
    starts = [m.start() + len(m[0]) - len(m[0].lstrip()) for m in _ITEM.finditer(text)]
    items: list[s.Item] = []
    begin = 0
    while len(made.mistakes) < MOST:
        problem, in_grammar = _problem(source, begin, len(text))
        if problem is None or problem.span is None:
            return items + _items(source, begin, len(text))
        _note(made, source, problem)
        failing, end = _item_around(source, starts, begin, problem.span.start, in_grammar=in_grammar)
        before = _items(source, begin, failing)
        items += before
        # Two items in a row that do not end are one mistake, and neither of them can be read.
        skipped = text[failing if before else begin : end]
        made.lost |= declared_in(skipped)
        # Without a library or a type, most of what follows would be another mistake.
        made.needed = made.needed or _NEEDED.search(_QUOTED.sub("", skipped)) is not None
        if end >= len(text):
            return items
        if len(text) > _LONGEST:
            break
        begin = end
    # What was not read may declare anything.
    made.needed = True
    return items


def _item_around(source: Source, starts: list[int], begin: int, at: int, *, in_grammar: bool) -> tuple[int, int]:
    """The beginning and the end of the item that a mistake at a place is in."""
    text = source.text
    inside = [start for start in starts if begin < start <= at]
    behind = [*(start for start in starts if start > max(at, begin)), len(text)]
    if not inside:
        return begin, behind[0]
    last = inside[-1]
    before = inside[-2] if len(inside) > 1 else begin
    # `let a = (b` is only noticed at the next word, which begins an item: that one is read again. So is `shape Y = S`
    # behind `let a =`, which takes the word for a name.
    alone = _problem(source, last, behind[0])[0]
    if not in_grammar and (alone is None or alone.span is None or _BODY.search(text, at, alone.span.start)):
        return before, last
    return last, behind[0]


def _problem(source: Source, begin: int, end: int) -> tuple[SpecificationError | None, bool]:
    """The first mistake of a part of the text; whether the part is in the grammar."""
    part = _part(source, begin, end)
    in_grammar = False
    try:
        if part.text.strip():
            tree_of(part)
        in_grammar = True
        items_of(part)
    except SpecificationError as problem:
        return problem, in_grammar
    return None, True


def _items(source: Source, begin: int, end: int) -> list[s.Item]:
    try:
        return list(items_of(_part(source, begin, end)))
    except SpecificationError:
        return []


def _part(source: Source, begin: int, end: int) -> Source:
    """A part of the text, at its place: all before it is blank."""
    blank = re.sub(r"[^\n]", " ", source.text[:begin])
    return Source(source.name, blank + source.text[begin:end])


def _note(made: Recovered, source: Source, problem: SpecificationError) -> None:
    in_whole(source, problem)
    made.mistakes.append(problem)


def in_whole(source: Source, problem: UserError) -> None:
    """Give a mistake in a part of a text its place in the whole, whose line is shown."""
    span = problem.span
    if span is not None and span.source.name == source.name:
        problem.span = Span(source, span.line, span.column, span.length)


def declared_in(text: str) -> set[str]:
    """The names that a text that cannot be read may be meant to declare."""
    plain = _QUOTED.sub("", text)
    found = {name for names in _DECLARED.findall(plain) for name in names if name} | set(_LIKE.findall(plain))
    for tags in _TAGS.findall(plain):
        found.update(tag.strip() for tag in tags.split(","))
    if not found:
        # `inptu X : tensor of T` declares something, and nobody knows what.
        found = words_in(plain) - KEYWORDS - TYPES - {"T"}
    return found


def words_in(text: str) -> set[str]:
    """The words of a text, but those of sentences and comments."""
    return set(re.findall(r"[A-Za-z_]\w*", _QUOTED.sub("", text)))


def text_of(item: object, source: Source) -> str:
    """The text of an item."""
    begin, end = extent(item, source.name)
    return source.text[begin:end]


def extent(item: object, path: str) -> tuple[int, int]:
    """The beginning and the end of an item in the text of that name; nothing of it where it has no place there."""
    # An item's own place may be that of its head alone, so those of its expressions count too.
    spans = list(_spans_in(item, path))
    if not spans:
        return 0, 0
    return min(span.start for span in spans), max(span.start + span.length for span in spans)


def _spans_in(item: object, path: str) -> Iterator[Span]:
    if isinstance(item, Span):
        if item.source.name == path:
            yield item
    elif isinstance(item, tuple | list):
        for one in item:
            yield from _spans_in(one, path)
    elif is_dataclass(item):
        for one in fields(item):
            yield from _spans_in(getattr(item, one.name), path)
