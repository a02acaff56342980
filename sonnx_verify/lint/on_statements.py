"""Rules on what statements say: notes that were left, words, families of inputs, conditions that are stated twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sonnx_verify.errors import Span
from sonnx_verify.lint.finding import EVERY, Found, rule
from sonnx_verify.pages.blocks import Cell
from sonnx_verify.pages.page import Page
from sonnx_verify.pages.tags import Tag

_TODO = re.compile(r"\b(TODO|FIXME|TBD|TBC|XXX)\b|\?{3}")
_FRENCH = re.compile(
    r"\b(le|la|les|des|une|du|au|est|sont|pas|pour|par|avec|dans|donc|il|manque|partie|traiter|voir|faire|faut|cette"
    r"|à|où|être|définir|definir|vérifier|entier|flottant|et|ou|si)\b",
    re.IGNORECASE,
)
_ENOUGH = 3
"""So many words of French make a note in French."""


@rule("author-note", "warning", EVERY)
def note(page: Page) -> Found:
    """A note among authors was left in the text, in English or French."""
    for block in page.text.blocks:
        for cell in block.cells:
            text = cell.plain
            if found := _TODO.search(text):
                yield _place(cell, found[0]), f"a note was left: `{found[0]}`", "settle it, and remove it"
            elif page.kind == "profile":
                # Pages of ONNX are translated, to French too.
                for sentence in re.split(r"(?<=[.!?…])\s+", text):
                    words = _FRENCH.findall(sentence)
                    if len(words) >= _ENOUGH and len(words) * 4 >= len(sentence.split()):
                        shown = sentence.strip()[:60]
                        yield _place(cell, shown.split()[0]), f"a note in French was left: `{shown}`", "remove it"
                        break


_SPELLING = {
    "boardcast": "broadcast", "broadcat": "broadcast", "wize": "wise", "reciprocaly": "reciprocally",
    "shappe": "shape", "lenght": "length", "tenseur": "tensor", "dimention": "dimension", "seperat": "separat",
    "indice ": "index ", "occured": "occurred", "maximun": "maximum", "minimun": "minimum", "paramater": "parameter",
    "attibute": "attribute", "restiction": "restriction", "constaint": "constraint", "the the ": "the ",
}  # fmt: skip


_MISSPELLED = re.compile("|".join(map(re.escape, _SPELLING)), re.IGNORECASE)


@rule("spelling", "note", EVERY)
def spelling(page: Page) -> Found:
    """A word of the field is misspelled: who looks for it does not find it."""
    for span, text in _lines(page):
        for found in _MISSPELLED.finditer(text):
            place = Span(span.source, span.line, found.start() + 1, len(found[0]))
            yield place, f"`{found[0].strip()}` is misspelled", f"write `{_SPELLING[found[0].lower()].strip()}`"


def _lines(page: Page) -> Iterator[tuple[Span, str]]:
    for number, line in enumerate(page.source.text.split("\n"), 1):
        yield Span(page.source, number, 1), line


_NAMES = r"([A-Za-z])[_^]?\{?(\d+)\}?"
_RANGE = re.compile(rf"{_NAMES}\s*(?:,\s*)*(?:\.{{2,}}|…|\\l?dots|\\cdots)\s*(?:,\s*)*\1[_^]?\{{?([A-Za-z]\w*)\}}?")


@rule("inputs-differ", "error")
def inputs_differ(page: Page) -> Found:
    """A family of inputs is written with other bounds than in the signature, as `X1, ..., XN` for `X0, ..., XL`: it
    leaves one out, or counts one that is not there."""
    for sections in page.by_family:
        known: dict[str, tuple[str, str, int]] = {}
        for section in sections:
            for block in section.blocks:
                for cell in block.cells:
                    for found in _RANGE.finditer(re.sub(r"[$`\s]+", " ", cell.text).replace(" ,", ",")):
                        name, first, last = found[1], found[2], found[3]
                        other = known.setdefault(name, (first, last, cell.span.line))
                        if other[:2] != (first, last):
                            yield (
                                _place(cell, f"{name}{first}"),
                                f"{name} goes from {first} to {last}; on line {other[2]} from {other[0]} to {other[1]}",
                                "number its members as the signature does",
                            )


_LITTLE = re.compile(
    r"the|an?|of|to|be|is|are|shall|must|not?|and|or|for|all|any|each|every|in|on|with|its|their|it|that|which|rules?"
    r"|appl(?:icable|y|ies)|conditions?|holds?|valid|tensors?|inputs?|outputs?"
)
"""Words that say nothing of what a condition is about."""


@rule("stated-twice", "error")
def stated_twice(page: Page) -> Found:
    """One condition is written both as an error and as a constraint, each in words of its own: if they differ, nobody
    knows which holds. One should refer to the other."""
    for sections in page.by_family:
        tags = [tag for section in sections for tag in section.tags]
        for error in (t for t in tags if t.kind == "error"):
            for constraint in (t for t in tags if t.kind == "constraint"):
                ours, theirs = _stems(error), _stems(constraint)
                alike = ours and theirs and (ours <= theirs or theirs <= ours)
                if alike and constraint.name not in error.statement.text:
                    message = f"{constraint.name} states again what {error.name} on line {error.span.line} is about"
                    yield constraint.span, message, f"let the error refer to the constraint: `{constraint.name} fails`"


def _stems(tag: Tag) -> frozenset[str]:
    words = re.findall(r"[a-z]{3,}", re.sub(r"\$[^$]*\$|`[^`]*`", " ", tag.statement.text.lower()))
    return frozenset(re.sub(r"(able|ing|ed|s)$", "", w) for w in words if not _LITTLE.fullmatch(w))


@rule("definition-empty", "error")
def definition_empty(page: Page) -> Found:
    """A name is introduced with a colon, and nothing is said of it."""
    for block in page.text.blocks:
        if block.kind == "item" and re.fullmatch(r"\W*[A-Za-z]\w*\W*:\s*", block.cell.text):
            yield block.span, f"nothing is said of {block.cell.plain.strip(': ')}", "say what it is, with its bounds"


@rule("zeros", "error")
def zeros(page: Page) -> Found:
    """An order names a zero beside +0 and -0: floats have two."""
    for block in page.text.blocks:
        for cell in block.cells:
            if re.search(r"0\+\s*[>≥]\s*0\s*[>≥]\s*0-|\+0\s*[>≥]\s*0\s*[>≥]\s*-0", cell.plain):
                place = _place(cell, "0+ >")
                yield place, "the order names three zeros, and floats have two", "leave out the one without sign"


_SPECIAL = {
    "NaN": r"\bnan\b|not a number",
    "infinities": r"\binf|\\infty",
    "signed zeros": r"[-+]0|0[-+]|\bsigned zero|negative zero",
}
_EVERYWHERE = {
    "tensors without elements": r"\bempty\b|zero-size|without elements|no elements|size 0",
    "scalars": r"\bscalar|rank 0|0-d",
}


@rule("undecided", "warning")
def undecided(page: Page) -> Found:
    """A family says nothing of what the profile decides for every operator: tensors without elements and scalars, and
    of floats NaN, infinities and the signs of zeros."""
    whole = " ".join(c.text for b in page.text.blocks for c in b.cells).lower()
    for sections in page.by_family[1:]:
        family, blocks = sections[0], [block for section in sections for block in section.blocks]
        text = " ".join(c.text for b in blocks for c in b.cells).lower()
        lacking = [what for what, words in _EVERYWHERE.items() if not re.search(words, whole)]
        if re.search("float|double|order is defined", family.title.lower()):
            lacking += [what for what, words in _SPECIAL.items() if not re.search(words, text)]
        if lacking:
            yield family.heading.span, f"{family.title} says nothing of {', '.join(lacking)}", "decide it"


def _place(cell: Cell, text: str) -> Span:
    """Where a text stands in a cell, or where that begins."""
    source = cell.span.source
    for n in range(cell.span.line, cell.span.line + 12):
        column = source.line(n).find(text, cell.span.column - 1 if n == cell.span.line else 0)
        if column >= 0:
            return Span(source, n, column + 1, len(text))
    return cell.span


