"""The text shown for the thing under the cursor: its type, sentences of the page, verdicts of its obligations."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Range

from sonnx_verify.background.messages import Row
from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import clause_text
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.lenses import in_brackets
from sonnx_verify.lsp.names import Formal, Word, is_said, word_at
from sonnx_verify.lsp.pairs import clauses_of, family_at, formal_beside, page_beside, tag_at, tags_of
from sonnx_verify.lsp.positions import Place
from sonnx_verify.lsp.symbols import Symbol
from sonnx_verify.lsp.verdicts import Verdicts
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.pages.reading.sentences import stated

_LONGEST = 80
"""The longest expression that is shown, in characters: editors wrap what is wider."""


def hover(desk: Desk, document: Document, place: Place, verdicts: Verdicts | None) -> Hover | None:
    """The text to be shown at a place; `verdicts` are those of the formal text, or of the one next to the page."""
    if not document.is_formal:
        return _of_page(desk, document, place, verdicts)
    line = document.lines.line(place[0])
    if is_said(line, place[1]):
        return None
    formal = Formal.of(desk, document)
    if formal is None:
        return None
    word, before = word_at(line, place[1]), formal.before(place)
    is_word = word is not None and formal.is_word(word, before)
    if word is not None and not is_word:
        symbol = formal.symbol(word.text, before)
        if symbol is not None:
            return _shown(_of_symbol(desk, formal, symbol, verdicts), document, place, word)
    expression = formal.expression(before)
    if expression is None:
        return None
    node, kind = expression
    # On `and` of `a and b` the expression is meant; a name around a keyword is that of an earlier text.
    if isinstance(node, s.Name) and is_word:
        return None
    said = " ".join(node.span.source.text[node.span.start : node.span.start + node.span.length].split())
    if len(said) > _LONGEST:
        said = f"{said[: _LONGEST - 3]}..."
    return _shown([_code(f"{said} : {kind}")], document, place, word)


def _of_symbol(desk: Desk, formal: Formal, symbol: Symbol, verdicts: Verdicts | None) -> list[str]:
    parts = [_code(symbol.line)]
    if symbol.title:
        parts.append(symbol.title)
    # What the page and the verdicts say is about this text; a name of a library has its own.
    own = symbol.path == formal.document.path
    if own and clauses_of(formal.tree, symbol.name):
        page = page_beside(desk, formal)
        if page is not None:
            parts += _sentences(stated(tag) for tag, _ in tags_of(page, symbol.name))
    if own and verdicts is not None:
        parts += _verdicts(rows_of(verdicts, formal.document, symbol.name))
    return parts


def _of_page(desk: Desk, document: Document, place: Place, verdicts: Verdicts | None) -> Hover | None:
    line = document.lines.line(place[0])
    beside = formal_beside(desk, document)
    if beside is None:
        return None
    if tag := tag_at(line, place[1]):
        family = family_at(page_from(document.shown, document.data, document.file), place[0])
        clauses = clauses_of(beside.formal.tree, tag, family)
        if not clauses:
            return None
        parts = [_code(clause_line(clause)) for clause in clauses]
        if verdicts is not None:
            parts += _verdicts(rows_of(verdicts, beside.formal.document, tag))
        return _shown(parts, document, place, None)
    word = word_at(line, place[1])
    if word is None:
        return None
    symbol = beside.formal.known.get(word.text)
    if symbol is None:
        return None
    return _shown(_of_symbol(desk, beside.formal, symbol, verdicts), document, place, word)


def clause_line(clause: s.Clause) -> str:
    """A clause as its text has it, in one line."""
    return " ".join(clause_text(clause).split())


def rows_of(verdicts: Verdicts, document: Document, tag: str) -> list[tuple[Row, bool]]:
    """The obligations of a tag or name, each with whether it is of the text that is open."""
    shown = verdicts.shown(document.lines.plain)
    # Of Y are also those of Y.shape and Y.value.
    return [(row, now) for row, _, now in shown if tag in (row.tag, row.tag.partition(".")[0])]


def _verdicts(rows: list[tuple[Row, bool]]) -> list[str]:
    """A line for each kind of obligation with one verdict."""
    lines: dict[str, list[str]] = {}
    for row, now in rows:
        line = f"**{row.verdict}** {row.tag}/{row.kind}"
        if not now:
            line += ", outdated"
        lines.setdefault(line, []).append(row.section)
    if not lines:
        return []
    return ["\n".join(f"- {line}{in_brackets(sections)}" for line, sections in lines.items())]


def _sentences(said: Iterable[str]) -> list[str]:
    """The sentences of the page, each once: a tag may stand in several families with the same sentence."""
    return [f"> {sentence}" for sentence in dict.fromkeys(said) if sentence]


def _code(text: str) -> str:
    return f"```sonnx\n{text}\n```"


def _shown(parts: list[str], document: Document, place: Place, word: Word | None) -> Hover:
    lines, where = document.lines, None
    if word is not None:
        where = Range(lines.position(place[0], word.start), lines.position(place[0], word.end))
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n".join(parts)), where)
