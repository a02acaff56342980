"""Rules on what statements say: notes that were left, words, families of inputs, conditions that are stated twice."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from sonnx_verify.pages.lint.finding import EVERY, Edit, Found, Severity, edit, rule, rule_on
from sonnx_verify.pages.lint.on_sections import refers
from sonnx_verify.pages.lint.visits import by_family, cells, families, in_cells
from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageKind, SectionKind, TagKind
from sonnx_verify.pages.reading.page import Page, Section, cells_of, tags_in
from sonnx_verify.pages.reading.tags import Tag
from sonnx_verify.sources import Span

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
    """A note between authors was left in the text, in English or French."""
    for cell in page.text.cells:
        if found := _TODO.search(cell.plain):
            yield _place(cell, found[0]), f"leftover note: `{found[0]}`", "resolve it, and remove it"
        elif page.kind is PageKind.PROFILE:
            # Pages of ONNX are translated, to French too.
            yield from _in_french(cell)
        for formula in cell.of(InlineKind.MATH):
            if left := _IN_FORMULA.search(formula.text):
                yield _place(cell, left[0]), f"leftover note: `{left[0]}`", "resolve it, in English"


def _in_french(cell: Cell) -> Found:
    """The first sentence of a cell that is in French."""
    for sentence in re.split(r"(?<=[.!?…])\s+", cell.plain):
        words = len(_FRENCH.findall(sentence))
        # `est`, `si`, `fond` may be names in an English sentence: it takes several, and a quarter of the words.
        if words >= _ENOUGH and words * 4 >= len(sentence.split()):
            shown = sentence.strip()[:60]
            yield _place(cell, shown.split()[0]), f"leftover note in French: `{shown}`", "remove it"
            return


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


_OF_NAMES = tuple("._/@#-:")
"""The characters that join words to names, paths and addresses."""
_NAME_GOES_ON = re.compile(r"\w*[._/@#:-]\w")


@rule("spelling", Severity.NOTE, EVERY)
def spelling(page: Page) -> Found:
    """A technical term is misspelled: a search does not find it."""
    text = page.source.text
    # In C, where the pattern below would try each word at each character: most pages have none of them.
    low = text.lower()
    if not any(wrong in low for wrong in _SPELLING):
        return
    raw = _lines_that_are_no_text(page)
    for found in _MISSPELLED.finditer(text):
        number = bisect_right(page.lines, found.start())
        line, column = page.source.line(number), found.start() - page.lines[number - 1]
        if number in raw or _is_hidden(line, column):
            continue
        # Some entries end with a space: `indice ` and not `indices`.
        wrong = found[0].strip()
        right = _as_written(_SPELLING[found[0].lower()].strip(), wrong)
        place = Span(page.source, number, column + 1, len(wrong))
        mends: tuple[Edit, ...] = ()
        if _is_prose(page, place, line):
            mends = (Edit(place, wrong, right),)
        yield place, f"`{wrong}` is misspelled", f"write `{right}`", mends


def _lines_that_are_no_text(page: Page) -> set[int]:
    """The lines of code, formulas and HTML."""
    made: set[int] = set()
    for block in page.text.blocks:
        if block.kind in (BlockKind.CODE, BlockKind.MATH, BlockKind.HTML):
            made.update(range(block.span.line, block.last + 1))
    return made


def _is_hidden(line: str, column: int) -> bool:
    """Return whether a column stands in a part of a line that is no text."""
    return any(hidden.start() <= column < hidden.end() for hidden in _HIDDEN.finditer(line))


def _as_written(right: str, wrong: str) -> str:
    """The right word, in capitals where the wrong one is."""
    if wrong.isupper():
        return right.upper()
    return right.capitalize() if wrong[0].isupper() else right


def _is_prose(page: Page, place: Span, line: str) -> bool:
    """Return whether a word is one of a sentence, as the reader of the page has it, and no part of a name, a path or an
    address: something else may have that name."""
    start, end = place.column - 1, place.column - 1 + place.length
    if line[:start].endswith(_OF_NAMES) or _NAME_GOES_ON.match(line, end):
        return False
    pieces = page.once(_prose).get(place.line, [])
    return any(first <= start and end <= first + len(text) and line.startswith(text, first) for first, text in pieces)


def _prose(page: Page) -> dict[int, list[tuple[int, str]]]:
    """The words of the sentences of a page, and of its links, by lines, with where they begin."""
    made: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for inline in page.text.inlines([InlineKind.TEXT, InlineKind.LINK]):
        # The text of a link begins behind its bracket.
        bracket = inline.kind is InlineKind.LINK
        made[inline.span.line].append((inline.span.column - 1 + bracket, inline.text))
    return made


_DOTS = re.compile(r"\.{2,}|…|\\l?dots|\\cdots")
_MEMBER = re.compile(r"([A-Za-z])[_^]?(?:\{([^{}]*)\}|(\w+))")
_LAST_MEMBER = re.compile(rf"(?<![\w}}\\]){_MEMBER.pattern}$")
_NEAR = 200
"""The characters before and after dots that belong to their list."""


@rule_on(by_family, "inputs-differ", Severity.ERROR)
def inputs_differ(sections: list[Section]) -> Found:
    """A family of inputs is written with different bounds than in the signature, as `X1, ..., XN` for `X0, ..., XL`: it
    leaves one out, or counts one too many."""
    # The signature says which inputs there are, wherever on the page it stands.
    signatures = [section for section in sections if section.kind is SectionKind.SIGNATURE]
    known: dict[str, tuple[str, str, int]] = {}
    for cell, name, first, last in _ranges(signatures):
        known.setdefault(name, (first, last, cell.span.line))
    for cell, name, first, last in _ranges(sections):
        low, high, line = known.get(name, (first, last, 0))
        if (low, high) != (first, last):
            message = f"{name} goes from {first} to {last}; on line {line} from {low} to {high}"
            yield _place(cell, f"{name}{first}"), message, "number its members as the signature does"


def _ranges(sections: list[Section]) -> Iterator[tuple[Cell, str, str, str]]:
    """The families that are written in some sections: the cell, the name, the first index, the last."""
    for cell in cells_of(sections):
        text = re.sub(r"[$`\s]+", " ", cell.text).replace(" ,", ",")
        for dots in _DOTS.finditer(text):
            # Far away from the dots there is another list; and a pattern on all of a long cell would take too long.
            before = text[max(0, dots.start() - _NEAR) : dots.start()].rstrip(" ,")
            last = _MEMBER.match(text[dots.end() : dots.end() + _NEAR].lstrip(" ,"))
            if last is None:
                continue
            start, end = _first_index(before, last[1]), last[2] or last[3]
            if end and start.isdecimal():
                yield cell, last[1], start, end.replace(" ", "")


def _first_index(before: str, name: str) -> str:
    """The first index of a list of members that ends before dots: `0` of `the tensors X_0, X_1`. Empty for no list."""
    first = ""
    for member in reversed(before.split(",")):
        found = _LAST_MEMBER.search(member.strip())
        if found is None or found[1] != name:
            break
        first = found[2] or found[3] or ""
        # The first of a list may stand behind other words.
        if found[0] != member.strip():
            break
    return first


_LITTLE = re.compile(
    r"the|an?|of|to|be|is|are|shall|must|not?|and|or|for|all|any|each|every|in|on|with|its|their|it|that|which|rules?"
    r"|appl(?:icable|y|ies)|conditions?|holds?|valid|tensors?|inputs?|outputs?"
)
"""Words that say nothing of what a condition is about."""


@rule_on(by_family, "stated-twice", Severity.ERROR)
def stated_twice(sections: list[Section]) -> Found:
    """One condition is written both as an error and as a constraint, in different words: if they differ, nobody knows
    which holds. One should refer to the other."""
    tags = tags_in(sections)
    errors = _with_stems(tags, TagKind.ERROR)
    exact = {stems: tag for tag, stems in reversed(errors)}
    for constraint, ours in _with_stems(tags, TagKind.CONSTRAINT):
        # One may say more than the other: "the shapes are equal", "the shapes of A and B are equal".
        alike = [tag for tag, stems in errors[:_MOST] if ours <= stems or stems <= ours]
        if not alike and ours in exact:
            alike = [exact[ours]]
        restated = next((error for error in alike if constraint.name not in error.statement.text), None)
        if restated is not None:
            message = f"{constraint.name} repeats {restated.name}, on line {restated.span.line}"
            yield constraint.span, message, f"let the error refer to the constraint: `{constraint.name} fails`"


_MOST = 200
"""The number of errors that a constraint is compared with by subject; of further ones, those of the same words."""


def _with_stems(tags: list[Tag], kind: TagKind) -> list[tuple[Tag, frozenset[str]]]:
    """The tags of a kind, each with the words that say what it is about; without those that say nothing."""
    made = [(tag, _stems(tag)) for tag in tags if tag.kind is kind]
    return [(tag, stems) for tag, stems in made if stems]


def _stems(tag: Tag) -> frozenset[str]:
    """The words of a statement without their endings: `broadcastable` and `broadcasting` are about the same."""
    words = re.findall(r"[a-z]{3,}", re.sub(r"\$[^$]*\$|`[^`]*`", " ", tag.statement.text.lower()))
    return frozenset(re.sub(r"(able|ing|ed|s)$", "", word) for word in words if not _LITTLE.fullmatch(word))


@rule("definition-empty", Severity.ERROR)
def definition_empty(page: Page) -> Found:
    """A name is introduced with a colon but not described."""
    blocks = page.text.blocks
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.kind is not BlockKind.ITEM or not _INTRODUCED.fullmatch(block.cell.text):
            continue
        if after is None or not _says(after, block):
            yield block.span, f"{block.cell.plain.strip(': ')} has no description", "describe it, with its bounds"


def _says(after: Block, block: Block) -> bool:
    """Return whether a block says what the name is that the item before it introduces."""
    if after.kind in (BlockKind.MATH, BlockKind.CODE, BlockKind.TABLE) or after.level > block.level:
        return True
    return after.kind is BlockKind.PARAGRAPH and bool(after.cell.inlines) and _formula(after.cell)


_INTRODUCED = re.compile(r"\W*[A-Za-z]\w*\W*:\s*")


def _formula(cell: Cell) -> bool:
    formulas = (InlineKind.MATH, InlineKind.BREAK, InlineKind.MARK)
    return all(inline.kind in formulas or not inline.text.strip() for inline in cell.inlines)


_ZEROS = re.compile(r"(0\+)\s*[>≥]\s*0(\s*[>≥]\s*0-)")


@rule_on(in_cells(cells, _ZEROS), "zeros", Severity.ERROR)
def zeros(at: tuple[Cell, re.Match[str]]) -> Found:
    """An order names a zero besides +0 and -0: floats have two."""
    cell, found = at
    place = _place(cell, "0+ >")
    made = edit(place, found[0], found[1] + found[2])
    yield place, "the order names three zeros, but floats have two", "leave out the one without sign", made


_SPECIAL = {
    "NaN": r"\bnan\b|not a number",
    "infinities": r"\binf|\\infty|∞",
    "signed zeros": r"[-+]0|0[-+]|\bsigned zero|negative zero|(?:\\pm|±)\W*(?:text\W*)?0",
}
_EVERYWHERE = {
    "tensors without elements": r"\bempty\b|zero[- ]siz|without elements|no elements?\b|size \$?0",
    "scalars": r"\bscalar|rank[- ]?\$?0|rank[- ]zero|no dimension|\b0-?d\b|0-dim",
}
_OF_FLOATS = re.compile("float|double|order is defined")


@rule("undecided", Severity.WARNING)
def undecided(page: Page) -> Found:
    """A family does not cover what the profile decides for every operator: tensors without elements and scalars, and of
    floats NaN, infinities and the signs of zeros."""
    whole = " ".join(cell.text for cell in page.text.cells).lower()
    # It holds of all families, so it may stand anywhere; that it is missing is told of the first.
    lacking = _unsaid(_EVERYWHERE, whole)
    for sections in families(page):
        family = sections[0]
        if family is not page.families[0]:
            lacking = []
        if refers(family, sections[1:]):
            continue
        if _OF_FLOATS.search(family.title.lower()):
            text = " ".join(cell.text for cell in cells_of(sections)).lower()
            lacking = [*lacking, *_unsaid(_SPECIAL, text)]
        if lacking:
            yield family.heading.span, f"{family.short} does not cover {', '.join(lacking)}", "specify it"


def _unsaid(subjects: Mapping[str, str], text: str) -> list[str]:
    """The subjects of which a text has no word."""
    return [what for what, words in subjects.items() if not re.search(words, text)]


def _place(cell: Cell, text: str) -> Span:
    """The place of a text in a cell, else that of the cell."""
    source, start = cell.span.source, cell.span.column - 1
    for number in range(cell.span.line, cell.span.line + _LINES):
        column = source.line(number).find(text, start)
        if column >= 0:
            return Span(source, number, column + 1, len(text))
        # Its further lines belong to the cell from their beginning.
        start = 0
    return cell.span


_LINES = 12
"""The lines of a cell that are looked at: a paragraph with more is rare, and its beginning is a place too."""


RULES = (note, spelling, inputs_differ, stated_twice, definition_empty, zeros, undecided)
