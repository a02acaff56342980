"""Rules on formulas: symbols that nothing introduces, bounds of indices, and what binds a symbol for nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from sonnx_verify.errors import Span
from sonnx_verify.pages.lint.finding import Found, Severity, rule
from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.latex import MOST_CHARACTERS, formula
from sonnx_verify.pages.reading.page import Page, cells_of
from sonnx_verify.pages.reading.schemas import schema
from sonnx_verify.pages.reading.symbols import place_in, symbols_of
from sonnx_verify.pages.reading.terms import BIG, QUANTIFIERS, RELATIONS, Other, Piece, Term, terms_of, words_in


@rule("symbol-undefined", Severity.ERROR)
def undefined(page: Page) -> Found:
    """A formula or a statement uses a symbol that no text, signature or quantifier of the page introduces."""
    symbols = page.once(symbols_of)
    found = schema(page.operator)
    # Names of ONNX need no introduction; others are told once.
    told: set[str] = set()
    if found is not None:
        told |= {parameter.name for parameter in (*found.inputs, *found.outputs)}
        told |= {attribute.name for attribute in found.attributes}
    for use in symbols.uses:
        unknown = symbols.unknown(use.term.word)
        if unknown is not None and unknown not in told and use.section.kind is not SectionKind.REVISION:
            told.add(unknown)
            within = f", in `{use.term.shown}`" if unknown != use.term.word else ""
            yield use.span, f"nothing says what {unknown} is{within}", "introduce it where it is used first"


@rule("symbol-unused", Severity.NOTE)
def unused(page: Page) -> Found:
    """The list below a signature explains a symbol that the page uses nowhere else."""
    symbols = page.once(symbols_of)
    counts: dict[str, int] = defaultdict(int)
    for use in symbols.uses:
        for word in {use.term.word, use.term.word.rstrip("0123456789")}:
            counts[word] += 1
        for cut in range(1, len(use.term.word)):
            counts[use.term.word[cut:]] += 1
    signatures = [section for section in page.sections if section.kind is SectionKind.SIGNATURE]
    for block in (block for section in signatures for block in section.blocks):
        name = _explained(block)
        if not name or counts[name] > 1:
            continue
        if not re.search(rf"\b{name}\b", _text_without(page, block)):
            yield block.span, f"{name} is explained and not used", "use it, or remove it"


def _explained(block: Block) -> str:
    """The symbol that an item of a list is about."""
    if block.kind is not BlockKind.ITEM:
        return ""
    said = [inline for inline in block.cell.inlines if inline.is_words or inline.kind is InlineKind.MATH]
    pieces = [inline for inline in said if inline.text.strip()]
    if not pieces or pieces[0].kind is InlineKind.TEXT:
        return ""
    found = terms_of(pieces[0].text)
    return found[0].word if len(found) == 1 and isinstance(found[0], Term) else ""


def _text_without(page: Page, block: Block) -> str:
    others = [other for other in page.text.blocks if other is not block]
    return " ".join(cell.text for other in others for cell in other.cells)


@rule("bound-unused", Severity.WARNING)
def bound_unused(page: Page) -> Found:
    """A quantifier or a sum binds a symbol that what it binds over does not use: something is missing there."""
    for cell in page.text.cells:
        formulas = [(i, terms_of(i.text)) for i in cell.of(InlineKind.MATH)]
        # Text goes on in the next formula: for all n, either this or that.
        words = Counter(word for _, found in formulas for word in words_in(found))
        for inline, found in formulas:
            for _, term in _bound(found):
                # Members of families are picked by letters at their names: m binds Zm.
                picks = any(word != term.word and term.word in word for word in words)
                if words[term.word] < 2 and not picks:
                    place = place_in(inline.span, inline.text, term.place)
                    yield place, f"{term.word} is bound and not used", "use it, or do not bind it"


_ENDS = RELATIONS | {"=", "+", "-", ",", ";", "&", "\\", "ne", "neq", "land", "lor", "implies", "iff", "Rightarrow"}
"""The ends of the reach of a sum: after it the same letter may be bound anew. A quantifier reaches to the end."""


@rule("bound-twice", Severity.ERROR)
def bound_twice(page: Page) -> Found:
    """A formula binds a symbol again where it is bound already: what the inner one means, the outer one cannot say."""
    for inline in page.text.inlines([InlineKind.MATH]):
        found = terms_of(inline.text)
        reach: dict[str, bool] = {}
        bound = dict(_bound(found))
        sets = {n for start in bound for n in _set_after(found, start)}
        for n, piece in enumerate(found):
            if isinstance(piece, Other) and n not in sets:
                reach = _reach_after(reach, piece)
            if n in bound:
                term = bound[n]
                if term.word in reach:
                    place = place_in(inline.span, inline.text, term.place)
                    yield place, f"{term.word} is bound a second time", "name one of them otherwise"
                before = (p.text for p in reversed(found[:n]) if isinstance(p, Other) and p.text not in (",", "_"))
                reach[term.word] = next(before, "") in QUANTIFIERS


def _reach_after(reach: dict[str, bool], piece: Other) -> dict[str, bool]:
    """The symbols that are bound still behind a piece, each with whether it is so to the end."""
    # Alternatives and lines of a table each begin anew.
    if piece.kind == "word" or piece.text in ("\\", "&", "lor"):
        return {}
    if piece.text in _ENDS:
        return {word: always for word, always in reach.items() if always}
    return reach


def _set_after(found: Sequence[Piece], start: int) -> Iterator[int]:
    """The places of the set or the bounds that a bound term is given."""
    depth = 0
    for n in range(start + 1, len(found)):
        piece = found[n]
        text = piece.text if isinstance(piece, Other) else ""
        depth += (text in ("[", "{", "(")) - (text in ("]", "}", ")"))
        yield n
        ended = isinstance(piece, Term) or piece.kind == "number" or text in ("]", "}", ")")
        if n > start + 1 and depth <= 0 and ended:
            return


def _bound(found: Sequence[Piece]) -> Iterator[tuple[int, Term]]:
    """The terms that quantifiers and sums bind, each with its place among the pieces."""
    for n, one in enumerate(found):
        if isinstance(one, Other) and one.text in QUANTIFIERS:
            for after, piece in enumerate(found[n + 1 :], n + 1):
                if isinstance(piece, Term):
                    yield after, piece
                elif piece.text != ",":
                    break
        elif isinstance(one, Other) and one.text in BIG:
            below = next((k for k in range(n + 1, min(n + 4, len(found))) if isinstance(found[k], Term)), None)
            if below is None or any(p.text not in ("_", "limits") for p in _others(found[n + 1 : below])):
                continue
            term = found[below]
            if isinstance(term, Term) and any(p.text in ("in", "=", "∈") for p in _others(found[below : below + 2])):
                yield below, term


def _others(found: Sequence[Piece]) -> Iterator[Other]:
    return (piece for piece in found if isinstance(piece, Other))


_SET = re.compile(
    r"(?<![A-Za-z\\_^])([A-Za-z])\s*\\in\s*(?:\[|\\\{)\s*([^,\[\]{}]+?)\s*,\s*(?:\.{3}|\\ldots|\\dots|…)?\s*,?\s*"
    r"((?:[^,\[\]{}\\]|\{[^{}]*\})+?)\s*(\\?[\]\[}])"
)
"""A symbol with the ends of the interval, or of the list, that it lies in."""
_LISTING = re.compile(
    r"(?<![A-Za-z])([A-Za-z])[_^]?\{?(\d+)\}?\s*(?:,\s*)*(?:\.{2,}|…|\\l?dots|\\cdots)\s*(?:,\s*)*\1"
    r"[_^]?(?:\{([^{}]+)\}|([A-Za-z]\w*))(?![{\w])"
)


@rule("index-bounds", Severity.ERROR)
def index_bounds(page: Page) -> Found:
    """An index runs over other numbers than the members that it picks have: `Z0` to `ZL`, and m from 1 to L."""
    for sections in page.by_family:
        listed: dict[str, tuple[str, str]] = {}
        for cell in cells_of(sections):
            text = _plain(cell.text)[:MOST_CHARACTERS]
            for found in _LISTING.finditer(text):
                listed.setdefault(found[1], (found[2], found[3] or found[4]))
            for message in _out_of_bounds(text, listed):
                yield cell.span, message, "let it run over all of them, or say which it leaves out"


def _out_of_bounds(text: str, listed: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The indices of a text that run over other numbers than the members that they pick."""
    for name, first, last, _ in (found.groups() for found in _SET.finditer(text)):
        if not _simple(last):
            continue
        for base, bounds in listed.items():
            picked = re.search(rf"(?<![A-Za-z]){base}[_^]?(?:{name}(?!\w)|\{{{name}\}})", text)
            if picked and _tight(bounds) != _tight((first, last)):
                members = f"{base}{bounds[0]} to {base}{bounds[1]}"
                yield f"{name} runs from {first.strip()} to {last.strip()}, and there are {members}"


