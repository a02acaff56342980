"""Rules on formulas: symbols that nothing introduces, bounds of indices, and what binds a symbol for nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sonnx_verify.pages.lint.finding import Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.visits import by_family, cells, first, formulas, in_formulas, short_formulas
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.latex import MOST_CHARACTERS, formula
from sonnx_verify.pages.reading.page import Page, Section, cells_of
from sonnx_verify.pages.reading.schemas import schema
from sonnx_verify.pages.reading.symbols import place_in, symbols_of
from sonnx_verify.pages.reading.terms import BIG, QUANTIFIERS, RELATIONS, Other, Piece, Term, terms_of, words_in
from sonnx_verify.sources import Span


@rule("symbol-undefined", Severity.ERROR)
def undefined(page: Page) -> Found:
    """A formula or a statement uses a symbol that no text, signature or quantifier of the page introduces."""
    symbols = page.once(symbols_of)
    # A symbol that is missing is told where it is used first, and not at each of its uses.
    told = _names_of_onnx(page)
    for use in symbols.uses:
        # The revision history speaks of symbols that the page had once.
        if use.section.kind is SectionKind.REVISION:
            continue
        unknown = symbols.unknown(use.term.word)
        if unknown is None or unknown in told:
            continue
        told.add(unknown)
        within = ""
        if unknown != use.term.word:
            # `X_m`: the reader of the message looks for the whole term, and only `m` is unknown.
            within = f", in `{use.term.shown}`"
        yield use.span, f"undefined symbol {unknown}{within}", "introduce it before its first use"


def _names_of_onnx(page: Page) -> set[str]:
    """The names of inputs, outputs and attributes that ONNX gives the operator: they need no introduction."""
    found = schema(page.operator)
    if found is None:
        return set()
    parameters = {parameter.name for parameter in (*found.inputs, *found.outputs)}
    return parameters | {attribute.name for attribute in found.attributes}


@rule("symbol-unused", Severity.NOTE)
def unused(page: Page) -> Found:
    """The list below a signature introduces a symbol that the page uses nowhere else."""
    counts: Counter[str] = Counter()
    for use in page.once(symbols_of).uses:
        counts.update(_possible_names(use.term.word))
    for block in _items_of_signatures(page):
        name = _explained(block)
        # The item itself is one use. A name may stand in words too, where nobody takes it for a symbol.
        if name and counts[name] <= 1 and not re.search(rf"\b{name}\b", _text_without(page, block)):
            yield block.span, f"{name} is introduced but never used", "use it, or remove it"


def _possible_names(word: str) -> list[str]:
    """The symbols that a word may use: `dXm` may use Xm or m, `X0` X. One too few would be a false alarm."""
    ends = [word[cut:] for cut in range(1, len(word))]
    return [*{word, word.rstrip("0123456789")}, *ends]


def _items_of_signatures(page: Page) -> Iterator[Block]:
    """The items of the lists below signatures."""
    for section in page.sections:
        if section.kind is SectionKind.SIGNATURE:
            yield from (block for block in section.blocks if block.kind is BlockKind.ITEM)


def _explained(block: Block) -> str:
    """The symbol that an item of a list is about, empty where it begins with words."""
    said = [inline for inline in block.cell.inlines if inline.is_words or inline.kind is InlineKind.MATH]
    first_said = next((inline for inline in said if inline.text.strip()), None)
    if first_said is None or first_said.kind is InlineKind.TEXT:
        return ""
    match terms_of(first_said.text):
        case [Term(word=word)]:
            return word
        case _:
            return ""


def _text_without(page: Page, block: Block) -> str:
    texts: list[str] = []
    for other in page.text.blocks:
        if other is not block:
            texts += [cell.text for cell in other.cells]
    return " ".join(texts)


@rule_on(cells, "bound-unused", Severity.WARNING)
def bound_unused(cell: Cell) -> Found:
    """A quantifier or a sum binds a symbol that its body does not use: something is missing there."""
    found_in = [(inline, terms_of(inline.text)) for inline in cell.of(InlineKind.MATH)]
    # Of the whole cell: text goes on in the next formula, as in "for all $n$, either $a_n$ or $b_n$".
    words: Counter[str] = Counter()
    for _, found in found_in:
        words.update(words_in(found))
    for inline, found in found_in:
        for n, term in _bound(found):
            # A product of equal factors is a power.
            if _binder(found[:n]) == "prod":
                continue
            # The binder itself is one use.
            if words[term.word] < 2 and not _is_picked_by(term.word, words):
                place = place_in(inline.span, inline.text, term.place)
                yield place, f"{term.word} is bound but never used", "use it, or do not bind it"


def _is_picked_by(letter: str, words: Mapping[str, int]) -> bool:
    """Return whether a letter stands in another name: members of families are picked so, and m of `Zm` is bound."""
    return any(word != letter and letter in word for word in words)


_ENDS = RELATIONS | {"=", "+", "-", ",", ";", "&", "\\", "ne", "neq", "land", "lor", "implies", "iff", "Rightarrow"}
"""The ends of the reach of a sum: after it the same letter may be bound anew. A quantifier reaches to the end."""


@rule_on(formulas, "bound-twice", Severity.ERROR)
def bound_twice(inline: Inline) -> Found:
    """A formula binds a symbol that is already bound: the inner meaning hides the outer one."""
    found = terms_of(inline.text)
    bound = dict(_bound(found))
    # The set that a symbol ranges over ends nothing: the comma of `[0, n]` is none between two sums.
    sets: set[int] = set()
    for start in bound:
        sets.update(_set_after(found, start))
    reach: dict[str, bool] = {}
    for n, piece in enumerate(found):
        if isinstance(piece, Other) and n not in sets:
            reach = _reach_after(reach, piece)
        term = bound.get(n)
        if term is None:
            continue
        if term.word in reach:
            place = place_in(inline.span, inline.text, term.place)
            yield place, f"{term.word} is bound twice", "rename one of them"
        reach[term.word] = _binder(found[:n]) in QUANTIFIERS


def _binder(before: Sequence[Piece]) -> str:
    """The sign that binds the term behind some pieces: `forall i, j` binds both, and `sum` stands before its `_`."""
    signs = [piece.text for piece in before if isinstance(piece, Other) and piece.text not in (",", "_")]
    return signs[-1] if signs else ""


def _reach_after(reach: dict[str, bool], piece: Other) -> dict[str, bool]:
    """The symbols that are bound still behind a piece, each with whether it is so to the end."""
    # Alternatives and lines of a table each begin anew.
    if piece.kind == "word" or piece.text in ("\\", "&", "lor"):
        return {}
    if piece.text in _ENDS:
        return {word: always for word, always in reach.items() if always}
    return reach


_DEPTH = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}


def _set_after(found: Sequence[Piece], start: int) -> Iterator[int]:
    """The places of the set or the bounds that a bound term is given."""
    depth = 0
    for n in range(start + 1, len(found)):
        yield n
        match found[n]:
            case Other(kind=kind, text=text):
                deeper = _DEPTH.get(text, 0)
                depth += deeper
                ended = kind == "number" or deeper < 0
            case Term():
                ended = True
        # The first piece is `in` or `=`. Of `]0, n[` the first bracket is taken for its end: that can hide a finding,
        # as the comma ends the reach of a sum, and makes none.
        if n > start + 1 and depth <= 0 and ended:
            return


def _bound(found: Sequence[Piece]) -> Iterator[tuple[int, Term]]:
    """The terms that quantifiers and sums bind, each with its place among the pieces."""
    for n, one in enumerate(found):
        if isinstance(one, Term):
            continue
        if one.text in QUANTIFIERS:
            yield from _quantified(found, n + 1)
        elif one.text in BIG:
            yield from _summed(found, n + 1)


def _quantified(found: Sequence[Piece], start: int) -> Iterator[tuple[int, Term]]:
    """The terms behind a quantifier, with commas between them: `forall i, j in S` binds both."""
    for n in range(start, len(found)):
        match found[n]:
            case Term() as term:
                yield n, term
            case Other(text=","):
                continue
            case _:
                return


def _summed(found: Sequence[Piece], start: int) -> Iterator[tuple[int, Term]]:
    """The term below a sum. `max_{a}` with neither `=` nor `in` after it binds nothing: it is a name with an index."""
    match list(found[start : start + 4]):
        case [Term() as term, Other(text="in" | "=" | "∈"), *_]:
            yield start, term
        case [Other(text="_" | "limits"), Term() as term, Other(text="in" | "=" | "∈"), *_]:
            yield start + 1, term
        case [Other(text="_" | "limits"), Other(text="_" | "limits"), Term() as term, Other(text="in" | "=" | "∈")]:
            yield start + 2, term


_SET = re.compile(
    r"(?<![A-Za-z\\_^])([A-Za-z])\s*\\in\s*(?:\[|\\\{)\s*([^,\[\]{}]+?)\s*,\s*(?:\.{3}|\\ldots|\\dots|…)?\s*,?\s*"
    r"((?:[^,\[\]{}\\]|\{[^{}]*\})+?)\s*\\?[\]\[}]"
)
"""A symbol with the ends of the interval or of the list that it lies in: `m \\in [0, L]`."""
_LISTING = re.compile(
    r"(?<![A-Za-z])([A-Za-z])[_^]?\{?(\d+)\}?\s*(?:,\s*)*(?:\.{2,}|…|\\l?dots|\\cdots)\s*(?:,\s*)*\1"
    r"[_^]?(?:\{([^{}]+)\}|([A-Za-z]\w*))(?![{\w])"
)
"""The members of a family: `Z_0, \\ldots, Z_L` has the name Z, the first index 0 and the last L."""
_FROM_ONE = re.compile(r"\\in\s*(?:\[|\\\{)\s*1\s*,\s*(?:\.{3}|\\ldots|\\dots|…)")
_BOUND = re.compile(r"\s*([A-Za-z]\w*(?:_\w|_\{\w\})?)\s*(-\s*1)?\s*")
"""The end of an interval at a name, or one before it."""
_HALF_OPEN = re.compile(r"[\[\]]([^\[\]]*,[^\[\]]*)\[(?!\s*[\w\\])")
"""An interval that ends with an opening bracket. Before a name that bracket opens an index, as in `]a, b[i]`."""
_NO_COMMA = re.compile(r",\s*\.{3}\s*([A-Z])\b")


@rule_on(by_family, "index-bounds", Severity.ERROR)
def index_bounds(sections: list[Section]) -> Found:
    """An index runs over different numbers than the members that it picks have: `Z0` to `ZL`, and m from 1 to L."""
    # Family by family: the one of floats may have other inputs than that of integers.
    listed: dict[str, tuple[str, str]] = {}
    for cell in cells_of(sections):
        text = _plain(cell.text)[:MOST_CHARACTERS]
        for name, start, in_braces, bare in _LISTING.findall(text):
            listed.setdefault(name, (start, in_braces or bare))
        for message in _out_of_bounds(text, listed):
            yield cell.span, message, "let it run over all of them, or say which it leaves out"


def _out_of_bounds(text: str, listed: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """The indices of a text that run over other numbers than the members that they pick."""
    for name, start, last in _SET.findall(text):
        # Ends that are expressions may be equal though they look different: `L - 1` is compared, `2n + 1` is not.
        if not _SIMPLE.fullmatch(last.strip()):
            continue
        for base, bounds in listed.items():
            picked = re.search(rf"(?<![A-Za-z]){base}[_^]?(?:{name}(?!\w)|\{{{name}\}})", text)
            if picked and _tight(bounds) != _tight((start, last)):
                members = f"{base}{bounds[0]} to {base}{bounds[1]}"
                yield f"{name} runs from {start.strip()} to {last.strip()}, but there are {members}"


_SIMPLE = re.compile(r"[A-Za-z]\w*(?:\s*[-+]\s*1)?")


def _plain(text: str) -> str:
    return re.sub(r"[$`]+", "", re.sub(r"\\[,;! ]", " ", text)).replace("\n", " ")


def _tight(bounds: tuple[str, str]) -> tuple[str, ...]:
    return tuple(re.sub(r"\s+", "", bound) for bound in bounds)


@rule_on(first(in_formulas(_FROM_ONE)), "index-from-one", Severity.NOTE)
def from_one(at: tuple[Span, re.Match[str]]) -> Found:
    """Indices are counted from 1. ONNX and other pages of the profile count from 0."""
    yield at[0], "this index counts from 1, but ONNX counts from 0", "count from 0"


@rule("index-ends-differ", Severity.ERROR)
def ends_differ(page: Page) -> Found:
    """Intervals of indices end at a bound in one place and one before it in another: one of them is off by one."""
    ends: dict[str, tuple[str, Span]] = {}
    for inline in short_formulas(page):
        for name, start, last in _SET.findall(inline.text):
            bound = _BOUND.fullmatch(last)
            # Only what counts from 0: from 1 to n and from 0 to n - 1 are as many.
            if bound is None or start.strip() != "0":
                continue
            end = "one before" if bound[2] else "at"
            known, before = ends.setdefault(bound[1], (end, inline.span))
            if known != end:
                message = f"{name} ends {end} {bound[1]}, but an index on line {before.line} ends {known} it"
                place = place_in(inline.span, inline.text, inline.text.find(bound[1]))
                yield place, message, "let both end at the last index"


@rule_on(in_formulas(_HALF_OPEN), "interval-outward", Severity.NOTE)
def outward(at: tuple[Span, re.Match[str]]) -> Found:
    """An interval is half open, written with an outward bracket: readers take the bracket for a typo, as others on the
    page are closed."""
    place, found = at
    inner = found[1].strip()
    # `]a, b[` has both brackets outward, which is no slip; `[x = 1, y[` and `[i, j | k[` are no intervals.
    if found[0].startswith("[") and not re.search(r"[=|]", inner):
        yield place, f"the interval `[{inner}[` is open at its end", "write a closed interval of integers"


@rule_on(first(in_formulas(_NO_COMMA)), "dots-without-comma", Severity.NOTE)
def dots(at: tuple[Span, re.Match[str]]) -> Found:
    """A list of numbers ends with dots and a symbol without a comma between them: `1,...N` is read as a product."""
    place, found = at
    yield place, f"a comma is missing before {found[1]}", f"write `, \\ldots, {found[1]}`"


@rule_on(formulas, "formula-broken", Severity.ERROR)
def broken(inline: Inline) -> Found:
    """A formula cannot be read: a brace or an environment is opened and not closed, or the other way round."""
    if problem := formula(inline.text).problem:
        yield inline.span, f"the formula cannot be read: {problem}", "correct it"


RULES = (undefined, unused, bound_unused, bound_twice, index_bounds, from_one, ends_differ, outward, dots, broken)
