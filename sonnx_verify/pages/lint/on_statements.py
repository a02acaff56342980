"""Rules on what statements say: notes that were left, words, families of inputs, conditions that are stated twice."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import zip_longest

from sonnx_verify.errors import Span
from sonnx_verify.pages.lint.finding import EVERY, Edit, Found, Severity, edit, rule
from sonnx_verify.pages.lint.on_sections import refers
from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageKind, SectionKind
from sonnx_verify.pages.reading.page import Page, cells_of
from sonnx_verify.pages.reading.tags import Tag

_TODO = re.compile(
    r"\b(?:TODO|FIXME|TBD|TBC|XXX)\b|\?{3}|\b[Tt]o be (?:completed|defined|done|written|improved?|checked|confirmed)\b"
    r"|\bnot finish(?:ed)?\b|-- ?IGNORE ?--|\[[A-Z]{2,4} [^\]\[]*[^\W\d_]{2}[^\]\[]*\]"
)
_IN_FORMULA = re.compile(r"\bxxx\b|\\text\w*\{\s*(?:si|et|ou|sinon|avec|pour|est)\b[^{}]*\}")
_FRENCH = re.compile(
    r"\b(le|la|les|des|une|du|au|est|sont|pas|pour|par|avec|dans|donc|il|manque|partie|traiter|voir|faire|faut|cette"
    r"|à|où|être|définir|definir|vérifier|entier|flottant|et|ou|si|en|fond|blanc|formule|tableau|revoir|exemple)\b",
    re.IGNORECASE,
)
_ENOUGH = 3
"""The words of French that make a note in French."""


@rule("author-note", Severity.WARNING, EVERY)
def note(page: Page) -> Found:
    """A note among authors was left in the text, in English or French."""
    for block in page.text.blocks:
        for cell in block.cells:
            text = cell.plain
            if found := _TODO.search(text):
                yield _place(cell, found[0]), f"a note was left: `{found[0]}`", "settle it, and remove it"
            elif page.kind is PageKind.PROFILE:
                # Pages of ONNX are translated, to French too.
                for sentence in re.split(r"(?<=[.!?…])\s+", text) if len(_FRENCH.findall(text)) >= _ENOUGH else ():
                    words = _FRENCH.findall(sentence)
                    if len(words) >= _ENOUGH and len(words) * 4 >= len(sentence.split()):
                        shown = sentence.strip()[:60]
                        yield _place(cell, shown.split()[0]), f"a note in French was left: `{shown}`", "remove it"
                        break
            for formula in cell.of(InlineKind.MATH):
                if left := _IN_FORMULA.search(formula.text):
                    yield _place(cell, left[0]), f"a note was left: `{left[0]}`", "settle it, in English"


_SPELLING = {
    "boardcast": "broadcast", "broadcat": "broadcast", "unidirectionnaly": "unidirectionally",
    "unidirectionnal": "unidirectional", 
    "wize": "wise", "reciprocaly": "reciprocally", "shappe": "shape", "lenght": "length",
    "tenseur": "tensor", "dimention": "dimension", "seperat": "separat", "indice ": "index ", "occured": "occurred",
    "maximun": "maximum", "minimun": "minimum", "paramater": "parameter", "attibute": "attribute",
    "attribut ": "attribute ", "restiction": "restriction", "constaint": "constraint", "the the ": "the ",
    "respetive": "respective", "posittion": "position", "defintion": "definition", "intoduce": "introduce",
    "opearand": "operand", "additionnal": "additional", "indefined": "undefined", "explicitely": "explicitly",
    "correponding": "corresponding", "relevent": "relevant", "archirecture": "architecture", "begining": "beginning",
    "accouting": "accounting", "optained": "obtained", "deterministe": "deterministic", "spacial": "spatial",
}  # fmt: skip  # a table
_MISSPELLED = re.compile("|".join(rf"(?<![^\W_]){w}" if w[-1] == " " else w for w in _SPELLING), re.IGNORECASE)
_HIDDEN = re.compile(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^<>]*>|https?://\S+")
"""The parts of a line that are no text: code, formulas, targets of links, HTML."""


_OF_NAMES = "._/@#-:"
"""The characters that join words to names, paths and addresses."""


@rule("spelling", Severity.NOTE, EVERY)
def spelling(page: Page) -> Found:
    """A word of the field is misspelled: who looks for it does not find it."""
    low = page.source.text.lower()
    if not any(wrong in low for wrong in _SPELLING):
        return
    lines = page.source.text.split("\n")
    raw: set[int] = set()
    for block in page.text.blocks:
        if block.kind in (BlockKind.CODE, BlockKind.MATH, BlockKind.HTML):
            raw |= set(range(block.span.line, block.last + 1))
    for found in _MISSPELLED.finditer(page.source.text):
        number = bisect_right(page.lines, found.start())
        if number in raw:
            continue
        column = found.start() - page.lines[number - 1]
        if any(hidden.start() <= column < hidden.end() for hidden in _HIDDEN.finditer(lines[number - 1])):
            continue
        right = _as_written(_SPELLING[found[0].lower()], found[0])
        place = Span(page.source, number, column + 1, len(found[0].rstrip()))
        wrong, right = found[0].strip(), right.strip()
        whole = Span(page.source, number, column + 1, len(wrong))
        mends = (Edit(whole, wrong, right),) if _is_prose(page, whole, lines[number - 1]) else ()
        yield place, f"`{wrong}` is misspelled", f"write `{right}`", mends


def _as_written(right: str, wrong: str) -> str:
    """The right word, in capitals where the wrong one is."""
    if wrong.isupper():
        return right.upper()
    return right.capitalize() if wrong[0].isupper() else right


def _is_prose(page: Page, place: Span, line: str) -> bool:
    """Whether a word is one of a sentence, as the reader of the page has it, and no part of a name, a path or an
    address: something else may have that name."""
    start, end = place.column - 1, place.column - 1 + place.length
    if (start and line[start - 1] in _OF_NAMES) or re.match(rf"\w*[{re.escape(_OF_NAMES)}]\w", line[end:]):
        return False
    return any(
        first <= start and end <= first + len(text) and line.startswith(text, first)
        for first, text in page.once(_prose).get(place.line, ())
    )


def _prose(page: Page) -> dict[int, list[tuple[int, str]]]:
    """The words of the sentences of a page, and of its links, by lines, with where they begin."""
    made: dict[int, list[tuple[int, str]]] = {}
    for inline in page.text.inlines([InlineKind.TEXT, InlineKind.LINK]):
        before = 1 if inline.kind is InlineKind.LINK else 0
        made.setdefault(inline.span.line, []).append((inline.span.column - 1 + before, inline.text))
    return made


_DOTS = re.compile(r"\.{2,}|…|\\l?dots|\\cdots")
_MEMBER = re.compile(r"([A-Za-z])[_^]?(?:\{([^{}]*)\}|(\w+))")
_NEAR = 200
"""The characters before and after dots that belong to their list."""


@rule("inputs-differ", Severity.ERROR)
def inputs_differ(page: Page) -> Found:
    """A family of inputs is written with other bounds than in the signature, as `X1, ..., XN` for `X0, ..., XL`: it
    leaves one out, or counts one that is not there."""
    for sections in page.by_family:
        known: dict[str, tuple[str, str, int]] = {}
        for section in sorted(sections, key=lambda s: s.kind is not SectionKind.SIGNATURE):
            ranges = [(cell, found) for cell in section.cells for found in _ranges(cell)]
            for cell, (name, first, last) in ranges:
                if section.kind is SectionKind.SIGNATURE:
                    known.setdefault(name, (first, last, cell.span.line))
                low, high, line = known.get(name, (first, last, 0))
                if (low, high) != (first, last):
                    message = f"{name} goes from {first} to {last}; on line {line} from {low} to {high}"
                    yield _place(cell, f"{name}{first}"), message, "number its members as the signature does"


def _ranges(cell: Cell) -> Iterator[tuple[str, str, str]]:
    """The families that are written in a cell: the name, the first index, the last."""
    text = cell.text
    if not any(dots in text for dots in ("..", "…", "dots")):
        return
    text = re.sub(r"[$`\s]+", " ", text).replace(" ,", ",")
    for dots in _DOTS.finditer(text):
        before = text[max(0, dots.start() - _NEAR) : dots.start()].rstrip(" ,")
        last = _MEMBER.match(text[dots.end() : dots.end() + _NEAR].lstrip(" ,"))
        first = None
        for member in reversed(before.split(",")):
            # The first of a list may stand behind other words.
            found = re.search(rf"(?<![\w}}\\]){_MEMBER.pattern}$", member.strip())
            if found is None or last is None or found[1] != last[1]:
                break
            first = found
            if found[0] != member.strip():
                break
        if first is not None and last is not None:
            start, end = first[2] or first[3], last[2] or last[3]
            if end and re.fullmatch(r"\d+", start or ""):
                yield last[1], start, end.replace(" ", "")


_LITTLE = re.compile(
    r"the|an?|of|to|be|is|are|shall|must|not?|and|or|for|all|any|each|every|in|on|with|its|their|it|that|which|rules?"
    r"|appl(?:icable|y|ies)|conditions?|holds?|valid|tensors?|inputs?|outputs?"
)
"""Words that say nothing of what a condition is about."""


@rule("stated-twice", Severity.ERROR)
def stated_twice(page: Page) -> Found:
    """One condition is written both as an error and as a constraint, each in words of its own: if they differ, nobody
    knows which holds. One should refer to the other."""
    for sections in page.by_family:
        tags = [tag for section in sections for tag in section.tags]
        errors = [(tag, stems) for tag in tags if tag.kind == "error" and (stems := _stems(tag))]
        exact = {stems: tag for tag, stems in reversed(errors)}
        for constraint in (tag for tag in tags if tag.kind == "constraint") if errors else ():
            ours = _stems(constraint)
            alike = [tag for tag, stems in errors[:_MOST] if ours and (ours <= stems or stems <= ours)]
            for error in alike or ([exact[ours]] if ours in exact else []):
                if constraint.name not in error.statement.text:
                    message = f"{constraint.name} states again what {error.name} on line {error.span.line} is about"
                    yield constraint.span, message, f"let the error refer to the constraint: `{constraint.name} fails`"
                    break


_MOST = 200
"""With so many errors each constraint is compared by what it is about; with the others, where that is the same."""


def _stems(tag: Tag) -> frozenset[str]:
    words = re.findall(r"[a-z]{3,}", re.sub(r"\$[^$]*\$|`[^`]*`", " ", tag.statement.text.lower()))
    return frozenset(re.sub(r"(able|ing|ed|s)$", "", w) for w in words if not _LITTLE.fullmatch(w))


@rule("definition-empty", Severity.ERROR)
def definition_empty(page: Page) -> Found:
    """A name is introduced with a colon, and nothing is said of it."""
    blocks = page.text.blocks
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.kind is not BlockKind.ITEM or not _INTRODUCED.fullmatch(block.cell.text):
            continue
        if after is None or not _says(after, block):
            yield block.span, f"nothing is said of {block.cell.plain.strip(': ')}", "say what it is, with its bounds"


def _says(after: Block, block: Block) -> bool:
    """Whether a block says what the name is that the item before it introduces."""
    if after.kind in (BlockKind.MATH, BlockKind.CODE, BlockKind.TABLE) or after.level > block.level:
        return True
    return after.kind is BlockKind.PARAGRAPH and bool(after.cell.inlines) and _formula(after.cell)


_INTRODUCED = re.compile(r"\W*[A-Za-z]\w*\W*:\s*")


def _formula(cell: Cell) -> bool:
    formulas = (InlineKind.MATH, InlineKind.BREAK, InlineKind.MARK)
    return all(inline.kind in formulas or not inline.text.strip() for inline in cell.inlines)


@rule("zeros", Severity.ERROR)
def zeros(page: Page) -> Found:
    """An order names a zero beside +0 and -0: floats have two."""
    for cell in page.text.cells:
        if found := _ZEROS.search(cell.plain):
            place = _place(cell, "0+ >")
            made = edit(place, found[0], found[1] + found[2])
            yield place, "the order names three zeros, and floats have two", "leave out the one without sign", made


_ZEROS = re.compile(r"(0\+)\s*[>≥]\s*0(\s*[>≥]\s*0-)")


_SPECIAL = {
    "NaN": r"\bnan\b|not a number",
    "infinities": r"\binf|\\infty|∞",
    "signed zeros": r"[-+]0|0[-+]|\bsigned zero|negative zero|(?:\\pm|±)\W*(?:text\W*)?0",
}
_EVERYWHERE = {
    "tensors without elements": r"\bempty\b|zero[- ]siz|without elements|no elements?\b|size \$?0",
    "scalars": r"\bscalar|rank[- ]?\$?0|rank[- ]zero|no dimension|\b0-?d\b|0-dim",
}


@rule("undecided", Severity.WARNING)
def undecided(page: Page) -> Found:
    """A family says nothing of what the profile decides for every operator: tensors without elements and scalars, and
    of floats NaN, infinities and the signs of zeros."""
    whole = " ".join(cell.text for cell in page.text.cells).lower()
    nowhere = [what for what, words in _EVERYWHERE.items() if not re.search(words, whole)]
    for sections in page.by_family[1:]:
        family = sections[0]
        text = " ".join(cell.text for cell in cells_of(sections)).lower()
        if refers(family, sections[1:]):
            continue
        # What holds of all families is told of the first.
        lacking = list(nowhere) if family is page.families[0] else []
        if re.search("float|double|order is defined", family.title.lower()):
            lacking += [what for what, words in _SPECIAL.items() if not re.search(words, text)]
        if lacking:
            yield family.heading.span, f"{family.short} says nothing of {', '.join(lacking)}", "decide it"


def _place(cell: Cell, text: str) -> Span:
    """The place of a text in a cell, else that of the cell."""
    source = cell.span.source
    for n in range(cell.span.line, cell.span.line + 12):
        column = source.line(n).find(text, cell.span.column - 1 if n == cell.span.line else 0)
        if column >= 0:
            return Span(source, n, column + 1, len(text))
    return cell.span


RULES = (note, spelling, inputs_differ, stated_twice, definition_empty, zeros, undecided)
