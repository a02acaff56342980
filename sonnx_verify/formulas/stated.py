"""What the formulas of a page state: under a tag, of the elements of an output, of a name that it defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sonnx_verify.errors import Span
from sonnx_verify.formulas.notation import Macro
from sonnx_verify.formulas.words import Unread, Word, formula_words, sentences_of, words_of
from sonnx_verify.pages.blocks import Block, Cell, Inline
from sonnx_verify.pages.page import Page, Section
from sonnx_verify.pages.sentences import family_of
from sonnx_verify.pages.tags import Tag, kind_of

_END = re.compile(r"[.;](?=\s|$)")
_RANK = re.compile(r"\0(\d+)\0 (?:be|is|denotes?|for) the rank of \0(\d+)\0")
_SIZE = re.compile(r"(?:\0(\d+)\0 (?:be |is )?its size|\0(\d+)\0 its size) on axis \0(\d+)\0")
_VALUE = re.compile(r"\0(\d+)\0 (?:be|is|denotes?) the value of (?:\0(\d+)\0|([A-Za-z]\w*))")
_BEGINNING = frozenset({"so", "thus", "hence", "therefore", "rationale", "note"})
"""What may stand before a claim in its sentence."""
_LET = re.compile(r"\b(?:[Ll]et|where|with) \0(\d+)\0(?! in)")
_SEE = re.compile(r"see \[ \w+ \](?: of the \w+ section)?")
_CONDITIONAL = re.compile(
    r"\b(?:if|when|unless|otherwise|except|suppose|assume|example|cases?|only|not|never|instead|wrong|false|incorrect|older|drafts?|"
    r"forbidden|previously|formerly|no)\b", re.IGNORECASE
)
"""Words after which an equation does not say what a name always is."""
_SOURCE = re.compile(r"\s*With [^.:;]* of [^.:;]*")


@dataclass(frozen=True, slots=True)
class Defined:
    """`name` with what is written at it `= body`, where it stands."""

    name: str
    macro: Macro
    reads: tuple[str, ...]
    span: Span
    family: int = 0
    """Which family of the page it stands in."""

    @property
    def key(self) -> tuple[str, int, int | None]:
        """What tells it from other definitions: its name, and how many names are written at it."""
        return (self.name, self.macro.below, self.macro.arguments)


def by_family(page: Page) -> dict[str, list[Section]]:
    """The sections of each family, by what its inputs are called."""
    return {family_of(found[0]): found for found in page.by_family[1:] if found}


def definitions(page: Page, family: str) -> list[Defined]:
    """What the page defines for a family: in its own sections, then in the others, of each name the first."""
    sections = by_family(page)
    ordered = [*sections.get(family, []), *(s for name, own in sections.items() if name != family for s in own)]
    made: dict[object, Defined] = {}
    twice: set[object] = set()
    for section in ordered:
        for one in (replace(one, family=id(section.family)) for one in _of_section(section)):
            key = one.key
            first = made.setdefault(key, one)
            # What a page says twice in one family, and otherwise, holds under conditions that are not read.
            if first.macro != one.macro and (first.family == one.family):
                twice.add(key)
    return [one for key, one in made.items() if key not in twice]


def own_definitions(page: Page, family: str) -> list[Defined]:
    """What stands in the sections of the family."""
    return [one for section in by_family(page).get(family, []) for one in _of_section(section)]


def _of_section(section: Section) -> Iterator[Defined]:
    if section.within != "function":
        return
    before = ""
    for n, block in enumerate(section.blocks):
        shown = displayed(block)
        follows = section.blocks[n + 1] if n + 1 < len(section.blocks) else None
        goes_on = follows is not None and displayed(follows) is None and follows.cell.plain[:1].islower()
        alone = not goes_on and not _is_conditional(before)
        if shown is not None and alone and (one := _defined(shown)) is not None:
            yield one
        before = block.cell.plain.rstrip(": ") if shown is None else ""
        for cell in block.cells:
            yield from _in_words(cell)


def displayed(block: Block) -> Inline | None:
    """The formula that stands in lines of its own, where a block is one. Others may speak of a special case."""
    pieces = [i for i in block.cell.inlines if i.kind in ("math", "break") or i.text.strip()]
    return pieces[0] if block.kind == "math" and len(pieces) == 1 and pieces[0].kind == "math" else None


def _defined(piece: Inline) -> Defined | None:
    """A formula that says what a name is: the name, indices below it and in brackets, `=`, and what it is."""
    try:
        words = formula_words(piece.text)
    except Unread:
        return None
    return _equation(words, piece.span)


def _equation(words: Sequence[Word], span: Span) -> Defined | None:
    if len(words) < 3 or words[0].kind not in ("name", "said"):
        return None
    place, below, arguments, reads = 1, [], None, []
    while place < len(words) and words[place].text in ("_", "(", "["):
        mark = words[place].text
        if mark == "_" and words[place + 1 : place + 2] and words[place + 1].kind == "name":
            found, place = [words[place + 1].text], place + 2
        else:
            start = place + (2 if mark == "_" else 1)
            found = []
            place = start
            while place < len(words) and words[place].kind == "name":
                found.append(words[place].text)
                place += 1 + (words[place + 1 : place + 2] == [Word("sign", ",")])
            place += 1
        if not found:
            return None
        if mark == "_":
            below = found
        elif mark == "(":
            arguments = found
        else:
            reads += found
    if words[place : place + 1] != [Word("sign", "=")]:
        return None
    body = tuple(words[place + 1 :])
    while body and body[-1] == Word("sign", ","):
        body = body[:-1]
    macro = Macro(len(below), None if arguments is None else len(arguments), (*below, *(arguments or ())), body)
    return Defined(words[0].text, macro, tuple(reads), span)


def _in_words(cell: Cell) -> Iterator[Defined]:
    """`Let $r$ be the rank of $X$ and $d_k$ its size on axis $k$`, `$w$ is the value of keepdims`."""
    pieces = [i for i in cell.inlines if i.kind in ("text", "math", "code", "break")]
    spoken = [i for i in pieces if i.kind in ("math", "code")]
    numbers = {id(piece): n for n, piece in enumerate(spoken)}
    text = re.sub(r"\s+", " ", "".join(f"\0{numbers[id(i)]}\0" if id(i) in numbers else i.text for i in pieces))
    tensor = ""
    for match in _LET.finditer(text):
        if not _is_conditional(text[: match.start()]) and (one := _defined(spoken[int(match[1])])) is not None:
            yield one
    found = sorted([*_RANK.finditer(text), *_SIZE.finditer(text), *_VALUE.finditer(text)], key=lambda m: m.start())
    for match in found:
        if _is_conditional(text[: match.start()]):
            continue
        name = spoken[int(next(g for g in match.groups() if g is not None))]
        if match.re is _RANK:
            tensor = spoken[int(match[2])].text
            yield from _equated(name, f"\\operatorname{{rank}}({tensor})")
        elif match.re is _VALUE:
            yield from _equated(name, spoken[int(match[2])].text if match[2] else f"\\text{{{match[3]}}}")
        elif simple := re.fullmatch(r"\\text\{(\w+)\}|[A-Za-z]\d*", tensor):
            axis = re.match(r"\w*", spoken[int(next(g for g in match.groups()[::-1] if g is not None))].text)
            yield from _equated(name, f"\\operatorname{{d{simple[1] or simple[0]}}}_{{{axis[0] if axis else ''}}}")


def _is_conditional(before: str) -> bool:
    """Whether what stands before in the sentence makes of an equation something that does not always hold."""
    return _CONDITIONAL.search(_END.split(before)[-1]) is not None


def _equated(name: Inline, latex: str) -> Iterator[Defined]:
    made = _defined(Inline("math", f"{name.text} = {latex}", name.span))
    if made is not None:
        yield made


def conditions_of(page: Page, tag: Tag) -> list[list[Word]]:
    """The ways to read what a tag states: as its first sentence, as what follows `that is` in it, as what the tag says
    that it refers to, and nothing beside. Each without what says from where its symbols are."""
    statement = Cell(tag.span, tuple(_without_source(tag.statement.inlines)))
    words = words_of(statement)
    link = next(iter(statement.of("link")), None)
    if link is not None and _SEE.fullmatch(" ".join(w.text for w in words)):
        other = next((t for t in page.tags if any(f"#{a.target}" == link.target for a in t.anchors)), None)
        return [] if other is None or other is tag else conditions_of(page, other)
    meant = next((n for n, w in enumerate(words) if w == Word("sign", "that is")), None)
    if meant is None:
        return [words]
    return [words[meant + 1 + (words[meant + 1 : meant + 2] == [Word("sign", ",")]) :]]


def _without_source(inlines: Iterable[Inline]) -> Iterator[Inline]:
    """The pieces after `With $f$ of [that section]:`."""
    pieces = [i for i in inlines if i.kind != "anchor"]
    text = ""
    for n, piece in enumerate(pieces):
        head, colon, rest = piece.text.partition(": ")
        if piece.kind == "text" and colon and _SOURCE.fullmatch(f"{text}{head}"):
            yield Inline("text", rest, piece.span)
            yield from pieces[n + 1 :]
            return
        text += piece.text if piece.kind != "mark" else ""
    yield from pieces


@dataclass(frozen=True, slots=True)
class Claimed:
    """That tags exclude what some words say, or ensure it; `said` is how a reader reads it."""

    tags: tuple[str, ...]
    excludes: bool
    words: tuple[Word, ...]
    span: Span
    said: str


def claims(page: Page, family: str) -> Iterator[Claimed]:
    """What the page says of a family that its restrictions and constraints exclude, or ensure."""
    for section in by_family(page).get(family, []):
        for cell in (cell for block in section.blocks for cell in block.cells):
            try:
                for words in sentences_of(cell):
                    yield from _claims(words, cell)
            except Unread:
                continue  # what is no LaTeX is told by another rule


def _claims(words: Sequence[Word], cell: Cell) -> Iterator[Claimed]:
    verb = next((n for n, w in enumerate(words) if w.kind == "sign" and w.text in ("excludes", "ensures")), None)
    if verb is None:
        return
    tags: list[str] = []
    for word in reversed(words[:verb]):
        if kind_of(word.text) in ("restriction", "constraint"):
            tags.insert(0, word.text)
        elif word.kind != "sign" and word.text.lower() in _BEGINNING:
            break
        elif word.kind != "sign" or word.text not in ("[", "]", ",", "and", ":"):
            return
    if tags:
        yield Claimed(tuple(tags), words[verb].text == "excludes", tuple(words[verb + 1 :]), cell.span, cell.text)
