"""The definitions of a page: equations that hold without condition.

In: the sections of a page. Out: the definitions that are read, and the names in doubt. Whatever else the page says of
a name puts it in doubt, and a name in doubt is never read: "Let $n = 1$. Here $n$ is the rank of $X$ squared." gives n
two meanings, and to skip the second sentence would let the first one be proved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.pages.formulas.equations import Defined, equation, left_of
from sonnx_verify.pages.formulas.standing import is_known, seen, why_family_unread
from sonnx_verify.pages.formulas.words import Unread, formula_words, sign
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.sources import Span

_SENTENCES = (
    (re.compile(r"Let \0\d+\0"), "{0}"),
    (re.compile(r"Let \0\d+\0 be the rank of \0\d+\0"), "{0} = \\operatorname{{rank}}({1})"),
    (re.compile(r"Let \0\d+\0 be the value of \0\d+\0"), "{0} = {1}"),
    (re.compile(r"Let \0\d+\0 be the value of (?P<word>[A-Za-z]\w*)"), "{0} = \\text{{{word}}}"),
)
"""The sentences of a paragraph of definitions, formulas as their numbers, and the equation that each of them is."""
_SIZE = re.compile(r"Let \0\d+\0 be the size of \0\d+\0 on axis \0\d+\0")
_NUMBERED = re.compile(r"\0(\d+)\0")
_EVERY = re.compile(r"For every index \0(?P<index>\d+)\0 of \0(?P<output>\d+)\0[,:]?")
_INTRODUCES = re.compile(r"\b(?:let|calls?|called|write|written|denoted?|set|define[sd]?)\s*$", re.IGNORECASE)
_IS = re.compile(r"\s*(?:is|be|are|means?|denotes?|stands?|equals?|counts?|was|as|the|its)\b")
_IS_THAT = re.compile(
    r"\s*(?:be|denotes?|stands?|means?|equals?|counts?"
    r"|(?:is|are|was|as) (?:the|its|that|those|what|equal|short|written|called|one|half|twice|$))"
)
"""The words after a name of the formal text that the page gives another meaning. `is a tensor` gives none."""
_IF = re.compile(r"\b[Ii]f\s*$")
_PART = re.compile(r"\b(?:[Oo]f|[Ii]n)\s*$")
_LATEX_NAME = re.compile(r"\s*(?:\\(?:text|mathrm|operatorname)\{)?([A-Za-z]+)")
_GOES_ON = re.compile(r"[a-z]|(?:Otherwise|Elsewhere|Except|Unless|But|On all|On every|For other|For all other)\b")
_TOLD = re.compile(
    r"\b(?P<name>[A-Za-z_]\w*) (?:stands? for|means|denotes|is (?:the|short for|written))\b"
    r"|\b[Ll]et (?P<let>[A-Za-z_]\w*) (?:be|denote|stand)\b"
)
"""The meaning of a name in words alone."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of a page that are read, and the names of which it says something else too, or something that is
    not read."""

    read: tuple[Defined, ...]
    doubtful: frozenset[str]

    @classmethod
    def of(
        cls, page: Page, families: Sequence[tuple[str, Sequence[Section]]], quoted: Collection[int] = ()
    ) -> Definitions:
        """Read the definitions below the headings `Function` of each family. Doubts come from anywhere on the page but
        the lines that are `quoted` from the formal text."""
        accepted: list[Defined] = []
        places: set[Span] = set()
        for family, section in _defining_sections(page, families):
            for one, used in _of_section(section, family):
                places.update(used)
                if one is not None:
                    accepted.append(one)
        stated: set[Span] = set()
        for tag in page.tags:
            stated.update(piece.span for piece in _first_sentence(tag.statement))
        known = _Known(places, stated, frozenset(one.name for one in accepted), quoted)
        doubtful = _given_twice(accepted)
        for section in page.sections:
            doubtful.update(_doubts(section, known))
        return cls(tuple(accepted), frozenset(doubtful))


Found = tuple[Defined | None, tuple[Span, ...]]
"""A definition, None for one that says what is so by convention, and the places of the formulas that it is made of."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The formulas of a page that make no doubt: their places in definitions that are read, and under tags, where an
    equation asks for something and defines nothing; the names that are defined, the lines that are quoted."""

    places: set[Span]
    stated: set[Span]
    defined: frozenset[str]
    quoted: Collection[int]


def _given_twice(accepted: Sequence[Defined]) -> set[str]:
    """The names that are given more than one meaning: which of them is meant, nobody knows."""
    meanings: dict[object, set[object]] = {}
    for one in accepted:
        meanings.setdefault(one.scope, set()).add(one.meaning)
    return {one.name for one in accepted if len(meanings[one.scope]) > 1}


def _defining_sections(page: Page, families: Sequence[tuple[str, Sequence[Section]]]) -> Iterator[tuple[str, Section]]:
    """The sections that may define something, each with its family."""
    for family, sections in families:
        if why_family_unread(page, family):
            continue
        for section in sections:
            # Below a heading such as "If c is 1" a definition holds on a condition.
            if section.within is SectionKind.FUNCTION and is_known(page, section):
                yield family, section


def _of_section(section: Section, family: str) -> Iterator[Found]:
    blocks = seen(section.blocks)
    for n, block in enumerate(blocks):
        if _is_paragraph(block) and not _limits(blocks, n - 1):
            yield from _of_paragraph(block.cell, family)
        one = _of_equation(blocks, n, family)
        if one is not None:
            yield one, (one.span,)


def _of_equation(blocks: Sequence[Block], n: int, family: str) -> Defined | None:
    """The definition by a displayed formula below a paragraph that introduces it."""
    # Around it nothing may limit it: not "Where c is 1:" two blocks above, not "On all other axes ..." below.
    shown = displayed(blocks[n])
    if shown is None or blocks[n].level or n == 0 or not _is_paragraph(blocks[n - 1]):
        return None
    if _limits(blocks, n - 2) or any(map(_goes_on, blocks[n + 1 : n + 2])):
        return None
    one = equation(shown, family)
    if one is None or not _is_introduced(one, blocks[n - 1].cell):
        return None
    # Of what comes out a section says nothing else: what stands around an equation may be about some elements.
    if one.reads and len(blocks) > 2:
        return None
    return one


def _is_paragraph(block: Block) -> bool:
    """Return whether a block is a paragraph outside of lists and quotations."""
    return block.kind is BlockKind.PARAGRAPH and not block.quoted and not block.level


def _limits(blocks: Sequence[Block], n: int) -> bool:
    """Return whether a block may limit the one below it: it ends with a colon."""
    return n >= 0 and blocks[n].cell.text.endswith(":")


def _goes_on(after: Block) -> bool:
    """Return whether the statement above a block may go on in it."""
    return displayed(after) is not None or _GOES_ON.match(after.cell.plain) is not None


def _is_introduced(one: Defined, before: Cell) -> bool:
    """Return whether the paragraph above an equation says that it holds always, and nothing else."""
    flat = _flat(before)
    if flat is None:
        return False
    if not one.reads:
        return flat.text == "Let"
    if not _EVERY.fullmatch(flat.text):
        return False
    # "For every index $i$ of $Y$": of another tensor than Y the equation would be about some of its elements.
    index, output = flat.formulas_in(flat.text)
    return one.reads == (index.text,) and one.name == _bare(output.text)


def _of_paragraph(cell: Cell, family: str) -> Iterator[Found]:
    """The definitions of a paragraph that has nothing but definitions."""
    flat = _flat(cell)
    if flat is None or not flat.text.endswith("."):
        return
    sentences = [sentence for sentence in re.split(r"\.(?:\s|$)", flat.text) if sentence]
    # "Suppose c is 1. Let $n = 1$.": one sentence that is not understood may limit all others.
    if not all(_SIZE.fullmatch(sentence) or _equation_of(sentence, flat) for sentence in sentences):
        return
    for sentence in sentences:
        used = flat.formulas_in(sentence)
        if _SIZE.fullmatch(sentence):
            yield from _convention(used)
            continue
        one = equation(Inline(InlineKind.MATH, _equation_of(sentence, flat), used[0].span), family)
        if one is not None and not one.reads:
            yield one, tuple(piece.span for piece in used)


def _equation_of(sentence: str, flat: _Flat) -> str:
    """The equation that a sentence is in words; empty where it is none."""
    for pattern, latex in _SENTENCES:
        if found := pattern.fullmatch(sentence):
            formulas = [formula.text for formula in flat.formulas_in(sentence)]
            return latex.format(*formulas, **found.groupdict())
    return ""


def _convention(used: Sequence[Inline]) -> Iterator[Found]:
    """`dX_{m,k}` as the size of `X_m` on axis `k`, which is what it is without a word too."""
    size, tensor, axis = (re.sub(r"\s", "", re.split(r"\\in\b", piece.text)[0]) for piece in used)
    name, _, below = tensor.partition("_")
    indices = ",".join(filter(None, (below.strip("{}"), axis)))
    if size in (f"d{_bare(name)}_{indices}", f"d{_bare(name)}_{{{indices}}}"):
        yield None, tuple(piece.span for piece in used)


def _bare(latex: str) -> str:
    found = re.fullmatch(r"\\(?:text|mathrm|operatorname)\{(\w+)\}", latex.strip())
    return found[1] if found else latex.strip()


@dataclass(frozen=True, slots=True)
class _Flat:
    """The words of a cell with formulas as their numbers between zeros, which no page has."""

    text: str
    formulas: list[Inline]

    def formulas_in(self, sentence: str) -> list[Inline]:
        """The formulas of a sentence, in their order."""
        return [self.formulas[int(number)] for number in _NUMBERED.findall(sentence)]


def _flat(cell: Cell) -> _Flat | None:
    """The words of a cell; None where there is anything else in it, as a link or a footnote."""
    text = ""
    formulas: list[Inline] = []
    for inline in cell.inlines:
        match inline.kind:
            case InlineKind.MATH:
                text += f"\0{len(formulas)}\0"
                formulas.append(inline)
            case InlineKind.TEXT | InlineKind.BREAK:
                text += inline.text
            case _:
                return None
    return _Flat(re.sub(r"\s+", " ", text).strip(), formulas)


def displayed(block: Block) -> Inline | None:
    """The formula that stands in lines of its own, where a block is one."""
    if block.kind is not BlockKind.MATH or block.quoted:
        return None
    # A mark or an anchor beside the formula may belong to a footnote or to a tag.
    pieces = [i for i in block.cell.inlines if i.kind in (InlineKind.MATH, InlineKind.BREAK) or i.text.strip()]
    match pieces:
        case [Inline(kind=InlineKind.MATH) as formula]:
            return formula
        case _:
            return None


def _first_sentence(cell: Cell) -> Iterator[Inline]:
    """The pieces of a statement up to its first period: what they say is compared."""
    # What stands behind it is a comment of the author, which may define a name by the way.
    for piece in cell.inlines:
        yield piece
        if piece.kind is InlineKind.TEXT and re.search(r"\.(?:\s|$)", piece.text):
            return


def _doubts(section: Section, known: _Known) -> Iterator[str]:
    """The names that something is said of beside the definitions that are read."""
    # Examples have values of their own: `n = 3` there says nothing of n elsewhere.
    if section.within is SectionKind.EXAMPLES:
        return
    for block in (section.heading, *section.blocks):
        if block.span.line in known.quoted:
            continue
        # A signature says which names there are: an item of it, or a formula alone, begins with one.
        alone = block.kind is BlockKind.ITEM or len(list(block.inlines)) == 1
        listed = section.within is SectionKind.SIGNATURE and alone
        for cell in block.cells:
            yield from _doubts_of_cell(cell, known, listed=listed)


def _doubts_of_cell(cell: Cell, known: _Known, *, listed: bool) -> Iterator[str]:
    for n, piece in enumerate(cell.inlines):
        if piece.kind is InlineKind.TEXT:
            yield from (found["name"] or found["let"] for found in _TOLD.finditer(piece.text))
            continue
        skipped = piece.span in known.places or (listed and n == 0)
        if piece.kind in (InlineKind.MATH, InlineKind.CODE) and not skipped:
            yield from _doubt(cell, n, known)


def _doubt(cell: Cell, n: int, known: _Known) -> Iterator[str]:
    """The name that a formula of a cell says something of."""
    piece, before, after = cell.inlines[n], _text_before(cell, n), _text_after(cell, n)
    # "if $n = 3$" asks it, as what stands under a tag does.
    if piece.span in known.stated or _IF.search(before):
        return
    name, rest = _head(piece, known.defined)
    says = _IS if name in known.defined else _IS_THAT
    # "the size of $X$ is 3" says nothing of X.
    told = says.match(after) and not _PART.search(before)
    if rest == "=" or (not rest and (told or _INTRODUCES.search(before))):
        yield name


def _text_before(cell: Cell, n: int) -> str:
    if n == 0 or cell.inlines[n - 1].kind is not InlineKind.TEXT:
        return ""
    return cell.inlines[n - 1].text


def _text_after(cell: Cell, n: int) -> str:
    return "".join(piece.text for piece in cell.inlines[n + 1 : n + 2])


_NO_HEAD = ("", "?")
"""The head of a formula that begins with no name: it says nothing of one."""


def _head(piece: Inline, defined: frozenset[str]) -> tuple[str, str]:
    """The name that a formula begins with, and the sign behind it with its indices, empty where nothing is behind."""
    try:
        words = formula_words(piece.text)
    except Unread:
        # What cannot be read may define anything.
        found = _LATEX_NAME.match(piece.text)
        if found is None or "=" not in piece.text:
            return _NO_HEAD
        return found[1], "="
    left = left_of(words)
    if left is not None:
        behind = words[left.end : left.end + 1]
        return left.name, "".join(word.text for word in behind)
    # `n_0 = 3` says something of n, and `f(0) = 3` of what the page defines; `rank(data) = 3` asks it of data.
    if len(words) < 2 or not words[0].is_name or sign("=") not in words:
        return _NO_HEAD
    if words[1].text != "_" and words[0].text not in defined:
        return _NO_HEAD
    return words[0].text, "="