def _plain(text: str) -> str:
    return re.sub(r"[$`]+", "", re.sub(r"\\[,;! ]", " ", text)).replace("\n", " ")


def _tight(bounds: tuple[str, str]) -> tuple[str, ...]:
    return tuple(re.sub(r"\s+", "", bound) for bound in bounds)


def _simple(last: str) -> bool:
    return re.fullmatch(r"[A-Za-z]\w*(?:\s*[-+]\s*1)?", last.strip()) is not None


@rule("index-from-one", Severity.NOTE)
def from_one(page: Page) -> Found:
    """Indices are counted from 1. ONNX and other pages of the profile count from 0."""
    for span, text in _texts(page):
        if found := re.search(r"\\in\s*(?:\[|\\\{)\s*1\s*,\s*(?:\.{3}|\\ldots|\\dots|…)", text):
            place = place_in(span, text, found.start())
            yield place, "this index counts from 1, and ONNX counts from 0", "count from 0"
            return


@rule("index-ends-differ", Severity.ERROR)
def ends_differ(page: Page) -> Found:
    """Intervals of indices end at a bound in one place and one before it in another: one of them goes too far."""
    ends: dict[str, tuple[str, Span]] = {}
    for span, text in _texts(page):
        for name, first, last, _ in (m.groups() for m in _SET.finditer(text)):
            bound = re.fullmatch(r"\s*([A-Za-z]\w*(?:_\w|_\{\w\})?)\s*(-\s*1)?\s*", last)
            if bound is None or first.strip() != "0":
                continue
            end = "one before" if bound[2] else "at"
            known = ends.setdefault(bound[1], (end, span))
            if known[0] != end:
                message = f"{name} ends {end} {bound[1]}, and an index on line {known[1].line} {known[0]} it"
                yield place_in(span, text, text.find(bound[1])), message, "let both end at the last index"


