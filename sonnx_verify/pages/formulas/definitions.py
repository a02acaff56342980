"""What a page defines by equations that hold without condition. Whatever else it says of a name, the name is not read:
what is skipped here would let another meaning of it stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.pages.formulas.equations import Defined, equation, left
from sonnx_verify.pages.formulas.standing import is_known, seen, why_family_unread
from sonnx_verify.pages.formulas.words import Unread, Word, formula_words
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section

_SENTENCES = (
    re.compile(r"Let \0(?P<equation>\d+)\0"),
    re.compile(r"Let \0(?P<name>\d+)\0 be the rank of \0(?P<rank>\d+)\0"),
    re.compile(r"Let \0(?P<name>\d+)\0 be the value of (?:\0(?P<value>\d+)\0|(?P<word>[A-Za-z]\w*))"),
    re.compile(r"Let \0(?P<size>\d+)\0 be the size of \0(?P<tensor>\d+)\0 on axis \0(?P<axis>\d+)\0"),
)
"""A paragraph of definitions has such sentences and no other; formulas stand as their numbers."""
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
        """Those of the sections on what comes out, of each family; doubts come from anywhere on the page but from what
        stands on the lines that are `quoted` from the formal text."""
        accepted: list[Defined] = []
        places: set[Span] = set()
        for family, sections in families:
            for section in sections:
                if section.within is not SectionKind.FUNCTION or why_family_unread(page, family):
                    continue
                if is_known(page, section):
                    for one, used in _of_section(section, family):
                        places |= set(used)
                        if one is not None:
                            accepted.append(one)
        stated = {piece.span for tag in page.tags for piece in _first_sentence(tag.statement)}
        seen = places | stated
        defined = frozenset(one.name for one in accepted)
        doubtful = {n for section in page.sections for n in _doubts(section, places, seen, defined, quoted)}
        bodies: dict[object, set[object]] = {}
        for one in accepted:
            # What comes out is given once in each family, other names alike wherever they are defined.
            where = (one.family, one.key) if one.reads else one.key
            bodies.setdefault(where, set()).add((one.span,) if one.reads else one.macro)
        twice = {where for where, made in bodies.items() if len(made) > 1}
        doubtful |= {one.name for one in accepted if one.key in twice or (one.family, one.key) in twice}
        return cls(tuple(accepted), frozenset(doubtful))


Found = tuple[Defined | None, tuple[Span, ...]]
"""A definition, None for one that says what is so by convention, and the places of the formulas that it is made of."""


def _of_section(section: Section, family: str) -> Iterator[Found]:
    blocks = seen(section.blocks)
    for n, block in enumerate(blocks):
        if _is_paragraph(block) and not _limits(blocks, n - 1):
            yield from _of_paragraph(block.cell, family)
        shown = displayed(block)
        if shown is None or block.level or n == 0 or not _is_paragraph(blocks[n - 1]):
            continue
        if _limits(blocks, n - 2) or (n + 1 < len(blocks) and _goes_on(blocks[n + 1])):
            continue
        one = equation(shown, family)
        if one is None or not _is_introduced(one, blocks[n - 1].cell):
            continue
        # Of what comes out a section says nothing else: what stands around an equation may be about some elements.
        if not one.reads or len(blocks) == 2:
            yield one, (shown.span,)


def _is_paragraph(block: Block) -> bool:
    """Whether a block is a paragraph outside of lists and quotations."""
    return block.kind is BlockKind.PARAGRAPH and not block.quoted and not block.level


def _limits(blocks: Sequence[Block], n: int) -> bool:
    """Whether a block may limit the one below it: it ends with a colon."""
    return n >= 0 and blocks[n].cell.text.endswith(":")


def _goes_on(after: Block) -> bool:
    """Whether the statement above a block may go on in it."""
    return displayed(after) is not None or _GOES_ON.match(after.cell.plain) is not None


def _is_introduced(one: Defined, before: Cell) -> bool:
    """Whether the paragraph above an equation says that it holds always, and nothing else."""
    flat = _flat(before)
    if flat is None:
        return False
    text, formulas = flat
    if one.reads:
        found = _EVERY.fullmatch(text)
        told = found and (formulas[int(found["index"])].text, _bare(formulas[int(found["output"])].text))
        return told == (one.reads[0], one.name) and len(one.reads) == 1
    return text == "Let"


def _of_paragraph(cell: Cell, family: str) -> Iterator[Found]:
    """The definitions of a paragraph that has nothing but definitions."""
    flat = _flat(cell)
    if flat is None:
        return
    text, formulas = flat
    sentences = [sentence for sentence in re.split(r"\.(?:\s|$)", text) if sentence]
    found = [next((m for p in _SENTENCES if (m := p.fullmatch(sentence))), None) for sentence in sentences]
    if not text.endswith(".") or not all(found):
        return
    for match in found:
        assert match is not None
        made = match.groupdict()
        used = [formulas[int(n)] for name, n in made.items() if n is not None and name != "word"]
        if made.get("size") is not None:
            yield from _convention(used)
            continue
        latex = used[0].text
        if made.get("rank") is not None:
            latex = f"{latex} = \\operatorname{{rank}}({used[1].text})"
        elif made.get("name") is not None:
            value = used[1].text if made["value"] is not None else _upright(made["word"])
            latex = f"{latex} = {value}"
        one = equation(Inline(InlineKind.MATH, latex, used[0].span), family)
        if one is not None and not one.reads:
            yield one, tuple(piece.span for piece in used)


def _convention(used: Sequence[Inline]) -> Iterator[Found]:
    """`dX_{m,k}` as the size of `X_m` on axis `k`, which is what it is without a word too."""
    size, tensor, axis = (re.sub(r"\s", "", re.split(r"\\in\b", piece.text)[0]) for piece in used)
    name, _, below = tensor.partition("_")
    indices = ",".join(filter(None, (below.strip("{}"), axis)))
    if size in (f"d{_bare(name)}_{indices}", f"d{_bare(name)}_{{{indices}}}"):
        yield None, tuple(piece.span for piece in used)


def _upright(word: str) -> str:
    return f"\\text{{{word}}}"


def _bare(latex: str) -> str:
    found = re.fullmatch(r"\\(?:text|mathrm|operatorname)\{(\w+)\}", latex.strip())
    return found[1] if found else latex.strip()


def _flat(cell: Cell) -> tuple[str, list[Inline]] | None:
    """The words of a cell with formulas as their numbers; None where there is anything else in it."""
    if any(i.kind not in (InlineKind.TEXT, InlineKind.MATH, InlineKind.BREAK) for i in cell.inlines):
        return None
    formulas = [i for i in cell.inlines if i.kind is InlineKind.MATH]
    numbers = {id(formula): n for n, formula in enumerate(formulas)}
    text = "".join(f"\0{numbers[id(i)]}\0" if id(i) in numbers else i.text for i in cell.inlines)
    return re.sub(r"\s+", " ", text).strip(), formulas


def displayed(block: Block) -> Inline | None:
    """The formula that stands in lines of its own, where a block is one."""
    pieces = [i for i in block.cell.inlines if i.kind in (InlineKind.MATH, InlineKind.BREAK) or i.text.strip()]
    if block.kind is not BlockKind.MATH or block.quoted or len(pieces) != 1:
        return None
    return pieces[0] if pieces[0].kind is InlineKind.MATH else None


def _first_sentence(cell: Cell) -> Iterator[Inline]:
    """The pieces of a statement up to its first period: what they say is compared."""
    for piece in cell.inlines:
        yield piece
        if piece.kind is InlineKind.TEXT and re.search(r"\.(?:\s|$)", piece.text):
            return


def _doubts(
    section: Section, places: set[Span], seen: set[Span], defined: frozenset[str], quoted: Collection[int]
) -> Iterator[str]:
    """The names that something is said of beside the definitions that are read, in `places`. What is `seen` under a tag
    asks that an equation holds, and does not define by it; a signature says which names there are, and examples have
    values of their own."""
    if section.within is SectionKind.EXAMPLES:
        return
    for block in (section.heading, *section.blocks):
        alone = block.kind is BlockKind.ITEM or len(list(block.inlines)) == 1
        listed = section.within is SectionKind.SIGNATURE and alone
        if block.span.line in quoted:
            continue
        for cell in block.cells:
            for n, piece in enumerate(cell.inlines):
                if piece.kind is InlineKind.TEXT:
                    yield from (found["name"] or found["let"] for found in _TOLD.finditer(piece.text))
                    continue
                formula = piece.kind in (InlineKind.MATH, InlineKind.CODE) and piece.span not in places
                if formula and not (listed and n == 0):
                    yield from _doubt(cell, n, piece.span in seen, defined)


def _doubt(cell: Cell, n: int, stated: bool, defined: frozenset[str]) -> Iterator[str]:
    """The name that a formula of a cell says something of."""
    piece = cell.inlines[n]
    before = cell.inlines[n - 1].text if n and cell.inlines[n - 1].kind is InlineKind.TEXT else ""
    after = cell.inlines[n + 1].text if n + 1 < len(cell.inlines) else ""
    head = _head(piece, defined)
    if head is None or stated or _IF.search(before):
        return
    name, rest = head
    told = (_IS if name in defined else _IS_THAT).match(after) and not _PART.search(before)
    if rest == "=" or (not rest and (told or _INTRODUCES.search(before))):
        yield name


def _head(piece: Inline, defined: frozenset[str]) -> tuple[str, str] | None:
    """The name that a formula begins with, and the sign behind it with its indices; None where it begins otherwise."""
    try:
        words = formula_words(piece.text)
    except Unread:
        # What cannot be read may define anything.
        found = re.match(r"\s*(?:\\(?:text|mathrm|operatorname)\{)?([A-Za-z]+)", piece.text)
        return (found[1], "=") if found and "=" in piece.text else None
    made = left(words)
    if made is None:
        # `n_0 = 3` says something of n, and `f(0) = 3` of what the page defines; `rank(data) = 3` asks it of data.
        named = len(words) > 1 and words[0].kind in ("name", "said")
        says = named and (words[1].text == "_" or words[0].text in defined)
        return (words[0].text, "=") if says and Word("sign", "=") in words else None
    place = made[-1]
    return words[0].text, words[place].text if place < len(words) else ""