@rule("interval-outward", Severity.NOTE)
def outward(page: Page) -> Found:
    """An interval is half open, written with an outward bracket: readers take the bracket for a slip, as others on the
    page are closed."""
    for span, text in _texts(page):
        if found := re.search(r"[\[\]]([^\[\]]*,[^\[\]]*)\[(?!\s*[\w\\])", text):
            inner = found[1].strip()
            if text[found.start()] == "[" and not re.search(r"[=|]", inner):
                place = place_in(span, text, found.start())
                yield place, f"the interval `[{inner}[` is open at its end", "write a closed interval of integers"


@rule("dots-without-comma", Severity.NOTE)
def dots(page: Page) -> Found:
    """A list of numbers ends with dots and a symbol that no comma parts: `1,...N` is read as a product."""
    for span, text in _texts(page):
        if found := re.search(r",\s*\.{3}\s*([A-Z])\b", text):
            place = place_in(span, text, found.start())
            yield place, f"no comma stands before {found[1]}", f"write `, \\ldots, {found[1]}`"
            return


@rule("formula-broken", Severity.ERROR)
def broken(page: Page) -> Found:
    """A formula cannot be read: a brace or an environment is opened and not closed, or the other way round."""
    for inline in page.text.inlines([InlineKind.MATH]):
        if problem := formula(inline.text).problem:
            yield inline.span, f"the formula cannot be read: {problem}", "correct it"


def _texts(page: Page) -> Iterator[tuple[Span, str]]:
    """All formulas that are read, each with its place."""
    return ((i.span, i.text) for i in page.text.inlines([InlineKind.MATH]) if len(i.text) <= MOST_CHARACTERS)


RULES = (undefined, unused, bound_unused, bound_twice, index_bounds, from_one, ends_differ, outward, dots, broken)
